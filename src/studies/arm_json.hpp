#pragma once

#include "canopy/space.hpp"

#include <cstddef>
#include <variant>

#include <nlohmann/json.hpp>

namespace canopy {

/// An arm as the user knows it: {"x":0.5,"mode":"fast"}.
[[nodiscard]] inline nlohmann::ordered_json arm_json(const Space& space, Arm arm) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    std::visit([&](const auto& value) { json[space.parameters()[i].name] = value; },
               space.value(arm, i));
  }
  return json;
}

/// The same on one line, whatever the user's words in it hold.
[[nodiscard]] inline std::string arm_text(const Space& space, Arm arm) {
  using Json = nlohmann::ordered_json;
  return arm_json(space, arm).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace canopy
