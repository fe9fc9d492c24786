#include "antaeus/estimation/published/guard_chain.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

namespace {

/// The report's ε: keeps 0/0 from being a ratio [N].
constexpr double kDominanceEpsilon = 1e-6;

Reasons reason_of(GuardKind kind) noexcept {
  switch (kind) {
    case GuardKind::watchdog: return Reason::watchdog;
    case GuardKind::condition: return Reason::condition_number;
    case GuardKind::reference_dominance: return Reason::reference_dominance;
    case GuardKind::clamp:
    case GuardKind::norm_clamp: return Reason::clamped;
  }
  return {};
}

}  // namespace

double reference_dominance(const WrenchEstimate& estimate, DominanceForm form) noexcept {
  const VectorX& residual = estimate.residual;
  const int reference_motor = estimate.reference_motor;
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

GuardChain::GuardChain(std::vector<GuardKind> order, PublishedGuardOptions options)
    : order_(std::move(order)), options_(options) {
  check_options(options);
  result_.records.resize(order_.size());
}

void GuardChain::reset() noexcept {
  watchdog_count_ = 0;
  result_.damping_mode = false;
}

const ChainedWrench& GuardChain::apply(const WrenchEstimate& estimate) noexcept {
  result_.wrench = estimate.wrench;
  result_.verdict = estimate.verdict;
  result_.reasons = estimate.reasons;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    GuardRecord& record = result_.records[i];
    record = apply_one(order_[i], estimate);
    if (!record.acted()) continue;
    result_.reasons.add(reason_of(record.kind));
    const Verdict verdict = record.action == GuardAction::clipped ? Verdict::degraded : Verdict::refused;
    result_.verdict = std::max(result_.verdict, verdict);
  }
  return result_;
}

GuardRecord GuardChain::apply_one(GuardKind kind, const WrenchEstimate& estimate) noexcept {
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
      record.saw = reference_dominance(estimate, options_.dominance_form);
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

const OptionTable& options_of(const PublishedGuardOptions&) {
  using O = PublishedGuardOptions;
  static const OptionTable table(
      "published_guard",
      {
          following(
              Follows::force, 5.0 / 3.0,
              option("clamp_force", "N", "limit of each force component (clamp) or of the force's norm (norm_clamp)",
                     "docs/concepts/incident.md: incident report, Output clamp", &O::clamp_force)),
          option("condition_limit", "1", "condition number above which the wrench is refused",
                 "docs/concepts/incident.md: incident report, Monitor", &O::condition_limit),
          option("dominance_limit", "1", "share of the reference joint in Fz above which the wrench is zeroed",
                 "docs/concepts/incident.md: incident report, Sanity check", &O::dominance_limit),
          option("dominance_form", "", "per_joint (the report's code) or formula (the report's equation)",
                 "docs/concepts/incident.md: incident report, Sanity check", &O::dominance_form),
          following(Follows::force, 10.0 / 3.0,
                    option("watchdog_force", "N", "force above which a step counts as too large",
                           "docs/concepts/incident.md: incident report, Watchdog", &O::watchdog_force)),
          option("watchdog_steps", "1", "consecutive steps after which the watchdog latches damping mode",
                 "docs/concepts/incident.md: incident report, Watchdog", &O::watchdog_steps, at_least(1)),
      });
  return table;
}
const OptionGroup kGuardOptions(PublishedGuardOptions{});

}  // namespace antaeus
