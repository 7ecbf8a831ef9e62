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
/// without noise. It knows nothing about how smooth f is. With n cells to cut and h_max = floor(n /
/// (1 + 1/2 + ... + 1/n)) it goes down once:
///
///     cut the root
///     for h = 1 to h_max: cut the floor(h_max / h) cells of depth h with the largest f
///
/// where to cut a cell means to play the arms of its parts. It recommends the best arm it has
/// seen.
///
/// What the paper leaves open. It counts cells to cut, not pulls: with a horizon of N pulls and c
/// new arms in a cut, n = (N - 1) / c - 1, rounded down, so that all of it fits the horizon. It
/// takes less: upper depths have fewer cells than it may cut there. The rest is for the best arm.
/// The root's arm is played first, and a part that has the arm of the cell it was cut from, as the
/// middle one of three, is not played again: then c is 2 for three parts. Of equal cells the one
/// that was made first is cut. With noise the one reward of an arm is taken for f; rewards that
/// come from elsewhere are averaged. A step costs O(log n).
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
  std::uint64_t cuts_ = 0;         // of this depth
};

}  // namespace canopy
