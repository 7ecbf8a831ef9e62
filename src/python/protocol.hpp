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

/// What optimizers and studies have in common: what they are about, and the optimizer's protocol.
class Protocol {
 public:
  /// `space` and `contexts` are the objects of Python with those of the specification; without
  /// contexts, None.
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

  /// With every option of the optimizer.
  [[nodiscard]] const StudySpecification& specification() const { return specification_; }
  [[nodiscard]] const nb::object& space_object() const { return space_object_; }
  [[nodiscard]] const nb::object& contexts_object() const { return contexts_object_; }
  [[nodiscard]] const PythonSpace& space() const { return *space_; }
  /// What is observed before each pull; null: nothing.
  [[nodiscard]] const PythonContexts* contexts() const { return contexts_; }

  /// Calls action(optimizer) and returns what that returns, once it is kept. The action must not
  /// touch Python, and what it returns must not point into the optimizer.
  template <class Action>
  auto with(Action&& action) {
    return performed(action, Cuts::no);
  }

  /// The same for an action that may cut cells. A partition of the user's own is asked for what
  /// that will need first: what Python throws then comes before anything has happened.
  template <class Action>
  auto with_cuts(Action&& action) {
    return performed(action, Cuts::yes);
  }

  /// Where the pulls of the optimizer have their places; null where there is no tree, or, with
  /// contexts, one for each region of them. For actions.
  [[nodiscard]] virtual const TreeView* places(Optimizer& optimizer) const {
    return contexts_ == nullptr ? optimizer.tree() : nullptr;
  }

  /// Whether cells are cut as the user says, so that only the user can read them.
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
