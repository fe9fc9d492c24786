#include "antaeus/trust/flight_record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

using test::kWrists;

/// Bit by bit, so that NaN equals NaN.
bool same(const SampleMatrix& one, const SampleMatrix& other) {
  return one.rows() == other.rows() && one.cols() == other.cols() &&
         (one.size() == 0 ||
          std::memcmp(one.data(), other.data(), static_cast<std::size_t>(one.size()) * sizeof(double)) == 0);
}

class FlightRecordEpisode : public testing::Test {
 protected:
  /// Runs the twin until the first refusal. \return its step
  Eigen::Index run(GuardedEstimator& estimator, const Episode& episode, void (*spoil)(Eigen::Index, Observation&)) {
    Observation observation;
    for (Eigen::Index i = 0; i < episode.steps(); ++i) {
      episode.observe(i, observation);
      spoil(i, observation);
      estimator.update(observation);
      if (estimator.refusals() > 0) return i;
    }
    return -1;
  }
  GuardedEstimator make(int samples) {
    return GuardedEstimator(robot_, kWrists, {}, {}, {}, {.recorder_samples = samples});
  }
  Episode write_and_load(const Episode& episode) {
    const std::filesystem::path folder = folder_.path() / episode.name;
    write_episode(episode, folder);
    EpisodeOptions options;
    options.require_target = false;
    return load_episode(folder, robot_, options);
  }

  test::TemporaryFolder folder_;
  Robot robot_ = test::own_robot("h1_2");
};

void expect_equal(const Episode& one, const Episode& other) {
  EXPECT_EQ(one.sha256, other.sha256);
  EXPECT_EQ(one.missing, other.missing);
  EXPECT_EQ(one.invalid_steps, other.invalid_steps);
  for (SampleMatrix Episode::* channel :
       {&Episode::q, &Episode::tau, &Episode::target, &Episode::v, &Episode::a, &Episode::imu_quaternion,
        &Episode::imu_angular_velocity, &Episode::imu_specific_force}) {
    EXPECT_TRUE(same(one.*channel, other.*channel));
  }
  EXPECT_TRUE(same(SampleMatrix(one.time), SampleMatrix(other.time)));
}

TEST_F(FlightRecordEpisode, ARefusalIsWrittenAndLoadedAsItWas) {
  const Episode twin = make_twin(robot_, TwinKind::incident, {.rate = 500.0, .inertial = true}).episode;
  GuardedEstimator estimator = make(40);
  const Eigen::Index refused = run(estimator, twin, [](Eigen::Index, Observation&) {});
  ASSERT_GE(refused, 0) << "the incident is refused";
  const Episode record = flight_record_episode(estimator.last_refusal(), robot_);
  const Eigen::Index count = std::min<Eigen::Index>(40, refused + 1), first = refused + 1 - count;
  ASSERT_EQ(record.steps(), count);
  EXPECT_TRUE(same(record.tau, twin.tau.middleRows(first, count)));
  EXPECT_TRUE(same(record.q, twin.q.middleRows(first, count)));
  EXPECT_TRUE(same(record.v, twin.v.middleRows(first, count)));
  EXPECT_TRUE(same(record.imu_quaternion, twin.imu_quaternion.middleRows(first, count)));
  EXPECT_TRUE(same(record.imu_angular_velocity, twin.imu_angular_velocity.middleRows(first, count)));
  EXPECT_TRUE(same(record.imu_specific_force, twin.imu_specific_force.middleRows(first, count)));
  EXPECT_EQ(record.time, twin.time.segment(first, count));
  EXPECT_EQ(record.a.rows(), 0);
  ASSERT_EQ(record.notes.size(), 1u);
  EXPECT_NE(note_text(record.notes[0]).find(estimator.last_refusal().reasons.text()), std::string::npos);
  expect_equal(write_and_load(record), record);
}

TEST_F(FlightRecordEpisode, MissingAndMisshapenChannelsAreNaN) {
  const Episode twin = make_twin(robot_, TwinKind::pushes, {.rate = 500.0, .duration = 0.2, .inertial = true}).episode;
  GuardedEstimator estimator = make(10);
  const Eigen::Index refused = run(estimator, twin, [](Eigen::Index i, Observation& o) {
    if (i == 16) o.has_gyro = false;
    if (i == 17) o.v.resize(0);
    if (i == 18) o.has_imu = false;
    if (i == 20) o.tau.conservativeResize(20);
  });
  ASSERT_EQ(refused, 20) << estimator.last_refusal().reasons.text();
  const Episode record = flight_record_episode(estimator.last_refusal(), robot_);
  ASSERT_EQ(record.steps(), 10);
  EXPECT_TRUE(record.imu_angular_velocity.row(5).array().isNaN().all());
  EXPECT_TRUE(record.v.row(6).array().isNaN().all());
  EXPECT_TRUE(record.imu_quaternion.row(7).array().isNaN().all());
  EXPECT_TRUE(record.tau.row(9).array().isNaN().all());
  EXPECT_TRUE(same(record.q, twin.q.middleRows(11, 10)));
  EXPECT_EQ(record.invalid_steps, (std::vector<Eigen::Index>{7, 9}));
  expect_equal(write_and_load(record), record);
}

TEST_F(FlightRecordEpisode, AClockThatWentBackIsLeftOut) {
  const Episode twin = make_twin(robot_, TwinKind::pushes, {.rate = 500.0, .duration = 0.2}).episode;
  GuardedEstimator estimator = make(10);
  const Eigen::Index refused = run(estimator, twin, [](Eigen::Index i, Observation& o) {
    if (i == 20) o.time = 0.001;
  });
  ASSERT_EQ(refused, 20) << estimator.last_refusal().reasons.text();
  const Episode record = flight_record_episode(estimator.last_refusal(), robot_);
  EXPECT_FALSE(record.has_time());
  ASSERT_EQ(record.notes.size(), 2u);
  EXPECT_TRUE(note_text(record.notes[1]).starts_with("time stamps left out: 0.001 s at step 9"));
  expect_equal(write_and_load(record), record);
}

TEST_F(FlightRecordEpisode, RefusesWhatIsNoRefusal) {
  GuardedEstimator estimator = make(10);
  EXPECT_ERROR(flight_record_episode(estimator.last_refusal(), robot_), "nothing was refused yet");
  Observation bad;
  bad.q.setConstant(27, kNaN);
  bad.tau = bad.q;
  estimator.update(bad);
  const Episode record = flight_record_episode(estimator.last_refusal(), robot_);
  EXPECT_EQ(record.steps(), 1);
  EXPECT_EQ(record.invalid_steps, std::vector<Eigen::Index>{0});
  expect_equal(write_and_load(record), record);
  EXPECT_ERROR(flight_record_episode(estimator.last_refusal(), test::own_robot("planar_3r")),
               "27 motors, but planar_3r has 3");
}

}  // namespace
}  // namespace antaeus
