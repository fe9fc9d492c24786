#include "antaeus/control/admittance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "antaeus/core/error.hpp"
#include "control/tolerances.hpp"
#include "robot/test_robots.hpp"

namespace antaeus {
namespace {

const Wrench kNone{};

Wrench force(double x, double y, double z) { return {Vector3(x, y, z), Vector3::Zero()}; }
Wrench lost() { return {Vector3(0.0, kNaN, 0.0), Vector3::Zero()}; }

AdmittanceOptions spring() {
  AdmittanceOptions options;
  options.mass = 2.0;
  options.damping = 40.0;
  options.stiffness = 400.0;
  options.inertia = 0.1;
  options.rotational_damping = 1.0;
  options.rotational_stiffness = 5.0;
  options.force_deadband = options.moment_deadband = 0.0;
  options.speed_limit = options.turn_limit = 100.0;
  return options;
}

TEST(Admittance, IsTheSolutionOfItsEquation) {
  for (const double stiffness : {0.0, 20.0, 400.0, 90000.0}) {
    for (const double cycle : {0.001, 0.008}) {
      SCOPED_TRACE(std::to_string(stiffness) + " N/m, " + std::to_string(cycle) + " s");
      AdmittanceOptions options = spring();
      options.stiffness = stiffness;
      options.cycle = cycle;
      options.range_limit = 10.0;
      Admittance control(options);
      double x = 0.0, v = 0.0;
      const auto slope = [&](double at, double rate, double F) {
        return (F - options.damping * rate - stiffness * at) / options.mass;
      };
      for (int i = 0; i < 100; ++i) {
        const double F = i < 50 ? 10.0 : -4.0, h = cycle / 1000.0;
        const AdmittanceReference& now = control.update(force(F, 0.0, 0.0), {});
        for (int k = 0; k < 1000; ++k) {
          const double a1 = slope(x, v, F), v2 = v + 0.5 * h * a1, a2 = slope(x + 0.5 * h * v, v2, F),
                       v3 = v + 0.5 * h * a2, a3 = slope(x + 0.5 * h * v2, v3, F), v4 = v + h * a3,
                       a4 = slope(x + h * v3, v4, F);
          x += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
          v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        }
        ASSERT_NEAR(now.displacement[0], x, tolerance::kExactStep);
        ASSERT_NEAR(now.twist[0], v, 100.0 * tolerance::kExactStep);
        ASSERT_EQ(now.X_WT.translation.x(), now.displacement[0]);
      }
    }
  }
}

TEST(Admittance, RestsAtForceOverStiffness) {
  Admittance control(spring());
  const Wrench wrench{Vector3(8.0, -4.0, 2.0), Vector3(0.5, 0.0, -1.0)};
  for (int i = 0; i < 5000; ++i) control.update(wrench, {});
  const AdmittanceReference& now = control.last();
  EXPECT_LE((now.displacement.head<3>() - wrench.force / 400.0).norm(), tolerance::kAdmittanceRest);
  EXPECT_LE((now.displacement.tail<3>() - wrench.torque / 5.0).norm(), tolerance::kAdmittanceRest);
  EXPECT_LE(now.twist.norm(), tolerance::kAdmittanceRest);
  const Vector3 turned = wrench.torque / 5.0;
  const Matrix3 expected = Eigen::AngleAxisd(turned.norm(), turned.normalized()).toRotationMatrix();
  EXPECT_LE((now.X_WT.rotation - expected).norm(), tolerance::kAdmittanceRest);
}

/// The twist is the change of the pose, the target's own motion included.
TEST(Admittance, TheTwistIsThePosesChange) {
  AdmittanceOptions options = spring();
  options.cycle = 1e-4;
  options.rotational_stiffness = 0.7;
  Admittance control(options);
  AdmittanceTarget target;
  target.twist << 0.1, -0.2, 0.3, 0.4, 0.5, -0.6;
  const Vector3 turning = target.twist.tail<3>();
  Pose before;
  Vector6 twist_before = Vector6::Zero();
  for (int i = 0; i < 20000; ++i) {
    const double t = options.cycle * i;
    target.X_WT.translation = t * target.twist.head<3>();
    target.X_WT.rotation = Eigen::AngleAxisd(t * turning.norm(), turning.normalized()).toRotationMatrix();
    const AdmittanceReference& now = control.update(
        {Vector3(5.0, 0.0, 0.0), Vector3(0.4 * std::cos(5.0 * t), 0.4 * std::sin(5.0 * t), 0.3)}, target);
    if (i % 1000 == 999) {
      const Vector6 mean = 0.5 * (twist_before + now.twist);
      const Vector3 speed = (now.X_WT.translation - before.translation) / options.cycle;
      const Eigen::AngleAxisd turned(Matrix3(now.X_WT.rotation * before.rotation.transpose()));
      EXPECT_LE((speed - mean.head<3>()).norm(), tolerance::kTwistDifference);
      EXPECT_LE((turned.angle() * turned.axis() / options.cycle - mean.tail<3>()).norm(), tolerance::kTwistDifference);
    }
    before = now.X_WT;
    twist_before = now.twist;
  }
}

TEST(Admittance, LooksForTheForceThatIsWanted) {
  Admittance control(AdmittanceOptions{});
  AdmittanceTarget target;
  target.wanted = force(0.0, 0.0, 20.0);
  // In the air it goes down; a table that pushes back by 20 N stops it.
  double depth = 0.0;
  for (int i = 0; i < 10000; ++i) {
    depth = -control.last().displacement[2];
    control.update(force(0.0, 0.0, depth > 0.05 ? 5000.0 * (depth - 0.05) : 0.0), target);
  }
  EXPECT_LE(std::abs(5000.0 * (depth - 0.05) - 20.0), 1.0 + tolerance::kAdmittanceRest);  // the deadband
  EXPECT_LE(control.last().twist.norm(), tolerance::kAdmittanceRest);
}

TEST(Admittance, StaysInItsLimits) {
  Admittance control(AdmittanceOptions{});
  double fastest = 0.0;
  bool was_fast = false;
  Vector6 before = Vector6::Zero();
  for (int i = 0; i < 2000; ++i) {
    const AdmittanceReference& now = control.update({Vector3(900.0, -300.0, 0.0), Vector3(0.0, 80.0, 0.0)}, {});
    fastest = std::max(fastest, (now.displacement - before).head<3>().norm() / 0.002);
    was_fast = was_fast || now.is_speed_limited;
    before = now.displacement;
    ASSERT_LE(now.twist.head<3>().norm(), 0.25 * (1.0 + tolerance::kArithmetic));
    ASSERT_LE(now.displacement.head<3>().norm(), 0.3 * (1.0 + tolerance::kArithmetic));
    ASSERT_LE(now.displacement.tail<3>().norm(), 1.0 * (1.0 + tolerance::kArithmetic));
  }
  EXPECT_LE(fastest, 0.25 * (1.0 + tolerance::kArithmetic));
  EXPECT_TRUE(was_fast);
  EXPECT_TRUE(control.last().is_range_limited);
}

TEST(Admittance, SmallForcesMoveNothing) {
  Admittance control(AdmittanceOptions{});
  for (int i = 0; i < 100; ++i) control.update({Vector3(0.6, 0.6, -0.4), Vector3(0.05, 0.0, 0.05)}, {});
  EXPECT_EQ(control.last().displacement, Vector6::Zero());
  for (int i = 0; i < 20000; ++i) control.update(force(1.5, 0.0, 0.0), {});
  EXPECT_NEAR(control.last().twist[0], 0.5 / 200.0, tolerance::kAdmittanceRest);  // (F − deadband) / D
}

TEST(Admittance, ALostWrenchBringsItToRest) {
  AdmittanceOptions options = spring();
  options.stiffness = 10.0;
  Admittance control(options);
  for (int i = 0; i < 200; ++i) control.update(force(5.0, 0.0, 0.0), {});
  const double v = control.last().twist[0], x = control.last().displacement[0];
  ASSERT_GT(v, 0.01);
  for (int i = 1; i <= 500; ++i) {
    const AdmittanceReference& now = control.update(lost(), {});
    ASSERT_EQ(now.status, Status::ok);
    ASSERT_EQ(now.mode, AdmittanceMode::wrench_lost);
    const double decay = std::exp(-options.damping / options.mass * options.cycle * i);
    ASSERT_NEAR(now.twist[0], v * decay, tolerance::kAdmittanceRest);
    ASSERT_NEAR(now.displacement[0], x + v * options.mass / options.damping * (1.0 - decay),
                tolerance::kAdmittanceRest);
  }
  EXPECT_LE(control.last().twist.norm(), tolerance::kTwistDifference);
  const double rest = control.last().displacement[0];
  EXPECT_EQ(control.update(force(5.0, 0.0, 0.0), {}).mode, AdmittanceMode::compliant);
  EXPECT_NEAR(control.last().displacement[0], rest, tolerance::kFirstCycle);  // goes on from there
}

/// Any masses, any wrenches, any limits: bounded, and at rest once nobody pushes.
TEST(Admittance, IsStableForAnyNumbers) {
  test::RandomStates random(1441);
  SCOPED_TRACE(random.text());
  for (int trial = 0; trial < 300; ++trial) {
    const VectorX size = 10.0 * random.vector(6);
    AdmittanceOptions options;
    options.mass = std::exp(0.7 * size[0]);
    options.damping = std::exp(0.7 * size[1]);
    options.stiffness = 50.0 * std::exp(0.5 * size[2]);
    options.inertia = std::exp(0.5 * size[3]);
    options.rotational_damping = std::exp(0.5 * size[4]);
    options.rotational_stiffness = std::exp(0.5 * size[5]);
    options.cycle = trial % 2 == 0 ? 0.001 : 0.05;
    Admittance control(options);
    for (int i = 0; i < 300; ++i) {
      const Vector6 w = random.vector(6, i % 2 == 0 ? 300.0 : 1.0);
      const AdmittanceReference& now = control.update(Wrench::from_vector(w), {});
      ASSERT_EQ(now.status, Status::ok);
      ASSERT_LE(now.twist.head<3>().norm(), 0.25 * (1.0 + tolerance::kArithmetic));
    }
    // The energy of what is left never grows.
    const auto energy = [&](const AdmittanceReference& now) {
      return options.mass * now.twist.head<3>().squaredNorm() +
             options.stiffness * now.displacement.head<3>().squaredNorm();
    };
    double before = energy(control.last());
    for (int i = 0; i < 300; ++i) {
      const AdmittanceReference& now = control.update(kNone, {});
      if (!now.is_speed_limited) {
        ASSERT_LE(energy(now), before * (1.0 + tolerance::kAdmittanceRest) + tolerance::kArithmetic)
            << trial << ", " << i;
      }
      before = energy(now);
    }
  }
}

TEST(Admittance, BadInput) {
  Admittance control(AdmittanceOptions{});
  AdmittanceTarget bad;
  bad.X_WT.translation.x() = kNaN;
  const AdmittanceReference& now = control.update(kNone, bad);
  EXPECT_EQ(now.status, Status::not_finite);
  EXPECT_TRUE(now.X_WT.translation.array().isNaN().all());
  EXPECT_TRUE(now.twist.array().isNaN().all());
  control.update(force(50.0, 0.0, 0.0), {});
  control.reset();
  EXPECT_EQ(control.last().status, Status::not_computed);
  EXPECT_EQ(control.update(kNone, {}).displacement, Vector6::Zero());
  AdmittanceOptions options;
  options.damping = 0.0;
  EXPECT_THROW(Admittance{options}, OptionsError);
  const Vector6 one = Vector6::Ones();
  EXPECT_THROW(Admittance(AdmittanceOptions{}, one, -one, one), OptionsError);
  EXPECT_THROW(Admittance(AdmittanceOptions{}, one, one, one * kNaN), OptionsError);
}

}  // namespace
}  // namespace antaeus
