#include "canopy/random.hpp"

#include "environments/catalogue.hpp"
#include "python/bindings.hpp"
#include "python/options.hpp"
#include "python/space.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace canopy::python {
namespace {

/// An environment with a random stream of its own.
class PythonEnvironment {
 public:
  PythonEnvironment(nb::handle name, const nb::dict& given, std::uint64_t seed)
      : options_(chosen(name, given)),
        environment_(make_environment(options_)),
        space_(environment_->space()),
        random_({.seed = seed, .experiment = name_of_alternative<EnvironmentEntry>(options_)}) {
    environment_->start(random_);
  }

  [[nodiscard]] const EnvironmentOptions& options() const { return options_; }
  [[nodiscard]] const KnownEnvironment& known() const { return *environment_; }
  [[nodiscard]] const PythonSpace& space() const { return space_; }

  double pull(const nb::dict& arm) { return environment_->pull(space_.coordinates(arm), random_); }

 private:
  static EnvironmentOptions chosen(nb::handle name, const nb::dict& given) {
    auto options = defaults_of<EnvironmentOptions, EnvironmentEntry>("environment", name);
    GivenOptions from(given);
    std::visit([&](auto& each) { from.apply_to(each, "environment."); }, options);
    from.throw_if_any();
    return options;
  }

  EnvironmentOptions options_;
  std::unique_ptr<KnownEnvironment> environment_;
  PythonSpace space_;
  RandomStream random_;
};

}  // namespace

void bind_environment(nb::module_& module) {
  nb::class_<PythonEnvironment>(module, "Environment")
      .def(nb::init<nb::handle, const nb::dict&, std::uint64_t>(), nb::arg("name").none(),
           nb::arg("options"), nb::arg("seed"))
      .def("_pull", &PythonEnvironment::pull, nb::arg("arm"))
      .def(
          "_mean_reward",
          [](const PythonEnvironment& self, const nb::dict& arm) {
            return self.known().mean_reward(self.space().coordinates(arm));
          },
          nb::arg("arm"))
      .def("_parameters",
           [](const PythonEnvironment& self) { return parameter_list(self.space().space()); })
      .def("_options",
           [](const PythonEnvironment& self) { return options_dictionary(self.options()); })
      .def("_optimum",
           [](const PythonEnvironment& self) {
             const Optimum optimum = self.known().optimum();
             return nb::make_tuple(self.space().dictionary(optimum.arm), optimum.value);
           })
      .def_prop_ro("reward_range",
                   [](const PythonEnvironment& self) {
                     const auto [low, high] = self.known().reward_range();
                     return nb::make_tuple(low, high);
                   })
      .def_prop_ro("mixing_time",
                   [](const PythonEnvironment& self) { return self.known().mixing_time(); });

  module.def(
      "uniform_numbers",
      [](std::uint64_t seed, std::uint64_t count) {
        RandomStream random({.seed = seed});
        nb::list numbers;
        for (std::uint64_t i = 0; i < count; ++i) numbers.append(random.uniform());
        return numbers;
      },
      nb::arg("seed"), nb::arg("count"));
}

}  // namespace canopy::python
