// The rule of the tuner for too many failures.

#include "python/bindings.hpp"
#include "tuning/recent_failures.hpp"

#include <nanobind/nanobind.h>

namespace canopy::python {

namespace nb = nanobind;

void bind_failures(nb::module_& module) {
  nb::class_<RecentFailures>(module, "RecentFailures")
      .def(nb::init<>())
      .def("add", &RecentFailures::add, nb::arg("failed"))
      .def("are_too_many", &RecentFailures::are_too_many, nb::arg("allowed"))
      .def_prop_ro("count", &RecentFailures::count)
      .def_prop_ro("pulls", &RecentFailures::pulls);
}

}  // namespace canopy::python
