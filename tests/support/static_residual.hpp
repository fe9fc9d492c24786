#pragma once
/// The H1-2 with given torques at rest: what most tests of estimators begin with.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "antaeus/estimation/residual.hpp"
#include "robot/test_robots.hpp"

namespace antaeus::test {

inline const std::vector<std::string> kLimbs = {"left_wrist_yaw_link", "right_wrist_yaw_link", "left_ankle_roll_link",
                                                "right_ankle_roll_link"};

class StaticResidual : public testing::Test {
 protected:
  explicit StaticResidual(const std::vector<std::string>& endpoints) : reader_(robot_, endpoints) {}

  const Residual& load(const VectorX& q, const VectorX& tau) {
    Observation o;
    o.q = q;
    o.v = VectorX::Zero(27);
    o.tau = tau;
    EXPECT_EQ(reader_.at(o).status(), Status::ok);
    return residual_.form(now());
  }
  const Instant& now() const { return reader_.instant(); }

  Robot robot_ = own_robot("h1_2");
  InstantReader reader_;
  /// The base is upright, and known to be.
  ResidualEstimator residual_{robot_, {.kind = ResidualChoice::static_gravity, .tilt_sd = 0.0}};
};

}  // namespace antaeus::test
