#include "canopy/study.hpp"

#include "cli/any_store.hpp"
#include "cli/commands.hpp"
#include "cli/dry_run.hpp"
#include "cli/run_tuner.hpp"
#include "cli/study_flags.hpp"
#include "terminal/say.hpp"
#include "tuning/tuner_state.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct TuneArguments {
  std::string file;
  StoreFlags where;
  std::optional<std::string> fork;
  TuneStatus::Files files;
  bool dry_run = false;
  bool measure = false;
  bool json = false;
  bool accept_changes = false;
};

int tune(const TuneArguments& arguments) {
  const StudySpecification specification = load_study(arguments.file);
  if (!specification.system) {
    throw WrongUse(arguments.file + ": system: is missing; see --help for an example");
  }
  const std::string name = specification.name.empty()
                               ? std::filesystem::path(arguments.file).stem().string()
                               : specification.name;
  if (arguments.measure && !arguments.dry_run) throw WrongUse("--measure: needs --dry-run");
  if (arguments.dry_run) return dry_run(resolved(specification), name, arguments.measure);
  check_before_start(resolved(specification));
  const AnyStore store = open_any_store(arguments.where, Store::Mode::create, "tune");
  Study study = Study::open(*store, specification,
                            {.name = name,
                             .fork = arguments.fork,
                             .fold = tuner_fold,
                             .accept_changes = arguments.accept_changes});
  if (const Summary summary = study.summary(); summary.t > 1) {
    terminal::say("{}: continuing after {} pulls\n", study.record().name, summary.t - 1);
  } else if (summary.observed > 0) {
    terminal::say("{}: starting with {} rewards of {}\n", study.record().name, summary.observed,
                  study.record().forked_from);
  } else if (arguments.fork && study.events() == 0) {
    terminal::say(
        "{}: starting without data of {}, which has other parameters, contexts or commands, or "
        "no rewards\n",
        study.record().name, study.record().forked_from);
  }
  store.wait_for_server(specification.system->options.outage_seconds);
  return run_tuner("tune", study, arguments.files, arguments.json,
                   [](Tuner& tuner) { return tuner.run(); });
}

}  // namespace

Command add_tune(ArgumentParser app) {
  const auto arguments = std::make_shared<TuneArguments>();
  ArgumentParser command = app.command("tune", "Tune a live system.");
  command.option("STUDY.toml", arguments->file,
                 "the study file: what to tune, how to set and measure it, for how long");
  arguments->where.add_to(command);
  add_fork_flag(command, arguments->fork);
  command.flag("--accept-changes", arguments->accept_changes,
               "continue although the commands that set or measure the system have changed; "
               "recorded in the journal");
  command.flag("--dry-run", arguments->dry_run,
               "set and measure nothing: show the first commands, the present context, the final "
               "setting, and all warnings");
  command.flag("--measure", arguments->measure,
               "with --dry-run: apply the baseline, or the first setting, and measure it three "
               "times");
  command.option("--status", arguments->files.status,
                 "write the state of the tuning to this file every few seconds, as JSON");
  command.option("--metrics", arguments->files.metrics,
                 "the same in the text format of Prometheus, as a .prom file for node_exporter");
  command.flag("--json", arguments->json, "print the result as JSON");
  command.footer(
      "If it is interrupted (Ctrl-C, a kill, a power cut), nothing is lost: the same command "
      "continues. SIGUSR1 pauses it at the best setting so far, a second one resumes it; `canopy "
      "steer` has more commands.\n"
      "With --server, the study is stored on a server, and the system is set and measured on "
      "this machine. If the server is unreachable, the tuner waits up to system.outage_seconds.\n"
      "Example, a file cache.toml:\n"
      "  name = \"cache\"\n"
      "  [optimizer]\n"
      "  settle = 2                     # pulls until a change has taken effect\n"
      "  [[space]]\n"
      "  name = \"decay_minutes\"\n"
      "  type = \"integer\"\n"
      "  low = 0\n"
      "  high = 100\n"
      "  [system]\n"
      "  apply = \"redis-cli -e config set lfu-decay-time {decay_minutes}\"\n"
      "  measure = \"./hit_rate.sh\"    # prints the reward, or {\"reward\": 0.8, \"p99_ms\": 31}\n"
      "  [baseline]\n"
      "  setting = { decay_minutes = 1 }\n"
      "  [budget]\n"
      "  pulls = 2000\n"
      "  $ canopy tune cache.toml --dry-run\n"
      "  $ canopy tune cache.toml\n"
      "docs/study-files.md lists all keys.");
  return [arguments] {
    if (arguments->file.empty())
      throw WrongUse("STUDY.toml: is missing; see --help for an example");
    return with_study_errors(arguments->file, [&] { return tune(*arguments); });
  };
}

}  // namespace canopy::cli
