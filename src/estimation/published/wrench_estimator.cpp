#include "antaeus/estimation/published/wrench_estimator.hpp"

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/numerics/condition_number.hpp"
#include "estimation/published/moved_directions.hpp"

namespace antaeus {

namespace {

/// \param own  singular values that are the endpoint's, the largest ones; the others are zero in every pose
/// \param unknowns  wrench components asked for: a matrix with fewer rows loses some although no singular value is cut
void describe(const SmallSvd& svd, const InverseReport& inverse, Eigen::Index own, Eigen::Index unknowns,
              WrenchEstimate& estimate) noexcept {
  const bool deficient = inverse.rank < unknowns;
  const auto sigma = svd.sigma().head(own > 0 ? std::min(own, svd.sigma().size()) : svd.sigma().size());
  estimate.rank = inverse.rank;
  estimate.sigma_max = sigma[0];
  estimate.sigma_min = sigma[sigma.size() - 1];
  estimate.kappa = condition_number(sigma);
  estimate.manipulability = manipulability(sigma);
  estimate.status = Status::ok;
  estimate.verdict = deficient ? Verdict::unobservable : Verdict::ok;
  estimate.reasons = deficient ? Reasons(Reason::rank_deficient) : Reasons();
}

void fill_reference(const Instant& now, WrenchEstimate& estimate) noexcept {
  const int reference = now.reference_motor();
  estimate.residual = now.static_residual();
  if (reference < 0) {
    estimate.reference_residual = kNaN;
    estimate.reference_gain.setConstant(kNaN);
    return;
  }
  estimate.reference_residual = now.static_residual()[reference];
  estimate.reference_gain = estimate.gain.col(reference);
}

WrenchEstimates empty_estimates(const InstantReader& reader, Sign sign) {
  WrenchEstimates estimates;
  estimates.endpoints.resize(static_cast<std::size_t>(reader.endpoint_count()));
  for (WrenchEstimate& estimate : estimates) {
    estimate.reset(reader.model().motor_count());
    estimate.sign = sign;
    estimate.reference_motor = reader.reference_motor();
  }
  return estimates;
}

}  // namespace

DeployedEstimator::DeployedEstimator(const InstantReader& reader, WrenchEstimatorOptions options)
    : options_(options),
      svd_(reader.model().motor_count(), 6),
      planar_(6, reader.model().motor_count()),
      estimates_(empty_estimates(reader, options.sign)) {
  check_options(options);
  for (int k = 0; k < reader.endpoint_count(); ++k) {
    const detail::MovedDirections moved = detail::moved_directions(reader.model(), reader.frame(k));
    directions_.push_back(moved.count);
    planes_.push_back(moved.plane);
  }
}

const WrenchEstimates& DeployedEstimator::solve(const Instant& now) noexcept {
  estimates_.instant = now;
  const double factor = sign_factor(options_.sign);
  const std::size_t count =
      now.status() == Status::ok ? std::min(estimates_.size(), static_cast<std::size_t>(now.endpoint_count())) : 0;
  for (std::size_t k = count; k < estimates_.size(); ++k) {
    estimates_[k].invalidate(now.status() == Status::ok ? Status::wrong_size : now.status());
  }
  for (std::size_t k = 0; k < count; ++k) {
    WrenchEstimate& estimate = estimates_[k];
    const std::optional<Matrix3>& plane = planes_[k];
    if (plane) {
      planar_ = now.jacobian(static_cast<int>(k));
      detail::restrict_to_plane(*plane, now.base_rotation(), planar_);
    }
    const Matrix6X& J = plane ? planar_ : now.jacobian(static_cast<int>(k));
    if (options_.characteristic_length > 0) {
      estimate.kappa_scaled = scaled_condition_number(J, options_.characteristic_length, svd_, directions_[k]);
    }
    const Status status = svd_.compute_transposed(J);
    const InverseReport inverse = moore_penrose(svd_, options_.relative_tolerance, estimate.gain);
    if (status != Status::ok || inverse.status != Status::ok) {
      estimate.invalidate(status != Status::ok ? status : inverse.status);
      continue;
    }
    estimate.gain *= factor;
    Vector6 w;
    w.noalias() = estimate.gain * now.static_residual();
    estimate.wrench = Wrench::from_vector(w);
    describe(svd_, inverse, directions_[k], 6, estimate);
    fill_reference(now, estimate);
    if (!estimate.wrench.is_measurable()) estimate.invalidate(Status::not_finite);
  }
  return estimates_;
}

StackedEstimator::StackedEstimator(const InstantReader& reader, StackedRows rows, WrenchEstimatorOptions options)
    : options_(options), rows_(rows), svd_(0, 0), estimates_(empty_estimates(reader, options.sign)) {
  check_options(options);
  const bool base = rows == StackedRows::motors_and_base;
  if (base && reader.model().base() == Base::fixed) {
    throw ModelError(reader.model().description().name, "a fixed base has no base rows", "stack the motors' rows only");
  }
  const int height = reader.model().motor_count() + (base ? 6 : 0);
  const int width = 6 * reader.endpoint_count();
  svd_ = SmallSvd(height, width);
  A_.setZero(height, width);
  inverse_.setZero(width, height);
  right_side_.setZero(height);
  solution_.setZero(width);
}

const WrenchEstimates& StackedEstimator::solve(const Instant& now) noexcept {
  estimates_.instant = now;
  const auto invalidate = [&](Status status) noexcept {
    for (WrenchEstimate& estimate : estimates_) estimate.invalidate(status);
  };
  const int base = rows_ == StackedRows::motors_and_base ? 6 : 0;
  const Eigen::Index motors = now.motor_count();
  if (now.status() != Status::ok || 6 * now.endpoint_count() != A_.cols() || base + motors != A_.rows()) {
    invalidate(now.status() != Status::ok ? now.status() : Status::wrong_size);
    return estimates_;
  }
  if (base) right_side_.head<6>() = now.base_residual();
  right_side_.tail(motors) = now.static_residual();
  for (int k = 0; k < now.endpoint_count(); ++k) {
    if (base) A_.block<6, 6>(0, 6 * k) = now.base_jacobian(k).transpose();
    A_.block(base, 6 * k, motors, 6) = now.jacobian(k).transpose();
  }
  const Status status = svd_.compute(A_);
  const InverseReport inverse = moore_penrose(svd_, options_.relative_tolerance, inverse_);
  if (status != Status::ok || inverse.status != Status::ok) {
    invalidate(status != Status::ok ? status : inverse.status);
    return estimates_;
  }
  inverse_ *= sign_factor(options_.sign);
  solution_.noalias() = inverse_ * right_side_;
  for (int k = 0; k < now.endpoint_count(); ++k) {
    WrenchEstimate& estimate = estimates_[k];
    estimate.wrench = Wrench::from_vector(solution_.segment<6>(6 * k));
    estimate.gain = inverse_.block(6 * k, base, 6, motors);
    describe(svd_, inverse, 0, A_.cols(), estimate);
    fill_reference(now, estimate);
    if (!estimate.wrench.is_measurable()) estimate.invalidate(Status::not_finite);
  }
  return estimates_;
}

const OptionTable& options_of(const WrenchEstimatorOptions&) {
  using O = WrenchEstimatorOptions;
  static const OptionTable table(
      "estimator",
      {
          following(
              Follows::sign, 1.0,
              option("sign", "", "whose wrench is reported: on_robot or on_environment",
                     "docs/concepts/notation.md#sign: the profile's deployed sign, else on_robot; pinv(Jᵀ)(τ − g) "
                     "itself is what the robot exerts on the environment (incident report, eq. (3))",
                     &O::sign)),
          option("relative_tolerance", "1", "singular values below this share of the largest count as zero",
                 "numpy.linalg.pinv's default, which the deployed code uses", &O::relative_tolerance),
          option("characteristic_length", "m",
                 "divides the linear rows for a condition number without mixed units; 0: not computed",
                 "Angeles 1992; 0.3 m is about the lever of a hand", &O::characteristic_length),
      });
  return table;
}
const OptionGroup kWrenchEstimatorOptions(WrenchEstimatorOptions{});

}  // namespace antaeus
