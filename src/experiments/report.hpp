#pragma once

#include "experiments/experiment.hpp"

#include <string>
#include <vector>

namespace canopy {

/// What a report tells of how it came about.
struct ReportContext {
  std::string command;  ///< that was typed
  std::string version;  ///< of canopy
};

/// What was written, and what could not be drawn.
struct Report {
  std::vector<std::string> files;
  std::string figures_missing;  ///< Why there are no figures; empty when there are.
};

/// The table of a comparison for a terminal.
[[nodiscard]] std::string table_of(const ComparisonResult& result);

/// Writes everything into a folder that is there: summary.csv, the curves of every comparison as
/// CSV, figures as SVG and PNG, and report.html, which holds all of it. Throws OutputError. Where
/// gnuplot is missing the figures are left out.
Report write_report(const ExperimentSpecification& experiment,
                    const std::vector<ComparisonResult>& results, const std::string& folder,
                    const ReportContext& context);

}  // namespace canopy
