#include "antaeus/draw/contour_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "antaeus/core/error.hpp"
#include "antaeus/draw/figure.hpp"
#include "draw/tolerances.hpp"

namespace antaeus {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// One panel over 0 … 4 by 0 … 4, whose value is 10^(x − 1.5) wherever the function does not say otherwise.
template <class Field>
ContourMap made(Field&& field) {
  ContourMap map;
  map.title = "a <map>";
  map.description = "rises to the right";
  map.x = {"speed [m/s]", {0, 1, 2, 3, 4}};
  map.y = {"load [kg]", {0, 1, 2, 3, 4}};
  MapPanel panel;
  panel.title = "heat [W]";
  for (const double y : map.y.values) {
    for (const double x : map.x.values) panel.values.push_back(field(x, y));
  }
  map.rows = {{"first & last", "beside it", {panel, panel}}, {"below", "", {panel}}};
  map.points = {{"in", 1, 1, false}, {"off", 3, 3, true}};
  return map;
}
ContourMap rising() {
  return made([](double x, double) { return std::pow(10.0, x - 1.5); });
}

std::string limit_line(const std::string& svg) {
  std::smatch match;
  return std::regex_search(svg, match, std::regex("class=\"limit\" d=\"([^\"]*)\"")) ? match[1].str() : "";
}

TEST(ContourMap, TheLimitLiesWhereTheLogarithmCrossesIt) {
  // x = 1.5 of 0 … 4, on a plot of 232 px that begins at 62 px: at 149 px, from its upper to its lower end.
  const std::string line = limit_line(draw_contour_map(rising(), "heat"));
  const std::regex corner("[ML]([-0-9.]+) ([-0-9.]+)");
  int on_line = 0;
  for (std::sregex_iterator at(line.begin(), line.end(), corner), end; at != end; ++at) {
    const double x = std::stod((*at)[1]), y = std::stod((*at)[2]);
    if (x > 62 + 232 || y < 62 || y > 62 + 232) continue;  // the field's edge, outside the clip path
    EXPECT_NEAR(x, 149.0, tolerance::kPixel);
    ++on_line;
  }
  EXPECT_EQ(on_line, 5);
}

TEST(ContourMap, HoldsItsWordsAndEscapesThem) {
  const std::string svg = draw_contour_map(rising(), "heat");
  for (const char* const words : {"a &lt;map&gt;", "rises to the right", "first &amp; last", "beside it", ">below<",
                                  "speed [m/s]", "load [kg]", "heat [W]", ">in<", ">off<", "point off this plane"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(svg, draw_contour_map(rising(), "heat")) << "equal input, equal bytes";
  for (const char* const id : {"heat-c0\"", "heat-c1\"", "heat-c2\""}) EXPECT_NE(svg.find(id), std::string::npos) << id;
}

TEST(ContourMap, WhatIsNotKnownIsNotPermitted) {
  // All of it above every level: the limit's line runs around the field, outside what is shown.
  const std::string above = draw_contour_map(made([](double, double) { return 1e9; }), "heat");
  for (const double value : {kNothing, -1.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(draw_contour_map(made([&](double, double) { return value; }), "heat"), above) << value;
  }
}

TEST(ContourMap, WhatDoesNotFitIsRefused) {
  const auto refused = [](const ContourMap& map, const std::string& id, const std::string& text) {
    try {
      draw_contour_map(map, id);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      return;
    }
    ADD_FAILURE() << text;
  };
  refused(rising(), "Heat", "an id of other characters");
  ContourMap map = rising();
  map.rows[1].panels[0].values.pop_back();
  refused(map, "heat", "figure 'heat': panel 'heat [W]' has 24 values; give 25, as the grid has points");
  map = rising();
  map.rows.clear();
  refused(map, "heat", "no panels");
  map = rising();
  map.x.values = {1};
  refused(map, "heat", "an axis of fewer than two values");
}

TEST(ContourMap, LevelsHaveTheDigitsTheyNeed) {
  EXPECT_EQ(level_text(12.0), "12");
  EXPECT_EQ(level_text(2.5), "2.5");
  EXPECT_EQ(level_text(0.25), "0.25");
  EXPECT_EQ(level_text(0.1 + 0.2), "0.3");
}

}  // namespace
}  // namespace antaeus
