#pragma once
/// \file
/// Synthetic twins of the incident's episodes. Motion and wrenches are chosen and torques follow by dynamics, so that
/// the truth is exact.
///
///     τ = rnea(q, v, a) − Σ J_kᵀ w_k     (w_k on the robot; feet: weighted minimum-norm solution of the six base rows)
///
/// Source: docs/validation.md#twins (docs/validation.md names the figures that each twin reproduces).

#include <cstdint>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/episode/episode.hpp"

namespace antaeus {

/// `pushes` (after RE1): arms at motor zero, real quasi-static pushes at the wrists.
/// `good` (after RE2): arms at motor zero, the torso's residual of RE2, nobody pushes.
/// `incident` (after RE3): arms in arm_waist_target as it drooped, the torso's residual of RE3, nobody pushes.
enum class TwinKind { pushes, good, incident };
constexpr auto enum_names(TwinKind) noexcept { return name_list<TwinKind>("pushes", "good", "incident"); }

struct TwinOptions {
  double rate = 50.0;         ///< samples a second
  double duration = 0.0;      ///< [s]; 0: the kind's own length
  double torque_noise = 0.0;  ///< standard deviation of white torque noise [N·m]
  std::uint64_t seed = 1;     ///< of the noise
  /// Adds, as a motor-side torque, the part of the torso's residual that rigid arms cannot carry. The incident's
  /// figures are then met within 1 N. Part of the real residual was probably no inertia
  /// (docs/validation.md#torso-torque).
  bool motor_side_torque = true;
  /// Adds the gyro and the accelerometer of the profile's IMU. The incident's own logs have neither.
  bool inertial = false;
  bool accelerations = false;        ///< adds the motors' accelerations, which robots hardly ever measure
  double gyro_noise = 0.0;           ///< standard deviation of white noise a sample and axis [rad/s]
  double accelerometer_noise = 0.0;  ///< the same [m/s²]
  double imu_tilt = 0.0;             ///< the IMU sits turned about its own y by this; all its channels show it [rad]
  /// Dry friction in every joint that moves: this share of the profile's bound, with the sign of the velocity. It is
  /// part of `motor_side_torque` of the result.
  double friction = 0.0;
};

/// An episode and everything that was true while it was recorded.
struct SyntheticEpisode {
  Episode episode;
  std::vector<std::string> endpoints;
  std::vector<SampleMatrix> wrenches;  ///< per endpoint N × 6: on the robot, frame origin, world axes [N, N·m]
  SampleMatrix full_q, full_v, full_a;
  SampleMatrix motor_side_torque;
};
constexpr void visit_fields(const SyntheticEpisode*, auto&& visit) {
  using S = SyntheticEpisode;
  visit(field("episode", "", "as a robot would have recorded it", &S::episode));
  visit(field("endpoints", "", "frames of `wrenches`", &S::endpoints));
  visit(field("full_q", "", "[N × nq]", &S::full_q));
  visit(field("full_v", "", "[N × nv]", &S::full_v));
  visit(field("full_a", "", "[N × nv]", &S::full_a));
  visit(field("motor_side_torque", "N·m", "[N × motors], in τ but not of the rigid robot or a contact",
              &S::motor_side_torque));
}

/// Makes a twin for a robot with two hands, two feet and a reference joint, as the H1-2.
/// \throws ModelError when the robot lacks them, OptionsError for numbers out of range and `inertial` without an IMU
ANTAEUS_API SyntheticEpisode make_twin(const Robot& robot, TwinKind kind, const TwinOptions& options = {});

}  // namespace antaeus
