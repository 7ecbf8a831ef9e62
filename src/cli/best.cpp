#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"

#include <fmt/format.h>

namespace canopy::cli {

Command add_best(CLI::App& app) {
  const auto words = std::make_shared<NamedStudyFlags>();
  CLI::App* command =
      app.add_subcommand("best", "The best arm of a study, and what it gains over the baseline.");
  words->add_to(*command);
  command->footer("Example:\n  canopy best cache");
  return [words] {
    NamedStudy study(*words);
    const auto optimizer = study.load();
    const auto best = optimizer->best();
    if (!best) throw StudyError("the study " + words->name + " has no rewards yet");
    const Space& space = study.specification.space;
    const auto uplift = uplift_of(study.store, study.record, study.specification, best->arm);
    if (words->json) {
      fmt::print("{}\n", best_and_uplift_json(space, *best, uplift).dump(2));
    } else {
      fmt::print("{}\n", best_text(space, *best));
      if (uplift) fmt::print("{}\n", uplift_text(*uplift, study.specification.objective.direction));
    }
    return kSuccess;
  };
}

}  // namespace canopy::cli
