#pragma once
/// \file
/// What an estimator says of one endpoint at one instant: plain data.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// Which torque residual the estimate rests on.
/// `static_gravity`: τ − g(q), right only for a robot at rest.
/// `inverse_dynamics`: τ − (M a + C v + g), with the base's acceleration from the IMU's specific force.
/// `momentum_observer`: what changes the generalised momentum beyond τ, C and g; needs no acceleration.
enum class ResidualKind : std::uint8_t { static_gravity, inverse_dynamics, momentum_observer };

/// Why a verdict is not `ok`; bits of WrenchEstimate::reasons.
enum Reason : std::uint32_t {
  kReasonInvalidInput = 1u << 0,        ///< the observation could not be used
  kReasonRankDeficient = 1u << 1,       ///< some direction of the wrench leaves no trace in the torques
  kReasonCondition = 1u << 2,           ///< guard: condition number above its limit
  kReasonReferenceDominance = 1u << 3,  ///< guard: the reference joint makes most of the force
  kReasonClamped = 1u << 4,             ///< guard: the force was cut to its limit
  kReasonWatchdog = 1u << 5,            ///< guard: the force was too large for too long; latched
  kReasonMotion = 1u << 6,              ///< the robot moves and the residual is static
  kReasonMotionUnknown = 1u << 7,       ///< no velocity: motion cannot be excluded and the residual is static
  kReasonMissingChannels = 1u << 8,     ///< the residual that was asked for needs channels that are not there
  kReasonLowRate = 1u << 9,             ///< samples too far apart for accelerations; the residual is static
  kReasonGap = 1u << 10,                ///< samples were lost; filters began anew
  kReasonSettling = 1u << 11,           ///< filters have not seen enough samples yet
  kReasonTimeBack = 1u << 12,           ///< the time stamp is not after the last one
  kReasonSaturated = 1u << 13,          ///< torques at the drive's limit were left out
  kReasonUncertain = 1u << 14,          ///< some direction is known worse than the limit for full use
  kReasonUnobservable = 1u << 15,       ///< some direction is known worse than the limit for any use
  kReasonInconsistent = 1u << 16,       ///< the torques contradict model, noise and prior (NIS alarm)
  kReasonTorqueRate = 1u << 17,         ///< guard: a torque changes faster than any contact that is allowed for
  kReasonStale = 1u << 18,              ///< guard: the sample is older than allowed
  kReasonInfeasible = 1u << 19,         ///< guard: no contact can exert this wrench
  kReasonBaseRowsDropped = 1u << 20,    ///< base rows were asked for but the robot moves
  kReasonHeld = 1u << 21,               ///< guard: not recovered for long enough yet
  kReasonForceLimit = 1u << 22,         ///< guard: the force is beyond what the consumer was made for
};
inline constexpr int kReasonCount = 23;

constexpr std::string_view to_string(ResidualKind kind) noexcept {
  switch (kind) {
    case ResidualKind::static_gravity: return "static";
    case ResidualKind::inverse_dynamics: return "inverse_dynamics";
    case ResidualKind::momentum_observer: return "momentum_observer";
  }
  return "?";
}
constexpr std::string_view to_string(Reason reason) noexcept {
  switch (reason) {
    case kReasonInvalidInput: return "invalid_input";
    case kReasonRankDeficient: return "rank_deficient";
    case kReasonCondition: return "condition_number";
    case kReasonReferenceDominance: return "reference_dominance";
    case kReasonClamped: return "clamped";
    case kReasonWatchdog: return "watchdog";
    case kReasonMotion: return "motion";
    case kReasonMotionUnknown: return "motion_unknown";
    case kReasonMissingChannels: return "missing_channels";
    case kReasonLowRate: return "low_rate";
    case kReasonGap: return "gap";
    case kReasonSettling: return "settling";
    case kReasonTimeBack: return "time_back";
    case kReasonSaturated: return "saturated";
    case kReasonUncertain: return "uncertain";
    case kReasonUnobservable: return "unobservable_direction";
    case kReasonInconsistent: return "inconsistent";
    case kReasonTorqueRate: return "torque_rate";
    case kReasonStale: return "stale";
    case kReasonInfeasible: return "infeasible";
    case kReasonBaseRowsDropped: return "base_rows_dropped";
    case kReasonHeld: return "held";
    case kReasonForceLimit: return "force_limit";
  }
  return "?";
}

/// The names of all bits that are set, separated by blanks.
std::string reasons_text(std::uint32_t reasons);

/// What a posterior says of its own doubt, in world axes. NaN (and 0 directions) unless the estimator has a covariance.
struct Uncertainty {
  Matrix6 covariance;        ///< of the wrench, force before moment [N², N²·m, N²·m²]
  Vector3 force_sd;          ///< along the principal directions of the force, ascending [N]
  Matrix3 directions;        ///< those directions, columns, unit length
  int observable = 0;        ///< how many of them have an sd under the limit: columns 0 … observable − 1
  Vector3 observable_force;  ///< the force's part in their span [N]; what lies outside is the prior's, not the robot's

  double nis = 0.0;            ///< of the endpoint's rows and the reference row: χ² with `nis_rows` degrees of freedom
  double nis_threshold = 0.0;  ///< at the chosen false-alarm probability
  int nis_rows = 0;
  double innovation = 0.0;     ///< reference joint: r − what the estimated wrenches explain [N·m]
  double innovation_sd = 0.0;  ///< of it, when nothing is wrong [N·m]

  double worst_sd() const noexcept { return force_sd[2]; }
  Vector3 worst_direction() const noexcept { return directions.col(2); }
  bool consistent() const noexcept { return nis <= nis_threshold; }
  void invalidate() noexcept {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    covariance.setConstant(nan);
    force_sd.setConstant(nan);
    directions.setConstant(nan);
    observable_force.setConstant(nan);
    observable = nis_rows = 0;
    nis = nis_threshold = innovation = innovation_sd = nan;
  }
};

/// A wrench at an endpoint's origin in world axes, and what is known of it. All numbers are NaN on `invalid_input`.
struct WrenchEstimate {
  Status status = Status::not_computed;
  Verdict verdict = Verdict::invalid_input;
  std::uint32_t reasons = kReasonInvalidInput;
  Sign sign = Sign::on_environment;
  ResidualKind residual_kind = ResidualKind::static_gravity;
  Wrench wrench;
  /// Whether the estimator states a covariance. Neither the deployed nor the stacked one does.
  bool has_covariance = false;
  Uncertainty uncertainty;

  int rank = 0;        ///< of the matrix that was inverted
  double kappa = 0.0;  ///< its condition number; mixes m and rad
  double kappa_scaled =
      0.0;                 ///< the same with linear rows divided by the characteristic length; NaN where not asked for
  double sigma_min = 0.0;  ///< its smallest singular value
  double sigma_max = 0.0;
  double manipulability = 0.0;  ///< product of its singular values (Yoshikawa)

  /// 6 × motors: wrench = gain · residual. Column j is what 1 N·m at motor j becomes [N/(N·m)], [N·m/(N·m)].
  Matrix6X gain;
  double reference_residual = 0.0;  ///< r of the reference motor [N·m]; NaN without one
  Vector6 reference_gain;           ///< its column of `gain`; NaN without one

  /// Sets the dimension and NaN in every number.
  void reset(Eigen::Index motors) {
    gain.resize(6, motors);
    invalidate(Status::not_computed);
  }
  void invalidate(Status why) noexcept {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    status = why;
    verdict = Verdict::invalid_input;
    reasons = kReasonInvalidInput;
    wrench.force.setConstant(nan);
    wrench.torque.setConstant(nan);
    rank = 0;
    kappa = kappa_scaled = sigma_min = sigma_max = manipulability = reference_residual = nan;
    gain.setConstant(nan);
    reference_gain.setConstant(nan);
    uncertainty.invalidate();
  }
};

}  // namespace antaeus
