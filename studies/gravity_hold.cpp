// Gravity compensation alone, on several plants, and what the arm does without it.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/control/gravity_compensation.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "studies/arm_run.hpp"
#include "studies/runs.hpp"

namespace antaeus {

namespace {

/// Group "gravity".
struct GravityChoice {
  double duration = 10.0;     ///< of the hold [s]
  double stiffness = 2000.0;  ///< of the PD without g(q) [N·m/rad]
  bool compare = true;        ///< the other plants too
};
const OptionTable& options_of(const GravityChoice&) {
  using O = GravityChoice;
  static const OptionTable table(
      "gravity",
      {
          option("duration", "s", "of the hold", "long enough to see a drift", &O::duration, Range{0.1, 120.0}),
          option("stiffness", "N·m/rad", "of the PD that runs without g(q)", "our choice", &O::stiffness, kPositive),
          option("compare", "", "whether the other plants are run too", "our choice", &O::compare),
      });
  return table;
}
const OptionGroup kGravityGroup(GravityChoice{});

struct Hold {
  double error_max = 0.0;   ///< [rad]
  double error_end = 0.0;   ///< [rad]
  double tool_drift = 0.0;  ///< [m]
};

Pose tool_pose(const RobotModel& model, const VectorX& q) {
  Dynamics dynamics(model);
  Pose X;
  dynamics.at(q).frame_pose(model.frame(ArmRig::kTool), X);
  return X;
}

/// \param told  what the controller holds the arm for
Hold hold(ArmRig& rig, const RobotModel& told, const GravityCompensationOptions& options, double duration,
          SampleLog* log) {
  GravityCompensation control(told, options);
  rig.reset();
  HoldTarget target;
  target.q = rig.home;
  Hold result;
  const auto steps = static_cast<int>(std::lround(duration / rig.plant.time_step()));
  for (int step = 0; step < steps; ++step) {
    const LimitedTorque& given = control.update(rig.plant.reading().q, rig.plant.reading().v, target);
    rig.plant.step(given.tau);
    const VectorX error = true_positions(rig) - rig.home;
    result.error_end = error.cwiseAbs().maxCoeff();
    result.error_max = std::max(result.error_max, result.error_end);
    if (log != nullptr && step % kStepsASample == 0) {
      std::vector<double> row = {rig.plant.truth().time};
      const VectorX q = true_positions(rig);
      row.insert(row.end(), q.begin(), q.end());
      row.insert(row.end(), error.begin(), error.end());
      row.insert(row.end(), given.tau.begin(), given.tau.end());
      log->add(row);
    }
  }
  const Vector3 moved =
      tool_pose(rig.real, true_positions(rig)).translation - tool_pose(rig.real, rig.home).translation;
  result.tool_drift = moved.norm();
  return result;
}

std::vector<double> row_of(const Hold& hold) { return {hold.error_max, hold.error_end, 1e3 * hold.tool_drift}; }

/// The torque of each motor while one joint turns, and how much of it is the gripper's.
NamedFigure torque_figure(const ArmRig& rig, std::vector<std::string>& findings) {
  ModelOptions bare_options = rig.told.options();
  RobotDescription bare_description = rig.told.description();
  for (LinkDescription& link : bare_description.links) {
    if (!link.name.starts_with("gripper_")) continue;
    link.inertial.mass *= 1e-6;
    link.inertial.inertia *= 1e-6;
  }
  const RobotModel bare_model(bare_description, bare_options);
  Dynamics whole(rig.told), bare(bare_model);
  Figure figure;
  figure.id = "gravity-torque";
  figure.title = "Gravity's torque by pose";
  figure.description = "Torque that holds each joint of the arm, over the angle of the shoulder's lift.";
  Panel all, share;
  all.title = "Shoulder lift turns, the others at home";
  share.title = "Stretched out (elbow and wrist 1 at 0)";
  for (Panel* const panel : {&all, &share}) {
    panel->x = {.label = "shoulder lift [°]"};
    panel->y = {.label = "holding torque [N·m]"};
  }
  const std::vector<std::string>& joints = rig.told.motor_names();
  for (std::size_t joint = 0; joint < joints.size(); ++joint) {
    all.curves.push_back({joints[joint], {}, {}, series_style(joint)});
  }
  share.curves = {{"shoulder lift, with gripper", {}, {}, series_style(1)},
                  {"shoulder lift, without", {}, {}, series_style(4)}};
  VectorX g(rig.home.size()), g_bare(rig.home.size());
  double largest = 0.0, missing = 0.0, at_home = 0.0;
  whole.at(rig.home).gravity_torque(g);
  at_home = g.cwiseAbs().maxCoeff();
  for (int degree = -180; degree <= 0; degree += 3) {
    VectorX q = rig.home;
    q[1] = degree * std::numbers::pi / 180.0;
    whole.at(q).gravity_torque(g);
    for (std::size_t joint = 0; joint < joints.size(); ++joint) {
      all.curves[joint].x.push_back(degree);
      all.curves[joint].y.push_back(g[static_cast<Eigen::Index>(joint)]);
    }
    q[2] = q[3] = 0.0;
    whole.at(q).gravity_torque(g);
    bare.at(q).gravity_torque(g_bare);
    share.curves[0].x.push_back(degree);
    share.curves[0].y.push_back(g[1]);
    share.curves[1].x.push_back(degree);
    share.curves[1].y.push_back(g_bare[1]);
    largest = std::max(largest, std::abs(g[1]));
    missing = std::max(missing, std::abs(g[1] - g_bare[1]));
  }
  figure.panel_legends = true;
  figure.panels = {all, share};
  figure.columns = 2;
  findings.push_back("Gravity asks for up to " + value_text(at_home) + " N·m at home and " + value_text(largest) +
                     " N·m stretched out; " + value_text(missing) +
                     " N·m of that are the gripper's. The force-control lab says 10–20 N·m.");
  return named(figure, "What the motors carry before any task: up to " + value_text(largest) +
                           " N·m at the shoulder's lift, of which the gripper has " + value_text(missing) + " N·m.");
}

}  // namespace

ExperimentResult run_gravity_hold(const RunRequest& request) {
  const auto scene = request.settings.get<SceneChoice>();
  const auto plant = request.settings.get<PlantChoice>();
  const auto choice = request.settings.get<GravityChoice>();
  check_options(choice);
  ExperimentResult result;
  result.title = "Gravity compensation: does the arm stay where it is?";
  result.question =
      "The motors give g(q) and nothing else. Any difference between the model and the plant moves the arm, for "
      "nothing "
      "brings it back.";
  result.physics = physics_of(scene, plant, false);

  ArmRig rig = make_rig(scene, plant, request.seed, false);
  std::vector<SampleLog::Head> heads;
  for (const std::string& joint : rig.plant.motor_joints()) {
    heads.push_back({"error_" + joint, "rad", "position less the one at the start"});
  }
  for (const std::string& joint : rig.plant.motor_joints()) heads.push_back({"tau_" + joint, "N·m", "torque given"});
  SampleLog log(arm_heads(rig, heads));
  const Hold main = hold(rig, rig.told, {}, choice.duration, &log);
  request.tell(0.3);
  const bool is_rigid = plant.gripper == ToolJoints::rigid;
  const double bar = is_rigid ? 1e-10 : plant.joint_damping >= 1.0 ? 1e-6 : 1e-5;
  result.metrics.push_back({"error_max", main.error_max, "rad",
                            "largest error of any joint over " + value_text(choice.duration) + " s", -kInfinity, bar,
                            8.91e-6});
  result.metrics.push_back(
      {"tool_drift", main.tool_drift, "m", "of the fingertip at the end", -kInfinity, kInfinity, kNaN});
  result.findings.push_back("Held by g(q) alone for " + value_text(choice.duration) +
                            " s, no joint left its place by more than " + value_text(main.error_max) +
                            " rad; the force-control lab has 8.91·10⁻⁶ rad.");

  if (choice.compare) {
    Comparison table;
    table.title = "The same on other plants";
    table.note = "Each for " + value_text(choice.duration) +
                 " s. The gripper's fingers are closed; a model that has them open is off by their first moment.";
    table.heads = {"largest error [rad]", "error at the end [rad]", "fingertip moved [mm]"};
    table.variants.push_back({"this run", row_of(main), true});
    PlantChoice other;
    double by_lump = kNaN, by_settled = kNaN;
    int done = 0;
    for (const ToolJoints gripper : {ToolJoints::rigid, ToolJoints::real}) {
      for (const double damping : {0.0, 1.0}) {
        other.gripper = gripper;
        other.joint_damping = damping;
        ArmRig variant = make_rig(scene, other, request.seed, false);
        const std::string name =
            std::string(gripper == ToolJoints::rigid ? "rigid gripper" : "real gripper, as it stands") +
            (damping > 0.0 ? ", the lab's joint damping of 1" : ", no joint damping");
        const Hold held = hold(variant, variant.told, {}, choice.duration, nullptr);
        table.variants.push_back({name, row_of(held)});
        if (gripper == ToolJoints::real && damping > 0.0) {
          by_settled = held.error_max;
          PlantChoice open = other;
          open.gripper = ToolJoints::rigid;
          const ArmRig lumped = make_rig(scene, open, request.seed, false);
          const Hold wrong = hold(variant, lumped.told, {}, choice.duration, nullptr);
          by_lump = wrong.error_max;
          table.variants.push_back({"real gripper closed, in the model open, damping 1", row_of(wrong)});
        }
        request.tell(0.3 + 0.15 * ++done);
      }
    }
    GravityCompensationOptions pd;
    pd.carried = CarriedLoad::nothing;
    pd.hold_stiffness = choice.stiffness;
    pd.hold_damping = 60.0;
    const Hold sag = hold(rig, rig.told, pd, std::min(choice.duration, 5.0), nullptr);
    table.variants.push_back({"PD of " + value_text(choice.stiffness) + " N·m/rad without g(q)", row_of(sag)});
    result.comparisons.push_back(table);
    result.findings.push_back("A wrong payload shows at once: fingers closed but held for open give " +
                              value_text(by_lump) + " rad, as they stand " + value_text(by_settled) +
                              " rad. The force-control lab's 8.91·10⁻⁶ rad is of that size.");
    result.findings.push_back("Without g(q) a PD of " + value_text(choice.stiffness) + " N·m/rad sags by " +
                              value_text(1e3 * sag.error_end) + " mrad, " + value_text(1e3 * sag.tool_drift) +
                              " mm at the fingertip: g over its stiffness.");
  }
  result.figures.push_back(torque_figure(rig, result.findings));
  result.samples = log.table();
  SamplePlot errors{"Error of each joint", "rad", {}, {}}, torques{"Torque of each motor", "N·m", {}, {}};
  for (const std::string& joint : rig.plant.motor_joints()) {
    errors.lines.push_back({"error_" + joint, joint});
    torques.lines.push_back({"tau_" + joint, joint});
  }
  result.plots = {errors, torques};
  result.replay = arm_replay(rig, false);
  add_settings(result, request, scene, plant, choice);
  request.tell(1.0);
  return result;
}

}  // namespace antaeus
