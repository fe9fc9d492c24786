#include "antaeus/numerics/block_tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace antaeus {

namespace {

// Each loop below is a chain in which every step waits for the one before. So what a step multiplies is scaled beside
// the chain: unit columns C(i, j)/C(j, j) go through it, and the root and the division of a pivot are off it.

/// Lower Cholesky factor in place, and the reciprocals of its diagonal; the upper triangle is left alone. False where a
/// pivot is not positive.
template <class Matrix>
bool cholesky(Matrix& A, double* reciprocal) noexcept {
  const Eigen::Index n = A.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    const double pivot = A(j, j);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    const double share = 1.0 / pivot;
    for (Eigen::Index k = j + 1; k < n; ++k) {
      const double unit = A(k, j) * share;
      for (Eigen::Index i = k; i < n; ++i) A(i, k) -= A(i, j) * unit;
    }
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    const double root = std::sqrt(A(j, j));
    reciprocal[j] = 1.0 / root;
    A(j, j) = root;
    for (Eigen::Index i = j + 1; i < n; ++i) A(i, j) *= reciprocal[j];
  }
  return true;
}

/// X ← X C⁻ᵀ, C lower triangular.
template <class Rows, class Factor>
void divide_by_transpose(Rows& X, const Factor& C, const double* reciprocal) noexcept {
  const Eigen::Index n = C.rows();
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index k = 0; k < j; ++k) X.col(j) -= X.col(k) * (C(j, k) * reciprocal[k]);
  for (Eigen::Index j = 0; j < n; ++j) X.col(j) *= reciprocal[j];
}

template <class Factor, class Vector>
void forward(const Factor& C, const double* reciprocal, Vector&& x) noexcept {
  const Eigen::Index n = C.rows();
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j + 1; i < n; ++i) x[i] -= (C(i, j) * reciprocal[j]) * x[j];
  for (Eigen::Index j = 0; j < n; ++j) x[j] *= reciprocal[j];
}

template <class Factor, class Vector>
void backward(const Factor& C, const double* reciprocal, Vector&& x) noexcept {
  const Eigen::Index n = C.rows();
  for (Eigen::Index j = 0; j < n; ++j) x[j] *= reciprocal[j];
  for (Eigen::Index i = n - 1; i > 0; --i)
    for (Eigen::Index j = 0; j < i; ++j) x[j] -= (C(i, j) * reciprocal[j]) * x[i];
}

}  // namespace

template <class Work>
auto BlockTridiagonal::with_size(Work&& work) const {
  const bool equal =
      !mixed_ && !sizes_.empty() && std::all_of(sizes_.begin(), sizes_.end(), [&](int n) { return n == sizes_[0]; });
  switch (equal ? sizes_[0] : -1) {
    case 6: return work(std::integral_constant<int, 6>{});
    case 12: return work(std::integral_constant<int, 12>{});
    default: return work(std::integral_constant<int, Eigen::Dynamic>{});
  }
}

void BlockTridiagonal::reshape(std::span<const int> sizes, bool part_of_mixed) {
  mixed_ = part_of_mixed;
  sizes_.assign(sizes.begin(), sizes.end());
  const std::size_t count = sizes_.size();
  rows_.assign(count + 1, 0);
  diagonal_.assign(count, 0);
  lower_.assign(count, 0);
  Eigen::Index place = 0;
  for (std::size_t t = 0; t < count; ++t) {
    const Eigen::Index n = sizes_[t];
    rows_[t + 1] = rows_[t] + n;
    diagonal_[t] = place;
    place += n * n;
    lower_[t] = place;
    if (t + 1 < count) place += n * sizes_[t + 1];
  }
  data_.assign(static_cast<std::size_t>(place), 0.0);
  reciprocals_.assign(static_cast<std::size_t>(rows()), 0.0);
}

void BlockTridiagonal::reshape(int blocks, int size) {
  const std::vector<int> sizes(static_cast<std::size_t>(blocks), size);
  reshape(sizes);
}

void BlockTridiagonal::set_zero() noexcept { std::fill(data_.begin(), data_.end(), 0.0); }

void BlockTridiagonal::multiply(Eigen::Ref<const Eigen::VectorXd> x,
                                Eigen::Ref<Eigen::VectorXd> result) const noexcept {
  for (int t = 0; t < blocks(); ++t) {
    const auto here = x.segment(offset(t), size(t));
    auto out = result.segment(offset(t), size(t));
    out.noalias() = diagonal(t).lazyProduct(here);
    if (t > 0) out.noalias() += lower(t - 1).lazyProduct(x.segment(offset(t - 1), size(t - 1)));
    if (t + 1 < blocks()) out.noalias() += lower(t).transpose().lazyProduct(x.segment(offset(t + 1), size(t + 1)));
  }
}

bool BlockTridiagonal::factor() noexcept { return factor_from(0); }

bool BlockTridiagonal::factor_on() noexcept {
  const ConstBlock C = std::as_const(*this).diagonal(0);
  for (Eigen::Index j = 0; j < C.cols(); ++j) reciprocals_[static_cast<std::size_t>(j)] = 1.0 / C(j, j);
  return factor_from(1);
}

bool BlockTridiagonal::factor_from(int first) noexcept {
  return with_size([this, first](auto constant) {
    constexpr int kSize = decltype(constant)::value;
    for (int t = 0; t < blocks(); ++t) {
      Eigen::Map<Eigen::Matrix<double, kSize, kSize>> D(data_.data() + diagonal_[t], size(t), size(t));
      if (t > 0) {
        const Eigen::Map<const Eigen::Matrix<double, kSize, kSize>> X(data_.data() + lower_[t - 1], size(t),
                                                                      size(t - 1));
        D.noalias() -= X.lazyProduct(X.transpose());
      }
      if (t >= first && !cholesky(D, reciprocals_.data() + offset(t))) return false;
      if (t + 1 == blocks()) break;
      Eigen::Map<Eigen::Matrix<double, kSize, kSize>> X(data_.data() + lower_[t], size(t + 1), size(t));
      divide_by_transpose(X, D, reciprocals_.data() + offset(t));
    }
    return true;
  });
}

void BlockTridiagonal::solve(Eigen::Ref<Eigen::VectorXd> x) const noexcept {
  solve_forward(x);
  solve_backward(x);
}

void BlockTridiagonal::solve_forward(Eigen::Ref<Eigen::VectorXd> x, bool known) const noexcept {
  with_size([&](auto constant) {
    constexpr int kSize = decltype(constant)::value;
    using Const = Eigen::Map<const Eigen::Matrix<double, kSize, kSize>>;
    using Part = Eigen::Map<Eigen::Matrix<double, kSize, 1>>;
    const auto part = [&](int t) { return Part(x.data() + offset(t), size(t)); };
    for (int t = known ? 1 : 0; t < blocks(); ++t) {
      Part here = part(t);
      if (t > 0) here.noalias() -= Const(data_.data() + lower_[t - 1], size(t), size(t - 1)).lazyProduct(part(t - 1));
      forward(Const(data_.data() + diagonal_[t], size(t), size(t)), reciprocals_.data() + offset(t), here);
    }
  });
}

void BlockTridiagonal::solve_backward(Eigen::Ref<Eigen::VectorXd> x) const noexcept {
  with_size([&](auto constant) {
    constexpr int kSize = decltype(constant)::value;
    using Const = Eigen::Map<const Eigen::Matrix<double, kSize, kSize>>;
    using Part = Eigen::Map<Eigen::Matrix<double, kSize, 1>>;
    const auto part = [&](int t) { return Part(x.data() + offset(t), size(t)); };
    for (int t = blocks() - 1; t >= 0; --t) {
      Part here = part(t);
      if (t + 1 < blocks()) {
        here.noalias() -= Const(data_.data() + lower_[t], size(t + 1), size(t)).transpose().lazyProduct(part(t + 1));
      }
      backward(Const(data_.data() + diagonal_[t], size(t), size(t)), reciprocals_.data() + offset(t), here);
    }
  });
}

void BlockTridiagonal::inverse_blocks(BlockTridiagonal& inverse) const noexcept {
  // With A = C Cᵀ, C_t on the diagonal and X_t below it, S = A⁻¹:
  //   S_tt = C_t⁻ᵀ (1 + X_tᵀ S_{t+1,t+1} X_t) C_t⁻¹,   S_{t+1,t} = −S_{t+1,t+1} X_t C_t⁻¹.
  with_size([&](auto constant) {
    constexpr int kSize = decltype(constant)::value;
    using Const = Eigen::Map<const Eigen::Matrix<double, kSize, kSize>>;
    using Mutable = Eigen::Map<Eigen::Matrix<double, kSize, kSize>>;
    for (int t = blocks() - 1; t >= 0; --t) {
      const Const C(data_.data() + diagonal_[t], size(t), size(t));
      const double* const reciprocal = reciprocals_.data() + offset(t);
      Mutable S(inverse.data_.data() + diagonal_[t], size(t), size(t));
      S.setIdentity();
      // Columns of C⁻¹, then C⁻ᵀ C⁻¹ in the same place.
      for (Eigen::Index j = 0; j < C.cols(); ++j) forward(C, reciprocal, S.col(j));
      if (t + 1 < blocks()) {
        const Const X(data_.data() + lower_[t], size(t + 1), size(t));
        const Const next(inverse.data_.data() + diagonal_[t + 1], size(t + 1), size(t + 1));
        Mutable below(inverse.data_.data() + lower_[t], size(t + 1), size(t));
        below.noalias() = X.lazyProduct(S);  // X C⁻¹
        for (Eigen::Index j = 0; j < C.cols(); ++j) backward(C, reciprocal, S.col(j));
        // S_tt += (X C⁻¹)ᵀ S_{t+1} (X C⁻¹), one column at a time: no scratch memory.
        for (Eigen::Index j = 0; j < C.cols(); ++j) {
          for (Eigen::Index i = 0; i <= j; ++i) {
            double sum = 0.0;
            for (Eigen::Index b = 0; b < next.cols(); ++b) sum += below.col(i).dot(next.col(b)) * below(b, j);
            S(i, j) += sum;
            if (i != j) S(j, i) = S(i, j);
          }
        }
        // −S_{t+1} times a column, in place: through a copy, for which the inverse has room that it does not use.
        Eigen::Map<Eigen::Matrix<double, kSize, 1>> column(inverse.reciprocals_.data() + offset(t + 1), below.rows());
        for (Eigen::Index j = 0; j < below.cols(); ++j) {
          column = below.col(j);
          below.col(j).noalias() = -next.lazyProduct(column);
        }
      } else {
        for (Eigen::Index j = 0; j < C.cols(); ++j) backward(C, reciprocal, S.col(j));
      }
    }
  });
}

}  // namespace antaeus
