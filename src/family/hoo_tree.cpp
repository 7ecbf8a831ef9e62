#include "canopy/family/detail/hoo_tree.hpp"

#include "canopy/confidence.hpp"

#include "optimizers/bounded_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace canopy {
namespace {

/// The largest bound among a node's children except one.
double largest_rival(const BoundedTreeOfAny& tree, const BoundedTreeOfAny::Node& node,
                     NodeIndex but) {
  const std::uint32_t count = BoundedTreeOfAny::child_count(node);
  if (count == 2) [[likely]]
    return tree[2 * node.children + 1 - but].bound;
  double largest = -kInfinity;
  for (std::uint32_t i = 0; i < count; ++i) {
    const NodeIndex child = node.children + i;
    if (child != but) largest = std::max(largest, tree[child].bound);
  }
  return largest;
}

}  // namespace

HooTree::HooTree(std::shared_ptr<const Partition> partition, const HooConstants& constants,
                 std::uint64_t seed, const Objective& objective)
    : TurnOptimizer(objective, partition->dimension()),
      tree_(std::move(partition)),
      constants_(constants),
      path_{Tree::kRoot},
      random_({.seed = seed, .algorithm = "hoo"}) {
  grow_resolutions();
}

void HooTree::start_over() {
  Tree fresh(tree_.shared_partition());
  const NodeIndex next = first_ + tree_.size();
  earlier_.push_back({first_, std::move(tree_)});
  std::erase_if(earlier_, [this](const Earlier& earlier) {
    bool needed = false;
    tickets_.for_each_open(
        [&](const Tickets::Open& ticket) { needed = needed || earlier.holds(ticket.node); });
    return !needed;
  });
  tree_ = std::move(fresh);
  first_ = next;
  path_.assign(1, Tree::kRoot);
  kept_ = 1;
}

TurnOptimizer::Choice HooTree::choose() {
  if (update_scale_if_due()) {
    resolutions_.clear();
    grow_resolutions();
    update_all();
  }
  path_.resize(kept_);
  NodeIndex at = path_.back();
  while (!tree_[at].is_leaf()) {
    at = child_of_largest_bound(at);
    path_.push_back(at);
  }
  return {.node = first_ + at};
}

NodeIndex HooTree::child_of_largest_bound(NodeIndex at) {
  const NodeIndex first = tree_[at].children;
  const NodeIndex end = first + Tree::child_count(tree_[at]);
  const double left = tree_[first].bound;
  const double right = tree_[first + 1].bound;
  if (end - first == 2 && left != right) [[likely]]
    return left > right ? first : first + 1;
  NodeIndex largest = first;
  std::uint32_t equals = 1;
  for (NodeIndex child = first + 1; child < end; ++child) {
    const double bound = tree_[child].bound;
    if (bound > tree_[largest].bound) {
      largest = child;
      equals = 1;
    } else if (bound == tree_[largest].bound) {
      ++equals;
    }
  }
  if (equals == 1) return largest;
  // With two children a fair coin decides: heads selects the first.
  auto skip = equals == 2 ? (random_.coin() ? 0U : 1U)
                          : static_cast<std::uint32_t>(random_.uniform() * equals);
  const double bound = tree_[largest].bound;
  for (; skip > 0; --skip) {
    do ++largest;
    while (tree_[largest].bound != bound);
  }
  return largest;
}

double HooTree::width(double pulls) const {
  return confidence_width(scale() * constants_.confidence_scale, twice_log_, pulls);
}

double HooTree::own_upper_bound(const Node& node) const {
  return upper_bound(node.sum / node.pulls, cell_resolution(node, resolutions_), width(node.pulls));
}

void HooTree::learn(NodeIndex node, const Rewards& mapped) {
  if (!knows(node)) return;  // a late reward for a node of an earlier tree
  learn_here(node, mapped);
  learn_observed();
}

void HooTree::accept_observed(Arm arm, const Rewards& mapped) {
  observations_.add(arm, mapped);
  const NodeIndex node = tree_.find(arm);
  if (node == Tree::kRoot) {  // the root is played only if it is the whole tree
    const Arm root = tree_.arm(node);
    const bool is_root = std::equal(root.begin(), root.end(), arm.begin(), arm.end());
    if (!is_root || !tree_[node].is_leaf()) return;
  }
  learn_here(first_ + node, mapped);
  learn_observed();
}

void HooTree::learn_observed() {
  while (!credits_.empty()) {
    const NodeIndex node = credits_.back();
    credits_.pop_back();
    learn_here(node, *observations_.find(arm_of(node)));
  }
}

void HooTree::update_path(NodeIndex node, const Rewards& mapped) {
  const auto add = [pulls = static_cast<double>(mapped.count), sum = mapped.sum, this](Node& to) {
    to.pulls += pulls;
    to.sum += sum;
    to.upper = own_upper_bound(to);
  };
  if (path_.back() != node - first_) retrace_path(node - first_);  // a late reward
  kept_ = path_.size();
  Node& end = tree_[path_.back()];
  add(end);
  double bound = end.bound = backed_up_bound(tree_, end);
  for (std::size_t i = path_.size() - 1; i-- > 0;) {
    // The B rule, with the bound of one child in a register.
    Node& above = tree_[path_[i]];
    const double rival = largest_rival(tree_, above, path_[i + 1]);
    if (!(bound > rival)) kept_ = i + 1;  // ties are broken at random
    add(above);
    bound = above.bound = std::min(above.upper, std::max(bound, rival));
  }
}

void HooTree::retrace_path(NodeIndex at) {
  path_.assign(1, at);
  while (path_.back() != Tree::kRoot) path_.push_back(tree_[path_.back()].parent);
  std::reverse(path_.begin(), path_.end());
}

void HooTree::update_all() {
  for (NodeIndex i = tree_.size(); i-- > 0;) {  // children come after their parents
    Node& node = tree_[i];
    if (node.pulls != 0.0) node.upper = own_upper_bound(node);
    node.bound = backed_up_bound(tree_, node);
  }
  kept_ = 1;
}

void HooTree::expand(NodeIndex node) {
  const NodeIndex at = node - first_;
  if (!tree_[at].is_leaf() || !tree_[at].splittable || !tree_.expand(at)) return;
  grow_resolutions();
  if (observations_.empty()) return;
  for (NodeIndex child = tree_[at].children; child < tree_.size(); ++child) {
    const Arm arm = tree_.arm(child);
    const Arm above = tree_.arm(at);
    const bool known =
        at != Tree::kRoot && std::equal(arm.begin(), arm.end(), above.begin(), above.end());
    if (!known && observations_.find(arm) != nullptr) credits_.push_back(first_ + child);
  }
}

void HooTree::grow_resolutions() {
  while (resolutions_.size() <= tree_.depth()) {
    const auto depth = static_cast<std::uint32_t>(resolutions_.size());
    resolutions_.push_back(scale() * resolution(constants_.nu1, constants_.rho, depth));
  }
}

std::pair<const HooTree::Tree&, NodeIndex> HooTree::home_of(NodeIndex node) const {
  for (const Earlier& earlier : earlier_) {
    if (earlier.holds(node)) return {earlier.tree, earlier.first};
  }
  return {tree_, first_};
}

Arm HooTree::arm_of(NodeIndex node) const {
  const auto& [tree, first] = home_of(node);
  return tree.arm(node - first);
}

std::uint32_t HooTree::depth_of(NodeIndex node) const {
  const auto& [tree, first] = home_of(node);
  return tree[node - first].depth;
}

void HooTree::transfer(State& state) {
  TurnOptimizer::transfer(state);
  std::uint64_t trees = earlier_.size();
  state(trees, first_, tree_, twice_log_, path_, kept_, random_, observations_, credits_);
  if (state.restoring()) earlier_.clear();
  for (std::uint64_t i = 0; i < trees; ++i) {
    if (state.restoring()) earlier_.push_back({0, Tree(tree_.shared_partition())});
    state(earlier_[i].first, earlier_[i].tree);
  }
  if (!state.restoring()) return;
  const std::uint64_t end = std::uint64_t{first_} + tree_.size();
  State::require(end <= std::numeric_limits<NodeIndex>::max() / 2);  // leaves room for more nodes
  for (const Earlier& earlier : earlier_) {
    State::require(std::uint64_t{earlier.first} + earlier.tree.size() <= first_);
  }
  require_nodes([&](NodeIndex node) {
    const auto holds = [node](const Earlier& earlier) { return earlier.holds(node); };
    return knows(node) ? node < end : std::any_of(earlier_.begin(), earlier_.end(), holds);
  });
  State::require(State::are_sizes({twice_log_}) && tree_.is_path(path_));
  State::require(kept_ >= 1 && kept_ <= path_.size());
  // Observed rewards are learnt before any save.
  State::require(credits_.empty() && observations_.are_all([&](Arm arm) { return contains(arm); }));
  resolutions_.clear();
  grow_resolutions();
}

std::optional<TicketedOptimizer::Recommendation> HooTree::recommendation() const {
  if (pulls() == 0.0) return std::nullopt;
  NodeIndex at = Tree::kRoot;
  while (!tree_[at].is_leaf()) {
    const Node& node = tree_[at];
    NodeIndex most = node.children;
    for (std::uint32_t i = 1; i < Tree::child_count(node); ++i) {
      if (tree_[node.children + i].pulls > tree_[most].pulls) most = node.children + i;
    }
    if (tree_[most].pulls == 0.0) break;
    at = most;
  }
  return Recommendation{tree_.arm(at), tree_[at].mean(), tree_[at].pulls};
}

Summary HooTree::summary() const {
  Summary summary = TurnOptimizer::summary();
  summary.nodes = tree_.size();
  summary.depth = tree_.depth();
  return summary;
}

std::vector<NodeView> HooTree::nodes() const {
  return in_user_units(views_of(tree_));
}

std::optional<TreeView::Place> HooTree::place(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  return Place{open->node, depth_of(open->node)};
}

std::string HooTree::path(NodeIndex node) const {
  return knows(node) && node - first_ < tree_.size() ? tree_.path(node - first_) : std::string();
}

}  // namespace canopy
