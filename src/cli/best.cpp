#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "insight/best_answer.hpp"
#include "studies/answers.hpp"
#include "tuning/tuner_state.hpp"

#include <fmt/format.h>

namespace canopy::cli {
namespace {

/// Where no arm keeps its limits, the nearest is shown.
int say_why_there_is_none(const Optimizer& optimizer, const NamedStudy& study,
                          const TunerState& tuner, bool json) {
  const Space& space = study.specification.space;
  const std::string why = no_best_text(space, optimizer);
  const auto nearest = optimizer.nearest();
  if (!nearest) throw StudyError(StudyError::Fault::other, study.record.name + ": " + why);
  if (json) {
    const BestAnswer answer = best_answer(optimizer, *nearest, study.specification, tuner);
    fmt::print("{}\n", json_text(Document::Table{{"best", Document()},
                                                 {"nearest", record_of(space, answer)},
                                                 {"why", why}},
                                 2));
    return kSuccess;
  }
  fmt::print("{}\nthe nearest: {}\n", why, best_text(space, *nearest));
  for (const std::string& line :
       metric_lines(optimizer, study.specification, tuner, nearest->arm)) {
    fmt::print("{}\n", line);
  }
  return kSuccess;
}

}  // namespace

Command add_best(ArgumentParser app) {
  const auto words = std::make_shared<NamedStudyFlags>();
  ArgumentParser command =
      app.command("best", "Show the best arm of a study and its uplift over the baseline.");
  words->add_to(command);
  command.footer("Example:\n  canopy best cache");
  return [words] {
    NamedStudy study(*words, "best");
    const LoadedOptimizer loaded = study.load_with_warning();
    const auto& optimizer = loaded.optimizer;
    const auto best = optimizer->best();
    const Space& space = study.specification.space;
    if (!best) return say_why_there_is_none(*optimizer, study, tuner_state_of(loaded), words->json);
    if (words->json) {
      fmt::print("{}\n",
                 json_text(record_of(space, best_answer(*optimizer, *best, study.specification,
                                                        tuner_state_of(loaded))),
                           2));
    } else {
      for (const KnownLine& line :
           best_lines(*optimizer, *best, study.specification, tuner_state_of(loaded))) {
        fmt::print("{}{}{}\n", line.about, line.about.empty() ? "" : ": ", line.text);
      }
    }
    return kSuccess;
  };
}

}  // namespace canopy::cli
