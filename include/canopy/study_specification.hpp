#pragma once

#include "canopy/catalogue.hpp"
#include "canopy/context.hpp"
#include "canopy/http_system.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/options.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"
#include "canopy/specification_error.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace canopy {

/// What to do if the system cannot be set or measured.
enum class OnFailure {
  retry,  ///< up to three retries with increasing delays; then the arm has failed
  skip,   ///< the arm has failed without a retry
  stop,
};

/// The setting that the system is left with when tuning ends.
enum class OnExit {
  best,  ///< a setting proven to be better than the baseline, else the baseline
  baseline,
  leave,      ///< the current setting
  confirmed,  ///< the best arm if a comparison with the baseline has confirmed it, else the
              ///< baseline
};

template <>
struct EnumNames<OnFailure> {
  static constexpr std::array<std::string_view, 3> names{"retry", "skip", "stop"};
};
template <>
struct EnumNames<OnExit> {
  static constexpr std::array<std::string_view, 4> names{"best", "baseline", "leave", "confirmed"};
};

/// How the tuner sets and measures the system.
struct SystemOptions {
  std::uint64_t warmup_pulls = 0;
  double timeout_seconds = 30.0;
  OnFailure on_failure = OnFailure::retry;
  std::optional<double> failure_reward = std::nullopt;  ///< none: Optimizer::failure_reward
  double outage_seconds = 600.0;
  std::uint64_t max_failures = 25;
  std::uint64_t max_crashes = 5;
  OnExit on_exit = OnExit::best;
  std::uint64_t min_pulls_per_change = 1;
  std::optional<std::uint64_t> max_changes_per_hour = std::nullopt;
  std::optional<double> floor = std::nullopt;
  std::uint64_t floor_window = 20;

  friend bool operator==(const SystemOptions&, const SystemOptions&) = default;
};

template <class Visit>
void visit_fields(SystemOptions& options, Visit&& visit) {
  static constexpr Range kOneToFifty{"a whole number from 1 to 50",
                                     [](double x) { return x >= 1.0 && x <= 50.0; }};
  static constexpr Range kSeconds{"a number of seconds from 0.001 to 1e6",
                                  [](double x) { return x >= 1e-3 && x <= 1e6; }};
  visit(Field{"warmup_pulls",
              "measurements after a change that are recorded, but not learnt from; cannot be "
              "combined with "
              "`optimizer.settle`, which replaces it",
              kAnyWhole},
        options.warmup_pulls);
  visit(Field{"timeout_seconds",
              "time limit of a command; after it, the command is killed together with everything "
              "it started",
              kSeconds},
        options.timeout_seconds);
  visit(Field{"on_failure",
              "`retry`: up to three retries, after 0.25, 0.5 and 1 s, then the setting has failed; "
              "`skip`: the setting has failed at once; `stop`: tuning ends with an error"},
        options.on_failure);
  visit(Field{"failure_reward",
              "the reward that is learnt for a setting that fails; by default a little worse than "
              "the worst reward so far"},
        options.failure_reward);
  visit(Field{"outage_seconds", "how long to wait for a system that is down before tuning ends",
              kNotNegative},
        options.outage_seconds);
  visit(Field{"max_failures",
              "tuning stops after this many failures in the last 50 pulls, or if all of the first "
              "10 fail",
              kOneToFifty},
        options.max_failures);
  visit(Field{"max_crashes",
              "a setting also counts as failed if canopy was killed this many times in a row after "
              "it was applied and before it was measured; 0: never",
              kAnyWhole},
        options.max_crashes);
  visit(
      Field{
          "on_exit",
          "the setting that the system is left with: `best`, `confirmed`, `baseline`, or `leave`: "
          "the current one"},
      options.on_exit);
  visit(
      Field{"min_pulls_per_change", "every setting is kept for at least this many pulls", kMillion},
      options.min_pulls_per_change);
  visit(Field{"max_changes_per_hour",
              "maximum number of changes of the setting; further changes are delayed", kAtLeastOne},
        options.max_changes_per_hour);
  visit(Field{"floor",
              "if the mean of the last rewards is worse than this, the baseline is restored and "
              "tuning stops"},
        options.floor);
  visit(Field{"floor_window", "number of rewards that this mean is computed from", kMillion},
        options.floor_window);
}

/// The duration of tuning (until the first budget is used up; without a budget, until interrupted),
/// and the reward that tuning may cost (see LossRule).
struct Budget {
  std::optional<std::uint64_t> pulls = std::nullopt;
  std::optional<double> seconds = std::nullopt;
  std::optional<std::uint64_t> confirm_pulls = std::nullopt;
  std::optional<double> max_loss = std::nullopt;
  std::optional<double> worst_loss = std::nullopt;
  std::optional<double> max_loss_per_pull = std::nullopt;
  std::optional<double> worst_loss_per_pull = std::nullopt;

  [[nodiscard]] bool caps_loss() const { return max_loss || max_loss_per_pull; }

  friend bool operator==(const Budget&, const Budget&) = default;
};

template <class Visit>
void visit_fields(Budget& budget, Visit&& visit) {
  visit(Field{"pulls", "number of rewards to learn from", kAtLeastOne}, budget.pulls);
  visit(Field{"seconds", "duration of tuning", kPositive}, budget.seconds);
  visit(Field{"confirm_pulls",
              "pulls after the search, to compare the best setting with the baseline", kAtLeastOne},
        budget.confirm_pulls);
  static constexpr Range kPart{"a number above 0 and at most 1",
                               [](double x) { return x > 0.0 && x <= 1.0; }};
  visit(Field{"max_loss",
              "the share of what the baseline would have earned that tuning may cost, such as 0.02",
              kPart},
        budget.max_loss);
  visit(Field{"worst_loss",
              "the share of the baseline's reward that a pull of an untried setting loses in the "
              "worst case; by default 1, all of it",
              kPositive},
        budget.worst_loss);
  visit(Field{"max_loss_per_pull",
              "instead of `max_loss`, for rewards that may be negative: the reward that tuning may "
              "cost per pull, on average",
              kPositive},
        budget.max_loss_per_pull);
  visit(Field{"worst_loss_per_pull",
              "together with `max_loss_per_pull`: the reward that a pull of an untried setting "
              "loses in the worst case, compared with the baseline",
              kPositive},
        budget.worst_loss_per_pull);
}

struct StudySpecification;
struct BaselineRule;

/// Returns the violations in the limits on loss. They require a baseline that is measured.
[[nodiscard]] std::vector<Violation> violations_of_cap(const StudySpecification& study);

/// A setting known to be good, with which the search is compared: see WithBaseline.
struct Baseline {
  std::vector<double> setting = {};  ///< an arm, as coordinates
  std::uint64_t every = 10;
  std::uint64_t pulls = 4;
  std::optional<std::uint64_t> seed = std::nullopt;

  friend bool operator==(const Baseline&, const Baseline&) = default;
};

/// The keys other than `setting`.
template <class Visit>
void visit_fields(Baseline& baseline, Visit&& visit) {
  static constexpr Range kToMillion{"a whole number from 0 to 1000000",
                                    [](double x) { return x >= 0.0 && x <= 1e6; }};
  visit(Field{"every",
              "average number of pulls of the search between two rounds of comparison; 0: the "
              "baseline is measured only by `confirm`",
              kToMillion},
        baseline.every);
  visit(Field{"pulls", "pulls of the baseline per round", kThousand}, baseline.pulls);
  visit(Field{"seed", "for the random order of pairs; by default different for every study",
              kAnyWhole},
        baseline.seed);
}

/// How a live system is set and measured: commands as the user wrote them, or requests.
struct SystemSpecification {
  std::optional<std::variant<std::string, HttpApply>> apply;
  std::optional<std::variant<std::string, PrometheusSource>> measure;
  std::optional<std::string> process;
  bool shell = false;
  bool reads_arm = false;
  bool keep_background = false;
  std::optional<std::string> policy_file = std::nullopt;
  std::optional<std::string> folder = std::nullopt;
  SystemOptions options;

  friend bool operator==(const SystemSpecification&, const SystemSpecification&) = default;
};

/// The keys that are not in SystemOptions.
template <class Visit>
void visit_fields(SystemSpecification& system, Visit&& visit) {
  visit(
      Field{"apply",
            "a command, run once per change of the setting; `{name}` is replaced by the value of a "
            "parameter or of a `[[context]]` variable. Or a table: [a "
            "request](tune.md#setting-over-http)"},
      system.apply);
  visit(Field{"measure",
              "a command, run once per pull; prints the reward, a number, or a JSON object with it "
              "and other metrics. Or a table: [queries of "
              "Prometheus](tune.md#measuring-with-prometheus)"},
        system.measure);
  visit(Field{"process",
              "instead of `measure`: a program that keeps running. For every pull it reads a line "
              "`{\"arm\": {\"decay_minutes\": 5}}`, with a `[[context]]` also `\"context\"`, and "
              "prints the reward on a line"},
        system.process);
  visit(Field{"shell", "run the commands with `/bin/sh`"}, system.shell);
  visit(
      Field{"reads_arm",
            "the programs read the setting from `CANOPY_ARM`; only needed if canopy cannot detect "
            "that"},
      system.reads_arm);
  visit(
      Field{"keep_background",
            "background processes of a command are not killed when it ends (a daemon that `apply` "
            "starts)"},
      system.keep_background);
  visit(
      Field{
          "policy_file",
          "with `[[context]]`: the file to which the policy is written as JSON, every few seconds "
          "and at the end"},
      system.policy_file);
  visit(Field{"folder",
              "the working directory of commands, to which relative paths refer; by default the "
              "folder of the study file"},
        system.folder);
}

/// Where the tuner gets the value of a context variable before each pull.
struct ContextSource {
  static constexpr std::string_view kHour = "clock.hour";
  static constexpr std::string_view kWeekday = "clock.weekday";

  std::string source = {};     ///< one of the above, or a command; empty: clients pass the value
  std::string time_zone = {};  ///< for clocks; empty: the time zone of the machine
  std::optional<PrometheusSource> prometheus = std::nullopt;  ///< instead of a command

  friend bool operator==(const ContextSource&, const ContextSource&) = default;
};

/// The keys of [[context]] other than `period` and those of a parameter. `source` may also be a
/// table.
template <class Visit>
void visit_fields(ContextSource& source, Visit&& visit) {
  visit(Field{"source",
              "where `canopy tune` gets the value before each pull: `clock.hour` (a real from 0 "
              "to 24 with period 24), `clock.weekday` (an integer from 0, Monday, to 6), a command "
              "that prints it, or a [query of Prometheus](tune.md#measuring-with-prometheus); "
              "without it, the client that asks has to give the value"},
        source.source);
  visit(Field{"time_zone",
              "for a clock, such as `Europe/Berlin`; by default the time zone of the machine"},
        source.time_zone);
}

/// A study: the search space, the optimizer, the objective, and how the system is set and measured.
struct StudySpecification {
  std::string name = {};  ///< may be empty
  Space space;
  /// Without a name: the optimizer that the study was created with, else `kDefaultOptimizer`.
  Selection optimizer = {};
  std::uint32_t revision = 0;  ///< of the optimizer; 0: the current one
  PartitionRule partition = {};
  Objective objective = {};
  ContextSpace contexts = {};  ///< the variables that the best setting may depend on
  std::vector<ContextSource> context_sources = {};  ///< one for each variable
  std::optional<Baseline> baseline = std::nullopt;
  std::optional<SystemSpecification> system = std::nullopt;
  Budget budget = {};

  [[nodiscard]] bool is_baseline(const std::vector<double>& arm) const {
    return baseline && baseline->setting == arm;
  }

  friend bool operator==(const StudySpecification&, const StudySpecification&) = default;
};

/// Reads a study from TOML or JSON text; both have the same keys. `source` names the text in
/// messages. Throws SpecificationError with all mistakes.
[[nodiscard]] StudySpecification parse_study(std::string_view toml, const std::string& source);
[[nodiscard]] StudySpecification parse_study_json(std::string_view json, const std::string& source);

/// Reads a study file: JSON if its name ends in .json, else TOML.
[[nodiscard]] StudySpecification load_study(const std::string& path);

/// Writes a specification so that it can be parsed back to an equal one.
[[nodiscard]] std::string toml_of(const StudySpecification& study);
[[nodiscard]] std::string json_of(const StudySpecification& study);

/// Returns the specification with all options of the optimizer and its revision set explicitly, so
/// that later changes of defaults do not affect it. Throws ConfigurationError.
[[nodiscard]] StudySpecification resolved(StudySpecification study);

/// The optimizer of one study for use in another one that specifies none. Options that depend on
/// whether there are contexts (`drift`) are omitted if only one of the studies has contexts.
[[nodiscard]] Selection inherited_optimizer(const StudySpecification& from,
                                            const StudySpecification& by);

/// Describes the differences in everything that learning depends on (the space, the optimizer and
/// the objective, once resolved): `optimizer.rho was 0.5 and is 0.7; ...`. Empty if there are none.
[[nodiscard]] std::string learning_differences(const StudySpecification& before,
                                               const StudySpecification& after);

/// Describes the differences in the commands that set and measure the system, after which rewards
/// may not be comparable: `system.measure was "a" and is "b"`. Empty if there are none.
[[nodiscard]] std::string command_differences(const StudySpecification& before,
                                              const StudySpecification& after);

/// Returns a violation for everything in a study that cannot be combined with contexts yet.
[[nodiscard]] std::vector<Violation> violations_of_contexts(const StudySpecification& study);

/// The number of pulls that the system takes to settle, according to the optimizer's options; 0:
/// none.
[[nodiscard]] std::uint64_t settle_of(const Selection& optimizer);
[[nodiscard]] bool settles_by_distance(const Selection& optimizer);

/// Comparisons with the baseline: the number of rewards in a row per visit to a setting, and the
/// number of pulls before them while the system settles.
[[nodiscard]] std::uint64_t visit_of(const StudySpecification& study);
[[nodiscard]] std::uint64_t warmup_of(const StudySpecification& study);

/// The number of pairs in a round of comparison with the baseline, and the maximum number of
/// changes of the setting in a round: two per pair, one before the first pair, and one to the next
/// arm.
[[nodiscard]] std::uint64_t pairs_of_round(const StudySpecification& study);
[[nodiscard]] inline std::uint64_t changes_of_round(std::uint64_t pairs) {
  return 2 * pairs + 2;
}

/// The rule for how often a study with a baseline compares with it. `seed` is for its random order,
/// unless the baseline specifies a seed.
[[nodiscard]] BaselineRule baseline_rule(const StudySpecification& study, std::uint64_t seed);

/// Creates the optimizer of a study in its initial state. `seed` is for its random choices. Throws
/// ConfigurationError.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const StudySpecification& study,
                                                        std::uint64_t seed = 1);

/// Wraps an optimizer so that it is compared with the study's baseline, if the study has one.
[[nodiscard]] std::unique_ptr<Optimizer> compared(std::unique_ptr<Optimizer> optimizer,
                                                  const StudySpecification& study,
                                                  std::uint64_t seed = 1);

}  // namespace canopy
