#include "antaeus/trust/innovation_window.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/numerics/whiten.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "core/computable.hpp"

namespace antaeus {

namespace {
/// Of a row's variance: what is added to the constant part, so that one of zero still has a Cholesky factor.
constexpr double kLeastConstant = 1e-9;
/// [s] of a wander whose time nobody could identify: stretches of seconds do not tell it. Between the H1-2's 0.7
/// and 3.5.
constexpr double kAssumedTime = 1.0;
/// [1] of a moving profile's σ, which is one number for all that its fit left: the part that neighbouring samples
/// share, and the part that they do not; their squares sum to 1. Its integral time is twice the time constant of a
/// wander. Taken for white, a second of it is sure of what is not there
/// (InnovationWindow.AMovingProfilesErrorLastsAsLongAsItSays).
constexpr double kWhiteShare = 0.3, kSlowShare = 0.953939;
}  // namespace

InnovationWindow::InnovationWindow(const NoiseModel& noise, const std::vector<int>& motors, int unknowns) {
  const auto m = static_cast<Eigen::Index>(motors.size());
  const auto of = [&](const VectorX& all, int motor) { return all.size() > 0 ? all[motor] : 0.0; };
  const bool one_sd = noise.origin == NoiseOrigin::moving && noise.slow_sd.size() == 0;
  white_.setZero(m);
  slow_.setZero(m);
  time_constant_.setOnes(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const int motor = motors[static_cast<std::size_t>(i)];
    double white = noise.white_sd[motor], slow = of(noise.slow_sd, motor), time = of(noise.correlation_time, motor);
    if (one_sd && std::isfinite(white) && time > 0.0) {
      slow = kSlowShare * white;
      white *= kWhiteShare;
      time *= 0.5;
    }
    white_[i] = white * white;  // NaN: a row whose memory nobody knows
    slow_[i] = slow * slow;
    if (!(slow > 0.0)) continue;
    time_constant_[i] = time > 0.0 ? time : kAssumedTime;
  }
  factor_.setZero(m, m);
  first_.setZero(m);
  spread_.setZero(m);
  expected_.setZero(m, unknowns + 2);
  const Eigen::Index all = unknowns + m;
  Z_.setZero(m, all);
  row_.setZero(unknowns + 2);
  gram_.setZero(all, all);
  system_.setZero(m, unknowns + 1);
  projection_.setZero(all);
}

void InnovationWindow::reset() noexcept {
  gram_.setZero();
  projection_.setZero();
  square_ = 0.0;
  started_ = false;
}

Status InnovationWindow::add(double time, ConstVectorRef r, const MatrixX& B, const MatrixX& R, int& rows) noexcept {
  const Eigen::Index m = white_.size(), n = row_.size() - 2;
  rows = 0;
  if (!std::isfinite(time) || !is_computable(B)) return Status::not_finite;
  if (started_ && !(time > time_)) return Status::time_back;
  if (!started_) {
    factor_ = R;
    for (Eigen::Index i = 0; i < m; ++i) {
      if (!std::isfinite(R(i, i))) continue;
      const double known = std::isfinite(white_[i]) ? white_[i] + slow_[i] : 0.0;
      factor_(i, i) = std::max(R(i, i) - known, 0.0) + kLeastConstant * R(i, i);
    }
    if (!factor_noise(factor_)) return Status::not_finite;
    first_ = R.diagonal();
    spread_ = slow_;
    expected_.setZero();
  }
  for (Eigen::Index i = 0; i < m; ++i) {
    if (std::isfinite(R(i, i)) && !is_computable(r[i])) return Status::not_finite;
  }
  Z_.setZero();
  for (Eigen::Index i = 0; i < m; ++i) {
    if (started_ && slow_[i] > 0.0) {
      const double keep = std::exp(-(time - time_) / time_constant_[i]);
      expected_.row(i) *= keep;
      spread_[i] = keep * keep * spread_[i] + (1.0 - keep * keep) * slow_[i];
    }
    // Of an error whose memory nobody knows, further samples are no further evidence.
    const bool unknown = !std::isfinite(white_[i]);
    if (!std::isfinite(first_[i]) || !std::isfinite(R(i, i)) || (unknown && started_)) continue;
    ++rows;
    const double white = unknown ? kLeastConstant * first_[i] : white_[i] + std::max(R(i, i) - first_[i], 0.0);
    const double variance = spread_[i] + white, gain = spread_[i] / variance, scale = 1.0 / std::sqrt(variance);
    row_.head(n) = B.row(i).transpose();
    row_[n] = r[i];
    row_[n + 1] = 1.0;
    row_ -= expected_.row(i).transpose();
    expected_.row(i) += gain * row_.transpose();
    spread_[i] *= 1.0 - gain;
    row_ *= scale;
    Z_.row(i).head(n) = row_.head(n).transpose();
    Z_.row(i).segment(n, i + 1) = row_[n + 1] * factor_.row(i).head(i + 1);
    projection_ += row_[n] * Z_.row(i).transpose();
    square_ += row_[n] * row_[n];
  }
  gram_.noalias() += Z_.transpose().lazyProduct(Z_);
  time_ = time;
  started_ = true;
  return Status::ok;
}

Status InnovationWindow::solve(MatrixX& gram, VectorX& projection, double& square) noexcept {
  const Eigen::Index m = white_.size(), n = row_.size() - 2;
  // c = F z, z ~ N(0, I): what is left of the sums once z is integrated out.
  auto M = Z_.leftCols(m);
  M = gram_.bottomRightCorner(m, m);
  M.diagonal().array() += 1.0;
  if (!factor_noise(M)) return Status::not_finite;
  system_.leftCols(n) = gram_.bottomLeftCorner(m, n);
  system_.col(n) = projection_.tail(m);
  whiten(M, system_);
  gram = gram_.topLeftCorner(n, n);
  gram.noalias() -= system_.leftCols(n).transpose().lazyProduct(system_.leftCols(n));
  projection = projection_.head(n);
  projection.noalias() -= system_.leftCols(n).transpose().lazyProduct(system_.col(n));
  square = square_ - system_.col(n).squaredNorm();
  return Status::ok;
}

}  // namespace antaeus
