#include "plot/svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "base/error.h"

namespace bigdna::plot {
namespace {

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// The coordinates of the n-th polyline.
std::vector<std::pair<double, double>> line(const std::string& text, size_t n) {
  static const std::regex lines("points=\"([^\"]*)\"");
  auto found = std::sregex_iterator(text.begin(), text.end(), lines);
  std::advance(found, static_cast<std::ptrdiff_t>(n));
  std::istringstream in((*found)[1].str());
  std::vector<std::pair<double, double>> points;
  double x, y;
  char comma;
  while (in >> x >> comma >> y) points.emplace_back(x, y);
  return points;
}

TEST(Svg, LinesKeepTheOrderAndProportionsOfTheirPoints) {
  const auto text = svg({Chart{"a", {"x"}, {"y"}, {{"s", {0, 1, 3}, {0, 10, 30}}}}});
  const auto points = line(text, 0);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_NEAR((points[2].first - points[0].first) / (points[1].first - points[0].first), 3, 1e-3);
  EXPECT_NEAR((points[2].second - points[0].second) / (points[1].second - points[0].second), 3, 1e-3);
  EXPECT_LT(points[2].second, points[0].second) << "y grows upwards";
}

TEST(Svg, LogAxisSpacesPowersEvenly) {
  const auto points = line(svg({Chart{"", {"x", true}, {"y"}, {{"", {1, 10, 100}, {1, 2, 3}}}}}), 0);
  EXPECT_NEAR(points[1].first - points[0].first, points[2].first - points[1].first, 1e-2);
}

TEST(Svg, WhatCannotBeDrawnBreaksTheLine) {
  const auto text = svg({Chart{"", {"x", true}, {"y"}, {{"", {1, 2, 3, 4, 0, 5}, {1, 2, std::nan(""), 4, 5, 6}}}}});
  EXPECT_EQ(count(text, "<polyline"), 1u);  // 1-2
  EXPECT_EQ(count(text, "<circle"), 2u);    // 4 and 5, each alone
}

TEST(Svg, WhatIsNotDrawnHasNoEntryInTheLegend) {
  const auto text =
      svg({Chart{"", {"x"}, {"y"}, {{"line", {1, 2}, {1, 2}}, {"lonely", {1}, {2}}, {"absent", {}, {}}}}});
  EXPECT_EQ(count(text, ">line<"), 1u);
  EXPECT_EQ(count(text, ">lonely<"), 1u);
  EXPECT_EQ(count(text, "<circle"), 2u);  // a line of one point is a dot, also in the legend
  EXPECT_EQ(count(text, ">absent<"), 0u);
}

TEST(Svg, AnEmptyChartIsStillAPicture) {
  const auto text =
      svg({Chart{"empty", {"x"}, {"y"}, {{"s", {}, {}}}}, Chart{"flat", {"x"}, {"y"}, {{"", {1, 1}, {2, 2}}}}});
  EXPECT_EQ(count(text, "</svg>"), 1u);
  EXPECT_EQ(count(text, "nan"), 0u);
  EXPECT_EQ(count(text, "inf"), 0u);
}

TEST(Svg, NamesAreEscaped) {
  const auto text = svg({Chart{"a<b & \"c\"", {"x"}, {"y"}, {}}});
  EXPECT_NE(text.find("a&lt;b &amp; &quot;c&quot;"), std::string::npos);
}

TEST(Svg, ASeriesNeedsAsManyXAsY) { EXPECT_THROW(svg({Chart{"", {}, {}, {{"s", {1}, {}}}}}), Error); }

TEST(Svg, GridDrawsItsCells) {
  const Grid grid{"g", "key", "query", 2, 3, {0, 1, 0, 2, 0, 1}, {"none", "window", "global"}};
  const auto text = svg(grid);
  EXPECT_EQ(count(text, "#0072b2"), 3u);  // two cells and the legend
  EXPECT_EQ(count(text, "#d55e00"), 2u);
  Grid wrong = grid;
  wrong.cells.pop_back();
  EXPECT_THROW(svg(wrong), Error);
}

/// The vertical scales of the letters of one colour, in their order.
std::vector<double> heights(const std::string& text, const std::string& colour) {
  static const std::regex letters(
      "<path fill-rule=\"evenodd\" fill=\"([^\"]*)\" transform=\"translate\\([^)]*\\) "
      "scale\\([^ ]* ([^)]*)\\)");
  std::vector<double> scales;
  for (auto found = std::sregex_iterator(text.begin(), text.end(), letters); found != std::sregex_iterator(); ++found)
    if ((*found)[1] == colour) scales.push_back(std::stod((*found)[2]));
  return scales;
}

TEST(Svg, LettersOfALogoAreAsHighAsTheirNumbers) {
  Logo logo{"t", "y", {"100"}, {{2, 0, 0, 0}, {0, 0, 0, -1}, {1, 0, 0.5, 0}}};
  const auto text = svg(logo);
  const auto a = heights(text, "#009e73"), g = heights(text, "#e69f00"), t = heights(text, "#d55e00");
  ASSERT_EQ(a.size(), 2u);
  ASSERT_EQ(g.size(), 1u);
  ASSERT_EQ(t.size(), 1u);
  EXPECT_NEAR(a[0] / a[1], 2, 1e-4);
  EXPECT_NEAR(a[1] / g[0], 2, 1e-4);
  EXPECT_NEAR(t[0] / a[1], -1, 1e-4) << "what is below the line is upside down";
  EXPECT_EQ(count(text, ">100<"), 1u);
  EXPECT_EQ(count(text, "heat"), 0u);
}

TEST(Svg, ChangesOfALogoAreAHeatMap) {
  Logo logo{"t", "y", {}, {{1, 0, 0, 0}, {0, 1, 0, 0}}, {{NAN, -1, 0.5, 0}, {1, NAN, 0, 0}}};
  const auto text = svg(logo);
  EXPECT_EQ(count(text, "fill=\"#cccccc\""), 2u);  // the bases that stand there
  EXPECT_EQ(count(text, "fill=\"#0072b2\" stroke=\"none\""), 1u);
  EXPECT_EQ(count(text, "fill=\"#d55e00\" stroke=\"none\""), 1u);
  EXPECT_EQ(count(text, "fill=\"#ffffff\""), 3u);
  logo.changes.pop_back();
  EXPECT_THROW(svg(logo), Error);
}

TEST(Svg, BarsOfAnOverviewAreAsHighAsTheirNumbers) {
  Logo logo{"t", "y", {}, {{1, 0, 0, 0}}};
  logo.overview = Overview{"around", {0.5, NAN, 0.25, 0.125}, 0.5, 1, 1.5, "201", "1000"};
  const auto text = svg(logo);
  static const std::regex bar("<rect [^>]*height=\"([^\"]*)\" fill=\"#0072b2\"");
  std::vector<double> bars;
  for (auto found = std::sregex_iterator(text.begin(), text.end(), bar); found != std::sregex_iterator(); ++found)
    bars.push_back(std::stod((*found)[1]));
  ASSERT_EQ(bars.size(), 3u);
  EXPECT_NEAR(bars[0] / bars[1], 2, 0.01);
  EXPECT_NEAR(bars[1] / bars[2], 2, 0.01);
  EXPECT_EQ(count(text, ">around<") + count(text, ">201<") + count(text, ">1000<") + count(text, ">0.5<"), 4u);
  EXPECT_EQ(count(text, "nan"), 0u);
}

TEST(Svg, ALogoOfNothingIsStillAPicture) {
  for (const auto& logo : {Logo{"t", "y"}, Logo{"t", "y", {}, {{0, 0, 0, 0}}}}) {
    const auto text = svg(logo);
    EXPECT_EQ(count(text, "</svg>"), 1u);
    EXPECT_EQ(count(text, "nan") + count(text, "inf"), 0u);
  }
}

}  // namespace
}  // namespace bigdna::plot
