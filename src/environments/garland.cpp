#include "canopy/garland.hpp"

#include "environments/checked.hpp"

namespace canopy {
namespace {

Space garland_space() {
  return Space{{"x", Real{0.0, 1.0}}};
}

}  // namespace

Space GarlandFunction::space() {
  return garland_space();
}

GarlandMdp::GarlandMdp(const GarlandMdpOptions& options)
    : PolicyEnvironment(garland_space(),
                        GarlandProcess{checked(options).noise, options.noise_width, options.beta}) {
}

std::optional<double> GarlandMdp::mixing_time() const {
  const double q = 1.0 - mdp().beta;
  const double root = std::sqrt(q);
  return 4.0 * q / (1.0 - q) + std::sqrt(15.0) / 2.0 * root / (1.0 - root);
}

}  // namespace canopy
