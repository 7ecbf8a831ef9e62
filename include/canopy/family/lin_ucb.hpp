#pragma once

#include "canopy/family/detail/context_bandit.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace canopy {

struct LinUcbOptions {
  /// 1 to 1e6: arms along each parameter, as in GridOptions. Unless it is set: 8, or fewer, so that
  /// there are about a thousand in total.
  std::optional<std::uint64_t> points = std::nullopt;

  /// > 0: multiplies the confidence term, the paper's alpha. Raising it explores more.
  double confidence_scale = 0.5;
};

template <class Visit>
void visit_fields(LinUcbOptions& options, Visit&& visit) {
  visit(kPointsField, options.points);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
}

/// LinUCB with disjoint linear models (Li, Chu, Langford, Schapire, "A Contextual-Bandit Approach
/// to Personalized News Article Recommendation", WWW 2010) on a fixed grid of arms: the reward of
/// every arm is modelled as linear in features phi of the context, with coefficients of its own.
/// Play the arm with the largest
///
///     phi . theta + R confidence_scale sqrt(phi . A^-1 phi)
///     A = I + sum of phi phi',  theta = A^-1 (sum of reward phi),  over the rewards of the arm
///
/// R is the scale as in HCT. Features are all monomials up to degree two in the following: for a
/// number, its position in its range, from -1 to 1 (on a log scale in log units); for a periodic
/// one, the cosine and the sine of its angle; for a choice, an indicator for each value but the
/// first. Without contexts there is one feature, 1.
///
/// A step costs a matrix-vector product for every arm, and learning a matrix inversion.
class LinUcb final : public ContextBandit {
 public:
  static constexpr std::size_t kMostFeatures = 64;

  /// Throws ConfigurationError for wrong options, and if contexts give more than kMostFeatures.
  explicit LinUcb(const Space& space, const LinUcbOptions& options = {},
                  const Objective& objective = {}, const ContextSpace& contexts = {});

  /// phi.
  [[nodiscard]] std::vector<double> features_of(Context context) const;

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  /// The model of an arm.
  struct Model {
    double pulls = 0.0;
    std::vector<double> products = {};  ///< A, row by row
    std::vector<double> sums = {};      ///< sum of reward phi
    std::vector<double> inverse = {};   ///< inverse of A
    std::vector<double> theta = {};
  };

  [[nodiscard]] View view_of(Context context) const override { return features_of(context); }
  [[nodiscard]] double index(const View& view, std::size_t arm) const override;
  [[nodiscard]] std::optional<ArmValue> value_of(const View& view, std::size_t arm) const override;
  void learn(const View& view, std::size_t arm, const Rewards& mapped) override;
  [[nodiscard]] static bool solve(Model& model);
  void transfer(State& state) override;

  double confidence_scale_;
  std::vector<Model> models_;
};

}  // namespace canopy
