// A kick at the tool, and what becomes of the motion under gravity compensation and under an impedance.
#include <algorithm>
#include <cmath>
#include <optional>

#include "antaeus/control/cartesian_impedance.hpp"
#include "antaeus/control/gravity_compensation.hpp"
#include "antaeus/core/option_table.hpp"
#include "studies/arm_run.hpp"
#include "studies/runs.hpp"

namespace antaeus {

namespace {

/// Group "perturbation".
struct PerturbationChoice {
  double force = 5.0;      ///< of the kick, along world x at the fingertip [N]
  double kick = 0.1;       ///< how long [s]
  double duration = 10.0;  ///< after it [s]
  bool compare = true;     ///< the other plants and controllers too
};
const OptionTable& options_of(const PerturbationChoice&) {
  using O = PerturbationChoice;
  static const OptionTable table(
      "perturbation",
      {
          option("force", "N", "of the kick, along world x at the fingertip", "leaves 0.7 rad/s, norm of all joints",
                 &O::force, kPositive),
          option("kick", "s", "how long it lasts", "our choice", &O::kick, Range{0.001, 5.0}),
          option("duration", "s", "how long it is watched after the kick", "long enough to come to rest", &O::duration,
                 Range{0.1, 120.0}),
          option("compare", "", "whether the other plants and controllers are run too", "our choice", &O::compare),
      });
  return table;
}
const OptionGroup kPerturbationGroup(PerturbationChoice{});

struct Answer {
  double speed_start = 0.0;               ///< as the kick ends [rad/s]
  double speed_2 = kNaN, speed_5 = kNaN;  ///< so many seconds after it [rad/s]
  double speed_final = kNaN;              ///< [rad/s]
  double moved = 0.0;                     ///< of any joint, at the end [rad]
};

/// \param has_impedance  else g(q) alone
Answer kick(ArmRig& rig, const PerturbationChoice& choice, bool has_impedance, SampleLog* log) {
  GravityCompensation gravity(rig.told);
  CartesianImpedance impedance(rig.told);
  ToolDynamics tool(rig.told, ArmRig::kTool);
  rig.reset();
  const VectorX rest = VectorX::Zero(rig.home.size());
  const CartesianTarget target{.X_WT = tool.at(rig.home, rest).X_WT, .posture = rig.home};
  Answer answer;
  const double h = rig.plant.time_step();
  const auto kicked = static_cast<int>(std::lround(choice.kick / h));
  const auto steps = kicked + static_cast<int>(std::lround(choice.duration / h));
  for (int step = 0; step < steps; ++step) {
    const double force = step < kicked ? choice.force : 0.0;
    rig.plant.push({Vector3(force, 0.0, 0.0), Vector3::Zero()});
    const VectorX& q = rig.plant.reading().q;
    const VectorX& v = rig.plant.reading().v;
    rig.plant.step(has_impedance ? impedance.update(tool.at(q, v), target).tau : gravity.update(q, v).tau);
    const VectorX now = true_velocities(rig);
    const double speed = now.norm(), after = (step + 1 - kicked) * h;
    if (step + 1 == kicked) answer.speed_start = speed;
    if (std::abs(after - 2.0) < 0.5 * h) answer.speed_2 = speed;
    if (std::abs(after - 5.0) < 0.5 * h) answer.speed_5 = speed;
    answer.speed_final = speed;
    if (log != nullptr && step % kStepsASample == 0) {
      std::vector<double> row = {rig.plant.truth().time};
      const VectorX at = true_positions(rig);
      row.insert(row.end(), at.begin(), at.end());
      row.insert(row.end(), now.begin(), now.end());
      row.insert(row.end(), {speed, force});
      log->add(row);
    }
  }
  answer.moved = (true_positions(rig) - rig.home).cwiseAbs().maxCoeff();
  return answer;
}

std::vector<double> row_of(const Answer& a) { return {a.speed_start, a.speed_2, a.speed_5, a.speed_final, a.moved}; }

}  // namespace

ExperimentResult run_perturbation(const RunRequest& request) {
  const auto scene = request.settings.get<SceneChoice>();
  PlantChoice source;
  source.joint_damping = 1.0;
  const auto plant = request.settings.get<PlantChoice>(source);
  const auto choice = request.settings.get<PerturbationChoice>();
  check_options(choice);
  ExperimentResult result;
  result.title = "A kick: does the arm come to rest?";
  result.question = "A push of " + value_text(choice.force) + " N along world x at the fingertip for " +
                    value_text(1e3 * choice.kick) + " ms; then the arm is left to its controller for " +
                    value_text(choice.duration) + " s.";
  result.physics = physics_of(scene, plant, false);

  ArmRig rig = make_rig(scene, plant, request.seed, false);
  std::vector<SampleLog::Head> heads;
  for (const std::string& joint : rig.plant.motor_joints())
    heads.push_back({"v_" + joint, "rad/s", "velocity, as it is"});
  heads.push_back({"speed", "rad/s", "norm of the joints' velocities"});
  heads.push_back({"push", "N", "the kick, along world x on the fingertip"});
  SampleLog log(arm_heads(rig, heads));
  const Answer main = kick(rig, choice, false, &log);
  request.tell(0.3);
  const Answer held = kick(rig, choice, true, nullptr);
  request.tell(0.5);
  result.metrics = {
      {"speed_final", main.speed_final, "rad/s",
       "norm of the joints' velocities " + value_text(choice.duration) + " s after the kick, under g(q)", -kInfinity,
       0.005, 0.0134},
      {"speed_start", main.speed_start, "rad/s", "the same as the kick ends", -kInfinity, kInfinity, kNaN},
      {"speed_final_impedance", held.speed_final, "rad/s",
       "the same " + value_text(choice.duration) + " s after the kick, under a Cartesian impedance", -kInfinity, 1e-4,
       kNaN},
  };
  result.findings = {"The kick leaves " + value_text(main.speed_start) + " rad/s; " + value_text(choice.duration) +
                         " s later g(q) alone has " + value_text(main.speed_final) + " rad/s and an impedance of " +
                         value_text(CartesianImpedanceOptions{}.stiffness) + " N/m " + value_text(held.speed_final) +
                         " rad/s. The force-control lab has 0.0134 rad/s and states neither the kick nor the time.",
                     "g(q) brings nothing back: the arm rests " + value_text(main.moved) +
                         " rad from where it was; the impedance " + value_text(held.moved) + " rad."};
  if (choice.compare) {
    Comparison table;
    table.title = "Who brakes the arm";
    table.note = "Norm of the joints' velocities. Without joint damping g(q) takes no energy out: the arm coasts.";
    table.heads = {"as the kick ends [rad/s]", "after 2 s", "after 5 s", "after " + value_text(choice.duration) + " s",
                   "joint moved [rad]"};
    table.variants.push_back({"g(q), this plant", row_of(main), true});
    const CartesianImpedanceOptions impedance;
    table.variants.push_back({"impedance " + value_text(impedance.stiffness) + " N/m, " +
                                  value_text(impedance.rotational_stiffness) + " N·m/rad, this plant",
                              row_of(held)});
    PlantChoice bare = plant;
    bare.joint_damping = 0.0;
    ArmRig coasting = make_rig(scene, bare, request.seed, false);
    const Answer coasts = kick(coasting, choice, false, nullptr);
    request.tell(0.75);
    const Answer braked = kick(coasting, choice, true, nullptr);
    table.variants.push_back({"g(q), no joint damping", row_of(coasts)});
    table.variants.push_back({"impedance, no joint damping", row_of(braked)});
    result.comparisons.push_back(table);
    result.findings.push_back("Without joint damping g(q) does not settle: " + value_text(coasts.speed_final) +
                              " rad/s after " + value_text(choice.duration) + " s; the impedance has " +
                              value_text(braked.speed_final) + " rad/s.");
  }
  result.samples = log.table();
  SamplePlot speeds{"Velocity of each joint", "rad/s", {}, {}};
  for (const std::string& joint : rig.plant.motor_joints()) speeds.lines.push_back({"v_" + joint, joint});
  result.plots = {{"Norm of the velocities", "rad/s", {{"speed", "speed"}}, {0.005}}, speeds};
  result.replay = arm_replay(rig, false);
  add_settings(result, request, scene, plant, choice);
  request.tell(1.0);
  return result;
}

}  // namespace antaeus
