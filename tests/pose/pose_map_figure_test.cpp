#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

#include "antaeus/core/error.hpp"
#include "antaeus/pose/figures.hpp"
#include "antaeus/pose/pose_map.hpp"
#include "report/tolerances.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

/// A map whose field is what a function makes of the two joints.
template <class Field>
PoseMap made_map(int steps, Field&& field) {
  PoseMap map;
  map.pose = "flat";
  map.joint_x = "first";
  map.joint_y = "second";
  map.x = map.y = VectorX::LinSpaced(steps, -1.0, 1.0);
  map.endpoints = {"hand"};
  map.labels = {"hand <&>"};
  map.samples.resize(1);
  for (int iy = 0; iy < steps; ++iy) {
    for (int ix = 0; ix < steps; ++ix) {
      PoseSample sample;
      sample.kappa = field(map.x[ix], map.y[iy]);
      map.samples[0].push_back(sample);
    }
  }
  map.marks = {{"here", 0.0, 0.0, true}, {"there", 0.5, 0.5, false}};
  return map;
}

/// Subpaths of the limit's line in px.
std::vector<std::vector<std::pair<double, double>>> limit_lines(const std::string& svg) {
  std::vector<std::vector<std::pair<double, double>>> lines;
  std::smatch match;
  // The first line of this class is the field's; the bar's and the legend's follow.
  if (!std::regex_search(svg, match, std::regex("class=\"limit\" d=\"([^\"]*)\""))) return lines;
  std::string data = match[1];
  for (char& c : data) {
    if (c == 'L' || c == 'Z') c = ' ';
  }
  std::stringstream parts(data);
  for (std::string part; std::getline(parts, part, 'M');) {
    std::stringstream numbers(part);
    std::vector<std::pair<double, double>> line;
    for (double x, y; numbers >> x >> y;) line.emplace_back(x, y);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

/// κ = 10^(3 r − 1.2) crosses 20 at r = (log₁₀ 20 + 1.2)/3 of the half width: a circle. Between the grid's points the
/// logarithm, a cone, is all but linear.
TEST(PoseMapFigure, TheLimitIsDrawnWhereTheFieldCrossesIt) {
  const PoseMap map = made_map(81, [](double x, double y) { return std::pow(10.0, 3.0 * std::hypot(x, y) - 1.2); });
  const std::string svg = draw_pose_map(map, {{PoseQuantity::kappa, 20.0}}, "circle");
  const auto lines = limit_lines(svg);
  // The circle, and the field's own edge outside the clip path, beyond which everything counts as below.
  ASSERT_EQ(lines.size(), 2u);
  constexpr double kHalf = 116.0;
  const double radius = (std::log10(20.0) + 1.2) / 3.0 * kHalf;
  const auto& circle = lines[0].size() > lines[1].size() ? lines[1] : lines[0];
  double cx = 0, cy = 0;
  std::smatch mark;
  ASSERT_TRUE(std::regex_search(svg, mark, std::regex("cx=\"([0-9.]+)\" cy=\"([0-9.]+)\" r=\"4\" class=\"pose\"")));
  cx = std::stod(mark[1]);
  cy = std::stod(mark[2]);
  int on_circle = 0;
  for (const auto* line : {&lines[0], &lines[1]}) {
    for (const auto& [x, y] : *line) {
      const double r = std::hypot(x - cx, y - cy);
      if (std::max(std::abs(x - cx), std::abs(y - cy)) > kHalf + 1) continue;  // outside the clip path
      EXPECT_NEAR(r, radius, tolerance::kContour);
      ++on_circle;
    }
  }
  EXPECT_GT(on_circle, 100);
  EXPECT_GT(circle.size(), 50u);
}

TEST(PoseMapFigure, ASaddleDoesNotCrossItself) {
  const PoseMap map = made_map(2, [](double x, double y) { return x * y > 0 ? 100.0 : 1.0; });
  const auto lines = limit_lines(draw_pose_map(map, {{PoseQuantity::kappa, 20.0}}, "saddle"));
  // log 100 and log 1 have the mean 1 < log 20: the two high corners are apart.
  EXPECT_EQ(lines.size(), 2u);
}

TEST(PoseMapFigure, WhatIsUnknownOrInfiniteIsNotPermitted) {
  for (const double value : {std::nan(""), kInfinity}) {
    const PoseMap map = made_map(5, [&](double x, double) { return x > 0.4 ? value : 10.0; });
    const std::string svg = draw_pose_map(map, {{PoseQuantity::kappa, 20.0}}, "unknown");
    EXPECT_EQ(limit_lines(svg).size(), 1u);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(PoseMapFigure, NamesAndUnits) {
  const PoseMap map = made_map(3, [](double, double) { return 10.0; });
  const std::string svg = draw_pose_map(map, {{PoseQuantity::kappa, 20.0}}, "names");
  for (const char* words :
       {"first [rad]", "second [rad]", "Condition number κ [1]", "hand &lt;&amp;&gt;",
        "other joints as in the pose flat", ">here<", ">there<", ">limit<", ">20<", "in 100 % of the map"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_EQ(svg, draw_pose_map(map, {{PoseQuantity::kappa, 20.0}}, "names")) << "equal input, equal bytes";
  EXPECT_THROW(draw_pose_map(map, {{PoseQuantity::kappa, 20.0}}, "No good"), Error);
  EXPECT_THROW(draw_pose_map(map, {}, "empty"), Error);
}

TEST(PoseMapFigure, ListsShortAndLong) {
  const Robot robot = test::own_robot("h1_2");
  const std::vector<MappedQuantity> quantities = mapped_quantities(robot);
  std::vector<LabelledPose> poses;
  for (int i = 0; i < 30; ++i) poses.push_back({"pose " + std::to_string(i), robot.pose("zero")});
  const auto figure = [&](std::size_t count) {
    return pose_list_figure(
        list_poses(robot, {"left_wrist_yaw_link"}, {poses.begin(), poses.begin() + static_cast<long>(count)}),
        quantities, "list");
  };
  const Figure few = figure(3), many = figure(30);
  ASSERT_EQ(few.panels.size(), 3u);
  EXPECT_EQ(few.panels[0].categories, (std::vector<std::string>{"pose 0", "pose 1", "pose 2"}));
  EXPECT_EQ(few.panels[2].thresholds[0].value, 5.0);
  EXPECT_TRUE(many.panels[0].bars.empty());
  EXPECT_EQ(many.panels[0].curves[0].x.size(), 30u);
  EXPECT_NE(draw_figure(few).find("pose 2"), std::string::npos);
  draw_figure(many);
}

}  // namespace
}  // namespace antaeus
