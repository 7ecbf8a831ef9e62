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

/// What to do when the system cannot be set or measured.
enum class OnFailure {
  retry,  ///< at most three more times, waiting longer each time; then the arm has failed
  skip,   ///< the arm has failed at once
  stop,
};

/// The setting that the system is left with.
enum class OnExit {
  best,  ///< the setting that is proven to be better than the baseline, else the baseline
  baseline,
  leave,      ///< the one it has
  confirmed,  ///< the best arm if a comparison with the baseline has confirmed it, else that
};

template <>
struct EnumNames<OnFailure> {
  static constexpr std::array<std::string_view, 3> names{"retry", "skip", "stop"};
};
template <>
struct EnumNames<OnExit> {
  static constexpr std::array<std::string_view, 4> names{"best", "baseline", "leave", "confirmed"};
};

/// How the tuner treats the system.
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
              "pulls measured after a change and recorded, but not learnt from; not with "
              "`optimizer.settle`, which takes its place",
              kAnyWhole},
        options.warmup_pulls);
  visit(Field{"timeout_seconds",
              "after this, a command is killed together with everything it started", kSeconds},
        options.timeout_seconds);
  visit(Field{"on_failure",
              "`retry`: up to three more times, after 0.25, 0.5 and 1 s, then the arm has failed; "
              "`skip`: the arm has failed at once; `stop`: so has the study"},
        options.on_failure);
  visit(
      Field{"failure_reward",
            "what is learnt when an arm fails; without it, a little worse than all rewards so far"},
      options.failure_reward);
  visit(Field{"outage_seconds", "how long to wait for a system that is down", kNotNegative},
        options.outage_seconds);
  visit(Field{"max_failures",
              "this many failures in the last 50 pulls, or 10 among the first 10, stop the study",
              kOneToFifty},
        options.max_failures);
  visit(
      Field{"max_crashes",
            "an arm at which canopy itself was killed this often in a row, before it could measure "
            "it, has failed too; 0: never",
            kAnyWhole},
      options.max_crashes);
  visit(Field{"on_exit",
              "the setting the system is left with: `best`, `confirmed`, `baseline`, or (`leave`) "
              "the one it has"},
        options.on_exit);
  visit(Field{"min_pulls_per_change", "a setting is held for at least this many pulls", kMillion},
        options.min_pulls_per_change);
  visit(Field{"max_changes_per_hour", "changes beyond this are postponed", kAtLeastOne},
        options.max_changes_per_hour);
  visit(
      Field{"floor",
            "when the mean of the last rewards is worse than this, restore the baseline and stop"},
      options.floor);
  visit(Field{"floor_window", "rewards that this mean is taken over", kMillion},
        options.floor_window);
}

/// How long to tune: until the first is used up; with neither, until interrupted. And how much it
/// may cost: see LossRule.
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
  visit(Field{"pulls", "rewards to learn from", kAtLeastOne}, budget.pulls);
  visit(Field{"seconds", "of tuning", kPositive}, budget.seconds);
  visit(
      Field{"confirm_pulls", "after them, to compare the best arm with the baseline", kAtLeastOne},
      budget.confirm_pulls);
  static constexpr Range kPart{"a number above 0 and at most 1",
                               [](double x) { return x > 0.0 && x <= 1.0; }};
  visit(Field{"max_loss",
              "the part of what the baseline would have earned meanwhile that tuning may cost: "
              "0.02",
              kPart},
        budget.max_loss);
  visit(Field{"worst_loss",
              "the part of that which a pull of an untried setting may lose at worst; by default "
              "1, all of it",
              kPositive},
        budget.worst_loss);
  visit(Field{"max_loss_per_pull",
              "instead of `max_loss`, where rewards may be negative: how much less than the "
              "baseline pulls may earn on average",
              kPositive},
        budget.max_loss_per_pull);
  visit(Field{"worst_loss_per_pull",
              "with it: how much less a pull of an untried setting may earn at worst", kPositive},
        budget.worst_loss_per_pull);
}

struct StudySpecification;
struct BaselineRule;

/// Everything that is wrong with the cap on what tuning costs, which is reckoned beside a baseline
/// that is measured.
[[nodiscard]] std::vector<Violation> violations_of_cap(const StudySpecification& study);

/// A setting that is known to be good. The search is compared with it: see WithBaseline.
struct Baseline {
  std::vector<double> setting = {};  ///< an arm
  std::uint64_t every = 10;
  std::uint64_t pulls = 4;
  std::optional<std::uint64_t> seed = std::nullopt;

  friend bool operator==(const Baseline&, const Baseline&) = default;
};

/// The keys beside `setting`.
template <class Visit>
void visit_fields(Baseline& baseline, Visit&& visit) {
  static constexpr Range kToMillion{"a whole number from 0 to 1000000",
                                    [](double x) { return x >= 0.0 && x <= 1e6; }};
  visit(Field{"every",
              "pulls of the search between two rounds of comparing, on average; 0: it is measured "
              "by `confirm` alone",
              kToMillion},
        baseline.every);
  visit(Field{"pulls", "of the baseline in a round", kThousand}, baseline.pulls);
  visit(Field{"seed", "of the coin that orders pairs; without it, every study has its own",
              kAnyWhole},
        baseline.seed);
}

/// How a live system is set and measured: commands as they are written, or requests.
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

/// The keys that are not options.
template <class Visit>
void visit_fields(SystemSpecification& system, Visit&& visit) {
  visit(Field{"apply",
              "a command, run once per change of the setting; `{name}` stands for the value of a "
              "parameter, or of a `[[context]]`. Or a table: [a request](#setting-over-http)"},
        system.apply);
  visit(Field{"measure",
              "a command, run once per pull; prints the reward, a number, or a JSON object with it "
              "and other metrics. Or a table: [queries of "
              "Prometheus](#measuring-with-prometheus)"},
        system.measure);
  visit(
      Field{"process",
            "instead of `measure`: a program that keeps running. For every pull it is sent a line "
            "`{\"arm\": {\"decay_minutes\": 5}}`, with a `[[context]]` also `\"context\"`, and "
            "prints the reward on a line"},
      system.process);
  visit(Field{"shell", "run the commands with `/bin/sh`"}, system.shell);
  visit(Field{"reads_arm",
              "the programs take the arm from `CANOPY_ARM`; only needed where canopy cannot see "
              "that itself"},
        system.reads_arm);
  visit(Field{"keep_background",
              "what a command leaves running in the background goes on (a daemon that `apply` "
              "starts)"},
        system.keep_background);
  visit(Field{"policy_file",
              "with `[[context]]`: the file that the policy is written to as JSON, every few "
              "seconds and at the end"},
        system.policy_file);
  visit(Field{"folder",
              "the folder that commands run in and that relative paths are seen from; by default "
              "that of the study file"},
        system.folder);
}

/// Where a tuner has the value of a context variable from, before each pull.
struct ContextSource {
  static constexpr std::string_view kHour = "clock.hour";
  static constexpr std::string_view kWeekday = "clock.weekday";

  std::string source = {};     ///< one of these, or a command; empty: whoever asks gives it
  std::string time_zone = {};  ///< of a clock; empty: that of the machine
  std::optional<PrometheusSource> prometheus = std::nullopt;  ///< instead of a command

  friend bool operator==(const ContextSource&, const ContextSource&) = default;
};

/// The keys of [[context]] beside those of a parameter and `period`. `source` may be a table, too.
template <class Visit>
void visit_fields(ContextSource& source, Visit&& visit) {
  visit(
      Field{"source",
            "where `canopy tune` has the value from, before each pull: `clock.hour` (a real from 0 "
            "to 24 with period 24), `clock.weekday` (an integer from 0, Monday, to 6), a command "
            "that prints it, or a [query of Prometheus](tune.md#measuring-with-prometheus); "
            "without it, whoever asks gives it"},
      source.source);
  visit(Field{"time_zone", "of a clock, such as `Europe/Berlin`; by default that of the machine"},
        source.time_zone);
}

/// A study: what is tuned, by what, what a reward means, and how the system is set and measured.
struct StudySpecification {
  std::string name = {};  ///< may be empty
  Space space;
  /// Without a name: the one that the study was begun with, else `kDefaultOptimizer`.
  Selection optimizer = {};
  std::uint32_t revision = 0;  ///< of the optimizer; 0: the present one
  PartitionRule partition = {};
  Objective objective = {};
  ContextSpace contexts = {};                       ///< what the best setting may depend on
  std::vector<ContextSource> context_sources = {};  ///< of each of these
  std::optional<Baseline> baseline = std::nullopt;
  std::optional<SystemSpecification> system = std::nullopt;
  Budget budget = {};

  [[nodiscard]] bool is_baseline(const std::vector<double>& arm) const {
    return baseline && baseline->setting == arm;
  }

  friend bool operator==(const StudySpecification&, const StudySpecification&) = default;
};

/// Reads a study from TOML or JSON text, which have the same keys. `source` names it in messages.
/// Throws SpecificationError with every mistake.
[[nodiscard]] StudySpecification parse_study(std::string_view toml, const std::string& source);
[[nodiscard]] StudySpecification parse_study_json(std::string_view json, const std::string& source);

/// Reads a study file, TOML or, if its name ends in .json, JSON.
[[nodiscard]] StudySpecification load_study(const std::string& path);

/// A text that reads back as an equal specification.
[[nodiscard]] std::string toml_of(const StudySpecification& study);
[[nodiscard]] std::string json_of(const StudySpecification& study);

/// The same with every option of the optimizer and its revision: a default that changes later does
/// not affect it. Throws ConfigurationError.
[[nodiscard]] StudySpecification resolved(StudySpecification study);

/// The optimizer of one study for another one, where that asks for none. What depends on whether
/// there are contexts (`drift`) is left out where only one of them has any.
[[nodiscard]] Selection inherited_optimizer(const StudySpecification& from,
                                            const StudySpecification& by);

/// How two specifications differ in what learning depends on (the space, the optimizer, the
/// objective, once resolved): `optimizer.rho was 0.5 and is 0.7; ...`. Empty: not at all.
[[nodiscard]] std::string learning_differences(const StudySpecification& before,
                                               const StudySpecification& after);

/// How they differ in the commands that set and measure the system, so that rewards may be of
/// something else: `system.measure was "a" and is "b"`. Empty: not at all.
[[nodiscard]] std::string command_differences(const StudySpecification& before,
                                              const StudySpecification& after);

/// Everything in a study that cannot be combined with contexts yet.
[[nodiscard]] std::vector<Violation> violations_of_contexts(const StudySpecification& study);

/// How many pulls an optimizer was told the system takes to settle; 0: none.
[[nodiscard]] std::uint64_t settle_of(const Selection& optimizer);
[[nodiscard]] bool settles_by_distance(const Selection& optimizer);

/// How many rewards in a row a visit to a setting takes when it is compared with another one, and
/// how many pulls come before them, while the system settles.
[[nodiscard]] std::uint64_t visit_of(const StudySpecification& study);
[[nodiscard]] std::uint64_t warmup_of(const StudySpecification& study);

/// Pairs in a round of comparing with the baseline, and changes of the setting that these take at
/// most: to either side of every pair, to one of them before, and on to the next arm.
[[nodiscard]] std::uint64_t pairs_of_round(const StudySpecification& study);
[[nodiscard]] inline std::uint64_t changes_of_round(std::uint64_t pairs) {
  return 2 * pairs + 2;
}

/// How often a study with a baseline compares with it. The coin that is tossed has the seed, unless
/// the baseline has one.
[[nodiscard]] BaselineRule baseline_rule(const StudySpecification& study, std::uint64_t seed);

/// The optimizer of a study before its first pull. The coin that it tosses has the seed. Throws
/// ConfigurationError.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const StudySpecification& study,
                                                        std::uint64_t seed = 1);

/// The same of one that exists: compared with the study's baseline, if it has one.
[[nodiscard]] std::unique_ptr<Optimizer> compared(std::unique_ptr<Optimizer> optimizer,
                                                  const StudySpecification& study,
                                                  std::uint64_t seed = 1);

}  // namespace canopy
