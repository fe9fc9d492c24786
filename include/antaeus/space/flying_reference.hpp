#pragma once
/// \file
/// Where a free-flying robot shall be at an instant, and how that moves: end-effector, base and centre of mass.

#include "antaeus/core/fields.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// Of the end-effector's frame E. All in world axes; velocities are of E's origin.
struct PoseReference {
  Pose X_WE;
  Vector3 velocity{0, 0, 0}, acceleration{0, 0, 0};
  Vector3 omega{0, 0, 0}, omega_dot{0, 0, 0};
};
template <class Visit>
constexpr void visit_fields(const PoseReference*, Visit&& visit) {
  using P = PoseReference;
  visit(field("X_WE", "", "", &P::X_WE));
  visit(field("velocity", "m/s", "", &P::velocity));
  visit(field("acceleration", "m/s²", "", &P::acceleration));
  visit(field("omega", "rad/s", "", &P::omega));
  visit(field("omega_dot", "rad/s²", "", &P::omega_dot));
}

/// Of the base frame B: its orientation alone.
struct AttitudeReference {
  Matrix3 R_WB = Matrix3::Identity();
  Vector3 omega{0, 0, 0}, omega_dot{0, 0, 0};
};
template <class Visit>
constexpr void visit_fields(const AttitudeReference*, Visit&& visit) {
  using A = AttitudeReference;
  visit(field("R_WB", "", "", &A::R_WB));
  visit(field("omega", "rad/s", "world axes", &A::omega));
  visit(field("omega_dot", "rad/s²", "world axes", &A::omega_dot));
}

/// Of the whole robot's centre of mass, world axes.
struct PointReference {
  Vector3 position{0, 0, 0}, velocity{0, 0, 0}, acceleration{0, 0, 0};
};
template <class Visit>
constexpr void visit_fields(const PointReference*, Visit&& visit) {
  using P = PointReference;
  visit(field("position", "m", "", &P::position));
  visit(field("velocity", "m/s", "", &P::velocity));
  visit(field("acceleration", "m/s²", "", &P::acceleration));
}

/// Twelve degrees of freedom, given independently of each other; whether the arm can reach them is not asked here.
struct FlyingReference {
  PoseReference end_effector;
  AttitudeReference base;
  PointReference com;
};
template <class Visit>
constexpr void visit_fields(const FlyingReference*, Visit&& visit) {
  using F = FlyingReference;
  visit(field("end_effector", "", "", &F::end_effector));
  visit(field("base", "", "", &F::base));
  visit(field("com", "", "", &F::com));
}

}  // namespace antaeus
