#include "antaeus/estimation/wrench_estimator.hpp"

#include <limits>

#include "antaeus/conditioning/condition_number.hpp"
#include "antaeus/core/error.hpp"
#include "estimation/sign_factor.hpp"

namespace antaeus {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// \param unknowns  wrench components asked for: a matrix with fewer rows loses some although no singular value is cut
void describe(const SmallSvd& svd, const InverseReport& inverse, Eigen::Index unknowns,
              WrenchEstimate& estimate) noexcept {
  const bool deficient = inverse.rank < unknowns;
  const auto sigma = svd.sigma();
  estimate.rank = inverse.rank;
  estimate.sigma_max = sigma[0];
  estimate.sigma_min = sigma[sigma.size() - 1];
  estimate.kappa = condition_number(sigma);
  estimate.manipulability = manipulability(sigma);
  estimate.status = Status::ok;
  estimate.verdict = deficient ? Verdict::unobservable : Verdict::ok;
  estimate.reasons = deficient ? kReasonRankDeficient : 0u;
}

void fill_reference(const ContactEquation& equation, WrenchEstimate& estimate) noexcept {
  const int reference = equation.reference_motor();
  if (reference < 0) {
    estimate.reference_residual = kNaN;
    estimate.reference_gain.setConstant(kNaN);
    return;
  }
  estimate.reference_residual = equation.residual()[reference];
  estimate.reference_gain = estimate.gain.col(reference);
}

std::vector<WrenchEstimate> empty_estimates(const ContactEquation& equation, Sign sign) {
  std::vector<WrenchEstimate> estimates(static_cast<std::size_t>(equation.endpoint_count()));
  for (WrenchEstimate& estimate : estimates) {
    estimate.reset(equation.model().motor_count());
    estimate.sign = sign;
  }
  return estimates;
}

}  // namespace

DeployedEstimator::DeployedEstimator(const ContactEquation& equation, WrenchEstimatorOptions options)
    : options_(options), svd_(equation.model().motor_count(), 6), estimates_(empty_estimates(equation, options.sign)) {}

const std::vector<WrenchEstimate>& DeployedEstimator::solve(const ContactEquation& equation) noexcept {
  const double factor = sign_factor(options_.sign);
  const std::size_t count = std::min(estimates_.size(), static_cast<std::size_t>(equation.endpoint_count()));
  for (std::size_t k = 0; k < count; ++k) {
    WrenchEstimate& estimate = estimates_[k];
    if (equation.status() != Status::ok) {
      estimate.invalidate(equation.status());
      continue;
    }
    const Matrix6X& J = equation.jacobian(static_cast<int>(k));
    if (options_.characteristic_length > 0) {
      estimate.kappa_scaled = scaled_condition_number(J, options_.characteristic_length, svd_);
    }
    const Status status = svd_.compute_transposed(J);
    const InverseReport inverse = moore_penrose(svd_, options_.relative_tolerance, estimate.gain);
    if (status != Status::ok || inverse.status != Status::ok) {
      estimate.invalidate(status != Status::ok ? status : inverse.status);
      continue;
    }
    estimate.gain *= factor;
    Vector6 w;
    w.noalias() = estimate.gain * equation.residual();
    estimate.wrench = Wrench::from_vector(w);
    describe(svd_, inverse, 6, estimate);
    fill_reference(equation, estimate);
  }
  for (std::size_t k = count; k < estimates_.size(); ++k) estimates_[k].invalidate(Status::wrong_size);
  return estimates_;
}

StackedEstimator::StackedEstimator(const ContactEquation& equation, StackedRows rows, WrenchEstimatorOptions options)
    : options_(options), rows_(rows), svd_(0, 0), estimates_(empty_estimates(equation, options.sign)) {
  const bool base = rows == StackedRows::motors_and_base;
  if (base && equation.model().base() == Base::fixed) {
    throw ModelError(equation.model().description().name, "a fixed base has no base rows",
                     "stack the motors' rows only");
  }
  const int height = equation.model().motor_count() + (base ? 6 : 0);
  const int width = 6 * equation.endpoint_count();
  svd_ = SmallSvd(height, width);
  A_.setZero(height, width);
  inverse_.setZero(width, height);
  right_side_.setZero(height);
  solution_.setZero(width);
}

const std::vector<WrenchEstimate>& StackedEstimator::solve(const ContactEquation& equation) noexcept {
  const auto invalidate = [&](Status status) noexcept {
    for (WrenchEstimate& estimate : estimates_) estimate.invalidate(status);
  };
  const int base = rows_ == StackedRows::motors_and_base ? 6 : 0;
  const Eigen::Index motors = equation.model().motor_count();
  if (equation.status() != Status::ok || 6 * equation.endpoint_count() != A_.cols() || base + motors != A_.rows()) {
    invalidate(equation.status() != Status::ok ? equation.status() : Status::wrong_size);
    return estimates_;
  }
  if (base) right_side_.head<6>() = equation.base_residual();
  right_side_.tail(motors) = equation.residual();
  for (int k = 0; k < equation.endpoint_count(); ++k) {
    if (base) A_.block<6, 6>(0, 6 * k) = equation.base_jacobian(k).transpose();
    A_.block(base, 6 * k, motors, 6) = equation.jacobian(k).transpose();
  }
  const Status status = svd_.compute(A_);
  const InverseReport inverse = moore_penrose(svd_, options_.relative_tolerance, inverse_);
  if (status != Status::ok || inverse.status != Status::ok) {
    invalidate(status != Status::ok ? status : inverse.status);
    return estimates_;
  }
  inverse_ *= sign_factor(options_.sign);
  solution_.noalias() = inverse_ * right_side_;
  for (int k = 0; k < equation.endpoint_count(); ++k) {
    WrenchEstimate& estimate = estimates_[static_cast<std::size_t>(k)];
    estimate.wrench = Wrench::from_vector(solution_.segment<6>(6 * k));
    estimate.gain = inverse_.block(6 * k, base, 6, motors);
    describe(svd_, inverse, A_.cols(), estimate);
    fill_reference(equation, estimate);
  }
  return estimates_;
}

}  // namespace antaeus
