#pragma once

#include "canopy/noisy_function.hpp"

#include <cstddef>

namespace canopy {

/// Functions on which X-armed bandits are compared, each mapped to [0, 1] with maximum 1.
/// Formulas, origins and pictures: docs/environments.md.

/// On [0, 1], with u = 2|x - 1/2|: 1 - u^a + (1 + sin(pi log2 u)) / 2 (u^a - u^b),
/// a = log2(1/0.8), b = log2(1/0.3): between two curves of different smoothness (Grill, Valko,
/// Munos, "Black-box optimization of noisy functions with unknown smoothness", NIPS 2015).
class DoubleSineFunction {
 public:
  explicit DoubleSineFunction(const CentredOptions<DoubleSineFunction>& options)
      : crop_(options.crop) {}
  double operator()(Arm arm) const;
  [[nodiscard]] Space space() const;
  [[nodiscard]] static Optimum optimum() { return {{0.5}, 1.0}; }

 private:
  double crop_;
};

/// On [0, 1], with d = |x - 1/2|: 1 - sqrt(2 d) where log2 d has a fractional part above 1/2, else
/// 1 - sqrt(2) d^2: no smoothness fits it at all scales (same paper).
class DifficultFunction {
 public:
  explicit DifficultFunction(const CentredOptions<DifficultFunction>& options)
      : crop_(options.crop) {}
  double operator()(Arm arm) const;
  [[nodiscard]] Space space() const;
  [[nodiscard]] static Optimum optimum() { return {{0.5}, 1.0}; }

 private:
  double crop_;
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
      : dimension_(options.dimension), crop_(options.crop) {}
  double operator()(Arm arm) const;
  [[nodiscard]] Space space() const;
  [[nodiscard]] Optimum optimum() const { return {std::vector<double>(dimension_, 0.0), 1.0}; }

 private:
  std::size_t dimension_;
  double crop_;
};

/// The maximum of 10 + x^2 - 10 cos 2 pi x over [-5.12, 5.12], where x + 10 pi sin 2 pi x = 0,
/// rounded up.
inline constexpr double kRastriginLargest = 40.353290193838966;

/// On [-32.768, 32.768]^D: 1 - (20 - 20 exp(-0.2 rms(x)) + e - exp(mean cos 2 pi x_i)) / (20 + e -
/// 1/e).
class AckleyFunction {
 public:
  explicit AckleyFunction(const AnyDimensionOptions<AckleyFunction>& options)
      : dimension_(options.dimension), crop_(options.crop) {}
  double operator()(Arm arm) const;
  [[nodiscard]] Space space() const;
  [[nodiscard]] Optimum optimum() const { return {std::vector<double>(dimension_, 0.0), 1.0}; }

 private:
  std::size_t dimension_;
  double crop_;
};

/// On [0, 1/e]: 1 + 1 / ln x, and 1 at 0: it falls so steeply from its maximum that no nu1 rho^h
/// bounds it (Li, Wang, Wang, Cheng, Song, "Optimum-statistical collaboration towards general and
/// efficient black-box optimization", TMLR 2023).
struct CounterexampleFunction {
  explicit CounterexampleFunction(const FunctionOptions<CounterexampleFunction>& /*options*/) {}
  double operator()(Arm arm) const;
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum() { return {{0.0}, 1.0}; }
};

/// On [0, 1]: sqrt(2) x up to 1/sqrt(2), and 0 beyond: revenue by price, with a price beyond which
/// demand is zero.
struct CliffFunction {
  explicit CliffFunction(const FunctionOptions<CliffFunction>& /*options*/) {}
  double operator()(Arm arm) const;
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum();
};

/// On [-5, 10] x [0, 15]: 1 - (b - kBraninLeast) / (kBraninLargest - kBraninLeast) with
/// b = (y - 5.1 x^2 / (4 pi^2) + 5 x / pi - 6)^2 + 10 (1 - 1 / (8 pi)) cos x + 10; three maxima of
/// value 1 (Branin, 1972; the form of Dixon and Szego, 1978).
struct BraninFunction {
  explicit BraninFunction(const FunctionOptions<BraninFunction>& /*options*/) {}
  double operator()(Arm arm) const;
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum();
};

/// b where x = pi and the square vanishes: 10 / (8 pi); and at the corner (-5, 0), rounded up.
inline constexpr double kBraninLeast = 0.3978873577297384;
inline constexpr double kBraninLargest = 308.1290960116068;

/// On [-3, 3]^2: (p - kPeaksLeast) / (kPeaksLargest - kPeaksLeast) with p = 3 (1 - x)^2
/// exp(-x^2 - (y + 1)^2) - 10 (x / 5 - x^3 - y^5) exp(-x^2 - y^2) - exp(-(x + 1)^2 - y^2) / 3:
/// three hills and two hollows, flat around.
struct PeaksFunction {
  explicit PeaksFunction(const FunctionOptions<PeaksFunction>& /*options*/) {}
  double operator()(Arm arm) const;
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum() { return {{-0.009317575955523, 1.5813679609036}, 1.0}; }
};

/// The ends of p, rounded outwards; the largest is at the optimum, the least near (0.2283,
/// -1.6255).
inline constexpr double kPeaksLeast = -6.551133332835843;
inline constexpr double kPeaksLargest = 8.106213589442343;

/// On [-2.048, 2.048]^D, D at least 2: 1 - (1/(D - 1)) sum (100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2)
/// / kRosenbrockLargest: a curved ridge, with its maximum where all coordinates are 1.
class RosenbrockFunction {
 public:
  /// Throws ConfigurationError if the dimension is 1.
  explicit RosenbrockFunction(const AnyDimensionOptions<RosenbrockFunction>& options);
  double operator()(Arm arm) const;
  [[nodiscard]] Space space() const;
  [[nodiscard]] Optimum optimum() const { return {std::vector<double>(dimension_, 1.0), 1.0}; }

 private:
  std::size_t dimension_;
  double crop_;
};

/// 100 (2.048 + 2.048^2)^2 + 3.048^2, rounded up: every term of the corner where all coordinates
/// are -2.048.
inline constexpr double kRosenbrockLargest = 3905.9262268416;

/// On [0, 1]^D, D = 3 or 6: a sum of four bells, sum a_i exp(-sum A_ij (x_j - P_ij)^2), divided by
/// its largest value (Hartman, 1973; the tables of Dixon and Szego, 1978).
template <std::size_t kDimension>
struct HartmannFunction {
  static_assert(kDimension == 3 || kDimension == 6);
  explicit HartmannFunction(const FunctionOptions<HartmannFunction>& /*options*/) {}
  double operator()(Arm arm) const;
  [[nodiscard]] static Space space();
  [[nodiscard]] static Optimum optimum();
};

using DoubleSine = NoisyFunction<DoubleSineFunction, CentredOptions<DoubleSineFunction>>;
using Difficult = NoisyFunction<DifficultFunction, CentredOptions<DifficultFunction>>;
using Himmelblau = NoisyFunction<HimmelblauFunction>;
using Rastrigin = NoisyFunction<RastriginFunction, AnyDimensionOptions<RastriginFunction>>;
using Ackley = NoisyFunction<AckleyFunction, AnyDimensionOptions<AckleyFunction>>;
using Counterexample = NoisyFunction<CounterexampleFunction>;
using Cliff = NoisyFunction<CliffFunction>;
using Branin = NoisyFunction<BraninFunction>;
using Peaks = NoisyFunction<PeaksFunction>;
using Rosenbrock = NoisyFunction<RosenbrockFunction, AnyDimensionOptions<RosenbrockFunction>>;
using Hartmann3 = NoisyFunction<HartmannFunction<3>>;
using Hartmann6 = NoisyFunction<HartmannFunction<6>>;

}  // namespace canopy
