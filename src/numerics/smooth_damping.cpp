#include "antaeus/numerics/smooth_damping.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "numerics/damped_rate.hpp"

namespace antaeus {

const OptionTable& options_of(const SmoothDampingOptions&) {
  constexpr const char* kMeasured = "crossings of a UR3's elbow and wrist on a 150 kg base";
  static const OptionTable table(
      "carry", {
                   option("damping", "unit of J", "damping at the singularity itself", kMeasured,
                          &SmoothDampingOptions::damping, kPositive),
                   option("band", "unit of J", "at or above this smallest singular value nothing is damped", kMeasured,
                          &SmoothDampingOptions::band, kPositive),
                   option("pull", "1/s", "how fast the carried velocity follows the demand", kMeasured,
                          &SmoothDampingOptions::pull),
               });
  return table;
}
const OptionGroup kCarryGroup(SmoothDampingOptions{});

SmoothDamping::SmoothDamping(int rows, int columns, const SmoothDampingOptions& options)
    : rows_(rows), columns_(columns), options_((check_options(options), options)), svd_(rows, columns) {
  if (rows < 1 || columns < rows) {
    throw Error("SmoothDamping", "a matrix that is neither square nor wide", "pass its transpose");
  }
  // NOLINTNEXTLINE(readability-suspicious-call-argument): an inverse has the turned shape
  for (MatrixX* matrix : {&inverse_, &rate_, &scaled_}) matrix->setConstant(columns, rows, kNaN);
  for (MatrixX* matrix : {&gram_inverse_, &change_}) matrix->setConstant(rows, rows, kNaN);
}

SmoothDampingReport SmoothDamping::compute(const ConstMatrixRef& J, const ConstMatrixRef& J_dot) noexcept {
  SmoothDampingReport report;
  const bool fits = J.rows() == rows_ && J.cols() == columns_ && J_dot.rows() == rows_ && J_dot.cols() == columns_;
  report.status = !fits ? Status::wrong_size : svd_.compute(J);
  if (report.status == Status::ok && !J_dot.allFinite()) report.status = Status::not_finite;
  if (report.status != Status::ok) {
    inverse_.setConstant(kNaN);
    rate_.setConstant(kNaN);
    return report;
  }
  const auto sigma = svd_.sigma();
  const double least = sigma[sigma.size() - 1];
  const double ratio = least / options_.band;
  const double inside = ratio < 1.0 ? 1.0 - ratio * ratio : 0.0;
  report.sigma_min = least;
  report.condition = detail::condition_of(svd_);
  report.lambda = options_.damping * inside;
  const double lambda_squared_dot = inside > 0.0 ? -4.0 * options_.damping * options_.damping * inside *
                                                       (ratio / options_.band) * detail::smallest_rate(svd_, J_dot)
                                                 : 0.0;
  const detail::DampedInverse out{inverse_, rate_, gram_inverse_, change_, scaled_};
  detail::write_inverse(svd_, report.lambda, out);
  detail::write_rate(svd_, J, J_dot, report.lambda, lambda_squared_dot, out);
  if (!inverse_.allFinite() || !rate_.allFinite()) {
    report.status = Status::not_finite;  // of numbers so large, or so different, that a product overflows
    inverse_.setConstant(kNaN);
    rate_.setConstant(kNaN);
  }
  return report;
}

CarriedReference::CarriedReference(int rows, int columns, const SmoothDampingOptions& options)
    : damping_(rows, columns, options) {
  for (VectorX* vector : {&z_, &z_dot_, &velocity_, &acceleration_, &wanting_}) vector->setConstant(columns, kNaN);
  for (VectorX* vector : {&missing_, &missing_dot_, &seen_, &seen_wanting_}) vector->setConstant(rows, kNaN);
}

SmoothDampingReport CarriedReference::update(const ConstMatrixRef& J, const ConstMatrixRef& J_dot,
                                             const ConstVectorRef& b, const ConstVectorRef& b_dot, double dt) noexcept {
  return move(J, J_dot, b, b_dot, dt, nullptr);
}

SmoothDampingReport CarriedReference::update(const ConstMatrixRef& J, const ConstMatrixRef& J_dot,
                                             const ConstVectorRef& b, const ConstVectorRef& b_dot, double dt,
                                             const ConstVectorRef& kernel_demand) noexcept {
  return move(J, J_dot, b, b_dot, dt, &kernel_demand);
}

SmoothDampingReport CarriedReference::move(const ConstMatrixRef& J, const ConstMatrixRef& J_dot,
                                           const ConstVectorRef& b, const ConstVectorRef& b_dot, double dt,
                                           const ConstVectorRef* kernel_demand) noexcept {
  SmoothDampingReport report = damping_.compute(J, J_dot);
  if (report.status == Status::ok) {
    const bool demand_fits = kernel_demand == nullptr || kernel_demand->size() == z_.size();
    if (b.size() != missing_.size() || b_dot.size() != missing_.size() || !demand_fits) {
      report.status = Status::wrong_size;
    } else if ((kernel_demand != nullptr && !kernel_demand->allFinite()) || !b.allFinite() || !b_dot.allFinite() ||
               !std::isfinite(dt) || dt < 0.0) {
      report.status = Status::not_finite;
    }
  }
  if (report.status != Status::ok) {
    velocity_.setConstant(kNaN);
    acceleration_.setConstant(kNaN);
    return report;
  }
  const MatrixX& inverse = damping_.inverse();
  const bool was_empty = empty_;
  if (empty_) z_.noalias() = inverse * b;
  empty_ = false;
  missing_ = b;
  missing_.noalias() -= J * z_;
  velocity_.noalias() = inverse * missing_;
  seen_.noalias() = J * velocity_;
  z_dot_.noalias() = damping_.options().pull * (inverse * seen_);
  if (kernel_demand != nullptr) {
    const SmoothDampingOptions& options = damping_.options();
    const double share = report.lambda / options.damping;
    const auto V = damping_.svd().V();
    wanting_ = *kernel_demand - z_;
    seen_wanting_.noalias() = V.transpose() * wanting_;
    wanting_.noalias() -= V * seen_wanting_;
    z_dot_ += options.pull * (1.0 - share * share) * wanting_;
  }
  missing_dot_ = b_dot;
  missing_dot_.noalias() -= J_dot * z_;
  missing_dot_.noalias() -= J * z_dot_;
  acceleration_ = z_dot_;
  acceleration_.noalias() += damping_.rate() * missing_;
  acceleration_.noalias() += inverse * missing_dot_;
  velocity_ += z_;
  // Beyond the pull's own time a step would overshoot, and one of ages leave a velocity that nothing pulls back.
  wanting_ = z_ + std::min(dt, 1.0 / damping_.options().pull) * z_dot_;
  if (!velocity_.allFinite() || !acceleration_.allFinite() || !wanting_.allFinite()) {
    report.status = Status::not_finite;  // the sum or product of finite numbers overflows
    velocity_.setConstant(kNaN);
    acceleration_.setConstant(kNaN);
    empty_ = was_empty;
    return report;
  }
  z_ = wanting_;
  return report;
}

}  // namespace antaeus
