#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>

#include "antaeus/core/possible.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/trust/frame_wrench.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

using test::kWrists;

constexpr Reasons kOfInput = Reason::position_out_of_limits | Reason::position_jump | Reason::dead_torque |
                             Reason::orientation_contradicts | Reason::accelerometer_scale | Reason::no_clock;
constexpr double kHalfTurn = 3.141592653589793;

// --- one channel lies ------------------------------------------------------------------------------------------------

/// The H1-2 at rest at motor zero, with the noise of its sensors; one channel lies from `kOnset` on.
struct ChannelFault {
  const char* name;
  Reason reason;
  double within;  ///< [s] stated time; 0: two samples
  std::function<void(Observation&, double& clock, double since)> inject;
};
constexpr double kOnset = 1.0;  // [s]

class InputFaults : public testing::Test {
 protected:
  Observation still(double time) {
    Observation o;
    o.time = time;
    o.q = robot_.pose("zero");
    o.v = VectorX::Zero(27);
    o.tau = VectorX::Zero(27);
    o.has_imu = o.has_gyro = o.has_accelerometer = true;
    o.tau = reader_.at(o).gravity_torque() + random_.vector(27, 0.05);
    o.q += random_.vector(27, 1e-4);
    o.v = random_.vector(27, 0.005);
    o.imu_angular_velocity = random_.vector(3, 0.005);
    o.imu_specific_force = Vector3(0, 0, 9.81) + random_.vector(3, 0.05);
    return o;
  }

  Robot robot_ = test::own_robot("h1_2");
  InstantReader reader_{robot_, kWrists};
  test::RandomStates random_{412};
};

TEST_F(InputFaults, EachIsRefusedByItsNameAtAnyRate) {
  const VectorX frozen = still(0.0).tau;
  const auto jump = [](double by) { return [by](Observation& o, double&, double) { o.q[13] += by; }; };
  const auto clock_is = [](double at) { return [at](Observation&, double& clock, double) { clock = at; }; };
  const ChannelFault faults[] = {
      {"q[13] jumps by 0.3 rad", Reason::position_jump, 0.0, jump(0.3)},
      {"q[13] jumps by 0.5 rad", Reason::position_jump, 0.0, jump(0.5)},
      {"q[13] jumps by π", Reason::position_jump, 0.0, jump(kHalfTurn)},
      {"q[13] is 1e6 rad off", Reason::position_out_of_limits, 0.0, jump(1e6)},
      {"q[16] is 1e300 rad", Reason::position_out_of_limits, 0.0,
       [](Observation& o, double&, double) { o.q[16] = 1e300; }},
      {"dead bus", Reason::dead_torque, 0.0601, [](Observation& o, double&, double) { o.tau.setZero(); }},
      {"frozen torques", Reason::dead_torque, 0.0601, [&](Observation& o, double&, double) { o.tau = frozen; }},
      {"one torque stuck", Reason::dead_torque, 0.55,
       [&](Observation& o, double&, double since) {
         o.tau[16] = frozen[16];
         o.v[16] = 0.06;
         o.q[16] += 0.06 * since;
       }},
      {"one torque dead at rest", Reason::dead_torque, 1.05, [](Observation& o, double&, double) { o.tau[16] = 0.0; }},
      {"an arm's torques dead at rest", Reason::dead_torque, 1.05,
       [](Observation& o, double&, double) { o.tau.segment<7>(13).setZero(); }},
      {"one torque frozen at rest", Reason::dead_torque, 1.05,
       [&](Observation& o, double&, double) { o.tau[16] = frozen[16]; }},
      {"quaternion upside down", Reason::orientation_contradicts, 0.0,
       [](Observation& o, double&, double) { o.imu_quaternion_xyzw = {1.0, 0.0, 0.0, 0.0}; }},
      {"accelerometer reversed", Reason::orientation_contradicts, 0.0,
       [](Observation& o, double&, double) { o.imu_specific_force *= -1.0; }},
      {"accelerometer in g", Reason::accelerometer_scale, 0.7,
       [](Observation& o, double&, double) { o.imu_specific_force /= 9.81; }},
      {"no clock", Reason::stale, 0.0, clock_is(kNaN)},
      {"clock at −∞", Reason::stale, 0.0, clock_is(-kInfinity)},
      {"clock at ∞", Reason::stale, 0.0, clock_is(kInfinity)},
      {"sample from the future", Reason::stale, 0.0, [](Observation&, double& clock, double) { clock -= 3600.0; }},
      {"old sample", Reason::stale, 0.0, [](Observation&, double& clock, double) { clock += 3600.0; }},
      {"no stamp", Reason::no_clock, 0.0, [](Observation& o, double&, double) { o.time = kNaN; }},
      {"stamp at ∞", Reason::no_clock, 0.0, [](Observation& o, double&, double) { o.time = kInfinity; }},
  };
  for (const double rate : {50.0, 500.0}) {
    for (const ChannelFault& fault : faults) {
      SCOPED_TRACE(std::string(fault.name) + ", " + std::to_string(rate) + " Hz, " + random_.text());
      GuardedEstimator guarded(robot_, kWrists);
      int i = 0;
      for (; i < kOnset * rate; ++i) guarded.update(still(i / rate));
      ASSERT_EQ(guarded.results()[0].state, Verdict::ok) << guarded.results()[0].reasons.text();
      double named = kNaN;
      int samples = 0, good = 0;
      for (const int first = i; (i - first) / rate < 1.2; ++i) {
        Observation o = still(i / rate);
        double clock = o.time;
        fault.inject(o, clock, (i - first) / rate);
        const ConsumerWrench& read = guarded.update(o, clock)[0];
        EXPECT_TRUE(read.wrench.is_finite());
        if (std::isnan(named)) ++samples;
        if (std::isnan(named) && read.reasons.has(fault.reason)) {
          named = (i - first) / rate;
          EXPECT_EQ(read.state, Verdict::refused);
        }
        good += !std::isnan(named) && read.state != Verdict::refused;
      }
      EXPECT_EQ(good, 0) << "refused as long as it lasts";
      if (fault.within == 0.0) {
        EXPECT_LE(samples, 2);
      } else {
        EXPECT_LE(named, fault.within);
      }
    }
  }
}

/// One sample with a number that no robot can have: refused, and gone. Filters that took it in said so for seconds.
TEST_F(InputFaults, AnOutlierThatCannotBeIsForgotten) {
  const std::pair<const char*, std::function<void(Observation&)>> outliers[] = {
      {"v 1e20", [](Observation& o) { o.v[16] = 1e20; }},
      {"v 1e100", [](Observation& o) { o.v[16] = -1e100; }},
      {"v at its bound", [](Observation& o) { o.v[16] = kImpossibleSpeed; }},
      {"v 1e300", [](Observation& o) { o.v.setConstant(1e300); }},
      {"q 1e200", [](Observation& o) { o.q[16] = 1e200; }},
      {"a 1e30", [](Observation& o) { o.a = VectorX::Constant(27, 1e30); }},
      {"tau 1e300", [](Observation& o) { o.tau[16] = 1e300; }},
      {"gyro 1e150", [](Observation& o) { o.imu_angular_velocity[1] = 1e150; }},
      {"accelerometer 1e300", [](Observation& o) { o.imu_specific_force[2] = 1e300; }},
      {"all 1e308",
       [](Observation& o) {
         o.v.setConstant(1e308);
         o.tau.setConstant(1e308);
         o.imu_angular_velocity.setConstant(1e308);
         o.imu_specific_force.setConstant(1e308);
       }},
  };
  for (const double rate : {50.0, 500.0}) {
    for (const auto& [name, spoil] : outliers) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(rate) + " Hz, " + random_.text());
      GuardedEstimator guarded(robot_, kWrists), never(robot_, kWrists);
      int i = 0;
      for (; i / rate < 1.0; ++i) {
        const Observation o = still(i / rate);
        guarded.update(o);
        never.update(o);
      }
      ASSERT_EQ(guarded.results()[0].state, Verdict::ok) << guarded.results()[0].reasons.text();
      Observation bad = still(i / rate);
      spoil(bad);
      EXPECT_EQ(guarded.update(bad)[0].state, Verdict::refused);
      EXPECT_EQ(guarded.residual().status, Status::not_finite);
      EXPECT_TRUE(guarded.results()[0].wrench.is_finite());
      const int first = ++i;
      double back = kNaN;
      for (; (i - first) / rate < 1.0; ++i) {
        const Observation o = still(i / rate);
        guarded.update(o);
        never.update(o);
        if (std::isnan(back) && guarded.results()[0].state == Verdict::ok) back = (i - first) / rate;
      }
      EXPECT_LE(back, 0.5);
      EXPECT_EQ(guarded.residual().value, never.residual().value) << "as if it had never come, to the bit";
    }
  }
}

/// Just below the bound nothing is refused for being impossible: what filters keep of it is gone within a second.
TEST_F(InputFaults, AnOutlierBelowTheBoundIsForgottenInASecond) {
  GuardedEstimator guarded(robot_, kWrists);
  int i = 0;
  for (; i < 500; ++i) guarded.update(still(i / 500.0));
  Observation bad = still(i / 500.0);
  bad.v[16] = 0.999 * kImpossibleSpeed;
  bad.tau[16] = 0.999 * kImpossibleTorque;
  EXPECT_EQ(guarded.update(bad)[0].state, Verdict::refused);
  const int first = ++i;
  while (guarded.update(still(i / 500.0))[0].state != Verdict::ok && i < first + 1000) ++i;
  std::printf("ok again after %.3f s\n", (i - first) / 500.0);
  EXPECT_LE(i - first, 500);
}

TEST_F(InputFaults, AFirstSampleWithoutATimeIsRefused) {
  for (const double time : {kNaN, kInfinity, -kInfinity}) {
    for (const bool velocity : {true, false}) {
      GuardedEstimator guarded(robot_, kWrists);
      Observation o = still(time);
      if (!velocity) o.v.resize(0);
      EXPECT_EQ(guarded.update(o)[0].state, Verdict::refused);
      EXPECT_TRUE(guarded.results()[0].reasons.has(Reason::no_clock)) << guarded.results()[0].reasons.text();
    }
  }
  // Estimators alone need no clock: what they say without one is static, and still said.
  ResidualEstimator residual(robot_);
  Observation o = still(kNaN);
  EXPECT_EQ(residual.form(reader_.at(o)).status, Status::ok);
  EXPECT_EQ(residual.residual().kind, ResidualKind::static_gravity);
}

TEST_F(InputFaults, TheDropInRefusesPositionsThatCannotBe) {
  for (const FrameWrenchMethod method : {FrameWrenchMethod::posterior, FrameWrenchMethod::deployed}) {
    FrameWrenchEstimator drop_in(robot_, method);
    const Observation good = still(0.0);
    const WrenchEstimate& read = drop_in.get_frame_wrench(kWrists[0], good.q, good.tau);
    EXPECT_LT(read.verdict, Verdict::refused);
    EXPECT_FALSE(read.reasons.has_any(kOfInput)) << read.reasons.text();
    for (const double position : {1e300, -1e6, 9.0}) {
      VectorX q = good.q;
      q[13] = position;
      for (const std::string& frame : kWrists) {
        const WrenchEstimate& bad = drop_in.get_frame_wrench(frame, q, good.tau);
        EXPECT_GE(bad.verdict, Verdict::refused) << position;
        EXPECT_TRUE(bad.reasons.has(Reason::position_out_of_limits)) << bad.reasons.text();
      }
    }
    // Calls without a clock compare nothing with the call before.
    EXPECT_LT(drop_in.get_frame_wrench(kWrists[0], robot_.pose("arm_waist_target"), good.tau).verdict,
              Verdict::refused);
    EXPECT_LT(drop_in.get_frame_wrench(kWrists[0], good.q, good.tau).verdict, Verdict::refused);
  }
}

/// A fifth of the samples lost at random, none in a row beyond maximum_gap: the robot is quiet, and stays `ok`.
TEST_F(InputFaults, LostSamplesLeaveAQuietRobotOk) {
  for (const double lost : {0.0, 0.2}) {
    for (const double rate : {500.0, 250.0}) {
      SCOPED_TRACE(std::to_string(rate) + " Hz, lost " + std::to_string(lost) + ", " + random_.text());
      GuardedEstimator guarded(robot_, kWrists);
      int samples = 0, ok = 0, dynamic = 0;
      double worst = 0.0;
      for (int i = 0; i / rate < 20.0; ++i) {
        if (i > 0 && random_.vector(1)[0] < 2.0 * lost - 1.0) continue;
        guarded.update(still(i / rate));
        if (i / rate < 1.0) continue;
        ++samples;
        dynamic += guarded.residual().kind == ResidualKind::inverse_dynamics;
        ok += guarded.results()[0].state == Verdict::ok;
        worst = std::max(worst, guarded.estimates()[0].wrench.force.norm());
      }
      std::printf("%.0f Hz, %.0f %% lost: inverse dynamics %.4f, ok %.4f of samples, phantom up to %.2f N\n", rate,
                  100 * lost, 1.0 * dynamic / samples, 1.0 * ok / samples, worst);
      EXPECT_EQ(dynamic, samples);
      EXPECT_EQ(ok, samples);
    }
  }
}

// --- nothing lies ----------------------------------------------------------------------------------------------------

struct Largest {
  InputShares shares;
  double torque_rate = 0.0;
  void take(const InputShares& s) {
    for (double InputShares::* field :
         {&InputShares::position, &InputShares::jump, &InputShares::dead, &InputShares::stuck, &InputShares::still,
          &InputShares::tilt, &InputShares::turn, &InputShares::scale}) {
      shares.*field = std::max(shares.*field, s.*field);
    }
  }
  void print(const std::string& name) const {
    std::printf("%-34s position %.2f jump %.2f dead %.2f stuck %.2f still %.2f tilt %.2f turn %.2f scale %.2f\n",
                name.c_str(), shares.position, shares.jump, shares.dead, shares.stuck, shares.still, shares.tilt,
                shares.turn, shares.scale);
  }
};

void expect_nothing_of_input(const Robot& robot, const Episode& episode, const std::string& name) {
  SCOPED_TRACE(name);
  GuardedEstimator guarded(robot, kWrists);
  Observation observation;
  Largest largest;
  for (Eigen::Index i = 0; i < episode.steps(); ++i) {
    episode.observe(i, observation);
    for (const ConsumerWrench& read : guarded.update(observation)) {
      ASSERT_FALSE(read.reasons.has_any(kOfInput)) << i << ": " << read.reasons.text();
    }
    for (const Reasons& motor : guarded.input().motors) ASSERT_TRUE(motor.empty()) << i << ": " << motor.text();
    largest.take(guarded.input().shares);
  }
  largest.print(name);
  for (const Note& note : episode.notes) EXPECT_NE(note.code, NoteCode::loop_refuses) << note_text(note);
}

TEST(NoFalseInputFindings, InTheTwins) {
  const Robot robot = test::own_robot("h1_2");
  for (const TwinKind kind : {TwinKind::pushes, TwinKind::good, TwinKind::incident}) {
    for (const double rate : {50.0, 500.0}) {
      for (const double noise : {0.0, 1.0}) {
        TwinOptions options{.rate = rate, .torque_noise = 0.2 * noise, .inertial = true};
        options.gyro_noise = 0.01 * noise;
        options.accelerometer_noise = 0.2 * noise;
        options.friction = noise;
        options.imu_tilt = 0.05 * noise;
        expect_nothing_of_input(robot, make_twin(robot, kind, options).episode,
                                std::string(to_string(kind)) + " at " + std::to_string(static_cast<int>(rate)) + " Hz" +
                                    (noise > 0 ? ", noise" : ""));
      }
    }
  }
}

/// Rows of numbers, whatever separates them; lines that begin with none are left out.
std::vector<std::vector<double>> rows_of(const std::filesystem::path& file) {
  std::vector<std::vector<double>> rows;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    std::vector<double> row;
    for (double number = 0.0; numbers >> number;) row.push_back(number);
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

void check_incident_logs() {
  const Robot robot = test::own_robot("h1_2");
  for (const char* name : {"re1_real_encode", "re1_real_no_encode", "re2_real_encode", "re3_real_encode_tr1",
                           "re3_real_no_encode_tr1", "re3_real_no_encode_tr2"}) {
    expect_nothing_of_input(robot, load_episode(test::shared_folder() / "episodes" / name, robot), name);
  }
}

void check_hopping_leg() {
  const std::filesystem::path folder = test::shared_folder() / "measured" / "hopper";
  const Robot robot = load_robot((folder / "teststand.urdf").string(), MeshPolicy::ignored);
  InputChecks checks(robot);
  std::map<double, std::vector<double>> torques;
  for (const auto& row : rows_of(folder / "long_joint_torques.dat")) torques[row[0]] = {row[1], row[2]};
  Largest largest;
  int steps = 0;
  Observation o;
  for (const auto& row : rows_of(folder / "long_joint_positions.dat")) {
    const auto torque = torques.find(row[0]);
    if (torque == torques.end()) continue;
    o.time = 1e-3 * row[0];
    o.q = Vector3(0.0, row[1], row[2]);
    o.tau = Vector3(0.0, torque->second[0], torque->second[1]);
    ASSERT_TRUE(checks.inspect(o).reasons.empty()) << row[0] << ": " << checks.findings().reasons.text();
    largest.take(checks.findings().shares);
    ++steps;
  }
  EXPECT_GT(steps, 20000);
  largest.print("hopper, 1 kHz");
}

/// Its three wrist joints report an effort of exactly zero nearly always, moving or not: that is found, and nothing
/// else.
void check_tiago() {
  const std::filesystem::path folder = test::shared_folder() / "measured" / "tiago_free";
  constexpr int kJoints = 8;
  std::ostringstream urdf;
  urdf << "<robot name='tiago_arm'><link name='l-1'/>";
  for (int j = 0; j < kJoints; ++j) {
    urdf << "<joint name='j" << j << "' type='" << (j == 0 ? "prismatic" : "revolute") << "'><parent link='l" << j - 1
         << "'/><child link='l" << j << "'/><axis xyz='0 0 1'/><limit lower='" << (j == 0 ? 0 : -3) << "' upper='"
         << (j == 0 ? 0.35 : 3.0) << "' effort='100' velocity='3'/></joint><link name='l" << j
         << "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>";
  }
  urdf << "</robot>";
  test::TemporaryFolder temporary;
  write_file(temporary.path() / "tiago_arm.urdf", urdf.str());
  const Robot robot = load_robot((temporary.path() / "tiago_arm.urdf").string());
  const auto position = rows_of(folder / "tiago_position.csv"), velocity = rows_of(folder / "tiago_velocity.csv"),
             effort = rows_of(folder / "tiago_effort.csv");
  ASSERT_EQ(position.size(), velocity.size());
  ASSERT_EQ(position.size(), effort.size());
  const auto joints = [](const std::vector<double>& row) { return Eigen::Map<const VectorX>(row.data() + 1, kJoints); };
  for (const bool measured : {true, false}) {
    InputChecks checks(robot);
    Largest largest;
    std::vector<int> dead(kJoints);
    Observation o;
    for (std::size_t i = 0; i < position.size(); ++i) {
      o.time = position[i][0];
      o.q = joints(position[i]);
      o.tau = joints(effort[i]);
      if (measured) o.v = joints(velocity[i]);
      ASSERT_TRUE(checks.inspect(o).reasons.empty()) << i << ": " << checks.findings().reasons.text();
      for (int j = 0; j < kJoints; ++j) dead[j] += !checks.findings().motors[j].empty();
      largest.take(checks.findings().shares);
    }
    for (int j = 0; j < 5; ++j) EXPECT_EQ(dead[j], 0) << j;
    EXPECT_EQ(dead[5] + dead[6] + dead[7] > 0, measured);
    largest.print(measured ? "tiago, 100 Hz" : "tiago, 100 Hz, no velocity");
  }
}

/// Checks every recorded log that is available, then skips if one is missing.
TEST(NoFalseInputFindings, InRecordedLogs) {
  const std::pair<const char*, void (*)()> logs[] = {
      {"episodes", check_incident_logs}, {"measured/hopper", check_hopping_leg}, {"measured/tiago_free", check_tiago}};
  for (const auto& [folder, check] : logs) {
    SCOPED_TRACE(folder);
    if (std::filesystem::exists(test::shared_folder() / folder)) check();
  }
  for (const auto& [folder, check] : logs) ANTAEUS_REQUIRE_SHARED(folder);
}

}  // namespace
}  // namespace antaeus
