#include "experiments/environment_figure.hpp"

#include "figures/figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

FigureAxis axis(const KnownEnvironment& environment, std::size_t index) {
  const auto& [name, domain] = environment.space().parameters().at(index);
  const auto [low, high] = domain.ends();
  return {name, low, high};
}

void draw_curve(const KnownEnvironment& environment, const std::string& title,
                const std::string& file) {
  constexpr int kPoints = 4000;
  const Optimum optimum = environment.optimum_at(1);
  CurveFigure figure{title,
                     axis(environment, 0),
                     {"f, mean reward", optimum.value, optimum.value},
                     {},
                     {optimum.arm[0], optimum.value},
                     fmt::format("optimum: f({:.4g}) = {:.4g}", optimum.arm[0], optimum.value)};
  for (int i = 0; i <= kPoints; ++i) {
    const double x = std::lerp(figure.x.low, figure.x.high, static_cast<double>(i) / kPoints);
    figure.curve.push_back({x, environment.mean_reward_at({&x, 1}, 1)});
    figure.y.low = std::min(figure.y.low, figure.curve.back().y);
  }
  const double margin = 0.05 * (figure.y.high - figure.y.low);
  figure.y.low -= margin;
  figure.y.high += margin;
  draw(figure, file);
}

void draw_map(const KnownEnvironment& environment, const std::string& title,
              const std::string& file) {
  constexpr std::size_t kCells = 200;
  const Optimum optimum = environment.optimum_at(1);
  MapFigure figure{title,
                   axis(environment, 0),
                   axis(environment, 1),
                   "f, mean reward",
                   kCells,
                   {},
                   {optimum.arm[0], optimum.arm[1]},
                   fmt::format("optimum: f({:.4g}, {:.4g}) = {:.4g}", optimum.arm[0],
                               optimum.arm[1], optimum.value)};
  for (std::size_t row = 0; row < kCells; ++row) {
    for (std::size_t column = 0; column < kCells; ++column) {
      const std::vector<double> arm{
          std::lerp(figure.x.low, figure.x.high, (static_cast<double>(column) + 0.5) / kCells),
          std::lerp(figure.y.low, figure.y.high, (static_cast<double>(row) + 0.5) / kCells)};
      figure.values.push_back(environment.mean_reward_at(arm, 1));
    }
  }
  draw(figure, file);
}

/// f of one parameter over time.
void draw_course(const KnownEnvironment& environment, const std::string& title, std::uint64_t steps,
                 const std::string& file) {
  constexpr std::size_t kCellsAcross = 400;
  constexpr std::size_t kCellsUp = 200;
  const auto last = static_cast<double>(steps);
  MapFigure figure{
      title,    {"pull", 0.0, last}, axis(environment, 0), "f, mean reward", kCellsAcross, {}, {},
      "optimum"};
  const auto step_of = [&](std::size_t column) {
    const double middle = (static_cast<double>(column) + 0.5) / kCellsAcross;
    return 1 + static_cast<std::uint64_t>(middle * (last - 1.0));
  };
  for (std::size_t row = 0; row < kCellsUp; ++row) {
    const double arm =
        std::lerp(figure.y.low, figure.y.high, (static_cast<double>(row) + 0.5) / kCellsUp);
    for (std::size_t column = 0; column < kCellsAcross; ++column) {
      figure.values.push_back(environment.mean_reward_at({&arm, 1}, step_of(column)));
    }
  }
  for (std::size_t column = 0; column < kCellsAcross; ++column) {
    const std::uint64_t step = step_of(column);
    figure.path.push_back({static_cast<double>(step), environment.optimum_at(step).arm[0]});
  }
  draw(figure, file);
}

/// The name of a variable; for a choice, with its values, which the axis numbers from 0.
std::string label_of(const ContextVariable& variable) {
  std::string label = variable.name;
  if (variable.domain.is_ordered()) return label;
  for (std::uint64_t i = 0; i < variable.domain.count().value_or(0); ++i) {
    label += fmt::format("{} {} = {}", i == 0 ? ":" : ",", i,
                         variable.domain.text(static_cast<double>(i)));
  }
  return label;
}

/// f of the first parameter for every value of the first context variable; the other variables are
/// in the middle of their ranges, and the other parameters have their best values.
void draw_contexts(const ContextualEnvironment& environment, const std::string& title,
                   const std::string& file) {
  constexpr std::size_t kCellsAcross = 400;
  constexpr std::size_t kCellsUp = 200;
  const ContextSpace& contexts = environment.contexts();
  const Domain& across = contexts[0].domain;
  const double low = across.ends()[0];
  const double high = across.ends()[1];
  const double spacing = across.spacing();  // each value of a list gets an interval of the axis
  MapFigure figure{title,
                   {label_of(contexts[0]), low - 0.5 * spacing, high + 0.5 * spacing},
                   axis(environment, 0),
                   "f, mean reward",
                   kCellsAcross,
                   {},
                   {},
                   "optimum"};
  const auto place_of = [&](std::size_t column) {
    return std::lerp(figure.x.low, figure.x.high,
                     (static_cast<double>(column) + 0.5) / kCellsAcross);
  };
  const auto context_of = [&](std::size_t column) {
    std::vector<double> context{place_of(column)};
    if (across.count()) context[0] = low + spacing * std::round((context[0] - low) / spacing);
    for (std::size_t k = 1; k < contexts.size(); ++k) {
      context.push_back(contexts[k].domain.at(0.5));
    }
    return context;
  };
  for (std::size_t row = 0; row < kCellsUp; ++row) {
    for (std::size_t column = 0; column < kCellsAcross; ++column) {
      const std::vector<double> context = context_of(column);
      std::vector<double> arm = environment.optimum_in(context).arm;
      arm[0] = std::lerp(figure.y.low, figure.y.high, (static_cast<double>(row) + 0.5) / kCellsUp);
      figure.values.push_back(environment.mean_reward_in(context, arm));
    }
  }
  for (std::size_t column = 0; column < kCellsAcross; ++column) {
    figure.path.push_back({place_of(column), environment.optimum_in(context_of(column)).arm[0]});
  }
  draw(figure, file);
}

}  // namespace

void draw_environment(const KnownEnvironment& environment, const std::string& title,
                      std::uint64_t steps, const std::string& file) {
  if (const auto* contextual = dynamic_cast<const ContextualEnvironment*>(&environment)) {
    draw_contexts(*contextual, title, file);
  } else if (environment.space().dimension() == 1 && environment.drifts()) {
    draw_course(environment, title, steps, file);
  } else if (environment.space().dimension() == 1) {
    draw_curve(environment, title, file);
  } else {
    draw_map(environment, title, file);
  }
}

}  // namespace canopy
