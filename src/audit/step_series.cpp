#include "audit/step_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "antaeus/audit/audit_options.hpp"

namespace antaeus::detail {

namespace {

/// The guard of a single-guard chain, and the options under which it runs.
GuardKind kind_of(SingleGuard guard, PublishedGuardOptions& options) {
  options.dominance_form =
      guard == SingleGuard::reference_dominance_formula ? DominanceForm::formula : DominanceForm::per_joint;
  switch (guard) {
    case SingleGuard::watchdog: return GuardKind::watchdog;
    case SingleGuard::condition: return GuardKind::condition;
    case SingleGuard::reference_dominance:
    case SingleGuard::reference_dominance_formula: return GuardKind::reference_dominance;
    case SingleGuard::clamp: return GuardKind::clamp;
    case SingleGuard::norm_clamp: break;
  }
  return GuardKind::norm_clamp;
}

/// The limit on κ was published for one wrist's Jacobian. The stacked matrix of hands and feet has κ above 30 in the
/// best of poses, so there the guard would only say that it is stacked.
std::vector<GuardKind> chain_of(EstimatorName estimator) {
  std::vector<GuardKind> order = GuardChain::default_order();
  if (estimator != EstimatorName::deployed) std::erase(order, GuardKind::condition);
  return order;
}

/// The published limits hold at hands. A foot that a consumer reads carries the robot: there they are of the weight.
PublishedGuardOptions limits_at(const Robot& robot, const std::string& endpoint, bool consumed,
                                PublishedGuardOptions guard) {
  if (!consumed || robot.kind_of(endpoint) != EndpointKind::foot) return guard;
  const auto of_weight = robot.settings({endpoint}).get<PublishedGuardOptions>();
  guard.clamp_force = std::max(guard.clamp_force, of_weight.clamp_force);
  guard.watchdog_force = std::max(guard.watchdog_force, of_weight.watchdog_force);
  return guard;
}

/// What every estimator says.
void record_wrench(EstimateSeries& series, Eigen::Index step, const WrenchEstimate& estimate) noexcept {
  series.wrench.row(step) = estimate.wrench.to_vector();
  series.force_norm[step] = estimate.wrench.force.norm();
  series.reference_gain.row(step) = estimate.reference_gain;
}

PosteriorTrace empty_trace(const std::vector<int>& rows, const SensedForce& sensed, Eigen::Index steps) {
  PosteriorTrace trace;
  trace.insensible = sensed.excused();
  trace.senses = sensed.text();
  const auto count = static_cast<std::size_t>(steps);
  trace.sd.setConstant(steps, 6, kNaN);
  trace.worst_direction.setConstant(steps, 3, kNaN);
  trace.force_axes.setConstant(steps, 9, kNaN);
  for (VectorX* column : {&trace.worst_sd, &trace.nis, &trace.nis_threshold, &trace.misfit, &trace.misfit_limit,
                          &trace.contact, &trace.contact_limit, &trace.innovation, &trace.innovation_sd}) {
    column->setConstant(steps, kNaN);
  }
  trace.observable.assign(count, 0);
  trace.rows = rows;
  for (PosteriorTrace::Reliability* matrix : {&trace.redundancy, &trace.detectable_bias, &trace.external_force,
                                              &trace.prior_free_redundancy, &trace.prior_free_bias}) {
    matrix->setConstant(steps, static_cast<Eigen::Index>(rows.size()), std::numeric_limits<float>::quiet_NaN());
  }
  trace.state.assign(count, Verdict::refused);
  trace.action.assign(count, ConsumerAction::zero);
  trace.because.assign(count, Reason::invalid_input);
  trace.residual_kind.assign(count, ResidualKind::static_gravity);
  return trace;
}

}  // namespace

std::vector<std::string> consumed_frames(const Robot& robot, const std::vector<std::string>& endpoints) {
  if (!robot.profile.deployed_endpoints.empty()) return robot.profile.deployed_endpoints;
  std::vector<std::string> frames = endpoints;
  std::erase_if(frames, [&](const std::string& frame) { return robot.kind_of(frame) == EndpointKind::foot; });
  return frames.empty() ? endpoints : frames;
}

Recorder make_recorder(const Robot& robot, const std::string& endpoint, EstimatorName estimator,
                       const AuditOptions& options, const std::vector<std::string>& consumed) {
  const bool is_consumed = std::find(consumed.begin(), consumed.end(), endpoint) != consumed.end();
  const PublishedGuardOptions limits = limits_at(robot, endpoint, is_consumed, options.guard);
  Recorder recorder{{}, {}, GuardChain(chain_of(estimator), limits), {}};
  EstimateSeries& head = recorder.head;
  head.endpoint = endpoint;
  head.label = robot.profile.label_of(endpoint);
  head.kind = robot.kind_of(endpoint);
  head.consumed = is_consumed;
  head.estimator = estimator;
  head.sign = estimator == EstimatorName::posterior ? options.posterior.sign : options.estimator.sign;
  if (estimator == EstimatorName::posterior) return recorder;
  for (std::size_t g = 0; g < enum_names(SingleGuard{}).size(); ++g) {
    PublishedGuardOptions alone = limits;
    const GuardKind kind = kind_of(static_cast<SingleGuard>(g), alone);
    recorder.alone.emplace_back(std::vector<GuardKind>{kind}, alone);
  }
  return recorder;
}

void make_room(Recorder& recorder, Eigen::Index steps, Eigen::Index motors, const std::vector<int>& reliability_rows,
               const SensedForce& sensed) {
  EstimateSeries& series = recorder.series;
  series = recorder.head;
  series.wrench.setConstant(steps, 6, kNaN);
  series.reference_gain.setConstant(steps, 6, kNaN);
  series.guarded_force.setConstant(steps, 3, kNaN);
  for (VectorX EstimateSeries::* column :
       {&EstimateSeries::force_norm, &EstimateSeries::kappa, &EstimateSeries::kappa_scaled, &EstimateSeries::sigma_min,
        &EstimateSeries::manipulability}) {
    (series.*column).setConstant(steps, kNaN);
  }
  const auto count = static_cast<std::size_t>(steps);
  series.rank.assign(count, 0);
  series.verdict.assign(count, Verdict::invalid_input);
  series.reasons.assign(count, Reason::invalid_input);
  if (series.estimator == EstimatorName::posterior) {
    series.posterior = empty_trace(reliability_rows, sensed, steps);
  }
  if (series.consumed && series.estimator == EstimatorName::deployed) {
    for (EstimateSeries::Contribution& parts : series.contribution) {
      parts.setConstant(steps, motors, std::numeric_limits<float>::quiet_NaN());
    }
  }
  for (std::size_t g = 0; g < recorder.alone.size(); ++g) {
    GuardTrace trace;
    trace.guard = static_cast<SingleGuard>(g);
    trace.action.assign(count, GuardAction::no_input);
    trace.saw.assign(count, kNaN);
    trace.force_read.setConstant(steps, 3, kNaN);
    series.guards.push_back(std::move(trace));
  }
}

void record_numbers(EstimateSeries& series, Eigen::Index step, const WrenchEstimate& estimate) noexcept {
  const auto at = static_cast<std::size_t>(step);
  record_wrench(series, step, estimate);
  series.kappa[step] = estimate.kappa;
  series.kappa_scaled[step] = estimate.kappa_scaled;
  series.sigma_min[step] = estimate.sigma_min;
  series.manipulability[step] = estimate.manipulability;
  series.rank[at] = estimate.rank;
  for (int axis = 0; axis < 3; ++axis) {
    EstimateSeries::Contribution& parts = series.contribution[static_cast<std::size_t>(axis)];
    if (parts.rows() == 0) continue;
    parts.row(step) = (estimate.gain.row(axis).array() * estimate.residual.transpose().array()).template cast<float>();
  }
}

void record_guards(Recorder& recorder, Eigen::Index step, const WrenchEstimate& estimate) {
  EstimateSeries& series = recorder.series;
  const auto at = static_cast<std::size_t>(step);
  const ChainedWrench& guarded = recorder.chain.apply(estimate);
  series.verdict[at] = guarded.verdict;
  series.reasons[at] = guarded.reasons;
  series.guarded_force.row(step) = guarded.wrench.force;
  for (std::size_t g = 0; g < recorder.alone.size(); ++g) {
    const ChainedWrench& alone = recorder.alone[g].apply(estimate);
    const GuardRecord& what = alone.records.front();
    GuardTrace& trace = series.guards[g];
    trace.action[at] = what.action;
    trace.saw[at] = what.saw;
    trace.limit = what.limit;
    if (what.acted()) {
      if (trace.first_act < 0) trace.first_act = step;
      ++trace.acts;
    }
    // A latched watchdog has taken the policy off: nobody reads the wrench any more.
    if (what.action == GuardAction::damping) {
      trace.force_read.row(step).setZero();
    } else {
      trace.force_read.row(step) = alone.wrench.force;
    }
  }
}

void record_posterior(EstimateSeries& series, Eigen::Index step, const WrenchEstimate& estimate,
                      const EndpointReliability& reliability) noexcept {
  const Uncertainty& u = estimate.uncertainty;
  const auto at = static_cast<std::size_t>(step);
  record_wrench(series, step, estimate);
  series.kappa[step] = reliability.condition;
  series.sigma_min[step] = reliability.sigma_min;
  series.rank[at] = u.observable;
  PosteriorTrace& trace = *series.posterior;
  trace.sd.row(step) = u.covariance.diagonal().cwiseSqrt();
  trace.worst_sd[step] = u.worst_sd();
  trace.worst_direction.row(step) = u.worst_direction();
  for (int axis = 0; axis < 3; ++axis) {
    trace.force_axes.row(step).segment<3>(3 * axis) = u.force_sd[axis] * u.directions.col(axis);
  }
  trace.observable[at] = u.observable;
  trace.nis[step] = u.nis;
  trace.nis_threshold[step] = u.nis_threshold;
  trace.misfit[step] = u.misfit.value;
  trace.misfit_limit[step] = u.misfit.limit;
  trace.contact[step] = u.contact.value;
  trace.contact_limit[step] = u.contact.limit;
  trace.innovation[step] = u.innovation;
  trace.innovation_sd[step] = u.innovation_sd;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    trace.redundancy(step, column) = static_cast<float>(reliability.redundancy[trace.rows[i]]);
    trace.detectable_bias(step, column) = static_cast<float>(reliability.minimal_detectable_bias[trace.rows[i]]);
    trace.external_force(step, column) = static_cast<float>(reliability.external_force[trace.rows[i]]);
    trace.prior_free_redundancy(step, column) = static_cast<float>(reliability.prior_free_redundancy[trace.rows[i]]);
    trace.prior_free_bias(step, column) = static_cast<float>(reliability.prior_free_bias[trace.rows[i]]);
  }
  trace.residual_kind[at] = estimate.residual_kind;
}

void record_consumer(EstimateSeries& series, Eigen::Index step, const WrenchEstimate& estimate,
                     const ConsumerWrench& read) {
  const auto at = static_cast<std::size_t>(step);
  // An estimate that cannot be used keeps its own word for it; else the guard's state is the verdict.
  const bool unusable = estimate.verdict == Verdict::invalid_input || estimate.verdict == Verdict::unobservable;
  series.verdict[at] = unusable ? estimate.verdict : read.state;
  series.reasons[at] = read.reasons;
  series.guarded_force.row(step) = read.wrench.force;
  PosteriorTrace& trace = *series.posterior;
  trace.state[at] = read.state;
  trace.action[at] = read.action;
  trace.because[at] = read.because;
  if (series.reasons[at].has_any(kTestAlarm)) {
    if (trace.first_alarm < 0) trace.first_alarm = step;
    ++trace.alarms;
  }
  if (read.state == Verdict::refused) {
    if (trace.first_refusal < 0) trace.first_refusal = step;
    ++trace.refusals;
  }
}

void find_peaks(EstimateSeries& series) {
  series.peak_force = series.peak_component = kNaN;
  for (Eigen::Index i = 0; i < series.force_norm.size(); ++i) {
    const double norm = series.force_norm[i], vertical = std::abs(series.wrench(i, kFz));
    if (!(norm <= series.peak_force) && std::isfinite(norm)) {
      series.peak_force = norm;
      series.peak_step = i;
    }
    if (!(vertical <= series.peak_component) && std::isfinite(vertical)) {
      series.peak_component = vertical;
      series.peak_component_step = i;
    }
  }
}

}  // namespace antaeus::detail
