#include "antaeus/robot/joint_pose.hpp"

#include <Eigen/Geometry>

namespace antaeus {

Pose joint_pose(const JointDescription& joint, double position) {
  Pose X;
  if (joint.type == JointType::prismatic) {
    X.translation = joint.axis * position;
  } else if (joint.type == JointType::revolute || joint.type == JointType::continuous) {
    X.rotation = Eigen::AngleAxisd(position, joint.axis).toRotationMatrix();
  }
  return X;
}

}  // namespace antaeus
