#include "canopy/adaptive.hpp"

#include "canopy/contextual.hpp"

#include "optimizers/checked.hpp"
#include "optimizers/list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace canopy {
namespace {

constexpr std::uint32_t kDeepestStart = 5;  // depth when more pulls are in flight than first cells
constexpr double kBoldness = 3.0;           // factor of the index
constexpr double kTurn = 0.15;              // length of a turn, as a fraction of the leaf's pulls
constexpr std::uint64_t kFewTickets = 64;
constexpr std::uint64_t kLongestFollowed =
    64;  // most pulls of a ticket while an alarm may end the turn

}  // namespace

Adaptive::Adaptive(const Space& space, const AdaptiveOptions& options, const Objective& objective)
    : Adaptive(std::make_shared<BoxPartition>(space), options, objective) {}

Adaptive::Adaptive(const std::shared_ptr<const Partition>& partition,
                   const AdaptiveOptions& options, const Objective& objective)
    : TicketedOptimizer(checked(options, objective), partition->dimension()),
      model_(partition),
      metrics_(objective.limits.size(), AdaptiveModel(partition, AdaptiveModel::Values::metric)),
      beyond_(objective.limits.size()),
      options_(options),
      settling_(options.settle, options.settle_rule == SettleRule::by_distance),
      metrics_settling_(settling_),
      judged_effects_(objective.limits.size(), Interval{0.0, 0.0}),
      bound_effects_(judged_effects_) {
  const Partition& set = model_.tree().partition();
  if (options.settle != 0 && options.settle_rule == SettleRule::by_distance &&
      !set.reach(model_.tree().cell(Tree::kRoot), 0)) {
    throw ConfigurationError({{"optimizer.settle_rule", "by_distance",
                               "requires a partition with distances: use \"strict\" instead"}});
  }
  // Children have the order of their parents, so that cells are sorted from left to right.
  std::vector<NodeIndex> cells{Tree::kRoot};
  for (std::uint32_t depth = 0; depth < kStartDepth; ++depth) {
    std::vector<NodeIndex> next;
    for (const NodeIndex cell : cells) {
      Tree& tree = model_.tree();
      if (tree[cell].depth == depth && model_.can_cut(cell) && tree.expand(cell)) {
        for (AdaptiveModel& metric : metrics_) (void)metric.tree().expand(cell);
        next.insert(next.end(), {tree[cell].children, tree[cell].children + 1});
      } else {
        next.push_back(cell);
      }
    }
    cells = std::move(next);
  }
  start_ = std::move(cells);
  evidence_.reserve(model_.tree().size());
}

// --- asking ----------------------------------------------------------------------------------

/// Here and in `tell`, the middle of a turn has a fast path, since no decision is due.
Pull Adaptive::ask(std::uint64_t pulls) {
  if (!is_steady_ || turn_.unissued == 0 || tickets_.newest_is_open()) begin_or_resume();
  if (!metrics_.empty()) pulls = 1;  // a broken limit may end the turn at any pull
  if (follows_changes()) pulls = std::min(pulls, kLongestFollowed);
  return issue(std::clamp<std::uint64_t>(pulls, 1, turn_.unissued));
}

Pull Adaptive::ask_again() {
  learn_pending();
  turn_.unissued = std::max<std::uint64_t>(turn_.unissued, 1);
  return issue(1);
}

/// A ticket for `length` pulls of the turn.
Pull Adaptive::issue(std::uint64_t length) {
  turn_.unissued -= length;
  Node& node = model_.tree()[turn_.node];
  node.out += static_cast<double>(length);
  if (turn_.is_explorers()) node.explorer_out += static_cast<double>(length);
  return {tickets_.open(turn_.node, length), model_.tree().arm(turn_.node), length};
}

void Adaptive::begin_or_resume() {
  judge_anew();
  if (turn_.unissued == 0 || !trackers_.is_following()) learn_pending();
  const bool is_alone = tickets_.in_flight() == 0;
  if (turn_.unissued == 0) choose();
  const Arm arm = model_.tree().arm(turn_.node);
  if (last_played_ == kNoNode || !model_.tree().has_arm(last_played_, arm)) ++switches_;
  last_played_ = turn_.node;
  if (!is_alone) watch_.lose_track();
  is_steady_ = turn_.unissued > 1 && is_alone && options_.settle == 0 && metrics_.empty() &&
               !scale_is_provisional() && model_.tree()[turn_.node].penalties == 0.0;
  if (is_steady_) evidence_.turn_to(arm);
}

void Adaptive::choose() {
  (void)update_scale_if_due();
  const NodeIndex left = turn_.node;
  turn_ = next_turn();
  const Node& node = model_.tree()[turn_.node];
  if (has_begun_) {
    // A node's own noise may be underestimated if its rewards are nearly always the same.
    const double noise = std::max(node.noise, model_.noise_variance());
    watch_.turn(t_, model_.tree()[left].level, node.level, noise);
    if (trackers_.is_following()) watch_.lose_track();
    if (follows_changes()) expect_rewards();
  }
  turn_.mean = node.mean + trackers_.level();
  turn_.has_settled = options_.settle == 0;
  turn_.unissued = turn_.has_settled ? turn_.length : 1;
}

Adaptive::Turn Adaptive::next_turn() {
  if (!has_begun_) return {.node = next_of_start()};
  if (const std::optional<NodeIndex> leaf = probe_.next()) {
    return {.node = *leaf, .why = Learnt::Why::probe};
  }
  // Pulls in flight are assumed to return the expected rewards.
  if (tickets_.in_flight() <= kFewTickets) {
    tickets_.for_each_open([this](const Tickets::Open& ticket) { set_bound(ticket.node); });
  } else {  // each node once, even if it has several open tickets
    std::vector<bool> has_seen(model_.tree().size());
    tickets_.for_each_open([&](const Tickets::Open& ticket) {
      if (has_seen[ticket.node]) return;
      has_seen[ticket.node] = true;
      set_bound(ticket.node);
    });
  }
  // A reward much larger than expected may be due to its arm, or to a risen level. A pull of the
  // best known arm distinguishes the two cases. Without it, search and explorer would prefer every
  // new arm to the old arms.
  if (trackers_.take_surprise(t_)) {
    const std::optional<NodeIndex> leaf = leaf_with_most_pulls();
    if (leaf) return {.node = *leaf, .why = Learnt::Why::probe};
  }
  if (explorer_may_play()) {
    const bool covers = std::exchange(covers_next_, !covers_next_);
    const std::optional<NodeIndex> leaf = covers ? cover() : sweep();
    if (leaf) return {.node = *leaf, .why = covers ? Learnt::Why::cover : Learnt::Why::sweep};
  }
  NodeIndex leaf = most_promising();
  const auto is_cut_first = [this](NodeIndex index) {
    const Node& node = model_.tree()[index];
    if (node.out > 0.0) return is_ripe(index);
    return node.pulls >= 1.0 && only_parts_may_keep_limits(index) && has_room();
  };
  while (is_cut_first(leaf)) {
    cut(leaf);
    leaf = most_promising();
  }
  if (tells_little(leaf)) leaf = most_promising_but(leaf);
  // With more pulls in flight, decisions are due sooner.
  const double length = std::floor(kTurn * model_.tree()[leaf].pulls /
                                   (1.0 + static_cast<double>(tickets_.in_flight())));
  const bool is_beyond = model_.tree()[leaf].shortfall > 0.0;
  return {.node = leaf,
          .length = static_cast<std::uint64_t>(std::max(1.0, length)),
          .why = is_beyond ? Learnt::Why::least_broken : Learnt::Why::search};
}

/// The first cell without a pull. If there is none, because more pulls are in flight than there are
/// first cells, the first cells are cut. If all their parts are in flight as well, it is the first
/// cell with the fewest pulls.
NodeIndex Adaptive::next_of_start() {
  const Tree& tree = model_.tree();
  const auto asked = [this](NodeIndex node) { return asked_for(node); };
  const auto least = std::min_element(
      start_.begin(), start_.end(), [&](NodeIndex a, NodeIndex b) { return asked(a) < asked(b); });
  if (asked(*least) == 0.0) return *least;
  for (std::uint32_t depth = kStartDepth; depth < kDeepestStart; ++depth) {
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (tree[i].depth != depth) continue;
      if (tree[i].is_leaf() && cut_models(i) != AdaptiveModel::Cut::refused) {
        evidence_.reserve(tree.size());
      }
      if (tree[i].is_leaf()) continue;
      for (const NodeIndex part : {tree[i].children, tree[i].children + 1}) {
        if (asked(part) == 0.0) return part;
      }
    }
  }
  return *least;
}

/// Pulls of the arm of a node, told or in flight.
double Adaptive::asked_for(NodeIndex index) const {
  const Tree& tree = model_.tree();
  const NodeIndex owner = model_.owner(index);
  return tree[owner].pulls + tree[owner].out + (owner == index ? 0.0 : tree[index].out);
}

NodeIndex Adaptive::most_promising() const {
  const Tree& tree = model_.tree();
  NodeIndex at = Tree::kRoot;
  while (!tree[at].is_leaf()) at = better_child(at);
  return at;
}

// --- the explorer -------------------------------------------------------------------------------

bool Adaptive::explorer_may_play() const {
  const double root = std::sqrt(steps());
  if (model_.tree().size() >= 64.0 + 8.0 * root) return false;
  const double rate = 0.5 * model_.noise_deviation() + options_.coverage * model_.leaf_range();
  return explorer_loss_ <= 0.1 * search_loss_ + rate * std::max(0.0, root - 8.0);
}

/// The shallowest leaf; ties go to the leaf with the fewest pulls, then to the one with the largest
/// level. If it has been pulled, it is cut first.
std::optional<NodeIndex> Adaptive::cover() {
  const Tree& tree = model_.tree();
  std::optional<NodeIndex> chosen;
  const auto key = [&](NodeIndex leaf) {
    const Node& node = tree[leaf];
    return std::tuple(node.depth, node.pulls + node.out, -node.level);
  };
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree[i];
    if (!node.is_leaf()) continue;
    const bool was_pulled = node.pulls + node.out > 0.0;
    if (was_pulled && (node.out > 0.0 || !model_.can_cut(i))) continue;
    if (!chosen || key(i) < key(*chosen) ||
        (key(i) == key(*chosen) && tree.is_left_of(i, *chosen))) {
      chosen = i;
    }
  }
  if (!chosen || tree[*chosen].pulls == 0.0) return chosen;
  return left_child_of_cut(*chosen);
}

/// Visits the depths from the top, and at each depth the leaves that look at least as good as all
/// shallower leaves.
std::optional<NodeIndex> Adaptive::sweep() {
  const double range = model_.leaf_range();
  const double enough = 16.0 * model_.noise_variance() <= range * range ? 1.0 : 2.0;
  if (sweep_.empty()) list_for_sweep();
  const Tree& tree = model_.tree();
  while (!sweep_.empty()) {
    const NodeIndex leaf = sweep_.back();
    sweep_.pop_back();
    const Node& node = tree[leaf];
    if (!node.is_leaf() || is_passed_by(leaf)) continue;
    if (node.pulls + node.out < enough) return leaf;
    if (node.out == 0.0 && model_.can_cut(leaf)) return left_child_of_cut(leaf);
  }
  return std::nullopt;
}

void Adaptive::list_for_sweep() {
  const Tree& tree = model_.tree();
  const double deviation = model_.noise_deviation();
  struct Candidate {
    NodeIndex leaf = kNoNode;
    double value = -kInfinity;
  };
  std::vector<Candidate> by_depth(tree.depth() + 1);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree[i];
    if (!node.is_leaf() || is_passed_by(i)) continue;
    const double value =
        node.pulls == 0.0 ? node.level + deviation : node.mean + deviation / std::sqrt(node.pulls);
    Candidate& best = by_depth[node.depth];
    const bool ties = best.leaf != kNoNode && value == best.value;
    if (value > best.value || (ties && tree.is_left_of(i, best.leaf))) best = {i, value};
  }
  sweep_.clear();
  double largest = -kInfinity;
  for (const Candidate& best : by_depth) {
    if (best.leaf == kNoNode || best.value < largest) continue;
    largest = best.value;
    sweep_.push_back(best.leaf);
  }
  std::reverse(sweep_.begin(), sweep_.end());
}

NodeIndex Adaptive::left_child_of_cut(NodeIndex leaf) {
  cut(leaf);
  const Node& node = model_.tree()[leaf];
  return node.is_leaf() ? leaf : node.children;
}

// --- learning --------------------------------------------------------------------------------

Status Adaptive::tell(Ticket ticket, double reward) {
  const double mapped = map_.to_mapped(reward);
  const bool is_last = tickets_.newest_remaining() + turn_.unissued == 1;
  if (!is_steady_ || is_last || ticket != tickets_.newest() || !tickets_.newest_is_open() ||
      !RewardMap::usable(mapped)) {
    return TicketedOptimizer::tell(ticket, reward);
  }
  if (trackers_.is_following()) {
    pending_.add_followed(mapped - expected_.level - trackers_.level(), trackers_.part_left());
  } else {
    const double off = mapped - turn_.mean;
    pending_.add(off);
    model_.autocorrelation.add(turn_.node, off);
    watch_.add(t_, off);
  }
  bool alarm = false;
  if (keeps_score()) {
    trackers_.see(mapped);
    alarm = trackers_.add(expected_, mapped - expected_.level);
  }
  tickets_.use_newest();
  ++t_;
  evidence_.add(reward);
  if (alarm) [[unlikely]]
    raise_alarm();
  return Status::ok;
}

/// Learns the rewards of the turn. Must be called before any operation that does not continue the
/// turn.
void Adaptive::learn_pending() {
  is_steady_ = false;
  if (pending_.count == 0.0) return;
  const Pending pending = std::exchange(pending_, {});
  Node& node = model_.tree()[turn_.node];
  if (trackers_.is_following()) {
    learn_followed(turn_.node, expected_.level, pending, take_back(node, pending.count));
  } else {
    const auto [count, sum, squares, least, largest, weight] = pending;
    const double level = trackers_.level();
    model_.add(turn_.node, {.count = static_cast<std::uint64_t>(count),
                            .sum = count * turn_.mean + sum - count * level,
                            .squared_deviations = std::max(0.0, squares - sum * sum / count),
                            .min = turn_.mean + least - level,
                            .max = turn_.mean + largest - level});
    node.out -= count;
  }
  since_pass_ += static_cast<std::uint64_t>(pending.count);
}

bool Adaptive::record_pulls(NodeIndex node, std::uint64_t pulls) {
  const Tree& tree = model_.tree();
  return settling_.play(tree.partition(), tree.cell(node), tree.arm(node), pulls);
}

/// Removes in-flight pulls of a node, and returns how many of them the explorer had asked for.
double Adaptive::take_back(Node& node, double pulls) {
  const double by_explorer = std::min(pulls, node.explorer_out);
  node.out -= pulls;
  node.explorer_out -= by_explorer;
  return by_explorer;
}

/// At most half of a turn is discarded: after the system has settled, the turn has at least as many
/// pulls as were discarded.
void Adaptive::pass_over(NodeIndex index, std::uint64_t pulls) {
  learn_pending();
  passed_over_ += pulls;
  Node& node = model_.tree()[index];
  node.explorer_skipped += take_back(node, static_cast<double>(pulls));
  node.skipped += static_cast<double>(pulls);
  model_.autocorrelation.interrupt();
  if (index == turn_.node && !turn_.has_settled) {
    turn_.skipped += pulls;
    turn_.unissued = 1;
  }
  review_probe();
}

void Adaptive::accept(NodeIndex index, const Rewards& mapped) {
  if (probe_.awaits(index)) {
    accept_reading(index, mapped);
    return;
  }
  const NodeIndex owner = model_.owner(index);  // the cell may have been cut since the ask
  const bool alarm = trackers_.is_following() ? learn_beside_level(index, owner, mapped)
                                              : learn(index, owner, mapped);
  const bool is_of_turn = index == turn_.node;
  if (is_of_turn && !turn_.has_settled) {
    turn_.has_settled = true;
    turn_.unissued = std::max(turn_.length, turn_.skipped) - 1;
  }
  if (is_of_turn && turn_.is_beyond) turn_.unissued = 0;
  if (alarm) {
    raise_alarm();
    return;
  }
  const bool is_alone = tickets_.in_flight() == 1 && tickets_.newest_is_open();
  if (is_of_turn && (turn_.unissued != 0 || is_alone)) return;  // the turn goes on
  learn_pending();
  end_turn(owner);
}

/// Learns rewards less a constant level. Returns whether they raise an alarm.
bool Adaptive::learn(NodeIndex index, NodeIndex owner, const Rewards& mapped) {
  learn_pending();
  const double by_explorer = take_back(model_.tree()[index], static_cast<double>(mapped.count));
  Node& node = model_.tree()[owner];
  node.explorer_pulls += by_explorer;
  const bool is_of_turn = index == turn_.node;
  if (mapped.count == 1 && node.pulls >= 8.0) {
    const double before = is_of_turn ? turn_.mean : node.mean + trackers_.level();
    model_.autocorrelation.add(owner, mapped.sum - before);
  } else {
    model_.autocorrelation.interrupt();
  }
  if (mapped.count == 1 && is_of_turn) watch_.add(t_ - 1, mapped.sum - turn_.mean);
  const bool alarm = keeps_score() && score(index, owner, mapped);
  const Rewards off_level = mapped.less(trackers_.level());
  model_.add(owner, off_level.less(level_effect_).moments(), off_level.min, off_level.max);
  since_pass_ += mapped.count;
  return alarm;
}

void Adaptive::accept_penalty(NodeIndex index, double mapped) {
  learn_pending();
  const double by_explorer = take_back(model_.tree()[index], 1.0);
  const NodeIndex owner = model_.owner(index);
  model_.tree()[owner].explorer_pulls += by_explorer;
  lose_track();
  model_.penalize(owner, mapped - trackers_.level(), 1.0);
  ++since_pass_;
  if (index == turn_.node) turn_ = {.node = index, .unissued = 0};  // ends the turn
  end_turn(owner);
  review_probe();
}

void Adaptive::accept_bar(Arm arm, double mapped, std::uint64_t weight) {
  learn_pending();
  const std::optional<NodeIndex> owner = model_.find(arm);
  if (!owner) return;
  // The model may have learnt rewards from before a change of the system, which `weight` excludes.
  const Node& node = model_.tree()[*owner];
  const double learnt = changes_ != 0 ? node.pulls - node.penalties : 0.0;
  model_.penalize(*owner, mapped - trackers_.level(),
                  std::max(static_cast<double>(weight), learnt));
  model_.autocorrelation.interrupt();
  trackers_.interrupt();
  if (has_begun_) {
    pass();
  } else {
    end_turn(turn_.node);  // it may have been the last missing first cell
  }
}

void Adaptive::end_turn(NodeIndex node) {
  if (!has_begun_) {
    has_begun_ = std::all_of(start_.begin(), start_.end(), [this](NodeIndex cell) {
      return model_.tree()[model_.owner(cell)].pulls != 0.0;
    });
    if (!has_begun_) return;
    model_.begin();
    for (AdaptiveModel& metric : metrics_) metric.begin();
    after_pass();
    return;
  }
  update_leaf(node);
  pass_if_due();
}

void Adaptive::update_leaf(NodeIndex node) {
  if (!model_.tree()[node].is_leaf()) return;
  model_.update(node);
  for (AdaptiveModel& metric : metrics_) metric.update(node);
  set_bound(node);
  if (is_ripe(node)) cut(node);
}

void Adaptive::pass_if_due() {
  // With pulls in flight, a postponed pass delays learning by many pulls.
  const double passes = tickets_.in_flight() > 1 ? 64.0 : 16.0;
  if (static_cast<double>(since_pass_) >= model_.tree().size() / passes) pass();
}

/// Cuts a leaf in all models, so that node i is the same cell in all.
AdaptiveModel::Cut Adaptive::cut_models(NodeIndex leaf) {
  AdaptiveModel::Cut cut = model_.cut(leaf);
  if (cut == AdaptiveModel::Cut::refused) return cut;
  for (AdaptiveModel& metric : metrics_) {
    if (metric.cut(leaf) == AdaptiveModel::Cut::moved) cut = AdaptiveModel::Cut::moved;
  }
  return cut;
}

void Adaptive::cut(NodeIndex leaf) {
  const AdaptiveModel::Cut cut = cut_models(leaf);
  if (cut == AdaptiveModel::Cut::refused) return;
  evidence_.reserve(model_.tree().size());
  if (cut == AdaptiveModel::Cut::moved) {
    pass();
    return;
  }
  const NodeIndex left = model_.tree()[leaf].children;
  set_key(left);
  set_bound(left + 1);
}

void Adaptive::pass() {
  model_.pass();
  for (AdaptiveModel& metric : metrics_) metric.pass();
  after_pass();
}

void Adaptive::after_pass() {
  count_losses();
  set_bounds();
  since_pass_ = 0;
}

/// Updates the significant losses of explorer and search: the losses compared with the best arm
/// that keeps its limits, and those due to broken limits.
void Adaptive::count_losses() {
  const Tree& tree = model_.tree();
  double sure_level = -kInfinity;  // lower bound of that arm's level
  double least_beyond = metrics_.empty() ? 0.0 : kInfinity;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree[i];
    if (!node.is_leaf() || node.pulls == 0.0) continue;
    if (!metrics_.empty()) least_beyond = std::min(least_beyond, beyond_limits(i, -1.0));
    if (!metrics_.empty() && beyond_limits(i, 0.0) > 0.0) continue;
    sure_level = std::max(sure_level, node.level - std::sqrt(node.variance));
  }
  explorer_loss_ = search_loss_ = 0.0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree[i];
    const double all = node.pulls + node.skipped + node.out;
    if (all == 0.0) continue;
    double lost = std::max(0.0, sure_level - node.level - std::sqrt(node.variance));
    if (!metrics_.empty()) {
      lost += model_.leaf_range() * std::max(0.0, beyond_limits(i, 1.0) - least_beyond);
    }
    const double by_explorer = node.explorer_pulls + node.explorer_skipped + node.explorer_out;
    explorer_loss_ += by_explorer * lost;
    search_loss_ += (all - by_explorer) * lost;
  }
}

// --- bounds ----------------------------------------------------------------------------------

/// The variance of f at a leaf after the pulls in flight have returned.
double Adaptive::expected_variance(const Node& leaf) {
  return leaf.out == 0.0 ? leaf.variance : 1.0 / (1.0 / leaf.variance + leaf.out / leaf.noise);
}

/// Whether the tree may still grow.
bool Adaptive::has_room() const {
  return model_.tree().size() < 64.0 + 12.0 * std::sqrt(steps());
}

/// Whether f at a leaf is known more precisely than it varies within the cell, counting pulls in
/// flight, and the tree may still grow.
bool Adaptive::is_ripe(NodeIndex index) const {
  const Node& leaf = model_.tree()[index];
  return leaf.pulls + leaf.out >= 2.0 && expected_variance(leaf) <= leaf.below && has_room() &&
         model_.can_cut(index);
}

/// Pulls in flight are expected to return slightly less than the model's level, by their mean
/// effect on the level, so that parallel pulls spread over cells that look about equally good.
double Adaptive::index(const Node& leaf, double more_variance) const {
  const double expected = expected_variance(leaf);
  const double level = leaf.level - std::sqrt(std::max(0.0, leaf.variance - expected));
  const double variance = expected + more_variance;
  const double worth = steps() * variance / (model_.leaves() * leaf.noise);
  return level + std::sqrt(kBoldness * std::log(1.0 + worth) * variance);
}

/// Sets the key by which leaves are compared: first the smaller shortfall, then the larger index.
void Adaptive::set_key(NodeIndex leaf) {
  Node& node = model_.tree()[leaf];
  if (metrics_.empty()) {
    node.bound = index(node);
  } else if (only_parts_may_keep_limits(leaf)) {
    node.shortfall = beyond_limits(leaf, kFavour, JudgedBy::parts);
    node.bound = index(node, node.below);
  } else {
    node.shortfall = beyond_limits(leaf, kFavour);
    node.bound = index(node);
  }
}

NodeIndex Adaptive::better_child(NodeIndex node) const {
  const Tree& tree = model_.tree();
  const NodeIndex left = tree[node].children;
  const Node& first = tree[left];
  const Node& second = tree[left + 1];
  const bool is_first = first.shortfall != second.shortfall ? first.shortfall < second.shortfall
                                                            : first.bound >= second.bound;
  return is_first ? left : left + 1;
}

void Adaptive::take_key_of_better_child(NodeIndex node) {
  Tree& tree = model_.tree();
  const Node& better = tree[better_child(node)];
  tree[node].bound = better.bound;
  tree[node].shortfall = better.shortfall;
}

void Adaptive::set_bounds() {
  const Tree& tree = model_.tree();
  for (NodeIndex i = tree.size(); i-- > 0;) {
    if (tree[i].is_leaf()) {
      set_key(i);
    } else {
      take_key_of_better_child(i);
    }
  }
}

/// Updates the key of a leaf and of all nodes above it.
void Adaptive::set_bound(NodeIndex leaf) {
  if (!model_.tree()[leaf].is_leaf()) return;
  set_key(leaf);
  take_keys_above(leaf);
}

void Adaptive::take_keys_above(NodeIndex node) {
  while (node != Tree::kRoot) {
    node = model_.tree()[node].parent;
    take_key_of_better_child(node);
  }
}

// --- other operations ------------------------------------------------------------------------

Status Adaptive::drop(Ticket ticket) {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return tickets_.absence(ticket);
  learn_pending();
  const NodeIndex index = open->node;
  (void)take_back(model_.tree()[index], static_cast<double>(open->remaining));
  const Status status = TicketedOptimizer::drop(ticket);
  if (index == turn_.node) {
    finish();
  } else if (has_begun_) {
    set_bound(index);
  }
  review_probe();
  return status;
}

void Adaptive::finish() {
  learn_pending();
  turn_ = {.node = turn_.node, .unissued = 0};
  end_turn(turn_.node);
}

void Adaptive::interrupt() {
  learn_pending();
  settling_.interrupt();
  metrics_settling_.interrupt();
  lose_track();
}

/// The next reward does not directly follow the last one.
void Adaptive::lose_track() {
  model_.autocorrelation.interrupt();
  watch_.lose_track();
  trackers_.interrupt();
}

void Adaptive::accept_observed(Arm arm, const Rewards& mapped) {
  learn_pending();
  model_.observe(arm, mapped.less(trackers_.level() + level_effect_));
  model_.autocorrelation.interrupt();
  trackers_.interrupt();
  if (has_begun_) {
    pass();
  } else {
    end_turn(turn_.node);  // it may have been the last missing first cell
  }
}

std::optional<TicketedOptimizer::Recommendation> Adaptive::recommendation() const {
  const Tree& tree = model_.tree();
  std::optional<NodeIndex> best;
  const auto value = [&](NodeIndex node) {
    return has_begun_ ? tree[node].level - std::sqrt(tree[node].variance) : tree[node].mean;
  };
  const auto pulls = [&](NodeIndex node) { return tree[node].pulls - tree[node].penalties; };
  double most = 0.0;
  std::vector<double> of_repeated;
  std::vector<double> of_all;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    most = std::max(most, pulls(i));
    if (metrics_.empty() || pulls(i) < 1.0 || is_excluded(tree.arm(i))) continue;
    of_all.push_back(least_deviations(i));
    if (pulls(i) >= 2.0) of_repeated.push_back(of_all.back());
  }
  double required = metrics_.empty() ? -kInfinity : required_deviations(of_repeated);
  if (required == kInfinity) required = required_deviations(of_all);
  // An arm is recommended only if it has enough rewards of its own. Rewards from before a change
  // count as less than one each.
  const double enough = std::max(2.0, std::min(8.0, 0.25 * most));
  for (const double least : {enough, 2.0, 1.0, std::numeric_limits<double>::min()}) {
    if (best) break;
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (pulls(i) < least || is_excluded(tree.arm(i))) continue;
      if (!metrics_.empty() && least_deviations(i) < required) continue;
      if (!best || value(i) > value(*best)) best = i;
    }
  }
  if (!best) return std::nullopt;
  return Recommendation{tree.arm(*best), as_of_now(tree[*best].mean), tree[*best].pulls,
                        has_begun_};
}

Summary Adaptive::summary() const {
  Summary summary = basic_summary();
  summary.nodes = model_.tree().size();
  summary.depth = model_.tree().depth();
  summary.switches = switches_;
  summary.passed_over = passed_over_;
  if (options_.settle == 0) summary.settling = watch_.settling();
  summary.changes = changes_;
  if (changes_ != 0) {
    summary.last_change = last_change_;
    summary.last_change->size = map_.to_user_difference(last_change_.size);
  }
  if (trackers_.level_moves()) {
    summary.followed_level = map_.to_user_difference(trackers_.level());
  }
  return summary;
}

std::optional<Learnt> Adaptive::learnt() const {
  if (!has_begun_) return std::nullopt;
  Learnt learnt{.noise = model_.noise_deviation(),
                .correlation = trackers_.used() == LevelTrackers::returning
                                   ? trackers_.correlation()
                                   : model_.phi(),
                .smoothness = model_.smoothness(),
                .shares = model_.shares(),
                .lost = explorer_loss_ + search_loss_};
  const Tree& tree = model_.tree();
  double lowest = kInfinity;
  double highest = -kInfinity;
  double by_explorer = 0.0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    by_explorer += tree[i].explorer_pulls + tree[i].explorer_skipped;
    if (!tree[i].is_leaf()) continue;
    lowest = std::min(lowest, tree[i].level);
    highest = std::max(highest, tree[i].level);
  }
  learnt.explorer_pulls = static_cast<std::uint64_t>(by_explorer);
  std::tie(learnt.lowest, learnt.highest) =
      std::minmax({map_.to_user(as_of_now(lowest)), map_.to_user(as_of_now(highest))});
  const Node& node = tree[turn_.node];
  const Arm arm = tree.arm(turn_.node);
  learnt.turn = {.why = turn_.why,
                 .arm = {arm.begin(), arm.end()},
                 .pulls = static_cast<std::uint64_t>(node.pulls),
                 .length = turn_.length,
                 .estimate = map_.to_user(as_of_now(node.level)),
                 .deviation = std::sqrt(node.variance),
                 .bound = map_.to_user(as_of_now(node.bound))};
  for (std::size_t i = 0; i < metrics_.size(); ++i) learnt.metrics.push_back(learnt_of(i));
  return learnt;
}

/// The model's interval for f. Three standard deviations cover f in at least 95 % of simulated
/// studies (`make coverage`); two and a half do not if f is rough or rewards are skewed.
Interval Adaptive::around(const Node& node) const {
  const double reach = 3.0 * std::sqrt(node.variance);
  return {as_of_now(node.level) - reach, as_of_now(node.level) + reach};
}

/// Uses the node that stores the rewards of the arm.
std::optional<Interval> Adaptive::model_interval(Arm arm) const {
  const Tree& tree = model_.tree();
  const Node* known = nullptr;
  for (NodeIndex i = 0; has_begun_ && i < tree.size(); ++i) {
    const Node& node = tree[i];
    if (tree.has_arm(i, arm) && (known == nullptr || node.variance < known->variance)) {
      known = &node;
    }
  }
  if (known == nullptr) return std::nullopt;
  return around(*known);
}

std::unique_ptr<Optimizer> Adaptive::clone() const {
  return std::make_unique<Adaptive>(*this);
}

std::vector<NodeView> Adaptive::nodes() const {
  Adaptive now = *this;  // works on a copy: reading must not affect learning
  now.learn_pending();
  const Tree& tree = model_.tree();
  std::vector<NodeView> views;
  for (const NodeIndex i : tree.shallow_first()) {
    const Node& node = now.model_.tree()[i];
    const double bound = as_of_now(node.bound);
    views.push_back({tree.path(i), tree.arm(i), static_cast<std::uint64_t>(node.pulls),
                     as_of_now(node.mean), bound, bound, node.is_leaf()});
    if (has_begun_) views.back().model = around(node);
  }
  return in_user_units(std::move(views));
}

std::optional<TreeView::Place> Adaptive::place(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  return Place{open->node, model_.tree()[open->node].depth};
}

std::string Adaptive::path(NodeIndex node) const {
  return node < model_.tree().size() ? model_.tree().path(node) : std::string();
}

void Adaptive::transfer(State& state) {
  state.mark("adaptive");
  TicketedOptimizer::transfer(state);
  for (AdaptiveModel& metric : metrics_) state(metric);
  for (Interval& effects : bound_effects_) {
    state(effects.lower, effects.upper);
    state.require_restored(State::are_finite({effects.lower, effects.upper}));
  }
  state(model_, beyond_, settling_, metrics_settling_, watch_, trackers_, expected_, probe_,
        changes_, last_change_, has_begun_, turn_, pending_, is_steady_, since_pass_,
        explorer_loss_, search_loss_, covers_next_, sweep_, passed_over_, switches_, last_played_);
  if (!state.restoring()) return;
  const Tree& tree = model_.tree();
  require_nodes_below(tree.size());
  State::require(beyond_.size() == metrics_.size());
  for (const AdaptiveModel& metric : metrics_) State::require(metric.tree().size() == tree.size());
  for (const NodeIndex cell : start_) State::require(cell < tree.size());
  for (const NodeIndex leaf : sweep_) State::require(leaf < tree.size());
  State::require(probe_.is_below(tree.size()) && changes_ <= t_);
  State::require(last_played_ == kNoNode || last_played_ < tree.size());
  State::require(turn_.node < tree.size() && turn_.length != 0 && turn_.why <= Learnt::Why::probe &&
                 State::are_finite({turn_.mean}));
  State::require(!is_steady_ ||
                 (options_.settle == 0 && tree.has_arm(turn_.node, evidence_.here())));
  State::require(State::are_finite({explorer_loss_, search_loss_}));
}

OptimizerEntry adaptive_entry() {
  auto entry = optimizer_entry<Adaptive, AdaptiveOptions>(
      "adaptive",
      "the adaptive tree: learns smoothness, noise and spread; needs only the search space", 5);
  entry.make_in_contexts = [](const OptionValues& options, const Space& space,
                              const PartitionRule& partition, const Objective& objective,
                              const ContextSpace& contexts) -> std::unique_ptr<Optimizer> {
    const auto cells = std::make_shared<BoxPartition>(space, with_parts(partition, 2));
    return std::make_unique<Contextual>(
        cells, contexts, options_from<AdaptiveOptions>(options, "optimizer."), objective);
  };
  return entry;
}

}  // namespace canopy
