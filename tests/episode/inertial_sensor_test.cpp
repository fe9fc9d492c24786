#include "../../src/episode/inertial_sensor.hpp"

#include <gtest/gtest.h>

#include "antaeus/episode/synthetic_episode.hpp"
#include "episode/tolerances.hpp"
#include "support/moving_robot.hpp"

namespace antaeus {
namespace {

// Poses of a robot whose base and joints all move, differenced twice.
TEST(InertialSensor, AgreesWithSecondDifferencesOfThePose) {
  struct Case {
    const char* robot;
    const char* frame;
  };
  for (const auto& [name, frame] :
       {Case{"h1_2", "imu_link"}, Case{"h1_2", "left_wrist_yaw_link"}, Case{"planar_3r", "tool"}}) {
    SCOPED_TRACE(std::string(name) + " " + frame);
    Robot robot = test::own_robot(name);
    robot.profile.imu.frame = frame;  // where MovingRobot measures
    test::MovingRobot moving(robot, 31, 0.4, 0.15);
    Dynamics dynamics(robot.model);
    for (double t = 0.0; t < 2.0; t += 0.09) {
      const Observation seen = moving.observe(t, frame, Vector6::Zero());
      const VectorX q = moving.q(t);
      const InertialReading measured =
          inertial_reading(robot.model, dynamics.at(q), robot.model.frame(frame), q, moving.v(t), moving.a(t));
      EXPECT_LT((measured.angular_velocity - seen.imu_angular_velocity).norm(), tolerance::kDifferencedGyro) << t;
      EXPECT_LT((measured.specific_force - seen.imu_specific_force).norm(), tolerance::kDifferencedAccelerometer) << t;
    }
  }
}

const SampleMatrix& channel(const Episode& episode, SampleMatrix Episode::* samples) { return episode.*samples; }

class TwinSensors : public testing::Test {
 protected:
  static const Robot& robot() {
    static const Robot robot = test::own_robot("h1_2");
    return robot;
  }
};

TEST_F(TwinSensors, ChannelsAreExact) {
  constexpr double kRate = 1e4;
  for (const TwinKind kind : {TwinKind::good, TwinKind::incident}) {
    const SyntheticEpisode twin =
        make_twin(robot(), kind, {.rate = kRate, .duration = 0.3, .inertial = true, .accelerations = true});
    const Episode& episode = twin.episode;
    Dynamics dynamics(robot().model);
    const FrameId imu = robot().model.frame("imu_link");
    const auto pose = [&](Eigen::Index i) {
      Pose X;
      dynamics.at(twin.full_q.row(i).transpose()).frame_pose(imu, X);
      return X;
    };
    double largest_rate = 0.0;
    for (Eigen::Index i = 1; i + 1 < episode.steps(); i += 7) {
      const Pose before = pose(i - 1), now = pose(i), after = pose(i + 1);
      const Eigen::AngleAxisd turned(Matrix3(before.rotation.transpose() * after.rotation));
      const Vector3 gyro = turned.angle() * kRate / 2.0 * turned.axis();
      const Vector3 acceleration = (after.translation - 2.0 * now.translation + before.translation) * kRate * kRate;
      const Vector3 measured = now.rotation.transpose() * (acceleration + Vector3(0, 0, 9.81));
      EXPECT_LT((episode.imu_angular_velocity.row(i).transpose() - gyro).norm(), tolerance::kTwinVelocityDifference);
      EXPECT_LT((episode.imu_specific_force.row(i).transpose() - measured).norm(), tolerance::kTwinSpecificForce);
      largest_rate = std::max(largest_rate, gyro.norm());
    }
    EXPECT_GT(largest_rate, 0.05) << "it moves";
    EXPECT_EQ((episode.a - twin.full_a.rightCols(27)).cwiseAbs().maxCoeff(), 0.0);
    EXPECT_EQ(episode.channels.size(), 9u);
  }
}

TEST_F(TwinSensors, NoiseTiltAndFrictionAreWhatTheOptionsSay) {
  const TwinOptions clean_options{.rate = 500.0, .duration = 4.0, .inertial = true};
  const SyntheticEpisode clean = make_twin(robot(), TwinKind::good, clean_options);
  TwinOptions options = clean_options;
  options.gyro_noise = 0.01;
  options.accelerometer_noise = 0.2;
  const SyntheticEpisode noisy = make_twin(robot(), TwinKind::good, options);
  const auto deviation = [&](SampleMatrix Episode::* samples) {
    const SampleMatrix noise = channel(noisy.episode, samples) - channel(clean.episode, samples);
    return std::sqrt(noise.array().square().mean());
  };
  // 6003 numbers: their rms is off by 1/√12006.
  EXPECT_NEAR(deviation(&Episode::imu_angular_velocity), 0.01, 4.0 * 0.01 / std::sqrt(12006.0));
  EXPECT_NEAR(deviation(&Episode::imu_specific_force), 0.2, 4.0 * 0.2 / std::sqrt(12006.0));
  EXPECT_EQ(deviation(&Episode::tau), 0.0);
  EXPECT_EQ(deviation(&Episode::imu_quaternion), 0.0);

  // Nodding by +0.1 about y: gravity's reaction, which was along z, leans against x; the world is seen alike.
  options = clean_options;
  options.imu_tilt = 0.1;
  const SyntheticEpisode tilted = make_twin(robot(), TwinKind::good, options);
  EXPECT_NEAR(tilted.episode.imu_specific_force(0, 0) - clean.episode.imu_specific_force(0, 0), -9.81 * std::sin(0.1),
              0.05);
  for (Eigen::Index i = 0; i < clean.episode.steps(); i += 50) {
    const auto in_world = [i](const Episode& episode) -> Vector3 {
      const Eigen::Quaterniond R(Eigen::Vector4d(episode.imu_quaternion.row(i).transpose()));
      return R * Vector3(episode.imu_specific_force.row(i).transpose());
    };
    EXPECT_LT((in_world(tilted.episode) - in_world(clean.episode)).norm(), tolerance::kCurve);
  }

  options = clean_options;
  options.friction = 0.5;
  const SyntheticEpisode rough = make_twin(robot(), TwinKind::good, options);
  const SampleMatrix added = rough.episode.tau - clean.episode.tau;
  EXPECT_LT((added - (rough.motor_side_torque - clean.motor_side_torque)).cwiseAbs().maxCoeff(), tolerance::kCurve);
  const int shoulder = 13;
  int moving = 0;
  for (Eigen::Index i = 0; i < added.rows(); ++i) {
    const double v = clean.episode.v(i, shoulder);
    EXPECT_NEAR(added(i, shoulder), v == 0.0 ? 0.0 : std::copysign(0.2, v), tolerance::kCurve) << i;
    moving += v != 0.0;
    EXPECT_NEAR(added(i, 14), 0.0, tolerance::kCurve) << "shoulder roll stands still";
  }
  EXPECT_GT(moving, 1000);
}

TEST_F(TwinSensors, RefusesWhatItCannotMake) {
  RobotProfile no_imu = robot().profile;
  no_imu.imu.frame.clear();
  EXPECT_THROW(make_twin(make_robot(no_imu), TwinKind::good, {.duration = 0.1, .inertial = true}), OptionsError);
  for (const TwinOptions& options : {TwinOptions{.gyro_noise = -1.0}, TwinOptions{.accelerometer_noise = NAN},
                                     TwinOptions{.imu_tilt = INFINITY}, TwinOptions{.friction = -0.1}}) {
    EXPECT_THROW(make_twin(robot(), TwinKind::good, options), OptionsError);
  }
}

}  // namespace
}  // namespace antaeus
