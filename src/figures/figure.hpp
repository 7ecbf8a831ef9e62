#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace canopy {

/// Thrown when a figure cannot be drawn: gnuplot is missing or fails, or the file cannot be
/// written.
class FigureError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// One axis: its label and its two ends.
struct FigureAxis {
  std::string label;
  double low = 0.0;
  double high = 1.0;
};

/// A curve with one highlighted point.
struct CurveFigure {
  std::string title;
  FigureAxis x;
  FigureAxis y;
  std::vector<Point> curve;
  Point mark;
  std::string mark_label;
};

/// A function of two numbers as a colour map of equal rectangles, evaluated at their middles, with
/// one highlighted point. Values are listed row by row, the first axis varying fastest.
struct MapFigure {
  std::string title;
  FigureAxis x;
  FigureAxis y;
  std::string value_label;
  std::size_t columns = 0;
  std::vector<double> values;
  Point mark;
  std::string mark_label;
  std::vector<Point> path = {};  ///< if not empty, highlighted in place of the mark
};

/// A line with a dot at every point, and a band around it.
struct Series {
  struct Point {
    double x = 0.0;
    double y = 0.0;
    double low = 0.0;  ///< ends of the band; equal to y if there is none
    double high = 0.0;
  };

  std::string label;
  std::string colour;  ///< #rrggbb
  int dash = 1;        ///< 1: solid; 2 to 5: dashed
  std::vector<Point> points = {};
};

/// Several series over the same two logarithmic axes; values that are not positive are left out.
struct SeriesFigure {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

/// Fractions from 0 to 1 over a logarithmic axis from 1; lines without dots and bands.
struct ShareFigure {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

/// Size of pictures in pixels.
inline constexpr int kFigureWidth = 800;
inline constexpr int kFigureHeight = 500;

/// Draws with gnuplot into a file whose name ends in .svg or .png. Throws FigureError.
void draw(const CurveFigure& figure, const std::string& file);
void draw(const MapFigure& figure, const std::string& file);
void draw(const SeriesFigure& figure, const std::string& file);
void draw(const ShareFigure& figure, const std::string& file);

}  // namespace canopy
