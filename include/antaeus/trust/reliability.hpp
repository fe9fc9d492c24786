#pragma once
/// \file
/// Reliability of joint torques (Baarda): which torque errors stay undetected, and how far they shift the wrench.
/// It is computed per joint, pose and endpoint.

#include <array>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/numerics/redundancy.hpp"

namespace antaeus {

/// Reliability of the rows that speak for one endpoint: its own and the reference joint's. Vectors are in motor order,
/// NaN where a motor's row is not among them or is no evidence.
///
/// Of the estimator that runs, the priors of all its contacts are part: with S = R + Σ A P₀ Aᵀ over all its rows,
///
///     ρ_j = (S⁻¹)_jj / (R⁻¹)_jj,   MDB_j = √λ₀ / √(S⁻¹)_jj,   √λ₀ = 4.13
///
/// and the test is PosteriorEstimates::row_test. A prior counts as six more observations: it is what lets a test call a
/// torque error improbable that a large enough contact would explain. The `prior_free` numbers make no assumption on
/// the size of a contact at this endpoint, and know of no contact elsewhere. Of identified noise they read its diagonal
/// alone: what rows share of their errors is left out there.
struct EndpointReliability {
  Status status = Status::not_computed;
  VectorX redundancy, minimal_detectable_bias, external_force;
  double total_redundancy = 0.0;
  VectorX prior_free_redundancy, prior_free_bias;
  double prior_free_total = 0.0;
  double condition = 0.0, sigma_min = 0.0;

  /// Sets the dimension and NaN in every number.
  void reset(Eigen::Index motors) {
    for (VectorX* numbers : vectors()) numbers->resize(motors);
    invalidate(Status::not_computed);
  }
  void invalidate(Status why) noexcept {
    status = why;
    for (VectorX* numbers : vectors()) numbers->setConstant(kNaN);
    total_redundancy = prior_free_total = condition = sigma_min = kNaN;
  }

 private:
  std::array<VectorX*, 5> vectors() noexcept {
    return {&redundancy, &minimal_detectable_bias, &external_force, &prior_free_redundancy, &prior_free_bias};
  }
};
constexpr void visit_fields(const EndpointReliability*, auto&& visit) {
  using E = EndpointReliability;
  visit(field("status", "", "ok, or why there are no numbers", &E::status));
  visit(field("redundancy", "1",
              "[motors] ρ_j, 0 … 1: the share of an error in joint j that shows in the misfit, contacts within their "
              "priors",
              &E::redundancy));
  visit(field("minimal_detectable_bias", "N·m",
              "[motors] smallest error that the row's test finds (0.1 % false alarms, 80 % power)",
              &E::minimal_detectable_bias));
  visit(field("external_force", "N",
              "[motors] external reliability: shift of the force that an error of that size causes, unnoticed; 0 for "
              "joints whose rows the estimate does not use",
              &E::external_force));
  visit(field("total_redundancy", "1", "Σ of redundancy", &E::total_redundancy));
  visit(field("prior_free_redundancy", "1",
              "[motors] redundancy with contacts of any size at this endpoint, and none elsewhere; 0: an error of any "
              "size is taken for a contact",
              &E::prior_free_redundancy));
  visit(field("prior_free_bias", "N·m",
              "[motors] minimal_detectable_bias of the same; infinite where no test on these rows alone finds an error "
              "of any size",
              &E::prior_free_bias));
  visit(
      field("prior_free_total", "1", "Σ of prior_free_redundancy: rows with evidence less rank", &E::prior_free_total));
  visit(field("condition", "1", "κ of the whitened, unit-scaled rows: no mixture of m and rad", &E::condition));
  visit(field("sigma_min", "", "smallest singular value of them, in prior sds per noise sd", &E::sigma_min));
}

/// Without priors a joint counts as undetectable where its redundancy is below this: the test would need an error 30
/// times as large as that of a joint with full redundancy.
inline constexpr double kUndetectableRedundancy = 1e-3;

/// Computes the reliability of every endpoint of a posterior.
class ANTAEUS_API ReliabilityEstimator {
 public:
  /// \param posterior  whose rows and priors are analysed; must have been made from the same reader
  ReliabilityEstimator(const InstantReader& reader, const PosteriorEstimator& posterior);

  /// One result an endpoint. \param estimates  of that posterior: their gains give the external reliability.
  /// \realtime (estimation_realtime_test)
  const std::vector<EndpointReliability>& judge(const PosteriorEstimates& estimates) noexcept;
  const std::vector<EndpointReliability>& results() const noexcept { return results_; }
  /// Motors whose rows are analysed, in motor order.
  const std::vector<int>& rows(std::size_t endpoint) const noexcept { return rows_[endpoint].motors; }

 private:
  struct Rows {
    std::vector<int> motors;
    MatrixX A;
    VectorX variance;
    Redundancy redundancy;
  };
  Vector6 scale_;
  std::vector<Rows> rows_;
  std::vector<EndpointReliability> results_;
};

}  // namespace antaeus
