#include "antaeus/identification/gravity_regressor.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "antaeus/core/error.hpp"
#include "core/computable.hpp"

namespace antaeus {

namespace {

/// A body so light says little about how far its mass may be off: cables and screws weigh as much.
constexpr double kLightest = 0.2;     // kg
constexpr double kLeverSpread = 0.1;  // m

/// Mass of each joint's body: its child link and all that is fixed to it, payloads too.
std::map<std::string, double> masses_of_bodies(const RobotModel& model) {
  const RobotDescription& description = model.description();
  const auto held = [&](const JointDescription& joint) {
    return joint.type == JointType::fixed || model.options().locked_joints.contains(joint.name);
  };
  std::map<std::string, const JointDescription*> above;
  for (const JointDescription& joint : description.joints) above[joint.child] = &joint;
  std::map<std::string, double> masses;
  for (const LinkDescription& link : description.links) {
    const JointDescription* joint = nullptr;
    for (auto at = above.find(link.name); at != above.end(); at = above.find(joint->parent)) {
      joint = at->second;
      if (!held(*joint)) break;
    }
    if (joint && !held(*joint) && link.has_inertial) masses[joint->name] += link.inertial.mass;
  }
  for (const Payload& payload : model.options().payloads) {
    std::string joint = payload.frame;
    for (auto at = above.find(joint); at != above.end(); at = above.find(joint)) {
      joint = at->second->name;
      if (!held(*at->second)) break;
      joint = at->second->parent;
    }
    if (masses.contains(joint)) masses[joint] += payload.inertial.mass;
  }
  return masses;
}

}  // namespace

GravityRegressor::GravityRegressor(const RobotModel& model, std::vector<int> rows) : rows_(std::move(rows)) {
  for (const int row : rows_) {
    if (row < 0 || row >= model.motor_count()) {
      throw OptionsError("rows", "motor " + std::to_string(row) + " is not in the model",
                         "give indices from 0 to " + std::to_string(model.motor_count() - 1));
    }
    velocity_rows_.push_back(model.motor_rows()[row]);
  }
  const std::map<std::string, double> masses = masses_of_bodies(model);
  std::vector<double> sizes;
  carried_.resize(rows_.size());
  for (int motor = 0; motor < model.motor_count(); ++motor) {
    const std::string& name = model.motor_names()[motor];
    const FrameId frame = model.frame(name);
    const std::vector<int> supporting = model.supporting_motors(frame);
    const bool carried = std::ranges::any_of(supporting, [&](int m) { return std::ranges::count(rows_, m) > 0; });
    if (!carried) continue;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (std::ranges::count(supporting, rows_[row]) > 0) carried_[row].push_back(static_cast<int>(bodies_.size()));
    }
    bodies_.push_back(motor);
    frames_.push_back(frame);
    const auto mass = masses.find(name);
    sizes.push_back(std::max(mass == masses.end() ? 0.0 : mass->second, kLightest));
  }
  scale_.resize(parameters());
  for (std::size_t body = 0; body < bodies_.size(); ++body) {
    const auto at = 4 * static_cast<Eigen::Index>(body);
    scale_[at] = sizes[body];
    scale_.segment<3>(at + 1).setConstant(kLeverSpread * sizes[body]);
  }
  jacobian_.setZero(6, model.nv());
}

Status GravityRegressor::compute(const PositionTerms& terms, const Vector3& free_fall, MatrixRef Y) noexcept {
  const auto fail = [&](Status status) {
    Y.setConstant(kNaN);
    return status;
  };
  if (Y.rows() != std::ssize(rows_) || Y.cols() != parameters()) return fail(Status::wrong_size);
  if (!is_computable(free_fall)) return fail(Status::not_finite);
  for (std::size_t body = 0; body < bodies_.size(); ++body) {
    Pose X_WF;
    Status status = terms.frame_pose(frames_[body], X_WF);
    if (status == Status::ok) status = terms.frame_jacobian(frames_[body], jacobian_);
    if (status != Status::ok) return fail(status);
    const auto column = 4 * static_cast<Eigen::Index>(body);
    for (Eigen::Index row = 0; row < Y.rows(); ++row) {
      const auto J = jacobian_.col(velocity_rows_[row]);
      // The motors hold what gravity pulls down: g = −Jᵀ (weight).
      Y(row, column) = -J.head<3>().dot(free_fall);
      for (int axis = 0; axis < 3; ++axis) {
        Y(row, column + 1 + axis) = -J.tail<3>().dot(X_WF.rotation.col(axis).cross(free_fall));
      }
    }
  }
  return Status::ok;
}

}  // namespace antaeus
