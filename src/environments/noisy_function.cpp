#include "canopy/noisy_function.hpp"

#include "environments/fields.hpp"

namespace canopy {

void check_function_options(std::uint64_t dimension, double noise_width) {
  checked(Rastrigin::Options{.dimension = dimension, .noise_width = noise_width});
}

}  // namespace canopy
