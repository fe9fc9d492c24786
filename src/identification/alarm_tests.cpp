#include "antaeus/identification/alarm_tests.hpp"

#include <Eigen/SVD>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

namespace {

Eigen::LLT<MatrixX> factored(const MatrixX& covariance, const char* name) {
  Eigen::LLT<MatrixX> factor(covariance);
  if (covariance.rows() != covariance.cols() || !covariance.allFinite() || factor.info() != Eigen::Success) {
    throw OptionsError(name, "it is no covariance", "give a symmetric, positive definite matrix");
  }
  return factor;
}

}  // namespace

LinearTest row_test(const MatrixX& S, int row, double limit) {
  if (row < 0 || row >= S.rows()) throw OptionsError("row", "S has not that row", "give an index below its size");
  const VectorX weights = factored(S, "S").solve(VectorX::Unit(S.rows(), row));
  return {weights.transpose() / std::sqrt(weights[row]), limit * limit};
}

LinearTest misfit_test(const MatrixX& A, const MatrixX& R, const MatrixX& prior_factor, const VectorX& limits) {
  const Eigen::Index m = R.rows();
  if (A.rows() != m || A.cols() != prior_factor.rows() || limits.size() < m) {
    throw OptionsError("A", "its sizes do not fit R, the prior and the limits", "give rows × unknowns");
  }
  const Eigen::LLT<MatrixX> noise = factored(R, "R");
  const MatrixX B = noise.matrixL().solve(A * prior_factor);
  const Eigen::JacobiSVD<MatrixX> svd(B, Eigen::ComputeFullU);
  const Eigen::Index felt = (svd.singularValues().array() >= GaussianPosterior::kFelt).count();
  // Uᵀ L⁻¹ = (L⁻ᵀ U)ᵀ.
  const MatrixX outside = noise.matrixU().solve(svd.matrixU().rightCols(m - felt)).transpose();
  return {outside, m > felt ? limits[m - felt - 1] : 0.0};
}

}  // namespace antaeus
