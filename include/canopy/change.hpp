#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/options.hpp"
#include "canopy/state.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace canopy {

/// A change of the system that was noticed in the rewards during the search.
struct Change {
  enum class Kind : std::uint8_t {
    level,   ///< Rewards of all arms have changed by `size`.
    shape,   ///< Arms have changed by different amounts, about `size`.
    memory,  ///< Noise is autocorrelated.
  };

  std::uint64_t pull = 0;  ///< last pull before the change was noticed
  Kind kind = Kind::level;
  double size = 0.0;  ///< in the user's units

  friend bool operator==(const Change&, const Change&) = default;

  template <class State>
  void transfer(State& state) {
    state(pull, kind, size);
    state.require_restored(kind <= Kind::memory && State::are_finite({size}));
  }
};

template <>
struct EnumNames<Change::Kind> {
  static constexpr std::array<std::string_view, 3> names{"level", "shape", "memory"};
};

inline constexpr Field kChangePullField{"pull", "the last pull before the change was noticed"};
inline constexpr Field kChangeKindField{
    "kind",
    "`level`: the rewards of all settings have changed by the same amount; `shape`: by "
    "different amounts; `memory`: noise is autocorrelated"};
inline constexpr Field kChangeSizeField{"size", "size of the change, in units of the reward"};

template <class Visit>
void visit_fields(Change& change, Visit&& visit) {
  visit(kChangePullField, change.pull);
  visit(kChangeKindField, change.kind);
  visit(kChangeSizeField, change.size);
}

}  // namespace canopy
