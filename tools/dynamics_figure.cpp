#include "dynamics_figure.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "antaeus/core/number_text.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

namespace {

constexpr std::array kLength{0.5, 0.4, 0.3};
constexpr std::array kMass{1.0, 0.8, 0.5};

struct Pass {
  std::array<Eigen::Vector2d, 4> joint;                        ///< [m], the tip last
  std::array<Eigen::Vector2d, 3> middle, acceleration, force;  ///< [m], [m/s²], [N] at joint i, on the bars beyond it
};

/// Outwards and inwards.
Pass passes(const VectorX& q, const VectorX& v, const VectorX& a) {
  Pass pass;
  double angle = 0.0, turning = 0.0, growing = 0.0;
  Eigen::Vector2d place = Eigen::Vector2d::Zero(), rising = Eigen::Vector2d::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    angle += q[row], turning += v[row], growing += a[row];
    const Eigen::Vector2d along(std::cos(angle), std::sin(angle)), across(-along.y(), along.x());
    const Eigen::Vector2d per_metre = growing * across - turning * turning * along;
    pass.joint[i] = place;
    pass.middle[i] = place + 0.5 * kLength[i] * along;
    pass.acceleration[i] = rising + 0.5 * kLength[i] * per_metre;
    place += kLength[i] * along;
    rising += kLength[i] * per_metre;
  }
  pass.joint[3] = place;
  Eigen::Vector2d force = Eigen::Vector2d::Zero();
  for (std::size_t i = 3; i-- > 0;) pass.force[i] = force += kMass[i] * pass.acceleration[i];
  return pass;
}

Panel arm_panel(const Pass& pass, const std::string& title) {
  Panel panel;
  panel.title = title;
  panel.frame = false;
  panel.equal_scale = true;
  panel.x.minimum = -0.35, panel.x.maximum = 0.75;
  panel.y.minimum = -0.15, panel.y.maximum = 1.1;
  DrawnShape bars{DrawnShape::Kind::line, {}, {}, {Tone::muted, Dash::solid, Marker::none, 6.0}};
  for (const Eigen::Vector2d& joint : pass.joint) bars.x.push_back(joint.x()), bars.y.push_back(joint.y());
  panel.shapes.push_back(bars);
  bars.x.pop_back(), bars.y.pop_back();
  bars.kind = DrawnShape::Kind::dot;
  bars.style = {Tone::ink, Dash::solid, Marker::none, 9.0};
  panel.shapes.push_back(bars);
  return panel;
}

void add_arrow(Panel& panel, const Eigen::Vector2d& from, const Eigen::Vector2d& by, double scale, Tone tone,
               const std::string& unit) {
  const Eigen::Vector2d to = from + scale * by;
  panel.shapes.push_back(
      {DrawnShape::Kind::arrow, {from.x(), to.x()}, {from.y(), to.y()}, {tone, Dash::solid, Marker::none, 2.2}});
  Annotation note{to.x(), to.y(), display_number(by.norm(), 1) + unit, by.x() < 0.0 ? -6.0 : 6.0, -4.0};
  if (by.x() < 0.0) note.anchor = Annotation::Anchor::end;
  panel.notes.push_back(note);
}

}  // namespace

NamedFigure newton_euler_figure(const Robot& planar) {
  constexpr double kDegree = std::numbers::pi / 180.0;
  const VectorX q = Vector3(30.0, 90.0, -30.0) * kDegree, v = Vector3(2.0, -1.0, 1.0), a = Vector3(3.0, 2.0, 1.0);
  Dynamics dynamics(planar.model);
  MatrixX M(3, 3), C(3, 3);
  VectorX torque(3);
  (void)dynamics.mass_matrix(q, M);
  (void)dynamics.coriolis_matrix(q, v, C);
  (void)dynamics.inverse_dynamics(q, v, a, torque);
  const VectorX inertial = M * a, coriolis = C * v;
  const Pass pass = passes(q, v, a);

  Figure figure;
  figure.id = "newton-euler";
  figure.title = "Recursive Newton–Euler on a planar arm";
  figure.columns = 3;
  figure.panel_height = 215;
  Panel outwards = arm_panel(pass, "outwards: accelerations");
  for (std::size_t i = 0; i < 3; ++i)
    add_arrow(outwards, pass.middle[i], pass.acceleration[i], 0.05, Tone::blue, " m/s²");
  Panel inwards = arm_panel(pass, "inwards: forces at the joints");
  for (std::size_t i = 0; i < 3; ++i) add_arrow(inwards, pass.joint[i], pass.force[i], 0.03, Tone::vermillion, " N");
  Panel parts;
  parts.title = "torque of each joint";
  parts.y.label = "torque [N·m]";
  parts.categories = {"1", "2", "3"};
  parts.x.label = "joint";
  parts.stacked = true;
  const auto list = [](const VectorX& values) { return std::vector<double>(values.begin(), values.end()); };
  parts.bars = {{"M a", list(inertial), {Tone::blue, Dash::solid}},
                {"C v", list(coriolis), {Tone::orange, Dash::dashed}}};
  figure.panels = {outwards, inwards, parts};

  std::string caption =
      "The arm of section 1 in motion. Outwards each bar's acceleration follows from the one before; inwards each "
      "joint's force from the one after. The torques are";
  for (Eigen::Index i = 0; i < 3; ++i)
    caption += (i == 0 ? " " : ", ") + display_number(torque[i], 2) + " = " + display_number(inertial[i], 2) + " + " +
               display_number(coriolis[i], 2);
  caption += " N·m, the second part of each from velocities alone.";
  figure.description = caption;
  return {figure.id, figure.title, caption, draw_figure(figure)};
}

}  // namespace antaeus
