#pragma once

#include "canopy/noisy_function.hpp"

#include <cstddef>

namespace canopy {

/// Functions on which X-armed bandits are compared, each mapped to [0, 1] with maximum 1.
/// Formulas, origins and pictures: docs/environments.md.

/// On [0, 1], with u = 2|x - 1/2|: 1 - u^a + (1 + sin(pi log2 u)) / 2 (u^a - u^b),
/// a = log2(1/0.8), b = log2(1/0.3): between two curves of different smoothness (Grill, Valko,
/// Munos, "Black-box optimization of noisy functions with unknown smoothness", NIPS 2015).
struct DoubleSineFunction {
  explicit DoubleSineFunction(const FunctionOptions<DoubleSineFunction>& /*options*/) {}
  double operator()(Arm arm) const;
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum() { return {{0.5}, 1.0}; }
};

/// On [0, 1], with d = |x - 1/2|: 1 - sqrt(2 d) where log2 d has a fractional part above 1/2, else
/// 1 - sqrt(2) d^2: no smoothness fits it at all scales (same paper).
struct DifficultFunction {
  explicit DifficultFunction(const FunctionOptions<DifficultFunction>& /*options*/) {}
  double operator()(Arm arm) const;
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum() { return {{0.5}, 1.0}; }
};

/// On [-5, 5]^2: 1 - ((x^2 + y - 11)^2 + (x + y^2 - 7)^2) / 890; four maxima of value 1.
struct HimmelblauFunction {
  explicit HimmelblauFunction(const FunctionOptions<HimmelblauFunction>& /*options*/) {}
  double operator()(Arm arm) const;
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum() { return {{3.0, 2.0}, 1.0}; }
};

/// On [-5.12, 5.12]^D: 1 - (1/D) sum (10 + x_i^2 - 10 cos 2 pi x_i) / kRastriginLargest.
class RastriginFunction {
 public:
  explicit RastriginFunction(const AnyDimensionOptions<RastriginFunction>& options)
      : dimension_(options.dimension) {}
  double operator()(Arm arm) const;
  [[nodiscard]] Space space() const;
  [[nodiscard]] Optimum optimum() const { return {std::vector<double>(dimension_, 0.0), 1.0}; }

 private:
  std::size_t dimension_;
};

/// The maximum of 10 + x^2 - 10 cos 2 pi x over [-5.12, 5.12], where x + 10 pi sin 2 pi x = 0,
/// rounded up.
inline constexpr double kRastriginLargest = 40.353290193838966;

/// On [-32.768, 32.768]^D: 1 - (20 - 20 exp(-0.2 rms(x)) + e - exp(mean cos 2 pi x_i)) / (20 + e -
/// 1/e).
class AckleyFunction {
 public:
  explicit AckleyFunction(const AnyDimensionOptions<AckleyFunction>& options)
      : dimension_(options.dimension) {}
  double operator()(Arm arm) const;
  [[nodiscard]] Space space() const;
  [[nodiscard]] Optimum optimum() const { return {std::vector<double>(dimension_, 0.0), 1.0}; }

 private:
  std::size_t dimension_;
};

using DoubleSine = NoisyFunction<DoubleSineFunction>;
using Difficult = NoisyFunction<DifficultFunction>;
using Himmelblau = NoisyFunction<HimmelblauFunction>;
using Rastrigin = NoisyFunction<RastriginFunction, AnyDimensionOptions<RastriginFunction>>;
using Ackley = NoisyFunction<AckleyFunction, AnyDimensionOptions<AckleyFunction>>;

}  // namespace canopy
