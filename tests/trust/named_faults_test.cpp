// Errors of one joint's torque: what the reliability calls detectable must be found and named, and what is not named
// must have been called undetectable before.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "antaeus/trust/reliability.hpp"
#include "robot/test_robots.hpp"
#include "support/normal_numbers.hpp"
#include "support/soak.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

constexpr double kAlarm = 3.290526731;  // of a standard normal number, 0.1 %: what minimal_detectable_bias stands for

/// Of one robot over random poses, contacts within their priors and noise as stated.
struct Tally {
  int detectable = 0, found = 0, named = 0, undetectable = 0, silent = 0, quiet = 0, false_alarms = 0;
};

Tally inject(const std::string& name, unsigned seed, int poses) {
  const Robot robot = test::own_robot(name);
  std::vector<std::string> hands;
  for (const Endpoint& endpoint : robot.profile.endpoints) {
    if (endpoint.kind != EndpointKind::foot) hands.push_back(endpoint.frame);
  }
  InstantReader reader(robot, hands);
  ResidualEstimator residuals(robot, {.kind = ResidualChoice::static_gravity, .tilt_sd = 0.0});
  PosteriorOptions options = robot.settings(hands).get<PosteriorOptions>();
  options.sign = Sign::on_robot;
  PosteriorEstimator posterior(reader, options);
  ReliabilityEstimator reliability(reader, posterior);
  test::NormalNumbers draw(seed);
  const VectorX lower = robot.model.lower_limits(), upper = robot.model.upper_limits();
  const VectorX effort = robot.model.effort_limits();
  Tally tally;
  Observation sample;
  sample.v = VectorX::Zero(robot.model.motor_count());
  sample.has_imu = true;
  for (int pose = 0; pose < poses; ++pose) {
    sample.q.resize(robot.model.motor_count());
    for (Eigen::Index m = 0; m < sample.q.size(); ++m) {
      const double share = 0.5 * std::erfc(-draw.normal() / std::sqrt(2.0));
      const double low = std::max(lower[m], -3.0), high = std::min(upper[m], 3.0);
      sample.q[m] = low + share * (high - low);
    }
    sample.tau = VectorX::Zero(sample.q.size());
    sample.tau = VectorX(reader.at(sample).gravity_torque());
    Residual residual = residuals.form(reader.at(sample));
    const std::vector<EndpointReliability> known = reliability.judge(posterior.solve(residual));
    for (std::size_t k = 0; k < hands.size(); ++k) {
      for (const int joint : reliability.rows(k)) {
        const double smallest = known[k].minimal_detectable_bias[joint];
        VectorX value(sample.q.size());
        for (Eigen::Index m = 0; m < value.size(); ++m) value[m] = std::sqrt(residual.variance[m]) * draw.normal();
        for (std::size_t hand = 0; hand < hands.size(); ++hand) {
          Vector6 wrench;
          for (int i = 0; i < 6; ++i) wrench[i] = (i < 3 ? options.prior.force : options.prior.moment) * draw.normal();
          value -= residual.instant.jacobian(static_cast<int>(hand)).transpose() * wrench;
        }
        residual.value = value;
        const auto& clean = posterior.solve(residual);
        ++tally.quiet;
        tally.false_alarms += std::abs(clean.row_test[joint]) > kAlarm;
        // What no motor can make is no error that anybody would see: it is called undetectable.
        const bool detectable = 2.0 * smallest <= effort[joint];
        const double size = (detectable ? 2.0 * smallest : effort[joint]) * (draw.normal() > 0.0 ? 1.0 : -1.0);
        residual.value[joint] += size;
        const VectorX tests = posterior.solve(residual).row_test;
        const bool found = std::abs(tests[joint]) > kAlarm;
        bool largest = true;
        for (const int other : reliability.rows(k)) {
          largest = largest && !(std::abs(tests[other]) > std::abs(tests[joint]));
        }
        if (detectable) {
          ++tally.detectable;
          tally.found += found;
          tally.named += found && largest;
        } else {
          ++tally.undetectable;
          tally.silent += !(smallest > 0.5 * effort[joint]) && !found;
        }
      }
    }
  }
  return tally;
}

/// At twice the smallest error that is called detectable the power is 1 − Φ(3.29 − 8.26): all but one in a million are
/// found. Named is the joint with the largest test.
void expect_named(int poses) {
  int all = 0;
  for (const char* name : {"h1_2", "panda", "ur5e", "ur5e_2f85"}) {
    const Tally tally = inject(name, 911, poses);
    std::printf("%-9s detectable %d: found %.4f, named %.4f; called undetectable %d, silent %d; false alarms %.4f of %d\n",
                name, tally.detectable, 1.0 * tally.found / tally.detectable, 1.0 * tally.named / tally.detectable,
                tally.undetectable, tally.silent, 1.0 * tally.false_alarms / tally.quiet, tally.quiet);
    EXPECT_GE(tally.found, 0.999 * tally.detectable) << name;
    EXPECT_GE(tally.named, 0.99 * tally.detectable) << name;
    EXPECT_EQ(tally.silent, 0) << name;
    // 0.1 % of as many, and four of their standard deviations.
    EXPECT_LE(tally.false_alarms, 0.001 * tally.quiet + 4.0 * std::sqrt(0.001 * tally.quiet)) << name;
    all += tally.detectable;
  }
  EXPECT_GT(all, 30 * poses) << "of 36 joints an error could be called detectable";
}

TEST(NamedFaultsSoak, WhatIsCalledDetectableIsNamed) { expect_named(test::in_soak(300, 15)); }

}  // namespace
}  // namespace antaeus
