#pragma once

#include "canopy/catalogue.hpp"
#include "canopy/environment.hpp"
#include "canopy/options.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace canopy {

/// Description of an environment, available without creating one.
struct EnvironmentEntry {
  std::string name;  ///< in experiment files, on the command line and in Python
  std::string line;  ///< a one-line description
  std::vector<OptionField> fields = {};

  /// Creates one. Throws ConfigurationError.
  std::function<std::unique_ptr<KnownEnvironment>(const OptionValues& options)> make = {};
};

/// All known environments. To add one:
/// `environments().add(environment_entry<Mine, MyOptions>("mine", "what it is"))`.
[[nodiscard]] Catalogue<EnvironmentEntry>& environments();

/// Throws ConfigurationError.
[[nodiscard]] std::unique_ptr<KnownEnvironment> make_environment(const Selection& environment);

/// The entry of a KnownEnvironment that is constructed from Options, a struct with a visit_fields.
template <class AnEnvironment, class Options>
[[nodiscard]] EnvironmentEntry environment_entry(std::string name, std::string line) {
  EnvironmentEntry entry{.name = std::move(name), .line = std::move(line)};
  entry.fields = fields_of<Options>();
  entry.make = [](const OptionValues& values) -> std::unique_ptr<KnownEnvironment> {
    return std::make_unique<AnEnvironment>(options_from<Options>(values, "environment."));
  };
  return entry;
}

}  // namespace canopy
