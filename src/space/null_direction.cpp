#include "antaeus/space/null_direction.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/option_table.hpp"

namespace antaeus {

const OptionTable& options_of(const NullSpaceOptions&) {
  static const OptionTable table(
      "null_space",
      {
          option("freeze_floor", "1", "below this smallest singular value the kernel's direction is held",
                 "crossings of two arms of seven joints", &NullSpaceOptions::freeze_floor),
          option("freeze", "", "what is held then", "M-orthogonality stays exact", &NullSpaceOptions::freeze),
          option("exit_step", "1", "after a hold, how much of the jump a call takes off; 0: all at once",
                 "0.6 degrees a millisecond", &NullSpaceOptions::exit_step),
          option("exit_reach", "1", "a Jacobian further than this from the last one is a new state, not a motion",
                 "1 kHz, joints below 10 rad/s", &NullSpaceOptions::exit_reach),
      });
  return table;
}
namespace {
const OptionGroup kNullSpaceGroup(NullSpaceOptions{});
}  // namespace

NullDirection::NullDirection(const NullSpaceOptions& options) : options_((check_options(options), options)) {
  direction_.setConstant(kNaN);
  rate_.setConstant(kNaN);
  jump_.setZero();
  last_kernel_.setZero();
  last_J_.setZero();
}

NullDirectionReport NullDirection::update(const SmallSvd& svd, const ConstMatrixRef& J,
                                          const ConstMatrixRef& J_dot) noexcept {
  NullDirectionReport report;
  // The thin decomposition lacks the null row: what is left of the axis that V holds least of.
  const Eigen::Matrix<double, 7, 6> V = svd.V();
  Eigen::Index axis = 0;
  V.rowwise().squaredNorm().minCoeff(&axis);
  Vector7 kernel = Vector7::Unit(axis);
  for (int twice = 0; twice < 2; ++twice) {
    const Vector6 inside = V.transpose() * kernel;
    kernel = (kernel - V * inside).normalized();
  }
  if (empty_) {
    Eigen::Index most = 0;
    kernel.cwiseAbs().maxCoeff(&most);
    if (kernel[most] < 0.0) kernel = -kernel;
    weight_ = 0.0;
    frozen_ = false;
  } else {
    const double cosine = std::min(1.0, std::abs(kernel.dot(last_kernel_)));
    report.swing = std::atan2(std::sqrt(1.0 - cosine * cosine), cosine);
    if (kernel.dot(direction_) < 0.0) kernel = -kernel;
  }
  const bool moved_on = !empty_ && (J - last_J_).cwiseAbs().maxCoeff() > options_.exit_reach;
  last_J_ = J;
  last_kernel_ = kernel;

  const double sigma = svd.sigma()[5];
  if (sigma < options_.freeze_floor) {
    if (empty_) direction_ = kernel;
    rate_.setZero();
    weight_ = 0.0;
    report.frozen = frozen_ = true;
    empty_ = false;
    return report;
  }
  if (moved_on || options_.exit_step <= 0.0) {
    weight_ = 0.0;
  } else if (frozen_) {
    jump_ = direction_ - kernel;
    weight_ = 1.0;
  }
  frozen_ = false;
  empty_ = false;
  const Vector6 pushed = J_dot * kernel;
  Vector6 back = svd.U().transpose() * pushed;
  back = back.cwiseQuotient(svd.sigma());
  rate_.noalias() = -(V * back);
  direction_ = kernel;
  if (weight_ > 0.0) {
    const double size = jump_.norm();
    weight_ = size > 0.0 ? std::max(0.0, weight_ - options_.exit_step / size) : 0.0;
    report.remaining = weight_ * size;
    direction_ += weight_ * jump_;
    // Never zero: the jump is at most √2 long, since the sign was chosen.
    const double length = direction_.norm();
    direction_ /= length;
    rate_ = (rate_ - direction_ * direction_.dot(rate_)).eval() / length;
  }
  return report;
}

}  // namespace antaeus
