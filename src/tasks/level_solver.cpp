#include "tasks/level_solver.hpp"

#include <algorithm>
#include <cmath>

namespace antaeus::detail {

namespace {

/// Rows of A Z below this share of the level's largest row count as zero: rounding of a Jacobian and of Z. A direction
/// that a level feels less than that is left to the levels behind it, which move it by 1e-12 times their velocity.
constexpr double kNotFelt = 1e-12;
/// Damping of the least slack, whose row is 1.
constexpr double kSlackDamping = 1e-5;

int largest(const std::vector<int>& rows, int nv) {
  int most = nv;  // room for the least slack and for a level that prefers a velocity
  for (const int count : rows) most = std::max(most, count);
  return most;
}

}  // namespace

LevelSolver::LevelSolver(int nv, const std::vector<int>& rows, int max_guards)
    : lower(VectorX::Constant(nv, -kInfinity)),
      upper(VectorX::Constant(nv, kInfinity)),
      G(MatrixX::Zero(max_guards, nv)),
      floor(VectorX::Zero(max_guards)),
      nv_(nv),
      squares_(largest(rows, nv), nv + 1, nv + 1 + max_guards),
      v_(VectorX::Zero(nv)),
      right_(largest(rows, nv)),
      low_(nv + 1 + max_guards),
      high_(nv + 1 + max_guards),
      least_(nv + 1),
      Z_(nv, nv),
      C_(largest(rows, nv), nv + 1),
      N_(nv + 1 + max_guards, nv + 1),
      norms_(largest(rows, nv)),
      reflector_(nv) {
  for (const int count : rows) levels_.push_back({MatrixX::Zero(count, nv), VectorX::Zero(count), 1e-4});
}

/// Lowers the floors by the least common amount with which some v within the limits keeps them.
bool LevelSolver::relax() noexcept {
  const Eigen::Index n = nv_ + 1, limits = nv_ + 1 + guards;
  auto C = C_.topLeftCorner(1, n);
  auto N = N_.topLeftCorner(limits, n);
  C.setZero();
  C(0, nv_) = 1.0;
  N.setZero();
  N.diagonal().setOnes();
  N.block(nv_ + 1, 0, guards, nv_) = G.topRows(guards);
  N.col(nv_).tail(guards).setOnes();
  low_.head(nv_) = lower;
  high_.head(nv_) = upper;
  low_[nv_] = 0.0;
  high_.segment(nv_, guards + 1).setConstant(kInfinity);
  low_.segment(nv_ + 1, guards) = floor.head(guards);
  right_[0] = 0.0;
  if (squares_.solve(C, right_.head(1), kSlackDamping, N, low_.head(limits), high_.head(limits)) !=
      LeastSquaresStatus::solved) {
    return false;
  }
  least_ = squares_.x();
  slack_ = least_[nv_];
  // A hair more, so that the vertex found here is inside.
  for (Eigen::Index i = 0; i < guards; ++i) {
    floor[i] = std::min(floor[i], G.row(i).dot(least_.head(nv_)) - 1e-12 * (1.0 + std::abs(floor[i])));
  }
  return true;
}

bool LevelSolver::solve_level(const Level& level, bool first) noexcept {
  const Eigen::Index n = nv_ - taken_, m = level.A.rows(), limits = nv_ + guards;
  if (n == 0) return true;
  const auto Z = Z_.rightCols(n);
  auto C = C_.topLeftCorner(m, n);
  auto N = N_.topLeftCorner(limits, n);
  C.noalias() = level.A.lazyProduct(Z);
  right_.head(m) = level.b;
  right_.head(m).noalias() -= level.A.lazyProduct(v_);
  N.topRows(nv_) = Z;
  N.bottomRows(guards).noalias() = G.topRows(guards).lazyProduct(Z);
  low_.head(nv_) = lower - v_;
  high_.head(nv_) = upper - v_;
  for (Eigen::Index i = 0; i < guards; ++i) {
    low_[nv_ + i] = floor[i] - G.row(i).dot(v_);
    high_[nv_ + i] = kInfinity;
  }
  if (!first) {
    // The level before found v within the limits, but for rounding: to stay is allowed.
    low_.head(limits) = low_.head(limits).cwiseMin(0.0);
    high_.head(limits) = high_.head(limits).cwiseMax(0.0);
  }
  const LeastSquaresStatus status =
      squares_.solve(C, right_.head(m), level.damping, N, low_.head(limits), high_.head(limits));
  if (status == LeastSquaresStatus::solved) {
    v_.noalias() += Z.lazyProduct(squares_.x());
    return true;
  }
  if (status == LeastSquaresStatus::not_finite || status == LeastSquaresStatus::wrong_size) return false;
  if (!first) return true;  // limits that depend on one another to rounding: this level has to do without
  if (slack_ > 0.0) {
    v_ = least_.head(nv_);  // relaxed before: the point that was found then
    return true;
  }
  return relax() && solve_level(level, true);
}

/// Takes the directions that A feels out of those that are free, by reflections of rows, the largest first.
void LevelSolver::keep_rows(const Level& level) noexcept {
  const Eigen::Index m = level.A.rows();
  Eigen::Index n = nv_ - taken_;
  auto C = C_.topLeftCorner(m, n);
  C.noalias() = level.A.lazyProduct(Z_.rightCols(n));
  double scale = 0.0;
  for (Eigen::Index i = 0; i < m; ++i) scale = std::max(scale, level.A.row(i).norm());
  for (Eigen::Index k = 0; k < std::min(m, C.cols()) && taken_ < nv_; ++k) {
    n = nv_ - taken_;
    auto rest = C.rightCols(n);
    for (Eigen::Index i = 0; i < m; ++i) norms_[i] = rest.row(i).norm();
    Eigen::Index pivot = 0;
    const double norm = norms_.head(m).maxCoeff(&pivot);
    if (!(norm > kNotFelt * scale)) return;
    auto w = reflector_.head(n);
    w = rest.row(pivot).transpose();
    w[0] += w[0] > 0.0 ? norm : -norm;
    const double half = 0.5 * w.squaredNorm();
    auto Z = Z_.rightCols(n);
    for (Eigen::Index i = 0; i < nv_; ++i) Z.row(i) -= (Z.row(i).dot(w) / half) * w.transpose();
    for (Eigen::Index i = 0; i < m; ++i) rest.row(i) -= (rest.row(i).dot(w) / half) * w.transpose();
    ++taken_;
  }
}

bool LevelSolver::solve(int count, int last) noexcept {
  v_.setZero();
  Z_.setIdentity();
  taken_ = 0;
  slack_ = 0.0;
  bool first = true;
  const auto run = [&](int k) {
    const Level& at = levels_[static_cast<std::size_t>(k)];
    if (!solve_level(at, first)) return false;
    keep_rows(at);
    first = false;
    return true;
  };
  for (int k = 0; k < count; ++k) {
    if (!run(k)) return false;
  }
  if (last >= 0 && !run(last)) return false;
  v_ = v_.cwiseMax(lower).cwiseMin(upper);
  return v_.allFinite();
}

}  // namespace antaeus::detail
