#pragma once

#include "canopy/space.hpp"
#include "canopy/study_specification.hpp"

#include "systems/command.hpp"
#include "systems/command_line.hpp"
#include "systems/coprocess.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace canopy {

/// What could not be done, for people.
struct SystemFailure {
  std::string what;
};

/// What a measurement gave.
struct Reading {
  double reward = 0.0;
  std::map<std::string, double> metrics = {};  ///< other numbers, by name
};

/// What a program printed: a number, or a JSON object with the reward and other numbers. What it
/// has that is not a number is left out.
[[nodiscard]] std::variant<Reading, SystemFailure> reading_in(std::string_view output);

/// The system that is tuned: set and measured by the programs of a study file.
class System {
 public:
  /// Both must outlive it; `stop`, if it is given, breaks off what is going on.
  System(const SystemSpecification& specification, const Space& space,
         const std::atomic<bool>* stop);

  /// Whether a setting can be given without being measured.
  [[nodiscard]] bool can_be_set() const { return specification_.apply || specification_.process; }

  /// Gives the system a setting. None when that went well. A process without an `apply` command is
  /// told the setting when it is measured.
  [[nodiscard]] std::optional<SystemFailure> apply(Arm arm);
  /// The same whatever `stop` says, and for a process at once.
  [[nodiscard]] std::optional<SystemFailure> apply_at_the_end(Arm arm);

  /// One pull at the setting that was applied. A metric that a limit needs is there.
  [[nodiscard]] std::variant<Reading, SystemFailure> measure(Arm arm);

  /// What is run for an arm, as a person would type it.
  [[nodiscard]] std::string apply_text(Arm arm) const;
  [[nodiscard]] std::string measure_text(Arm arm) const;

 private:
  [[nodiscard]] RunLimits limits_for(Arm arm) const;
  [[nodiscard]] std::string request_for(Arm arm) const;
  [[nodiscard]] std::optional<SystemFailure> apply(Arm arm, const RunLimits& limits);

  const SystemSpecification& specification_;
  const Space& space_;
  const std::atomic<bool>* stop_;
  std::optional<CommandLine> apply_;
  std::optional<CommandLine> measure_;
  std::unique_ptr<Coprocess> process_;
};

}  // namespace canopy
