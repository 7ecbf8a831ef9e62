#include "figures/figure.hpp"

#include "core/text.hpp"
#include "files/page.hpp"
#include "systems/command.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr double kPatience = 120.0;  // in seconds
constexpr std::size_t kLargestPicture = 100'000'000;

/// Quotes text for gnuplot; between single quotes only the quote is special.
std::string gnuplot_text(std::string_view text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') result += '\'';
    result += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  return result + "'";
}

std::string terminal_of(const std::string& file) {
  if (file.ends_with(".svg")) {
    return fmt::format("svg size {},{} dynamic background '#ffffff' font 'sans,14'", kFigureWidth,
                       kFigureHeight);
  }
  if (file.ends_with(".png")) {
    return fmt::format("pngcairo size {},{} font 'sans,11'", kFigureWidth, kFigureHeight);
  }
  throw FigureError(file + ": must end in .svg or .png");
}

std::string preamble(const std::string& title, const FigureAxis& x, const FigureAxis& y,
                     const std::string& file) {
  return fmt::format(
      "set terminal {} noenhanced\nset title {}\nset xlabel {}\nset ylabel {}\n"
      "set xrange [{}:{}]\nset yrange [{}:{}]\nset key tmargin center horizontal\n"
      "set border 3\nset tics nomirror out\n",
      terminal_of(file), gnuplot_text(title), gnuplot_text(x.label), gnuplot_text(y.label),
      to_text(x.low), to_text(x.high), to_text(y.low), to_text(y.high));
}

/// Runs a script with gnuplot and returns the picture.
std::string picture_of(const std::string& script) {
  const CommandResult result = run_command(
      {"gnuplot"}, {.timeout_seconds = kPatience, .most_output = kLargestPicture, .input = script});
  if (result.succeeded()) return result.output;
  if (result.outcome == CommandResult::Outcome::not_started) {
    throw FigureError("gnuplot is not installed (Debian: gnuplot-nox)");
  }
  throw FigureError("gnuplot failed: " + result.describe());
}

void draw_script(const std::string& script, const std::string& file) {
  const std::string picture = picture_of(script);
  try {
    write_file(file, picture);
  } catch (const OutputError& error) {
    throw FigureError(error.what());
  }
}

/// A data block of points.
std::string block(std::string_view name, const std::vector<Point>& points) {
  std::string text = fmt::format("${} << END\n", name);
  for (const Point& point : points) {
    text += fmt::format("{} {}\n", to_text(point.x), to_text(point.y));
  }
  return text + "END\n";
}

/// The gnuplot clause that plots the block `mark`.
std::string mark_plot(const std::string& label, std::string_view colour) {
  return fmt::format("$mark using 1:2 with points pt 7 ps 1.2 lc rgb '{}' title {}\n", colour,
                     gnuplot_text(label));
}

/// The points of a series, one per line, without the points that a log scale cannot show.
std::string data_of(const Series& series) {
  double least = std::numeric_limits<double>::infinity();
  for (const Series::Point& point : series.points) {
    if (point.y > 0.0) least = std::min(least, point.y);
  }
  std::string data;
  for (const Series::Point& point : series.points) {
    if (!(point.y > 0.0)) continue;
    const double low = std::max(point.low, 0.1 * least);
    data += fmt::format("{} {} {} {}\n", to_text(point.x), to_text(point.y), to_text(low),
                        to_text(point.high));
  }
  return data;
}

/// The common head of figures with a labelled series each.
std::string series_head(const std::string& title, const std::string& x_label,
                        const std::string& y_label, const std::string& file) {
  return fmt::format(
      "set terminal {}\nset title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} "
      "noenhanced\n"
      "set key below height 1 noenhanced\nset key samplen 5\nset border 3\n"
      "set tics nomirror out\nset grid lt 1 lc rgb '#dddddd'\n",
      terminal_of(file), gnuplot_text(title), gnuplot_text(x_label), gnuplot_text(y_label));
}

std::string look_of(const Series& series) {
  return fmt::format("lw 1.8 dashtype {} lc rgb '{}' title {}", series.dash, series.colour,
                     gnuplot_text(series.label));
}

}  // namespace

void draw(const CurveFigure& figure, const std::string& file) {
  std::string script = preamble(figure.title, figure.x, figure.y, file);
  script += "set grid lt 1 lc rgb '#dddddd'\n" + block("curve", figure.curve) +
            block("mark", {figure.mark}) +
            "plot $curve using 1:2 with lines lw 1.5 lc rgb '#1f5fa8' notitle, " +
            mark_plot(figure.mark_label, "#c0392b");
  draw_script(script, file);
}

void draw(const MapFigure& figure, const std::string& file) {
  const std::size_t columns = figure.columns;
  const std::size_t rows = figure.values.size() / columns;
  const double width = (figure.x.high - figure.x.low) / static_cast<double>(columns);
  const double height = (figure.y.high - figure.y.low) / static_cast<double>(rows);
  std::string script = preamble(figure.title, figure.x, figure.y, file);
  const auto [low, high] = std::minmax_element(figure.values.begin(), figure.values.end());
  script += fmt::format(
      "set cblabel {}\nset cbrange [{}:{}]\nset palette defined (0 '#440154', 0.25 '#3b528b', 0.5 "
      "'#21918c', "
      "0.75 '#5ec962', 1 '#fde725')\n$map << END\n",
      gnuplot_text(figure.value_label), to_text(*low), to_text(*high));
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      script += fmt::format("{} {} {}\n",
                            to_text(figure.x.low + width * (static_cast<double>(column) + 0.5)),
                            to_text(figure.y.low + height * (static_cast<double>(row) + 0.5)),
                            to_text(figure.values[row * columns + column]));
    }
    script += '\n';
  }
  script += "END\n";
  const std::string mark = figure.path.empty()
                               ? mark_plot(figure.mark_label, "#e74c3c")
                               : fmt::format(
                                     "$path using 1:2 with lines lw 2 lc rgb '#e74c3c' "
                                     "title {}\n",
                                     gnuplot_text(figure.mark_label));
  script += block("mark", {figure.mark}) + block("path", figure.path) +
            "plot $map using 1:2:3 with image notitle, " + mark;
  draw_script(script, file);
}

void draw(const SeriesFigure& figure, const std::string& file) {
  std::string script = series_head(figure.title, figure.x_label, figure.y_label, file) +
                       "set logscale xy\nset format xy '10^{%T}'\n"
                       "set style fill transparent solid 0.2 noborder\n";
  std::string bands;
  std::string lines;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    const std::string name = fmt::format("$series{}", i);
    const std::string data = data_of(series);
    if (data.empty()) continue;
    script += fmt::format("{} << END\n{}END\n", name, data);
    bands +=
        fmt::format("{} using 1:3:4 with filledcurves lc rgb '{}' notitle, ", name, series.colour);
    lines += fmt::format("{} using 1:2 with linespoints pt 7 ps 0.4 {}, ", name, look_of(series));
  }
  if (lines.empty()) throw FigureError(file + ": there is nothing to draw");
  lines.resize(lines.size() - 2);
  draw_script(script + "plot " + bands + lines + "\n", file);
}

void draw(const ShareFigure& figure, const std::string& file) {
  std::string script = series_head(figure.title, figure.x_label, figure.y_label, file) +
                       "set logscale x\nset yrange [0:1]\n";
  std::string lines;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    const std::string name = fmt::format("$series{}", i);
    script += name + " << END\n";
    for (const Series::Point& point : series.points) {
      script += fmt::format("{} {}\n", point.x, point.y);
    }
    script += "END\n";
    lines += fmt::format("{} using 1:2 with steps {}, ", name, look_of(series));
  }
  if (lines.empty()) throw FigureError(file + ": there is nothing to draw");
  lines.resize(lines.size() - 2);
  draw_script(script + "plot " + lines + "\n", file);
}

}  // namespace canopy
