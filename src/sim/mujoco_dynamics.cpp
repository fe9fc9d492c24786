#include "antaeus/sim/mujoco_dynamics.hpp"

#include <algorithm>

#include "antaeus/core/error.hpp"
#include "core/decompositions.hpp"
#include "sim/mujoco_scene_impl.hpp"

namespace antaeus {

struct MujocoDynamics::Workspace {
  Workspace(const MujocoScene& scene_in, const RobotModel& model_in)
      : scene(scene_in), model(model_in), order(scene_in, model_in), state(scene.impl().model->make_state(true)) {
    const detail::SceneFacts& facts = scene.impl().facts();
    qpos.setZero(facts.position_size);
    qvel.setZero(facts.velocity_size);
    qacc.setZero(facts.velocity_size);
    full.setZero(facts.velocity_size);
    M_scene.setZero(facts.velocity_size, facts.velocity_size);
    J_linear.setZero(3, facts.velocity_size);
    J_angular.setZero(3, facts.velocity_size);
    still.setZero(model.nv());
    unit.setZero(model.nv());
    column.setZero(model.nv());
    M.setZero(model.nv(), model.nv());
    h.setZero(model.nv());
    factor = Eigen::LLT<MatrixX>(model.nv());
    is_whole = model.nv() == facts.velocity_size;
  }

  /// Puts MuJoCo's state to (q, v).
  Status set(ConstVectorRef q, ConstVectorRef v) noexcept {
    const Status status = order.to_scene(q, v, qpos, qvel);
    if (status != Status::ok) return status;
    Eigen::Map<VectorX>(state->position(), qpos.size()) = qpos;
    Eigen::Map<VectorX>(state->velocity(), qvel.size()) = qvel;
    return Status::ok;
  }

  Status inverse(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, VectorRef tau) noexcept {
    tau.setConstant(kNaN);
    if (tau.size() != model.nv()) return Status::wrong_size;
    Status status = set(q, v);
    if (status == Status::ok) status = order.acceleration_to_scene(q, v, a, qacc);
    if (status != Status::ok) return status;
    Eigen::Map<VectorX>(state->acceleration(), qacc.size()) = qacc;
    state->inverse(full.data());
    return order.force_to_robot(q, full, tau);
  }

  Status mass_matrix(ConstVectorRef q, MatrixRef to) noexcept {
    to.setConstant(kNaN);
    if (to.rows() != model.nv() || to.cols() != model.nv()) return Status::wrong_size;
    const Status status = set(q, still);
    if (status != Status::ok) return status;
    state->mass_matrix(M_scene.data());  // symmetric: rows or columns first is one
    for (Eigen::Index j = 0; j < to.cols(); ++j) {
      // At rest accelerations change order as velocities do.
      unit.setZero();
      unit[j] = 1.0;
      order.acceleration_to_scene(q, still, unit, qacc);
      full.noalias() = M_scene * qacc;
      order.force_to_robot(q, full, column);
      to.col(j) = column;
    }
    return Status::ok;
  }

  /// Body or site of MuJoCo that the frame is; joints are neither.
  bool find(FrameId frame, bool& is_site, int& index) const noexcept {
    if (frame.index < 0 || frame.index >= static_cast<int>(frames.size())) return false;
    is_site = frames[frame.index].is_site;
    index = frames[frame.index].index;
    return index >= 0;
  }

  struct Place {
    bool is_site = false;
    int index = -1;
  };

  MujocoScene scene;
  RobotModel model;
  SceneOrder order;
  std::unique_ptr<detail::State> state;
  VectorX qpos, qvel, qacc, full, still, unit, column, h;
  MatrixX M_scene, M;
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> J_linear, J_angular;
  Eigen::LLT<MatrixX> factor;
  bool is_whole = false;
  std::vector<Place> frames;  // of the model's frames, by handle
};

MujocoDynamics::MujocoDynamics(const MujocoScene& scene, const RobotModel& model)
    : workspace_(std::make_unique<Workspace>(scene, model)) {
  const detail::LinkNames names = detail::link_names(scene.impl().facts());
  const auto index_in = [](const std::vector<std::string>& all, const std::string& name) {
    const auto found = std::find(all.begin(), all.end(), name);
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
  };
  for (const std::string& name : model.frame_names()) {
    Workspace::Place place;
    place.index = index_in(names.bodies, name);
    if (place.index < 0) {
      place.index = index_in(names.sites, name);
      place.is_site = true;
    }
    const int handle = model.frame(name).index;
    if (handle >= static_cast<int>(workspace_->frames.size())) {
      workspace_->frames.resize(static_cast<std::size_t>(handle) + 1);
    }
    workspace_->frames[handle] = place;
  }
}

MujocoDynamics::~MujocoDynamics() = default;
MujocoDynamics::MujocoDynamics(MujocoDynamics&&) noexcept = default;
MujocoDynamics& MujocoDynamics::operator=(MujocoDynamics&&) noexcept = default;

Status MujocoDynamics::gravity_torque(ConstVectorRef q, VectorRef g) noexcept {
  return workspace_->inverse(q, workspace_->still, workspace_->still, g);
}

Status MujocoDynamics::nonlinear_effects(ConstVectorRef q, ConstVectorRef v, VectorRef h) noexcept {
  return workspace_->inverse(q, v, workspace_->still, h);
}

Status MujocoDynamics::mass_matrix(ConstVectorRef q, MatrixRef M) noexcept { return workspace_->mass_matrix(q, M); }

Status MujocoDynamics::inverse_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, VectorRef tau) noexcept {
  return workspace_->inverse(q, v, a, tau);
}

Status MujocoDynamics::forward_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau, VectorRef a) noexcept {
  Workspace& w = *workspace_;
  a.setConstant(kNaN);
  if (a.size() != w.model.nv()) return Status::wrong_size;
  if (!w.is_whole) {
    Status status = w.mass_matrix(q, w.M);
    if (status == Status::ok) status = w.inverse(q, v, w.still, w.h);
    if (status != Status::ok) return status;
    if (tau.size() != a.size()) return Status::wrong_size;
    if (!tau.allFinite()) return Status::not_finite;
    w.factor.compute(w.M);
    w.h = tau - w.h;
    w.factor.solveInPlace(w.h);
    a = w.h;
    return Status::ok;
  }
  Status status = w.set(q, v);
  if (status == Status::ok) status = w.order.force_to_scene(q, tau, w.full);
  if (status != Status::ok) return status;
  Eigen::Map<VectorX>(w.state->applied(), w.full.size()) = w.full;
  w.state->forward();
  w.qacc = Eigen::Map<const VectorX>(w.state->acceleration(), w.qacc.size());
  Eigen::Map<VectorX>(w.state->applied(), w.full.size()).setZero();
  return w.order.acceleration_to_robot(q, v, w.qacc, a);
}

Status MujocoDynamics::frame_pose(ConstVectorRef q, FrameId frame, Pose& X_WF) noexcept {
  Workspace& w = *workspace_;
  X_WF = {Matrix3::Constant(kNaN), Vector3::Constant(kNaN)};
  bool is_site = false;
  int index = -1;
  if (!w.find(frame, is_site, index)) return Status::unknown_frame;
  const Status status = w.set(q, w.still);
  if (status == Status::ok) w.state->pose(is_site, index, X_WF);
  return status;
}

Status MujocoDynamics::frame_jacobian(ConstVectorRef q, FrameId frame, Matrix6XRef J_WF_W) noexcept {
  Workspace& w = *workspace_;
  J_WF_W.setConstant(kNaN);
  bool is_site = false;
  int index = -1;
  if (!w.find(frame, is_site, index)) return Status::unknown_frame;
  if (J_WF_W.cols() != w.model.nv()) return Status::wrong_size;
  const Status status = w.set(q, w.still);
  if (status != Status::ok) return status;
  w.state->jacobian(is_site, index, w.J_linear.data(), w.J_angular.data());
  // Column j of the model moves MuJoCo's joints by its unit velocity.
  for (Eigen::Index j = 0; j < J_WF_W.cols(); ++j) {
    w.unit.setZero();
    w.unit[j] = 1.0;
    w.order.acceleration_to_scene(q, w.still, w.unit, w.qacc);
    J_WF_W.col(j).head<3>().noalias() = w.J_linear * w.qacc;
    J_WF_W.col(j).tail<3>().noalias() = w.J_angular * w.qacc;
  }
  return Status::ok;
}

}  // namespace antaeus
