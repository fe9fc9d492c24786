// All that the loop judges by, out of the kernel: the reference row's tests, what a channel reads at its limit, rows
// without evidence, speeds, filtered residuals.
#include <gtest/gtest.h>

#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/low_pass.hpp"
#include "replay/batch_evidence_cases.hpp"

namespace antaeus {
namespace {

using test::Answers;
using test::apart;
using test::BatchStates;
using test::evidence_cases;
using test::EvidenceCase;
using test::kBatchPosterior;
using test::kEvidenceStates;
using test::kForcePrior;
using test::kMomentPrior;
using test::made_up_noise;
using test::noise_of;
using test::own_robot;
using test::RandomStates;
using test::same_bits;
using test::variances;

/// The kernel with the robot's own IMU.
BatchModel batch_of(const Robot& robot, const EvidenceCase& subject, const std::optional<NoiseModel>& noise = {}) {
  BatchOptions options{.imu_frame = robot.profile.imu.frame};
  options.posterior = {subject.rows, kForcePrior, kMomentPrior, subject.reference, noise};
  return BatchModel(robot.model, subject.endpoints, options);
}

Observation observed(const BatchStates& states, int i, const std::vector<double>& tau) {
  Observation observation;
  observation.q = BatchStates::row(states.q, i, states.motors);
  observation.tau = BatchStates::row(tau, i, states.motors);
  observation.has_imu = true;
  observation.imu_quaternion_xyzw = BatchStates::row(states.quaternion, i, 4);
  return observation;
}

/// Everything that judge_posterior() reads, of every endpoint of one state. Variances as a share of what they are the
/// rest of, as in expect_same().
void expect_judged(const Answers& ours, int state, const PosteriorEstimates& theirs) {
  for (std::size_t e = 0; e < static_cast<std::size_t>(ours.endpoints); ++e) {
    const std::size_t at = static_cast<std::size_t>(ours.endpoints * state) + e;
    const Uncertainty& u = theirs[e].uncertainty;
    const Vector6 w = theirs[e].wrench.to_vector();
    ASSERT_EQ(theirs[e].status, Status::ok);
    EXPECT_LE((Eigen::Map<const Vector6>(&ours.mean[6 * at]) - w).norm() / std::max(1.0, w.norm()), kBatchPosterior);
    const Matrix6 C = ours.covariance_of(state, static_cast<int>(e));
    EXPECT_LE((C - u.covariance).norm() / u.covariance.norm(), kBatchPosterior);
    EXPECT_LE(apart(ours.sd[3 * at + 2], u.worst_sd()), kBatchPosterior);
    const double size = std::max(1.0, ours.null_nis[at]), nis = ours.nis[at], misfit = ours.misfit[at];
    EXPECT_LE(std::abs(misfit - u.misfit.value) / size, kBatchPosterior);
    EXPECT_EQ(ours.misfit_rows[at], u.misfit.dof);
    EXPECT_LE(std::abs(std::max(nis - misfit, 0.0) - u.contact.value) / size, kBatchPosterior);
    EXPECT_EQ(ours.evidence[at] - ours.misfit_rows[at], u.contact.dof);
    const bool tested = std::isfinite(u.innovation);
    const double more = ours.reference_nis.empty() ? kNaN : ours.reference_nis[at];
    EXPECT_EQ(std::isfinite(more), tested);
    EXPECT_EQ(ours.evidence[at] + (tested ? 1 : 0), u.nis_rows);
    EXPECT_LE(std::abs(nis + (tested ? more : 0.0) - u.nis) / std::max(size, u.nis), kBatchPosterior);
    if (!tested) continue;
    const double innovation = ours.innovation[2 * static_cast<std::size_t>(state)];
    const double sd = ours.innovation[2 * static_cast<std::size_t>(state) + 1];
    // The row's own reading is what is left of it.
    const double reading = std::max(1.0, std::abs(theirs[e].reference_residual));
    EXPECT_LE(std::abs(innovation - u.innovation) / reading, kBatchPosterior);
    EXPECT_LE(std::abs(sd - u.innovation_sd) / u.innovation_sd, kBatchPosterior);
    const double largest = std::max({1.0, u.reference.value, std::pow(reading / sd, 2)});
    EXPECT_LE(std::abs(std::pow(innovation / sd, 2) - u.reference.value) / largest, kBatchPosterior);
  }
}

/// Torques of the model, noise, and contacts at neither, one or both hands.
std::vector<double> touched(BatchWorkspace& plain, const BatchInput& in, const EvidenceCase& subject,
                            RandomStates& random) {
  const int motors = subject.model.motor_count();
  std::vector<double> tau(in.q.values.size());
  BatchInput without = in;
  without.tau = {};
  BatchOutput torque;
  torque.torque = {tau};
  EXPECT_EQ(plain.replay(without, torque), Status::ok);
  for (int i = 0; i < in.count; ++i) {
    const VectorX noise = random.vector(motors, 0.5), contact = random.vector(motors, 30.0);
    for (int m = 0; m < motors; ++m) {
      double& reading = tau[static_cast<std::size_t>(i * motors + m)];
      reading += noise[m];
      for (std::size_t e = 0; e < subject.rows.size(); ++e) {
        const std::vector<int>& rows = subject.rows[e];
        if ((i >> e & 1) != 0 && std::find(rows.begin(), rows.end(), m) != rows.end()) reading += contact[m];
      }
    }
  }
  return tau;
}

TEST(BatchReference, EverythingThatTheEstimatorJudgesByComesOut) {
  const Robot robot = own_robot("h1_2");
  const EvidenceCase subject = evidence_cases()[0];
  const int motors = robot.model.motor_count();
  InstantReader reader(robot, subject.endpoints);
  PosteriorEstimator estimator(reader, {.sign = Sign::on_environment});
  enum class Case : std::uint8_t { own, low, dense, dead_row, dead_reference };
  for (const Case kind : {Case::own, Case::low, Case::dense, Case::dead_row, Case::dead_reference}) {
    RandomStates random(1051);
    SCOPED_TRACE("case " + std::to_string(static_cast<int>(kind)) + ", " + random.text());
    const BatchStates states(robot.model, kEvidenceStates, random);
    std::vector<double> R = variances(random, kEvidenceStates * motors, false);
    std::optional<NoiseModel> noise;
    if (kind != Case::own) noise = noise_of(robot.model, kind == Case::dense ? 400 : 3, true);
    if (kind == Case::dead_row) noise->white_sd[subject.rows[1][3]] = kInfinity;
    if (kind == Case::dead_reference) noise->white_sd[subject.reference] = kInfinity;
    // Two rows that a saturated drive makes no evidence, in some states.
    for (int i = 0; i < kEvidenceStates; i += 5) {
      R[static_cast<std::size_t>(i * motors + subject.rows[0][2])] = kInfinity;
      R[static_cast<std::size_t>(i * motors + subject.rows[1][6])] = kInfinity;
    }
    if (kind == Case::own) R[static_cast<std::size_t>(4 * motors + subject.reference)] = kInfinity;
    BatchWorkspace plain(batch_of(robot, subject)), workspace(batch_of(robot, subject, noise));
    Answers answers(workspace.model(), kEvidenceStates);
    BatchInput in = states.at_rest();
    const std::vector<double> tau = touched(plain, in, subject, random);
    in.tau = {tau};
    in.variance = {R};
    check_block(workspace.model(), in, answers.all());
    ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
    std::optional<TorqueNoise> single;
    if (noise) single.emplace(robot.model, *noise);
    const VectorX still = VectorX::Zero(robot.model.nv());
    for (int i = 0; i < kEvidenceStates; ++i) {
      SCOPED_TRACE(i);
      Residual residual;
      residual.instant = reader.at(observed(states, i, tau));
      residual.status = Status::ok;
      residual.value = residual.instant.static_residual();
      residual.variance = BatchStates::row(R, i, motors);
      residual.tilt.setZero(motors, 2);
      if (noise) {
        const Instant& now = residual.instant;
        VectorX a = still;  // the regressor feels a − g, and base axes are its world
        a.head<3>() = robot.model.gravity() - now.base_rotation().transpose() * robot.model.gravity();
        ASSERT_EQ(single->evaluate(now.base_terms(), still, a), Status::ok);
        residual.value -= single->mean();
        MatrixX& S = residual.covariance = single->covariance();
        for (int m = 0; m < motors; ++m) {
          const double more = R[static_cast<std::size_t>(i * motors + m)];
          if (std::isinf(more)) S.row(m).setZero();
          if (std::isinf(more)) S.col(m).setZero();
          S(m, m) = std::isnan(noise->white_sd[m]) ? more : S(m, m) + more;
        }
        residual.variance = S.diagonal();
        residual.correlated = true;
      }
      expect_judged(answers, i, estimator.solve(residual));
    }
  }
}

TEST(BatchReference, ALogAtItsLimitsIsTheLoops) {
  Robot robot = own_robot("h1_2");
  const EvidenceCase subject = evidence_cases()[0];
  const int motors = robot.model.motor_count();
  for (const bool motion_known : {true, false}) {
    RandomStates random(1061);
    SCOPED_TRACE(random.text());
    NoiseModel noise = noise_of(robot.model, 8, true);
    noise.white_sd = VectorX::Constant(motors, 0.4);
    if (!motion_known) noise.motion_sd.resize(0);
    noise.limit = VectorX::Constant(motors, 20.0);
    noise.limit_offset = VectorX::Constant(motors, 3.0);
    noise.limit_sd = VectorX::Constant(motors, 1.5);
    for (int m = 1; m < motors; m += 4) noise.limit_sd[m] = kInfinity;
    robot.profile.noise = std::make_shared<NoiseModel>(noise);
    robot.profile.friction = FrictionUse::bound;
    InstantReader reader(robot, subject.endpoints);
    ResidualOptions options;
    options.kind = ResidualChoice::static_gravity;
    options.covariance_period = 0.0;
    ResidualEstimator residuals(robot, options);
    PosteriorEstimator estimator(reader, {.sign = Sign::on_environment});
    BatchStates states(robot.model, kEvidenceStates, random);
    for (double& q : states.q) q *= 0.1;  // torques of gravity far below the limits
    for (std::size_t k = 0; k < states.v.size(); ++k)
      states.v[k] *= (k / static_cast<std::size_t>(motors)) % 2 == 0 ? 0.01 : 0.1;
    BatchWorkspace plain(batch_of(robot, subject)), workspace(batch_of(robot, subject, noise));
    BatchInput in = states.at_rest();
    const std::vector<double> tau = touched(plain, in, subject, random);
    // What whoever calls the kernel makes of a log: the loop's saturated(), limit_offset() and fill_covariance().
    std::vector<double> corrected = tau, more(tau.size(), 0.0), least(tau.size(), 0.0), share(kEvidenceStates);
    Answers answers(workspace.model(), kEvidenceStates);
    int limited = 0, dead = 0;
    std::vector<double> limits(static_cast<std::size_t>(motors), kInfinity);
    const VectorX efforts = robot.model.effort_limits();
    for (int m = 0; m < motors; ++m) {
      const double limit = std::min(efforts[m], robot.profile.figures[static_cast<std::size_t>(m)].torque_limit);
      if (limit > 0.0) limits[static_cast<std::size_t>(m)] = limit;
    }
    for (int i = 0; i < kEvidenceStates; ++i) {
      Observation observation = observed(states, i, tau);
      observation.v = BatchStates::row(states.v, i, motors);
      observation.time = 0.5 * i;  // each for itself: samples that far apart have no history
      const bool moving = observation.v.cwiseAbs().maxCoeff() > options.motion_speed;
      share[static_cast<std::size_t>(i)] = moving ? 1.0 : 0.0;
      for (int m = 0; m < motors; ++m) {
        const auto at = static_cast<std::size_t>(i * motors + m);
        const double size = std::abs(tau[at]);
        const bool at_limit = size >= noise.limit[m];
        if (at_limit) corrected[at] -= std::copysign(noise.limit_offset[m], tau[at]);
        const bool saturated = size >= options.saturation_share * limits[static_cast<std::size_t>(m)] ||
                               (at_limit && std::isinf(noise.limit_sd[m]));
        if (at_limit && !saturated) more[at] = noise.limit_sd[m] * noise.limit_sd[m];
        if (saturated) more[at] = kInfinity;
        limited += at_limit && !saturated;
        dead += saturated;
        const double static_sd = robot.profile.figures[static_cast<std::size_t>(m)].static_sd;
        if (moving && !motion_known) least[at] = static_sd * static_sd;
      }
    }
    EXPECT_GT(limited, kEvidenceStates);
    EXPECT_GT(dead, kEvidenceStates / 2);
    in.tau = {corrected};
    in.variance = {more};
    in.least_variance = {least};
    in.v = {states.v};
    if (motion_known) in.motion_share = {share};
    check_block(workspace.model(), in, answers.all());
    ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
    for (int i = 0; i < kEvidenceStates; ++i) {
      SCOPED_TRACE(i);
      Observation observation = observed(states, i, tau);
      observation.v = BatchStates::row(states.v, i, motors);
      observation.time = 0.5 * i;
      const Residual& residual = residuals.form(reader.at(observation));
      ASSERT_EQ(residual.status, Status::ok);
      EXPECT_EQ(residual.moving, share[static_cast<std::size_t>(i)] > 0.0);
      const VectorX r = residual.value;
      EXPECT_LE((BatchStates::row(answers.residual, i, motors) - r).norm() / r.norm(), kBatchPosterior);
      expect_judged(answers, i, estimator.solve(residual));
    }
  }
}

TEST(BatchReference, AFilteredResidualIsTheLoops) {
  Robot robot = own_robot("panda");
  const EvidenceCase subject = evidence_cases()[1];
  const int motors = robot.model.motor_count();
  for (const NoiseOrigin origin : {NoiseOrigin::moving, NoiseOrigin::held_pose}) {
    RandomStates random(1063);
    SCOPED_TRACE(std::string(to_string(origin)) + ", " + random.text());
    NoiseModel noise = made_up_noise(robot.model, origin, 0, 100.0, 71);
    noise.motion_sd.resize(0);
    robot.profile.noise = std::make_shared<NoiseModel>(noise);
    robot.profile.friction = FrictionUse::bound;
    InstantReader reader(robot, subject.endpoints);
    ResidualOptions options;
    options.kind = ResidualChoice::inverse_dynamics;
    options.covariance_period = 0.0;
    ResidualEstimator residuals(robot, options);
    PosteriorEstimator estimator(reader, {.sign = Sign::on_environment});
    BatchStates states(robot.model, kEvidenceStates, random);
    for (double& q : states.q) q *= 0.3;
    for (double& tau : states.tau) tau *= 0.2;
    // The loop's own filters over torques that the kernel computed.
    BatchWorkspace plain(subject.batch());
    std::vector<double> torque(states.q.size()), gravity(states.q.size());
    BatchInput in = states.moving(Base::fixed);
    BatchOutput out;
    out.torque = {torque};
    ASSERT_EQ(plain.replay(in, out), Status::ok);
    in.v = in.a = {};
    out.torque = {gravity};
    ASSERT_EQ(plain.replay(in, out), Status::ok);
    ButterworthLowPass of_residual(motors, options.cut_off), of_inertia(motors, options.cut_off),
        of_motion(2 * motors, options.cut_off);
    std::vector<double> given(torque.size()), v(torque.size()), a(torque.size()), more(torque.size(), 0.0),
        least(torque.size(), 0.0);
    Answers answers(plain.model(), kEvidenceStates);
    std::vector<PosteriorEstimates> theirs;
    constexpr double kStep = 0.004;
    for (int i = 0; i < kEvidenceStates; ++i) {
      const auto row = [&](const std::vector<double>& all) { return BatchStates::row(all, i, motors); };
      Observation observation = observed(states, i, states.tau);
      observation.v = row(states.v);
      observation.a = row(states.a);
      observation.time = kStep * i;
      Residual residual = residuals.form(reader.at(observation));
      ASSERT_EQ(residual.status, Status::ok);
      ASSERT_EQ(residual.kind, ResidualKind::inverse_dynamics);
      residual.lag.setZero();  // the kernel is given no rate of change
      theirs.push_back(estimator.solve(residual));
      VectorX motion(2 * motors);
      motion << row(states.v), row(states.a);
      const VectorX raw = row(states.tau) - row(torque), inertia = row(torque) - row(gravity);
      const auto advance = [&](ButterworthLowPass& filter, const VectorX& sample) {
        EXPECT_EQ(i == 0 ? filter.reset(sample) : filter.step(sample, kStep * i - kStep * (i - 1)), Status::ok);
        return VectorX(filter.value());
      };
      const VectorX r = advance(of_residual, raw), part = advance(of_inertia, inertia), m = advance(of_motion, motion);
      const bool settled = !residual.reasons.has(Reason::settling);
      for (int j = 0; j < motors; ++j) {
        const auto at = static_cast<std::size_t>(i * motors + j);
        given[at] = r[j];
        v[at] = m[j];
        a[at] = m[motors + j];
        const double static_sd = robot.profile.figures[static_cast<std::size_t>(j)].static_sd;
        if (origin == NoiseOrigin::moving && !settled) least[at] = static_sd * static_sd;  // hardly more than static
        if (origin == NoiseOrigin::held_pose && settled) more[at] = std::pow(options.dynamic_share * part[j], 2);
      }
    }
    BatchOptions batch;
    batch.posterior = {subject.rows, kForcePrior, kMomentPrior, -1, noise};
    batch.posterior.mean_counts = origin == NoiseOrigin::moving;
    BatchWorkspace workspace(BatchModel(robot.model, subject.endpoints, batch));
    in.tau = {};
    in.residual = {given};
    in.v = {v};
    in.a = {a};
    in.variance = {more};
    in.least_variance = {least};
    check_block(workspace.model(), in, answers.all());
    ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
    for (int i = 0; i < kEvidenceStates; ++i) {
      SCOPED_TRACE(i);
      const VectorX r = theirs[static_cast<std::size_t>(i)].residual.value;
      EXPECT_LE((BatchStates::row(answers.residual, i, motors) - r).norm() / r.norm(), kBatchPosterior);
      expect_judged(answers, i, theirs[static_cast<std::size_t>(i)]);
    }
    // What is known already is not computed, unless it is asked for.
    std::vector<double> again(torque.size());
    in.v = {states.v};
    in.a = {states.a};
    out.torque = {again};
    ASSERT_EQ(workspace.replay(in, out), Status::ok);
    EXPECT_TRUE(same_bits(again, torque));
  }
}

}  // namespace
}  // namespace antaeus
