#include "antaeus/identification/held/held_pose.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/replay/replay.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "core/decompositions.hpp"
#include "identification/few_samples.hpp"
#include "identification/held/like_joints.hpp"

namespace antaeus {

namespace {

using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// Turns of σ_b and (θ, b): each shrinks the change by some tenth, and 1e-6 of a N·m is far below what runs tell.
constexpr int kMostTurns = 200;
constexpr double kStandsStill = 1e-6;
/// Below this no spread was seen at all [N·m]: the smallest step of torque channels is far larger.
constexpr double kSmallestSd = 1e-4;

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

VectorX column_medians(const std::vector<VectorX>& rows) {
  VectorX result(rows.front().size());
  std::vector<double> column(rows.size());
  for (Eigen::Index j = 0; j < result.size(); ++j) {
    std::ranges::transform(rows, column.begin(), [j](const VectorX& row) { return row[j]; });
    result[j] = median(column);
  }
  return result;
}

std::vector<int> rows_of(const Robot& robot, const std::vector<std::string>& endpoints) {
  std::set<int> rows;
  for (const std::string& frame : robot.endpoint_frames(endpoints)) {
    const std::vector<int> motors = robot.model.supporting_motors(robot.model.frame(frame));
    rows.insert(motors.begin(), motors.end());
  }
  return {rows.begin(), rows.end()};
}

/// What each stretch adds to the normal equations.
struct Equation {
  double weight;
  MatrixX X;  ///< [Y S, I], S the prior sds: the unknowns have no unit
  VectorX y;
};

std::vector<Equation> equations_of(const Robot& robot, const std::vector<HeldStretch>& stretches,
                                   GravityRegressor& regressor, const VectorX& scale) {
  std::map<std::string, int> stretches_of_run;
  for (const HeldStretch& stretch : stretches) ++stretches_of_run[stretch.run];
  Dynamics dynamics(robot.model);
  const std::vector<int>& rows = regressor.rows();
  const auto m = std::ssize(rows);
  std::vector<Equation> equations;
  for (const HeldStretch& stretch : stretches) {
    if (stretch.q.size() != robot.model.motor_count() || stretch.residual.size() != robot.model.motor_count()) {
      throw EpisodeError(stretch.run, "its stretch has not the robot's motors", "read it with the same robot");
    }
    Equation equation{1.0 / stretches_of_run[stretch.run], MatrixX::Zero(m, scale.size() + m), stretch.residual(rows)};
    equation.X.rightCols(m).setIdentity();
    if (scale.size() > 0) {
      VectorX q(robot.model.nq());
      robot.model.position_from_motors(stretch.q, Eigen::Vector4d(0, 0, 0, 1), q);
      MatrixX Y(m, regressor.parameters());
      if (regressor.compute(dynamics.at(q), stretch.free_fall, Y) != Status::ok) {
        throw EpisodeError(stretch.run, "its median pose cannot be computed", "check its positions");
      }
      equation.X.leftCols(scale.size()) = Y * scale.asDiagonal();
    }
    equations.push_back(std::move(equation));
  }
  return equations;
}

}  // namespace

const OptionTable& options_of(const HeldPoseOptions&) {
  using O = HeldPoseOptions;
  constexpr const char* kSource = "five H1-2 runs, leaving one out";
  static const OptionTable table(
      "held_pose",
      {
          option("ridge", "", "whether masses may be off too", kSource, &O::ridge),
          option("ridge_share", "1", "prior sd of a body's mass, as a share of it", kSource, &O::ridge_share,
                 kPositive),
          option("prior_runs", "1", "runs that the spread of like joints counts for", kSource, &O::prior_runs,
                 kPositive),
          option("few_runs_factor", "", "whether few runs widen the spread", "Student's t", &O::few_runs_factor),
          option("shortest_still", "s", "that the robot must stand still in a stretch", kSource, &O::shortest_still),
          part(&O::envelope),
      });
  return table;
}
const OptionGroup kHeldPoseGroup(HeldPoseOptions{});

HeldStretch read_held_stretch(const Robot& robot, const std::vector<std::string>& endpoints, const Episode& episode,
                              double from, double to, const HeldPoseOptions& options, const std::string& run,
                              const Pulse& pulse) {
  check_options(options);
  if (!episode.has_time()) throw EpisodeError(episode.name, "it has no time stamps", "record time");
  if (episode.v.rows() == 0) {
    throw EpisodeError(episode.name, "it has no velocities", "record dq: it shows when the robot stands still");
  }
  HeldStretch stretch;
  stretch.run = run.empty() ? episode.name : run;
  stretch.simulated = episode.simulated;
  stretch.from = from, stretch.to = to;
  const std::string place =
      episode.name + " " + std::to_string(from).substr(0, 6) + ":" + std::to_string(to).substr(0, 6) + " s";

  SpeedEnvelope envelope(envelope_motors(robot, endpoints), kNaN, options.envelope);
  std::vector<VectorX> q, still, moving;
  Vector3 free_fall = Vector3::Zero();
  VectorX difference_square = VectorX::Zero(robot.model.motor_count());
  Eigen::Index last_still = -2;
  int differences = 0;
  stretch.joint_speed.setZero(robot.model.motor_count());
  stretch.largest_residual.setZero(robot.model.motor_count());
  double still_time = 0.0, largest = kNaN;
  const double dt = episode.sample_time();
  Observation observation;
  const Eigen::Index motors = robot.model.motor_count();
  const auto take = [&](Eigen::Index step, Status status, const Eigen::Map<const VectorX>& residual,
                        const Eigen::Map<const RowMatrix3>& base_rotation) {
    const double time = episode.time[step] - episode.time[0];
    if (time > to) return;
    episode.observe(step, observation);
    // From the log's first sample on: the window before the stretch belongs to its first speeds.
    if (envelope.step(observation.time, observation.v) != Status::ok || time < from || status != Status::ok) return;
    largest = std::fmax(largest, envelope.speed());
    stretch.joint_speed = stretch.joint_speed.cwiseMax(observation.v.cwiseAbs());
    stretch.largest_residual = stretch.largest_residual.cwiseMax(residual.cwiseAbs());
    if (envelope.share() >= 1.0) moving.emplace_back(residual);
    if (envelope.share() > 0.0) return;
    if (last_still == step - 1) {
      difference_square += (residual - still.back()).cwiseAbs2();
      ++differences;
    }
    last_still = step;
    q.push_back(observation.q);
    still.emplace_back(residual);
    free_fall += base_rotation.transpose() * robot.model.gravity();
    still_time += dt;
  };
  BatchReplay replay(robot, robot.endpoint_frames(endpoints), robot.profile.settings.get<ReplayOptions>());
  replay.stream(episode, {"residual", "base_rotation"}, [&](const ReplayBlock& block) {
    if (pulse) pulse();
    const double* residual = block.out.residual.values.data();
    const double* rotation = block.out.base_rotation.values.data();
    for (std::ptrdiff_t i = 0; i < block.in.count; ++i, residual += motors, rotation += 9) {
      take(block.first + i, block.out.status[static_cast<std::size_t>(i)], {residual, motors},
           Eigen::Map<const RowMatrix3>(rotation));
    }
  });
  if (still_time < options.shortest_still || differences == 0) {
    throw EpisodeError(place, "the robot stands still for " + std::to_string(still_time).substr(0, 4) + " s of it",
                       "give a stretch with more than " + std::to_string(options.shortest_still).substr(0, 4) + " s");
  }
  stretch.still = static_cast<int>(still.size());
  stretch.moving = static_cast<int>(moving.size());
  stretch.q = column_medians(q);
  stretch.residual = column_medians(still);
  stretch.free_fall = free_fall / static_cast<double>(still.size());
  stretch.white_variance = 0.5 * difference_square / differences;
  stretch.largest_speed = largest;
  stretch.motion_square.setZero(robot.model.motor_count());
  for (const VectorX& r : moving) stretch.motion_square += (r - stretch.residual).cwiseAbs2();
  VectorX square = VectorX::Zero(robot.model.motor_count());
  for (const VectorX& r : still) square += (r - stretch.residual).cwiseAbs2();
  stretch.slow_sd = (square / static_cast<double>(still.size()) - stretch.white_variance).cwiseMax(0.0).cwiseSqrt();
  return stretch;
}

HeldPoseNoise fit_held_pose(const Robot& robot, const std::vector<std::string>& endpoints,
                            const std::vector<HeldStretch>& stretches, const HeldPoseOptions& options) {
  check_options(options);
  std::set<std::string> runs;
  for (const HeldStretch& stretch : stretches) runs.insert(stretch.run);
  const auto n = static_cast<double>(runs.size());
  if (runs.size() < 2) {
    throw EpisodeError("stretches", std::to_string(runs.size()) + " run: what differs between runs cannot be seen",
                       "give intervals of two runs or more, the robot released in between");
  }
  HeldPoseNoise noise;
  noise.motors = rows_of(robot, endpoints);
  noise.runs = static_cast<int>(runs.size());
  noise.simulated = std::ranges::all_of(stretches, &HeldStretch::simulated);
  noise.stretches = static_cast<int>(stretches.size());
  GravityRegressor regressor(robot.model, noise.motors);
  const auto m = std::ssize(noise.motors);
  if (options.ridge) noise.parameter_scale = options.ridge_share * regressor.scale();
  const Eigen::Index k = noise.parameter_scale.size(), unknowns = k + m;
  const std::vector<Equation> equations = equations_of(robot, stretches, regressor, noise.parameter_scale);
  const std::vector<int> kind = detail::like_joints(robot.model, noise.motors);
  const int kinds = 1 + std::ranges::max(kind);

  VectorX variance = VectorX::Ones(m), solution;
  Eigen::LLT<MatrixX> information;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    MatrixX H = MatrixX::Zero(unknowns, unknowns);
    H.diagonal().head(k).setOnes();
    VectorX h = VectorX::Zero(unknowns);
    for (const Equation& e : equations) {
      const MatrixX weighted = e.weight * variance.cwiseInverse().asDiagonal() * e.X;
      H.noalias() += e.X.transpose() * weighted;
      h.noalias() += weighted.transpose() * e.y;
    }
    information.compute(H);
    solution = information.solve(h);
    VectorX square = VectorX::Zero(m);
    // Σ weight = n: each run has weight 1.
    for (const Equation& e : equations) square += e.weight * (e.y - e.X * solution).cwiseAbs2();
    VectorX of_kind = VectorX::Zero(kinds), members = VectorX::Zero(kinds);
    for (Eigen::Index j = 0; j < m; ++j) of_kind[kind[j]] += square[j] / (n - 1.0), ++members[kind[j]];
    VectorX next(m);
    for (Eigen::Index j = 0; j < m; ++j) {
      const double typical = of_kind[kind[j]] / members[kind[j]];
      next[j] = (options.prior_runs * typical + square[j]) / (options.prior_runs + n - 1.0);
    }
    next = next.cwiseMax(kSmallestSd * kSmallestSd);
    const double change = (next.cwiseSqrt() - variance.cwiseSqrt()).cwiseAbs().maxCoeff();
    variance = next;
    if (change < kStandsStill) break;
  }
  noise.parameters = noise.parameter_scale.cwiseProduct(solution.head(k));
  noise.offset = solution.tail(m);
  // H = L Lᵀ, so C = L⁻ᵀ L⁻¹; its own lower factor makes products with it half as long.
  const MatrixX C = information.solve(MatrixX::Identity(unknowns, unknowns));
  noise.offset_error = C.diagonal().tail(m).cwiseSqrt();
  noise.parameter_factor = C.llt().matrixL();
  noise.offset_sd = variance.cwiseSqrt();
  if (options.few_runs_factor) {
    for (Eigen::Index j = 0; j < m; ++j) {
      // What like joints count for cannot be more than they have. A joint that is alone of its kind is taken for one of
      // many: with its own few degrees an error of 12 N·m at a torso could hide for a morning.
      const auto like = static_cast<double>(std::ranges::count(kind, kind[static_cast<std::size_t>(j)]));
      const double degrees = options.prior_runs + n - 1.0;
      const double wider = detail::few_samples_factor(like > 1.0 ? std::min(degrees, like * (n - 1.0)) : degrees);
      noise.offset_sd[j] *= wider;
      noise.offset_error[j] *= wider;
      noise.parameter_factor.row(k + j) *= wider;
    }
  }

  VectorX white = VectorX::Zero(m), slow = white, motion = white;
  int moving = 0;
  noise.envelope_motors = envelope_motors(robot, endpoints);
  noise.joint_speed.setZero(robot.model.motor_count());
  noise.largest_residual.setZero(robot.model.motor_count());
  for (const HeldStretch& stretch : stretches) {
    white += stretch.white_variance(noise.motors) / static_cast<double>(stretches.size());
    slow += stretch.slow_sd(noise.motors).cwiseAbs2() / static_cast<double>(stretches.size());
    motion += stretch.motion_square(noise.motors);
    moving += stretch.moving;
    noise.largest_speed = std::fmax(noise.largest_speed, stretch.largest_speed);
    if (stretch.joint_speed.size() == noise.joint_speed.size()) {
      noise.joint_speed = noise.joint_speed.cwiseMax(stretch.joint_speed);
    }
    if (stretch.largest_residual.size() == noise.largest_residual.size()) {
      noise.largest_residual = noise.largest_residual.cwiseMax(stretch.largest_residual);
    }
  }
  noise.white_sd = white.cwiseSqrt();
  noise.slow_sd = slow.cwiseSqrt();
  if (moving > 0) {
    noise.motion_sd = (motion / moving - white).cwiseMax(0.0).cwiseSqrt();
  } else {
    noise.motion_sd = VectorX::Constant(m, kNaN);
    noise.notes.emplace_back("motion: no stretch holds the robot moving; estimates in motion are refused");
  }
  return noise;
}

NoiseModel noise_model(const RobotModel& model, const HeldPoseNoise& held) {
  const HeldPosePredictor checked(model, held);
  const TorqueParameters at = torque_parameters(model);
  const GravityRegressor regressor(model, held.motors);
  const auto m = std::ssize(held.motors);
  const Eigen::Index k = held.parameters.size();
  NoiseModel noise;
  noise.origin = NoiseOrigin::held_pose;
  noise.simulated = held.simulated;
  noise.identified_speed = held.largest_speed;
  noise.envelope_motors = held.envelope_motors;
  noise.joint_speed = held.joint_speed;
  noise.largest_residual = held.largest_residual;
  noise.white_sd = VectorX::Constant(at.motors, kNaN);
  noise.offset_sd = noise.slow_sd = noise.motion_sd = VectorX::Zero(at.motors);
  noise.parameters = VectorX::Zero(at.count());
  noise.factor = MatrixX::Zero(at.count(), k + m);
  for (Eigen::Index row = 0; row < m; ++row) {
    const int motor = held.motors[row];
    noise.white_sd[motor] = held.white_sd[row];
    noise.offset_sd[motor] = held.offset_sd[row];
    noise.slow_sd[motor] = held.slow_sd[row];
    noise.motion_sd[motor] = std::isnan(held.motion_sd[row]) ? kInfinity : held.motion_sd[row];
    noise.parameters[at.offset(motor)] = held.offset[row];
    noise.factor.row(at.offset(motor)) = held.parameter_factor.row(k + row);
  }
  if (k == 0) return noise;
  for (std::size_t i = 0; i < regressor.bodies().size(); ++i) {
    const std::string& joint = model.motor_names()[regressor.bodies()[i]];
    int body = 0;
    while (model.body_joint(body) != joint) ++body;
    for (int part = 0; part < 4; ++part) {
      const auto from = static_cast<Eigen::Index>(4 * i + static_cast<std::size_t>(part));
      noise.parameters[at.inertial(body) + part] = held.parameters[from];
      noise.factor.row(at.inertial(body) + part) = held.parameter_scale[from] * held.parameter_factor.row(from);
    }
  }
  return noise;
}

HeldPosePredictor::HeldPosePredictor(const RobotModel& model, HeldPoseNoise noise)
    : noise_(std::move(noise)), regressor_(model, noise_.motors) {
  const auto m = std::ssize(noise_.motors);
  const Eigen::Index k = noise_.parameters.size();
  const bool fits = (k == 0 || k == regressor_.parameters()) && noise_.parameter_scale.size() == k &&
                    noise_.offset.size() == m && noise_.offset_sd.size() == m && noise_.white_sd.size() == m &&
                    noise_.slow_sd.size() == m && noise_.motion_sd.size() == m &&
                    noise_.parameter_factor.rows() == k + m && noise_.parameter_factor.cols() == k + m;
  if (!fits) throw OptionsError("noise", "it was identified on another robot", "identify it with this one");
  Y_.setZero(m, regressor_.parameters());
  VectorX scale = VectorX::Ones(k + m);
  scale.head(k) = noise_.parameter_scale;
  const MatrixX factor = scale.asDiagonal() * noise_.parameter_factor;
  C_ = factor * factor.transpose();
  spread_.setZero(k + m, m);
}

Status HeldPosePredictor::fill(const PositionTerms& now, const Vector3& free_fall) noexcept {
  return noise_.parameters.size() > 0 ? regressor_.compute(now, free_fall, Y_) : Status::ok;
}

/// [Y I] C [Y I]ᵀ, over the columns of Y that are not zero: a quarter of them, on a robot with two arms.
void HeldPosePredictor::add_parameters(MatrixRef covariance) noexcept {
  const Eigen::Index m = noise_.offset.size(), k = noise_.parameters.size();
  for (Eigen::Index row = 0; row < m; ++row) {
    auto mine = spread_.col(row);
    mine = C_.col(k + row);
    if (k == 0) continue;
    for (const int body : regressor_.carried(static_cast<std::size_t>(row))) {
      mine.noalias() += C_.middleCols<4>(4 * body) * Y_.row(row).segment<4>(4 * body).transpose();
    }
  }
  for (Eigen::Index row = 0; row < m; ++row) {
    for (Eigen::Index column = 0; column <= row; ++column) {
      double sum = spread_(k + row, column);
      if (k > 0) {
        for (const int body : regressor_.carried(static_cast<std::size_t>(row))) {
          sum += Y_.row(row).segment<4>(4 * body).dot(spread_.col(column).segment<4>(4 * body));
        }
      }
      covariance(row, column) = sum;
    }
  }
  covariance.triangularView<Eigen::StrictlyUpper>() = covariance.transpose();
}

Status HeldPosePredictor::predict(const PositionTerms& now, const Vector3& free_fall, double motion, VectorRef mean,
                                  MatrixRef covariance) noexcept {
  const Eigen::Index m = noise_.offset.size();
  Status status = Status::ok;
  if (mean.size() != m || covariance.rows() != m || covariance.cols() != m) {
    status = Status::wrong_size;
  } else if (!(motion >= 0.0 && motion <= 1.0)) {
    status = Status::not_finite;
  } else {
    status = fill(now, free_fall);
  }
  if (status != Status::ok) {
    mean.setConstant(kNaN);
    covariance.setConstant(kNaN);
    return status;
  }
  mean = noise_.offset;
  if (noise_.parameters.size() > 0) mean.noalias() += Y_ * noise_.parameters;
  add_parameters(covariance);
  const auto square = [](double value) { return value * value; };
  for (Eigen::Index j = 0; j < m; ++j) {
    covariance(j, j) += square(noise_.offset_sd[j]) + square(noise_.slow_sd[j]) + square(noise_.white_sd[j]);
    if (motion == 0.0) continue;
    const double moving = square(motion * noise_.motion_sd[j]);
    covariance(j, j) += std::isnan(moving) ? kInfinity : moving;
  }
  return Status::ok;
}

ColouredNoise HeldPosePredictor::simulated(const PositionTerms& now, const Vector3& free_fall, double slow_time) {
  if (fill(now, free_fall) != Status::ok) throw OptionsError("pose", "it cannot be computed", "check its positions");
  const Eigen::Index m = noise_.offset.size(), k = noise_.parameters.size();
  MatrixX X(m, k + m);
  X.rightCols(m).setIdentity();
  if (k > 0) X.leftCols(k) = Y_ * noise_.parameter_scale.asDiagonal();
  ColouredNoise result;
  result.offset_factor.resize(m, k + 2 * m);
  result.offset_factor << X * noise_.parameter_factor, MatrixX(noise_.offset_sd.asDiagonal());
  result.slow_sd = noise_.slow_sd;
  result.slow_time = VectorX::Constant(m, slow_time);
  result.white_sd = noise_.white_sd;
  return result;
}

}  // namespace antaeus
