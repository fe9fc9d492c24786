#include "robot/parameter_torque.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/computable.hpp"
#include "robot/dynamics_workspace.hpp"
#include "robot/model_impl.hpp"

namespace antaeus {

ParameterTorque::ParameterTorque(const RobotModel& model, const std::vector<int>& bodies)
    : bodies_(bodies), gravity_(model.gravity()), nv_(model.nv()) {
  std::sort(bodies_.begin(), bodies_.end());
  const pinocchio::Model& tree = model.impl_->model;
  std::vector<int> place(tree.joints.size(), -1);
  for (const int body : bodies_) {
    for (const auto joint : tree.supports[static_cast<std::size_t>(body) + 1]) {
      if (joint > 0) place[joint] = 0;
    }
  }
  for (std::size_t j = 1; j < tree.joints.size(); ++j) {
    if (place[j] < 0) continue;
    place[j] = static_cast<int>(joints_.size());
    Joint joint;
    joint.index = j;
    joint.parent = tree.parents[j] == 0 ? -1 : place[tree.parents[j]];
    joint.row = tree.idx_vs[j];
    joint.size = tree.nvs[j];
    joints_.push_back(joint);
    const auto motor = std::find(model.motor_rows().begin(), model.motor_rows().end(), joint.row);
    const bool driven = joint.size == 1 && motor != model.motor_rows().end();
    motor_of_.push_back(driven ? static_cast<int>(motor - model.motor_rows().begin()) : -1);
  }
  for (const int body : bodies_) {
    carrier_.push_back(static_cast<std::size_t>(place[static_cast<std::size_t>(body) + 1]));
    std::vector<int>& motors = motors_.emplace_back();
    std::vector<std::size_t>& through = motor_joint_.emplace_back();
    for (int j = place[static_cast<std::size_t>(body) + 1]; j >= 0; j = joints_[j].parent) {
      if (motor_of_[j] < 0) continue;
      motors.push_back(motor_of_[j]);
      through.push_back(static_cast<std::size_t>(j));
    }
  }
  axes_.setZero(6, nv_);
}

Status ParameterTorque::see(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a) noexcept {
  if (const Status status = now.ready(); status != Status::ok) return status;
  if (now.dynamics_->model_.nv() != nv_ || v.size() != nv_ || a.size() != nv_) return Status::wrong_size;
  if (!is_computable(v) || !is_computable(a)) return Status::not_finite;
  const pinocchio::Data& data = now.dynamics_->workspace_->data;
  for (Joint& joint : joints_) {
    const auto& X = data.oMi[joint.index];
    joint.rotation = X.rotation();
    joint.origin = X.translation();
    Vector3 angular = Vector3::Zero(), linear = Vector3::Zero();            // what the joint adds
    Vector3 angular_rate = Vector3::Zero(), linear_rate = Vector3::Zero();  // and by accelerating
    for (int k = joint.row; k < joint.row + joint.size; ++k) {
      axes_.col(k) = data.J.col(k);
      linear += axes_.col(k).head<3>() * v[k];
      angular += axes_.col(k).tail<3>() * v[k];
      linear_rate += axes_.col(k).head<3>() * a[k];
      angular_rate += axes_.col(k).tail<3>() * a[k];
    }
    if (joint.parent < 0) {
      joint.angular = angular;
      joint.linear = linear;
      joint.angular_rate = angular_rate;
      joint.linear_rate = linear_rate - gravity_;
    } else {
      // The axis is carried along by its parent: V × S q̇.
      const Joint& parent = joints_[static_cast<std::size_t>(joint.parent)];
      joint.angular = parent.angular + angular;
      joint.linear = parent.linear + linear;
      joint.angular_rate = parent.angular_rate + angular_rate + parent.angular.cross(angular);
      joint.linear_rate =
          parent.linear_rate + linear_rate + parent.angular.cross(linear) + parent.linear.cross(angular);
    }
    const Vector3 velocity = joint.linear + joint.angular.cross(joint.origin);
    const Vector3 acceleration =
        joint.linear_rate + joint.angular_rate.cross(joint.origin) + joint.angular.cross(velocity);
    joint.omega = joint.rotation.transpose() * joint.angular;
    joint.alpha = joint.rotation.transpose() * joint.angular_rate;
    joint.acceleration = joint.rotation.transpose() * acceleration;
  }
  return Status::ok;
}

void ParameterTorque::add_torque(const VectorX& theta, VectorX& torque) noexcept {
  for (Joint& joint : joints_) {
    joint.force.setZero();
    joint.moment.setZero();
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Joint& joint = joints_[carrier_[b]];
    const double* const p = theta.data() + 10 * bodies_[b];
    const Vector3 h(p[1], p[2], p[3]);
    const auto times = [p](const Vector3& x) {
      return Vector3(p[4] * x.x() + p[5] * x.y() + p[7] * x.z(), p[5] * x.x() + p[6] * x.y() + p[8] * x.z(),
                     p[7] * x.x() + p[8] * x.y() + p[9] * x.z());
    };
    const Vector3 turning = joint.omega.cross(h);
    const Vector3 force = p[0] * joint.acceleration + joint.alpha.cross(h) + joint.omega.cross(turning);
    const Vector3 moment = h.cross(joint.acceleration) + times(joint.alpha) + joint.omega.cross(times(joint.omega));
    joint.force += joint.rotation * force;
    joint.moment += joint.rotation * moment + joint.origin.cross(joint.rotation * force);
  }
  for (std::size_t j = joints_.size(); j-- > 0;) {
    const Joint& joint = joints_[j];
    if (motor_of_[j] >= 0) {
      const auto axis = axes_.col(joint.row);
      torque[motor_of_[j]] += axis.head<3>().dot(joint.force) + axis.tail<3>().dot(joint.moment);
    }
    if (joint.parent < 0) continue;
    Joint& parent = joints_[static_cast<std::size_t>(joint.parent)];
    parent.force += joint.force;
    parent.moment += joint.moment;
  }
}

void ParameterTorque::entries(std::size_t body, std::size_t place, bool first_four, Ten& of_parameter) const noexcept {
  const Joint& joint = joints_[carrier_[body]];
  const auto axis = axes_.col(joints_[motor_joint_[body][place]].row);
  // How the motor moves the body's origin, in the body's axes.
  const Vector3 turn = joint.rotation.transpose() * axis.tail<3>();
  const Vector3 shift = joint.rotation.transpose() * (axis.head<3>() + axis.tail<3>().cross(joint.origin));
  const Vector3 &w = joint.omega, &a = joint.acceleration;
  of_parameter[0] = shift.dot(a);
  // (α × h + ω × (ω × h)) · shift + (h × a) · turn, as a product with h.
  of_parameter.segment<3>(1) = shift.cross(joint.alpha) + w.dot(shift) * w - w.squaredNorm() * shift + a.cross(turn);
  if (first_four) return;
  const Vector3 x = turn, y = joint.alpha, u = turn.cross(w);
  of_parameter[4] = x[0] * y[0] + u[0] * w[0];
  of_parameter[5] = x[0] * y[1] + x[1] * y[0] + u[0] * w[1] + u[1] * w[0];
  of_parameter[6] = x[1] * y[1] + u[1] * w[1];
  of_parameter[7] = x[0] * y[2] + x[2] * y[0] + u[0] * w[2] + u[2] * w[0];
  of_parameter[8] = x[1] * y[2] + x[2] * y[1] + u[1] * w[2] + u[2] * w[1];
  of_parameter[9] = x[2] * y[2] + u[2] * w[2];
}

}  // namespace antaeus
