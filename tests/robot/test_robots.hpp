#pragma once
/// The robots that laws of dynamics are tried on, and reproducible random states of any of them.

#include <random>
#include <string>
#include <vector>

#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "support/shared.hpp"

namespace antaeus::test {

/// As users load it.
inline Robot shipped_robot(const std::string& name) {
  return load_robot((robots_folder() / name / "profile.toml").string());
}
/// For laws and torques that a test makes by itself: they have none of the errors that were identified on a robot.
inline Robot own_robot(const std::string& name) {
  Robot robot = shipped_robot(name);
  robot.profile.noise.reset();
  robot.profile.noise_file.reset();
  return robot;
}

/// Of the H1-2.
inline const std::vector<std::string> kWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};

/// What the two robots of the project lack: a continuous joint, prismatic joints along and across the axes, an oblique
/// axis, a link that is offset and turned by a fixed joint, and joints that the file lists out of the model's order.
inline constexpr const char* kMixedUrdf = R"(<robot name="mixed">
  <link name="root"><inertial><mass value="3"/><origin xyz="0.01 -0.02 0.03"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="bracket"/><child link="carriage"/>
    <origin xyz="0.05 0.1 -0.2" rpy="0.2 -0.4 0.6"/><axis xyz="1 2 -2"/>
    <limit lower="-0.5" upper="0.5" effort="120" velocity="2"/></joint>
  <link name="carriage"><inertial><mass value="1.2"/><origin xyz="0 0.05 0.02" rpy="0.3 0.1 -0.2"/>
    <inertia ixx="0.004" iyy="0.005" izz="0.006" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="wheel" type="continuous"><parent link="root"/><child link="rim"/>
    <origin xyz="0.3 0 0.1" rpy="0 0.5 0"/><axis xyz="0 0 1"/></joint>
  <link name="rim"><inertial><mass value="0.9"/><origin xyz="0.1 0 0"/>
    <inertia ixx="0.002" iyy="0.003" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="oblique" type="revolute"><parent link="rim"/><child link="blade"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="1 1 1"/>
    <limit lower="-2" upper="2" effort="30" velocity="5"/></joint>
  <link name="blade"><inertial><mass value="0.5"/><origin xyz="0 0 0.1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="oblique_wheel" type="continuous"><parent link="blade"/><child link="disc"/>
    <origin xyz="0 0.1 0"/><axis xyz="0 3 4"/></joint>
  <link name="disc"><inertial><mass value="0.2"/><origin xyz="0.02 0 0"/>
    <inertia ixx="0.0004" iyy="0.0004" izz="0.0007" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="mount" type="fixed"><parent link="root"/><child link="bracket"/>
    <origin xyz="-0.2 0.1 0.3" rpy="0.7 -0.2 1.1"/></joint>
  <link name="bracket"><inertial><mass value="0.4"/><origin xyz="0.03 0 0"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lift" type="prismatic"><parent link="carriage"/><child link="platform"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="0" upper="1" effort="80" velocity="1"/></joint>
  <link name="platform"><inertial><mass value="0.3"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="tip_joint" type="fixed"><parent link="disc"/><child link="tip"/><origin xyz="0.3 -0.1 0.2"/></joint>
  <link name="tip"/>
</robot>)";

inline RobotDescription mixed_description() { return parse_urdf(kMixedUrdf, "mixed.urdf", ".", MeshPolicy::required); }

inline ModelOptions fixed_base() {
  ModelOptions options;
  options.base = Base::fixed;
  return options;
}

inline VectorX inverse_dynamics(Dynamics& dynamics, const VectorX& q, const VectorX& v, const VectorX& a) {
  VectorX tau(dynamics.model().nv());
  EXPECT_EQ(dynamics.inverse_dynamics(q, v, a, tau), Status::ok);
  return tau;
}

struct NamedModel {
  std::string name;
  RobotModel model;
};

/// Every kind of joint, both kinds of base.
inline std::vector<NamedModel> all_models() {
  const Robot h1_2 = own_robot("h1_2");
  ModelOptions bolted = h1_2.profile.options;
  bolted.base = Base::fixed;
  return {{"h1_2", h1_2.model},
          {"h1_2 on a fixed base", RobotModel(h1_2.model.description(), bolted)},
          {"planar_3r", own_robot("planar_3r").model},
          {"mixed", RobotModel(mixed_description())},
          {"mixed on a fixed base", RobotModel(mixed_description(), fixed_base())}};
}

/// Uniform numbers and states from a seed, which SCOPED_TRACE(random.text()) prints with every failure.
class RandomStates {
 public:
  explicit RandomStates(unsigned seed) : seed_(seed), engine_(seed) {}

  std::string text() const { return "seed " + std::to_string(seed_); }

  VectorX vector(Eigen::Index size, double bound = 1.0) {
    // The standard fixes the engine's numbers, but not what uniform_real_distribution makes of them.
    VectorX result(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      result[i] = bound * (2.0 * (static_cast<double>(engine_() >> 11) * 0x1p-53) - 1.0);
    }
    return result;
  }

  /// The neutral configuration moved by up to \p spread [rad, m] in each direction; valid for every kind of joint.
  VectorX configuration(const RobotModel& model, double spread = 3.0) {
    VectorX q(model.nq());
    if (model.integrate(model.neutral(), vector(model.nv(), spread), q) != Status::ok) q.setConstant(std::nan(""));
    return q;
  }

 private:
  unsigned seed_;
  std::mt19937_64 engine_;
};

/// Distances from the neutral configuration, where the H1-2's legs and the planar arm are stretched out.
struct Regime {
  const char* name;
  double spread;
};
inline constexpr Regime kRegimes[] = {{"regular", 3.0}, {"near-singular", 1e-4}, {"singular", 0.0}};

}  // namespace antaeus::test
