#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace canopy {

/// A growing list of changing numbers, by rank: the largest has rank 1, and of equal numbers the
/// one added first comes first. It also sums the rank that each member had at every call of
/// `count`. Adding, changing, finding by rank and reading such a total take O(log n); `count` takes
/// O(1).
///
/// A treap ordered by rank. The total of a member is credit + rank * counts, so that `count` only
/// increments a counter. Credits change where ranks change. Since this affects all members from
/// some rank on, a change is stored once per subtree. Totals are whole numbers modulo 2^64, and
/// thus exact even if intermediate values overflow.
class Ranking {
 public:
  using Member = std::uint32_t;  ///< from 0, in the order they were added

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

  /// Adds a number, with a total of ranks so far.
  Member add(double value, std::uint64_t total = 0);

  /// Changes a number.
  void set(Member member, double value);

  [[nodiscard]] std::uint32_t rank(Member member) const { return find(member).rank; }
  [[nodiscard]] Member at(std::uint32_t rank) const;

  /// Adds its current rank to every member's total.
  void count() { ++counts_; }

  [[nodiscard]] std::uint64_t total(Member member) const;
  /// The totals of all members, in O(n).
  [[nodiscard]] std::vector<std::uint64_t> totals() const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Node {
    double value = 0.0;
    std::uint64_t credit = 0;
    std::uint64_t owed = 0;  // to be added to the credits of this node and its descendants
    Member left = kNone;
    Member right = kNone;
    std::uint32_t size = 1;
  };
  struct Found {
    std::uint32_t rank = 0;
    std::uint64_t credit = 0;
  };

  [[nodiscard]] bool before(Member a, Member b) const {
    return nodes_[a].value != nodes_[b].value ? nodes_[a].value > nodes_[b].value : a < b;
  }
  [[nodiscard]] std::uint32_t size_of(Member root) const {
    return root == kNone ? 0 : nodes_[root].size;
  }
  [[nodiscard]] Found find(Member member) const;

  void owe(Member root, std::uint64_t credit) {
    if (root != kNone) nodes_[root].owed += credit;
  }
  void pay(Member root);
  void resize(Member root) {
    nodes_[root].size = 1 + size_of(nodes_[root].left) + size_of(nodes_[root].right);
  }
  void take_out(Member& root, Member member);
  void put_in(Member& root, Member member);
  [[nodiscard]] std::pair<Member, Member> split(Member root, Member at);
  [[nodiscard]] Member merge(Member left, Member right);

  std::vector<Node> nodes_;
  Member root_ = kNone;
  std::uint64_t counts_ = 0;
};

}  // namespace canopy
