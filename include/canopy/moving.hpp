#pragma once

#include "canopy/noisy_function.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace canopy {

/// A hill on the unit box, smooth or rough, from 0 to its only maximum of 1. Formulas:
/// docs/environments.md.
enum class HillFunction { quadratic, cusp, double_sine, waves, ridge, bowl };

template <>
struct EnumNames<HillFunction> {
  static constexpr std::array<std::string_view, 6> names{"quadratic", "cusp",  "double_sine",
                                                         "waves",     "ridge", "bowl"};
};

/// How a quantity moves. With time = (t - 1) / span:
enum class Motion {
  still,  ///< 0
  line,   ///< size * time up to time 1, then back, repeated
  sine,   ///< size * sin(2 pi periods time)
  walk,   ///< a random walk with standard deviation `size` at time 1; then reversed
  jumps,  ///< 0, size and -0.6 size, for a third of the span each, repeated
};

template <>
struct EnumNames<Motion> {
  static constexpr std::array<std::string_view, 5> names{"still", "line", "sine", "walk", "jumps"};
};

inline constexpr Range kUpToHundred{"a number from -100 to 100",
                                    [](double x) { return x >= -100.0 && x <= 100.0; }};
inline constexpr Range kFrom0Below1{"in [0, 1)", [](double x) { return x >= 0.0 && x < 1.0; }};

/// The options common to all moving environments.
template <class Options, class Visit>
void visit_motion(Options& options, Visit&& visit) {
  visit(Field{"span", "period of the motions, in pulls", kAtLeastOne}, options.span);
  visit(Field{"function", "the hill that moves, of one to three parameters"}, options.function);
  visit(Field{"noise_memory", "correlation of the noise of a pull with that of the pull before",
              kFrom0Below1},
        options.noise_memory);
  visit_noise(options, visit);
}

struct MovingOptions {
  Motion optimum = Motion::line;
  double optimum_size = 0.4;  ///< as a fraction of the box
  Motion level = Motion::still;
  double level_size = 0.3;
  double periods = 5.0;  ///< >= 0: periods of a sine per span
  std::uint64_t span = 10'000;
  HillFunction function = HillFunction::quadratic;
  double noise_memory = 0.0;  ///< in [0, 1)
  Noise noise = Noise::uniform;
  double noise_width = 1.0;  ///< >= 0; see Noise
};

template <class Visit>
void visit_fields(MovingOptions& options, Visit&& visit) {
  visit(Field{"optimum", "how the best arm moves: still, line, sine, walk or jumps"},
        options.optimum);
  visit(Field{"optimum_size", "size of that motion, as a fraction of the box", kUpToHundred},
        options.optimum_size);
  visit(Field{"level", "how the level of all rewards moves: still, line, sine, walk or jumps"},
        options.level);
  visit(Field{"level_size", "size of that motion", kUpToHundred}, options.level_size);
  visit(Field{"periods", "periods of a sine per span", kNotNegative}, options.periods);
  visit_motion(options, visit);
}

struct TrafficDayOptions {
  double traffic = 0.3;         ///< height of the daily wave of the level
  double deploys = 0.3;         ///< size of the best arm's jumps at deploys
  std::uint64_t span = 10'000;  ///< pulls in a day
  HillFunction function = HillFunction::quadratic;
  double noise_memory = 0.0;  ///< in [0, 1)
  Noise noise = Noise::uniform;
  double noise_width = 1.0;  ///< >= 0; see Noise
};

template <class Visit>
void visit_fields(TrafficDayOptions& options, Visit&& visit) {
  visit(Field{"traffic", "height of the daily wave of the level; a third of it for the best arm",
              kUpToHundred},
        options.traffic);
  visit(Field{"deploys", "how far a deploy moves the best arm; half of it for the level",
              kUpToHundred},
        options.deploys);
  visit_motion(options, visit);
}

/// A hill whose maximum moves through the box while the level of all rewards moves, too:
///
///     f(x, t) = level(t) + hill(x with the box stretched on one side of the maximum and shrunk on
///                               the other, so that the maximum is at place(t))
///
/// Its largest value is level(t) + 1 at every t, so that a change of level alone adds nothing to
/// regret. Noise may be autocorrelated: e <- c e + sqrt(1 - c^2) (noise of this pull), from e = 0
/// on, with c the noise_memory. Every run draws its own random walks.
class Moving final : public KnownEnvironment {
 public:
  /// Throws ConfigurationError.
  explicit Moving(const MovingOptions& options = {});

  /// A day of traffic with deploys: level and maximum follow a wave, and three deploys a day move
  /// both at once. Throws ConfigurationError.
  explicit Moving(const TrafficDayOptions& options);

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] double mean_reward_at(Arm arm, std::uint64_t t) const override;
  [[nodiscard]] Optimum optimum_at(std::uint64_t t) const override;
  [[nodiscard]] bool drifts() const override;
  [[nodiscard]] std::array<double, 2> reward_range() const override;

  void start(RandomStream& random) override;
  double pull(Arm arm, RandomStream& random) override;

 private:
  static constexpr std::size_t kMostParameters = 3;
  using Point = std::array<double, kMostParameters>;

  struct Hill {
    std::size_t dimension;
    Point top;
    double (*value)(const Point& x);
  };

  /// A motion with its parameters.
  struct Course {
    Motion motion = Motion::still;
    double size = 0.0;
    double periods = 1.0;
    std::vector<double> walked = {};  ///< positions of a walk, evenly spaced in time from 0 to 1

    void draw(RandomStream& random);
    [[nodiscard]] double at(double time) const;
    [[nodiscard]] double farthest() const;
  };
  /// The sum of two motions.
  using Courses = std::array<Course, 2>;

  template <class Options>
  Moving(const Options& options, Courses optimum, Courses level);

  [[nodiscard]] static Hill hill_of(HillFunction function);
  void draw_walks(RandomStream& random);
  [[nodiscard]] double time_at(std::uint64_t t) const;
  [[nodiscard]] Point place_at(std::uint64_t t) const;
  [[nodiscard]] double level_at(std::uint64_t t) const;
  [[nodiscard]] double height_at(Arm arm, std::uint64_t t) const;

  Hill hill_;
  Courses optimum_;
  Courses level_;
  double span_;
  double noise_memory_;
  Noise noise_;
  double noise_width_;
  Space space_;
  std::uint64_t t_ = 1;      // index of the next pull
  double remembered_ = 0.0;  // noise of the last pull
};

}  // namespace canopy
