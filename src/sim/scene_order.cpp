#include <Eigen/Geometry>
#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "sim/mujoco_scene_impl.hpp"

namespace antaeus {

struct SceneOrder::Impl {
  struct Joint {
    bool is_free;
    int q, v;        // first index in the model's vectors
    int qpos, qvel;  // and in MuJoCo's
  };
  std::vector<Joint> joints;
  int nq = 0, nv = 0;
  VectorX position0;  // qpos where the model does not say
  int velocity_size = 0;

  bool fits(Eigen::Index q, Eigen::Index v, Eigen::Index qpos, Eigen::Index qvel) const noexcept {
    return q == nq && v == nv && qpos == position0.size() && qvel == velocity_size;
  }
};

namespace {

/// Rotation of a free joint, from the model's quaternion (x y z w).
Matrix3 rotation_of(ConstVectorRef q, int at) noexcept {
  return Eigen::Quaterniond(q[at + 6], q[at + 3], q[at + 4], q[at + 5]).normalized().toRotationMatrix();
}

/// Of the body that a free flyer's root is.
const detail::JointFacts& free_joint_of(const detail::SceneFacts& facts, const std::string& root) {
  const std::vector<std::string> bodies = detail::link_names(facts).bodies;
  const auto found = std::find(bodies.begin(), bodies.end(), root);
  if (found == bodies.end()) throw_unknown<ModelError>(facts.name + " (model)", "root body", root, bodies);
  const std::vector<int>& joints = facts.bodies[static_cast<std::size_t>(found - bodies.begin())].joints;
  if (joints.size() != 1 || facts.joints[joints[0]].kind != detail::JointKind::free) {
    throw ModelError(facts.name, "the model's root flies, and body '" + root + "' has no free joint",
                     "give it a <freejoint/>, or make the model by mujoco_robot");
  }
  return facts.joints[joints[0]];
}

}  // namespace

SceneOrder::SceneOrder(const MujocoScene& scene, const RobotModel& model) {
  auto impl = std::make_shared<Impl>();
  const detail::SceneFacts& facts = scene.impl().facts();
  const auto kind_of = [&](const std::string& name) -> const detail::JointFacts* {
    for (int joint = 0; joint < static_cast<int>(facts.joints.size()); ++joint) {
      if (detail::joint_name(facts, joint) == name) return &facts.joints[joint];
    }
    return nullptr;
  };
  const std::vector<std::string>& rows = model.row_names();
  int q = 0, first = 0;
  if (model.base() == Base::free_flyer) {
    const detail::JointFacts& joint = free_joint_of(facts, model.description().root);
    impl->joints.push_back({true, 0, 0, joint.position, joint.velocity});
    q = 7;
    first = 6;
  }
  for (const JointDescription& joint : model.description().joints) {
    if (joint.type != JointType::continuous || model.options().locked_joints.contains(joint.name)) continue;
    throw ModelError(facts.name,
                     "joint '" + joint.name + "' of the model is continuous: two numbers of q, and one here",
                     "give it limits, or make the model by mujoco_robot");
  }
  for (int row = first; row < model.nv();) {
    const std::string& name = rows[row];
    const detail::JointFacts* joint = kind_of(name);
    if (!joint && name.ends_with("_0")) joint = kind_of(name.substr(0, name.size() - 2));
    if (!joint) throw_unknown<ModelError>(facts.name + " (model)", "joint", name, scene.joint_names());
    const bool is_free = joint->kind == detail::JointKind::free;
    impl->joints.push_back({is_free, q, row, joint->position, joint->velocity});
    q += is_free ? 7 : 1;
    row += is_free ? 6 : 1;
  }
  if (q != model.nq()) {
    throw ModelError(facts.name,
                     "the model is of another robot: it has " + std::to_string(model.nq()) +
                         " positions, and the scene's joints " + std::to_string(q),
                     "make it by mujoco_robot");
  }
  impl->nq = model.nq();
  impl->nv = model.nv();
  impl->position0 = facts.position0;
  impl->velocity_size = facts.velocity_size;
  for (const auto& [name, position] : model.options().locked_joints) {
    const detail::JointFacts* const joint = kind_of(name);
    if (!joint) continue;  // the scene holds it too: flyer_scene
    impl->position0[joint->position] = position;
  }
  impl_ = std::move(impl);
}

Status SceneOrder::to_scene(ConstVectorRef q, ConstVectorRef v, VectorRef qpos, VectorRef qvel) const noexcept {
  qpos.setConstant(kNaN);
  qvel.setConstant(kNaN);
  if (!impl_->fits(q.size(), v.size(), qpos.size(), qvel.size())) return Status::wrong_size;
  if (!q.allFinite() || !v.allFinite()) return Status::not_finite;
  qpos = impl_->position0;
  qvel.setZero();
  for (const Impl::Joint& joint : impl_->joints) {
    if (!joint.is_free) {
      qpos[joint.qpos] = q[joint.q];
      qvel[joint.qvel] = v[joint.v];
      continue;
    }
    qpos.segment<3>(joint.qpos) = q.segment<3>(joint.q);
    qpos[joint.qpos + 3] = q[joint.q + 6];
    qpos.segment<3>(joint.qpos + 4) = q.segment<3>(joint.q + 3);
    qvel.segment<3>(joint.qvel).noalias() = rotation_of(q, joint.q) * v.segment<3>(joint.v);
    qvel.segment<3>(joint.qvel + 3) = v.segment<3>(joint.v + 3);
  }
  return Status::ok;
}

Status SceneOrder::to_robot(ConstVectorRef qpos, ConstVectorRef qvel, VectorRef q, VectorRef v) const noexcept {
  q.setConstant(kNaN);
  v.setConstant(kNaN);
  if (!impl_->fits(q.size(), v.size(), qpos.size(), qvel.size())) return Status::wrong_size;
  if (!qpos.allFinite() || !qvel.allFinite()) return Status::not_finite;
  for (const Impl::Joint& joint : impl_->joints) {
    if (!joint.is_free) {
      q[joint.q] = qpos[joint.qpos];
      v[joint.v] = qvel[joint.qvel];
      continue;
    }
    q.segment<3>(joint.q) = qpos.segment<3>(joint.qpos);
    q[joint.q + 6] = qpos[joint.qpos + 3];
    q.segment<3>(joint.q + 3) = qpos.segment<3>(joint.qpos + 4);
    v.segment<3>(joint.v).noalias() = rotation_of(q, joint.q).transpose() * qvel.segment<3>(joint.qvel);
    v.segment<3>(joint.v + 3) = qvel.segment<3>(joint.qvel + 3);
  }
  return Status::ok;
}

// The model's linear velocity is u = Rᵀ ẋ, so u̇ = Rᵀ ẍ − ω × u.
Status SceneOrder::acceleration_to_scene(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                                         VectorRef qacc) const noexcept {
  qacc.setConstant(kNaN);
  if (!impl_->fits(q.size(), v.size(), impl_->position0.size(), qacc.size()) || a.size() != v.size()) {
    return Status::wrong_size;
  }
  if (!q.allFinite() || !v.allFinite() || !a.allFinite()) return Status::not_finite;
  qacc.setZero();
  for (const Impl::Joint& joint : impl_->joints) {
    if (!joint.is_free) {
      qacc[joint.qvel] = a[joint.v];
      continue;
    }
    const Vector3 u = v.segment<3>(joint.v), omega = v.segment<3>(joint.v + 3), u_dot = a.segment<3>(joint.v);
    qacc.segment<3>(joint.qvel).noalias() = rotation_of(q, joint.q) * (u_dot + omega.cross(u));
    qacc.segment<3>(joint.qvel + 3) = a.segment<3>(joint.v + 3);
  }
  return Status::ok;
}

Status SceneOrder::acceleration_to_robot(ConstVectorRef q, ConstVectorRef v, ConstVectorRef qacc,
                                         VectorRef a) const noexcept {
  a.setConstant(kNaN);
  if (!impl_->fits(q.size(), v.size(), impl_->position0.size(), qacc.size()) || a.size() != v.size()) {
    return Status::wrong_size;
  }
  if (!q.allFinite() || !v.allFinite() || !qacc.allFinite()) return Status::not_finite;
  for (const Impl::Joint& joint : impl_->joints) {
    if (!joint.is_free) {
      a[joint.v] = qacc[joint.qvel];
      continue;
    }
    const Vector3 u = v.segment<3>(joint.v), omega = v.segment<3>(joint.v + 3);
    a.segment<3>(joint.v).noalias() =
        rotation_of(q, joint.q).transpose() * qacc.segment<3>(joint.qvel) - omega.cross(u);
    a.segment<3>(joint.v + 3) = qacc.segment<3>(joint.qvel + 3);
  }
  return Status::ok;
}

Status SceneOrder::force_to_scene(ConstVectorRef q, ConstVectorRef tau, VectorRef qfrc) const noexcept {
  qfrc.setConstant(kNaN);
  if (!impl_->fits(q.size(), tau.size(), impl_->position0.size(), qfrc.size())) return Status::wrong_size;
  if (!q.allFinite() || !tau.allFinite()) return Status::not_finite;
  qfrc.setZero();
  for (const Impl::Joint& joint : impl_->joints) {
    if (!joint.is_free) {
      qfrc[joint.qvel] = tau[joint.v];
      continue;
    }
    qfrc.segment<3>(joint.qvel).noalias() = rotation_of(q, joint.q) * tau.segment<3>(joint.v);
    qfrc.segment<3>(joint.qvel + 3) = tau.segment<3>(joint.v + 3);
  }
  return Status::ok;
}

Status SceneOrder::force_to_robot(ConstVectorRef q, ConstVectorRef qfrc, VectorRef tau) const noexcept {
  tau.setConstant(kNaN);
  if (!impl_->fits(q.size(), tau.size(), impl_->position0.size(), qfrc.size())) return Status::wrong_size;
  if (!q.allFinite() || !qfrc.allFinite()) return Status::not_finite;
  for (const Impl::Joint& joint : impl_->joints) {
    if (!joint.is_free) {
      tau[joint.v] = qfrc[joint.qvel];
      continue;
    }
    tau.segment<3>(joint.v).noalias() = rotation_of(q, joint.q).transpose() * qfrc.segment<3>(joint.qvel);
    tau.segment<3>(joint.v + 3) = qfrc.segment<3>(joint.qvel + 3);
  }
  return Status::ok;
}

}  // namespace antaeus
