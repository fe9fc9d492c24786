#pragma once
/// \file
/// Limbs of a few joints, written by the test that needs them.

#include <string>
#include <vector>

#include "antaeus/robot/robot_profile.hpp"

namespace antaeus::test {

/// A joint about an axis, placed in the link before.
struct LimbJoint {
  std::string axis;          ///< "0 1 0"
  std::string at = "0 0 0";  ///< [m]
  double effort = 20.0;      ///< [N·m]; 0: none stated
};

/// Links of 1 kg between joints j1, j2, …; its end is the frame `tip`.
inline Robot limb(const std::vector<LimbJoint>& joints, const std::string& tip_at, Base base = Base::fixed,
                  double torque_sd = 0.01, double root_mass = 3.0) {
  const auto link = [](const std::string& name, double mass) {
    return "<link name=\"" + name + "\"><inertial><mass value=\"" + std::to_string(mass) +
           "\"/><inertia ixx=\"0.02\" iyy=\"0.02\" izz=\"0.02\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
  };
  std::string text = "<robot name=\"limb\">" + link("root", root_mass), parent = "root";
  RobotProfile profile;
  profile.name = "limb";
  profile.options.base = base;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const LimbJoint& joint = joints[i];
    const std::string name = "j" + std::to_string(i + 1), child = "l" + std::to_string(i + 1);
    text += "<joint name=\"" + name + "\" type=\"revolute\"><parent link=\"" + parent + "\"/><child link=\"" + child +
            "\"/><origin xyz=\"" + joint.at + "\"/><axis xyz=\"" + joint.axis +
            "\"/><limit lower=\"-2.5\" upper=\"2.5\" velocity=\"9\" effort=\"" + std::to_string(joint.effort) +
            "\"/></joint>" + link(child, 1.0);
    parent = child;
    profile.options.motors.push_back(name);
    profile.motor_labels.push_back(name);
    JointFigures figures;
    figures.torque_sd = torque_sd;
    figures.torque_sd_from = FigureSource::profile;
    figures.static_sd_from = FigureSource::profile;
    profile.figures.push_back(figures);
  }
  text += "<joint name=\"end\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"tip\"/><origin xyz=\"" +
          tip_at + "\"/></joint><link name=\"tip\"/></robot>";
  const RobotDescription description = parse_urdf(text, "limb.urdf", ".", MeshPolicy::ignored);
  RobotModel model(description, profile.options);
  return {std::move(profile), std::move(model)};
}

/// A leg of two joints about y, as Solo's: it moves its foot in the plane of x and z.
inline Robot planar_leg(Base base = Base::fixed) {
  return limb({{"0 1 0"}, {"0 1 0", "0 0 -0.16"}}, "0 0 -0.16", base);
}

}  // namespace antaeus::test
