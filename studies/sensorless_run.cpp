#include "studies/sensorless_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "studies/arm_run.hpp"
#include "studies/draw.hpp"

namespace antaeus {

namespace {

constexpr double kDescentPatience = 90.0;  // [s] beyond the task's own times that the way down may take
constexpr double kAfter = 1.0;             // [s] of hold after a line
constexpr double kTwoSided95 = 1.96;

std::vector<SampleLog::Head> sensorless_heads(const ArmRig& rig) {
  std::vector<SampleLog::Head> all = {
      {"time", "s", "since the start"},
      {"phase", "1", "of the task: 0 tare, 1 approach, 2 settle, 5 trace, 6 hold, 7 retreat, 8 stopped"},
      {"force_true", "N", "true force of the surface on the tool along its normal"},
      {"force", "N", "the same as estimated from the torques, averaged"},
      {"sd", "N", "standard deviation that the estimate states"},
      {"instant", "N", "the estimate, not averaged"},
      {"force_wanted", "N", "the same, as wanted; empty while there is none"},
      {"moving", "1", "share of the friction that is known because its joints move"},
      {"hidden", "N", "most that friction at rest can hide"},
      {"trust", "1", "share of the force's gains that the sd leaves"},
      {"tangent_error", "m", "of the tool's true place along the surface from where it was wanted"},
  };
  const std::vector<SampleLog::Head> contact = contact_heads(rig);
  all.insert(all.end(), contact.begin(), contact.end());
  return all;
}

/// Where the tool stands `height` above home: a few Newton steps.
VectorX raised(ToolDynamics& dynamics, const VectorX& home, double height) {
  VectorX q = home;
  const VectorX still = VectorX::Zero(home.size());
  const Pose X_home = dynamics.at(q, still).X_WT;
  for (int i = 0; i < 6; ++i) {
    const ToolState& now = dynamics.at(q, still);
    Vector6 step;
    step << X_home.translation + Vector3(0.0, 0.0, height) - now.X_WT.translation,
        rotation_error(now.X_WT.rotation, X_home.rotation);
    q += now.M_inv_Jt * (now.Lambda * step);
  }
  return q;
}

/// The arm reaching up and out, its gripper in line: hardly bent it can feel next to nothing of a wall across.
VectorX reaching_out(double elbow) {
  constexpr double kQuarter = 0.5 * std::numbers::pi;
  return (VectorX(6) << -kQuarter, -0.5 * (kQuarter + elbow), elbow, -0.5 * elbow, -kQuarter, 0.0).finished();
}

class Meter {
 public:
  explicit Meter(double wanted) : wanted_(wanted) {}

  void add(double force, const ContactForce& felt, double off) {
    const double error = felt.force - force;
    ++count_;
    sum_ += force;
    one_ += std::abs(force - wanted_) <= 1.0;
    tenth_ += std::abs(force - wanted_) <= 0.1;
    covered_ += std::abs(error) <= kTwoSided95 * felt.sd;
    sd_ += felt.sd;
    scaled_ += error * error / (felt.sd * felt.sd);
    off_ = std::max(off_, off);
  }

  SensorlessFigures figures() const {
    if (count_ == 0) return {};
    const double n = count_;
    return {count_, sum_ / n, one_ / n, tenth_ / n, off_, covered_ / n, sd_ / n, std::sqrt(scaled_ / n)};
  }

 private:
  double wanted_;
  int count_ = 0, one_ = 0, tenth_ = 0, covered_ = 0;
  double sum_ = 0.0, sd_ = 0.0, scaled_ = 0.0, off_ = 0.0;
};

/// What the task went through, since the tare.
void read_events(const ContactTask& task, SensorlessRun& run) {
  const RingBuffer<TaskEvent>& events = task.events();
  for (int i = 0; i < events.size(); ++i) {
    run.events.push_back(events[i]);
    if (events[i].phase == TaskPhase::settle && std::isnan(run.touched)) run.touched = run.tared + events[i].time;
    const TaskReason reason = events[i].reason;
    if (std::isnan(run.touched) && (reason == TaskReason::force_uncertain || reason == TaskReason::near_singular)) {
      run.refused = true;
    }
  }
}

/// What the motors turn of their torques, what is told of their friction, how their sensors err: none of it is known to
/// the controller.
struct DrawnErrors {
  VectorX gain, told_share, sensor_gain, sensor_bias;
};
DrawnErrors drawn_errors(const SensorlessSetup& setup, Eigen::Index n) {
  const SensorlessChoice& choice = setup.choice;
  Draw draw(1000 * setup.seed + 2);
  DrawnErrors errors;
  errors.gain = 1.0 + draw(n, choice.torque_constant_error).array();
  errors.told_share = 1.0 + draw(n, choice.stated_error).array();
  errors.sensor_gain = 1.0 + draw(n, choice.sensor_gain).array();
  errors.sensor_bias = draw(n, choice.sensor_bias);
  return errors;
}

/// What the controller is told of the torques of the last step.
VectorX sensed_torques(const DrawnErrors& errors, bool has_joint_sensors, const PlantReading& reading,
                       const PlantTruth& truth) {
  if (!has_joint_sensors) return reading.tau.cwiseQuotient(errors.gain);
  // Noise of a motor's reading is the sensor's too.
  return errors.sensor_gain.cwiseProduct(truth.tau + truth.friction) + errors.sensor_bias + reading.tau - truth.tau;
}

}  // namespace

ArmRig make_sensorless_rig(SensorlessSetup& setup) {
  Draw draw(1000 * setup.seed + 1);
  if (setup.has_payload_error) setup.plant.payload_error = draw(setup.choice.payload_error);
  return make_rig(setup.scene, setup.plant, setup.seed, setup.choice.stretched <= 0.0);
}

SensorlessRun run_sensorless(const SensorlessSetup& setup, ArmRig& rig, const Progress& progress, bool has_log) {
  const SensorlessChoice& choice = setup.choice;
  const Eigen::Index n = rig.home.size();
  const DrawnErrors errors = drawn_errors(setup, n);

  SensorlessRun run{.log = SampleLog(sensorless_heads(rig))};
  run.coulomb = rig.coulomb;
  run.has_joint_sensors = choice.control.has_joint_sensors;
  run.told = rig.coulomb.cwiseProduct(errors.told_share);
  ToolDynamics dynamics(rig.told, ArmRig::kTool);
  VectorX start = rig.start;
  start.head(n) =
      choice.stretched > 0.0 ? reaching_out(choice.stretched) : raised(dynamics, rig.home, choice.start_height);
  if (rig.plant.reset_scene(start) != Status::ok) return run;

  const double dt = rig.plant.time_step();
  SensorlessOptions options = choice.control;
  const ToolState& state = dynamics.at(start.head(n), VectorX::Zero(n));
  if (choice.stretched > 0.0) {
    options.task.normal = -state.X_WT.rotation.col(2);
  }
  options.task.line = setup.line;
  options.task.direction = setup.direction;
  SensorlessControl control(run.told, dt, options);
  if (control.begin(state) != Status::ok) return run;
  const Vector3& normal = control.task().normal();
  const bool has_line = setup.line.length > 0.0;
  const TaskPhase measured_phase = has_line ? TaskPhase::trace : TaskPhase::hold;
  const double hold_time = has_line ? kAfter : choice.hold_time;
  const double task_time = (options.tares ? options.tare.tare_duration : 0.0) + options.task.settle_time +
                           (has_line ? setup.line.duration : 0.0) + hold_time;
  const VectorX limits = rig.told.effort_limits();
  const PlantReading& reading = rig.plant.reading();
  const PlantTruth& truth = rig.plant.truth();
  Meter meter(options.task.force);
  VectorX tau = state.h, sensed = state.h, v = VectorX::Zero(n);
  const double velocity_share = choice.velocity_filter > 0.0 ? 1.0 - std::exp(-choice.velocity_filter * dt) : 1.0;
  double peak = 0.0;
  std::vector<double> row;
  const auto steps = static_cast<long>((task_time + kDescentPatience) / dt);
  for (long i = 0; i < steps; ++i) {
    const double time = static_cast<double>(i) * dt;
    if (i > 0) {
      v += velocity_share * (reading.v - v);
      dynamics.at(reading.q, v);
    }
    const SensorlessCommand& command = control.update(dynamics.state(), sensed);
    const ContactTask& task = control.task();
    const TaskPhase phase = task.order().phase;
    if (phase == TaskPhase::stopped || command.status != Status::ok) break;
    if (command.is_taring) run.tared = time;
    run.sd_at_rest = command.sd_at_rest;
    tau = command.tau.cwiseMax(-limits).cwiseMin(limits);
    if (rig.plant.step(tau.cwiseProduct(errors.gain)) != Status::ok) break;
    sensed = sensed_torques(errors, choice.control.has_joint_sensors, reading, truth);

    const double force = normal.dot(truth.contact.force);
    const Vector3 wanted = command.is_taring ? truth.X_WS.translation : command.target.X_WT.translation;
    const double off = off_along(rig, normal, wanted);
    const bool is_measured = !command.is_taring && phase == measured_phase;
    if (is_measured) {
      meter.add(force, command.felt, off);
      if (std::isnan(run.from)) run.from = time;
      run.to = time + dt;
    } else if (std::isnan(run.from)) {
      peak = std::max(peak, force);
    }
    if (has_log) {
      row = {time,
             command.is_taring ? 0.0 : static_cast<double>(phase),
             force,
             command.felt.force,
             command.felt.sd,
             command.felt.instant,
             task.presses() && !command.is_taring ? options.task.force : kNaN,
             command.felt.moving,
             command.felt.hidden,
             command.trust,
             off};
      append_contact(row, rig, wanted, reading.q, tau);
      run.log.add(row);
    }
    if (progress && i % 100 == 0) progress(std::min(1.0, time / (task_time + 18.0)));
    run.hidden = command.felt.hidden;
    if (phase == TaskPhase::hold && !command.is_taring && task.phase_time() >= hold_time) {
      run.finished = true;
      break;
    }
  }
  read_events(control.task(), run);
  run.landing_peak = std::isnan(run.touched) ? kNaN : peak;
  run.friction = control.estimator().friction();
  run.figures = meter.figures();
  return run;
}

}  // namespace antaeus
