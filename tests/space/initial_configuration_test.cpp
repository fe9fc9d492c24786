#include "antaeus/space/initial_configuration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/settings.hpp"
#include "space/space_robots.hpp"
#include "space/tolerances.hpp"

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

/// The start without a generator, on an arm with such an elbow and on one without.
TEST(InitialConfiguration, DeterministicStartIsFittedToTheRobotOrSaysWhatIsMissing) {
  FreeFlyer stock = test::flyer("spacecraft_ur3"), panda = test::flyer("spacecraft_panda");
  DeterministicOptions options;
  EXPECT_FALSE(options.enabled);
  const double slope = fit_elbow_law(stock).slope;
  EXPECT_EQ(deterministic_q_init(stock, options), deterministic_q_init(stock, options.target_sigma, slope));
  options.slope = kPublishedElbowSlope;
  EXPECT_LT(deterministic_q_init(stock, options)[2], std::asin(options.target_sigma / slope))
      << "the published slope belongs to a longer arm: this one gets less than was asked for";
  options.slope = 0.0;
  options.elbow = "elbow_joint";
  options.wrist = "wrist_2_joint";
  EXPECT_EQ(deterministic_q_init(stock, options), deterministic_q_init(stock, options.target_sigma, slope));

  const auto message = [](FreeFlyer& flying, const DeterministicOptions& given) -> std::string {
    try {
      deterministic_q_init(flying, given);
    } catch (const OptionsError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  };
  // Seven joints: a law of their own, bent to where the limits allow.
  const VectorX theta = deterministic_q_init(panda, DeterministicOptions{});
  EXPECT_LT(theta[3], 0.0) << "the Panda's elbow bends to one side";
  VectorX q = panda.model().neutral();
  q.tail(7) = theta;
  SmallSvd svd(6, 7);
  ASSERT_EQ(svd.compute(MatrixX(panda.motion_at(q, VectorX::Zero(13)).J_e)), Status::ok);
  EXPECT_NEAR(svd.sigma()[5], DeterministicOptions{}.target_sigma, tolerance::kElbowLaw);
  DeterministicOptions other;
  other.elbow = panda.model().motor_names()[2];
  other.wrist = panda.model().motor_names()[6];
  has(message(panda, other), "no law of the form K |sin|");  // singular however the third joint stands
  options.elbow = "elbow_jont";
  has(message(stock, options), "elbow_joint");
  options.elbow = "wrist_3_joint";  // it changes no singular value
  has(message(stock, options), "no law of the form K |sin|");
  options.elbow = options.wrist;
  has(message(stock, options), "one joint");
  options = {};
  options.target_sigma = -1.0;
  has(message(stock, options), "det.target_sigma");
  options.target_sigma = 0.1;
  has(message(stock, options), "det.target_sigma: more than the law reaches with these joints, 0.0898");

  // Which of the two is taken, and that the search stays within the limits.
  DeterministicOptions law;
  EXPECT_EQ(initial_joints(stock, {}, law), choose_q_init_by_sigma(stock).theta);
  law.enabled = true;
  EXPECT_EQ(initial_joints(stock, {}, law), deterministic_q_init(stock, law));
  const VectorX found = initial_joints(panda);
  EXPECT_TRUE((found.array() >= panda.model().lower_limits().array()).all());
  EXPECT_TRUE((found.array() <= panda.model().upper_limits().array()).all());
  InitialOptions narrow;
  narrow.step = 0.0;
  EXPECT_THROW(initial_joints(panda, narrow), OptionsError) << "its neutral pose is outside the limits";
}

/// Every option of GiordanoRobot (docs/references.md) is found by its name, with its default.
TEST(InitialConfiguration, OptionsAreFoundByName) {
  Settings settings;
  for (const char* text :
       {"j_plus.hard_floor=0.004", "j_plus.soft_floor=0.03", "j_plus.damping=2e-4", "j_plus.inv_norm_max=500",
        "null_space.freeze_floor=0.01", "null_space.freeze=all", "det.enabled=true", "det.target_sigma=0.06",
        "initial.samples=12", "initial.score=sigma_j"}) {
    settings.set(text);
  }
  const ThreeTierOptions tiers = settings.get<ThreeTierOptions>();
  EXPECT_EQ(tiers.hard_floor, 0.004);
  EXPECT_EQ(tiers.inv_norm_max, 500.0);
  EXPECT_EQ(settings.get<NullSpaceOptions>().freeze, NullFreeze::all);
  EXPECT_TRUE(settings.get<DeterministicOptions>().enabled);
  EXPECT_EQ(settings.get<InitialOptions>().score, InitialScore::sigma_j);
  EXPECT_EQ(ThreeTierOptions{}.hard_floor, 5e-3);
  EXPECT_EQ(ThreeTierOptions{}.soft_floor, 2e-2);
  EXPECT_EQ(ThreeTierOptions{}.damping, 1e-4);
  EXPECT_EQ(ThreeTierOptions{}.inv_norm_max, 1e3);
  // Floors that cross are refused where the inverse is made, with one line that names both.
  settings.set("j_plus.hard_floor=0.03");
  FreeFlyerOptions crossed;
  crossed.j_plus = settings.get<ThreeTierOptions>();
  try {
    FreeFlyer(test::own_robot("spacecraft_ur3").model, "ee_link", crossed);
    FAIL() << "floors that cross were taken";
  } catch (const OptionsError& error) {
    const std::string text = error.what();
    for (const char* part : {"j_plus.hard_floor", "soft_floor"}) EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
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
