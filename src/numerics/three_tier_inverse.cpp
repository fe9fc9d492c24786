#include "antaeus/numerics/three_tier_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "numerics/damped_rate.hpp"

namespace antaeus {

const OptionTable& options_of(const ThreeTierOptions&) {
  constexpr const char* kSource = "space robots' coordinated control, three-tier inverse";
  static const OptionTable table(
      "j_plus",
      {
          option("hard_floor", "unit of J", "at or below this smallest singular value the last inverse is held",
                 kSource, &ThreeTierOptions::hard_floor),
          option("soft_floor", "unit of J", "at or above this smallest singular value nothing is damped", kSource,
                 &ThreeTierOptions::soft_floor, kPositive),
          option("damping", "unit of J", "least damping between the floors", kSource, &ThreeTierOptions::damping,
                 kPositive),
          option("inv_norm_max", "1/unit of J", "largest 2-norm of an inverse that is returned", kSource,
                 &ThreeTierOptions::inv_norm_max, kPositive),
          option("exit_step", "1/unit of J", "after a hold, how much of the jump a call takes off; 0: all at once",
                 "bound of the change a millisecond", &ThreeTierOptions::exit_step),
          option("exit_reach", "unit of J", "a matrix further than this from the last one is a new state, not a motion",
                 "1 kHz, joints below 10 rad/s", &ThreeTierOptions::exit_reach),
      });
  return table;
}
namespace {
const OptionGroup kThreeTierGroup(ThreeTierOptions{});
}  // namespace

InverseMemory::InverseMemory(int rows, int columns) {
  if (rows < 1 || columns < 1) throw Error("InverseMemory", "a matrix without rows or columns", "give its shape");
  // NOLINTNEXTLINE(readability-suspicious-call-argument): an inverse has the turned shape
  last_.setZero(columns, rows);
  // NOLINTNEXTLINE(readability-suspicious-call-argument): an inverse has the turned shape
  jump_.setZero(columns, rows);
  last_J_.setZero(rows, columns);
}

void InverseMemory::reset() noexcept {
  last_.setZero();
  jump_.setZero();
  last_J_.setZero();
  weight_ = 0.0;
  empty_ = true;
  held_ = false;
}

ThreeTierInverse::ThreeTierInverse(int rows, int columns, const ThreeTierOptions& options)
    : rows_(rows), columns_(columns), options_((check_options(options), options)), svd_(rows, columns) {
  if (rows < 1 || columns < rows) {
    throw Error("ThreeTierInverse", "a matrix that is neither square nor wide", "pass its transpose");
  }
  if (options.hard_floor >= options.soft_floor) {
    throw OptionsError("j_plus.hard_floor", "not below soft_floor", "the floors must not cross");
  }
  // NOLINTNEXTLINE(readability-suspicious-call-argument): an inverse has the turned shape
  for (MatrixX* matrix : {&inverse_, &rate_, &scaled_}) matrix->setConstant(columns, rows, kNaN);
  for (MatrixX* matrix : {&gram_inverse_, &change_}) matrix->setConstant(rows, rows, kNaN);
}

void ThreeTierInverse::hold(TierReport& report, InverseMemory& memory) noexcept {
  report.tier = InverseTier::held;
  report.initial = memory.empty_;
  report.norm = memory.last_.norm();
  inverse_ = memory.last_;
  rate_.setZero();
  memory.held_ = true;
  memory.weight_ = 0.0;
}

void ThreeTierInverse::blend(TierReport& report, InverseMemory& memory, bool moved_on) noexcept {
  if (moved_on || memory.empty_) memory.weight_ = 0.0;
  if (memory.held_ && !memory.empty_ && !moved_on && options_.exit_step > 0.0) {
    memory.jump_ = memory.last_ - inverse_;
    memory.weight_ = 1.0;
  }
  memory.held_ = false;
  if (memory.weight_ > 0.0) {
    const double size = memory.jump_.norm();
    memory.weight_ = size > 0.0 ? std::max(0.0, memory.weight_ - options_.exit_step / size) : 0.0;
    inverse_ += memory.weight_ * memory.jump_;
    report.remaining = memory.weight_ * size;
    if (report.remaining > 0.0) report.norm = inverse_.norm();
  }
  memory.last_ = inverse_;
  memory.empty_ = false;
}

TierReport ThreeTierInverse::compute(const ConstMatrixRef& J, const ConstMatrixRef& J_dot,
                                     InverseMemory& memory) noexcept {
  TierReport report;
  if (J.rows() != rows_ || J.cols() != columns_ || J_dot.rows() != rows_ || J_dot.cols() != columns_ ||
      memory.last_.rows() != columns_ || memory.last_.cols() != rows_) {
    inverse_.setConstant(kNaN);
    rate_.setConstant(kNaN);
    report.status = Status::wrong_size;
    return report;
  }
  const Status decomposed = svd_.compute(J);
  if (decomposed != Status::ok || !J_dot.allFinite()) {
    hold(report, memory);
    report.status = decomposed == Status::ok ? Status::not_finite : decomposed;
    return report;
  }
  report.status = Status::ok;
  const auto sigma = svd_.sigma();
  report.sigma_min = sigma[sigma.size() - 1];
  report.condition = detail::condition_of(svd_);
  // A matrix far from the last one begins a new motion: what was held is still returned, but nothing is spread.
  const bool moved_on = !memory.empty_ && (J - memory.last_J_).cwiseAbs().maxCoeff() > options_.exit_reach;
  memory.last_J_ = J;
  if (report.sigma_min <= options_.hard_floor) {
    hold(report, memory);
    return report;
  }
  const bool exact = report.sigma_min >= options_.soft_floor;
  const double distance = options_.soft_floor - report.sigma_min;
  const double lambda = exact ? 0.0 : std::max(options_.damping, distance);
  double norm = 0.0;
  for (const double s : sigma) norm = std::max(norm, s / (s * s + lambda * lambda));
  const detail::DampedInverse out{inverse_, rate_, gram_inverse_, change_, scaled_};
  detail::write_inverse(svd_, lambda, out);
  if (!inverse_.allFinite() || !(norm <= options_.inv_norm_max)) {
    hold(report, memory);
    return report;
  }
  const bool follows = !exact && distance > options_.damping;
  const double lambda_squared_dot = follows ? -2.0 * lambda * detail::smallest_rate(svd_, J_dot) : 0.0;
  detail::write_rate(svd_, J, J_dot, lambda, lambda_squared_dot, out);
  if (!rate_.allFinite()) {
    hold(report, memory);
    report.status = Status::not_finite;  // of a rate so large that its product overflows
    return report;
  }
  report.tier = exact ? InverseTier::exact : InverseTier::damped;
  report.lambda = lambda;
  report.norm = norm;
  blend(report, memory, moved_on);
  return report;
}

}  // namespace antaeus
