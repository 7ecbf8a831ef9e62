#include "canopy/environments.hpp"
#include "canopy/experiment.hpp"
#include "canopy/optimizers.hpp"

#include "core/text.hpp"
#include "experiments/environment_figure.hpp"
#include "experiments/profile.hpp"
#include "experiments/runner.hpp"
#include "figures/figure.hpp"
#include "files/page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

namespace canopy {
namespace {

/// A quantity that is drawn against n.
struct Quantity {
  std::string name;   ///< in file names and CSV
  std::string label;  ///< label of the axis
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

/// The quantities drawn for every comparison.
std::vector<Quantity> drawn(const ExperimentSpecification& experiment, RegretKind regret) {
  std::vector<Quantity> all = quantities(regret);
  if (experiment.is_suite) all.resize(1);
  return all;
}

/// Assigns a colour and a dash to each label, the same in every figure of a report. The first
/// colours are those of Okabe and Ito, which colour-blind readers can distinguish.
class Looks {
 public:
  explicit Looks(const std::vector<ComparisonResult>& results) {
    for (const ComparisonResult& result : results) {
      for (const AlgorithmResult& algorithm : result.algorithms) {
        const bool known =
            std::find(labels_.begin(), labels_.end(), algorithm.label) != labels_.end();
        if (!known) labels_.push_back(algorithm.label);
      }
    }
  }

  [[nodiscard]] std::string colour_of(const std::string& label) const {
    return kPalette.at(place_of(label) % kPalette.size());
  }
  /// The dash changes whenever the colours repeat.
  [[nodiscard]] int dash_of(const std::string& label) const {
    const std::size_t place = place_of(label);
    return 1 + static_cast<int>((place + place / kPalette.size()) % kDashes);
  }

 private:
  static constexpr std::array kPalette{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                       "#56b4e9", "#e69f00", "#6b6b6b", "#332288",
                                       "#882255", "#999933", "#000000", "#7a4b20"};
  static constexpr std::size_t kDashes = 5;

  [[nodiscard]] std::size_t place_of(const std::string& label) const {
    const auto place = std::find(labels_.begin(), labels_.end(), label);
    return static_cast<std::size_t>(place - labels_.begin());
  }

  std::vector<std::string> labels_;
};

double low_of(const Estimate& estimate) {
  return estimate.interval ? estimate.interval->low : estimate.mean;
}
double high_of(const Estimate& estimate) {
  return estimate.interval ? estimate.interval->high : estimate.mean;
}

std::string csv_of(const Estimate& estimate) {
  return to_text(estimate.mean) + ',' + to_text(low_of(estimate)) + ',' +
         to_text(high_of(estimate));
}

std::string summary_csv(const std::vector<ComparisonResult>& results) {
  std::string csv =
      "comparison,algorithm,parameters,per_step_regret,low,high,per_step_realised_regret,low,high,"
      "simple_regret,low,high,coverage,median_width,unbounded,nodes,low,high,depth,low,high,"
      "switches,low,high\n";
  for (const ComparisonResult& result : results) {
    for (const AlgorithmResult& algorithm : result.algorithms) {
      const CurvePoint& end = algorithm.curve.back();
      csv += result.specification.name + ',' + quoted_csv(algorithm.label) + ',' +
             quoted_csv(algorithm.parameters);
      for (const Estimate& estimate :
           {algorithm.per_step_regret, algorithm.per_step_realised_regret,
            algorithm.simple_regret}) {
        csv += ',' + csv_of(estimate);
      }
      const auto& [coverage, median_width, unbounded] = algorithm.intervals;
      for (const double share : {coverage, median_width, unbounded}) csv += ',' + to_text(share);
      for (const Estimate& estimate : {end.nodes, algorithm.depth, end.switches}) {
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

/// Upper bounds for all runs of the algorithm with this number; none if not known.
std::optional<TreeLimits> limits_of(const ComparisonResult& result, std::size_t number,
                                    std::uint64_t steps) {
  if (result.specification.algorithms[number].make_player) return std::nullopt;
  const OptimizerEntry& entry = optimizers().at(result.algorithms[number].chosen.name);
  if (!entry.limits) return std::nullopt;
  const std::size_t dimension = environment_of(result.specification)->space().dimension();
  const Selection chosen = resolved(result.algorithms[number].chosen, dimension);
  return entry.limits(chosen.options, static_cast<double>(steps));
}

/// The theory's bound on a quantity, for the caption of its figure; empty if there is none.
std::string theory_of(const ComparisonResult& result, const Quantity& quantity,
                      std::uint64_t steps) {
  std::string text;
  if (quantity.name != "nodes") return text;
  for (std::size_t i = 0; i < result.algorithms.size(); ++i) {
    if (const auto limits = limits_of(result, i, steps)) {
      text += fmt::format("{}{} has at most {:.0f} nodes and a depth of {:.1f} after {} steps",
                          text.empty() ? "Theory: " : "; ", result.algorithms[i].label,
                          limits->nodes, limits->depth, steps);
    }
  }
  return text.empty() ? text : text + ".";
}

SeriesFigure figure_of(const ComparisonResult& result, const Quantity& quantity,
                       const Looks& looks) {
  SeriesFigure figure{result.specification.title, "n, steps", quantity.label, {}};
  for (const AlgorithmResult& algorithm : result.algorithms) {
    Series line{algorithm.label, looks.colour_of(algorithm.label), looks.dash_of(algorithm.label)};
    for (const CurvePoint& point : algorithm.curve) {
      const Estimate& estimate = quantity.of(point);
      line.points.push_back(
          {static_cast<double>(point.steps), estimate.mean, low_of(estimate), high_of(estimate)});
    }
    figure.series.push_back(std::move(line));
  }
  return figure;
}

std::string interval_text(const Estimate& estimate, int digits) {
  if (std::isnan(estimate.mean)) return "unknown";
  return fmt::format("{:.{}f} <small>({:.{}f} to {:.{}f})</small>", estimate.mean, digits,
                     low_of(estimate), digits, high_of(estimate), digits);
}

std::string width_text(const IntervalQuality& intervals) {
  if (intervals.unbounded == 0.0) return fmt::format("{:.4f}", intervals.median_width);
  return fmt::format("{:.4f} <small>({:.0f} % have none)</small>", intervals.median_width,
                     100.0 * intervals.unbounded);
}

/// The criterion of a comparison, with the estimated optimum if it is not known.
std::string compared_by(const ComparisonResult& result) {
  std::string regret = fmt::format("{} regret per step", name_of(result.specification.regret));
  if (!result.specification.own || result.specification.own->optimum_is_known) return regret;
  if (!result.best_mean_seen) return "minus the mean reward; the optimum is unknown";
  return fmt::format("{}; the optimum is unknown: against {:.4g}, the best mean of any run", regret,
                     *result.best_mean_seen);
}

std::string html_table(const ComparisonResult& result, const Looks& looks) {
  std::string html =
      "<table><tr><th>algorithm</th><th>regret per step</th><th>realised</th><th>simple regret</th>"
      "<th>coverage of the best arm</th><th>width of its interval</th>"
      "<th>nodes</th><th>depth</th><th>changes of arm</th><th>CPU s per run</th><th>ns per "
      "step</th>"
      "<th>parameters</th></tr>";
  for (const AlgorithmResult& algorithm : result.algorithms) {
    const CurvePoint& end = algorithm.curve.back();
    html += fmt::format(
        "<tr><td><b "
        "style=\"color:{}\">{}</b></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</"
        "td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{:.3g}</td><td>{:.3g}</td><td>{}{}</td></tr>",
        looks.colour_of(algorithm.label), escaped(algorithm.label),
        interval_text(algorithm.per_step_regret, 4),
        interval_text(algorithm.per_step_realised_regret, 4),
        interval_text(algorithm.simple_regret, 4),
        fmt::format("{:.2f}", algorithm.intervals.coverage), width_text(algorithm.intervals),
        interval_text(end.nodes, 0), interval_text(algorithm.depth, 1),
        interval_text(end.switches, 0), end.seconds.mean, end.nanoseconds.mean,
        escaped(algorithm.parameters),
        algorithm.candidates > 1 ? fmt::format(" <small>(the best of {}; {:.4f} in tuning)</small>",
                                               algorithm.candidates, algorithm.tuning_regret)
                                 : "");
  }
  return html + "</table>";
}

std::string html_of(const ExperimentSpecification& experiment,
                    const std::vector<ComparisonResult>& results, const std::string& folder,
                    const std::string& command, const Report& report) {
  const Looks looks(results);
  std::string html =
      page_head(experiment.title) +
      fmt::format(
          "<p>{} runs of {} steps, seed {}; parameters chosen among the candidates by the mean of "
          "{} runs with random numbers of their own, then measured with fresh ones. Bands and "
          "brackets are "
          "95 % intervals (Student's t).</p>\n",
          experiment.runs, experiment.steps, experiment.seed, experiment.tuning_runs);
  if (experiment.is_suite) {
    html += "<pre>" + escaped(table_of(Profile(results, profiled_steps(experiment)))) + "</pre>\n";
    if (report.figures_missing.empty()) html += svg_of(folder + "/profile.svg");
  }
  for (const ComparisonResult& result : results) {
    const ComparisonSpecification& comparison = result.specification;
    html += fmt::format("<h2>{}</h2>\n<p>{}; compared by {}.</p>\n{}\n", escaped(comparison.title),
                        escaped(comparison.environment.name + " " + environment_text(comparison)),
                        escaped(compared_by(result)), html_table(result, looks));
    if (!report.figures_missing.empty()) continue;
    html += "<div class=\"figures\">";
    for (const Quantity& quantity : drawn(experiment, comparison.regret)) {
      html += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>",
                          svg_of(folder + "/" + comparison.name + "_" + quantity.name + ".svg"),
                          escaped(theory_of(result, quantity, experiment.steps)));
    }
    if (!experiment.is_suite) html += svg_of(folder + "/" + comparison.name + "_environment.svg");
    html += "</div>\n";
  }
  if (!report.figures_missing.empty()) {
    html += "<p>No figures: " + escaped(report.figures_missing) + ".</p>\n";
  }
  return html + page_foot(command);
}

/// For each algorithm, the fraction of cases within a factor of the least regret.
ShareFigure profile_figure(const Profile& profile, const Looks& looks) {
  constexpr double kLargest = 100.0;
  constexpr int kPoints = 200;
  ShareFigure figure{fmt::format("{} comparisons at {} values of n", profile.comparisons(),
                                 profile.steps().size()),
                     "factor",
                     "share of cases within this factor of the least regret",
                     {}};
  for (const Profile::Row& row : profile.rows()) {
    Series line{row.label, looks.colour_of(row.label), looks.dash_of(row.label)};
    const std::vector<double> ratios = all_ratios(row);
    for (int i = 0; i <= kPoints; ++i) {
      const double factor = std::pow(kLargest, static_cast<double>(i) / kPoints);
      const double share = share_within(ratios, factor);
      line.points.push_back({factor, share, share, share});
    }
    figure.series.push_back(std::move(line));
  }
  return figure;
}

std::string profile_csv(const Profile& profile, const std::vector<ComparisonResult>& results) {
  std::string csv = "algorithm,steps,comparison,ratio\n";
  for (const Profile::Row& row : profile.rows()) {
    for (std::size_t n = 0; n < profile.steps().size(); ++n) {
      for (std::size_t c = 0; c < results.size(); ++c) {
        csv += fmt::format("{},{},{},{}\n", quoted_csv(row.label), profile.steps()[n],
                           results[c].specification.name, to_text(row.ratios[n][c]));
      }
    }
  }
  return csv;
}

/// Draws a figure in both formats and records the files.
template <class Draw>
void draw_both(const std::string& stem, Report& report, Draw&& draw_into) {
  for (const char* ending : {".svg", ".png"}) {
    draw_into(stem + ending);
    report.files.push_back(stem + ending);
  }
}

void draw_all(const ExperimentSpecification& experiment,
              const std::vector<ComparisonResult>& results, const std::string& folder,
              Report& report) {
  const Looks looks(results);
  if (experiment.is_suite) {
    const ShareFigure figure = profile_figure(Profile(results, profiled_steps(experiment)), looks);
    draw_both(folder + "/profile", report, [&](const std::string& file) { draw(figure, file); });
  }
  for (const ComparisonResult& result : results) {
    const std::string stem = folder + "/" + result.specification.name + "_";
    for (const Quantity& quantity : drawn(experiment, result.specification.regret)) {
      const SeriesFigure figure = figure_of(result, quantity, looks);
      draw_both(stem + quantity.name, report, [&](const std::string& file) { draw(figure, file); });
    }
    if (experiment.is_suite || result.specification.own) continue;  // the caller's f may be slow
    const auto environment = make_environment(result.specification.environment);
    if (environment->space().dimension() > 2) continue;
    const std::string& title = result.specification.environment.name;
    draw_both(stem + "environment", report, [&](const std::string& file) {
      draw_environment(*environment, title, experiment.steps, file);
    });
  }
}

}  // namespace

std::string table_of(const ComparisonResult& result) {
  std::size_t width = 0;
  for (const AlgorithmResult& algorithm : result.algorithms) {
    width = std::max(width, algorithm.label.size());
  }
  std::string table = fmt::format("{} ({})\n", result.specification.title, compared_by(result));
  table += fmt::format("  {:<{}}{:>10}   {:^19}{:>9}{:>10}{:>9}{:>9}  {}\n", "", width, "regret",
                       "95 % interval", "nodes", "switches", "CPU s", "ns/step", "parameters");
  for (const AlgorithmResult& algorithm : result.algorithms) {
    const CurvePoint& end = algorithm.curve.back();
    table += fmt::format(
        "  {:<{}}{:>10.4f}   {:>8.4f} .. {:<8.4f}{:>8.0f}{:>10.0f}{:>9.3g}{:>9.3g}  {}\n",
        algorithm.label, width, end.regret.mean, low_of(end.regret), high_of(end.regret),
        end.nodes.mean, end.switches.mean, end.seconds.mean, end.nanoseconds.mean,
        algorithm.parameters);
  }
  return table;
}

Report write_report(const ExperimentSpecification& experiment,
                    const std::vector<ComparisonResult>& results, const std::string& folder,
                    const std::string& command) {
  Report report;
  const auto write = [&](const std::string& name, const std::string& text) {
    write_file(folder + "/" + name, text);
    report.files.push_back(folder + "/" + name);
  };
  write("summary.csv", summary_csv(results));
  for (const ComparisonResult& result : results) {
    write(result.specification.name + ".csv", curves_csv(result));
  }
  if (experiment.is_suite)
    write("profile.csv", profile_csv(Profile(results, profiled_steps(experiment)), results));
  try {
    draw_all(experiment, results, folder, report);
  } catch (const FigureError& error) {
    report.figures_missing = error.what();
  }
  write("report.html", html_of(experiment, results, folder, command, report));
  return report;
}

}  // namespace canopy
