#include "environments/catalogue.hpp"

namespace canopy {

std::unique_ptr<KnownEnvironment> make_environment(const EnvironmentOptions& options) {
  return std::visit(
      [](const auto& chosen) -> std::unique_ptr<KnownEnvironment> {
        return std::make_unique<EnvironmentOf<decltype(chosen)>>(chosen);
      },
      options);
}

}  // namespace canopy
