#include "antaeus/episode/input_checks.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "antaeus/core/error.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

constexpr double kHalfTurn = 3.141592653589793;

/// The H1-2 standing still with a breath of noise, as sensors have it.
class Input : public testing::Test {
 protected:
  Observation still(double time) {
    Observation o;
    o.time = time;
    o.q = robot_.pose("zero") + random_.vector(27, 1e-4);
    o.v = random_.vector(27, 0.01);
    o.tau = random_.vector(27, 0.2);
    o.has_imu = o.has_gyro = o.has_accelerometer = true;
    o.imu_angular_velocity = random_.vector(3, 0.01);
    o.imu_specific_force = Vector3(0, 0, 9.81) + random_.vector(3, 0.1);
    return o;
  }
  /// Feeds half a second of rest at \p rate, then samples that \p change makes worse.
  /// \return samples until the reason is there, 1 for the first one; 0: not within \p samples
  int samples_until(Reason reason, double rate, int samples, const std::function<void(Observation&, double)>& change) {
    InputChecks checks(robot_);
    int i = 0;
    for (; i < 0.5 * rate; ++i) {
      EXPECT_TRUE(checks.inspect(still(i / rate)).reasons.empty()) << i << ": " << checks.findings().reasons.text();
    }
    const double start = i / rate;
    for (int n = 1; n <= samples; ++n, ++i) {
      Observation o = still(i / rate);
      change(o, i / rate - start);
      const InputFindings& found = checks.inspect(o);
      if (found.reasons.has(reason) || found.motor_with(reason) >= 0) return n;
    }
    return 0;
  }

  Robot robot_ = test::own_robot("h1_2");
  test::RandomStates random_{411};
};

TEST_F(Input, PositionsBeyondTheirLimits) {
  InputChecks checks(robot_);
  const double upper = robot_.model.upper_limits()[13], lower = robot_.model.lower_limits()[13];
  const double margin = std::max(0.2, 0.1 * (upper - lower));
  for (const double outside : {1e-3, 1.0, 1e6, 1e300}) {
    for (const bool above : {true, false}) {
      Observation o = still(kNaN);
      o.q[13] = above ? upper + margin + outside : lower - margin - outside;
      EXPECT_TRUE(checks.inspect(o).reasons.has(Reason::position_out_of_limits)) << o.q[13];
      EXPECT_EQ(checks.findings().motor_with(Reason::position_out_of_limits), 13);
      EXPECT_GT(checks.findings().shares.position, 1.0);
      o.q[13] = above ? upper + margin - 1e-3 : lower - margin + 1e-3;
      EXPECT_TRUE(checks.inspect(o).reasons.empty()) << o.q[13];
    }
  }
}

TEST_F(Input, AngleWithoutLimitsAndSlidingJoint) {
  RobotProfile profile;
  Robot robot = test::own_robot("planar_3r");
  RobotDescription description = robot.model.description();
  for (JointDescription& joint : description.joints) {
    joint.lower = -kInfinity;
    joint.upper = kInfinity;
  }
  ModelOptions options = robot.profile.options;
  robot.model = RobotModel(description, options);
  InputChecks free(robot);
  Observation o;
  o.q = o.tau = VectorX::Zero(3);
  o.q[1] = 90 * 2 * kHalfTurn;
  EXPECT_TRUE(free.inspect(o).reasons.empty()) << "wound up, and still an angle";
  o.q[1] = 101 * 2 * kHalfTurn;
  EXPECT_TRUE(free.inspect(o).reasons.has(Reason::position_out_of_limits));
  description.joints.front().type = JointType::prismatic;
  for (JointDescription& joint : description.joints) joint.lower = 0.0, joint.upper = 0.1;
  robot.model = RobotModel(description, options);
  InputChecks slide(robot);
  o.q.setZero();
  o.q[0] = 0.15;
  EXPECT_TRUE(slide.inspect(o).reasons.has(Reason::position_out_of_limits)) << "0.05 m beyond a way of 0.1 m";
  o.q[0] = 0.0, o.q[1] = 0.25;
  EXPECT_TRUE(slide.inspect(o).reasons.empty()) << "0.15 rad beyond";
}

TEST_F(Input, JumpsOfAPositionStayUntilItIsBack) {
  for (const double rate : {50.0, 500.0}) {
    for (const double jump : {0.3, 0.5, -0.3}) {
      SCOPED_TRACE(std::to_string(rate) + " Hz, " + std::to_string(jump));
      EXPECT_EQ(samples_until(Reason::position_jump, rate, 2, [&](Observation& o, double) { o.q[13] += jump; }), 1);
      InputChecks checks(robot_);
      const auto at = [&](int i, double offset) {
        Observation o = still(i / rate);
        o.q[13] += offset;
        return checks.inspect(o).reasons.has(Reason::position_jump);
      };
      EXPECT_FALSE(at(0, 0.0));
      for (int i = 1; i < 100; ++i) EXPECT_TRUE(at(i, jump)) << i;
      for (int i = 100; i < 120; ++i) EXPECT_FALSE(at(i, 0.0)) << i;
      EXPECT_TRUE(at(120, jump));
      EXPECT_TRUE(at(2000, jump)) << "a gap does not heal an encoder";
      checks.reset();
      EXPECT_FALSE(at(2001, jump));
    }
  }
}

TEST_F(Input, FastMotionAndHardStopsAreNoJump) {
  for (const double rate : {50.0, 500.0}) {
    InputChecks checks(robot_);
    double q = 0.0, v = 0.0;
    for (int i = 0; i < 400; ++i) {
      // Up to 9 rad/s and back, at 700 rad/s², in steps of 0.1 ms that nobody samples.
      for (int n = 0; n < 1e4 / rate; ++n) {
        const double t = i / rate + n * 1e-4;
        v += (std::fmod(t, 0.04) < 0.02 ? 700.0 : -700.0) * 1e-4;
        q += v * 1e-4;
      }
      v = std::clamp(v, -9.0, 9.0);
      Observation o = still((i + 1) / rate);
      o.q[13] = 0.5 * std::sin(q), o.v[13] = 0.5 * std::cos(q) * v;
      ASSERT_FALSE(checks.inspect(o).reasons.has(Reason::position_jump)) << i << " " << checks.findings().shares.jump;
    }
  }
}

/// A joint swings by 0.4 rad at up to \p speed; its position slips by \p slip [rad/s] from the start, and its velocity
/// reads \p scale of itself and \p offset [rad/s] more.
TEST_F(Input, APositionThatSlipsAgainstItsVelocityIsNamed) {
  struct Case {
    double speed, slip, scale, offset;
    bool found;
  };
  for (const double rate : {50.0, 125.0, 500.0}) {
    for (const Case& c :
         {Case{0.5, 0.05, 1.0, 0.0, true}, Case{0.5, -0.05, 1.0, 0.0, true}, Case{1.0, 0.06, 1.0, 0.0, true},
          Case{0.0, 0.05, 1.0, 0.0, true}, Case{0.5, 0.0, 1.0, 0.0, false}, Case{4.0, 0.0, 1.0, 0.0, false},
          Case{0.5, 0.02, 1.0, 0.0, false}, Case{0.5, 0.0, 1.01, 0.0, false}, Case{0.0, 0.0, 1.0, 0.1, false}}) {
      SCOPED_TRACE(std::to_string(rate) + " Hz, " + std::to_string(c.speed) + " rad/s, slip " + std::to_string(c.slip) +
                   ", scale " + std::to_string(c.scale) + ", offset " + std::to_string(c.offset));
      InputChecks checks(robot_);
      double last_share = 0.0;
      for (int i = 0; i < 10.0 * rate; ++i) {
        const double t = i / rate, frequency = c.speed / 0.4;
        Observation o = still(t);
        o.q[13] += 0.4 * std::sin(frequency * t) + c.slip * t;
        o.v[13] += c.scale * c.speed * std::cos(frequency * t) + c.offset;
        const InputFindings& found = checks.inspect(o);
        if (found.motor_with(Reason::position_slip) >= 0) {
          EXPECT_EQ(found.motor_with(Reason::position_slip), 13);
          EXPECT_TRUE(c.found);
          EXPECT_GT(t, 1.0) << "a window, not a sample";
        }
        last_share = found.shares.slip;
      }
      EXPECT_EQ(last_share >= 1.0, c.found) << last_share;
      EXPECT_FALSE(checks.findings().reasons.has(Reason::position_jump));
    }
  }
}

TEST_F(Input, WithoutVelocityTheModelsSpeedLimitIsTheBound) {
  const double rate = 500.0, limit = robot_.model.velocity_limits()[13];
  ASSERT_TRUE(std::isfinite(limit));
  InputChecks checks(robot_);
  const auto found = [&](double speed) {
    checks.reset();
    for (int i = 0; i < 5; ++i) {
      Observation o = still(i / rate);
      o.v.resize(0);
      o.q[13] = i < 4 ? 0.0 : speed / rate;
      checks.inspect(o);
    }
    return checks.findings().reasons.has(Reason::position_jump);
  };
  EXPECT_FALSE(found(1.9 * limit));
  EXPECT_TRUE(found(2.1 * limit + 0.1 * rate));
}

TEST_F(Input, DeadTorques) {
  const VectorX zero = VectorX::Zero(27), frozen = random_.vector(27, 30.0);
  for (const double rate : {50.0, 500.0}) {
    for (const VectorX& stuck : {zero, frozen}) {
      const int samples = samples_until(Reason::dead_torque, rate, 100, [&](Observation& o, double) { o.tau = stuck; });
      EXPECT_GE(samples, 4);
      EXPECT_LE((samples - 1) / rate, 0.0601);
    }
    const auto moving = [&](double speed, double torque) {
      return samples_until(Reason::dead_torque, rate, 500, [&](Observation& o, double t) {
        o.tau[16] = torque;
        o.v[16] = speed;
        o.q[16] += speed * t;
      });
    };
    EXPECT_NEAR(moving(0.1, 3.0) / rate, 0.5, 2.1 / rate);
    EXPECT_EQ(moving(0.04, 3.0), 0) << "nearly at rest, friction holds the reading";
    EXPECT_EQ(moving(0.1, robot_.model.effort_limits()[16]), 0) << "saturated";
  }
  InputChecks checks(robot_);
  for (int i = 0; i < 400; ++i) {
    Observation o = still(0.002 * i);
    o.tau[16] = 1.0, o.v[16] = 0.1, o.q[16] += 0.0002 * i;
    checks.inspect(o);
  }
  EXPECT_EQ(checks.findings().motor_with(Reason::dead_torque), 16);
  EXPECT_TRUE(checks.findings().reasons.empty()) << "one motor's: whoever uses it must know, the others need not";
}

TEST_F(Input, AGapRestartsTheTimeOfADeadTorque) {
  InputChecks checks(robot_);
  for (int i = 0; i < 400; ++i) {
    Observation o = still(0.002 * i + (i < 200 ? 0.0 : 1.0));
    o.tau[16] = 1.0, o.v[16] = 0.1, o.q[16] += 0.0002 * i;
    checks.inspect(o);
    ASSERT_EQ(checks.findings().motor_with(Reason::dead_torque), -1) << "0.4 s on either side: " << i;
  }
}

TEST_F(Input, QuaternionAgainstAccelerometerAndGyro) {
  const auto set = [](Observation& o, const Eigen::Quaterniond& R) { o.imu_quaternion_xyzw = R.coeffs(); };
  const Eigen::Quaterniond flipped(Eigen::AngleAxisd(kHalfTurn, Vector3::UnitX()));
  const Eigen::Quaterniond yawed(Eigen::AngleAxisd(0.6, Vector3::UnitZ()));
  for (const double rate : {50.0, 500.0}) {
    SCOPED_TRACE(rate);
    const auto until = [&](const std::function<void(Observation&, double)>& change) {
      return samples_until(Reason::orientation_contradicts, rate, 20, change);
    };
    EXPECT_EQ(until([&](Observation& o, double) { set(o, flipped); }), 1);
    EXPECT_EQ(until([&](Observation& o, double) { o.imu_specific_force *= -1.0; }), 2);
    EXPECT_EQ(until([&](Observation& o, double) { set(o, yawed); }), 1) << "yaw, which no accelerometer sees";
    // A quaternion in another order: w x y z of a robot that leans by 0.3.
    EXPECT_EQ(until([&](Observation& o, double) { o.imu_quaternion_xyzw = {1.0, 0.0, 0.0, 0.0}; }), 1);
    EXPECT_EQ(until([&](Observation& o, double) { o.imu_quaternion_xyzw *= -1.0; }), 0) << "the same rotation";
    EXPECT_EQ(until([&](Observation& o, double) { o.imu_specific_force = Vector3(14.0, 0.0, 9.8); }), 0)
        << "a robot that speeds up";
    EXPECT_EQ(until([&](Observation& o, double t) {
                const double angle = 8.0 * t;
                set(o, Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3::UnitZ())));
                o.imu_angular_velocity = {0.0, 0.0, 8.0};
              }),
              0)
        << "a robot that turns";
  }
  // Without an accelerometer a turn stays in doubt until it is taken back.
  InputChecks checks(robot_);
  const auto at = [&](int i, bool turned, bool accelerometer) {
    Observation o = still(0.002 * i);
    o.has_accelerometer = accelerometer;
    if (turned) set(o, yawed);
    return checks.inspect(o).reasons.has(Reason::orientation_contradicts);
  };
  EXPECT_FALSE(at(0, false, false));
  for (int i = 1; i < 300; ++i) EXPECT_TRUE(at(i, true, false));
  EXPECT_FALSE(at(300, false, false));
  EXPECT_TRUE(at(301, true, true));
  EXPECT_FALSE(at(302, true, true)) << "gravity bears it out: a filter that took its heading anew";
}

TEST_F(Input, AccelerometerInG) {
  for (const double rate : {50.0, 500.0}) {
    const auto seconds = [&](double duration, const std::function<Vector3(double)>& felt) {
      return samples_until(Reason::accelerometer_scale, rate, static_cast<int>(duration * rate),
                           [&](Observation& o, double t) { o.imu_specific_force = felt(t); }) /
             rate;
    };
    const double in_g = seconds(3.0, [](double) { return Vector3(0.0, 0.0, 1.0); });
    EXPECT_GT(in_g, 0.5);
    EXPECT_LT(in_g, 0.7);
    const double dead = seconds(3.0, [](double) { return Vector3(0.0, 0.0, 0.0); });
    EXPECT_GT(dead, 0.5);
    EXPECT_LT(dead, 0.7);
    EXPECT_EQ(seconds(3.0, [](double t) { return Vector3(0, 0, t < 0.5 ? 0.0 : 9.81); }), 0.0) << "free fall";
    EXPECT_EQ(seconds(3.0, [](double t) { return Vector3(0, 0, t < 0.4 ? 300.0 : 9.81); }), 0.0) << "impacts";
    EXPECT_EQ(seconds(9.0, [](double t) { return Vector3(0, 0, 9.81 * (1.0 + 1.5 * std::sin(12.0 * t))); }), 0.0)
        << "running";
  }
}

TEST_F(Input, AgeOfASample) {
  const InputCheckOptions options;
  const auto of = [&](double time, double clock) { return check_age(time, clock, 0.1, options); };
  EXPECT_TRUE(of(5.0, 5.0).empty());
  EXPECT_TRUE(of(5.0, 5.09).empty());
  EXPECT_TRUE(of(5.0, 4.995).empty());
  for (const double clock : {5.11, 4.98, 5.0 - 3600.0, kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(of(5.0, clock), Reason::stale) << clock;
  }
  for (const double time : {kNaN, kInfinity, -kInfinity}) EXPECT_EQ(of(time, 5.0), Reason::no_clock) << time;
}

TEST_F(Input, WhatCannotBeReadIsPassedOver) {
  InputChecks checks(robot_);
  Observation o = still(0.0);
  o.q.conservativeResize(5);
  EXPECT_TRUE(checks.inspect(o).reasons.empty());
  o = still(0.002);
  o.tau[3] = kNaN;
  o.q[4] = kNaN;
  EXPECT_TRUE(checks.inspect(o).reasons.empty());
  o = still(0.004);
  o.v.resize(3);
  o.imu_quaternion_xyzw.setConstant(kNaN);
  o.imu_specific_force.setConstant(kInfinity);
  o.imu_angular_velocity.setConstant(kNaN);
  EXPECT_TRUE(checks.inspect(o).reasons.empty());
  EXPECT_TRUE(checks.inspect(still(0.006)).reasons.empty());
  for (const double stamp : {0.006, kNaN, kInfinity, 1.0, 0.2})
    EXPECT_TRUE(checks.inspect(still(stamp)).reasons.empty());
  Robot weightless = robot_;
  ModelOptions options = robot_.profile.options;
  options.gravity.setZero();
  weightless.model = RobotModel(robot_.model.description(), options);
  InputChecks space(weightless);
  for (int i = 0; i < 1000; ++i) {
    o = still(0.002 * i);
    o.imu_specific_force = random_.vector(3, 0.1);
    ASSERT_TRUE(space.inspect(o).reasons.empty());
  }
  InputCheckOptions bad;
  bad.jump = 0.0;
  EXPECT_THROW(InputChecks(robot_, bad), OptionsError);
}

TEST_F(Input, ATorqueThatIsZeroFromTheStartIsDeadBesideOthersThatCarryNoise) {
  for (const double rate : {50.0, 500.0}) {
    const auto found_after = [&](const std::function<void(Observation&)>& change) {
      InputChecks checks(robot_);
      for (int i = 0; i / rate < 4.0; ++i) {
        Observation o = still(i / rate);
        change(o);
        checks.inspect(o);
        if (checks.findings().motor_with(Reason::dead_torque) >= 0) return i / rate;
      }
      return kNaN;
    };
    EXPECT_NEAR(found_after([](Observation& o) { o.tau[16] = 0.0; }), 1.0, 1.5 / rate);
    EXPECT_TRUE(std::isnan(found_after([](Observation& o) { o.tau[16] = 0.3; }))) << "a number, whatever it means";
    EXPECT_TRUE(std::isnan(found_after([](Observation& o) { o.tau.head<20>().setZero(); }))) << "most are as it is";
    EXPECT_TRUE(std::isnan(found_after([](Observation& o) {
      o.tau[16] = 0.0;
      o.v.resize(0);
    }))) << "nobody says whether it rests";
  }
}

/// Coarse steps repeat to the last bit for as long as a robot rests; after a push, or a move, in other places.
TEST_F(Input, CoarseStepsAtRestAreNotDead) {
  for (const double rate : {50.0, 500.0}) {
    for (const double step : {0.1, 0.3, 1.0}) {
      for (const double share : {0.0, 0.1, 0.25}) {
        SCOPED_TRACE(std::to_string(rate) + " Hz, " + std::to_string(step) + " N·m, " + std::to_string(share));
        InputChecks checks(robot_);
        VectorX load = random_.vector(27, 20.0), q = robot_.pose("zero");
        for (int i = 0; i / rate < 30.0; ++i) {
          // Every five seconds one second of motion, with the noise of motion, and another load at its end.
          const double t = std::fmod(i / rate, 5.0);
          Observation o = still(i / rate);
          if (t < 1.0) {
            o.v = VectorX::Constant(27, t < 0.5 ? 0.2 : -0.2);
            q += o.v / rate;
            load += random_.vector(27, 20.0 / rate);
          } else {
            o.v.setZero();
          }
          o.q = q;
          o.tau = load + random_.vector(27, t < 1.0 ? 2.0 : share * step);
          o.tau = (o.tau / step).array().round() * step;
          if (i % 7 != 6 && t >= 1.0) o.tau[0] += 1e-9 * random_.vector(1)[0];  // else all are still, which is dead
          ASSERT_TRUE(checks.inspect(o).reasons.empty()) << i << ": " << checks.findings().reasons.text();
          for (std::size_t m = 1; m < 27; ++m) ASSERT_TRUE(checks.findings().motors[m].empty()) << i << ": " << m;
        }
      }
    }
  }
}

TEST_F(Input, WhatCannotBeIsComparedWithNothing) {
  InputChecks checks(robot_);
  for (int i = 0; i < 100; ++i) {
    Observation o = still(0.002 * i);
    const bool spoilt = i % 10 == 9;
    if (spoilt) {
      o.v[3] = 1e20;
      o.tau[4] = i % 20 == 19 ? 1e300 : 0.0;
      o.imu_specific_force[1] = 1e290;
    }
    EXPECT_TRUE(checks.inspect(o).reasons.empty()) << i << ": " << checks.findings().reasons.text();
    EXPECT_LT(checks.findings().shares.jump, 1.0) << i;
  }
}

TEST_F(Input, ChecksDoNotAllocate) {
  InputChecks checks(robot_);
  std::vector<Observation> samples;
  for (int i = 0; i < 200; ++i) {
    Observation o = still(i % 37 == 36 ? 0.0 : 0.002 * i);
    if (i % 5 == 4) o.q = random_.vector(27, 9.0);
    if (i % 7 == 6) o.v.resize(0);
    if (i % 11 == 10) o.imu_quaternion_xyzw = random_.vector(4).normalized();
    if (i % 13 == 12) o.tau[4] = kNaN;
    samples.push_back(o);
  }
  int found = 0;
  test::AllocationCounter counter;
  for (const Observation& o : samples) {
    found += !checks.inspect(o).reasons.empty();
    found += !check_age(o.time, 0.1, 0.1, checks.options()).empty();
  }
  EXPECT_EQ(counter.count(), 0);
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace antaeus
