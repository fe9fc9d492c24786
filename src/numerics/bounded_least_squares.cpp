#include "antaeus/numerics/bounded_least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "core/computable.hpp"

namespace antaeus {

namespace {

/// How far a limit may be passed, times the size of the numbers in it: rounding of a product of n ≤ 50 numbers.
constexpr double kSlack = 1e-13;
/// Below this share of its normal a step counts as unable to move a limit.
constexpr double kNoStep = 1e-11;
/// What a limit may be passed by at the end, as a share of 1, of its row's norm and of itself.
constexpr double kKept = 1e-6;

/// The plane rotation that turns (a, b) into (r, 0).
struct Turn {
  double c = 1.0, s = 0.0, r = 0.0;
  Turn(double a, double b) noexcept : r(std::hypot(a, b)) {
    if (r == 0.0) return;
    c = a / r;
    s = b / r;
  }
};

}  // namespace

BoundedLeastSquares::BoundedLeastSquares(int max_rows, int max_unknowns, int max_limits)
    : max_rows_(max_rows),
      max_unknowns_(max_unknowns),
      max_limits_(max_limits),
      x_(max_unknowns),
      multipliers_(max_limits),
      norm_(max_limits),
      stacked_(max_rows + max_unknowns, max_unknowns + 1),
      J_(max_unknowns, max_unknowns),
      R_(max_unknowns, max_unknowns),
      normal_(max_unknowns),
      along_(max_unknowns),
      step_(max_unknowns),
      slope_(max_unknowns),
      price_(max_unknowns + 1),
      active_(static_cast<std::size_t>(max_unknowns) + 1),
      sign_(static_cast<std::size_t>(max_unknowns) + 1),
      is_active_(static_cast<std::size_t>(max_limits)) {}

LeastSquaresStatus BoundedLeastSquares::fail(LeastSquaresStatus status) noexcept {
  x_.head(n_).setConstant(kNaN);
  multipliers_.head(limits_).setConstant(kNaN);
  return status_ = status;
}

LeastSquaresStatus BoundedLeastSquares::solve(const ConstMatrixRef& C, const ConstVectorRef& d, double damping,
                                              const ConstMatrixRef& N, const ConstVectorRef& lower,
                                              const ConstVectorRef& upper) noexcept {
  iterations_ = 0;
  n_ = std::min<Eigen::Index>(C.cols(), max_unknowns_);
  limits_ = std::min<Eigen::Index>(N.rows(), max_limits_);
  if (C.rows() > max_rows_ || C.cols() > max_unknowns_ || N.rows() > max_limits_ || d.size() != C.rows() ||
      (N.rows() > 0 && N.cols() != C.cols()) || lower.size() != N.rows() || upper.size() != N.rows()) {
    return fail(LeastSquaresStatus::wrong_size);
  }
  const bool comparable = (lower.array() <= kInfinity).all() && (upper.array() >= -kInfinity).all();
  if (!is_computable(C) || !is_computable(d) || !is_computable(N) || !comparable || !(damping > 0.0) ||
      !(damping < kInfinity)) {
    return fail(LeastSquaresStatus::not_finite);
  }
  const LeastSquaresStatus status = run(C, d, damping, N, lower, upper);
  if (status != LeastSquaresStatus::solved) return fail(status);
  // Of numbers that differ too much an unlimited x is so large that no step back from it comes to lie on a limit.
  const auto x = x_.head(n_);
  if (!x.allFinite()) return fail(LeastSquaresStatus::not_finite);
  for (Eigen::Index i = 0; i < limits_; ++i) {
    if (norm_[i] <= kNoRow) continue;
    const double at = N.row(i).dot(x);
    const auto slack = [this, i](double limit) { return kKept * std::max({1.0, norm_[i], std::abs(limit)}); };
    if (at < lower[i] - slack(lower[i]) || at > upper[i] + slack(upper[i])) return fail(LeastSquaresStatus::not_finite);
  }
  return status_ = status;
}

void BoundedLeastSquares::factorise(const ConstMatrixRef& C, const ConstVectorRef& d, double damping) noexcept {
  const Eigen::Index m = C.rows(), rows = m + n_;
  auto S = stacked_.topLeftCorner(rows, n_ + 1);
  S.setZero();
  S.topLeftCorner(m, n_) = C;
  S.col(n_).head(m) = d;
  S.bottomLeftCorner(n_, n_).diagonal().setConstant(damping);
  for (Eigen::Index k = 0; k < n_; ++k) {
    // Below row m + k the column is still zero: damping has one entry a row.
    const Eigen::Index length = std::min(m + 1 + k, rows) - k;
    auto column = S.col(k).segment(k, length);
    const double norm = column.norm(), alpha = column[0] > 0.0 ? -norm : norm;
    column[0] -= alpha;  // the Householder vector stays here while it is applied
    const double half = -alpha * column[0];
    for (Eigen::Index j = k + 1; half > 0.0 && j <= n_; ++j) {
      auto other = S.col(j).segment(k, length);
      other -= (column.dot(other) / half) * column;
    }
    column.setZero();
    S(k, k) = alpha;
  }
  auto J = J_.topLeftCorner(n_, n_);
  J.setZero();
  // Columns of the inverse triangle by back substitution.
  for (Eigen::Index j = 0; j < n_; ++j) {
    for (Eigen::Index i = j; i >= 0; --i) {
      double sum = i == j ? 1.0 : 0.0;
      for (Eigen::Index k = i + 1; k <= j; ++k) sum -= S(i, k) * J(k, j);
      J(i, j) = sum / S(i, i);
    }
  }
  for (Eigen::Index i = n_ - 1; i >= 0; --i) {
    double sum = S(i, n_);
    for (Eigen::Index k = i + 1; k < n_; ++k) sum -= S(i, k) * x_[k];
    x_[i] = sum / S(i, i);
  }
}

/// Adds the limit whose normal in J's axes stands in along_. False where it depends on those that are active.
bool BoundedLeastSquares::take(int limit, double sign) noexcept {
  auto J = J_.topLeftCorner(n_, n_);
  const Eigen::Index q = active_count_;
  for (Eigen::Index j = n_ - 1; j > q; --j) {
    const Turn turn(along_[j - 1], along_[j]);
    along_[j - 1] = turn.r;
    along_[j] = 0.0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double a = J(i, j - 1), b = J(i, j);
      J(i, j - 1) = turn.c * a + turn.s * b;
      J(i, j) = turn.c * b - turn.s * a;
    }
  }
  if (q >= n_ || std::abs(along_[q]) <= 1e-14 * along_.head(q + 1).norm()) return false;
  R_.col(q).head(q + 1) = along_.head(q + 1);
  active_[static_cast<std::size_t>(q)] = limit;
  sign_[static_cast<std::size_t>(q)] = sign;
  is_active_[static_cast<std::size_t>(limit)] = 1;
  ++active_count_;
  return true;
}

void BoundedLeastSquares::leave(int position) noexcept {
  auto J = J_.topLeftCorner(n_, n_);
  is_active_[static_cast<std::size_t>(active_[static_cast<std::size_t>(position)])] = 0;
  for (int k = position; k + 1 < active_count_; ++k) {
    const auto at = static_cast<std::size_t>(k);
    active_[at] = active_[at + 1];
    sign_[at] = sign_[at + 1];
    R_.col(k).head(k + 2) = R_.col(k + 1).head(k + 2);
    price_[k] = price_[k + 1];
  }
  price_[active_count_ - 1] = price_[active_count_];
  --active_count_;
  for (int k = position; k < active_count_; ++k) {
    const Turn turn(R_(k, k), R_(k + 1, k));
    for (int j = k; j < active_count_; ++j) {
      const double a = R_(k, j), b = R_(k + 1, j);
      R_(k, j) = turn.c * a + turn.s * b;
      R_(k + 1, j) = turn.c * b - turn.s * a;
    }
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double a = J(i, k), b = J(i, k + 1);
      J(i, k) = turn.c * a + turn.s * b;
      J(i, k + 1) = turn.c * b - turn.s * a;
    }
  }
}

LeastSquaresStatus BoundedLeastSquares::run(const ConstMatrixRef& C, const ConstVectorRef& d, double damping,
                                            const ConstMatrixRef& N, const ConstVectorRef& lower,
                                            const ConstVectorRef& upper) noexcept {
  factorise(C, d, damping);
  active_count_ = 0;
  std::fill(is_active_.begin(), is_active_.end(), char{0});
  multipliers_.head(limits_).setZero();
  for (Eigen::Index i = 0; i < limits_; ++i) {
    norm_[i] = N.row(i).norm();
    if (lower[i] > upper[i]) return LeastSquaresStatus::infeasible;
  }
  auto J = J_.topLeftCorner(n_, n_);
  auto x = x_.head(n_);
  auto normal = normal_.head(n_), along = along_.head(n_), step = step_.head(n_);
  const int budget = 20 * static_cast<int>(n_ + limits_) + 20;
  while (true) {
    // The limit that is passed farthest, in units of its own normal.
    int worst = -1;
    double most = 0.0, sign = 0.0;
    const double size = x.size() ? x.cwiseAbs().maxCoeff() : 0.0;
    for (Eigen::Index i = 0; i < limits_; ++i) {
      if (is_active_[static_cast<std::size_t>(i)] || norm_[i] < kNoRow) continue;
      double value = 0.0;
      for (Eigen::Index j = 0; j < n_; ++j) value += N(i, j) * x[j];
      const double below = lower[i] - value, above = value - upper[i], passed = std::max(below, above);
      const double limit = below > above ? lower[i] : upper[i];
      if (passed <= kSlack * (norm_[i] * size + std::abs(limit))) continue;
      if (passed / norm_[i] > most) {
        most = passed / norm_[i];
        worst = static_cast<int>(i);
        sign = below > above ? 1.0 : -1.0;
      }
    }
    if (worst < 0) break;
    const double bound = sign > 0 ? lower[worst] : upper[worst];
    normal = sign * N.row(worst).transpose();
    price_[active_count_] = 0.0;  // the new limit's, behind those of the active ones
    while (true) {
      if (++iterations_ > budget) return LeastSquaresStatus::iteration_budget;
      along.noalias() = J.transpose().lazyProduct(normal);
      const int q = active_count_;
      step.setZero();
      for (Eigen::Index j = q; j < n_; ++j) step += along[j] * J.col(j);
      for (int i = q - 1; i >= 0; --i) {
        double sum = along[i];
        for (int k = i + 1; k < q; ++k) sum -= R_(i, k) * slope_[k];
        slope_[i] = sum / R_(i, i);
      }
      double partial = kInfinity, full = kInfinity;
      int first = -1;
      for (int i = 0; i < q; ++i) {
        if (slope_[i] > 0.0 && price_[i] / slope_[i] < partial) {
          partial = price_[i] / slope_[i];
          first = i;
        }
      }
      const double movable = along.tail(n_ - q).squaredNorm(), whole = along.squaredNorm();
      const double missing = sign * bound - normal.dot(x);
      if (movable > kNoStep * kNoStep * whole) full = std::max(missing, 0.0) / movable;
      const double length = std::min(partial, full);
      if (length == kInfinity) return LeastSquaresStatus::infeasible;
      for (int i = 0; i < q; ++i) price_[i] -= length * slope_[i];
      price_[q] += length;
      if (full < kInfinity) x += length * step;
      if (full <= partial) {
        if (!take(worst, sign)) return LeastSquaresStatus::iteration_budget;
        break;
      }
      leave(first);
    }
  }
  for (int i = 0; i < active_count_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    multipliers_[active_[at]] = -sign_[at] * std::max(price_[i], 0.0);
  }
  return LeastSquaresStatus::solved;
}

}  // namespace antaeus
