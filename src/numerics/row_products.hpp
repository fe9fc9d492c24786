#pragma once
/// \file
/// Products with the rows of one frame, two rows at a time: N unknowns, or any number of them for N = 0.

#include <array>

#include "numerics/pair.hpp"

namespace antaeus::detail {

using detail::both;
using detail::load;
using detail::Pair;

/// G, column-major; the number of rows is even.
struct RowMatrix {
  const double* numbers;
  int rows, unknowns;
};

/// Number of unknowns: a constant where it is known to the compiler.
template <int N>
constexpr int count(int n) noexcept {
  return N > 0 ? N : n;
}

/// Rows r and r + 1 of G z.
template <int N>
inline Pair row_values(const RowMatrix& G, int r, const double* z) noexcept {
  Pair value = {};
  for (int j = 0; j < count<N>(G.unknowns); ++j) value += load(G.numbers + j * G.rows + r) * both(z[j]);
  return value;
}

/// out_j = Gᵀ x and Gᵀ y, one column of G at a time.
template <int N>
inline void transposed_products(const RowMatrix& G, const double* x, const double* y, double* out_x,
                                double* out_y) noexcept {
  const int m = G.rows, n = count<N>(G.unknowns);
  for (int j = 0; j < n; ++j) {
    Pair sum_x = {}, sum_y = {};
    const double* column = G.numbers + j * m;
    for (int r = 0; r < m; r += 2) {
      const Pair g = load(column + r);
      sum_x += g * load(x + r);
      sum_y += g * load(y + r);
    }
    out_x[j] = detail::sum(sum_x);
    out_y[j] = detail::sum(sum_y);
  }
}

template <int N>
inline void subtract_transposed_product(const RowMatrix& G, const double* x, double* out) noexcept {
  const int m = G.rows, n = count<N>(G.unknowns);
  for (int j = 0; j < n; ++j) {
    Pair sum = {};
    for (int r = 0; r < m; r += 2) sum += load(G.numbers + j * m + r) * load(x + r);
    out[j] -= detail::sum(sum);
  }
}

/// Columns i and j of Gᵀ w G, in a tile of three by three that stays in registers: D(i + a, j + b) += …
template <int Size>
inline void add_tile(const double* G_i, const double* G_j, const double* w, int m, double* D, int n,
                     bool diagonal) noexcept {
  std::array<std::array<Pair, Size>, Size> sum{};
  for (int r = 0; r < m; r += 2) {
    const Pair weight = load(w + r);
    std::array<Pair, Size> left;
    for (int a = 0; a < Size; ++a) left[a] = weight * load(G_i + a * m + r);
    for (int b = 0; b < Size; ++b) {
      const Pair right = load(G_j + b * m + r);
      for (int a = 0; a < Size; ++a) sum[b][a] += left[a] * right;
    }
  }
  for (int b = 0; b < Size; ++b)
    for (int a = diagonal ? b : 0; a < Size; ++a) D[a + b * n] += detail::sum(sum[b][a]);
}

/// Lower triangle of D += Gᵀ diag(w) G; D is n × n.
template <int N>
inline void add_weighted_square(const RowMatrix& G, const double* w, double* D) noexcept {
  constexpr int kTile = N > 0 && N % 3 == 0 ? 3 : 1;
  const int m = G.rows, n = count<N>(G.unknowns);
  for (int j = 0; j < n; j += kTile)
    for (int i = j; i < n; i += kTile)
      add_tile<kTile>(G.numbers + i * m, G.numbers + j * m, w, m, D + i + j * n, n, i == j);
}

}  // namespace antaeus::detail
