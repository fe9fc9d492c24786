#include "antaeus/identification/alarm_tests.hpp"

#include <cmath>

#include "antaeus/core/error.hpp"
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

}  // namespace antaeus
