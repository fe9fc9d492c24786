// Frequency response, orientation laws, and a stiff position controller under the table.
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>

#include "antaeus/control/joint_impedance.hpp"
#include "antaeus/core/error.hpp"
#include "studies/impedance_run.hpp"

namespace antaeus {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kSoftTurn = 5.0;     // [N·m/rad]: half a turn asks for less than the wrist has
constexpr double kLongestTurn = 8.0;  // [s]
constexpr double kDegree = std::numbers::pi / 180.0;

/// (K − ω² Λ + jω (D + J⁻ᵀ d J⁻¹))⁻¹, along x [m/N].
double designed_compliance(const ToolState& now, const CartesianImpedance& control, double joint_damping,
                           double omega) {
  using Complex6 = Eigen::Matrix<std::complex<double>, 6, 6>;
  const Matrix6 joints = joint_damping * (now.J * now.J.transpose()).inverse();
  Complex6 dynamic;
  dynamic.real() = control.stiffness() - omega * omega * now.Lambda;
  dynamic.imag() = omega * (control.damping() + joints);
  return std::abs(dynamic.inverse()(0, 0));
}

/// Amplitude of the deflection along x over that of the push [m/N].
double measured_compliance(ArmRig& rig, const CartesianImpedanceOptions& options, double frequency) {
  constexpr double kForce = 5.0, kSettling = 2.0;
  CartesianImpedance control(rig.told, options);
  ToolDynamics tool(rig.told, ArmRig::kTool);
  rig.reset();
  const CartesianTarget target{.X_WT = tool.at(rig.home, VectorX::Zero(rig.home.size())).X_WT};
  const double h = rig.plant.time_step();
  const double periods = std::ceil(std::max(2.0, frequency));
  const auto from = static_cast<int>(std::lround(kSettling / h));
  const auto until = from + static_cast<int>(std::lround(periods / frequency / h));
  std::complex<double> sum = 0.0;
  for (int step = 0; step < until; ++step) {
    const double phase = kTurn * frequency * step * h;
    const CartesianTorque& given = control.update(tool.at(rig.plant.reading().q, rig.plant.reading().v), target);
    if (step >= from) sum += -given.error[0] * std::polar(1.0, -phase);
    rig.plant.push({Vector3(kForce * std::sin(phase), 0.0, 0.0), Vector3::Zero()});
    rig.plant.step(given.tau);
  }
  rig.plant.push({});
  return 2.0 * std::abs(sum) / (until - from) / kForce;
}

/// Time until the tool is within 1° of a target that is turned by `angle` about its own z [s]; NaN: it does not arrive.
double time_to_turn(ArmRig& rig, double angle, RotationLaw law) {
  CartesianImpedanceOptions options;
  options.rotational_stiffness = kSoftTurn;
  options.rotation_law = law;
  CartesianImpedance control(rig.told, options);
  ToolDynamics tool(rig.told, ArmRig::kTool);
  rig.reset();
  CartesianTarget target{.X_WT = tool.at(rig.home, VectorX::Zero(rig.home.size())).X_WT};
  target.X_WT.rotation *= Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix();
  const double h = rig.plant.time_step();
  for (int step = 0; step * h < kLongestTurn; ++step) {
    const ToolState& now = tool.at(rig.plant.reading().q, rig.plant.reading().v);
    if (rotation_error(now.X_WT.rotation, target.X_WT.rotation).norm() < kDegree) return step * h;
    rig.plant.step(control.update(now, target).tau);
  }
  return kNaN;
}

/// Joint positions with the tool at a pose, by Newton's method from home.
VectorX positions_for(ToolDynamics& tool, VectorX q, const Pose& X_WT) {
  const VectorX rest = VectorX::Zero(q.size());
  for (int i = 0; i < 20; ++i) {
    const ToolState& now = tool.at(q, rest);
    Vector6 error;
    error << X_WT.translation - now.X_WT.translation, rotation_error(now.X_WT.rotation, X_WT.rotation);
    if (error.norm() < 1e-13) break;
    q += now.M_inv_Jt * (now.Lambda * error);
  }
  return q;
}

/// Height of the tool at the first touch when it is let down from home [m].
double touching_height(ArmRig& rig, ToolDynamics& tool, const Pose& home) {
  constexpr double kSpeed = 0.02, kFarthest = 0.06;
  CartesianImpedance control(rig.told, {.stiffness = 5000.0, .rotational_stiffness = 200.0});
  rig.reset();
  const double h = rig.plant.time_step();
  for (int step = 0; step * h * kSpeed < kFarthest; ++step) {
    CartesianTarget target{.X_WT = home};
    target.X_WT.translation.z() -= kSpeed * step * h;
    const ToolState& now = tool.at(rig.plant.reading().q, rig.plant.reading().v);
    rig.plant.step(control.update(now, target).tau);
    if (rig.plant.truth().contacts > 0) return now.X_WT.translation.z();
  }
  throw ModelError("impedance", "the fingertip does not reach the table from home",
                   "see scene.table_height and scene.tilt");
}

}  // namespace

Study frequency_study(ArmRig& rig, const CartesianImpedanceOptions& options, double joint_damping) {
  Study study;
  study.table.title = "Dynamic compliance, " + value_text(options.stiffness) + " N/m";
  study.table.note =
      "A push of 5 N amplitude along x at each frequency. Designed: K, D, Λ at home and the joints' damping.";
  study.table.heads = {"measured [mm/N]", "designed [mm/N]", "off [%]"};
  ToolDynamics tool(rig.told, ArmRig::kTool);
  CartesianImpedance control(rig.told, options);
  const ToolState& home = tool.at(rig.home, VectorX::Zero(rig.home.size()));
  control.update(home, {.X_WT = home.X_WT});
  Curve designed{"designed", {}, {}, series_style(0)}, measured{"measured", {}, {}, series_style(1, Marker::circle)};
  measured.join = Curve::Join::none;
  for (int point = 0; point <= 72; ++point) {
    const double frequency = 0.3 * std::pow(1.06, point);
    designed.x.push_back(frequency);
    designed.y.push_back(1e3 * designed_compliance(home, control, joint_damping, kTurn * frequency));
  }
  double worst = 0.0;
  for (const double frequency : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0}) {
    const double wanted = designed_compliance(home, control, joint_damping, kTurn * frequency);
    const double got = measured_compliance(rig, options, frequency);
    const double off = 100.0 * (got / wanted - 1.0);
    worst = std::max(worst, std::abs(off));
    measured.x.push_back(frequency);
    measured.y.push_back(1e3 * got);
    study.table.variants.push_back({value_text(frequency) + " Hz", {1e3 * got, 1e3 * wanted, off}});
  }
  Figure figure;
  figure.id = "dynamic-compliance";
  figure.title = "How the arm answers a push at each frequency";
  figure.description = "Amplitude of the fingertip over that of the push, measured and designed.";
  Panel panel;
  panel.x = {.label = "frequency [Hz]", .logarithmic = true};
  panel.y = {.label = "deflection per force [mm/N]", .logarithmic = true};
  panel.curves = {designed, measured};
  figure.panels = {panel};
  study.figure = named(figure, "The arm is the spring, damper and mass that it was made: within " + value_text(worst) +
                                   " % from 0.5 to 16 Hz.");
  study.findings = {"From 0.5 to 16 Hz the measured compliance is the designed one within " + value_text(worst) +
                    " %."};
  return study;
}

Study rotation_study(ArmRig& rig) {
  Study study;
  study.table.title = "Orientation error: log map against skew form";
  study.table.note =
      std::string("The target is turned about the tool's axis; time until the tool is within 1° of it. ") +
      value_text(kSoftTurn) + " N·m/rad, damping ratio 1.";
  study.table.heads = {"moment, log map [N·m]", "moment, skew form [N·m]", "time, log map [s]", "time, skew form [s]"};
  CartesianImpedanceOptions options;
  options.rotational_stiffness = kSoftTurn;
  CartesianImpedance log_map(rig.told, options);
  options.rotation_law = RotationLaw::skew;
  CartesianImpedance skew(rig.told, options);
  ToolDynamics tool(rig.told, ArmRig::kTool);
  const ToolState& home = tool.at(rig.home, VectorX::Zero(rig.home.size()));
  const auto moment = [&](CartesianImpedance& control, double angle) {
    CartesianTarget target{.X_WT = home.X_WT};
    target.X_WT.rotation *= Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix();
    return control.update(home, target).commanded.torque.norm();
  };
  Curve by_log{"log map", {}, {}, series_style(0)}, by_skew{"skew form", {}, {}, series_style(1)};
  double at_30 = 0.0;
  for (int degree = 0; degree < 180; degree += 2) {
    by_log.x.push_back(degree);
    by_log.y.push_back(moment(log_map, degree * kDegree));
    by_skew.x.push_back(degree);
    by_skew.y.push_back(moment(skew, degree * kDegree));
    if (degree == 30) at_30 = 100.0 * (1.0 - by_skew.y.back() / by_log.y.back());
  }
  Curve time_log = {"log map", {}, {}, series_style(0, Marker::circle)};
  Curve time_skew = {"skew form", {}, {}, series_style(1, Marker::square)};
  for (const double degree : {30.0, 90.0, 150.0, 175.0, 179.0, 180.0}) {
    const double first = time_to_turn(rig, degree * kDegree, RotationLaw::log_map);
    const double second = time_to_turn(rig, degree * kDegree, RotationLaw::skew);
    time_log.x.push_back(degree);
    time_log.y.push_back(first);
    time_skew.x.push_back(degree);
    time_skew.y.push_back(second);
    study.table.variants.push_back(
        {value_text(degree) + "°", {moment(log_map, degree * kDegree), moment(skew, degree * kDegree), first, second}});
  }
  Figure figure;
  figure.id = "rotation-law";
  figure.title = "Log map against skew form";
  figure.description = "Moment of the two laws over the angle of the error, and how long the tool takes to turn.";
  Panel moments, times;
  moments.title = "What the spring asks for";
  times.title = "How long the tool turns";
  moments.x = times.x = {.label = "angle of the error [°]"};
  moments.y = {.label = "moment [N·m]"};
  moments.curves = {by_log, by_skew};
  times.y = {.label = "time to within 1° [s]", .include_zero = true};
  times.curves = {time_log, time_skew};
  figure.panel_legends = true;
  figure.panels = {moments, times};
  figure.columns = 2;
  const double slow_log = time_log.y.back(), slow_skew = time_skew.y.back();
  const std::string skew_time = std::isnan(slow_skew) ? "does not arrive in " + value_text(kLongestTurn) + " s"
                                                      : "takes " + value_text(slow_skew) + " s";
  study.figure = named(figure, "The skew form is the sine of the angle: " + value_text(at_30) +
                                   " % too weak at 30°, weaker the further beyond 90°, nothing at 180°.");
  study.findings = {"The skew form pulls with the angle's sine, " + value_text(at_30) +
                    " % less at 30°: from 180° it " + skew_time + ", the log map takes " + value_text(slow_log) +
                    " s."};
  return study;
}

Study stiff_position_study(const SceneChoice& scene, int seed) {
  constexpr double kDepth = 0.001, kSpeed = 0.02, kEnd = 4.0, kIntegral = 20000.0;
  ArmRig rig = make_rig(scene, {}, seed, true);
  ToolDynamics tool(rig.told, ArmRig::kTool);
  const VectorX rest = VectorX::Zero(rig.home.size());
  const Pose home = tool.at(rig.home, rest).X_WT;
  Pose under = home;
  under.translation.z() = touching_height(rig, tool, home) - kDepth;
  const double way = home.translation.z() - under.translation.z();
  const VectorX q_under = positions_for(tool, rig.home, under);
  const double h = rig.plant.time_step();

  Study study;
  study.table.title = "Commanded 1 mm under the table";
  study.table.note = "Let down at " + value_text(1e3 * kSpeed) + " mm/s onto solref (" + value_text(scene.solref) +
                     " s, 1), friction " + value_text(scene.friction) +
                     ": the largest force of an impedance is the touch's strike.";
  study.table.heads = {"largest force [N]", "0.5 s after the touch [N]", "after 4 s [N]"};
  Figure figure;
  figure.id = "stiff-position";
  figure.title = "A stiff position controller, 1 mm under the table";
  figure.description = "Force of the fingertip on the table over time, under four controllers.";
  Panel panel;
  panel.x = {.label = "time [s]"};
  panel.y = {.label = "force on the table [N]", .logarithmic = true};

  // The joints' target goes straight from home to the place under the table.
  const auto run = [&](const std::string& name, const std::function<VectorX(const ToolState&, double)>& torque) {
    rig.reset();
    Curve curve{name, {}, {}, series_style(panel.curves.size())};
    double largest = 0.0, soon = 0.0, last = 0.0, touched = kNaN;
    for (int step = 0; step * h < kEnd; ++step) {
      const ToolState& now = tool.at(rig.plant.reading().q, rig.plant.reading().v);
      rig.plant.step(torque(now, std::min(1.0, step * h * kSpeed / way)));
      last = rig.plant.truth().contact.force.z();
      largest = std::max(largest, last);
      if (last > 0.0 && std::isnan(touched)) touched = step * h;
      if (step * h < touched + 0.5) soon = last;
      if (step % 5 == 0) {
        curve.x.push_back(step * h);
        curve.y.push_back(last);
      }
    }
    panel.curves.push_back(std::move(curve));
    study.table.variants.push_back({name, {largest, soon, last}});
    return std::pair(largest, last);
  };
  JointImpedanceOptions stiff;
  stiff.joint_stiffness = 20000.0;
  const auto joints = [&](bool has_integral) {
    auto control = std::make_shared<JointImpedance>(rig.told, stiff);
    auto sum = std::make_shared<VectorX>(rest);
    return [&, has_integral, control, sum](const ToolState& now, double share) {
      JointTarget target{.q = rig.home + share * (q_under - rig.home)};
      if (has_integral) *sum += kIntegral * h * (target.q - now.q);
      target.tau_feed = *sum;
      return VectorX(control->update(now, target).tau);
    };
  };
  const auto soft = [&](double stiffness) {
    CartesianImpedanceOptions options;
    options.stiffness = stiffness;
    auto control = std::make_shared<CartesianImpedance>(rig.told, options);
    return [&, control](const ToolState& now, double share) {
      CartesianTarget target{.X_WT = home};
      target.X_WT.translation.z() -= share * way;
      return VectorX(control->update(now, target).tau);
    };
  };
  const auto [pd_peak, pd] = run("joints, 20 kN·m/rad", joints(false));
  const auto [pid_peak, pid] = run("the same with an integral", joints(true));
  run("impedance, 2000 N/m", soft(2000.0));
  const auto [impedance_peak, impedance] = run("impedance, 500 N/m", soft(500.0));
  panel.y.minimum = 0.1;
  panel.x.minimum = 1.5;
  figure.panels = {panel};
  study.figure = named(figure, "Commanded 1 mm below the table, stiff joints press with " + value_text(pd) +
                                   " N, and with an integral " + value_text(pid) +
                                   " N after 4 s and still growing; an impedance of 500 N/m presses with " +
                                   value_text(impedance) + " N.");
  study.findings = {"Commanded 1 mm under the table, a joint position controller of 20 kN·m/rad presses with " +
                    value_text(pd) + " N, with an integral with " + value_text(pid) +
                    " N after 4 s; an impedance of 500 N/m with " + value_text(impedance) +
                    " N (its spring's share is " + value_text(500.0 * kDepth) + " N)."};
  return study;
}

}  // namespace antaeus
