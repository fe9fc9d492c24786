// Logs under names of their own: what is taken for what, what is said of it, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/log_summary.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/io/numpy.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

/// planar_3r: joint_1, joint_2, joint_3, labelled "joint 1", "joint 2", "joint 3".
class GuessedNames : public testing::Test {
 protected:
  std::string put(const std::string& file, const std::string& bytes) const {
    write_file(folder_.path() / file, bytes);
    return (folder_.path() / file).string();
  }
  Episode load(const std::string& file, const EpisodeOptions& options = {}) const {
    return load_episode(folder_.path() / file, robot_, options);
  }
  std::string error(const std::string& file, const EpisodeOptions& options = {}) const {
    try {
      load(file, options);
    } catch (const Error& refused) {
      const std::string text = refused.what();
      const std::string folder = folder_.path().string() + "/";
      return text.starts_with(folder) ? text.substr(folder.size()) : text;
    }
    return "nothing is refused";
  }
  static bool holds(const SampleMatrix& samples, std::initializer_list<double> row) {
    return samples.rows() > 0 && samples.cols() == std::ssize(row) &&
           std::equal(row.begin(), row.end(), samples.row(0).data());
  }

  test::TemporaryFolder folder_;
  Robot robot_ = test::own_robot("planar_3r");
};

constexpr const char* kNamed =
    "t_ms,joint_2.position,joint_1.position,joint_3.position,joint_3.effort,joint_1.effort,joint_2.effort,"
    "joint_1.velocity,joint_2.velocity,joint_3.velocity\n";

TEST_F(GuessedNames, ColumnsAreFoundByJointWhateverTheirOrder) {
  put("log.csv", std::string(kNamed) + "0,2,1,3,30,10,20,.1,.2,.3\n5,2,1,3,30,10,20,.1,.2,.3\n");
  const Episode log = load("log.csv");
  EXPECT_TRUE(holds(log.q, {1, 2, 3}));
  EXPECT_TRUE(holds(log.tau, {10, 20, 30}));
  EXPECT_TRUE(holds(log.v, {.1, .2, .3}));
  EXPECT_EQ(log.time[1], 0.005);
  EXPECT_EQ(log.missing.front(), "target_dof");
  EXPECT_TRUE(log.guesses.empty());
  EXPECT_EQ(log.sha256, load_raw_log(folder_.path() / "log.csv").sha256);
}

TEST_F(GuessedNames, SemicolonsTabsAndDecimalCommas) {
  const std::string cells = "tau_0;tau_1;tau_2;qpos_0;qpos_1;qpos_2\n1;2;3;0,5;0,25;-0,125\n";
  put("semicolon.csv", cells);
  std::string tabs = cells;
  std::replace(tabs.begin(), tabs.end(), ';', '\t');
  put("tab.csv", tabs);
  for (const char* file : {"semicolon.csv", "tab.csv"}) {
    const Episode log = load(file);
    EXPECT_TRUE(holds(log.tau, {1, 2, 3})) << file;
    EXPECT_TRUE(holds(log.q, {0.5, 0.25, -0.125})) << file;
  }
  put("bare.csv", "1;2;3,5\n4;5;6\n");
  EXPECT_EQ(error("bare.csv"),
            "bare.csv:1: there are numbers where the header should be; the first line must name the columns");
}

TEST_F(GuessedNames, PositionsUnderTheNameQ) {
  put("folder/tau.npy", to_npy({1, 3}, {1, 2, 3}));
  put("folder/q.npy", to_npy({1, 3}, {0.4, 0.5, 0.6}));
  put("folder/t.npy", to_npy({1}, {7}));
  const Episode log = load("folder");
  EXPECT_TRUE(holds(log.tau, {1, 2, 3}));
  EXPECT_TRUE(holds(log.q, {0.4, 0.5, 0.6}));
  EXPECT_EQ(log.time[0], 7.0);
  EXPECT_EQ(note_texts(log.notes),
            (std::vector<std::string>{"positions are read from q.npy", "time stamps are read from t.npy"}));
  EXPECT_EQ(log.channels[1].name, "qpos");
  EXPECT_EQ(log.channels[1].source, "q.npy");
}

TEST_F(GuessedNames, MotorsMayBeCountedFromOne) {
  put("log.csv", "tau_1,tau_2,tau_3,qpos_1,qpos_2,qpos_3\n1,2,3,4,5,6\n");
  const Episode log = load("log.csv");
  EXPECT_TRUE(holds(log.tau, {1, 2, 3}));
  EXPECT_TRUE(holds(log.q, {4, 5, 6}));
}

TEST_F(GuessedNames, NamesThatMatchNoJointAreTakenByOrderAndToldFirst) {
  put("log.csv", "axisC.effort,axisB.effort,axisA.effort,axisC.position,axisB.position,axisA.position\n1,2,3,4,5,6\n");
  const Episode log = load("log.csv");
  EXPECT_TRUE(holds(log.tau, {1, 2, 3}));
  ASSERT_EQ(log.guesses.size(), 2u);
  EXPECT_EQ(note_text(log.notes[0]), log.guesses[0]);
  EXPECT_EQ(log.guesses[0],
            "no column is named after a joint of the planar_3r, so they are taken by order: axisC → joint_1, axisB → "
            "joint_2, axisA → joint_3");
  EXPECT_EQ(log.guesses[1],
            "the names run backwards, axisC to axisA: the columns may be in reverse order; if so, write position_order "
            "= [2, 1, 0] and the same torque_order into [channels] of a profile");
  const Json shown = log_summary(load_raw_log(folder_.path() / "log.csv"), &robot_);
  EXPECT_NE(shown.dump().find("axisC → joint_1"), std::string::npos);

  put("forwards.csv",
      "axisA.effort,axisB.effort,axisC.effort,axisA.position,axisB.position,axisC.position\n1,2,3,4,5,6\n");
  EXPECT_EQ(load("forwards.csv").guesses.size(), 1u);
}

TEST_F(GuessedNames, APatternThatWasSetMustMatch) {
  put("log.csv", std::string(kNamed) + "0,2,1,3,30,10,20,.1,.2,.3\n");
  EpisodeOptions options;
  options.v = "{joint}.velocty";
  EXPECT_EQ(error("log.csv", options),
            "log.csv:1: no column matches episode.v = '{joint}.velocty': there is no 'joint_1.velocty'; did you mean "
            "'joint_1.velocity'?");
  options = {};
  options.time = "t";
  EXPECT_NE(error("log.csv", options).find("no column matches episode.time = 't'"), std::string::npos);
  // What the profile says was set, too, be it the default.
  robot_.profile.settings.set("episode.target=target_dof_{motor}", "my.toml:12");
  EXPECT_NE(error("log.csv").find("no column matches episode.target = 'target_dof_{motor}' (my.toml:12)"),
            std::string::npos)
      << error("log.csv");
  robot_ = test::own_robot("planar_3r");
  options = {};
  options.v = "{joint}.velocity";
  EXPECT_TRUE(holds(load("log.csv", options).v, {.1, .2, .3}));
}

TEST_F(GuessedNames, NoSuggestionIsAnotherMotorsColumn) {
  put("log.csv",
      "joint_1.effort,jiont_2.effort,joint_3.effort,joint_1.position,joint_2.position,joint_3.position\n1,2,3,4,5,6\n");
  EpisodeOptions options;
  options.tau = "{joint}.effort";
  options.q = "{joint}.position";
  EXPECT_EQ(error("log.csv", options), "log.csv:1: unknown column 'joint_2.effort'; did you mean 'jiont_2.effort'?");
  put("lacks.csv", "joint_1.effort,joint_3.effort,joint_1.position,joint_2.position,joint_3.position\n1,3,4,5,6\n");
  EXPECT_EQ(
      error("lacks.csv", options),
      "lacks.csv:1: unknown column 'joint_2.effort'; add it, or write a profile with those that are logged, motors "
      "= [\"joint_1\", \"joint_3\"]: the others are then locked at zero");
}

TEST_F(GuessedNames, ALogOfSomeOfTheMotorsSaysWhichKeyHelps) {
  put("some.csv", "joint_1.effort,joint_3.effort,joint_1.position,joint_3.position\n1,2,3,4\n");
  EXPECT_EQ(
      error("some.csv"),
      "some.csv: it has columns of 2 of the 3 motors of the planar_3r, and none of joint_2; log every motor, or write "
      "a profile with those that are logged, motors = [\"joint_1\", \"joint_3\"]: the others are then locked at "
      "zero");
  put("two/tau.npy", to_npy({1, 2}, {1, 2}));
  put("two/qpos.npy", to_npy({1, 2}, {1, 2}));
  EXPECT_EQ(
      error("two"),
      "two/tau.npy: shape (1, 2), not (steps, 3); give one column per motor of planar_3r, or write a profile whose "
      "motors are those that are logged, in the order of the columns: the others are then locked at zero");
  put("whole/tau.npy", to_npy({1, 3}, {1, 2, 3}));
  put("whole/qpos.npy", to_npy({1, 10}, std::vector<double>(10, 0.0)));
  EXPECT_EQ(
      error("whole"),
      "whole/qpos.npy: shape (1, 10), not (steps, 3); give one column per motor of planar_3r: the first seven may be "
      "the base's, whose orientation belongs into imu_quat");
  put("strangers.csv", "a.effort,b.effort,a.position,b.position\n1,2,3,4\n");
  EXPECT_NE(error("strangers.csv").find("it has 2 joints (a, b), none of them named as one of the 3 motors"),
            std::string::npos)
      << error("strangers.csv");
}

TEST_F(GuessedNames, ALogIsShownThroughTheChannelsOfTheProfile) {
  put("log.csv", std::string(kNamed) + "0,2,1,3,30,10,20,.1,.2,.3\n5,2,1,3,30,10,20,.1,.2,.3\n");
  robot_.profile.channels.position_scale = {1.0, 10.0, 1.0};
  robot_.profile.channels.torque_order = {2, 1, 0};
  const RawLog log = load_raw_log(folder_.path() / "log.csv", robot_);
  const Episode episode = load("log.csv");
  EXPECT_TRUE(holds(episode.q, {1, 20, 3}));
  EXPECT_TRUE(holds(episode.tau, {30, 20, 10}));
  for (const RawChannel& channel : log.channels) {
    for (int m = 0; m < 3; ++m) {
      const auto column = std::find(channel.columns.begin(), channel.columns.end(), robot_.model.motor_names()[m]);
      ASSERT_NE(column, channel.columns.end());
      const SampleMatrix& wanted = channel.role == ChannelRole::torque     ? episode.tau
                                   : channel.role == ChannelRole::position ? episode.q
                                                                           : episode.v;
      EXPECT_EQ(channel.values(0, column - channel.columns.begin()), wanted(0, m)) << channel.name;
    }
  }
}

TEST_F(GuessedNames, AGuessedClockIsJudgedToo) {
  put("back.csv", std::string(kNamed) + "5,2,1,3,30,10,20,.1,.2,.3\n0,2,1,3,30,10,20,.1,.2,.3\n");
  EXPECT_NE(error("back.csv").find("[t_ms] row 1: time goes back from 0.005 s to 0 s"), std::string::npos)
      << error("back.csv");
  EXPECT_EQ(read_episode(folder_.path() / "back.csv", robot_).time[0], 0.005);
}

}  // namespace
}  // namespace antaeus
