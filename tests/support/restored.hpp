#pragma once

#include "canopy/state.hpp"

#include <string>

namespace canopy::testing {

/// The saved state of an object, as text.
template <class Value>
[[nodiscard]] std::string saved(Value& value) {
  State state;
  state.mark("saved");
  state(value);
  return state.text();
}

/// A new object restored from that state.
template <class Value>
[[nodiscard]] Value restored(Value& value) {
  const std::string text = saved(value);
  State state(text);
  state.mark("saved");
  Value again;
  state(again);
  state.end();
  return again;
}

}  // namespace canopy::testing
