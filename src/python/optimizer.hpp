#pragma once

#include "canopy/optimizer.hpp"

#include "python/protocol.hpp"

#include <memory>
#include <utility>

namespace canopy::python {

/// An optimizer in memory. The interpreter's lock guards it.
class PythonOptimizer final : public Protocol {
 public:
  /// Throws ConfigurationError.
  PythonOptimizer(StudySpecification specification, nb::object space)
      : Protocol(std::move(specification), std::move(space)),
        optimizer_(make_optimizer(this->specification())),
        tree_(optimizer_->tree()) {}

  /// One that exists, of that specification.
  PythonOptimizer(StudySpecification specification, nb::object space,
                  std::unique_ptr<Optimizer> optimizer)
      : Protocol(std::move(specification), std::move(space)),
        optimizer_(std::move(optimizer)),
        tree_(optimizer_->tree()) {}

  [[nodiscard]] Optimizer& optimizer() const { return *optimizer_; }

  [[nodiscard]] const TreeView* places(Optimizer& /*optimizer*/) const override { return tree_; }

 private:
  void perform(const std::function<void(Optimizer&)>& action) override { action(*optimizer_); }

  std::unique_ptr<Optimizer> optimizer_;
  // Taken once, for places alone: to bring all bounds up to date would cost more than an ask.
  const TreeView* tree_;
};

}  // namespace canopy::python
