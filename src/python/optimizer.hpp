#pragma once

#include "canopy/optimizer.hpp"

#include "python/partition.hpp"
#include "python/protocol.hpp"

#include <memory>
#include <random>
#include <string_view>
#include <utility>

namespace canopy::python {

/// An optimizer in memory, guarded by the interpreter's lock. With a user-defined partition, whose
/// code may release that lock, it is also guarded by the turns of the partition.
class PythonOptimizer final : public Protocol {
 public:
  /// Throws ConfigurationError.
  PythonOptimizer(StudySpecification specification, nb::object space, nb::object contexts)
      : PythonOptimizer(std::move(specification), std::move(space), std::move(contexts),
                        std::unique_ptr<Optimizer>()) {}

  /// Wraps an existing optimizer of that specification; null: makes a new one.
  PythonOptimizer(StudySpecification specification, nb::object space, nb::object contexts,
                  std::unique_ptr<Optimizer> optimizer)
      : Protocol(std::move(specification), std::move(space), std::move(contexts)),
        optimizer_(optimizer ? std::move(optimizer)
                             : make_optimizer(this->specification(), std::random_device{}())),
        tree_(Protocol::places(*optimizer_)) {}

  /// Makes an optimizer with a user-defined partition. Throws ConfigurationError.
  PythonOptimizer(StudySpecification specification, nb::object space, nb::object contexts,
                  nb::object partition);

  /// Copies another optimizer.
  PythonOptimizer(const PythonOptimizer& other)
      : Protocol(other.specification(), other.space_object(), other.contexts_object()),
        partition_object_(other.partition_object_),
        partition_(other.partition_),
        optimizer_(other.cloned()),
        tree_(Protocol::places(*optimizer_)) {}
  PythonOptimizer(PythonOptimizer&&) = default;
  PythonOptimizer& operator=(const PythonOptimizer&) = delete;
  PythonOptimizer& operator=(PythonOptimizer&&) = delete;
  ~PythonOptimizer() override = default;

  /// The user-defined partition, or None.
  [[nodiscard]] const nb::object& partition_object() const { return partition_object_; }
  [[nodiscard]] bool has_own_partition() const override { return partition_ != nullptr; }

  /// Restores a saved state. Throws StateError.
  void restore(std::string_view saved) {
    with([&](Optimizer& optimizer) {
      optimizer.restore(saved);
      return Status::ok;
    });
  }

  [[nodiscard]] const TreeView* places(Optimizer& /*optimizer*/) const override { return tree_; }

 private:
  void perform(const std::function<void(Optimizer&)>& action, Cuts cuts) override {
    const PythonPartition::Turn turn(partition_.get());
    if (partition_ && cuts == Cuts::yes) partition_->prepare();
    action(*optimizer_);
  }
  [[nodiscard]] std::unique_ptr<Optimizer> cloned() const {
    const PythonPartition::Turn turn(partition_.get());
    return optimizer_->clone();
  }

  nb::object partition_object_ = nb::none();  // outlives the partition that calls it
  std::shared_ptr<const PythonPartition> partition_;
  std::unique_ptr<Optimizer> optimizer_;
  // Fetched once: only the places of nodes are needed, and updating all bounds would cost more than
  // an ask.
  const TreeView* tree_;
};

}  // namespace canopy::python
