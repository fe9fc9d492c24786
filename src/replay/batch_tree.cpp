#include "replay/batch_tree.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/joint_pose.hpp"

namespace antaeus::detail {

namespace {

bool is_identity(const Matrix3& R) { return R == Matrix3::Identity(); }

void write(const Matrix3& R, double* rows) { Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>{rows} = R; }
void write(const Vector3& p, double* numbers) { Eigen::Map<Vector3>{numbers} = p; }
void write(const InertialParameters& body, double& mass, double* moment, double* inertia) {
  mass = body[0];
  write(Vector3(body.segment<3>(1)), moment);
  Eigen::Map<Vector6>{inertia} = body.tail<6>();
}

/// φ in the frame where its body is attached at X: mass, first moment and inertia about that frame's origin.
InertialParameters moved(const InertialParameters& body, const Pose& X) {
  const double m = body[0];
  const Vector3 h = X.rotation * body.segment<3>(1);
  Matrix3 I;
  I << body[4], body[5], body[7], body[5], body[6], body[8], body[7], body[8], body[9];
  I = (X.rotation * I * X.rotation.transpose()).eval();
  const Vector3& p = X.translation;
  // Σ m (ρ·ρ 1 − ρ ρᵀ) with ρ = p + R r, whose first moment is h.
  I += (m * p.squaredNorm() + 2.0 * p.dot(h)) * Matrix3::Identity() - m * p * p.transpose() - p * h.transpose() -
       h * p.transpose();
  InertialParameters result;
  result << m, h + m * p, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
  return result;
}

}  // namespace

void write_bodies(const VectorX& phi, const std::vector<Attached>& places, bool floating,
                  std::vector<BatchJoint>& joints, BatchNumbers& numbers) {
  std::vector<InertialParameters> bodies(joints.size() + 1, InertialParameters::Zero());
  for (std::size_t b = 0; b < places.size(); ++b) {
    bodies[static_cast<std::size_t>(places[b].body)] +=
        moved(phi.segment<10>(10 * static_cast<Eigen::Index>(b)), places[b].X);
  }
  write(bodies[0], numbers.root_mass, numbers.root_moment, numbers.root_inertia);
  double total = floating ? numbers.root_mass : 0.0;
  for (BatchJoint& joint : joints) joint.subtree_mass = 0.0;
  for (std::size_t j = joints.size(); j-- > 0;) {
    BatchJoint& joint = joints[j];
    write(bodies[j + 1], joint.mass, joint.moment, joint.inertia);
    total += joint.mass;
    joint.subtree_mass += joint.mass;
    if (joint.before > 0) joints[static_cast<std::size_t>(joint.before) - 1].subtree_mass += joint.subtree_mass;
  }
  numbers.total_mass = total;
}

BatchFrame frame_at(const Attached& place) {
  BatchFrame frame;
  frame.body = place.body;
  frame.turned = !is_identity(place.X.rotation);
  write(place.X.rotation, frame.R);
  write(place.X.translation, frame.p);
  return frame;
}

namespace {

/// Walks a description from the root, in the order of the model's joints.
class Flattener {
 public:
  Flattener(const RobotModel& model, BatchTree& tree) : model_(model), tree_(tree) {
    for (const JointDescription& joint : model.description().joints) above_[joint.child] = &joint;
    for (int body = 0; body < model.body_count(); ++body) add_body(model.body_joint(body));
    write_bodies(model.inertial_parameters(), tree.places, model.base() == Base::free_flyer, tree.joints, tree.numbers);
  }

  /// Where a link's frame is.
  Attached place_of(const std::string& link) const {
    std::vector<const JointDescription*> way;
    std::string at = link;
    Attached place;
    while (at != model_.description().root) {
      const JointDescription* joint = above_.at(at);
      if (const auto body = body_of_.find(joint->name); body != body_of_.end()) {
        place.body = body->second;
        place.X = inside_[static_cast<std::size_t>(place.body)];
        break;
      }
      way.push_back(joint);
      at = joint->parent;
    }
    for (const auto* joint : std::views::reverse(way)) {
      place.X = place.X * joint->X_PJ * joint_pose(*joint, held_at(joint->name));
    }
    return place;
  }

  BatchFrame frame(const std::string& name, std::vector<int>& support) const {
    // A joint's frame is that of the link that it moves.
    const std::string link = model_.description().link_of(name);
    const Attached place = place_of(model_.description().find_link(link) ? link : model_.description().root);
    const BatchFrame frame = frame_at(place);
    for (int body = place.body; body > 0; body = tree_.joints[static_cast<std::size_t>(body) - 1].before) {
      support.push_back(body - 1);
    }
    std::reverse(support.begin(), support.end());
    return frame;
  }

 private:
  double held_at(const std::string& joint) const {
    const auto& locked = model_.options().locked_joints;
    const auto lock = locked.find(joint);
    return lock == locked.end() ? 0.0 : lock->second;
  }

  void add_body(const std::string& name) {
    const auto& motors = model_.motor_names();
    const auto motor = std::find(motors.begin(), motors.end(), name);
    const auto& described = model_.description().joints;
    const auto joint =
        std::find_if(described.begin(), described.end(), [&](const JointDescription& j) { return j.name == name; });
    if (joint == described.end()) {  // the free base
      tree_.places.push_back({});
      return;
    }
    Attached carrier = place_of(joint->parent);
    carrier.X = carrier.X * joint->X_PJ;
    if (motor == motors.end()) {  // it stands at zero
      tree_.places.push_back(carrier);
      return;
    }
    BatchJoint entry;
    entry.before = carrier.body;
    entry.motor = static_cast<int>(motor - motors.begin());
    entry.prismatic = joint->type == JointType::prismatic;
    if (const auto rotor = model_.options().armature.find(name); rotor != model_.options().armature.end()) {
      entry.armature = rotor->second;
    }
    // An axis of the joint's frame stays; an oblique one becomes the z axis of a frame that is turned.
    Pose inside;
    entry.axis = -1;
    for (int k = 0; k < 3; ++k) {
      if (joint->axis == Vector3::Unit(k) || joint->axis == -Vector3::Unit(k)) {
        entry.axis = k;
        entry.sign = joint->axis[k];
      }
    }
    if (entry.axis < 0) {
      entry.axis = 2;
      const Matrix3 R = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), joint->axis).toRotationMatrix();
      inside.rotation = R.transpose();
      carrier.X.rotation = (carrier.X.rotation * R).eval();
    }
    entry.turned = !is_identity(carrier.X.rotation);
    write(carrier.X.rotation, entry.R);
    write(carrier.X.translation, entry.p);
    tree_.joints.push_back(entry);
    tree_.places.push_back({static_cast<int>(tree_.joints.size()), inside});
    inside_.push_back(inside);
    body_of_[name] = static_cast<int>(tree_.joints.size());
  }

  const RobotModel& model_;
  BatchTree& tree_;
  std::map<std::string, const JointDescription*> above_;  // of each link
  std::map<std::string, int> body_of_;                    // of joints with a motor
  std::vector<Pose> inside_{Pose{}};                      // of each body: the joint's frame in the flattened one
};

}  // namespace

BatchTree::BatchTree(const RobotModel& model, const std::vector<std::string>& endpoints, const BatchOptions& options) {
  const std::string& robot = model.description().name;
  if (model.motor_count() == 0) {
    throw ModelError(robot, "the robot has no motors: there are no torques to work on",
                     "give a description with movable joints");
  }
  if (!(options.relative_tolerance >= 0.0)) {
    throw OptionsError("relative_tolerance", "negative or no number", "give 0 or more");
  }
  const auto check = [&](const std::string& place, const std::string& name) {
    if (!model.has_frame(name)) throw_unknown<ModelError>(place, "frame", name, model.frame_names());
  };
  for (const std::string& name : endpoints) check("endpoints", name);
  if (!options.imu_frame.empty()) check("imu_frame", options.imu_frame);

  const Flattener flat(model, *this);
  supports.resize(endpoints.size() + 1);
  for (std::size_t e = 0; e < endpoints.size(); ++e) frames.push_back(flat.frame(endpoints[e], supports[e]));
  numbers.sensor =
      flat.frame(options.imu_frame.empty() ? model.description().root : options.imu_frame, supports.back());
  numbers.sensor.support = supports.back().data();
  numbers.sensor.supports = static_cast<int>(supports.back().size());
  for (std::size_t e = 0; e < frames.size(); ++e) {
    frames[e].support = supports[e].data();
    frames[e].supports = static_cast<int>(supports[e].size());
    numbers.most_supports = std::max(numbers.most_supports, frames[e].supports);
  }
  numbers.joints = joints.data();
  numbers.frames = frames.data();
  numbers.joint_count = static_cast<int>(joints.size());
  numbers.frame_count = static_cast<int>(frames.size());
  numbers.motor_count = model.motor_count();
  numbers.floating = model.base() == Base::free_flyer;
  write(model.gravity(), numbers.gravity);
  numbers.uses_imu = numbers.floating && options.imu != ImuUse::none;
  numbers.mounted = numbers.uses_imu && options.imu == ImuUse::mounted && !options.imu_frame.empty() &&
                    (numbers.sensor.body != 0 || numbers.sensor.turned);
  numbers.relative_tolerance = options.relative_tolerance;
}

}  // namespace antaeus::detail
