#pragma once
/// \file
/// The estimate of one endpoint's wrench at one instant: numbers, verdict, reasons, uncertainty. Plain data.

#include <cstdint>

#include "antaeus/core/in_place.hpp"
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

/// A sum of squares that is χ² with `dof` degrees of freedom while all is as assumed, and the limit that it then
/// exceeds with the probability `posterior.false_alarm`, or as often as `posterior.false_alarms_per_hour` says. Without
/// degrees of freedom there is nothing to test.
struct ConsistencyTest {
  double value = 0.0;
  double limit = kInfinity;
  int dof = 0;
  bool passes() const noexcept { return value <= limit; }
  void invalidate() noexcept {
    set_nan(value, limit);
    dof = 0;
  }
};

/// The uncertainty that an estimator states for its wrench, in world axes. NaN (and 0 directions) unless the estimator
/// has a covariance.
///
/// Three tests, independent of each other while all is as assumed. `misfit` needs no assumption on the contact's size,
/// the other two assume the prior; where nothing touches the robot they alarm more rarely than stated.
struct Uncertainty {
  Matrix6 covariance;        ///< of the wrench, force before moment [N², N²·m, N²·m²]
  Vector3 force_sd;          ///< along the principal directions of the force, ascending [N]
  Matrix3 directions;        ///< those directions, columns, unit length
  int observable = 0;        ///< how many of them have an sd under the limit: columns 0 … observable − 1
  Vector3 observable_force;  ///< the force's part in their span [N]; outside it the number is the prior's

  ConsistencyTest misfit;     ///< what no wrench explains, whatever its size: rows less the directions that they show
  ConsistencyTest contact;    ///< the wrench against its prior: is the contact larger than was allowed for?
  ConsistencyTest reference;  ///< the reference joint's row against all others: (innovation / innovation_sd)²

  /// Normalised innovation squared of the endpoint's rows and the reference row, where another endpoint may explain
  /// only what its own rows show: a contact that no row sees is none. No test with a stated rate, but a guard. Its
  /// limit is χ² at `false_alarm`; with nothing touching the robot it alarms more rarely, with an unseen contact
  /// elsewhere more often.
  double nis = 0.0;
  double nis_threshold = 0.0;
  int nis_rows = 0;            ///< degrees of freedom of `nis`
  double innovation = 0.0;     ///< reference joint: r − what the wrenches estimated without it explain [N·m]
  double innovation_sd = 0.0;  ///< of it, when nothing is wrong and contacts are as the priors say [N·m]

  double worst_sd() const noexcept { return force_sd[2]; }
  Vector3 worst_direction() const noexcept { return directions.col(2); }
  /// Whether the torques agree with model and noise, for some contact: misfit and reference, each at its rate.
  bool consistent() const noexcept { return misfit.passes() && reference.passes(); }
  void invalidate() noexcept {
    set_nan(covariance, force_sd, directions, observable_force, nis, nis_threshold, innovation, innovation_sd);
    observable = nis_rows = 0;
    for (ConsistencyTest* test : {&misfit, &contact, &reference}) test->invalidate();
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
    rank = 0;
    set_nan(wrench.force, wrench.torque, kappa, kappa_scaled, sigma_min, sigma_max, manipulability, gain, residual,
            reference_residual, reference_gain);
    uncertainty.invalidate();
  }
};

}  // namespace antaeus
