#pragma once

#include "canopy/environment.hpp"
#include "canopy/options.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace canopy {

/// Distribution of a reward around f; the mean is f in every case. With w the noise_width:
enum class Noise {
  uniform,    ///< f + w (u - 1/2), u uniform in [0, 1)
  gaussian,   ///< f + w z, z standard normal
  bernoulli,  ///< f + w (b - f), b = 1 with probability f and else 0; for w = 1 the reward is 0 or
              ///< 1
};

template <>
struct EnumNames<Noise> {
  static constexpr std::array<std::string_view, 3> names{"uniform", "gaussian", "bernoulli"};
};

/// The two options common to all noisy functions.
template <class Options, class Visit>
void visit_noise(Options& options, Visit&& visit) {
  visit(Field{"noise", "noise of a reward: uniform, gaussian or bernoulli"}, options.noise);
  visit(Field{"noise_width", "width of uniform noise, or factor of the other kinds", kNotNegative},
        options.noise_width);
}

/// One noisy evaluation of a function with values in [0, 1].
[[nodiscard]] inline double noisy(double f, Noise noise, double width, RandomStream& random) {
  if (noise == Noise::uniform) [[likely]]
    return f + width * (random.uniform() - 0.5);
  if (noise == Noise::gaussian) return f + width * random.normal();
  return f + width * ((random.uniform() < f ? 1.0 : 0.0) - f);
}

/// Options of a function of fixed dimension. The function is part of the type, so that each
/// function has its own options.
template <class Function>
struct FunctionOptions {
  Noise noise = Noise::uniform;
  double noise_width = 1.0;  ///< >= 0; see Noise
};

template <class Function, class Visit>
void visit_fields(FunctionOptions<Function>& options, Visit&& visit) {
  visit_noise(options, visit);
}

/// Below 1/2, so that the optimum stays in the box.
inline constexpr Range kLessThanHalf{"a number from 0 to less than 0.5",
                                     [](double x) { return x >= 0.0 && x < 0.5; }};

/// Cuts a part off a box whose middle is the optimum, so that algorithms that try the middle first
/// have no advantage.
template <class Options, class Visit>
void visit_crop(Options& options, Visit&& visit) {
  visit(Field{"crop", "fraction of every parameter's range that is cut off at its lower end",
              kLessThanHalf},
        options.crop);
}

/// Options of a function of one parameter whose optimum is in the middle.
template <class Function>
struct CentredOptions {
  double crop = 0.0;  ///< in [0, 0.5); see visit_crop
  Noise noise = Noise::uniform;
  double noise_width = 1.0;  ///< >= 0; see Noise
};

template <class Function, class Visit>
void visit_fields(CentredOptions<Function>& options, Visit&& visit) {
  visit_crop(options, visit);
  visit_noise(options, visit);
}

/// Options of a function of any dimension.
template <class Function>
struct AnyDimensionOptions {
  std::uint64_t dimension = 2;  ///< 1 to 1000
  double crop = 0.0;            ///< in [0, 0.5); see visit_crop
  Noise noise = Noise::uniform;
  double noise_width = 1.0;  ///< >= 0; see Noise
};

template <class Function, class Visit>
void visit_fields(AnyDimensionOptions<Function>& options, Visit&& visit) {
  visit(Field{"dimension", "number of parameters", kThousand}, options.dimension);
  visit_crop(options, visit);
  visit_noise(options, visit);
}

/// A function with independent noise. A Function is made from the options and has `operator()(Arm)`
/// with values in [0, 1], `space()` and `optimum()`.
template <class Function, class OptionsOf = FunctionOptions<Function>>
class NoisyFunction final : public SteadyEnvironment {
 public:
  using Options = OptionsOf;

  /// Throws ConfigurationError.
  explicit NoisyFunction(const Options& options = {})
      : function_(checked(options)),
        space_(function_.space()),
        noise_(options.noise),
        noise_width_(options.noise_width) {}

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] double mean_reward(Arm arm) const override { return function_(arm); }
  [[nodiscard]] Optimum optimum() const override { return function_.optimum(); }
  [[nodiscard]] std::optional<double> mixing_time() const override { return 0.0; }
  void start(RandomStream& /*random*/) override {}
  double pull(Arm arm, RandomStream& random) override {
    return noisy(function_(arm), noise_, noise_width_, random);
  }

 private:
  static const Options& checked(const Options& options) {
    throw_if_any(violations_of(options, "environment."));
    return options;
  }

  [[no_unique_address]] Function function_;
  Space space_;
  Noise noise_;
  double noise_width_;
};

}  // namespace canopy
