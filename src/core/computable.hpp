#pragma once
/// \file
/// Numbers that can be computed with. A finite one may still be so large that its square, or its product with another,
/// is infinite, and the difference of two of these NaN: whoever takes numbers of others refuses it as `not_finite`.

#include <cmath>

namespace antaeus {

/// A square of a product of two such numbers is one still (1e240).
inline constexpr double kLargestComputable = 1e60;

inline bool is_computable(double number) noexcept { return std::abs(number) < kLargestComputable; }
/// All numbers of a matrix of Eigen's; NaN is none.
template <class Matrix>
bool is_computable(const Matrix& numbers) noexcept {
  return (numbers.array().abs() < kLargestComputable).all();
}

}  // namespace antaeus
