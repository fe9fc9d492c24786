// The six stops of the tour. Every number in a sentence or a figure is read out of the run's own files.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "components.hpp"
#include "tour.hpp"

namespace antaeus::cli {

namespace {

using Numbers = std::vector<double>;
constexpr Style kJoint{Tone::ink, Dash::solid, Marker::none, 6.0};

std::string number(double value, int digits = 3) { return without_end_zeros(significant_text(value, digits)); }
std::string with_unit(double value, const char* unit, int digits = 3) { return number(value, digits) + " " + unit; }
std::string share(double value) { return number(100.0 * value, 3) + " %"; }

Figure figure_of(const char* id, const std::string& title, double height) {
  Figure figure;
  figure.id = id;
  figure.title = figure.description = title;
  figure.width = 620.0;
  figure.panel_height = height;
  figure.letters = false;
  return figure;
}

/// The item of a list whose member has this text.
const Json& item(const Json& list, std::string_view member, std::string_view text) {
  for (const Json& one : list.items()) {
    if (one[member].is_text() && one[member].text() == text) return one;
  }
  throw Error("tour", "no '" + std::string(text) + "' in summary.json", "please report this");
}

Json::Array sentences_of(const Json& summary) { return summary["findings"].items(); }

DrawnShape line(Numbers x, Numbers y, const Style& style) {
  return {DrawnShape::Kind::line, std::move(x), std::move(y), style};
}

// Audit.

Told tell_audit(const std::filesystem::path& folder, const Json& summary) {
  const Table steps = read_csv(folder / "steps.csv");
  const auto& endpoint = std::get<TextColumn>(steps.column("endpoint").data);
  const auto& estimator = std::get<TextColumn>(steps.column("estimator").data);
  const std::string frame = summary["focus"]["endpoint"].text();
  const Numbers time = steps.numbers("time"), norm = steps.numbers("F_norm"), x = steps.numbers("guarded_Fx"),
                y = steps.numbers("guarded_Fy"), z = steps.numbers("guarded_Fz");
  Curve deployed{"as deployed", {}, {}, {Tone::vermillion, Dash::solid, Marker::none, 1.8}, Curve::Join::lines};
  Curve guarded{"guarded estimate", {}, {}, {Tone::blue, Dash::long_dash, Marker::none, 2.0}, Curve::Join::steps};
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (endpoint[i] != frame) continue;
    if (estimator[i] == "deployed") deployed.x.push_back(time[i]), deployed.y.push_back(norm[i]);
    if (estimator[i] == "posterior") {
      guarded.x.push_back(time[i]);
      guarded.y.push_back(std::hypot(x[i], y[i], z[i]));
    }
  }
  const double largest = *std::max_element(deployed.y.begin(), deployed.y.end());
  const double passed = *std::max_element(guarded.y.begin(), guarded.y.end());
  Figure figure = figure_of("tour-audit", "Force that the policy reads at the wrist", 230);
  Panel panel;
  panel.x.label = "time [s]";
  panel.y.label = "|F| at the wrist [N]";
  panel.y.include_zero = true;
  panel.curves = {deployed, guarded};
  panel.thresholds.push_back({100.0, false, "watchdog, 100 N"});
  figure.panels = {panel};
  const Json& verdict = summary["verdict"];
  return {{item(verdict, "id", "what")["text"].text(), item(verdict, "id", "cause")["text"].text(),
           "The robot has no contact: behind the guard the policy would have read at most " + with_unit(passed, "N") +
               " instead of " + with_unit(largest, "N", 4) + "."},
          draw_figure(figure)};
}

// Contact.

/// The links of one frame of the walk seen from the side, the far ones first, about the base's place.
void add_walker(Panel& panel, const Robot& robot, Dynamics& dynamics, const VectorX& q, double shift) {
  const PositionTerms at = dynamics.at(q);
  const auto place = [&](const std::string& frame) {
    Pose pose;
    (void)at.frame_pose(robot.model.frame(frame), pose);
    return Eigen::Vector2d(pose.translation.x() - q[0] + shift, pose.translation.z());
  };
  for (const std::string side : {"right_", "left_"}) {
    const Style style{side == "left_" ? Tone::ink : Tone::muted, Dash::solid, Marker::none, 4.0};
    const Eigen::Vector2d root = place("pelvis");
    DrawnShape leg = line({root.x()}, {root.y()}, style),
               arm = line({}, {}, {style.tone, Dash::solid, Marker::none, 3.0});
    for (const char* link : {"hip_pitch_link", "knee_link", "ankle_roll_link"}) {
      const Eigen::Vector2d p = place(side + link);
      leg.x.push_back(p.x()), leg.y.push_back(p.y());
    }
    for (const char* link : {"shoulder_pitch_link", "elbow_link", "wrist_yaw_link"}) {
      const Eigen::Vector2d p = place(side + link);
      arm.x.push_back(p.x()), arm.y.push_back(p.y());
    }
    const Eigen::Vector2d ankle = place(side + "ankle_roll_link");
    panel.shapes.push_back(line({ankle.x() - 0.08, ankle.x() + 0.16}, {ankle.y() - 0.045, ankle.y() - 0.045}, style));
    panel.shapes.push_back(std::move(leg));
    panel.shapes.push_back(std::move(arm));
  }
  const Eigen::Vector2d hip = place("pelvis"), chest = place("left_shoulder_pitch_link");
  panel.shapes.push_back(line({hip.x(), chest.x()}, {hip.y(), chest.y()}, {Tone::ink, Dash::solid, Marker::none, 9.0}));
  panel.shapes.push_back(
      {DrawnShape::Kind::dot, {chest.x()}, {chest.y() + 0.22}, {Tone::ink, Dash::solid, Marker::none, 18.0}});
}

Told tell_walk(const std::filesystem::path& folder, const Json& summary) {
  const Table table = read_csv(folder / "wrenches.csv");
  const auto& contact = std::get<TextColumn>(table.column("contact").data);
  const Numbers time = table.numbers("time"), Fx = table.numbers("Fx"), Fz = table.numbers("Fz"),
                sd = table.numbers("sd_Fz"), px = table.numbers("px"), pz = table.numbers("pz");
  Panel forces;
  forces.x.label = "time [s]";
  forces.y.label = "vertical force [N]";
  forces.y.include_zero = true;
  for (const auto& [frame, label, style] :
       {std::tuple{"left_ankle_roll_link", "left foot ± sd", Style{Tone::blue, Dash::solid, Marker::none, 2.0}},
        {"right_ankle_roll_link", "right foot ± sd", Style{Tone::vermillion, Dash::dashed, Marker::none, 2.0}}}) {
    Curve curve{label, {}, {}, style, Curve::Join::lines};
    Ribbon ribbon{"", {}, {}, {}, style};
    for (std::size_t i = 0; i < time.size(); ++i) {
      if (contact[i] != frame) continue;
      curve.x.push_back(time[i]), curve.y.push_back(Fz[i]);
      ribbon.x.push_back(time[i]), ribbon.low.push_back(Fz[i] - sd[i]), ribbon.high.push_back(Fz[i] + sd[i]);
    }
    forces.ribbons.push_back(ribbon);
    forces.curves.push_back(curve);
  }
  forces.thresholds.push_back({summary["weight_N"].number(), false, "weight"});
  forces.height = 130;

  const auto motion = read_npz(folder.parent_path() / "walk.npz");
  const NumpyArray& q = motion.at("q");
  const Robot robot = load_robot("h1_2");
  Dynamics dynamics(robot.model);
  Panel strip;
  strip.frame = false;
  strip.equal_scale = true;
  strip.height = 170;
  constexpr int kShown = 6;
  constexpr double kApart = 0.85, kMetresPerNewton = 0.0009;
  const std::size_t frames = q.rows(), columns = q.columns();
  for (int i = 0; i < kShown; ++i) {
    const std::size_t frame = (frames - 1) / 4 + static_cast<std::size_t>(i) * ((frames - 1) / 2) / kShown;
    VectorX at(static_cast<Eigen::Index>(columns));
    for (std::size_t j = 0; j < columns; ++j) at[static_cast<Eigen::Index>(j)] = q.values[frame * columns + j];
    add_walker(strip, robot, dynamics, at, kApart * i);
    for (std::size_t row = 2 * frame; row < 2 * frame + 2; ++row) {
      if (!(Fz[row] > 1.0)) continue;
      const double x = px[row] - at[0] + kApart * i + 0.04, z = pz[row] - 0.045;
      const Tone tone = contact[row] == "left_ankle_roll_link" ? Tone::blue : Tone::vermillion;
      strip.shapes.push_back({DrawnShape::Kind::arrow,
                              {x, x + kMetresPerNewton * Fx[row]},
                              {z, z + kMetresPerNewton * Fz[row]},
                              {tone, Dash::solid, Marker::none, 2.6}});
    }
  }
  strip.shapes.push_back(
      line({-0.5, kApart * (kShown - 1) + 0.5}, {0.0, 0.0}, {Tone::muted, Dash::solid, Marker::none, 1.0}));
  strip.y.minimum = -0.05, strip.y.maximum = 1.75;
  strip.x.minimum = -0.5, strip.x.maximum = kApart * (kShown - 1) + 0.5;
  Figure figure = figure_of("tour-walking", "The H1-2 walks: forces of its feet", 150);
  figure.panels = {strip, forces};

  const Json& left = summary["contacts"][std::size_t{0}];
  const double weight = summary["weight_N"].number();
  std::string unseen;
  for (const Json& one : summary["unobservable"].items()) unseen += (unseen.empty() ? "" : ", ") + one.text();
  return {
      {"Out of joint positions alone come " + std::to_string(summary["contact_intervals"].size()) +
           " contacts of the feet, their forces and all torques; the left foot carries up to " +
           with_unit(left["largest_vertical_N"].number(), "N") + ", " +
           number(left["largest_vertical_N"].number() / weight) + " of the weight.",
       "What no contact explains is " + share(summary["residual_share"].number()) + " of the weight, and " +
           (summary["feasible"].boolean() ? std::string("cones of friction, soles and motors can all carry the walk.")
                                          : "limits of friction, soles or motors are broken."),
       unseen.empty() ? "The motion determines each force." : "What the motion does not determine: " + unseen + "."},
      draw_figure(figure)};
}

// Reach.

/// Mean step over the last ten iterations of a method's way to a target, out of trace.csv [rad].
double last_steps(const Table& way, std::string_view wanted, double target) {
  const auto& method = std::get<TextColumn>(way.column("method").data);
  const Numbers of = way.numbers("target"), step = way.numbers("step");
  Numbers steps;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (method[i] == wanted && of[i] == target && std::isfinite(step[i])) steps.push_back(step[i]);
  }
  const std::size_t count = std::min<std::size_t>(10, steps.size());
  double sum = 0.0;
  for (std::size_t i = steps.size() - count; i < steps.size(); ++i) sum += steps[i];
  return sum / static_cast<double>(count);
}

Told tell_reach(const std::filesystem::path& folder, const Json& summary) {
  const Robot robot = load_robot("panda");
  Dynamics dynamics(robot.model);
  const Table solutions = read_csv(folder / "solutions.csv");
  const Numbers reached = solutions.numbers("reached"), error = solutions.numbers("position_error");
  constexpr double kTargets[][2] = {{0.5, 0.6}, {0.55, 0.15}, {1.15, 0.75}};  // x, z, as in the command below
  Panel panel;
  panel.frame = true;
  panel.equal_scale = true;
  panel.x.label = "x [m]";
  panel.y.label = "z [m]";
  panel.x.minimum = -0.55, panel.x.maximum = 1.65;
  panel.y.minimum = -0.08, panel.y.maximum = 1.02;
  const double reach = summary["reach_m"].number();
  DrawnShape arc = line({}, {}, {Tone::muted, Dash::dashed, Marker::none, 1.2});
  for (int i = -22; i <= 44; ++i) {
    const double angle = std::numbers::pi * i / 100.0, z = 0.333 + reach * std::sin(angle);
    if (z < -0.05 || z > 1.0) continue;
    arc.x.push_back(reach * std::cos(angle)), arc.y.push_back(z);
  }
  panel.shapes.push_back(arc);
  const Style styles[] = {{Tone::blue, Dash::solid, Marker::none, 5.0},
                          {Tone::green, Dash::solid, Marker::none, 5.0},
                          {Tone::vermillion, Dash::solid, Marker::none, 5.0}};
  for (std::size_t i = 0; i < 3; ++i) {
    VectorX motors = VectorX::Zero(robot.model.motor_count()), q(robot.model.nq());
    for (int j = 1; j <= 7; ++j) {
      const std::string joint = "panda_joint" + std::to_string(j);
      motors[robot.model.motor(joint)] = solutions.numbers(joint)[i];
    }
    (void)robot.model.position_from_motors(motors, {0.0, 0.0, 0.0, 1.0}, q);
    const PositionTerms at = dynamics.at(q);
    DrawnShape arm = line({0.0}, {0.0}, styles[i]);
    for (const char* link :
         {"panda_link1", "panda_link3", "panda_link4", "panda_link5", "panda_link6", "panda_link7", "panda_hand"}) {
      Pose pose;
      (void)at.frame_pose(robot.model.frame(link), pose);
      arm.x.push_back(pose.translation.x()), arm.y.push_back(pose.translation.z());
    }
    DrawnShape joints = arm;
    joints.kind = DrawnShape::Kind::dot;
    joints.style = kJoint;
    const double x = kTargets[i][0], z = kTargets[i][1];
    if (reached[i] == 0) {
      panel.shapes.push_back(
          line({arm.x.back(), x}, {arm.y.back(), z}, {Tone::vermillion, Dash::dotted, Marker::none, 1.6}));
      panel.notes.push_back({x, z, number(1000.0 * error[i]) + " mm short", 10, -8});
    }
    panel.shapes.push_back(std::move(arm));
    panel.shapes.push_back(std::move(joints));
    panel.curves.push_back({reached[i] != 0 ? "reached" : "out of reach",
                            {x},
                            {z},
                            {styles[i].tone, Dash::solid, reached[i] != 0 ? Marker::circle : Marker::cross, 2.4},
                            Curve::Join::none});
  }
  panel.notes.push_back({0.0, 0.333, "reach " + with_unit(reach, "m"), -8, -70, Annotation::Anchor::end});
  Figure figure = figure_of("tour-reach", "A Panda at three targets", 290);
  figure.panels = {panel};
  const Json& failure = summary["failures"][std::size_t{0}];
  const Table way = read_csv(folder / "trace.csv");
  const double target = failure["target"].number();
  return {{"The Panda's hand goes to " + number(summary["reached"].number()) + " of " +
               number(summary["targets"].number()) + " poses, to within " +
               with_unit(1e6 * summary["largest_position_error_reached_m"].number(), "µm") + ".",
           "Target " + number(failure["target"].number()) + " is " + failure["reason"].text() + ".",
           "That is a proof and no failed search: the arm stands at the nearest pose that its limits allow, while the "
           "pseudo-inverse still moves its joints by " +
               with_unit(last_steps(way, "pinv", target), "rad") + " and damped least squares by " +
               with_unit(last_steps(way, "dls", target), "rad") + " in each of its last ten iterations, on average."},
          draw_figure(figure)};
}

// Press.

Told tell_press(const std::filesystem::path& folder, const Json& summary) {
  const Table samples = read_csv(folder / "samples.csv");
  const Numbers time = samples.numbers("time"), force = samples.numbers("force");
  double touch = 0.0, trace = 0.0, hold = 0.0;
  for (const Json& one : summary["phases"].items()) {
    if (one["phase"].text() == "settle") touch = one["time"].number();
    if (one["phase"].text() == "trace") trace = one["time"].number();
    if (one["phase"].text() == "hold") hold = one["time"].number();
  }
  Panel panel;
  panel.x.label = "time since contact [s]";
  panel.y.label = "force on the table [N]";
  panel.y.include_zero = true;
  Curve curve{"true force", {}, {}, {Tone::blue, Dash::solid, Marker::none, 1.6}, Curve::Join::lines};
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (time[i] < touch - 0.6) continue;
    curve.x.push_back(time[i] - touch), curve.y.push_back(force[i]);
  }
  panel.curves = {curve};
  panel.bands.push_back({4.0, 6.0, false, "5 ± 1 N"});
  panel.thresholds.push_back({trace - touch, true, "slides"});
  panel.thresholds.push_back({hold - touch, true, "holds"});
  Figure figure = figure_of("tour-press", "Force while the arm slides and holds", 230);
  figure.panels = {panel};
  const Json& m = summary["metrics"];
  const Json& lab = item(summary["comparisons"][std::size_t{0}]["variants"], "name",
                         "lab's law and an orientation term, its contact");
  return {{"A UR5e lands with " + with_unit(m["landing_peak"].number(), "N") + " and slides along the table with " +
               with_unit(m["force_mean"].number(), "N", 4) + ": " + share(m["force_within_1N"].number()) +
               " of the time within 1 N.",
           "At rest after the line " + share(m["hold_within_1N"].number()) +
               " is within 1 N, and the tool is off by at most " +
               with_unit(1000.0 * m["tangent_error_max"].number(), "mm", 2) + " on the way.",
           "The published law on its own contact keeps " + number(lab["values"][4].number()) +
               " % of the slide within 1 N."},
          draw_figure(figure)};
}

// Flight.

Told tell_flight(const std::filesystem::path& folder, const Json& summary) {
  const Table samples = read_csv(folder / "samples.csv");
  const Numbers time = samples.numbers("time"), w = samples.numbers("base_qw");
  const Numbers bx = samples.numbers("base_qx"), by = samples.numbers("base_qy"), bz = samples.numbers("base_qz");
  const auto travel = [&](const std::string& stem) {
    Numbers out(time.size());
    const Numbers x = samples.numbers(stem + "x"), y = samples.numbers(stem + "y"), z = samples.numbers(stem + "z");
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = 1000.0 * std::hypot(x[i] - x[0], y[i] - y[0], z[i] - z[0]);
    return out;
  };
  Numbers turned(time.size());
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const double same = std::abs(w[i] * w[0] + bx[i] * bx[0] + by[i] * by[0] + bz[i] * bz[0]);
    turned[i] = 2.0 * std::acos(std::min(1.0, same)) * 180.0 / std::numbers::pi;
  }
  Panel places;
  places.title = "how far each has moved";
  places.x.label = "time [s]";
  places.y.label = "distance [mm]";
  places.y.include_zero = true;
  places.curves = {
      {"end-effector", time, travel(""), {Tone::blue, Dash::solid, Marker::none, 2.0}, Curve::Join::lines},
      {"base", time, travel("base_"), {Tone::vermillion, Dash::dashed, Marker::none, 2.0}, Curve::Join::lines},
      {"centre of mass", time, travel("com_"), {Tone::green, Dash::dash_dot, Marker::none, 2.0}, Curve::Join::lines}};
  Panel turn;
  turn.title = "the base turns";
  turn.x.label = "time [s]";
  turn.y.label = "angle [°]";
  turn.y.include_zero = true;
  turn.curves = {{"", time, turned, {Tone::vermillion, Dash::dashed, Marker::none, 2.0}, Curve::Join::lines}};
  Figure figure = figure_of("tour-flight", "A flight without a force on the base", 210);
  figure.columns = 2;
  figure.panels = {places, turn};
  const Json::Array found = sentences_of(summary);
  return {{found.at(0).text(), found.at(1).text(), found.at(3).text()}, draw_figure(figure)};
}

// Incident.

Told tell_incident(const std::filesystem::path&, const Json& summary) {
  Panel panel;
  panel.x.label = "speed of the fastest motor in the last half second [rad/s]";
  panel.horizontal_bars = true;
  panel.value_labels = true;
  Bars bars{"", {}, {Tone::vermillion, Dash::solid}, {}};
  const Json& table = summary["comparisons"][std::size_t{0}];
  std::size_t column = 0;
  for (std::size_t i = 0; i < table["heads"].size(); ++i) {
    if (table["heads"][i].text() == "late speed [rad/s]") column = i;
  }
  for (const Json& one : table["variants"].items()) {
    const std::string name = one["name"].text();
    const double value = one["values"][column].is_number() ? one["values"][column].number() : kNaN;
    panel.categories.push_back(name);
    bars.values.push_back(value);
    bars.notes.push_back(number(value, 2));
  }
  panel.bars = {bars};
  Figure figure = figure_of("tour-incident", "What stands between the torques and the policy", 300);
  figure.panels = {panel};
  const Json::Array found = sentences_of(summary);
  return {{found.at(0).text(), found.at(2).text(), found.at(3).text()}, draw_figure(figure)};
}

}  // namespace

const std::vector<Stop>& tour_stops() {
  static const std::vector<Stop> stops = {
      {"audit", "Audit", "A humanoid reads a force that does not exist", {"demo"}, nullptr, 1, tell_audit},
      {"walking",
       "Contact",
       "Forces of the feet, out of a walk alone",
       {"contact", "walk.npz", "--robot", "h1_2", "--contact", "left_ankle_roll_link", "--contact",
        "right_ankle_roll_link", "--over-time", "--with-limits", "cone", "--set", "contact.detect=true", "--set",
        "contact.half_length=0.12", "--set", "contact.half_width=0.043"},
       &kMotion,
       0,
       tell_walk},
      {"reach",
       "Inverse kinematics",
       "An arm that reaches its target, and one that cannot",
       {"ik", "--robot", "panda", "--frame", "panda_hand", "--target", "0.5,0,0.6,1,0,0,0", "--target",
        "0.55,0,0.15,1,0,0,0", "--target", "1.15,0,0.75,1,0,0,0", "--trace"},
       &kMotion,
       1,
       tell_reach},
      {"press",
       "Force control",
       "Five newtons, held and drawn along a line",
       {"simulate", "hybrid-trace"},
       &kStudies,
       0,
       tell_press},
      {"flight",
       "Free flight",
       "Arm and base move, and no thruster fires",
       {"space", "pose-change"},
       &kStudies,
       0,
       tell_flight},
      {"incident",
       "The incident, again",
       "The closed loop in simulation, and what stops it",
       {"simulate", "incident"},
       &kStudies,
       0,
       tell_incident},
  };
  return stops;
}

}  // namespace antaeus::cli
