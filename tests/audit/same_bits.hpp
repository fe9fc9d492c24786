#pragma once
/// Whether numbers are the same to the last bit; NaN is only its own.

#include <cstddef>
#include <cstring>

namespace antaeus::test {

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(*a.data())) == 0);
}

}  // namespace antaeus::test
