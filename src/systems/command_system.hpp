#pragma once

#include "canopy/clock.hpp"
#include "canopy/context.hpp"
#include "canopy/http_system.hpp"

#include "files/names.hpp"
#include "systems/command.hpp"
#include "systems/command_line.hpp"
#include "systems/context_reader.hpp"
#include "systems/coprocess.hpp"
#include "systems/http_setter.hpp"
#include "systems/live_system.hpp"
#include "systems/prometheus.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace canopy {

/// Parses the output of a measurement: a number, or a JSON object with the reward and other
/// numbers. Values that are not numbers are ignored.
[[nodiscard]] std::variant<Reading, SystemFailure> reading_in(std::string_view output);

/// A command, or the HTTP request or queries that replace it.
using ApplyAction = std::variant<std::string, HttpApply>;
using MeasureAction = std::variant<std::string, PrometheusSource>;

/// How to set and measure a system, as written by the user.
struct SystemCommands {
  bool shell = false;                                   ///< run with /bin/sh
  bool keep_background = false;                         ///< do not kill background processes
  std::optional<ApplyAction> apply = std::nullopt;      ///< run once per change of the setting
  std::optional<MeasureAction> measure = std::nullopt;  ///< run once per pull
  std::optional<std::string> process = std::nullopt;    ///< replaces `measure`: asked once per pull
  std::vector<ContextInput> contexts = {};              ///< source of each context variable
  double timeout_seconds = 30.0;
  std::string folder = {};  ///< working directory; empty: ours
};

/// A system that is set and measured by programs or over HTTP. The values of the current context
/// are passed in the same ways as those of the arm: by placeholders such as `{load}`, and to
/// programs in environment variables such as CANOPY_load. Programs also get all of them as JSON: in
/// CANOPY_CONTEXT, or as "context" in the line that is sent to a process.
class CommandSystem final : public LiveSystem {
 public:
  /// Both spaces and the clock must outlive this object; `stop`, if given, interrupts running
  /// commands. Throws CommandLineError.
  CommandSystem(const SystemCommands& commands, const Names& names, const std::atomic<bool>* stop,
                Clock& clock = machine_clock());

  [[nodiscard]] bool can_be_set() const override { return apply_ || setter_ || process_; }

  [[nodiscard]] std::variant<std::vector<double>, SystemFailure> observe() override;
  /// Returns true if `apply` uses a value of the context that has changed.
  bool enter(Context context) override;

  /// Without an `apply` command, a process receives the setting when it is measured.
  [[nodiscard]] std::optional<SystemFailure> apply(Arm arm) override;
  [[nodiscard]] std::variant<Reading, SystemFailure> measure(Arm arm) override;
  [[nodiscard]] std::optional<SystemFailure> leave_at(Arm arm) override;

  /// Describes what is done for an arm: commands as a user would type them, and a line for each
  /// query.
  [[nodiscard]] std::string apply_text(Arm arm) const;
  [[nodiscard]] std::vector<std::string> measure_texts(Arm arm) const;

  /// Evaluates the queries that measure the system, without waiting; empty if a program measures
  /// it.
  [[nodiscard]] std::vector<PrometheusMeter::Look> look(Arm arm);
  /// How many seconds a setting is in force before the queries are evaluated; 0 without queries.
  [[nodiscard]] double over() const { return meter_ ? meter_->over() : 0.0; }
  /// The shortest time between two scrapes in seconds, if queries measure the system and it is
  /// known.
  [[nodiscard]] std::optional<double> scrape_interval();

 private:
  [[nodiscard]] RunLimits limits_for(Arm arm) const;
  [[nodiscard]] std::string request_for(Arm arm) const;
  [[nodiscard]] Values values_for(Arm arm) const;
  [[nodiscard]] std::string text_of(const CommandLine& command, Arm arm) const;
  [[nodiscard]] WebLimits web_limits() const { return {timeout_seconds_, stop_}; }
  [[nodiscard]] bool lacks_context() const { return context_.size() != names_.contexts.size(); }
  [[nodiscard]] std::optional<SystemFailure> apply(Arm arm, const RunLimits& limits);

  Names names_;
  ContextReader reader_;
  std::vector<double> context_;  // empty: none entered yet
  const std::atomic<bool>* stop_;
  double timeout_seconds_;
  bool keep_background_;
  std::string folder_;
  bool shell_;
  // At most one of these two sets the system, and exactly one of the other three measures it.
  std::optional<CommandLine> apply_;
  std::unique_ptr<HttpSetter> setter_;
  std::optional<CommandLine> measure_;
  std::unique_ptr<PrometheusMeter> meter_;
  std::unique_ptr<Coprocess> process_;
};

}  // namespace canopy
