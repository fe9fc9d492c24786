#include "antaeus/space/initial_configuration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "space/space_robots.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::largest;

TEST(InitialConfiguration, BestSampleIsPortableAndRefusesWhatIsNotFinite) {
  const VectorX centre = VectorX::Constant(3, 0.5);
  const auto nearest = [](ConstVectorRef theta) { return -(theta.array() - 0.7).matrix().norm(); };
  const BestSample best = best_sample(nearest, centre, 0.35, 500, 7);
  EXPECT_GT(best.score, nearest(centre));
  EXPECT_EQ(best.score, nearest(best.theta));
  EXPECT_LE(largest(best.theta - centre), 0.35);
  EXPECT_EQ(best_sample(nearest, centre, 0.35, 500, 7).theta, best.theta);
  EXPECT_NE(best_sample(nearest, centre, 0.35, 500, 8).theta, best.theta);
  // SplitMix64's published first output for seed 0 is 0xe220a8397b1dcdaf.
  const BestSample first =
      best_sample([](ConstVectorRef theta) { return std::abs(theta[0]); }, VectorX::Zero(1), 1.0, 1, 0);
  EXPECT_EQ(first.theta[0], static_cast<double>(0xe220a8397b1dcdafu >> 11) * 0x1p-52 - 1.0);
  const BestSample none = best_sample([](ConstVectorRef) { return kNaN; }, centre, 0.35, 10, 1);
  EXPECT_EQ(none.index, -1);
  EXPECT_TRUE(std::isnan(none.score));
  EXPECT_EQ(none.theta, centre);
  EXPECT_THROW(best_sample(nearest, centre, -1.0, 10, 1), Error);
  EXPECT_THROW(best_sample(nearest, centre, 1.0, -1, 1), Error);
}

TEST(InitialConfiguration, SearchFindsARegularPoseAndTouchesNothing) {
  for (const char* name : {"spacecraft_ur3", "spacecraft_panda"}) {
    SCOPED_TRACE(name);
    FreeFlyer flying = test::flyer(name);
    InitialOptions options;
    const BestSample near = choose_q_init_by_sigma(flying, options);
    options.step = 3.14;
    const BestSample far = choose_q_init_by_sigma(flying, options);
    EXPECT_GT(near.score, 0.005);
    EXPECT_GT(far.score, near.score);
    if (std::string(name) == "spacecraft_ur3") {
      EXPECT_LT(near.score, 0.04) << "elbow and wrist are straight at neutral";
    }
    RecordProperty(std::string(name) + "_near", std::to_string(near.score));
    EXPECT_EQ(flying.terms().status, Status::not_computed);
    EXPECT_EQ(choose_q_init_by_sigma(flying, options).theta, far.theta);
  }
}

/// A UR3 as it is, and with its two links 1.18 times as long: the published 0.107 belongs to the latter.
TEST(InitialConfiguration, ElbowLawOfTheStockArmAndOfTheLongerOne) {
  const Robot craft = test::own_robot("spacecraft_ur3");
  RobotDescription longer = craft.model.description();
  for (JointDescription& joint : longer.joints) {
    if (joint.name == "elbow_joint" || joint.name == "wrist_1_joint") joint.X_PJ.translation.z() *= 1.18;
  }
  FreeFlyer stock = test::flyer("spacecraft_ur3");
  FreeFlyer stretched(RobotModel(longer, craft.profile.options), "ee_link");
  const ElbowLaw law = fit_elbow_law(stock), longer_law = fit_elbow_law(stretched);
  EXPECT_NEAR(law.slope, 0.0898, tolerance::kElbowSlope);
  EXPECT_NEAR(longer_law.slope, 0.1068, tolerance::kElbowSlope);
  EXPECT_NEAR(longer_law.slope, kPublishedElbowSlope, 0.0005);
  EXPECT_NEAR(law.sigma_Gamma / law.sigma_J, 0.85, 0.03) << "set by where the arm is mounted";

  const VectorX theta = deterministic_q_init(stock, 0.05, law.slope);
  EXPECT_GT(std::abs(theta[4]), 0.5) << "the wrist's factor of the determinant is off zero as well";
  VectorX q = stock.model().neutral();
  q.tail(6) = theta;
  const double reached = stock.conditioning_at(q).sigma_J;
  EXPECT_NEAR(reached, 0.05, 0.005);
  EXPECT_NEAR(deterministic_q_init(stock, 1.0, law.slope)[2], std::asin(1.0), tolerance::kElbowSlope) << "saturates";
  EXPECT_THROW(deterministic_q_init(stock, -1.0, law.slope), Error);
  EXPECT_THROW(deterministic_q_init(stock, 0.05, 0.0), Error);
  EXPECT_THROW(fit_elbow_law(stock, 2, 6), Error);
}

TEST(InitialConfiguration, PerturbationIsExactlyNothingAtZero) {
  VectorX theta(6);
  theta << 0.1, 0.2, 0.3, 1.0 / 3.0, 0.5, -0.0;
  EXPECT_EQ(perturbed_start(theta, 0.0), theta);
  EXPECT_TRUE(std::signbit(perturbed_start(theta, 0.0)[5]));
  EXPECT_NEAR((perturbed_start(theta, 1e-2) - theta).norm(), 1e-2, tolerance::kMapVelocity);
  EXPECT_THROW(perturbed_start(VectorX::Zero(8), 1e-2), Error);
  EXPECT_THROW(perturbed_start(theta, kNaN), Error);
}

}  // namespace
}  // namespace antaeus
