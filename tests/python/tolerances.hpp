#pragma once
/// \file
/// Tolerances of tests/python alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// The Jacobian of an arm of nine joints against MuJoCo's: some ε of lengths below 1.5 m, which
/// MuJoCo sums along the chain with quaternions and we with matrices. The residual is 1e-15.
inline constexpr Tolerance kJacobianParity{1e-12};
/// The same of a point on any link, by point_jacobian: some ten ε of lengths below 1.5 m.
inline constexpr Tolerance kPointJacobian{1e-14};
/// The Panda's largest reach [m], by a search over joint angles: flat there, so 1e-8 of the angles is 1e-16 of it, and
/// a quasi-Newton method that differences stops some 1e-6 rad short.
inline constexpr Tolerance kReach{1e-9};
/// A step of the plain methods against NumPy's, as a share of what an error of one ε in the Jacobian would do to it
/// (its condition, once or twice): some ε of the Jacobian's own sums.
inline constexpr Tolerance kPlainParity{1e-14};
/// Sixty steps of the plain loop against the same on MuJoCo and NumPy [rad, m]: rounding, a little amplified near
/// singular poses.
inline constexpr Tolerance kPlainLoop{1e-13};
/// τ − rnea against −Σ Jᵀ F of a simulated push or shake [N·m]. The angular acceleration is extrapolated from lags of
/// 1.25 and 2.25 ms: half their product × its second derivative, 1600 rad/s⁴ × the upper body's 1.3 kg·m² = 3e-3.
inline constexpr Tolerance kMujocoResidual{0.02};
/// Matrices of a free flyer by NumPy from Pinocchio's M, C and Jacobians, relative: ε × a condition of Γ of up to 1e3.
inline constexpr Tolerance kSpaceParity{1e-11};
/// RMSE beside another study's of the same scenarios [N]: other pushes, other draws of friction and masses.
inline constexpr Tolerance kStudyRmse{0.3};
/// A posterior against the truth of a plant without errors, a steady push of 20 N and swinging limbs, where the torques
/// tell a direction to 4 N [N]: the prior of 20 N takes (sd/20)² of a force, 4 % of 20 N, and the 15 Hz low pass sees
/// the motion 10 ms late in torque and acceleration alike.
inline constexpr Tolerance kBenchTruthExact{1.2};

}  // namespace antaeus::tolerance
