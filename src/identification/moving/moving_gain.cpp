#include "identification/moving/moving_gain.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "antaeus/robot/dynamics.hpp"
#include "core/decompositions.hpp"
#include "identification/moving/moving_gram.hpp"

namespace antaeus::detail {

namespace {

constexpr Eigen::Index kSamples = 2500;  // that are summed: neighbours repeat each other
constexpr double kWrongMasses = 0.3;     // sd of a description's masses, as a share
constexpr double kTool = 1.0;            // [kg] sd of what a gripper holds or lacks
constexpr double kToolShare = 0.2;       // of the robot, at most
constexpr int kGainRounds = 5;
/// Factors that a drive and a description explain, and the least of a step's scale that is believed.
constexpr double kLeastFactor = 1.0 / 1.4, kMostFactor = 1.0 / 0.7, kLeastRatio = 0.05;

/// The channel by one joint's torque alone: torque, friction, offset, and the rotor if asked. \param column  whose
/// torque
struct Plain {
  Eigen::Matrix<double, 5, 1> mean = Eigen::Matrix<double, 5, 1>::Zero();
  VectorX error;
  double gain_sd = kInfinity;
};
Plain plain_fit(const MovingRows& rows, int joint, int column, bool with_rotor = true) {
  using Five = Eigen::Matrix<double, 5, 1>;
  const JointRows& read = rows.joints[joint];
  const JointRows& model = rows.joints[column];
  const Eigen::Index rotor = model.inertial();
  Eigen::Matrix<double, 5, 5> G = Eigen::Matrix<double, 5, 5>::Zero();
  Five h = Five::Zero();
  const auto columns = [&](Eigen::Index t) {
    Five x;
    x << model.expected[t], with_rotor ? model.X(t, rotor) : 0.0, model.X(t, rotor + 1), model.X(t, rotor + 2), 1.0;
    return x;
  };
  beat(rows);
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (!read.use[t]) continue;
    const Five x = columns(t);
    G += x * x.transpose();
    h += read.reading[t] * x;
  }
  // A joint that gravity does not load, or that does not move, leaves a direction open: a trace of a ridge closes it.
  G.diagonal() *= 1.0 + 1e-9;
  G.diagonal().array() += 1e-9 * std::max(1.0, G.trace());
  const Eigen::LDLT<Eigen::Matrix<double, 5, 5>> factor(G);
  Plain plain;
  plain.mean = factor.solve(h);
  plain.error = VectorX::Zero(rows.samples());
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (read.use[t]) plain.error[t] = read.reading[t] - plain.mean.dot(columns(t));
  }
  const Five unit = Five::Unit(0);
  plain.gain_sd = root_mean_square(read, plain.error) *
                  std::sqrt(integral_time(rows, read, plain.error) / rows.step * factor.solve(unit)[0]);
  return plain;
}

double deviation(const JointRows& joint, const VectorX& values) {
  double sum = 0.0, squares = 0.0;
  for (Eigen::Index t = 0; t < values.size(); ++t) {
    if (!joint.use[t]) continue;
    sum += values[t];
    squares += values[t] * values[t];
  }
  const auto n = static_cast<double>(std::max<Eigen::Index>(1, used_rows(joint)));
  return std::sqrt(std::max(0.0, squares / n - sum * sum / (n * n)));
}

/// What gravity alone asks of the motors at the log's positions, samples × motors [N·m].
MatrixX gravity_torques(const Robot& robot, const MovingRows& rows, Eigen::Index stride) {
  const RobotModel& model = robot.model;
  Dynamics dynamics(model);
  MatrixX torques = MatrixX::Zero(rows.samples(), rows.at.motors);
  VectorX tau = VectorX::Zero(model.nv());
  const VectorX still = VectorX::Zero(model.nv());
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (t % stride == 0) {
      const VectorX q = rows.q.row(t);
      VectorX a = rows.a.row(t);  // a base's acceleration pulls as gravity does
      for (const int row : model.motor_rows()) a[row] = 0.0;
      if (dynamics.inverse_dynamics(q, still, a, tau) != Status::ok) tau.setZero();
    }
    for (int j = 0; j < rows.at.motors; ++j) torques(t, j) = tau[model.motor_rows()[j]];
  }
  return torques;
}

/// The heaviest body that all joints carry, where a tool hangs; −1 where there is none: several chains.
int last_body(const MovingRows& rows, const std::vector<char>& used, const VectorX& described) {
  int tip = -1;
  for (int body = 0; body < rows.at.bodies; ++body) {
    bool all = true;
    for (std::size_t j = 0; j < used.size() && all; ++j) {
      if (!used[j]) continue;
      const JointRows& joint = rows.joints[j];
      const auto found = std::ranges::find(joint.columns, 10 * body);
      all = found != joint.columns.end() &&
            joint.X.middleCols(found - joint.columns.begin(), 10).cwiseAbs().maxCoeff() > 0.0;
    }
    if (!all) continue;
    if (tip < 0 || described[rows.at.inertial(body)] > described[rows.at.inertial(tip)]) tip = body;
  }
  return tip;
}

/// One linear problem: the shared θ and a factor on each joint's expected torque, in units of their priors.
struct Solution {
  VectorX mean;
  MatrixX covariance;
};

class JointProblem {
 public:
  JointProblem(const MovingRows& rows, const std::vector<char>& used) : rows_(rows), used_(used) {
    stride = std::max<Eigen::Index>(1, rows.samples() / kSamples);
    for (int j = 0; j < rows.at.motors; ++j) {
      columns_.emplace_back();
      if (!used[j]) continue;
      for (Eigen::Index c = 0; c < rows.joints[j].X.cols(); ++c) {
        if (rows.joints[j].X.col(c).cwiseAbs().maxCoeff() > 0.0) columns_.back().push_back(c);
      }
    }
    sums_.resize(used.size());
    for (int j = 0; j < rows.at.motors; ++j) {
      if (used[j]) sum(j);
    }
  }

  /// \param scale  what each channel is divided by. \param gain_sd  prior of the factor beyond 1; 0: it is 1
  Solution solve(const VectorX& scale, const VectorX& weight, const VectorX& prior, const VectorX& gain_sd) const {
    const int count = rows_.at.count(), all = count + rows_.at.motors;
    VectorX sd(all);
    sd << prior, gain_sd;
    MatrixX A = MatrixX::Zero(all, all);
    VectorX b = VectorX::Zero(all);
    for (int j = 0; j < rows_.at.motors; ++j) {
      if (!used_[j]) continue;
      const std::vector<Eigen::Index>& columns = columns_[j];
      const auto n = static_cast<Eigen::Index>(columns.size());
      const auto at = [&](Eigen::Index c) {
        return c < n ? rows_.parameter(j, rows_.joints[j].columns[columns[c]]) : count + j;
      };
      const MatrixX& S = sums_[j];  // columns, expected, reading
      for (Eigen::Index c = 0; c <= n; ++c) {
        b[at(c)] += weight[j] * (S(c, n + 1) / scale[j] - S(c, n));
        for (Eigen::Index r = 0; r <= n; ++r) A(at(r), at(c)) += weight[j] * S(r, c);
      }
    }
    MatrixX scaled = sd.asDiagonal() * A * sd.asDiagonal();
    scaled.diagonal().array() += 1.0;
    const Eigen::LLT<MatrixX> cholesky(scaled);
    Solution solution;
    solution.mean = sd.asDiagonal() * cholesky.solve(sd.asDiagonal() * b);
    solution.covariance = sd.asDiagonal() * cholesky.solve(MatrixX::Identity(all, all)) * sd.asDiagonal();
    return solution;
  }

  VectorX error(int j, double scale, const Solution& solution) const {
    const JointRows& joint = rows_.joints[j];
    const int count = rows_.at.count();
    beat(rows_);
    VectorX theta = VectorX::Zero(joint.X.cols());
    for (const Eigen::Index c : columns_[j]) theta[c] = solution.mean[rows_.parameter(j, joint.columns[c])];
    return joint.reading / scale - (1.0 + solution.mean[count + j]) * joint.expected - joint.X * theta;
  }

  Eigen::Index stride = 1;

 private:
  void sum(int j) {
    const JointRows& joint = rows_.joints[j];
    const auto n = static_cast<Eigen::Index>(columns_[j].size());
    MatrixX block(n + 2, kSamples + 1);
    Eigen::Index filled = 0;
    MatrixX& S = sums_[j] = MatrixX::Zero(n + 2, n + 2);
    const auto flush = [&] {
      S.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(filled), static_cast<double>(stride));
      filled = 0;
    };
    for (Eigen::Index t = 0; t < rows_.samples(); t += stride) {
      if (!joint.use[t]) continue;
      if (filled == block.cols()) flush();
      for (Eigen::Index c = 0; c < n; ++c) block(c, filled) = joint.X(t, columns_[j][c]);
      block(n, filled) = joint.expected[t];
      block(n + 1, filled++) = joint.reading[t];
    }
    flush();
    const MatrixX lower = S;
    S = lower.selfadjointView<Eigen::Lower>();
  }

  const MovingRows& rows_;
  const std::vector<char>& used_;
  std::vector<std::vector<Eigen::Index>> columns_;  // of X, those with numbers
  std::vector<MatrixX> sums_;
};

}  // namespace

GainFit fit_gains(const Robot& robot, const MovingRows& rows) {
  const TorqueParameters& at = rows.at;
  const int motors = at.motors, count = at.count();
  GainFit fit;
  fit.gain = fit.gain_sd = fit.dry = fit.dry_sd = VectorX::Constant(motors, kNaN);
  fit.loaded.assign(static_cast<std::size_t>(motors), 0);
  fit.told = fit.right = fit.loaded;
  std::vector<char> used(static_cast<std::size_t>(motors), 0);
  bool any = false;
  for (int j = 0; j < motors; ++j) {
    used[j] = rows.joints[j].X.rows() > 0 && used_rows(rows.joints[j]) > 0 ? 1 : 0;
    any = any || used[j];
  }
  if (!any) return fit;

  VectorX scale = VectorX::Ones(motors), weight = VectorX::Zero(motors);
  for (int j = 0; j < motors; ++j) {
    if (!used[j]) continue;
    const Plain plain = plain_fit(rows, j, j);
    constexpr double kSure = 3.0;
    const Plain simple = plain_fit(rows, j, j, false);
    const auto told = [](const Plain& p) { return std::abs(p.mean[0]) > kSure * p.gain_sd; };
    fit.told[j] = told(plain) && told(simple) ? 1 : 0;
    // What is right without a rotor needs none.
    fit.right[j] = simple.mean[0] > kLeastFactor && simple.mean[0] < kMostFactor ? 1 : 0;
    if (fit.told[j] && !fit.right[j]) scale[j] = plain.mean[0];
    const JointRows& joint = rows.joints[j];
    const double sd = std::max(root_mean_square(joint, plain.error), 1e-9) / std::abs(scale[j]);
    weight[j] = rows.step / (integral_time(rows, joint, plain.error) * sd * sd);
  }

  VectorX prior = prior_deviations(robot.model, rows, kWrongMasses);
  fit.tip = last_body(rows, used, robot.model.inertial_parameters());
  if (fit.tip >= 0) {
    fit.described = robot.model.inertial_parameters()[at.inertial(fit.tip)];
    double whole = 0.0;
    for (int body = 0; body < at.bodies; ++body) whole += robot.model.inertial_parameters()[at.inertial(body)];
    const double m = std::max(std::min(kTool, kToolShare * whole), fit.described);
    prior[at.inertial(fit.tip)] = m;
    prior.segment<3>(at.inertial(fit.tip) + 1).setConstant(0.1 * m);
    prior.segment<6>(at.inertial(fit.tip) + 4).setConstant(0.01 * m);
  }
  for (int j = 0; j < motors; ++j) prior[at.rotor(j)] = rotor_deviation(robot.model, j);
  VectorX bare = prior;
  const JointProblem problem(rows, used);
  Solution solution;
  constexpr double kAnyGain = 10.0;  // of the first guess: nothing that a prior should decide
  const auto solve = [&](const VectorX& gain_sd) {
    VectorX sd = bare;
    for (int j = 0; j < motors; ++j) {
      for (const int k : {at.coulomb(j), at.viscous(j), at.offset(j)}) sd[k] /= std::abs(scale[j]);
    }
    // No rotor has less than no inertia: those that would are left out.
    for (int again = 0; again < 2; ++again) {
      solution = problem.solve(scale, weight, sd, gain_sd);
      bool negative = false;
      for (int j = 0; j < motors; ++j) {
        if (solution.mean[at.rotor(j)] < 0.0) sd[at.rotor(j)] = 0.0, negative = true;
      }
      if (!negative) break;
    }
  };
  const MatrixX gravity = gravity_torques(robot, rows, problem.stride);
  constexpr double kLoaded = 0.2;  // of the channel's spread: friction is a few times as much in a wrist
  for (int j = 0; j < motors; ++j) {
    if (!used[j]) continue;
    const JointRows& joint = rows.joints[j];
    const double share = std::abs(scale[j]) * deviation(joint, gravity.col(j)) / deviation(joint, joint.reading);
    fit.loaded[j] = share >= kLoaded ? 1 : 0;
  }
  // A channel that about follows its joint is taken as it is, within a drive's tenth; those anchor the masses for the
  // others, whose factor is free, and whose equations are scaled by it until it stands.
  constexpr double kDrive = 0.1;
  VectorX free_gain = VectorX::Zero(motors);
  const auto anchor = [&](int j) {
    const bool near = scale[j] > kLeastFactor && scale[j] < kMostFactor;
    if (near) weight[j] /= scale[j] * scale[j], scale[j] = 1.0;
    free_gain[j] = near ? kDrive : kAnyGain;
  };
  std::vector<char> seemed(used.size(), 0);  // of another unit
  for (int j = 0; j < motors; ++j) {
    if (!used[j]) continue;
    anchor(j);
    seemed[j] = fit.loaded[j] && free_gain[j] == kAnyGain ? 1 : 0;
  }
  for (int round = 0; round < kGainRounds; ++round) {
    solve(free_gain);
    if (round + 1 == kGainRounds) break;
    for (int j = 0; j < motors; ++j) {
      if (!used[j]) continue;
      const double k = scale[j] * (1.0 + solution.mean[count + j]);
      const VectorX error = problem.error(j, scale[j], solution) * scale[j];
      if (fit.loaded[j] && free_gain[j] == kAnyGain && std::abs(k) > kLeastRatio * std::abs(scale[j])) scale[j] = k;
      const double sd = std::max(root_mean_square(rows.joints[j], error), 1e-9) / std::abs(scale[j]);
      weight[j] = rows.step / (integral_time(rows, rows.joints[j], error) * sd * sd);
      anchor(j);
    }
  }
  for (int j = 0; j < motors; ++j) {
    if (!used[j]) continue;
    fit.gain[j] = scale[j] * (1.0 + solution.mean[count + j]);
    fit.gain_sd[j] = std::abs(scale[j]) * std::sqrt(solution.covariance(count + j, count + j));
    fit.dry[j] = scale[j] * solution.mean[at.coulomb(j)];
    fit.dry_sd[j] = std::abs(scale[j]) * std::sqrt(solution.covariance(at.coulomb(j), at.coulomb(j)));
  }
  if (fit.tip < 0) return fit;
  // What the tip weighs were the channels in the unit that they are taken for, and the other links right to 10 %: gains
  // that are sure stay.
  constexpr double kOtherLinks = 0.1 / kWrongMasses;
  for (int j = 0; j < motors; ++j) free_gain[j] = 0.0;
  for (int j = 0; j < motors; ++j) {
    const bool wrong = used[j] && fit.loaded[j] && std::abs(fit.gain[j] - 1.0) > 3.0 * fit.gain_sd[j] &&
                       !(fit.gain[j] > kLeastFactor && fit.gain[j] < kMostFactor);
    if (wrong) free_gain[j] = kAnyGain;
    fit.explains = fit.explains || (seemed[j] && !wrong);
    if (!wrong && used[j]) {
      weight[j] /= scale[j] * scale[j];
      scale[j] = 1.0;
    }
  }
  for (int body = 0; body < at.bodies; ++body) {
    if (body != fit.tip) bare.segment<10>(at.inertial(body)) *= kOtherLinks;
  }
  solve(free_gain);
  fit.mass = solution.mean[at.inertial(fit.tip)];
  fit.mass_sd = std::sqrt(solution.covariance(at.inertial(fit.tip), at.inertial(fit.tip)));
  return fit;
}

int better_column(const MovingRows& rows, int joint) {
  constexpr double kClearly = 0.5;  // of the error that its own torque leaves
  const JointRows& read = rows.joints[joint];
  double least = kClearly * root_mean_square(read, plain_fit(rows, joint, joint).error);
  int better = -1;
  for (int other = 0; other < rows.at.motors; ++other) {
    if (other == joint || rows.joints[other].X.rows() == 0) continue;
    const Plain plain = plain_fit(rows, joint, other);
    const double left = root_mean_square(read, plain.error);
    if (left < least && plain.mean[0] > 0.5 && plain.mean[0] < 2.0) least = left, better = other;
  }
  return better;
}

}  // namespace antaeus::detail
