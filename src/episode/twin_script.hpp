#pragma once
// What happens in each twin, in numbers: who stands how, what the torso carries, what the policy asks for.
// Private to src/episode; synthetic_episode.cpp makes mechanics of it.

#include <array>
#include <vector>

#include "antaeus/episode/synthetic_episode.hpp"

namespace antaeus {

/// Roles of a leg's joints, in the order of the scripts' tables.
enum LegJoint : int { kHipYaw, kHipPitch, kHipRoll, kKnee, kAnklePitch, kAnkleRoll, kLegJoints };
/// Shoulder joints whose residuals a script prescribes.
inline constexpr int kShoulderJoints = 3;

/// A course by step numbers, which need not be whole, interpolated without overshoot.
struct Course {
  std::vector<double> steps;
  std::vector<double> values;
};

/// A smooth step of the pelvis' yaw rate that brings the torso to rest again, between two step numbers.
struct Settling {
  double from, to;
};

struct TwinScript {
  const char* name;
  const char* pose;  ///< of the profile: where the arms and the torso stand
  const char* note;  ///< what this twin is
  Eigen::Index steps;
  double first_stamp;  ///< [s]
  double sample_time;  ///< after the first nine steps [s]

  std::array<std::array<double, kLegJoints>, 2> legs;         ///< positions at the start [rad]
  std::array<std::array<Course, kLegJoints>, 2> leg_targets;  ///< what the policy asks for [rad]

  Course reference_residual;        ///< τ − g of the reference joint [N·m]
  Course rigid_residual;            ///< the part of it that the inertia of the upper body makes
  std::vector<Settling> settlings;  ///< one: the yaw comes to rest; two: at the angle where it began
  std::vector<double> hand_force;   ///< Fz that the deployed estimator shall find at the first hand, steps 0, 1, … [N]
  std::array<double, kShoulderJoints> last_shoulder;  ///< residuals at the last of them, before the rest is shared out
  double shoulder_remainder;                          ///< share of the solved ones that stays after the last of them

  /// A leg torque that the contact of the feet is made to explain.
  struct HeldTorque {
    std::size_t leg;
    LegJoint joint;
    Course torque;  ///< [N·m]
  };
  std::vector<HeldTorque> held_torques;
  bool thrashes = false;  ///< legs and first arm move after step 8
  bool sways = false;     ///< arms move a little
  bool pushed = false;    ///< real pushes at the hands
};

const TwinScript& twin_script(TwinKind kind);

/// Seconds from the first stamp to a step: the incident's uneven first nine samples, then the even rest.
double twin_clock(const TwinScript& script, double step) noexcept;

/// A real push: the force on one hand, world axes.
struct TwinPush {
  int hand = 0;
  Vector3 force = Vector3::Zero();  ///< on the robot [N]
};
/// The push at t seconds from the start: one hand at a time, risen and fallen within 0.8 s, held for 1.4 s.
TwinPush twin_push(double t) noexcept;

}  // namespace antaeus
