#include "check/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "check/judged_log.hpp"

namespace antaeus::detail {

namespace {

// Priors [sd], of what robots and their descriptions are like (docs/guide/check.md).
constexpr double kMass = 0.08;          // [1] of a link's mass
constexpr double kLever = 0.06;         // [1] of its centre of mass
constexpr double kLeastLever = 0.004;   // [m]
constexpr double kInertia = 0.15;       // [1] of the trace
constexpr double kGain = 0.06;          // [1]
constexpr double kGravity = 0.1;        // [m/s²] across: 0.6°
constexpr double kOffsetShare = 0.04;   // [1] of the joint's usual torque
constexpr double kFrictionShare = 0.5;  // [1] likewise
constexpr double kEffortShare = 0.1;    // [1] of the effort limit: what friction is measured by
constexpr double kCoulombSpeed = 0.03;  // [rad/s] tanh(v/0.03)
constexpr double kLeastColumn = 1e-5;   // [1] variance of a compressed column, of the usual torque's
constexpr int kMostMasses = 40;         // directions of masses that are kept
constexpr double kSigmaFloor = 0.02;    // [1] of the channel's sd

/// log Φ(x) / ½, without loss far below zero.
double half_normal(double x) {
  if (x < -5.0) return -0.5 * x * x - std::log(-x) - 0.5 * std::log(2.0 * std::numbers::pi) + std::numbers::ln2;
  return std::log(std::erfc(-x / std::numbers::sqrt2));
}

/// One sample as the model wants it.
struct ModelInput {
  VectorX q, v, a;
};

class SampleReader {
 public:
  SampleReader(const RobotModel& model, const RobotProfile& profile, const Samples& samples,
               const PositionReading& positions)
      : model_(model),
        samples_(samples),
        positions_(positions),
        dynamics_(model),
        in_{VectorX(model.nq()), VectorX::Zero(model.nv()), VectorX::Zero(model.nv())},
        motor_q_(model.motor_count()),
        floating_(model.base() == Base::free_flyer),
        sliding_(sliding_motors(model)) {
    if (floating_ && !profile.imu.frame.empty()) frame_ = model.frame(profile.imu.frame);
  }

  Dynamics& dynamics() noexcept { return dynamics_; }

  /// \return whether the model takes it. \param at_rest  without motion, the base as its quaternion says
  bool at(Eigen::Index k, bool at_rest, ModelInput& out) {
    const auto& rows = model_.motor_rows();
    in_.v.setZero();
    in_.a.setZero();
    for (int j = 0; j < model_.motor_count(); ++j) {
      const int from = positions_.order.empty() ? j : positions_.order[static_cast<std::size_t>(j)];
      const double sign = (positions_.sign.size() ? positions_.sign[j] : 1.0) *
                          (sliding_[static_cast<std::size_t>(j)] ? 1.0 : positions_.scale);
      motor_q_[j] = sign * samples_.q(k, from) - (positions_.offset.size() ? positions_.offset[j] : 0.0);
      if (at_rest) continue;
      in_.v[rows[static_cast<std::size_t>(j)]] = sign * samples_.v(k, from);
      in_.a[rows[static_cast<std::size_t>(j)]] = sign * samples_.a(k, from);
    }
    if (model_.position_from_motors(motor_q_, Eigen::Vector4d(0, 0, 0, 1), in_.q) != Status::ok) return false;
    if (floating_ && !base(k, at_rest)) return false;
    out = in_;
    return true;
  }

 private:
  bool base(Eigen::Index k, bool at_rest) {
    const PositionTerms terms = dynamics_.at(in_.q);
    Pose X_base_imu;
    Matrix6X J(6, model_.nv());
    if (terms.frame_pose(frame_, X_base_imu) != Status::ok || terms.frame_jacobian(frame_, J) != Status::ok)
      return false;
    if (at_rest) {
      if (samples_.still.rows() == 0) return false;
      const Eigen::Quaterniond turned(samples_.still(k, 3), samples_.still(k, 0), samples_.still(k, 1),
                                      samples_.still(k, 2));
      const Vector3 felt =
          X_base_imu.rotation * (turned.normalized().toRotationMatrix().transpose() * (-model_.gravity()));
      in_.a.head<3>() = felt + model_.gravity();
      return true;
    }
    Vector3 omega = X_base_imu.rotation * samples_.omega.row(k).transpose();
    Vector3 alpha = X_base_imu.rotation * samples_.alpha.row(k).transpose();
    for (const int row : model_.motor_rows()) {
      omega -= J.col(row).tail<3>() * in_.v[row];
      alpha -= J.col(row).tail<3>() * in_.a[row];
    }
    in_.v.segment<3>(3) = omega;
    in_.a.segment<3>(3) = alpha;
    VectorX tau(model_.nv());
    Vector3 felt;
    if (terms.inverse_dynamics(in_.v, in_.a, frame_, samples_.force.row(k).transpose(), tau, &felt) != Status::ok)
      return false;
    in_.a.head<3>() = felt + model_.gravity();  // the regressor feels a − g, and the base's axes are its world
    return true;
  }

  const RobotModel& model_;
  const Samples& samples_;
  const PositionReading& positions_;
  Dynamics dynamics_;
  ModelInput in_;
  VectorX motor_q_;
  bool floating_;
  FrameId frame_;
  std::vector<char> sliding_;
};

/// sd of each inertial parameter of a body of mass m, first moment mc, inertia about the joint.
VectorX inertia_priors(const VectorX& parameters) {
  VectorX sd(parameters.size());
  for (Eigen::Index b = 0; b + 9 < parameters.size(); b += 10) {
    const double m = std::abs(parameters[b]);
    const Vector3 mc = parameters.segment<3>(b + 1);
    const double trace = std::abs(parameters[b + 4] + parameters[b + 5] + parameters[b + 6]);
    sd[b] = kMass * m;
    // A heavier link pulls harder at its lever too: both shares.
    for (int i = 1; i < 4; ++i) sd[b + i] = m * kLeastLever + std::hypot(kMass * mc[i - 1], kLever * mc.norm());
    for (int i = 4; i < 10; ++i) sd[b + i] = kInertia * trace;
  }
  return sd;
}

}  // namespace

double rms(const VectorX& values) {
  return std::sqrt(values.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(1, values.size())));
}

Samples take_samples(const Robot& robot, const JudgedLog& log, Eigen::Index most) {
  Samples samples;
  const bool floating = robot.model.base() == Base::free_flyer;
  double whole = 0.0;
  for (const EvenPiece& piece : log.pieces) {
    whole += std::max(0.0, piece.step * static_cast<double>(piece.rows() - 1) - 2.0 * kSpoiled);
  }
  const Eigen::Index motors = robot.model.motor_count();
  if (!(whole > 0.0)) return samples;
  const double step = whole / static_cast<double>(most);
  double next = 0.5 * step, passed = 0.0;
  for (int p = 0; p < static_cast<int>(log.pieces.size()); ++p) {
    const EvenPiece& piece = log.pieces[static_cast<std::size_t>(p)];
    const double length = piece.step * static_cast<double>(piece.rows() - 1) - 2.0 * kSpoiled;
    if (length <= 0.0) continue;
    for (; next < passed + length; next += step) {  // NOLINT(bugprone-float-loop-counter): a time, not a count
      samples.piece.push_back(p);
      samples.row.push_back(std::round((next - passed + kSpoiled) / piece.step));
    }
    passed += length;
  }
  const auto count = static_cast<Eigen::Index>(samples.piece.size());
  samples.q.resize(count, motors);
  samples.v = samples.a = samples.y = samples.q;
  if (floating) samples.omega = samples.alpha = samples.force = MatrixX::Zero(count, 3);
  const bool quaternion = floating && !log.pieces.empty() && log.pieces.front().quaternion.rows() > 0;
  if (quaternion) samples.still.resize(count, 4);
  std::vector<MatrixX> gyro(log.pieces.size()), acc(log.pieces.size());
  if (floating) {
    for (std::size_t p = 0; p < log.pieces.size(); ++p) {
      gyro[p] = log.pieces[p].gyro;
      acc[p] = log.pieces[p].acc;
      zero_phase(gyro[p], cut_off(log.pieces[p]));
      zero_phase(acc[p], cut_off(log.pieces[p]));
    }
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto p = static_cast<std::size_t>(samples.piece[static_cast<std::size_t>(k)]);
    const EvenPiece& piece = log.pieces[p];
    const auto i = static_cast<Eigen::Index>(samples.row[static_cast<std::size_t>(k)]);
    samples.q.row(k) = piece.qf.row(i);
    samples.v.row(k) = piece.v.row(i);
    samples.a.row(k) = piece.a.row(i);
    samples.y.row(k) = piece.tauf.row(i);
    if (!floating) continue;
    samples.omega.row(k) = gyro[p].row(i);
    samples.alpha.row(k) = (gyro[p].row(i + 1) - gyro[p].row(i - 1)) / (2.0 * piece.step);
    samples.force.row(k) = acc[p].row(i);
    if (quaternion) samples.still.row(k) = piece.quaternion.row(i);
  }
  return samples;
}

MatrixX late_torques(const JudgedLog& log, const Samples& samples, double delay) {
  MatrixX y(samples.count(), samples.y.cols());
  for (Eigen::Index k = 0; k < y.rows(); ++k) {
    const EvenPiece& piece = log.pieces[static_cast<std::size_t>(samples.piece[static_cast<std::size_t>(k)])];
    const double row = samples.row[static_cast<std::size_t>(k)] + delay / piece.step;
    for (Eigen::Index j = 0; j < y.cols(); ++j) y(k, j) = at_row(piece.tauf, row, j);
  }
  return y;
}

MatrixX model_torque(const RobotModel& model, const RobotProfile& profile, const Samples& samples,
                     const PositionReading& positions) {
  SampleReader reader(model, profile, samples, positions);
  MatrixX torque = MatrixX::Constant(samples.count(), model.motor_count(), kNaN);
  ModelInput in;
  VectorX tau(model.nv()), motor(model.motor_count());
  for (Eigen::Index k = 0; k < samples.count(); ++k) {
    if (!reader.at(k, false, in)) continue;
    if (reader.dynamics().inverse_dynamics(in.q, in.v, in.a, tau) != Status::ok) continue;
    if (model.select_motor_rows(tau, motor) == Status::ok) torque.row(k) = motor;
  }
  return torque;
}

Reading read_model(const RobotModel& model, const RobotProfile& profile, const Samples& samples,
                   const PositionReading& positions, const std::vector<int>& ends, const Reading* like) {
  Reading reading;
  const Eigen::Index rows = samples.count();
  const int motors = model.motor_count(), bodies = model.body_count(), nv = model.nv();
  const VectorX parameters = model.inertial_parameters();
  const VectorX sd = inertia_priors(parameters);
  SampleReader reader(model, profile, samples, positions);
  const auto& motor_rows = model.motor_rows();
  std::vector<MatrixX> Y(static_cast<std::size_t>(motors), MatrixX::Zero(rows, 10 * bodies));
  reading.torque = MatrixX::Zero(rows, motors);
  reading.gravity = MatrixX::Zero(rows, motors);
  reading.gravity_of.assign(3, MatrixX::Zero(rows, motors));
  MatrixX speed = MatrixX::Zero(rows, motors), acceleration = speed;
  ModelInput in, rest;
  MatrixX full(nv, 10 * bodies), still(nv, 10 * bodies);
  VectorX column(nv);
  for (Eigen::Index k = 0; k < rows; ++k) {
    if (!reader.at(k, false, in)) continue;
    if (reader.dynamics().inverse_dynamics_regressor(in.q, in.v, in.a, full) != Status::ok) continue;
    const bool at_rest = reader.at(k, true, rest) &&
                         reader.dynamics().inverse_dynamics_regressor(rest.q, rest.v, rest.a, still) == Status::ok;
    if (positions.without_gravity && !at_rest) continue;
    const PositionTerms terms = reader.dynamics().at(in.q);
    for (int i = 0; i < 3; ++i) {
      if (terms.gravity_torque(Vector3::Unit(i), column) != Status::ok) column.setZero();
      for (int j = 0; j < motors; ++j)
        reading.gravity_of[static_cast<std::size_t>(i)](k, j) = column[motor_rows[static_cast<std::size_t>(j)]];
    }
    for (int j = 0; j < motors; ++j) {
      const int row = motor_rows[static_cast<std::size_t>(j)];
      auto& here = Y[static_cast<std::size_t>(j)];
      here.row(k) = full.row(row);
      if (positions.without_gravity) here.row(k) -= still.row(row);
      speed(k, j) = in.v[row];
      acceleration(k, j) = in.a[row];
      reading.torque(k, j) = here.row(k).dot(parameters);
      if (at_rest) reading.gravity(k, j) = still.row(row).dot(parameters);
    }
  }
  for (int j = 0; j < motors; ++j) {
    const auto found = model.options().armature.find(model.motor_names()[static_cast<std::size_t>(j)]);
    if (found != model.options().armature.end()) reading.torque.col(j) += found->second * acceleration.col(j);
  }
  // What a joint's torque usually is: by the model, and by its motor's size where the link weighs nothing.
  if (like) {
    reading.scale = like->scale;
  } else {
    VectorX usual(motors);
    for (int j = 0; j < motors; ++j) usual[j] = rms(reading.torque.col(j));
    const double most = std::max(usual.maxCoeff(), 1e-9);
    reading.scale.resize(motors);
    for (int j = 0; j < motors; ++j) {
      double effort = model.effort_limits()[j];
      if (!std::isfinite(effort) || effort <= 0.0) effort = 0.0;
      reading.scale[j] = std::max({usual[j], std::min(kEffortShare * effort, most), 0.02 * most});
    }
  }
  // Masses: the directions in the space of priors that any joint sees.
  const int columns = 10 * bodies;
  if (like && like->basis.rows() == columns) {
    reading.basis = like->basis;
  } else {
    MatrixX gram = MatrixX::Zero(columns, columns);
    for (int j = 0; j < motors; ++j) {
      const MatrixX X =
          Y[static_cast<std::size_t>(j)] * sd.asDiagonal() / (reading.scale[j] * std::sqrt(static_cast<double>(rows)));
      gram.selfadjointView<Eigen::Lower>().rankUpdate(X.transpose());
    }
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(gram.selfadjointView<Eigen::Lower>());
    int found = 0;
    while (found < std::min(columns, kMostMasses) && eigen.eigenvalues()[columns - 1 - found] > kLeastColumn) ++found;
    reading.basis = sd.asDiagonal() * eigen.eigenvectors().rightCols(found);
  }
  const auto kept = static_cast<int>(reading.basis.cols());
  reading.masses = kept;
  reading.common.resize(static_cast<std::size_t>(motors));
  reading.own.resize(static_cast<std::size_t>(motors));
  reading.own_sd.resize(motors * kOwn);
  for (const int body : ends) {
    reading.ends.emplace_back();
    for (const MatrixX& of_joint : Y) reading.ends.back().emplace_back(of_joint.middleCols(10 * body, 10));
  }
  for (int j = 0; j < motors; ++j) {
    MatrixX& C = reading.common[static_cast<std::size_t>(j)];
    C.resize(rows, kept + 3);
    C.leftCols(kept).noalias() = Y[static_cast<std::size_t>(j)] * reading.basis;
    for (int i = 0; i < 3; ++i) {
      C.col(kept + i) =
          (positions.without_gravity ? 0.0 : kGravity) * reading.gravity_of[static_cast<std::size_t>(i)].col(j);
    }
    MatrixX& D = reading.own[static_cast<std::size_t>(j)];
    D.resize(rows, kOwn);
    const double s = reading.scale[j];
    OwnVector prior;
    prior[kGainError] = kGain;
    prior[kRotor] = kFrictionShare * s / std::max(rms(acceleration.col(j)), 0.2);
    prior[kViscous] = kFrictionShare * s / std::max(rms(speed.col(j)), 0.05);
    prior[kCoulomb] = kFrictionShare * s;
    prior[kOffset] = kOffsetShare * s;
    D.col(kGainError) = prior[kGainError] * reading.torque.col(j);
    D.col(kRotor) = prior[kRotor] * acceleration.col(j);
    D.col(kViscous) = prior[kViscous] * speed.col(j);
    D.col(kCoulomb) = prior[kCoulomb] * (speed.col(j).array() / kCoulombSpeed).tanh().matrix();
    D.col(kOffset).setConstant(prior[kOffset]);
    reading.own_sd.segment<kOwn>(j * kOwn) = prior;
  }
  return reading;
}

Sums sums_of(const Reading& reading, const MatrixX& channels, const MatrixX& weights, const std::vector<MatrixX>& extra,
             double mass_width) {
  Sums sums;
  const auto motors = static_cast<int>(reading.common.size());
  sums.joints.resize(static_cast<std::size_t>(motors));
  sums.scale = reading.scale;
  sums.level.resize(motors);
  for (int i = 0; i < motors; ++i) {
    const auto y = channels.col(i).array();
    sums.level[i] = std::sqrt(std::max(1e-300, (y - y.mean()).square().mean()));
  }
  MatrixX C;
  for (int j = 0; j < motors; ++j) {
    const auto at = static_cast<std::size_t>(j);
    Sums::Joint& joint = sums.joints[at];
    const Eigen::Index base = reading.common[at].cols(), more = extra.empty() ? 0 : extra[at].cols();
    C.resize(reading.rows(), base + more);
    C.leftCols(base) = reading.common[at];
    if (mass_width != 1.0) C.leftCols(reading.masses) *= mass_width;
    if (more > 0) C.rightCols(more) = extra[at];
    const MatrixX& D = reading.own[at];
    const auto w = weights.col(j).asDiagonal();
    const MatrixX CW = C.transpose() * w;
    const MatrixX DW = D.transpose() * w;
    joint.cc.noalias() = CW * C;
    joint.cd.noalias() = CW * D;
    joint.dd = DW * D;
    joint.cy.noalias() = CW * channels;
    joint.dy = DW * channels;
    joint.c0 = CW * reading.torque.col(j);
    joint.d0 = DW * reading.torque.col(j);
    joint.yy.resize(motors);
    joint.y0.resize(motors);
    const VectorX t = w * reading.torque.col(j);
    for (int i = 0; i < motors; ++i) {
      joint.yy[i] = channels.col(i).dot(w * channels.col(i));
      joint.y0[i] = channels.col(i).dot(t);
    }
    joint.t0 = reading.torque.col(j).dot(t);
    joint.n = weights.col(j).sum();
  }
  return sums;
}

Sums with_torque(const Sums& sums, const Reading& reading, const MatrixX& channels, const MatrixX& weights,
                 const MatrixX& torque) {
  Sums other = sums;
  for (int j = 0; j < torque.cols(); ++j) {
    Sums::Joint& joint = other.joints[static_cast<std::size_t>(j)];
    const VectorX t = weights.col(j).cwiseProduct(torque.col(j));
    joint.c0 = reading.common[static_cast<std::size_t>(j)].transpose() * t;
    joint.d0 = reading.own[static_cast<std::size_t>(j)].transpose() * t;
    joint.y0 = channels.transpose() * t;
    joint.t0 = torque.col(j).dot(t);
  }
  return other;
}

Fit weigh(const Weighing& weighing, const Sums& sums, const Trial& trial, const OwnVector& own_width) {
  Fit fit;
  const auto motors = static_cast<int>(sums.joints.size());
  if (weighing.motors.empty()) return fit;
  const Eigen::Index m = sums.joints.front().cc.rows();
  struct Local {
    VectorX cr;
    OwnVector dr;
    OwnMatrix dd;
    MatrixX cd;
    double rr = 0.0, gain = 1.0, floor = 0.0, n = 0.0;
    OwnMatrix inverse;
    MatrixX link;  // L B⁻¹
  };
  std::vector<Local> locals(weighing.motors.size());
  VectorX sigma2 = VectorX::Zero(motors);
  for (std::size_t l = 0; l < locals.size(); ++l) {
    const int j = weighing.motors[l];
    const Sums::Joint& joint = sums.joints[static_cast<std::size_t>(j)];
    Local& here = locals[l];
    const int channel = trial.order.empty() ? j : trial.order[static_cast<std::size_t>(j)];
    const double g = trial.gain.size() ? trial.gain[j] : 1.0;
    here.gain = g;
    here.n = weighing.temper * joint.n;
    here.cr = joint.cy.col(channel) / g - joint.c0;
    here.dr = joint.dy.col(channel) / g - joint.d0;
    here.rr = std::max(0.0, joint.yy[channel] / (g * g) - 2.0 * joint.y0[channel] / g + joint.t0);
    here.cd = joint.cd * own_width.asDiagonal();
    here.dd = own_width.asDiagonal() * joint.dd * own_width.asDiagonal();
    here.dr = own_width.cwiseProduct(here.dr).eval();
    here.floor = kSigmaFloor * std::max(sums.level[channel] / std::abs(g), 0.02 * sums.scale[j]);
    sigma2[j] = std::max(0.25 * here.rr / std::max(joint.n, 1e-9), here.floor * here.floor);
  }
  MatrixX schur(m, m), covariance;
  VectorX right(m), mean;
  std::vector<OwnVector> own(locals.size());
  double log_det = 0.0;
  constexpr int kSteps = 5;
  for (int step = 0; step < kSteps; ++step) {
    schur.setIdentity();
    right.setZero();
    log_det = 0.0;
    for (std::size_t l = 0; l < locals.size(); ++l) {
      const int j = weighing.motors[l];
      const Sums::Joint& joint = sums.joints[static_cast<std::size_t>(j)];
      Local& here = locals[l];
      const double weight = weighing.temper / sigma2[j];
      const OwnMatrix B = OwnMatrix::Identity() + weight * here.dd;
      const Eigen::LLT<OwnMatrix> llt(B);
      here.inverse = llt.solve(OwnMatrix::Identity());
      for (int i = 0; i < kOwn; ++i) log_det += 2.0 * std::log(llt.matrixLLT()(i, i));
      here.link.noalias() = (weight * here.cd) * here.inverse;
      schur.noalias() += weight * joint.cc;
      schur.noalias() -= here.link * (weight * here.cd).transpose();
      right += weight * here.cr - here.link * (weight * here.dr);
    }
    const Eigen::LLT<MatrixX> llt(schur);
    for (Eigen::Index i = 0; i < m; ++i) log_det += 2.0 * std::log(std::max(llt.matrixLLT()(i, i), 1e-150));
    mean = llt.solve(right);
    covariance = llt.solve(MatrixX::Identity(m, m));
    for (std::size_t l = 0; l < locals.size(); ++l) {
      const int j = weighing.motors[l];
      const Sums::Joint& joint = sums.joints[static_cast<std::size_t>(j)];
      Local& here = locals[l];
      const double weight = weighing.temper / sigma2[j];
      own[l] = here.inverse * (weight * (here.dr - here.cd.transpose() * mean));
      if (step + 1 == kSteps) break;
      const double rss = here.rr - 2.0 * here.cr.dot(mean) - 2.0 * here.dr.dot(own[l]) + mean.dot(joint.cc * mean) +
                         2.0 * mean.dot(here.cd * own[l]) + own[l].dot(here.dd * own[l]);
      const MatrixX cross = covariance * here.link;  // −cov(common, own)
      const OwnMatrix own_covariance = here.inverse + here.link.transpose() * cross;
      const double trace = joint.cc.cwiseProduct(covariance).sum() - 2.0 * here.cd.cwiseProduct(cross).sum() +
                           here.dd.cwiseProduct(own_covariance).sum();
      // Of the tempered count: what the fit leaves, and what it does not know.
      sigma2[j] = std::max((std::max(rss, 0.0) + trace) / std::max(joint.n, 1e-9), here.floor * here.floor);
    }
  }
  fit.score = -0.5 * mean.squaredNorm() - 0.5 * log_det;
  fit.common = mean;
  fit.common_sd = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  fit.sigma = VectorX::Constant(motors, kNaN);
  fit.own.assign(static_cast<std::size_t>(motors), OwnVector::Zero());
  fit.own_sd.assign(static_cast<std::size_t>(motors), OwnVector::Constant(kNaN));
  for (std::size_t l = 0; l < locals.size(); ++l) {
    const int j = weighing.motors[l];
    const Sums::Joint& joint = sums.joints[static_cast<std::size_t>(j)];
    const Local& here = locals[l];
    const double rss = here.rr - 2.0 * here.cr.dot(mean) - 2.0 * here.dr.dot(own[l]) + mean.dot(joint.cc * mean) +
                       2.0 * mean.dot(here.cd * own[l]) + own[l].dot(here.dd * own[l]);
    fit.score -= 0.5 * here.n * std::log(sigma2[j] * here.gain * here.gain) +
                 0.5 * weighing.temper * std::max(rss, 0.0) / sigma2[j] + 0.5 * own[l].squaredNorm();
    const MatrixX cross = covariance * here.link;
    const OwnVector sd = (here.inverse + here.link.transpose() * cross).diagonal().cwiseMax(0.0).cwiseSqrt();
    fit.score += half_normal(own[l][kCoulomb] / std::max(sd[kCoulomb], 1e-9)) +
                 half_normal(own[l][kRotor] / std::max(sd[kRotor], 1e-9));
    fit.own[static_cast<std::size_t>(j)] = own_width.cwiseProduct(own[l]);
    fit.own_sd[static_cast<std::size_t>(j)] = own_width.cwiseProduct(sd);
    fit.sigma[j] = std::sqrt(sigma2[j]);
  }
  return fit;
}

MatrixX left_over(const Reading& reading, const MatrixX& channels, const Fit& fit, const Trial& trial) {
  MatrixX left = MatrixX::Zero(reading.rows(), reading.torque.cols());
  for (int j = 0; j < reading.torque.cols(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const int channel = trial.order.empty() ? j : trial.order[at];
    const double g = trial.gain.size() ? trial.gain[j] : 1.0;
    const Eigen::Index base = reading.common[at].cols();
    left.col(j) = channels.col(channel) / g - reading.torque.col(j) - reading.common[at] * fit.common.head(base) -
                  reading.own[at] * fit.own[at];
  }
  return left;
}

std::vector<int> best_assignment(const MatrixX& value) {
  // Shortest augmenting paths with potentials, on costs −value.
  const auto n = static_cast<int>(value.rows());
  std::vector<double> u(static_cast<std::size_t>(n + 1)), v(u);
  std::vector<int> match(static_cast<std::size_t>(n + 1)), way(match);
  for (int i = 1; i <= n; ++i) {
    match[0] = i;
    int column = 0;
    std::vector<double> least(static_cast<std::size_t>(n + 1), kInfinity);
    std::vector<char> used(static_cast<std::size_t>(n + 1), 0);
    do {
      used[static_cast<std::size_t>(column)] = 1;
      const int row = match[static_cast<std::size_t>(column)];
      double delta = kInfinity;
      int next = 0;
      for (int j = 1; j <= n; ++j) {
        const auto c = static_cast<std::size_t>(j);
        if (used[c]) continue;
        const double worth = value(row - 1, j - 1);
        const double cost = (std::isfinite(worth) ? -worth : 1e12) - u[static_cast<std::size_t>(row)] - v[c];
        if (cost < least[c]) {
          least[c] = cost;
          way[c] = column;
        }
        if (least[c] < delta) {
          delta = least[c];
          next = j;
        }
      }
      for (int j = 0; j <= n; ++j) {
        const auto c = static_cast<std::size_t>(j);
        if (used[c]) {
          u[static_cast<std::size_t>(match[c])] += delta;
          v[c] -= delta;
        } else {
          least[c] -= delta;
        }
      }
      column = next;
    } while (match[static_cast<std::size_t>(column)] != 0);
    for (; column != 0; column = way[static_cast<std::size_t>(column)]) {
      match[static_cast<std::size_t>(column)] = match[static_cast<std::size_t>(way[static_cast<std::size_t>(column)])];
    }
  }
  std::vector<int> assigned(static_cast<std::size_t>(n), 0);
  for (int j = 1; j <= n; ++j) assigned[static_cast<std::size_t>(match[static_cast<std::size_t>(j)] - 1)] = j - 1;
  return assigned;
}

}  // namespace antaeus::detail
