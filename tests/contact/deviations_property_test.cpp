// Private: every deviation's derivatives against differences, and its size where it can be written by hand.

#include <random>

#include "contact/deviations.hpp"
#include "contact/tolerances.hpp"

namespace antaeus {
namespace {

struct Loads {
  KnownBody body;
  KnownRow row;
  VectorX w;
};

/// \param load  vertical force of each contact [N]
Loads random_case(std::mt19937& random, int feet, bool hidden, double load) {
  std::normal_distribution<double> normal;
  Loads result;
  result.body.feet = feet;
  result.body.hidden = hidden;
  result.body.weight = 600.0;
  result.body.com_height = 0.9;
  result.body.options.hidden_lean_sd = 0.1;
  const auto level = [&] { return Vector3(normal(random), normal(random), 0).normalized(); };
  for (int i = 0; i < result.body.contacts(); ++i) {
    result.row.contacts.push_back(
        {0.3 * Vector3(normal(random), normal(random), 0.1), level(), std::tanh(normal(random)), 0.3});
  }
  result.row.com = Vector3(0.1 * normal(random), 0.1 * normal(random), 0.9);
  result.row.ground = Vector3(result.row.com.x(), result.row.com.y(), 0);
  result.row.forward = level();
  result.row.total << 1, 2, 600, 3, 4, 5;
  result.row.total_sd << 8, 5, 9, 3, 40, 4;
  result.w = VectorX::NullaryExpr(result.body.unknowns(), [&](Eigen::Index) { return 20.0 * normal(random); });
  for (int i = 0; i < result.body.contacts(); ++i) result.w[6 * i + 2] += load;
  return result;
}

TEST(Deviations, DerivativesAreThoseOfDifferences) {
  std::mt19937 random(7);
  for (const int feet : {1, 2, 4}) {
    for (const bool hidden : {false, true}) {
      for (const double load : {300.0, 0.0, -200.0}) {
        const Loads one = random_case(random, feet, hidden, load);
        VectorX e, above, below;
        MatrixX gradient;
        evaluate(one.body, one.row, one.w, e, &gradient);
        ASSERT_EQ(e.size(), std::ssize(memories(one.body)));
        ASSERT_EQ(gradient.cols(), one.body.unknowns());
        constexpr double kStep = 1e-3;
        for (Eigen::Index k = 0; k < one.w.size(); ++k) {
          VectorX w = one.w;
          w[k] += kStep;
          evaluate(one.body, one.row, w, above, nullptr);
          w[k] -= 2 * kStep;
          evaluate(one.body, one.row, w, below, nullptr);
          const VectorX difference = (above - below) / (2 * kStep);
          const VectorX scale = 1.0 + gradient.col(k).cwiseAbs().array();
          EXPECT_LT(((difference - gradient.col(k)).array() / scale.array()).abs().maxCoeff(),
                    tolerance::kDeviationDifference)
              << feet << " feet, unknown " << k << ", load " << load;
        }
      }
    }
  }
}

TEST(Deviations, ArePressureLeanAndFreeMomentOverTheirSds) {
  std::mt19937 random(8);
  Loads one = random_case(random, 1, false, 0.0);
  one.body.weight = 1e-3 * 600;  // so that f⁺ = f_z
  KnownContact& foot = one.row.contacts[0];
  foot = {Vector3::Zero(), Vector3::UnitX(), 0.0, 0.5};
  one.row.forward = Vector3::UnitX();
  one.row.com = Vector3(0.09, -0.18, 0.9);
  // Pressure 3 cm ahead and 1 cm to the right (−y), and a free moment of 2 N·m on 400 N.
  const Vector3 f(50, -20, 400), p(0.03, -0.01, 0);
  one.w << f, p.cross(f) + Vector3(0, 0, 2);
  VectorX e;
  evaluate(one.body, one.row, one.w, e, nullptr);
  const SplitOptions& o = one.body.options;
  const double tiny = tolerance::kDeviationByHand;
  EXPECT_NEAR(e[6], (50.0 / 400 - o.lean_forward * 0.1) / o.lean_sd_forward, tiny);
  EXPECT_NEAR(e[7], (20.0 / 400 - o.lean_sideways * 0.2) / o.lean_sd_sideways, tiny);
  EXPECT_NEAR(e[8], 0.03 / one.body.sole.along_sd, tiny);
  EXPECT_NEAR(e[9], 0.01 / one.body.sole.across_sd, tiny);
  EXPECT_NEAR(e[10], 2.0 / 400 / o.free_moment_sd, tiny);
  EXPECT_NEAR(e[11], 400 / (0.5 * one.body.weight), tiny * 1e3);
}

TEST(Deviations, AConstantIsThatMuchOfARatio) {
  std::mt19937 random(10);
  Loads one = random_case(random, 2, false, 400.0);
  one.body.weight = 1e-3 * 600;  // so that f⁺ = f_z
  KnownContact& foot = one.row.contacts[1];
  foot.turn = 0.6;
  foot.step = 0.7;
  one.body.steps = true;
  one.row.forward = foot.forward;
  VectorX before, after, off;
  evaluate(one.body, one.row, one.w, before, nullptr);
  const SplitOptions& o = one.body.options;
  const Sole& sole = one.body.sole;
  const Vector3 right = foot.forward.cross(Vector3::UnitZ());
  const double load = one.w[8];
  struct Case {
    Vector3 force, pressure;  ///< by how much one sd moves them [N, m]
  };
  const std::vector<Case> cases{{o.lean_constant_forward * load * foot.forward, Vector3::Zero()},
                                {o.lean_constant_sideways * load * right, Vector3::Zero()},
                                {Vector3::Zero(), sole.along_constant * foot.forward},
                                {Vector3::Zero(), sole.across_constant * right},
                                {Vector3::Zero(), sole.heading_sd * 0.6 * (sole.heel_up - sole.flat) * right}};
  ASSERT_EQ(constants(one.body), 2 * std::ssize(cases) + 2);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    VectorX w = one.w;
    w.segment<3>(6) += cases[c].force;
    w.segment<3>(9) += cases[c].pressure.cross(Vector3(0, 0, load));
    evaluate(one.body, one.row, w, after, nullptr);
    shift(one.body, one.row, static_cast<int>(cases.size() + c), off);
    // The foot's direction and pressure; the total and the free moment change as well, which is what the constant does.
    EXPECT_LT((after - before - off).segment(12, 4).cwiseAbs().maxCoeff(), tolerance::kDeviationByHand) << c;
    EXPECT_GT(off.cwiseAbs().maxCoeff(), 0.05) << c;
    EXPECT_EQ((off.array() != 0).count(), 1) << c;
  }
}

TEST(Deviations, AStepWidensTheFootThatSteps) {
  std::mt19937 random(11);
  Loads one = random_case(random, 2, false, 400.0);
  VectorX away, near;
  one.row.contacts[0].step = 1.0;
  evaluate(one.body, one.row, one.w, away, nullptr);
  one.body.steps = true;
  evaluate(one.body, one.row, one.w, near, nullptr);
  const SplitOptions& o = one.body.options;
  const double wider = 1 + o.step_spread, turn = std::abs(one.row.contacts[0].turn);
  const double share[3] = {o.step_share_forward, o.step_share_sideways, o.step_share_up};
  for (Eigen::Index k = 0; k < away.size(); ++k) {
    const bool direction = k == 6 || k == 7, ratio = k >= 6 && k < 11;
    const double by = k < 3       ? std::hypot(1.0, share[k] * one.body.weight / one.row.total_sd[k])
                      : direction ? (wider + turn) / (1 + turn)
                      : ratio     ? wider
                                  : 1.0;
    EXPECT_NEAR(by * near[k], away[k], tolerance::kDeviationByHand * std::abs(away[k])) << k;
  }
}

TEST(Deviations, RatiosDoNotPullALoadedFootTowardsZero) {
  // Twice the wrench has the same ratios: linear rows with a frozen f_z would charge twice the deviation.
  std::mt19937 random(9);
  Loads one = random_case(random, 2, false, 400.0);
  one.body.weight = 1e-3;
  VectorX e, twice;
  evaluate(one.body, one.row, one.w, e, nullptr);
  evaluate(one.body, one.row, 2.0 * one.w, twice, nullptr);
  for (const int foot : {0, 1}) {
    EXPECT_LT((e.segment(6 + 6 * foot, 5) - twice.segment(6 + 6 * foot, 5)).cwiseAbs().maxCoeff(),
              tolerance::kDeviationByHand);
  }
}

}  // namespace
}  // namespace antaeus
