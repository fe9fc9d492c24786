#pragma once
/// \file
/// Kinematic chains on which inverse kinematics is tried: every kind of joint, spherical and offset wrists, arms that
/// exist and arms that do not. Each is a description that holds its chain alone, from the root to the frame, on a fixed
/// base.

#include <algorithm>
#include <array>
#include <iomanip>
#include <locale>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "antaeus/robot/robot_description.hpp"
#include "support/shared.hpp"

namespace antaeus::test {

struct Arm {
  std::string name;
  RobotDescription description;
  std::string frame;                ///< whose pose is asked for
  std::vector<std::string> joints;  ///< that move it, from the root on
};

/// One joint of a table; its child link is called as the joint, with `_link` behind.
struct ArmJoint {
  const char* name;
  JointType type;
  std::array<double, 3> xyz;  ///< in the link before [m]
  std::array<double, 3> rpy;  ///< [rad]
  std::array<double, 3> axis;
  double lower, upper;  ///< [rad] or [m]; not read for continuous joints
};

inline constexpr double kQuarterTurn = std::numbers::pi / 2;

/// The part of a description between a link and a frame, and its moving joints.
/// Empty joints where the frame does not hang on the link.
inline Arm chain_between(std::string name, const RobotDescription& whole, const std::string& base,
                         const std::string& frame) {
  Arm arm{std::move(name), whole, frame, {}};
  RobotDescription& chain = arm.description;
  chain.links.clear();
  chain.joints.clear();
  chain.name = arm.name;
  chain.root = base;
  for (std::string link = frame; link != base;) {
    const auto joint = std::ranges::find(whole.joints, link, &JointDescription::child);
    if (joint == whole.joints.end()) return arm;
    chain.links.push_back(*whole.find_link(link));
    chain.joints.push_back(*joint);
    link = joint->parent;
  }
  chain.links.push_back(*whole.find_link(base));
  std::ranges::reverse(chain.links);
  std::ranges::reverse(chain.joints);
  for (const JointDescription& joint : chain.joints) {
    if (joint.type != JointType::fixed) arm.joints.push_back(joint.name);
  }
  return arm;
}

/// URDF text of a table: every link a ball of 1 kg, a frame `tool` at \p tool [m] from the last joint.
template <std::size_t N>
std::string arm_urdf(const std::string& name, const std::array<ArmJoint, N>& joints, std::array<double, 3> tool) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::setprecision(17);
  const auto three = [&text](const char* key, const std::array<double, 3>& value) {
    text << ' ' << key << "=\"" << value[0] << ' ' << value[1] << ' ' << value[2] << '"';
  };
  const auto ball = [&text](const std::string& link) {
    text << "<link name=\"" << link << "\"><inertial><mass value=\"1\"/>"
         << R"(<inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>)" << '\n';
  };
  text << "<robot name=\"" << name << "\">\n";
  std::string parent = "base";
  ball(parent);
  for (const ArmJoint& joint : joints) {
    const std::string link = std::string(joint.name) + "_link";
    text << "<joint name=\"" << joint.name << "\" type=\"" << to_string(joint.type) << "\"><parent link=\"" << parent
         << "\"/><child link=\"" << link << "\"/><origin";
    three("xyz", joint.xyz);
    three("rpy", joint.rpy);
    text << "/><axis";
    three("xyz", joint.axis);
    text << "/><limit effort=\"50\" velocity=\"3\"";
    if (joint.type != JointType::continuous) {
      text << " lower=\"" << joint.lower << "\" upper=\"" << joint.upper << '"';
    }
    text << "/></joint>\n";
    ball(link);
    parent = link;
  }
  text << "<joint name=\"tool_joint\" type=\"fixed\"><parent link=\"" << parent << "\"/><child link=\"tool\"/><origin";
  three("xyz", tool);
  text << "/></joint>\n<link name=\"tool\"/>\n</robot>\n";
  return text.str();
}

template <std::size_t N>
Arm table_arm(const std::string& name, const std::array<ArmJoint, N>& joints, std::array<double, 3> tool) {
  const RobotDescription whole = parse_urdf(arm_urdf(name, joints, tool), name + ".urdf", ".", MeshPolicy::ignored);
  return chain_between(name, whole, "base", "tool");
}

// ------------------------------------------------------------------------------------------------ arms that exist

inline RobotDescription own_description(const std::string& robot) {
  return read_urdf(robots_folder() / robot / (robot + ".urdf"));
}

/// Seven joints; joints 1 to 3 meet in a shoulder, the wrist is offset by 88 mm.
inline Arm panda_arm() { return chain_between("panda", own_description("panda"), "panda_link0", "panda_hand"); }

/// Six joints, a wrist whose axes do not meet, limits of two turns.
inline Arm ur5e_arm() { return chain_between("ur5e", own_description("ur5e"), "base", "tool0"); }

/// The left arm from the torso on: seven joints, a narrow wrist.
inline Arm h1_2_arm() {
  return chain_between("h1_2 left arm", own_description("h1_2"), "torso_link", "left_wrist_yaw_link");
}

/// The Unitree G1's left arm from the torso on. Origins, axes and limits are the manufacturer's published figures
/// (Unitree Robotics, BSD-3) as in g1_29dof_rev_1_0.urdf of example-robot-data 6.0; the frame `tool` is its
/// left_rubber_hand. Masses are not.
inline constexpr std::array<ArmJoint, 7> kG1LeftArm{{
    {"left_shoulder_pitch",
     JointType::revolute,
     {0.0039563, 0.10022, 0.24778},
     {0.27931, 5.4949e-5, -0.00019159},
     {0, 1, 0},
     -3.0892,
     2.6704},
    {"left_shoulder_roll", JointType::revolute, {0, 0.038, -0.013831}, {-0.27925, 0, 0}, {1, 0, 0}, -1.5882, 2.2515},
    {"left_shoulder_yaw", JointType::revolute, {0, 0.00624, -0.1032}, {0, 0, 0}, {0, 0, 1}, -2.618, 2.618},
    {"left_elbow", JointType::revolute, {0.015783, 0, -0.080518}, {0, 0, 0}, {0, 1, 0}, -1.0472, 2.0944},
    {"left_wrist_roll", JointType::revolute, {0.1, 0.00188791, -0.01}, {0, 0, 0}, {1, 0, 0}, -1.972222054, 1.972222054},
    {"left_wrist_pitch", JointType::revolute, {0.038, 0, 0}, {0, 0, 0}, {0, 1, 0}, -1.614429558, 1.614429558},
    {"left_wrist_yaw", JointType::revolute, {0.046, 0, 0}, {0, 0, 0}, {0, 0, 1}, -1.614429558, 1.614429558},
}};
inline Arm g1_arm() { return table_arm("g1 left arm", kG1LeftArm, {0.0415, 0.003, 0}); }

// ------------------------------------------------------------------------------------------------ arms of ours

/// Six joints, none of whose last three axes meet: shoulder, elbow and both wrist links are offset.
inline constexpr std::array<ArmJoint, 6> kOffsetWrist{{
    {"turn", JointType::revolute, {0, 0, 0.3}, {0, 0, 0}, {0, 0, 1}, -2.9, 2.9},
    {"shoulder", JointType::revolute, {0.08, 0.03, 0}, {-kQuarterTurn, 0, 0}, {0, 0, 1}, -2.2, 1.9},
    {"elbow", JointType::revolute, {0.02, -0.45, 0}, {0, 0, 0}, {0, 0, 1}, -2.6, 2.6},
    {"forearm", JointType::revolute, {0.05, -0.18, 0.04}, {kQuarterTurn, 0, 0}, {0, 0, 1}, -3.0, 3.0},
    {"bend", JointType::revolute, {0.07, 0, 0.22}, {-kQuarterTurn, 0, 0}, {0, 0, 1}, -2.0, 2.0},
    {"flange", JointType::revolute, {0.06, -0.09, 0.03}, {kQuarterTurn, 0, 0}, {0, 0, 1}, -3.0, 3.0},
}};
inline Arm offset_wrist_arm() { return table_arm("six joints, offset wrist", kOffsetWrist, {0, 0, 0.08}); }

/// An arm that slides along x on a rail of 2 m: the rail's joint comes first.
inline Arm on_rail(const Arm& arm) {
  Arm result = arm;
  result.name = arm.name + " on a rail";
  result.description.name = result.name;
  JointDescription rail;
  rail.name = "rail";
  rail.type = JointType::prismatic;
  rail.parent = "rail_base";
  rail.child = arm.description.root;
  rail.axis = Vector3::UnitX();
  rail.lower = -1.0;
  rail.upper = 1.0;
  rail.effort_limit = 500.0;
  rail.velocity_limit = 1.0;
  LinkDescription base;
  base.name = result.description.root = "rail_base";
  result.description.links.insert(result.description.links.begin(), base);
  result.description.joints.insert(result.description.joints.begin(), rail);
  result.joints.insert(result.joints.begin(), "rail");
  return result;
}

/// Three upright axes, then a quill that slides: four joints, its pose has four degrees of freedom.
inline constexpr std::array<ArmJoint, 4> kScara{{
    {"inner", JointType::revolute, {0, 0, 0.4}, {0, 0, 0}, {0, 0, 1}, -2.4, 2.4},
    {"outer", JointType::revolute, {0.35, 0, 0.05}, {0, 0, 0}, {0, 0, 1}, -2.6, 2.6},
    {"quill_turn", JointType::revolute, {0.25, 0, 0}, {std::numbers::pi, 0, 0}, {0, 0, 1}, -6.2, 6.2},
    {"quill", JointType::prismatic, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0.0, 0.2},
}};
inline Arm scara_arm() { return table_arm("scara", kScara, {0, 0, 0.05}); }

/// Six joints and a last one that slides along an oblique axis: a prismatic joint that turns with a wrist.
inline constexpr std::array<ArmJoint, 7> kSlidingTool{{
    kOffsetWrist[0],
    kOffsetWrist[1],
    kOffsetWrist[2],
    kOffsetWrist[3],
    kOffsetWrist[4],
    kOffsetWrist[5],
    {"slide", JointType::prismatic, {0, 0, 0.05}, {0, 0, 0}, {2, 0, 1}, -0.1, 0.15},
}};
inline Arm sliding_tool_arm() { return table_arm("sliding tool", kSlidingTool, {0, 0, 0.06}); }

/// Seven joints, every other one without limits.
inline constexpr std::array<ArmJoint, 7> kContinuous{{
    {"base_turn", JointType::continuous, {0, 0, 0.28}, {0, 0, 0}, {0, 0, 1}, 0, 0},
    {"shoulder", JointType::revolute, {0, -0.01, 0}, {kQuarterTurn, 0, 0}, {0, 0, 1}, -2.2, 2.2},
    {"upper_turn", JointType::continuous, {0, 0.42, 0.01}, {-kQuarterTurn, 0, 0}, {0, 0, 1}, 0, 0},
    {"elbow", JointType::revolute, {0, -0.01, 0}, {kQuarterTurn, 0, 0}, {0, 0, 1}, -2.5, 2.5},
    {"forearm_turn", JointType::continuous, {0, 0.32, 0.01}, {-kQuarterTurn, 0, 0}, {0, 0, 1}, 0, 0},
    {"wrist", JointType::revolute, {0, 0, 0}, {kQuarterTurn, 0, 0}, {0, 0, 1}, -2.1, 2.1},
    {"flange_turn", JointType::continuous, {0, 0.1, 0}, {-kQuarterTurn, 0, 0}, {0, 0, 1}, 0, 0},
}};
inline Arm continuous_arm() { return table_arm("continuous joints", kContinuous, {0, 0, 0.06}); }

// ------------------------------------------------------------------------------------------------ all of them

inline std::vector<Arm> all_arms() {
  return {panda_arm(),          ur5e_arm(),         g1_arm(),
          h1_2_arm(),           offset_wrist_arm(), on_rail(offset_wrist_arm()),
          on_rail(panda_arm()), scara_arm(),        sliding_tool_arm(),
          continuous_arm()};
}

}  // namespace antaeus::test
