#pragma once
// Legged robots of our own for the examples: a trunk on legs of two equal bars, and the joints that put a foot
// somewhere.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "antaeus/robot/robot_profile.hpp"

namespace legged {

using antaeus::Matrix3;
using antaeus::Vector3;

/// Name of a leg → where its hip is in the trunk [m].
using Hips = std::map<std::string, Vector3>;
struct Masses {
  double trunk, thigh, shank, foot;  ///< [kg]
};

/// The frame <name>_foot is at the sole. \param bar  length of thigh and of shank [m]
inline antaeus::Robot robot(const Masses& masses, double bar, const Hips& hips) {
  antaeus::RobotDescription made;
  made.name = made.root = "trunk";
  // A box of even density whose middle is z above its joint.
  const auto link = [&](const std::string& name, double mass, const Vector3& size, double z) {
    const Matrix3 squares = size.cwiseAbs2().asDiagonal();
    const Matrix3 inertia = mass / 12.0 * (size.squaredNorm() * Matrix3::Identity() - squares);
    made.links.push_back({name, true, {mass, {0.0, 0.0, z}, inertia}, {}, {}});
  };
  const auto joint = [&](const std::string& leg, const char* name, const char* parent, const char* child,
                         const Vector3& origin, const Vector3& axis) {
    const std::string above = std::string(parent) == "trunk" ? parent : leg + parent;
    made.joints.push_back(
        {leg + name, antaeus::JointType::revolute, above, leg + child, {Matrix3::Identity(), origin}, axis});
    made.joints.back().effort_limit = 200.0;
  };
  link("trunk", masses.trunk, {0.2, 0.3, 0.5}, 0.25);
  for (const auto& [leg, hip] : hips) {
    link(leg + "_hip", 0.1, {0.1, 0.1, 0.1}, 0.0);
    link(leg + "_thigh", masses.thigh, {0.1, 0.1, bar}, -bar / 2);
    link(leg + "_shank", masses.shank, {0.1, 0.1, bar}, -bar / 2);
    link(leg + "_ankle", 0.1, {0.1, 0.1, 0.1}, 0.0);
    link(leg + "_foot", masses.foot, {0.22, 0.1, 0.02}, 0.01);
    const Vector3 below(0.0, 0.0, -bar), here = Vector3::Zero(), x = Vector3::UnitX(), y = Vector3::UnitY();
    joint(leg, "_hip_roll", "trunk", "_hip", hip, x);
    joint(leg, "_hip_pitch", "_hip", "_thigh", here, y);
    joint(leg, "_knee", "_thigh", "_shank", below, y);
    joint(leg, "_ankle_pitch", "_shank", "_ankle", below, y);
    joint(leg, "_ankle_roll", "_ankle", "_foot", here, x);
  }
  antaeus::RobotProfile profile;
  profile.name = profile.title = "legged";
  return {profile, antaeus::RobotModel(made)};
}

/// Writes one frame of q: an upright trunk at \p trunk, level feet at \p feet, in the world.
template <class Row>
void place(Row&& q, const Vector3& trunk, const Hips& hips, const std::map<std::string, Vector3>& feet, double bar) {
  q.template head<3>() = trunk.transpose();
  q.template segment<4>(3) << 0.0, 0.0, 0.0, 1.0;
  Eigen::Index at = 7;
  for (const auto& [leg, hip] : hips) {  // alphabetical, as the model's joints
    const Vector3 d = feet.at(leg) - trunk - hip;
    const double roll = std::atan2(d.y(), -d.z()), pitch = -std::asin(d.x() / d.norm());
    const double knee = 2.0 * std::acos(d.norm() / (2.0 * bar));
    q.template segment<5>(at) << roll, pitch - knee / 2, knee, -pitch - knee / 2, -roll;
    at += 5;
  }
}

/// From 0 to 1 and back over s from 0 to 1, without a kick.
inline double bump(double s) {
  const double inside = std::clamp(s, 0.0, 1.0);
  return 64.0 * std::pow(inside * (1.0 - inside), 3);
}
/// From 0 to 1 over s from 0 to 1, without a kick.
inline double ramp(double s) {
  const double inside = std::clamp(s, 0.0, 1.0);
  return std::pow(inside, 3) * (10.0 - 15.0 * inside + 6.0 * inside * inside);
}

}  // namespace legged
