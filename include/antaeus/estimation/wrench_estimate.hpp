#pragma once
/// \file
/// What an estimator says of one endpoint at one instant: plain data.

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// Which torque residual the estimate rests on. `static_gravity`: τ − g(q), right only for a robot at rest.
enum class ResidualKind : std::uint8_t { static_gravity };

/// Why a verdict is not `ok`; bits of WrenchEstimate::reasons.
enum Reason : std::uint32_t {
  kReasonInvalidInput = 1u << 0,        ///< the observation could not be used
  kReasonRankDeficient = 1u << 1,       ///< some direction of the wrench leaves no trace in the torques
  kReasonCondition = 1u << 2,           ///< guard: condition number above its limit
  kReasonReferenceDominance = 1u << 3,  ///< guard: the reference joint makes most of the force
  kReasonClamped = 1u << 4,             ///< guard: the force was cut to its limit
  kReasonWatchdog = 1u << 5,            ///< guard: the force was too large for too long; latched
};
inline constexpr Reason kAllReasons[] = {kReasonInvalidInput,       kReasonRankDeficient, kReasonCondition,
                                         kReasonReferenceDominance, kReasonClamped,       kReasonWatchdog};

constexpr std::string_view to_string(ResidualKind) noexcept { return "static"; }
constexpr std::string_view to_string(Reason reason) noexcept {
  switch (reason) {
    case kReasonInvalidInput: return "invalid_input";
    case kReasonRankDeficient: return "rank_deficient";
    case kReasonCondition: return "condition_number";
    case kReasonReferenceDominance: return "reference_dominance";
    case kReasonClamped: return "clamped";
    case kReasonWatchdog: return "watchdog";
  }
  return "?";
}

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
  }
};

}  // namespace antaeus
