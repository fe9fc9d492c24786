#include "antaeus/tasks/objectives.hpp"

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "core/decompositions.hpp"
#include "tasks/joint_rows.hpp"

namespace antaeus {

LimitDistance::LimitDistance(const RobotModel& model, double weight_of_it)
    : Objective("distance from limits", weight_of_it),
      lower_(VectorX::Constant(model.nv(), kNaN)),
      upper_(VectorX::Constant(model.nv(), kNaN)) {
  for (const detail::JointRow& joint : detail::joint_rows(model)) {
    if (!std::isfinite(joint.lower) || !std::isfinite(joint.upper) || !(joint.upper > joint.lower)) continue;
    lower_[joint.row] = joint.lower;
    upper_[joint.row] = joint.upper;
    count_ += 1.0;
  }
}

std::unique_ptr<Objective> LimitDistance::clone() const { return std::make_unique<LimitDistance>(*this); }

Status LimitDistance::evaluate(const TaskState& state, double& value, VectorRef gradient) const noexcept {
  set_nan(value, gradient);
  if (gradient.size() != lower_.size()) return Status::wrong_size;  // of another model
  value = 0.0;
  gradient.setZero();
  for (Eigen::Index i = 0; i < lower_.size(); ++i) {
    if (std::isnan(lower_[i])) continue;
    const double half = 0.5 * (upper_[i] - lower_[i]);
    const double x = std::clamp((state.positions[i] - lower_[i]) / half - 1.0, -1.0, 1.0), room = 1.0 + kEdge - x * x;
    value += x * x / room / count_;
    gradient[i] = 2.0 * x * (1.0 + kEdge) / (room * room) / half / count_;
  }
  return Status::ok;
}

Manipulability::Manipulability(const RobotModel& model, const std::string& frame, bool linear, bool angular,
                               double length, const std::vector<std::string>& joints, double weight_of_it)
    : Objective("manipulability of " + frame, weight_of_it),
      frame_(model.frame(frame)),
      column_(VectorX::Zero(model.nv())),
      starts_(detail::joint_starts(model)) {
  if (!(length > 0.0) || !std::isfinite(length)) {
    throw OptionsError("Manipulability", "the length is not positive", "give one that angles compare with, in m");
  }
  if (!linear && !angular) throw OptionsError("Manipulability", "no row counts", "take linear or angular ones");
  scale_ << Vector3::Constant(linear ? 1.0 / length : 0.0), Vector3::Constant(angular ? 1.0 : 0.0);
  for (const int row : detail::rows_of_joints(model, joints)) column_[row] = 1.0;
}

std::unique_ptr<Objective> Manipulability::clone() const { return std::make_unique<Manipulability>(*this); }

Status Manipulability::evaluate(const TaskState& state, double& value, VectorRef gradient) const noexcept {
  set_nan(value, gradient);
  Matrix6X& J = state.first;
  Matrix6X& slope = state.second;
  if (const Status status = state.terms.frame_jacobian(frame_, J); status != Status::ok) return status;
  Matrix6 M = Matrix6::Zero();
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    const Vector6 column = scale_.cwiseProduct(J.col(j)) * column_[j];
    M += column * column.transpose();
  }
  // Rows that do not count get a unit, which adds log 1 = 0. The shift of 1e-12 bounds value and gradient.
  for (int i = 0; i < 6; ++i) M(i, i) += scale_[i] == 0.0 ? 1.0 : 1e-12;
  const Eigen::LLT<Matrix6> factor(M);
  if (factor.info() != Eigen::Success) return Status::not_finite;
  value = -factor.matrixLLT().diagonal().array().log().sum();
  const Matrix6 inverse = factor.solve(Matrix6::Identity());
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    // ∂(−½ log det)/∂J = −S M⁻¹ S J, of the columns that count.
    slope.col(j) = -column_[j] * scale_.cwiseProduct(inverse * scale_.cwiseProduct(J.col(j)));
  }
  gradient.setZero();
  detail::add_through_jacobian(J, slope, starts_, gradient);
  return Status::ok;
}

ForceSd::ForceSd(const RobotModel& model, const std::string& frame, const VectorX& torque_sd, WrenchPriorSd prior,
                 double weight_of_it)
    : Objective("force sd at " + frame, weight_of_it),
      frame_(model.frame(frame)),
      prior_(prior),
      starts_(detail::joint_starts(model)) {
  const bool positive = (torque_sd.array() > 0.0).all() && prior.force > 0.0 && prior.moment > 0.0;
  if (torque_sd.size() != model.nv() || !positive) {
    throw OptionsError("ForceSd", "an sd is missing or not positive",
                       "give one torque sd a row of v, infinity for a row without a sensor");
  }
  information_ = torque_sd.cwiseAbs2().cwiseInverse();
}

std::unique_ptr<Objective> ForceSd::clone() const { return std::make_unique<ForceSd>(*this); }

Status ForceSd::evaluate(const TaskState& state, double& value, VectorRef gradient) const noexcept {
  set_nan(value, gradient);
  Matrix6X& J = state.first;
  Matrix6X& slope = state.second;
  if (const Status status = state.terms.frame_jacobian(frame_, J); status != Status::ok) return status;
  ForceDeviation force;
  if (const Status status = worst_force_deviation(J, information_, prior_, force); status != Status::ok) return status;
  value = force.deviation;
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    slope.col(j) = -information_[j] * J.col(j).dot(force.leverage) / force.deviation * force.leverage;
  }
  gradient.setZero();
  detail::add_through_jacobian(J, slope, starts_, gradient);
  return Status::ok;
}

}  // namespace antaeus
