#pragma once

#include "canopy/family/detail/opening_tree.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace canopy {

struct SequoolOptions {
  /// At least 1: the total number of pulls. After it, the best arm is played.
  std::uint64_t horizon = 1000;
};

template <class Visit>
void visit_fields(SequoolOptions& options, Visit&& visit) {
  visit(Field{"horizon", "the total number of pulls", kAtLeastOne}, options.horizon);
}

/// h_max = floor(n / (1 + 1/2 + ... + 1/n)), at least 1.
[[nodiscard]] std::uint64_t sequool_depth_limit(std::uint64_t cuts);

/// SequOOL (Bartlett, Gabillon, Valko, "A simple parameter-free and adaptive approach to
/// optimization under a minimal local smoothness assumption", ALT 2019, Figure 1), for rewards
/// without noise. It needs no knowledge of the smoothness of f. With n cells to cut and h_max =
/// floor(n / (1 + 1/2 + ... + 1/n)) it makes one pass down the tree:
///
///     cut the root
///     for h = 1 to h_max: cut the floor(h_max / h) cells of depth h with the largest f
///
/// where cutting a cell includes playing the arms of its parts. It recommends the best arm seen.
///
/// Details not specified by the paper. It counts cells to cut, not pulls: with a horizon of N pulls
/// and c new arms per cut, n = (N - 1) / c - 1, rounded down, so that all cuts fit the horizon. Not
/// all of them are used, because upper depths have fewer cells than may be cut there; the remaining
/// pulls play the best arm. The root's arm is played first, and a part that has the arm of its
/// parent cell, such as the middle one of three, is not played again: then c is 2 for three parts.
/// Ties go to the cell created first. With noise the single reward of an arm is taken for f;
/// observed rewards are averaged. A step costs O(log n).
class Sequool final : public OpeningTree {
 public:
  static constexpr std::uint32_t kParts = 3;

  /// Throws ConfigurationError.
  explicit Sequool(const Space& space, const SequoolOptions& options = {},
                   const Objective& objective = {});
  explicit Sequool(const std::shared_ptr<const Partition>& partition,
                   const SequoolOptions& options = {}, const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  [[nodiscard]] std::optional<Choice> explore() override;
  void transfer(State& state) override;
  bool open_next();

  std::uint64_t horizon_;
  std::uint64_t depth_limit_ = 1;  // h_max
  std::uint32_t depth_ = 0;        // h
  std::uint64_t cuts_ = 0;         // cuts at this depth
};

}  // namespace canopy
