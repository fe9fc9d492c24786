#pragma once
/// \file
/// The two published estimators: one endpoint at a time as deployed, and all endpoints stacked as proposed.

#include <optional>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/numerics/pseudo_inverse.hpp"
#include "antaeus/numerics/small_svd.hpp"
#include "antaeus/robot/wrench_estimates.hpp"

namespace antaeus {

struct WrenchEstimatorOptions {
  Sign sign = Sign::on_environment;  ///< whose wrench is reported: on_robot or on_environment
  /// [1] singular values below this share of the largest count as zero.
  double relative_tolerance = kNumpyRelativeTolerance;
  /// [m] divides the linear rows for a condition number without mixed units; 0: not computed.
  double characteristic_length = 0.0;
};
ANTAEUS_API const OptionTable& options_of(const WrenchEstimatorOptions&);

/// ŵ = pinv(J_kᵀ) r for each endpoint k by itself: every torque that g does not explain is taken for a force there.
/// J_k is 6 × motors; of an endpoint that its joints move in one plane only, the linear rows in that plane, so that its
/// wrench is the force of the report's planar example and has no moment (StackedEstimator with that endpoint has one).
/// Take it to see what the H1-2's code reads; never feed it to a controller
/// (docs/concepts/estimator.md#which-estimator-to-take). Source: incident report (docs/references.md), Listing 1 and
/// eqs. (2), (3).
class ANTAEUS_API DeployedEstimator {
 public:
  explicit DeployedEstimator(const InstantReader& reader, WrenchEstimatorOptions options = {});
  /// One result an endpoint, in the instant's order. \realtime (estimation_realtime_test)
  const WrenchEstimates& solve(const Instant& now) noexcept;
  /// Of the last call.
  const WrenchEstimates& results() const noexcept { return estimates_; }

 private:
  WrenchEstimatorOptions options_;
  SmallSvd svd_;
  std::vector<int> directions_;  ///< of each endpoint that its motors move: what κ and the smallest σ are over
  std::vector<std::optional<Matrix3>> planes_;  ///< of each endpoint: projector onto the plane in which it moves
  Matrix6X planar_;                             ///< scratch: the Jacobian within that plane
  WrenchEstimates estimates_;
};

/// Which rows the stacked estimator uses.
/// `motors`: 27 × 24 on the H1-2 with wrists and feet. `motors_and_base`: 33 × 24, the six rows that no motor drives
/// too.
enum class StackedRows { motors, motors_and_base };
constexpr auto enum_names(StackedRows) noexcept { return name_list<StackedRows>("motors", "motors_and_base"); }

/// ŵ = pinv([J_1ᵀ … J_kᵀ]) r for all endpoints at once, least squares or minimum norm.
/// Take it to compare with what the report proposed; never feed it to a controller
/// (docs/concepts/estimator.md#which-estimator-to-take). Source: incident report (docs/references.md), "Better
/// estimator: stacked 4-endpoint".
class ANTAEUS_API StackedEstimator {
 public:
  /// \throws ModelError for base rows on a fixed base
  explicit StackedEstimator(const InstantReader& reader, StackedRows rows = StackedRows::motors,
                            WrenchEstimatorOptions options = {});
  /// One result an endpoint; rank, κ and σ are those of the whole stacked matrix. \realtime (estimation_realtime_test)
  const WrenchEstimates& solve(const Instant& now) noexcept;

  /// Of the last call.
  const WrenchEstimates& results() const noexcept { return estimates_; }
  /// The matrix A of the last call [rows × 6 endpoints]: base rows first where used.
  const MatrixX& matrix() const noexcept { return A_; }
  const SmallSvd& svd() const noexcept { return svd_; }

 private:
  WrenchEstimatorOptions options_;
  StackedRows rows_;
  SmallSvd svd_;
  MatrixX A_;
  MatrixX inverse_;
  VectorX right_side_;
  VectorX solution_;
  WrenchEstimates estimates_;
};

}  // namespace antaeus
