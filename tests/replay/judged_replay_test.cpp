// Verdicts and reasons of a log's replay against the loop, sample by sample.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/replay/replay.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "replay/batch_states.hpp"
#include "replay/tolerances.hpp"
#include "support/limbs.hpp"
#include "support/made_up_noise.hpp"
#include "support/temporary_folder.hpp"

namespace antaeus {
namespace {

using test::kWrists;
using test::RandomStates;

std::string message_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

/// Of a posterior's numbers, relative to the largest of them and to 1 N: the rounding of tolerance::kBatchParity,
/// through rows that are weighed by the smallest sd, some progress_steps of a newton metre, against priors of 20 N.
constexpr tolerance::Tolerance kPosteriorParity{1e-11};

/// What is said of each state, endpoint after endpoint.
struct Said {
  std::vector<Status> status;
  std::vector<Verdict> verdict;
  std::vector<Reasons> reasons;
  std::vector<int> near;
  std::vector<double> posterior;
};

/// The loop over a log.
Said in_loop(const Robot& robot, const std::vector<std::string>& endpoints, ReplayPosterior options,
             const Episode& log) {
  InstantReader reader(robot, endpoints, options.instant);
  options.residual.kind = ResidualChoice::static_gravity;
  options.residual.covariance_period = 0.0;
  ResidualEstimator residual(robot, options.residual);
  PosteriorEstimator estimator(reader, options.posterior);
  Said said;
  Observation observation;
  for (Eigen::Index i = 0; i < log.steps(); ++i) {
    log.observe(i, observation);
    const Residual& r = residual.form(reader.at(observation));
    said.status.push_back(r.status);
    for (const WrenchEstimate& estimate : estimator.solve(r)) {
      said.verdict.push_back(estimate.verdict);
      said.reasons.push_back(estimate.reasons);
      const Vector6 w = estimate.wrench.to_vector();
      said.posterior.insert(said.posterior.end(), w.begin(), w.end());
    }
  }
  return said;
}

/// Room for a whole log's results.
ReplayOutput room(Said& said, std::ptrdiff_t states, int endpoints) {
  const auto n = static_cast<std::size_t>(states), each = n * static_cast<std::size_t>(endpoints);
  said.status.resize(n);
  said.verdict.resize(each);
  said.reasons.resize(each);
  said.near.resize(each);
  said.posterior.resize(6 * each);
  ReplayOutput out;
  out.status = said.status;
  out.verdict = {said.verdict};
  out.reasons = {said.reasons};
  out.near_limits = {said.near};
  out.posterior = {said.posterior};
  return out;
}

Said replayed(BatchReplay& replay, const Episode& log) {
  Said said;
  replay.run(log, room(said, log.steps(), replay.model().endpoint_count()));
  return said;
}

/// \return how often each verdict and each reason was said
std::map<std::string, int> expect_same(const Said& replay, const Said& loop, std::ptrdiff_t close_calls) {
  std::map<std::string, int> said;
  const std::size_t endpoints = loop.verdict.size() / loop.status.size();
  std::ptrdiff_t close = 0, other = 0;
  EXPECT_EQ(replay.status.size(), loop.status.size());
  for (std::size_t i = 0; i < loop.status.size(); ++i) {
    EXPECT_EQ(replay.status[i], loop.status[i]) << "state " << i;
    for (std::size_t k = i * endpoints; k < (i + 1) * endpoints; ++k) {
      ++said[std::string(to_string(loop.verdict[k]))];
      for (std::uint64_t bits = loop.reasons[k].bits(); bits != 0; bits &= bits - 1) {
        ++said[Reasons::from_bits(bits & (~bits + 1)).text()];
      }
      const double size = std::max(1.0, Eigen::Map<const Vector6>(&loop.posterior[6 * k]).norm());
      const double error =
          (Eigen::Map<const Vector6>(&replay.posterior[6 * k]) - Eigen::Map<const Vector6>(&loop.posterior[6 * k]))
              .norm();
      EXPECT_TRUE(loop.verdict[k] == Verdict::invalid_input ? std::isnan(error) : error <= kPosteriorParity * size)
          << "state " << i << ": " << error / size;
      const bool is_same = replay.verdict[k] == loop.verdict[k] && replay.reasons[k] == loop.reasons[k];
      close += replay.near[k] > 0;
      other += !is_same;
      if (is_same || replay.near[k] > 0) continue;
      ADD_FAILURE() << "state " << i << ", endpoint " << k % endpoints << ": " << to_string(replay.verdict[k]) << " ("
                    << replay.reasons[k].text() << ") and in the loop " << to_string(loop.verdict[k]) << " ("
                    << loop.reasons[k].text() << ")";
      if (testing::Test::HasFatalFailure() || other > 10) return said;
    }
  }
  EXPECT_EQ(close, close_calls);
  std::cout << loop.status.size() << " states, " << endpoints << " endpoints: " << close
            << " near a limit, of these judged otherwise " << other << ";";
  for (const auto& [name, count] : said) std::cout << ' ' << name << ' ' << count;
  std::cout << '\n';
  return said;
}

/// A log at 500 Hz that swings, stands, is pushed and deceived, with everything that a clock and a driver do wrong.
Episode made_up_log(const Robot& robot, const std::vector<std::string>& endpoints, int steps, RandomStates& random) {
  const int motors = robot.model.motor_count();
  const bool floating = robot.model.base() == Base::free_flyer;
  InstantReader reader(robot, endpoints);
  Episode log;
  log.name = "made up";
  log.time.resize(steps);
  for (SampleMatrix* channel : {&log.q, &log.tau, &log.v}) channel->setZero(steps, motors);
  if (floating) log.imu_quaternion.setZero(steps, 4);
  if (floating) log.imu_angular_velocity.setZero(steps, 3);
  const VectorX phase = random.vector(motors, 3.0), rate = random.vector(motors, 3.0),
                middle = random.vector(motors, 0.8);
  Observation observation;
  double clock = 0.0;
  for (int i = 0; i < steps; ++i) {
    // It swings for a second, then stands for one.
    const double local = std::min(std::fmod(clock, 2.0), 1.0), still = clock - std::fmod(clock, 2.0) + local;
    const bool swings = local < 1.0;
    for (int m = 0; m < motors; ++m) {
      log.q(i, m) = middle[m] + 0.4 * std::sin(rate[m] * still + phase[m]);
      log.v(i, m) = swings ? 0.4 * rate[m] * std::cos(rate[m] * still + phase[m]) : 0.0;
    }
    log.time[i] = clock;
    observation.q = log.q.row(i);
    observation.tau = VectorX::Zero(motors);
    if (floating) {
      const Eigen::Quaterniond tilt(Eigen::AngleAxisd(0.2 * std::sin(clock), Vector3(0.6, 0.8, 0.0)));
      log.imu_quaternion.row(i) << tilt.x(), tilt.y(), tilt.z(), tilt.w();
      observation.has_imu = true;
      observation.imu_quaternion_xyzw = log.imu_quaternion.row(i);
      if (i % 700 > 650) log.imu_angular_velocity(i, 1) = 0.3;  // the base turns under still joints
      if (i % 97 == 5) log.imu_angular_velocity(i, 0) = kNaN;   // a driver's missing sample
    }
    const Instant& now = reader.at(observation);
    VectorX tau = now.gravity_torque();
    for (std::size_t k = 0; k < endpoints.size(); ++k) {
      const bool pushes = (i / 150 + static_cast<int>(k)) % 3 == 0;
      if (pushes) tau += now.jacobian(static_cast<int>(k)).transpose() * random.vector(6, i % 600 < 300 ? 8.0 : 60.0);
    }
    for (int m = 0; m < motors; ++m) {
      tau[m] += robot.profile.figures[static_cast<std::size_t>(m)].torque_sd * random.vector(1)[0];
      if (i % 211 < 12) tau[m] += random.vector(1)[0] * (i % 3 == 0 ? 2.0 : 40.0);                  // no contact's
      if ((i * 7 + m) % 1009 == 0) tau[m] = (m % 2 ? -1.0 : 1.0) * robot.model.effort_limits()[m];  // saturated
    }
    for (int m = 0; m < motors; ++m) {
      // The channel that reads this torque.
      const double offset = robot.profile.joint_torque(static_cast<std::size_t>(m), 0.0);
      log.tau(i, m) = (tau[m] - offset) / (robot.profile.joint_torque(static_cast<std::size_t>(m), 1.0) - offset);
    }
    clock += 0.002;
    if (i % 401 == 400) clock += 0.3;                          // a gap
    if (i % 333 == 332) clock -= i % 2 == 0 ? 0.002 : 0.0031;  // a stamp that repeats, and one that goes back
  }
  log.q(steps / 3, 1) = kNaN;
  log.tau(steps / 2, 0) = kInfinity;
  log.v(steps / 4, 1) = kNaN;
  log.time[steps / 5] = kNaN;
  if (floating) log.imu_quaternion.row(steps / 6) *= 1.02;
  return log;
}

Robot quadruped() {
  std::string text =
      "<robot name=\"quadruped\"><link name=\"trunk\"><inertial><mass value=\"8\"/><inertia ixx=\"0.1\" iyy=\"0.2\" "
      "izz=\"0.2\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
  const auto link = [&](const std::string& name, const std::string& mass) {
    text += "<link name=\"" + name + "\"><inertial><mass value=\"" + mass +
            "\"/><origin xyz=\"0.01 0 -0.1\"/><inertia ixx=\"0.004\" iyy=\"0.004\" izz=\"0.001\" ixy=\"0\" ixz=\"0\" "
            "iyz=\"0\"/></inertial></link>";
  };
  const auto joint = [&](const std::string& name, const std::string& parent, const std::string& child,
                         const std::string& origin, const std::string& axis) {
    text += "<joint name=\"" + name + "\" type=\"revolute\"><parent link=\"" + parent + "\"/><child link=\"" + child +
            "\"/><origin xyz=\"" + origin + "\"/><axis xyz=\"" + axis +
            "\"/><limit lower=\"-2\" upper=\"2\" effort=\"40\" velocity=\"20\"/></joint>";
  };
  for (const auto& [leg, origin] : {std::pair<std::string, std::string>{"fl", "0.2 0.1 0"},
                                    {"fr", "0.2 -0.1 0"},
                                    {"hl", "-0.2 0.1 0"},
                                    {"hr", "-0.2 -0.1 0"}}) {
    link("hip_" + leg, "0.6");
    link("thigh_" + leg, "0.9");
    link("shank_" + leg, "0.3");
    joint("roll_" + leg, "trunk", "hip_" + leg, origin, "1 0 0");
    joint("pitch_" + leg, "hip_" + leg, "thigh_" + leg, "0 0.05 0", "0 1 0");
    joint("knee_" + leg, "thigh_" + leg, "shank_" + leg, "0 0 -0.22", "0 1 0");
    text += "<link name=\"foot_" + leg + "\"/><joint name=\"sole_" + leg + "\" type=\"fixed\"><parent link=\"shank_" +
            leg + "\"/><child link=\"foot_" + leg + "\"/><origin xyz=\"0 0 -0.24\"/></joint>";
  }
  static const test::TemporaryFolder folder;
  RobotProfile profile;
  profile.name = profile.title = "quadruped";
  profile.model = folder.path() / "quadruped.urdf";
  profile.options.base = Base::free_flyer;
  std::ofstream(profile.model) << text << "</robot>";
  return make_robot(std::move(profile));
}

struct JudgedRobot {
  std::string name;
  Robot robot;
  std::vector<std::string> endpoints;
};
/// Robots whose noise is the profile's figures; of the Panda friction was identified too.
std::vector<JudgedRobot> judged_robots() {
  Robot panda = test::own_robot("panda");
  panda.profile.friction = FrictionUse::identified;
  panda.profile.torque_sign = -1.0;
  for (JointFigures& f : panda.profile.figures)
    f.coulomb = 0.3, f.stribeck = 0.1, f.viscous = 0.2, f.friction_offset = 0.05;
  const Robot ur5e = test::own_robot("ur5e");
  return {{"panda", panda, panda.endpoint_frames()},
          {"ur5e", ur5e, ur5e.endpoint_frames()},
          {"quadruped", quadruped(), {"foot_fl", "foot_fr", "foot_hl", "foot_hr"}},
          {"h1_2", test::own_robot("h1_2"), kWrists}};
}

ReplayPosterior settings_of(const Robot& robot, const std::vector<std::string>& endpoints) {
  const Settings settings = robot.settings(endpoints);
  return {.instant = settings.get<InstantOptions>(),
          .residual = settings.get<ResidualOptions>(),
          .posterior = settings.get<PosteriorOptions>()};
}

constexpr int kSteps = 3001;

TEST(JudgedReplay, VerdictsAndReasonsAreThoseOfTheLoop) {
  std::map<std::string, int> said;
  for (const JudgedRobot& subject : judged_robots()) {
    RandomStates random(1201);
    SCOPED_TRACE(subject.name + ", " + random.text());
    const ReplayPosterior options = settings_of(subject.robot, subject.endpoints);
    Episode log = made_up_log(subject.robot, subject.endpoints, kSteps, random);
    for (const bool has_speeds : {true, false}) {
      SCOPED_TRACE(has_speeds ? "with speeds" : "without speeds");
      if (!has_speeds) log.v.resize(0, 0);
      BatchReplay replay = BatchReplay::with_posterior(subject.robot, subject.endpoints, {.threads = 1, .block = 256});
      std::cout << subject.name << ": ";
      const auto judged = replayed(replay, log);
      for (const auto& [name, count] :
           expect_same(judged, in_loop(subject.robot, subject.endpoints, options, log), replay.close_calls())) {
        said[name] += count;
      }
    }
  }
  for (const char* name :
       {"ok", "degraded", "unobservable", "invalid_input", "motion", "motion_unknown", "gap", "time_back", "saturated",
        "uncertain", "unobservable_direction", "inconsistent", "contradiction", "unexplained", "beyond_prior"}) {
    EXPECT_GT(said[name], 0) << name << " is not put to the test";
  }
}

TEST(JudgedReplay, OtherSettingsAreFollowed) {
  const JudgedRobot subject = judged_robots().back();
  RandomStates random(1217);
  SCOPED_TRACE(random.text());
  const Episode log = made_up_log(subject.robot, subject.endpoints, 1500, random);
  Robot robot = subject.robot;
  for (const char* setting :
       {"posterior.contact=force", "posterior.full_use_sd=2", "posterior.observable_sd=15", "posterior.force_prior=40",
        "posterior.false_alarm=0.05", "residual.motion_hold=0.05", "residual.maximum_gap=0.5",
        "residual.saturation_share=0.5", "residual.torque_share=0.1"}) {
    robot.profile.settings.set(setting);
    SCOPED_TRACE(setting);
    BatchReplay replay = BatchReplay::with_posterior(robot, kWrists);
    expect_same(replayed(replay, log), in_loop(robot, kWrists, settings_of(robot, kWrists), log), replay.close_calls());
  }
}

/// Limbs that do not sense every direction by their build.
TEST(JudgedReplay, LimbsThatSenseLessAreJudgedAlike) {
  RandomStates random(29);
  SCOPED_TRACE(random.text());
  const Robot robots[] = {test::planar_leg(), test::limb({{"0 0 1"}, {"0 1 0"}}, "0.4 0 0"),
                          test::limb({{"0 0 1"}}, "0.4 0 0")};
  for (const Robot& robot : robots) {
    ReplayPosterior options;
    options.residual.noise = NoiseUse::assumed;
    options.posterior.contact = ContactKind::force;
    const Episode log = made_up_log(robot, {"tip"}, 3000, random);
    BatchReplay replay = BatchReplay::with_posterior(robot, {"tip"}, {}, options);
    const Said by_replay = replayed(replay, log);
    const auto said = expect_same(by_replay, in_loop(robot, {"tip"}, options, log), replay.close_calls());
    EXPECT_GT(said.contains("ok") ? said.at("ok") : 0, 100);
  }
}

TEST(JudgedReplay, AStatisticAtItsLimitIsCounted) {
  const Robot robot = test::own_robot("h1_2");
  RandomStates random(1229);
  SCOPED_TRACE(random.text());
  const Episode log = made_up_log(robot, kWrists, 40, random);
  ReplayPosterior options = settings_of(robot, kWrists);
  std::vector<double> sd(static_cast<std::size_t>(6 * log.steps()));
  ReplayOutput out;
  out.force_sd = {sd};
  BatchReplay::with_posterior(robot, kWrists, {}, options).run(log, out);
  // State 30, right wrist: the worst direction is exactly as bad as it may be.
  options.posterior.observable_sd = 1e3;
  options.posterior.full_use_sd = sd[30 * 6 + 5];
  BatchReplay replay = BatchReplay::with_posterior(robot, kWrists, {}, options);
  const Said said = replayed(replay, log);
  EXPECT_EQ(said.near[2 * 30 + 1], 1);
  EXPECT_GE(replay.close_calls(), 1);
  expect_same(said, in_loop(robot, kWrists, options, log), replay.close_calls());
}

bool same(const Said& a, const Said& b) {
  return a.status == b.status && a.verdict == b.verdict && a.reasons == b.reasons && a.near == b.near &&
         test::same_bits(a.posterior, b.posterior);
}

TEST(JudgedReplay, EveryNumberOfThreadsEveryBlockAndEverySliceGivesTheSameBits) {
  for (const JudgedRobot& subject : judged_robots()) {
    RandomStates random(1223);
    SCOPED_TRACE(subject.name + ", " + random.text());
    const Episode log = made_up_log(subject.robot, subject.endpoints, 1501, random);
    const int endpoints = static_cast<int>(std::ssize(subject.endpoints));
    BatchReplay first = BatchReplay::with_posterior(subject.robot, subject.endpoints, {.threads = 1});
    const Said expected = replayed(first, log);
    EXPECT_TRUE(same(replayed(first, log), expected)) << "history begins anew";
    for (const int threads : {1, 3}) {
      for (const int block : {1, 7, 256, 4096}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, block " + std::to_string(block));
        BatchReplay replay =
            BatchReplay::with_posterior(subject.robot, subject.endpoints, {.threads = threads, .block = block});
        EXPECT_TRUE(same(replayed(replay, log), expected));
        Said streamed;
        const ReplayOutput all = room(streamed, log.steps(), endpoints);
        replay.stream(log, {"verdict", "reasons", "near_limits", "posterior"}, [&](const ReplayBlock& part) {
          const ReplayOutput to = block_of(all, BatchSizes(replay.model()), part.first, part.in.count);
          std::ranges::copy(part.out.status, to.status.begin());
          std::ranges::copy(part.out.verdict.values, to.verdict.values.begin());
          std::ranges::copy(part.out.reasons.values, to.reasons.values.begin());
          std::ranges::copy(part.out.near_limits.values, to.near_limits.values.begin());
          std::ranges::copy(part.out.posterior.values, to.posterior.values.begin());
        });
        EXPECT_TRUE(same(streamed, expected));
      }
    }
    // Slices of arrays, one call after another. A gyro's NaN is a missing one in an episode, and none in an array.
    Episode clean = log;
    for (Eigen::Index i = 0; i < clean.imu_angular_velocity.rows(); ++i) {
      if (!clean.imu_angular_velocity.row(i).allFinite()) clean.imu_angular_velocity.row(i).setZero();
    }
    const Said whole = replayed(first, clean);
    const auto rows = [](const auto& channel) -> BatchRowsOf<const double> {
      return {std::span<const double>(channel.data(), static_cast<std::size_t>(channel.size()))};
    };
    ReplayInput in;
    in.count = clean.steps();
    in.q = rows(clean.q);
    in.tau = rows(clean.tau);
    in.v = rows(clean.v);
    in.imu_quaternion_xyzw = rows(clean.imu_quaternion);
    in.imu_angular_velocity = rows(clean.imu_angular_velocity);
    in.time = rows(clean.time);
    Said sliced;
    const BatchSizes sizes(first.model());
    const ReplayOutput out = room(sliced, clean.steps(), endpoints);
    for (std::ptrdiff_t at = 0; at < in.count; at += 333) {
      const std::ptrdiff_t count = std::min<std::ptrdiff_t>(333, in.count - at);
      first.run(block_of(in, sizes, at, count), block_of(out, sizes, at, count));
    }
    EXPECT_TRUE(same(sliced, whole));
  }
}

/// Robots with identified noise of every kind: the H1-2's own, of held poses and of moving arms, with limits that were
/// seen, without a motion term.
std::vector<JudgedRobot> identified() {
  std::vector<JudgedRobot> all;
  const auto add = [&](const std::string& name, Robot robot, NoiseModel noise) {
    robot.profile.noise = std::make_shared<const NoiseModel>(std::move(noise));
    const std::vector<std::string> endpoints = robot.profile.name == "h1_2" ? kWrists : robot.endpoint_frames();
    all.push_back({name, std::move(robot), endpoints});
  };
  const Robot own = test::shipped_robot("h1_2"), panda = judged_robots().front().robot;
  const int motors = own.model.motor_count();
  add("h1_2, its own", own, *own.profile.noise);
  add("h1_2, held", own, test::made_up_noise(own.model, NoiseOrigin::held_pose, 3, 0.3, 11));
  NoiseModel moving = test::made_up_noise(own.model, NoiseOrigin::moving, 0, 0.0, 12);
  moving.limit = VectorX::Constant(motors, 30.0);
  moving.limit_offset = VectorX::Constant(motors, 0.7);
  moving.limit_sd = VectorX::Constant(motors, 2.0);
  moving.limit_sd[14] = kInfinity;
  add("h1_2, moving, with limits", own, moving);
  moving.motion_sd.resize(0);
  add("h1_2, moving, without a motion term", own, moving);
  add("panda, held", panda, test::made_up_noise(panda.model, NoiseOrigin::held_pose, 1, 0.3, 13));
  add("panda, moving", panda, test::made_up_noise(panda.model, NoiseOrigin::moving, 0, 0.0, 14));
  return all;
}

TEST(JudgedReplay, IdentifiedNoiseIsThatOfTheLoop) {
  std::map<std::string, int> said;
  for (const JudgedRobot& subject : identified()) {
    RandomStates random(1231);
    SCOPED_TRACE(subject.name + ", " + random.text());
    const ReplayPosterior options = settings_of(subject.robot, subject.endpoints);
    Episode log = made_up_log(subject.robot, subject.endpoints, 1501, random);
    for (const bool has_speeds : {true, false}) {
      SCOPED_TRACE(has_speeds ? "with speeds" : "without speeds");
      if (!has_speeds) log.v.resize(0, 0);
      BatchReplay replay = BatchReplay::with_posterior(subject.robot, subject.endpoints, {.threads = 2, .block = 100});
      std::cout << subject.name << ": ";
      const auto judged = replayed(replay, log);
      for (const auto& [name, count] :
           expect_same(judged, in_loop(subject.robot, subject.endpoints, options, log), replay.close_calls())) {
        said[name] += count;
      }
    }
  }
  for (const char* name : {"ok", "degraded", "motion", "motion_unknown", "gap", "saturated", "inconsistent",
                           "contradiction", "unexplained", "beyond_prior", "outside_identified", "assumed_friction"}) {
    EXPECT_GT(said[name], 0) << name << " is not put to the test";
  }
}

TEST(JudgedReplay, WhatOnlyALoopCanDoIsRefusedAtSetUp) {
  const auto refused = [](const std::string& setting) {
    Robot robot = test::own_robot("h1_2");
    robot.profile.settings.set(setting);
    return message_of([&] { BatchReplay::with_posterior(robot, kWrists); });
  };
  for (const char* setting :
       {"posterior.rows=all", "posterior.rows=all_and_base", "posterior.want=xz", "residual.kind=inverse_dynamics",
        "residual.kind=momentum_observer", "residual.tare_at=1"}) {
    const std::string text = refused(setting), name = std::string(setting).substr(0, std::string(setting).find('='));
    EXPECT_EQ(text.substr(0, name.size()), name) << text;
    EXPECT_NE(text.find("antaeus estimate"), std::string::npos) << text;
    EXPECT_NE(text.find(name), std::string::npos) << text;
  }
  EXPECT_EQ(refused("residual.kind=static"), "nothing thrown");
  EXPECT_EQ(refused("posterior.reference=innovation"), "nothing thrown") << "own rows leave it out anyway";
  const Robot robot = test::own_robot("h1_2");
  EXPECT_EQ(
      message_of([&] { BatchReplay::with_posterior(robot, {"left_wrist_yaw_link", "left_elbow_link"}); }).substr(0, 9),
      "endpoints");

  BatchReplay replay = BatchReplay::with_posterior(robot, kWrists), plain(robot, kWrists);
  const std::vector<double> q(27, 0.1), three(3, 0.0), upright = {0, 0, 0, 1};
  const auto place = [&](BatchReplay& of, const std::function<void(ReplayInput&, ReplayOutput&)>& change) {
    Said said;
    ReplayInput in;
    in.count = 1;
    in.q = in.tau = {q};
    in.imu_quaternion_xyzw = {upright};
    ReplayOutput out = room(said, 1, 2);
    change(in, out);
    const std::string text = message_of([&] { of.run(in, out); });
    return text.substr(0, text.find(':'));
  };
  EXPECT_EQ(place(replay, [](ReplayInput&, ReplayOutput&) {}), "nothing thrown");
  EXPECT_EQ(place(replay, [](ReplayInput& in, ReplayOutput&) { in.imu_quaternion_xyzw = {}; }), "residual.tilt_sd");
  EXPECT_EQ(place(replay, [&](ReplayInput& in, ReplayOutput&) { in.variance = {q}; }), "variance");
  EXPECT_EQ(place(replay, [&](ReplayInput& in, ReplayOutput&) { in.tau = {}; }), "tau");
  EXPECT_EQ(place(replay, [&](ReplayInput& in, ReplayOutput&) { in.time = {three}; }), "time");
  EXPECT_EQ(place(replay, [&](ReplayInput& in, ReplayOutput&) { in.v = {three}; }), "v");
  EXPECT_EQ(place(replay, [&](ReplayInput& in, ReplayOutput&) { in.base_angular_acceleration = {three}; }),
            "base_angular_acceleration");
  EXPECT_EQ(place(replay, [](ReplayInput&, ReplayOutput& out) { out.verdict.values = out.verdict.values.first(1); }),
            "verdict");
  EXPECT_EQ(place(plain, [](ReplayInput&, ReplayOutput& out) { out = ReplayOutput(); }), "nothing thrown");
  EXPECT_EQ(place(plain, [](ReplayInput&, ReplayOutput& out) { out.posterior = {}, out.near_limits = {}; }), "verdict");
  EXPECT_EQ(place(plain,
                  [&](ReplayInput& in, ReplayOutput& out) {
                    in.time = {std::span<const double>(three).first(1)};
                    out = ReplayOutput();
                  }),
            "time");
}

}  // namespace
}  // namespace antaeus
