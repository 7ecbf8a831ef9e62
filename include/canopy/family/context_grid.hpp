#pragma once

#include "canopy/family/detail/context_bandit.hpp"
#include "canopy/family/grid.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

/// UCB1 on a fixed grid of contexts and arms, used by `grid` with contexts: the box of contexts is
/// cut into equal cells, `context_parts` along each numeric variable and one for each value of a
/// choice, and each cell has an independent Grid.
class ContextGrid final : public ContextBandit {
 public:
  static constexpr std::size_t kMostSums = 1'000'000;

  /// Throws ConfigurationError for wrong options, for more than kMostSums cells times arms, and if
  /// `recent` or `discount` is set.
  ContextGrid(const Space& space, const ContextSpace& contexts, const GridOptions& options = {},
              const Objective& objective = {});

  [[nodiscard]] std::size_t cells() const { return pulls_.size(); }

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  [[nodiscard]] std::size_t cell_of(Context context) const;
  [[nodiscard]] std::size_t place(const View& view, std::size_t arm) const {
    return static_cast<std::size_t>(view[0]) * size() + arm;
  }
  /// The cell, and 2 ln n of the cell.
  [[nodiscard]] View view_of(Context context) const override;
  [[nodiscard]] double index(const View& view, std::size_t arm) const override;
  [[nodiscard]] std::optional<ArmValue> value_of(const View& view, std::size_t arm) const override;
  void learn(const View& view, std::size_t arm, const Rewards& mapped) override;
  void transfer(State& state) override;

  double confidence_scale_;
  std::vector<std::size_t> parts_;  // along each variable
  std::vector<double> pulls_;       // pulls by cell
  std::vector<ArmSums> sums_;       // cell by cell
};

}  // namespace canopy
