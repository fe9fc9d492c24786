#include "antaeus/robot/noise_model.hpp"

#include <cmath>
#include <string>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

namespace {

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
  check_vector(noise.motion_sd, at.motors, "motion_sd", false);
  if (noise.factor.size() > 0 && noise.factor.rows() != at.count()) {
    throw OptionsError("noise model, factor", std::to_string(noise.factor.rows()) + " rows where the robot has " +
                                                  std::to_string(at.count()) + " parameters");
  }
  if (!noise.parameters.allFinite() || !noise.factor.allFinite() || !noise.offset.allFinite()) {
    throw OptionsError("noise model", "a parameter that is not finite");
  }
  for (const double value : noise.white_sd) {
    if (!(value > 0.0)) {
      throw OptionsError("noise model, white_sd", "a standard deviation of " + std::to_string(value),
                         "give a positive number, or infinity for a row that is no evidence");
    }
  }
  check_deviation(noise.offset_sd, "offset_sd", false);
  check_deviation(noise.motion_sd, "motion_sd", false);
}

}  // namespace

struct TorqueNoise::Workspace {
  Workspace(RobotModel robot, NoiseModel model_of_noise)
      : dynamics(std::move(robot)), noise(std::move(model_of_noise)), at(torque_parameters(dynamics.model())) {
    const RobotModel& model = dynamics.model();
    check(model, noise);
    Y.resize(model.nv(), 10 * at.bodies);
    product.resize(at.motors, noise.factor.cols());
    motor_v.resize(at.motors);
    motor_a.resize(at.motors);
    mean = VectorX::Constant(at.motors, kNaN);
    covariance = MatrixX::Constant(at.motors, at.motors, kNaN);
  }

  Dynamics dynamics;
  NoiseModel noise;
  TorqueParameters at;
  MatrixX Y, product;
  VectorX motor_v, motor_a, mean;
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
  Workspace& w = *workspace_;
  w.mean.setConstant(kNaN);
  w.covariance.setConstant(kNaN);
  if (!(motion_share >= 0.0 && motion_share <= 1.0)) return Status::not_finite;
  if (const Status status = w.dynamics.inverse_dynamics_regressor(q, v, a, w.Y); status != Status::ok) return status;
  const NoiseModel& noise = w.noise;
  const RobotModel& model = w.dynamics.model();
  const std::vector<int>& rows = model.motor_rows();
  const int inertial = 10 * w.at.bodies;
  for (int j = 0; j < w.at.motors; ++j) {
    w.motor_v[j] = v[rows[j]];
    w.motor_a[j] = a[rows[j]];
  }
  w.mean.setZero();
  if (noise.offset.size() > 0) w.mean = noise.offset;
  for (int j = 0; j < w.at.motors; ++j) {
    const double dry = std::tanh(w.motor_v[j] / kCoulombSpeed);
    if (noise.parameters.size() > 0) {
      const VectorX& theta = noise.parameters;
      w.mean[j] += w.Y.row(rows[j]).dot(theta.head(inertial)) + theta[w.at.rotor(j)] * w.motor_a[j] +
                   theta[w.at.coulomb(j)] * dry + theta[w.at.viscous(j)] * w.motor_v[j] + theta[w.at.offset(j)];
    }
    if (noise.factor.size() > 0) {
      const MatrixX& L = noise.factor;
      w.product.row(j).noalias() = w.Y.row(rows[j]).lazyProduct(L.topRows(inertial));
      w.product.row(j) += w.motor_a[j] * L.row(w.at.rotor(j)) + dry * L.row(w.at.coulomb(j)) +
                          w.motor_v[j] * L.row(w.at.viscous(j)) + L.row(w.at.offset(j));
    }
  }
  w.covariance.setZero();
  if (noise.factor.size() > 0) w.covariance.noalias() = w.product.lazyProduct(w.product.transpose());
  for (int j = 0; j < w.at.motors; ++j) {
    if (std::isinf(noise.white_sd[j])) {
      w.covariance.row(j).setZero();
      w.covariance.col(j).setZero();
      w.covariance(j, j) = kInfinity;
      continue;
    }
    double& variance = w.covariance(j, j);
    variance += noise.white_sd[j] * noise.white_sd[j];
    if (noise.offset_sd.size() > 0) variance += noise.offset_sd[j] * noise.offset_sd[j];
    if (noise.motion_sd.size() > 0) variance += std::pow(motion_share * noise.motion_sd[j], 2);
  }
  return Status::ok;
}

}  // namespace antaeus
