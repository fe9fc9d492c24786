#include "studies/force_run.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/control/contact_force.hpp"
#include "antaeus/control/sensorless.hpp"
#include "antaeus/control/wrench_tare.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "studies/arm_run.hpp"

namespace antaeus {

namespace {

constexpr double kToldShare = 0.2;  // sd of the assumed Coulomb friction, as a share of it
constexpr double kToldBias = 0.05;  // [N·m] sd of what the model's gravity leaves
constexpr double kGateSd = 0.7;     // [N] of an estimate, at which the force's gains are halved
constexpr double kPatience = 40.0;  // [s] beyond the tasks' own times that an approach may take

/// Cosine-safe angle between two unit vectors.
double angle_between(const Vector3& a, const Vector3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

std::vector<SampleLog::Head> heads(const ArmRig& rig) {
  std::vector<SampleLog::Head> all = {
      {"time", "s", "since the start"},
      {"phase", "1", "of the task: 1 approach, 2 settle, 3 explore, 4 align, 5 trace, 6 hold, 7 retreat, 8 stopped"},
      {"force", "N", "true force of the table on the tool along the table's normal"},
      {"force_wanted", "N", "the same, as wanted; empty while there is none"},
      {"force_measured", "N", "the same as the controller measured it, along the normal that it knows"},
      {"tangent_error", "m", "of the tool's true place along the table from where it was wanted"},
      {"speed", "m/s", "of the tool"},
  };
  const std::vector<SampleLog::Head> contact = contact_heads(rig);
  all.insert(all.end(), contact.begin(), contact.end());
  return all;
}

/// Whether the arm can bring the tool along the line, from home. \throws ModelError
void check_reach(const ArmRig& rig, const ForceSetup& setup, const Pose& X_start) {
  const ReachModel model = reach_model(rig);
  ReachSolver solver(model);
  VectorX q = rig.home;
  constexpr int kPlaces = 10;
  for (int i = 1; i <= kPlaces; ++i) {
    Pose X = X_start;
    X.translation += setup.trace.length * i / kPlaces * setup.trace.along();
    const ReachSolution& found = solver.solve(X, q);
    if (found.status != ReachStatus::reached) {
      throw ModelError("trace",
                       value_text(1000.0 * setup.trace.length * i / kPlaces) +
                           " mm along the line is out of the arm's reach: " + reason_text(model, found),
                       "set a shorter trace.length, or another trace.direction");
    }
    q = found.q;
  }
}

}  // namespace

const OptionTable& options_of(const ControlChoice&) {
  using O = ControlChoice;
  static const OptionTable table(
      "control",
      {
          option("law", "",
                 "source_3dof: the lab's as printed; source: with an orientation term; default: Antaeus' own",
                 "docs/concepts/control.md#hybrid-force-and-position", &O::law),
          option("wrench", "", "which force the controller is given", "a real arm's sensor", &O::wrench),
          option("tare", "", "whether the sensor's offset in the air is taken off", "real sensors have one", &O::tare),
          option("hold_time", "s", "pressing at rest", "docs/references.md#the-force-control-lab", &O::hold_time,
                 kPositive),
          option("judged_after", "s", "since contact; at once with the lab's laws, as the lab did",
                 "docs/validation.md#controllers", &O::judged_after),
          part(&O::source),
          part(&O::hybrid),
          part(&O::task),
      });
  return table;
}
const OptionGroup kControlGroup(ControlChoice{});

const OptionTable& options_of(const TraceChoice&) {
  using O = TraceChoice;
  static const OptionTable table(
      "trace",
      {
          option("length", "m", "of the line", "docs/references.md#the-force-control-lab", &O::length, kPositive),
          option("duration", "s", "of the line; the lab's laws take 5 s", "docs/validation.md#controllers",
                 &O::duration, kPositive),
          option("direction", "", "x, y, -x, -y, or an angle from world x to y in rad",
                 "docs/references.md#the-force-control-lab", &O::direction),
          option("profile", "", "of the speed along the line; the lab's laws take minimum_jerk",
                 "docs/validation.md#controllers", &O::profile),
          option("ramp", "1", "share of the duration that each ramp of a trapezoid takes",
                 "docs/validation.md#controllers", &O::ramp, Range{0.0, 0.5, false}),
      });
  return table;
}
const OptionGroup kTraceGroup(TraceChoice{});

Vector3 TraceChoice::along() const {
  if (direction == "x") return Vector3::UnitX();
  if (direction == "-x") return -Vector3::UnitX();
  if (direction == "y") return Vector3::UnitY();
  if (direction == "-y") return -Vector3::UnitY();
  try {
    const double angle = detail::parse_number(direction, kAnyNumber, "trace.direction");
    return {std::cos(angle), std::sin(angle), 0.0};
  } catch (const OptionsError&) {
    throw OptionsError("trace.direction", "'" + printable(direction) + "' is no direction",
                       "give x, y, -x, -y, or an angle in rad");
  }
}

ForceSetup force_setup(const Settings& settings, ForceSetup base, int seed) {
  const ControlChoice asked = settings.get<ControlChoice>(base.control);
  if (asked.wrench == WrenchSource::estimate && !asked.is_source()) {
    // An average of 0.1 s bears less integral, and a friction at rest gives no sharp touch.
    base.control.hybrid.force.integral = 2.0;
    base.control.hybrid.force.integral_limit = 4.0;
    base.control.task.contact_force = 1.2;
    base.control.task.stall_is_contact = true;
    base.control.task.landing_lead = 1e-4;
    base.control.task.wait_time = 0.6;
  }
  if (asked.is_source()) {
    base.scene.pair = false;  // the lab's contact
    base.scene.solref = 0.02;
    base.scene.friction = 0.3;
    base.scene.solimp = "0.9 0.95";
    // The lab states none for these runs. Its line is 1.70 mm off, of which 1.69 mm are friction and K_d over K_p; with
    // 1 N·m·s/rad, its figure for gravity compensation, it would be 1.78 mm.
    base.plant.joint_damping = 0.2;
    base.plant.gripper = ToolJoints::real;
    base.control.judged_after = 0.0;
    base.control.hold_time = 4.0;  // five seconds with the one in which it settles
    base.control.wrench = WrenchSource::truth;
    base.control.task.landing_speed = 0.02;
    base.control.task.landing_lead = 0.02;
    base.control.task.most_force = 1e4;  // it has no such guard
    base.control.task.lost_time = 1e4;
    base.trace.duration = 5.0;
    base.trace.profile = ProfileShape::minimum_jerk;
  }
  ForceSetup setup{settings.get<SceneChoice>(base.scene), settings.get<PlantChoice>(base.plant),
                   settings.get<ControlChoice>(base.control), settings.get<TraceChoice>(base.trace), seed};
  setup.trace.along();  // refused before anything is built
  setup.scene.impedance();
  return setup;
}

ForceFigures ForceRun::figures(double from, double to) const {
  const std::vector<double>&time = log.column("time"), &force = log.column("force"), &off = log.column("tangent_error");
  ForceFigures f;
  double sum = 0.0, squares = 0.0;
  int in_1N = 0, in_01N = 0;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (!(time[i] >= from && time[i] < to)) continue;
    ++f.samples;
    sum += force[i], squares += force[i] * force[i];
    const double miss = std::abs(force[i] - wanted);
    in_1N += miss <= 1.0, in_01N += miss <= 0.1;
    f.least = f.samples == 1 ? force[i] : std::min(f.least, force[i]);
    f.largest = f.samples == 1 ? force[i] : std::max(f.largest, force[i]);
    f.tangent_max = f.samples == 1 ? off[i] : std::max(f.tangent_max, off[i]);
  }
  if (f.samples == 0) return f;
  f.mean = sum / f.samples;
  f.sd = std::sqrt(std::max(squares / f.samples - f.mean * f.mean, 0.0));
  f.within_1N = static_cast<double>(in_1N) / f.samples;
  f.within_01N = static_cast<double>(in_01N) / f.samples;
  return f;
}

ReachModel reach_model(const ArmRig& rig) {
  return ReachModel(KinematicChain(rig.told, ArmRig::kTool), ReachOptions{});
}

ForceRun run_force_task(ArmRig& rig, const ForceSetup& setup, bool has_line, const Progress& progress,
                        const RunHooks& hooks) {
  const ControlChoice& choice = setup.control;
  ContactTaskOptions options = choice.task;
  options.line = {has_line ? setup.trace.length : 0.0, setup.trace.duration, setup.trace.profile, setup.trace.ramp};
  options.direction = setup.trace.along();
  ContactTask task(options);
  HybridController hybrid(6, choice.hybrid);
  ToolDynamics dynamics(rig.told, ArmRig::kTool);
  WrenchTare tare;
  ContactForceEstimator estimator(6, rig.plant.time_step());
  estimator.set_friction(JointFriction::told(rig.coulomb, kToldShare, kToldBias));
  HybridLawGains gains = choice.source;
  if (choice.law == ForceLaw::source_3dof) gains.K_o = gains.K_do = 0.0;
  HybridLaw source = HybridLaw::published(6, gains);
  rig.reset();
  const PlantReading& reading = rig.plant.reading();
  const PlantTruth& truth = rig.plant.truth();
  task.begin(dynamics.at(reading.q, reading.v));
  if (has_line) check_reach(rig, setup, dynamics.state().X_WT);

  ForceRun run{.log = SampleLog(heads(rig)), .wanted = options.force};
  const Vector3 normal = rig.X_WT.rotation.col(2);
  const double dt = rig.plant.time_step();
  const double task_time = options.settle_time + (options.explores ? options.explore_time + options.align_time : 0.0) +
                           (has_line ? options.line.duration : 0.0) + choice.hold_time;
  const auto steps = static_cast<long>((task_time + kPatience) / dt);
  const VectorX limits = rig.told.effort_limits();
  VectorX tau = VectorX::Zero(6);
  bool is_cut = false;
  std::vector<double> row;
  for (long i = 0; i < steps; ++i) {
    const double time = static_cast<double>(i) * dt;
    const ToolState& state = dynamics.at(reading.q, reading.v);
    Wrench measured = choice.wrench == WrenchSource::truth ? truth.contact : reading.wrench;
    if (i == 0) measured = Wrench{};  // nothing was sensed before the first step, and nothing touches
    double force_sd = 0.0, trust = 1.0;
    if (choice.wrench == WrenchSource::estimate) {
      const VectorX& last = i == 0 ? state.h : reading.tau;
      const ContactForce& felt = estimator.update(state, last, {task.normal(), task.presses() ? options.force : 0.0});
      // The estimate has one component; the others are not known, and no loop of this task asks for them.
      measured = {task.normal() * felt.force, Vector3::Zero()};
      // Until its filters have settled nothing is known; nothing touches either, for the tool still waits.
      if (task.waits() && !measured.is_finite()) measured = Wrench{};
      force_sd = std::isfinite(felt.sd) ? felt.sd : 0.0;
      trust = trusted_gain(force_sd, kGateSd);
    }
    if (hooks.change) hooks.change(task, rig.plant);
    if (hooks.sense) hooks.sense(time, measured);
    if (choice.wrench != WrenchSource::truth && choice.tare) {
      if (task.waits()) tare.add(measured);
      measured = tare.tared(measured);
    }
    const TaskOrder& order = task.update(state, {measured, force_sd, is_cut, dt});
    if (order.phase == TaskPhase::stopped) break;
    double told = normal.dot(measured.force);
    if (choice.is_source()) {
      if (order.restarts) source.restart();
      const HybridCommand& command = source.update(state, order.target, measured, dt);
      tau = command.status == Status::ok ? command.tau : state.h;
      told = task.normal().dot(source.filtered());
    } else {
      if (order.restarts) hybrid.restart();
      HybridTarget target = order.target;
      target.trust = trust;
      const HybridCommand& command = hybrid.update(state, target, measured, dt);
      // A cycle without a command (no force came yet) is bridged by carrying the arm's weight.
      tau = command.status == Status::ok ? command.tau : state.h;
      if (order.target.force_axes[2]) told = command.felt.force.z();
    }
    const VectorX cut = tau.cwiseMax(-limits).cwiseMin(limits);
    is_cut = !cut.isApprox(tau, 0.0);
    run.saturated += is_cut;
    if (rig.plant.step(cut) != Status::ok) break;

    const Vector3& wanted = order.target.X_WT.translation;
    const bool presses = order.target.force_axes[2];
    if (presses) {
      const Vector3 tool_axis = truth.X_WS.rotation.col(2), wanted_axis = order.target.X_WT.rotation.col(2);
      run.tilt_max = std::max(run.tilt_max, angle_between(tool_axis, wanted_axis));
    }
    row = {time, static_cast<double>(order.phase), normal.dot(truth.contact.force), presses ? options.force : kNaN,
           told, off_along(rig, normal, wanted),   state.twist.head<3>().norm()};
    append_contact(row, rig, wanted, state.q, tau);
    run.log.add(row);
    if (progress && i % 100 == 0) progress(std::min(1.0, time / (task_time + 12.0)));
    if (order.phase == TaskPhase::hold && task.phase_time() >= choice.hold_time) {
      run.finished = true;
      break;
    }
  }
  const RingBuffer<TaskEvent>& events = task.events();
  for (int i = 0; i < events.size(); ++i) run.events.push_back(events[i]);
  for (const TaskEvent& event : run.events) {
    if (event.phase == TaskPhase::settle && std::isnan(run.touched)) run.touched = event.time;
    if (event.phase == TaskPhase::trace && std::isnan(run.traced)) run.traced = event.time;
    if (event.phase == TaskPhase::hold && std::isnan(run.held)) run.held = event.time;
  }
  run.ended = run.log.rows() > 0 ? run.log.column("time").back() + dt : 0.0;
  const double landed = run.touched + std::max(choice.judged_after, 0.25);
  run.landing_peak = run.figures(0.0, std::isnan(landed) ? run.ended : landed).largest;
  run.normal_error = angle_between(task.normal(), normal);
  return run;
}

}  // namespace antaeus
