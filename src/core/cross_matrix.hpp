#pragma once
#include "antaeus/core/types.hpp"

namespace antaeus::detail {

/// [a]×: [a]× b = a × b.
inline Matrix3 cross_matrix(const Vector3& a) noexcept {
  return (Matrix3() << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0).finished();
}

}  // namespace antaeus::detail
