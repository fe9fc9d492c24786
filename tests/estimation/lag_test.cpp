// What the residual's low pass holds back: forces that change faster than it follows must not be read as `ok`.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/residual.hpp"
#include "estimation/tolerances.hpp"
#include "support/moving_robot.hpp"
#include "support/normal_numbers.hpp"

namespace antaeus {
namespace {

constexpr double kChiSquared95 = 7.814727903251179;  // of three degrees of freedom
constexpr double kStep = 0.002;                      // [s]
constexpr double kLie = 5.0;                         // [N] beyond which an `ok` outside of its ellipsoid is a lie

struct Shape {
  const char* name;
  double (*force)(double t);  // [N]
  double most_lies;           // share of samples
};
/// Ramps of 40 ms, as fast as a hand strikes; half a sine of 10 ms every second; 5 Hz, a third of the cut-off.
const Shape kShapes[] = {
    {"pulses of 20 N",
     [](double t) {
       return 20.0 * std::clamp(std::min(std::fmod(t, 1.4) - 0.3, 1.0 - std::fmod(t, 1.4)) / 0.04, 0.0, 1.0);
     },
     0.01},
    // Three samples an impact are there before what the filter holds back stands out.
    {"impacts of 100 N",
     [](double t) {
       const double s = std::fmod(t, 1.0) - 0.5;
       return s > 0.0 && s < 0.01 ? 100.0 * std::sin(std::numbers::pi * s / 0.01) : 0.0;
     },
     0.006},
    {"20 N at 5 Hz", [](double t) { return 20.0 * std::sin(2.0 * std::numbers::pi * 5.0 * t); }, 0.05},
    {"20 N at 2 Hz", [](double t) { return 20.0 * std::sin(2.0 * std::numbers::pi * 2.0 * t); }, 0.05},
    {"nothing", [](double) { return 0.0; }, 0.0},
};

/// Of many samples: how many were `ok`, lied, were outside of their ellipsoid.
struct Count {
  int samples = 0, ok = 0, lies = 0, outside = 0;
  double largest = 0.0;
  void take(const WrenchEstimate& estimate, const Vector3& truth) {
    const Vector3 error = estimate.wrench.force - truth;
    const Uncertainty& u = estimate.uncertainty;
    const Vector3 along = u.directions.transpose() * error;
    const bool is_outside = along.cwiseQuotient(u.force_sd).squaredNorm() > kChiSquared95;
    const double seen = along.head(u.observable).norm();
    ++samples;
    ok += estimate.verdict == Verdict::ok;
    outside += is_outside;
    if (estimate.verdict != Verdict::ok || !is_outside || seen <= kLie) return;
    ++lies;
    largest = std::max(largest, seen);
  }
  double share(int count) const { return static_cast<double>(count) / samples; }
};

TEST(Lag, WhatTheLowPassHoldsBackIsInTheDoubt) {
  for (const char* name : {"h1_2", "panda", "ur5e"}) {
    const Robot robot = test::own_robot(name);
    const std::string frame = robot.profile.endpoints.front().frame;
    for (const Shape& shape : kShapes) {
      Count with, without;
      for (const unsigned seed : {71u, 72u, 73u, 74u}) {
        test::MovingRobot still(robot, seed, 0.0, 0.0);
        test::NormalNumbers noise(seed);
        InstantReader reader(robot, {frame});
        ResidualEstimator residuals(robot, {.kind = ResidualChoice::inverse_dynamics});
        PosteriorOptions options = robot.settings({frame}).get<PosteriorOptions>();
        options.sign = Sign::on_robot;
        PosteriorEstimator posterior(reader, options), deaf(reader, options);
        const Vector3 direction = Vector3(noise.normal(), noise.normal(), noise.normal()).normalized();
        Observation sample = still.observe(0.0, frame, Vector6::Zero());
        VectorX J_force(robot.model.motor_count());
        const VectorX at_rest = sample.tau;
        J_force = still.observe(0.0, frame, (Vector6() << direction, 0, 0, 0).finished()).tau - at_rest;
        for (int i = 0; i < 1500; ++i) {
          sample.time = kStep * i;
          const double force = shape.force(sample.time);
          sample.tau = at_rest + force * J_force;
          for (Eigen::Index m = 0; m < sample.tau.size(); ++m) {
            sample.tau[m] += robot.profile.figures[static_cast<std::size_t>(m)].torque_sd * noise.normal();
          }
          Residual formed = residuals.form(reader.at(sample));
          if (sample.time < 0.2) continue;
          with.take(posterior.solve(formed)[0], force * direction);
          formed.lag.setZero();
          without.take(deaf.solve(formed)[0], force * direction);
        }
      }
      std::printf("%-5s %-17s lies %.4f (largest %.1f N; without %.4f, %.1f N), outside %.3f (%.3f), ok %.2f (%.2f)\n",
                  name, shape.name, with.share(with.lies), with.largest, without.share(without.lies), without.largest,
                  with.share(with.outside), without.share(without.outside), with.share(with.ok),
                  without.share(without.ok));
      EXPECT_LE(with.share(with.lies), shape.most_lies) << name << ", " << shape.name;
    }
  }
}

}  // namespace
}  // namespace antaeus
