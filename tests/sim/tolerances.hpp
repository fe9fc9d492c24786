#pragma once
/// \file
/// Tolerances of tests/sim alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Parity with MuJoCo, whose model is the source of ours: entries up to some hundred
/// (SI units), a dozen bodies, each with some ε of it. The residuals are below 3e-13.
inline constexpr Tolerance kMujocoParity{1e-11};
/// A mesh that was moved into its axes of inertia and back, through single precision [m].
inline constexpr Tolerance kMeshPlace{1e-6};
/// Force at the mount less the payload's demand against the contacts' own sum [N, N·m]: forces up to 1e3 through a
/// dozen bodies, each with some ε of it; MuJoCo's solver does not matter, because both read the same force.
inline constexpr Tolerance kMountForce{1e-11};
/// The same moment of a linkage [N·m]: MuJoCo's loops are closed by forces at two points that its solver leaves up to
/// 0.5 mm apart, at up to some N while the table strikes the fingers.
inline constexpr Tolerance kLinkageMoment{2e-3};
/// A body that rests on a contact [N]: 10 s after the touch, a spring of some 10 ms has died away; its weight and push
/// are 23 N and the solver stops at 1e-8, ten times.
inline constexpr Tolerance kRestingForce{2e-7};
/// Friction over normal force on MuJoCo's elliptic cone [1]: its solver's stop, 1e-8 of some 30 N.
inline constexpr Tolerance kSlidingFriction{1e-6};
/// The same with the real gripper and joint damping of 1: fingers give a little where the model holds them.
inline constexpr Tolerance kGripperHold{1e-6};
/// Sd of 3000 normal numbers, relative: four standard errors, 4/√6000.
inline constexpr Tolerance kSensedNoise{0.052};
/// MuJoCo and Pinocchio on one free-flying robot: mass matrix over its largest entry, some ε
/// of a dozen bodies, and accelerations over their norm, times a condition of up to 10⁵ of a wrist's inertia to the
/// base's.
inline constexpr Tolerance kFlyerMass{1e-12};
inline constexpr Tolerance kFlyerAcceleration{1e-10};
/// Two integrators of order 4 after 2 s in steps of 1 ms [m, rad, m/s, rad/s]: each is off by h⁴ times a constant that
/// grows with what spins; their momentum says 1e-9.
inline constexpr Tolerance kFlightApart{1e-9};
/// With a base that forces of 20 N and torques of 20 N·m bring to 2 rad/s: (ω dt)²/24, 2e-7, of the motion, some metres
/// and radians.
inline constexpr Tolerance kPushedFlightApart{1e-6};
/// Times, added up in steps [s].
inline constexpr Tolerance kFlightTime{1e-12};
/// Momentum at 1 ms [N·s, N·m·s]: integrators of order 4, ten times the 1e-9 above.
inline constexpr Tolerance kFlightMomentum{1e-8};

}  // namespace antaeus::tolerance
