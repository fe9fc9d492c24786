#pragma once
/// \file
/// What follows from a wrench and its covariance in the same way whatever they were computed by.

#include "antaeus/conditioning/gaussian_posterior.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"

namespace antaeus {

/// Fills wrench, covariance, principal directions and the observable part. \p w as `estimate.sign` has it.
inline void describe_posterior(const Vector6& w, const Matrix6& covariance, double observable_sd,
                               WrenchEstimate& estimate) noexcept {
  estimate.wrench = Wrench::from_vector(w);
  Uncertainty& u = estimate.uncertainty;
  u.covariance = covariance;
  const PrincipalDeviations principal = principal_deviations(covariance.topLeftCorner<3, 3>());
  u.force_sd = principal.deviation;
  u.directions = principal.direction;
  u.observable = 0;
  u.observable_force.setZero();
  while (u.observable < 3 && u.force_sd[u.observable] <= observable_sd) {
    const Vector3 direction = u.directions.col(u.observable);
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
  estimate.verdict = u.observable == 0           ? Verdict::unobservable
                     : !estimate.reasons.empty() ? Verdict::degraded
                                                 : Verdict::ok;
}

}  // namespace antaeus
