// Measures the mean reward of cart-pole on its grid of gains and prints the table that
// src/environments/cart_pole_table.inc holds. `make tables` runs it.

#include "canopy/cart_pole.hpp"

#include "environments/cart_pole_grid.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

using canopy::CartPoleGrid;

constexpr std::uint64_t kSteps = 6'000'000;
constexpr std::size_t kPoints = CartPoleGrid::angle_points * CartPoleGrid::spin_points;

double measure(std::size_t point) {
  const std::size_t angle = point / CartPoleGrid::spin_points;
  const std::size_t spin = point % CartPoleGrid::spin_points;
  const std::array<double, 2> gains{CartPoleGrid::angle_step * static_cast<double>(angle),
                                    CartPoleGrid::spin_step * static_cast<double>(spin)};
  canopy::CartPole environment;
  canopy::RandomStream random({.seed = 1, .environment = "cart-pole table", .run = point});
  environment.start(random);
  double sum = 0.0;
  for (std::uint64_t i = 0; i < kSteps; ++i) sum += environment.pull(gains, random);
  return sum / static_cast<double>(kSteps);
}

}  // namespace

int main() {
  std::vector<double> means(kPoints);
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      workers.emplace_back([&] {
        for (std::size_t point = next++; point < kPoints; point = next++) {
          means[point] = measure(point);
          (void)std::fprintf(stderr, "\rpoint %zu of %zu", point + 1, kPoints);
        }
      });
    }
  }
  (void)std::fprintf(stderr, "\n");
  for (std::size_t point = 0; point < kPoints; ++point) {
    const bool ends_line = (point + 1) % 10 == 0 || point + 1 == kPoints;
    std::printf("%.4f,%s", means[point], ends_line ? "\n" : " ");
  }
  return 0;
}
