#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/options.hpp"
#include "canopy/state.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace canopy {

/// Something about a system that has changed while it was searched, as rewards show it.
struct Change {
  enum class Kind : std::uint8_t {
    level,   ///< What all arms earn has moved, by `size`.
    shape,   ///< Arms have changed differently, by about `size`.
    memory,  ///< Noise depends on the noise before it.
  };

  std::uint64_t pull = 0;  ///< the last one before it was noticed
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

inline constexpr Field kChangePullField{"pull", "the last one before it was noticed"};
inline constexpr Field kChangeKindField{
    "kind",
    "`level`: all settings earn more or less than before; `shape`: settings have changed "
    "differently; `memory`: noise depends on the noise before it"};
inline constexpr Field kChangeSizeField{"size", "by how much, in units of the reward"};

template <class Visit>
void visit_fields(Change& change, Visit&& visit) {
  visit(kChangePullField, change.pull);
  visit(kChangeKindField, change.kind);
  visit(kChangeSizeField, change.size);
}

}  // namespace canopy
