#pragma once

#include "canopy/confidence.hpp"
#include "canopy/hct.hpp"
#include "canopy/partition.hpp"

#include "support/textbook_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace canopy::testing {

/// HCT as in the paper: every step walks down the whole path to select and up again to update,
/// without caching. It is the reference for canopy::Hct in the tests, and is compared with it in
/// the benchmark. The two share only the formulas.
class TextbookHct {
 public:
  struct Node {
    double sum = 0.0;
    double pulls = 0.0;
    double upper = std::numeric_limits<double>::infinity();
    double bound = std::numeric_limits<double>::infinity();
    std::size_t parent = 0;
    std::size_t left = 0;  // 0: a leaf; the right child follows
    std::uint32_t depth = 0;
    bool splittable = true;
    Extent extent = Extent::shrinks;
    std::uint64_t episodes = 0;  // number of selections
  };

  /// By default, rewards are approximately in [0, 1].
  TextbookHct(std::shared_ptr<const Partition> partition, const HctOptions& options,
              const Objective& objective = {.reward_range = {{0.0, 1.0}}})
      : partition_(std::move(partition)),
        parameters_(resolve(options, partition_->dimension())),
        scale_(objective) {
    make_node(0, 0);
    partition_->root(cell(0));
    nodes_[0].extent = partition_->extent(cell(0));
    split(0);
  }

  /// Refreshes when a phase ends, then OptTraverse. Returns the selected node.
  std::size_t select() {
    if (t_ >= t_plus_ || scale_.is_due()) refresh();
    std::size_t at = 0;
    while (nodes_[at].left != 0 && (at == 0 || nodes_[at].pulls >= thresholds_[nodes_[at].depth])) {
      const std::size_t left = nodes_[at].left;
      at = nodes_[left].bound >= nodes_[left + 1].bound ? left : left + 1;
    }
    ++nodes_[at].episodes;
    return at;
  }

  /// The number of pulls of a node selected now.
  [[nodiscard]] std::uint64_t episode_length(std::size_t node) const {
    if (parameters_.feedback == Feedback::iid) return 1;
    const auto doubling = static_cast<std::uint64_t>(std::max(1.0, nodes_[node].pulls));
    return std::min(doubling, t_plus_ - t_);
  }

  void advance(std::uint64_t answers) { t_ += answers; }

  /// The update and the expansion at the end of an episode. Rewards are mapped.
  void learn(std::size_t at, double pulls, double sum) {
    nodes_[at].pulls += pulls;
    nodes_[at].sum += sum;
    nodes_[at].upper = upper(nodes_[at]);
    for (std::size_t up = at;; up = nodes_[up].parent) {
      nodes_[up].bound = backed_up(nodes_[up]);
      if (up == 0) break;
    }
    const Node& node = nodes_[at];
    if (node.left != 0 || !node.splittable || node.pulls < thresholds_[node.depth]) return;
    split(at);
    const std::size_t left = nodes_[at].left;
    if (left == 0 || waiting_.empty()) return;
    credit(left);
    credit(left + 1);
  }

  /// Observed rewards of an arm: learnt by the first node with that arm, once it exists. The root,
  /// which is never pulled, learns none.
  void observe(const std::vector<double>& arm, double pulls, double sum) {
    if (refreshes_ == 0) refresh();
    Observed& all = waiting_[arm];
    all.pulls += pulls;
    all.sum += sum;
    for (std::size_t node = 1; node < nodes_.size(); ++node) {
      if (this->arm(node) != arm) continue;
      credit(node);
      return;
    }
  }

  /// The scale of the rewards. The caller must show it all rewards if their range is not declared.
  [[nodiscard]] TextbookScale& scale() { return scale_; }
  [[nodiscard]] const TextbookScale& scale() const { return scale_; }

  [[nodiscard]] std::uint64_t t() const { return t_; }
  [[nodiscard]] std::uint64_t t_plus() const { return t_plus_; }
  [[nodiscard]] double log_confidence() const { return log_confidence_; }
  [[nodiscard]] std::uint64_t refreshes() const { return refreshes_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const HctParameters& parameters() const { return parameters_; }

  [[nodiscard]] std::vector<double> arm(std::size_t node) const {
    std::vector<double> arm(partition_->dimension());
    const std::size_t width = partition_->cell_size();
    partition_->arm(std::span(cells_).subspan(node * width, width), arm);
    return arm;
  }

  [[nodiscard]] std::string path(std::size_t node) const {
    std::string path;
    for (; node != 0; node = nodes_[node].parent) {
      path.insert(path.begin(), node == nodes_[nodes_[node].parent].left ? '0' : '1');
    }
    return path;
  }

 private:
  [[nodiscard]] std::span<double> cell(std::size_t node) {
    const std::size_t width = partition_->cell_size();
    return std::span(cells_).subspan(node * width, width);
  }

  void make_node(std::size_t parent, std::uint32_t depth) {
    Node node;
    node.parent = parent;
    node.depth = depth;
    nodes_.push_back(node);
    cells_.resize(nodes_.size() * partition_->cell_size());
  }

  struct Observed {
    double pulls = 0.0;
    double sum = 0.0;
  };

  void credit(std::size_t node) {
    const auto found = waiting_.extract(arm(node));
    if (found) learn(node, found.mapped().pulls, found.mapped().sum);
  }

  void split(std::size_t at) {
    std::vector<double> parts(2 * partition_->cell_size());
    if (!partition_->split(cell(at), nodes_[at].depth, parts)) {
      nodes_[at].splittable = false;
      return;
    }
    const std::size_t first = nodes_.size();
    nodes_[at].left = first;
    make_node(at, nodes_[at].depth + 1);
    make_node(at, nodes_[at].depth + 1);
    std::copy(parts.begin(), parts.end(), cell(first).begin());  // the cells of both children
    for (std::size_t child = first; child < nodes_.size(); ++child) {
      nodes_[child].extent = partition_->extent(cell(child));
    }
    if (nodes_[first].depth > depth_) {
      depth_ = nodes_[first].depth;
      tabulate();
    }
  }

  /// R nu1 rho^h and tau_h by depth, cached because powers at every node would be too slow.
  void tabulate() {
    resolutions_.clear();
    thresholds_.clear();
    for (std::uint32_t h = 0; h <= depth_; ++h) {
      resolutions_.push_back(scale_.scale() * resolution(parameters_.nu1, parameters_.rho, h));
      thresholds_.push_back(expansion_threshold(parameters_.confidence.c, log_confidence_,
                                                parameters_.nu1, parameters_.rho, h));
    }
  }

  /// Called when a phase begins, or at the first reward that differs.
  void refresh() {
    const bool phase_begins = t_ >= t_plus_;
    scale_.update(phase_begins);
    scaled_c_ = scale_.scale() * parameters_.confidence.c;
    t_plus_ = 1;
    while (t_plus_ <= t_) t_plus_ *= 2;
    log_confidence_ = canopy::log_confidence(parameters_.confidence.c1, parameters_.delta,
                                             static_cast<double>(t_plus_));
    tabulate();
    for (Node& node : nodes_) node.upper = upper(node);
    for (std::size_t i = nodes_.size(); i-- > 0;) nodes_[i].bound = backed_up(nodes_[i]);
    if (phase_begins) ++refreshes_;
  }

  [[nodiscard]] double upper(const Node& node) const {
    if (node.pulls == 0.0) return std::numeric_limits<double>::infinity();
    return upper_bound(node.sum / node.pulls, resolution_of(node),
                       confidence_width(scaled_c_, log_confidence_, node.pulls));
  }

  [[nodiscard]] double resolution_of(const Node& node) const {
    switch (node.extent) {
      case Extent::one_arm:
        return 0.0;
      case Extent::unordered:
        return resolutions_[0];
      case Extent::shrinks:
        break;
    }
    return resolutions_[node.depth];
  }

  [[nodiscard]] double backed_up(const Node& node) const {
    if (node.left == 0) return node.upper;
    return std::min(node.upper, std::max(nodes_[node.left].bound, nodes_[node.left + 1].bound));
  }

  std::shared_ptr<const Partition> partition_;
  HctParameters parameters_;
  TextbookScale scale_;
  std::vector<Node> nodes_;
  std::vector<double> cells_;
  std::uint64_t t_ = 1;
  std::uint64_t t_plus_ = 1;
  std::uint64_t refreshes_ = 0;
  double log_confidence_ = 0.0;
  double scaled_c_ = 0.0;
  std::uint32_t depth_ = 0;
  std::vector<double> resolutions_;
  std::vector<double> thresholds_;
  std::map<std::vector<double>, Observed> waiting_;  // observed rewards without a node
};

}  // namespace canopy::testing
