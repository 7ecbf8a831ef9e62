// How the adaptive tree follows a world that moves: a level that all rewards have in common, and an
// f that changes. docs/adaptive.md has the formulas.

#include "canopy/adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {
namespace {

constexpr double kManyPulls = 13.0;             // of a leaf: it is pulled several times in a row
constexpr double kLeastWeight = 1e-3;           // of rewards of a leaf that defines the level
constexpr double kProof = 3.0;                  // nats that prove a change to be one of level
constexpr std::size_t kEnoughBesideLimits = 3;  // answers

}  // namespace

LevelTrackers::Expected Adaptive::expected_of(NodeIndex leaf, std::uint64_t number) const {
  const Node& node = model_.tree()[leaf];
  const double noise = std::max(model_.noise_of_one(leaf), model_.noise_variance());
  return trackers_.expect(node.level, node.variance, noise, number);
}

/// A turn begins.
void Adaptive::expect_rewards() {
  expected_ = expected_of(turn_.node, t_);
  if (probe_.is_running()) return;
  trackers_.turn_to(turn_.node, model_.tree()[turn_.node].pulls >= kManyPulls);
}

/// What the trackers make of rewards of a leaf. Returns whether that is an alarm.
bool Adaptive::score(NodeIndex index, NodeIndex owner, const Rewards& mapped) {
  if (model_.tree()[owner].penalties != 0.0) return false;  // what failed before may work now
  const bool is_of_turn = index == turn_.node;
  if (options_.settle != 0 && is_of_turn) {
    // A turn goes on for at least as many pulls as were passed over. An error in what is expected
    // of a leaf that is not known better than that many rewards tell would look like a change.
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

// --- learning while a level is followed ----------------------------------------------------------

/// Learns rewards less the level that is followed. Those of one turn are learnt together, at its
/// end: while an arm is held, a tracker takes an error in what is expected of it for level, so that
/// later rewards tell less about f. Returns whether they raise an alarm.
bool Adaptive::learn_beside_level(NodeIndex index, NodeIndex owner, const Rewards& mapped) {
  const bool is_of_turn = index == turn_.node && owner == index;
  const bool is_at_rest = probe_.is_running();
  if (!is_of_turn || is_at_rest) learn_pending();
  is_steady_ = false;
  model_.autocorrelation.interrupt();
  if (!is_at_rest) trackers_.turn_to(index, false);
  const double expected = is_of_turn ? expected_.level : model_.tree()[owner].level;
  Pending of_others;
  Pending& rewards = is_of_turn && !is_at_rest ? pending_ : of_others;
  const double part = is_at_rest ? 1.0 : trackers_.part_left();
  rewards.add_followed(mapped.less(expected + trackers_.level()), part);
  const bool alarm = keeps_score() && score(index, owner, mapped);
  if (&rewards == &of_others) {
    const auto count = static_cast<double>(mapped.count);
    learn_followed(owner, expected, rewards, take_back(model_.tree()[index], count));
    since_pass_ += mapped.count;
  }
  return alarm;
}

/// Generalised least squares: rewards with the parts u of an error left, off by e, are worth sum
/// u^2 of them, and say that f is off by sum u e / sum u^2.
void Adaptive::learn_followed(NodeIndex index, double expected, const Pending& rewards,
                              double explorered) {
  const double weight = std::max(rewards.weight, kLeastWeight);
  const double share = weight / rewards.count;
  const double squares = std::max(0.0, rewards.squares - rewards.sum * rewards.sum / weight);
  model_.tree()[index].explorer_pulls += explorered * share;
  model_.add(index, Moments{weight, expected + rewards.sum / weight, squares * share},
             expected + rewards.least, expected + rewards.largest);
}

/// Whether the leaf whose turn has just been would tell little if it had the next one, too: the
/// level has followed its rewards. What tells is going back and forth.
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

/// Something moves: ends the turn, and finds out what.
void Adaptive::raise_alarm() {
  learn_pending();
  turn_.unissued = 0;
  const NodeIndex owner = model_.owner(turn_.node);
  update_leaf(owner);
  if (trackers_.may_be_of_f(trackers_.loudest())) probe_.begin(leaves_to_probe());
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

/// Of each other eighth of the box the leaf with the most pulls.
std::vector<NodeIndex> Adaptive::leaves_to_probe() const {
  const NodeIndex here = start_cell_of(turn_.node);
  std::vector<NodeIndex> leaves;
  for (const NodeIndex cell : start_) {
    if (cell == here) continue;
    if (const auto most = leaf_with_most_pulls(cell)) leaves.push_back(*most);
  }
  return leaves;
}

/// In one of the first cells, or in the whole box.
std::optional<NodeIndex> Adaptive::leaf_with_most_pulls(NodeIndex cell) const {
  const Tree& tree = model_.tree();
  std::optional<NodeIndex> most;
  for (NodeIndex i = cell; i < tree.size(); ++i) {
    const Node& node = tree[i];
    if (!node.is_leaf() || (cell != Tree::kRoot && start_cell_of(i) != cell)) continue;
    if (!(node.pulls - node.penalties > 0.0) || is_out_of_question(tree.arm(i))) continue;
    if (!metrics_.empty() && is_passed_by(i)) continue;
    if (!most || node.pulls > tree[*most].pulls) most = i;
  }
  return most;
}

void Adaptive::accept_answer(NodeIndex index, const Rewards& mapped) {
  learn_pending();
  const auto count = static_cast<double>(mapped.count);
  const double explorered = take_back(model_.tree()[index], count);
  const NodeIndex owner = model_.owner(index);
  Node& node = model_.tree()[owner];
  node.explorer_pulls += explorered;
  const double noise = std::max(model_.noise_of_one(owner), model_.noise_variance());
  probe_.take({.leaf = index,
               .rewards = mapped,
               .surprise = mapped.mean() - trackers_.level() - node.level,
               .variance = node.variance + noise / count});
  since_pass_ += mapped.count;
  if (index == turn_.node) {
    turn_.counts = true;
    turn_.unissued = 0;
  }
  set_bound(owner);
  review_probe();
}

/// Gives up what will not be answered. With all answers, judges.
void Adaptive::review_probe() {
  if (!probe_.is_running()) return;
  probe_.give_up_if([this](NodeIndex leaf) {
    const bool comes = leaf == turn_.node && turn_.unissued != 0;
    return !comes && model_.tree()[leaf].out == 0.0;
  });
  if (probe_.is_complete()) judge();
}

/// The alarm was for a change of level, or for one of f.
void Adaptive::judge() {
  learn_pending();
  const LevelTrackers::Tracker tracker = trackers_.loudest();
  const double moved = trackers_.level_of(tracker) - trackers_.level();
  // Where limits keep from asking, what is not known to be of the level is of f.
  const std::size_t enough = metrics_.empty() ? 1 : kEnoughBesideLimits;
  const bool is_of_level =
      probe_.answers().size() < enough ? metrics_.empty() : probe_.proof_of_level(moved) >= kProof;
  last_change_ = {.pull = t_ - 1, .size = moved};
  ++changes_;
  if (trackers_.may_be_of_f(tracker) && !is_of_level) {
    last_change_.kind = Change::Kind::shape;
    age(moved * moved);
    trackers_.start_anew();
  } else {
    if (tracker == LevelTrackers::returning) last_change_.kind = Change::Kind::memory;
    const LevelTrackers::Gain gain = trackers_.adopt(tracker);
    age(gain.less);
    model_.relearn_noise(gain.noise);
  }
  forget_arms(trackers_.level_moves());
  for (const ChangeProbe::Answer& answer : probe_.answers()) {
    model_.add(model_.owner(answer.leaf), answer.rewards.less(trackers_.level()));
  }
  probe_.end();
  model_.autocorrelation.forget();
  watch_.lose_track();
  for (int i = 0; i < 3; ++i) pass();
  // Rewards of the turn may still be in flight.
  turn_.mean = model_.tree()[turn_.node].mean + trackers_.level();
  expected_ = expected_of(turn_.node, t_);
}

/// Rewards so far are about an f that has changed by sqrt(variance).
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
