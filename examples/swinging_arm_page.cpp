// A page for a result of your own: an arm of two links swings in water; its torques, and the force on its tip.
// prints: 2 panels, peak force 18.8 N
#include <cmath>
#include <cstdio>

#include "antaeus/io/files.hpp"
#include "antaeus/report/page.hpp"
#include "antaeus/robot/dynamics.hpp"

using namespace antaeus;
constexpr const char* kLinks[] = {"base", "upper", "lower", "tip"};
int main() {
  RobotDescription arm;
  arm.root = "base";
  arm.links.resize(4);
  const Inertial bar{1.0, {0.25, 0, 0}, 0.02 * Matrix3::Identity()};
  for (int i = 0; i < 4; ++i) arm.links[i] = {kLinks[i], i > 0, bar, {}, {}};
  const Pose start{Matrix3::Identity(), Vector3::Zero()}, end{Matrix3::Identity(), {0.5, 0, 0}};  // of a link's bar
  arm.joints = {{"shoulder", JointType::revolute, "base", "upper", start, Vector3::UnitY()},
                {"elbow", JointType::revolute, "upper", "lower", end, Vector3::UnitY()},
                {"hand", JointType::fixed, "lower", "tip", end}};
  ModelOptions bolted;
  bolted.base = Base::fixed;
  const RobotModel model(arm, bolted);
  Dynamics dynamics(model);

  constexpr Eigen::Index kSteps = 500;
  const VectorX time = VectorX::LinSpaced(kSteps, 0.0, 4.99);
  Eigen::MatrixXd q(2, kSteps), tau(2, kSteps), force(3, kSteps);
  VectorX gravity(2);
  Matrix6X J(6, 2);
  for (Eigen::Index i = 0; i < kSteps; ++i) {
    const double t = time[i];
    q.col(i) << 1.2 + 0.8 * std::sin(2 * t), 0.5 * std::cos(3 * t);
    const PositionTerms now = dynamics.at(q.col(i));
    now.gravity_torque(gravity);
    now.frame_jacobian(model.frame("tip"), J);
    const Eigen::Vector2d v(1.6 * std::cos(2 * t), -1.5 * std::sin(3 * t));
    force.col(i) = -8.0 * J.topRows<3>() * v;  // drag of the water on the tip [N]
    tau.col(i) = gravity - J.topRows<3>().transpose() * force.col(i);
  }

  Page page{.kicker = "Example", .title = "An arm that swings in water", .subtitle = "Two links, 5 s at 100 Hz"};
  Views& views = page.views;
  views.runs = {{"swing", kSteps, 0, time}};
  const auto row = [&](const Eigen::MatrixXd& m, int r) { return views.add([&m, r](auto i) { return m(r, i); }); };
  const std::array<ChannelId, 3> F = {row(force, 0), row(force, 1), row(force, 2)};
  const Line shoulder{"shoulder", row(tau, 0)}, elbow{.name = "elbow", .channel = row(tau, 1), .tone = Tone::blue};
  const Line fx{"Fx", F[0]}, fz{.name = "Fz", .channel = F[2], .tone = Tone::vermillion};
  views.panels = {{.id = "torque", .title = "Torque of the motors", .unit = "N·m", .lines = {shoulder, elbow}},
                  {.id = "force", .title = "Force on the tip", .unit = "N", .lines = {fx, fz}}};
  views.scenes = {{.title = "The arm", .robots = {{arm, nullptr, {{"shoulder", row(q, 0)}, {"elbow", row(q, 1)}}}}}};
  views.scenes[0].arrows = {{.name = "water", .unit = "N", .anchor = {0, "tip"}, .vector = F, .meters_per_unit = 0.02}};
  const Quantity peak{force.colwise().norm().maxCoeff(), "N"};
  page.answers = {{"What happens?", {{Prose("The water pushes the tip with up to ") << peak}}}};
  page.sections = {{"explore", "Look closer", {ViewsPlace{}}}};
  write_file("swinging_arm.html", html_page(page));
  std::printf("%zu panels, peak force %.1f N\n", views.panels.size(), peak.value);
}
