#include "studies/study_report.hpp"

#include "files/page.hpp"
#include "studies/study_figures.hpp"

#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace canopy {
namespace {

/// A folder that is gone in the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "canopy-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw OutputError(pattern + ": cannot be made");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::string write_study_report(Store& store, const StudyRecord& record,
                               const StudySpecification& specification, Optimizer& optimizer,
                               const StudyPage& page, const std::string& file) {
  std::string html = page_head("The study " + record.name);
  for (const std::string& line : page.lines) html += "<p>" + escaped(line) + "</p>\n";
  std::string missing;
  const TemporaryFolder folder;
  html += "<div class=\"figures\">";
  for (const StudyFigure& each : study_figures(store, record, specification, optimizer)) {
    const std::string picture = folder.path() + "/" + each.name + ".svg";
    try {
      draw(each.figure, picture);
      html += svg_of(picture);
    } catch (const FigureError& error) {
      missing = error.what();
    }
  }
  html += "</div>\n";
  if (!missing.empty()) html += "<p>Not all figures could be drawn: " + escaped(missing) + "</p>\n";
  html += "<h2>The study file</h2>\n<pre>" + escaped(record.source) + "</pre>\n";
  write_file(file, html + page_foot(page.command, page.version));
  return missing;
}

}  // namespace canopy
