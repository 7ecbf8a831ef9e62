#pragma once

#include "canopy/context.hpp"
#include "canopy/space.hpp"

namespace canopy {

/// The names of parameters and context variables, for writing arms and contexts. Without context
/// variables, contexts are written as coordinates only. Holds references to both arguments.
struct Names {
  // NOLINTNEXTLINE(google-explicit-constructor): most studies have no contexts
  Names(const Space& of_arms) : space(of_arms), contexts(none()) {}
  Names(const Space& of_arms, const ContextSpace& of_contexts)
      : space(of_arms), contexts(of_contexts) {}

  const Space& space;
  const ContextSpace& contexts;

 private:
  static const ContextSpace& none() {
    static const ContextSpace nothing;
    return nothing;
  }
};

}  // namespace canopy
