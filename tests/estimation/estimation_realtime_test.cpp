#include <gtest/gtest.h>

#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/soak.hpp"

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
    SCOPED_TRACE(name + ", " + std::to_string(endpoints.size()) + " endpoints, " + std::string(to_string(imu)) + ", " +
                 random.text());
    InstantReader reader(robot, endpoints, {imu});
    DeployedEstimator deployed(reader, {.characteristic_length = 0.3});
    StackedEstimator stacked(reader);
    std::vector<StackedEstimator> with_base;
    if (robot.model.base() == Base::free_flyer) with_base.emplace_back(reader, StackedRows::motors_and_base);
    std::vector<GuardChain> chains;
    for (std::size_t k = 0; k < endpoints.size(); ++k) {
      chains.emplace_back(
          guards, PublishedGuardOptions{.dominance_form = k % 2 ? DominanceForm::formula : DominanceForm::per_joint});
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
      const Instant& now = reader.at(observation);
      const WrenchEstimates& estimates = deployed.solve(now);
      stacked.solve(now);
      for (StackedEstimator& estimator : with_base) estimator.solve(now);
      for (std::size_t k = 0; k < chains.size(); ++k) {
        chains[k].apply(estimates[k]);
        reference_dominance(estimates[k], DominanceForm::formula);
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

/// Velocities and accelerations are there, missing, too few or too many, in every order.
TEST(EstimationRealtime, NoAllocationWhileChannelsComeAndGo) {
  for (const char* name : {"h1_2", "planar_3r"}) {
    SCOPED_TRACE(name);
    const Robot robot = test::own_robot(name);
    const int motors = robot.model.motor_count();
    RandomStates random(904);
    SCOPED_TRACE(random.text());
    std::vector<Observation> observations;
    for (const int v : {0, motors, motors - 1, motors + 4}) {
      for (const int a : {0, motors, motors - 1, motors + 4}) {
        Observation observation;
        observation.q = random.vector(motors, 1.0);
        observation.tau = random.vector(motors, 20.0);
        observation.v = random.vector(v);
        observation.a = random.vector(a);
        observations.push_back(observation);
      }
    }
    const auto expect_channel = [&](const VectorX& kept, const VectorX& read) {
      if (read.size() == 0 || read.size() == motors) {
        EXPECT_EQ(kept, read);
      } else {
        EXPECT_TRUE(kept.size() == motors && kept.array().isNaN().all());
      }
    };
    for (const Observation& from : observations) {
      for (const Observation& to : observations) {
        // The reader's very first sample, too.
        InstantReader reader(robot, {robot.profile.endpoints.front().frame});
        AllocationCounter counter;
        reader.at(from);
        const Instant& now = reader.at(to);
        reader.at(from);
        reader.at(to);
        ASSERT_EQ(counter.count(), 0) << from.v.size() << " " << from.a.size() << " to " << to.v.size() << " "
                                      << to.a.size();
        EXPECT_EQ(now.status(), Status::ok);
        const auto fits = [&](const VectorX& channel) { return channel.size() == 0 || channel.size() == motors; };
        EXPECT_EQ(now.motion_status(), fits(to.v) && fits(to.a) ? Status::ok : Status::wrong_size);
        expect_channel(now.observation().v, to.v);
        expect_channel(now.observation().a, to.a);
      }
    }
  }
}

TEST(EstimationRealtime, SoakEstimatesWithAllGuardsDoNotAllocate) {
  const Robot robot = test::own_robot("h1_2");
  InstantReader reader(robot, {"left_wrist_yaw_link"});
  DeployedEstimator estimator(reader);
  GuardChain guards;
  RandomStates random(902);
  SCOPED_TRACE(random.text());
  // A few hundred inputs in turns, so that the time goes into the calls: a million in `make soak`.
  std::vector<Observation> observations(500);
  for (Observation& observation : observations) {
    observation.q = random.vector(robot.model.motor_count(), 1.5);
    observation.tau = random.vector(robot.model.motor_count(), 50.0);
  }
  const int calls = test::in_soak(1'000'000, 20'000);
  int usable = 0;
  AllocationCounter counter;
  for (int i = 0; i < calls; ++i) {
    const Instant& now = reader.at(observations[static_cast<std::size_t>(i) % observations.size()]);
    usable += guards.apply(estimator.solve(now).front()).wrench.is_finite();
  }
  EXPECT_EQ(counter.count(), 0);
  EXPECT_EQ(usable, calls);
}

}  // namespace
}  // namespace antaeus
