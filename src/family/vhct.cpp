#include "canopy/family/vhct.hpp"

#include "family/list.hpp"
#include "optimizers/bounded_tree.hpp"
#include "optimizers/checked.hpp"
#include "optimizers/preset.hpp"

#include <bit>
#include <utility>

namespace canopy {

VhctParameters vhct_parameters(const VhctOptions& options, std::size_t dimension) {
  throw_if_any(violations_of(options, "optimizer."));
  const auto [nu1, rho, scale] = preset_values(options, dimension, 0.05);
  return {.nu1 = nu1,
          .rho = rho,
          .confidence_scale = scale,
          .delta = options.delta,
          .bound = options.bound,
          .confidence = confidence_constants(Feedback::iid, nu1, rho, 0.0, Constants::main, scale)};
}

Vhct::Vhct(const Space& space, const VhctOptions& options, const Objective& objective)
    : Vhct(std::make_shared<BoxPartition>(space), options, objective) {}

Vhct::Vhct(std::shared_ptr<const Partition> partition, const VhctOptions& options,
           const Objective& objective)
    : TurnOptimizer(checked(options, objective), partition->dimension()),
      tree_(planted<Tree>(std::move(partition))),
      parameters_(vhct_parameters(options, tree_.partition().dimension())) {
  grow_resolutions();
}

// --- the algorithm ---------------------------------------------------------------------------

TurnOptimizer::Choice Vhct::choose() {
  if (t_ >= t_plus_ || scale_is_due()) refresh();
  return {.node = opt_traverse()};
}

void Vhct::refresh() {
  const bool phase_begins = t_ >= t_plus_;  // otherwise only the scale has changed
  if (phase_begins) ++refreshes_;
  if (update_scale(phase_begins)) resolutions_.clear();
  grow_resolutions();
  t_plus_ = phase_end(t_);
  const Confidence& confidence = parameters_.confidence;
  weight_ = confidence.c * confidence.c *
            log_confidence(confidence.c1, parameters_.delta, static_cast<double>(t_plus_));
  for (NodeIndex i = tree_.size(); i-- > 0;) {  // children come after their parents
    Node& node = tree_[i];
    if (node.pulls != 0.0) update_node(node);
    node.bound = backed_up_bound(tree_, node);
  }
}

NodeIndex Vhct::opt_traverse() const {
  NodeIndex at = Tree::kRoot;
  while (!tree_[at].is_leaf() && tree_[at].pulls >= tree_[at].threshold) {
    at = better_child(tree_, tree_[at]);
  }
  return at;
}

void Vhct::learn(NodeIndex node, const Rewards& mapped) {
  tree_[node].add(mapped);
  update_node(tree_[node]);
  update_bounds(node);
  expand_if_due(node);
}

/// U and tau of a node with pulls.
void Vhct::update_node(Node& node) const {
  const double range = scale() * parameters_.bound;
  const double variance = node.variance();
  const double width = variance_width(weight_, variance, range, node.pulls);
  node.upper = upper_bound(node.sum / node.pulls, cell_resolution(node, resolutions_), width);
  node.threshold = variance_threshold(weight_, variance, range, resolutions_[node.depth]);
}

/// Updates bounds from a node upwards, up to the first that does not change.
void Vhct::update_bounds(NodeIndex at) {
  for (;; at = tree_[at].parent) {
    const double bound = backed_up_bound(tree_, tree_[at]);
    if (bound == tree_[at].bound) return;
    tree_[at].bound = bound;
    if (at == Tree::kRoot) return;
  }
}

void Vhct::expand_if_due(NodeIndex at) {
  const Node& node = tree_[at];
  if (!node.is_leaf() || !node.splittable || node.pulls < node.threshold) return;
  if (!tree_.expand(at)) return;
  grow_resolutions();
  if (waiting_.empty()) return;
  const NodeIndex left = tree_[at].children;
  credit_observed(left);
  credit_observed(left + 1);
}

// --- other operations ------------------------------------------------------------------------

void Vhct::VarianceNode::add(const Rewards& mapped) {
  Moments all{pulls, pulls == 0.0 ? 0.0 : sum / pulls, squared_deviations};
  all.merge(mapped.moments());
  squared_deviations = all.squared_deviations;
  pulls = all.count;
  sum += mapped.sum;
}

void Vhct::VarianceNode::transfer(State& state) {
  BoundedNode::transfer(state);
  state(squared_deviations, threshold);
  state.require_restored(State::are_sizes({squared_deviations, threshold}));
}

/// Rewards of an arm that was not asked for go to the first node that has the arm, or are kept
/// until there is one. The root is never pulled, so it gets none.
void Vhct::accept_observed(Arm arm, const Rewards& mapped) {
  if (refreshes_ == 0) refresh();  // bounds require a phase
  waiting_.add(arm, mapped);
  if (const NodeIndex node = tree_.find(arm); node != Tree::kRoot) credit_observed(node);
}

void Vhct::credit_observed(NodeIndex node) {
  if (const auto rewards = waiting_.take(tree_.arm(node))) learn(node, *rewards);
}

void Vhct::grow_resolutions() {
  for (auto h = static_cast<std::uint32_t>(resolutions_.size()); h <= tree_.depth(); ++h) {
    resolutions_.push_back(scale() * resolution(parameters_.nu1, parameters_.rho, h));
  }
}

Summary Vhct::summary() const {
  Summary summary = TurnOptimizer::summary();
  summary.nodes = tree_.size();
  summary.depth = tree_.depth();
  summary.refreshes = refreshes_;
  return summary;
}

void Vhct::transfer(State& state) {
  state.mark("vhct");
  TurnOptimizer::transfer(state);
  state(tree_, t_plus_, refreshes_, weight_, waiting_);
  if (!state.restoring()) return;
  require_nodes_below(tree_.size());
  State::require(!tree_[Tree::kRoot].is_leaf() && tree_[Tree::kRoot].threshold == 0.0);
  State::require(std::has_single_bit(t_plus_) && State::are_sizes({weight_}));
  State::require(waiting_.are_all([&](Arm arm) { return contains(arm); }));
  resolutions_.clear();
  grow_resolutions();
}

std::unique_ptr<Optimizer> Vhct::clone() const {
  return std::make_unique<Vhct>(*this);
}

std::vector<NodeView> Vhct::nodes() const {
  return in_user_units(views_of(tree_));
}

std::optional<TreeView::Place> Vhct::place(Ticket ticket) const {
  const Tickets::Open* open = tickets_.find(ticket);
  if (open == nullptr) return std::nullopt;
  return Place{open->node, tree_[open->node].depth};
}

std::string Vhct::path(NodeIndex node) const {
  return node < tree_.size() ? tree_.path(node) : std::string();
}

namespace {

OptionValues resolve_vhct(const OptionValues& values, std::size_t dimension) {
  const auto options = options_from<VhctOptions>(values, "optimizer.");
  const VhctParameters p = vhct_parameters(options, dimension);
  return with_preset(options, {p.nu1, p.rho, p.confidence_scale});
}

}  // namespace

OptimizerEntry vhct_entry() {
  OptimizerEntry entry = optimizer_entry<Vhct, VhctOptions>(
      "vhct", "HCT that learns how noisy each arm is: anytime, independent rewards");
  entry.resolve = resolve_vhct;
  return entry;
}

}  // namespace canopy
