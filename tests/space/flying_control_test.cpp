#include "antaeus/space/flying_control.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <functional>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "space/flying_rig.hpp"
#include "space/tolerances.hpp"

namespace antaeus {
namespace {

constexpr FlyingLaw kLaws[] = {FlyingLaw::regulator, FlyingLaw::tracker, FlyingLaw::carried};

FlyingControlSetup with_law(FlyingLaw law) {
  FlyingControlSetup setup;
  setup.control.law = law;
  return setup;
}

/// Moves all that can move, about and along fixed directions; derivatives by hand.
FlyingReference moving(const FlyingReference& from, double t, double size = 1.0) {
  FlyingReference r = from;
  const auto turn = [](const Vector3& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); };
  const double a = 0.15 * size, w = 0.5;
  const double s = a * (1.0 - std::cos(w * t)), s_dot = a * w * std::sin(w * t), s_ddot = a * w * w * std::cos(w * t);
  const Vector3 u = Vector3(1, -2, 2) / 3.0, e = Vector3(2, 2, 1) / 3.0, d = Vector3(-0.5, 0.3, 0.4);
  r.end_effector.X_WE.translation += s * d;
  r.end_effector.velocity = s_dot * d;
  r.end_effector.acceleration = s_ddot * d;
  r.end_effector.X_WE.rotation = turn(u, s) * from.end_effector.X_WE.rotation;
  r.end_effector.omega = s_dot * u;
  r.end_effector.omega_dot = s_ddot * u;
  r.base.R_WB = turn(e, s) * from.base.R_WB;
  r.base.omega = s_dot * e;
  r.base.omega_dot = s_ddot * e;
  r.com.position += 0.5 * s * d;
  r.com.velocity = 0.5 * s_dot * d;
  r.com.acceleration = 0.5 * s_ddot * d;
  return r;
}

/// A state with errors against here(ready): some 0.27 m of the centre of mass, 0.44 rad of the base, 0.3 m and 0.6 rad
/// of the end-effector, and momentum.
void throw_off(test::Rig& rig, const std::string& robot, double size = 1.0) {
  const RobotModel& model = rig.flight.model();
  VectorX step(model.nv()), q(model.nq()), v(model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    step[k] = size * 0.15 * std::cos(2.3 * k);
    v[k] = size * 0.05 * std::sin(1.7 * k + 0.5);
  }
  step.head<6>() << 0.2 * size, -0.15 * size, 0.12 * size, 0.3 * size, -0.25 * size, 0.2 * size;
  ASSERT_EQ(model.integrate(test::ready(robot, model), step, q), Status::ok);
  ASSERT_EQ(rig.flight.reset(q, v), Status::ok);
}

/// Every law, both robots: V changes by what is fed in and what damping takes. Two instants 2 µs apart, the plant's own
/// motion between them.
TEST(FlyingControl, EnergyChangesBySupplyLessDissipation) {
  constexpr double kStep = 2e-6;
  for (const char* robot : {"spacecraft_ur3", "spacecraft_panda"}) {
    test::RandomStates random(6111);
    SCOPED_TRACE(robot + random.text());
    double worst = 0.0, slowest_ramp = 1.0;
    for (const FlyingLaw law : kLaws) {
      FlyingControlSetup setup = with_law(law);
      setup.gamma = {.low = 0.02, .high = 0.2, .floor = 0.25};  // so that it acts on regular states
      test::Rig rig(robot, setup, kStep);
      rig.control.set_posture(test::ready(robot, rig.flight.model()).tail(rig.flying.joints()));
      const int n = rig.flying.joints();
      for (const test::State& state : test::regular_states(rig.flying, random, 12)) {
        VectorX step = 0.1 * random.vector(6 + n);
        const FlyingReference from = test::here(rig.flying, test::moved(rig.flight.model(), state.q, step, 1.0));
        ASSERT_EQ(rig.flight.reset(state.q, 0.2 * state.v), Status::ok);
        rig.control.reset();
        std::vector<FlyingCommand> commands;
        rig.run(
            3.0 * kStep, [&](double t) { return moving(from, 1.0 + t); },
            [&](const FlyingCommand& c) { commands.push_back(c); });
        ASSERT_EQ(commands.size(), 3U);
        ASSERT_EQ(commands[1].status, Status::ok);
        ASSERT_FALSE(commands[0].is_limited || commands[1].is_limited) << "limits would break the balance";
        const double rate = (commands[2].energy - commands[0].energy) / (2.0 * kStep);
        const double size = std::abs(commands[1].supply) + commands[1].dissipation;
        EXPECT_GE(commands[1].dissipation, 0.0);
        worst = std::max(worst, std::abs(rate - commands[1].supply + commands[1].dissipation) / size);
        slowest_ramp = std::min(slowest_ramp, commands[1].gamma);
      }
      EXPECT_LT(worst, tolerance::kPowerBalance) << to_string(law);
    }
    EXPECT_LT(slowest_ramp, 0.9) << "the ramp acted";
    std::cout << robot << ": balance of power to " << worst << "\n";
  }
}

/// One sample or target that cannot be: no torque in that cycle, and none of it later. Against a control that met NaN.
TEST(FlyingControl, AnOutlierLeavesNoTrace) {
  using Spoil = std::function<void(VectorX & q, VectorX & v, FlyingReference & r, double number)>;
  const std::pair<const char*, Spoil> places[] = {
      {"base position", [](VectorX& q, VectorX&, FlyingReference&, double x) { q[1] = x; }},
      {"base velocity", [](VectorX&, VectorX& v, FlyingReference&, double x) { v[0] = x; }},
      {"joint velocity", [](VectorX&, VectorX& v, FlyingReference&, double x) { v[8] = x; }},
      {"target", [](VectorX&, VectorX&, FlyingReference& r, double x) { r.end_effector.X_WE.translation[2] = x; }},
      {"target's speed", [](VectorX&, VectorX&, FlyingReference& r, double x) { r.end_effector.velocity[0] = x; }},
      {"centre of mass", [](VectorX&, VectorX&, FlyingReference& r, double x) { r.com.position[0] = x; }},
      {"base acceleration", [](VectorX&, VectorX&, FlyingReference& r, double x) { r.base.omega_dot[0] = x; }},
  };
  for (const FlyingLaw law : kLaws) {
    for (const auto& [name, spoil] : places) {
      for (const double number : {1e12, -1e20, 1e160, 1e308}) {
        SCOPED_TRACE(std::string(to_string(law)) + ", " + name + " " + std::to_string(number));
        std::vector<FlyingCommand> commands[2];
        for (const bool is_nan : {false, true}) {
          test::Rig rig("spacecraft_ur3", with_law(law), 4e-3);
          throw_off(rig, "spacecraft_ur3");
          const FlyingReference goal = test::here(rig.flying, test::ready("spacecraft_ur3", rig.flight.model()));
          for (int i = 0; i < 60; ++i) {
            VectorX q = rig.flight.q(), v = rig.flight.v();
            FlyingReference r = goal;
            if (i == 30) spoil(q, v, r, is_nan ? kNaN : number);
            commands[is_nan].push_back(rig.control.update(q, v, r, rig.dt));
            ASSERT_EQ(rig.flight.step(commands[is_nan].back().tau, rig.dt), Status::ok);
          }
        }
        EXPECT_TRUE(commands[0][30].tau.isZero(0.0));
        for (std::size_t i = 0; i < 60; ++i) {
          ASSERT_EQ(commands[0][i].status, i == 30 ? Status::not_finite : Status::ok) << i;
          ASSERT_LE(test::largest(commands[0][i].tau - commands[1][i].tau), tolerance::kForgottenOutlier) << i;
        }
      }
    }
  }
}

/// Errors of the closed loop after 30 s: tolerances.hpp derives them from the slowest mode.
TEST(FlyingControl, RegulatesInThirtySeconds) {
  for (const FlyingLaw law : kLaws) {
    SCOPED_TRACE(to_string(law));
    test::Rig rig("spacecraft_ur3", with_law(law), 4e-3);
    throw_off(rig, "spacecraft_ur3");
    const FlyingReference goal = test::here(rig.flying, test::ready("spacecraft_ur3", rig.flight.model()));
    test::FlyingErrors first{}, last{};
    double rise = 0.0, sigma = 1.0, before = kInfinity;
    rig.run(
        30.0, [&](double) { return goal; },
        [&](const FlyingCommand& c) {
          ASSERT_EQ(c.status, Status::ok);
          last = test::errors_of(c);
          if (std::isinf(before)) first = last;
          // The centre of mass feeds the regulator; and a carried reference whose velocity it leads.
          if (law == FlyingLaw::tracker && std::isfinite(before)) rise = std::max(rise, c.energy - before);
          before = c.energy;
          sigma = std::min(sigma, rig.control.terms().conditioning.sigma_J);
        });
    std::cout << to_string(law) << ": from " << first.x_c << " " << first.x_b << " " << first.x_p << " " << first.x_o
              << " to " << last.x_c << " " << last.x_b << " " << last.x_p << " " << last.x_o << ", sigma " << sigma
              << "\n";
    EXPECT_GT(std::min({first.x_c, first.x_b, first.x_p}), 0.2);
    const double bar = law == FlyingLaw::regulator ? tolerance::kRegulatedByCascade : tolerance::kRegulated;
    EXPECT_LT(std::max({last.x_c, last.x_b, last.x_p, last.x_o}), bar);
    EXPECT_LT(rise, tolerance::kEnergyRise) << "V only falls";
  }
}

/// What is left while everything moves is the torque's being constant through a cycle: halved with it.
TEST(FlyingControl, TrackingErrorIsProportionalToTheCycle) {
  for (const FlyingLaw law : {FlyingLaw::tracker, FlyingLaw::carried}) {
    SCOPED_TRACE(to_string(law));
    double error[2] = {0.0, 0.0};
    for (const int i : {0, 1}) {
      test::Rig rig("spacecraft_ur3", with_law(law), i == 0 ? 8e-3 : 4e-3);
      const VectorX q = test::ready("spacecraft_ur3", rig.flight.model());
      const FlyingReference from = test::here(rig.flying, q);
      ASSERT_EQ(rig.flight.reset(q, VectorX::Zero(12)), Status::ok);
      rig.run(
          8.0, [&](double t) { return moving(from, t, 0.5); },
          [&](const FlyingCommand& c) {
            ASSERT_EQ(c.gamma, 1.0);
            error[i] = std::max({error[i], c.x_p.norm(), c.x_o.norm(), c.x_b.norm()});
          });
    }
    std::cout << to_string(law) << ": " << error[0] << " at 8 ms, " << error[1] << " at 4 ms\n";
    EXPECT_NEAR(error[0] / error[1], 2.0, 0.2);
  }
}

TEST(FlyingControl, ChangesPoseWithoutAnyForceOnTheBase) {
  for (const char* robot : {"spacecraft_ur3", "spacecraft_panda"}) {
    for (const FlyingLaw law : kLaws) {
      SCOPED_TRACE(std::string(robot) + " " + std::string(to_string(law)));
      test::Rig rig(robot, with_law(law), 1e-3);  // the plant's own drift of momentum is of order 4 in it
      const VectorX q = test::ready(robot, rig.flight.model());
      FlyingReference goal = test::here(rig.flying, q);
      const Vector3 com = goal.com.position;
      goal.end_effector.X_WE.translation += Vector3(-0.06, 0.05, -0.04);
      goal.end_effector.X_WE.rotation *= Eigen::AngleAxisd(0.24, Vector3(2, 1, 2) / 3.0).toRotationMatrix();
      goal.base.R_WB *= Eigen::AngleAxisd(0.18, Vector3(1, -2, 2) / 3.0).toRotationMatrix();
      ASSERT_EQ(rig.flight.reset(q, VectorX::Zero(rig.flight.model().nv())), Status::ok);
      double force = 0.0, torque = 0.0;
      rig.run(
          3.0, [&](double) { return goal; },
          [&](const FlyingCommand& c) {
            force = std::max(force, c.tau.head<3>().norm());
            torque = std::max(torque, c.tau.segment<3>(3).norm());
          });
      EXPECT_LT(force, tolerance::kContactFree);
      EXPECT_GT(torque, 0.1) << "its torque is needed";
      EXPECT_LT((rig.flying.motion_at(rig.flight.q(), rig.flight.v()).p_com - com).norm(), tolerance::kComDrift);
      EXPECT_LT(rig.control.last().x_p.norm(), 0.06) << "it is on its way";
    }
  }
}

/// The end-effector stands on its target while the centre of mass has 0.3 m to go: the cascade lets it be pulled along,
/// the exact laws do not, not even with thrusters that saturate.
TEST(FlyingControl, OnlyTheCascadeIsDisturbedByTheCentreOfMass) {
  for (const double limit : {0.0, 0.5}) {
    double moved[3];
    for (const FlyingLaw law : kLaws) {
      FlyingControlSetup setup = with_law(law);
      setup.base.thruster_force = limit;
      test::Rig rig("spacecraft_ur3", setup, 2e-3);
      const VectorX q = test::ready("spacecraft_ur3", rig.flight.model());
      FlyingReference goal = test::here(rig.flying, q);
      goal.com.position += Vector3(0.02, -0.03, 0.025);
      ASSERT_EQ(rig.flight.reset(q, VectorX::Zero(12)), Status::ok);
      double error = 0.0;
      bool is_limited = false;
      rig.run(
          4.0, [&](double) { return goal; },
          [&](const FlyingCommand& c) {
            error = std::max({error, c.x_p.norm(), c.x_o.norm(), c.x_b.norm()});
            is_limited = is_limited || c.is_limited;
            if (limit > 0.0) {
              EXPECT_LE(c.tau.head<3>().cwiseAbs().maxCoeff(), limit + tolerance::kUnitQuaternion);
              EXPECT_EQ(c.is_limited, c.wanted.head<3>().cwiseAbs().maxCoeff() > limit);
            }
          });
      moved[static_cast<int>(law)] = error;
      EXPECT_EQ(is_limited, limit > 0.0);
    }
    std::cout << "limit " << limit << " N: regulator " << moved[0] << ", tracker " << moved[1] << ", carried "
              << moved[2] << "\n";
    EXPECT_GT(moved[0], 20.0 * moved[1]);
    EXPECT_GT(moved[0], 20.0 * moved[2]);
  }
}

TEST(FlyingControl, LinearMomentumIsWhatTheBaseForceMakesOfIt) {
  test::Rig rig("spacecraft_ur3", with_law(FlyingLaw::carried), 2e-3);
  throw_off(rig, "spacecraft_ur3");
  const FlyingReference goal = test::here(rig.flying, test::ready("spacecraft_ur3", rig.flight.model()));
  rig.flying.at(rig.flight.q(), rig.flight.v());
  const Vector3 before = rig.flying.terms().momentum_linear;
  Vector3 impulse = Vector3::Zero();
  rig.run(2.0, [&](double) { return goal; }, [&](const FlyingCommand& c) { impulse += rig.dt * c.f_c; });
  rig.flying.at(rig.flight.q(), rig.flight.v());
  const Vector3 gained = rig.flying.terms().momentum_linear - before;
  // A force in base axes that turn through a cycle: |ω × f| dt/2 of each.
  EXPECT_LT((gained - impulse).norm(), tolerance::kImpulse * gained.norm());
  EXPECT_GT(gained.norm(), 1.0);
}

TEST(FlyingControl, GainsAreThoseOfTheSchurReducedInertia) {
  for (const char* robot : {"spacecraft_ur3", "spacecraft_panda"}) {
    FreeFlyer flying = test::flyer(robot);
    const FreeFlyingTerms& t = flying.at(test::ready(robot, flying.model()), VectorX::Zero(flying.model().nv()));
    const FlyingGains g = FlyingControl(test::flyer(robot), test::ready(robot, flying.model())).gains();
    const MatrixX M = flying.joints() == 7 ? MatrixX(t.null.M_hat_a.block(3, 3, 9, 9)) : MatrixX(t.M_breve);
    // A part that may move freely is what inverting M̆, cutting a block out and inverting back leaves.
    const MatrixX inverse = M.inverse();
    const MatrixX base = inverse.topLeftCorner(3, 3).inverse(), tool = inverse.bottomRightCorner(6, 6).inverse();
    const double inertia[3] = {base.trace() / 3.0, tool.topLeftCorner(3, 3).trace() / 3.0,
                               tool.bottomRightCorner(3, 3).trace() / 3.0};
    std::cout << robot << ": " << inertia[0] << " kg m2, " << inertia[1] << " kg, " << inertia[2] << " kg m2\n";
    EXPECT_NEAR(g.base_stiffness / inertia[0], 1.0, tolerance::kSchur);
    EXPECT_NEAR(g.position_stiffness / (2.25 * inertia[1]), 1.0, tolerance::kSchur);
    EXPECT_NEAR(g.rotation_damping / (3.0 * inertia[2]), 1.0, tolerance::kSchur);
    EXPECT_NEAR(g.com_stiffness / (0.36 * flying.model().total_mass()), 1.0, tolerance::kSchur);
    EXPECT_NEAR(g.com_damping / (1.2 * flying.model().total_mass()), 1.0, tolerance::kSchur);
  }
}

TEST(FlyingControl, GammaScalesTheTrackersFeedForwardAlone) {
  const GammaRampOptions ramp;
  EXPECT_EQ(gamma_ramp(0.0, ramp), 0.25);
  EXPECT_EQ(gamma_ramp(0.01, ramp), 0.25);
  EXPECT_EQ(gamma_ramp(0.05, ramp), 1.0);
  EXPECT_EQ(gamma_ramp(kNaN, ramp), 0.25);
  EXPECT_NEAR(gamma_ramp(0.03, ramp), 0.625, tolerance::kSchur);

  for (const FlyingLaw law : kLaws) {
    VectorX tau[3];
    for (const int i : {0, 1, 2}) {
      FlyingControlSetup setup = with_law(law);
      const double floor = 0.5 * i;
      setup.gamma = {.low = 10.0, .high = 11.0, .floor = floor};
      test::Rig rig("spacecraft_ur3", setup);
      throw_off(rig, "spacecraft_ur3");
      const FlyingReference from = test::here(rig.flying, test::ready("spacecraft_ur3", rig.flight.model()));
      const FlyingCommand& c = rig.control.update(rig.flight.q(), rig.flight.v(), moving(from, 1.0), 1e-3);
      EXPECT_EQ(c.gamma, floor);
      tau[i] = c.wanted;
    }
    if (law == FlyingLaw::tracker) {
      EXPECT_LT((tau[1] - 0.5 * (tau[0] + tau[2])).norm(), tolerance::kSchur * tau[2].norm()) << "linear";
      EXPECT_GT((tau[2] - tau[0]).norm(), 0.01 * tau[2].norm());
    } else {
      EXPECT_EQ(tau[0], tau[2]);
    }
  }
}

/// The last inverse is held: the feed-forward's share is the floor, whatever σ of Γ is.
TEST(FlyingControl, HeldInverseTakesTheFloor) {
  FlyingControlSetup setup = with_law(FlyingLaw::tracker);
  setup.gamma = {.low = 0.0, .high = 1e-6, .floor = 0.25};
  test::Rig rig("spacecraft_ur3", setup);
  VectorX q = test::ready("spacecraft_ur3", rig.flight.model());
  const FlyingReference goal = test::here(rig.flying, q);
  EXPECT_EQ(rig.control.update(q, VectorX::Zero(12), goal, 1e-3).gamma, 1.0);
  q[9] = 0.01;
  const FlyingCommand& c = rig.control.update(q, VectorX::Zero(12), goal, 1e-3);
  EXPECT_EQ(rig.control.terms().tier.tier, InverseTier::held);
  EXPECT_EQ(c.status, Status::ok);
  EXPECT_EQ(c.gamma, 0.25);
}

TEST(FlyingControl, BadInputCoastsAndDoesNotStick) {
  for (const FlyingLaw law : kLaws) {
    SCOPED_TRACE(to_string(law));
    test::Rig rig("spacecraft_ur3", with_law(law)), twin("spacecraft_ur3", with_law(law));
    throw_off(rig, "spacecraft_ur3");
    const VectorX q = rig.flight.q(), v = rig.flight.v();
    const FlyingReference good = test::here(rig.flying, test::ready("spacecraft_ur3", rig.flight.model()));
    const auto coasts = [&](const VectorX& q_in, const VectorX& v_in, const FlyingReference& r, double dt, Status why) {
      const FlyingCommand& c = rig.control.update(q_in, v_in, r, dt);
      EXPECT_EQ(c.status, why);
      EXPECT_EQ(c.tau, VectorX::Zero(12));
      EXPECT_TRUE(std::isnan(c.energy));
    };
    rig.control.update(q, v, good, 1e-3);
    twin.control.update(q, v, good, 1e-3);
    const MatrixX inverse = rig.control.terms().J_plus_inverse;
    VectorX bad = v;
    bad[8] = kNaN;
    coasts(q, bad, good, 1e-3, Status::not_finite);
    EXPECT_EQ(MatrixX(rig.control.terms().J_plus_inverse), inverse) << "the last good one";
    bad = q;
    bad[6] = 3.0;
    coasts(bad, v, good, 1e-3, Status::bad_orientation);
    coasts(VectorX::Zero(3), v, good, 1e-3, Status::wrong_size);
    coasts(q, v, good, 0.0, Status::not_finite);
    coasts(q, v, good, kNaN, Status::not_finite);
    FlyingReference r = good;
    r.end_effector.acceleration.x() = kInfinity;
    coasts(q, v, r, 1e-3, Status::not_finite);
    r = good;
    r.base.R_WB *= 2.0;
    coasts(q, v, r, 1e-3, Status::bad_orientation);
    EXPECT_EQ(rig.control.update(q, v, good, 1e-3).tau, twin.control.update(q, v, good, 1e-3).tau)
        << "as if nothing had been";
    EXPECT_EQ(rig.control.set_posture(VectorX::Zero(5)), Status::wrong_size);
    EXPECT_EQ(rig.control.set_posture(VectorX::Constant(6, kNaN)), Status::not_finite);
  }
}

TEST(FlyingControl, SetupErrors) {
  const RobotModel model = test::own_robot("spacecraft_ur3").model;
  const VectorX q = test::ready("spacecraft_ur3", model);
  FlyingControlSetup setup;
  setup.gamma = {.low = 0.05, .high = 0.05};
  EXPECT_THROW(FlyingControl(test::flyer("spacecraft_ur3"), q, setup), OptionsError);
  setup = {};
  setup.control.damping_ratio = -1.0;
  EXPECT_THROW(FlyingControl(test::flyer("spacecraft_ur3"), q, setup), OptionsError);
  setup = {};
  setup.carry.band = 0.0;
  EXPECT_THROW(FlyingControl(test::flyer("spacecraft_ur3"), q, setup), OptionsError);
  EXPECT_THROW(FlyingControl(test::flyer("spacecraft_ur3"), model.neutral()), Error) << "singular gains";
  EXPECT_THROW(FlyingControl(test::flyer("spacecraft_ur3"), FlyingGains{}), Error);
  for (const char* group : {"flying", "gamma", "carry"}) {
    const auto& all = OptionGroup::all();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const OptionGroup& g) { return g.table->group() == group; }))
        << group;
  }
}

TEST(FlyingControl, KeepsJointTorquesWithinTheMotorsLimits) {
  FlyingControlSetup setup = with_law(FlyingLaw::carried);
  setup.joints = {.torque_share = 1e-3, .torque_rate = 10.0};
  setup.base.wheel_torque = 0.5;
  test::Rig rig("spacecraft_ur3", setup);
  throw_off(rig, "spacecraft_ur3");
  const FlyingReference goal = test::here(rig.flying, test::ready("spacecraft_ur3", rig.flight.model()));
  const VectorX limit = 1e-3 * rig.flight.model().effort_limits();
  VectorX before;
  int limited = 0;
  rig.run(
      3.0, [&](double) { return goal; },
      [&](const FlyingCommand& c) {
        limited += c.is_limited ? 1 : 0;
        EXPECT_TRUE((c.tau.tail(6).cwiseAbs().array() <= limit.array()).all());
        EXPECT_EQ(Vector3(c.tau.segment<3>(3)), rig.control.base_effort().torque);
        if (before.size() > 0) {
          EXPECT_LE(test::largest(c.tau.tail(6) - before), 0.01 + tolerance::kUnitQuaternion);
        }
        before = c.tau.tail(6);
      });
  EXPECT_GT(limited, 10);
}

}  // namespace
}  // namespace antaeus
