#include "studies/study_report.hpp"

#include "files/page.hpp"
#include "studies/study_figures.hpp"

namespace canopy {
std::string write_study_report(Store& store, const StudyRecord& record,
                               const StudySpecification& specification, Optimizer& optimizer,
                               const StudyPage& page, const std::string& file) {
  std::string html = page_head("The study " + record.name);
  for (const std::string& line : page.lines) html += "<p>" + escaped(line) + "</p>\n";
  std::string missing;
  html += "<div class=\"figures\">";
  for (const SeriesFigure& figure : study_figures(store, record, specification, optimizer)) {
    try {
      html += svg_of(figure);
    } catch (const FigureError& error) {
      missing = error.what();
    }
  }
  html += "</div>\n";
  if (!missing.empty()) html += "<p>Not all figures could be drawn: " + escaped(missing) + "</p>\n";
  html += "<h2>The study</h2>\n<pre>" + escaped(toml_of(specification)) + "</pre>\n";
  write_file(file, html + page_foot(page.command));
  return missing;
}

}  // namespace canopy
