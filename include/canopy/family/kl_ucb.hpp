#pragma once

#include "canopy/family/detail/grid_bandit.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

struct KlUcbOptions {
  /// As in GridOptions.
  std::optional<std::uint64_t> points = std::nullopt;

  /// >= 0: c in ln n + c ln ln n. The paper proves its bound for 3 and recommends 0. Raising it
  /// explores more.
  double log_log_factor = 0.0;

  /// > 0: multiplies the confidence bounds approximately: ln n + c ln ln n is multiplied by its
  /// square. 1 is the paper's value, for rewards of 0 and 1; rewards with less noise need less.
  /// Raising it explores more.
  double confidence_scale = 0.5;
};

template <class Visit>
void visit_fields(KlUcbOptions& options, Visit&& visit) {
  visit(kPointsField, options.points);
  visit(Field{"log_log_factor", "c in ln n + c ln ln n", kNotNegative}, options.log_log_factor);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
}

/// ln(1 / (1 - q)) for the largest q in [mean, 1) with kl(mean, q) <= divergence, where kl(p, q) =
/// p ln(p / q) + (1 - p) ln((1 - p) / (1 - q)) and 0 ln 0 = 0. It increases with q, and
/// distinguishes values of q that are rounded to 1. For a mean in [0, 1).
[[nodiscard]] double kl_ucb_level(double mean, double divergence);

/// KL-UCB on a fixed grid of arms (Garivier, Cappe, "The KL-UCB Algorithm for Bounded Stochastic
/// Bandits and Beyond", COLT 2011): play the arm with the largest index
///
///     max { q : pulls kl(mean, q) <= confidence_scale^2 (ln n + c ln ln n) }
///
/// with c the log_log_factor, n the pulls so far, and the mean scaled to the range of rewards,
/// after every arm has been played once; ties go to the first arm. Near the ends of the range
/// rewards cannot vary much, which kl takes into account and UCB1 does not.
///
/// Details not specified by the paper: without a declared range, rewards are scaled to the range
/// observed at the beginning of the phase, with phases as for the scale R in HCT. A mean beyond the
/// range is moved to its end; a mean at the upper end has the index 1. While ln n < 1, ln ln n is
/// taken as 0.
///
/// A step compares all arms, with four multiplications for most of them: an arm for which the kl to
/// the largest index so far exceeds its bound cannot have a larger index. Only the others, one or
/// two per step, need their index, which Newton's method finds in a few iterations from above (the
/// equation is convex in ln(1 / (1 - q))).
class KlUcb final : public GridBandit {
 public:
  /// Throws ConfigurationError.
  explicit KlUcb(const Space& space, const KlUcbOptions& options = {},
                 const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  /// Values computed from the rewards of an arm, scaled to the range.
  struct KnownIndex {
    double mean = 0.0;
    double failures = 0.0;  ///< pulls (1 - mean)
    double entropy = 0.0;   ///< mean ln mean + (1 - mean) ln(1 - mean)
    double level = 0.0;     ///< index last computed, the starting point of the search
  };

  void transfer(State& state) override;
  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, const Rewards& mapped) override;

  void update_range_if_due();
  void place_range();
  void know(std::size_t arm);
  [[nodiscard]] double budget() const;
  [[nodiscard]] double level(std::size_t arm, double budget);
  [[nodiscard]] std::size_t best_guess() const;
  [[nodiscard]] bool is_twin(std::size_t arm, std::size_t other) const;
  [[nodiscard]] std::size_t best_arm();

  KlUcbOptions options_;
  std::vector<KnownIndex> known_;
  double low_ = 0.0;               // the worse end of the range, in mapped units
  std::uint64_t range_until_ = 1;  // t at which the next phase begins
};

}  // namespace canopy
