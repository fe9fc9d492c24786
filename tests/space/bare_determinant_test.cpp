// Where the bare arm is singular: the determinant of a UR3's Jacobian in closed form (docs/concepts/space.md derives
// it), and what becomes of its smallest singular value when the base floats.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "antaeus/space/initial_configuration.hpp"
#include "space/space_robots.hpp"
#include "space/tolerances.hpp"

namespace antaeus {
namespace {

/// Published lengths of the UR3 [m]: upper arm, forearm, from the forearm's end to the last two axes.
constexpr double kA2 = 0.24365, kA3 = 0.21325, kD5 = 0.08535;

double determinant(const VectorX& theta, double a2, double a3, double d5) {
  const double reach =
      a2 * std::cos(theta[1]) + a3 * std::cos(theta[1] + theta[2]) - d5 * std::sin(theta[1] + theta[2] + theta[3]);
  return -a2 * a3 * std::sin(theta[2]) * std::sin(theta[4]) * reach;
}

MatrixX bare(FreeFlyer& flying, const VectorX& q) {
  return flying.motion_at(q, VectorX::Zero(flying.model().nv())).J_e;
}

TEST(BareDeterminant, IsElbowTimesWristTimesReachOver300Poses) {
  const Robot craft = test::own_robot("spacecraft_ur3");
  // The point does not matter: a twist of another point of one body differs by a matrix of determinant 1.
  for (const char* frame : {"ee_link", "tool0", "wrist_3_link"}) {
    SCOPED_TRACE(frame);
    FreeFlyer flying(craft.model, frame);
    test::RandomStates random(1520);
    SCOPED_TRACE(random.text());
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < 300; ++i) {
      const VectorX q = random.configuration(craft.model);
      const double formula = determinant(q.tail(6), kA2, kA3, kD5);
      worst = std::max(worst, std::abs(bare(flying, q).determinant() - formula));
      largest = std::max(largest, std::abs(formula));
    }
    std::printf("spacecraft_ur3, %s: determinant off by %.1e of up to %.1e over 300 poses\n", frame, worst, largest);
    EXPECT_GT(largest, 0.01) << "the poses are not all singular";
    EXPECT_LT(worst, tolerance::kBareDeterminant);
  }
}

/// Each factor alone makes the arm singular; J⊕ has the zeros of elbow and wrist, and not those of the reach.
TEST(BareDeterminant, ElbowAndWristStayWhereTheyAreOnAFreeBaseAndTheReachMoves) {
  FreeFlyer flying = test::flyer("spacecraft_ur3");
  test::RandomStates random(1521);
  SCOPED_TRACE(random.text());
  double elbow = 0.0, wrist = 0.0, reach_bare = 0.0, reach_free = 1.0;
  SmallSvd svd(6, 6);
  for (int i = 0; i < 50; ++i) {
    VectorX q = random.configuration(flying.model());
    VectorX straight = q, level = q, over = q;
    straight[9] = 0.0;
    level[11] = 0.0;
    elbow = std::max(elbow, flying.conditioning_at(straight).sigma_J);
    wrist = std::max(wrist, flying.conditioning_at(level).sigma_J);
    // The shoulder that brings the wrist's centre over the first axis: a cos θ2 + b sin θ2 = 0.
    const double a = kA2 + kA3 * std::cos(q[9]) - kD5 * std::sin(q[9] + q[10]);
    const double b = -kA3 * std::sin(q[9]) - kD5 * std::cos(q[9] + q[10]);
    over[8] = std::atan2(-a, b);
    ASSERT_EQ(svd.compute(bare(flying, over)), Status::ok);
    reach_bare = std::max(reach_bare, svd.sigma()[5]);
    reach_free = std::min(reach_free, flying.conditioning_at(over).sigma_J);
  }
  std::printf(
      "sigma_min(J+) at the straight elbow %.1e, the level wrist %.1e; over the first axis %.1e bare, least %.1e "
      "free\n",
      elbow, wrist, reach_bare, reach_free);
  EXPECT_LT(elbow, tolerance::kSingular);
  EXPECT_LT(wrist, tolerance::kSingular);
  EXPECT_LT(reach_bare, tolerance::kSingular);
  EXPECT_GT(reach_free, 1e3 * tolerance::kSingular) << "the free base moves this family";
}

/// What the coordinated map makes of σ_min: a figure of each model, not a constant.
TEST(BareDeterminant, ShareOfSigmaThatTheMapLeavesIsPrintedForEachModel) {
  for (const char* name : {"spacecraft_ur3", "spacecraft_panda"}) {
    SCOPED_TRACE(name);
    FreeFlyer flying = test::flyer(name);
    test::RandomStates random(1522);
    SCOPED_TRACE(random.text());
    std::vector<double> gamma, plus;
    SmallSvd svd(6, flying.joints());
    for (const test::State& state : test::regular_states(flying, random, 400)) {
      ASSERT_EQ(svd.compute(bare(flying, state.q)), Status::ok);
      const FreeFlyingConditioning whole = flying.conditioning_at(state.q);
      gamma.push_back(whole.sigma_Gamma / svd.sigma()[5]);
      plus.push_back(whole.sigma_J / svd.sigma()[5]);
    }
    std::sort(gamma.begin(), gamma.end());
    std::sort(plus.begin(), plus.end());
    std::printf(
        "%s, 400 poses, 5 %% median 95 %%: sigma_Gamma/sigma_J %.3f %.3f %.3f, sigma_J+/sigma_J %.3f %.3f %.3f\n", name,
        gamma[20], gamma[200], gamma[380], plus[20], plus[200], plus[380]);
    // Γ holds rows of size 1 beside J⊕, and J⊕ has lost what the base gives way.
    EXPECT_LT(gamma[200], plus[200]);
    EXPECT_LT(plus[200], 1.0);
    if (std::string(name) == "spacecraft_ur3") {
      const ElbowLaw law = fit_elbow_law(flying);
      std::printf(
          "%s near the straight elbow: K %.4f, sigma_Gamma/sigma_J %.3f, sigma_J+/sigma_J %.3f, law off by %.4f\n",
          name, law.slope, law.sigma_Gamma, law.sigma_J, law.miss);
      EXPECT_NEAR(law.sigma_Gamma, 0.847, tolerance::kSigmaShare)
          << "set by where the arm is mounted; GiordanoRobot's reference has 0.8";
      EXPECT_NEAR(law.sigma_J, 0.979, tolerance::kSigmaShare);
      EXPECT_LT(law.miss, 0.01);
    }
  }
}

}  // namespace
}  // namespace antaeus
