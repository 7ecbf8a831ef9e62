#include "canopy/moving.hpp"

#include "canopy/test_functions.hpp"

#include "environments/checked.hpp"
#include "environments/squared.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace canopy {
namespace {

constexpr std::size_t kWalkSteps = 4096;

/// Tolerance, in spans, so that a third of a span is not rounded down to the previous pull.
constexpr double kRounding = 1e-9;

/// Least distance of a maximum from the ends of the box, so that there is a side to shrink.
constexpr double kLeastMargin = 0.08;

/// A triangle wave: 0 to 1 and back, repeated.
double to_and_fro(double time) {
  const double round = std::fmod(time, 2.0);
  return round <= 1.0 ? round : 2.0 - round;
}

double sum_at(const auto& courses, double time) {
  double sum = 0.0;
  for (const auto& course : courses) sum += course.at(time);
  return sum;
}

}  // namespace

// --- hills ---------------------------------------------------------------------------------------

Moving::Hill Moving::hill_of(HillFunction function) {
  switch (function) {
    case HillFunction::quadratic:
      return {1, {0.37}, [](const Point& x) { return 1.0 - 2.5 * squared(x[0] - 0.37); }};
    case HillFunction::cusp:
      return {
          1, {0.314}, [](const Point& x) { return 1.0 - 1.2 * std::sqrt(std::abs(x[0] - 0.314)); }};
    case HillFunction::double_sine:
      return {1, {0.5}, [](const Point& x) {
                static const DoubleSineFunction double_sine({});
                return double_sine(Arm(x).first(1));
              }};
    case HillFunction::waves:
      return {2, {0.55, 0.55}, [](const Point& x) {
                double sum = 0.0;
                for (const double each : {x[0], x[1]}) {
                  const double off = 2.0 * (each - 0.55);
                  sum += 10.0 + squared(off) - 10.0 * std::cos(2.0 * std::numbers::pi * off);
                }
                return 1.0 - sum / 44.0;
              }};
    case HillFunction::ridge:
      return {2, {0.3, 0.64}, [](const Point& x) {
                return 1.0 - 0.9 * std::abs(x[0] - 0.3) - 0.06 * std::abs(x[1] - 0.64);
              }};
    case HillFunction::bowl:
      break;
  }
  return {3, {0.31, 0.62, 0.83}, [](const Point& x) {
            return 1.0 -
                   0.64 * (squared(x[0] - 0.31) + squared(x[1] - 0.62) + squared(x[2] - 0.83));
          }};
}

// --- motions -------------------------------------------------------------------------------------

void Moving::Course::draw(RandomStream& random) {
  if (motion != Motion::walk) return;
  walked.assign(kWalkSteps + 1, 0.0);
  const double step = size / std::sqrt(static_cast<double>(kWalkSteps));
  for (std::size_t i = 1; i <= kWalkSteps; ++i) walked[i] = walked[i - 1] + step * random.normal();
}

double Moving::Course::at(double time) const {
  switch (motion) {
    case Motion::still:
      break;
    case Motion::line:
      return size * to_and_fro(time);
    case Motion::sine:
      return size * std::sin(2.0 * std::numbers::pi * periods * time);
    case Motion::walk: {
      const double place = to_and_fro(time) * static_cast<double>(kWalkSteps);
      const auto before = std::min(static_cast<std::size_t>(place), kWalkSteps - 1);
      return std::lerp(walked[before], walked[before + 1], place - static_cast<double>(before));
    }
    case Motion::jumps: {
      constexpr std::array<double, 3> kShares{0.0, 1.0, -0.6};
      const double third = std::floor(3.0 * time + kRounding);
      return size * kShares.at(static_cast<std::size_t>(std::fmod(third, 3.0)));
    }
  }
  return 0.0;
}

double Moving::Course::farthest() const {
  if (motion == Motion::still) return 0.0;
  if (motion != Motion::walk) return std::abs(size);
  double most = 0.0;
  for (const double each : walked) most = std::max(most, std::abs(each));
  return most;
}

// --- the environment -----------------------------------------------------------------------------

template <class Options>
Moving::Moving(const Options& options, Courses optimum, Courses level)
    : hill_(hill_of(checked(options).function)),
      optimum_(std::move(optimum)),
      level_(std::move(level)),
      span_(static_cast<double>(options.span)),
      noise_memory_(options.noise_memory),
      noise_(options.noise),
      noise_width_(options.noise_width),
      space_([this] {
        std::vector<Parameter> parameters;
        for (std::size_t i = 1; i <= hill_.dimension; ++i) {
          parameters.push_back(
              {hill_.dimension == 1 ? "x" : "x" + std::to_string(i), Real{0.0, 1.0}});
        }
        return Space(std::move(parameters));
      }()) {
  RandomStream random({.environment = "moving"});  // replaced when a run starts
  draw_walks(random);
}

Moving::Moving(const MovingOptions& options)
    : Moving(options, {Course{options.optimum, options.optimum_size, options.periods}},
             {Course{options.level, options.level_size, options.periods}}) {}

Moving::Moving(const TrafficDayOptions& options)
    : Moving(options,
             {Course{Motion::sine, options.traffic / 3.0}, {Motion::jumps, options.deploys}},
             {Course{Motion::sine, options.traffic}, {Motion::jumps, -0.5 * options.deploys}}) {}

void Moving::draw_walks(RandomStream& random) {
  for (Course& course : optimum_) course.draw(random);
  for (Course& course : level_) course.draw(random);
}

double Moving::time_at(std::uint64_t t) const {
  return static_cast<double>(t - 1) / span_;
}

/// A maximum first moves towards the middle.
Moving::Point Moving::place_at(std::uint64_t t) const {
  const double shift = sum_at(optimum_, time_at(t));
  Point place = hill_.top;
  for (double& each : place) {
    each = std::clamp(each + (each <= 0.5 ? shift : -shift), kLeastMargin, 1.0 - kLeastMargin);
  }
  return place;
}

double Moving::level_at(std::uint64_t t) const {
  return sum_at(level_, time_at(t));
}

double Moving::height_at(Arm arm, std::uint64_t t) const {
  const Point place = place_at(t);
  Point x{};
  for (std::size_t i = 0; i < hill_.dimension; ++i) {
    const double top = hill_.top[i];
    x[i] = arm[i] < place[i] ? arm[i] * top / place[i]
                             : 1.0 - (1.0 - arm[i]) * (1.0 - top) / (1.0 - place[i]);
  }
  return hill_.value(x);
}

double Moving::mean_reward_at(Arm arm, std::uint64_t t) const {
  return level_at(t) + height_at(arm, t);
}

Optimum Moving::optimum_at(std::uint64_t t) const {
  const Point place = place_at(t);
  return {{place.begin(), place.begin() + hill_.dimension}, level_at(t) + 1.0};
}

bool Moving::drifts() const {
  const auto moves = [](const Course& course) { return course.motion != Motion::still; };
  return std::any_of(optimum_.begin(), optimum_.end(), moves) ||
         std::any_of(level_.begin(), level_.end(), moves);
}

std::array<double, 2> Moving::reward_range() const {
  double farthest = 0.0;
  for (const Course& course : level_) farthest += course.farthest();
  return {0.0 - farthest, 1.0 + farthest};
}

void Moving::start(RandomStream& random) {
  draw_walks(random);
  t_ = 1;
  remembered_ = 0.0;
}

double Moving::pull(Arm arm, RandomStream& random) {
  const double height = height_at(arm, t_);
  const double level = level_at(t_);
  ++t_;
  const double fresh = noisy(height, noise_, noise_width_, random) - height;
  remembered_ = noise_memory_ * remembered_ + std::sqrt(1.0 - squared(noise_memory_)) * fresh;
  return level + height + remembered_;
}

}  // namespace canopy
