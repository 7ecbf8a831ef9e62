#pragma once

#include "canopy/clock.hpp"
#include "canopy/context.hpp"
#include "canopy/http_system.hpp"

#include "systems/command.hpp"
#include "systems/command_line.hpp"
#include "systems/live_system.hpp"
#include "systems/prometheus.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace canopy {

/// The source of a context variable.
struct ContextInput {
  enum class Kind {
    nothing,  ///< it cannot be observed here
    hour,     ///< of the local day, from 0 to 24
    weekday,  ///< from 0, Monday, to 6
    command,  ///< a command that prints it
    query,    ///< a query of a Prometheus server
  };

  Kind kind = Kind::nothing;
  std::string command = {};
  std::string time_zone = {};  ///< of a clock; empty: that of the machine
  PrometheusSource prometheus = {};
};

/// Observes the context before a setting is chosen.
class ContextReader {
 public:
  /// Takes one input per variable. The contexts and the clock must outlive this object. Files with
  /// secrets are relative to the folder. Throws CommandLineError.
  ContextReader(const ContextSpace& contexts, const std::vector<ContextInput>& inputs, bool shell,
                const Clock& clock, const std::string& folder = "");

  /// Returns a coordinate per variable, as observed: a number may be outside the range of its
  /// variable. The limits apply to each command.
  [[nodiscard]] std::variant<std::vector<double>, SystemFailure> read(
      const RunLimits& limits) const;

 private:
  struct Input {
    ContextInput input;
    std::optional<CommandLine> command;
    std::unique_ptr<PrometheusClient> client;
  };

  [[nodiscard]] std::variant<double, SystemFailure> ask(const Input& input, const Domain& domain,
                                                        const RunLimits& limits) const;
  [[nodiscard]] std::variant<double, SystemFailure> read_one(std::size_t variable,
                                                             const RunLimits& limits) const;

  const ContextSpace& contexts_;
  const Clock& clock_;
  std::vector<Input> inputs_;
};

}  // namespace canopy
