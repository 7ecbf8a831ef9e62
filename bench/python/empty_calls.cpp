#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace {

/// The shape of an optimizer, with nothing in it.
struct EmptyOptimizer {};

}  // namespace

NB_MODULE(canopy_empty_calls, module) {
  nb::class_<EmptyOptimizer>(module, "EmptyOptimizer")
      .def(nb::init<>())
      .def(
          "ask", [](EmptyOptimizer& /*self*/, nb::handle /*pulls*/) {},
          nb::arg("pulls") = nb::none())
      .def(
          "tell", [](EmptyOptimizer& /*self*/, nb::handle /*pull*/, nb::handle /*reward*/) {},
          nb::arg("pull").none(), nb::arg("reward").none());
}
