#include "studies/force_story.hpp"

#include <cmath>
#include <numbers>

#include "antaeus/robot/dynamics.hpp"
#include "studies/arm_run.hpp"

namespace antaeus {

namespace {

std::string millimeters(double meters) { return value_text(1000.0 * meters) + " mm"; }

}  // namespace

std::string force_text(double newtons) { return value_text(newtons) + " N"; }
std::string seconds_text(double seconds) { return value_text(seconds) + " s"; }
std::string degrees_text(double radians) { return value_text(radians * 180.0 / std::numbers::pi) + "°"; }

void describe_force_run(ExperimentResult& result, const ArmRig& rig, const ForceSetup& setup, const ForceRun& run) {
  result.samples = run.log.table();
  for (const TaskEvent& event : run.events) {
    std::string reason = in_words(event.reason);
    if (event.reason == TaskReason::touched || event.reason == TaskReason::too_much_force) {
      reason += ": " + force_text(event.value);
    }
    result.phases.push_back({event.time, std::string(to_string(event.phase)), reason});
  }
  result.plots.push_back(
      {"Force of the table along its normal",
       "N",
       {{"force", "true"}, {"force_measured", "as the controller measured it"}, {"force_wanted", "wanted"}},
       {}});
  result.plots.push_back({"Place along the table, from where it was wanted", "m", {{"tangent_error", "distance"}}, {}});
  result.plots.push_back({"Speed of the tool", "m/s", {{"speed", "speed"}}, {}});
  result.plots.push_back(torque_plot(rig));
  result.replay = contact_replay(rig);
  if (setup.control.is_source()) {
    result.remarks.push_back(
        "The lab's laws bring what the lab had: a joint damping of 1 N·m·s/rad, the gripper with its joints, "
        "landing at 20 mm/s, a line of minimum jerk in 5 s, the pads' own contact, the force of the simulation's "
        "contacts, and figures over five seconds from the touch on. Set any of them to see it otherwise.");
  }
  if (setup.control.wrench == WrenchSource::estimate && setup.plant.coulomb > 0.0) {
    result.remarks.push_back(
        "Friction of joints at rest hides the force from their torques, and here nothing is learnt of it in the air "
        "and "
        "nothing keeps the joints moving: sensorless-hold and sensorless-trace do both.");
  }
  tell_end(result, run);
}

void add_force_metrics(ExperimentResult& result, const ForceFigures& figures, const ForceCriteria& criteria) {
  const std::string span = ", " + criteria.span;
  result.metrics.push_back({.name = "force_mean",
                            .value = figures.mean,
                            .unit = "N",
                            .meaning = "mean of the true force along the table's normal" + span,
                            .lower = criteria.wanted - criteria.mean_within,
                            .upper = criteria.wanted + criteria.mean_within,
                            .source = criteria.source_mean});
  result.metrics.push_back({.name = "force_within_1N",
                            .value = figures.within_1N,
                            .unit = "1",
                            .meaning = "share of the true force within 1 N of what was wanted" + span,
                            .lower = criteria.least_within_1N > 0.0 ? criteria.least_within_1N : -kInfinity,
                            .source = criteria.source_within_1N});
  result.metrics.push_back({.name = "force_within_01N",
                            .value = figures.within_01N,
                            .unit = "1",
                            .meaning = "the same within 0.1 N",
                            .lower = criteria.least_within_01N > 0.0 ? criteria.least_within_01N : -kInfinity});
  result.metrics.push_back(
      {.name = "tangent_error_max",
       .value = figures.tangent_max,
       .unit = "m",
       .meaning = "largest distance of the tool's true place, along the table, from where it was wanted" + span,
       .upper = criteria.most_off,
       .source = criteria.source_off});
}

void tell_end(ExperimentResult& result, const ForceRun& run) {
  if (!run.finished) {
    const TaskEvent* cause = nullptr;
    for (const TaskEvent& event : run.events) {
      if (event.phase == TaskPhase::retreat) cause = &event;
    }
    result.findings.push_back(cause ? "The task was given up at " + seconds_text(cause->time) + ": " +
                                          in_words(cause->reason) + "."
                                    : "The task did not come to its end in the time that it was given.");
  }
  if (run.saturated > 0) {
    result.findings.push_back("A motor was at its limit in " + std::to_string(run.saturated) + " cycles.");
  }
}

void tell_hold(ExperimentResult& result, const ForceRun& run, double from) {
  const ForceFigures f = run.figures(from, run.ended), all = run.figures(run.touched, run.ended);
  if (f.samples == 0) return;
  result.findings.push_back("The force stays between " + force_text(f.least) + " and " + force_text(f.largest) +
                            ", on average " + force_text(f.mean) + "; " + percent_text(f.within_1N) +
                            " within 1 N and " + percent_text(f.within_01N) +
                            " within 0.1 N. From the touch on it is " + percent_text(all.within_1N) + " within 1 N.");
  result.findings.push_back("The blow of the landing is " + force_text(run.landing_peak) +
                            "; it grows with the landing speed.");
  result.findings.push_back("Along the table the tool stays within " + millimeters(f.tangent_max) +
                            " of its place, and turns by at most " + degrees_text(run.tilt_max) + ".");
}

void tell_trace(ExperimentResult& result, const ArmRig& rig, const ForceRun& run) {
  const ForceFigures f = run.figures(run.traced, run.held);
  if (f.samples > 0) {
    result.findings.push_back("While it slides the force stays between " + force_text(f.least) + " and " +
                              force_text(f.largest) + ": " + percent_text(f.within_1N) + " within 1 N, on average " +
                              force_text(f.mean) + ". The place is off by at most " + millimeters(f.tangent_max) + ".");
  }
  Dynamics dynamics(rig.told);
  Matrix6X J(6, rig.told.nv());
  dynamics.at(rig.home).frame_jacobian(rig.told.frame(ArmRig::kTool), J);
  result.findings.push_back("The tool's Jacobian has no small row at home: its row of x has a norm of " +
                            value_text(J.row(0).norm()) + " m, of y " + value_text(J.row(1).norm()) + " m, of z " +
                            value_text(J.row(2).norm()) +
                            " m. The force-control lab explains its 94 % by a row of about 0.01.");
}

void tell_tilt(ExperimentResult& result, const ForceRun& run, double tilt) {
  result.findings.push_back("The table's tilt of " + degrees_text(tilt) + " is found to " +
                            degrees_text(run.normal_error) + ".");
  const ForceFigures f = run.figures(run.traced, run.ended);
  if (f.samples == 0) return;
  result.findings.push_back("Then " + percent_text(f.within_1N) + " of the force is within 1 N, on average " +
                            force_text(f.mean) + ", and the place within " + millimeters(f.tangent_max) + ".");
}

}  // namespace antaeus
