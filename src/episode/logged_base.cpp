#include "logged_base.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace antaeus::detail {

namespace {

constexpr double kUnitLength = 0.05;  ///< a quaternion that is further off is none

Eigen::Vector4d quaternion(const SampleMatrix& values, Eigen::Index row, bool scalar_first) {
  Eigen::Vector4d q = values.row(row).head<4>().transpose();
  if (scalar_first) q = Eigen::Vector4d(q[1], q[2], q[3], q[0]);
  const double size = q.norm();
  if (!(std::abs(size - 1.0) <= kUnitLength)) return Eigen::Vector4d::Constant(kNaN);
  return q / size;
}

bool is_scalar_first(const FittedLog& log) {
  const std::string& name = log.channel(log.orientation)->name;
  if (name.find("wxyz") != std::string::npos) return true;
  if (name.find("xyzw") != std::string::npos || !log.robot) return false;
  return log.robot->profile.imu.order == QuaternionOrder::wxyz;
}

/// Between the root link and the sensor: fixed turns, and joints that the log moves.
struct SensorChain {
  struct Link {
    Matrix3 turn = Matrix3::Identity();  ///< joint frame in the parent link
    Vector3 axis = Vector3::UnitX();
    int joint = -1;  ///< of the log; −1: does not turn
  };
  std::vector<Link> links;  ///< from the root
  std::vector<std::string> moving;

  Matrix3 at(const SampleMatrix* q, Eigen::Index row) const {
    Matrix3 R = Matrix3::Identity();
    for (const Link& link : links) {
      R = R * link.turn;
      if (link.joint >= 0) R = R * Eigen::AngleAxisd((*q)(row, link.joint), link.axis).toRotationMatrix();
    }
    return R;
  }
};

/// The joint of the log that moves this one, with a position; −1: none.
int logged_joint(const FittedLog& log, const std::string& name) {
  for (int j = 0; j < static_cast<int>(log.joints.size()); ++j) {
    const int motor = log.motors[static_cast<std::size_t>(j)];
    if (motor < 0 || !log.has(ChannelRole::position, j)) continue;
    if (log.robot->model.motor_names()[static_cast<std::size_t>(motor)] == name) return j;
  }
  return -1;
}

/// From the root to a link or a joint of that name; none where a joint in between is not logged.
std::optional<SensorChain> chain_to(const FittedLog& log, const std::string& frame) {
  const RobotDescription& description = log.robot->model.description();
  SensorChain chain;
  std::string link = description.link_of(frame);
  while (link != description.root) {
    const auto above = std::find_if(description.joints.begin(), description.joints.end(),
                                    [&](const JointDescription& joint) { return joint.child == link; });
    if (above == description.joints.end()) return std::nullopt;
    SensorChain::Link one{above->X_PJ.rotation, above->axis, -1};
    if (above->type != JointType::fixed) {
      const int joint = logged_joint(log, above->name);
      if (joint < 0 || above->type == JointType::floating || above->type == JointType::planar) return std::nullopt;
      if (above->type != JointType::prismatic) {
        one.joint = joint;
        chain.moving.insert(chain.moving.begin(), log.joints[static_cast<std::size_t>(joint)]);
      }
    }
    chain.links.insert(chain.links.begin(), one);
    link = above->parent;
  }
  return chain;
}

}  // namespace

OrientationOfRow logged_orientation(const FittedLog& log) {
  if (log.orientation < 0) return {};
  const SampleMatrix& values = log.channel(log.orientation)->values;
  const bool first = is_scalar_first(log);
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    if (!std::isfinite(quaternion(values, row, first)[0])) continue;
    return [&values, first](Eigen::Index at) { return quaternion(values, at, first); };
  }
  return {};
}

LoggedBase logged_base(const FittedLog& log) {
  const std::string upright = "The robot’s base is drawn upright and in place: ";
  const OrientationOfRow sensor = logged_orientation(log);
  if (!sensor) return {{}, -1, upright + "its pose is not in the log."};
  if (log.channel(log.orientation)->name == kBaseQuaternion) {
    LoggedBase base{sensor, -1, "The base moves by the first seven numbers of q."};
    for (int c = 0; c < static_cast<int>(log.log->channels.size()); ++c) {
      if (log.log->channels[static_cast<std::size_t>(c)].name == "base_position") base.position = c;
    }
    return base;
  }
  const std::string& frame = log.robot->profile.imu.frame;
  if (frame.empty()) return {{}, -1, upright + "the robot’s profile does not state where the IMU is."};
  const std::optional<SensorChain> chain = chain_to(log, frame);
  if (!chain) return {{}, -1, upright + "between it and the IMU are joints of which the log has no position."};
  const SampleMatrix* q = log.channel(ChannelRole::position) ? &log.channel(ChannelRole::position)->values : nullptr;
  LoggedBase base;
  base.orientation = [sensor, q, chain = *chain](Eigen::Index row) -> Eigen::Vector4d {
    const Eigen::Vector4d x = sensor(row);
    const Matrix3 R = chain.at(q, row);
    if (!std::isfinite(x[0]) || !R.allFinite()) return Eigen::Vector4d::Constant(kNaN);
    Eigen::Quaterniond turned = Eigen::Quaterniond(x[3], x[0], x[1], x[2]) * Eigen::Quaterniond(R).conjugate();
    if (turned.w() < 0) turned.coeffs() *= -1.0;
    return turned.coeffs();
  };
  base.told = "The base is turned by the IMU" +
              (chain->moving.empty() ? std::string() : ", through " + listed(chain->moving)) +
              ", and stays in place: its position is not in the log.";
  return base;
}

}  // namespace antaeus::detail
