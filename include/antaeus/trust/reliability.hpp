#pragma once
/// \file
/// Reliability of joint torques (Baarda): which torque errors stay undetected, and how far they shift the wrench.
/// It is computed per joint, pose and endpoint.

#include <vector>

#include "antaeus/conditioning/redundancy.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"

namespace antaeus {

/// Reliability of one endpoint's rows: its own and the reference joint's, one contact at the endpoint, no prior.
/// Vectors are in motor order, NaN where a motor's row is not among them or is no evidence.
struct EndpointReliability {
  Status status = Status::not_computed;
  VectorX redundancy;  ///< ρ_j, 0 … 1: the share of an error in joint j that shows in the misfit; Σ = rows − rank
  /// Smallest error of a joint's torque that the misfit reveals (0.1 % false alarms, 80 % power) [N·m]; infinite: none
  VectorX minimal_detectable_bias;
  /// External reliability: shift of the estimated force that an error of that size at joint j causes, unnoticed [N].
  /// 0 for joints whose rows the estimate does not use.
  VectorX external_force;
  double total_redundancy = 0.0;  ///< rows with evidence less rank
  double condition = 0.0;         ///< κ of the whitened, unit-scaled rows: no mixture of m and rad
  double sigma_min = 0.0;         ///< smallest singular value of them, in prior sds per noise sd
};

/// A joint counts as undetectable where its redundancy is below this: the test would need an error 30 times as large
/// as that of a joint with full redundancy.
inline constexpr double kUndetectableRedundancy = 1e-3;

/// Computes the reliability of every endpoint of a posterior.
class ANTAEUS_API ReliabilityEstimator {
 public:
  /// \param posterior  whose rows and priors are analysed; must have been made from the same reader
  ReliabilityEstimator(const InstantReader& reader, const PosteriorEstimator& posterior);

  /// One result an endpoint. \param estimates  of that posterior: their gains give the external reliability.
  /// \realtime (estimation_realtime_test)
  const std::vector<EndpointReliability>& of(const PosteriorEstimates& estimates) noexcept;
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
