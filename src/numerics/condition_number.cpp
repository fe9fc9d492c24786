#include "antaeus/numerics/condition_number.hpp"

#include <cmath>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

bool is_valid(const ConstVectorRef& sigma) noexcept { return sigma.size() > 0 && (sigma.array() >= 0.0).all(); }

}  // namespace

double condition_number(const ConstVectorRef& sigma) noexcept {
  if (!is_valid(sigma)) return kNaN;
  const double smallest = sigma.minCoeff();
  return smallest > 0.0 ? sigma.maxCoeff() / smallest : kInfinity;
}

double scaled_condition_number(const ConstMatrixRef& J, double characteristic_length, SmallSvd& svd,
                               int directions) noexcept {
  if (J.rows() != 6 || !(characteristic_length > 0.0)) return kNaN;
  const double per_length = 1.0 / characteristic_length;
  Vector6 row_scale;
  row_scale << per_length, per_length, per_length, 1.0, 1.0, 1.0;
  if (svd.compute_transposed(J, row_scale) != Status::ok) return kNaN;
  // Fewer than six joints leave directions that no joint torque sees; their singular values are not among the min(6,
  // n).
  if (directions > 0 && directions <= svd.sigma().size()) return condition_number(svd.sigma().head(directions));
  return J.cols() < 6 ? kInfinity : condition_number(svd.sigma());
}

double manipulability(const ConstVectorRef& sigma) noexcept { return is_valid(sigma) ? sigma.prod() : kNaN; }

}  // namespace antaeus
