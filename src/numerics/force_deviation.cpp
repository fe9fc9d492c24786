#include "antaeus/numerics/force_deviation.hpp"

#include "antaeus/numerics/gaussian_posterior.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

Status worst_force_deviation(const ConstMatrixRef& J, const ConstVectorRef& information, const WrenchPriorSd& prior,
                             ForceDeviation& result) noexcept {
  result = {kNaN, Vector3::Constant(kNaN), Vector6::Constant(kNaN)};
  if (J.rows() != 6 || information.size() != J.cols()) return Status::wrong_size;
  const bool sound = J.allFinite() && information.allFinite() && (information.array() >= 0.0).all();
  if (!sound || !(prior.force > 0.0) || !(prior.moment > 0.0)) return Status::not_finite;
  // Whitened by the prior, so that no eigenvalue of what is inverted is below 1: C = L (I + L J W Jᵀ L)⁻¹ L.
  Vector6 L;
  L << Vector3::Constant(prior.force), Vector3::Constant(prior.moment);
  Matrix6 B = Matrix6::Identity();
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    const Vector6 column = L.cwiseProduct(J.col(j));
    B += information[j] * column * column.transpose();
  }
  const Eigen::LLT<Matrix6> factor(B);
  if (factor.info() != Eigen::Success) return Status::not_finite;
  const Matrix6 inverse = factor.solve(Matrix6::Identity());
  const Matrix6 C = L.asDiagonal() * inverse * L.asDiagonal();
  const PrincipalDeviations principal = principal_deviations(C.topLeftCorner<3, 3>());
  result.deviation = principal.worst();
  result.direction = principal.worst_direction();
  result.leverage = C.leftCols<3>() * result.direction;
  return Status::ok;
}

}  // namespace antaeus
