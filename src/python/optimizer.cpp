#include "canopy/state.hpp"

#include "optimizers/catalogue.hpp"
#include "python/bindings.hpp"
#include "python/options.hpp"
#include "python/protocol.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#include <nanobind/stl/array.h>

namespace canopy::python {
namespace {

/// An optimizer in memory. The interpreter's lock guards it.
class PythonOptimizer {
 public:
  static constexpr bool kHoldsInterpreter = true;

  PythonOptimizer(nb::handle name, nb::object space, const nb::dict& given, nb::handle direction,
                  std::array<double, 2> reward_range, nb::handle partition)
      : space_object_(std::move(space)),
        space_(nb::cast<const PythonSpace*>(space_object_)),
        options_(defaults_of<OptimizerOptions, OptimizerEntry>("optimizer", name)),
        split_(enum_from<SplitRule>("optimizer.partition", partition)),
        partition_(space_->space(), split_) {
    const Objective objective{enum_from<Direction>("direction", direction), reward_range};
    GivenOptions options(given);
    std::visit([&](auto& chosen) { options.apply_to(chosen, "optimizer."); }, options_);
    options.throw_if_any();
    optimizer_ = make_optimizer(options_, space_->space(), split_, objective);
    std::visit([&](auto& chosen) { chosen = filled_in(chosen, space_->space().dimension()); },
               options_);
  }

  [[nodiscard]] const nb::object& space_object() const { return space_object_; }
  [[nodiscard]] const PythonSpace& space() const { return *space_; }
  [[nodiscard]] const BoxPartition& partition() const { return partition_; }
  [[nodiscard]] const OptimizerOptions& options() const { return options_; }
  [[nodiscard]] Optimizer& optimizer() { return *optimizer_; }

  template <class Action>
  auto with(Action&& action) {
    return action(*optimizer_);
  }

 private:
  nb::object space_object_;
  const PythonSpace* space_;
  OptimizerOptions options_;  // with every default filled in
  SplitRule split_;
  BoxPartition partition_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace

void bind_optimizer(nb::module_& module) {
  nb::class_<PythonOptimizer> bound(module, "Optimizer");
  bound.def(nb::init<nb::handle, nb::object, const nb::dict&, nb::handle, std::array<double, 2>,
                     nb::handle>(),
            nb::arg("name").none(), nb::arg("space"), nb::arg("options"),
            nb::arg("direction").none(), nb::arg("reward_range"), nb::arg("partition").none());
  bind_protocol(bound);
  bound
      .def("_options",
           [](const PythonOptimizer& self) { return options_dictionary(self.options()); })
      .def(
          "_restore",
          [](PythonOptimizer& self, const nb::bytes& saved) {
            try {
              self.optimizer().restore({saved.c_str(), saved.size()});
            } catch (const StateError& error) {
              throw std::invalid_argument(error.what());
            }
          },
          nb::arg("saved"));

  module.def(
      "optimizer_defaults",
      [](nb::handle name) {
        return options_dictionary(defaults_of<OptimizerOptions, OptimizerEntry>("optimizer", name));
      },
      nb::arg("name"));
}

}  // namespace canopy::python
