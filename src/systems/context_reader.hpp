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

/// Where the value of a context variable is from.
struct ContextInput {
  enum class Kind {
    nothing,  ///< it cannot be known here
    hour,     ///< of the local day, from 0 to 24
    weekday,  ///< from 0, Monday, to 6
    command,  ///< prints it
    query,    ///< of a Prometheus server
  };

  Kind kind = Kind::nothing;
  std::string command = {};
  std::string time_zone = {};  ///< of a clock; empty: that of the machine
  PrometheusSource prometheus = {};
};

/// Reads what is observed before a setting is chosen.
class ContextReader {
 public:
  /// One input per variable. The contexts and the clock must outlive it. Secrets are seen from the
  /// folder. Throws CommandLineError.
  ContextReader(const ContextSpace& contexts, const std::vector<ContextInput>& inputs, bool shell,
                const Clock& clock, const std::string& folder = "");

  /// A coordinate per variable, as it was observed: a number may be beyond the range of its
  /// variable. Commands have these limits.
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
