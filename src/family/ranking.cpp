#include "canopy/family/detail/ranking.hpp"

namespace canopy {
namespace {

/// Pseudo-random bits of a member (the finalizer of splitmix64), which keep the treap balanced for
/// any order of insertion.
std::uint64_t priority(Ranking::Member member) {
  std::uint64_t bits = (member + std::uint64_t{1}) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

Ranking::Member Ranking::add(double value, std::uint64_t total) {
  const Member member = size();
  nodes_.push_back({.value = value});
  put_in(root_, member);
  nodes_[member].credit += total - this->total(member);
  return member;
}

void Ranking::set(Member member, double value) {
  if (nodes_[member].value == value) return;
  const std::uint64_t before = total(member);
  take_out(root_, member);
  nodes_[member] = {.value = value};
  put_in(root_, member);
  nodes_[member].credit += before - total(member);
}

Ranking::Found Ranking::find(Member member) const {
  Found found;
  for (Member at = root_;;) {
    const Node& node = nodes_[at];
    found.credit += node.owed;
    if (at == member) {
      found.rank += size_of(node.left) + 1;
      found.credit += node.credit;
      return found;
    }
    if (before(member, at)) {
      at = node.left;
    } else {
      found.rank += size_of(node.left) + 1;
      at = node.right;
    }
  }
}

Ranking::Member Ranking::at(std::uint32_t rank) const {
  Member at = root_;
  for (;;) {
    const Node& node = nodes_[at];
    const std::uint32_t ahead = size_of(node.left);
    if (rank == ahead + 1) return at;
    if (rank <= ahead) {
      at = node.left;
    } else {
      rank -= ahead + 1;
      at = node.right;
    }
  }
}

std::uint64_t Ranking::total(Member member) const {
  const Found found = find(member);
  return found.credit + found.rank * counts_;
}

std::vector<std::uint64_t> Ranking::totals() const {
  std::vector<std::uint64_t> totals(size());
  struct Part {
    Member root;
    std::uint32_t ahead;   // members before all of this subtree
    std::uint64_t credit;  // owed by the ancestors
  };
  std::vector<Part> open;
  if (root_ != kNone) open.push_back({root_, 0, 0});
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    const Node& node = nodes_[part.root];
    const std::uint64_t credit = part.credit + node.owed;
    const std::uint32_t rank = part.ahead + size_of(node.left) + 1;
    totals[part.root] = node.credit + credit + rank * counts_;
    if (node.left != kNone) open.push_back({node.left, part.ahead, credit});
    if (node.right != kNone) open.push_back({node.right, rank, credit});
  }
  return totals;
}

// --- the treap -------------------------------------------------------------------------------

void Ranking::pay(Member root) {
  Node& node = nodes_[root];
  if (node.owed == 0) return;
  node.credit += node.owed;
  owe(node.left, node.owed);
  owe(node.right, node.owed);
  node.owed = 0;
}

/// Members behind it move up by one rank, and keep their totals.
void Ranking::take_out(Member& root, Member member) {
  pay(root);
  const Member at = root;
  Node& node = nodes_[at];
  if (at == member) {
    owe(node.right, counts_);
    root = merge(node.left, node.right);
    return;
  }
  if (before(member, at)) {
    node.credit += counts_;
    owe(node.right, counts_);
    take_out(node.left, member);
  } else {
    take_out(node.right, member);
  }
  resize(at);
}

/// Members behind it move down by one rank, and keep their totals.
void Ranking::put_in(Member& root, Member member) {
  const Member at = root;
  if (at == kNone || priority(member) > priority(at)) {
    const auto [left, right] = split(at, member);
    owe(right, -counts_);
    nodes_[member].left = left;
    nodes_[member].right = right;
    root = member;
  } else {
    pay(at);
    Node& node = nodes_[at];
    if (before(member, at)) {
      node.credit -= counts_;
      owe(node.right, -counts_);
      put_in(node.left, member);
    } else {
      put_in(node.right, member);
    }
  }
  resize(root);
}

/// Splits a treap into the members before a member, and those after it.
std::pair<Ranking::Member, Ranking::Member> Ranking::split(Member root, Member at) {
  if (root == kNone) return {kNone, kNone};
  pay(root);
  Node& node = nodes_[root];
  std::pair<Member, Member> parts;
  if (before(root, at)) {
    parts = split(node.right, at);
    node.right = std::exchange(parts.first, root);
  } else {
    parts = split(node.left, at);
    node.left = std::exchange(parts.second, root);
  }
  resize(root);
  return parts;
}

Ranking::Member Ranking::merge(Member left, Member right) {
  if (left == kNone) return right;
  if (right == kNone) return left;
  const bool is_left = priority(left) > priority(right);
  const Member root = is_left ? left : right;
  pay(root);
  if (is_left) {
    nodes_[root].right = merge(nodes_[root].right, right);
  } else {
    nodes_[root].left = merge(left, nodes_[root].left);
  }
  resize(root);
  return root;
}

}  // namespace canopy
