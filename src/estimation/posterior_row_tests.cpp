// The posterior's tests of torque rows: each row against all others, and the reference row among them.
#include <algorithm>
#include <cmath>

#include "antaeus/core/in_place.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/numerics/whiten.hpp"

namespace antaeus {

/// The reference row's own variance. Each block, and this row, has a tilt of its own, though it is the same one: what
/// one says of it, the others ignore.
double PosteriorEstimator::reference_spread() const noexcept {
  const Residual& residual = estimates_.residual;
  return residual.variance[reference_] + (residual.tilted ? residual.tilt.row(reference_).squaredNorm() : 0.0);
}

/// S⁻¹ of all rows is never formed. Within a block it is R⁻¹ − R⁻¹ A C Aᵀ R⁻¹; blocks share no row and no unknown, and
/// the reference row, which all of them load, borders the whole by one row.
void PosteriorEstimator::test_rows(const Residual& residual) noexcept {
  VectorX &precision = estimates_.row_precision, &test = estimates_.row_test;
  set_nan(precision, estimates_.row_redundancy, test, innovation_, innovation_sd_);
  bool borders = reference_ >= 0 && std::isfinite(residual.variance[reference_]);
  bool trusted = false;
  double innovation = borders ? residual.value[reference_] : 0.0;
  double spread = borders ? reference_spread() : 1.0;
  for (Block& block : blocks_) {
    const auto C = block.posterior.covariance();
    block.shared.setZero();
    block.reference_mean = block.reference_variance = 0.0;
    if (!borders || block.reference.isZero(0.0)) continue;
    trusted = trusted || (options_.reference == ReferenceUse::trust && has_reference(block));
    if (block.posterior.status() != Status::ok) borders = false;  // what this block would explain is not known
    if (!borders || trusted) continue;
    const auto a = block.reference.head(C.cols());
    block.shared.head(C.cols()) = C.lazyProduct(a);
    block.reference_mean = a.dot(block.posterior.mean());
    block.reference_variance = a.dot(block.shared.head(C.cols()));
    innovation -= block.reference_mean;
    spread += block.reference_variance;
  }
  borders = borders && !trusted;
  for (const Block& block : blocks_) {
    if (block.posterior.status() != Status::ok) continue;
    const auto C = block.posterior.covariance();
    const Eigen::Index base = block.base_rows(), n = C.cols();
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const Eigen::Index row = base + static_cast<Eigen::Index>(i);
      const double R = block.variance[row];
      if (!std::isfinite(R)) continue;
      double explained = 0.0, share = 0.0, bordered = 0.0;
      for (Eigen::Index c = 0; c < n; ++c) {
        explained += block.A(row, c) * block.posterior.mean()[c];
        bordered += block.A(row, c) * block.shared[c] / R;
        double product = 0.0;
        for (Eigen::Index d = 0; d < n; ++d) product += C(d, c) * block.A(row, d);
        share += block.A(row, c) * product / R;
      }
      double p = (1.0 - share) / R, t = (block.y[row] - explained) / R;
      if (borders) {
        p += bordered * bordered / spread;
        t -= bordered * innovation / spread;
      }
      precision[block.rows[i]] = p;
      estimates_.row_redundancy[block.rows[i]] = R * p;
      test[block.rows[i]] = t / std::sqrt(p);
    }
  }
  if (borders) {
    precision[reference_] = 1.0 / spread;
    estimates_.row_redundancy[reference_] = residual.variance[reference_] * precision[reference_];
    test[reference_] = innovation / std::sqrt(spread);
  }
  if (!borders && !trusted) return;
  innovation_sd_ = 1.0 / std::sqrt(precision[reference_]);
  innovation_ = test[reference_] * innovation_sd_;
}

/// S = R + Σ A P₀ Aᵀ of all blocks, with the reference row where it can be tested.
void PosteriorEstimator::join() noexcept {
  const Residual& residual = estimates_.residual;
  Joint& joint = joint_;
  joint.motors.clear();  // the memory stays
  joint.block_of.clear();
  joint.reference = reference_ >= 0 && std::isfinite(residual.variance[reference_]);
  const auto add = [&joint](int motor, int block, double value) {
    joint.r[std::ssize(joint.motors)] = value;
    joint.motors.push_back(motor);
    joint.block_of.push_back(block);
  };
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    if (block.posterior.status() != Status::ok) {
      if (!block.reference.isZero(0.0)) joint.reference = false;
      continue;
    }
    for (Eigen::Index i = 0; i < block.base_rows(); ++i) {
      if (std::isfinite(block.variance[i])) add(-1, static_cast<int>(b), block.y[i]);
    }
    for (const int motor : block.rows) {
      if (motor == reference_ || !std::isfinite(residual.variance[motor])) continue;
      add(motor, static_cast<int>(b), residual.value[motor]);
    }
  }
  if (joint.reference) add(reference_, -1, residual.value[reference_]);
  const Eigen::Index n = std::ssize(joint.motors);
  auto S = joint.S.topLeftCorner(n, n), R = joint.R.topLeftCorner(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const int b = joint.motors[static_cast<std::size_t>(j)];
    for (Eigen::Index i = j; i < n; ++i) {
      const int a = joint.motors[static_cast<std::size_t>(i)];
      S(i, j) = R(i, j) = a < 0 || b < 0 ? 0.0 : residual.covariance(a, b);
      if (residual.tilted && a >= 0 && b >= 0) S(i, j) += residual.tilt.row(a).dot(residual.tilt.row(b));
    }
  }
  Eigen::Index first = 0;
  for (Block& block : blocks_) {
    block.reference_prior = 0.0;
    if (block.posterior.status() != Status::ok) continue;
    const Eigen::Index columns = 6 * std::ssize(block.endpoints);
    const auto L = block.L.topLeftCorner(columns, columns);
    Eigen::Index rows = 0;
    for (Eigen::Index i = 0; i < block.A.rows(); ++i) {
      const bool base = i < block.base_rows();
      const int motor = base ? -1 : block.rows[static_cast<std::size_t>(i - block.base_rows())];
      if ((!base && motor == reference_) || !std::isfinite(base ? block.variance[i] : residual.variance[motor]))
        continue;
      if (base) S(first + rows, first + rows) = R(first + rows, first + rows) = block.variance[i];
      joint.AL.row(rows++).head(columns).noalias() = block.A.row(i).head(columns).lazyProduct(L);
    }
    const auto AL = joint.AL.topLeftCorner(rows, columns);
    // The lower triangle, by columns: a product's rows are strided.
    for (Eigen::Index c = 0; c < columns; ++c) {
      const double* const column = AL.col(c).data();
      for (Eigen::Index j = 0; j < rows; ++j) {
        double* const target = &S(first, first + j);
        const double share = column[j];
        ANTAEUS_ROWS_APART
        for (Eigen::Index i = j; i < rows; ++i) target[i] += share * column[i];
      }
    }
    if (joint.reference && !block.reference.isZero(0.0)) {
      auto a = joint.AL.row(rows).head(columns);
      a.noalias() = block.reference.head(columns).transpose().lazyProduct(L);
      S.row(n - 1).segment(first, rows) += a.lazyProduct(AL.transpose());
      block.reference_prior = a.squaredNorm();
      S(n - 1, n - 1) += block.reference_prior;
    }
    first += rows;
  }
}

/// Factors S of the rows of the blocks wanted, and of the reference row, and whitens r with it: the last entry is then
/// the reference row's innovation given all rows before it, over its sd. The reference row's own variance holds the
/// contacts of these blocks alone.
template <class Wanted>
bool PosteriorEstimator::pick(const Wanted& wanted) noexcept {
  Joint& joint = joint_;
  const auto wants = [&](int block) { return block < 0 || wanted(blocks_[static_cast<std::size_t>(block)]); };
  const Eigen::Index all = std::ssize(joint.motors);
  Eigen::Index n = 0;
  for (Eigen::Index j = 0; j < all; ++j) {
    if (!wants(joint.block_of[static_cast<std::size_t>(j)])) continue;
    joint.whitened[n] = joint.r[j];
    Eigen::Index row = n;
    for (Eigen::Index i = j; i < all; ++i) {
      if (wants(joint.block_of[static_cast<std::size_t>(i)])) joint.factor(row++, n) = joint.S(i, j);
    }
    ++n;
  }
  joint.picked = n;
  if (joint.reference) {
    for (const Block& block : blocks_) {
      if (!wanted(block)) joint.factor(n - 1, n - 1) -= block.reference_prior;
    }
  }
  auto F = joint.factor.topLeftCorner(n, n);
  if (!factor_noise(F)) return false;
  whiten(F, joint.whitened.head(n));
  return true;
}

/// The same tests as test_rows() where R couples all rows: S is factored as a whole.
void PosteriorEstimator::test_correlated_rows() noexcept {
  VectorX &precision = estimates_.row_precision, &test = estimates_.row_test;
  set_nan(precision, estimates_.row_redundancy, test, innovation_, innovation_sd_);
  join();
  if (!pick([](const Block&) { return true; })) return;
  const Eigen::Index n = joint_.picked;
  auto R = joint_.R.topLeftCorner(n, n);
  if (!factor_noise(R)) return;
  auto T = joint_.inverse.topLeftCorner(n, n);
  auto stated = joint_.stated.head(n);
  const auto square = [&](Eigen::Index j) {
    const double* const column = T.col(j).data();
    double sum = 0.0;
    for (Eigen::Index i = j; i < n; ++i) sum += column[i] * column[i];
    return sum;
  };
  invert_factor(R, T);
  for (Eigen::Index j = 0; j < n; ++j) stated[j] = square(j);
  invert_factor(joint_.factor.topLeftCorner(n, n), T);
  for (Eigen::Index j = 0; j < n; ++j) {
    const int motor = joint_.motors[static_cast<std::size_t>(j)];
    if (motor < 0) continue;
    precision[motor] = square(j);
    estimates_.row_redundancy[motor] = precision[motor] / stated[j];
    test[motor] = T.col(j).tail(n - j).dot(joint_.whitened.segment(j, n - j)) / std::sqrt(precision[motor]);
  }
  if (!joint_.reference) return;
  innovation_sd_ = 1.0 / std::sqrt(precision[reference_]);
  innovation_ = test[reference_] * innovation_sd_;
}

void PosteriorEstimator::add_nis(const Block& mine, Uncertainty& uncertainty) noexcept {
  if (estimates_.residual.correlated) {
    const auto wanted = [&mine](const Block& block) { return &block == &mine || block.shows_contact; };
    ++uncertainty.nis_rows;
    if (std::all_of(blocks_.begin(), blocks_.end(), wanted)) {
      // Of all rows: the row's own test, whose S is factored already.
      uncertainty.nis += std::pow(estimates_.row_test[reference_], 2);
      return;
    }
    const bool known = pick(wanted) && joint_.reference;
    uncertainty.nis += known ? std::pow(joint_.whitened[joint_.picked - 1], 2) : kNaN;
    return;
  }
  double innovation = estimates_.residual.value[reference_], spread = reference_spread();
  for (const Block& block : blocks_) {
    if (&block != &mine && !block.shows_contact) continue;
    innovation -= block.reference_mean;
    spread += block.reference_variance;
  }
  uncertainty.nis += innovation * innovation / spread;
  ++uncertainty.nis_rows;
}

}  // namespace antaeus
