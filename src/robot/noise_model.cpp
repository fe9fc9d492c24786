#include "antaeus/robot/noise_model.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

namespace {

/// Sd of the friction that holds a standing joint, as a share of what it has while it slides: a joint that comes to
/// rest stops near its whole friction (docs/estimator_study.md#noise, where friction's bound has the same share).
constexpr double kStandingFriction = 0.8;

void check_vector(const VectorX& vector, Eigen::Index size, const std::string& name, bool required) {
  const std::string place = "noise model, " + name;
  if (vector.size() == 0 && !required) return;
  if (vector.size() != size) {
    throw OptionsError(place, std::to_string(vector.size()) + " numbers where the robot needs " + std::to_string(size));
  }
}

void check_deviation(const VectorX& vector, const std::string& name, bool may_be_infinite) {
  for (const double value : vector) {
    if (!(value >= 0.0) || (std::isinf(value) && !may_be_infinite)) {
      throw OptionsError("noise model, " + name, "a standard deviation of " + std::to_string(value),
                         "give zero or a positive number");
    }
  }
}

void check(const RobotModel& model, const NoiseModel& noise) {
  const TorqueParameters at = torque_parameters(model);
  check_vector(noise.white_sd, at.motors, "white_sd", true);
  check_vector(noise.parameters, at.count(), "parameters", false);
  check_vector(noise.offset, at.motors, "offset", false);
  check_vector(noise.offset_sd, at.motors, "offset_sd", false);
  check_vector(noise.slow_sd, at.motors, "slow_sd", false);
  check_vector(noise.motion_sd, at.motors, "motion_sd", false);
  check_vector(noise.correlation_time, at.motors, "correlation_time", false);
  check_vector(noise.joint_speed, at.motors, "joint_speed", false);
  if (noise.factor.size() > 0 && noise.factor.rows() != at.count()) {
    throw OptionsError("noise model, factor", std::to_string(noise.factor.rows()) + " rows where the robot has " +
                                                  std::to_string(at.count()) + " parameters");
  }
  if (!noise.parameters.allFinite() || !noise.factor.allFinite() || !noise.offset.allFinite()) {
    throw OptionsError("noise model", "a parameter that is not finite");
  }
  for (const double value : noise.white_sd) {
    if (!(value > 0.0) && !std::isnan(value)) {
      throw OptionsError("noise model, white_sd", "a standard deviation of " + std::to_string(value),
                         "give a positive number, or infinity for a row that is no evidence");
    }
  }
  check_deviation(noise.offset_sd, "offset_sd", false);
  check_deviation(noise.slow_sd, "slow_sd", false);
  check_deviation(noise.motion_sd, "motion_sd", true);
  check_deviation(noise.correlation_time, "correlation_time", false);
  check_deviation(noise.joint_speed, "joint_speed", true);
  if (noise.identified_speed < 0.0) throw OptionsError("noise model, identified_speed", "it is negative");
  for (const int motor : noise.envelope_motors) {
    if (motor < 0 || motor >= at.motors) throw OptionsError("noise model, envelope_motors", "a motor that is none");
  }
}

}  // namespace

struct TorqueNoise::Workspace {
  Workspace(RobotModel robot, NoiseModel model_of_noise)
      : dynamics(std::move(robot)), noise(std::move(model_of_noise)), at(torque_parameters(dynamics.model())) {
    const RobotModel& model = dynamics.model();
    check(model, noise);
    mean = VectorX::Constant(at.motors, kNaN);
    covariance = MatrixX::Constant(at.motors, at.motors, kNaN);
    shared.setZero(at.motors, at.motors);
    taken_out = noise.parameters.size() > 0 && !noise.parameters.isZero(0.0);
    const bool doubted = noise.factor.size() > 0 && !noise.factor.isZero(0.0);
    standing_friction_sd.setZero(at.motors);
    if (!taken_out && !doubted) return;
    for (int j = 0; j < at.motors; ++j) {
      const double dry = taken_out ? noise.parameters[at.coulomb(j)] : 0.0;
      const double variance = doubted ? noise.factor.row(at.coulomb(j)).squaredNorm() : 0.0;
      standing_friction_sd[j] = kStandingFriction * std::sqrt(dry * dry + variance);
    }
    errors.setZero(doubted ? noise.factor.cols() : 0, at.count());
    if (doubted) errors = noise.factor.transpose();
    Y.resize(model.nv(), 10 * at.bodies);
    product.setZero(errors.rows(), at.motors);
    find_parameters();
  }

  /// What each row's torque depends on: the bodies beyond its joint. The rest of Y is exactly zero at every motion, and
  /// what is not zero at every motion is not zero at both of two that have nothing to do with each other.
  void find_parameters() {
    const RobotModel& model = dynamics.model();
    const Eigen::Index nv = model.nv();
    inertial.resize(static_cast<std::size_t>(at.motors));
    MatrixX pattern = MatrixX::Zero(nv, 10 * at.bodies);
    for (const double seed : {1.0, 2.0}) {
      const auto numbers = [&](double shift) {
        return VectorX(VectorX::LinSpaced(nv, shift, shift + 7.3 * static_cast<double>(nv)).array().sin());
      };
      VectorX q(model.nq());
      if (model.integrate(model.neutral(), numbers(seed), q) != Status::ok ||
          dynamics.inverse_dynamics_regressor(q, numbers(10.0 * seed), numbers(20.0 * seed), Y) != Status::ok) {
        throw OptionsError("noise model", "the robot has no regressor");
      }
      pattern += Y.cwiseAbs();
    }
    for (int j = 0; j < at.motors; ++j) {
      for (int p = 0; p < 10 * at.bodies; ++p) {
        if (pattern(model.motor_rows()[j], p) == 0.0) continue;
        const bool doubted = errors.rows() > 0 && !errors.col(p).isZero(0.0);
        const bool mean_of_it = taken_out && noise.parameters[p] != 0.0;
        if (!doubted && !mean_of_it) continue;
        inertial[j].push_back(p);
        factor_needs_regressor = factor_needs_regressor || doubted;
        mean_needs_regressor = mean_needs_regressor || mean_of_it;
      }
    }
  }

  Status evaluate(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share, bool whole) noexcept;
  Status fill(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share, bool whole) noexcept;

  Dynamics dynamics;
  NoiseModel noise;
  TorqueParameters at;
  bool taken_out = false;
  MatrixX errors;                          ///< Lᵀ, a column a parameter
  std::vector<std::vector<int>> inertial;  ///< of each motor: inertial parameters that its row depends on
  bool mean_needs_regressor = false, factor_needs_regressor = false;
  MatrixX Y, product;            ///< product: (X L)ᵀ
  MatrixX shared;                ///< X C Xᵀ
  VectorX standing_friction_sd;  ///< s_f of joints that stand
  bool shared_known = false;
  VectorX mean;
  MatrixX covariance;
};

TorqueNoise::TorqueNoise(RobotModel model, NoiseModel noise)
    : workspace_(std::make_unique<Workspace>(std::move(model), std::move(noise))) {}
TorqueNoise::~TorqueNoise() = default;
TorqueNoise::TorqueNoise(TorqueNoise&&) noexcept = default;
TorqueNoise& TorqueNoise::operator=(TorqueNoise&&) noexcept = default;

const VectorX& TorqueNoise::mean() const noexcept { return workspace_->mean; }
const MatrixX& TorqueNoise::covariance() const noexcept { return workspace_->covariance; }
const NoiseModel& TorqueNoise::model() const noexcept { return workspace_->noise; }

Status TorqueNoise::evaluate(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share) noexcept {
  return workspace_->evaluate(q, v, a, motion_share, true);
}

Status TorqueNoise::evaluate_mean(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share) noexcept {
  return workspace_->evaluate(q, v, a, motion_share, !workspace_->shared_known);
}

Status TorqueNoise::Workspace::evaluate(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share,
                                        bool whole) noexcept {
  const Status status = fill(q, v, a, motion_share, whole);
  if (status != Status::ok) {
    mean.setConstant(kNaN);
    covariance.setConstant(kNaN);
    shared_known = false;
  }
  return status;
}

Status TorqueNoise::Workspace::fill(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share,
                                    bool whole) noexcept {
  if (!(motion_share >= 0.0 && motion_share <= 1.0)) return Status::not_finite;
  const RobotModel& model = dynamics.model();
  const std::vector<int>& rows = model.motor_rows();
  if (mean_needs_regressor || (whole && factor_needs_regressor)) {
    if (const Status status = dynamics.inverse_dynamics_regressor(q, v, a, Y); status != Status::ok) return status;
  } else {
    if (q.size() != model.nq() || v.size() != model.nv() || a.size() != model.nv()) return Status::wrong_size;
    if (!q.allFinite() || !v.allFinite() || !a.allFinite()) return Status::not_finite;
  }
  if (noise.offset.size() > 0) {
    mean = noise.offset;
  } else {
    mean.setZero();
  }
  for (int j = 0; j < at.motors && (taken_out || whole); ++j) {
    const double speed = v[rows[j]], dry = std::tanh(speed / kCoulombSpeed);
    if (taken_out) {
      const VectorX& theta = noise.parameters;
      mean[j] += a[rows[j]] * theta[at.rotor(j)] + dry * theta[at.coulomb(j)] + speed * theta[at.viscous(j)] +
                 theta[at.offset(j)];
      if (mean_needs_regressor) {
        for (const int p : inertial[j]) mean[j] += Y(rows[j], p) * theta[p];
      }
    }
    if (!whole || errors.rows() == 0) continue;
    auto row = product.col(j);
    row = a[rows[j]] * errors.col(at.rotor(j)) + dry * errors.col(at.coulomb(j)) + speed * errors.col(at.viscous(j)) +
          errors.col(at.offset(j));
    for (const int p : inertial[j]) row += Y(rows[j], p) * errors.col(p);
  }
  if (whole) {
    for (int j = 0; j < at.motors; ++j) {
      for (int i = 0; i <= j; ++i) {
        shared(i, j) = shared(j, i) = errors.rows() > 0 ? product.col(i).dot(product.col(j)) : 0.0;
      }
    }
    shared_known = true;
  }
  covariance = shared;
  for (int j = 0; j < at.motors; ++j) {
    if (!std::isfinite(noise.white_sd[j])) {
      if (std::isnan(noise.white_sd[j])) mean[j] = 0.0;  // what others were found to hide says nothing of this row
      covariance.row(j).setZero();
      covariance.col(j).setZero();
      covariance(j, j) = std::isnan(noise.white_sd[j]) ? kNaN : kInfinity;
      continue;
    }
    double& variance = covariance(j, j);
    variance += noise.white_sd[j] * noise.white_sd[j];
    const double slides = std::tanh(v[rows[j]] / kCoulombSpeed);
    variance += standing_friction_sd[j] * standing_friction_sd[j] * (1.0 - slides * slides);
    if (noise.offset_sd.size() > 0) variance += noise.offset_sd[j] * noise.offset_sd[j];
    if (noise.slow_sd.size() > 0) variance += noise.slow_sd[j] * noise.slow_sd[j];
    if (noise.motion_sd.size() > 0 && motion_share > 0.0) variance += std::pow(motion_share * noise.motion_sd[j], 2);
    if (std::isinf(variance)) {
      covariance.row(j).setZero();
      covariance.col(j).setZero();
      variance = kInfinity;
    }
  }
  return Status::ok;
}

}  // namespace antaeus
