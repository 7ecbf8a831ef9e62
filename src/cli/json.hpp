#pragma once

#include "core/fields.hpp"

#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace canopy::cli {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: null.
[[nodiscard]] inline Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// Every option that has a value, or a word for having none.
template <class Options>
[[nodiscard]] Json options_json(const Options& options) {
  Json json = Json::object();
  visit_fields(options, [&](const Field& field, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if (field.name == "seed") return;  // every run has its own
    if constexpr (std::is_arithmetic_v<Member>) {
      json[field.name] = member;
    } else if constexpr (std::is_enum_v<Member>) {
      json[field.name] = name_of(member);
    } else if (member) {
      json[field.name] = *member;
    } else if (!field.unset.empty()) {
      json[field.name] = field.unset;
    }
  });
  return json;
}

}  // namespace canopy::cli
