#include "canopy/family/stroquool.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace canopy {

StroquoolOptions resolved(StroquoolOptions options) {
  if (options.depth_limit) return options;
  const auto n = static_cast<double>(options.horizon);
  const double log = std::log2(n) + 1.0;
  const double depth = std::clamp(std::floor(n / (2.0 * log * log)), 1.0, 1e6);
  options.depth_limit = static_cast<std::uint64_t>(depth);
  return options;
}

Stroquool::Stroquool(const Space& space, const StroquoolOptions& options,
                     const Objective& objective)
    : Stroquool(std::make_shared<BoxPartition>(space, PartitionRule(SplitRule::cyclic, kParts)),
                options, objective) {}

Stroquool::Stroquool(const std::shared_ptr<const Partition>& partition,
                     const StroquoolOptions& options, const Objective& objective)
    : OpeningTree(partition, checked(options, objective), SameArm::starts_afresh),
      horizon_(options.horizon),
      depth_limit_(*resolved(options).depth_limit) {}

// --- the first loop --------------------------------------------------------------------------

bool Stroquool::open_next() {
  for (;;) {
    while (quota_ > 0 && !chosen_.empty()) {
      const NodeIndex best = chosen_.back();
      chosen_.pop_back();
      if (!open(best)) continue;  // try the next best one
      --quota_;
      return true;
    }
    if (!choose_cells()) return false;
  }
}

/// Proceeds to the next p or the next depth, and chooses the cells to be cut there. Returns false
/// at the end.
bool Stroquool::choose_cells() {
  chosen_.clear();
  if (depth_ == 0 || power_ == 0) {
    const bool first = cells().size() == 1 && wanted_ == 0.0;
    if (first) {
      chosen_ = {Tree::kRoot};
      quota_ = 1;
      wanted_ = static_cast<double>(depth_limit_);
      return true;
    }
    if (depth_ >= depth_limit_ || depth_ >= cells().depth()) return false;
    ++depth_;
    power_ = static_cast<std::uint32_t>(std::bit_width(depth_limit_ / depth_));  // h 2^p <= h_max
  }
  --power_;
  const std::uint64_t pulls = std::uint64_t{1} << power_;
  wanted_ = static_cast<double>(pulls);
  quota_ = depth_limit_ / (depth_ * pulls);
  for (const NodeIndex node : cells_at(depth_)) {
    const Node& cell = cells()[node];
    if (cell.is_leaf() && cell.splittable && cell.pulls >= wanted_) chosen_.push_back(node);
  }
  std::sort(chosen_.begin(), chosen_.end(), [&](NodeIndex a, NodeIndex b) {
    const double mean_a = cells()[a].mean();
    const double mean_b = cells()[b].mean();
    return mean_a != mean_b ? mean_a < mean_b : a > b;
  });
  return true;
}

// --- the last loop ---------------------------------------------------------------------------

/// The node with the highest mean among those with at least `pulls` pulls.
std::optional<NodeIndex> Stroquool::best_with(std::uint64_t pulls) const {
  std::optional<NodeIndex> best;
  for (NodeIndex i = 0; i < cells().size(); ++i) {
    if (cells()[i].pulls < static_cast<double>(pulls)) continue;
    if (!best || cells()[i].mean() > cells()[*best].mean()) best = i;
  }
  return best;
}

void Stroquool::choose_candidates() {
  for (std::uint64_t pulls = 1; pulls <= depth_limit_; pulls *= 2) {
    const auto best = best_with(pulls);
    const auto is_best = [&](const Candidate& known) { return known.node == best; };
    if (!best || std::any_of(candidates_.begin(), candidates_.end(), is_best)) continue;
    candidates_.push_back({*best});
  }
}

std::optional<TurnOptimizer::Choice> Stroquool::explore() {
  if (t_ > horizon_) return std::nullopt;
  const auto within_horizon = [this](const Choice& choice) {
    return Choice{choice.node, std::min(choice.length, horizon_ - t_ + 1)};
  };
  while (candidates_.empty()) {
    if (const auto choice = next_unplayed(wanted_)) return within_horizon(*choice);
    if (open_next()) continue;
    choose_candidates();
    if (candidates_.empty()) return std::nullopt;  // a single arm, which was not played yet
  }
  const auto wanted = static_cast<double>(depth_limit_);
  for (const Candidate& candidate : candidates_) {
    if (candidate.pulls >= wanted) continue;
    return within_horizon({candidate.node, static_cast<std::uint64_t>(wanted - candidate.pulls)});
  }
  return std::nullopt;
}

/// Used if the horizon ends before there are candidates: chooses among the arms with the most
/// pulls.
void Stroquool::choose_without_last_loop() {
  for (std::uint64_t pulls = std::bit_floor(depth_limit_); pulls > 0; pulls /= 2) {
    const auto best = best_with(pulls);
    if (!best) continue;
    candidates_.push_back({*best, cells()[*best].pulls, cells()[*best].sum});
    return;
  }
}

const Stroquool::Candidate* Stroquool::best_candidate() const {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates_) {
    if (candidate.pulls == 0.0 || is_barred(cells().arm(candidate.node))) continue;
    if (best == nullptr || candidate.mean() > best->mean()) best = &candidate;
  }
  return best;
}

NodeIndex Stroquool::settle() {
  if (candidates_.empty() && t_ > horizon_) choose_without_last_loop();
  const Candidate* best = best_candidate();
  return best != nullptr ? best->node : OpeningTree::settle();
}

std::optional<TicketedOptimizer::Recommendation> Stroquool::recommendation() const {
  const Candidate* best = best_candidate();
  if (best == nullptr) return std::nullopt;
  return Recommendation{cells().arm(best->node), best->mean(), best->pulls};
}

void Stroquool::add(NodeIndex node, const Rewards& mapped) {
  OpeningTree::add(node, mapped);
  for (Candidate& candidate : candidates_) {
    if (candidate.node != node) continue;
    candidate.pulls += static_cast<double>(mapped.count);
    candidate.sum += mapped.sum;
  }
}

// --- state -----------------------------------------------------------------------------------

void Stroquool::transfer(State& state) {
  state.mark("stroquool");
  OpeningTree::transfer(state);
  state(depth_, power_, wanted_, chosen_, quota_, candidates_);
  if (!state.restoring()) return;
  const auto is_cell = [&](NodeIndex node) { return node < cells().size(); };
  State::require(depth_ <= cells().depth() + 1 && State::are_counts({wanted_}));
  State::require(power_ < 64 && (depth_ > 0 || power_ == 0));
  State::require(std::all_of(chosen_.begin(), chosen_.end(), [&](NodeIndex node) {
    return is_cell(node) && cells()[node].is_leaf();
  }));
  State::require(std::all_of(candidates_.begin(), candidates_.end(),
                             [&](const Candidate& candidate) { return is_cell(candidate.node); }));
}

std::unique_ptr<Optimizer> Stroquool::clone() const {
  return std::make_unique<Stroquool>(*this);
}

OptimizerEntry stroquool_entry() {
  OptimizerEntry entry = optimizer_entry<Stroquool, StroquoolOptions>(
      "stroquool", "SequOOL for noisy rewards: a known horizon, for the final recommendation");
  entry.resolve = [](const OptionValues& values, std::size_t /*dimension*/) {
    return values_of(resolved(options_from<StroquoolOptions>(values, "optimizer.")));
  };
  return entry;
}

}  // namespace canopy
