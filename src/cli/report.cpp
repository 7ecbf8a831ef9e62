#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "files/json.hpp"
#include "studies/study_report.hpp"
#include "studies/tuner_state.hpp"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct ReportArguments {
  NamedStudyFlags study;
  std::optional<std::string> out;
};

int write_report(const ReportArguments& arguments) {
  NamedStudy study(arguments.study, "report");
  const std::string file = arguments.out.value_or(study.record.name + ".html");
  const LoadedOptimizer loaded = study.load_with_warning();
  const auto& optimizer = loaded.optimizer;
  StudyPage page{.command = "canopy report " + study.record.name};
  if (const auto best = optimizer->best()) {
    page.lines.push_back("best: " + best_text(study.specification.space, *best));
    const std::string uplift = uplift_line(*optimizer, *best, study.specification);
    if (!uplift.empty()) page.lines.push_back("uplift: " + uplift);
    for (std::string& line : metric_lines(study.specification, *loaded.tuner, best->arm)) {
      page.lines.push_back(std::move(line));
    }
  }
  if (const auto& verdict = loaded.tuner->verdict()) {
    page.lines.push_back("compared: " + verdict_line(study.specification.space, *verdict));
  }
  if (const std::uint64_t failed = optimizer->summary().penalized; failed != 0) {
    page.lines.push_back(fmt::format("{} pulls failed", failed));
  }
  for (std::string& line : advice(*optimizer)) page.lines.push_back(std::move(line));
  page.lines.push_back(fmt::format("{} pulls, {} nodes, {} changes of arm, begun {}, last event {}",
                                   study.record.pulls, optimizer->summary().nodes,
                                   optimizer->summary().switches, date_text(study.record.created),
                                   date_text(study.record.updated)));
  const std::string missing =
      write_study_report(*study.store, study.record, study.specification, *optimizer, page, file);
  if (!missing.empty())
    fmt::print(stderr, "canopy report: not all figures could be drawn: {}\n", missing);
  if (arguments.study.json) {
    fmt::print("{}\n", json_text(Document::Table{{"file", file}}));
  } else {
    fmt::print("{}\n", file);
  }
  return kSuccess;
}

}  // namespace

Command add_report(Words app) {
  const auto arguments = std::make_shared<ReportArguments>();
  Words command = app.command(
      "report", "Write a page about a study: rewards, pulls, the estimate of f, the tree.");
  arguments->study.add_to(command);
  command.option("--out", arguments->out, "the file to write [NAME.html]");
  command.footer("Example:\n  canopy report cache");
  return [arguments] { return write_report(*arguments); };
}

}  // namespace canopy::cli
