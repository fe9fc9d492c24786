#pragma once
/// \file
/// The estimate of one endpoint's wrench at one instant: numbers, verdict, reasons, uncertainty. Plain data.

#include <cstdint>

#include "antaeus/core/reasons.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// Which torque residual the estimate rests on.
/// `static_gravity`: τ − g(q), right only for a robot at rest.
/// `inverse_dynamics`: τ − (M a + C v + g), with the base's acceleration from the IMU's specific force.
/// `momentum_observer`: what changes the generalised momentum beyond τ, C and g; needs no acceleration.
enum class ResidualKind : std::uint8_t { static_gravity, inverse_dynamics, momentum_observer };

constexpr auto enum_names(ResidualKind) noexcept {
  return name_list<ResidualKind>("static", "inverse_dynamics", "momentum_observer");
}

/// The uncertainty that an estimator states for its wrench, in world axes. NaN (and 0 directions) unless the estimator
/// has a covariance.
struct Uncertainty {
  Matrix6 covariance;        ///< of the wrench, force before moment [N², N²·m, N²·m²]
  Vector3 force_sd;          ///< along the principal directions of the force, ascending [N]
  Matrix3 directions;        ///< those directions, columns, unit length
  int observable = 0;        ///< how many of them have an sd under the limit: columns 0 … observable − 1
  Vector3 observable_force;  ///< the force's part in their span [N]; outside it the number is the prior's

  double nis = 0.0;            ///< of the endpoint's rows and the reference row: χ² with `nis_rows` degrees of freedom
  double nis_threshold = 0.0;  ///< at the chosen false-alarm probability
  int nis_rows = 0;
  double innovation = 0.0;     ///< reference joint: r − what the estimated wrenches explain [N·m]
  double innovation_sd = 0.0;  ///< of it, when nothing is wrong [N·m]

  double worst_sd() const noexcept { return force_sd[2]; }
  Vector3 worst_direction() const noexcept { return directions.col(2); }
  bool consistent() const noexcept { return nis <= nis_threshold; }
  void invalidate() noexcept {
    covariance.setConstant(kNaN);
    force_sd.setConstant(kNaN);
    directions.setConstant(kNaN);
    observable_force.setConstant(kNaN);
    observable = nis_rows = 0;
    nis = nis_threshold = innovation = innovation_sd = kNaN;
  }
};

/// A wrench at an endpoint's origin in world axes, and what is known of it. All numbers are NaN on `invalid_input`.
struct WrenchEstimate {
  Status status = Status::not_computed;
  Verdict verdict = Verdict::invalid_input;
  Reasons reasons = Reason::invalid_input;
  Sign sign = Sign::on_environment;
  ResidualKind residual_kind = ResidualKind::static_gravity;
  Wrench wrench;
  /// Whether the estimator states a covariance. Neither the deployed nor the stacked one does.
  bool has_covariance = false;
  Uncertainty uncertainty;

  int rank = 0;        ///< of the matrix that was inverted
  double kappa = 0.0;  ///< its condition number; mixes m and rad
  /// The same with linear rows divided by the characteristic length; NaN unless requested.
  double kappa_scaled = 0.0;
  double sigma_min = 0.0;  ///< its smallest singular value
  double sigma_max = 0.0;
  double manipulability = 0.0;  ///< product of its singular values (Yoshikawa)

  /// 6 × motors: wrench = gain · residual. Column j is what 1 N·m at motor j becomes [N/(N·m)], [N·m/(N·m)].
  Matrix6X gain;
  VectorX residual;                 ///< r [motors], N·m
  int reference_motor = -1;         ///< that the profile names; −1 without one
  double reference_residual = 0.0;  ///< r of the reference motor [N·m]; NaN without one
  Vector6 reference_gain;           ///< its column of `gain`; NaN without one

  /// Sets the dimension and NaN in every number.
  void reset(Eigen::Index motors) {
    gain.resize(6, motors);
    residual.resize(motors);
    invalidate(Status::not_computed);
  }
  void invalidate(Status why) noexcept {
    status = why;
    verdict = Verdict::invalid_input;
    reasons = Reason::invalid_input;
    wrench.force.setConstant(kNaN);
    wrench.torque.setConstant(kNaN);
    rank = 0;
    kappa = kappa_scaled = sigma_min = sigma_max = manipulability = reference_residual = kNaN;
    gain.setConstant(kNaN);
    residual.setConstant(kNaN);
    reference_gain.setConstant(kNaN);
    uncertainty.invalidate();
  }
};

}  // namespace antaeus
