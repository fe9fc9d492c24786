#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/identification/held/held_pose.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "identification/humanoid_runs.hpp"
#include "robot/test_robots.hpp"
#include "support/alarm_rate.hpp"
#include "support/coloured_draw.hpp"
#include "support/normal_numbers.hpp"
#include "support/shared.hpp"
#include "support/soak.hpp"

// What the estimator itself, from log to verdict, says of the H1-2's runs with noise that was identified on the others:
// its tests' alarms, their power, and its lies (usable, no alarm, truth outside of the 95 % ellipsoid), with the
// profile's assumed figures beside.

namespace antaeus {
namespace {

using test::kAfterPushes;
using test::kContactFree;
using test::kToTheEnd;
using test::kWrists;
using Span = test::RunSpan;

constexpr double kEngaged = 2.5;
constexpr int kTorso = 12;

/// Shares of a span's samples.
struct Alarms {
  double samples = 0.0, reference = 0.0, misfit = 0.0, contact = 0.0, nis = 0.0, refusing = 0.0;
  Eigen::Index first_reference = -1, first = -1, first_outside = -1;  ///< steps; first: kTestAlarm
};

class IdentifiedTests : public test::HumanoidRuns {
 public:
  void check_uneventful_runs();
  void check_reference_row();
  void check_incident();
  void check_offsets_of_good_runs();

 protected:
  /// \param at_rest  counts only samples at which the legs and the torso stand still
  Alarms watch(const Robot& robot, const Span& span, const PosteriorOptions& options, double fault = 0.0,
               bool at_rest = false) {
    InstantReader reader(robot, kWrists);
    ResidualEstimator residual(robot);
    PosteriorEstimator posterior(reader, options);
    const Episode& log = episode(span.run);
    Observation observation;
    Alarms alarms;
    for (Eigen::Index step = 0; step < log.steps(); ++step) {
      log.observe(step, observation);
      observation.tau[kTorso] += fault;
      const PosteriorEstimates& estimates = posterior.solve(residual.form(reader.at(observation)));
      const double time = log.time[step] - log.time[0];
      if (time < span.from || time > span.to) continue;
      if (at_rest && residual.envelope()->share() > 0.0) continue;
      const auto any = [&](auto&& test) { return test(estimates[0]) || test(estimates[1]); };
      const bool reference = any([](const WrenchEstimate& e) { return !e.uncertainty.reference.passes(); });
      const bool refusing = any([](const WrenchEstimate& e) { return e.reasons.has_any(kTestAlarm); });
      ++alarms.samples;
      alarms.reference += reference;
      alarms.misfit += any([](const WrenchEstimate& e) { return !e.uncertainty.misfit.passes(); });
      alarms.contact += any([](const WrenchEstimate& e) { return !e.uncertainty.contact.passes(); });
      alarms.nis += any([](const WrenchEstimate& e) { return !(e.uncertainty.nis <= e.uncertainty.nis_threshold); });
      alarms.refusing += refusing;
      if (reference && alarms.first_reference < 0) alarms.first_reference = step;
      if (refusing && alarms.first < 0) alarms.first = step;
      if (estimates[0].reasons.has(Reason::outside_identified) && alarms.first_outside < 0) alarms.first_outside = step;
    }
    return alarms;
  }
};

PosteriorOptions limits(double per_hour) {
  PosteriorOptions options;
  options.false_alarms_per_hour = per_hour;
  return options;
}

// No test of the estimator alarms in a run in which nothing happened, engagement included, at any rate an hour. With
// assumed figures they do.
void IdentifiedTests::check_uneventful_runs() {
  for (const double rate : {0.0, 60.0, 10.0, 1.0}) {
    double assumed = 0.0, samples = 0.0;
    for (const Span& span : kContactFree) {
      const Alarms held_out = watch(robot_without(span.run), span, limits(rate));
      const Alarms before = watch(robot_, span, limits(rate));
      std::printf(
          "%-24s rate %4.0f: reference %.4f (%.4f) misfit %.4f (%.4f) contact %.4f (%.4f) nis %.4f (%.4f) test alarm "
          "%.4f (%.4f) of %.0f\n",
          span.run.c_str(), rate, held_out.reference / held_out.samples, before.reference / before.samples,
          held_out.misfit / held_out.samples, before.misfit / before.samples, held_out.contact / held_out.samples,
          before.contact / before.samples, held_out.nis / held_out.samples, before.nis / before.samples,
          held_out.refusing / held_out.samples, before.refusing / before.samples, held_out.samples);
      // At 0.5 % a sample one of 4846 alarms, while a run engages.
      EXPECT_LE(held_out.refusing, rate == 0.0 ? 1.0 : 0.0) << span.run << " " << rate;
      EXPECT_EQ(held_out.first_outside, -1) << span.run;
      assumed += before.refusing, samples += before.samples;
    }
    std::printf("rate %.0f, assumed figures: %.4f of samples in alarm\n", rate, assumed / samples);
    EXPECT_GT(assumed, 0.0) << rate;
  }
}

// ±12 N·m at the torso at rest are seen in 95 % of samples at 0.5 %, in each of the five runs; at 60 alarms an hour on
// average.
void IdentifiedTests::check_reference_row() {
  for (const double rate : {0.0, 60.0, 10.0, 1.0}) {
    double of_rate = 0.0;
    for (Span span : kContactFree) {
      const Robot robot = robot_without(span.run);
      span.from = kEngaged;
      for (const double fault : {-12.0, 12.0}) {
        const Alarms alarms = watch(robot, span, limits(rate), fault, true);
        const double power = alarms.reference / alarms.samples;
        std::printf("%-24s rate %4.0f %+.0f N·m: reference %.3f, any that refuses %.3f, misfit %.3f\n",
                    span.run.c_str(), rate, fault, power, alarms.refusing / alarms.samples,
                    alarms.misfit / alarms.samples);
        if (rate == 0.0) {
          EXPECT_GE(power, 0.95) << span.run << " " << fault;
        }
        of_rate += power / 10.0;
      }
    }
    // Four runs tell the torso's spread by Student's t, which 60 alarms an hour leave less of than of a spread that is
    // taken for known: one run of ten cases sees 0.78.
    if (rate == 60.0) {
      EXPECT_GE(of_rate, 0.95);
    }
  }
}

void IdentifiedTests::check_incident() {
  const Span incident{"re3_real_encode_tr1", 0.0, kToTheEnd};
  for (const double rate : {0.0, 60.0, 10.0, 1.0}) {
    const Alarms alarms = watch(robot_without(""), incident, limits(rate));
    std::printf(
        "RE3, rate %.0f: reference first at step %d, first refusing test %d, outside %d; reference %.3f of samples\n",
        rate, static_cast<int>(alarms.first_reference), static_cast<int>(alarms.first),
        static_cast<int>(alarms.first_outside), alarms.reference / alarms.samples);
    EXPECT_GE(alarms.first_reference, 0) << rate;
    EXPECT_EQ(alarms.first_outside, 6);
  }
}

// Lie 1: torque offsets of the good runs, read as forces. A lie: the verdict is no refusal, no test alarms, and zero is
// outside of the 95 % ellipsoid with more than 5 N in the directions called observable. Stretches in which nobody is
// known to have touched the robot.
void IdentifiedTests::check_offsets_of_good_runs() {
  static const double kInside = chi_squared_quantile(0.95, 3);
  for (const bool identified : {false, true}) {
    double lies_of_all = 0.0, all = 0.0;
    for (Span span : {kContactFree[0], kContactFree[1], kAfterPushes[0], kAfterPushes[1], kAfterPushes[2]}) {
      if (span.from == 0.0) span.from = kEngaged;
      const Robot robot = identified ? robot_without(span.run) : robot_;
      GuardedEstimator guarded(robot, kWrists);
      const Episode& log = episode(span.run);
      Observation observation;
      std::array<std::vector<double>, 2> sizes, observable;
      std::array<double, 2> lies{}, used{}, ok{};
      double samples = 0.0;
      for (Eigen::Index step = 0; step < log.steps(); ++step) {
        log.observe(step, observation);
        const auto& results = guarded.update(observation);
        const double time = log.time[step] - log.time[0];
        if (time < span.from || time > span.to) continue;
        ++samples;
        for (std::size_t arm = 0; arm < 2; ++arm) {
          const WrenchEstimate& estimate = guarded.estimates()[arm];
          const Vector3 F = estimate.wrench.force;
          const Matrix3 C = estimate.uncertainty.covariance.topLeftCorner<3, 3>();
          sizes[arm].push_back(F.norm());
          observable[arm].push_back(estimate.uncertainty.observable_force.norm());
          const bool may_use = results[arm].state != Verdict::refused;
          used[arm] += may_use;
          ok[arm] += results[arm].state == Verdict::ok;
          lies[arm] += may_use && !estimate.reasons.has_any(kTestAlarm) && F.dot(C.llt().solve(F)) > kInside &&
                       estimate.uncertainty.observable_force.norm() > 5.0;
        }
      }
      for (std::size_t arm = 0; arm < 2; ++arm) {
        std::ranges::sort(sizes[arm]);
        std::ranges::sort(observable[arm]);
        std::printf(
            "%s %-17s %4.1f s %s: median |F| %.1f N, observable %.1f, ok %.2f, ok or degraded %.2f, lies %.2f\n",
            identified ? "identified" : "assumed   ", span.run.c_str(), span.from, arm == 0 ? "left " : "right",
            sizes[arm][sizes[arm].size() / 2], observable[arm][observable[arm].size() / 2], ok[arm] / samples,
            used[arm] / samples, lies[arm] / samples);
        lies_of_all += lies[arm], all += samples;
      }
    }
    std::printf("%s: lies in %.3f of samples\n", identified ? "identified" : "assumed", lies_of_all / all);
    if (identified) {
      EXPECT_LE(lies_of_all / all, 0.05);
    } else {
      EXPECT_GE(lies_of_all / all, 0.20);
    }
  }
}

/// Alarms of the estimator's own tests under noise that is drawn from an identified model, at rest in a pose.
struct Simulated {
  double events = 0.0, hours = 0.0;
};
Simulated simulate(const Robot& robot, const std::vector<std::string>& endpoints, const VectorX& q, double slow_time,
                   double per_hour, double hours, std::uint64_t seed) {
  const int motors = robot.model.motor_count();
  const NoiseModel& noise = *robot.profile.noise;
  InstantReader reader(robot, endpoints);
  ResidualEstimator residual(robot, {.kind = ResidualChoice::static_gravity, .tilt_sd = 0.0});
  PosteriorEstimator posterior(reader, limits(per_hour));
  Observation o;
  o.time = 0.0;
  o.q = q;
  o.v = o.tau = VectorX::Zero(motors);
  Residual made = residual.form(reader.at(o));
  EXPECT_TRUE(made.correlated);
  ColouredNoise drawn{.offset_factor = {},
                      .slow_sd = VectorX::Zero(motors),
                      .slow_time = VectorX::Constant(motors, slow_time),
                      .white_sd = VectorX::Zero(motors)};
  MatrixX constant = made.covariance;
  for (int j = 0; j < motors; ++j) {
    if (std::isnan(noise.white_sd[j])) {
      constant.row(j).setZero();  // a leg's: no test reads it
      constant.col(j).setZero();
      continue;
    }
    drawn.white_sd[j] = noise.white_sd[j];
    drawn.slow_sd[j] = noise.slow_sd[j];
    constant(j, j) -= std::pow(noise.white_sd[j], 2) + std::pow(noise.slow_sd[j], 2);
  }
  const Eigen::SelfAdjointEigenSolver<MatrixX> root(constant);
  drawn.offset_factor = root.eigenvectors() * root.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  test::ColouredDraw draw(drawn, seed);
  Simulated result{.hours = hours};
  bool before = false;
  const auto samples = static_cast<std::int64_t>(hours * 3600.0 / kAssumedInterval);
  for (std::int64_t i = 0; i < samples; ++i) {
    if (i % 1500 == 0) {
      draw.run();
      before = false;
    }
    made.value = draw(kAssumedInterval);
    bool alarm = false;
    for (const WrenchEstimate& estimate : posterior.solve(made)) {
      alarm = alarm || estimate.reasons.has_any(kTestAlarm | Reason::inconsistent);
    }
    result.events += alarm && !before;
    before = alarm;
  }
  return result;
}

/// In `make soak` 100 hours of 1 an hour and 10 of the others; half an hour here.
void expect_rates(const char* name, const Robot& robot, const std::vector<std::string>& endpoints, const VectorX& q) {
  const bool soak = test::is_soak();
  for (const double rate : {60.0, 10.0, 1.0}) {
    for (const double slow_time : {0.1, 2.0}) {
      if (slow_time < 1.0 ? !soak || rate == 1.0 : !soak && rate < 60.0) continue;
      const double hours = !soak ? 0.5 : rate > 1.0 ? 10.0 : 100.0;
      const Simulated s = simulate(robot, endpoints, q, slow_time, rate, hours, 16);
      std::printf("%s, wander of %.1f s: asked %.0f an hour, %.2f in %.1f h\n", name, slow_time, rate, s.events / hours,
                  hours);
      EXPECT_LE(test::poisson_rate_below(s.events, hours), rate) << name << " " << slow_time;
    }
  }
  // The limits of 0.5 % a sample are no such limits: this test can fail.
  const Simulated by_sample = simulate(robot, endpoints, q, 0.1, 0.0, 0.5, 16);
  std::printf("%s: %.0f an hour at 0.5 %% a sample\n", name, by_sample.events / by_sample.hours);
  EXPECT_GT(test::poisson_rate_below(by_sample.events, by_sample.hours), 60.0) << name;
}

TEST_F(IdentifiedTests, ReproduceTheirAlarmsOnTheRecordedRuns) {
  const std::pair<const char*, void (IdentifiedTests::*)()> groups[] = {
      {"uneventful runs", &IdentifiedTests::check_uneventful_runs},
      {"12 N·m at the torso", &IdentifiedTests::check_reference_row},
      {"incident", &IdentifiedTests::check_incident},
      {"offsets of the good runs", &IdentifiedTests::check_offsets_of_good_runs},
  };
  for (const auto& [name, check] : groups) {
    SCOPED_TRACE(name);
    (this->*check)();
  }
}

/// Takes the noise that is fitted on the recorded runs. Where they are missing, it takes that of the profile, which was
/// fitted on the same runs with other options.
TEST(IdentifiedHumanoid, SoakAlarmsAnHour) {
  test::RecordedRuns runs;
  const Robot robot = runs.are_available() ? runs.robot_without("") : test::shipped_robot("h1_2");
  expect_rates("H1-2, zero", robot, kWrists, robot.pose("zero"));
  expect_rates("H1-2, arm_waist_target", robot, kWrists, robot.pose("arm_waist_target"));
}

TEST(IdentifiedArm, SoakAlarmsAnHour) {
  Robot robot = test::own_robot("panda");
  test::RandomStates random(84);
  const TorqueParameters at = torque_parameters(robot.model);
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(at.motors, 0.05);
  noise.offset_sd = VectorX::Constant(at.motors, 0.3);
  noise.slow_sd = VectorX::Constant(at.motors, 0.2);
  noise.correlation_time = VectorX::Constant(at.motors, 0.5);
  noise.factor = MatrixX::Zero(at.count(), 4);
  for (int motor = 0; motor < at.motors; ++motor)
    noise.factor.row(at.offset(motor)) = random.vector(4, 0.2).transpose();
  robot.profile.noise = std::make_shared<const NoiseModel>(noise);
  VectorX q(at.motors);
  q << 0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8;
  expect_rates("arm", robot, {robot.profile.endpoints.front().frame}, q);
}

// Lie 6: the arms swing about the incident's pose, nothing touches. The posterior's number of a direction that no
// torque shows wanders; its observable part does not.
TEST(SwingingArms, LieSixTheObservablePartHasNoPhantom) {
  const Robot robot = test::own_robot("h1_2");
  const int motors = robot.model.motor_count();
  const VectorX centre = robot.pose("arm_waist_target");
  InstantReader reader(robot, kWrists);
  ResidualEstimator residual(robot);
  PosteriorEstimator posterior(reader);
  Dynamics dynamics(robot.model);
  VectorX q(robot.model.nq()), v(robot.model.nv()), a(robot.model.nv()), full(robot.model.nv()), tau(motors);
  std::array<double, 2> squares{}, observable{}, above{}, largest{};
  double n = 0.0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    test::NormalNumbers normal(seed);
    VectorX phase(motors), pace(motors), friction(motors);
    for (int j = 0; j < motors; ++j) {
      phase[j] = 3.0 * normal.normal();
      pace[j] = 3.0 + 0.5 * normal.normal();
      friction[j] = robot.profile.figures[static_cast<std::size_t>(j)].coulomb;
    }
    residual.reset();
    for (int i = 0; i < 5000; ++i) {
      const double t = 0.002 * i;
      Observation o;
      o.time = t;
      o.q = centre;
      o.v = VectorX::Zero(motors);
      VectorX acceleration = o.v;
      for (int j = kTorso + 1; j < motors; ++j) {
        const double angle = pace[j] * t + phase[j];
        o.q[j] += 0.15 * std::sin(angle);
        o.v[j] = 0.15 * pace[j] * std::cos(angle);
        acceleration[j] = -0.15 * pace[j] * pace[j] * std::sin(angle);
      }
      robot.model.position_from_motors(o.q, Eigen::Vector4d(0, 0, 0, 1), q);
      v.setZero();
      a.setZero();
      for (int j = 0; j < motors; ++j) {
        v[robot.model.motor_rows()[static_cast<std::size_t>(j)]] = o.v[j];
        a[robot.model.motor_rows()[static_cast<std::size_t>(j)]] = acceleration[j];
      }
      ASSERT_EQ(dynamics.inverse_dynamics(q, v, a, full), Status::ok);
      robot.model.select_motor_rows(full, tau);
      o.tau = tau;
      for (int j = 0; j < motors; ++j) {
        o.tau[j] += friction[j] * std::tanh(o.v[j] / kCoulombSpeed) + 0.05 * o.v[j] + 0.2 * normal.normal();
        o.v[j] += 0.01 * normal.normal();
      }
      Pose imu;
      dynamics.at(q).frame_pose(robot.model.frame(robot.profile.imu.frame), imu);
      o.has_imu = o.has_gyro = o.has_accelerometer = true;
      o.imu_quaternion_xyzw = Eigen::Quaterniond(imu.rotation).coeffs();
      o.imu_angular_velocity.setZero();
      o.imu_specific_force = -imu.rotation.transpose() * robot.model.gravity();
      const PosteriorEstimates& estimates = posterior.solve(residual.form(reader.at(o)));
      if (t < 0.5) continue;
      ++n;
      for (std::size_t arm = 0; arm < 2; ++arm) {
        const double force = estimates[arm].wrench.force.norm();
        squares[arm] += force * force;
        observable[arm] += estimates[arm].uncertainty.observable_force.squaredNorm();
        above[arm] += force > 15.0;
        largest[arm] = std::max(largest[arm], force);
      }
    }
  }
  for (std::size_t arm = 0; arm < 2; ++arm) {
    std::printf("%s: full %.1f N rms, largest %.1f, above 15 N in %.3f; observable part %.1f N rms\n",
                arm == 0 ? "left" : "right", std::sqrt(squares[arm] / n), largest[arm], above[arm] / n,
                std::sqrt(observable[arm] / n));
  }
  EXPECT_GE(std::sqrt(squares[0] / n), 5.0);
  EXPECT_LE(std::sqrt(observable[0] / n), 2.5);
}

}  // namespace
}  // namespace antaeus
