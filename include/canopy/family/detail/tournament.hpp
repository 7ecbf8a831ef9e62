#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace canopy {

/// The maximum of a growing list of changing numbers: changing a number and finding the maximum
/// take O(log n). Ties go to the first. Minus infinity stands for no number.
///
/// The numbers are the leaves of a binary tree in an array, in which every inner node is the larger
/// of its two children.
class Tournament {
 public:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  void clear() { rounds_.assign(2, kNone); }

  void set(std::size_t index, double value) {
    while (index >= width()) widen();
    std::size_t at = width() + index;
    rounds_[at] = value;
    while (at > 1) {
      const double winner = std::max(rounds_[at], rounds_[at ^ 1U]);
      at /= 2;
      if (rounds_[at] == winner) return;
      rounds_[at] = winner;
    }
  }

  [[nodiscard]] bool empty() const { return largest() == kNone; }
  [[nodiscard]] double largest() const { return rounds_[1]; }

  /// The index of the maximum; unspecified if the list is empty.
  [[nodiscard]] std::size_t winner() const {
    std::size_t at = 1;
    while (at < width()) at = 2 * at + (rounds_[2 * at] == rounds_[at] ? 0 : 1);
    return at - width();
  }

 private:
  [[nodiscard]] std::size_t width() const { return rounds_.size() / 2; }

  void widen() {
    std::vector<double> wider(2 * rounds_.size(), kNone);
    const std::size_t before = width();
    std::copy(rounds_.begin() + static_cast<std::ptrdiff_t>(before), rounds_.end(),
              wider.begin() + static_cast<std::ptrdiff_t>(2 * before));
    for (std::size_t at = 2 * before; at-- > 1;) {
      wider[at] = std::max(wider[2 * at], wider[2 * at + 1]);
    }
    rounds_ = std::move(wider);
  }

  std::vector<double> rounds_ = std::vector<double>(2, kNone);
};

}  // namespace canopy
