#include "canopy/optimizers.hpp"
#include "canopy/stores.hpp"

#include "cli/commands.hpp"
#include "cli/study_flags.hpp"
#include "cli/study_text.hpp"
#include "files/json.hpp"
#include "studies/tuner.hpp"
#include "terminal/failure.hpp"
#include "terminal/progress.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct TuneArguments {
  std::string file;
  StudyFlags flags;
  bool json = false;
};

/// Warns if the search can never look at anything smaller than half of the space.
void warn_of_small_budget(const StudySpecification& study) {
  const OptimizerEntry& entry = optimizers().at(study.optimizer.name);
  if (!entry.least_pulls || !study.budget.pulls) return;
  const double needed = entry.least_pulls(study.optimizer.options);
  if (static_cast<double>(*study.budget.pulls) >= needed) return;
  fmt::print(
      stderr,
      "canopy tune: a budget of {} pulls cannot get below the first level: the first half of "
      "the space is divided after {:.0f} pulls at the earliest. Raise budget.pulls, or divide "
      "sooner: a smaller optimizer.confidence_scale or mixing_time, a larger "
      "optimizer.nu1 or rho\n",
      *study.budget.pulls, needed);
}

std::string status_text(const Study& study, const TuneProgress& progress) {
  std::string line =
      fmt::format("{}  {} pulls  {} changes  now {}", duration_text(progress.seconds),
                  progress.pulls, progress.changes, progress.setting);
  if (const auto best = study.best()) {
    line += "  best " + best_text(study.specification().space, *best);
  }
  return line;
}

void print_end(Study& study, const TuneEnd& end, bool json) {
  const StudySpecification& specification = study.specification();
  const auto best = study.best();
  if (json) {
    Document result = Document::Table{
        {"study", study.record().name},
        {"ended", end.text},
        {"setting", end.setting.empty() ? Document() : parse_json(end.setting, "setting")},
        {"pulls", end.pulls}};
    if (best) {
      result.set("best", best_and_uplift_document(specification.space, *best,
                                                  uplift_of(study, *best, specification)));
    }
    fmt::print("{}\n", json_text(result, 2));
    return;
  }
  fmt::print("{}: {}, after {} pulls\n", study.record().name, end.text, end.pulls);
  if (best) {
    fmt::print("best     {}\n", best_text(specification.space, *best));
    const std::string uplift = uplift_line(study, *best, specification);
    if (!uplift.empty()) fmt::print("uplift   {}\n", uplift);
  }
  if (!end.setting.empty()) fmt::print("left at  {}\n", end.setting);
}

int status_of(TuneEnd::Why why) {
  if (why == TuneEnd::Why::budget) return kSuccess;
  return why == TuneEnd::Why::interrupted ? kInterrupted : kFailure;
}

int tune(const TuneArguments& arguments) {
  const StudySpecification specification = load_study(arguments.file);
  if (!specification.system) {
    throw WrongUse(arguments.file + ": system: is missing; see --help for an example");
  }
  const std::string name = specification.name.empty()
                               ? std::filesystem::path(arguments.file).stem().string()
                               : specification.name;
  const std::unique_ptr<Store> store = open_store(arguments.flags.store, Store::Mode::create);
  Study study = Study::open(*store, specification, {name, arguments.flags.fork});
  warn_of_small_budget(study.specification());
  if (const Summary summary = study.summary(); summary.t > 1) {
    fmt::print(stderr, "{}: continuing after {} pulls\n", study.record().name, summary.t - 1);
  } else if (summary.observed > 0) {
    fmt::print(stderr, "{}: starting with {} rewards of {}\n", study.record().name,
               summary.observed, study.record().forked_from);
  }
  const StopOnSignal stop_on_signal;
  TuneEnd end;
  {
    StatusLine line;
    std::size_t advised = 0;
    Tuner tuner(study, {StopOnSignal::flag()}, [&](const TuneProgress& progress) {
      const std::vector<std::string> known = advice(study);
      if (known.size() > advised) {  // one of two may be said again: which is new is not known
        line.clear();
        for (const std::string& each : known) fmt::print(stderr, "canopy tune: {}\n", each);
      }
      advised = std::max(advised, known.size());
      if (line.due()) line.show(status_text(study, progress));
    });
    end = tuner.run();
  }
  print_end(study, end, arguments.json);
  return status_of(end.why);
}

}  // namespace

Command add_tune(Words app) {
  const auto arguments = std::make_shared<TuneArguments>();
  Words command = app.command("tune", "Tune a live system, durably.");
  command.option("STUDY.toml", arguments->file,
                 "the study: what to tune, how to set and measure it, for how long");
  arguments->flags.add_to(command);
  command.flag("--json", arguments->json, "print the result as JSON");
  command.footer(
      "Whatever stops it (Ctrl-C, a kill, a power cut), nothing is lost: the same command "
      "continues.\n"
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
      "  measure = \"./hit_rate.sh\"    # prints one number\n"
      "  [budget]\n"
      "  pulls = 2000\n"
      "  $ canopy tune cache.toml\n"
      "docs/tune.md has every key.");
  return [arguments] {
    if (arguments->file.empty())
      throw WrongUse("STUDY.toml: is missing; see --help for an example");
    return with_study_errors(arguments->file, [&] { return tune(*arguments); });
  };
}

}  // namespace canopy::cli
