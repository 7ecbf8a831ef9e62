#include "python/environment.hpp"

#include "python/bindings.hpp"
#include "python/options.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace canopy::python {
namespace {

Selection environment_from(nb::handle name, const nb::dict& given) {
  const EnvironmentEntry& entry = entry_named(environments(), name);
  std::vector<Violation> wrong;
  OptionValues options = options_from(given, entry.fields, "environment.", wrong);
  refuse_others(given, entry.fields, wrong);
  throw_if_any(std::move(wrong));
  return environments().completed({entry.name, std::move(options)});
}

}  // namespace

PythonEnvironment::PythonEnvironment(nb::handle name, const nb::dict& given, std::uint64_t seed)
    : selection_(environment_from(name, given)),
      environment_(make_environment(selection_)),
      space_(environment_->space()),
      random_({.seed = seed, .environment = selection_.name}) {
  environment_->start(random_);
}

double PythonEnvironment::pull(const nb::dict& arm) {
  const double reward = environment_->pull(space_.coordinates(arm), random_);
  ++t_;
  return reward;
}

void bind_environment(nb::module_& module) {
  nb::class_<PythonEnvironment>(module, "Environment")
      .def(nb::init<nb::handle, const nb::dict&, std::uint64_t>(), nb::arg("name").none(),
           nb::arg("options"), nb::arg("seed"))
      .def("_pull", &PythonEnvironment::pull, nb::arg("arm"))
      .def(
          "_mean_reward",
          [](const PythonEnvironment& self, const nb::dict& arm) {
            return self.known().mean_reward_at(self.space().coordinates(arm), self.t());
          },
          nb::arg("arm"))
      .def("_parameters",
           [](const PythonEnvironment& self) { return parameter_list(self.space().space()); })
      .def("_options",
           [](const PythonEnvironment& self) {
             return options_dictionary(self.selection().options);
           })
      .def("_optimum",
           [](const PythonEnvironment& self) {
             const Optimum optimum = self.known().optimum_at(self.t());
             return nb::make_tuple(self.space().dictionary(optimum.arm), optimum.value);
           })
      .def_prop_ro("reward_range",
                   [](const PythonEnvironment& self) {
                     const auto [low, high] = self.known().reward_range();
                     return nb::make_tuple(low, high);
                   })
      .def_prop_ro("mixing_time",
                   [](const PythonEnvironment& self) { return self.known().mixing_time(); });
}

}  // namespace canopy::python
