#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "space/space_robots.hpp"
#include "space/tolerances.hpp"

namespace antaeus {
namespace {

using test::kDifference;
using test::largest;
using test::State;

constexpr int kStates = 200;

class FreeFlyerProperty : public testing::TestWithParam<const char*> {
 protected:
  FreeFlyerProperty()
      : random_(1501),
        flying_(test::flyer(GetParam(), test::single_states())),
        trace_(__FILE__, __LINE__, std::string(GetParam()) + ", " + random_.text()),
        states_(test::regular_states(flying_, random_, kStates)) {}
  int n() const { return flying_.joints(); }

  test::RandomStates random_;
  FreeFlyer flying_;
  testing::ScopedTrace trace_;
  std::vector<State> states_;
};
INSTANTIATE_TEST_SUITE_P(Spacecraft, FreeFlyerProperty, testing::Values("spacecraft_ur3", "spacecraft_panda"));

TEST_P(FreeFlyerProperty, MapAndItsClosedInverse) {
  double inverse = 0.0, velocity = 0.0, determinant = 0.0, seen = 0.0;
  for (const State& state : states_) {
    const FreeFlyingTerms& t = flying_.at(state.q, state.v);
    ASSERT_EQ(t.status, Status::ok);
    ASSERT_EQ(t.tier.tier, InverseTier::exact);
    const MatrixX right = t.Gamma * t.Gamma_inverse;
    inverse = std::max(inverse, largest(right - MatrixX::Identity(12, 12)));
    if (n() == 6) {
      inverse = std::max(inverse, largest(t.Gamma_inverse * t.Gamma - MatrixX::Identity(12, 12)));
      determinant = std::max(determinant,
                             std::abs(MatrixX(t.Gamma).determinant() / MatrixX(t.motion.J_plus).determinant() - 1.0));
    }
    VectorX y(12);
    y << t.motion.v_c, t.motion.omega_b, t.motion.nu_plus;
    velocity = std::max(velocity, largest(t.Gamma * state.v - y));
    seen = std::max(seen, largest(t.J_hat * y - t.motion.nu_e));
  }
  EXPECT_LT(inverse, tolerance::kMapInverse);
  EXPECT_LT(velocity, tolerance::kMapVelocity);
  EXPECT_LT(determinant, tolerance::kMapDeterminant);
  EXPECT_LT(seen, tolerance::kMapInverse);
}

/// Against the robot's own functions: centre of mass, frames, twists.
TEST_P(FreeFlyerProperty, MotionIsThatOfTheRobot) {
  Dynamics dynamics(flying_.model());
  const int nv = flying_.model().nv();
  double worst = 0.0, both = 0.0;
  for (const State& state : states_) {
    const FreeFlyingMotion whole = flying_.at(state.q, state.v).motion;
    const FreeFlyingMotion& m = flying_.motion_at(state.q, state.v);
    ASSERT_EQ(m.status, Status::ok);
    both = std::max({both, largest(m.J_plus - whole.J_plus), largest(m.v_c - whole.v_c), largest(m.p_com - whole.p_com),
                     largest(m.nu_plus - whole.nu_plus), largest(m.G_omega_b - whole.G_omega_b),
                     largest(m.nu_e - whole.nu_e), largest(m.G_v_c - whole.G_v_c), largest(m.p_bc - whole.p_bc),
                     largest(m.p_ec - whole.p_ec), largest(m.omega_b - whole.omega_b),
                     largest(m.J_v_bar - whole.J_v_bar)});
    Vector6 local, aligned, world;
    ASSERT_EQ(flying_.twist(flying_.frame(), TwistAxes::local, local), Status::ok);
    ASSERT_EQ(flying_.twist(flying_.frame(), TwistAxes::local_world_aligned, aligned), Status::ok);
    ASSERT_EQ(flying_.twist(flying_.frame(), TwistAxes::world, world), Status::ok);
    const PositionTerms position = dynamics.at(state.q);
    Matrix6X J(6, nv), J_C(6, nv);
    Vector3 p_com;
    position.frame_jacobian(flying_.frame(), J);
    position.center_of_mass_jacobian(J_C.topRows<3>());
    position.center_of_mass(p_com);
    const Vector6 expected = J * state.v;
    worst = std::max(
        {worst, largest(aligned - expected), largest(m.nu_e - local), largest(m.p_com - p_com),
         largest(m.v_c - J_C.topRows<3>() * state.v), largest(m.X_WE.rotation * m.nu_e.head<3>() - expected.head<3>()),
         // The point at the world's origin moves with the frame's origin and turns about it.
         largest(world.head<3>() - (expected.head<3>() + expected.tail<3>().cross(Vector3(-m.X_WE.translation)))),
         largest(m.nu_plus + m.G_v_c * m.v_c - m.nu_e)});
  }
  EXPECT_LT(both, tolerance::kMapVelocity);
  EXPECT_LT(worst, tolerance::kMapVelocity);
}

TEST_P(FreeFlyerProperty, InertiaIsBlockDiagonal) {
  double off = 0.0, first = 0.0, coupling = 0.0;
  for (const State& state : states_) {
    const FreeFlyingTerms& t = flying_.at(state.q, state.v);
    off = std::max({off, largest(t.M_hat.topRightCorner(3, 9)), largest(t.M_hat.bottomLeftCorner(9, 3))});
    first =
        std::max(first, largest(t.M_hat.topLeftCorner(3, 3) - flying_.model().total_mass() * MatrixX::Identity(3, 3)));
    coupling = std::max({coupling, largest(t.C_c) / largest(t.C_hat), largest(t.C_hat.topRows(3)) / largest(t.C_hat)});
  }
  EXPECT_LT(off, tolerance::kInertiaBlocks);
  EXPECT_LT(first, tolerance::kInertiaBlocks);
  EXPECT_LT(coupling, tolerance::kCoupling);
}

TEST_P(FreeFlyerProperty, RatesAreDerivatives) {
  FreeFlyer probe = test::flyer(GetParam(), test::single_states());
  double gamma = 0.0, inverse = 0.0, inertia = 0.0, skew = 0.0;
  for (const State& state : states_) {
    const FreeFlyingTerms t = flying_.at(state.q, state.v);
    const FreeFlyingTerms after = probe.at(test::moved(flying_.model(), state.q, state.v, kDifference), state.v);
    const FreeFlyingTerms& before = probe.at(test::moved(flying_.model(), state.q, state.v, -kDifference), state.v);
    gamma = std::max(gamma, largest((after.Gamma - before.Gamma) / (2.0 * kDifference) - t.Gamma_dot));
    if (after.tier.tier != InverseTier::exact || before.tier.tier != InverseTier::exact) continue;
    const MatrixX G_rate = (after.Gamma_inverse - before.Gamma_inverse) / (2.0 * kDifference);
    inverse = std::max(inverse, largest(G_rate - t.Gamma_inverse_dot) / largest(t.Gamma_inverse_dot));
    const MatrixX M_rate = (after.M_hat - before.M_hat) / (2.0 * kDifference);
    const MatrixX sum = M_rate - t.C_hat - t.C_hat.transpose();
    inertia = std::max(inertia, largest(sum) / largest(t.C_hat));
    // The same with the derivatives that the terms hold.
    const MatrixX half = t.Gamma_inverse_dot.transpose() * t.M * t.Gamma_inverse;
    const MatrixX exact =
        half + half.transpose() + t.Gamma_inverse.transpose() * (t.C + t.C.transpose()) * t.Gamma_inverse;
    skew = std::max(skew, largest(exact - t.C_hat - t.C_hat.transpose()) / largest(t.C_hat));
  }
  EXPECT_LT(gamma, tolerance::kMapRate);
  EXPECT_LT(inverse, tolerance::kInverseRate);
  EXPECT_LT(inertia, tolerance::kInertiaRate);
  EXPECT_LT(skew, tolerance::kSkew);
}

TEST_P(FreeFlyerProperty, EquationsOfMotionAgreeWithForwardDynamics) {
  Dynamics dynamics(flying_.model());
  const int nv = flying_.model().nv();
  double worst = 0.0, com = 0.0;
  for (const State& state : states_) {
    const VectorX tau = random_.vector(nv, 10.0);
    VectorX a(nv);
    ASSERT_EQ(dynamics.forward_dynamics(state.q, state.v, tau, a), Status::ok);
    const FreeFlyingTerms& t = flying_.at(state.q, state.v);
    const bool seven = n() == 7;
    // Seven joints: the square map, whose thirteenth velocity has its own rate.
    const int rows = seven ? 13 : 12;
    MatrixX Gamma = t.Gamma, Gamma_dot = t.Gamma_dot, M_hat = t.M_hat, C_hat = t.C_hat, G = t.Gamma_inverse;
    if (seven) {
      Gamma = t.null.Gamma_a;
      Gamma_dot.conservativeResize(13, 13);
      Gamma_dot.row(12) = t.null.z_a_dot.transpose();
      M_hat = t.null.M_hat_a;
      C_hat = t.null.C_hat_a;
      G = t.null.Gamma_a_inverse;
    }
    const VectorX y = Gamma * state.v, y_dot = Gamma * a + Gamma_dot * state.v, f = G.transpose() * tau;
    const VectorX missing = M_hat * y_dot + C_hat * y - f;
    ASSERT_EQ(missing.size(), rows);
    const double scale = std::max({largest(f), largest(C_hat * y), largest(M_hat * y_dot)});
    worst = std::max(worst, largest(missing) / scale);
    com = std::max(com, largest(t.M_hat(0, 0) * y_dot.head<3>() - f.head<3>()));
    // Actuation, triangular: τ = Γᵀf needs no inverse.
    EXPECT_LT(largest(Gamma.transpose() * f - tau) / largest(tau), tolerance::kMapInverse);
  }
  EXPECT_LT(worst, tolerance::kMotionEquation);
  EXPECT_LT(com, tolerance::kMotionEquation);
}

TEST_P(FreeFlyerProperty, MomentumIsConservedByJointTorques) {
  Dynamics dynamics(flying_.model());
  const int nv = flying_.model().nv();
  FreeFlyer probe = test::flyer(GetParam(), test::single_states());
  double linear = 0.0, angular = 0.0, jacobian = 0.0;
  for (const State& state : states_) {
    VectorX tau = VectorX::Zero(nv), a(nv);
    tau.tail(n()) = random_.vector(n(), 10.0);
    ASSERT_EQ(dynamics.forward_dynamics(state.q, state.v, tau, a), Status::ok);
    const FreeFlyingTerms after = probe.at(
        test::moved(flying_.model(), state.q, state.v + 0.5 * kDifference * a, kDifference), state.v + kDifference * a);
    const FreeFlyingTerms before =
        probe.at(test::moved(flying_.model(), state.q, state.v - 0.5 * kDifference * a, -kDifference),
                 state.v - kDifference * a);
    linear = std::max(linear, largest(after.momentum_linear - before.momentum_linear) / (2.0 * kDifference));
    angular = std::max(angular, largest(after.momentum_angular - before.momentum_angular) / (2.0 * kDifference));
    // At zero angular momentum the base turns as the joints make it, and E moves by the generalised Jacobian.
    const FreeFlyingTerms& t = flying_.at(state.q, state.v);
    const MatrixX free = t.J_free - t.motion.J_plus;
    const MatrixX turn = t.motion.G_omega_b.bottomRows<3>().inverse() * free.bottomRows(3);
    VectorX drifting = state.v;
    drifting.segment<3>(3) = turn * state.v.tail(n());
    const FreeFlyingTerms& still = probe.at(state.q, drifting);
    jacobian = std::max(
        {jacobian, largest(still.momentum_angular), largest(still.motion.nu_plus - t.J_free * state.v.tail(n()))});
  }
  EXPECT_LT(linear, tolerance::kMomentumRate);
  EXPECT_LT(angular, tolerance::kMomentumRate);
  EXPECT_LT(jacobian, tolerance::kGeneralisedJacobian);
}

/// The two ends of Γ's spectrum, against a decomposition of all of it; also near and at singular poses.
TEST_P(FreeFlyerProperty, ExtremeSingularValuesAreThoseOfTheDecomposition) {
  SmallSvd svd(12, 6 + n());
  double worst = 0.0;
  const auto compare = [&](const VectorX& q) {
    const FreeFlyingTerms& t = flying_.at(q, VectorX::Zero(6 + n()));
    ASSERT_EQ(svd.compute(MatrixX(t.Gamma)), Status::ok);
    const FreeFlyingConditioning& c = t.conditioning;
    worst = std::max(worst, std::abs(c.sigma_Gamma - svd.sigma()[11]) / svd.sigma()[11]);
    worst = std::max(worst, std::abs(c.kappa_Gamma * svd.sigma()[11] / svd.sigma()[0] - 1.0));
  };
  for (const State& state : states_) compare(state.q);
  for (const double away : {1e-1, 1e-2, 1e-3, 1e-5, 1e-8}) {
    VectorX q = states_[0].q;
    q[9] = n() == 6 ? away : q[9];  // the UR3's elbow
    q[8] = n() == 7 ? away : q[8];  // the Panda's second and sixth joint
    q[12] = n() == 7 ? 1e-1 * away : q[12];
    compare(q);
  }
  EXPECT_LT(worst, tolerance::kExtremeSigma);
}

TEST_P(FreeFlyerProperty, TheSamplerTouchesNothing) {
  const State& state = states_[0];
  const FreeFlyingTerms before = flying_.at(state.q, state.v);
  MatrixX Gamma(12, 6 + n());
  Matrix6X J(6, n());
  for (const State& other : states_) {
    ASSERT_EQ(flying_.gamma(other.q, Gamma), Status::ok);
    ASSERT_EQ(flying_.j_plus(other.q, J), Status::ok);
    flying_.conditioning_at(other.q);
  }
  EXPECT_EQ(flying_.terms().Gamma, before.Gamma);
  EXPECT_EQ(flying_.terms().M_hat, before.M_hat);
  Vector6 twist;
  EXPECT_EQ(flying_.twist(flying_.frame(), TwistAxes::local, twist), Status::not_computed);
  // A state that cannot be inverted still holds what at() gave, not what the sampler saw.
  VectorX bad = state.v;
  bad[0] = std::nan("");
  EXPECT_EQ(flying_.at(state.q, bad).J_plus_inverse, before.J_plus_inverse);
  const FreeFlyingTerms& again = flying_.at(state.q, state.v);
  ASSERT_EQ(flying_.gamma(state.q, Gamma), Status::ok);
  EXPECT_LT(largest(Gamma - again.Gamma), tolerance::kMapVelocity);
  EXPECT_NEAR(flying_.conditioning_at(state.q).sigma_Gamma, again.conditioning.sigma_Gamma, tolerance::kMapVelocity);
}

}  // namespace
}  // namespace antaeus
