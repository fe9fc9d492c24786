#pragma once
/// \file
/// Inverse dynamics of a motion, and the torques that are left once its contacts exert their wrenches.
///
///     total = M v̇ + C v + g − external + D v + K (q − rest),   τ = total − Σ Jᵀ w.
///
/// The six rows of a floating base have no motor: what is left there is the root residual, reported and never
/// overwritten. Sign: τ is what the motors exert, w the contacts' wrench on the robot.

#include <string>
#include <vector>

#include "antaeus/contact/contact_demand.hpp"
#include "antaeus/contact/contact_motion.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Which contacts, and in which axes wrenches come and go.
struct ContactRequest {
  std::vector<std::string> contacts;  ///< frames of the robot, each once
  bool over_time = false;
  LimitSet limits = LimitSet::none;
  WrenchAxes axes = WrenchAxes::world;
  /// No contact: torques, and the wrench that must hold the root, are what the motion needs (recursive Newton–Euler).
  bool inverse_dynamics = false;
};

/// A motion's dynamics, before anything is said of its contacts.
struct MotionDynamics {
  SampleMatrix q;           ///< N × nq, as checked: unit quaternions, `root_euler` put in
  SampleMatrix v, a;        ///< N × nv, given or made from q
  SampleMatrix total;       ///< N × nv [N, N·m]: generalised force that motors and contacts must make together
  ContactDemand demand;     ///< of the root: N frames (Nimble's forward differences: the motion's less two)
  Matrix3X center_of_mass;  ///< 3 × N [m]
  std::vector<Pose> base;   ///< N: of the root
  /// Columns of the contacts' Jacobians at the joints that carry them: rows of v, and 6 × count each frame.
  std::vector<std::vector<int>> carriers;
  std::vector<Matrix6X> jacobians;  ///< per contact: 6 × count·N, world axes at the contact's origin
};

/// Checks the request and the motion and computes all that the contacts are asked for. Of positions alone, velocities
/// and accelerations are second-order central differences in the tangent space of each frame, one-sided at both ends:
/// no frame is lost. Nimble's are forward differences, the base's translation and rotation apart, N − 2 frames.
/// \throws ModelError, EpisodeError, OptionsError: one line that names the argument
ANTAEUS_API MotionDynamics motion_dynamics(const Robot& robot, ContactMotion motion, const ContactRequest& request,
                                           const ContactOptions& options, const Progress& progress = {});

/// N × nv: τ = total − Σ Jᵀ w; the rows of a floating base hold the root residual (force, moment, base axes).
ANTAEUS_API SampleMatrix contact_torques(const MotionDynamics& dynamics, const ContactSolution& solution);

/// Wrenches as a file has them: in world axes, or in the contact frame's own; about its origin either way.
ANTAEUS_API Matrix6X in_axes(const ContactDemand& demand, const Matrix6X& world, WrenchAxes axes);

}  // namespace antaeus
