#pragma once

#include "canopy/context.hpp"
#include "canopy/state.hpp"

#include <array>
#include <vector>

namespace canopy {

/// A snapshot of a policy: an arm for each region of context bins.
struct FrozenPolicy {
  struct Row {
    std::array<BinSet, ContextSpace::kMostVariables> bins{};  // for each variable
    std::vector<double> arm = {};                             // empty: nothing is known there

    [[nodiscard]] bool has(ContextBins context, std::size_t count) const;
    void transfer(State& state);

    friend bool operator==(const Row&, const Row&) = default;
  };

  std::size_t variables = 0;
  std::vector<Row> rows = {};

  /// The arm in a context; empty: nothing is known there.
  [[nodiscard]] const std::vector<double>& arm_in(ContextBins context) const;

  /// Whether the policy has this arm, or none, in every context.
  [[nodiscard]] bool is_everywhere(const std::vector<double>& arm) const;

  /// Whether two policies have the same arm in every context.
  [[nodiscard]] bool is_same_as(const FrozenPolicy& other) const;

  void transfer(State& state) { state(variables, rows); }
};

}  // namespace canopy
