#include "antaeus/sim/mujoco_plant.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/signal/ring_buffer.hpp"
#include "core/random.hpp"
#include "sim/mujoco_scene_impl.hpp"

namespace antaeus {

namespace {

Wrench no_wrench() noexcept { return {Vector3::Constant(kNaN), Vector3::Constant(kNaN)}; }

Wrench sum(const Wrench& a, const Wrench& b) noexcept { return {a.force + b.force, a.torque + b.torque}; }

/// The wrench about `to`, which was about `from`.
Wrench about(const Wrench& wrench, const Vector3& from, const Vector3& to) noexcept {
  return {wrench.force, wrench.torque + (from - to).cross(wrench.force)};
}

/// MuJoCo's own bound of what a simulation may reach; a larger torque it would replace by zero.
bool is_sound(ConstVectorRef numbers) noexcept {
  return numbers.size() == 0 || numbers.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() < 1e10;
}

struct Motor {
  int control, position, velocity;  // in MuJoCo's vectors
};

std::vector<int> tree_of(const detail::SceneFacts& facts, int root) {
  std::vector<int> bodies;
  for (int body = 0; body < static_cast<int>(facts.bodies.size()); ++body) {
    int above = body;
    while (above > root) above = facts.bodies[above].parent;
    if (above == root) bodies.push_back(body);
  }
  return bodies;
}

int steps_of(double delay, double time_step) {
  const double steps = std::round(delay / time_step);
  if (steps > 1e6) throw OptionsError("plant.delay", "it is more than a million time steps", "give seconds");
  return static_cast<int>(steps);
}

}  // namespace

const OptionTable& options_of(const PlantOptions&) {
  constexpr const char* kIdeal = "an ideal plant";
  static const OptionTable table(
      "plant",
      {
          option("coulomb", "N·m | N", "Coulomb friction of each motor's joint", kIdeal, &PlantOptions::coulomb),
          option("stick_range", "rad | m", "how far a joint gives before it slides",
                 "docs/concepts/control.md#where-the-defaults-come-from", &PlantOptions::stick_range, kPositive),
          option("position_noise", "rad | m", "sd of each motor's sensed position", kIdeal,
                 &PlantOptions::position_noise),
          option("velocity_noise", "rad/s | m/s", "sd of each motor's sensed velocity", kIdeal,
                 &PlantOptions::velocity_noise),
          option("motor_noise", "N·m | N", "sd of each motor's sensed torque", kIdeal, &PlantOptions::motor_noise),
          option("force_noise", "N", "sd of each component of the sensed force", kIdeal, &PlantOptions::force_noise),
          option("torque_noise", "N·m", "sd of each component of the sensed moment", kIdeal,
                 &PlantOptions::torque_noise),
          option("delay", "s", "of the sensed wrench, in whole time steps", kIdeal, &PlantOptions::delay),
          option("payload_error", "1", "share by which the payload taken off the sensor is too heavy", kIdeal,
                 &PlantOptions::payload_error, kAnyNumber),
          option("tool_control", "file's unit", "of every actuator of the tool", "open gripper",
                 &PlantOptions::tool_control, kAnyNumber),
          option("seed", "1", "of all noise", "any", &PlantOptions::seed),
      });
  return table;
}

struct MujocoPlant::Workspace {
  Workspace(MujocoScene scene_in, const PlantPlaces& places, const PlantOptions& options_in, const VectorX& coulomb_in)
      : scene(std::move(scene_in)),
        options((check_options(options_in), options_in)),
        time_step(scene.impl().facts().time_step),
        state(scene.impl().model->make_state(false)),
        free_state(scene.impl().model->make_state(true)),
        delayed(steps_of(options.delay, time_step) + 1) {
    const detail::SceneFacts& facts = scene.impl().facts();
    add_motors(facts);
    const auto motor_total = static_cast<Eigen::Index>(motors.size());
    coulomb = coulomb_in.size() == 0 ? VectorX(VectorX::Constant(motor_total, options.coulomb)) : coulomb_in;
    if (coulomb.size() != motor_total || !(coulomb.array() >= 0).all() || !coulomb.allFinite()) {
      throw OptionsError("plant.coulomb", "it is not a number of zero or more for each motor",
                         "give " + std::to_string(motor_total));
    }
    site = detail::index_of(facts.sites, places.site, facts.name + " (plant)", "site");
    sensor_site = facts.force_sensor;
    if (sensor_site >= 0) payload = tree_of(facts, facts.sites[sensor_site].body);
    std::vector<int> bodies = payload;
    if (!places.contact_body.empty()) {
      bodies = tree_of(facts, detail::index_of(facts.bodies, places.contact_body, facts.name + " (plant)", "body"));
    } else if (sensor_site < 0) {
      throw ModelError(facts.name + " (plant)",
                       "the scene has no force sensor, and no body is named whose contacts count",
                       "set contact_body, or the scene's force_sensor_site");
    }
    for (const detail::GeomFacts& geom : facts.geoms) {
      is_end_effector.push_back(std::find(bodies.begin(), bodies.end(), geom.body) != bodies.end());
    }

    for (VectorX* const vector :
         {&reading.q, &reading.v, &reading.tau, &truth.tau, &truth.friction, &stretch, &inertia}) {
      vector->setConstant(motor_total, kNaN);
    }
    truth.qpos.setConstant(facts.position_size, kNaN);
    truth.qvel.setConstant(facts.velocity_size, kNaN);
    reference = start = facts.position0;
    M.setZero(facts.velocity_size, facts.velocity_size);
    J_linear.setZero(3, facts.velocity_size);
    J_angular.setZero(3, facts.velocity_size);
    restart(reference);
  }

  void add_motors(const detail::SceneFacts& facts) {
    for (const detail::ActuatorFacts& actuator : facts.actuators) {
      if (actuator.is_tool) {
        tool_controls.push_back(actuator.control);
        continue;
      }
      if (!actuator.is_torque) {
        if (actuator.joint < 0) {
          throw ModelError(
              facts.name,
              "actuator '" + actuator.name + "' is the torque of no joint: " +
                  (actuator.tendon.empty() ? "it acts at a site or on a body" : "it pulls the " + actuator.tendon),
              "remove it, or write a motor for each joint");
        }
        throw ModelError(facts.name, "actuator '" + actuator.name + "' is not torque controlled",
                         "set the scene's has_torque_motors, or write it as a motor with gear 1");
      }
      const detail::JointFacts& joint = facts.joints[actuator.joint];
      motors.push_back({actuator.control, joint.position, joint.velocity});
      joints.push_back(detail::joint_name(facts, actuator.joint));
    }
    if (motors.empty()) throw ModelError(facts.name, "the robot has no motors", "give its file actuators");
  }

  Eigen::Map<VectorX> qpos() noexcept { return {state->position(), truth.qpos.size()}; }
  Eigen::Map<VectorX> qvel() noexcept { return {state->velocity(), truth.qvel.size()}; }
  Eigen::Map<VectorX> applied() noexcept { return {state->applied(), truth.qvel.size()}; }

  void forget() noexcept {
    reading.time = truth.time = kNaN;
    for (VectorX* const vector :
         {&reading.q, &reading.v, &reading.tau, &truth.qpos, &truth.qvel, &truth.tau, &truth.friction}) {
      vector->setConstant(kNaN);
    }
    reading.wrench = truth.contact = truth.sensor = no_wrench();
    truth.X_WS = {Matrix3::Constant(kNaN), Vector3::Constant(kNaN)};
    truth.contacts = 0;
  }

  void restart(ConstVectorRef at) noexcept {
    start = at;  // first: it may be a vector of ours
    state->reset();
    qpos() = start;
    forget();
    is_broken = false;
    stretch.setZero();
    pushed = Wrench{};
    delayed.clear();
    noise = detail::Random<>(static_cast<std::uint64_t>(options.seed));
    for (const int control : tool_controls) state->control()[control] = options.tool_control;
    // Friction's damping follows the inertia behind each motor, which changes little over a task.
    Eigen::Map<VectorX>(free_state->position(), start.size()) = start;
    free_state->mass_matrix(M.data());
    for (std::size_t motor = 0; motor < motors.size(); ++motor) {
      inertia[static_cast<Eigen::Index>(motor)] = M(motors[motor].velocity, motors[motor].velocity);
    }
    truth.time = reading.time = 0.0;
    tell_motion();
  }

  void tell_motion() noexcept {
    truth.qpos = qpos();
    truth.qvel = qvel();
    for (Eigen::Index motor = 0; motor < reading.q.size(); ++motor) {
      const Motor& where = motors[motor];
      reading.q[motor] = truth.qpos[where.position] + options.position_noise * noise.normal();
      reading.v[motor] = truth.qvel[where.velocity] + options.velocity_noise * noise.normal();
    }
  }

  /// Elastic until it slides, and elastic again when it turns back: it holds its torque at rest, as MuJoCo's does not.
  double friction_of(Eigen::Index motor, double velocity) noexcept {
    const double most = coulomb[motor];
    if (most == 0.0) return 0.0;
    const double stiffness = most / options.stick_range, damping = 1.4 * std::sqrt(stiffness * inertia[motor]);
    stretch[motor] = std::clamp(stretch[motor] + velocity * time_step, -options.stick_range, options.stick_range);
    return -std::clamp(stiffness * stretch[motor] + damping * velocity, -most, most);
  }

  void sum_contacts() noexcept {
    truth.contact = Wrench{};
    truth.contacts = 0;
    for (int i = 0; i < state->contact_count(); ++i) {
      const detail::ContactFacts contact = state->contact(i);
      if (contact.geom < 0 || contact.other < 0) continue;  // of a soft body
      const bool is_ours = is_end_effector[contact.geom], is_other_ours = is_end_effector[contact.other];
      if (is_ours == is_other_ours) continue;
      const Wrench on_robot = is_other_ours ? contact.on_other : -contact.on_other;
      truth.contact = sum(truth.contact, about(on_robot, contact.place, truth.X_WS.translation));
      ++truth.contacts;
    }
  }

  /// MuJoCo's sensor tells what the arm does to the payload. That and the environment move and hold it.
  Wrench compensated(double share) const noexcept {
    if (sensor_site < 0) return no_wrench();
    const Pose X_WM = state->frame(true, sensor_site);
    const Wrench sensed = state->force_sensor();
    const Vector3& place = truth.X_WS.translation;
    Wrench wrench = -about({X_WM.rotation * sensed.force, X_WM.rotation * sensed.torque}, X_WM.translation, place);
    for (const int body : payload) {
      Vector3 center;
      const Wrench demand = state->demand(body, center);
      wrench = sum(wrench, about({share * demand.force, share * demand.torque}, center, place));
    }
    return wrench;
  }

  void tell_wrench() noexcept {
    truth.sensor = compensated(1.0);
    Wrench& newest = delayed.push();
    newest = compensated(1.0 + options.payload_error);
    for (int axis = 0; axis < 3; ++axis) {
      newest.force[axis] += options.force_noise * noise.normal();
      newest.torque[axis] += options.torque_noise * noise.normal();
    }
    reading.wrench = delayed.full() ? *delayed.oldest() : no_wrench();
  }

  Status step(ConstVectorRef tau) noexcept {
    if (tau.size() != reading.tau.size()) return forget(), Status::wrong_size;
    if (is_broken || !is_sound(tau)) return forget(), Status::not_finite;
    applied().setZero();
    if (!pushed.to_vector().isZero(0.0)) {
      state->jacobian(true, site, J_linear.data(), J_angular.data());
      applied().noalias() += J_linear.transpose() * pushed.force;
      applied().noalias() += J_angular.transpose() * pushed.torque;
    }
    for (Eigen::Index motor = 0; motor < tau.size(); ++motor) {
      const Motor& where = motors[motor];
      state->control()[where.control] = tau[motor];
      truth.friction[motor] = friction_of(motor, qvel()[where.velocity]);
      applied()[where.velocity] += truth.friction[motor];
    }
    state->step();
    if (!is_sound(qpos()) || !is_sound(qvel())) {
      is_broken = true;
      return forget(), Status::not_finite;
    }
    truth.time = reading.time = state->time();
    truth.X_WS = state->frame(true, site);
    for (Eigen::Index motor = 0; motor < tau.size(); ++motor) {
      truth.tau[motor] = state->actuator_torque()[motors[motor].velocity];
      reading.tau[motor] = truth.tau[motor] + options.motor_noise * noise.normal();
    }
    sum_contacts();
    tell_motion();
    tell_wrench();
    return Status::ok;
  }

  MujocoScene scene;
  PlantOptions options;
  double time_step;
  std::unique_ptr<detail::State> state, free_state;
  std::vector<Motor> motors;
  std::vector<std::string> joints;
  std::vector<int> tool_controls;
  std::vector<int> payload;           // bodies beyond the force sensor
  std::vector<bool> is_end_effector;  // of each geom
  int site = -1, sensor_site = -1;
  VectorX coulomb, stretch, inertia, reference, start;
  MatrixX M;
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> J_linear, J_angular;
  Wrench pushed;
  RingBuffer<Wrench> delayed;
  detail::Random<> noise;
  bool is_broken = false;
  PlantReading reading;
  PlantTruth truth;
};

MujocoPlant::MujocoPlant(const MujocoScene& scene, const PlantPlaces& places, const PlantOptions& options,
                         const VectorX& coulomb)
    : workspace_(std::make_unique<Workspace>(scene, places, options, coulomb)) {}
MujocoPlant::~MujocoPlant() = default;
MujocoPlant::MujocoPlant(MujocoPlant&&) noexcept = default;
MujocoPlant& MujocoPlant::operator=(MujocoPlant&&) noexcept = default;

int MujocoPlant::motor_count() const noexcept { return static_cast<int>(workspace_->motors.size()); }
double MujocoPlant::time_step() const noexcept { return workspace_->time_step; }
const std::vector<std::string>& MujocoPlant::motor_joints() const noexcept { return workspace_->joints; }
const PlantReading& MujocoPlant::reading() const noexcept { return workspace_->reading; }
const PlantTruth& MujocoPlant::truth() const noexcept { return workspace_->truth; }

Status MujocoPlant::reset(ConstVectorRef q) noexcept {
  Workspace& w = *workspace_;
  if (q.size() != w.reading.q.size()) return w.forget(), Status::wrong_size;
  if (!q.allFinite()) return w.forget(), Status::not_finite;
  w.start = w.reference;
  for (Eigen::Index motor = 0; motor < q.size(); ++motor) w.start[w.motors[motor].position] = q[motor];
  w.restart(w.start);
  return Status::ok;
}

Status MujocoPlant::reset_scene(ConstVectorRef qpos) noexcept {
  Workspace& w = *workspace_;
  if (qpos.size() != w.reference.size()) return w.forget(), Status::wrong_size;
  if (!qpos.allFinite()) return w.forget(), Status::not_finite;
  w.restart(qpos);
  return Status::ok;
}

Status MujocoPlant::push(const Wrench& wrench) noexcept {
  if (!wrench.is_finite()) return Status::not_finite;
  workspace_->pushed = wrench;
  return Status::ok;
}

void MujocoPlant::set_contact_time_constant(double time_constant) {
  if (!(time_constant > 0.0) || !std::isfinite(time_constant)) {
    throw OptionsError("contact time constant", "it is not above zero", "give seconds");
  }
  if (workspace_->state->set_pair_time_constant(time_constant) == 0) {
    throw OptionsError("contact time constant", "the scene has no contact pairs", "give it some");
  }
}

Status MujocoPlant::step(ConstVectorRef tau) noexcept { return workspace_->step(tau); }

}  // namespace antaeus
