#pragma once

#include "canopy/space.hpp"

#include "core/fields.hpp"
#include "files/toml_reader.hpp"
#include "systems/command_line.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace canopy {

/// What to do when the system cannot be set or measured.
enum class OnFailure {
  retry,  ///< at most three more times, waiting longer each time; then stop
  skip,   ///< measure again as if nothing had happened
  stop,
};

/// The setting that the system is left with.
enum class OnExit { best, baseline, leave };

template <>
struct EnumNames<OnFailure> {
  static constexpr std::array<std::string_view, 3> names{"retry", "skip", "stop"};
};
template <>
struct EnumNames<OnExit> {
  static constexpr std::array<std::string_view, 3> names{"best", "baseline", "leave"};
};

/// How the tuner treats the system.
struct SystemOptions {
  std::uint64_t warmup_pulls = 0;
  double timeout_seconds = 30.0;
  OnFailure on_failure = OnFailure::retry;
  OnExit on_exit = OnExit::best;
  std::uint64_t baseline_every = 0;
  std::uint64_t baseline_pulls = 10;
  std::uint64_t min_pulls_per_change = 1;
  std::optional<std::uint64_t> max_changes_per_hour;
  std::optional<double> floor;
  std::uint64_t floor_window = 20;
};

/// How long to tune: whichever comes first; neither: until it is interrupted.
struct Budget {
  std::optional<std::uint64_t> pulls;
  std::optional<double> seconds;
};

/// The [system] of a study file.
struct SystemSpecification {
  std::optional<CommandLine> apply;    ///< run once per change of arm
  std::optional<CommandLine> measure;  ///< run once per pull, prints one number; or
  std::optional<CommandLine> process;  ///< is told the arm of every pull, answers with its reward
  std::optional<std::vector<double>> baseline;
  SystemOptions options;
};

/// The one list of these options; see Field.
template <AlternativeOf<std::variant<SystemOptions>> Options, class Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  static constexpr Range kSeconds{"a number of seconds from 0.001 to 1e6",
                                  [](double x) { return x >= 1e-3 && x <= 1e6; }};
  visit(Field{"warmup_pulls", "measured after a change, not learnt from", kAnyWhole},
        options.warmup_pulls);
  visit(Field{"timeout_seconds", "until a program is killed", kSeconds}, options.timeout_seconds);
  visit(Field{"on_failure", "retry, skip or stop"}, options.on_failure);
  visit(Field{"on_exit", "what to leave the system with: best, baseline or leave"},
        options.on_exit);
  visit(Field{"baseline_every", "changes of arm between measurements of the baseline; 0: never",
              kAnyWhole},
        options.baseline_every);
  visit(Field{"baseline_pulls", "of each measurement of the baseline", kMillion},
        options.baseline_pulls);
  visit(Field{"min_pulls_per_change", "an arm is held for so many", kMillion},
        options.min_pulls_per_change);
  visit(Field{"max_changes_per_hour", "more are put off", kAtLeastOne},
        options.max_changes_per_hour);
  visit(Field{"floor", "worse rewards, on average, put the baseline back", kNoRange},
        options.floor);
  visit(Field{"floor_window", "so many rewards are averaged for it", kMillion},
        options.floor_window);
}

template <AlternativeOf<std::variant<Budget>> Options, class Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit(Field{"pulls", "rewards to learn from", kAtLeastOne}, options.pulls);
  visit(Field{"seconds", "of tuning", kPositive}, options.seconds);
}

/// Reads [system], if it is there. Complaints are left with the reader.
[[nodiscard]] std::optional<SystemSpecification> read_system(TomlReader& reader,
                                                             const toml::table& root,
                                                             const Space& space);

/// Reads [budget].
[[nodiscard]] Budget read_budget(TomlReader& reader, const toml::table& root);

}  // namespace canopy
