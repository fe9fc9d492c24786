#include "antaeus/ik/chain.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/joint_pose.hpp"
#include "ik/chain_numbers.hpp"
#include "ik/forward.hpp"

namespace antaeus {

namespace {

using detail::ChainLink;
using detail::ChainNumbers;

static_assert(kMaxChainJoints == detail::kMaxJoints);

/// Axes with a smaller sine between them are met by a tilt: their common normal lies metres away, and digits with it.
constexpr double kNearlyParallel = 0.2;
/// Axes whose angle is below this are parallel: over a metre the difference is less than rounding.
constexpr double kParallel = 1e-15;

/// A joint at zero, in world axes.
struct Axis {
  Vector3 point, direction;
};

/// A frame on an axis, as the flattened chain has it.
struct AxisFrame {
  Vector3 x, y, z, origin;
};

Vector3 any_normal(const Vector3& z) {
  const Vector3 other = std::abs(z.x()) < 0.9 ? Vector3::UnitX() : Vector3::UnitY();
  return z.cross(other).normalized();
}

/// The link that leads from \p from (joint at zero) to the axis \p to, and the frame that it ends in.
ChainLink link_between(const AxisFrame& from, const Axis& to, AxisFrame& end) {
  ChainLink link;
  const Vector3 difference = to.point - from.origin;
  const Vector3 cross = from.z.cross(to.direction);
  const double sine = cross.norm(), cosine = from.z.dot(to.direction);
  Vector3 x, foot;  // the common normal, and where it stands on the first axis
  if (sine > kNearlyParallel) {
    const Vector3 normal = cross / sine;
    // Distance along the first axis: from.origin + s z + a n = to.point + t u
    const Vector3 u = to.direction;
    const double along = difference.dot(from.z), along_u = difference.dot(u);
    const double s = (along - along_u * cosine) / (sine * sine);
    const double t = (along * cosine - along_u) / (sine * sine);
    const double a = difference.dot(normal);
    x = normal;
    foot = from.origin + s * from.z;
    link.length = a;
    end.origin = to.point + t * u;
    link.cos_twist = cosine;
    link.sin_twist = sine;
    link.offset = s;
  } else {
    // Where the second axis meets the plane across the first one's point nearest to its own.
    const double s = difference.dot(from.z);
    foot = from.origin + s * from.z;
    const Vector3 across = to.point - foot;
    const double a = across.norm();
    x = a > 1e-12 ? Vector3(across / a) : from.x;
    x = (x - x.dot(from.z) * from.z).normalized();
    link.length = a > 1e-12 ? a : 0.0;
    link.offset = s;
    end.origin = to.point;
    const Vector3 y = from.z.cross(x);
    // u = Rx(twist) Ry(tilt) z = (sin tilt, −sin twist cos tilt, cos twist cos tilt) in (x, y, z)
    const double ux = to.direction.dot(x), uy = to.direction.dot(y), uz = to.direction.dot(from.z);
    const double flat = std::hypot(uy, uz);
    if (sine > kParallel) {
      link.sin_tilt = ux;
      link.cos_tilt = flat;
      link.sin_twist = -uy / flat;
      link.cos_twist = uz / flat;
    } else {
      link.cos_twist = uz > 0 ? 1.0 : -1.0;
    }
  }
  link.angle = std::atan2(x.dot(from.y), x.dot(from.x));
  const Vector3 y1 = from.z.cross(x);
  const Vector3 y2 = link.cos_twist * y1 + link.sin_twist * from.z;
  const Vector3 z2 = link.cos_twist * from.z - link.sin_twist * y1;
  end.x = link.cos_tilt * x - link.sin_tilt * z2;
  end.y = y2;
  end.z = link.cos_tilt * z2 + link.sin_tilt * x;
  return link;
}

/// What stands between the root and a link, from the root on.
std::vector<const JointDescription*> way_to(const RobotDescription& robot, const std::string& frame) {
  std::string link = robot.link_of(frame);
  std::vector<const JointDescription*> way;
  while (link != robot.root) {
    const auto up = std::find_if(robot.joints.begin(), robot.joints.end(),
                                 [&](const JointDescription& joint) { return joint.child == link; });
    if (up == robot.joints.end()) break;
    way.push_back(&*up);
    link = up->parent;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

void write(const Matrix3& R, double* rows) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) rows[3 * r + c] = R(r, c);
  }
}

ChainNumbers flattened(const std::vector<Axis>& axes, const Pose& X_WF, const std::vector<ChainJoint>& joints) {
  ChainNumbers numbers;
  numbers.joints = static_cast<int>(joints.size());
  AxisFrame at{any_normal(axes[0].direction), {}, axes[0].direction, axes[0].point};
  at.y = at.z.cross(at.x);
  if (!joints[0].prismatic) {
    // Frame 0 stands where the way leaves its axis: what lies below adds nothing to the reach.
    AxisFrame ignored;
    const double height =
        axes.size() > 1 ? link_between(at, axes[1], ignored).offset : (X_WF.translation - at.origin).dot(at.z);
    at.origin += height * at.z;
  }
  Matrix3 R_W0;
  R_W0 << at.x, at.y, at.z;
  write(R_W0.transpose(), numbers.R_0W);
  Eigen::Map<Vector3>(numbers.world_origin) = -(R_W0.transpose() * at.origin);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool last = i + 1 == axes.size();
    AxisFrame next;
    if (last) {
      // The last frame stands on its axis at the height of F.
      ChainLink& link = numbers.links[i];
      link.offset = (X_WF.translation - at.origin).dot(at.z);
      next = at;
      next.origin += link.offset * at.z;
    } else {
      numbers.links[i] = link_between(at, axes[i + 1], next);
    }
    numbers.prismatic[i] = joints[i].prismatic;
    numbers.lower[i] = joints[i].lower;
    numbers.upper[i] = joints[i].upper;
    const ChainLink& link = numbers.links[i];
    numbers.tilted = numbers.tilted || link.sin_tilt != 0.0;
    const double stroke =
        joints[i].prismatic ? std::max(std::abs(link.offset + joints[i].lower), std::abs(link.offset + joints[i].upper))
                            : std::abs(link.offset);
    numbers.reach += std::hypot(stroke, link.length);
    at = next;
  }
  const Vector3 tool = X_WF.translation - at.origin;
  numbers.tool[0] = tool.dot(at.x);
  numbers.tool[1] = tool.dot(at.y);
  numbers.tool_length = std::hypot(numbers.tool[0], numbers.tool[1]);
  numbers.reach += numbers.tool_length;
  Matrix3 R_WN;
  R_WN << at.x, at.y, at.z;
  write(X_WF.rotation.transpose() * R_WN, numbers.R_FN);
  return numbers;
}

}  // namespace

KinematicChain::KinematicChain(const RobotModel& model, std::string_view frame) : model_(model), frame_(frame) {
  const std::string place = "frame '" + frame_ + "'";
  if (!model.has_frame(frame)) throw_unknown<ModelError>("frame", "frame", frame_, model.frame_names());
  const auto& locked = model.options().locked_joints;
  const auto& motors = model.motor_names();
  auto joints = std::make_shared<std::vector<ChainJoint>>();
  std::vector<Axis> axes;
  Pose X_W;  // of the link that is reached so far, all joints at zero
  for (const JointDescription* joint : way_to(model.description(), frame_)) {
    const Pose X_WJ = X_W * joint->X_PJ;
    const auto lock = locked.find(joint->name);
    X_W = X_WJ * joint_pose(*joint, lock == locked.end() ? 0.0 : lock->second);
    if (joint->type == JointType::fixed || lock != locked.end()) continue;
    if (joint->type == JointType::floating || joint->type == JointType::planar) {
      throw ModelError(place, "joint '" + joint->name + "' before it is " + std::string(to_string(joint->type)),
                       "inverse kinematics solves joints of one degree of freedom; lock it, or choose a frame that "
                       "it does not carry");
    }
    if (!joint->mimics.empty()) {
      throw ModelError(place, "joint '" + joint->name + "' before it mimics '" + joint->mimics + "'",
                       "its position is not free: choose a frame that it does not carry, such as its parent link '" +
                           joint->parent + "'");
    }
    const auto motor = std::find(motors.begin(), motors.end(), joint->name);
    if (motor == motors.end()) continue;  // stands at zero
    ChainJoint entry{joint->name, static_cast<int>(motor - motors.begin()), joint->type == JointType::prismatic,
                     -kInfinity, kInfinity};
    if (joint->type != JointType::continuous) {
      entry.lower = model.lower_limits()[entry.motor];
      entry.upper = model.upper_limits()[entry.motor];
    }
    if (!(entry.lower <= entry.upper)) {
      throw ModelError("joint '" + joint->name + "'",
                       "its lower limit is above its upper limit, or one is not a number",
                       "correct the robot's description");
    }
    joints->push_back(entry);
    axes.push_back({X_WJ.translation, X_WJ.rotation * joint->axis});
  }
  if (joints->empty()) {
    throw ModelError(place, "no joint with a motor stands between it and the robot's root",
                     "choose a frame that joints move");
  }
  if (joints->size() > kMaxChainJoints) {
    throw ModelError(place,
                     std::to_string(joints->size()) + " joints stand before it, more than the " +
                         std::to_string(kMaxChainJoints) + " that a chain can have",
                     "lock those that must not move");
  }
  numbers_ = std::make_shared<const ChainNumbers>(flattened(axes, X_W, *joints));
  joints_ = std::move(joints);
}

double KinematicChain::reach() const noexcept { return numbers_->reach; }

Status KinematicChain::pose(ConstVectorRef q, Pose& X_WF) const noexcept {
  X_WF.rotation.setConstant(kNaN);
  X_WF.translation.setConstant(kNaN);
  if (q.size() != size()) return Status::wrong_size;
  if (!q.allFinite()) return Status::not_finite;
  const ChainNumbers& chain = *numbers_;
  double R[9], p[3];
  lanes::chain_pose(chain, q.data(), R, p);
  using Rows = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;
  const Rows R_0N(R), R_0W(chain.R_0W), R_FN(chain.R_FN);
  X_WF.rotation = R_0W.transpose() * R_0N * R_FN.transpose();
  X_WF.translation = R_0W.transpose() * (Eigen::Map<const Vector3>(p) - Eigen::Map<const Vector3>(chain.world_origin));
  return Status::ok;
}

VectorX KinematicChain::middle() const {
  VectorX q(size());
  for (int i = 0; i < size(); ++i) {
    const ChainJoint& joint = (*joints_)[static_cast<std::size_t>(i)];
    const double middle = 0.5 * (joint.lower + joint.upper);
    q[i] = std::isfinite(middle) ? middle : std::clamp(0.0, joint.lower, joint.upper);
  }
  return q;
}

VectorX KinematicChain::from_motors(ConstVectorRef q_motor) const {
  VectorX q(size());
  for (int i = 0; i < size(); ++i) q[i] = q_motor[(*joints_)[static_cast<std::size_t>(i)].motor];
  return q;
}

VectorX KinematicChain::pulled_in(ConstVectorRef q, std::vector<std::string>* moved_joints) const {
  VectorX inside = q;
  for (int i = 0; i < size(); ++i) {
    const ChainJoint& joint = (*joints_)[static_cast<std::size_t>(i)];
    inside[i] = std::clamp(q[i], joint.lower, joint.upper);
    if (moved_joints && inside[i] != q[i]) moved_joints->push_back(joint.name);
  }
  return inside;
}

KinematicChain KinematicChain::without_limits() const {
  KinematicChain chain = *this;
  auto joints = std::make_shared<std::vector<ChainJoint>>(*joints_);
  auto numbers = std::make_shared<ChainNumbers>(*numbers_);
  for (std::size_t i = 0; i < joints->size(); ++i) {
    (*joints)[i].lower = numbers->lower[i] = -kInfinity;
    (*joints)[i].upper = numbers->upper[i] = kInfinity;
    if ((*joints)[i].prismatic) numbers->reach = kInfinity;
  }
  chain.joints_ = std::move(joints);
  chain.numbers_ = std::move(numbers);
  return chain;
}

bool KinematicChain::limited() const noexcept {
  return std::any_of(joints_->begin(), joints_->end(), [](const ChainJoint& joint) {
    return joint.prismatic ? std::isfinite(joint.lower) || std::isfinite(joint.upper)
                           : joint.upper - joint.lower < 2.0 * M_PI;
  });
}

}  // namespace antaeus
