#include "antaeus/robot/robot_model.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <ranges>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "robot/model_impl.hpp"

namespace antaeus {

namespace {

constexpr const char* kRootJointName = "root_joint";

pinocchio::SE3 to_se3(const Pose& X) { return {X.rotation, X.translation}; }

pinocchio::Inertia to_inertia(const Inertial& body) {
  // Entry by entry: turning a large inertia leaves rounding between its triangles, against which Pinocchio asserts.
  const Matrix3& I = body.inertia;
  return {body.mass, body.center_of_mass, pinocchio::Symmetric3(I(0, 0), I(1, 0), I(1, 1), I(2, 0), I(2, 1), I(2, 2))};
}

template <class X, class Y, class Z, class Unaligned>
pinocchio::JointModel about_axis(const Vector3& axis) {
  if (axis == Vector3::UnitX()) return X();
  if (axis == Vector3::UnitY()) return Y();
  if (axis == Vector3::UnitZ()) return Z();
  return Unaligned(axis);
}

pinocchio::JointModel to_joint(const JointDescription& joint, const std::string& place) {
  using namespace pinocchio;
  switch (joint.type) {
    case JointType::revolute:
      return about_axis<JointModelRX, JointModelRY, JointModelRZ, JointModelRevoluteUnaligned>(joint.axis);
    case JointType::continuous:
      return about_axis<JointModelRUBX, JointModelRUBY, JointModelRUBZ, JointModelRevoluteUnboundedUnaligned>(
          joint.axis);
    case JointType::prismatic:
      return about_axis<JointModelPX, JointModelPY, JointModelPZ, JointModelPrismaticUnaligned>(joint.axis);
    case JointType::floating: return JointModelFreeFlyer();
    case JointType::planar:
      if (joint.axis == Vector3::UnitZ()) return JointModelPlanar();
      throw ModelError(place, "planar joint '" + joint.name + "' is not about z", "rotate its origin instead");
    case JointType::fixed: break;
  }
  throw ModelError(place, "joint '" + joint.name + "' does not move", "report this: a fixed joint reached the model");
}

/// Builds Pinocchio's model from the tree, depth first, the joints of one link by name.
class Builder {
 public:
  Builder(const RobotDescription& description, const ModelOptions& options, pinocchio::Model& model)
      : description_(description), options_(options), model_(model) {
    for (const JointDescription& joint : description.joints) children_[joint.parent].push_back(&joint);
    for (auto& [link, joints] : children_) {
      std::sort(joints.begin(), joints.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    }
  }

  void build() {
    check_joint_names();
    model_.name = description_.name;
    model_.gravity.linear(options_.gravity);
    model_.gravity.angular().setZero();
    pinocchio::FrameIndex root_frame = 0;
    if (options_.base == Base::free_flyer) {
      const auto root =
          model_.addJoint(0, pinocchio::JointModelFreeFlyer(), pinocchio::SE3::Identity(), kRootJointName);
      root_frame = model_.addJointFrame(root, 0);
    }
    add_link(description_.root, root_frame);
    // With a stack of its own: a hostile file may be as deep as it is long.
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      add_link(next.joint->child, add_joint(*next.joint, next.body));
    }
  }

 private:
  std::string place(int line) const { return description_.source + ":" + std::to_string(line); }

  void check_joint_names() const {
    std::vector<std::string> names;
    for (const auto& joint : description_.joints) names.push_back(joint.name);
    const auto check = [&](const std::string& name, const std::string& what) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw_unknown<ModelError>(description_.source + " (" + what + ")", "joint", name, names);
      }
    };
    for (const auto& [name, value] : options_.armature) check(name, "armature");
    for (const auto& [name, value] : options_.locked_joints) check(name, "locked joints");
  }

  void add_link(const std::string& name, pinocchio::FrameIndex parent_frame) {
    const LinkDescription& link = *description_.find_link(name);
    const auto joint = model_.frames[parent_frame].parentJoint;
    const pinocchio::SE3 X_joint = model_.frames[parent_frame].placement;
    if (link.has_inertial) model_.appendBodyToJoint(joint, to_inertia(link.inertial), X_joint);
    const auto body = model_.addBodyFrame(name, joint, X_joint, static_cast<int>(parent_frame));
    const auto below = children_.find(name);
    if (below == children_.end()) return;
    // Last in, first out: the first joint by name is built next, and its whole branch before its siblings.
    for (const auto& child : std::views::reverse(below->second)) pending_.push_back({child, body});
  }

  /// \return the frame that the joint's child link is fixed to
  pinocchio::FrameIndex add_joint(const JointDescription& joint, pinocchio::FrameIndex body) {
    const pinocchio::Frame parent = model_.frames[body];
    pinocchio::SE3 X = parent.placement * to_se3(joint.X_PJ);
    const auto locked = options_.locked_joints.find(joint.name);
    if (joint.type == JointType::fixed || locked != options_.locked_joints.end()) {
      if (joint.type != JointType::fixed) X = X * locked_motion(joint, locked->second);
      return model_.addFrame(pinocchio::Frame(joint.name, parent.parentJoint, body, X, pinocchio::FIXED_JOINT));
    }
    const auto index = model_.addJoint(parent.parentJoint, to_joint(joint, place(joint.line)), X, joint.name);
    if (const auto rotor = options_.armature.find(joint.name); rotor != options_.armature.end()) {
      if (!(rotor->second >= 0) || !std::isfinite(rotor->second)) {
        throw ModelError(description_.source + " (armature)", "joint '" + joint.name + "' has a negative one",
                         "give the rotor's inertia times the gear ratio squared, in kg·m²");
      }
      model_.armature.segment(model_.idx_vs[index], model_.nvs[index]).setConstant(rotor->second);
    }
    return model_.addJointFrame(index, static_cast<int>(body));
  }

  pinocchio::SE3 locked_motion(const JointDescription& joint, double position) const {
    if (!std::isfinite(position)) {
      throw ModelError(description_.source + " (locked joints)", "joint '" + joint.name + "' is held nowhere",
                       "give a finite position");
    }
    pinocchio::SE3 X = pinocchio::SE3::Identity();
    if (joint.type == JointType::prismatic) {
      X.translation() = joint.axis * position;
    } else if (joint.type == JointType::revolute || joint.type == JointType::continuous) {
      X.rotation() = Eigen::AngleAxisd(position, joint.axis).toRotationMatrix();
    } else {
      throw ModelError(place(joint.line), "joint '" + joint.name + "' has more than one degree of freedom",
                       "only revolute and prismatic joints can be locked");
    }
    return X;
  }

  const RobotDescription& description_;
  const ModelOptions& options_;
  pinocchio::Model& model_;
  std::map<std::string, std::vector<const JointDescription*>> children_;
  struct Pending {
    const JointDescription* joint;
    pinocchio::FrameIndex body;  // of the link that carries it
  };
  std::vector<Pending> pending_;
};

const pinocchio::Frame& frame_of(const pinocchio::Model& model, FrameId frame) {
  if (frame.index < 0 || frame.index >= model.nframes) {
    throw ModelError(model.name, "a frame handle of another model", "ask this model for the frame by name");
  }
  return model.frames[frame.index];
}

}  // namespace

void check_payload(const Payload& payload, const std::string& place) {
  const auto& [mass, center, inertia] = payload.inertial;
  const std::string who = payload.name.empty() ? "the payload" : "payload '" + payload.name + "'";
  if (!std::isfinite(mass) || !center.allFinite() || !inertia.allFinite()) {
    throw ModelError(place, who + " is not of finite numbers", "give kg, m and kg·m²");
  }
  if (mass < 0) throw ModelError(place, who + " has a negative mass, " + shortest_text(mass) + " kg", "give 0 or more");
  if (inertia != inertia.transpose()) {
    throw ModelError(place, who + ": the inertia is not symmetric",
                     "give ixx, ixy, ixz, iyy, iyz, izz about the "
                     "centre of mass, in the frame's axes");
  }
  const Vector3 moments = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const double slack = 1e-3 * std::abs(moments[2]);  // published figures are rounded
  if (moments[0] < -slack) {
    throw ModelError(place, who + ": the inertia is not positive",
                     "check signs and order: ixx, ixy, ixz, iyy, iyz, izz");
  }
  if (moments[0] + moments[1] < moments[2] - slack) {
    throw ModelError(place, who + ": the inertia breaks the triangle inequality, so no body has it",
                     "give it about the centre of mass, in kg·m², or leave it out for a point mass");
  }
  if (mass == 0 && moments[2] > 0) throw ModelError(place, who + " has an inertia but no mass", "give its mass in kg");
}

RobotModel::RobotModel(const RobotDescription& description, const ModelOptions& options) {
  auto impl = std::make_shared<Impl>();
  impl->description = description;
  impl->options = options;
  impl->gravity = options.gravity;
  if (!options.gravity.allFinite()) throw ModelError(description.source, "gravity is not finite", "give three numbers");
  pinocchio::Model& model = impl->model;
  Builder(impl->description, impl->options, model).build();

  for (const bool links : {true, false}) {
    for (std::size_t i = 1; i < model.frames.size(); ++i) {
      if ((model.frames[i].type == pinocchio::BODY) == links) {
        impl->frames.emplace(model.frames[i].name, static_cast<int>(i));
      }
    }
  }
  for (const Payload& payload : options.payloads) {
    const auto frame = impl->frames.find(payload.frame);
    if (frame == impl->frames.end()) {
      std::vector<std::string> names;
      for (const auto& [name, index] : impl->frames) names.push_back(name);
      throw_unknown<ModelError>(description.source, "payload frame", payload.frame, names);
    }
    check_payload(payload, description.source + " (payload at '" + payload.frame + "')");
    const auto& carrier = model.frames[frame->second];
    model.appendBodyToJoint(carrier.parentJoint, to_inertia(payload.inertial), carrier.placement);
  }

  const auto scalar_joint = [&](std::size_t joint) { return model.nvs[joint] == 1; };
  impl->motor_names = options.motors;
  if (impl->motor_names.empty()) {
    for (std::size_t joint = 1; joint < model.joints.size(); ++joint) {
      if (scalar_joint(joint)) impl->motor_names.push_back(model.names[joint]);
    }
  }
  const auto motors = static_cast<Eigen::Index>(impl->motor_names.size());
  impl->lower.resize(motors);
  impl->upper.resize(motors);
  impl->effort.resize(motors);
  impl->velocity.resize(motors);
  std::set<std::string> seen;
  for (Eigen::Index m = 0; m < motors; ++m) {
    const std::string& name = impl->motor_names[m];
    const auto found = std::find(model.names.begin() + 1, model.names.end(), name);
    if (found == model.names.end()) {
      const UnknownName text =
          unknown_name("motor joint", name, std::vector<std::string>(model.names.begin() + 1, model.names.end()));
      throw ModelError(description.source + " (motors)", text.problem, text.remedy);
    }
    const auto joint = static_cast<std::size_t>(found - model.names.begin());
    if (!scalar_joint(joint)) {
      throw ModelError(description.source + " (motors)", "joint '" + name + "' has more than one degree of freedom",
                       "name revolute, continuous and prismatic joints only");
    }
    if (!seen.insert(name).second) {
      throw ModelError(description.source + " (motors)", "joint '" + name + "' is named twice", "remove one");
    }
    impl->motor_joints.push_back(joint);
    impl->motor_rows.push_back(model.idx_vs[joint]);
    impl->motor_positions.push_back(model.idx_qs[joint]);
    impl->motor_is_cosine_sine.push_back(model.nqs[joint] == 2);
    const auto described = std::find_if(description.joints.begin(), description.joints.end(),
                                        [&](const JointDescription& j) { return j.name == name; });
    impl->lower[m] = described->lower;
    impl->upper[m] = described->upper;
    impl->effort[m] = described->effort_limit;
    impl->velocity[m] = described->velocity_limit;
  }
  impl->damping.setZero(model.nv);
  impl->row_names.resize(static_cast<std::size_t>(model.nv));
  for (std::size_t joint = 1; joint < model.joints.size(); ++joint) {
    const int row = model.idx_vs[joint], rows = model.nvs[joint];
    const auto described = std::find_if(description.joints.begin(), description.joints.end(),
                                        [&](const JointDescription& j) { return j.name == model.names[joint]; });
    if (described != description.joints.end()) impl->damping.segment(row, rows).setConstant(described->damping);
    for (int i = 0; i < rows; ++i) {
      impl->row_names[static_cast<std::size_t>(row) + static_cast<std::size_t>(i)] =
          rows == 1 ? model.names[joint] : model.names[joint] + "_" + std::to_string(i);
    }
  }
  impl->neutral = pinocchio::neutral(model);
  for (std::size_t joint = 0; joint < model.joints.size(); ++joint) impl->total_mass += model.inertias[joint].mass();
  impl_ = std::move(impl);
}

const VectorX& RobotModel::damping() const noexcept { return impl_->damping; }
const std::vector<std::string>& RobotModel::row_names() const noexcept { return impl_->row_names; }
int RobotModel::nq() const noexcept { return impl_->model.nq; }
int RobotModel::nv() const noexcept { return impl_->model.nv; }
Base RobotModel::base() const noexcept { return impl_->options.base; }
int RobotModel::motor_count() const noexcept { return static_cast<int>(impl_->motor_names.size()); }
double RobotModel::total_mass() const noexcept { return impl_->total_mass; }
const Vector3& RobotModel::gravity() const noexcept { return impl_->gravity; }
const RobotDescription& RobotModel::description() const noexcept { return impl_->description; }
const ModelOptions& RobotModel::options() const noexcept { return impl_->options; }
int RobotModel::body_count() const noexcept { return impl_->model.njoints - 1; }

VectorX RobotModel::inertial_parameters() const {
  VectorX parameters(10 * body_count());
  for (int body = 0; body < body_count(); ++body) {
    parameters.segment<10>(10 * body) = impl_->model.inertias[static_cast<std::size_t>(body) + 1].toDynamicParameters();
  }
  return parameters;
}

std::string RobotModel::body_joint(int body) const {
  if (body < 0 || body >= body_count()) return {};
  return impl_->model.names[static_cast<std::size_t>(body) + 1];
}

const std::vector<std::string>& RobotModel::motor_names() const noexcept { return impl_->motor_names; }
const std::vector<int>& RobotModel::motor_rows() const noexcept { return impl_->motor_rows; }
const VectorX& RobotModel::lower_limits() const noexcept { return impl_->lower; }
const VectorX& RobotModel::upper_limits() const noexcept { return impl_->upper; }
const VectorX& RobotModel::effort_limits() const noexcept { return impl_->effort; }
const VectorX& RobotModel::velocity_limits() const noexcept { return impl_->velocity; }
const VectorX& RobotModel::neutral() const noexcept { return impl_->neutral; }

int RobotModel::motor(std::string_view joint) const {
  const auto& names = impl_->motor_names;
  const auto found = std::find(names.begin(), names.end(), joint);
  if (found == names.end()) {
    throw_unknown<ModelError>(impl_->description.name, "motor joint", joint, names);
  }
  return static_cast<int>(found - names.begin());
}

VectorX allowed_zeros(const RobotModel& model) {
  VectorX q = VectorX::Zero(model.motor_count());
  for (Eigen::Index m = 0; m < q.size(); ++m) {
    const double lower = model.lower_limits()[m], upper = model.upper_limits()[m];
    if (lower <= upper) q[m] = std::clamp(0.0, lower, upper);
  }
  return q;
}

int motor_named(const RobotModel& model, std::string_view joint, const std::string& place) {
  const std::vector<std::string>& names = model.motor_names();
  const auto found = std::find(names.begin(), names.end(), joint);
  if (found == names.end()) throw_unknown<OptionsError>(place, "motor joint", joint, names);
  return static_cast<int>(found - names.begin());
}

bool RobotModel::has_frame(std::string_view name) const noexcept { return impl_->frames.contains(name); }

FrameId RobotModel::frame(std::string_view name) const {
  const auto found = impl_->frames.find(name);
  if (found == impl_->frames.end()) {
    throw_unknown<ModelError>(impl_->description.name, "frame", name, frame_names());
  }
  return {found->second};
}

const std::string& RobotModel::frame_name(FrameId frame) const { return frame_of(impl_->model, frame).name; }

std::vector<std::string> RobotModel::frame_names() const {
  std::vector<std::string> names;
  for (const auto& [name, index] : impl_->frames) names.push_back(name);
  return names;
}

std::vector<int> RobotModel::supporting_motors(FrameId frame) const {
  const auto& model = impl_->model;
  const auto& support = model.supports[frame_of(model, frame).parentJoint];
  std::vector<int> motors;
  for (std::size_t m = 0; m < impl_->motor_joints.size(); ++m) {
    if (std::find(support.begin(), support.end(), impl_->motor_joints[m]) != support.end()) {
      motors.push_back(static_cast<int>(m));
    }
  }
  return motors;
}

Status RobotModel::position_from_motors(ConstVectorRef q_motor, const Eigen::Vector4d& quaternion_xyzw,
                                        VectorRef q) const noexcept {
  const Impl& impl = *impl_;
  q.setConstant(kNaN);
  if (q.size() != impl.model.nq || q_motor.size() != motor_count()) return Status::wrong_size;
  if (!q_motor.allFinite()) return Status::not_finite;
  if (impl.options.base == Base::free_flyer && !quaternion_xyzw.allFinite()) return Status::not_finite;
  q = impl.neutral;
  if (impl.options.base == Base::free_flyer) q.segment<4>(3) = quaternion_xyzw;
  for (std::size_t m = 0; m < impl.motor_positions.size(); ++m) {
    const double position = q_motor[m];
    const int at = impl.motor_positions[m];
    if (impl.motor_is_cosine_sine[m]) {
      q[at] = std::cos(position);
      q[at + 1] = std::sin(position);
    } else {
      q[at] = position;
    }
  }
  return Status::ok;
}

Status RobotModel::select_motor_rows(ConstVectorRef full, VectorRef motor) const noexcept {
  if (full.size() != nv() || motor.size() != motor_count()) {
    motor.setConstant(kNaN);
    return Status::wrong_size;
  }
  for (std::size_t m = 0; m < impl_->motor_rows.size(); ++m) motor[m] = full[impl_->motor_rows[m]];
  return Status::ok;
}

// NOLINTNEXTLINE(bugprone-exception-escape): Pinocchio throws on a wrong size only, which is refused before
Status RobotModel::integrate(ConstVectorRef q, ConstVectorRef v, VectorRef result) const noexcept {
  result.setConstant(kNaN);
  if (q.size() != nq() || v.size() != nv() || result.size() != nq()) return Status::wrong_size;
  if (!q.allFinite() || !v.allFinite()) return Status::not_finite;
  pinocchio::integrate(impl_->model, q, v, result);
  return Status::ok;
}

// NOLINTNEXTLINE(bugprone-exception-escape): as in `integrate`
Status RobotModel::difference(ConstVectorRef q0, ConstVectorRef q1, VectorRef result) const noexcept {
  result.setConstant(kNaN);
  if (q0.size() != nq() || q1.size() != nq() || result.size() != nv()) return Status::wrong_size;
  if (!q0.allFinite() || !q1.allFinite()) return Status::not_finite;
  pinocchio::difference(impl_->model, q0, q1, result);
  return Status::ok;
}

}  // namespace antaeus
