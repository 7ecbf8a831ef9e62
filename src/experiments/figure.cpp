#include "experiments/figure.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <sys/wait.h>
#include <system_error>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Text as gnuplot reads it between double quotes, literally.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter == '\n' ? ' ' : letter;
  }
  return result + "\"";
}

std::string_view terminal_of(const std::string& file) {
  if (file.ends_with(".svg")) return "svg size 800,500 dynamic background '#ffffff' font 'sans,14'";
  if (file.ends_with(".png")) return "pngcairo size 800,500 font 'sans,11'";
  throw FigureError(file + ": must end in .svg or .png");
}

std::string preamble(const std::string& title, const FigureAxis& x, const FigureAxis& y,
                     const std::string& file) {
  return fmt::format(
      "set terminal {} noenhanced\nset output {}\nset title {}\nset xlabel {}\nset ylabel {}\n"
      "set xrange [{}:{}]\nset yrange [{}:{}]\nset key tmargin center horizontal\n"
      "set border 3\nset tics nomirror out\n",
      terminal_of(file), quoted(file), quoted(title), quoted(x.label), quoted(y.label),
      to_text(x.low), to_text(x.high), to_text(y.low), to_text(y.high));
}

/// Runs gnuplot on a script.
void run_gnuplot(const std::string& script, const std::string& file) {
  if (std::FILE* probe = std::fopen(file.c_str(), "ab")) {
    (void)std::fclose(probe);
  } else {
    throw FigureError(file + ": cannot be written: " + std::generic_category().message(errno));
  }
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);                 // a gnuplot that ends early is seen below
  std::FILE* pipe = popen("gnuplot 2>/dev/null", "w");  // NOLINT(cert-env33-c): a fixed command
  if (pipe == nullptr) throw FigureError("gnuplot cannot be started");
  (void)std::fwrite(script.data(), 1, script.size(), pipe);
  const int status = pclose(pipe);
  sigaction(SIGPIPE, &before, nullptr);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  (void)std::remove(file.c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw FigureError("gnuplot is not there; install it (Debian: gnuplot-nox)");
  }
  throw FigureError(file + ": gnuplot could not draw it");
}

std::string mark_plot(const Point& mark, const std::string& label, std::string_view colour) {
  return fmt::format("'<echo {} {}' using 1:2 with points pt 7 ps 1.2 lc rgb '{}' title {}",
                     to_text(mark.x), to_text(mark.y), colour, quoted(label));
}

}  // namespace

void draw(const CurveFigure& figure, const std::string& file) {
  std::string script = preamble(figure.title, figure.x, figure.y, file);
  script += "set grid lc rgb '#dddddd'\n$curve << END\n";
  for (const Point& point : figure.curve) {
    script += fmt::format("{} {}\n", to_text(point.x), to_text(point.y));
  }
  script += "END\nplot $curve using 1:2 with lines lw 1.5 lc rgb '#1f5fa8' notitle, " +
            mark_plot(figure.mark, figure.mark_label, "#c0392b") + "\n";
  run_gnuplot(script, file);
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
      quoted(figure.value_label), to_text(*low), to_text(*high));
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      script += fmt::format("{} {} {}\n",
                            to_text(figure.x.low + width * (static_cast<double>(column) + 0.5)),
                            to_text(figure.y.low + height * (static_cast<double>(row) + 0.5)),
                            to_text(figure.values[row * columns + column]));
    }
    script += '\n';
  }
  script += "END\nplot $map using 1:2:3 with image notitle, " +
            mark_plot(figure.mark, figure.mark_label, "#e74c3c") + "\n";
  run_gnuplot(script, file);
}

}  // namespace canopy
