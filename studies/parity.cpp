// Parity: our rigid-body dynamics beside MuJoCo's over random states, and what a wrong model would show.
#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/sim/mujoco_dynamics.hpp"
#include "studies/arm_rig.hpp"
#include "studies/draw.hpp"
#include "studies/runs.hpp"

namespace antaeus {

namespace {

/// Group "parity".
struct ParityChoice {
  int states = 1000;
  double velocity = 3.0;      ///< largest of a joint [rad/s]
  double acceleration = 5.0;  ///< largest of a joint [rad/s²], for inverse dynamics
  double torque = 5.0;        ///< largest of a joint [N·m], for forward dynamics
};
const OptionTable& options_of(const ParityChoice&) {
  constexpr const char* kStudy = "docs/validation.md#controllers";
  static const OptionTable table(
      "parity",
      {
          option("states", "1", "random states", kStudy, &ParityChoice::states, at_least(1)),
          option("velocity", "rad/s", "largest velocity of a joint", kStudy, &ParityChoice::velocity),
          option("acceleration", "rad/s²", "largest acceleration that inverse dynamics is given", kStudy,
                 &ParityChoice::acceleration),
          option("torque", "N·m", "largest torque that forward dynamics is given", kStudy, &ParityChoice::torque),
      });
  return table;
}
const OptionGroup kParityGroup(ParityChoice{});

constexpr double kLimit = 1e-11;  // rounding leaves 1e-13: two orders of room for another machine
constexpr int kArm = 6;

struct Quantity {
  const char *name, *unit, *meaning;
  double source;
};
constexpr std::array<Quantity, 8> kQuantities = {{
    {"gravity", "N·m", "torque of gravity", 8.01e-06},
    {"mass_matrix", "kg·m²", "entry of the mass matrix, armature included", 3.34e-05},
    {"bias", "N·m", "torque of gravity, centrifugal and Coriolis forces", kNaN},
    {"jacobian", "m or 1", "entry of a frame’s Jacobian in world axes", kNaN},
    {"position", "m", "coordinate of a frame’s origin", kNaN},
    {"rotation", "1", "entry of a frame’s rotation matrix", kNaN},
    {"inverse_dynamics", "N·m", "torque of a motion", kNaN},
    {"forward_dynamics", "1", "acceleration under a torque, relative to max(1, |a|)", kNaN},
}};
using Errors = std::array<double, kQuantities.size()>;

void keep_largest(Errors& largest, const Errors& errors) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!(errors[i] <= largest[i]) && !std::isnan(largest[i])) largest[i] = errors[i];  // NaN is larger than all
  }
}

void need(Status status) {
  if (status != Status::ok) throw Error("parity", "a state gives no numbers (" + std::string(to_string(status)) + ")");
}

double largest(const MatrixX& difference) { return difference.cwiseAbs().maxCoeff<Eigen::PropagateNaN>(); }

struct State {
  VectorX q, v, a, tau;
};

/// The first joints, the arm's, are the same whatever stands behind them.
class RandomStates {
 public:
  RandomStates(const ParityChoice& choice, int seed) : choice_(choice), draw_(seed) {}

  State next(int size) {
    return {draw_(size, std::numbers::pi), draw_(size, choice_.velocity), draw_(size, choice_.acceleration),
            draw_(size, choice_.torque)};
  }

 private:
  ParityChoice choice_;
  Draw draw_;
};

/// A model of ours beside one that MuJoCo computes with.
class Pair {
 public:
  /// Name of a frame in either model.
  using Frames = std::vector<std::pair<std::string, std::string>>;

  Pair(const MujocoScene& scene, const RobotModel& ours, const RobotModel& mujocos, Frames frames = {})
      : dynamics_(ours), mujoco_(scene, mujocos), model_(mujocos), n_(ours.nv()), frames_(std::move(frames)) {
    const bool is_all = frames_.empty();
    for (const char* const name : {"fingertip", "mount", "wrist_3_link", "gripper_left_pad"}) {
      if (is_all) frames_.emplace_back(name, name);
    }
    if (mujocos.nv() != n_) throw Error("parity", "the two models differ in their joints", "compare like with like");
  }

  int size() const { return n_; }

  Errors at(const State& state) {
    VectorX x(n_), y(n_);
    MatrixX M(n_, n_), N(n_, n_);
    Matrix6X J(6, n_), K(6, n_);
    Pose X, Y;
    Errors errors{};
    need(dynamics_.at(state.q).gravity_torque(x));
    need(mujoco_.gravity_torque(state.q, y));
    errors[0] = largest(x - y);
    need(dynamics_.mass_matrix(state.q, M));
    need(mujoco_.mass_matrix(state.q, N));
    errors[1] = largest(M - N);
    need(dynamics_.nonlinear_effects(state.q, state.v, x));
    need(mujoco_.nonlinear_effects(state.q, state.v, y));
    errors[2] = largest(x - y);
    for (const auto& [our_name, their_name] : frames_) {
      const PositionTerms here = dynamics_.at(state.q);
      const FrameId frame = dynamics_.model().frame(our_name), theirs = model_.frame(their_name);
      need(here.frame_jacobian(frame, J));
      need(mujoco_.frame_jacobian(state.q, theirs, K));
      need(here.frame_pose(frame, X));
      need(mujoco_.frame_pose(state.q, theirs, Y));
      keep_largest(errors, {0.0, 0.0, 0.0, largest(J - K), largest(X.translation - Y.translation),
                            largest(X.rotation - Y.rotation), 0.0, 0.0});
    }
    need(dynamics_.inverse_dynamics(state.q, state.v, state.a, x));
    need(mujoco_.inverse_dynamics(state.q, state.v, state.a, y));
    errors[6] = largest(x - y);
    need(dynamics_.forward_dynamics(state.q, state.v, state.tau, x));
    need(mujoco_.forward_dynamics(state.q, state.v, state.tau, y));
    errors[7] = (x - y).norm() / std::max(1.0, y.norm());
    return errors;
  }

 private:
  Dynamics dynamics_;
  MujocoDynamics mujoco_;
  RobotModel model_;
  int n_;
  Frames frames_;
};

bool is_of_gripper(const LinkDescription& link) { return link.name.starts_with("gripper_"); }

MujocoRobot without_gripper(MujocoRobot robot) {
  for (LinkDescription& link : robot.description.links) {
    if (!is_of_gripper(link)) continue;
    link.inertial = {};
    link.has_inertial = false;
  }
  return robot;
}

/// Mass, centre and inertia of the gripper's links, all fixed to the wrist, in the axes of the frame that carries it.
Inertial lumped_gripper(const RobotDescription& description, const std::string& wrist, const std::string& flange) {
  std::map<std::string, Pose> X_wrist = {{wrist, {}}};
  for (const JointDescription& joint : description.joints) {  // a parent stands before its children
    if (const auto parent = X_wrist.find(joint.parent); parent != X_wrist.end()) {
      X_wrist[joint.child] = parent->second * joint.X_PJ;
    }
  }
  Inertial lump;
  const Pose X_flange = X_wrist.at(flange).inverse();
  const auto each = [&](const auto& visit) {
    for (const LinkDescription& link : description.links) {
      if (is_of_gripper(link) && link.has_inertial) visit(link.inertial, X_flange * X_wrist.at(link.name));
    }
  };
  const auto place = [](const Inertial& part, const Pose& X) {
    return X.rotation * part.center_of_mass + X.translation;
  };
  each([&](const Inertial& part, const Pose& X) {
    lump.mass += part.mass;
    lump.center_of_mass += part.mass * place(part, X);
  });
  lump.center_of_mass /= lump.mass;
  each([&](const Inertial& part, const Pose& X) {
    const Vector3 r = place(part, X) - lump.center_of_mass;
    lump.inertia += X.rotation * part.inertia * X.rotation.transpose() +
                    part.mass * (r.squaredNorm() * Matrix3::Identity() - r * r.transpose());
  });
  return lump;
}

/// The gripper's mass at the flange, in place of its links.
RobotModel with_payload(const MujocoRobot& robot) {
  MujocoRobot bare = without_gripper(robot);
  bare.options.payloads.push_back(
      {"attachment_site", lumped_gripper(robot.description, "wrist_3_link", "attachment_site")});
  return bare.model();
}

/// The maker's own figures of the arm (robots/ur5e), with MuJoCo's gripper as a payload and MuJoCo's armature.
RobotModel of_the_maker(const MujocoRobot& robot) {
  const Robot published = load_robot("ur5e", MeshPolicy::ignored);
  RobotDescription description = published.model.description();
  ModelOptions options = robot.options;
  options.payloads.push_back({"tool0", lumped_gripper(robot.description, "wrist_3_link", "attachment_site")});
  return {description, options};
}

RobotModel without_armature(MujocoRobot robot) {
  robot.options.armature.clear();
  return robot.model();
}

/// Masses, centres and inertias with so many significant digits, as a file writes them.
RobotModel rounded(MujocoRobot robot, int digits) {
  for (LinkDescription& link : robot.description.links) {
    Inertial& inertial = link.inertial;
    inertial.mass = rounded_to(inertial.mass, digits);
    for (double& part : inertial.center_of_mass) part = rounded_to(part, digits);
    for (double& part : inertial.inertia.reshaped()) part = rounded_to(part, digits);
  }
  return robot.model();
}

struct ParityCase {
  std::string name, column, label;
  Pair pair;
  Errors worst = {};
};

Comparison comparison_of(std::string title, std::string note, const std::vector<ParityCase>& cases) {
  Comparison comparison{std::move(title), std::move(note), {}, {}};
  for (const Quantity& quantity : kQuantities) {
    std::string head = quantity.name;
    std::replace(head.begin(), head.end(), '_', ' ');
    comparison.heads.push_back(head + " [" + quantity.unit + "]");
  }
  for (const ParityCase& one : cases) {
    comparison.variants.push_back({one.name, std::vector<double>(one.worst.begin(), one.worst.end())});
  }
  return comparison;
}

NamedFigure ablation_figure(const std::vector<ParityCase>& models, const std::vector<ParityCase>& ablations) {
  Figure figure;
  figure.id = "gravity-error";
  figure.title = "Error of the gravity torque by model";
  figure.description =
      "Largest difference from MuJoCo of the torque of gravity, of the models as they are and of wrong "
      "ones, on a logarithmic axis.";
  figure.panel_height = 260.0;
  Panel panel;
  panel.horizontal_bars = true;
  panel.value_labels = true;
  Bars bars;
  // Bars stand on zero: what is drawn is how many orders above rounding the error is.
  for (const std::vector<ParityCase>* const group : {&models, &ablations}) {
    for (const ParityCase& one : *group) {
      panel.categories.push_back(one.name);
      bars.values.push_back(std::max(0.0, std::log10(one.worst[0]) + 16.0));
      bars.notes.push_back(value_text(one.worst[0]));
    }
  }
  panel.x.label = "orders of magnitude above 10⁻¹⁶ N·m";
  panel.bars.push_back(std::move(bars));
  figure.panels.push_back(std::move(panel));
  return {
      figure.id, figure.title,
      "Largest error of the gravity torque over all states. The published 8.01·10⁻⁶ N·m lies between inertials that "
      "are rounded to six and to five digits.",
      draw_figure(figure)};
}

class ParityRun {
 public:
  explicit ParityRun(const RunRequest& request)
      : request_(request),
        choice_(request.settings.get<ParityChoice>()),
        rigid_rig_(make_rig({}, {}, request.seed, false)),
        real_rig_(make_rig({}, {.gripper = ToolJoints::real}, request.seed, false)),
        rigid_(mujoco_robot(rigid_rig_.scene, {.root = "base"})),
        arm_(rigid_.model()),
        tree_(mujoco_robot(real_rig_.scene).model()) {
    check_options(choice_);
    add_models();
    if (request.compares()) add_ablations();
  }

  ExperimentResult run() {
    const Table samples = compare();
    ExperimentResult result;
    result.title = "Parity with MuJoCo";
    result.question =
        "Do our rigid-body dynamics and MuJoCo’s agree on the same arm? Gravity, mass matrix, bias, Jacobians, poses, "
        "inverse and forward dynamics in " +
        std::to_string(choice_.states) + " random states that move.";
    result.axis = "state";
    for (std::size_t i = 0; i < kQuantities.size(); ++i) {
      const Quantity& quantity = kQuantities[i];
      result.metrics.push_back({std::string(quantity.name) + "_max", worst_[i], quantity.unit,
                                std::string("largest error: ") + quantity.meaning, -kInfinity, kLimit,
                                quantity.source});
    }
    tell(result);
    add_plots(result);
    result.samples = samples;
    result.replay.description = rigid_.description;
    for (const std::string& joint : arm_.motor_names()) {
      result.replay.joints.push_back(joint);
      result.replay.columns.push_back("q_" + joint);
    }
    result.settings = request_.settings.list(choice_);
    return result;
  }

 private:
  void add_models() {
    models_.push_back({"gripper as one body, 6 joints", "rigid", "", {rigid_rig_.scene, arm_, arm_}});
    models_.push_back({"whole tree, 14 joints", "tree", "", {real_rig_.scene, tree_, tree_}});
    models_.push_back({"gripper held closed, 6 joints", "held", "", {real_rig_.scene, real_rig_.real, real_rig_.real}});
    models_.push_back(
        {"gripper as a payload, 6 joints", "payload", "", {rigid_rig_.scene, with_payload(rigid_), arm_}});
  }

  void add_ablations() {
    const auto wrong = [&](const char* name, const char* column, const char* label, const RobotModel& model) {
      ablations_.push_back({name, column, label, {rigid_rig_.scene, model, arm_}});
    };
    wrong("without the gripper’s mass", "no_payload", "no payload", without_gripper(rigid_).model());
    wrong("without armature", "no_armature", "no armature", without_armature(rigid_));
    wrong("inertials rounded to 6 digits", "6_digits", "6 digits", rounded(rigid_, 6));
    wrong("inertials rounded to 5 digits", "5_digits", "5 digits", rounded(rigid_, 5));
    wrong("inertials rounded to 4 digits", "4_digits", "4 digits", rounded(rigid_, 4));
    std::map<std::string, double> open;
    for (const auto& [joint, position] : real_rig_.real.options().locked_joints) open[joint] = 0.0;
    const RobotModel held_open = mujoco_robot(real_rig_.scene, {"base", open}).model();
    ablations_.push_back(
        {"gripper closed, the model’s open", "open", "gripper open", {real_rig_.scene, held_open, real_rig_.real}});
    ablations_.push_back({"the maker’s URDF and a payload",
                          "maker",
                          "maker’s URDF",
                          {rigid_rig_.scene, of_the_maker(rigid_), arm_, {{"tool0", "attachment_site"}}}});
  }

  SampleLog empty_log() const {
    std::vector<SampleLog::Head> heads = {{"state", "1", "number of the random state"}};
    for (int joint = 0; joint < kArm; ++joint) {
      heads.push_back({"q_" + arm_.motor_names()[static_cast<std::size_t>(joint)], "rad", "position of the joint"});
    }
    for (const Quantity& quantity : kQuantities) {
      heads.push_back({quantity.name, quantity.unit,
                       std::string("largest difference from MuJoCo over four models: ") + quantity.meaning});
    }
    for (const ParityCase& one : ablations_) {
      heads.push_back({"gravity_" + one.column, "N·m", "the same of g, " + one.name});
    }
    return SampleLog(std::move(heads));
  }

  Table compare() {
    SampleLog log = empty_log();
    RandomStates random(choice_, request_.seed);
    std::vector<double> row;
    for (int i = 0; i < choice_.states; ++i) {
      const State whole = random.next(tree_.nv());
      const State arm{whole.q.head(kArm), whole.v.head(kArm), whole.a.head(kArm), whole.tau.head(kArm)};
      Errors errors{};
      row.assign({static_cast<double>(i)});
      row.insert(row.end(), arm.q.begin(), arm.q.end());
      for (ParityCase& one : models_) {
        const Errors found = one.pair.at(one.pair.size() == kArm ? arm : whole);
        keep_largest(one.worst, found);
        keep_largest(errors, found);
      }
      keep_largest(worst_, errors);
      row.insert(row.end(), errors.begin(), errors.end());
      for (ParityCase& one : ablations_) {
        const Errors found = one.pair.at(arm);
        keep_largest(one.worst, found);
        row.push_back(found[0]);
      }
      log.add(row);
      request_.tell(static_cast<double>(i + 1) / choice_.states);
    }

    return log.table();
  }

  void tell(ExperimentResult& result) const {
    result.physics = {
        "MuJoCo 4.0 with contacts, limits, equalities, friction and springs off: the tree alone.",
        "Our model is read out of MuJoCo’s compiled one and not of a file: links, joints and inertias to the last bit, "
        "armature included."};
    result.remarks.emplace_back("Positions are drawn from ±π of every joint, the gripper’s too: a tree has no limits.");
    result.findings.push_back("Torques of gravity agree to " + value_text(worst_[0]) + " N·m and mass matrices to " +
                              value_text(worst_[1]) + " kg·m²; the published study has 8.01·10⁻⁶ and 3.34·10⁻⁵.");
    result.comparisons.push_back(
        comparison_of("The gripper in four ways",
                      "A payload is what a URDF has; the others are read out of MuJoCo’s model.", models_));
    if (ablations_.empty()) return;
    result.comparisons.push_back(
        comparison_of("What a wrong model shows",
                      "Against MuJoCo’s right one, in the same states. Armature that is written as Pinocchio’s "
                      "rotorInertia is left out: rnea, crba and aba do not read it.",
                      ablations_));
    const auto g = [&](std::size_t ablation) { return value_text(ablations_[ablation].worst[0]) + " N·m"; };
    result.findings.push_back("Its figure of g lies between those of inertials rounded to six digits, " + g(2) +
                              ", and to five, " + g(3) +
                              ": what a file of a robot writes. That of M is the size of four digits.");
    result.findings.push_back("A gripper that is forgotten costs " + g(0) +
                              "; forgotten armature leaves gravity right and M wrong by " +
                              value_text(ablations_[1].worst[1]) +
                              " kg·m²; a gripper that is held open in the model and is closed costs " + g(5) + ".");
    result.findings.push_back(
        "The maker’s own figures of the arm, as its URDF has them, differ from the Menagerie’s by " + g(6) +
        " with the same payload: parity is a matter of one source for both.");
    result.figures.push_back(ablation_figure(models_, ablations_));
  }

  void add_plots(ExperimentResult& result) const {
    result.plots = {{"Torques: largest difference from MuJoCo",
                     "N·m",
                     {{"gravity", "gravity"}, {"bias", "bias"}, {"inverse_dynamics", "inverse dynamics"}},
                     {kLimit},
                     true},
                    {"Mass matrix, forward dynamics, frames: largest difference",
                     "SI units",
                     {{"mass_matrix", "mass matrix"},
                      {"forward_dynamics", "forward dynamics"},
                      {"jacobian", "Jacobian"},
                      {"position", "position"}},
                     {kLimit},
                     true}};
    if (ablations_.empty()) return;
    std::vector<SamplePlot::Line> gravity = {{"gravity", "as it is"}};
    for (const ParityCase& one : ablations_) gravity.push_back({"gravity_" + one.column, one.label});
    result.plots.push_back(
        {"Gravity torque of wrong models: largest difference from MuJoCo", "N·m", std::move(gravity), {}, true});
  }

  const RunRequest& request_;
  ParityChoice choice_;
  ArmRig rigid_rig_, real_rig_;
  MujocoRobot rigid_;
  RobotModel arm_, tree_;
  std::vector<ParityCase> models_, ablations_;
  Errors worst_{};
};

}  // namespace

ExperimentResult run_parity(const RunRequest& request) { return ParityRun(request).run(); }

}  // namespace antaeus
