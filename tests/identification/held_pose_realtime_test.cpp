#include <gtest/gtest.h>

#include "antaeus/estimation/envelope.hpp"
#include "antaeus/identification/held/held_pose.hpp"
#include "identification/held_stretches.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

void expect_no_allocation(const std::string& name, const std::vector<std::string>& endpoints, bool ridge) {
  const Robot robot = test::own_robot(name);
  test::Noise normal(3);
  std::vector<HeldStretch> stretches;
  for (int run = 0; run < 3; ++run) stretches.push_back(test::drawn_stretch(robot, run, 1.0, normal));
  HeldPosePredictor predictor(robot.model, fit_held_pose(robot, endpoints, stretches, {.ridge = ridge}));
  SpeedEnvelope envelope(envelope_motors(robot, endpoints), 1.0);
  Dynamics dynamics(robot.model);
  const auto m = std::ssize(predictor.noise().motors);
  VectorX mean(m), wrong(m + 1), v = VectorX::Zero(robot.model.motor_count()), q = robot.model.neutral();
  MatrixX R(m, m);
  test::AllocationCounter counter;
  for (int i = 0; i < 100; ++i) {
    v[0] = 0.1 * (i % 7);
    envelope.step(0.02 * i, v);
    envelope.step(0.02 * i, v);
    envelope.step(kNaN, wrong);
    const PositionTerms now = dynamics.at(q);
    EXPECT_EQ(predictor.predict(now, robot.model.gravity(), envelope.outside() ? 1.0 : 0.0, mean, R), Status::ok);
    predictor.predict(now, robot.model.gravity(), 0.0, wrong, R);
    predictor.predict(now, robot.model.gravity(), kNaN, mean, R);
  }
  EXPECT_EQ(counter.count(), 0) << name;
}

TEST(HeldPoseRealtime, NoAllocation) {
  expect_no_allocation("planar_3r", {}, true);
  expect_no_allocation("panda", {}, true);
  expect_no_allocation("h1_2", {"left_wrist_yaw_link", "right_wrist_yaw_link"}, true);
  expect_no_allocation("h1_2", {"left_wrist_yaw_link", "right_wrist_yaw_link"}, false);
}

}  // namespace
}  // namespace antaeus
