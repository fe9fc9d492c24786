#include "antaeus/sim/mujoco_flight.hpp"

#include <Eigen/Core>
#include <cmath>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "sim/mujoco_scene_impl.hpp"

namespace antaeus {

namespace {

constexpr double kMostSteps = 1000.0;    // of one call
constexpr double kQuaternionOff = 1e-3;  // of unit length, as everywhere

/// MuJoCo's own bound of what a simulation may reach.
bool is_in_reach(ConstVectorRef numbers) noexcept {
  return numbers.size() == 0 || numbers.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() < 1e10;
}

}  // namespace

struct MujocoFlight::Workspace {
  Workspace(MujocoScene scene_in, RobotModel model_in)
      : scene(std::move(scene_in)),
        model(std::move(model_in)),
        order(scene, model),
        state(scene.impl().model->make_state(false)),
        time_step(scene.impl().facts().time_step),
        q(model.neutral()),
        v(VectorX::Zero(model.nv())),
        turning(v),
        q_now(q),
        q_middle(q),
        v_now(v) {
    const detail::SceneFacts& facts = scene.impl().facts();
    for (const detail::ActuatorFacts& actuator : facts.actuators) {
      if (actuator.is_torque || actuator.is_tool) continue;
      throw ModelError(facts.name, "actuator '" + actuator.name + "' is not torque controlled",
                       "set the scene's has_torque_motors, or write it as a motor with gear 1");
    }
    for (const auto& [name, position] : model.options().locked_joints) {
      if (detail::find_name(facts.joints, name) < 0) continue;
      throw ModelError(facts.name, "joint '" + name + "' is held in the model and moves in the scene",
                       "make the scene by flyer_scene, or the model without it");
    }
    qpos = facts.position0;
    qvel.setZero(facts.velocity_size);
    force = qvel;
    reset(q, v);
  }

  Eigen::Map<VectorX> position() noexcept { return {state->position(), qpos.size()}; }
  Eigen::Map<VectorX> velocity() noexcept { return {state->velocity(), qvel.size()}; }
  Eigen::Map<VectorX> applied() noexcept { return {state->applied(), qvel.size()}; }

  Status reset(ConstVectorRef to_q, ConstVectorRef to_v) noexcept {
    const Status status = order.to_scene(to_q, to_v, qpos, qvel);
    if (status != Status::ok) return status;
    if (!is_in_reach(qpos) || !is_in_reach(qvel)) return Status::not_finite;
    const bool flies = model.base() == Base::free_flyer;
    if (flies && !(std::abs(to_q.segment<4>(3).norm() - 1.0) <= kQuaternionOff)) return Status::bad_orientation;
    state->reset();
    position() = qpos;
    velocity() = qvel;
    q = to_q;
    v = to_v;
    if (flies) q.segment<4>(3).normalize();
    time = 0.0;
    return Status::ok;
  }

  /// One of MuJoCo's steps from (q_now, v_now), which then are its end.
  bool advance(ConstVectorRef tau) noexcept {
    // Only the base is turned: what the force's direction depends on.
    turning.setZero();
    if (model.base() == Base::free_flyer) turning.segment<3>(3) = 0.5 * time_step * v_now.segment<3>(3);
    if (model.integrate(q_now, turning, q_middle) != Status::ok) return false;
    if (order.force_to_scene(q_middle, tau, force) != Status::ok) return false;
    applied() = force;
    state->step();
    if (!is_in_reach(position()) || !is_in_reach(velocity())) return false;
    return order.to_robot(position(), velocity(), q_now, v_now) == Status::ok;
  }

  Status step(ConstVectorRef tau, double dt) noexcept {
    if (tau.size() != v.size()) return Status::wrong_size;
    if (!is_in_reach(tau) || !std::isfinite(dt)) return Status::not_finite;
    const double steps = std::round(dt / time_step);
    if (!(steps >= 1.0) || steps > kMostSteps || std::abs(dt / time_step - steps) > 1e-6) return Status::wrong_size;
    qpos = position();
    qvel = velocity();
    q_now = q;
    v_now = v;
    for (int i = 0; i < static_cast<int>(steps); ++i) {
      if (advance(tau)) continue;
      state->reset();
      position() = qpos;
      velocity() = qvel;
      return Status::not_finite;
    }
    q = q_now;
    v = v_now;
    time += steps * time_step;
    return Status::ok;
  }

  MujocoScene scene;
  RobotModel model;
  SceneOrder order;
  std::unique_ptr<detail::State> state;
  double time_step, time = 0.0;
  VectorX q, v;
  VectorX turning, q_now, q_middle, v_now;
  VectorX qpos, qvel, force;  // in MuJoCo's order: the state before a step, and what acts over it
};

MujocoFlight::MujocoFlight(const MujocoScene& scene, const RobotModel& model)
    : workspace_(std::make_unique<Workspace>(scene, model)) {}
MujocoFlight::MujocoFlight(const RobotModel& model, double time_step, Integrator integrator)
    : MujocoFlight(MujocoScene(flyer_scene(model, time_step, integrator)), model) {}
MujocoFlight::~MujocoFlight() = default;
MujocoFlight::MujocoFlight(MujocoFlight&&) noexcept = default;
MujocoFlight& MujocoFlight::operator=(MujocoFlight&&) noexcept = default;

const RobotModel& MujocoFlight::model() const noexcept { return workspace_->model; }
double MujocoFlight::time_step() const noexcept { return workspace_->time_step; }
Status MujocoFlight::reset(ConstVectorRef q, ConstVectorRef v) noexcept { return workspace_->reset(q, v); }
Status MujocoFlight::step(ConstVectorRef tau, double dt) noexcept { return workspace_->step(tau, dt); }
double MujocoFlight::time() const noexcept { return workspace_->time; }
const VectorX& MujocoFlight::q() const noexcept { return workspace_->q; }
const VectorX& MujocoFlight::v() const noexcept { return workspace_->v; }

}  // namespace antaeus
