#include "canopy/family/detail/opening_tree.hpp"

#include <algorithm>
#include <utility>

namespace canopy {

OpeningTree::OpeningTree(std::shared_ptr<const Partition> partition, const Objective& objective,
                         SameArm same_arm)
    : TurnOptimizer(objective, partition->dimension()),
      tree_(std::move(partition)),
      same_arm_(same_arm) {
  list_all();
}

// --- opening ---------------------------------------------------------------------------------

TurnOptimizer::Choice OpeningTree::choose() {
  if (update_scale_if_due()) update_all();
  if (const auto choice = explore()) return *choice;
  return {.node = settle()};
}

bool OpeningTree::open(NodeIndex leaf) {
  const bool is_cut = tree_.expand(leaf, true);
  update(leaf);
  if (!is_cut) return false;
  next_ = tree_[leaf].children;
  end_ = next_ + Tree::child_count(tree_[leaf]);
  for (NodeIndex child = next_; child < end_; ++child) {
    if (same_arm_ == SameArm::keeps_rewards && tree_.has_arm(child, tree_.arm(leaf))) {
      tree_[child].pulls = tree_[leaf].pulls;
      tree_[child].sum = tree_[leaf].sum;
    } else if (const Rewards* known =
                   observations_.empty() ? nullptr : observations_.find(tree_.arm(child))) {
      tree_[child].pulls = static_cast<double>(known->count);
      tree_[child].sum = known->sum;
    }
    add_to_depth(child);
  }
  return true;
}

std::optional<TurnOptimizer::Choice> OpeningTree::next_unplayed(double pulls) {
  for (; next_ < end_; ++next_) {
    const double missing = pulls - tree_[next_].pulls;
    if (missing > 0.0) return Choice{next_, static_cast<std::uint64_t>(missing)};
  }
  return std::nullopt;
}

std::uint32_t OpeningTree::new_arms_of_a_cut() const {
  Tree tree(tree_.shared_partition());
  std::uint32_t arms = 0;
  if (tree.expand(Tree::kRoot)) {
    for (NodeIndex part = 1; part < tree.size(); ++part) {
      if (!tree.has_arm(part, tree.arm(Tree::kRoot))) ++arms;
    }
  }
  return std::max(1U, arms);
}

// --- the order of the leaves -----------------------------------------------------------------

double OpeningTree::value_of(const Node& node) const {
  return node.pulls == 0.0 ? Tournament::kNone : node.mean();
}

void OpeningTree::update(NodeIndex node) {
  const Node& at = tree_[node];
  const bool in_question = at.is_leaf() && at.splittable;
  leaves_[at.depth].set(at.place, in_question ? value_of(at) : Tournament::kNone);
  const bool in_favour = may_recommend(at) && !is_barred(tree_.arm(node));
  means_.set(node, in_favour ? at.mean() : Tournament::kNone);
}

void OpeningTree::update_all() {
  for (NodeIndex node = 0; node < tree_.size(); ++node) update(node);
}

void OpeningTree::add_to_depth(NodeIndex node) {
  Node& at = tree_[node];
  if (at.depth == by_depth_.size()) {
    by_depth_.emplace_back();
    leaves_.emplace_back();
  }
  at.place = static_cast<std::uint32_t>(by_depth_[at.depth].size());
  by_depth_[at.depth].push_back(node);
  update(node);
}

void OpeningTree::list_all() {
  by_depth_.clear();
  leaves_.clear();
  means_.clear();
  for (NodeIndex node = 0; node < tree_.size(); ++node) add_to_depth(node);
}

std::optional<NodeIndex> OpeningTree::best_leaf(std::uint32_t depth) const {
  if (depth >= leaves_.size() || leaves_[depth].empty()) return std::nullopt;
  return by_depth_[depth][leaves_[depth].winner()];
}

// --- learning --------------------------------------------------------------------------------

void OpeningTree::add(NodeIndex node, const Rewards& mapped) {
  Node& at = tree_[node];
  at.pulls += static_cast<double>(mapped.count);
  at.sum += mapped.sum;
  update(node);
}

void OpeningTree::learn(NodeIndex node, const Rewards& mapped) {
  add(node, mapped);
  if (same_arm_ == SameArm::starts_afresh) return;
  for (NodeIndex above = node; !tree_[above].is_leaf();) {  // a late reward
    const NodeIndex first = tree_[above].children;
    const NodeIndex end = first + Tree::child_count(tree_[above]);
    NodeIndex same = first;
    while (same < end && !tree_.has_arm(same, tree_.arm(above))) ++same;
    if (same == end) return;
    add(same, mapped);
    above = same;
  }
}

void OpeningTree::accept_observed(Arm arm, const Rewards& mapped) {
  observations_.add(arm, mapped);
  for (NodeIndex node = 0; node < tree_.size(); ++node) {
    if (tree_.has_arm(node, arm)) add(node, mapped);
  }
}

// --- recommendation --------------------------------------------------------------------------

NodeIndex OpeningTree::settle() {
  if (!means_.empty()) return static_cast<NodeIndex>(means_.winner());
  // If nothing was played yet, or all arms that may be recommended are barred: the best of the
  // other arms.
  std::optional<NodeIndex> best;
  const auto mean = [this](NodeIndex node) {
    return tree_[node].pulls == 0.0 ? -kInfinity : tree_[node].mean();
  };
  for (NodeIndex node = 0; node < tree_.size(); ++node) {
    if (is_barred(tree_.arm(node)) || (best && mean(node) <= mean(*best))) continue;
    best = node;
  }
  return best.value_or(Tree::kRoot);
}

std::optional<TicketedOptimizer::Recommendation> OpeningTree::recommendation() const {
  if (means_.empty()) return std::nullopt;
  const auto best = static_cast<NodeIndex>(means_.winner());
  return Recommendation{tree_.arm(best), tree_[best].mean(), tree_[best].pulls};
}

// --- queries and state -----------------------------------------------------------------------

Summary OpeningTree::summary() const {
  Summary summary = TurnOptimizer::summary();
  summary.nodes = tree_.size();
  summary.depth = tree_.depth();
  return summary;
}

std::vector<NodeView> OpeningTree::nodes() const {
  std::vector<NodeView> views;
  for (const NodeIndex i : tree_.shallow_first()) {
    const Node& node = tree_[i];
    const double value = node.pulls == 0.0 ? kInfinity : value_of(node);
    views.push_back({tree_.path(i), tree_.arm(i), static_cast<std::uint64_t>(node.pulls),
                     node.mean(), value, value, node.is_leaf()});
  }
  return in_user_units(std::move(views));
}

std::optional<TreeView::Place> OpeningTree::place(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  return Place{open->node, tree_[open->node].depth};
}

std::string OpeningTree::path(NodeIndex node) const {
  return node < tree_.size() ? tree_.path(node) : std::string();
}

void OpeningTree::transfer(State& state) {
  TurnOptimizer::transfer(state);
  state(tree_, next_, end_, observations_);
  if (!state.restoring()) return;
  require_nodes_below(tree_.size());
  State::require(next_ <= end_ && end_ <= tree_.size());
  State::require(observations_.are_all([&](Arm arm) { return contains(arm); }));
  list_all();
}

}  // namespace canopy
