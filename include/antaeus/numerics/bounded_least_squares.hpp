#pragma once
/// \file
/// Small dense least squares between limits, exact to rounding.
///
///     minimise ½ ‖C x − d‖² + ½ λ² ‖x‖²   subject to   lower ≤ N x ≤ upper.
///
/// Method: Goldfarb & Idnani, "A numerically stable dual method for solving strictly convex quadratic programs", Math.
/// Program. 27 (1983), on the triangle of a QR of (C; λI) instead of a Cholesky factor of CᵀC + λ²I, which would square
/// the condition. It starts at the free optimum and takes one broken limit at a time, so it ends at a vertex that holds
/// its limits to rounding, or proves that none exists. An interior point (elastic_qp.hpp) stops short of both.

#include <cstdint>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// How a solution ended. x is NaN unless `solved`.
enum class LeastSquaresStatus : std::uint8_t {
  solved,
  infeasible,        ///< no x is within all limits
  iteration_budget,  ///< limits that depend on one another to rounding were taken and left again too often
  wrong_size,        ///< over the capacity, or arguments that do not fit each other
  not_finite,        ///< NaN in the problem, a damping that is not positive, numbers too different to compute with
  not_computed,
};
constexpr auto enum_names(LeastSquaresStatus) noexcept {
  return name_list<LeastSquaresStatus>("solved", "infeasible", "iteration_budget", "wrong_size", "not_finite",
                                       "not_computed");
}

/// \realtime after construction, bounded_least_squares_test. One object per thread.
class ANTAEUS_API BoundedLeastSquares {
 public:
  /// \param max_rows  of C; \param max_unknowns  columns of C; \param max_limits  rows of N
  BoundedLeastSquares(int max_rows, int max_unknowns, int max_limits);

  /// \param C      m × n; no rows are allowed
  /// \param d      m
  /// \param damping  λ > 0, unit of C
  /// \param N      k × n; a row of zeros (below kNoRow) is passed over: x cannot move what it limits
  /// \param lower  k, −infinity for none
  /// \param upper  k, infinity for none
  LeastSquaresStatus solve(const ConstMatrixRef& C, const ConstVectorRef& d, double damping, const ConstMatrixRef& N,
                           const ConstVectorRef& lower, const ConstVectorRef& upper) noexcept;

  LeastSquaresStatus status() const noexcept { return status_; }
  /// n
  Eigen::Map<const VectorX> x() const noexcept { return {x_.data(), n_}; }
  /// k multipliers: what a unit more of the limit would save, > 0 at an upper limit, < 0 at a lower one, else 0.
  Eigen::Map<const VectorX> multipliers() const noexcept { return {multipliers_.data(), limits_}; }
  /// Limits taken and left.
  int iterations() const noexcept { return iterations_; }

  /// Norm of a row of N below which it counts as zero.
  static constexpr double kNoRow = 1e-12;

 private:
  LeastSquaresStatus fail(LeastSquaresStatus status) noexcept;
  LeastSquaresStatus run(const ConstMatrixRef& C, const ConstVectorRef& d, double damping, const ConstMatrixRef& N,
                         const ConstVectorRef& lower, const ConstVectorRef& upper) noexcept;
  void factorise(const ConstMatrixRef& C, const ConstVectorRef& d, double damping) noexcept;
  bool take(int limit, double sign) noexcept;
  void leave(int position) noexcept;

  int max_rows_, max_unknowns_, max_limits_;
  Eigen::Index n_ = 0, limits_ = 0;
  LeastSquaresStatus status_ = LeastSquaresStatus::not_computed;
  int iterations_ = 0, active_count_ = 0;
  VectorX x_, multipliers_, norm_;
  MatrixX stacked_;  ///< (C d; λI 0): Householder leaves the triangle on top
  MatrixX J_;        ///< inverse triangle, turned so that its first columns belong to the active limits
  MatrixX R_;        ///< triangle of the active limits' normals in J's axes
  VectorX normal_, along_, step_, slope_, price_;
  std::vector<int> active_;      ///< limits in the order they were taken
  std::vector<double> sign_;     ///< 1: at the lower limit, −1: at the upper
  std::vector<char> is_active_;  ///< by limit
};

}  // namespace antaeus
