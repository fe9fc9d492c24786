#include "antaeus/estimation/contact_free.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

namespace {
/// Pivots of J_fᵀ below this share of the largest are a direction in which stretched legs transmit nothing.
constexpr double kRankTolerance = 1e-10;
}  // namespace

ContactFreeProjection::ContactFreeProjection(const InstantReader& reader, const std::vector<std::string>& removed,
                                             ContactFreeOptions options)
    : options_(options) {
  const std::vector<std::string>& names = reader.endpoint_names();
  for (const std::string& frame : removed) {
    const auto found = std::find(names.begin(), names.end(), frame);
    if (found == names.end()) {
      throw_unknown<ModelError>("contact_free", "endpoint", frame, names);
    }
    removed_.push_back(static_cast<int>(found - names.begin()));
  }
  for (int k = 0; k < reader.endpoint_count(); ++k) {
    if (std::find(removed_.begin(), removed_.end(), k) == removed_.end()) kept_.push_back(k);
  }
  if (!options.base_rows) return;
  if (reader.model().base() == Base::fixed) {
    throw ModelError(reader.model().description().name, "a fixed base has no base rows",
                     "set contact_free.base_rows=false");
  }
  check_options(options.errors);
}

Status ContactFreeProjection::fail(Status status) {
  N_.resize(0, 0), matrix_.resize(0, 0), covariance_.resize(0, 0), whitened_matrix_.resize(0, 0);
  residual_.resize(0), whitened_residual_.resize(0);
  base_rows_used_ = false;
  return status_ = status;
}

Status ContactFreeProjection::compute(const Residual& residual) {
  if (const Status status = residual.current(); status != Status::ok) return fail(status);
  const Instant& now = residual.instant;
  const Eigen::Index motors = now.motor_count(), base = options_.base_rows ? 6 : 0, rows = base + motors;
  if (now.endpoint_count() != static_cast<int>(removed_.size() + kept_.size()) || residual.value.size() != motors ||
      residual.variance.size() != motors ||
      (residual.correlated && (residual.covariance.rows() != motors || residual.covariance.cols() != motors))) {
    return fail(Status::wrong_size);
  }
  base_rows_used_ = options_.base_rows && !residual.moving;
  if (base_rows_used_ && residual.kind != ResidualKind::static_gravity) return fail(Status::not_computed);

  VectorX r(rows), variance(rows);
  std::vector<Eigen::Index> no_evidence;
  if (options_.base_rows) {
    r.head<6>() = now.base_residual();
    variance.head<3>().setConstant(options_.errors.force_sd * options_.errors.force_sd);
    variance.segment<3>(3).setConstant(options_.errors.moment_sd * options_.errors.moment_sd);
    for (Eigen::Index i = 0; i < 6 && !base_rows_used_; ++i) no_evidence.push_back(i);
  }
  r.tail(motors) = residual.value;
  variance.tail(motors) = residual.variance;
  for (Eigen::Index i = base; i < rows; ++i) {
    if (std::isnan(variance[i]) || !(variance[i] > 0)) return fail(Status::not_finite);
    if (std::isinf(variance[i])) no_evidence.push_back(i);
  }
  // A row without evidence is one more unknown that acts on it alone, like a foot.
  for (const Eigen::Index i : no_evidence) r[i] = 0.0, variance[i] = 1.0;
  if (!r.allFinite()) return fail(Status::not_finite);

  const auto transposed_jacobian = [&](int endpoint) {
    MatrixX A(rows, 6);
    if (options_.base_rows) A.topRows<6>() = now.base_jacobian(endpoint).transpose();
    A.bottomRows(motors) = now.jacobian(endpoint).transpose();
    return A;
  };
  const auto unknowns = static_cast<Eigen::Index>(6 * removed_.size() + no_evidence.size());
  MatrixX blocked = MatrixX::Zero(rows, unknowns);
  for (std::size_t i = 0; i < removed_.size(); ++i) {
    blocked.middleCols<6>(6 * static_cast<Eigen::Index>(i)) = transposed_jacobian(removed_[i]);
  }
  for (std::size_t i = 0; i < no_evidence.size(); ++i) {
    blocked(no_evidence[i], static_cast<Eigen::Index>(6 * removed_.size() + i)) = 1.0;
  }
  if (unknowns == 0) {
    N_.setIdentity(rows, rows);
  } else {
    Eigen::ColPivHouseholderQR<MatrixX> qr(rows, unknowns);
    qr.setThreshold(kRankTolerance);
    qr.compute(blocked);
    const MatrixX Q = qr.householderQ() * MatrixX::Identity(rows, rows);
    N_ = Q.rightCols(rows - qr.rank());
  }
  residual_ = N_.transpose() * r;
  matrix_.resize(N_.cols(), 6 * static_cast<Eigen::Index>(kept_.size()));
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    matrix_.middleCols<6>(6 * static_cast<Eigen::Index>(i)) = -N_.transpose() * transposed_jacobian(kept_[i]);
  }
  if (residual.correlated) {
    MatrixX R = variance.asDiagonal();
    R.bottomRightCorner(motors, motors) = residual.covariance;
    R.diagonal() = variance;
    for (const Eigen::Index i : no_evidence) R.row(i).setZero(), R.col(i).setZero(), R(i, i) = 1.0;
    covariance_ = N_.transpose() * R * N_;
  } else {
    covariance_ = N_.transpose() * variance.asDiagonal() * N_;
  }
  const Eigen::LLT<MatrixX> factor(covariance_);
  if (factor.info() != Eigen::Success) return fail(Status::not_finite);
  whitened_residual_ = factor.matrixL().solve(residual_);
  whitened_matrix_ = factor.matrixL().solve(matrix_);
  return status_ = Status::ok;
}

}  // namespace antaeus
