#include "canopy/detail/adaptive_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace canopy {
namespace {

constexpr double kEarly = 8.0;          // first rewards of a node used to estimate the common noise
constexpr double kOwn = 8.0;            // weight of the common noise in that of a node, in rewards
constexpr double kMostRelearnt = 64.0;  // cap on early rewards when the noise is relearnt
constexpr double kLeastAlpha = 0.25;    // bounds of the smoothness
constexpr double kFirstAlpha = 0.4;     // prior mean of the smoothness
constexpr double kLargestAlpha = 2.2;   // bounds of the smoothness
constexpr double kAlphaWeight = 5.0;    // weight of that prior
constexpr double kLeastRange = 1e-100;  // least range of different rewards: its square is not 0
constexpr double kLargestStep = 0.15;   // change of the slope in a pass
constexpr double kLeastNoise = 1e-10;   // as a fraction of the squared range

/// 4^(-alpha/d) per level.
double slope_of(double alpha, double dimension) {
  return -alpha * 2.0 * std::numbers::ln2 / dimension;
}

}  // namespace

double Autocorrelation::phi() const {
  if (pairs_ < 64.0 || !(squares_ > 0.0)) return 0.0;
  const double phi = products_ / squares_;
  return phi - 3.0 / std::sqrt(pairs_) > 0.1 ? std::min(phi, 0.98) : 0.0;
}

AdaptiveModel::AdaptiveModel(std::shared_ptr<const Partition> partition, Values values)
    : tree_(std::move(partition)), values_(values) {
  const auto dimension = static_cast<double>(tree_.partition().dimension());
  deepest_ = static_cast<std::uint32_t>(45.0 * dimension);
  first_slope_ = slope_ = slope_of(kFirstAlpha, dimension);
}

double AdaptiveModel::smoothness() const {
  return slope_ / slope_of(1.0, static_cast<double>(tree_.partition().dimension()));
}

std::vector<double> AdaptiveModel::shares() const {
  const Partition& set = tree_.partition();
  const std::size_t axes = set.dimension();
  if (!set.reach(tree_.cell(Tree::kRoot), 0)) return {};
  const auto side = [&](NodeIndex node, std::size_t axis) {
    return set.reach(tree_.cell(node), axis)->half_side;
  };
  struct Part {
    double size = 1.0;
    double mean = 0.0;
  };
  std::vector<Part> parts(tree_.size());
  for (NodeIndex i = 1; i < tree_.size(); ++i) parts[i].size = 0.5 * parts[tree_[i].parent].size;
  std::vector<double> shares(axes);
  double all = 0.0;
  for (NodeIndex i = tree_.size(); i-- > 0;) {
    parts[i].mean = tree_[i].level;
    if (tree_[i].is_leaf()) continue;
    const NodeIndex left = tree_[i].children;
    const double apart = parts[left].mean - parts[left + 1].mean;
    parts[i].mean = parts[left].mean - 0.5 * apart;
    const double variance = 0.25 * parts[i].size * apart * apart;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (!(side(left, axis) < side(i, axis))) continue;
      shares[axis] += variance;
      all += variance;
      break;
    }
  }
  if (!(all > 0.0)) return {};
  for (double& share : shares) share /= all;
  return shares;
}

// --- rewards ---------------------------------------------------------------------------------

void AdaptiveModel::see(double low, double high) {
  const auto is_flat = [this] { return !(largest_ - smallest_ > kLeastRange); };
  const bool was_flat = is_flat();
  smallest_ = std::min(smallest_, low);
  largest_ = std::max(largest_, high);
  if (is_flat()) return;
  range_ = largest_ - smallest_;
  if (!was_flat) return;
  // Until now, the range was unknown, and estimates assumed a range of 1.
  const double factor = range_ * range_;
  spread_ *= range_;
  noise_ *= factor;
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    Node& node = tree_[i];
    node.squares *= factor;  // due to penalties only, since rewards were equal
    node.edge *= factor;
    node.below *= factor;
    node.variance *= factor;
    node.rest /= factor;
  }
  expected_.clear();
  fill_tables();
}

void AdaptiveModel::add(NodeIndex index, const Rewards& rewards) {
  add(index, rewards.moments(), rewards.min, rewards.max);
}

void AdaptiveModel::add(NodeIndex index, const Moments& rewards, double low, double high) {
  see(low, high);
  Node& node = tree_[index];
  Moments all{node.pulls, node.mean, node.squares};
  const double added = all.merge(rewards);
  if (node.pulls < kEarly && node.penalties == 0.0) {
    // Only rewards from elsewhere come in batches; count them as if they had come one by one.
    const double early = std::min(rewards.count, kEarly - node.pulls);
    early_squares_ += added * (early / rewards.count);
    early_freedom_ += node.pulls == 0.0 ? std::max(0.0, early - 1.0) : early;
  }
  node.squares = all.squared_deviations;
  node.mean = all.mean;
  node.pulls = all.count;
}

void AdaptiveModel::penalize(NodeIndex index, double reward, double count) {
  Node& node = tree_[index];
  const double freedom = node.pulls == 0.0 ? count - 1.0 : count;
  node.squares += freedom * own_noise(node);
  const double all = node.pulls + count;
  node.mean = node.pulls == 0.0 ? reward : node.mean + (reward - node.mean) * (count / all);
  node.pulls = all;
  node.penalties += count;
}

NodeIndex AdaptiveModel::owner(NodeIndex index) const {
  const Arm arm = tree_.arm(index);
  while (!tree_[index].is_leaf()) {
    const NodeIndex left = tree_[index].children;
    if (tree_.has_arm(left, arm)) {
      index = left;
    } else if (tree_.has_arm(left + 1, arm)) {
      index = left + 1;
    } else {
      break;
    }
  }
  return index;
}

/// The child of a cell that has or holds an arm, if the partition can tell; none for a leaf.
std::optional<NodeIndex> AdaptiveModel::part_with(NodeIndex cell, Arm arm) const {
  if (tree_[cell].is_leaf()) return std::nullopt;
  const NodeIndex left = tree_[cell].children;
  for (const NodeIndex child : {left, left + 1}) {
    if (tree_.has_arm(child, arm) || tree_.partition().holds(tree_.cell(child), arm)) return child;
  }
  return std::nullopt;
}

/// The deepest cell that holds an arm; `owner` becomes the deepest node with that arm, since
/// rewards move down when cells are cut.
NodeIndex AdaptiveModel::deepest_with(Arm arm, std::optional<NodeIndex>& owner) const {
  NodeIndex cell = Tree::kRoot;
  for (std::optional<NodeIndex> next = cell; next; next = part_with(cell, arm)) {
    cell = *next;
    if (tree_.has_arm(cell, arm)) owner = cell;
  }
  if (!owner && !tree_[cell].is_leaf()) {  // the partition cannot tell which cell holds the arm
    if (const NodeIndex found = tree_.find(arm); found != Tree::kRoot) owner = found;
  }
  return cell;
}

std::optional<NodeIndex> AdaptiveModel::find(Arm arm) const {
  std::optional<NodeIndex> owner;
  (void)deepest_with(arm, owner);
  return owner;
}

void AdaptiveModel::observe(Arm arm, const Rewards& rewards) {
  see(rewards.min, rewards.max);
  std::optional<NodeIndex> owner;
  const NodeIndex cell = deepest_with(arm, owner);
  if (owner) {
    add(*owner, rewards);
    return;
  }
  Observation& observation = observations_[{arm.begin(), arm.end()}];
  if (observation.rewards.count == 0) {
    observation = {rewards, cell, 0.0};
  } else {
    observation.rewards += rewards;
  }
}

/// After a cell was cut, moves its observations to its parts; if a part has the arm of an
/// observation, its node learns the rewards. Returns false if there were none.
bool AdaptiveModel::hand_down(NodeIndex cell) {
  bool is_something = false;
  for (auto next = observations_.begin(); next != observations_.end();) {
    const auto at = next++;
    auto& [arm, observation] = *at;
    if (observation.cell != cell) continue;
    is_something = true;
    const std::optional<NodeIndex> part = part_with(cell, arm);
    if (!part) continue;
    observation.cell = *part;
    if (!tree_.has_arm(*part, arm)) continue;
    add(*part, observation.rewards);
    observations_.erase(at);
  }
  return is_something;
}

AdaptiveModel::Posterior AdaptiveModel::at(NodeIndex index) const {
  const Node& node = tree_[index];
  return {node.level, node.variance, node.noise, node.pulls, node.mean};
}

AdaptiveModel::Posterior AdaptiveModel::at(Arm arm) const {
  std::optional<NodeIndex> owner;
  const NodeIndex cell = deepest_with(arm, owner);
  if (owner) return at(*owner);
  const Node& node = tree_[cell];
  const auto found = observations_.find({arm.begin(), arm.end()});
  if (found == observations_.end()) {
    return {.level = node.level, .variance = node.variance + node.below, .noise = node.noise};
  }
  const Rewards& own = found->second.rewards;
  const auto count = static_cast<double>(own.count);
  const double variance = node.noise / count + found->second.out_of_date;
  return {own.mean(), variance, node.noise, count, own.mean()};
}

/// Updates the information of observations about f at the arm of their cell.
void AdaptiveModel::weigh_observations() {
  if (observations_.empty()) return;
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    tree_[i].observed = tree_[i].observed_weighted = 0.0;
  }
  for (const auto& [arm, observation] : observations_) {
    Node& node = tree_[observation.cell];
    const auto count = static_cast<double>(observation.rewards.count);
    const double noise = noise_at(node) / count + observation.out_of_date;
    const double precision = 1.0 / (node.below + noise);
    node.observed += precision;
    node.observed_weighted += precision * observation.rewards.mean();
  }
}

/// The variance of rewards of a node, shrunk to the common noise with the weight of eight rewards.
double AdaptiveModel::own_noise(const Node& node) const {
  return (node.squares + kOwn * noise_) / (std::max(0.0, node.pulls - 1.0) + kOwn);
}

double AdaptiveModel::noise_of_one(const Node& node) const {
  return std::max(own_noise(node), kLeastNoise * range_ * range_);
}

double AdaptiveModel::noise_at(const Node& node) const {
  const double variance = noise_of_one(node);
  if (phi_ == 0.0) return variance;
  return variance * std::min((1.0 + phi_) / (1.0 - phi_), std::max(1.0, node.pulls));
}

// --- changes of f and of the level -------------------------------------------------------------

double AdaptiveModel::weight_after(NodeIndex index, double variance) const {
  const Node& node = tree_[index];
  return 1.0 / (1.0 + node.pulls * variance / noise_of_one(node));
}

void AdaptiveModel::age(NodeIndex index, double weight) {
  Node& node = tree_[index];
  for (double* number : {&node.pulls, &node.squares, &node.explorer_pulls, &node.penalties,
                         &node.skipped, &node.explorer_skipped}) {
    *number *= weight;
  }
}

void AdaptiveModel::blur_observations(double variance) {
  for (auto& [arm, observation] : observations_) observation.out_of_date += variance;
}

void AdaptiveModel::relearn_noise(double variance) {
  early_freedom_ = std::min(early_freedom_, kMostRelearnt);
  early_squares_ = std::min(early_squares_, variance * early_freedom_);
  double low = kInfinity;
  double high = -kInfinity;
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    Node& node = tree_[i];
    node.squares = std::min(node.squares, variance * std::max(0.0, node.pulls - 1.0));
    if (node.pulls == 0.0) continue;
    low = std::min(low, node.mean);
    high = std::max(high, node.mean);
  }
  if (!(high - low > kLeastRange)) return;
  smallest_ = low;
  largest_ = high;
  range_ = high - low;
}

void AdaptiveModel::relearn(const std::map<std::vector<double>, Rewards>& rewards) {
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    Node& node = tree_[i];
    node.observed = node.observed_weighted = 0.0;
    if (node.penalties == 0.0) node.pulls = node.mean = node.squares = 0.0;
  }
  observations_.clear();
  early_squares_ = early_freedom_ = 0.0;
  for (const auto& [arm, told] : rewards) {
    std::optional<NodeIndex> owner;
    const NodeIndex cell = deepest_with(arm, owner);
    if (!owner) {
      observations_[arm] = {told, cell, 0.0};
      continue;
    }
    Node& node = tree_[*owner];
    if (node.penalties != 0.0) continue;
    const auto [count, mean, squares] = told.moments();
    node.pulls = count;
    node.mean = mean;
    node.squares = squares;
    early_squares_ += squares * std::min(1.0, count > 1.0 ? (kEarly - 1.0) / (count - 1.0) : 1.0);
    early_freedom_ += std::min(count, kEarly) - 1.0;
  }
}

// --- the tree --------------------------------------------------------------------------------

/// D2 of a node.
double AdaptiveModel::edge_below(std::uint32_t depth, double edge) const {
  const double variance = depth == 0 ? expected_[1] : shrinkage_ * 0.5 * (expected_[depth] + edge);
  return std::max(variance, 1e-14 * spread_ * spread_);
}

bool AdaptiveModel::can_cut(NodeIndex leaf) const {
  const Node& node = tree_[leaf];
  return node.splittable && node.extent != Extent::one_arm && node.depth < deepest_;
}

AdaptiveModel::Cut AdaptiveModel::cut(NodeIndex leaf) {
  if (!can_cut(leaf) || !tree_.expand(leaf)) return Cut::refused;
  fill_tables();
  Node& parent = tree_[leaf];
  Cut cut = Cut::done;
  for (const NodeIndex index : {parent.children, parent.children + 1}) {
    Node& child = tree_[index];
    child.edge = parent.below;
    child.below = edge_below(child.depth, child.edge);
    child.level = child.rest_mean = parent.level;
    child.variance = parent.variance + parent.below;
    child.rest =
        child.variance > 0.0 ? 1.0 / child.variance : 0.0;  // infinite variance before `begin`
    child.noise = noise_at(child);
    if (!tree_.has_arm(index, tree_.arm(leaf))) continue;
    child.pulls = std::exchange(parent.pulls, 0.0);
    child.mean = std::exchange(parent.mean, 0.0);
    child.squares = std::exchange(parent.squares, 0.0);
    child.explorer_pulls = std::exchange(parent.explorer_pulls, 0.0);
    child.penalties = std::exchange(parent.penalties, 0.0);
    child.skipped = std::exchange(parent.skipped, 0.0);
    child.explorer_skipped = std::exchange(parent.explorer_skipped, 0.0);
    if (child.pulls != 0.0) cut = Cut::moved;
  }
  return hand_down(leaf) ? Cut::moved : cut;
}

// --- learning parameters ---------------------------------------------------------------------

void AdaptiveModel::begin() {
  learn_noise();
  double low = kInfinity;
  double high = -kInfinity;
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    if (!tree_[i].is_leaf() || tree_[i].pulls == 0.0) continue;
    low = std::min(low, tree_[i].mean);
    high = std::max(high, tree_[i].mean);
  }
  spread_ = std::max(noise_deviation_, high - low);
  expected_.clear();
  fill_tables();
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    Node& node = tree_[i];
    node.edge = expected_[node.depth];
    node.below = edge_below(node.depth, node.edge);
  }
  for (int i = 0; i < 3; ++i) pass();
}

void AdaptiveModel::pass() {
  learn_noise();
  weigh_observations();
  go_up();
  if (tree_[Tree::kRoot].data == 0.0) return;  // no rewards yet
  learn_smoothness(go_down());
  learn_spread();
  expected_.clear();
  fill_tables();
}

void AdaptiveModel::learn_noise() {
  noise_ = (early_squares_ + range_ * range_ / 8.0) / (early_freedom_ + 2.0);
  phi_ = autocorrelation.phi();
  if (phi_ != 0.0) noise_ = std::max(noise_, autocorrelation.variance());
  if (values_ == Values::metric && early_freedom_ >= kEarly && early_squares_ == 0.0) {
    noise_ = kLeastNoise * range_ * range_;
  }
  noise_deviation_ = std::sqrt(noise_);
}

/// Upward pass: the evidence of every subtree; children come after their parents.
void AdaptiveModel::go_up() {
  for (NodeIndex i = tree_.size(); i-- > 0;) {
    Node& node = tree_[i];
    node.noise = noise_at(node);
    const double own = node.pulls / node.noise;
    double precision = own + node.observed;
    double weighted = own * node.mean + node.observed_weighted;
    if (!node.is_leaf()) {
      for (const NodeIndex index : {node.children, node.children + 1}) {
        const Node& child = tree_[index];
        precision += child.message;
        weighted += child.message * child.data_mean;
      }
    }
    node.data = precision;
    node.data_mean = precision == 0.0 ? 0.0 : weighted / precision;
    node.message = precision / (1.0 + precision * node.edge);
  }
}

/// Downward pass: the posterior of every node and of its edge. Returns the step of the slope, from
/// all edges.
double AdaptiveModel::go_down() {
  Node& root = tree_[Tree::kRoot];
  root.level = root.data_mean;
  root.variance = 1.0 / root.data;
  root.below = edge_below(0, 0.0);
  double score = kAlphaWeight * (first_slope_ - slope_);
  double information = kAlphaWeight;
  for (NodeIndex i = 1; i < tree_.size(); ++i) {
    Node& node = tree_[i];
    const Node& parent = tree_[node.parent];
    const double all = parent.rest + parent.data;
    const double rest = std::max(all - node.message, 1e-9 * all);
    const double rest_variance = 1.0 / rest;
    node.rest_mean = (all * parent.level - node.message * node.data_mean) * rest_variance;
    node.rest = rest / (1.0 + rest * node.edge);
    node.variance = 1.0 / (node.rest + node.data);
    node.level = (node.rest * node.rest_mean + node.data * node.data_mean) * node.variance;

    const double expected = parent.below;
    node.edge = expected;
    if (node.data != 0.0) {
      const double uncertainty = rest_variance + 1.0 / node.data;
      const double jump = node.data_mean - node.rest_mean;
      const double squared = jump * jump;
      // A single reward is no evidence of a jump: for example a 0 among many rewards of 1.
      const double trust = std::clamp(node.data * noise_ - 1.0, 0.0, 1.0);
      const double jumped = std::max(0.0, squared - 2.0 * uncertainty - expected);
      node.edge = expected + trust * jumped * (1.0 / 17.0);
      const double certainty = 1.0 / (expected + uncertainty);
      const double share = static_cast<double>(node.depth) * expected * certainty;
      score += 0.5 * share * std::min(squared * certainty - 1.0, 4.0);
      information += 0.5 * share * share;
    }
    node.below = edge_below(node.depth, node.edge);
  }
  return score / information;
}

void AdaptiveModel::learn_smoothness(double step) {
  slope_ += std::clamp(step, -kLargestStep, kLargestStep);
  const auto dimension = static_cast<double>(tree_.partition().dimension());
  slope_ = std::clamp(slope_, slope_of(kLargestAlpha, dimension), slope_of(kLeastAlpha, dimension));
}

void AdaptiveModel::learn_spread() {
  double low = kInfinity;
  double high = -kInfinity;
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    const Node& node = tree_[i];
    if (!node.is_leaf()) continue;
    low = std::min(low, node.level);
    high = std::max(high, node.level);
  }
  leaf_range_ = high - low;
  spread_ = std::max(noise_deviation_, leaf_range_);
}

/// Extends the tables by depth to one more than the depth of the tree.
void AdaptiveModel::fill_tables() {
  if (expected_.empty()) shrinkage_ = std::exp(slope_);
  const double squared = spread_ * spread_;
  while (expected_.size() < tree_.depth() + 2) {
    const double shrunk = 0.16 * squared * std::exp(slope_ * static_cast<double>(expected_.size()));
    expected_.push_back(std::max(shrunk, 1e-14 * squared));
  }
}

void AdaptiveModel::update(NodeIndex leaf) {
  Node& node = tree_[leaf];
  node.noise = noise_at(node);
  const double own = node.pulls / node.noise;
  const double precision = node.rest + node.observed + own;
  if (precision == 0.0) return;
  node.variance = 1.0 / precision;
  node.level =
      (node.rest * node.rest_mean + node.observed_weighted + own * node.mean) * node.variance;
}

void AdaptiveModel::transfer(State& state) {
  state(tree_, smallest_, largest_, early_squares_, early_freedom_, slope_, spread_, noise_,
        noise_deviation_, range_, phi_, leaf_range_, autocorrelation);
  state(observations_);
  if (!state.restoring()) return;
  for (const auto& [arm, observation] : observations_) {
    State::require(observation.cell < tree_.size() && observation.rewards.count != 0 &&
                   tree_.partition().contains(arm));
  }
  State::require(State::are_ends(smallest_, largest_) && State::are_finite({slope_}) &&
                 State::are_sizes({early_squares_, early_freedom_, spread_, noise_,
                                   noise_deviation_, range_, phi_, leaf_range_}) &&
                 phi_ < 1.0);
  expected_.clear();
  fill_tables();
}

}  // namespace canopy
