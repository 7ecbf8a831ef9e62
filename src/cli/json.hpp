#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "core/fields.hpp"
#include "studies/arm_json.hpp"

#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace canopy::cli {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: null.
[[nodiscard]] inline Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

[[nodiscard]] inline Json best_json(const Space& space, const Best& best) {
  return {{"arm", arm_json(space, best.arm)},
          {"mean", best.mean},
          {"lower", best.lower},
          {"upper", best.upper},
          {"pulls", best.pulls}};
}

[[nodiscard]] inline Json summary_json(const Summary& summary) {
  return {{"t", summary.t},
          {"nodes", summary.nodes},
          {"depth", summary.depth},
          {"switches", summary.switches},
          {"refreshes", summary.refreshes},
          {"out_of_range", summary.out_of_range},
          {"in_flight", summary.in_flight}};
}

/// A list of all nodes.
[[nodiscard]] inline Json tree_json(const Space& space, Optimizer& optimizer) {
  Json nodes = Json::array();
  for (const NodeView& node : optimizer.tree()) {
    nodes.push_back({{"path", node.path},
                     {"arm", arm_json(space, node.arm)},
                     {"pulls", node.pulls},
                     {"mean", node.mean},
                     {"upper", finite_or_null(node.upper)},
                     {"bound", finite_or_null(node.bound)},
                     {"leaf", node.leaf}});
  }
  return nodes;
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
