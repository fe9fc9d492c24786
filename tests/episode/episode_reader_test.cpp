// Blocks of a log joined are the log that load_episode makes of it.
#include "antaeus/episode/episode_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/io/table.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

constexpr SampleMatrix Episode::* kChannels[] = {&Episode::q,
                                                 &Episode::tau,
                                                 &Episode::target,
                                                 &Episode::v,
                                                 &Episode::a,
                                                 &Episode::imu_quaternion,
                                                 &Episode::imu_angular_velocity,
                                                 &Episode::imu_specific_force};

const Episode& log_with_an_imu() {
  static const Episode log = [] {
    TwinOptions options;
    options.inertial = true;
    Episode made = make_twin(test::own_robot("h1_2"), TwinKind::incident, options).episode;
    made.tau(17, 3) = kNaN;                 // an invalid step
    made.imu_specific_force(30, 1) = kNaN;  // a hole
    made.tau(50, 15) = 1e4;                 // what InputChecks finds
    made.time[61] = made.time[60];          // a stamp that repeats
    return made;
  }();
  return log;
}

bool same(const double* a, const double* b, Eigen::Index count) {
  return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(double)) == 0;
}

void expect_blocks_are_the_log(const std::filesystem::path& path, const Robot& robot, bool streams) {
  const Episode whole = load_episode(path, robot);
  for (const Eigen::Index rows : {1, 7, 64, 100'000}) {
    EpisodeReader log(path, robot);
    EXPECT_EQ(log.streams(), streams) << path;
    EXPECT_EQ(log.steps(), whole.steps());
    EXPECT_EQ(log.about().missing, whole.missing);
    Eigen::Index done = 0;
    while (const std::optional<Episode> block = log.next(rows)) {
      ASSERT_LE(block->steps(), rows);
      for (SampleMatrix Episode::* const channel : kChannels) {
        const SampleMatrix &part = (*block).*channel, &all = whole.*channel;
        ASSERT_EQ(part.rows() > 0, all.rows() > 0);
        if (part.rows() == 0) continue;
        ASSERT_TRUE(same(part.data(), all.data() + done * all.cols(), part.size()));
      }
      ASSERT_TRUE(same(block->time.data(), whole.time.data() + done, block->steps()));
      done += block->steps();
    }
    EXPECT_EQ(done, whole.steps());
    EXPECT_EQ(log.judged().notes, whole.notes) << rows;
    EXPECT_EQ(log.judged().invalid_steps, whole.invalid_steps);
    log.add_hashes();
    EXPECT_EQ(log.judged().sha256, whole.sha256);
  }
}

TEST(EpisodeReader, BlocksJoinedAreTheLogOfEveryFormat) {
  const test::TemporaryFolder folder;
  const Robot& robot = test::own_robot("h1_2");
  const Episode& log = log_with_an_imu();
  write_episode(log, folder.path() / "log");
  expect_blocks_are_the_log(folder.path() / "log", robot, true);

  std::map<std::string, NumpyArray> arrays;
  Table table;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "log")) {
    if (entry.path().extension() != ".npy") continue;  // the mark of its writer
    arrays.emplace(entry.path().stem().string(), read_npy(entry.path()));
  }
  write_file(folder.path() / "log.npz", to_npz(arrays));
  expect_blocks_are_the_log(folder.path() / "log.npz", robot, true);
  for (const auto& [name, array] : arrays) {
    if (name.starts_with("imu") || name == "simulated") continue;  // columns with axes for names; one number
    for (std::size_t c = 0; c < array.columns(); ++c) {
      std::vector<double> column;
      for (std::size_t r = 0; r < array.rows(); ++r) column.push_back(array.values[r * array.columns() + c]);
      table.add({name == "time" ? name : name + "_" + std::to_string(c), "", "", std::move(column)});
    }
  }
  write_file(folder.path() / "log.csv", to_csv(table));
  expect_blocks_are_the_log(folder.path() / "log.csv", robot, false);
}

TEST(EpisodeReader, MovesChannelsInTimeAsTheWholeLog) {
  const test::TemporaryFolder folder;
  Robot robot = test::own_robot("h1_2");
  robot.profile.channels.torque_delay = 0.03;
  write_episode(log_with_an_imu(), folder.path() / "log");
  expect_blocks_are_the_log(folder.path() / "log", robot, false);
}

TEST(EpisodeReader, CutIsCutEpisode) {
  const test::TemporaryFolder folder;
  const Robot& robot = test::own_robot("h1_2");
  write_episode(log_with_an_imu(), folder.path() / "log");
  const Episode whole = load_episode(folder.path() / "log", robot);
  const double from = whole.time[20], to = whole.time[59];
  Eigen::Index first = -1;
  const Episode part = cut_episode(whole, from, to, first);
  EpisodeReader log(folder.path() / "log", robot);
  log.cut(from, to);
  EXPECT_EQ(log.first_step(), first);
  const Episode read = std::move(log).load();
  EXPECT_EQ(read.steps(), part.steps());
  EXPECT_TRUE(same(read.tau.data(), part.tau.data(), part.tau.size()));
  EXPECT_EQ(read.invalid_steps, part.invalid_steps);
  EXPECT_EQ(read.sha256, whole.sha256) << "of the log, not of the part";
  EpisodeReader none(folder.path() / "log", robot);
  EXPECT_ERROR(none.cut(1e6, -1.0), "no step from 1e+06 s on");
}

TEST(EpisodeReader, RefusesWhatLoadEpisodeRefusesWhereItStands) {
  const test::TemporaryFolder folder;
  const Robot& robot = test::own_robot("h1_2");
  Episode back = log_with_an_imu();
  back.time[70] = back.time[69] - 1.0;
  write_episode(back, folder.path() / "back");
  EpisodeReader log(folder.path() / "back", robot);
  ASSERT_TRUE(log.next(50));
  EXPECT_ERROR(log.next(50), "row 70: time goes back");
  EpisodeReader as_it_is = EpisodeReader::as_it_is(folder.path() / "back", robot);
  Eigen::Index steps = 0;
  while (const std::optional<Episode> block = as_it_is.next(50)) steps += block->steps();
  EXPECT_EQ(steps, back.steps());
  EXPECT_ERROR(as_it_is.block(steps, 1), "no steps there");
}

}  // namespace
}  // namespace antaeus
