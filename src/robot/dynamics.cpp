#include "antaeus/robot/dynamics.hpp"

#include <cmath>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <vector>

#include "core/computable.hpp"
#include "robot/dynamics_workspace.hpp"
#include "robot/model_impl.hpp"
#include "robot/quaternion_slack.hpp"
#include "robot/torque_regressor.hpp"

namespace antaeus {

/// Pinocchio's data have four tensors of n³ numbers for second derivatives, which nobody here asks for: 32 MB at 100
/// joints, for every thread's every workspace. They are made once, and left out of all copies.
const pinocchio::Data& RobotModel::Impl::blank_data() const {
  std::call_once(blank_made_, [this] {
    auto data = std::make_unique<pinocchio::Data>(model);
    for (auto* tensor :
         {&data->d2tau_dqdq, &data->d2tau_dvdv, &data->d2tau_dqdv, &data->d2tau_dadq, &data->kinematic_hessians}) {
      tensor->resize(0, 0, 0);
    }
    blank_ = std::move(data);
  });
  return *blank_;
}

Dynamics::Dynamics(RobotModel model)
    : model_(std::move(model)),
      workspace_(std::make_unique<Workspace>(model_.impl_->model, model_.impl_->blank_data())) {}
Dynamics::~Dynamics() = default;
Dynamics::Dynamics(Dynamics&&) noexcept = default;
Dynamics& Dynamics::operator=(Dynamics&&) noexcept = default;

Status Dynamics::check(ConstVectorRef q) noexcept {
  Workspace& w = *workspace_;
  ++w.generation;  // whatever follows overwrites what an earlier `at` computed
  if (q.size() != model_.nq()) return Status::wrong_size;
  if (!is_computable(q)) return Status::not_finite;
  w.q = q;
  for (const int at : w.quaternions) {
    const double length = w.q.segment<4>(at).norm();
    if (std::abs(length - 1.0) > kQuaternionSlack) return Status::bad_orientation;
    w.q.segment<4>(at) /= length;
  }
  for (const int at : w.unit_pairs) {
    const double length = w.q.segment<2>(at).norm();
    if (std::abs(length - 1.0) > kQuaternionSlack) return Status::bad_orientation;
    w.q.segment<2>(at) /= length;
  }
  return Status::ok;
}

PositionTerms Dynamics::at(ConstVectorRef q) noexcept {
  const Status status = check(q);
  if (status == Status::ok) {
    pinocchio::computeJointJacobians(model_.impl_->model, workspace_->data, workspace_->configuration());
  }
  return PositionTerms(this, status, workspace_->generation);
}

VelocityTerms Dynamics::at(ConstVectorRef q, ConstVectorRef v) noexcept {
  Status status = check(q);
  if (status == Status::ok && v.size() != model_.nv()) status = Status::wrong_size;
  if (status == Status::ok && !is_computable(v)) status = Status::not_finite;
  if (status == Status::ok) {
    // Its forward pass also fills oMi and J as `at(q)` does, dJ and ov.
    pinocchio::computeCoriolisMatrix(model_.impl_->model, workspace_->data, workspace_->configuration(), v);
  }
  return VelocityTerms(PositionTerms(this, status, workspace_->generation));
}

Status PositionTerms::ready() const noexcept {
  if (status_ != Status::ok) return status_;
  const auto& workspace = dynamics_->workspace_;  // none when the Dynamics was moved away
  return workspace && generation_ == workspace->generation ? Status::ok : Status::not_computed;
}

Status PositionTerms::gravity_torque(VectorRef g) const noexcept {
  g.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok)
    return status;  // a Dynamics that was moved away has no model
  return gravity_torque(dynamics_->model_.impl_->gravity, g);
}

Status PositionTerms::gravity_torque(const Vector3& free_fall, VectorRef g) const noexcept {
  g.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  if (!is_computable(free_fall)) return Status::not_finite;
  const pinocchio::Model& model = dynamics_->model_.impl_->model;
  if (g.size() != model.nv) return Status::wrong_size;
  // The Jacobians are there, so gravity costs one pass over first moments: each joint carries the weight of its
  // subtree, acting at the subtree's centre of mass. (Featherstone 2008, §5.3 with v = a = 0, in world axes.)
  Dynamics::Workspace& w = *dynamics_->workspace_;
  for (Vector3& moment : w.first_moment) moment.setZero();
  for (std::size_t j = model.joints.size() - 1; j > 0; --j) {
    const auto& X = w.data.oMi[j];
    const auto& body = model.inertias[j];
    w.first_moment[j] += body.mass() * (X.rotation() * body.lever() + X.translation());
    w.first_moment[model.parents[j]] += w.first_moment[j];
    const Vector3 force = w.subtree_mass[j] * free_fall;
    const Vector3 moment = w.first_moment[j].cross(free_fall);
    const int row = model.idx_vs[j];
    for (int k = row; k < row + model.nvs[j]; ++k) {
      // data.J holds each joint's motion in world axes about the world's origin.
      g[k] = -(w.data.J.col(k).head<3>().dot(force) + w.data.J.col(k).tail<3>().dot(moment));
    }
  }
  return Status::ok;
}

Status PositionTerms::frame_pose(FrameId frame, Pose& X_WF) const noexcept {
  X_WF.rotation.setConstant(kNaN);
  X_WF.translation.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  const pinocchio::Model& model = dynamics_->model_.impl_->model;
  if (frame.index < 0 || frame.index >= model.nframes) return Status::unknown_frame;
  const auto& f = model.frames[frame.index];
  const pinocchio::SE3 X = dynamics_->workspace_->data.oMi[f.parentJoint] * f.placement;
  X_WF.rotation = X.rotation();
  X_WF.translation = X.translation();
  return Status::ok;
}

Status PositionTerms::frame_jacobian(FrameId frame, Matrix6XRef J_WF_W) const noexcept {
  J_WF_W.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  const pinocchio::Model& model = dynamics_->model_.impl_->model;
  if (frame.index < 0 || frame.index >= model.nframes) return Status::unknown_frame;
  if (J_WF_W.cols() != model.nv) return Status::wrong_size;
  auto& data = dynamics_->workspace_->data;
  const auto& f = model.frames[frame.index];
  const Vector3 origin = data.oMi[f.parentJoint].act(f.placement.translation());
  J_WF_W.setZero();
  for (const auto joint : model.supports[f.parentJoint]) {
    if (joint == 0) continue;
    const int column = model.idx_vs[joint];
    for (int k = column; k < column + model.nvs[joint]; ++k) {
      const Vector3 angular = data.J.col(k).tail<3>();
      J_WF_W.col(k).head<3>() = data.J.col(k).head<3>() + angular.cross(origin);
      J_WF_W.col(k).tail<3>() = angular;
    }
  }
  return Status::ok;
}

Status PositionTerms::inverse_dynamics(ConstVectorRef v, ConstVectorRef a, VectorRef tau) const noexcept {
  tau.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  const pinocchio::Model& model = dynamics_->model_.impl_->model;
  if (v.size() != model.nv || a.size() != model.nv || tau.size() != model.nv) return Status::wrong_size;
  if (!is_computable(v) || !is_computable(a)) return Status::not_finite;
  Dynamics::Workspace& w = *dynamics_->workspace_;
  // It writes neither oMi nor J, so what `at` computed stays good.
  tau = pinocchio::rnea(model, w.data, w.configuration(), v, a);
  return Status::ok;
}

Status PositionTerms::inverse_dynamics(ConstVectorRef v, ConstVectorRef a, FrameId sensor,
                                       const Vector3& specific_force, VectorRef tau,
                                       Vector3* base_specific_force) const noexcept {
  tau.setConstant(kNaN);
  if (base_specific_force) base_specific_force->setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  const pinocchio::Model& model = dynamics_->model_.impl_->model;
  if (dynamics_->model_.base() != Base::free_flyer || sensor.index < 0 || sensor.index >= model.nframes) {
    return Status::unknown_frame;
  }
  if (!is_computable(specific_force)) return Status::not_finite;
  if (const Status status = inverse_dynamics(v, a, tau); status != Status::ok) return status;
  Dynamics::Workspace& w = *dynamics_->workspace_;
  // What the sensor would feel if the base accelerated as `a` says. The difference to what it does feel is an
  // acceleration of the whole robot: a uniform field, which acts as gravity does.
  const auto& frame = model.frames[sensor.index];
  const pinocchio::Motion acceleration = frame.placement.actInv(w.data.a_gf[frame.parentJoint]);
  const pinocchio::Motion velocity = frame.placement.actInv(w.data.v[frame.parentJoint]);
  const Vector3 predicted = acceleration.linear() + velocity.angular().cross(velocity.linear());
  const Matrix3 R_W_sensor = w.data.oMi[frame.parentJoint].rotation() * frame.placement.rotation();
  const Vector3 missing = R_W_sensor * (specific_force - predicted);
  const Status status = gravity_torque(Vector3(-missing), w.field);
  if (status != Status::ok) {
    tau.setConstant(kNaN);
    return status;
  }
  tau += w.field;
  if (base_specific_force) {
    const pinocchio::Motion& root = w.data.a_gf[1];
    *base_specific_force = root.linear() + w.data.v[1].angular().cross(w.data.v[1].linear()) +
                           w.data.oMi[1].rotation().transpose() * missing;
  }
  return Status::ok;
}

Status PositionTerms::nonlinear_effects(ConstVectorRef v, VectorRef h, FrameId frame,
                                        Vector6& drift_WF_W) const noexcept {
  h.setConstant(kNaN);
  drift_WF_W.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  const pinocchio::Model& model = dynamics_->model_.impl_->model;
  if (frame.index < 0 || frame.index >= model.nframes) return Status::unknown_frame;
  if (v.size() != model.nv || h.size() != model.nv) return Status::wrong_size;
  if (!is_computable(v)) return Status::not_finite;
  Dynamics::Workspace& w = *dynamics_->workspace_;
  // As inverse_dynamics: oMi and J stay.
  h = pinocchio::nonLinearEffects(model, w.data, w.configuration(), v);
  const auto& f = model.frames[frame.index];
  const auto& X = w.data.oMi[f.parentJoint];
  // The recursion began with the root accelerated against gravity.
  pinocchio::Motion acceleration = w.data.a_gf[f.parentJoint];
  acceleration.linear() += X.rotation().transpose() * model.gravity.linear();
  acceleration = f.placement.actInv(acceleration);
  const pinocchio::Motion velocity = f.placement.actInv(w.data.v[f.parentJoint]);
  const Matrix3 R = X.rotation() * f.placement.rotation();
  drift_WF_W.head<3>() = R * (acceleration.linear() + velocity.angular().cross(velocity.linear()));
  drift_WF_W.tail<3>() = R * acceleration.angular();
  return Status::ok;
}

Status VelocityTerms::coriolis_matrix(MatrixRef C) const noexcept {
  C.setConstant(kNaN);
  if (const Status status = position_.ready(); status != Status::ok) return status;
  const pinocchio::Model& model = position_.dynamics_->model_.impl_->model;
  if (C.rows() != model.nv || C.cols() != model.nv) return Status::wrong_size;
  C = position_.dynamics_->workspace_->data.C;
  return Status::ok;
}

Status VelocityTerms::frame_velocity(FrameId frame, Vector6& v_WF_F) const noexcept {
  v_WF_F.setConstant(kNaN);
  if (const Status status = position_.ready(); status != Status::ok) return status;
  const pinocchio::Model& model = position_.dynamics_->model_.impl_->model;
  if (frame.index < 0 || frame.index >= model.nframes) return Status::unknown_frame;
  const auto& f = model.frames[frame.index];
  const auto& data = position_.dynamics_->workspace_->data;
  v_WF_F.setZero();
  if (f.parentJoint > 0) v_WF_F = (data.oMi[f.parentJoint] * f.placement).actInv(data.ov[f.parentJoint]).toVector();
  return Status::ok;
}

Status VelocityTerms::frame_jacobian(FrameId frame, Matrix6XRef J_WF_F, Matrix6XRef J_dot) const noexcept {
  J_WF_F.setConstant(kNaN);
  J_dot.setConstant(kNaN);
  if (const Status status = position_.ready(); status != Status::ok) return status;
  const pinocchio::Model& model = position_.dynamics_->model_.impl_->model;
  if (frame.index < 0 || frame.index >= model.nframes) return Status::unknown_frame;
  if (J_WF_F.cols() != model.nv || J_dot.cols() != model.nv) return Status::wrong_size;
  const auto& f = model.frames[frame.index];
  const auto& data = position_.dynamics_->workspace_->data;
  const pinocchio::SE3 X = data.oMi[f.parentJoint] * f.placement;
  const pinocchio::Motion velocity = f.parentJoint > 0 ? data.ov[f.parentJoint] : pinocchio::Motion::Zero();
  J_WF_F.setZero();
  J_dot.setZero();
  for (const auto joint : model.supports[f.parentJoint]) {
    if (joint == 0) continue;
    for (int k = model.idx_vs[joint]; k < model.idx_vs[joint] + model.nvs[joint]; ++k) {
      const pinocchio::Motion axis(Vector6(data.J.col(k)));
      const pinocchio::Motion axis_dot(Vector6(data.dJ.col(k)));
      J_WF_F.col(k) = X.actInv(axis).toVector();
      // The frame turns and moves under the axis.
      J_dot.col(k) = X.actInv(axis_dot - velocity.cross(axis)).toVector();
    }
  }
  return Status::ok;
}

Status PositionTerms::mass_matrix(MatrixRef M) const noexcept {
  M.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  const pinocchio::Model& model = dynamics_->model_.impl_->model;
  if (M.rows() != model.nv || M.cols() != model.nv) return Status::wrong_size;
  Dynamics::Workspace& w = *dynamics_->workspace_;
  // It writes neither oMi nor J either.
  pinocchio::crba(model, w.data, w.configuration());
  // crba fills the upper triangle only.
  M.triangularView<Eigen::Upper>() = w.data.M;
  M.triangularView<Eigen::StrictlyLower>() = w.data.M.transpose();
  return Status::ok;
}

Status PositionTerms::center_of_mass(Vector3& p_WC) const noexcept {
  p_WC.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  const RobotModel::Impl& impl = *dynamics_->model_.impl_;
  Vector3 moment = impl.model.inertias[0].mass() * impl.model.inertias[0].lever();
  for (std::size_t j = 1; j < impl.model.joints.size(); ++j) {
    const auto& body = impl.model.inertias[j];
    moment += body.mass() * dynamics_->workspace_->data.oMi[j].act(body.lever());
  }
  p_WC = moment / impl.total_mass;
  return Status::ok;
}

Status PositionTerms::center_of_mass_jacobian(Matrix3XRef J_WC) const noexcept {
  J_WC.setConstant(kNaN);
  if (const Status status = ready(); status != Status::ok) return status;
  const RobotModel::Impl& impl = *dynamics_->model_.impl_;
  const pinocchio::Model& model = impl.model;
  if (J_WC.cols() != model.nv) return Status::wrong_size;
  // A joint moves its subtree as one body: the velocity of the subtree's centre of mass, times its share of the mass.
  Dynamics::Workspace& w = *dynamics_->workspace_;
  for (Vector3& moment : w.first_moment) moment.setZero();
  for (std::size_t j = model.joints.size() - 1; j > 0; --j) {
    w.first_moment[j] += model.inertias[j].mass() * w.data.oMi[j].act(model.inertias[j].lever());
    w.first_moment[model.parents[j]] += w.first_moment[j];
    for (int k = model.idx_vs[j]; k < model.idx_vs[j] + model.nvs[j]; ++k) {
      const Vector3 angular = w.data.J.col(k).tail<3>();
      J_WC.col(k) =
          (w.subtree_mass[j] * w.data.J.col(k).head<3>() + angular.cross(w.first_moment[j])) / impl.total_mass;
    }
  }
  return Status::ok;
}

Status Dynamics::inverse_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, VectorRef tau) noexcept {
  tau.setConstant(kNaN);
  if (const Status status = check(q); status != Status::ok) return status;
  const auto& model = model_.impl_->model;
  if (v.size() != model.nv || a.size() != model.nv || tau.size() != model.nv) return Status::wrong_size;
  if (!is_computable(v) || !is_computable(a)) return Status::not_finite;
  tau = pinocchio::rnea(model, workspace_->data, workspace_->configuration(), v, a);
  return Status::ok;
}

Status Dynamics::inverse_dynamics_regressor(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                                            MatrixRef Y) noexcept {
  Y.setConstant(kNaN);
  if (const Status status = check(q); status != Status::ok) return status;
  const auto& model = model_.impl_->model;
  if (v.size() != model.nv || a.size() != model.nv || Y.rows() != model.nv || Y.cols() != 10 * model_.body_count()) {
    return Status::wrong_size;
  }
  if (!is_computable(v) || !is_computable(a)) return Status::not_finite;
  Workspace& w = *workspace_;
  w.v = v;
  w.a = a;
  Y = pinocchio::computeJointTorqueRegressor(model, w.data, w.q, w.v, w.a);
  return Status::ok;
}

Status Dynamics::forward_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau, VectorRef a) noexcept {
  a.setConstant(kNaN);
  if (const Status status = check(q); status != Status::ok) return status;
  const auto& model = model_.impl_->model;
  if (v.size() != model.nv || tau.size() != model.nv || a.size() != model.nv) return Status::wrong_size;
  if (!is_computable(v) || !is_computable(tau)) return Status::not_finite;
  a = pinocchio::aba(model, workspace_->data, workspace_->configuration(), v, tau);
  return Status::ok;
}

Status Dynamics::nonlinear_effects(ConstVectorRef q, ConstVectorRef v, VectorRef h) noexcept {
  h.setConstant(kNaN);
  if (const Status status = check(q); status != Status::ok) return status;
  const auto& model = model_.impl_->model;
  if (v.size() != model.nv || h.size() != model.nv) return Status::wrong_size;
  if (!is_computable(v)) return Status::not_finite;
  h = pinocchio::nonLinearEffects(model, workspace_->data, workspace_->configuration(), v);
  return Status::ok;
}

Status Dynamics::mass_matrix(ConstVectorRef q, MatrixRef M) noexcept {
  const Status status = check(q);  // counts the generation up
  return PositionTerms(this, status, workspace_->generation).mass_matrix(M);
}

Status Dynamics::coriolis_matrix(ConstVectorRef q, ConstVectorRef v, MatrixRef C) noexcept {
  C.setConstant(kNaN);
  if (const Status status = check(q); status != Status::ok) return status;
  const auto& model = model_.impl_->model;
  if (v.size() != model.nv || C.rows() != model.nv || C.cols() != model.nv) return Status::wrong_size;
  if (!is_computable(v)) return Status::not_finite;
  C = pinocchio::computeCoriolisMatrix(model, workspace_->data, workspace_->configuration(), v);
  return Status::ok;
}

}  // namespace antaeus
