#include <gtest/gtest.h>

#include "antaeus/estimation/guard.hpp"
#include "antaeus/estimation/wrench_estimator.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::RandomStates;

/// The whole way from an observation to what the consumer reads, many times, with good input and bad.
void expect_no_allocation(const std::string& name, const std::vector<std::string>& endpoints) {
  const Robot robot = test::own_robot(name);
  const int motors = robot.model.motor_count();
  std::vector<GuardKind> guards = GuardChain::default_order();
  guards.push_back(GuardKind::norm_clamp);
  for (const ImuUse imu : {ImuUse::mounted, ImuUse::as_base, ImuUse::none}) {
    RandomStates random(901);
    SCOPED_TRACE(name + ", " + std::to_string(endpoints.size()) + " endpoints, " + enum_name(imu) + ", " +
                 random.text());
    ContactEquation equation(robot, endpoints, {imu});
    DeployedEstimator deployed(equation, {.characteristic_length = 0.3});
    StackedEstimator stacked(equation);
    std::vector<StackedEstimator> with_base;
    if (robot.model.base() == Base::free_flyer) with_base.emplace_back(equation, StackedRows::motors_and_base);
    std::vector<GuardChain> chains;
    for (std::size_t k = 0; k < endpoints.size(); ++k) {
      chains.emplace_back(guards,
                          GuardOptions{.dominance_form = k % 2 ? DominanceForm::formula : DominanceForm::per_joint});
    }
    for (int i = 0; i < 200; ++i) {
      Observation observation;
      observation.q = random.vector(motors, 1.5);
      observation.tau = random.vector(motors, 100.0);
      observation.has_imu = i % 2 == 0;
      observation.imu_quaternion_xyzw = random.vector(4).normalized();
      if (i % 10 == 7) observation.q.setZero();  // straight legs
      if (i % 10 == 8) observation.tau[0] = std::nan("");
      if (i % 10 == 9) observation.q.conservativeResize(motors - 1);
      AllocationCounter counter;
      equation.update(observation);
      const std::vector<WrenchEstimate>& estimates = deployed.solve(equation);
      stacked.solve(equation);
      for (StackedEstimator& estimator : with_base) estimator.solve(equation);
      for (std::size_t k = 0; k < chains.size(); ++k) {
        chains[k].apply(estimates[k], equation.residual(), equation.reference_motor());
        reference_dominance(estimates[k], equation.residual(), equation.reference_motor(), DominanceForm::formula);
        if (i % 50 == 49) chains[k].reset();
      }
      ASSERT_EQ(counter.count(), 0) << "step " << i;
    }
  }
}

TEST(EstimationRealtime, NoAllocationOnTheH1_2) {
  const std::vector<std::string> limbs = {"left_wrist_yaw_link", "right_wrist_yaw_link", "left_ankle_roll_link",
                                          "right_ankle_roll_link"};
  for (const std::size_t count : {1u, 2u, 4u}) {
    expect_no_allocation("h1_2", {limbs.begin(), limbs.begin() + static_cast<std::ptrdiff_t>(count)});
  }
}

TEST(EstimationRealtime, NoAllocationOnThePlanarArm) { expect_no_allocation("planar_3r", {"tool"}); }

TEST(EstimationRealtime, AMillionEstimatesWithAllGuardsDoNotAllocate) {
  const Robot robot = test::own_robot("h1_2");
  ContactEquation equation(robot, {"left_wrist_yaw_link"});
  DeployedEstimator estimator(equation);
  GuardChain guards;
  RandomStates random(902);
  SCOPED_TRACE(random.text());
  // A few hundred inputs in turns, so that the time goes into the million calls.
  std::vector<Observation> observations(500);
  for (Observation& observation : observations) {
    observation.q = random.vector(robot.model.motor_count(), 1.5);
    observation.tau = random.vector(robot.model.motor_count(), 50.0);
  }
  std::size_t usable = 0;
  AllocationCounter counter;
  for (int i = 0; i < 1'000'000; ++i) {
    equation.update(observations[static_cast<std::size_t>(i) % observations.size()]);
    const WrenchEstimate& estimate = estimator.solve(equation).front();
    usable += guards.apply(estimate, equation.residual(), equation.reference_motor()).wrench.is_finite();
  }
  EXPECT_EQ(counter.count(), 0);
  EXPECT_EQ(usable, 1'000'000u);
}

}  // namespace
}  // namespace antaeus
