#include "antaeus/tasks/tasks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/in_place.hpp"
#include "core/cross_matrix.hpp"
#include "tasks/joint_rows.hpp"
#include "tasks/rigid_log.hpp"

namespace antaeus {

using detail::right_log_jacobian;

Task::~Task() = default;
Objective::~Objective() = default;

namespace {

int rows_of(FramePart part) { return part == FramePart::pose ? 6 : 3; }

std::string frame_task_name(const std::string& frame, const FrameTaskOptions& options) {
  const std::string part(to_string(options.part));
  return part + " of " + frame + (options.reference.empty() ? "" : " in " + options.reference);
}

}  // namespace

FrameTask::FrameTask(const RobotModel& model, const std::string& frame, const FrameTaskOptions& options)
    : Task(frame_task_name(frame, options), rows_of(options.part), options.settings),
      frame_(model.frame(frame)),
      part_(options.part),
      axes_(options.axes) {
  if (!options.reference.empty()) reference_ = model.frame(options.reference);
}

std::unique_ptr<Task> FrameTask::clone() const { return std::make_unique<FrameTask>(*this); }

Status FrameTask::pose(const TaskState& state, Pose& X) const noexcept {
  if (const Status status = state.terms.frame_pose(frame_, X); status != Status::ok || reference_.index < 0) {
    return status;
  }
  Pose X_WA;
  const Status status = state.terms.frame_pose(reference_, X_WA);
  X = X_WA.inverse() * X;
  return status;
}

Status FrameTask::evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept {
  set_nan(error, jacobian);
  if (!target.translation.allFinite() || !target.rotation.allFinite()) return Status::not_finite;
  if (part_ != FramePart::position && !detail::is_rotation(target.rotation)) return Status::bad_orientation;
  Pose X_WF, X_WA;
  Matrix6X& V = state.first;  // velocity of the frame against the reference, at the frame's origin, world axes
  if (const Status status = state.terms.frame_pose(frame_, X_WF); status != Status::ok) return status;
  if (const Status status = state.terms.frame_jacobian(frame_, V); status != Status::ok) return status;
  if (reference_.index >= 0) {
    Matrix6X& A = state.second;
    if (const Status status = state.terms.frame_pose(reference_, X_WA); status != Status::ok) return status;
    if (const Status status = state.terms.frame_jacobian(reference_, A); status != Status::ok) return status;
    const Vector3 lever = X_WF.translation - X_WA.translation;
    for (Eigen::Index j = 0; j < V.cols(); ++j) {
      const Vector3 turning = A.col(j).tail<3>();
      V.col(j).head<3>() -= A.col(j).head<3>() + turning.cross(lever);
      V.col(j).tail<3>() -= turning;
    }
  }
  const Pose X = X_WA.inverse() * X_WF;
  const int linear = part_ == FramePart::orientation ? 0 : 3;
  if (axes_ == TaskAxes::reference) {
    const Matrix3 R_AW = X_WA.rotation.transpose();
    if (linear > 0) {
      error.head<3>() = X.translation - target.translation;
      jacobian.topRows<3>() = R_AW.lazyProduct(V.topRows<3>());
    }
    if (part_ != FramePart::position) {
      const Vector3 phi = detail::log_rotation(X.rotation * target.rotation.transpose());
      const Matrix3 left = right_log_jacobian(phi).transpose() * R_AW;
      error.segment<3>(linear) = phi;
      jacobian.middleRows<3>(linear) = left.lazyProduct(V.bottomRows<3>());
    }
    return Status::ok;
  }
  const Matrix3 R_FW = X_WF.rotation.transpose();
  if (part_ == FramePart::position) {
    // In the moving frame's axes: Rᵀ (p − p_target), which also turns with the frame.
    const Vector3 offset = X.rotation.transpose() * (X.translation - target.translation);
    error = offset;
    jacobian = R_FW.lazyProduct(V.topRows<3>());
    jacobian += (detail::cross_matrix(offset) * R_FW).lazyProduct(V.bottomRows<3>());
  } else if (part_ == FramePart::orientation) {
    const Vector3 phi = detail::log_rotation(target.rotation.transpose() * X.rotation);
    error = phi;
    jacobian = (right_log_jacobian(phi) * R_FW).lazyProduct(V.bottomRows<3>());
  } else {
    Vector6 log;
    Matrix6 J_log;
    detail::log_pose(target.inverse() * X, log, J_log);
    const Eigen::Matrix<double, 6, 3> linear_part = J_log.leftCols<3>() * R_FW,
                                      angular_part = J_log.rightCols<3>() * R_FW;
    error = log;
    jacobian = linear_part.lazyProduct(V.topRows<3>());
    jacobian += angular_part.lazyProduct(V.bottomRows<3>());
  }
  return Status::ok;
}

CenterOfMassTask::CenterOfMassTask(std::string axes, TaskSettings chosen)
    : Task("centre of mass " + axes, static_cast<int>(axes.size()), chosen) {
  for (const char letter : axes) {
    if (letter < 'x' || letter > 'z' || std::ranges::count(axes, letter) != 1) {
      throw OptionsError("CenterOfMassTask", "the axes are '" + printable(axes) + "'",
                         "give letters of \"xyz\", each once");
    }
    axes_.push_back(letter - 'x');
  }
  if (axes_.empty()) throw OptionsError("CenterOfMassTask", "no axis counts", "give letters of \"xyz\"");
}

std::unique_ptr<Task> CenterOfMassTask::clone() const { return std::make_unique<CenterOfMassTask>(*this); }

Status CenterOfMassTask::evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept {
  set_nan(error, jacobian);
  Vector3 p;
  auto J = state.first.topRows<3>();
  if (const Status status = state.terms.center_of_mass(p); status != Status::ok) return status;
  if (const Status status = state.terms.center_of_mass_jacobian(J); status != Status::ok) return status;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (!std::isfinite(target[axes_[i]])) return Status::not_finite;
    error[row] = p[axes_[i]] - target[axes_[i]];
    jacobian.row(row) = J.row(axes_[i]);
  }
  return Status::ok;
}

PostureTask::PostureTask(const RobotModel& model, const std::vector<std::string>& joints, TaskSettings chosen)
    : Task("posture", std::max(1, static_cast<int>(detail::rows_of_joints(model, joints).size())), chosen),
      target(VectorX::Zero(model.nv())),
      rows_of_v_(detail::rows_of_joints(model, joints)) {
  if (rows_of_v_.empty()) {
    throw ModelError(model.description().name, "no joint of one degree of freedom", "a posture needs one");
  }
}

std::unique_ptr<Task> PostureTask::clone() const { return std::make_unique<PostureTask>(*this); }

Status PostureTask::set_target(const RobotModel& model, ConstVectorRef q) noexcept {
  return model.difference(model.neutral(), q, target);
}

Status PostureTask::evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept {
  set_nan(error, jacobian);
  if (target.size() != jacobian.cols()) return Status::wrong_size;
  jacobian.setZero();
  for (std::size_t i = 0; i < rows_of_v_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double away = state.positions[rows_of_v_[i]] - target[rows_of_v_[i]];
    if (!std::isfinite(away)) return Status::not_finite;
    error[row] = away;
    jacobian(row, rows_of_v_[i]) = 1.0;
  }
  return Status::ok;
}

LookAtTask::LookAtTask(const RobotModel& model, const std::string& frame, const Vector3& axis, TaskSettings chosen)
    : Task(frame + " looks at", 2, chosen), frame_(model.frame(frame)) {
  if (!axis.allFinite() || !(axis.norm() > 1e-9)) {
    throw OptionsError("LookAtTask", "the axis has no direction", "give three numbers that are not all zero");
  }
  axis_ = axis.normalized();
  Eigen::Index least = 0;
  axis_.cwiseAbs().minCoeff(&least);
  across_.col(0) = axis_.cross(Vector3::Unit(least)).normalized();
  across_.col(1) = axis_.cross(across_.col(0));
}

std::unique_ptr<Task> LookAtTask::clone() const { return std::make_unique<LookAtTask>(*this); }

Status LookAtTask::evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept {
  set_nan(error, jacobian);
  Pose X;
  Matrix6X& J = state.first;
  if (const Status status = state.terms.frame_pose(frame_, X); status != Status::ok) return status;
  if (const Status status = state.terms.frame_jacobian(frame_, J); status != Status::ok) return status;
  const Vector3 away = X.rotation.transpose() * (target - X.translation);
  const double distance = away.norm();
  if (!(distance > 1e-9) || !std::isfinite(distance)) return Status::not_finite;
  const Vector3 d = away / distance;  // where to look, in frame axes
  // Angle θ to the axis about two axes across: −θ/sin θ · across · d. Behind, where its direction is lost, it is cut.
  const Eigen::Vector2d seen = across_.transpose() * d;
  const double cosine = axis_.dot(d), sine = seen.norm(), angle = std::atan2(sine, cosine), s2 = angle * angle;
  double factor = 1.0 + s2 / 6.0 + 7.0 * s2 * s2 / 360.0, slope = -1.0 / 3.0 - 4.0 * (1.0 - cosine) / 15.0;
  if (angle > 1e-2) {
    const double floor = std::max(sine, 1e-3);
    factor = angle / floor;
    slope = -(floor - angle * cosine) / (floor * floor * floor);
  }
  error = -factor * seen;
  // ḋ = −w × d − (I − ddᵀ) v / distance, all in frame axes.
  const Matrix3 linear = (d * d.transpose() - Matrix3::Identity()) / distance * X.rotation.transpose();
  const Matrix3 angular = detail::cross_matrix(d) * X.rotation.transpose();
  const Eigen::Matrix<double, 2, 3> change = -(factor * across_.transpose() + slope * seen * axis_.transpose()).eval();
  const Eigen::Matrix<double, 2, 3> by_linear = change * linear, by_angular = change * angular;
  jacobian = by_linear.lazyProduct(J.topRows<3>());
  jacobian += by_angular.lazyProduct(J.bottomRows<3>());
  return Status::ok;
}

CouplingTask::CouplingTask(const RobotModel& model, const std::vector<std::string>& joints, MatrixX matrix,
                           VectorX offset_of_rows, TaskSettings chosen)
    : Task("coupling", static_cast<int>(matrix.rows()), chosen),
      offset(std::move(offset_of_rows)),
      rows_of_v_(joints.empty() ? std::vector<int>{} : detail::rows_of_joints(model, joints)),
      matrix_(std::move(matrix)),
      nv_(model.nv()) {
  if (matrix_.rows() == 0 || matrix_.cols() != std::ssize(rows_of_v_) || offset.size() != matrix_.rows() ||
      !matrix_.allFinite() || !offset.allFinite()) {
    throw OptionsError("CouplingTask", "matrix, joints and offset do not fit",
                       "give finite numbers: a column a joint, a row an entry of the offset");
  }
}

std::unique_ptr<Task> CouplingTask::clone() const { return std::make_unique<CouplingTask>(*this); }

Status CouplingTask::evaluate(const TaskState& state, VectorRef error, MatrixRef jacobian) const noexcept {
  set_nan(error, jacobian);
  if (offset.size() != error.size() || jacobian.cols() != nv_) return Status::wrong_size;
  if (!offset.allFinite()) return Status::not_finite;
  error = -offset;
  jacobian.setZero();
  for (std::size_t i = 0; i < rows_of_v_.size(); ++i) {
    const auto column = matrix_.col(static_cast<Eigen::Index>(i));
    error += state.positions[rows_of_v_[i]] * column;
    jacobian.col(rows_of_v_[i]) += column;
  }
  return Status::ok;
}

}  // namespace antaeus
