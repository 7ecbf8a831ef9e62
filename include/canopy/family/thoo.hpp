#pragma once

#include "canopy/family/detail/hoo_tree.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

struct ThooOptions {
  /// The total number of pulls, at least 1; none: "doubling", which starts over with an empty tree
  /// for periods of 2, 4, 8, ... pulls and needs no horizon. A fixed horizon may be exceeded; the
  /// bounds are then those of the horizon.
  std::optional<std::uint64_t> horizon = std::nullopt;

  /// As in HooOptions.
  double nu1 = 1.0;
  std::optional<double> rho = std::nullopt;
  double confidence_scale = 0.2;
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(ThooOptions& options, Visit&& visit) {
  visit(Field{"horizon", "the total number of pulls, or doubling", kAtLeastOne, "doubling"},
        options.horizon);
  visit(Field{"nu1", "f varies by at most nu1 rho^h in a cell at depth h", kPositive}, options.nu1);
  visit(Field{"rho", "see nu1", kOpenUnit}, options.rho);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit(Field{"seed", "seed of the algorithm's random choices", kAnyWhole}, options.seed);
}

/// D = ceil((ln n / 2 - ln(1/nu1)) / ln(1/rho)), at least 0: largest depth of a node for n pulls.
[[nodiscard]] std::uint32_t thoo_depth_limit(double horizon, double nu1, double rho);

/// Truncated HOO (Bubeck, Munos, Stoltz, Szepesvari, "X-Armed Bandits", JMLR 12, 2011, Section
/// 4.3). With ln n in place of ln t a pull changes only the bounds on its path, and no node is
/// created below depth D, so a step costs O(D). A leaf at depth D may be played repeatedly.
class Thoo final : public HooTree {
 public:
  /// Throws ConfigurationError.
  explicit Thoo(const Space& space, const ThooOptions& options = {},
                const Objective& objective = {});
  explicit Thoo(const std::shared_ptr<const Partition>& partition, const ThooOptions& options = {},
                const Objective& objective = {});

  /// `refreshes` is the number of periods begun.
  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  /// The recommendation of the current period, or of the previous one while that had more pulls.
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  [[nodiscard]] Choice choose() override;
  void learn_here(NodeIndex node, const Rewards& mapped) override;
  void transfer(State& state) override;
  void begin_period(std::uint64_t length);

  /// The recommendation of the previous period.
  struct Past {
    std::vector<double> arm;
    double mean = 0.0;  ///< in mapped units
    double pulls = 0.0;
    double all_pulls = 0.0;  ///< pulls of the whole period
  };

  bool doubling_;
  std::uint64_t period_length_ = 0;
  std::uint64_t period_end_ = 0;  // t at which the next period begins; 0: never
  std::uint64_t periods_ = 0;
  std::uint32_t depth_limit_ = 0;
  std::optional<Past> past_;
};

}  // namespace canopy
