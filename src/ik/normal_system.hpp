#pragma once
/// \file
/// The system that an attempt's step solves: J Jᵀ + λ I over the free joints, 3 × 3 or 6 × 6, summed and solved in
/// registers.

#include "ik/forward.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// Lower triangle of a K × K matrix, row by row, that sums weighted outer products.
template <class D, int K>
struct Triangle {
  D m[K * (K + 1) / 2];
};

/// The inverse of a symmetric 3 × 3 matrix by its cofactors: lower triangle in, lower triangle out. One quotient, and
/// short chains of dependent operations: the step's time is latency.
template <class D>
ANTAEUS_LANES_INLINE void invert3(const D* m, D* inverse) {
  const D c00 = m[2] * m[5] - m[4] * m[4], c10 = m[3] * m[4] - m[1] * m[5], c20 = m[1] * m[4] - m[3] * m[2];
  const D share = 1.0 / (m[0] * c00 + m[1] * c10 + m[3] * c20);
  inverse[0] = share * c00;
  inverse[1] = share * c10;
  inverse[2] = share * (m[0] * m[5] - m[3] * m[3]);
  inverse[3] = share * c20;
  inverse[4] = share * (m[1] * m[3] - m[0] * m[4]);
  inverse[5] = share * (m[0] * m[2] - m[1] * m[1]);
}
template <class D>
ANTAEUS_LANES_INLINE void times3(const D* m, const D* x, D* y) {
  y[0] = m[0] * x[0] + m[1] * x[1] + m[3] * x[2];
  y[1] = m[1] * x[0] + m[2] * x[1] + m[4] * x[2];
  y[2] = m[3] * x[0] + m[4] * x[1] + m[5] * x[2];
}

/// y of M y = e, M symmetric and positive definite, K = 3 or 6: by 3 × 3 blocks M = [A Bᵀ; B C] and C − B A⁻¹ Bᵀ.
template <class D, int K>
ANTAEUS_LANES_INLINE void solve_triangle(const Triangle<D, K>& M, const D* e, D* y) {
  static_assert(K == 3 || K == 6);
  D A[6];
  invert3(M.m, A);
  if constexpr (K == 3) {
    times3(A, e, y);
  } else {
    const D* B[3] = {M.m + 6, M.m + 10, M.m + 15};  // rows
    D G[3][3], S[6], rest[3], first[3];
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) times3(A, B[r], G[r]);
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) {
#pragma GCC unroll 3
      for (int c = 0; c <= r; ++c) {
        S[r * (r + 1) / 2 + c] =
            M.m[(r + 3) * (r + 4) / 2 + 3 + c] - (G[r][0] * B[c][0] + G[r][1] * B[c][1] + G[r][2] * B[c][2]);
      }
      rest[r] = e[3 + r] - (G[r][0] * e[0] + G[r][1] * e[1] + G[r][2] * e[2]);
    }
    D inverse[6];
    invert3(S, inverse);
    times3(inverse, rest, y + 3);
    times3(A, e, first);
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) y[c] = first[c] - (G[0][c] * y[3] + G[1][c] * y[4] + G[2][c] * y[5]);
  }
}

/// Sums the products of columns, rows R … R + 2 times rows C … C + 2, in registers.
template <class D, int K, int R, int C>
ANTAEUS_LANES_INLINE void add_block(const D (*columns)[K], int n, Triangle<D, K>& M) {
  D sum[9];
#pragma GCC unroll 9
  for (int k = 0; k < 9; ++k) {
    const int r = R + k / 3, c = C + k % 3;
    if (c <= r) sum[k] = M.m[r * (r + 1) / 2 + c];
  }
  for (int i = 0; i < n; ++i) {
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
      const int r = R + k / 3, c = C + k % 3;
      if (c <= r) sum[k] = sum[k] + columns[i][r] * columns[i][c];
    }
  }
#pragma GCC unroll 9
  for (int k = 0; k < 9; ++k) {
    const int r = R + k / 3, c = C + k % 3;
    if (c <= r) M.m[r * (r + 1) / 2 + c] = sum[k];
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
