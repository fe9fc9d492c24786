// The page of any log: what it says of each kind of bad input, and that no panel is without numbers.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "antaeus/episode/log_summary.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "report/page_texts.hpp"
#include "robot/test_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::answers;
using test::own_robot;
using test::says;
using Values = SampleMatrix;

RawChannel channel(const std::string& name, ChannelRole role, const Values& values) {
  std::vector<std::string> columns;
  for (Eigen::Index c = 0; c < values.cols(); ++c) columns.push_back(std::to_string(c));
  return {name, name + ".npy", role, columns, values};
}
/// Torques and positions of so many joints that wave.
RawLog waving(Eigen::Index rows, Eigen::Index joints) {
  Values tau(rows, joints), q(rows, joints);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < joints; ++j) {
      q(i, j) = 0.01 * static_cast<double>(j + 1) * std::sin(0.1 * static_cast<double>(i));
      tau(i, j) = 2.0 * std::cos(0.1 * static_cast<double>(i + j));
    }
  }
  RawLog log{.name = "waving", .sha256 = "00"};
  log.channels = {channel("tau", ChannelRole::torque, tau), channel("qpos", ChannelRole::position, q)};
  log.time = VectorX::LinSpaced(rows, 0.0, 0.02 * static_cast<double>(rows - 1));
  return log;
}

/// Every line of every panel has a finite number, and every channel and condition is there.
void expect_no_empty_panel(const Page& page) {
  if (page.views.empty()) return;
  test::expect_drawn(page);
  EXPECT_FALSE(html_page(page).empty());
}
bool has_panel(const Page& page, const std::string& id) {
  return std::any_of(page.views.panels.begin(), page.views.panels.end(),
                     [&](const ViewPanel& p) { return p.id == id; });
}

TEST(ShowPage, ALogSaysWhatIsInIt) {
  const RawLog log = waving(100, 3);
  const Robot robot = own_robot("planar_3r");
  const Page page = show_page(log, &robot, nullptr, "antaeus show waving");
  EXPECT_EQ(page.title, "waving");
  EXPECT_TRUE(page.badge.empty());
  EXPECT_EQ(plain_text(page.subtitle), "100 steps over 1.98 s at 50 Hz");
  EXPECT_TRUE(says(page, "Torques and positions of 3 joints."));
  EXPECT_TRUE(says(
      page, "The largest motion is at joint 3, 0.060 rad, then at joint 2, 0.040 rad and then at joint 1, 0.020 rad."));
  EXPECT_TRUE(says(page, "The largest torque is 2 N·m at joint 1, step 0 (0.000 s)."));
  EXPECT_TRUE(says(page, "No NaN, no gap in time, no frozen channel."));
  EXPECT_TRUE(says(page, "Not in this log: targets and velocities."));  // a fixed base has no use for an IMU
  EXPECT_FALSE(says(page, "The log holds an IMU"));
  EXPECT_EQ(page.views.scenes.size(), 1u);
  EXPECT_EQ(page.views.scenes[0].note, "Colour: torque.");  // a fixed base stands where it stands
  EXPECT_EQ(page.views.focus, 0);
  expect_no_empty_panel(page);
}

TEST(ShowPage, AnotherRobotsLogIsShownWithoutTheRobot) {
  const RawLog log = waving(100, 7);
  const Robot robot = own_robot("planar_3r");
  const Page page = show_page(log, &robot);
  EXPECT_TRUE(says(page, "The log has 7 motors, the planar_3r has 3: drawn without the robot."));
  EXPECT_TRUE(page.views.scenes.empty());
  EXPECT_TRUE(has_panel(page, "position") && has_panel(page, "torque"));
  expect_no_empty_panel(page);
  EXPECT_FALSE(log_summary(log, &robot)["robot_fits"].boolean());
}

TEST(ShowPage, ColumnsWithTheRobotsNamesMayBeFewerAndInAnyOrder) {
  RawLog log = waving(100, 2);
  const Robot robot = own_robot("planar_3r");
  const auto& names = robot.model.motor_names();
  for (RawChannel& c : log.channels) c.columns = {names[2], names[0]};
  const Page page = show_page(log, &robot);
  ASSERT_EQ(page.views.scenes.size(), 1u);
  const auto& joints = page.views.scenes[0].robots[0].joints;
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_EQ(joints[0].name, names[2]);
  EXPECT_NE(page.views.scenes[0].note.find("Of " + names[1] + " the log has no position: at zero."), std::string::npos);
  expect_no_empty_panel(page);
}

TEST(ShowPage, WithoutTimeTheAxisIsTheStep) {
  RawLog log = waving(100, 3);
  log.time.resize(0);
  EXPECT_EQ(plain_text(show_page(log).subtitle), "100 steps without time stamps");
  EXPECT_TRUE(says(show_page(log), "Not in this log: time stamps,"));
  log.bad_clock = true;
  log.notes = {Note(NoteCode::time_goes_back, "time", {20, "0.380000", "0.100000"}),
               Note(NoteCode::converted, "", {"another note"})};
  const Page page = show_page(log);
  EXPECT_EQ(plain_text(page.subtitle), "100 steps, time stamps unusable");
  const std::vector<Paragraph>& missing = page.answers.at(1).paragraphs;
  EXPECT_EQ(plain_text(missing.at(0).text),
            "Time stamps unusable: time goes back at step 20, from 0.380000 s to 0.100000 s.");
  EXPECT_FALSE(missing[0].quiet);
  const std::string all = answers(page);
  EXPECT_EQ(all.find("ime stamps unusable", all.find("ime stamps unusable") + 1), std::string::npos) << "said twice";
  EXPECT_TRUE(says(page, "Another note."));
  EXPECT_TRUE(says(page, "No NaN, no frozen channel.\n"));
  EXPECT_FALSE(says(page, "Not in this log: time stamps"));
  expect_no_empty_panel(page);
}

TEST(ShowPage, OneRowTellsItsNumbers) {
  const RawLog log = waving(1, 3);
  const Robot robot = own_robot("planar_3r");
  const Page page = show_page(log, &robot);
  EXPECT_EQ(plain_text(page.subtitle), "1 step");
  EXPECT_TRUE(says(page, "A single row: motion, gaps and frozen channels cannot be determined."));
  EXPECT_FALSE(says(page, "No NaN"));
  EXPECT_EQ(page.views.selectors.at(0).chosen.size(), 3u);
  expect_no_empty_panel(page);
}

TEST(ShowPage, NaNAloneIsSaidAndNotDrawn) {
  RawLog log = waving(50, 3);
  for (RawChannel& c : log.channels) c.values.setConstant(kNaN);
  const Robot robot = own_robot("planar_3r");
  const Page page = show_page(log, &robot);
  EXPECT_TRUE(says(page, "Every number of the log is NaN or infinite: there is nothing to draw."));
  EXPECT_TRUE(page.views.empty());
  const std::string html = html_page(page);
  EXPECT_EQ(html.find("id=\"viewer\""), std::string::npos);
  EXPECT_EQ(html.find("id=\"payload\""), std::string::npos);
  EXPECT_TRUE(std::isnan(log_facts(log).channels[0].columns[0].peak()));
  EXPECT_NE(log_summary(log, &robot).dump().find("\"peak_torque\": null"), std::string::npos);
}

TEST(ShowPage, SixtyJointsAndOne) {
  const RawLog many = waving(40, 60);
  const Page page = show_page(many);
  ASSERT_EQ(page.views.selectors.size(), 1u);
  EXPECT_EQ(page.views.selectors[0].options.size(), 60u);
  EXPECT_EQ(page.views.selectors[0].chosen.size(), 4u);
  EXPECT_EQ(page.views.bars.at(0).rows.size(), 60u);
  expect_no_empty_panel(page);

  const RawLog one = waving(40, 1);
  const Page single = show_page(one);
  EXPECT_TRUE(single.views.selectors.empty());
  EXPECT_TRUE(says(single, "Torques and positions of 1 joint."));
  expect_no_empty_panel(single);
}

TEST(ShowPage, WhatIsBrokenIsMarkedAndCounted) {
  RawLog log = waving(100, 3);
  log.channels[0].values.block(40, 1, 5, 1).setConstant(kNaN);
  log.channels[0].values(70, 0) = kInfinity;
  log.channels[1].values.col(2).setConstant(0.3);
  log.channels.push_back(channel("dead", ChannelRole::other, Values::Constant(100, 2, kNaN)));
  log.channels.push_back(channel("stuck", ChannelRole::other, Values::Constant(100, 2, 7.0)));
  for (Eigen::Index i = 60; i < 100; ++i) log.time[i] += 0.5;
  const Page page = show_page(log);
  EXPECT_TRUE(says(page, "Not one finite number in dead."));
  EXPECT_TRUE(says(
      page, "6 rows hold NaN or infinity, in tau; the first at step 40 (0.800 s), the longest piece from step 40"));
  EXPECT_TRUE(says(page, "1 gap in time, longer than three times the median step of 20 ms: 0.52 s before step 60"));
  EXPECT_TRUE(says(page, "Frozen, the same in every row: stuck. One column never changes: qpos of joint 2."));
  ASSERT_TRUE(has_panel(page, "missing"));
  EXPECT_FALSE(has_panel(page, "channel-2"));
  EXPECT_EQ(page.views.panels.front().marks.size(), 1u);
  for (const ViewPanel& panel : page.views.panels) {
    if (panel.id != "missing") continue;
    ASSERT_EQ(panel.lanes.size(), 2u);
    const auto& codes = page.views.channels.at(static_cast<std::size_t>(panel.lanes[0].channel));
    EXPECT_EQ(codes.value(39), 0.0);
    EXPECT_EQ(codes.value(44), 1.0);
    EXPECT_EQ(panel.texts.at(0).sentence, "NaN or infinity in tau, steps 40 to 44.");
  }
  expect_no_empty_panel(page);
}

TEST(ShowPage, OtherChannelsAloneAreShown) {
  RawLog log{.name = "forces", .sha256 = "00"};
  log.channels = {channel("force", ChannelRole::other, Values::Random(20, 12))};
  const Robot robot = own_robot("planar_3r");
  const Page page = show_page(log, &robot);
  EXPECT_TRUE(says(page, "The log has no channel of joints: drawn without the robot."));
  ASSERT_EQ(page.views.panels.size(), 1u);
  EXPECT_TRUE(page.views.panels[0].lines[7].shown);
  EXPECT_FALSE(page.views.panels[0].lines[8].shown);
  expect_no_empty_panel(page);
}

TEST(ShowPage, HostileNamesStayText) {
  RawLog log = waving(10, 2);
  log.name = "<script>alert(1)</script>";
  for (RawChannel& c : log.channels) c.columns = {"</script><b>", "\"onload=x"};
  log.channels[0].source = "<img src=x>";
  const std::string html = html_page(show_page(log, nullptr, nullptr, "antaeus show '<i>'"));
  for (const char* markup : {"<script>alert", "</script><b>", "<img src=x>", "<i>"}) {
    EXPECT_EQ(html.find(markup), std::string::npos) << markup;
  }
}

TEST(ShowPage, AClockThatCountsFromLongAgoIsCountedFromTheFirstRow) {
  RawLog log = waving(100, 3);
  log.time.array() += 1.7e9;
  const Page page = show_page(log);
  EXPECT_EQ(page.views.runs[0].time[0], 0.0);
  EXPECT_NE(plain_text(page.subtitle).find("; time is counted from the first time stamp, 1700000000.000 s"),
            std::string::npos);
  EXPECT_TRUE(says(page, "step 0 (0.000 s)"));
}

TEST(ShowPage, NumbersTooLargeToDrawAreNotToldAsNaN) {
  RawLog log = waving(50, 3);
  log.channels[0].values.setConstant(1e300);
  log.channels[1].values(7, 1) = -1e31;
  log.channels[1].values(9, 1) = kNaN;
  const Page page = show_page(log);
  EXPECT_FALSE(has_panel(page, "torque"));
  EXPECT_TRUE(says(page, "Not one number that can be drawn in tau."));
  EXPECT_FALSE(says(page, "Not one finite number"));
  EXPECT_TRUE(says(page, "1 row holds NaN or infinity, in qpos; at step 9 (0.180 s)."));
  EXPECT_TRUE(says(page, "50 rows hold numbers too large to draw, in tau and qpos; the first at step 0 (0.000 s)"));
  expect_no_empty_panel(page);
  ASSERT_TRUE(has_panel(page, "missing"));
  const Json summary = log_summary(log);
  EXPECT_EQ(summary["metrics"]["nan_rows"].integer(), 1);
  EXPECT_EQ(summary["metrics"]["too_large_rows"].integer(), 50);
  EXPECT_EQ(summary["channels"].items()[1]["too_large_rows"].integer(), 1);
  EXPECT_NE(html_page(page).find("rows too large to draw"), std::string::npos);
  EXPECT_EQ(html_page(show_page(waving(50, 3))).find("rows too large to draw"), std::string::npos);
  // Nothing but such numbers: they are finite, and the page does not say otherwise.
  for (RawChannel& c : log.channels) c.values.setConstant(-1e300);
  EXPECT_TRUE(says(show_page(log), "Every number of the log is NaN, infinite or too large to draw"));
}

TEST(ShowPage, WithoutARobotNobodyKnowsWhichJointsSlide) {
  const RawLog log = waving(100, 3);
  const Page page = show_page(log);
  EXPECT_TRUE(says(page, "The largest torque is 2 N·m (or N where a joint slides) at joint 0"));
  EXPECT_TRUE(says(page, "0.060 rad (or m where a joint slides)"));
  EXPECT_TRUE(says(page, "the IMU’s orientation."));  // nor whether its base moves
  EXPECT_NE(html_page(page).find("<td class=\"prose\">N·m (or N where a joint slides)</td>"), std::string::npos);
  const Robot robot = own_robot("planar_3r");
  EXPECT_EQ(html_page(show_page(log, &robot)).find("where a joint slides"), std::string::npos);
}

TEST(ShowPage, AnImuInTheLogOfAFixedBaseIsNoticed) {
  RawLog log = waving(20, 3);
  log.channels.push_back(channel("imu_gyro", ChannelRole::gyro, Values::Random(20, 3)));
  const Robot robot = own_robot("planar_3r");
  const std::string told = "The log holds an IMU, and the robot’s base is fixed";
  EXPECT_TRUE(says(show_page(log, &robot), told));
  EXPECT_FALSE(says(show_page(log), told));
}

TEST(ShowPage, NumbersOfOneColumnHaveOnePrecision) {
  RawLog log{.name = "forces", .sha256 = "00"};
  Values force(3, 1);
  force << -0.5, 12.25, 3.0;
  log.channels = {channel("force", ChannelRole::other, force)};
  const Page page = show_page(log);
  ASSERT_EQ(page.views.columns.size(), 1u);
  EXPECT_EQ(page.views.columns[0].digits, 1);
  const std::string html = html_page(page);
  EXPECT_NE(html.find(">−0.5</td><td class=\"n\">12.2</td>"), std::string::npos);
}

TEST(ShowPage, SameLogSameBytes) {
  const RawLog log = waving(50, 3);
  EXPECT_EQ(html_page(show_page(log)), html_page(show_page(log)));
  EXPECT_EQ(log_summary(log).dump(), log_summary(log).dump());
}

/// The base that Pinocchio puts the sensor from is the base that the page reads from the sensor, through the torso.
TEST(ShowPage, TheBaseIsTurnedAsTheImuSays) {
  const Robot robot = load_robot("h1_2");
  const int motors = robot.model.motor_count();
  Eigen::Vector4d base(0.1, -0.25, 0.4, 0.87);
  base.normalize();
  Values q = Values::Random(5, motors), quaternion(5, 4);
  Dynamics dynamics(robot.model);
  for (Eigen::Index row = 0; row < 5; ++row) {
    VectorX full(robot.model.nq());
    ASSERT_EQ(robot.model.position_from_motors(q.row(row).transpose(), base, full), Status::ok);
    Pose sensor;
    ASSERT_EQ(dynamics.at(full).frame_pose(robot.model.frame(robot.profile.imu.frame), sensor), Status::ok);
    quaternion.row(row) = Eigen::Quaterniond(sensor.rotation).coeffs().transpose();
  }
  RawLog log{.name = "tilted", .sha256 = "00"};
  log.channels = {channel("qpos", ChannelRole::position, q),
                  channel("imu_quat_xyzw", ChannelRole::orientation, quaternion)};
  const Page page = show_page(log, &robot);
  ASSERT_EQ(page.views.scenes.size(), 1u);
  const SceneRobot& drawn = page.views.scenes[0].robots[0];
  for (Eigen::Index row = 0; row < 5; ++row) {
    for (std::size_t c = 0; c < 4; ++c) {
      ASSERT_GE(drawn.base[3 + c], 0);
      const double value = page.views.channels[static_cast<std::size_t>(drawn.base[3 + c])].value(row);
      EXPECT_NEAR(value, base[static_cast<Eigen::Index>(c)], tolerance::kSameQuantity);
    }
  }
  EXPECT_NE(page.views.scenes[0].note.find("The base is turned by the IMU, through torso"), std::string::npos);
  log.channels.pop_back();
  const Page upright = show_page(log, &robot);
  EXPECT_NE(upright.views.scenes[0].note.find("drawn upright and in place: its pose is not in the log."),
            std::string::npos);
  EXPECT_EQ(upright.views.scenes[0].robots[0].base[3], kNoChannel);
}

}  // namespace
}  // namespace antaeus
