#include "canopy/hct.hpp"

#include "canopy/errors.hpp"

#include "optimizers/bounded_tree.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace canopy {
namespace {

/// The least double that is greater than a finite one; std::nextafter without call and branch.
double next_above(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // + 0 turns -0 into 0
  const std::int64_t sign = bits >> 63;                        // 0, or -1 for negative numbers
  return std::bit_cast<double>(bits + 1 + 2 * sign);
}

std::uint64_t whole(double pulls) {
  return static_cast<std::uint64_t>(pulls);
}

}  // namespace

Hct::Hct(const Space& space, const HctOptions& options, const Objective& objective)
    : Hct(std::make_shared<BoxPartition>(space), options, objective) {}

Hct::Hct(std::shared_ptr<const Partition> partition, const HctOptions& options,
         const Objective& objective)
    : TicketedOptimizer(checked(options, objective), partition->dimension()),
      tree_(planted<BoundedTree>(std::move(partition))),
      parameters_(resolve(options, tree_.partition().dimension())) {
  if (parameters_.feedback == Feedback::correlated) evidence_.set_mixing_time(options.mixing_time);
  set_scale();
  grow_tables();
  evidence_.reserve(tree_.size());
}

// --- the algorithm ---------------------------------------------------------------------------

void Hct::refresh() {
  const bool phase_begins = t_ >= t_plus_;  // otherwise only the scale has changed
  if (phase_begins) ++refreshes_;
  if (update_scale(phase_begins)) set_scale();
  t_plus_ = phase_end(t_);
  log_confidence_ =
      log_confidence(parameters_.confidence.c1, parameters_.delta, static_cast<double>(t_plus_));
  thresholds_.clear();
  grow_tables();
  for (NodeIndex i = tree_.size(); i-- > 0;) {  // children come after their parents
    Node& node = tree_[i];
    if (node.pulls != 0.0) node.upper = own_upper_bound(node);
    node.bound = backed_up_bound(tree_, node);
  }
  path_depth_ = 0;
}

void Hct::set_scale() {
  scaled_c_ = scale() * parameters_.confidence.c;
  resolutions_.clear();
}

void Hct::select() {
  if (t_ >= t_plus_ || scale_is_due()) refresh();
  opt_traverse();
  const Arm arm = tree_.arm(selected_);
  if (!std::equal(arm.begin(), arm.end(), selected_arm_.begin(), selected_arm_.end())) ++switches_;
  selected_arm_ = arm;
  evidence_.turn_to(arm);
}

void Hct::opt_traverse() {
  auto [at, stay_bound] = path_[path_depth_];
  while (!tree_[at].is_leaf() && has_enough_pulls(tree_[at])) {
    const NodeIndex left = tree_[at].children;
    const double left_bound = tree_[left].bound;
    const double right_bound = tree_[left + 1].bound;
    const bool goes_left = left_bound >= right_bound;
    const double rival = goes_left ? right_bound : next_above(left_bound);
    at = goes_left ? left : left + 1;
    stay_bound = std::max(stay_bound, rival);
    path_[++path_depth_] = {at, stay_bound};
  }
  const Node& node = tree_[at];
  selected_ = at;
  selected_node_ = &tree_[at];
  stay_bound_ = stay_bound;
  stay_pulls_ = node.pulls + static_cast<double>(t_plus_ - t_);
  if (node.splittable) stay_pulls_ = std::min(stay_pulls_, thresholds_[node.depth]);
  evidence_.open_fast_path(0.0);
}

void Hct::update_bounds(NodeIndex at) {
  if (tree_[at].pulls != 0.0) tree_[at].upper = own_upper_bound(tree_[at]);
  for (;; at = tree_[at].parent) {
    tree_[at].bound = backed_up_bound(tree_, tree_[at]);
    if (at == BoundedTree::kRoot) return;
  }
}

void Hct::expand_if_due(NodeIndex at) {
  const Node& node = tree_[at];
  if (!node.is_leaf() || !node.splittable || !has_enough_pulls(node)) return;
  if (!tree_.expand(at)) return;
  grow_tables();
  evidence_.reserve(tree_.size());
  if (selected_node_ != nullptr) selected_node_ = &tree_[selected_];  // nodes may have moved
  if (waiting_.empty()) return;
  const NodeIndex left = tree_[at].children;
  credit_observed(left);
  credit_observed(left + 1);
}

bool Hct::has_enough_pulls(const Node& node) const {
  return node.pulls >= thresholds_[node.depth];
}

// --- other operations ------------------------------------------------------------------------

Hct::Issued Hct::ask_anew(std::uint64_t pulls) {
  if (!episode_is_running()) begin_episode();
  const bool iid = parameters_.feedback == Feedback::iid;
  const std::uint64_t length = iid ? 1 : next_length(pulls);
  if (iid) stage_ = Stage::single_episode;
  return {tickets_.open(selected_, length), length};
}

void Hct::begin_episode() {
  if (stage_ == Stage::choose) select();
  stage_ = Stage::episode;
  unanswered_ = 1;
  if (parameters_.feedback == Feedback::correlated) {
    // Until the pulls have doubled or the phase ends, but at least one.
    unanswered_ = std::clamp<std::uint64_t>(whole(selected_node_->pulls), 1, t_plus_ - t_);
  }
  unissued_ = unanswered_;
}

/// The length of the next ticket; 1, beyond the episode, when every pull has a ticket.
std::uint64_t Hct::next_length(std::uint64_t pulls) {
  if (unissued_ == 0) return 1;
  const std::uint64_t length = std::clamp<std::uint64_t>(pulls, 1, unissued_);
  unissued_ -= length;
  return length;
}

Status Hct::tell_in_episode(Ticket ticket, double reward) {
  const double mapped = map_.to_mapped(reward);
  if (stage_ == Stage::episode && ticket == tickets_.newest() && tickets_.newest_is_open() &&
      unanswered_ > 1 && !scale_is_provisional() && RewardMap::usable(mapped)) [[likely]] {
    add(pending_, {1.0, mapped});
    tickets_.use_newest();
    ++t_;
    --unanswered_;
    evidence_.add(reward);
    return Status::ok;
  }
  return TicketedOptimizer::tell(ticket, reward);
}

Status Hct::end_single_episode(double reward) {
  if (!RewardMap::usable(map_.to_mapped(reward))) return Status::not_a_reward;
  note_origin(reward);
  tickets_.close_newest();
  ++t_;
  evidence_.add(reward);
  if (scale_is_provisional()) evidence_.absorb();
  add(*selected_node_, {1.0, map_.to_mapped(reward)});
  stay_or_leave();
  return Status::ok;
}

void Hct::end_episode() {
  add(*selected_node_, pending_);
  pending_ = {};
  stay_or_leave();
}

/// After an episode: checks whether the next search is certain to end at the same node.
void Hct::stay_or_leave() {
  const Node& node = *selected_node_;
  if (node.pulls < stay_pulls_ && !scale_is_due()) {
    const double width = width_of(node);
    const double upper = own_upper_bound(node, width);
    if (upper >= stay_bound_) {
      stage_ = parameters_.feedback == Feedback::iid && !tickets_.newest_is_open()
                   ? Stage::single_stay
                   : Stage::stay;
      set_sufficient_mean(width, upper - stay_bound_);
      return;
    }
  }
  stage_ = Stage::choose;
  if (node.pulls == 0.0) return;  // late rewards ended the phase before any were learnt here
  back_out();
  expand_if_due(selected_);
}

/// Updates the bounds of the selected node, and of the nodes above it that the next search will
/// read: on the path, bounds matter only from the node where the search turns to a sibling
/// downwards. Truncates the path there.
///
/// Every node p on the path has U(p) >= its stay_bound, since it was chosen. So when the larger of
/// two siblings' bounds is at least the stay_bound of their parent, the parent's bound is as well,
/// and every choice from the root to the parent stands.
void Hct::back_out() {
  if (path_[path_depth_].node != selected_) {  // late rewards invalidated the path
    update_bounds(selected_);
    return;
  }
  selected_node_->upper = own_upper_bound(*selected_node_);
  double bound = backed_up_bound(tree_, *selected_node_);
  for (;; --path_depth_) {
    const NodeIndex at = path_[path_depth_].node;
    const Step& parent = path_[path_depth_ - 1];
    const double rival = tree_[BoundedTree::sibling(at)].bound;
    const double larger = std::max(bound, rival);
    tree_[at].bound = bound;
    if (!(larger < parent.stay_bound)) break;  // true at the root
    bound = std::min(tree_[parent.node].upper, larger);
  }
  // The node here leaves the path, unless it is chosen again.
  const NodeIndex parent = path_[path_depth_ - 1].node;
  if (better_child(tree_, tree_[parent]) != path_[path_depth_].node) --path_depth_;
}

/// Replaces the division and the square root of U by a product for the next pulls. Until `last`
/// pulls the width of the confidence interval is at least `width`, so U >= stay_bound_ follows from
/// mean >= stay_bound_ - resolution - width. The slack, thousands of times the rounding error of
/// that sum, ensures this also for the computed U (rounding is monotone, so a larger sum of rewards
/// never gives a smaller U). Half of `margin` = U - stay_bound_ covers the shrinking of the width,
/// half a decrease of the mean.
void Hct::set_sufficient_mean(double width_now, double margin) {
  const Node& node = *selected_node_;
  if (scale_is_provisional()) return;
  const double width = std::max(0.0, width_now - 0.5 * margin);
  const double scaled = scaled_c_ / width;
  const double last =
      scaled * scaled * log_confidence_;  // pulls at which the width has shrunk to this
  evidence_.open_fast_path(std::ceil(std::min(stay_pulls_, last) - node.pulls) - 1.0);
  const double resolution = cell_resolution(node, resolutions_);
  const double slack = 1e-12 * (std::abs(stay_bound_) + resolution + width);
  sufficient_mean_ = stay_bound_ - resolution - width + slack;
}

/// Learns rewards told for a ticket: at once, or at the end of the episode they belong to.
void Hct::accept(NodeIndex node, const Rewards& mapped) {
  const Sample sample{static_cast<double>(mapped.count), mapped.sum};
  if (!episode_is_running() || node != selected_) {
    accept_late(node, sample);
    return;
  }
  add(pending_, sample);
  unanswered_ -= std::min(unanswered_, mapped.count);
  if (unanswered_ == 0) end_episode();
}

/// A failure ends the episode of its arm.
void Hct::accept_penalty(NodeIndex node, double mapped) {
  accept(node, Rewards::one(mapped));
  if (episode_is_running() && node == selected_) end_episode();
}

/// Learns rewards for a node without a running episode.
void Hct::accept_late(NodeIndex node, const Sample& sample) {
  update_bounds(selected_);  // on the path, only bounds that a search reads are up to date
  add(tree_[node], sample);
  update_bounds(node);
  expand_if_due(node);
  forget_selection();
  if (!episode_is_running()) {
    stage_ = Stage::choose;
    return;
  }
  evidence_.turn_to(selected_arm_);  // the next rewards are of this arm
  if (t_ < t_plus_) {
    unanswered_ = std::min(unanswered_, t_plus_ - t_);  // the phase ends sooner by these pulls
  } else {
    end_episode();
  }
}

/// Discards the selection, as bounds may have changed.
void Hct::forget_selection() {
  path_depth_ = 0;
  stay_pulls_ = 0.0;
  evidence_.open_fast_path(0.0);
}

/// Rewards of an arm that was not asked for go to the first node that has the arm, as late rewards
/// do, or are kept until there is one. The root is never pulled, so it gets none.
void Hct::accept_observed(Arm arm, const Rewards& mapped) {
  if (refreshes_ == 0) refresh();  // thresholds require a phase
  waiting_.add(arm, mapped);
  update_bounds(selected_);
  if (const NodeIndex node = tree_.find(arm); node != BoundedTree::kRoot) credit_observed(node);
}

/// Gives a node the waiting rewards of its arm. Bounds on the path to it must be up to date.
void Hct::credit_observed(NodeIndex node) {
  const std::optional<Rewards> rewards = waiting_.take(tree_.arm(node));
  if (!rewards) return;
  add(tree_[node], {static_cast<double>(rewards->count), rewards->sum});
  update_bounds(node);
  forget_selection();
  if (!episode_is_running()) stage_ = Stage::choose;
  expand_if_due(node);
}

/// Extends the tables by depth to the depth of the tree.
void Hct::grow_tables() {
  const auto& [feedback, nu1, rho, confidence_scale, delta, confidence] = parameters_;
  const std::uint32_t deepest = tree_.depth();
  for (auto h = static_cast<std::uint32_t>(resolutions_.size()); h <= deepest; ++h) {
    resolutions_.push_back(scale() * resolution(nu1, rho, h));
  }
  path_.resize(deepest + 1, {BoundedTree::kRoot, -kInfinity});
  if (thresholds_.empty()) thresholds_.push_back(0.0);  // the root always has enough pulls
  for (auto h = static_cast<std::uint32_t>(thresholds_.size()); h <= deepest; ++h) {
    thresholds_.push_back(expansion_threshold(confidence.c, log_confidence_, nu1, rho, h));
  }
}

Status Hct::drop(Ticket ticket) {
  const Status status = TicketedOptimizer::drop(ticket);
  if (stage_ == Stage::single_episode)
    stage_ = Stage::episode;  // its ticket may be the dropped one
  return status;
}

void Hct::finish() {
  if (pending_.pulls != 0.0) end_episode();
}

Summary Hct::summary() const {
  Summary summary = basic_summary();
  summary.nodes = tree_.size();
  summary.depth = tree_.depth();
  summary.switches = switches_;
  summary.refreshes = refreshes_;
  return summary;
}

/// Whether the restored state is consistent.
bool Hct::makes_sense(bool has_selected, const std::vector<Step>& path) const {
  if (tree_[BoundedTree::kRoot].is_leaf() || selected_ >= tree_.size()) return false;
  if (path.size() != tree_.depth() + 1 || path_depth_ >= path.size()) return false;
  std::vector<NodeIndex> nodes;
  for (std::uint32_t depth = 0; depth <= path_depth_; ++depth) nodes.push_back(path[depth].node);
  if (!tree_.is_path(nodes) || path[0].stay_bound != -kInfinity) return false;
  if (has_selected != (selected_ != BoundedTree::kRoot)) return false;
  if (!std::has_single_bit(t_plus_) || !State::are_sizes({log_confidence_})) return false;

  const auto left =
      t_ < t_plus_ ? static_cast<double>(t_plus_ - t_) : 0.0;  // steps left in the phase
  if (stay_pulls_ > tree_[selected_].pulls + pending_.pulls + left) return false;
  const bool iid = parameters_.feedback == Feedback::iid;
  const bool newest_is_here = has_selected && tickets_.newest_node() == selected_;
  switch (stage_) {
    case Stage::choose:
      return true;
    case Stage::stay:
      return has_selected && left != 0.0;
    case Stage::episode:
      return has_selected;
    case Stage::single_stay:
      return iid && newest_is_here && left != 0.0 && !tickets_.newest_is_open();
    case Stage::single_episode:
      return iid && newest_is_here && tickets_.newest_is_open();
  }
  return false;
}

void Hct::transfer(State& state) {
  state.mark("hct");
  TicketedOptimizer::transfer(state);
  // The saved state must not depend on earlier reads of the tree.
  if (!state.restoring()) update_bounds(selected_);
  bool has_selected = selected_node_ != nullptr;
  std::vector<Step> path = path_;
  double sufficient = 0.0;  // always 0: the fast path of the evidence is not saved
  state(tree_, t_plus_, log_confidence_, stage_, has_selected, selected_, stay_bound_, stay_pulls_,
        sufficient, path, path_depth_, unanswered_, unissued_, pending_, switches_, refreshes_,
        waiting_);
  if (!state.restoring()) return;
  require_nodes_below(tree_.size());
  State::require(makes_sense(has_selected, path));
  set_scale();
  thresholds_.clear();
  grow_tables();
  path_ = std::move(path);
  selected_node_ = has_selected ? &tree_[selected_] : nullptr;
  point_at_selected();
}

void Hct::point_at_selected() {
  const bool has_selected = selected_node_ != nullptr;
  selected_node_ = has_selected ? &tree_[selected_] : nullptr;
  selected_arm_ = has_selected ? tree_.arm(selected_) : Arm{};
}

std::unique_ptr<Optimizer> Hct::clone() const {
  std::unique_ptr<Hct> copy(new Hct(*this));
  copy->point_at_selected();
  return copy;
}

const TreeView* Hct::tree() {
  update_bounds(selected_);  // on the path, only bounds that a search reads are up to date
  return this;
}

std::vector<NodeView> Hct::nodes() const {
  return in_user_units(views_of(tree_));
}

std::optional<TreeView::Place> Hct::place(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  return Place{open->node, tree_[open->node].depth};
}

std::string Hct::path(NodeIndex node) const {
  return node < tree_.size() ? tree_.path(node) : std::string();
}

}  // namespace canopy
