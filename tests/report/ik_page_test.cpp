// The page of inverse kinematics: what it says of each end, that views have numbers, and that texts are escaped.
#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/ik/ik_run.hpp"
#include "antaeus/report/pages.hpp"
#include "report/page_texts.hpp"
#include "support/page_payload.hpp"

namespace antaeus {
namespace {

using test::answers;
using test::at;
using test::panel;
using test::says;

const Section* section(const Page& page, const std::string& id) {
  for (const Section& one : page.sections) {
    if (one.id == id) return &one;
  }
  return nullptr;
}
const TableBlock& table(const Page& page, const std::string& id) {
  return std::get<TableBlock>(section(page, id)->blocks.at(0));
}

/// The planar arm of three links of 0.5, 0.4 and 0.3 m, its joints as far as the profile lets them.
const Robot& planar() {
  static const Robot robot = load_robot("planar_3r", MeshPolicy::ignored);
  return robot;
}
IkResult solved(const std::vector<std::string>& targets, bool path = false, bool timing = false) {
  return solve_ik(planar(), {.frame = "tool", .targets = parse_ik_targets(targets), .path = path, .timing = timing});
}

void expect_whole_answer(const Page& page) {
  test::expect_drawn(page);
  EXPECT_NE(html_page(page).find("id=\"payload\""), std::string::npos);
  EXPECT_EQ(answers(page).find("nan"), std::string::npos) << answers(page);
}

TEST(IkPage, OneTargetIsReached) {
  const IkResult result = solved({"0.8,0.2,0"});
  const Page page = ik_page(result);
  EXPECT_EQ(page.title, "tool");
  EXPECT_EQ(page.kicker, "Antaeus ik · Planar arm with three joints");
  EXPECT_EQ(page.badge, "all reached");
  EXPECT_EQ(plain_text(page.subtitle), "1 target; position alone; default method; 3 joints.");
  EXPECT_TRUE(says(page, "Yes: the target is reached within 0.1 mm, every joint within its limits."));
  EXPECT_TRUE(says(page, "no quaternions"));
  EXPECT_EQ(section(page, "set"), nullptr);  // one target makes no picture
  EXPECT_EQ(panel(page, "steps"), nullptr);
  EXPECT_EQ(panel(page, "rotation"), nullptr);
  expect_whole_answer(page);
}

TEST(IkPage, FailuresStandFirstWithTheirReasons) {
  const IkResult result = solved({"0.8,0.2,0", "nan,0,0", "3,0,0", "0.7,0.3,0"});
  const Page page = ik_page(result);
  EXPECT_EQ(page.badge, "2 of 4 reached");
  EXPECT_EQ(page.badge_tone, Tone::vermillion);
  EXPECT_TRUE(says(page, "Not all: 2 of 4 are reached within 0.1 mm"));
  EXPECT_TRUE(says(page, "1 out of reach: no configuration comes there"));
  EXPECT_TRUE(says(page, "Target 1: the target's x is not a finite number."));
  EXPECT_TRUE(says(page, "Target 2: farther from the first joint than all links stretched out (1.2 m)"));
  const TableBlock rows = table(page, "targets");
  ASSERT_EQ(rows.rows.size(), 4U);
  EXPECT_EQ(plain_text(rows.rows[0].cells[0]), "1");
  EXPECT_EQ(plain_text(rows.rows[1].cells[0]), "2");
  EXPECT_EQ(plain_text(rows.rows[2].cells[0]), "0");
  EXPECT_EQ(page.views.focus, 1);
  EXPECT_EQ(at(page, panel(page, "position")->lines[0].channel, 2), result.answers.position_error[2]);
  ASSERT_NE(panel(page, "status"), nullptr);
  EXPECT_EQ(panel(page, "status")->lanes.size(), 3U);  // reached, out of reach, bad input
  EXPECT_EQ(at(page, panel(page, "status")->lanes[1].channel, 2), 1.0);
  expect_whole_answer(page);
}

TEST(IkPage, NothingButBadInputIsAPageWithoutViews) {
  const Page page = ik_page(solved({"nan,0,0", "0,inf,0"}));
  EXPECT_TRUE(page.views.empty());
  EXPECT_TRUE(says(page, "No: none of 2 is reached"));
  EXPECT_EQ(html_page(page).find("nan mm"), std::string::npos);
}

TEST(IkPage, APathHasItsTrailItsStepsAndItsJumps) {
  std::vector<std::string> targets;
  for (int t = 0; t < 12; ++t) targets.push_back(std::to_string(0.3 + 0.1 * t) + ",0.2,0");
  const IkResult result = solved(targets, true, true);
  const Page page = ik_page(result);
  EXPECT_TRUE(says(page, "the largest step of a joint from one target to the next is"));
  EXPECT_TRUE(says(page, "of CPU time (median)"));
  ASSERT_NE(panel(page, "steps"), nullptr);
  EXPECT_TRUE(std::isnan(at(page, panel(page, "steps")->lines[0].channel, 0)));
  const Scene& scene = page.views.scenes.at(0);
  ASSERT_EQ(scene.trails.size(), 2U);
  EXPECT_EQ(at(page, scene.trails[0].point[0], 3), 0.6);
  EXPECT_NEAR(at(page, scene.trails[1].point[0], 3), 0.6, ReachOptions{}.position_tolerance);
  EXPECT_NE(section(page, "set"), nullptr);
  expect_whole_answer(page);
}

TEST(IkPage, WhatLimitsBlockIsDrawnPale) {
  // One joint that turns by a quarter to either side: behind it nothing is reached, but for the limit.
  RobotDescription arm;
  arm.name = arm.root = "base";
  const Inertial bar{1.0, {0.2, 0, 0}, 0.02 * Matrix3::Identity()};
  for (const char* name : {"base", "arm", "<tip & co>"}) {
    arm.links.push_back({name, true, bar, {}, {}});
  }
  JointDescription turn, tip;
  turn.name = "<turn>", turn.type = JointType::revolute, turn.parent = "base", turn.child = "arm";
  turn.axis = Vector3::UnitZ(), turn.lower = -1.5, turn.upper = 1.5;
  tip.name = "fixed", tip.parent = "arm", tip.child = "<tip & co>";
  tip.X_PJ.translation.x() = 0.5;
  arm.joints = {turn, tip};
  ModelOptions options;
  options.base = Base::fixed;
  RobotProfile profile;
  profile.title = "<b>arm</b>";
  const Robot robot{profile, RobotModel(arm, options)};
  const IkResult result =
      solve_ik(robot, {.frame = "<tip & co>", .targets = parse_ik_targets(std::vector<std::string>{"-0.5,0,0"})});
  ASSERT_EQ(result.status(0), ReachStatus::blocked_by_limits) << result.reason(0);
  const Page page = ik_page(result);
  const Scene& scene = page.views.scenes.at(0);
  ASSERT_EQ(scene.robots.size(), 3U);
  EXPECT_TRUE(scene.robots[2].ghost);
  EXPECT_NEAR(std::abs(at(page, scene.robots[2].joints[0].position, 0)), M_PI, ReachOptions{}.rotation_tolerance);
  EXPECT_EQ(std::abs(at(page, scene.robots[0].joints[0].position, 0)), 1.5) << "at its limit, exactly";
  EXPECT_TRUE(says(page, "reached only with <turn>"));
  const std::string html = html_page(page);
  EXPECT_EQ(html.find("<tip"), std::string::npos);
  EXPECT_EQ(html.find("<turn>"), std::string::npos);
  EXPECT_EQ(html.find("<b>arm"), std::string::npos);
  expect_whole_answer(page);
}

TEST(IkPage, IsTheSameTwice) {
  EXPECT_EQ(html_page(ik_page(solved({"0.8,0.2,0", "3,0,0"}))), html_page(ik_page(solved({"0.8,0.2,0", "3,0,0"}))));
}

}  // namespace
}  // namespace antaeus
