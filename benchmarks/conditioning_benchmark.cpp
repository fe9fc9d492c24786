// SmallSvd and its pseudo-inverse against Eigen's decompositions on the matrices of contact estimation. The ratio
// within one run counts: --benchmark_enable_random_interleaving=true --benchmark_repetitions=9.

#include <benchmark/benchmark.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <random>
#include <vector>

#include "antaeus/numerics/pseudo_inverse.hpp"

namespace antaeus {
namespace {

/// One hand (8 of 27 rows), two feet and two hands (27 × 24 in three blocks), the same with the six rows of the base
/// (dense).
enum Pattern : int { kHand, kLimbs, kLimbsAndBase };

/// 64 matrices, so that branch prediction does not learn one by heart.
std::vector<MatrixX> matrices(int pattern) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto dense = [&](int rows, int columns) {
    return MatrixX(MatrixX::NullaryExpr(rows, columns, [&](Eigen::Index, Eigen::Index) { return uniform(engine); }));
  };
  std::vector<MatrixX> all;
  for (int i = 0; i < 64; ++i) {
    const int base = pattern == kLimbsAndBase ? 6 : 0;
    MatrixX A = MatrixX::Zero(27 + base, pattern == kHand ? 6 : 24);
    if (pattern == kHand) {
      A.middleRows(12, 8) = dense(8, 6);
    } else {
      A.topRows(base) = dense(base, 24);
      A.block(base, 0, 6, 6) = dense(6, 6);
      A.block(base + 6, 6, 6, 6) = dense(6, 6);
      A.block(base + 12, 12, 8, 6) = dense(8, 6);
      A.block(base + 12, 18, 1, 6) = dense(1, 6);
      A.block(base + 20, 18, 7, 6) = dense(7, 6);
    }
    all.push_back(A);
  }
  return all;
}

/// Times `inverse(A, B)` over the matrices of a pattern.
template <typename MakeInverse>
void run(benchmark::State& state, const MakeInverse& make_inverse) {
  const std::vector<MatrixX> all = matrices(static_cast<int>(state.range(0)));
  MatrixX B(all[0].cols(), all[0].rows());
  auto inverse = make_inverse(static_cast<int>(all[0].rows()), static_cast<int>(all[0].cols()));
  std::size_t next = 0;
  for (auto _ : state) {
    inverse(all[next++ % all.size()], B);
    benchmark::DoNotOptimize(B.data());
    benchmark::ClobberMemory();
  }
}

/// The decomposition alone.
void small_svd(benchmark::State& state) {
  run(state, [](int rows, int columns) {
    return [svd = SmallSvd(rows, columns)](const MatrixX& A, MatrixX&) mutable { svd.compute(A); };
  });
}

void small_svd_inverse(benchmark::State& state) {
  run(state, [](int rows, int columns) {
    return [svd = SmallSvd(rows, columns)](const MatrixX& A, MatrixX& B) mutable {
      svd.compute(A);
      moore_penrose(svd, kNumpyRelativeTolerance, B);
    };
  });
}

template <typename Svd>
void eigen_svd(benchmark::State& state) {
  run(state, [](int rows, int columns) {
    return [svd = Svd(rows, columns, Eigen::ComputeThinU | Eigen::ComputeThinV)](const MatrixX& A, MatrixX&) mutable {
      svd.compute(A);
    };
  });
}

template <typename Svd>
void eigen_svd_inverse(benchmark::State& state) {
  run(state, [](int rows, int columns) {
    return [svd = Svd(rows, columns, Eigen::ComputeThinU | Eigen::ComputeThinV)](const MatrixX& A, MatrixX& B) mutable {
      svd.compute(A);
      B.noalias() = svd.matrixV() * svd.singularValues().cwiseInverse().asDiagonal() * svd.matrixU().transpose();
    };
  });
}

void eigen_orthogonal_inverse(benchmark::State& state) {
  run(state, [](int rows, int columns) {
    return
        [cod = Eigen::CompleteOrthogonalDecomposition<MatrixX>(rows, columns)](const MatrixX& A, MatrixX& B) mutable {
          cod.compute(A);
          B = cod.pseudoInverse();
        };
  });
}

BENCHMARK(small_svd)->DenseRange(kHand, kLimbsAndBase);
BENCHMARK(eigen_svd<Eigen::JacobiSVD<MatrixX>>)->DenseRange(kHand, kLimbsAndBase);
BENCHMARK(eigen_svd<Eigen::BDCSVD<MatrixX>>)->DenseRange(kHand, kLimbsAndBase);
BENCHMARK(small_svd_inverse)->DenseRange(kHand, kLimbsAndBase);
BENCHMARK(eigen_svd_inverse<Eigen::JacobiSVD<MatrixX>>)->DenseRange(kHand, kLimbsAndBase);
BENCHMARK(eigen_svd_inverse<Eigen::BDCSVD<MatrixX>>)->DenseRange(kHand, kLimbsAndBase);
BENCHMARK(eigen_orthogonal_inverse)->DenseRange(kHand, kLimbsAndBase);

}  // namespace
}  // namespace antaeus

BENCHMARK_MAIN();
