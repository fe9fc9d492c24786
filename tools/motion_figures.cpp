#include "motion_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/control/cartesian_impedance.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/ik/ik_trace.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/space/free_flight.hpp"
#include "antaeus/space/free_flyer.hpp"
#include "examples/legged/legged.hpp"

namespace antaeus {

namespace {

using Numbers = std::vector<double>;

constexpr Style kBlue{Tone::blue, Dash::solid, Marker::none, 2.0},
    kRed{Tone::vermillion, Dash::dashed, Marker::none, 2.0}, kGreen{Tone::green, Dash::dash_dot, Marker::none, 2.0};

void must(Status status) {
  if (status != Status::ok) throw Error("motion_figures", std::string(to_string(status)), "please report this");
}

Panel panel_of(const std::string& title, const std::string& x, const std::string& y) {
  Panel panel;
  panel.title = title;
  panel.x.label = x;
  panel.y.label = y;
  panel.y.include_zero = true;
  return panel;
}

NamedFigure finish(const char* id, const std::string& title, std::vector<Panel> panels, const std::string& caption) {
  Figure figure;
  figure.id = id;
  figure.title = title;
  figure.description = caption;
  figure.columns = 2;
  figure.panel_height = 210;
  figure.panel_legends = true;
  figure.panels = std::move(panels);
  return {figure.id, title, caption, draw_figure(figure)};
}

/// The biped of examples/biped_step.cpp.
NamedFigure step_figure() {
  const legged::Hips hips = {{"left", {0.0, 0.1, 0.0}}, {"right", {0.0, -0.1, 0.0}}};
  const Robot biped = legged::robot({.trunk = 30, .thigh = 4, .shank = 3, .foot = 1}, 0.4, hips);
  constexpr Eigen::Index kSteps = 200;
  ContactMotion motion;
  motion.name = "biped_step";
  motion.q.resize(kSteps, biped.model.nq());
  motion.active.resize(kSteps, 2);
  motion.time = VectorX::LinSpaced(kSteps, 0.0, 0.01 * (kSteps - 1));
  for (Eigen::Index t = 0; t < kSteps; ++t) {
    const double time = motion.time[t];
    std::map<std::string, Vector3> feet;
    for (const auto& [name, middle] : {std::pair{"left", 1.5}, {"right", 0.5}}) {  // [s]: when each is lifted
      const double swing = (time - middle) / 0.4 + 0.5;
      feet[name] = hips.at(name) + Vector3(0.0, 0.0, 0.04 * legged::bump(swing));
      motion.active(t, std::ssize(feet) - 1) = swing <= 0.0 || swing >= 1.0;
    }
    legged::place(motion.q.row(t), {0.0, 0.055 * std::sin(std::numbers::pi * time), 0.76}, hips, feet, 0.4);
  }
  const ContactRequest request{.contacts = {"left_foot", "right_foot"}, .over_time = true, .limits = LimitSet::cone};
  ContactOptions options;
  options.half_length = 0.11;
  options.half_width = 0.05;
  const ContactResult result = contact_inverse_dynamics(biped, motion, request, options);
  if (result.error.empty()) throw Error("motion_figures", "no sd of the feet: " + result.sd_because, "report this");

  Panel force = panel_of("vertical force ± sd", "time [s]", "force [N]");
  Panel torque = panel_of("torques of the left leg", "time [s]", "torque [N·m]");
  const Numbers time(motion.time.begin(), motion.time.end());
  double largest_sd = 0.0;
  for (int c = 0; c < 2; ++c) {
    Curve curve{c == 0 ? "left foot" : "right foot", time, {}, c == 0 ? kBlue : kRed, Curve::Join::lines};
    Ribbon ribbon{"", time, {}, {}, curve.style};
    for (Eigen::Index t = 0; t < kSteps; ++t) {
      const Eigen::Index column = result.dynamics.demand.column(t, c);
      const double f = result.solution.wrench(2, column);
      const double sd = std::sqrt(std::max(0.0, result.error[static_cast<std::size_t>(column)](2, 2)));
      largest_sd = std::max(largest_sd, sd);
      curve.y.push_back(f), ribbon.low.push_back(f - sd), ribbon.high.push_back(f + sd);
    }
    force.curves.push_back(std::move(curve));
    force.ribbons.push_back(std::move(ribbon));
  }
  force.thresholds.push_back({result.weight, false, "weight"});
  double largest_torque = 0.0;
  for (const auto& [row, label, style] : {std::tuple{"left_hip_roll", "hip roll", kBlue},
                                          {"left_hip_pitch", "hip pitch", kRed},
                                          {"left_knee", "knee", kGreen}}) {
    const auto at = std::find(result.rows.begin(), result.rows.end(), row) - result.rows.begin();
    Curve curve{label, time, {}, style, Curve::Join::lines};
    for (Eigen::Index t = 0; t < kSteps; ++t) curve.y.push_back(result.torque(t, at));
    for (const double value : curve.y) largest_torque = std::max(largest_torque, std::abs(value));
    torque.curves.push_back(std::move(curve));
  }
  return finish("feet-of-a-step", "A biped steps in place: what each foot carries", {force, torque},
                "The biped of examples/biped_step.cpp, " + display_number(result.weight, 0) +
                    " N, shifts over one foot and lifts the other. Out of joint positions alone: each foot's vertical "
                    "force, whose sd is largest, " +
                    display_number(largest_sd, 0) +
                    " N, while both feet stand and the motion does not tell their shares, and nearly none while one "
                    "carries all; and torques of a leg, at most " +
                    display_number(largest_torque, 0) + " N·m here.");
}

/// The Panda of the tour at its third target.
NamedFigure reach_figure() {
  const Robot panda = load_robot("panda");
  const std::vector<std::string> target = {"1.15,0,0.75,1,0,0,0"};
  const IkResult result = solve_ik(panda, {.frame = "panda_hand", .targets = parse_ik_targets(target)});
  const IkTrace trace = trace_ik(result);
  Panel error = panel_of("distance from the target", "iteration", "√(m² + rad²)");
  Panel step = panel_of("step of the joints", "iteration", "step [rad]");
  step.y.include_zero = false;
  step.y.logarithmic = true;
  constexpr int kShown = 25;  // plain methods are chaotic here: later ones hang on the last bit
  std::string caption =
      "A Panda's hand is sent to a pose " + display_number(1000.0 * result.solution(0).position_error, 0) +
      " mm from the closest one, a radian counted as a metre. After 15 iterations the joints still move by";
  double pinv_last = kNaN, dls_last = kNaN;
  for (const IkWay& way : trace.ways) {
    const bool plain = way.method != IkMethod::reach;
    const Style style = way.method == IkMethod::pinv ? kRed : way.method == IkMethod::dls ? kGreen : kBlue;
    Curve far{std::string(to_string(way.method)), {}, {}, style, Curve::Join::lines};
    Curve move = far;
    if (plain) {
      for (int i = way.first; i < way.first + std::min(way.rows, kShown); ++i) {
        far.x.push_back(i - way.first), far.y.push_back(std::hypot(trace.position_error[static_cast<std::size_t>(i)],
                                                                   trace.rotation_error[static_cast<std::size_t>(i)]));
        move.x.push_back(i - way.first), move.y.push_back(trace.step[static_cast<std::size_t>(i)]);
      }
      double sum = 0.0;
      for (int i = kShown - 10; i < kShown; ++i) sum += move.y.at(static_cast<std::size_t>(i));
      (way.method == IkMethod::pinv ? pinv_last : dls_last) = sum / 10.0;
      step.curves.push_back(std::move(move));
      error.curves.push_back(std::move(far));
    } else {
      error.thresholds.push_back(
          {std::hypot(way.position_error, way.rotation_error), false, "ours: answer and proof", kBlue});
    }
  }
  caption += " " + significant_text(pinv_last, 2) +
             " rad an iteration, on average of ten, under the pseudo-inverse and by " + significant_text(dls_last, 2) +
             " rad under damped least squares: neither comes to rest, and neither says why. Ours ends at the line and "
             "says that the target is out of reach.";
  return finish("out-of-reach", "Three methods at a target that is out of reach", {error, step}, caption);
}

/// The hand of a Panda held by springs of three stiffnesses and pushed.
NamedFigure push_figure() {
  const Robot robot = load_robot("panda");
  ModelOptions options = robot.profile.options;
  options.locked_joints = {{"panda_finger_joint1", 0.02}, {"panda_finger_joint2", 0.02}};
  const RobotModel model(robot.model.description(), options);
  constexpr double kForce = 10.0, kStep = 1e-3, kBegin = 0.5, kEnd = 2.5;  // [N], [s]
  Panel place = panel_of("the hand gives way", "time [s]", "along x [mm]");
  Panel spring = panel_of("the law's force", "time [s]", "along x [N]");
  place.bands.push_back({kBegin, kEnd, true, "push of 10 N"});
  spring.bands.push_back({kBegin, kEnd, true, ""});
  std::string caption =
      "A Panda's hand under Cartesian impedance, damping ratio 1, is pushed by 10 N along x for 2 s. ";
  for (const auto& [stiffness, style] : {std::pair{200.0, kRed}, {500.0, kBlue}, {2000.0, kGreen}}) {
    CartesianImpedance control(model, {.stiffness = stiffness});
    ToolDynamics tool(model, "panda_hand_tcp");
    Dynamics dynamics(model);
    VectorX q = (VectorX(7) << 0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785).finished(), v = VectorX::Zero(7), a(7);
    const CartesianTarget target{.X_WT = tool.at(q, v).X_WT, .posture = q};
    Curve moved{display_number(stiffness, 0) + " N/m", {}, {}, style, Curve::Join::lines}, felt = moved;
    double lasting = kNaN;
    for (int cycle = 0; cycle <= 4000; ++cycle) {
      const double time = kStep * cycle;
      const ToolState& now = tool.at(q, v);
      const CartesianTorque& given = control.update(now, target);
      must(given.status);
      const double x = 1e3 * (now.X_WT.translation.x() - target.X_WT.translation.x());
      if (cycle % 10 == 0) {
        moved.x.push_back(time), moved.y.push_back(x);
        felt.x.push_back(time), felt.y.push_back(given.commanded.force.x());
      }
      const bool pushed = time >= kBegin && time < kEnd;
      if (pushed) lasting = x;
      VectorX tau = given.tau;
      if (pushed) tau += now.J.transpose() * (kForce * Vector6::Unit(0));
      must(dynamics.forward_dynamics(q, v, tau, a));
      v += kStep * a;
      q += kStep * v;
    }
    caption += (stiffness > 200.0 ? "at " : "At ") + display_number(stiffness, 0) + " N/m it gives way by " +
               display_number(lasting, 2) + " mm (F/K is " + display_number(1e3 * kForce / stiffness, 2) + ")" +
               (stiffness < 2000.0 ? "; " : ". ");
    place.curves.push_back(std::move(moved));
    spring.curves.push_back(std::move(felt));
  }
  caption += "The law's force K e ends each push at −10 N: what it does to the world, told without a force sensor.";
  return finish("push-and-give", "A push on the hand under three stiffnesses", {place, spring}, caption);
}

/// The spacecraft of examples/free_flyer.cpp.
NamedFigure tumbling_figure() {
  constexpr double kStep = 0.002, kDamping = 0.25;  // [s], [1/s]
  constexpr int kSteps = 5000;
  const Robot robot = load_robot("spacecraft_ur3");
  FreeFlyer flying(robot.model, "ee_link");
  FreeFlight flight(robot.model);
  VectorX q(robot.model.nq());
  must(robot.model.position_from_motors(robot.pose("ready"), {0, 0, 0, 1}, q));
  must(flight.reset(q, VectorX{{0.1, -0.05, 0.02, 0.02, 0.03, -0.04, 0.1, -0.08, 0.06, 0.05, -0.1, 0.2}}));
  Curve turn{"base turns [rad/s]", {}, {}, kRed, Curve::Join::lines},
      hand{"end-effector [m/s]", {}, {}, kGreen, Curve::Join::lines},
      com{"centre of mass [m/s]", {}, {}, kBlue, Curve::Join::lines},
      energy{"energy of rotation and arm", {}, {}, kRed, Curve::Join::lines},
      predicted{"first value × e^(−2dt)", {}, {}, {Tone::ink, Dash::dotted, Marker::none, 2.4}, Curve::Join::lines};
  double force = 0.0, first = kNaN, last = kNaN;
  for (int i = 0; i <= kSteps; ++i) {
    const FreeFlyingTerms& t = flying.at(flight.q(), flight.v());
    VectorX v_breve(9), f = VectorX::Zero(12);
    v_breve << t.motion.omega_b, t.motion.nu_plus;
    last = 0.5 * v_breve.dot(t.M_breve * v_breve);
    if (i == 0) first = last;
    if (i % 25 == 0) {
      const double time = flight.time();
      for (const auto& [curve, value] : {std::pair{&turn, t.motion.omega_b.norm()},
                                         {&hand, t.motion.nu_plus.head<3>().norm()},
                                         {&com, t.motion.v_c.norm()},
                                         {&energy, last},
                                         {&predicted, first * std::exp(-2.0 * kDamping * time)}}) {
        curve->x.push_back(time), curve->y.push_back(value);
      }
    }
    f.tail(9) = -kDamping * (t.M_breve * v_breve);
    const VectorX tau = t.Gamma.transpose() * f;
    force = std::max(force, tau.head(3).cwiseAbs().maxCoeff());
    if (i < kSteps) must(flight.step(tau, kStep));
  }
  Panel speeds = panel_of("speeds", "time [s]", "[m/s] or [rad/s]");
  speeds.curves = {turn, hand, com};
  Panel left = panel_of("energy", "time [s]", "½ v̆ᵀM̆v̆ [J]");
  left.y.include_zero = false;
  left.y.logarithmic = true;
  left.curves = {energy, predicted};
  return finish("arm-stops-tumbling", "A spacecraft stops its tumbling without a thruster", {speeds, left},
                "The spacecraft of examples/free_flyer.cpp tumbles; arm and reaction wheels damp ω_b and ν_e⊕ by "
                "d = 0.25 1/s. In 10 s their energy falls to a " +
                    display_number(first / last, 1) + "th, with e^(2dt) = " + display_number(std::exp(5.0), 1) +
                    " foretold; the centre of mass drifts on, at " + display_number(com.y.front(), 3) +
                    " m/s before and " + display_number(com.y.back(), 3) + " m/s after, since the base force is " +
                    display_number(force, 0) + " N.");
}

}  // namespace

std::vector<NamedFigure> motion_figures() { return {step_figure(), reach_figure(), push_figure(), tumbling_figure()}; }

}  // namespace antaeus
