// How the adaptive tree tracks a changing system: a level that all rewards have in common, and an f
// that changes. docs/adaptive.md has the formulas.

#include "canopy/adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {
namespace {

constexpr double kManyPulls = 13.0;    // turns of a leaf with this many pulls have several pulls
constexpr double kLeastWeight = 1e-3;  // least weight of rewards of a leaf that defines the level
constexpr double kProof = 3.0;         // in nats, for a change of level
constexpr std::size_t kEnoughBesideLimits = 3;  // readings of a probe

}  // namespace

LevelTrackers::Expected Adaptive::expected_of(NodeIndex leaf, std::uint64_t number) const {
  const Node& node = model_.tree()[leaf];
  const double noise = std::max(model_.noise_of_one(leaf), model_.noise_variance());
  return trackers_.expect(node.level, node.variance, noise, number);
}

/// Updates the expectation; call at the beginning of a turn.
void Adaptive::expect_rewards() {
  if (trackers_.reconsider_noise()) model_.autocorrelation.forget();
  expected_ = expected_of(turn_.node, t_);
  if (probe_.is_running()) return;
  trackers_.turn_to(turn_.node, model_.tree()[turn_.node].pulls >= kManyPulls);
}

/// Scores rewards of a leaf with the trackers. Returns whether they raise an alarm.
bool Adaptive::score(NodeIndex index, NodeIndex owner, const Rewards& mapped) {
  if (model_.tree()[owner].penalties != 0.0)
    return false;  // a pull that failed before may succeed now
  const bool is_of_turn = index == turn_.node;
  if (options_.settle != 0 && is_of_turn) {
    // A turn has at least as many pulls as were discarded. If fewer rewards than that determine the
    // leaf's level, an error in the expected level would look like a change.
    const auto pulls = static_cast<double>(std::max(turn_.length, turn_.skipped));
    const Node& node = model_.tree()[owner];
    if (pulls * node.variance > node.noise / 32.0) return false;
  }
  const LevelTrackers::Expected expected = is_of_turn ? expected_ : expected_of(owner, t_ - 1);
  trackers_.turn_to(index, false);
  trackers_.see(mapped.max);
  const double surprise = mapped.mean() - expected.level;
  if (mapped.count == 1) return trackers_.add(expected, surprise);
  trackers_.see(mapped.min);
  const auto count = static_cast<double>(mapped.count);
  return trackers_.add_several(expected, surprise, count, mapped.squared_deviations);
}

// --- learning with a tracked level ---------------------------------------------------------------

/// Learns rewards less the tracked level. The rewards of a turn are learnt together at its end:
/// while an arm is held, a tracker absorbs an error in its expected level, so that later rewards
/// carry less information about f. Returns whether they raise an alarm.
bool Adaptive::learn_beside_level(NodeIndex index, NodeIndex owner, const Rewards& mapped) {
  const bool is_of_turn = index == turn_.node && owner == index;
  const bool is_probing = probe_.is_running();
  if (!is_of_turn || is_probing) learn_pending();
  is_steady_ = false;
  model_.autocorrelation.interrupt();
  if (!is_probing) trackers_.turn_to(index, false);
  const double expected = is_of_turn ? expected_.level : model_.tree()[owner].level;
  Pending of_others;
  Pending& rewards = is_of_turn && !is_probing ? pending_ : of_others;
  const double part = is_probing ? 1.0 : trackers_.part_left();
  rewards.add_followed(mapped.less(expected + trackers_.level()), part);
  const bool alarm = keeps_score() && score(index, owner, mapped);
  if (&rewards == &of_others) {
    const auto count = static_cast<double>(mapped.count);
    learn_followed(owner, expected, rewards, take_back(model_.tree()[index], count));
    since_pass_ += mapped.count;
  }
  return alarm;
}

/// Generalised least squares: rewards with deviations e, of which the fraction u of an error in f
/// remains, weigh sum u^2, and estimate the error in f as sum u e / sum u^2.
void Adaptive::learn_followed(NodeIndex index, double expected, const Pending& rewards,
                              double by_explorer) {
  const double weight = std::max(rewards.weight, kLeastWeight);
  const double share = weight / rewards.count;
  const double squares = std::max(0.0, rewards.squares - rewards.sum * rewards.sum / weight);
  model_.tree()[index].explorer_pulls += by_explorer * share;
  model_.add(index, Moments{weight, expected + rewards.sum / weight, squares * share},
             expected + rewards.least, expected + rewards.largest);
}

/// Whether another turn of the current leaf would carry little information, because the level has
/// adapted to its rewards. Alternating between leaves avoids this.
bool Adaptive::tells_little(NodeIndex leaf) const {
  if (!trackers_.is_following() || leaf != turn_.node) return false;
  const double part = trackers_.part_left();
  return model_.tree()[leaf].pulls < kManyPulls && part * part < 0.5;
}

NodeIndex Adaptive::most_promising_but(NodeIndex leaf) {
  if (leaf == Tree::kRoot) return leaf;
  Node& node = model_.tree()[leaf];
  const double bound = std::exchange(node.bound, -kInfinity);
  const double shortfall = std::exchange(node.shortfall, kInfinity);
  take_keys_above(leaf);
  const NodeIndex next = most_promising();
  node.bound = bound;
  node.shortfall = shortfall;
  take_keys_above(leaf);
  return next;
}

// --- changes -----------------------------------------------------------------------------------

/// Ends the turn and starts a probe to find the cause of the alarm.
void Adaptive::raise_alarm() {
  learn_pending();
  turn_.unissued = 0;
  const NodeIndex owner = model_.owner(turn_.node);
  update_leaf(owner);
  if (trackers_.may_be_of_f(trackers_.alarming())) probe_.begin(leaves_to_probe());
  if (probe_.is_running()) {
    trackers_.interrupt();
  } else {
    judge();
  }
}

NodeIndex Adaptive::start_cell_of(NodeIndex node) const {
  const Tree& tree = model_.tree();
  while (tree[node].depth > kStartDepth) node = tree[node].parent;
  return node;
}

/// For each other eighth of the box, the leaf with the most pulls.
std::vector<NodeIndex> Adaptive::leaves_to_probe() const {
  const NodeIndex here = start_cell_of(turn_.node);
  std::vector<NodeIndex> leaves;
  for (const NodeIndex cell : start_) {
    if (cell == here) continue;
    if (const auto most = leaf_with_most_pulls(cell)) leaves.push_back(*most);
  }
  return leaves;
}

/// Searches one of the first cells, or the whole box.
std::optional<NodeIndex> Adaptive::leaf_with_most_pulls(NodeIndex cell) const {
  const Tree& tree = model_.tree();
  std::optional<NodeIndex> most;
  for (NodeIndex i = cell; i < tree.size(); ++i) {
    const Node& node = tree[i];
    if (!node.is_leaf() || (cell != Tree::kRoot && start_cell_of(i) != cell)) continue;
    if (!(node.pulls - node.penalties > 0.0) || is_excluded(tree.arm(i))) continue;
    if (!metrics_.empty() && is_passed_by(i)) continue;
    if (!most || node.pulls > tree[*most].pulls) most = i;
  }
  return most;
}

void Adaptive::accept_reading(NodeIndex index, const Rewards& mapped) {
  learn_pending();
  const auto count = static_cast<double>(mapped.count);
  const double by_explorer = take_back(model_.tree()[index], count);
  const NodeIndex owner = model_.owner(index);
  Node& node = model_.tree()[owner];
  node.explorer_pulls += by_explorer;
  const double noise = std::max(model_.noise_of_one(owner), model_.noise_variance());
  probe_.take({.leaf = index,
               .rewards = mapped,
               .surprise = mapped.mean() - trackers_.level() - node.level,
               .variance = node.variance + noise / count});
  since_pass_ += mapped.count;
  if (index == turn_.node) {
    turn_.has_settled = true;
    turn_.unissued = 0;
  }
  set_bound(owner);
  review_probe();
}

/// Stops waiting for pulls that will not return. Once all readings are there, decides.
void Adaptive::review_probe() {
  if (!probe_.is_running()) return;
  probe_.give_up_if([this](NodeIndex leaf) {
    const bool comes = leaf == turn_.node && turn_.unissued != 0;
    return !comes && model_.tree()[leaf].out == 0.0;
  });
  if (probe_.is_complete()) judge();
}

/// Decides whether the alarm was due to a change of level or of f.
void Adaptive::judge() {
  learn_pending();
  const LevelTrackers::Tracker tracker = trackers_.alarming();
  const double moved = trackers_.level_of(tracker) - trackers_.level();
  // If limits prevent enough readings, a change that is not proven to be a change of level is
  // treated as a change of f.
  const std::size_t enough = metrics_.empty() ? 1 : kEnoughBesideLimits;
  const bool is_of_level =
      probe_.readings().size() < enough ? metrics_.empty() : probe_.proof_of_level(moved) >= kProof;
  last_change_ = {.pull = t_ - 1, .size = moved};
  ++changes_;
  bool is_subtracted = true;
  if (trackers_.may_be_of_f(tracker) && !is_of_level) {
    last_change_.kind = Change::Kind::shape;
    age(moved * moved);
    trackers_.start_anew();
  } else {
    if (tracker == LevelTrackers::returning) last_change_.kind = Change::Kind::memory;
    const LevelTrackers::Gain gain = trackers_.adopt(tracker);
    is_subtracted = last_change_.kind != Change::Kind::memory || trackers_.is_following();
    if (is_subtracted) {
      age(gain.less);
      model_.relearn_noise(gain.noise);
    }
  }
  forget_arms(trackers_.level_moves());
  for (const ChangeProbe::Reading& reading : probe_.readings()) {
    model_.add(model_.owner(reading.leaf), reading.rewards.less(trackers_.level()));
  }
  probe_.end();
  if (is_subtracted) model_.autocorrelation.forget();
  watch_.lose_track();
  for (int i = 0; i < 3; ++i) pass();
  // Rewards of the turn may still be in flight.
  turn_.mean = model_.tree()[turn_.node].mean + trackers_.level();
  expected_ = expected_of(turn_.node, t_);
}

/// Discounts all rewards for a change of f by sqrt(variance).
void Adaptive::age(double variance) {
  if (variance == 0.0) return;
  for (NodeIndex i = 0; i < model_.tree().size(); ++i) {
    const double weight = model_.weight_after(i, variance);
    model_.age(i, weight);
    for (AdaptiveModel& metric : metrics_) metric.age(i, weight);
  }
  model_.blur_observations(variance);
}

}  // namespace canopy
