#pragma once

#include "canopy/family/detail/opening_tree.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

struct StroquoolOptions {
  /// n, at least 1: the total number of pulls. After it, the recommended arm is played.
  std::uint64_t horizon = 1000;

  /// h_max, at least 1: the greatest depth of a cell that is cut, and the most consecutive pulls of
  /// an arm; floor(n / (2 (log2 n + 1)^2)) unless set, which leaves most of the horizon to the
  /// recommended arm.
  std::optional<std::uint64_t> depth_limit = std::nullopt;
};

template <class Visit>
void visit_fields(StroquoolOptions& options, Visit&& visit) {
  visit(Field{"horizon", "the total number of pulls", kAtLeastOne}, options.horizon);
  visit(Field{"depth_limit", "largest depth of a cell that is cut", kMillion}, options.depth_limit);
}

/// The options with computed defaults.
[[nodiscard]] StroquoolOptions resolved(StroquoolOptions options);

/// StroquOOL (Bartlett, Gabillon, Valko, "A simple parameter-free and adaptive approach to
/// optimization under a minimal local smoothness assumption", ALT 2019, Figure 3): SequOOL for
/// noisy rewards. It needs neither the smoothness of f nor the noise. With h_max = floor(n / (2
/// (log2 n + 1)^2)) and p_max = floor(log2 h_max) it makes one pass down the tree, and at each
/// depth proceeds from few cells with many pulls to many with few:
///
///     cut the root, h_max pulls for every part
///     for h = 1 to h_max:
///       for p = floor(log2(h_max / h)) down to 0:
///         cut the floor(h_max / (h 2^p)) cells of depth h with the highest means, of those that
///         have 2^p pulls and are not cut yet, with 2^p pulls for every part
///     for p = 0 to p_max:
///       play h_max times: the arm of the highest mean of all that have 2^p pulls
///
/// and recommends the arm with the highest mean in the last loop.
///
/// Details not specified by the paper. Ties go to the cell created first. A cell that is the best
/// for several p is played for only one of them. A part with the arm of its parent cell starts
/// without rewards. Until the last loop is over it has no recommendation of its own, and the most
/// pulled arm is recommended. The paper counts a cut with 2^p pulls per part as 2^p: for up to five
/// parts the pulls nevertheless fit the horizon. If not, or if h_max was set too large, the horizon
/// ends the search; before the last loop it then recommends, and plays, the arm with the highest
/// mean among those with 2^p pulls, for the largest possible p. A step costs O(log n): the cells of
/// a depth are sorted once for each p.
class Stroquool final : public OpeningTree {
 public:
  static constexpr std::uint32_t kParts = 3;

  /// Throws ConfigurationError.
  explicit Stroquool(const Space& space, const StroquoolOptions& options = {},
                     const Objective& objective = {});
  explicit Stroquool(const std::shared_ptr<const Partition>& partition,
                     const StroquoolOptions& options = {}, const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  /// A candidate of the last loop.
  struct Candidate {
    NodeIndex node = 0;
    double pulls = 0.0;
    double sum = 0.0;

    [[nodiscard]] double mean() const { return sum / pulls; }
    void transfer(State& state) {
      state(node, pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };

  [[nodiscard]] std::optional<Choice> explore() override;
  [[nodiscard]] NodeIndex settle() override;
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  void add(NodeIndex node, const Rewards& mapped) override;
  void transfer(State& state) override;

  bool open_next();
  bool choose_cells();
  [[nodiscard]] std::optional<NodeIndex> best_with(std::uint64_t pulls) const;
  void choose_candidates();
  void choose_without_last_loop();
  [[nodiscard]] const Candidate* best_candidate() const;

  std::uint64_t horizon_;
  std::uint64_t depth_limit_;      // h_max
  std::uint32_t depth_ = 0;        // h
  std::uint32_t power_ = 0;        // p + 1 of the next p of this depth; 0: there is none
  double wanted_ = 0.0;            // pulls of every part of a cell that is cut now
  std::vector<NodeIndex> chosen_;  // cells to be cut, the best last
  std::uint64_t quota_ = 0;        // number of cells to be cut
  std::vector<Candidate> candidates_;
};

}  // namespace canopy
