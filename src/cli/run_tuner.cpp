#include "cli/run_tuner.hpp"

#include "cli/study_text.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "insight/best_answer.hpp"
#include "insight/change_text.hpp"
#include "studies/answers.hpp"
#include "terminal/failure.hpp"
#include "terminal/progress.hpp"
#include "terminal/say.hpp"
#include "tuning/policy_file.hpp"
#include "tuning/system.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {

using namespace terminal;

namespace {

constexpr std::size_t kRewardsThatShouldVary = 3;

/// Prints each note once: recommended options, limits, changes of the system, and a warning if the
/// first rewards do not vary.
class Adviser {
 public:
  Adviser(std::string command, const Study& study) : command_(std::move(command)), study_(study) {}

  void look(const TuneProgress& progress, StatusLine& line) {
    const std::vector<std::string> known = advice(study_);
    // If there is more advice than before, all of it is printed again.
    if (known.size() > advised_) {
      for (const std::string& each : known) say(each, line);
    }
    advised_ = std::max(advised_, known.size());
    for (const LimitNote& note :
         limit_notes(study_, study_.specification(), tuner_state_of(study_))) {
      if (noted_.insert(note.about).second) say(note.text, line);
    }
    if (const std::uint64_t changes = study_.changes(); changes != changes_) {
      changes_ = changes;
      say("the system has changed: " + change_text(study_.summary().last_change.value()), line);
    }
    if (!progress.reward || progress.pulls == pulls_) return;
    pulls_ = progress.pulls;
    if (rewards_.size() >= kRewardsThatShouldVary) return;
    rewards_.push_back(*progress.reward);
    const bool vary = std::any_of(rewards_.begin(), rewards_.end(),
                                  [&](double reward) { return reward != rewards_.front(); });
    if (rewards_.size() == kRewardsThatShouldVary && !vary) {
      say(fmt::format("the first {} rewards are all {:g}; check what the measure command prints",
                      kRewardsThatShouldVary, rewards_.front()),
          line);
    }
  }

 private:
  void say(const std::string& text, StatusLine& line) const {
    line.clear();
    terminal::say("canopy {}: {}\n", command_, text);
  }

  std::string command_;
  const Study& study_;
  std::size_t advised_ = 0;
  std::uint64_t changes_ = study_.changes();  // changes of the system
  std::uint64_t pulls_ = 0;
  std::vector<double> rewards_;
  std::set<std::string> noted_;  // limits that were mentioned
};

/// Prints the standard error of a command, unless it is a single line, because the failure message
/// already contains the last line.
void print_errors(const std::string& errors) {
  std::istringstream lines(errors);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  if (all.size() < 2) return;
  fmt::print("standard error of the command:\n");
  for (const std::string& line : all) fmt::print("  {}\n", line);
}

void print_end(const Study& study, const TuneEnd& end, bool json) {
  const StudySpecification& specification = study.specification();
  const auto best = study.best();
  const std::uint64_t failures = tuner_state_of(study).failures();
  if (json) {
    Document result = Document::Table{
        {"study", study.record().name},
        {"end_reason", end.text},
        {"setting", end.setting.empty() ? Document() : parse_json(end.setting, "setting")},
        {"pulls", end.pulls},
        {"failures", failures}};
    if (!end.left_at.empty()) result.set("setting_reason", end.left_at);
    if (!end.errors.empty()) result.set("standard_error", end.errors);
    if (!study.contexts().empty()) result.set("policy", policy_snapshot(study));
    if (!end.policy_file.empty()) result.set("policy_file", end.policy_file);
    if (best) {
      result.set("best", record_of(specification.space, best_answer(study, *best, specification,
                                                                    tuner_state_of(study))));
    }
    if (const auto nearest = best ? std::nullopt : study.nearest()) {
      result.set("best", Document());
      result.set("nearest",
                 record_of(specification.space,
                           best_answer(study, *nearest, specification, tuner_state_of(study))));
    }
    if (const auto loss = study.loss()) {
      result.set("loss", record_of(specification.space, *loss));
    }
    fmt::print("{}\n", json_text(result, 2));
    return;
  }
  fmt::print("{}: {}, after {} pulls{}\n", study.record().name, end.text, end.pulls,
             failures == 0 ? "" : fmt::format(", {} of which failed", failures));
  print_errors(end.errors);
  const TunerState& tuner = tuner_state_of(study);
  std::string_view first = "best";
  const std::string depends = depends_text(study, study.record().name);
  if (!depends.empty()) {
    fmt::print("{:8} {}\n", first, depends);
    first = "now";
  }
  for (const KnownLine& line : best ? best_lines(study, *best, specification, tuner)
                                    : lines_without_best(study, specification, tuner)) {
    fmt::print("{:8} {}\n", line.about.empty() ? first : line.about, line.text);
    first = "";
  }
  if (!end.setting.empty()) {
    fmt::print("left at  {}{}\n", end.setting, end.left_at.empty() ? "" : ", " + end.left_at);
  }
  if (!end.policy_file.empty()) fmt::print("policy   written to {}\n", end.policy_file);
}

int status_of(TuneEnd::Why why) {
  if (why == TuneEnd::Why::budget) return kSuccess;
  return why == TuneEnd::Why::interrupted ? kInterrupted : kFailure;
}

}  // namespace

int run_tuner(const std::string& command, Study& study, TuneStatus::Files files, bool json,
              const std::function<TuneEnd(Tuner&)>& run) {
  const StopOnSignal stop_on_signal;
  const PauseOnSignal pause_on_signal;
  TuneStatus status(study, std::move(files));
  TuneEnd end;
  {
    StatusLine line;
    Adviser adviser(command, study);
    CommandSystem system = command_system_of(study.specification(), &StopOnSignal::flag());
    Tuner tuner(study, system, {StopOnSignal::flag(), &PauseOnSignal::flag()},
                [&](const TuneProgress& progress) {
                  adviser.look(progress, line);
                  status.follow(progress);
                  if (line.due()) line.show(status.line(progress));
                });
    end = run(tuner);
  }
  status.write_end(end);
  print_end(study, end, json);
  const bool all_failed = end.pulls > 0 && tuner_state_of(study).failures() >= end.pulls;
  if (all_failed) terminal::say("canopy {}: every pull has failed\n", command);
  return end.why == TuneEnd::Why::budget && all_failed ? kFailure : status_of(end.why);
}

}  // namespace canopy::cli
