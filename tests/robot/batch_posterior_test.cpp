// The posterior of replayed states against the single-sample path: GaussianPosterior, TorqueNoise, PosteriorEstimator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "antaeus/conditioning/gaussian_posterior.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "robot/batch_numbers.hpp"
#include "robot/batch_states.hpp"
#include "support/allocation_counter.hpp"
#include "support/made_up_noise.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

/// The issue's own bar for replayed posteriors against the single-sample path: two decompositions of whitened rows of
/// up to 100 prior sds, some ε of these; variances and tests as a share of what they are the rest of.
constexpr tolerance::Tolerance kBatchPosterior{1e-12};

using test::BatchStates;
using test::RandomStates;

constexpr int kStates = 45;  // full packs and a tail of any width
constexpr double kForcePrior = 20.0, kMomentPrior = 1.5;

struct Subject {
  std::string name;
  RobotModel model;
  std::vector<std::string> endpoints;
  std::vector<std::vector<int>> rows;
  int reference = -1;

  BatchModel batch(const std::optional<NoiseModel>& noise = {}, double moment_prior = kMomentPrior) const {
    BatchOptions options;
    options.posterior = {rows, kForcePrior, moment_prior, reference, noise};
    return BatchModel(model, endpoints, options);
  }
};

/// Four legs of three joints below a trunk that floats.
RobotModel quadruped() {
  std::string legs;
  for (const auto& [leg, x, y] : {std::tuple{"fl", "0.2", "0.1"}, std::tuple{"fr", "0.2", "-0.1"},
                                  std::tuple{"hl", "-0.2", "0.1"}, std::tuple{"hr", "-0.2", "-0.1"}}) {
    const auto link = [&](const std::string& part, const std::string& mass, const std::string& z) {
      legs +=
          "<link name=\"" + part + "_" + leg + "\"><inertial><mass value=\"" + mass + "\"/><origin xyz=\"0.01 0 " + z +
          "\"/><inertia ixx=\"0.004\" iyy=\"0.004\" izz=\"0.001\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
    };
    const auto joint = [&](const std::string& name, const std::string& parent, const std::string& child,
                           const std::string& origin, const std::string& axis) {
      legs += "<joint name=\"" + name + "_" + leg + "\" type=\"revolute\"><parent link=\"" + parent +
              "\"/><child link=\"" + child + "_" + leg + "\"/><origin xyz=\"" + origin + "\"/><axis xyz=\"" + axis +
              "\"/><limit lower=\"-2\" upper=\"2\" effort=\"40\" velocity=\"20\"/></joint>";
    };
    link("hip", "0.6", "0.0");
    link("thigh", "0.9", "-0.1");
    link("shank", "0.3", "-0.1");
    joint("roll", "trunk", "hip", std::string(x) + " " + y + " 0", "1 0 0");
    joint("pitch", std::string("hip_") + leg, "thigh", "0 0.05 0", "0 1 0");
    joint("knee", std::string("thigh_") + leg, "shank", "0 0 -0.22", "0 1 0");
    legs += std::string("<link name=\"foot_") + leg + "\"/><joint name=\"sole_" + leg +
            "\" type=\"fixed\"><parent link=\"shank_" + leg + "\"/><child link=\"foot_" + leg +
            "\"/><origin xyz=\"0 0 -0.24\"/></joint>";
  }
  const std::string trunk =
      "<link name=\"trunk\"><inertial><mass value=\"8\"/><inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.2\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial></link>";
  return RobotModel(parse_urdf("<robot name=\"quadruped\">" + trunk + legs + "</robot>", "quadruped.urdf", ".",
                               MeshPolicy::required));
}

std::vector<int> supports(const RobotModel& model, const std::string& frame) {
  return model.supporting_motors(model.frame(frame));
}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  const Robot h1_2 = test::own_robot("h1_2");
  const std::vector<std::string> wrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
  const InstantReader reader(h1_2, wrists);
  const PosteriorEstimator posterior(reader);
  all.push_back({"h1_2", h1_2.model, wrists, {posterior.rows(0), posterior.rows(1)}, h1_2.model.motor("torso_joint")});
  const RobotModel panda = test::own_robot("panda").model;
  all.push_back({"panda", panda, {"panda_hand"}, {supports(panda, "panda_hand")}});
  const RobotModel dog = quadruped();
  all.push_back({"quadruped", dog, {"foot_fl", "foot_fr", "foot_hl", "foot_hr"}, {}});
  for (const std::string& foot : all.back().endpoints) all.back().rows.push_back(supports(dog, foot));
  ModelOptions options;
  options.gravity = {1.0, -4.0, -8.0};
  options.locked_joints = {{"oblique", 0.7}};
  options.motors = {"oblique_wheel", "lift", "wheel", "slide"};  // another order, and a joint without a motor
  const RobotModel mixed(test::mixed_description(), options);
  all.push_back(
      {"mixed", mixed, {"tip", "platform"}, {supports(mixed, "tip"), {mixed.motor("lift")}}, mixed.motor("slide")});
  RandomStates random(4);
  const RobotModel tree(test::random_tree(random, 24));
  all.push_back({"tree", tree, {"link_24", tree.description().root}, {supports(tree, "link_24"), {}}});
  return all;
}

/// All that is asked of posteriors.
struct Answers {
  int endpoints, motors, width;
  std::vector<double> residual, jacobian, mean, covariance, sd, directions, nis, misfit, null_nis, share, innovation;
  std::vector<int> evidence, misfit_rows;
  std::vector<Status> status;

  Answers(const BatchModel& model, int count)
      : endpoints(model.endpoint_count()), motors(model.motor_count()), width(model.jacobian_width()) {
    const auto room = [count](auto& channel, int each) { channel.assign(static_cast<std::size_t>(each * count), -7); };
    room(residual, motors);
    room(jacobian, width);
    room(mean, 6 * endpoints);
    room(covariance, 21 * endpoints);
    room(sd, 3 * endpoints);
    room(directions, 9 * endpoints);
    for (auto* channel : {&nis, &misfit, &null_nis}) room(*channel, endpoints);
    room(evidence, endpoints);
    room(misfit_rows, endpoints);
    if (model.numbers().reference >= 0) room(share, 2 * endpoints);
    if (model.numbers().reference >= 0 && !model.numbers().noise) room(innovation, 2);
    status.assign(static_cast<std::size_t>(count), Status::not_computed);
  }

  BatchOutput all() {
    BatchOutput out;
    out.residual = {residual};
    out.jacobian = {jacobian};
    out.posterior = {mean};
    out.covariance = {covariance};
    out.force_sd = {sd};
    out.force_directions = {directions};
    out.nis = {nis};
    out.misfit = {misfit};
    out.null_nis = {null_nis};
    out.evidence_rows = {evidence};
    out.misfit_rows = {misfit_rows};
    out.reference_share = {share};
    out.innovation = {innovation};
    out.status = status;
    return out;
  }
  /// All numbers of one state in a row.
  std::vector<double> of(int state) const {
    std::vector<double> row;
    const auto add = [&](const auto& channel, int each) {
      if (channel.empty()) return;
      const auto begin = channel.begin() + static_cast<std::ptrdiff_t>(state) * each;
      for (auto number = begin; number != begin + each; ++number) row.push_back(static_cast<double>(*number));
    };
    add(residual, motors);
    add(mean, 6 * endpoints);
    add(covariance, 21 * endpoints);
    add(sd, 3 * endpoints);
    add(directions, 9 * endpoints);
    for (const auto* channel : {&nis, &misfit, &null_nis}) add(*channel, endpoints);
    add(evidence, endpoints);
    add(misfit_rows, endpoints);
    add(share, 2 * endpoints);
    add(innovation, 2);
    row.push_back(static_cast<double>(status[static_cast<std::size_t>(state)]));
    return row;
  }
  Matrix6 covariance_of(int state, int endpoint) const {
    const double* numbers = &covariance[static_cast<std::size_t>(21 * (endpoints * state + endpoint))];
    Matrix6 C;
    for (int i = 0; i < 6; ++i) {
      for (int k = i; k < 6; ++k) C(i, k) = C(k, i) = *numbers++;
    }
    return C;
  }
};

/// Variances of 0.1 to 3 N·m squared; some rows are no evidence.
std::vector<double> variances(RandomStates& random, int count, bool dead_rows) {
  std::vector<double> all;
  for (const double x : random.vector(count)) all.push_back(std::pow(10.0, x - 0.5));
  for (std::size_t i = 3; i < all.size() && dead_rows; i += 11) all[i] = kInfinity;
  return all;
}

BatchInput input_of(const BatchStates& states, const RobotModel& model, bool moving) {
  return moving ? states.moving(model.base()) : states.at_rest();
}

double apart(double a, double b) { return std::abs(a - b) / std::max(1.0, std::abs(b)); }

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
  for (const Subject& subject : subjects()) {
    for (const double moment : {kMomentPrior, 0.0}) {
      for (const bool moving : {false, true}) {
        RandomStates random(1013);
        SCOPED_TRACE(subject.name + (moving ? ", moving, " : ", at rest, ") + random.text());
        const BatchStates states(subject.model, kStates, random);
        const std::vector<double> R = variances(random, kStates * states.motors, true);
        BatchWorkspace workspace(subject.batch({}, moment));
        Answers answers(workspace.model(), kStates);
        BatchInput in = input_of(states, subject.model, moving);
        in.variance = {R};
        check_block(workspace.model(), in, answers.all());
        ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
        for (int i = 0; i < kStates; ++i) {
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

/// Noise of every kind of number; of the last motor nothing was identified.
NoiseModel noise_of(const RobotModel& model, int rank, bool four_only) {
  NoiseModel noise = test::made_up_noise(model, NoiseOrigin::moving, 0, 1.0, 33);
  RandomStates random(34);
  const TorqueParameters at = torque_parameters(model);
  noise.factor.resize(at.count(), rank);
  for (int p = 0; p < at.count(); ++p) {
    const bool inertia = p < 10 * at.bodies && p % 10 > 3;
    noise.factor.row(p) = random.vector(rank, inertia ? (four_only ? 0.0 : 1e-2) : 0.03);
  }
  noise.white_sd[at.motors - 1] = kNaN;
  noise.white_sd[0] = kInfinity;
  return noise;
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
  for (const Subject& subject : subjects()) {
    for (const int rank : {3, 400}) {
      for (const bool moving : {false, true}) {
        RandomStates random(1019);
        SCOPED_TRACE(subject.name + (moving ? ", moving, " : ", at rest, ") + random.text());
        const BatchStates states(subject.model, kStates, random);
        const int motors = states.motors;
        const NoiseModel noise = noise_of(subject.model, rank, rank == 3);
        std::vector<double> besides(static_cast<std::size_t>(kStates * motors), 0.0), shares;
        for (std::size_t i = 0; i < besides.size(); i += 13) besides[i] = kInfinity;
        for (std::size_t i = 5; i < besides.size(); i += 7) besides[i] = 0.4;
        for (int i = 0; i < kStates; ++i) besides[static_cast<std::size_t>(i * motors + motors - 1)] = 2.0;
        for (const double x : random.vector(kStates)) shares.push_back(std::max(0.0, x));
        BatchWorkspace workspace(subject.batch(noise)), plain(subject.batch());
        Answers answers(workspace.model(), kStates);
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
        for (int i = 0; i < kStates; ++i) {
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
  const BatchStates states(robot.model, kStates, random);
  const std::vector<double> R = variances(random, kStates * motors, false);
  BatchOptions options{.imu_frame = robot.profile.imu.frame};
  options.posterior = {{estimator.rows(0), estimator.rows(1)}, kForcePrior, kMomentPrior, reference, {}};
  BatchWorkspace workspace(BatchModel(robot.model, wrists, options));
  Answers answers(workspace.model(), kStates);
  BatchInput in = states.at_rest();
  in.variance = {R};
  ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
  for (int i = 0; i < kStates; ++i) {
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

/// The same bits; NaN is NaN, whatever its payload.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0) return false;
  }
  return true;
}

/// Among random states such as no robot has, and variances that are none.
struct Hostile {
  BatchStates states;
  std::vector<double> R, shares;
  Hostile(const RobotModel& robot, RandomStates& random, bool zeros)
      : states(robot, kStates, random), R(variances(random, kStates * states.motors, true)) {
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
    for (const double x : random.vector(kStates)) shares.push_back(std::max(0.0, x));
    shares[24] = kNaN;
    shares[25] = 1.5;
  }
};

TEST(BatchPosterior, EveryInstructionSetAndEveryNeighbourhoodGivesTheSameBits) {
  for (const Subject& subject : subjects()) {
    for (const bool identified : {false, true}) {
      for (const bool moving : {false, true}) {
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
          const auto cut = [&](BatchRowsOf<const double>& rows, int width) {
            if (rows.values.empty()) return;
            rows.values =
                rows.values.subspan(static_cast<std::size_t>(first * width), static_cast<std::size_t>(count * width));
          };
          for (auto* rows : {&in.q, &in.tau, &in.v, &in.a, &in.variance}) cut(*rows, hostile.states.motors);
          for (auto* rows : {&in.imu_angular_velocity, &in.imu_specific_force, &in.base_angular_acceleration}) {
            cut(*rows, 3);
          }
          cut(in.imu_quaternion_xyzw, 4);
          cut(in.motion_share, 1);
          return in;
        };
        BatchWorkspace alone(model, InstructionSet::portable);
        std::vector<std::vector<double>> expected;
        for (int i = 0; i < kStates; ++i) {
          Answers answers(model, 1);
          ASSERT_EQ(alone.replay(part(i, 1), answers.all()), Status::ok);
          expected.push_back(answers.of(0));
        }
        for (const InstructionSet set : all_values<InstructionSet>()) {
          if (set > instruction_set()) continue;
          SCOPED_TRACE(to_string(set));
          BatchWorkspace workspace(model, set);
          for (const int first : {0, 5}) {
            for (const int count : {kStates - 5, 17, 8, 7, 5, 4, 3, 2, 1}) {
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
  const Subject subject = subjects()[0];
  RandomStates random(1033);
  SCOPED_TRACE(random.text());
  const BatchStates states(subject.model, kStates, random);
  std::vector<double> R = variances(random, kStates * states.motors, false);
  BatchWorkspace workspace(subject.batch());
  Answers answers(workspace.model(), kStates), before(workspace.model(), kStates);
  BatchInput in = states.at_rest();
  in.variance = {R};
  ASSERT_EQ(workspace.replay(in, before.all()), Status::ok);
  const int left = subject.rows[0][2];
  R[static_cast<std::size_t>(7 * states.motors + left)] = kNaN;
  R[static_cast<std::size_t>(8 * states.motors + left)] = 0.0;
  R[static_cast<std::size_t>(9 * states.motors + left)] = -1.0;
  ASSERT_EQ(workspace.replay(in, answers.all()), Status::ok);
  for (int i = 0; i < kStates; ++i) {
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
  const Subject subject = subjects()[0];
  RandomStates random(1039);
  SCOPED_TRACE(random.text());
  const Hostile hostile(subject.model, random, true);
  for (const InstructionSet set : all_values<InstructionSet>()) {
    if (set > instruction_set()) continue;
    BatchWorkspace plain(subject.batch(), set), identified(subject.batch(noise_of(subject.model, 30, false)), set);
    Answers answers(plain.model(), kStates), theirs(identified.model(), kStates);
    BatchInput still = hostile.states.at_rest(), moving = hostile.states.moving(Base::free_flyer);
    still.variance = moving.variance = {hostile.R};
    const BatchOutput out = answers.all(), of_identified = theirs.all();
    const test::AllocationCounter counter;
    plain.replay(still, out);
    identified.replay(still, of_identified);
    identified.replay(moving, of_identified);
    EXPECT_EQ(counter.count(), 0);
    EXPECT_NE(answers.status.front(), Status::not_computed);
  }
}

TEST(BatchPosterior, WhatCannotBeIsAnErrorAtSetUp) {
  const Subject subject = subjects()[0];
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
  refused("posterior.reference_motor", [](BatchPosteriorOptions& o) { o.reference_motor = 27; });
  refused("noise model", [](BatchPosteriorOptions& o) { o.noise = NoiseModel{}; });
  refused("posterior.noise", [](BatchPosteriorOptions& o) {
    o.rows.clear();
    o.noise = NoiseModel{};
  });

  RandomStates random(1049);
  SCOPED_TRACE(random.text());
  const BatchStates states(subject.model, kStates, random);
  const std::vector<double> R(states.q.size(), 1.0);
  const BatchModel model = subject.batch(), identified = subject.batch(noise_of(subject.model, 3, false));
  const BatchModel none(subject.model, subject.endpoints);
  Answers answers(model, kStates), theirs(identified, kStates);
  BatchInput in = states.at_rest();
  EXPECT_THROW(check_block(model, in, answers.all()), OptionsError) << "no variance";
  check_block(identified, in, theirs.all());
  in.variance = {R};
  check_block(model, in, answers.all());
  EXPECT_THROW(check_block(none, in, {}), OptionsError) << "no rows of evidence";
  in.motion_share = {states.q};
  EXPECT_THROW(check_block(model, in, answers.all()), OptionsError) << "a share of what?";
  in.motion_share = {};
  BatchOutput out = theirs.all();
  std::vector<double> innovation(2 * kStates);
  out.innovation = {innovation};
  EXPECT_THROW(check_block(identified, in, out), OptionsError) << "rows share their errors";
}

}  // namespace
}  // namespace antaeus
