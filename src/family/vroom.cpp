#include "canopy/family/vroom.hpp"

#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace canopy {
namespace {

/// The maximum number of draws from the whole box to find a cell without rewards.
constexpr int kVroomTries = 1000;

}  // namespace

VroomOptions resolved(VroomOptions options) {
  const auto n = static_cast<double>(options.horizon);
  if (!options.depth_limit) {
    options.depth_limit = static_cast<std::uint64_t>(std::max(1.0, std::floor(std::log2(n))));
  }
  if (!options.delta) options.delta = std::min(0.5, 4.0 / std::sqrt(n));
  return options;
}

double harmonic(double k) {
  static const std::array first = [] {
    std::array<double, 65> sums{};
    for (std::size_t i = 1; i < sums.size(); ++i) {
      sums[i] = sums[i - 1] + 1.0 / static_cast<double>(i);
    }
    return sums;
  }();
  if (k < static_cast<double>(first.size())) return first[static_cast<std::size_t>(k)];
  const double inverse = 1.0 / k;  // Euler, Maclaurin
  const double square = inverse * inverse;
  return std::log(k) + std::numbers::egamma + inverse / 2.0 -
         square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0));
}

Vroom::Vroom(const Space& space, const VroomOptions& options, const Objective& objective)
    : Vroom(std::make_shared<BoxPartition>(space, SplitRule::cyclic), options, objective) {}

Vroom::Vroom(const std::shared_ptr<const Partition>& partition, const VroomOptions& options,
             const Objective& objective)
    : TurnOptimizer(checked(options, objective), partition->dimension()),
      options_(resolved(options)),
      depth_limit_(static_cast<std::uint32_t>(*options_.depth_limit)),
      tree_(partition),
      random_({.seed = options.seed, .algorithm = "vroom"}),
      levels_(depth_limit_ + 1),
      uncut_(depth_limit_ + 1) {
  const auto arity = static_cast<double>(partition->arity());
  for (std::uint32_t h = 1; h <= depth_limit_; ++h) {
    levels_[h].ranks = harmonic(std::pow(arity, h));
    total_ += levels_[h].ranks / h;
  }
  uncut_[0] = 1;
}

// --- cells -----------------------------------------------------------------------------------

/// Whether the node has parts; cuts it if necessary.
bool Vroom::cut(NodeIndex node) {
  if (!may_be_cut(node)) return !tree_[node].is_leaf();
  const std::uint32_t depth = tree_[node].depth;
  const bool is_cut = tree_.expand(node, true);
  --uncut_[depth];
  if (!is_cut) {
    for (std::uint32_t h = depth + 1; h <= depth_limit_; ++h) ++levels_[h].unseen_cells;
    return false;
  }
  const std::uint32_t parts = Tree::child_count(tree_[node]);
  for (std::uint32_t i = 0; i < parts; ++i) {
    tree_[tree_[node].children + i].share = tree_[node].share / parts;
  }
  levels_[depth + 1].unseen_cells += parts;
  if (depth + 1 < depth_limit_) uncut_[depth + 1] += parts;
  return true;
}

void Vroom::find_path(NodeIndex node) {
  path_.assign(depth_limit_ + 1, node);
  for (std::uint32_t h = tree_[node].depth; h > 0;) {
    node = tree_[node].parent;
    path_[--h] = node;
  }
}

/// Whether there are cells without rewards at a depth, created or not.
bool Vroom::has_unseen(std::uint32_t depth) const {
  return levels_[depth].unseen_cells != 0 ||
         std::any_of(uncut_.begin(), uncut_.begin() + depth,
                     [](std::uint64_t nodes) { return nodes != 0; });
}

std::uint32_t Vroom::place_of(std::uint32_t depth, NodeIndex node) const {
  if (tree_[node].depth == depth) return tree_[node].place;
  const auto found = repeated_.find({depth, node});
  return found != repeated_.end() ? found->second : kUnseen;
}

/// H(N) - H(k): the sum over the ranks behind those of the cells with rewards.
double Vroom::rest_of(const Level& level) {
  return std::max(0.0, level.ranks - harmonic(level.ranking.size()));
}

// --- random draws ----------------------------------------------------------------------------

TurnOptimizer::Choice Vroom::choose() {
  if (update_scale_if_due()) rank_again();
  if (t_ > options_.horizon) {
    const Cell* best = recommended();
    settled_ = best != nullptr ? best->node : Tree::kRoot;
    return {.node = *settled_};
  }
  learn_observed();
  drawn_ = draw();
  find_path(drawn_);
  find_densities();
  count_ranks();
  return {.node = drawn_};
}

NodeIndex Vroom::draw() {
  double rest = random_.uniform() * total_;
  std::uint32_t h = 1;
  for (; h < depth_limit_ && rest >= levels_[h].ranks / h; ++h) rest -= levels_[h].ranks / h;
  rest *= h;  // fraction of H(N)
  drawn_depth_ = h;
  const Level& level = levels_[h];
  if (rest < harmonic(level.ranking.size())) {
    std::uint32_t rank = 1;  // the first rank whose H is above it
    for (std::uint32_t last = level.ranking.size(); rank < last;) {
      const std::uint32_t middle = rank + (last - rank) / 2;
      if (harmonic(middle) > rest) {
        last = middle;
      } else {
        rank = middle + 1;
      }
    }
    return go_down(level.cells[level.ranking.at(rank)].node);
  }
  if (has_unseen(h)) return go_down(draw_unseen(h));
  drawn_depth_ = 0;
  return go_down(Tree::kRoot);
}

/// Draws uniformly from the cells of a depth that have no rewards: draws from the whole box until
/// such a cell is found or, after kVroomTries draws, searches for one.
NodeIndex Vroom::draw_unseen(std::uint32_t depth) {
  for (int tries = 0; tries < kVroomTries; ++tries) {
    NodeIndex node = Tree::kRoot;
    while (tree_[node].depth < depth && !tree_[node].is_leaf()) node = random_part(node);
    if (may_be_cut(node) || place_of(depth, node) == kUnseen) return node;
  }
  return find_unseen(depth, random_.uniform() * levels_[depth].unseen);
}

/// The cell without rewards at this position, when all such cells of a depth are laid side by side.
NodeIndex Vroom::find_unseen(std::uint32_t depth, double position) {
  NodeIndex node = Tree::kRoot;
  while (tree_[node].depth < depth && cut(node)) {
    const NodeIndex first = tree_[node].children;
    const NodeIndex end = first + Tree::child_count(tree_[node]);
    for (NodeIndex part = first; part < end; ++part) {
      const double share = unseen_share(depth, part);
      if (share == 0.0) continue;
      node = part;  // the last one, if rounding skips all
      if (position < share) break;
      position -= share;
    }
    if (node < first) return node;  // not found
  }
  return node;
}

double Vroom::unseen_share(std::uint32_t depth, NodeIndex node) const {
  const Tree::Node& at = tree_[node];
  if (may_be_cut(node)) return at.share;
  if (at.depth == depth || at.is_leaf()) return place_of(depth, node) == kUnseen ? at.share : 0.0;
  double sum = 0.0;
  for (std::uint32_t i = 0; i < Tree::child_count(at); ++i) {
    sum += unseen_share(depth, at.children + i);
  }
  return sum;
}

NodeIndex Vroom::go_down(NodeIndex node) {
  while (cut(node)) node = random_part(node);
  return node;
}

NodeIndex Vroom::random_part(NodeIndex node) {
  const auto parts = static_cast<double>(Tree::child_count(tree_[node]));
  return tree_[node].children + static_cast<NodeIndex>(random_.uniform() * parts);
}

/// Q / mu of all cells of the path. For a draw from the whole box all cells get the reward.
void Vroom::find_densities() {
  double sum = 0.0;
  for (std::uint32_t h = 1; h <= depth_limit_; ++h) {
    if (!has_unseen(h)) sum += rest_of(levels_[h]) / h;
  }
  densities_.assign(depth_limit_ + 1, 0.0);
  for (std::uint32_t h = 1; h <= depth_limit_; ++h) {
    const Level& level = levels_[h];
    const std::uint32_t place = place_of(h, path_[h]);
    const double here = place == kUnseen
                            ? rest_of(level) / level.unseen
                            : 1.0 / (level.ranking.rank(place) * tree_[path_[h]].share);
    sum += here / h;
    densities_[h] = sum / total_;
  }
}

void Vroom::count_ranks() {
  ++draws_;
  for (std::uint32_t h = 1; h <= depth_limit_; ++h) {
    levels_[h].ranking.count();
    if (has_unseen(h)) levels_[h].shared_rank += levels_[h].unseen / rest_of(levels_[h]);
  }
}

// --- learning --------------------------------------------------------------------------------

void Vroom::learn(NodeIndex node, const Rewards& mapped) {
  if (settled_ || !is_smallest(node)) return;
  find_path(node);
  const bool is_draw = !densities_.empty() && node == drawn_;
  const std::uint32_t first = std::max(1U, is_draw ? drawn_depth_ : tree_[node].depth);
  for (std::uint32_t h = first; h <= depth_limit_; ++h) {
    add(h, mapped, is_draw ? 1.0 / densities_[h] : 0.0);
  }
  if (is_draw) densities_.clear();
}

/// Kept until the next draw, since cells are cut only in `ask`.
void Vroom::accept_observed(Arm arm, const Rewards& mapped) {
  if (!settled_) observed_arms_.push_back({{arm.begin(), arm.end()}, mapped});
}

void Vroom::learn_observed() {
  for (; !observed_arms_.empty(); observed_arms_.pop_back()) {
    const std::optional<NodeIndex> node = smallest_cell(observed_arms_.back().arm);
    if (!node) continue;  // the partition cannot tell
    find_path(*node);
    for (std::uint32_t h = std::max(1U, tree_[*node].depth); h <= depth_limit_; ++h) {
      add(h, observed_arms_.back().rewards, 0.0);
    }
  }
}

/// The smallest cell that holds an arm.
std::optional<NodeIndex> Vroom::smallest_cell(Arm arm) {
  NodeIndex node = Tree::kRoot;
  while (cut(node)) {
    const NodeIndex end = tree_[node].children + Tree::child_count(tree_[node]);
    node = tree_[node].children;
    while (node < end && !tree_.partition().holds(tree_.cell(node), arm)) ++node;
    if (node == end) return std::nullopt;
  }
  return node;
}

/// Adds rewards to the cell of the path at this depth.
void Vroom::add(std::uint32_t depth, const Rewards& mapped, double weight) {
  see(depth);
  Level& level = levels_[depth];
  const std::uint32_t place = place_of(depth, path_[depth]);
  Cell& cell = level.cells[place];
  cell.pulls += static_cast<double>(mapped.count);
  cell.sum += mapped.sum;
  cell.weight += weight;
  cell.weighted_sum += weight * mapped.mean();
  if (place == level.ranking.size()) {
    level.ranking.add(value_of(cell));
  } else {
    level.ranking.set(place, value_of(cell));
  }
}

/// Records that the cell of the path at this depth has rewards.
void Vroom::see(std::uint32_t depth) {
  const NodeIndex node = path_[depth];
  if (place_of(depth, node) != kUnseen) return;
  Level& level = levels_[depth];
  const auto place = static_cast<std::uint32_t>(level.cells.size());
  if (tree_[node].depth == depth) {
    tree_[node].place = place;
  } else {
    repeated_[{depth, node}] = place;
  }
  level.cells.push_back({.node = node, .shared_ranks = level.shared_rank / tree_[node].share});
  --level.unseen_cells;
  // Corrects rounding: zero, or at least the share of one cell.
  const double least = std::pow(static_cast<double>(tree_.partition().arity()), -1.0 * depth);
  level.unseen = has_unseen(depth) ? std::max(least, level.unseen - tree_[node].share) : 0.0;
}

/// The value by which cells are ranked.
double Vroom::value_of(const Cell& cell) const {
  const auto n = static_cast<double>(options_.horizon);
  const double log = std::log(4.0 * n * n * n / *options_.delta);
  const double width = scale() * options_.confidence_scale * std::sqrt(log / (2.0 * cell.pulls));
  const double value = cell.mean() - width;
  return std::isnan(value) ? -kInfinity : value;  // a restored state may hold extreme values
}

/// Call when the scale has changed.
void Vroom::rank_again() {
  for (Level& level : levels_) {
    for (std::uint32_t i = 0; i < level.cells.size(); ++i) {
      level.ranking.set(i, value_of(level.cells[i]));
    }
  }
}

// --- recommendation --------------------------------------------------------------------------

/// Half-width of the interval around the weighted mean of a cell.
double Vroom::width_of(std::uint32_t depth, double rank_total) const {
  const auto n = static_cast<double>(options_.horizon);
  const double log = std::log(2.0 * n * n / *options_.delta);
  return scale() * options_.confidence_scale * std::sqrt(2.0 * log * depth * total_ * rank_total) /
         static_cast<double>(draws_);
}

const Vroom::Cell* Vroom::best_cell() const {
  const Cell* best = nullptr;
  double largest = -kInfinity;
  for (std::uint32_t h = 1; h <= depth_limit_; ++h) {
    const std::vector<std::uint64_t> totals = levels_[h].ranking.totals();
    for (std::size_t i = 0; i < totals.size(); ++i) {
      const Cell& cell = levels_[h].cells[i];
      if (cell.weight == 0.0 || is_excluded(tree_.arm(cell.node))) continue;
      const double value = cell.weighted_mean() - width_of(h, cell.rank_total(totals[i]));
      if (value > largest) {
        largest = value;
        best = &cell;
      }
    }
  }
  return best;
}

/// Ties go to the cell recommended first.
const Vroom::Cell* Vroom::recommended() const {
  if (!settled_ || tree_[*settled_].place == kUnseen || is_excluded(tree_.arm(*settled_))) {
    return best_cell();
  }
  return &levels_[tree_[*settled_].depth].cells[tree_[*settled_].place];
}

std::optional<TicketedOptimizer::Recommendation> Vroom::recommendation() const {
  const Cell* best = t_ > options_.horizon ? recommended() : nullptr;
  if (best == nullptr) return std::nullopt;
  return Recommendation{tree_.arm(best->node), best->weighted_mean(), best->pulls};
}

// --- queries and state -----------------------------------------------------------------------

Summary Vroom::summary() const {
  Summary summary = TurnOptimizer::summary();
  summary.nodes = tree_.size();
  summary.depth = tree_.depth();
  return summary;
}

/// Bounds are the upper ends of the intervals whose lower ends the recommendation uses.
std::vector<NodeView> Vroom::nodes() const {
  std::vector<std::vector<std::uint64_t>> totals;
  for (const Level& level : levels_) totals.push_back(level.ranking.totals());
  std::vector<NodeView> views;
  for (const NodeIndex i : tree_.shallow_first()) {
    const Tree::Node& node = tree_[i];
    NodeView view{.path = tree_.path(i), .arm = tree_.arm(i), .leaf = node.is_leaf()};
    view.upper = view.bound = kInfinity;
    if (node.place != kUnseen) {
      const Cell& cell = levels_[node.depth].cells[node.place];
      view.pulls = static_cast<std::uint64_t>(cell.pulls);
      view.mean = cell.mean();
      if (cell.weight != 0.0) {
        const double ranks = cell.rank_total(totals[node.depth][node.place]);
        view.upper = view.bound = cell.weighted_mean() + width_of(node.depth, ranks);
      }
    }
    views.push_back(std::move(view));
  }
  return in_user_units(std::move(views));
}

std::optional<TreeView::Place> Vroom::place(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  return Place{open->node, tree_[open->node].depth};
}

std::string Vroom::path(NodeIndex node) const {
  return node < tree_.size() ? tree_.path(node) : std::string();
}

void Vroom::ObservedArm::transfer(State& state) {
  state(arm, rewards);
}

void Vroom::Cell::transfer(State& state) {
  state(node, pulls, sum, weight, weighted_sum, shared_ranks);
  state.require_restored(State::are_counts({pulls}) && pulls >= 1.0 &&
                         State::are_finite({sum, weighted_sum}) &&
                         State::are_sizes({weight, shared_ranks}));
}

void Vroom::transfer(State& state) {
  state.mark("vroom");
  TurnOptimizer::transfer(state);
  state(tree_, random_, draws_, drawn_, drawn_depth_, densities_, settled_, observed_arms_);
  if (state.restoring()) {
    require_nodes_below(tree_.size());
    State::require(drawn_ < tree_.size() && (!settled_ || *settled_ < tree_.size()));
    State::require(drawn_depth_ <= depth_limit_);
    State::require(densities_.empty() || densities_.size() == levels_.size());
    for (std::size_t h = 1; h < densities_.size(); ++h) {
      State::require(State::are_sizes({densities_[h], 1.0 / densities_[h]}));
    }
    for (const ObservedArm& observed : observed_arms_) State::require(contains(observed.arm));
    restore_cells();
  }
  for (std::uint32_t h = 1; h <= depth_limit_; ++h) transfer_level(state, h);
}

/// Recomputes everything that follows from the tree alone.
void Vroom::restore_cells() {
  State::require(tree_.depth() <= depth_limit_);
  std::fill(uncut_.begin(), uncut_.end(), 0);
  for (Level& level : levels_) level.unseen_cells = 0;
  repeated_.clear();
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    Tree::Node& node = tree_[i];
    if (i != Tree::kRoot) {
      const Tree::Node& parent = tree_[node.parent];
      node.share = parent.share / Tree::child_count(parent);
    }
    ++levels_[node.depth].unseen_cells;
    if (may_be_cut(i)) {
      ++uncut_[node.depth];
    } else if (node.is_leaf()) {
      for (std::uint32_t h = node.depth + 1; h <= depth_limit_; ++h) ++levels_[h].unseen_cells;
    }
  }
}

void Vroom::transfer_level(State& state, std::uint32_t depth) {
  Level& level = levels_[depth];
  std::vector<std::uint64_t> totals = level.ranking.totals();
  state(level.unseen, level.shared_rank, level.cells, totals);
  if (!state.restoring()) return;
  State::require(State::are_sizes({level.shared_rank}) && totals.size() == level.cells.size());
  level.ranking = {};
  for (std::uint32_t i = 0; i < totals.size(); ++i) {
    const Cell& cell = level.cells[i];
    State::require(cell.node < tree_.size() && place_of(depth, cell.node) == kUnseen);
    Tree::Node& node = tree_[cell.node];
    if (node.depth == depth) {
      node.place = i;
    } else {
      State::require(node.depth < depth && node.is_leaf() && !node.splittable);
      repeated_[{depth, cell.node}] = i;
    }
    --level.unseen_cells;
    level.ranking.add(value_of(cell), totals[i]);
  }
  State::require(has_unseen(depth) ? level.unseen > 1e-70 && level.unseen <= 1.0
                                   : level.unseen == 0.0);
}

std::unique_ptr<Optimizer> Vroom::clone() const {
  return std::make_unique<Vroom>(*this);
}

OptimizerEntry vroom_entry() {
  OptimizerEntry entry =
      optimizer_entry<Vroom, VroomOptions>("vroom",
                                           "cells drawn at random by rank, for changing rewards: a "
                                           "known horizon, for the final recommendation");
  entry.resolve = [](const OptionValues& values, std::size_t /*dimension*/) {
    return values_of(resolved(options_from<VroomOptions>(values, "optimizer.")));
  };
  return entry;
}

}  // namespace canopy
