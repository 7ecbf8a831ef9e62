#include "canopy/disturbed.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace canopy {
namespace {

constexpr double kDay = 288.0;  // in pulls, one every five minutes

double memory_of(Disturbance kind) {
  if (kind == Disturbance::ar_50) return 0.5;
  if (kind == Disturbance::ar_90) return 0.9;
  return kind == Disturbance::ar_98 ? 0.98 : 0.0;
}

double student_3(RandomStream& random) {
  double squares = 0.0;
  const double normal = random.normal();
  for (int i = 0; i < 3; ++i) squares += std::pow(random.normal(), 2.0);
  return normal / std::sqrt(squares / 3.0);
}

}  // namespace

Disturbed::Disturbed(std::unique_ptr<KnownEnvironment> environment, Disturbance kind, double size)
    : environment_(std::move(environment)),
      kind_(kind),
      size_(size),
      unit_(kind == Disturbance::two_values ? 100.0 : 1.0) {}

Optimum Disturbed::optimum_at(std::uint64_t t) const {
  Optimum optimum = environment_->optimum_at(t);
  optimum.value *= unit_;
  return optimum;
}

std::array<double, 2> Disturbed::reward_range() const {
  const std::array<double, 2> range = environment_->reward_range();
  return {unit_ * range[0], unit_ * range[1]};
}

void Disturbed::start(RandomStream& random) {
  environment_->start(random);
  level_ = memory_of(kind_) != 0.0 ? random.normal() : 0.0;
  phase_ = random.uniform();
}

double Disturbed::pull(Arm arm, RandomStream& random) {
  const double reward = environment_->pull(arm, random);
  if (kind_ == Disturbance::zero_one || kind_ == Disturbance::two_values) {
    return random.uniform() < reward ? unit_ : 0.0;
  }
  move_level(random);
  return reward + size_ * (level_ + noise_at(arm, random));
}

void Disturbed::move_level(RandomStream& random) {
  if (const double memory = memory_of(kind_); memory != 0.0) {
    level_ = memory * level_ + std::sqrt(1.0 - memory * memory) * random.normal();
  } else if (kind_ == Disturbance::day) {
    phase_ += 1.0 / kDay;
    level_ = 2.0 * std::sin(2.0 * std::numbers::pi * phase_);
  } else if (kind_ == Disturbance::walk) {
    level_ += 0.2 * random.normal();
  } else if (kind_ == Disturbance::jumps) {
    if (random.uniform() < 0.01) level_ += 3.0 * random.normal();
  }
}

double Disturbed::noise_at(Arm arm, RandomStream& random) {
  if (memory_of(kind_) != 0.0) return 0.0;  // all the noise is in the level
  if (kind_ == Disturbance::heavy_tails) return student_3(random);
  const double normal = random.normal();
  if (kind_ == Disturbance::uneven) {
    return normal * (0.2 + 1.8 * space().parameters()[0].domain.share(arm[0]));
  }
  if (kind_ == Disturbance::outliers) {
    return normal + (random.uniform() < 0.005 ? 20.0 : 0.0) - 0.1;  // 0 on average
  }
  return normal;
}

}  // namespace canopy
