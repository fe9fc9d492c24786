// Figures of a pose: the planar arm, the kinematic junction, sweeps and singular values.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/number_text.hpp"
#include "antaeus/pose/figures.hpp"
#include "antaeus/pose/sweep.hpp"

namespace antaeus {

namespace {

constexpr double kDegree = 180.0 / std::numbers::pi;

std::vector<double> to_vector(const VectorX& v, double factor = 1.0) {
  std::vector<double> values(static_cast<std::size_t>(v.size()));
  for (Eigen::Index i = 0; i < v.size(); ++i) values[i] = factor * v[i];
  return values;
}

NamedFigure finish(const Figure& figure, std::string caption) {
  return {figure.id, figure.title, std::move(caption), draw_figure(figure)};
}

DrawnShape line(std::vector<double> x, std::vector<double> y, Style style,
                DrawnShape::Kind kind = DrawnShape::Kind::line) {
  return {kind, std::move(x), std::move(y), style};
}

Panel arm_panel(const PlanarLesson& lesson, const PlanarLesson::Pose& pose) {
  constexpr double kMetresPerNewton = 0.0075;
  Panel panel;
  panel.title = pose.title;
  panel.frame = false;
  panel.equal_scale = true;
  panel.x.minimum = -0.12, panel.x.maximum = 1.45;
  panel.y.minimum = -0.12, panel.y.maximum = 1.12;
  std::vector<double> x, y;
  for (Eigen::Index i = 0; i < pose.points.cols(); ++i) x.push_back(pose.points(0, i)), y.push_back(pose.points(1, i));
  panel.shapes.push_back(line({-0.09, 0.09}, {-0.05, -0.05}, {Tone::muted, Dash::solid, Marker::none, 3.0}));
  panel.shapes.push_back(line({0.0, 0.0}, {-0.05, 0.0}, {Tone::muted, Dash::solid, Marker::none, 3.0}));
  panel.shapes.push_back(line(x, y, {Tone::muted, Dash::solid, Marker::none, 6.0}));
  // The torque at the first joint as an open circle with an arrow.
  std::vector<double> arc_x, arc_y;
  for (int i = -2; i <= 9; ++i) {
    arc_x.push_back(0.13 * std::cos(0.3 * i)), arc_y.push_back(0.13 * std::sin(0.3 * i));
  }
  panel.shapes.push_back(line(arc_x, arc_y, {Tone::blue, Dash::solid, Marker::none, 1.8}, DrawnShape::Kind::arrow));
  panel.notes.push_back({0.0, 0.0, display_number(lesson.torque, 0) + " N·m", 24, 16});
  const double tool_x = x.back(), tool_y = y.back();
  const Eigen::Vector2d tip = Eigen::Vector2d(tool_x, tool_y) + kMetresPerNewton * pose.force;
  panel.shapes.push_back(line({tool_x, tip.x()}, {tool_y, tip.y()}, {Tone::vermillion, Dash::solid, Marker::none, 2.6},
                              DrawnShape::Kind::arrow));
  x.pop_back(), y.pop_back();
  panel.shapes.push_back(line(x, y, {Tone::ink, Dash::solid, Marker::none, 9.0}, DrawnShape::Kind::dot));
  Annotation force{tip.x(), tip.y(), display_number(pose.force.norm(), 1) + " N", 8, -4};
  force.strong = true;
  if (tip.x() > 1.1) force.anchor = Annotation::Anchor::end, force.dx = -12;
  panel.notes.push_back(force);
  return panel;
}

}  // namespace

NamedFigure planar_figure(const PlanarLesson& lesson) {
  Figure figure;
  figure.id = "planar-arm";
  figure.title = "The same torque error on a bent and on a stretched arm";
  figure.columns = 3;
  figure.panel_height = 215;
  std::string caption =
      "A planar arm of three bars seen from above. " + display_number(lesson.torque, 0) +
      " N·m at the first joint that no gravity model explains (curved arrow) are read as a force at the tool "
      "(arrow at the tool, to scale):";
  for (const PlanarLesson::Pose& pose : lesson.poses) {
    figure.panels.push_back(arm_panel(lesson, pose));
    caption += " " + display_number(pose.force.norm(), 1) + " N " + pose.name + " (smallest singular value " +
               display_number(pose.sigma[1], 3) + "),";
  }
  caption.back() = '.';
  caption +=
      " The curve is that force over the bend of the second joint, the others in proportion: nothing "
      "but geometry changes along it.";
  Panel curve;
  curve.title = "Force over the bend";
  curve.x.label = "second joint [deg]";
  curve.y.label = "force read [N]";
  curve.y.logarithmic = true;
  curve.y.minimum = 5;
  curve.curves.push_back({"",
                          to_vector(lesson.bend, kDegree),
                          to_vector(lesson.force),
                          {Tone::vermillion, Dash::solid, Marker::none, 2.0}});
  for (const PlanarLesson::Pose& pose : lesson.poses) {
    const double bend = pose.q[1] * kDegree;
    curve.curves.push_back(
        {"", {bend}, {pose.force.norm()}, {Tone::ink, Dash::solid, Marker::circle}, Curve::Join::none});
    curve.notes.push_back({bend, pose.force.norm(), pose.name, 8, -7});
  }
  figure.panels.push_back(std::move(curve));
  figure.description = caption;
  return finish(figure, caption);
}

NamedFigure junction_figure(const JunctionLesson& lesson) {
  Figure figure;
  figure.id = "junction";
  figure.title = "The kinematic junction and its lever arm";
  figure.columns = 4;
  figure.panel_height = 310;
  figure.letters = false;
  if (lesson.poses.size() == 1) figure.columns = 2;
  std::string caption =
      "The robot's joints as points, from forward kinematics. " + lesson.reference_joint +
      " (filled circle, its axis dashed) carries what is above it, and what is below pushes against it. "
      "The dotted arrow is the lever arm from it to the " +
      lesson.label + ".";
  double low_x = 1e9, high_x = -1e9, low_z = 1e9, high_z = -1e9;
  for (const JunctionLesson::Pose& pose : lesson.poses) {
    for (const JunctionLesson::Chain& chain : pose.chains) {
      low_x = std::min(low_x, chain.points.topRows<2>().minCoeff()),
      high_x = std::max(high_x, chain.points.topRows<2>().maxCoeff());
      low_z = std::min(low_z, chain.points.row(2).minCoeff()),
      high_z = std::max(high_z, chain.points.row(2).maxCoeff());
    }
  }
  const double room = 0.08 * (high_z - low_z);
  for (const JunctionLesson::Pose& pose : lesson.poses) {
    for (const bool side : {true, false}) {
      Panel panel;
      if (side) panel.title = pose.name;  // it has the room of both views
      panel.frame = false;
      panel.equal_scale = true;
      panel.x.minimum = low_x - room, panel.x.maximum = high_x + room;
      panel.y.minimum = low_z - room, panel.y.maximum = high_z + 2.2 * room;
      const int across = side ? 0 : 1;
      // From the front the robot's left is at the right.
      const auto u = [&](const Vector3& p) { return p[across]; };
      for (const bool focus : {false, true}) {
        for (const JunctionLesson::Chain& chain : pose.chains) {
          if ((chain.endpoint == lesson.endpoint) != focus) continue;
          std::vector<double> x, z;
          for (Eigen::Index i = 0; i < chain.points.cols(); ++i)
            x.push_back(u(chain.points.col(i))), z.push_back(chain.points(2, i));
          const Tone tone = focus ? Tone::blue : Tone::muted;
          panel.shapes.push_back(line(x, z, {tone, Dash::solid, Marker::none, focus ? 4.5 : 3.5}));
          panel.shapes.push_back(line(x, z, {tone, Dash::solid, Marker::none, 6.5}, DrawnShape::Kind::dot));
        }
      }
      const double reach = high_z + 0.6 * room - pose.origin.z();
      const Vector3 below = pose.origin - 0.5 * reach * pose.axis, above = pose.origin + reach * pose.axis;
      panel.shapes.push_back(
          line({u(below), u(above)}, {below.z(), above.z()}, {Tone::ink, Dash::dashed, Marker::none, 1.0}));
      const Vector3 wrist = pose.origin + pose.lever;
      panel.shapes.push_back(line({u(pose.origin), u(wrist)}, {pose.origin.z(), wrist.z()},
                                  {Tone::vermillion, Dash::dotted, Marker::none, 2.4}, DrawnShape::Kind::arrow));
      panel.shapes.push_back(line({u(pose.origin)}, {pose.origin.z()},
                                  {Tone::vermillion, Dash::solid, Marker::none, 12.0}, DrawnShape::Kind::dot));
      panel.notes.push_back({low_x - room, high_z + 2.2 * room,
                             side ? "side; gain " + display_number(pose.spectrum.gain, 1) + " N/(N·m)"
                                  : "front; " + display_number(pose.column.norm(), 3) + " m off the axis",
                             0, 6});
      figure.panels.push_back(std::move(panel));
    }
    caption += " " + pose.name + ": the " + lesson.label + " is " + display_number(pose.column.norm(), 3) +
               " m from the axis, the smallest singular value is " + display_number(pose.spectrum.sigma_min, 3) +
               ", and the gain is " + display_number(pose.spectrum.gain, 2) + " N/(N·m).";
  }
  if (lesson.poses.size() > 1 && lesson.poses[0].spectrum.gain > lesson.poses[1].spectrum.gain &&
      lesson.poses[0].column.norm() < lesson.poses[1].column.norm()) {
    caption += " The lever arm is shorter where the gain is larger: it is the arm's own singularity that amplifies.";
  }
  figure.description = caption;
  return finish(figure, caption);
}

NamedFigure sweep_figure(const std::vector<JointSweep>& sweeps, double gain_limit) {
  Figure figure;
  figure.id = "joint-sweep";
  figure.title = "Effect of the pose: gain, condition number and height over a joint";
  figure.columns = std::max(1, static_cast<int>(sweeps.size()));
  figure.panel_height = 130;
  figure.letters = false;
  std::string caption;
  double highest = 0;
  for (const JointSweep& sweep : sweeps) highest = std::max(highest, sweep.gain.maxCoeff());
  for (int row = 0; row < 3; ++row) {
    for (const JointSweep& sweep : sweeps) {
      Panel panel;
      const VectorX& values = row == 0 ? sweep.gain : row == 1 ? sweep.kappa : sweep.height;
      const double here = row == 0 ? sweep.at_pose.gain : row == 1 ? sweep.at_pose.kappa : sweep.at_pose.height;
      if (row == 0) panel.title = sweep.label;
      if (row == 2) panel.x.label = sweep.label + " [rad]";
      panel.y.label = row == 0 ? "gain [N/(N·m)]" : row == 1 ? "κ" : "height [m]";
      panel.y.logarithmic = row < 2;
      if (row == 0) {
        panel.y.minimum = 0.1, panel.y.maximum = std::max(20.0, highest * 1.3);
        if (std::isfinite(gain_limit)) {
          panel.bands.push_back({0.0, gain_limit, false, "gain below " + display_number(gain_limit, 0) + " N/(N·m)"});
        }
      }
      panel.curves.push_back({"", to_vector(sweep.positions), to_vector(values),
                              series_style(static_cast<std::size_t>(row)), Curve::Join::lines});
      panel.curves.back().style.dash = Dash::solid;
      panel.curves.back().style.width = 2.0;
      panel.curves.push_back({"pose: " + sweep.at_pose.pose,
                              {sweep.position},
                              {here},
                              {Tone::ink, Dash::solid, Marker::circle},
                              Curve::Join::none});
      figure.panels.push_back(std::move(panel));
      if (row == 0) {
        Eigen::Index least = 0;
        (void)sweep.gain.minCoeff(&least);
        caption += (caption.empty() ? "" : " ") + sweep.label + " moved over its range, all other joints as in " +
                   sweep.at_pose.pose + " (" + display_number(sweep.position, 2) + " rad): the gain of " +
                   sweep.gain_joint + " in " + sweep.gain_row + " is " + display_number(here, 2) +
                   " N/(N·m) there and between " + display_number(sweep.gain.minCoeff(), 2) + " and " +
                   display_number(sweep.gain.maxCoeff(), 2) + " over the range.";
      }
    }
  }
  figure.description = caption;
  return finish(figure, caption);
}

NamedFigure spectrum_figure(const std::vector<PoseSpectrum>& spectra, double gain_limit) {
  Figure figure;
  figure.id = "singular-values";
  figure.title = "Singular values of the endpoint's Jacobian, pose by pose";
  figure.columns = 2;
  figure.panel_height = 190;
  Panel values, gains;
  values.title = "Singular values";
  values.x.label = "number of the singular value";
  values.x.minimum = 0.7, values.x.maximum = 6.3;
  values.y.label = "singular value";
  values.y.logarithmic = true;
  gains.title = "Gain in the same poses";
  gains.x.label = "N/(N·m)";
  gains.horizontal_bars = gains.value_labels = true;
  if (std::isfinite(gain_limit))
    gains.thresholds.push_back({gain_limit, true, "limit " + display_number(gain_limit, 0)});
  std::string caption =
      "Each singular value of the 6-row Jacobian is what one direction of force leaves in the torques; an estimator "
      "divides by it.";
  Bars bars;
  bars.style.tone = Tone::vermillion;
  constexpr Marker kMarkers[] = {Marker::circle, Marker::square, Marker::triangle, Marker::diamond};
  constexpr Tone kTones[] = {Tone::vermillion, Tone::blue, Tone::green, Tone::purple};
  constexpr Dash kDashes[] = {Dash::solid, Dash::dashed, Dash::dash_dot, Dash::dotted};
  for (std::size_t i = 0; i < spectra.size(); ++i) {
    const PoseSpectrum& pose = spectra[i];
    values.curves.push_back(
        {pose.pose, {1, 2, 3, 4, 5, 6}, to_vector(pose.sigma), {kTones[i % 4], kDashes[i % 4], kMarkers[i % 4], 1.6}});
    gains.categories.push_back(pose.pose);
    bars.values.push_back(pose.gain);
    caption += " " + pose.pose + ": smallest " + display_number(pose.sigma_min, 4) + ", condition number " +
               display_number(pose.kappa, 1) + ", gain " + display_number(pose.gain, 2) + " N/(N·m).";
  }
  gains.bars.push_back(std::move(bars));
  figure.panels = {std::move(values), std::move(gains)};
  figure.description = caption;
  return finish(figure, caption);
}

std::vector<NamedFigure> teaching_figures(const PlanarLesson& planar, const JunctionLesson& junction,
                                          const std::vector<PoseSpectrum>& spectra,
                                          const std::vector<JointSweep>& sweeps, double gain_limit) {
  std::vector<NamedFigure> figures;
  if (!planar.poses.empty()) figures.push_back(planar_figure(planar));
  if (!junction.poses.empty()) figures.push_back(junction_figure(junction));
  if (!spectra.empty()) figures.push_back(spectrum_figure(spectra, gain_limit));
  if (!sweeps.empty()) figures.push_back(sweep_figure(sweeps, gain_limit));
  return figures;
}

}  // namespace antaeus
