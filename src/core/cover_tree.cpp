#include "canopy/cover_tree.hpp"

#include <utility>

namespace canopy {

CoverTree::CoverTree(std::shared_ptr<const Partition> partition)
    : partition_(std::move(partition)),
      arm_size_(partition_->dimension()),
      cell_size_(partition_->cell_size()),
      cells_(cell_size_) {
  partition_->root(mutable_cell(kRoot));
  place_arm(kRoot);
  nodes_.emplace_back();
}

std::span<double> CoverTree::mutable_cell(NodeIndex node) {
  return std::span(cells_).subspan(node * cell_size_, cell_size_);
}

std::span<const double> CoverTree::cell(NodeIndex node) const {
  return std::span(cells_).subspan(node * cell_size_, cell_size_);
}

void CoverTree::place_arm(NodeIndex node) {
  if (node == arm_blocks_.size() * kArmsPerBlock) {
    arm_blocks_.emplace_back(kArmsPerBlock * arm_size_);
  }
  std::vector<double>& block = arm_blocks_[node / kArmsPerBlock];
  partition_->arm(cell(node),
                  std::span(block).subspan(node % kArmsPerBlock * arm_size_, arm_size_));
}

bool CoverTree::expand(NodeIndex leaf) {
  // Whatever a partition may throw, it throws before a node is changed.
  const NodeIndex left = size();
  const std::uint32_t depth = nodes_[leaf].depth;
  cells_.resize((left + std::size_t{2}) * cell_size_);
  if (!partition_->split(cell(leaf), depth, mutable_cell(left), mutable_cell(left + 1))) {
    nodes_[leaf].splittable = false;
    return false;
  }
  place_arm(left);
  place_arm(left + 1);
  nodes_.resize(left + std::size_t{2}, Node{.parent = leaf, .depth = depth + 1});
  nodes_[leaf].children = left;
  depth_ = std::max(depth_, depth + 1);
  return true;
}

void CoverTree::transfer(State& state) {
  state.mark(std::to_string(arm_size_) + "-" + std::to_string(cell_size_));
  if (state.restoring()) *this = CoverTree(partition_);
  std::uint64_t nodes = size();
  state(nodes);
  for (std::uint64_t pair = 1; pair < nodes; pair += 2) {  // in the order in which they were made
    NodeIndex parent = state.restoring() ? 0 : nodes_[pair].parent;
    state(parent);
    if (!state.restoring()) continue;
    State::require(parent < size() && nodes_[parent].is_leaf() && expand(parent));
  }
  State::require(size() == nodes);
  for (Node& node : nodes_) state(node.bound, node.upper, node.sum, node.pulls, node.splittable);
}

std::string CoverTree::path(NodeIndex node) const {
  std::string path(nodes_[node].depth, '0');
  for (auto turn = path.rbegin(); turn != path.rend(); ++turn, node = nodes_[node].parent) {
    if (!is_left(node)) *turn = '1';
  }
  return path;
}

bool CoverTree::is_left_of(NodeIndex a, NodeIndex b) const {
  if (a == b) return false;
  while (nodes_[a].parent != nodes_[b].parent) {
    a = nodes_[a].parent;
    b = nodes_[b].parent;
  }
  return is_left(a);
}

}  // namespace canopy
