#include "antaeus/estimation/guard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// The report's ε: keeps 0/0 from being a ratio [N].
constexpr double kDominanceEpsilon = 1e-6;

std::uint32_t reason_of(GuardKind kind) noexcept {
  switch (kind) {
    case GuardKind::watchdog: return kReasonWatchdog;
    case GuardKind::condition: return kReasonCondition;
    case GuardKind::reference_dominance: return kReasonReferenceDominance;
    case GuardKind::clamp:
    case GuardKind::norm_clamp: return kReasonClamped;
  }
  return 0;
}

}  // namespace

double reference_dominance(const WrenchEstimate& estimate, const VectorX& residual, int reference_motor,
                           DominanceForm form) noexcept {
  if (estimate.status != Status::ok || residual.size() != estimate.gain.cols()) return kNaN;
  if (reference_motor < 0 || reference_motor >= residual.size()) return kNaN;
  const double reference = std::abs(estimate.gain(kFz, reference_motor) * residual[reference_motor]);
  double others = 0.0;
  if (form == DominanceForm::per_joint) {
    for (Eigen::Index j = 0; j < residual.size(); ++j) {
      if (j == reference_motor) continue;
      const double part = estimate.gain(kFz, j) * residual[j];
      others += part * part;
    }
    others = std::sqrt(others);
  } else {
    Vector3 force = Vector3::Zero();
    for (Eigen::Index j = 0; j < residual.size(); ++j) {
      if (j != reference_motor) force += estimate.gain.col(j).head<3>() * residual[j];
    }
    others = force.norm();
  }
  return reference / (reference + others + kDominanceEpsilon);
}

std::vector<GuardKind> GuardChain::default_order() {
  return {GuardKind::watchdog, GuardKind::condition, GuardKind::reference_dominance, GuardKind::clamp};
}

GuardChain::GuardChain(std::vector<GuardKind> order, GuardOptions options)
    : order_(std::move(order)), options_(options) {
  if (options.watchdog_steps < 1) throw OptionsError("guard.watchdog_steps", "below 1", "count at least one step");
  result_.records.resize(order_.size());
}

void GuardChain::reset() noexcept {
  watchdog_count_ = 0;
  result_.damping_mode = false;
}

const ChainedWrench& GuardChain::apply(const WrenchEstimate& estimate, const VectorX& residual,
                                       int reference_motor) noexcept {
  result_.wrench = estimate.wrench;
  result_.verdict = estimate.verdict;
  result_.reasons = estimate.reasons;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    GuardRecord& record = result_.records[i];
    record = apply_one(order_[i], estimate, residual, reference_motor);
    if (!record.acted()) continue;
    result_.reasons |= reason_of(record.kind);
    const Verdict verdict = record.action == GuardAction::clipped ? Verdict::degraded : Verdict::refused;
    result_.verdict = std::max(result_.verdict, verdict);
  }
  return result_;
}

GuardRecord GuardChain::apply_one(GuardKind kind, const WrenchEstimate& estimate, const VectorX& residual,
                                  int reference_motor) noexcept {
  GuardRecord record;
  record.kind = kind;
  record.saw = kNaN;
  const bool usable = estimate.status == Status::ok && result_.wrench.is_finite();
  Vector3& force = result_.wrench.force;
  const auto zero = [&] {
    result_.wrench = Wrench{};
    record.action = GuardAction::zeroed;
  };
  if (usable) record.action = GuardAction::passed;
  switch (kind) {
    case GuardKind::watchdog:
      record.limit = options_.watchdog_force;
      if (usable) {
        record.saw = force.norm();
        watchdog_count_ = record.saw > record.limit ? watchdog_count_ + 1 : 0;
        if (watchdog_count_ >= options_.watchdog_steps) result_.damping_mode = true;
      }
      // Latched: neither a small force nor a missing sample ends damping mode.
      if (result_.damping_mode) record.action = GuardAction::damping;
      break;
    case GuardKind::condition:
      record.limit = options_.condition_limit;
      if (!usable) break;
      record.saw = estimate.kappa;
      if (!(record.saw <= record.limit)) zero();
      break;
    case GuardKind::reference_dominance:
      record.limit = options_.dominance_limit;
      if (!usable) break;
      record.saw = reference_dominance(estimate, residual, reference_motor, options_.dominance_form);
      if (record.saw > record.limit) zero();
      break;
    case GuardKind::clamp:
      record.limit = options_.clamp_force;
      if (!usable) break;
      record.saw = force.cwiseAbs().maxCoeff();
      if (record.saw > record.limit) {
        force = force.cwiseMax(-record.limit).cwiseMin(record.limit);
        record.action = GuardAction::clipped;
      }
      break;
    case GuardKind::norm_clamp:
      record.limit = options_.clamp_force;
      if (!usable) break;
      record.saw = force.norm();
      if (record.saw > record.limit) {
        force *= record.limit / record.saw;
        record.action = GuardAction::clipped;
      }
      break;
  }
  return record;
}

}  // namespace antaeus
