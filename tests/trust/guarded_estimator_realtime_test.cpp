#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "antaeus/robot/noise_model.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/made_up_noise.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::RandomStates;

/// The whole loop on moving robots with good input and bad, for every residual, set of rows and action.
/// \param identified  null: the profile's figures
void expect_no_allocation(const std::string& name, const std::vector<std::string>& endpoints, ResidualOptions residual,
                          PosteriorOptions posterior, ConsumerGuardOptions guarded,
                          std::shared_ptr<const NoiseModel> identified = nullptr) {
  Robot robot = test::own_robot(name);
  robot.profile.noise = std::move(identified);
  const int motors = robot.model.motor_count();
  RandomStates random(903);
  SCOPED_TRACE(name + ", " + std::to_string(endpoints.size()) + " endpoints, " + std::string(to_string(residual.kind)) +
               ", " + std::string(to_string(posterior.rows)) + ", " + random.text());
  guarded.recorder_samples = 20;
  GuardedEstimator estimator(robot, endpoints, {}, residual, posterior, guarded);
  double clock = 0.0;
  for (int i = 0; i < 300; ++i) {
    Observation observation;
    clock += i % 37 == 36 ? 3.0 : 0.002;
    observation.time = i % 29 == 28 ? clock - 1.0 : clock;
    observation.q = random.vector(motors, 1.2);
    observation.v = random.vector(motors, 2.0);
    if (i % 3 == 0) observation.a = random.vector(motors, 5.0);
    observation.tau = random.vector(motors, 40.0);
    observation.has_imu = observation.has_gyro = observation.has_accelerometer = i % 11 != 10;
    observation.imu_quaternion_xyzw = random.vector(4).normalized();
    observation.imu_angular_velocity = random.vector(3);
    observation.imu_specific_force = random.vector(3, 12.0);
    if (i % 13 == 12) observation.tau[0] = std::nan("");
    if (i % 17 == 16) observation.q.conservativeResize(motors - 1);
    if (i % 19 == 18) observation.v.resize(0);
    if (i % 23 == 22) observation.q.setZero();
    AllocationCounter counter;
    for (const ConsumerWrench& result : estimator.update(observation)) ASSERT_TRUE(result.wrench.is_finite());
    if (i == 150) estimator.reset();
    ASSERT_EQ(counter.count(), 0) << "step " << i;
  }
  EXPECT_GT(estimator.refusals(), 0);
}

TEST(GuardedEstimatorRealtime, NoAllocationOnTheH1_2) {
  const std::vector<std::string> limbs = {"left_wrist_yaw_link", "right_wrist_yaw_link", "left_ankle_roll_link",
                                          "right_ankle_roll_link"};
  for (const ResidualChoice kind : {ResidualChoice::automatic, ResidualChoice::static_gravity,
                                    ResidualChoice::inverse_dynamics, ResidualChoice::momentum_observer}) {
    for (const PosteriorRows rows : {PosteriorRows::own, PosteriorRows::all, PosteriorRows::all_and_base}) {
      const bool all = rows == PosteriorRows::all_and_base;
      expect_no_allocation("h1_2", {limbs.begin(), limbs.begin() + (all ? 4 : 2)}, {.kind = kind},
                           {.rows = rows, .reference = ReferenceUse::innovation},
                           {.on_ok = ConsumerAction::pass_raw, .on_refused = ConsumerAction::hold});
    }
  }
}

/// Masses in the mean, a covariance that is kept for some cycles, rows that were not identified, and speeds on both
/// sides of the envelope.
TEST(GuardedEstimatorRealtime, NoAllocationWithIdentifiedNoise) {
  struct Case {
    std::string robot;
    std::vector<std::string> endpoints;
    int unknown;
  };
  const Case cases[] = {{"planar_3r", {"tool"}, 0}, {"h1_2", {"left_wrist_yaw_link", "right_wrist_yaw_link"}, 12}};
  for (const Case& now : cases) {
    const RobotModel model = test::own_robot(now.robot).model;
    for (const NoiseOrigin origin : {NoiseOrigin::moving, NoiseOrigin::held_pose}) {
      for (const ResidualChoice kind :
           {ResidualChoice::automatic, ResidualChoice::static_gravity, ResidualChoice::momentum_observer}) {
        for (const double speed : {0.3, 3.0}) {
          SCOPED_TRACE(std::string(to_string(origin)) + ", " + std::to_string(speed) + " rad/s");
          const auto noise = std::make_shared<NoiseModel>(test::made_up_noise(model, origin, now.unknown, speed, 904));
          expect_no_allocation(now.robot, now.endpoints, {.kind = kind}, {.reference = ReferenceUse::innovation}, {},
                               noise);
        }
      }
    }
  }
}

TEST(GuardedEstimatorRealtime, NoAllocationOnThePlanarArm) {
  for (const ResidualChoice kind : {ResidualChoice::automatic, ResidualChoice::momentum_observer}) {
    expect_no_allocation("planar_3r", {"tool"}, {.kind = kind}, {.contact = ContactKind::force}, {});
  }
}

}  // namespace
}  // namespace antaeus
