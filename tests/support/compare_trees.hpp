#pragma once

#include "canopy/optimizer.hpp"

#include "support/textbook_hct.hpp"

#include <map>
#include <string>
#include <vector>

namespace canopy::testing {

/// The first difference between two trees; empty if all nodes are equal, bit for bit.
inline std::string difference(const std::vector<NodeView>& fast, const TextbookHct& textbook) {
  if (fast.size() != textbook.nodes().size()) {
    return "nodes: " + std::to_string(fast.size()) + " instead of " +
           std::to_string(textbook.nodes().size());
  }
  std::map<std::string, const TextbookHct::Node*> by_path;
  for (std::size_t i = 0; i < textbook.nodes().size(); ++i) {
    by_path[textbook.path(i)] = &textbook.nodes()[i];
  }
  for (const NodeView& view : fast) {
    const auto found = by_path.find(view.path);
    if (found == by_path.end()) return "unexpected node " + view.path;
    const TextbookHct::Node& node = *found->second;
    const TextbookScale& scale = textbook.scale();
    const double mean = node.pulls == 0.0 ? 0.0 : scale.to_user(node.sum / node.pulls);
    const double upper = scale.to_user(node.upper);
    const double bound = scale.to_user(node.bound);
    const std::string at = " of node '" + view.path + "': ";
    const auto differs = [&](const char* what, double is, double should_be) {
      return what + at + std::to_string(is) + " instead of " + std::to_string(should_be);
    };
    const auto pulls = static_cast<double>(view.pulls);
    if (pulls != node.pulls) return differs("pulls", pulls, node.pulls);
    if (view.mean != mean) return differs("mean", view.mean, mean);
    if (view.upper != upper) return differs("U", view.upper, upper);
    if (view.bound != bound) return differs("B", view.bound, bound);
    if (view.leaf != (node.left == 0)) return "leaf" + at + "differs";
  }
  return {};
}

}  // namespace canopy::testing
