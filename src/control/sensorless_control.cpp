#include "antaeus/control/sensorless_control.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "control/recipe.hpp"

namespace antaeus {

namespace {

constexpr double kTareFrequency = 60.0;     // of the joints' control while taring [rad/s]
constexpr double kApproachDirection = 0.5;  // |s| from which a sample of a slow approach counts

FrictionTareOptions tare_options(const SensorlessOptions& options) {
  FrictionTareOptions of_tare = options.tare;
  if (!options.tares) of_tare.tare_direction = kApproachDirection;
  return of_tare;
}

}  // namespace

const OptionTable& options_of(const SensorlessOptions&) {
  using O = SensorlessOptions;
  static const OptionTable table(
      "",
      {
          option("tare", "", "whether friction and bias are learnt in the air", kRecipe, &O::tares),
          option("dither", "", "what keeps the joints moving while the tool holds still", kRecipe, &O::dither),
          option("joint_sensors", "", "whether torques are measured behind the gears", kRecipe, &O::has_joint_sensors),
          option("stated_sd", "1", "sd of the assumed Coulomb friction, as a share of it", "an even ±30 %",
                 &O::stated_sd, kPositive),
          option("bias_sd", "N·m", "sd of what payload and torque constants make of gravity before a tare",
                 "2 % of the UR5e's", &O::bias_sd, kPositive),
          option("gate_sd", "N", "sd of the force at which its gains are halved", kRecipe, &O::gate_sd, kPositive),
          option("free_time", "s", "over which the force in the air is averaged", "slower than contact", &O::free_time,
                 kPositive),
          option("rock_after", "s", "since contact, when rocking begins", kRecipe, &O::rock_after),
          part(&O::estimator),
          part(&O::tare),
          part(&O::forward),
          part(&O::rock),
          part(&O::hybrid),
          part(&O::task),
      });
  return table;
}

struct SensorlessControl::Workspace {
  Workspace(const VectorX& told_in, double dt_in, const SensorlessOptions& options_in)
      : n(static_cast<int>(told_in.size())),
        dt(dt_in),
        options(options_in),
        told(told_in),
        prior(JointFriction::told(options_in.has_joint_sensors ? VectorX(VectorX::Zero(n)) : told_in,
                                  options_in.stated_sd, options_in.bias_sd)),
        doubted(prior),
        estimator(n, dt_in, options_in.estimator),
        tare(prior, dt_in, tare_options(options_in)),
        forward(n, dt_in, options_in.forward),
        hybrid(n, options_in.hybrid),
        task(options_in.task) {
    for (VectorX* const vector : {&start, &wanted_v, &wanted_a, &command.tau}) vector->setConstant(n, kNaN);
  }

  const SensorlessCommand& fail(Status why) noexcept {
    command.status = why;
    command.tau.setConstant(kNaN);
    return command;
  }

  Status begin(const ToolState& state) noexcept {
    if (state.status != Status::ok) return state.status;
    if (state.q.size() != n) return Status::wrong_size;
    start = state.q;
    time = pressed = 0.0;
    free = kNaN;
    estimator.reset();
    estimator.set_friction(prior);
    tare.reset();
    forward.reset();
    hybrid.restart();
    command.is_taring = true;
    command.sd_at_rest = kNaN;
    command.trust = 0.0;
    has_begun = true;
    return Status::ok;
  }

  const VectorX& coulomb() const noexcept { return options.has_joint_sensors ? told : estimator.friction().coulomb; }

  // What the motors must give beside the model: τ = M a + h − b + c s. A joint torque sensor's own bias is in its b.
  void add_bias() noexcept {
    if (!options.has_joint_sensors) command.tau -= estimator.friction().bias;
  }

  // Each joint along its sine: M a + h, and friction in the direction that is wanted.
  const SensorlessCommand& tare_cycle(const ToolState& state) noexcept {
    const TareMotion& wanted = tare.motion(time);
    wanted_a = wanted.a + 2.0 * kTareFrequency * (wanted.v - state.v) +
               kTareFrequency * kTareFrequency * (start + wanted.q - state.q);
    command.tau = state.h + forward.update(wanted.v, coulomb());
    command.tau.noalias() += state.M * wanted_a;
    add_bias();
    command.status = Status::ok;
    return command;
  }

  // The sd that friction at rest will leave in contact. A bias that no tare has told is known from the approach then,
  // as well as the friction in its direction.
  double sd_at_rest(const ToolState& state) noexcept {
    const ContactSituation contact{.normal = options.task.normal, .press = options.task.force};
    if (options.tares) return estimator.sd_at_rest(state, contact);
    doubted.bias_variance = prior.coulomb_variance;
    estimator.set_friction(doubted);
    const double sd = estimator.sd_at_rest(state, contact);
    estimator.set_friction(prior);
    return sd;
  }

  void begin_task(const ToolState& state) noexcept {
    if (options.tares) estimator.set_friction(tare.friction());
    command.sd_at_rest = sd_at_rest(state);
    command.is_taring = false;
    task.begin(state);
  }

  // What the task is told: in the air, the force above that of free motion, and the sd that contact would have.
  const TaskOrder& task_cycle(const ToolState& state) noexcept {
    const ContactForce& felt = command.felt;
    const Vector3& normal = task.normal();
    measured = {normal * felt.force, Vector3::Zero()};
    if (task.presses()) return task.update(state, {measured, felt.sd, false, dt});
    const double share = 1.0 - std::exp(-dt / options.free_time);
    free = std::isfinite(free) ? free + share * (felt.force - free) : felt.force;
    if (!options.tares) tare.add(estimator.residual(), estimator.direction());
    // The window of the first cycles is no average yet.
    const double above = task.time() < options.free_time ? 0.0 : felt.force - free;
    measured.force = normal * (std::isfinite(felt.force) ? above : kNaN);
    const TaskOrder& order = task.update(state, {measured, command.sd_at_rest, false, dt});
    if (task.presses()) {
      if (!options.tares) estimator.set_friction(tare.friction());  // what the approach has shown
      pressed = 0.0;
      rocking = rock_axis(state, normal);
    }
    return order;
  }

  const SensorlessCommand& update(const ToolState& state, ConstVectorRef tau) noexcept {
    if (!has_begun) return fail(Status::not_computed);
    if (state.status != Status::ok) return fail(state.status);
    if (state.q.size() != n || tau.size() != n) return fail(Status::wrong_size);
    const bool presses = !command.is_taring && task.presses();
    const bool rocks = presses && options.dither == Dither::rock;
    const double period = 1.0 / options.rock.rock_frequency, rock_time = pressed - options.rock_after;
    ContactSituation contact{.normal = task.normal()};
    if (presses) contact.press = options.task.force;
    if (rocks && rock_time > period) contact.window = period;
    command.felt = estimator.update(state, tau, contact);
    time += dt;
    if (presses) pressed += dt;
    if (command.is_taring) {
      if (options.tares) {
        tare.add(estimator.residual(), estimator.direction());
        if (time < tare.duration()) return tare_cycle(state);
      }
      begin_task(state);
    }
    const TaskOrder& order = task_cycle(state);
    if (order.restarts) hybrid.restart();
    command.target = order.target;
    if (rocks && task.presses()) {
      const Rock turn = rock(rock_time, options.rock);
      command.target.X_WT.rotation =
          Eigen::AngleAxisd(turn.angle, rocking.axis).toRotationMatrix() * order.target.X_WT.rotation;
      command.target.twist.tail<3>() += turn.rate * rocking.axis;
      command.target.acceleration.tail<3>() += turn.acceleration * rocking.axis;
    }
    command.trust = command.target.trust = trusted_gain(command.felt.sd, options.gate_sd);
    const HybridCommand& asked = hybrid.update(state, command.target, measured, dt);
    if (asked.status != Status::ok) return fail(asked.status);
    // Joint velocities of the wanted twist are M⁻¹ Jᵀ Λ V.
    const Vector6 impulse = state.Lambda * command.target.twist;
    wanted_v.noalias() = state.M_inv_Jt * impulse;
    command.tau = asked.tau + forward.update(wanted_v, coulomb());
    add_bias();
    command.status = command.tau.allFinite() ? Status::ok : Status::not_finite;
    return command;
  }

  int n;
  double dt;
  SensorlessOptions options;
  VectorX told;
  JointFriction prior, doubted;
  ContactForceEstimator estimator;
  FrictionTare tare;
  FrictionForward forward;
  HybridController hybrid;
  ContactTask task;
  SensorlessCommand command;
  RockAxis rocking;
  bool has_begun = false;
  double time = 0.0, pressed = 0.0;  // since begin(), since contact [s]
  double free = kNaN;                // force in the air [N]
  Wrench measured;                   // as the task and the force's loop take it
  VectorX start, wanted_v, wanted_a;
};

SensorlessControl::SensorlessControl(const VectorX& coulomb, double time_step, const SensorlessOptions& options) {
  check_options(options);
  if (!coulomb.allFinite() || coulomb.size() == 0 || coulomb.minCoeff() < 0.0) {
    throw OptionsError("sensorless control", "the assumed friction is empty, NaN or below zero",
                       "give Coulomb friction of each joint in N·m");
  }
  workspace_ = std::make_unique<Workspace>(coulomb, time_step, options);
}
SensorlessControl::~SensorlessControl() = default;
SensorlessControl::SensorlessControl(SensorlessControl&&) noexcept = default;
SensorlessControl& SensorlessControl::operator=(SensorlessControl&&) noexcept = default;

Status SensorlessControl::begin(const ToolState& state) noexcept { return workspace_->begin(state); }
const SensorlessCommand& SensorlessControl::update(const ToolState& state, ConstVectorRef tau) noexcept {
  return workspace_->update(state, tau);
}
const SensorlessCommand& SensorlessControl::command() const noexcept { return workspace_->command; }
const ContactTask& SensorlessControl::task() const noexcept { return workspace_->task; }
const ContactForceEstimator& SensorlessControl::estimator() const noexcept { return workspace_->estimator; }
const VectorX& SensorlessControl::coulomb() const noexcept { return workspace_->coulomb(); }
void SensorlessControl::retreat() noexcept { workspace_->task.retreat(); }

}  // namespace antaeus
