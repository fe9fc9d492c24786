// Seven joints: the kernel of J⊕, the square map of thirteen velocities, and what becomes of both near singularities.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>

#include "antaeus/core/error.hpp"
#include "space/space_robots.hpp"
#include "space/tolerances.hpp"

namespace antaeus {
namespace {

using test::kDifference;
using test::largest;
using test::State;

class SevenJoints : public testing::Test {
 protected:
  SevenJoints()
      : random_(1507),
        flying_(test::flyer("spacecraft_panda", test::single_states())),
        trace_(__FILE__, __LINE__, random_.text()),
        states_(test::regular_states(flying_, random_, 200)) {}

  test::RandomStates random_;
  FreeFlyer flying_;
  testing::ScopedTrace trace_;
  std::vector<State> states_;
};

TEST_F(SevenJoints, KernelAndItsDual) {
  double kernel = 0.0, dual = 0.0, base_force = 0.0, off = 0.0, inverse = 0.0, weighted = 0.0, mu = 0.0;
  for (const State& state : states_) {
    const FreeFlyingTerms& t = flying_.at(state.q, state.v);
    const NullTerms& a = t.null;
    ASSERT_FALSE(a.report.frozen);
    kernel = std::max(kernel, largest(t.Gamma * a.k_hat));
    dual = std::max(dual, std::abs(a.z_a.dot(a.k_hat) - 1.0));
    base_force = std::max(base_force, largest(a.z_a.head<3>()));
    off = std::max({off, largest(a.M_hat_a.topRightCorner(3, 10)), largest(a.M_hat_a.topRightCorner(12, 1)),
                    largest(a.M_hat_a.bottomLeftCorner(10, 3))});
    mu = std::max(mu, std::abs(a.M_hat_a(12, 12) / a.mu - 1.0));
    inverse = std::max(inverse, largest(a.Gamma_a * a.Gamma_a_inverse - MatrixX::Identity(13, 13)));
    // The textbook's M-weighted inverse M⁻¹Γᵀ(ΓM⁻¹Γᵀ)⁻¹.
    const MatrixX Gamma = t.Gamma, spread = MatrixX(t.M).ldlt().solve(MatrixX(Gamma.transpose()));
    const MatrixX other = spread * (Gamma * spread).ldlt().solve(MatrixX::Identity(12, 12));
    weighted = std::max(weighted, largest(other - a.Gamma_a_inverse.leftCols(12)) / largest(other));
  }
  EXPECT_LT(kernel, tolerance::kKernel);
  EXPECT_LT(dual, tolerance::kKernelDual);
  EXPECT_LT(base_force, tolerance::kKernelDual) << "a torque along z_a asks for no base force";
  EXPECT_LT(off, tolerance::kInertiaBlocks);
  EXPECT_LT(mu, tolerance::kKernelDual);
  EXPECT_LT(inverse, tolerance::kMapInverse);
  EXPECT_LT(weighted, tolerance::kWeightedInverse);
}

TEST_F(SevenJoints, RatesAreDerivativesAndThePairIsPassive) {
  FreeFlyer probe = test::flyer("spacecraft_panda", test::single_states());
  double n = 0.0, k = 0.0, z = 0.0, skew = 0.0;
  for (const State& state : states_) {
    const FreeFlyingTerms t = flying_.at(state.q, state.v);
    probe.reset();
    const FreeFlyingTerms after = probe.at(test::moved(flying_.model(), state.q, state.v, kDifference), state.v);
    const FreeFlyingTerms& before = probe.at(test::moved(flying_.model(), state.q, state.v, -kDifference), state.v);
    if (before.null.report.frozen || after.null.report.frozen) continue;
    const double sign = after.null.n_hat.dot(t.null.n_hat) < 0.0 ? -1.0 : 1.0;
    const auto miss = [sign](const auto& late, const auto& early, const auto& rate) {
      return largest(sign * (late - early) / (2.0 * kDifference) - rate) / std::max(1.0, largest(rate));
    };
    n = std::max(n, miss(after.null.n_hat, before.null.n_hat, t.null.n_hat_dot));
    k = std::max(k, miss(after.null.k_hat, before.null.k_hat, t.null.k_hat_dot));
    z = std::max(z, miss(after.null.z_a, before.null.z_a, t.null.z_a_dot));
    const MatrixX M_rate = (after.null.M_hat_a - before.null.M_hat_a) / (2.0 * kDifference);
    MatrixX sum = M_rate - t.null.C_hat_a - t.null.C_hat_a.transpose();
    if (sign < 0.0) continue;  // the thirteenth row changes its sign with n̂
    skew = std::max(skew, largest(sum) / largest(t.null.C_hat_a));
  }
  EXPECT_LT(n, tolerance::kKernelRate);
  EXPECT_LT(k, tolerance::kKernelRate);
  EXPECT_LT(z, tolerance::kKernelRate);
  EXPECT_LT(skew, tolerance::kInertiaRate);
}

TEST_F(SevenJoints, ThePublishedCoriolisIsNotPassiveAndSaysSo) {
  FreeFlyerOptions options = test::single_states();
  options.coriolis = CoriolisForm::published;
  FreeFlyer published = test::flyer("spacecraft_panda", options);
  FreeFlyer six = test::flyer("spacecraft_ur3", options);
  const FreeFlyingTerms& t = published.at(states_[0].q, states_[0].v);
  EXPECT_FALSE(t.passive);
  const MatrixX formula = t.Gamma_inverse.transpose() * (t.C - t.M * t.Gamma_inverse * t.Gamma_dot) * t.Gamma_inverse;
  EXPECT_LT(largest(t.C_hat - formula) / largest(formula), tolerance::kSkew);
  const MatrixX half = t.Gamma_inverse_dot.transpose() * t.M * t.Gamma_inverse;
  const MatrixX rate =
      half + half.transpose() + t.Gamma_inverse.transpose() * (t.C + t.C.transpose()) * t.Gamma_inverse;
  EXPECT_GT(largest(rate - t.C_hat - t.C_hat.transpose()) / largest(t.C_hat), 1e-3);
  // Six joints, exact: the same matrix by either formula.
  FreeFlyer passive = test::flyer("spacecraft_ur3", test::single_states());
  for (const State& state : test::regular_states(six, random_, 20)) {
    const FreeFlyingTerms& one = six.at(state.q, state.v);
    const FreeFlyingTerms& other = passive.at(state.q, state.v);
    EXPECT_TRUE(one.passive);
    EXPECT_LT(largest(one.C_hat - other.C_hat) / largest(other.C_hat), tolerance::kSkew);
  }
}

/// A straight path of all joints through a singular pose: the Panda with joints 2, 4 and 6 where its kernel swings.
std::vector<VectorX> crossing(const FreeFlyer& flying, const VectorX& direction) {
  std::vector<VectorX> path;
  for (int i = -600; i <= 600; ++i) {
    VectorX q = flying.model().neutral();
    q.tail(7) << 0.3, 0.0, 0.4, -1.2, 0.2, 0.0, 0.1;
    q.tail(7) += (1e-3 * i) * direction;
    path.push_back(q);
  }
  return path;
}

TEST_F(SevenJoints, FrozenBothWaysAndThawedSmoothly) {
  VectorX direction(7);
  direction << 0.1, 1.0, -0.2, 0.05, 0.1, 0.6, 0.0;
  for (const NullFreeze freeze : {NullFreeze::direction, NullFreeze::all}) {
    SCOPED_TRACE(to_string(freeze));
    FreeFlyerOptions options;
    options.null_space.freeze = freeze;
    options.null_space.freeze_floor = 0.05;
    FreeFlyer flying = test::flyer("spacecraft_panda", options);
    const VectorX v = VectorX::Zero(13);
    VectorX last;
    int frozen = 0;
    double turn = 0.0, swing = 0.0, leak = 0.0, dual = 0.0, off = 0.0, top = 0.0;
    for (const VectorX& q : crossing(flying, direction)) {
      const FreeFlyingTerms& t = flying.at(q, v);
      ASSERT_EQ(t.status, Status::ok);
      const NullTerms& a = t.null;
      if (last.size() > 0) turn = std::max(turn, (VectorX(a.n_hat) - last).norm());
      last = a.n_hat;
      frozen += a.report.frozen;
      swing = std::max(swing, a.report.swing);
      leak = std::max(leak, largest(t.motion.J_plus * a.n_hat));
      dual = std::max(dual, std::abs(a.z_a.dot(a.k_hat) - 1.0));
      top = std::max(top, largest(t.Gamma.topRows(6) * a.k_hat));
      if (a.report.frozen) off = std::max(off, largest(a.M_hat_a.topRightCorner(12, 1)));
    }
    EXPECT_GT(frozen, 10) << "the path passes a singularity";
    EXPECT_LT(turn, 0.02) << "no jump, neither into the freeze nor out of it";
    EXPECT_LT(dual, tolerance::kKernelDual) << "z_aᵀk̂ = 1 in both ways";
    EXPECT_GT(leak, 1e-3) << "the price: what is frozen is not the kernel";
    RecordProperty("swing", std::to_string(swing));
    if (freeze == NullFreeze::direction) {
      EXPECT_LT(off, tolerance::kInertiaBlocks) << "M-orthogonality stays";
      EXPECT_LT(top, tolerance::kKernelDual) << "neither C nor the base's attitude moves";
    } else {
      EXPECT_GT(off, 1e-6) << "M-orthogonality is lost, as published";
    }
  }
}

/// Joints within the neighbourhood of a singular pose: a random search downhill.
VectorX singular_joints(FreeFlyer& flying, test::RandomStates& random) {
  VectorX q = random.configuration(flying.model(), 2.0);
  double sigma = flying.conditioning_at(q).sigma_J;
  for (double step = 0.5; step > 1e-6; step *= 0.98) {
    VectorX next = q;
    next.tail(7) += random.vector(7, step);
    const double value = flying.conditioning_at(next).sigma_J;
    if (value < sigma) {
      q = next;
      sigma = value;
    }
  }
  return q;
}

/// The kernel itself turns by up to a right angle a step where the smallest singular value vanishes; n̂ does not.
TEST_F(SevenJoints, TheKernelSwingsNearSingularPosesAndTheDirectionDoesNot) {
  constexpr int kCrossings = 30;
  constexpr double kJointStep = 0.01;
  double swing = 0.0, turn = 0.0, jump = 0.0;
  int passed = 0;
  for (int crossed = 0; crossed < kCrossings; ++crossed) {
    FreeFlyer flying = test::flyer("spacecraft_panda"),
              published = test::flyer("spacecraft_panda", test::single_states());
    const VectorX middle = singular_joints(flying, random_), direction = random_.vector(7).normalized();
    VectorX last, last_published;
    bool frozen = false;
    for (int i = -60; i <= 60; ++i) {
      VectorX q = middle;
      q.tail(7) += (kJointStep * (i + 0.3)) * direction;
      const VectorX v = VectorX::Zero(13);
      const NullTerms& a = flying.at(q, v).null;
      const VectorX present = published.at(q, v).null.n_hat;
      if (i > -60) {
        swing = std::max(swing, a.report.swing);
        turn = std::max(turn, (VectorX(a.n_hat) - last).norm());
        jump = std::max(jump, (present - last_published).norm());
      }
      frozen |= a.report.frozen;
      last = a.n_hat;
      last_published = present;
    }
    passed += frozen;
  }
  std::printf(
      "spacecraft_panda, %d crossings in steps of %.2f rad: kernel up to %.1f degrees a step; n_hat up to %.1f "
      "with a spread thaw, %.1f without\n",
      passed, kJointStep, swing * 57.29578, turn * 57.29578, jump * 57.29578);
  EXPECT_GT(passed, kCrossings / 2);
  EXPECT_GT(swing, 0.5);
  EXPECT_GT(jump, 0.3) << "a thaw at once moves the jump to the exit";
  // What is taken off a call, and the kernel's own turning at the floor: a step over σ.
  EXPECT_LT(turn, 0.01 + kJointStep / 0.02);
}

TEST_F(SevenJoints, SignIsKept) {
  VectorX direction(7);
  direction << 0.3, 0.5, -0.2, 0.4, 0.1, 0.1, 0.2;
  FreeFlyer flying = test::flyer("spacecraft_panda");
  VectorX last;
  for (int i = 0; i < 400; ++i) {
    VectorX q = flying.model().neutral();
    q.tail(7) << 0.3, -0.8, 0.4, -2.0, 0.2, 1.4, 0.1;
    q.tail(7) += (2e-3 * i) * direction;
    const FreeFlyingTerms& t = flying.at(q, VectorX::Zero(13));
    if (i > 0) {
      EXPECT_GT(t.null.n_hat.dot(last), 0.99) << i;
    }
    last = t.null.n_hat;
  }
  NullSpaceOptions options;
  options.exit_step = -1.0;
  EXPECT_THROW(NullDirection{options}, OptionsError);
}

}  // namespace
}  // namespace antaeus
