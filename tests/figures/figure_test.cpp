#include "figures/figure.hpp"

#include "support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

/// A file in a temporary folder.
class FigureFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
  [[nodiscard]] std::string content(const std::string& name) const { return folder_.content(name); }

 private:
  testing::TemporaryFolder folder_;
};

CurveFigure parabola() {
  return {.title = R"(a "quoted" \ title)",
          .x = {"x_label", 0.0, 1.0},
          .y = {"height", 0.0, 1.0},
          .curve = {{0.0, 0.0}, {0.5, 1.0}, {1.0, 0.0}},
          .mark = {0.5, 1.0},
          .mark_label = "the top"};
}

MapFigure checkerboard() {
  return {.title = "map",
          .x = {"x", 0.0, 2.0},
          .y = {"y", 0.0, 2.0},
          .value_label = "value",
          .columns = 2,
          .values = {0.0, 1.0, 1.0, 0.0},
          .mark = {1.0, 1.0},
          .mark_label = "middle"};
}

TEST_F(FigureFile, ACurveHasItsLabelsAndItsMark) {
  draw(parabola(), path("curve.svg"));
  const std::string svg = content("curve.svg");
  EXPECT_TRUE(svg.starts_with("<?xml")) << svg.substr(0, 80);
  for (const char* text : {"x_label", "height", "the top", "quoted"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST_F(FigureFile, SharesHaveALineForEveryLabel) {
  ShareFigure figure{.title = "t", .x_label = "factor", .y_label = "share", .series = {}};
  EXPECT_THROW(draw(figure, path("none.svg")), FigureError);
  figure.series = {{"one", "#0072b2", 1, {{1.0, 0.5}, {10.0, 1.0}}},
                   {"other", "#d55e00", 2, {{1.0, 0.2}, {10.0, 0.9}}}};
  draw(figure, path("shares.svg"));
  for (const char* text : {"factor", "share", "one", "other"}) {
    EXPECT_NE(content("shares.svg").find(text), std::string::npos) << text;
  }
}

TEST_F(FigureFile, APathStandsOutInPlaceOfTheMark) {
  MapFigure figure = checkerboard();
  draw(figure, path("mark.svg"));
  figure.path = {{0.5, 0.5}, {1.5, 1.5}};
  figure.mark_label = "the way";
  draw(figure, path("path.svg"));
  EXPECT_NE(content("path.svg").find("the way"), std::string::npos);
  EXPECT_EQ(content("mark.svg").find("the way"), std::string::npos);
}

TEST_F(FigureFile, PngsArePngs) {
  draw(parabola(), path("curve.png"));
  draw(checkerboard(), path("map.png"));
  EXPECT_TRUE(content("curve.png").starts_with("\x89PNG"));
  EXPECT_TRUE(content("map.png").starts_with("\x89PNG"));
}

TEST_F(FigureFile, NamesAndLabelsAreTakenLiterally) {
  CurveFigure figure = parabola();
  figure.title = "it's `touch " + path("pwned") + "` $(x) \\n";
  const std::string name = "it's `touch " + std::string("x") + "`.svg";
  draw(figure, path(name));
  EXPECT_TRUE(std::filesystem::exists(path(name)));
  EXPECT_FALSE(std::filesystem::exists(path("pwned")));
  EXPECT_NE(content(name).find("$(x)"), std::string::npos);
}

TEST_F(FigureFile, ADrawingThatFailsLeavesWhatWasThere) {
  std::ofstream(path("keep.svg")) << "old";
  CurveFigure figure = parabola();
  figure.x.high = std::numeric_limits<double>::quiet_NaN();  // which gnuplot refuses
  EXPECT_THROW(draw(figure, path("keep.svg")), FigureError);
  EXPECT_EQ(content("keep.svg"), "old");
  EXPECT_FALSE(std::filesystem::exists(path("keep.svg.part")));
}

TEST_F(FigureFile, OtherEndingsAreRefused) {
  EXPECT_THROW(draw(parabola(), path("curve.pdf")), FigureError);
  EXPECT_FALSE(std::filesystem::exists(path("curve.pdf")));
}

TEST_F(FigureFile, APlaceThatCannotBeWrittenIsNamed) {
  try {
    draw(checkerboard(), path("nowhere/map.svg"));
    FAIL();
  } catch (const FigureError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere/map.svg: cannot be written"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace canopy
