// Logs as they stand: what is read, what is left out and said, and what is refused in one line.
#include "antaeus/episode/raw_log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "episode/tolerances.hpp"
#include "support/temporary_folder.hpp"

namespace antaeus {
namespace {

namespace fs = std::filesystem;

class RawLogTest : public ::testing::Test {
 protected:
  fs::path text(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  fs::path array(const std::string& name, std::size_t rows, std::size_t columns, double value = 1.5) const {
    return text(name, to_npy({rows, columns}, std::vector<double>(rows * columns, value)));
  }
  std::string refused(const fs::path& path) const {
    try {
      load_raw_log(path);
    } catch (const EpisodeError& error) {
      return error.what();
    }
    return "accepted";
  }
  test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

const RawChannel* find(const RawLog& log, const std::string& name) {
  for (const RawChannel& channel : log.channels) {
    if (channel.name == name) return &channel;
  }
  return nullptr;
}
bool noted(const RawLog& log, const std::string& text) {
  return std::any_of(log.notes.begin(), log.notes.end(),
                     [&](const Note& note) { return note_text(note).find(text) != std::string::npos; });
}

TEST_F(RawLogTest, AFolderOfAnyRobotIsRead) {
  array("tau.npy", 4, 7);
  array("qpos.npy", 4, 7);
  array("force.npy", 4, 3);
  const RawLog log = load_raw_log(folder_);
  ASSERT_EQ(log.channels.size(), 3u);
  EXPECT_EQ(log.steps(), 4);
  EXPECT_FALSE(log.has_time());
  EXPECT_EQ(log.channels[0].role, ChannelRole::torque);
  EXPECT_EQ(log.channels[1].role, ChannelRole::position);
  EXPECT_EQ(log.channels[2].role, ChannelRole::other);
  EXPECT_EQ(log.channels[0].columns[6], "6");
  EXPECT_EQ(log.channels[2].values(3, 2), 1.5);
}

TEST_F(RawLogTest, WhatIsOfAnotherLengthOrNoNumberIsLeftOutAndNoted) {
  array("tau.npy", 4, 7);
  array("camera.npy", 4, 300);
  array("late.npy", 3, 2);
  text("names.npy", "not an array");
  text("scale.npy", to_npy({}, {2.0}));
  const RawLog log = load_raw_log(folder_);
  ASSERT_EQ(log.channels.size(), 1u);
  EXPECT_TRUE(noted(log, "late is left out: 3 rows, where the log has 4"));
  EXPECT_TRUE(noted(log, "camera is left out: shape (4, 300)"));
  EXPECT_TRUE(noted(log, "names.npy"));
  EXPECT_TRUE(noted(log, "scale is left out: a single number"));
}

TEST_F(RawLogTest, ColumnsAreGroupedByTheirStem) {
  const RawLog log =
      load_raw_log(text("log.csv",
                        "t [ms],tau_1,tau_0,effort/x_joint,kin_Fx,kin_Fy,imu_quat_w,imu_quat_x,imu_quat_y,"
                        "imu_quat_z,- arm_1_joint_position,note,alone\n"
                        "0,1,0,5,6,7,1,0,0,0,9,ok,3\n20,1,0,5,6,7,1,0,0,0,9,ok,3\n"));
  ASSERT_TRUE(log.has_time());
  EXPECT_DOUBLE_EQ(log.time[1], 0.02);
  ASSERT_NE(find(log, "tau"), nullptr);
  EXPECT_EQ(find(log, "tau")->values(0, 1), 1.0);  // in the order of their numbers, not of the file
  ASSERT_NE(find(log, "effort"), nullptr);
  EXPECT_EQ(find(log, "effort")->columns[0], "x_joint");
  ASSERT_NE(find(log, "kin_F"), nullptr);
  EXPECT_EQ(find(log, "kin_F")->columns, (std::vector<std::string>{"x", "y"}));
  ASSERT_NE(find(log, "imu_quat_xyzw"), nullptr);
  EXPECT_EQ(find(log, "imu_quat_xyzw")->values(0, 3), 1.0);
  EXPECT_EQ(find(log, "imu_quat_xyzw")->role, ChannelRole::orientation);
  ASSERT_NE(find(log, "position"), nullptr);
  EXPECT_EQ(find(log, "position")->columns[0], "arm_1_joint");
  EXPECT_NE(find(log, "alone"), nullptr);
  EXPECT_TRUE(noted(log, "1 column holds text and is left out: note"));
}

TEST_F(RawLogTest, AClockThatIsNoneIsSaidAndLeftOut) {
  const auto clock = [&](const std::string& stamps) {
    return load_raw_log(text("log.csv", "time,tau_0,tau_1\n" + stamps));
  };
  EXPECT_TRUE(noted(clock("0,1,2\n0.2,1,2\n0.1,1,2\n"),
                    "time stamps unusable: time goes back at step 2, from 0.200000 s to 0.100000 s"));
  EXPECT_TRUE(noted(clock("0,1,2\n,1,2\n"), "the time stamp of step 1 is not finite"));
  EXPECT_TRUE(noted(clock("3,1,2\n3,1,2\n"), "time stands still at 3.000000 s"));
  EXPECT_FALSE(clock("3,1,2\n3,1,2\n").has_time());
  EXPECT_EQ(clock("0,1,2\n0.2,1,2\n0.1,1,2\n").steps(), 3);
  EXPECT_TRUE(clock("3,1,2\n3,1,2\n").bad_clock);
  EXPECT_FALSE(clock("3,1,2\n4,1,2\n").bad_clock);
  const RawLog nano = clock("1700000000000000000,1,2\n1700000000020000000,1,2\n");
  EXPECT_NEAR(nano.time[1] - nano.time[0], 0.02, tolerance::kEpochClock);
  EXPECT_TRUE(noted(nano, "read as nanoseconds"));
}

TEST_F(RawLogTest, ArchivesWithTextsAreReadWithoutThem) {
  std::map<std::string, NumpyArray> arrays;
  arrays["tau"] = {{2, 3}, std::vector<double>(6, 1.0), "float64"};
  arrays["time"] = {{2}, {0.0, 0.1}, "float64"};
  const fs::path file = text("log.npz", to_npz(arrays));
  const RawLog log = load_raw_log(file);
  ASSERT_EQ(log.channels.size(), 1u);
  EXPECT_EQ(log.channels[0].source, "log.npz[tau]");
  EXPECT_TRUE(log.has_time());
}

TEST_F(RawLogTest, NothingReadableIsRefusedInOneLine) {
  EXPECT_NE(refused(folder_).find("an empty folder; give a folder of .npy files"), std::string::npos)
      << refused(folder_);
  text("readme.txt", "a log");
  EXPECT_NE(refused(folder_).find("no .npy file among the 1 in it"), std::string::npos);
  EXPECT_NE(refused(folder_ / "readme.tx").find("did you mean 'readme.txt'?"), std::string::npos);
  EXPECT_NE(refused(folder_ / "readme.txt").find("not an episode"), std::string::npos);
  text("tau.npy", "damaged");
  EXPECT_NE(refused(folder_).find("nothing in it can be read as numbers"), std::string::npos);
  EXPECT_EQ(refused(folder_).find('\n'), std::string::npos);
  array("tau.npy", 0, 3);
  EXPECT_NE(refused(folder_).find("no rows"), std::string::npos);
  EXPECT_NE(refused(text("log.csv", "time,tau_0\n")).find("no rows"), std::string::npos);
  EXPECT_NE(refused(text("log.csv", "time\n0\n1\n")).find("time stamps and nothing else"), std::string::npos);
  EXPECT_NE(refused(text("log.csv", "name\na\nb\n")).find("nothing in it can be read"), std::string::npos);
}

TEST_F(RawLogTest, FactsFindGapsBrokenRowsAndFrozenChannels) {
  const RawLog log =
      load_raw_log(text("log.csv",
                        "time,tau_0,tau_1,q_0,q_1,dead_x,dead_y\n"
                        "0,1,2,5,5,,1\n0.1,-4,2,5,5,,2\n0.2,,2,5,5,,3\n0.9,,2,5,5,,4\n1.0,3,inf,5,5,,5\n"));
  const LogFacts facts = log_facts(log);
  const ColumnFacts& tau = facts.channels[0].columns[0];
  EXPECT_EQ(tau.least, -4.0);
  EXPECT_EQ(tau.peak(), -4.0);
  EXPECT_EQ(tau.peak_step(), 1);
  EXPECT_EQ(tau.finite, 3);
  EXPECT_EQ(facts.channels[0].broken_rows, 3);
  EXPECT_TRUE(facts.channels[1].frozen);
  EXPECT_FALSE(facts.channels[0].frozen);
  EXPECT_EQ(facts.channels[2].broken_rows, 5);
  EXPECT_EQ(facts.broken_rows, 3);  // the dead column breaks every row, and tells nothing of any
  ASSERT_EQ(facts.broken.size(), 1u);
  EXPECT_EQ(facts.broken[0].from, 2);
  EXPECT_EQ(facts.broken[0].to, 4);
  ASSERT_EQ(facts.gaps.size(), 1u);
  EXPECT_EQ(facts.gaps[0].step, 3);
  EXPECT_DOUBLE_EQ(facts.gaps[0].duration, 0.9 - 0.2);
  EXPECT_DOUBLE_EQ(facts.duration, 1.0);
}

TEST_F(RawLogTest, FactsTellNumbersTooLargeToDrawFromNaN) {
  const LogFacts facts = log_facts(load_raw_log(
      text("log.csv", "time,tau_0,tau_1,huge\n0,1,2,1e300\n0.1,1e300,2,-1e300\n0.2,,2,1e300\n0.3,inf,-1e31,1e300\n")));
  EXPECT_EQ(facts.channels[0].broken_rows, 2);
  EXPECT_EQ(facts.channels[0].too_large_rows, 2);
  EXPECT_EQ(facts.channels[0].columns[0].largest, 1.0);
  EXPECT_EQ(facts.channels[1].broken_rows, 0);
  EXPECT_TRUE(facts.channels[1].empty);
  EXPECT_EQ(facts.broken_rows, 2);
  EXPECT_EQ(facts.too_large_rows, 4);
}

TEST_F(RawLogTest, AnEpisodeGivesTheSameLogAsItsFiles) {
  const Robot robot = load_robot("h1_2");
  const Episode episode = make_twin(robot, TwinKind::incident).episode;
  const RawLog made = raw_log(episode, robot);
  write_episode(episode, folder_ / "twin");
  const RawLog read = load_raw_log(folder_ / "twin");
  EXPECT_EQ(read.sha256, load_episode(folder_ / "twin", robot).sha256);
  EXPECT_EQ(made.sha256, read.sha256);
  ASSERT_EQ(made.channels.size(), read.channels.size());
  for (std::size_t i = 0; i < made.channels.size(); ++i) {
    EXPECT_EQ(made.channels[i].name, read.channels[i].name);
    EXPECT_EQ(made.channels[i].role, read.channels[i].role);
    EXPECT_EQ(made.channels[i].values, read.channels[i].values);
  }
  EXPECT_EQ(made.channels[0].columns, robot.profile.motor_labels);
  EXPECT_EQ(made.time, read.time);
}

}  // namespace
}  // namespace antaeus
