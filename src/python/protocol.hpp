#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "python/contexts.hpp"
#include "python/space.hpp"

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// The base of optimizers and studies in Python: their specification and the protocol.
class Protocol {
 public:
  /// `space` and `contexts` are the Python objects of the specification; `contexts` is None if
  /// there are none.
  Protocol(StudySpecification specification, nb::object space, nb::object contexts)
      : specification_(std::move(specification)),
        space_object_(std::move(space)),
        contexts_object_(std::move(contexts)),
        space_(nb::cast<const PythonSpace*>(space_object_)),
        contexts_(contexts_of(contexts_object_)) {}
  Protocol(const Protocol&) = delete;
  Protocol(Protocol&&) = default;
  Protocol& operator=(const Protocol&) = delete;
  Protocol& operator=(Protocol&&) = delete;
  virtual ~Protocol() = default;

  /// With all options of the optimizer.
  [[nodiscard]] const StudySpecification& specification() const { return specification_; }
  [[nodiscard]] const nb::object& space_object() const { return space_object_; }
  [[nodiscard]] const nb::object& contexts_object() const { return contexts_object_; }
  [[nodiscard]] const PythonSpace& space() const { return *space_; }
  /// The variables of the context; null: none.
  [[nodiscard]] const PythonContexts* contexts() const { return contexts_; }

  /// Calls action(optimizer), and returns its result after the change is stored. The action must
  /// not use Python, and its result must not point into the optimizer.
  template <class Action>
  auto with(Action&& action) {
    return performed(action, Cuts::no);
  }

  /// As `with`, for an action that may cut cells. A user-defined partition is asked for the
  /// necessary cells first, so that a Python exception comes before any change.
  template <class Action>
  auto with_cuts(Action&& action) {
    return performed(action, Cuts::yes);
  }

  /// The tree that has the places of the optimizer's pulls; null without a tree, and with contexts,
  /// where each region has its own tree. For use in actions.
  [[nodiscard]] virtual const TreeView* places(Optimizer& optimizer) const {
    return contexts_ == nullptr ? optimizer.tree() : nullptr;
  }

  /// Whether the partition is user-defined, so that only the user knows the meaning of cells.
  [[nodiscard]] virtual bool has_own_partition() const { return false; }

 protected:
  /// Whether an action may cut cells.
  enum class Cuts { no, yes };

 private:
  virtual void perform(const std::function<void(Optimizer&)>& action, Cuts cuts) = 0;

  template <class Action>
  auto performed(Action& action, Cuts cuts) {
    std::optional<std::invoke_result_t<Action&, Optimizer&>> result;
    perform([&](Optimizer& optimizer) { result.emplace(action(optimizer)); }, cuts);
    return *std::move(result);
  }

  StudySpecification specification_;
  nb::object space_object_;
  nb::object contexts_object_;
  const PythonSpace* space_;
  const PythonContexts* contexts_;
};

}  // namespace canopy::python
