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
constexpr void visit_fields(const ConsistencyTest*, auto&& visit) {
  using C = ConsistencyTest;
  visit(field("value", "1", "the sum of squares", &C::value));
  visit(field("limit", "1", "of the value; infinite where there is nothing to test", &C::limit));
  visit(field("dof", "", "degrees of freedom; 0: there is nothing to test", &C::dof));
}

/// The uncertainty that an estimator states for its wrench, in world axes. NaN (and 0 directions) unless the estimator
/// has a covariance.
///
/// Three tests, independent of each other while all is as assumed. `misfit` needs no assumption on the contact's size,
/// the other two assume the prior; where nothing touches the robot they alarm more rarely than stated.
struct Uncertainty {
  Matrix6 covariance;
  Vector3 force_sd;
  Matrix3 directions;
  /// A fact of the limb's build, not of the sample (SensedForce): also beside numbers that are NaN.
  int insensible = 0;
  int observable = 0;
  Vector3 observable_force;
  ConsistencyTest misfit, contact, reference;
  double nis = 0.0, nis_threshold = 0.0;
  int nis_rows = 0;
  double innovation = 0.0, innovation_sd = 0.0;

  /// Of the directions that the limb can sense at all: in the others it is the prior's, and the force reads 0.
  double worst_sd() const noexcept { return force_sd[2 - insensible]; }
  Vector3 worst_direction() const noexcept { return directions.col(2 - insensible); }
  /// Whether the torques agree with model and noise, for some contact: misfit and reference, each at its rate.
  bool consistent() const noexcept { return misfit.passes() && reference.passes(); }
  void invalidate() noexcept {
    set_nan(covariance, force_sd, directions, observable_force, nis, nis_threshold, innovation, innovation_sd);
    observable = nis_rows = 0;
    for (ConsistencyTest* test : {&misfit, &contact, &reference}) test->invalidate();
  }
};
constexpr void visit_fields(const Uncertainty*, auto&& visit) {
  using U = Uncertainty;
  visit(field("covariance", "", "[6 × 6] of the wrench, force before moment, N², N²·m, N²·m²", &U::covariance));
  visit(field("force_sd", "N", "[3] along the principal directions of the force, ascending", &U::force_sd));
  visit(field("directions", "1", "[3 × 3], those directions, columns of unit length", &U::directions));
  visit(
      field("insensible", "",
            "how many of them, the last ones, the limb senses in no pose, by its build: there the force is about 0 and "
            "the sd the prior's; no verdict is of them",
            &U::insensible));
  visit(field("observable", "", "how many of them have an sd under the limit: columns 0 … observable − 1",
              &U::observable));
  visit(field("observable_force", "N", "[3], the force's part in their span; outside it the number is the prior's",
              &U::observable_force));
  visit(field("misfit", "", "what no wrench explains, whatever its size: rows less the directions that they show",
              &U::misfit));
  visit(field("contact", "", "the wrench against its prior: is the contact larger than was allowed for?", &U::contact));
  visit(field("reference", "", "the reference joint's row against all others: (innovation / innovation_sd)²",
              &U::reference));
  visit(
      field("nis", "1",
            "normalised innovation squared of the endpoint's rows and the reference row, where another endpoint may "
            "explain only what its own rows show: a contact that no row sees is none. A guard, no test with a stated "
            "rate: with nothing touching the robot it alarms more rarely, with an unseen contact elsewhere more often",
            &U::nis));
  visit(field("nis_threshold", "1", "χ² at posterior.false_alarm, or at false_alarms_per_hour", &U::nis_threshold));
  visit(field("nis_rows", "", "degrees of freedom of nis", &U::nis_rows));
  visit(field("innovation", "N·m", "reference joint: r − what the wrenches estimated without it explain",
              &U::innovation));
  visit(field("innovation_sd", "N·m", "of it, when nothing is wrong and contacts are as the priors say",
              &U::innovation_sd));
}

/// A wrench at an endpoint's origin in world axes, and what is known of it. All numbers are NaN on `invalid_input`.
struct WrenchEstimate {
  Status status = Status::not_computed;
  Verdict verdict = Verdict::invalid_input;
  Reasons reasons = Reason::invalid_input;
  Sign sign = Sign::on_environment;
  ResidualKind residual_kind = ResidualKind::static_gravity;
  Wrench wrench;
  bool has_covariance = false;
  Uncertainty uncertainty;
  int rank = 0;
  double kappa = 0.0, kappa_scaled = 0.0, sigma_min = 0.0, sigma_max = 0.0, manipulability = 0.0;
  Matrix6X gain;
  VectorX residual;
  int reference_motor = -1;
  double reference_residual = 0.0;
  Vector6 reference_gain;

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
constexpr void visit_fields(const WrenchEstimate*, auto&& visit) {
  using W = WrenchEstimate;
  visit(field("status", "", "ok, or why the numbers are NaN", &W::status));
  visit(field("verdict", "", "how far the wrench may be used", &W::verdict));
  visit(field("reasons", "", "names of the reasons why the verdict is not ok", &W::reasons));
  visit(field("sign", "", "whose wrench it is", &W::sign));
  visit(field("residual_kind", "",
              "which torque residual it rests on; static: τ − g(q), right only for a robot at rest",
              &W::residual_kind));
  visit(field("wrench", "", "at the endpoint's origin, axes of the world", &W::wrench));
  visit(field("has_covariance", "",
              "whether the estimator states a covariance; neither the deployed nor the stacked one does",
              &W::has_covariance));
  visit(field("uncertainty", "", "NaN unless the estimator has a covariance", &W::uncertainty));
  visit(field("rank", "", "of the matrix that was inverted", &W::rank));
  visit(field("kappa", "1", "its condition number; mixes m and rad", &W::kappa));
  visit(field("kappa_scaled", "1", "with linear rows divided by the characteristic length; NaN where not asked for",
              &W::kappa_scaled));
  visit(field("sigma_min", "", "smallest singular value of its Jacobian, m and rad mixed", &W::sigma_min));
  visit(field("sigma_max", "", "the largest, m and rad mixed", &W::sigma_max));
  visit(field("manipulability", "", "product of its singular values (Yoshikawa), m and rad mixed", &W::manipulability));
  visit(field("gain", "",
              "[6 × motors]: wrench = gain · residual; column j is what 1 N·m at motor j becomes, N/(N·m), N·m/(N·m)",
              &W::gain));
  visit(field("residual", "N·m", "r [motors]", &W::residual));
  visit(field("reference_motor", "", "that the profile names; −1 without one", &W::reference_motor));
  visit(field("reference_residual", "N·m", "r of the reference motor; NaN without one", &W::reference_residual));
  visit(field("reference_gain", "", "[6], its column of gain; NaN without one", &W::reference_gain));
}

}  // namespace antaeus
