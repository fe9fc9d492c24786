// A run of identify: which fit, which stretches, what is missing. The figures of the fits have tests of their own.
#include "antaeus/identification/identify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "robot/test_robots.hpp"
#include "support/cpu_time.hpp"
#include "support/noise.hpp"

namespace antaeus {
namespace {

/// A log of an arm at 100 Hz with Coulomb friction of 0.5 N·m, offsets of 0.1 N·m times the joint's number, and noise.
Episode made_log(const Robot& robot, double duration, double swing, unsigned seed,
                 const Vector3& push = Vector3::Zero()) {
  const RobotModel& model = robot.model;
  const int n = model.motor_count();
  const auto steps = static_cast<Eigen::Index>(100.0 * duration);
  test::Noise noise(seed);
  Episode log;
  log.name = "log_" + std::to_string(seed);
  log.time = VectorX::LinSpaced(steps, 5.0, 5.0 + duration - 0.01);  // a clock that does not begin at zero
  log.q.resize(steps, n);
  log.tau.resize(steps, n);
  log.v.resize(steps, n);
  Dynamics dynamics(model);
  const FrameId frame = model.frame(robot.profile.endpoints.front().frame);
  const VectorX centre = robot.pose(robot.profile.poses.front().name);
  VectorX q_motor(n), q(model.nq()), v = VectorX::Zero(model.nv()), a = v, tau = v;
  Matrix6X J(6, model.nv());
  for (Eigen::Index i = 0; i < steps; ++i) {
    for (int j = 0; j < n; ++j) {
      const double rate = 0.9 + 0.13 * j, angle = rate * log.time[i] + seed + 1.3 * j;
      q_motor[j] = centre[j] + swing * std::sin(angle);
      v[model.motor_rows()[j]] = log.v(i, j) = swing * rate * std::cos(angle);
      a[model.motor_rows()[j]] = -swing * rate * rate * std::sin(angle);
    }
    EXPECT_EQ(model.position_from_motors(q_motor, Eigen::Vector4d(0, 0, 0, 1), q), Status::ok);
    EXPECT_EQ(dynamics.inverse_dynamics(q, v, a, tau), Status::ok);
    EXPECT_EQ(dynamics.at(q).frame_jacobian(frame, J), Status::ok);
    log.q.row(i) = q_motor;
    for (int j = 0; j < n; ++j) {
      const int row = model.motor_rows()[j];
      log.tau(i, j) =
          tau[row] - J.col(row).head<3>().dot(push) + 0.5 * std::tanh(v[row] / kCoulombSpeed) + 0.1 * j + 0.1 * noise();
    }
  }
  return log;
}

IdentifyRequest labelled(std::vector<Episode> logs, const std::vector<std::string>& stretches) {
  IdentifyRequest request;
  for (Episode& log : logs) request.logs.push_back({.episode = std::move(log)});
  label_contact_free(request.logs, stretches);
  return request;
}

TEST(Identify, AMovingArmOnAFixedBase) {
  const Robot robot = test::own_robot("panda");
  const IdentifyResult result = identify(robot, labelled({made_log(robot, 24.0, 0.4, 1)}, {"all"}));
  for (const std::string& text : result.missing) ADD_FAILURE() << text;
  ASSERT_TRUE(result.identified);
  EXPECT_EQ(result.method, IdentifyMethod::moving);
  EXPECT_GT(result.hold_out_covered, 0.9);
  for (int j = 0; j < 7; ++j) {
    const IdentifiedJoint& joint = result.joints[j];
    EXPECT_LT(std::abs(joint.offset - 0.1 * j), 4.0 * joint.offset_error) << j;
    EXPECT_LT(joint.rms_after, 0.5 * joint.rms_before) << j;
    EXPECT_FALSE(joint.residual.x.empty());
    EXPECT_EQ(joint.residual.x.size(), joint.residual.after.size());
  }
  EXPECT_NE(result.provenance.find("log_1 0:23.99 s"), std::string::npos) << result.provenance;
  EXPECT_NO_THROW(TorqueNoise(robot.model, result.noise));
  EXPECT_TRUE(identify_summary(result)["identified"].boolean());
}

TEST(Identify, AFixedArmThatStandsStillInSeveralRunsHoldsAPose) {
  const Robot robot = test::own_robot("panda");
  const IdentifyResult one = identify(robot, labelled({made_log(robot, 6.0, 0.0, 1)}, {"all"}));
  EXPECT_FALSE(one.identified);
  EXPECT_EQ(one.method, IdentifyMethod::moving);
  ASSERT_FALSE(one.missing.empty());
  EXPECT_NE(one.missing.front().find("motion"), std::string::npos);
  const IdentifyResult three = identify(
      robot,
      labelled({made_log(robot, 6.0, 0.0, 1), made_log(robot, 6.0, 0.0, 2), made_log(robot, 6.0, 0.0, 3)}, {"all"}));
  EXPECT_TRUE(three.identified);
  EXPECT_EQ(three.method, IdentifyMethod::held_pose);
  EXPECT_EQ(three.noise.origin, NoiseOrigin::held_pose);
  EXPECT_TRUE(std::isfinite(three.hold_out_covered));
  for (const IdentifiedJoint& joint : three.joints) EXPECT_EQ(joint.residual.x.size(), 3U);
}

TEST(Identify, ContactAllAlongIsNoFreeMotion) {
  const Robot robot = test::own_robot("panda");
  const IdentifyResult result = identify(robot, labelled({made_log(robot, 24.0, 0.4, 1, {12.0, 5.0, 0.0})}, {"all"}));
  EXPECT_FALSE(result.identified);
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_NE(result.missing[0].find("contact all along"), std::string::npos) << result.missing[0];
  EXPECT_EQ(result.noise.white_sd.size(), 0);
}

TEST(Identify, WithoutLabelsSixJointsShowNothing) {
  const Robot robot = test::own_robot("ur5e");
  const IdentifyResult result = identify(robot, labelled({made_log(robot, 12.0, 0.4, 1)}, {}));
  EXPECT_FALSE(result.identified);
  EXPECT_EQ(result.method, IdentifyMethod::unlabelled);
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_NE(result.missing[0].find("declare contact-free intervals"), std::string::npos);
}

TEST(Identify, StretchesOfOneLogStandInPlaceOfThoseOfAll) {
  Episode log;
  log.time = VectorX::LinSpaced(101, 3.0, 13.0);
  log.tau.resize(101, 1);
  std::vector<IdentifyLog> logs(3, {.episode = log});
  logs[0].episode.name = "a.npz", logs[1].episode.name = "b", logs[2].episode.name = "c";
  label_contact_free(logs, {"1:2", "a=4:", "a=2:5", "1.5:3"});
  ASSERT_EQ(logs[0].spans.size(), 1U);  // joined
  EXPECT_EQ(logs[0].spans[0].from, 2.0);
  EXPECT_EQ(logs[0].spans[0].to, 10.0);
  ASSERT_EQ(logs[1].spans.size(), 1U);
  EXPECT_EQ(logs[1].spans[0].to, 3.0);
  EXPECT_TRUE(logs[0].labelled && logs[1].labelled && logs[2].labelled);
  for (const char* bad : {"", "1", "1:x", "2:1", "-1:2", "inf:", "nan:1", "d=1:2", "a=", "1:2:3"}) {
    EXPECT_THROW(label_contact_free(logs, {bad}), OptionsError) << bad;
  }
  std::vector<IdentifyLog> one(2, {.episode = log});
  one[0].episode.name = "a", one[1].episode.name = "b";
  label_contact_free(one, {"b=all"});
  EXPECT_FALSE(one[0].labelled);
  EXPECT_TRUE(one[1].labelled);
}

TEST(Identify, TheDateOfALogIsThatOfItsClockWhereThatCountsSeconds) {
  Episode log;
  const auto of = [&](double first) {
    log.time = VectorX::Constant(1, first);
    return recorded_on("no such file", log);
  };
  EXPECT_EQ(of(1764201600.0), "2025-11-27");
  for (const double elsewhere : {1e11, 1e13, 1e300, -1.0, 10.0, kNaN, kInfinity}) EXPECT_EQ(of(elsewhere), "");
}

TEST(Identify, BadRequestsAreRefused) {
  const Robot robot = test::own_robot("panda");
  EXPECT_THROW(identify(robot, {}), OptionsError);
  const Episode log = made_log(robot, 4.0, 0.4, 1);
  IdentifyRequest lonely = labelled({log}, {"all"});
  lonely.payload_frame = "panda_hand";
  EXPECT_THROW(identify(robot, lonely), OptionsError);
  EXPECT_THROW(identify(robot, labelled({log}, {"50:60"})), OptionsError);
  EXPECT_THROW(identify(test::own_robot("ur5e"), labelled({log}, {"all"})), EpisodeError);
  Episode timeless = log;
  timeless.time.setConstant(kNaN);
  EXPECT_THROW(identify(robot, labelled({timeless}, {"all"})), EpisodeError);
}

TEST(Identify, SaysWhichRowsOfALongLogItUsed) {
  Robot robot = test::own_robot("panda");
  robot.profile.settings.set("moving_fit.most_rows=" + std::to_string(4000 * robot.model.motor_count()));
  const IdentifyResult result = identify(robot, labelled({made_log(robot, 90.0, 0.4, 3)}, {"all"}));
  ASSERT_TRUE(result.identified);
  const auto said = [](const std::string& note) { return note.starts_with("samples used 4000 of 89"); };
  EXPECT_EQ(std::ranges::count_if(result.notes, said), 1);
  EXPECT_NE(identify_summary(result).dump().find("in 2 windows spread over the logs"), std::string::npos);
  for (const IdentifiedJoint& joint : result.joints) EXPECT_NEAR(joint.offset, 0.1 * joint.motor, 0.1) << joint.joint;
}

TEST(Identify, VelocitiesThatAreNotThoseOfThePositionsAreRefused) {
  const Robot robot = test::own_robot("panda");
  const Episode good = made_log(robot, 20.0, 0.4, 3);
  const auto told = [&](auto spoil) {
    Episode log = good;
    spoil(log.v);
    IdentifyRequest request = labelled({std::move(log)}, {"all"});
    request.check = true;
    try {
      identify(robot, std::move(request));
    } catch (const EpisodeError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(told([](SampleMatrix&) {}), "");
  EXPECT_NE(told([](SampleMatrix& v) { v *= 57.29578; }).find("dq is in degrees per second"), std::string::npos);
  EXPECT_NE(told([](SampleMatrix& v) { v.setZero(); }).find("dq of"), std::string::npos);
  EXPECT_NE(told([](SampleMatrix& v) { v.col(2) *= -1.0; }).find("dq of panda_joint3"), std::string::npos);
  for (const double one : {1000.0, 1e160}) {
    const std::string text = told([one](SampleMatrix& v) { v(700, 3) = one; });
    EXPECT_NE(text.find("dq of panda_joint4"), std::string::npos) << text;
    EXPECT_NE(text.find("at 7 s"), std::string::npos) << text;
  }
}

/// Ctrl-C in Python is looked for where progress is told.
TEST(Identify, TellsItsProgressOftenEnoughToBeEnded) {
  constexpr double kMost = 0.4;  // [s] of this thread's CPU between two: a second is promised on a busy machine
  const Robot robot = test::own_robot("panda");
  for (const bool is_labelled : {true, false}) {
    double last = test::cpu_seconds(), longest = 0.0, share = 0.0;
    IdentifyRequest request = labelled({made_log(robot, 150.0, 0.4, 3)},
                                       is_labelled ? std::vector<std::string>{"all"} : std::vector<std::string>{});
    last = test::cpu_seconds();
    identify(robot, std::move(request), [&](double done) {
      longest = std::max(longest, test::cpu_seconds() - last);
      EXPECT_GE(done, share);
      share = done;
      last = test::cpu_seconds();
    });
    std::cout << "longest without a word " << longest << " s of CPU\n";
    EXPECT_LT(longest, kMost);
    EXPECT_EQ(share, 1.0);
  }
}

}  // namespace
}  // namespace antaeus
