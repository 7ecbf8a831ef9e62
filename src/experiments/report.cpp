#include "experiments/report.hpp"

#include "canopy/theory.hpp"

#include "core/text.hpp"
#include "experiments/environment_figure.hpp"
#include "figures/figure.hpp"
#include "files/page.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <variant>

#include <fmt/format.h>

namespace canopy {
namespace {

/// What is drawn against n.
struct Quantity {
  std::string name;   ///< in file names and CSV
  std::string label;  ///< of the axis
  std::function<const Estimate&(const CurvePoint&)> of;
};

std::vector<Quantity> quantities(RegretKind regret) {
  return {{"regret", fmt::format("{} regret per step", name_of(regret)),
           [](const CurvePoint& point) -> const Estimate& { return point.regret; }},
          {"seconds", "CPU time of a run in seconds",
           [](const CurvePoint& point) -> const Estimate& { return point.seconds; }},
          {"nanoseconds", "CPU time per step in nanoseconds",
           [](const CurvePoint& point) -> const Estimate& { return point.nanoseconds; }},
          {"nodes", "nodes of the tree",
           [](const CurvePoint& point) -> const Estimate& { return point.nodes; }},
          {"switches", "changes of arm",
           [](const CurvePoint& point) -> const Estimate& { return point.switches; }}};
}

/// The same colour for the same algorithm in every figure.
std::string colour_of(const OptimizerOptions& options) {
  if (const auto* hct = std::get_if<HctOptions>(&options)) {
    return hct->preset == Preset::paper ? "#7fb2e5" : "#1f5fa8";
  }
  if (const auto* thoo = std::get_if<ThooOptions>(&options)) {
    return thoo->horizon ? "#2e8b57" : "#e67e22";
  }
  if (std::holds_alternative<HooOptions>(options)) return "#8e44ad";
  if (std::holds_alternative<PowerOptions>(options)) return "#c0392b";
  if (std::holds_alternative<GridOptions>(options)) return "#7f6a4d";
  return "#7f8c8d";
}

double low_of(const Estimate& estimate) {
  return estimate.interval ? estimate.interval->low : estimate.mean;
}
double high_of(const Estimate& estimate) {
  return estimate.interval ? estimate.interval->high : estimate.mean;
}

std::string options_of(const OptimizerOptions& options) {
  return std::visit([](const auto& chosen) { return options_text(chosen); }, options);
}

std::string csv_of(const Estimate& estimate) {
  return to_text(estimate.mean) + ',' + to_text(low_of(estimate)) + ',' +
         to_text(high_of(estimate));
}

std::string summary_csv(const std::vector<ComparisonResult>& results) {
  std::string csv =
      "comparison,algorithm,parameters,per_step_regret,low,high,per_step_realised_regret,low,high,"
      "simple_regret,low,high,nodes,low,high,depth,low,high,switches,low,high\n";
  for (const ComparisonResult& result : results) {
    for (const AlgorithmResult& algorithm : result.algorithms) {
      const CurvePoint& end = algorithm.curve.back();
      csv += result.specification.name + ',' + quoted_csv(algorithm.label) + ',' +
             quoted_csv(options_of(algorithm.chosen));
      for (const Estimate& estimate :
           {algorithm.per_step_regret, algorithm.per_step_realised_regret, algorithm.simple_regret,
            end.nodes, algorithm.depth, end.switches}) {
        csv += ',' + csv_of(estimate);
      }
      csv += '\n';
    }
  }
  return csv;
}

std::string curves_csv(const ComparisonResult& result) {
  std::string csv = "algorithm,steps";
  const std::vector<Quantity> all = quantities(result.specification.regret);
  for (const Quantity& quantity : all) csv += ',' + quantity.name + ",low,high";
  csv += '\n';
  for (const AlgorithmResult& algorithm : result.algorithms) {
    for (const CurvePoint& point : algorithm.curve) {
      csv += quoted_csv(algorithm.label) + ',' + std::to_string(point.steps);
      for (const Quantity& quantity : all) csv += ',' + csv_of(quantity.of(point));
      csv += '\n';
    }
  }
  return csv;
}

/// What the bounds that no run of HCT can exceed depend on; none for other algorithms.
std::optional<TheoryParameters> theory_of(const AlgorithmResult& algorithm,
                                          const ComparisonResult& result) {
  const auto* options = std::get_if<HctOptions>(&algorithm.chosen);
  if (options == nullptr) return std::nullopt;
  const auto environment = make_environment(result.specification.environment);
  const HctParameters p = resolve(*options, environment->space().dimension());
  return TheoryParameters{.nu1 = p.nu1, .rho = p.rho, .delta = p.delta, .confidence = p.confidence};
}

/// The most nodes that the algorithm can have, at the steps of its curve.
std::optional<Series> node_bound_line(const AlgorithmResult& algorithm,
                                      const ComparisonResult& result) {
  const auto theory = theory_of(algorithm, result);
  if (!theory) return std::nullopt;
  Series line{algorithm.label + ", at most", colour_of(algorithm.chosen), {}, SeriesStyle::dashes};
  for (const CurvePoint& point : algorithm.curve) {
    const auto steps = static_cast<double>(point.steps);
    const double bound = certain_node_bound(*theory, steps);
    line.points.push_back({steps, bound, bound, bound});
  }
  return line;
}

SeriesFigure figure_of(const ComparisonResult& result, const Quantity& quantity) {
  SeriesFigure figure{result.specification.title, "n, steps", quantity.label, {}};
  for (const AlgorithmResult& algorithm : result.algorithms) {
    Series line{algorithm.label, colour_of(algorithm.chosen), {}, SeriesStyle::line};
    for (const CurvePoint& point : algorithm.curve) {
      const Estimate& estimate = quantity.of(point);
      line.points.push_back(
          {static_cast<double>(point.steps), estimate.mean, low_of(estimate), high_of(estimate)});
    }
    figure.series.push_back(std::move(line));
    if (quantity.name != "nodes") continue;
    if (auto bound = node_bound_line(algorithm, result)) figure.series.push_back(std::move(*bound));
  }
  return figure;
}

std::string interval_text(const Estimate& estimate, int digits) {
  return fmt::format("{:.{}f} <small>({:.{}f} to {:.{}f})</small>", estimate.mean, digits,
                     low_of(estimate), digits, high_of(estimate), digits);
}

std::string depth_bound_text(const AlgorithmResult& algorithm, const ComparisonResult& result,
                             std::uint64_t steps) {
  const auto theory = theory_of(algorithm, result);
  return theory ? fmt::format(" <small>(theory: at most {:.1f})</small>",
                              certain_depth_bound(*theory, static_cast<double>(steps)))
                : "";
}

std::string html_table(const ComparisonResult& result, std::uint64_t steps) {
  std::string html =
      "<table><tr><th>algorithm</th><th>regret per step</th><th>realised</th><th>simple regret</th>"
      "<th>nodes</th><th>depth</th><th>changes of arm</th><th>CPU s a run</th><th>ns a step</th>"
      "<th>parameters</th></tr>";
  for (const AlgorithmResult& algorithm : result.algorithms) {
    const CurvePoint& end = algorithm.curve.back();
    html += fmt::format(
        "<tr><td><b "
        "style=\"color:{}\">{}</b></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}{}</td>"
        "<td>{}</td><td>{:.3g}</td><td>{:.3g}</td><td>{}{}</td></tr>",
        colour_of(algorithm.chosen), escaped(algorithm.label),
        interval_text(algorithm.per_step_regret, 4),
        interval_text(algorithm.per_step_realised_regret, 4),
        interval_text(algorithm.simple_regret, 4), interval_text(end.nodes, 0),
        interval_text(algorithm.depth, 1), depth_bound_text(algorithm, result, steps),
        interval_text(end.switches, 0), end.seconds.mean, end.nanoseconds.mean,
        escaped(options_of(algorithm.chosen)),
        algorithm.candidates > 1 ? fmt::format(" <small>(the best of {}; {:.4f} in tuning)</small>",
                                               algorithm.candidates, algorithm.tuning_regret)
                                 : "");
  }
  return html + "</table>";
}

std::string html_of(const ExperimentSpecification& experiment,
                    const std::vector<ComparisonResult>& results, const std::string& folder,
                    const ReportContext& context, const Report& report) {
  std::string html =
      page_head(experiment.title) +
      fmt::format(
          "<p>{} runs of {} steps, seed {}; parameters chosen among the candidates by the mean of "
          "{} runs with seeds of their own, then measured with fresh ones. Bands and brackets are "
          "95 % intervals (Student's t).</p>\n",
          experiment.runs, experiment.steps, experiment.seed, experiment.tuning_runs);
  for (const ComparisonResult& result : results) {
    const ComparisonSpecification& comparison = result.specification;
    html += fmt::format(
        "<h2>{}</h2>\n<p>{}; compared by {} regret.</p>\n{}\n", escaped(comparison.title),
        escaped(std::string(name_of_alternative<EnvironmentEntry>(comparison.environment)) + " " +
                std::visit([](const auto& o) { return options_text(o); }, comparison.environment)),
        name_of(comparison.regret), html_table(result, experiment.steps));
    if (!report.figures_missing.empty()) continue;
    html += "<div class=\"figures\">";
    for (const Quantity& quantity : quantities(comparison.regret)) {
      html += svg_of(folder + "/" + comparison.name + "_" + quantity.name + ".svg");
    }
    html += svg_of(folder + "/" + comparison.name + "_environment.svg") + "</div>\n";
  }
  if (!report.figures_missing.empty()) {
    html += "<p>No figures: " + escaped(report.figures_missing) + ".</p>\n";
  }
  return html + page_foot(context.command, context.version);
}

/// Draws a figure twice and notes the files.
template <class Draw>
void draw_both(const std::string& stem, Report& report, Draw&& draw_into) {
  for (const char* ending : {".svg", ".png"}) {
    draw_into(stem + ending);
    report.files.push_back(stem + ending);
  }
}

void draw_all(const std::vector<ComparisonResult>& results, const std::string& folder,
              Report& report) {
  for (const ComparisonResult& result : results) {
    const std::string stem = folder + "/" + result.specification.name + "_";
    for (const Quantity& quantity : quantities(result.specification.regret)) {
      const SeriesFigure figure = figure_of(result, quantity);
      draw_both(stem + quantity.name, report, [&](const std::string& file) { draw(figure, file); });
    }
    const auto environment = make_environment(result.specification.environment);
    if (environment->space().dimension() > 2) continue;
    const std::string title(
        name_of_alternative<EnvironmentEntry>(result.specification.environment));
    draw_both(stem + "environment", report,
              [&](const std::string& file) { draw_environment(*environment, title, file); });
  }
}

}  // namespace

std::string table_of(const ComparisonResult& result) {
  std::size_t width = 0;
  for (const AlgorithmResult& algorithm : result.algorithms) {
    width = std::max(width, algorithm.label.size());
  }
  std::string table = fmt::format("{} ({} regret per step)\n", result.specification.title,
                                  name_of(result.specification.regret));
  table += fmt::format("  {:<{}}{:>10}   {:^19}{:>9}{:>10}{:>9}{:>9}  {}\n", "", width, "regret",
                       "95 % interval", "nodes", "switches", "CPU s", "ns/step", "parameters");
  for (const AlgorithmResult& algorithm : result.algorithms) {
    const CurvePoint& end = algorithm.curve.back();
    table += fmt::format(
        "  {:<{}}{:>10.4f}   {:>8.4f} .. {:<8.4f}{:>8.0f}{:>10.0f}{:>9.3g}{:>9.3g}  {}\n",
        algorithm.label, width, end.regret.mean, low_of(end.regret), high_of(end.regret),
        end.nodes.mean, end.switches.mean, end.seconds.mean, end.nanoseconds.mean,
        options_of(algorithm.chosen));
  }
  return table;
}

Report write_report(const ExperimentSpecification& experiment,
                    const std::vector<ComparisonResult>& results, const std::string& folder,
                    const ReportContext& context) {
  Report report;
  const auto write = [&](const std::string& name, const std::string& text) {
    write_file(folder + "/" + name, text);
    report.files.push_back(folder + "/" + name);
  };
  write("summary.csv", summary_csv(results));
  for (const ComparisonResult& result : results) {
    write(result.specification.name + ".csv", curves_csv(result));
  }
  try {
    draw_all(results, folder, report);
  } catch (const FigureError& error) {
    report.figures_missing = error.what();
  }
  write("report.html", html_of(experiment, results, folder, context, report));
  return report;
}

}  // namespace canopy
