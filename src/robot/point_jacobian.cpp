#include "antaeus/robot/point_jacobian.hpp"

#include <Eigen/Geometry>
#include <string>

#include "antaeus/core/error.hpp"
#include "core/computable.hpp"

namespace antaeus {

Status point_jacobian(const PositionTerms& terms, FrameId frame, const Vector3& point, PointIn given,
                      Matrix6XRef J_WP_W) noexcept {
  if (const Status status = terms.frame_jacobian(frame, J_WP_W); status != Status::ok) return status;
  Pose X_WF;
  Status status = terms.frame_pose(frame, X_WF);
  if (status == Status::ok && !is_computable(point)) status = Status::not_finite;
  if (status != Status::ok) {
    J_WP_W.setConstant(kNaN);
    return status;
  }
  const Vector3 offset = given == PointIn::world ? Vector3(point - X_WF.translation) : Vector3(X_WF.rotation * point);
  for (Eigen::Index column = 0; column < J_WP_W.cols(); ++column) {
    const Vector3 angular = J_WP_W.col(column).tail<3>();
    J_WP_W.col(column).head<3>() += angular.cross(offset);
  }
  return Status::ok;
}

Matrix6X point_jacobian(const RobotModel& model, ConstVectorRef q, std::string_view frame, const Vector3& point,
                        PointIn given) {
  const FrameId id = model.frame(frame);
  Dynamics dynamics(model);
  const PositionTerms terms = dynamics.at(q);
  Matrix6X J(6, model.nv());
  Status status = terms.status();
  if (status == Status::ok) status = point_jacobian(terms, id, point, given, J);
  if (status != Status::ok) {
    throw OptionsError("point_jacobian", "q or point: " + std::string(to_string(status)),
                       "give " + std::to_string(model.nq()) + " finite positions and a finite point");
  }
  return J;
}

}  // namespace antaeus
