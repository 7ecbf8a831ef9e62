#include "cli/tune_status.hpp"

#include "cli/study_text.hpp"
#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "files/page.hpp"
#include "files/record.hpp"
#include "insight/best_answer.hpp"
#include "insight/possible_commands.hpp"
#include "studies/answers.hpp"
#include "terminal/progress.hpp"
#include "terminal/say.hpp"
#include "tuning/claims.hpp"
#include "tuning/contexts.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

constexpr std::chrono::seconds kBetweenStatusFiles{2};

std::string order_words(RunnerCommand order, const std::string& by) {
  switch (order) {
    case RunnerCommand::hold:
      return "held by " + by;
    case RunnerCommand::baseline:
      return "at the baseline by " + by;
    case RunnerCommand::end:
      return "ended by " + by;
    case RunnerCommand::pause:
    case RunnerCommand::resume:
    case RunnerCommand::confirm:
      break;
  }
  return "paused by " + by;
}

std::string phase_words(const TuneProgress& progress) {
  using Phase = TuneProgress::Phase;
  switch (progress.phase) {
    case Phase::searching:
      return "";
    case Phase::baseline:
      return "measuring the baseline";
    case Phase::holding:
      return "waiting until the setting may change";
    case Phase::down:
      return "the system is down, waiting";
    case Phase::paused:
      return progress.order ? order_words(*progress.order, excerpt(progress.ordered_by))
                            : "paused (SIGUSR1 resumes)";
    case Phase::confirming:
      return "confirming the best setting";
    case Phase::no_context:
      return "the context cannot be observed, waiting";
  }
  return "";
}

/// Adds a metric with its HELP and TYPE lines.
void add_gauge(std::string& text, std::string_view name, std::string_view help, double value,
               std::string_view study, std::string_view type = "gauge") {
  if (!std::isfinite(value)) return;
  fmt::format_to(std::back_inserter(text),
                 "# HELP canopy_{0} {1}\n# TYPE canopy_{0} {2}\ncanopy_{0}{{study=\"{3}\"}} {4}\n",
                 name, help, type, study, to_text(value));
}

/// Escapes backslashes, quotes and newlines in the value of a label.
std::string label_text(std::string_view value) {
  std::string text;
  for (const char letter : value) {
    if (letter == '\\' || letter == '"') text += '\\';
    text += letter == '\n' ? std::string("\\n") : std::string(1, letter);
  }
  return text;
}

}  // namespace

TuneStatus::Pace TuneStatus::pace(const TuneProgress& progress) {
  Pace pace;
  if (!first_) return pace;
  const double seconds = progress.seconds - first_->seconds;
  if (seconds > 0.0 && progress.pulls > first_->pulls) {
    pace.rate = static_cast<double>(progress.pulls - first_->pulls) / seconds;
  }
  const Budget& budget = study_.specification().budget;
  if (budget.pulls && pace.rate > 0.0) {
    const double left =
        std::max(0.0, static_cast<double>(*budget.pulls) - static_cast<double>(progress.pulls));
    pace.seconds_left = left / pace.rate;
  }
  if (budget.seconds) {
    const double left = std::max(0.0, *budget.seconds - progress.seconds);
    pace.seconds_left = std::min(left, pace.seconds_left.value_or(left));
  }
  return pace;
}

std::string TuneStatus::line(const TuneProgress& progress) {
  const Pace now = pace(progress);
  std::string line = fmt::format("{} pulls", progress.pulls);
  if (now.rate > 0.0) line += fmt::format(", {:.3g}/s", now.rate);
  if (now.seconds_left) line += ", " + terminal::duration_text(*now.seconds_left) + " left";
  if (progress.failures != 0) line += fmt::format(", {} failed", progress.failures);
  const std::string doing = phase_words(progress);
  if (!doing.empty()) line += fmt::format("  {}", doing);
  const bool waits = progress.phase == TuneProgress::Phase::down ||
                     progress.phase == TuneProgress::Phase::no_context;
  if (waits) line += ": " + progress.failure;
  if (!progress.setting.empty()) line += "  now " + progress.setting;
  if (!progress.context.empty()) {
    line += "  in " + context_text(study_.contexts(), progress.context);
  }
  if (const auto best = study_.best()) {
    line += "  best " + best_text(study_.specification().space, *best);
    const StudySpecification& specification = study_.specification();
    const std::string uplift = uplift_line(
        strongest_uplift(study_, specification, tuner_state_of(study_)), *best, specification);
    if (!uplift.empty()) line += "  uplift " + uplift;
  } else if (study_.nearest()) {
    line += "  " + no_best_text(study_.specification().space, study_);
  }
  if (const auto loss = study_.loss()) line += "  " + loss_text(study_.specification(), *loss);
  return line;
}

Document TuneStatus::document(const TuneProgress& progress) {
  const Pace now = pace(progress);
  Document status = Document::Table{
      {"study", study_.record().name},
      {"at", static_cast<double>(std::time(nullptr))},
      {"activity", name_of(progress.phase)},
      {"pulls", progress.pulls},
      {"pulls_per_second", now.rate},
      {"seconds", progress.seconds},
      {"seconds_left", now.seconds_left ? Document(*now.seconds_left) : Document()},
      {"setting_changes", progress.changes},
      {"failures", progress.failures},
      {"last_failure", progress.failure.empty() ? Document() : Document(progress.failure)},
      {"last_reward", progress.reward ? Document(*progress.reward) : Document()},
      {"setting", progress.setting.empty() ? Document() : parse_json(progress.setting, "setting")}};
  if (const auto context = context_document(study_.contexts(), progress.context)) {
    status.set("context", *context);
  }
  status.set("stopped_by", stopped_by(progress.order, progress.ordered_by));
  if (const auto best = study_.best()) {
    status.set("best", record_of(study_.specification().space,
                                 best_answer(study_, *best, study_.specification(),
                                             tuner_state_of(study_))));
  } else if (const auto nearest = study_.nearest()) {
    status.set("best", Document());
    status.set("nearest", record_of(study_.specification().space,
                                    best_answer(study_, *nearest, study_.specification(),
                                                tuner_state_of(study_))));
  }
  if (const auto loss = study_.loss()) {
    status.set("loss", record_of(study_.specification().space, *loss));
  }
  const Summary summary = study_.summary();
  if (summary.last_change) {
    status.set("system_changes", summary.changes);
    status.set("last_system_change", record_of(study_.specification().space, *summary.last_change));
  }
  if (summary.followed_level) status.set("followed_level", *summary.followed_level);
  return status;
}

std::string TuneStatus::metrics_text(const TuneProgress& progress) {
  const std::string study = label_text(study_.record().name);
  const Pace now = pace(progress);
  std::string text;
  add_gauge(text, "pulls_total", "Number of pulls of the search.",
            static_cast<double>(progress.pulls), study, "counter");
  add_gauge(text, "setting_changes_total", "Number of changes of the setting.",
            static_cast<double>(progress.changes), study, "counter");
  const Summary summary = study_.summary();
  add_gauge(text, "system_changes_total", "Number of detected changes of the system.",
            static_cast<double>(summary.changes), study, "counter");
  if (summary.followed_level) {
    add_gauge(text, "followed_level",
              "Current level of all rewards, which is subtracted from each reward.",
              *summary.followed_level, study);
  }
  add_gauge(text, "failed_pulls_total", "Number of pulls that failed.",
            static_cast<double>(progress.failures), study, "counter");
  add_gauge(text, "tuning_seconds_total", "Duration of tuning in seconds.", progress.seconds, study,
            "counter");
  if (now.seconds_left) {
    add_gauge(text, "remaining_seconds",
              "Seconds until the budget is used up at the current rate of pulls.",
              *now.seconds_left, study);
  }
  if (progress.reward) {
    add_gauge(text, "last_reward", "Last measured reward.", *progress.reward, study);
  }
  add_gauge(text, "is_down", "1 while the system is down and the tuner waits for it, otherwise 0.",
            progress.phase == TuneProgress::Phase::down ? 1.0 : 0.0, study);
  if (const auto policy = study_.policy()) {
    add_gauge(text, "regions", "Number of regions of contexts, each with its own setting.",
              static_cast<double>(policy->rows.size()), study);
    add_gauge(text, "contexts_moved_total", "Number of contexts outside the range of a variable.",
              static_cast<double>(policy->moved), study, "counter");
  }
  add_gauge(text, "is_paused", "1 while the tuner is paused, otherwise 0.",
            progress.phase == TuneProgress::Phase::paused ? 1.0 : 0.0, study);
  add_gauge(text, "last_update_timestamp_seconds", "Time of writing, in seconds since 1970.",
            static_cast<double>(std::time(nullptr)), study);
  const auto best = study_.best();
  if (!best) return text;
  add_gauge(text, "best_mean", "Mean reward of the best setting.", best->mean, study);
  add_gauge(text, "best_lower", "Lower end of the confidence interval of best_mean.", best->lower,
            study);
  add_gauge(text, "best_upper", "Upper end of the confidence interval of best_mean.", best->upper,
            study);
  add_gauge(text, "best_pulls", "Number of pulls of the best setting.",
            static_cast<double>(best->pulls), study);
  if (const auto loss = study_.loss()) {
    add_gauge(text, "loss",
              "Reward lost by tuning, compared with the baseline; a negative loss is a gain.",
              loss->lost, study);
    add_gauge(text, "loss_allowed", "Maximum loss allowed so far.", loss->allowed, study);
  }
  const auto uplift = strongest_uplift(study_, study_.specification(), tuner_state_of(study_));
  if (uplift && uplift->is_best && uplift->pairs != 0) {
    add_gauge(text, "uplift",
              "Mean difference of the best setting from the baseline, over all pairs.",
              uplift->difference, study);
    add_gauge(text, "uplift_lower", "Lower end of the confidence interval of uplift.",
              uplift->interval.lower, study);
    add_gauge(text, "uplift_upper", "Upper end of the confidence interval of uplift.",
              uplift->interval.upper, study);
  }
  return text;
}

void TuneStatus::write(const Document& document, const std::string& metrics) {
  try {
    if (files_.status) write_file(*files_.status, json_text(document, 2) + "\n");
    if (files_.metrics) write_file(*files_.metrics, metrics);
  } catch (const OutputError& error) {
    if (!std::exchange(complained_, true)) {
      terminal::say("canopy tune: {}; tuning continues\n", error.what());
    }
  }
}

void TuneStatus::follow(const TuneProgress& progress) {
  if (!first_) first_ = progress;
  last_ = progress;
  if (!files_.status && !files_.metrics) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kBetweenStatusFiles;
  write(document(progress), metrics_text(progress));
}

void TuneStatus::write_end(const TuneEnd& end) {
  if (!files_.status && !files_.metrics) return;
  TuneProgress progress = last_.value_or(TuneProgress{});
  progress.pulls = end.pulls;
  progress.setting = end.setting;
  progress.failures = tuner_state_of(study_).failures();
  progress.changes = tuner_state_of(study_).changes();
  Document status = document(progress);
  status.set("activity", "ended");
  status.set("end_reason", end.text);
  if (!end.left_at.empty()) status.set("setting_reason", end.left_at);
  write(status, metrics_text(progress));
}

}  // namespace canopy::cli
