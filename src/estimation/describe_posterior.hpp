#pragma once
/// \file
/// What follows from a wrench and its covariance in the same way whatever they were computed by.

#include "antaeus/conditioning/gaussian_posterior.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"

namespace antaeus {

/// Share of the prior's variance that the torques must have removed before a direction counts as observed: 12 of 20 N
/// leave 36 %. Without it a narrow prior would pass for knowledge.
inline constexpr double kLeastInformation = 0.64;
/// 12 N of a 20 N prior is exactly the limit: rounding must not decide.
inline constexpr double kRounding = 1.0 + 1e-9;

/// A misfit above its limit says that the noise is larger than was stated; so far above it, by three times and more in
/// every row, it says that something is wrong.
inline constexpr double kGrossMisfit = 10.0;

/// Whether an sd says that its direction was observed. \param prior  the prior's variance in that direction
inline bool is_observed(double sd, double prior, double observable_sd) noexcept {
  return sd <= observable_sd && sd * sd <= (1.0 - kLeastInformation) * prior * kRounding;
}

/// Fills wrench, covariance, principal directions and the observable part. \p w as `estimate.sign` has it.
/// \param prior_factor  L of the endpoint, P₀ = L Lᵀ. A direction in which it is zero is known by declaration.
inline void describe_posterior(const Vector6& w, const Matrix6& covariance, const Matrix6& prior_factor,
                               double observable_sd, WrenchEstimate& estimate) noexcept {
  estimate.wrench = Wrench::from_vector(w);
  Uncertainty& u = estimate.uncertainty;
  u.covariance = covariance;
  const PrincipalDeviations principal = principal_deviations(covariance.topLeftCorner<3, 3>());
  u.force_sd = principal.deviation;
  u.directions = principal.direction;
  u.observable = 0;
  u.observable_force.setZero();
  while (u.observable < 3) {
    const Vector3 direction = u.directions.col(u.observable);
    const double prior = (prior_factor.topRows<3>().transpose() * direction).squaredNorm();
    if (!is_observed(u.force_sd[u.observable], prior, observable_sd)) break;
    u.observable_force += direction * direction.dot(estimate.wrench.force);
    ++u.observable;
  }
}

/// Sets rank, reasons and verdict of an estimate that has been described. One that is not finite is invalid input.
inline void judge_posterior(const PosteriorOptions& options, WrenchEstimate& estimate) noexcept {
  const Uncertainty& u = estimate.uncertainty;
  if (!estimate.wrench.is_measurable() || !u.covariance.allFinite()) return estimate.invalidate(Status::not_finite);
  estimate.rank = u.observable;
  if (u.worst_sd() > options.full_use_sd) estimate.reasons.add(Reason::uncertain);
  if (u.observable < 3) estimate.reasons.add(Reason::unobservable_direction);
  if (!u.consistent()) estimate.reasons.add(Reason::inconsistent);
  if (!u.reference.passes() || !(u.misfit.value <= kGrossMisfit * u.misfit.limit)) {
    estimate.reasons.add(Reason::contradiction);
  }
  if (!(u.nis <= u.nis_threshold)) estimate.reasons.add(Reason::unexplained);
  if (!u.contact.passes()) estimate.reasons.add(Reason::beyond_prior);
  estimate.verdict = u.observable == 0           ? Verdict::unobservable
                     : !estimate.reasons.empty() ? Verdict::degraded
                                                 : Verdict::ok;
}

}  // namespace antaeus
