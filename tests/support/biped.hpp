#pragma once
/// \file
/// The humanoid of tests/support/biped.urdf: standing, with contacts and pushes that a test chooses.

#include <Eigen/Geometry>
#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "support/source_folder.hpp"

namespace antaeus::test {

inline const std::vector<std::string> kSoles{"left_sole", "right_sole"};

inline Robot biped(Base base = Base::free_flyer) {
  return load_robot((source_folder() / "tests/support/biped.urdf").string(), MeshPolicy::ignored, base);
}

/// Row of v of a joint.
inline int row_of(const Robot& robot, const std::string& joint) {
  return robot.model.motor_rows()[static_cast<std::size_t>(robot.model.motor(joint))];
}

/// Knees bent, both soles flat on the ground, turned by `heading`.
inline VectorX standing(const Robot& robot, double heading = 0.0) {
  VectorX q = robot.model.neutral();
  for (const char* side : {"left", "right"}) {
    for (const auto& [joint, angle] :
         {std::pair<const char*, double>{"_hip_pitch", -0.3}, {"_knee", 0.6}, {"_ankle_pitch", -0.3}}) {
      q[1 + row_of(robot, std::string(side) + joint)] = angle;
    }
  }
  q.segment<4>(3) = Eigen::Quaterniond(Eigen::AngleAxisd(heading, Vector3::UnitZ())).coeffs();
  Dynamics dynamics(robot.model);
  Pose sole;
  dynamics.at(q).frame_pose(robot.model.frame("left_sole"), sole);
  q[2] -= sole.translation.z();
  return q;
}

/// One state at rest.
inline ContactMotion at_rest(const Robot& robot, const VectorX& q) {
  ContactMotion motion;
  motion.name = "stance";
  motion.q = q.transpose();
  motion.v = motion.a = SampleMatrix::Zero(1, robot.model.nv());
  return motion;
}

/// Σ Jᵀ w in frame t, wrenches in world axes about the contacts' origins.
inline VectorX of_contacts(const Robot& robot, const VectorX& q, const std::vector<std::string>& contacts,
                           const Eigen::Ref<const Matrix6X>& wrench) {
  Dynamics dynamics(robot.model);
  const PositionTerms at = dynamics.at(q);
  Matrix6X J(6, robot.model.nv());
  VectorX sum = VectorX::Zero(robot.model.nv());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    at.frame_jacobian(robot.model.frame(contacts[c]), J);
    sum += J.transpose() * wrench.col(static_cast<Eigen::Index>(c));
  }
  return sum;
}

}  // namespace antaeus::test
