#pragma once

#include "canopy/context.hpp"
#include "canopy/noisy_function.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace canopy {

/// How the best arm and the level of rewards depend on the context. Formulas: docs/environments.md.
enum class ContextProblem {
  // one numeric context variable, one parameter
  smooth,
  line,
  jump,
  step,
  half,
  sharp,
  tent,
  load,
  scale,
  additive,
  day,
  irrelevant,
  ripples,
  // one context variable that is a choice
  choice,
  choice_of_three,
  choice_of_four,
  choice_of_six,
  // two parameters
  two_knobs,
  opposite,
  // several context variables
  one_of_two,
  wave,
  one_of_three,
  two_by_two,
  choice_of_two,
  additive_two,
  irrelevant_two,
  irrelevant_mixed,
};

template <>
struct EnumNames<ContextProblem> {
  static constexpr std::array<std::string_view, 27> names{"smooth",
                                                          "line",
                                                          "jump",
                                                          "step",
                                                          "half",
                                                          "sharp",
                                                          "tent",
                                                          "load",
                                                          "scale",
                                                          "additive",
                                                          "day",
                                                          "irrelevant",
                                                          "ripples",
                                                          "choice",
                                                          "choice_of_three",
                                                          "choice_of_four",
                                                          "choice_of_six",
                                                          "two_knobs",
                                                          "opposite",
                                                          "one_of_two",
                                                          "wave",
                                                          "one_of_three",
                                                          "two_by_two",
                                                          "choice_of_two",
                                                          "additive_two",
                                                          "irrelevant_two",
                                                          "irrelevant_mixed"};
};

/// How contexts arrive, for each variable independently. With u uniform in [0, 1) and new at every
/// pull, and time = (t - 1) / span, the position of a variable in its range is:
enum class ContextArrival {
  uniform,    ///< u
  skewed,     ///< u^3
  cycle,      ///< ten rounds per span; 2.3 times as many for all variables but the first
  bursts,     ///< u, constant for fifty pulls
  sorted,     ///< from 0 to 1 in every span
  appearing,  ///< the lower half in the first half of every span, then the upper half
  clusters,   ///< 0.1 to 0.15 or 0.75 to 0.8
};

template <>
struct EnumNames<ContextArrival> {
  static constexpr std::array<std::string_view, 7> names{
      "uniform", "skewed", "cycle", "bursts", "sorted", "appearing", "clusters"};
};

struct ContextualFunctionOptions {
  ContextProblem problem = ContextProblem::smooth;
  ContextArrival arrival = ContextArrival::uniform;
  std::uint64_t span = 10'000;
  Noise noise = Noise::uniform;
  double noise_width = 1.0;  ///< >= 0; see Noise
};

template <class Visit>
void visit_fields(ContextualFunctionOptions& options, Visit&& visit) {
  visit(Field{"problem", "how the best arm and the level depend on the context"}, options.problem);
  visit(Field{"arrival", "how contexts arrive"}, options.arrival);
  visit(Field{"span", "period of changes over time, in pulls", kAtLeastOne}, options.span);
  visit_noise(options, visit);
}

/// A function whose best arm or level depends on the context:
///
///     f(x | z) = max(0, top(z) - loss(z, x - place(z)))
///
/// with z the context, place(z) the only best arm, and loss 0 there. f is in [0, 1]. Contexts do
/// not depend on the arms that are played; every run draws its own.
class ContextualFunction final : public ContextualEnvironment {
 public:
  using Options = ContextualFunctionOptions;

  /// Throws ConfigurationError.
  explicit ContextualFunction(const Options& options = {});

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] const ContextSpace& contexts() const override { return contexts_; }
  [[nodiscard]] std::vector<double> context_at(std::uint64_t t) const override;
  [[nodiscard]] double mean_reward_in(Context context, Arm arm) const override;
  [[nodiscard]] Optimum optimum_in(Context context) const override;
  [[nodiscard]] std::optional<double> mixing_time() const override { return 0.0; }

  void start(RandomStream& random) override;
  double pull(Arm arm, RandomStream& random) override;

 private:
  using OfContext = std::function<double(Context context)>;

  /// Distance of an arm from the best one, in each parameter.
  using Offset = std::array<double, 2>;

  struct Problem {
    std::vector<ContextVariable> contexts;
    std::vector<OfContext> place;  ///< for each parameter
    OfContext top;
    std::function<double(Context context, const Offset& offset)> loss;
  };

  [[nodiscard]] static Problem problem_of(ContextProblem problem);
  [[nodiscard]] double uniform_at(std::uint64_t t, std::size_t variable) const;
  [[nodiscard]] double share_at(std::uint64_t t, std::size_t variable) const;
  [[nodiscard]] double coordinate_at(std::uint64_t t, std::size_t variable) const;

  Problem problem_;
  ContextArrival arrival_;
  double span_;
  Noise noise_;
  double noise_width_;
  Space space_;
  ContextSpace contexts_;
  std::uint64_t key_ = 0;  // seed of the contexts of this run
  std::uint64_t t_ = 1;    // index of the next pull
};

}  // namespace canopy
