#pragma once
/// \file
/// What follows from a wrench and its covariance in the same way whatever they were computed by.

#include <algorithm>
#include <cmath>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "antaeus/signal/chi_squared.hpp"

namespace antaeus {

/// Share of the prior's variance that the torques must have removed before a direction counts as observed: 12 of 20 N
/// leave 36 %. Without it a narrow prior would pass for knowledge.
inline constexpr double kLeastInformation = 0.64;
/// 12 N of a 20 N prior is exactly the limit: rounding must not decide.
inline constexpr double kRounding = 1.0 + 1e-9;

/// A misfit above its limit says that the noise is larger than was stated; so far above it, by three times and more in
/// every row, it says that something is wrong.
inline constexpr double kGrossMisfit = 10.0;

/// Probability at which an endpoint's own rows show a contact: rare enough that noise does not excuse its neighbour.
inline constexpr double kContactShown = 1e-3;
/// χ² of that many rows above which they show one.
inline double contact_threshold(int rows) { return rows > 0 ? chi_squared_threshold(kContactShown, rows) : kInfinity; }

/// Limits of the tests of blocks of at most \p most_rows rows, and of the reference row with one of them.
inline AlarmLimits limits_of_figures(const PosteriorOptions& options, int most_rows) {
  return {{.probability = options.false_alarm}, most_rows + 1};
}
/// The same where the noise was identified: misfit, contact and NIS of each block, and the reference row.
inline AlarmLimits limits_of_identified(const PosteriorOptions& options, int blocks, bool has_reference,
                                        int most_rows) {
  const int tests = 3 * blocks + (has_reference ? 1 : 0);
  return {{options.false_alarm, options.false_alarms_per_hour, std::max(tests, 1)}, most_rows + 1};
}

/// Whether the torques have told enough of a direction. \param prior  variance of the prior along it [N²]. One in which
/// it is zero is known by declaration.
inline bool is_observed(double sd, double observable_sd, double prior) noexcept {
  return sd <= observable_sd && sd * sd <= (1.0 - kLeastInformation) * prior * kRounding;
}

/// Of the force's principal directions, the best known first, how many count as observed.
/// \param sensible  that the limb can sense: of the others, known worst of all, nothing is asked
/// \param prior(i)  variance of the prior along direction i [N²]. One in which it is zero is known by declaration.
template <class Prior>
int count_observable(const Vector3& force_sd, int sensible, double observable_sd, const Prior& prior) noexcept {
  int count = 0;
  while (count < sensible && is_observed(force_sd[count], observable_sd, prior(count))) ++count;
  return count;
}

/// What a verdict is of.
struct JudgedDirections {
  double worst_sd = kNaN;
  int observed = 0, count = 3;
};
/// Those that the limb can sense.
inline JudgedDirections sensed_directions(const Uncertainty& u) noexcept {
  return {u.worst_sd(), u.observable, 3 - u.insensible};
}
/// Those that the consumer needs. \param R_WB  the base's axes in the world
inline JudgedDirections wanted_directions(ForceWant want, double observable_sd, const Uncertainty& u,
                                          const Matrix6& prior_factor, const Matrix3& R_WB) noexcept {
  if (want == ForceWant::sensed) return sensed_directions(u);
  JudgedDirections judged{0.0, 0, 0};
  for (int axis = 0; axis < 3; ++axis) {
    if (!wants_axis(want, axis)) continue;
    const Vector3 direction = R_WB.col(axis);
    const double sd = std::sqrt(direction.dot(u.covariance.topLeftCorner<3, 3>() * direction));
    // Not std::max, which drops a NaN: what is not known must not pass.
    if (!(sd <= judged.worst_sd)) judged.worst_sd = sd;
    judged.observed +=
        is_observed(sd, observable_sd, (prior_factor.topRows<3>().transpose() * direction).squaredNorm());
    ++judged.count;
  }
  return judged;
}

/// Fills wrench, covariance, principal directions and the observable part, for as many directions as the limb can sense
/// (`estimate.uncertainty.insensible`, which is there already). \p w as `estimate.sign` has it.
/// \param prior_factor  L of the endpoint, P₀ = L Lᵀ
inline void describe_posterior(const Vector6& w, const Matrix6& covariance, const Matrix6& prior_factor,
                               double observable_sd, WrenchEstimate& estimate) noexcept {
  estimate.wrench = Wrench::from_vector(w);
  Uncertainty& u = estimate.uncertainty;
  u.covariance = covariance;
  const PrincipalDeviations principal = principal_deviations(covariance.topLeftCorner<3, 3>());
  u.force_sd = principal.deviation;
  u.directions = principal.direction;
  u.observable = count_observable(u.force_sd, 3 - u.insensible, observable_sd, [&](int i) {
    return (prior_factor.topRows<3>().transpose() * u.directions.col(i)).squaredNorm();
  });
  u.observable_force.setZero();
  for (int i = 0; i < u.observable; ++i) {
    const Vector3 direction = u.directions.col(i);
    u.observable_force += direction * direction.dot(estimate.wrench.force);
  }
}

/// Adds what deviations and tests say against an estimate. \return its verdict
inline Verdict judge_uncertainty(const PosteriorOptions& options, const Uncertainty& u, const JudgedDirections& judged,
                                 Reasons& reasons) noexcept {
  if (!(judged.worst_sd <= options.full_use_sd)) reasons.add(Reason::uncertain);
  if (judged.observed < judged.count) reasons.add(Reason::unobservable_direction);
  if (!u.consistent()) reasons.add(Reason::inconsistent);
  if (!u.reference.passes() || !(u.misfit.value <= kGrossMisfit * u.misfit.limit)) {
    reasons.add(Reason::contradiction);
  }
  if (!(u.nis <= u.nis_threshold)) reasons.add(Reason::unexplained);
  if (!u.contact.passes()) reasons.add(Reason::beyond_prior);
  return judged.observed == 0 ? Verdict::unobservable : !reasons.empty() ? Verdict::degraded : Verdict::ok;
}

/// Sets rank, reasons and verdict of an estimate that has been described. One that is not finite is invalid input.
/// \param prior_factor  as of describe_posterior() \param R_WB  the base's axes in the world
/// \param denied  the consumer needs a direction that the limb senses in no pose
inline void judge_posterior(const PosteriorOptions& options, const Matrix6& prior_factor, const Matrix3& R_WB,
                            bool denied, WrenchEstimate& estimate) noexcept {
  const Uncertainty& u = estimate.uncertainty;
  if (!estimate.wrench.is_measurable() || !u.covariance.allFinite()) return estimate.invalidate(Status::not_finite);
  estimate.rank = u.observable;
  const JudgedDirections judged = wanted_directions(options.want, options.observable_sd, u, prior_factor, R_WB);
  estimate.verdict = judge_uncertainty(options, u, judged, estimate.reasons);
  if (!denied) return;
  estimate.reasons.add(Reason::insensible_direction);
  estimate.verdict = std::max(estimate.verdict, Verdict::refused);
}

}  // namespace antaeus
