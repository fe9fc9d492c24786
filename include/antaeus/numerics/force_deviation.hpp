#pragma once
/// \file
/// How well joint torques can tell a force at a pose, and how that changes with the Jacobian.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// What is known of a wrench before any torque is read: zero mean, these sds. The defaults are the posterior
/// estimator's.
struct WrenchPriorSd {
  double force = 20.0;  ///< [N], > 0
  double moment = 1.5;  ///< [N·m], > 0
};

/// The worst-known direction of the force in a wrench w that torques Jᵀw + noise measure.
///
/// Covariance C = (P₀⁻¹ + J W Jᵀ)⁻¹; σ² its largest eigenvalue within the force rows, u the direction. With a = C u
/// (moment rows of u zero), ∂σ/∂J = − a (W Jᵀ a)ᵀ / σ wherever the eigenvalue is single; where several are equal, it
/// is a subgradient.
struct ForceDeviation {
  double deviation = 0.0;               ///< σ [N], at most the prior's
  Vector3 direction = Vector3::Zero();  ///< u, unit, axes of J's rows; entry of largest magnitude positive
  Vector6 leverage = Vector6::Zero();   ///< a
};

/// \param J            6 × n, linear rows first
/// \param information  W, n: 1/variance of each torque [1/(N·m)²], ≥ 0; 0: not measured
/// \return `wrong_size` or `not_finite`, and the result NaN
/// \realtime force_deviation_test
ANTAEUS_API Status worst_force_deviation(const ConstMatrixRef& J, const ConstVectorRef& information,
                                         const WrenchPriorSd& prior, ForceDeviation& result) noexcept;

}  // namespace antaeus
