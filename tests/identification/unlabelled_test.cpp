#include "antaeus/identification/unlabelled/unlabelled.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/error.hpp"
#include "identification/unlabelled/independent_share.hpp"
#include "robot/test_robots.hpp"
#include "support/noise.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

/// A log of an arm that was simulated: offset and Coulomb friction in the torques, a contact in part of it.
struct Drawn {
  std::vector<UnlabelledSample> samples;
  VectorX limits, prior, truth;
};

struct Scene {
  std::string robot = "panda";
  std::vector<std::string> endpoints = {};
  double swing = 0.6;   ///< [rad] of each joint about its middle
  double pushed = 0.0;  ///< share of the log with 15 N at the endpoint
  double sd = 0.2;      ///< [N·m] white
  unsigned seed = 1;
};

Drawn draw(const Scene& scene) {
  const Robot robot = test::own_robot(scene.robot);
  test::Noise normal(scene.seed);
  std::vector<int> motors;
  const std::vector<std::string> frames = robot.endpoint_frames(scene.endpoints);
  for (int motor = 0; motor < robot.model.motor_count(); ++motor) {
    for (const std::string& frame : frames) {
      const auto supporting = robot.model.supporting_motors(robot.model.frame(frame));
      if (std::ranges::count(supporting, motor) > 0 && std::ranges::count(motors, motor) == 0) motors.push_back(motor);
    }
  }
  const auto m = std::ssize(motors);
  Drawn drawn;
  drawn.limits = robot.model.effort_limits()(motors);
  for (double& limit : drawn.limits) limit = std::isfinite(limit) ? limit : 50.0;
  drawn.prior = VectorX::Constant(2 * m, 3.0);
  drawn.truth = VectorX::NullaryExpr(2 * m, [&](Eigen::Index i) { return i < m ? normal() : 0.4 + 0.1 * normal(); });
  Dynamics dynamics(robot.model);
  Matrix6X J(6, robot.model.nv());
  constexpr int kSamples = 1500;
  constexpr double kStep = 0.02;
  for (int i = 0; i < kSamples; ++i) {
    const double t = kStep * i;
    VectorX q_motor = VectorX::Zero(robot.model.motor_count()), v(m), q(robot.model.nq());
    for (Eigen::Index j = 0; j < m; ++j) {
      const double rate = 0.8 + 0.37 * static_cast<double>(j), phase = 1.3 * static_cast<double>(j);
      const int motor = motors[static_cast<std::size_t>(j)];
      const double low = robot.model.lower_limits()[motor], high = robot.model.upper_limits()[motor];
      const double middle = std::isfinite(low + high) ? 0.5 * (low + high) + 0.3 : 0.3;
      q_motor[motor] = middle + scene.swing * std::sin(rate * t + phase);
      v[j] = scene.swing * rate * std::cos(rate * t + phase);
    }
    EXPECT_EQ(robot.model.position_from_motors(q_motor, Eigen::Vector4d(0, 0, 0, 1), q), Status::ok);
    const PositionTerms now = dynamics.at(q);
    UnlabelledSample s;
    s.A.setZero(m, 6 * std::ssize(frames));
    for (std::size_t f = 0; f < frames.size(); ++f) {
      EXPECT_EQ(now.frame_jacobian(robot.model.frame(frames[f]), J), Status::ok);
      for (Eigen::Index j = 0; j < m; ++j) {
        const int row = robot.model.motor_rows()[motors[static_cast<std::size_t>(j)]];
        s.A.row(j).segment<6>(6 * static_cast<Eigen::Index>(f)) = -J.col(row).transpose();
      }
    }
    s.X.setZero(m, 2 * m);
    s.X.leftCols(m).setIdentity();
    s.X.rightCols(m) = (v / 0.03).array().tanh().matrix().asDiagonal();
    s.residual = s.X * drawn.truth;
    for (double& value : s.residual) value += scene.sd * normal();
    // Pushes at the beginning of every ten seconds.
    if (std::fmod(t, 10.0) < 10.0 * scene.pushed) s.residual += s.A.leftCols<3>() * Vector3(9.0, -8.0, 9.0);
    drawn.samples.push_back(std::move(s));
  }
  return drawn;
}

// Seven joints that move: what comes out of the shoulder's three joints is covered, and pushes do not move it. The
// other rows stay hidden, each for its reason: the elbow takes no part in the self-motion, the wrist a small one.
TEST(Unlabelled, AMovingArmOfSevenJointsIsIdentifiedThroughPushes) {
  int covered = 0, asked = 0;
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const Drawn free = draw({.pushed = 0.0, .seed = seed}), pushed = draw({.pushed = 0.3, .seed = seed});
    const UnlabelledResult before = fit_unlabelled(free.samples, free.limits, free.prior);
    const UnlabelledResult after = fit_unlabelled(pushed.samples, pushed.limits, pushed.prior);
    ASSERT_TRUE(after.identified) << after.reason;
    EXPECT_EQ(after.parity, 1);
    EXPECT_GE(after.swept, 3);
    EXPECT_EQ(after.known, before.known);
    EXPECT_TRUE(after.known[0] && after.known[1] && after.known[2]);
    EXPECT_FALSE(after.known[3]);
    EXPECT_EQ(after.parameters[3], 0.0);
    EXPECT_EQ(after.notes.size(), 1U);  // nothing suspicious
    for (Eigen::Index i = 0; i < pushed.truth.size(); ++i) {
      if (!after.known[static_cast<std::size_t>(i)]) continue;
      ++asked;
      covered += std::abs(after.parameters[i] - pushed.truth[i]) <= 1.96 * after.parameter_sd[i];
      EXPECT_LE(std::abs(after.parameters[i] - before.parameters[i]), 0.5 * after.parameter_sd[i]) << i;
    }
  }
  RecordProperty("covered", std::to_string(covered) + " of " + std::to_string(asked));
  EXPECT_GE(asked, 4 * 6);
  EXPECT_EQ(covered, asked);  // sds are doubled
}

TEST(Unlabelled, NothingIsIdentifiedWhereAContactMayBeAnything) {
  // Six joints, three joints.
  for (const char* name : {"ur5e", "planar_3r"}) {
    const Drawn drawn = draw({.robot = name});
    const UnlabelledResult result = fit_unlabelled(drawn.samples, drawn.limits, drawn.prior);
    EXPECT_FALSE(result.identified) << name;
    EXPECT_NE(result.reason.find("declare contact-free intervals"), std::string::npos) << result.reason;
    EXPECT_TRUE(std::isnan(result.kappa));
    EXPECT_EQ(result.parameters.size() + result.sd.size(), 0);
  }
}

TEST(Unlabelled, NothingIsIdentifiedInOnePose) {
  for (const double swing : {0.0, 0.01}) {  // held, and swaying by half a degree
    const Drawn drawn = draw({.swing = swing});
    const UnlabelledResult result = fit_unlabelled(drawn.samples, drawn.limits, drawn.prior);
    EXPECT_FALSE(result.identified) << swing;
    EXPECT_EQ(result.parity, 1);
    EXPECT_EQ(result.swept, 1);
    EXPECT_NE(result.reason.find("an offset and a contact are the same"), std::string::npos) << result.reason;
  }
  // The H1-2's arms and torso: three combinations a pose.
  const Drawn arms =
      draw({.robot = "h1_2", .endpoints = {"left_wrist_yaw_link", "right_wrist_yaw_link"}, .swing = 0.01});
  const UnlabelledResult result = fit_unlabelled(arms.samples, arms.limits, arms.prior);
  EXPECT_FALSE(result.identified);
  EXPECT_EQ(result.parity, 3);
}

TEST(Unlabelled, ALargeScatterIsCalledSuspicious) {
  const Drawn drawn = draw({.sd = 4.0});
  const UnlabelledResult result = fit_unlabelled(drawn.samples, drawn.limits, drawn.prior);
  ASSERT_TRUE(result.identified);
  ASSERT_EQ(result.notes.size(), 2U);
  EXPECT_NE(result.notes[1].find("contact all along"), std::string::npos);
}

TEST(Unlabelled, BadInputIsRefused) {
  Drawn drawn = draw({});
  const VectorX zero = VectorX::Zero(7);
  EXPECT_THROW(fit_unlabelled({}, drawn.limits, drawn.prior), OptionsError);
  EXPECT_THROW(fit_unlabelled(drawn.samples, zero, drawn.prior), OptionsError);
  EXPECT_THROW(fit_unlabelled(drawn.samples, drawn.limits, VectorX::Zero(14)), OptionsError);
  EXPECT_THROW(fit_unlabelled(drawn.samples, drawn.limits, VectorX::Ones(13)), OptionsError);
  EXPECT_THROW(fit_unlabelled(drawn.samples, drawn.limits, drawn.prior, {.force = -1.0}), OptionsError);
  drawn.samples[7].residual[2] = kNaN;
  EXPECT_THROW(fit_unlabelled(drawn.samples, drawn.limits, drawn.prior), OptionsError);
}

TEST(Unlabelled, ExactTorquesAreNoMeasurement) {
  Drawn drawn = draw({});
  for (UnlabelledSample& s : drawn.samples) s.residual.setZero();
  const UnlabelledResult result = fit_unlabelled(drawn.samples, drawn.limits, drawn.prior);
  EXPECT_FALSE(result.identified);
  EXPECT_NE(result.reason.find("no measurement"), std::string::npos);
}

// An autoregression of factor φ has T/Δ = (1 + φ)/(1 − φ).
TEST(Unlabelled, IndependentShareOfAnAutoregression) {
  test::Noise normal(4);
  for (const double phi : {0.0, 0.5, 0.9}) {
    VectorX x(200000);
    double value = 0.0;
    for (double& at : x) at = value = phi * value + normal();
    EXPECT_NEAR(detail::independent_share(x) * (1.0 + phi) / (1.0 - phi), 1.0, 0.08) << phi;
  }
  EXPECT_EQ(detail::independent_share(VectorX::Ones(10)), 0.0);
  EXPECT_TRUE(std::isnan(detail::independent_share(VectorX::Ones(2))));
}

}  // namespace
}  // namespace antaeus
