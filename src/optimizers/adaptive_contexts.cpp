// Operations of the adaptive tree of one region of contexts when regions change.

#include "canopy/adaptive.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {

void Adaptive::update_model() {
  learn_pending();
  const NodeIndex node = model_.owner(turn_.node);
  if (has_begun_ && model_.tree()[node].is_leaf()) model_.update(node);
}

void Adaptive::relearn(const RewardsOfArms& rewards) {
  learn_pending();
  model_.relearn(rewards);
  if (has_begun_) pass();
}

void Adaptive::relearn_metric(std::size_t metric, const RewardsOfArms& values) {
  metrics_[metric].relearn(values);
  if (!has_begun_) return;
  metrics_[metric].pass();
  set_bounds();
}

void Adaptive::keep_part(const Part& part) {
  learn_pending();
  Tree& tree = model_.tree();
  std::vector<double> out(tree.size());
  tickets_.for_each_open([&](const Tickets::Open& ticket) {
    if (part.keeps_ticket(ticket.number)) {
      out[ticket.node] += static_cast<double>(ticket.remaining);
    }
  });
  // Removes nodes without rewards in this region, except the first cells.
  std::vector<double> kept(tree.size());
  std::vector<double> seen_below(tree.size());
  for (const auto& [arm, rewards] : part.learnt) {
    if (const auto node = model_.find(arm)) kept[*node] = static_cast<double>(rewards.count);
  }
  for (NodeIndex i = tree.size(); i-- > 0;) {
    Node& node = tree[i];
    seen_below[i] += kept[i] + out[i] + node.penalties;
    if (i != Tree::kRoot) seen_below[node.parent] += seen_below[i];
    if (node.pulls != 0.0 && node.penalties == 0.0) {
      const double share = std::min(1.0, kept[i] / node.pulls);
      node.explorer_pulls *= share;
      node.skipped = std::floor(node.skipped * share);
      node.explorer_skipped = std::min(node.explorer_skipped, node.skipped);
    }
    const double elsewhere = node.out - out[i];
    node.explorer_out = part.is_second ? std::max(0.0, node.explorer_out - elsewhere)
                                       : std::min(node.explorer_out, out[i]);
    node.out = out[i];
  }
  const auto ends = [&](NodeIndex i) {
    const Node& node = tree[i];
    return node.depth >= kStartDepth &&
           seen_below[node.children] + seen_below[node.children + 1] == 0.0;
  };
  for (AdaptiveModel& metric : metrics_)
    (void)metric.prune(ends);  // before the tree that `ends` reads
  const std::vector<NodeIndex> places = model_.prune(ends);
  tickets_.keep([&](const Tickets::Open& ticket) {
    return part.keeps_ticket(ticket.number) ? std::optional(places[ticket.node]) : std::nullopt;
  });
  for (NodeIndex& cell : start_) cell = places[cell];

  evidence_.start_anew(false);
  for (const auto& [arm, rewards] : part.rewards) {
    evidence_.add_apart(arm, map_.to_user(rewards));
  }
  count_anew(part.pulls);
  turn_ = {.node = places[turn_.node], .unissued = 0};
  pending_ = {};
  is_steady_ = false;
  since_pass_ = 0;
  sweep_.clear();
  last_played_ = kNoNode;
  lose_track();
  model_.relearn(part.learnt);
  for (std::size_t i = 0; i < metrics_.size(); ++i) metrics_[i].relearn(part.metrics[i]);
  beyond_ = part.beyond;
  for (int i = 0; i < 3; ++i) pass();
}

}  // namespace canopy
