#pragma once

#include "canopy/context.hpp"
#include "canopy/space.hpp"

namespace canopy {

/// The names by which documents have arms and contexts. Where the variables are not given, contexts
/// are written as coordinates alone. Refers to both, which must outlive it.
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
