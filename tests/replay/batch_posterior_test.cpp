// The posterior of replayed states against the single-sample path: GaussianPosterior, TorqueNoise, PosteriorEstimator.
#include <gtest/gtest.h>

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "replay/batch_evidence_cases.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::Answers;
using test::apart;
using test::BatchStates;
using test::evidence_cases;
using test::EvidenceCase;
using test::input_of;
using test::kBatchPosterior;
using test::kEvidenceStates;
using test::kForcePrior;
using test::kMomentPrior;
using test::noise_of;
using test::RandomStates;
using test::same_bits;
using test::variances;

/// One endpoint's numbers against a posterior of the same rows.
void expect_same(const Answers& ours, int state, int endpoint, const GaussianPosterior& theirs, double prior_sd) {
  const auto at = static_cast<std::size_t>(ours.endpoints * state + endpoint);
  const VectorX mean = theirs.mean();
  EXPECT_LE((Eigen::Map<const Vector6>(&ours.mean[6 * at]) - mean).norm() / std::max(1.0, mean.norm()),
            kBatchPosterior);
  const Matrix6 C = theirs.covariance();
  EXPECT_LE((ours.covariance_of(state, endpoint) - C).norm() / C.norm(), kBatchPosterior);
  // What is left of the whitened rows is rounded as they are.
  const double size = std::max(1.0, theirs.null_nis());
  EXPECT_LE(apart(ours.null_nis[at], theirs.null_nis()), kBatchPosterior);
  EXPECT_LE(std::abs(ours.nis[at] - theirs.nis()) / size, kBatchPosterior);
  EXPECT_LE(std::abs(ours.misfit[at] - theirs.misfit()) / size, kBatchPosterior);
  EXPECT_EQ(ours.evidence[at], theirs.evidence_rows());
  EXPECT_EQ(ours.misfit_rows[at], theirs.misfit_rows());
  const PrincipalDeviations principal = principal_deviations(C.topLeftCorner<3, 3>());
  const Eigen::Map<const Vector3> sd(&ours.sd[3 * at]);
  const Eigen::Map<const Matrix3> directions(&ours.directions[9 * at]);
  // Of variances from their sum, of which the smallest has no digits of its own.
  EXPECT_LE((sd.cwiseAbs2() - principal.deviation.cwiseAbs2()).norm() / principal.deviation.squaredNorm(),
            kBatchPosterior);
  EXPECT_LE((directions.transpose() * directions - Matrix3::Identity()).norm(), kBatchPosterior);
  const double worst = sd[2] * sd[2], gap = worst - sd[1] * sd[1];
  if (gap > 1e-3 * prior_sd * prior_sd) {
    EXPECT_LE((directions.col(2) - principal.worst_direction()).norm() * gap / worst, kBatchPosterior);
  }
}

/// Rows of Jᵀ of a block.
MatrixX rows_of(const Answers& answers, const BatchModel& model, int state, int endpoint,
                const std::vector<int>& rows) {
  std::ptrdiff_t column = static_cast<std::ptrdiff_t>(answers.width) * state;
  for (int e = 0; e < endpoint; ++e) column += 6 * std::ssize(model.supporting_motors(e));
  MatrixX A(std::ssize(rows), 6);
  for (const int motor : model.supporting_motors(endpoint)) {
    const auto row = std::find(rows.begin(), rows.end(), motor);
    if (row != rows.end()) {
      A.row(row - rows.begin()) = Eigen::Map<const Vector6>(&answers.jacobian[static_cast<std::size_t>(column)]);
    }
    column += 6;
  }
  return A;
}

Matrix6 prior(double moment) {
  Vector6 sd;
  sd << Vector3::Constant(kForcePrior), Vector3::Constant(moment);
  return sd.asDiagonal();
}

TEST(BatchPosterior, RowsOfTheirOwnNoiseAreThoseOfOneSampleAtATime) {
  for (const EvidenceCase& subject : evidence_cases()) {
    for (const double moment : {kMomentPrior, 0.0}) {
      for (const bool moving : {false, true}) {
        RandomStates random(1013);
        SCOPED_TRACE(subject.name + (moving ? ", moving, " : ", at rest, ") + random.text());
        const BatchStates states(subject.model, kEvidenceStates, random);
        const std::vector<double> R = variances(random, kEvidenceStates * states.motors, true);
        BatchWorkspace workspace(subject.batch({}, moment));
        Answers answers(workspace.model(), kEvidenceStates);
        BatchInput in = input_of(states, subject.model, moving);
        in.variance = {R};
        check_block(workspace.model(), in, answers.all());
        ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
        for (int i = 0; i < kEvidenceStates; ++i) {
          for (int e = 0; e < answers.endpoints; ++e) {
            std::vector<int> rows = subject.rows[static_cast<std::size_t>(e)];
            const MatrixX A = rows_of(answers, workspace.model(), i, e, rows);
            GaussianPosterior posterior(static_cast<int>(rows.size()), 6);
            ASSERT_EQ(posterior.compute(A, BatchStates::row(answers.residual, i, states.motors)(rows),
                                        BatchStates::row(R, i, states.motors)(rows), prior(moment)),
                      Status::ok);
            expect_same(answers, i, e, posterior, kForcePrior);
          }
        }
      }
    }
  }
}

/// q, v and a of a state as the robot's own model has them, the base as its sensors say.
struct FullState {
  VectorX q, v, a;
  FullState(const RobotModel& robot, const BatchStates& states, int i, bool moving)
      : q(robot.nq()), v(VectorX::Zero(robot.nv())), a(VectorX::Zero(robot.nv())) {
    const bool floating = robot.base() == Base::free_flyer;
    const Eigen::Vector4d upright(0.0, 0.0, 0.0, 1.0), measured = BatchStates::row(states.quaternion, i, 4);
    EXPECT_EQ(robot.position_from_motors(BatchStates::row(states.q, i, states.motors), moving ? upright : measured, q),
              Status::ok);
    if (!moving) return;
    for (int m = 0; m < states.motors; ++m) {
      v[robot.motor_rows()[static_cast<std::size_t>(m)]] = BatchStates::row(states.v, i, states.motors)[m];
      a[robot.motor_rows()[static_cast<std::size_t>(m)]] = BatchStates::row(states.a, i, states.motors)[m];
    }
    if (!floating) return;
    v.segment<3>(3) = BatchStates::row(states.gyro, i, 3);
    a.segment<3>(3) = BatchStates::row(states.acceleration, i, 3);
    a.head<3>() = BatchStates::row(states.specific_force, i, 3) + robot.gravity();
  }
};

TEST(BatchPosterior, IdentifiedNoiseIsThatOfOneSampleAtATime) {
  for (const EvidenceCase& subject : evidence_cases()) {
    for (const int rank : {3, 400}) {
      for (const bool moving : {false, true}) {
        RandomStates random(1019);
        SCOPED_TRACE(subject.name + (moving ? ", moving, " : ", at rest, ") + random.text());
        const BatchStates states(subject.model, kEvidenceStates, random);
        const int motors = states.motors;
        const NoiseModel noise = noise_of(subject.model, rank, rank == 3);
        std::vector<double> besides(static_cast<std::size_t>(kEvidenceStates * motors), 0.0), shares;
        for (std::size_t i = 0; i < besides.size(); i += 13) besides[i] = kInfinity;
        for (std::size_t i = 5; i < besides.size(); i += 7) besides[i] = 0.4;
        for (int i = 0; i < kEvidenceStates; ++i) besides[static_cast<std::size_t>(i * motors + motors - 1)] = 2.0;
        for (const double x : random.vector(kEvidenceStates)) shares.push_back(std::max(0.0, x));
        BatchWorkspace workspace(subject.batch(noise)), plain(subject.batch());
        Answers answers(workspace.model(), kEvidenceStates);
        BatchInput in = input_of(states, subject.model, moving);
        if (moving) in.imu_quaternion_xyzw = {};
        std::vector<double> raw(answers.residual.size());
        BatchOutput residual;
        residual.residual = {raw};
        ASSERT_EQ(plain.replay(in, residual), Status::ok);
        in.variance = {besides};
        in.motion_share = {shares};
        check_block(workspace.model(), in, answers.all());
        ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
        TorqueNoise single(subject.model, noise);
        for (int i = 0; i < kEvidenceStates; ++i) {
          const FullState state(subject.model, states, i, moving);
          ASSERT_EQ(single.evaluate(state.q, state.v, state.a, shares[static_cast<std::size_t>(i)]), Status::ok);
          const VectorX r = BatchStates::row(raw, i, motors) - single.mean();
          EXPECT_LE((BatchStates::row(answers.residual, i, motors) - r).norm() / std::max(1.0, r.norm()),
                    kBatchPosterior);
          MatrixX R = single.covariance();
          R(motors - 1, motors - 1) = 0.0;
          R.diagonal() += BatchStates::row(besides, i, motors);
          for (int e = 0; e < answers.endpoints; ++e) {
            std::vector<int> rows = subject.rows[static_cast<std::size_t>(e)];
            const MatrixX A = rows_of(answers, workspace.model(), i, e, rows);
            GaussianPosterior posterior(static_cast<int>(rows.size()), 6);
            ASSERT_EQ(posterior.compute_correlated(A, r(rows), R(rows, rows), prior(kMomentPrior)), Status::ok);
            expect_same(answers, i, e, posterior, kForcePrior);
          }
        }
      }
    }
  }
}

TEST(BatchPosterior, TheEstimatorsNumbersComeOut) {
  const Robot robot = test::own_robot("h1_2");
  const std::vector<std::string> wrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
  InstantReader reader(robot, wrists);
  PosteriorEstimator estimator(reader, {.sign = Sign::on_environment});
  const int reference = reader.reference_motor(), motors = robot.model.motor_count();
  RandomStates random(1021);
  SCOPED_TRACE(random.text());
  const BatchStates states(robot.model, kEvidenceStates, random);
  const std::vector<double> R = variances(random, kEvidenceStates * motors, false);
  BatchOptions options{.imu_frame = robot.profile.imu.frame};
  options.posterior = {{estimator.rows(0), estimator.rows(1)}, kForcePrior, kMomentPrior, reference, {}};
  BatchWorkspace workspace(BatchModel(robot.model, wrists, options));
  Answers answers(workspace.model(), kEvidenceStates);
  BatchInput in = states.at_rest();
  in.variance = {R};
  ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
  for (int i = 0; i < kEvidenceStates; ++i) {
    Observation observation;
    observation.q = BatchStates::row(states.q, i, motors);
    observation.tau = BatchStates::row(states.tau, i, motors);
    observation.has_imu = true;
    observation.imu_quaternion_xyzw = BatchStates::row(states.quaternion, i, 4);
    Residual residual;
    residual.instant = reader.at(observation);
    residual.status = Status::ok;
    residual.value = residual.instant.static_residual();
    residual.variance = BatchStates::row(R, i, motors);
    residual.tilt.setZero(motors, 2);
    const PosteriorEstimates& estimates = estimator.solve(residual);
    for (int e = 0; e < 2; ++e) {
      const auto at = static_cast<std::size_t>(2 * i + e);
      const WrenchEstimate& theirs = estimates[static_cast<std::size_t>(e)];
      const Uncertainty& u = theirs.uncertainty;
      const Vector6 w = theirs.wrench.to_vector();
      EXPECT_LE((Eigen::Map<const Vector6>(&answers.mean[6 * at]) - w).norm() / w.norm(), kBatchPosterior);
      EXPECT_LE((answers.covariance_of(i, e) - u.covariance).norm() / u.covariance.norm(), kBatchPosterior);
      EXPECT_LE(apart(answers.sd[3 * at + 2], u.worst_sd()), kBatchPosterior);
      EXPECT_LE(std::abs(answers.misfit[at] - u.misfit.value) / std::max(1.0, answers.null_nis[at]), kBatchPosterior);
      EXPECT_EQ(answers.misfit_rows[at], u.misfit.dof);
      EXPECT_LE(apart(answers.innovation[2 * static_cast<std::size_t>(i)], u.innovation), kBatchPosterior);
      EXPECT_LE(apart(answers.innovation[2 * static_cast<std::size_t>(i) + 1], u.innovation_sd), kBatchPosterior);
    }
  }
}

/// Among random states such as no robot has, and variances that are none.
struct Hostile {
  BatchStates states;
  std::vector<double> R, shares, given, least;
  Hostile(const RobotModel& robot, RandomStates& random, bool zeros)
      : states(robot, kEvidenceStates, random), R(variances(random, kEvidenceStates * states.motors, true)) {
    const int motors = states.motors;
    const auto at = [motors](std::vector<double>& channel, int state, int motor) -> double& {
      return channel[static_cast<std::size_t>(state * motors + motor % motors)];
    };
    at(states.q, 3, 1) = kNaN;
    at(states.tau, 9, 2) = kInfinity;
    at(states.tau, 22, 1) = 1e300;
    at(states.v, 23, 1) = -40.0;
    for (int m = 0; m < motors; ++m) {
      at(R, 11, m) = kNaN;
      at(R, 12, m) = -1.0;
      at(R, 13, m) = kInfinity;
      if (zeros) at(R, 14, m) = 0.0;
      at(R, 15, m) = 1e-300;
      at(R, 16, m) = m % 2 == 0 ? kInfinity : 1.0;
      at(R, 17, m) = 1e12;
      at(states.q, 18, m) = at(states.tau, 18, m) = 0.0;
      at(states.v, 19, m) = 0.01 * m;
    }
    for (const double x : random.vector(kEvidenceStates)) shares.push_back(std::max(0.0, x));
    given = states.tau;
    least.assign(R.size(), 0.3);
    at(least, 26, 2) = kNaN;
    at(least, 27, 13) = kInfinity;
    // Hands that nothing touches, beside others.
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] *= (i / static_cast<std::size_t>(motors)) % 3 == 0 ? 1.0 : 0.01;
    shares[24] = kNaN;
    shares[25] = 1.5;
  }
};

enum class Mode : std::uint8_t { rest, moving, given };

TEST(BatchPosterior, EveryInstructionSetAndEveryNeighbourhoodGivesTheSameBits) {
  for (const EvidenceCase& subject : evidence_cases()) {
    for (const bool identified : {false, true}) {
      for (const Mode mode : {Mode::rest, Mode::moving, Mode::given}) {
        const bool moving = mode == Mode::moving;
        RandomStates random(1031);
        SCOPED_TRACE(subject.name + (moving ? ", moving, " : ", at rest, ") + random.text());
        const Hostile hostile(subject.model, random, identified);
        std::optional<NoiseModel> noise;
        if (identified) noise = noise_of(subject.model, 5, false);
        const BatchModel model = subject.batch(noise);
        const auto part = [&](int first, int count) {
          BatchInput in = input_of(hostile.states, subject.model, moving);
          in.count = count;
          in.variance = {hostile.R};
          if (identified) in.motion_share = {hostile.shares};
          if (mode == Mode::given) {
            in.tau = {};
            in.residual = {hostile.given};
          }
          if (mode == Mode::given && identified) {
            in.v = {hostile.states.v};
            in.least_variance = {hostile.least};
          }
          const auto cut = [&](BatchRowsOf<const double>& rows, int width) {
            if (rows.values.empty()) return;
            rows.values =
                rows.values.subspan(static_cast<std::size_t>(first * width), static_cast<std::size_t>(count * width));
          };
          for (auto* rows : {&in.q, &in.tau, &in.residual, &in.v, &in.a, &in.variance, &in.least_variance})
            cut(*rows, hostile.states.motors);
          for (auto* rows : {&in.imu_angular_velocity, &in.imu_specific_force, &in.base_angular_acceleration}) {
            cut(*rows, 3);
          }
          cut(in.imu_quaternion_xyzw, 4);
          cut(in.motion_share, 1);
          return in;
        };
        BatchWorkspace alone(model, InstructionSet::portable);
        std::vector<std::vector<double>> expected;
        for (int i = 0; i < kEvidenceStates; ++i) {
          Answers answers(model, 1);
          ASSERT_EQ(alone.replay(part(i, 1), answers.all()), Status::ok);
          expected.push_back(answers.of(0));
        }
        for (const InstructionSet set : all_values<InstructionSet>()) {
          if (set > instruction_set()) continue;
          SCOPED_TRACE(to_string(set));
          BatchWorkspace workspace(model, set);
          for (const int first : {0, 5}) {
            for (const int count : {kEvidenceStates - 5, 17, 8, 7, 5, 4, 3, 2, 1}) {
              Answers answers(model, count);
              ASSERT_EQ(workspace.replay(part(first, count), answers.all()), Status::ok);
              for (int i = 0; i < count; ++i) {
                EXPECT_TRUE(same_bits(answers.of(i), expected[static_cast<std::size_t>(first + i)]))
                    << first + i << " of " << count;
              }
            }
          }
        }
      }
    }
  }
}

TEST(BatchPosterior, AVarianceThatIsNoneSpoilsNothingElse) {
  const EvidenceCase subject = evidence_cases()[0];
  RandomStates random(1033);
  SCOPED_TRACE(random.text());
  const BatchStates states(subject.model, kEvidenceStates, random);
  std::vector<double> R = variances(random, kEvidenceStates * states.motors, false);
  BatchWorkspace workspace(subject.batch());
  Answers answers(workspace.model(), kEvidenceStates), before(workspace.model(), kEvidenceStates);
  BatchInput in = states.at_rest();
  in.variance = {R};
  ASSERT_EQ(workspace.replay(in, before.all()), Status::ok);
  const int left = subject.rows[0][2];
  R[static_cast<std::size_t>(7 * states.motors + left)] = kNaN;
  R[static_cast<std::size_t>(8 * states.motors + left)] = 0.0;
  R[static_cast<std::size_t>(9 * states.motors + left)] = -1.0;
  ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
  for (int i = 0; i < kEvidenceStates; ++i) {
    const bool spoiled = i >= 7 && i <= 9;
    EXPECT_EQ(answers.status[static_cast<std::size_t>(i)], Status::ok);
    if (!spoiled) {
      EXPECT_TRUE(same_bits(answers.of(i), before.of(i))) << i;
      continue;
    }
    const auto at = static_cast<std::size_t>(2 * i);
    EXPECT_TRUE(std::isnan(answers.mean[6 * at]) && std::isnan(answers.nis[at]) && std::isnan(answers.misfit[at]));
    EXPECT_TRUE(answers.covariance_of(i, 0).array().isNaN().all());
    EXPECT_TRUE(std::isnan(answers.sd[3 * at]) && std::isnan(answers.innovation[at]));
    EXPECT_EQ(answers.evidence[at], -1);
    EXPECT_EQ(answers.misfit_rows[at], -1);
    EXPECT_EQ(answers.mean[6 * at + 6], before.mean[6 * at + 6]) << "the other wrist";
    EXPECT_EQ(answers.evidence[at + 1], 7);
  }
}

TEST(BatchPosterior, ReplayAllocatesNothing) {
  const EvidenceCase subject = evidence_cases()[0];
  RandomStates random(1039);
  SCOPED_TRACE(random.text());
  const Hostile hostile(subject.model, random, true);
  for (const InstructionSet set : all_values<InstructionSet>()) {
    if (set > instruction_set()) continue;
    BatchWorkspace plain(subject.batch(), set), identified(subject.batch(noise_of(subject.model, 30, false)), set);
    Answers answers(plain.model(), kEvidenceStates), theirs(identified.model(), kEvidenceStates);
    BatchInput still = hostile.states.at_rest(), moving = hostile.states.moving(Base::free_flyer);
    still.variance = moving.variance = {hostile.R};
    BatchInput given = still;
    given.tau = {};
    given.residual = {hostile.given};
    given.v = {hostile.states.v};
    given.least_variance = {hostile.least};
    const BatchOutput out = answers.all(), of_identified = theirs.all();
    const test::AllocationCounter counter;
    plain.replay(still, out);
    identified.replay(still, of_identified);
    identified.replay(moving, of_identified);
    identified.replay(given, of_identified);
    EXPECT_EQ(counter.count(), 0);
    EXPECT_NE(answers.status.front(), Status::not_computed);
  }
}

TEST(BatchPosterior, WhatCannotBeIsAnErrorAtSetUp) {
  const EvidenceCase subject = evidence_cases()[0];
  const auto refused = [&](const std::string& place, auto change) {
    BatchOptions options;
    options.posterior = {subject.rows, kForcePrior, kMomentPrior, subject.reference, {}};
    change(options.posterior);
    try {
      const BatchModel model(subject.model, subject.endpoints, options);
      FAIL() << place;
    } catch (const OptionsError& error) {
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  };
  refused("posterior.rows", [](BatchPosteriorOptions& o) { o.rows.pop_back(); });
  refused("posterior.rows of endpoint 1", [](BatchPosteriorOptions& o) { o.rows[1] = o.rows[0]; });
  refused("posterior.rows of endpoint 1", [](BatchPosteriorOptions& o) { o.rows[1].push_back(o.rows[1][0]); });
  refused("posterior.rows of endpoint 0", [](BatchPosteriorOptions& o) { o.rows[0].push_back(0); });
  refused("posterior.rows of endpoint 0", [](BatchPosteriorOptions& o) { o.rows[0].push_back(-1); });
  refused("posterior.force_prior", [](BatchPosteriorOptions& o) { o.force_prior = 0.0; });
  refused("posterior.moment_prior", [](BatchPosteriorOptions& o) { o.moment_prior = kNaN; });
  refused("posterior.contact_shown", [](BatchPosteriorOptions& o) { o.contact_shown = 0.0; });
  refused("posterior.rows of endpoint 0", [&](BatchPosteriorOptions& o) { o.reference_motor = subject.rows[0][1]; });
  refused("posterior.reference_motor", [](BatchPosteriorOptions& o) { o.reference_motor = 27; });
  refused("noise model", [](BatchPosteriorOptions& o) { o.noise = NoiseModel{}; });
  refused("posterior.noise", [](BatchPosteriorOptions& o) {
    o.rows.clear();
    o.noise = NoiseModel{};
  });

  RandomStates random(1049);
  SCOPED_TRACE(random.text());
  const BatchStates states(subject.model, kEvidenceStates, random);
  const std::vector<double> R(states.q.size(), 1.0);
  const BatchModel model = subject.batch(), identified = subject.batch(noise_of(subject.model, 3, false));
  const BatchModel none(subject.model, subject.endpoints);
  Answers answers(model, kEvidenceStates), theirs(identified, kEvidenceStates);
  BatchInput in = states.at_rest();
  EXPECT_THROW(check_block(model, in, answers.all()), OptionsError) << "no variance";
  check_block(identified, in, theirs.all());
  in.variance = {R};
  check_block(model, in, answers.all());
  EXPECT_THROW(check_block(none, in, {}), OptionsError) << "no rows of evidence";
  in.motion_share = {states.q};
  EXPECT_THROW(check_block(model, in, answers.all()), OptionsError) << "a share of what?";
  in.motion_share = {};
  const auto misplaced = [&](const BatchModel& of, const std::string& words, auto change) {
    BatchInput given = states.at_rest();
    given.variance = {R};
    change(given);
    try {
      check_block(of, given, {});
      FAIL() << words;
    } catch (const OptionsError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  misplaced(model, "residual: tau is given too", [&](BatchInput& given) { given.residual = {states.tau}; });
  misplaced(model, "v: a is absent", [&](BatchInput& given) { given.v = {states.v}; });
  misplaced(identified, "a: v is absent", [&](BatchInput& given) { given.a = {states.a}; });
  misplaced(model, "least_variance: it belongs to identified noise",
            [&](BatchInput& given) { given.least_variance = {R}; });
}

}  // namespace
}  // namespace antaeus
