#include "canopy/garland.hpp"

#include "canopy/errors.hpp"

#include "core/text.hpp"

#include <utility>
#include <vector>

namespace canopy {
namespace {

std::vector<Violation> noise_violations(double width) {
  if (width >= 0.0 && std::isfinite(width)) return {};
  return {{"environment.noise_width", to_text(width), "must be a finite number, 0 or more"}};
}

}  // namespace

Garland::Garland(const GarlandOptions& options)
    : space_{{"x", Real{0.0, 1.0}}}, noise_width_(options.noise_width) {
  throw_if_any(noise_violations(options.noise_width));
}

GarlandMdp::GarlandMdp(const GarlandMdpOptions& options)
    : space_{{"x", Real{0.0, 1.0}}}, noise_width_(options.noise_width), beta_(options.beta) {
  std::vector<Violation> found = noise_violations(options.noise_width);
  if (!(options.beta > 0.0 && options.beta <= 1.0)) {
    found.push_back({"environment.beta", to_text(options.beta), "must be in (0, 1]"});
  }
  throw_if_any(std::move(found));
}

}  // namespace canopy
