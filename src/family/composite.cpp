#include "canopy/family/detail/composite.hpp"

#include "canopy/optimizers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace canopy {
namespace {

/// The place of an arm that is not in the tree shown.
constexpr TreeView::Place kElsewhere{std::numeric_limits<NodeIndex>::max(), 0};

}  // namespace

Composite::Composite(const Space& space, const PartitionRule& partition, const Objective& objective)
    : TurnOptimizer(objective, space.dimension()),
      cells_(std::make_shared<BoxPartition>(space, partition)),
      box_(Box{space, partition}),
      confidence_(objective.confidence),
      arms_(space.dimension()) {}

Composite::Composite(std::shared_ptr<const Partition> cells, const Objective& objective)
    : TurnOptimizer(objective, cells->dimension()),
      cells_(std::move(cells)),
      confidence_(objective.confidence),
      arms_(cells_->dimension()) {}

Composite::Composite(const Composite& other)
    : TurnOptimizer(other),
      TreeView(other),
      cells_(other.cells_),
      box_(other.box_),
      confidence_(other.confidence_),
      arms_(other.arms_),
      plays_(other.plays_),
      shown_(other.shown_),
      observations_(other.observations_),
      bars_(other.bars_) {
  for (const auto& child : other.children_) children_.push_back(child->clone());
}

// --- children --------------------------------------------------------------------------------

std::optional<RewardRange> Composite::childrens_range() const {
  const std::optional<RewardRange> range = reward_range();
  if (!range) return std::nullopt;
  return RewardRange{0.0, (*range)[1] - (*range)[0]};  // in mapped units
}

Objective Composite::childrens_objective() const {
  return {.reward_range = childrens_range(), .confidence = confidence_};
}

std::unique_ptr<Optimizer> Composite::make_child(std::size_t number) const {
  const Selection child = child_at(number);
  if (box_) return make_optimizer(child, box_->space, box_->rule, childrens_objective());
  return optimizers().at(child.name).make_over(child.options, cells_, childrens_objective());
}

void Composite::add_child() {
  std::unique_ptr<Optimizer> child = make_child(children());
  for (const auto& [arm, mapped] : observations_) static_cast<void>(child->observe(arm, mapped));
  for (const auto& [arm, mapped] : bars_) static_cast<void>(child->bar(arm, mapped));
  children_.push_back(std::move(child));
}

void Composite::renew_only_child() {
  std::unique_ptr<Optimizer> child = make_child(0);
  for (const auto& [arm, mapped] : bars_) static_cast<void>(child->bar(arm, mapped));
  children_.front() = std::move(child);
  observations_.clear();
  for (Play& play : plays_) play = {.child = play.child};
}

std::optional<Best> Composite::best_of(std::size_t child) const {
  return children_[child]->best();
}

TurnOptimizer::Choice Composite::play(std::size_t child, std::uint64_t most) {
  Optimizer& player = *children_[child];
  if (player.reward_range() != childrens_range()) player.set_reward_range(childrens_range());
  const Pull pull = player.ask(most);
  return begin({.child = child, .asked = true, .ticket = pull.ticket, .remaining = pull.length},
               pull.arm, pull.length);
}

TurnOptimizer::Choice Composite::play(std::size_t child, Arm arm, std::uint64_t length) {
  return begin({.child = child}, arm, length);
}

TurnOptimizer::Choice Composite::begin(const Play& play, Arm arm, std::uint64_t length) {
  const NodeIndex slot = arms_.free_slot(tickets_);
  plays_.resize(arms_.size());
  if (plays_[slot].remaining != 0) {  // left over from a turn that ended early
    static_cast<void>(children_[plays_[slot].child]->drop(plays_[slot].ticket));
  }
  std::copy(arm.begin(), arm.end(), arms_.at(slot).begin());
  plays_[slot] = play;
  shown_ = play.child;
  return {.node = slot, .length = length};
}

/// A child may reject rewards, for example very large ones, and then does not learn them.
void Composite::learn(NodeIndex node, const Rewards& mapped) {
  Play& play = plays_[node];
  Optimizer& child = *children_[play.child];
  if (play.asked && mapped.count == 1 && play.remaining == 1) {
    play.remaining = 0;
    static_cast<void>(child.tell(play.ticket, mapped.sum));
  } else if (play.asked && mapped.count <= play.remaining) {
    play.remaining -= mapped.count;
    static_cast<void>(child.tell(play.ticket, mapped));
  } else if (play.asked) {
    static_cast<void>(child.observe(arms_[node], mapped));
  }
  hear(play.child, play.asked, mapped);
}

void Composite::accept_observed(Arm arm, const Rewards& mapped) {
  observations_[{arm.begin(), arm.end()}] += mapped;
  for (const auto& child : children_) static_cast<void>(child->observe(arm, mapped));
}

/// The child that asked learns a failure as an ordinary reward.
void Composite::accept_penalty(NodeIndex node, double mapped) {
  const Rewards failure = Rewards::one(mapped);
  const Arm arm = arms_[node];
  observations_[{arm.begin(), arm.end()}] += failure;
  for (std::size_t i = 0; i < children(); ++i) {
    const bool has_asked = plays_[node].asked && plays_[node].child == i;
    if (!has_asked) static_cast<void>(children_[i]->observe(arm, failure));
  }
  TurnOptimizer::accept_penalty(node, mapped);
}

void Composite::accept_bar(Arm arm, double mapped, std::uint64_t /*weight*/) {
  bars_[{arm.begin(), arm.end()}] = mapped;
  for (const auto& child : children_) static_cast<void>(child->bar(arm, mapped));
}

// --- queries ---------------------------------------------------------------------------------

Summary Composite::summary() const {
  Summary summary = TurnOptimizer::summary();
  const Summary shown = children_[shown_]->summary();
  summary.nodes = shown.nodes;
  summary.depth = shown.depth;
  return summary;
}

std::vector<NodeView> Composite::nodes() const {
  return in_user_units(children_[shown_]->tree()->nodes());
}

std::optional<TreeView::Place> Composite::place(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  const Play& play = plays_[open->node];
  if (play.child != shown_ || !play.asked) return kElsewhere;
  return children_[shown_]->tree()->place(play.ticket).value_or(kElsewhere);
}

std::string Composite::path(NodeIndex node) const {
  return children_[shown_]->tree()->path(node);
}

// --- state -----------------------------------------------------------------------------------

void Composite::transfer(State& state) {
  TurnOptimizer::transfer(state);
  state(arms_, plays_, shown_, observations_, bars_);
  std::uint64_t count = children();
  state(count);
  if (state.restoring()) children_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string saved = state.restoring() ? std::string() : children_[i]->save();
    state.nested(saved);
    if (!state.restoring()) continue;
    children_.push_back(make_child(i));
    children_.back()->restore(saved);
  }
  if (!state.restoring()) return;
  State::require(shown_ < count && plays_.size() == arms_.size());
  for (NodeIndex slot = 0; slot < arms_.size(); ++slot) State::require(contains(arms_[slot]));
  for (const Play& play : plays_) State::require(play.child < count);
  require_nodes_below(arms_.size());
  for (const auto& [arm, mapped] : observations_) {
    State::require(contains(arm) && mapped.count != 0);
  }
  for (const auto& [arm, mapped] : bars_) {
    State::require(contains(arm) && State::are_rewards({mapped}));
  }
}

}  // namespace canopy
