#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "insight/best_answer.hpp"
#include "tuning/tuner_state.hpp"

#include <fmt/format.h>

namespace canopy::cli {

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
    if (!best)
      throw StudyError(StudyError::Fault::other,
                       "the study " + words->name + " has no rewards yet");
    const Space& space = study.specification.space;
    if (words->json) {
      fmt::print("{}\n",
                 json_text(record_of(space, best_answer(*optimizer, *best, study.specification,
                                                        tuner_state_of(loaded))),
                           2));
    } else {
      fmt::print("{}\n", best_text(space, *best));
      const std::string uplift = uplift_line(*optimizer, *best, study.specification);
      if (!uplift.empty()) fmt::print("uplift: {}\n", uplift);
      if (const auto known = optimizer->uplift()) fmt::print("level: {}\n", level_text(*known));
      for (const std::string& line :
           metric_lines(study.specification, tuner_state_of(loaded), best->arm)) {
        fmt::print("{}\n", line);
      }
      if (const auto& verdict = tuner_state_of(loaded).verdict()) {
        fmt::print("compared: {}\n", verdict_line(space, *verdict));
      }
    }
    return kSuccess;
  };
}

}  // namespace canopy::cli
