#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "files/json.hpp"
#include "files/page.hpp"
#include "service/report_page.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

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
  write_file(file, service::report_page(std::move(study.store), study.record.name));
  if (arguments.study.json) {
    fmt::print("{}\n", json_text(Document::Table{{"file", file}}));
  } else {
    fmt::print("{}\n", file);
  }
  return kSuccess;
}

}  // namespace

Command add_report(ArgumentParser app) {
  const auto arguments = std::make_shared<ReportArguments>();
  ArgumentParser command =
      app.command("report", "Write the page of a study to one self-contained HTML file.");
  arguments->study.add_to(command);
  command.option("--out", arguments->out, "the file to write [NAME.html]");
  command.footer(
      "The file contains the page of `canopy serve` and `canopy dashboard` with the current data "
      "of the study, to send or to archive.\n"
      "Example:\n"
      "  canopy report cache");
  return [arguments] { return write_report(*arguments); };
}

}  // namespace canopy::cli
