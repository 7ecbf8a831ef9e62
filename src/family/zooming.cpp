#include "canopy/family/zooming.hpp"

#include "canopy/confidence.hpp"

#include "family/hoo_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {
namespace {

constexpr std::uint64_t kLastPhase = 62;  // its length is the largest number of pulls

}  // namespace

double zooming_radius(double confidence_scale, double phase, double pulls) {
  return confidence_scale * std::sqrt(8.0 * phase / (1.0 + pulls));
}

Zooming::Zooming(const Space& space, const ZoomingOptions& options, const Objective& objective)
    : Zooming(std::make_shared<BoxPartition>(space), options, objective) {}

Zooming::Zooming(const std::shared_ptr<const Partition>& partition, const ZoomingOptions& options,
                 const Objective& objective)
    : TurnOptimizer(checked(options, objective), partition->dimension()),
      tree_(partition),
      options_(options),
      rho_(rho_of(options, partition->dimension())) {}

TurnOptimizer::Choice Zooming::choose() {
  if (update_scale_if_due()) note_all();
  if (t_ >= phase_end_ && phase_ < kLastPhase) begin_phase();
  cut_balls();
  activate_uncovered();
  return {.node = largest_index()};
}

void Zooming::begin_phase() {
  while (t_ >= phase_end_ && phase_ < kLastPhase) {
    ++phase_;
    phase_end_ += std::uint64_t{1} << phase_;
  }
  for (NodeIndex i = 0; i < tree_.size(); ++i) static_cast<Cell&>(tree_[i]) = Cell{};
  active_.clear();
  by_index_.clear();
  to_be_cut_.clear();
}

void Zooming::activate_uncovered() {
  NodeIndex at = CoverTree<Cell>::kRoot;
  if (tree_[at].is_covered) return;
  while (tree_[at].balls != 0) {
    const NodeIndex left = tree_[at].children;
    at = tree_[left].is_covered ? left + 1 : left;
  }
  activate(at);
}

void Zooming::activate(NodeIndex node) {
  if (const Rewards* observed = observations_.find(arm_of(node))) {
    tree_[node].pulls = static_cast<double>(observed->count);
    tree_[node].sum = observed->sum;
  }
  (void)ball_around(node, node, true);  // makes all cuts now, as nothing may be thrown later
  enlist(node);
}

/// Makes a node's arm active, with the rewards that it has.
void Zooming::enlist(NodeIndex node) {
  tree_[node].rank = static_cast<std::uint32_t>(active_.size());
  active_.push_back(node);
  NodeIndex top = node;
  while (top != CoverTree<Cell>::kRoot && width(tree_[top].parent) <= radius(node)) {
    top = tree_[top].parent;
  }
  tree_[node].ball = top;
  count_ball(top, 1);
  note_index(node);
  shrink_ball(node);
}

double Zooming::radius(NodeIndex node) const {
  return zooming_radius(options_.confidence_scale, static_cast<double>(phase_), tree_[node].pulls);
}

double Zooming::index(NodeIndex node) const {
  const Cell& arm = tree_[node];
  return arm.pulls == 0.0 ? kInfinity : arm.sum / arm.pulls + 2.0 * scale() * radius(node);
}

/// nu1 rho^h: the largest distance of two arms in a cell.
double Zooming::width(NodeIndex cell) const {
  const auto& at = tree_[cell];
  if (at.extent == Extent::one_arm) return 0.0;
  const std::uint32_t depth = at.extent == Extent::unordered ? 0 : at.depth;
  return resolution(options_.nu1, rho_, depth);
}

/// The half of a cell around an arm that still contains the arm: the one with the arm's own cell
/// or, below that, the one that holds the arm.
NodeIndex Zooming::half_around(NodeIndex node, NodeIndex cell) const {
  if (tree_[cell].depth < tree_[node].depth) {
    NodeIndex half = node;
    while (tree_[half].parent != cell) half = tree_[half].parent;
    return half;
  }
  const NodeIndex left = tree_[cell].children;
  const Partition& partition = tree_.partition();
  const Arm arm = tree_.arm(node);
  const bool is_right =
      partition.holds(tree_.cell(left + 1), arm) && !partition.holds(tree_.cell(left), arm);
  return is_right ? left + 1 : left;
}

/// The largest cell around an arm that is no wider than its radius, starting from a cell that is
/// not smaller; if cutting is not allowed, as close to it as existing cells permit.
NodeIndex Zooming::ball_around(NodeIndex node, NodeIndex from, bool may_cut) {
  NodeIndex ball = from;
  const auto is_cut = [&] {
    return !tree_[ball].is_leaf() || (may_cut && tree_[ball].splittable && tree_.expand(ball));
  };
  while (is_too_wide(ball, node) && is_cut()) ball = half_around(node, ball);
  return ball;
}

void Zooming::shrink_ball(NodeIndex node) {
  move_ball(node, ball_around(node, tree_[node].ball, false));
  const NodeIndex ball = tree_[node].ball;
  if (is_too_wide(ball, node) && tree_[ball].splittable) to_be_cut_.insert(tree_[node].rank);
}

/// A partition may throw when an arm is chosen, but never when a reward is learnt.
void Zooming::cut_balls() {
  while (!to_be_cut_.empty()) {
    const NodeIndex node = active_[*to_be_cut_.begin()];
    move_ball(node, ball_around(node, tree_[node].ball, true));
    to_be_cut_.erase(to_be_cut_.begin());
  }
}

void Zooming::move_ball(NodeIndex node, NodeIndex to) {
  const NodeIndex from = std::exchange(tree_[node].ball, to);
  if (from == to) return;
  count_ball(from, -1);
  count_ball(to, 1);
}

void Zooming::count_ball(NodeIndex cell, std::int32_t change) {
  tree_[cell].balls_here += change;
  for (NodeIndex at = cell;; at = tree_[at].parent) {
    auto& here = tree_[at];
    here.balls += change;
    here.is_covered = here.balls_here != 0 || (!here.is_leaf() && tree_[here.children].is_covered &&
                                               tree_[here.children + 1].is_covered);
    if (at == CoverTree<Cell>::kRoot) return;
  }
}

NodeIndex Zooming::largest_index() {
  const auto is_old = [this](const Entry& entry) {
    return entry.index != index(active_[entry.rank]);
  };
  while (is_old(by_index_.front())) {
    std::pop_heap(by_index_.begin(), by_index_.end());
    by_index_.pop_back();
  }
  return active_[by_index_.front().rank];
}

void Zooming::note_index(NodeIndex node) {
  if (by_index_.size() > 2 * active_.size()) {  // most entries are outdated
    note_all();
    return;
  }
  by_index_.push_back({index(node), tree_[node].rank});
  std::push_heap(by_index_.begin(), by_index_.end());
}

void Zooming::note_all() {
  by_index_.clear();
  for (const NodeIndex node : active_) by_index_.push_back({index(node), tree_[node].rank});
  std::make_heap(by_index_.begin(), by_index_.end());
}

void Zooming::learn(NodeIndex node, const Rewards& mapped) {
  if (tree_[node].rank != kInactive) add(node, mapped);
}

void Zooming::add(NodeIndex node, const Rewards& mapped) {
  tree_[node].pulls += static_cast<double>(mapped.count);
  tree_[node].sum += mapped.sum;
  shrink_ball(node);
  note_index(node);
}

void Zooming::accept_observed(Arm arm, const Rewards& mapped) {
  observations_.add(arm, mapped);
  const auto found = std::find_if(active_.begin(), active_.end(),
                                  [&](NodeIndex node) { return tree_.has_arm(node, arm); });
  if (found != active_.end()) add(*found, mapped);
}

void Zooming::transfer(State& state) {
  state.mark("zooming");
  TurnOptimizer::transfer(state);
  state(tree_, phase_, phase_end_, observations_);
  std::vector<NodeIndex> active = active_;
  state(active);
  if (!state.restoring()) return;
  require_nodes_below(tree_.size());
  State::require(phase_ <= kLastPhase && phase_end_ <= Tickets::kLast);
  State::require(phase_ > 0 || (phase_end_ == 1 && active.empty()));
  State::require(observations_.are_all([this](Arm arm) { return contains(arm); }));
  active_.clear();
  by_index_.clear();
  to_be_cut_.clear();
  for (const NodeIndex node : active) {
    State::require(node < tree_.size() && tree_[node].rank == kInactive);
    enlist(node);
  }
}

std::optional<TreeView::Place> Zooming::place(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  return Place{open->node, tree_[open->node].depth};
}

std::string Zooming::path(NodeIndex node) const {
  return node < tree_.size() ? tree_.path(node) : std::string();
}

std::vector<NodeView> Zooming::nodes() const {
  std::vector<NodeView> views;
  for (const NodeIndex i : tree_.shallow_first()) {
    const auto& node = tree_[i];
    const double upper = node.rank == kInactive ? kInfinity : index(i);
    const double mean = node.pulls == 0.0 ? 0.0 : node.sum / node.pulls;
    views.push_back({tree_.path(i), tree_.arm(i), static_cast<std::uint64_t>(node.pulls), mean,
                     upper, upper, node.is_leaf()});
  }
  return in_user_units(std::move(views));
}

Summary Zooming::summary() const {
  Summary summary = TurnOptimizer::summary();
  summary.nodes = tree_.size();
  summary.depth = tree_.depth();
  summary.refreshes = phase_;
  return summary;
}

std::unique_ptr<Optimizer> Zooming::clone() const {
  return std::make_unique<Zooming>(*this);
}

OptimizerEntry zooming_entry() {
  OptimizerEntry entry = optimizer_entry<Zooming, ZoomingOptions>(
      "zooming", "the zooming algorithm: activates arms not covered by confidence balls");
  entry.resolve = resolve_rho<ZoomingOptions>;
  return entry;
}

}  // namespace canopy
