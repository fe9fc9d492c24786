#include "antaeus/audit/reconstruction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

/// The guard of a single-guard chain, and the options under which it runs.
GuardKind kind_of(SingleGuard guard, GuardOptions& options) {
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

/// One series being written: its results, the default chain, and each guard alone.
struct Recorder {
  EstimateSeries series;
  GuardChain chain;
  std::vector<GuardChain> alone;
};

/// The limit on κ was published for one wrist's Jacobian. The stacked matrix of hands and feet has κ above 30 in the
/// best of poses, so there the guard would only say that it is stacked.
std::vector<GuardKind> chain_of(EstimatorName estimator) {
  std::vector<GuardKind> order = GuardChain::default_order();
  if (estimator != EstimatorName::deployed) std::erase(order, GuardKind::condition);
  return order;
}

/// The published limits hold at hands. A foot that a consumer reads carries the robot: there they are of the weight.
GuardOptions limits_at(const Robot& robot, const std::string& endpoint, bool consumed, GuardOptions guard) {
  if (!consumed || robot.kind_of(endpoint) != EndpointKind::foot) return guard;
  const auto of_weight = robot.settings({endpoint}).get<GuardOptions>();
  guard.clamp_force = std::max(guard.clamp_force, of_weight.clamp_force);
  guard.watchdog_force = std::max(guard.watchdog_force, of_weight.watchdog_force);
  return guard;
}

/// Frames that the consumer reads. Where the profile says nothing: all that are audited, but feet only where there is
/// nothing else, because weight on a foot is no force that a policy asked for.
std::vector<std::string> consumed_frames(const Robot& robot, const std::vector<std::string>& endpoints) {
  if (!robot.profile.deployed_endpoints.empty()) return robot.profile.deployed_endpoints;
  std::vector<std::string> frames = endpoints;
  std::erase_if(frames, [&](const std::string& frame) { return robot.kind_of(frame) == EndpointKind::foot; });
  return frames.empty() ? endpoints : frames;
}

Recorder make_recorder(const Robot& robot, const std::string& endpoint, EstimatorName estimator, Eigen::Index steps,
                       const AuditOptions& options, const std::vector<std::string>& consumed) {
  const bool is_consumed = std::find(consumed.begin(), consumed.end(), endpoint) != consumed.end();
  const GuardOptions limits = limits_at(robot, endpoint, is_consumed, options.guard);
  Recorder recorder{{}, GuardChain(chain_of(estimator), limits), {}};
  EstimateSeries& series = recorder.series;
  series.endpoint = endpoint;
  series.label = robot.profile.label_of(endpoint);
  series.kind = robot.kind_of(endpoint);
  series.consumed = is_consumed;
  series.estimator = estimator;
  series.sign = options.estimator.sign;
  const bool is_posterior = estimator == EstimatorName::posterior;
  if (is_posterior) series.sign = options.posterior.sign;
  series.wrench.setConstant(steps, 6, kNaN);
  series.reference_gain.setConstant(steps, 6, kNaN);
  series.guarded_force.setConstant(steps, 3, kNaN);
  if (series.consumed && estimator == EstimatorName::deployed) {
    for (EstimateSeries::Contribution& parts : series.contribution) {
      parts.setConstant(steps, robot.model.motor_count(), std::numeric_limits<float>::quiet_NaN());
    }
  }
  for (VectorX EstimateSeries::* column :
       {&EstimateSeries::force_norm, &EstimateSeries::kappa, &EstimateSeries::kappa_scaled, &EstimateSeries::sigma_min,
        &EstimateSeries::manipulability}) {
    (series.*column).setConstant(steps, kNaN);
  }
  series.rank.assign(static_cast<std::size_t>(steps), 0);
  series.verdict.assign(static_cast<std::size_t>(steps), Verdict::invalid_input);
  series.reasons.assign(static_cast<std::size_t>(steps), Reason::invalid_input);
  if (is_posterior) return recorder;
  for (std::size_t g = 0; g < enum_names(SingleGuard{}).size(); ++g) {
    const auto guard = static_cast<SingleGuard>(g);
    GuardOptions alone = limits;
    const GuardKind kind = kind_of(guard, alone);
    recorder.alone.emplace_back(std::vector<GuardKind>{kind}, alone);
    GuardTrace trace;
    trace.guard = guard;
    trace.action.assign(static_cast<std::size_t>(steps), GuardAction::no_input);
    trace.saw.assign(static_cast<std::size_t>(steps), kNaN);
    trace.force_read.setConstant(steps, 3, kNaN);
    series.guards.push_back(std::move(trace));
  }
  return recorder;
}

void record(Recorder& recorder, Eigen::Index step, const WrenchEstimate& estimate) {
  EstimateSeries& series = recorder.series;
  const auto at = static_cast<std::size_t>(step);
  series.wrench.row(step) = estimate.wrench.to_vector();
  series.force_norm[step] = estimate.wrench.force.norm();
  series.kappa[step] = estimate.kappa;
  series.kappa_scaled[step] = estimate.kappa_scaled;
  series.sigma_min[step] = estimate.sigma_min;
  series.manipulability[step] = estimate.manipulability;
  series.rank[at] = estimate.rank;
  series.reference_gain.row(step) = estimate.reference_gain;
  for (int axis = 0; axis < 3; ++axis) {
    EstimateSeries::Contribution& parts = series.contribution[static_cast<std::size_t>(axis)];
    if (parts.rows() == 0) continue;
    parts.row(step) = (estimate.gain.row(axis).array() * estimate.residual.transpose().array()).template cast<float>();
  }
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

PosteriorTrace empty_trace(const std::vector<int>& rows, Eigen::Index steps) {
  PosteriorTrace trace;
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

void record_posterior(EstimateSeries& series, Eigen::Index step, const GuardedEstimator& guarded, std::size_t k) {
  const WrenchEstimate& estimate = guarded.estimates()[k];
  const ConsumerWrench& read = guarded.results()[k];
  const EndpointReliability& reliability = guarded.reliability()[k];
  const Uncertainty& u = estimate.uncertainty;
  const auto at = static_cast<std::size_t>(step);
  series.wrench.row(step) = estimate.wrench.to_vector();
  series.force_norm[step] = estimate.wrench.force.norm();
  series.kappa[step] = reliability.condition;
  series.sigma_min[step] = reliability.sigma_min;
  series.rank[at] = u.observable;
  series.reference_gain.row(step) = estimate.reference_gain;
  // An estimate that cannot be used keeps its own word for it; else the guard's state is the verdict.
  const bool unusable = estimate.verdict == Verdict::invalid_input || estimate.verdict == Verdict::unobservable;
  series.verdict[at] = unusable ? estimate.verdict : read.state;
  series.reasons[at] = read.reasons;
  series.guarded_force.row(step) = read.wrench.force;
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
  trace.state[at] = read.state;
  trace.action[at] = read.action;
  trace.because[at] = read.because;
  trace.residual_kind[at] = estimate.residual_kind;
  if (series.reasons[at].has_any(kTestAlarm)) {
    if (trace.first_alarm < 0) trace.first_alarm = step;
    ++trace.alarms;
  }
  if (read.state == Verdict::refused) {
    if (trace.first_refusal < 0) trace.first_refusal = step;
    ++trace.refusals;
  }
}

void note_identified(const GuardedEstimator& guarded, Eigen::Index step, Reconstruction& result) {
  const Residual& residual = guarded.residual();
  const bool counts = residual.current() == Status::ok && residual.correlated;
  if (!counts || residual.kind != ResidualKind::static_gravity) return;
  const auto at = static_cast<std::size_t>(step);
  result.identified[at] = true;
  result.outside_identified[at] = residual.reasons.has(Reason::outside_identified);
  if (const SpeedEnvelope* envelope = guarded.envelope()) result.envelope_speed[step] = envelope->speed();
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

}  // namespace

int PosteriorTrace::place(int motor) const noexcept {
  const auto at = std::find(rows.begin(), rows.end(), motor);
  return at == rows.end() ? -1 : static_cast<int>(at - rows.begin());
}

const EstimateSeries& Reconstruction::find(std::string_view endpoint, EstimatorName estimator) const {
  for (const EstimateSeries& candidate : series) {
    if (candidate.endpoint == endpoint && candidate.estimator == estimator) return candidate;
  }
  throw Error(name, "no series of '" + std::string(to_string(estimator)) + "' at '" + std::string(endpoint) + "'", "");
}

Reconstruction reconstruct(const Robot& robot, const Episode& episode, const std::vector<std::string>& endpoints,
                           const AuditOptions& options, const Progress& progress, Eigen::Index first_step) {
  InstantReader reader(robot, endpoints, options.equation);
  WrenchEstimatorOptions stacked_options = options.estimator;
  stacked_options.characteristic_length = 0.0;  // one length for hands and feet together would mean nothing
  DeployedEstimator deployed(reader, options.estimator);
  StackedEstimator stacked(reader, options.stacked.rows, stacked_options);

  const Eigen::Index steps = episode.steps();
  const Eigen::Index motors = robot.model.motor_count();
  struct EndpointRecorders {
    Recorder deployed, stacked;
    std::optional<Recorder> posterior;
  };
  std::vector<EndpointRecorders> recorders;
  // A foot carries the robot: a prior of a hand's push does not fit it, and its leg has no redundancy.
  std::vector<std::string> hands;
  const std::vector<std::string> consumed = consumed_frames(robot, endpoints);
  for (const std::string& endpoint : endpoints) {
    recorders.push_back({make_recorder(robot, endpoint, EstimatorName::deployed, steps, options, consumed),
                         make_recorder(robot, endpoint, EstimatorName::stacked, steps, options, consumed),
                         std::nullopt});
    if (recorders.back().deployed.series.kind == EndpointKind::foot) continue;
    hands.push_back(endpoint);
    recorders.back().posterior = make_recorder(robot, endpoint, EstimatorName::posterior, steps, options, consumed);
  }
  std::optional<GuardedEstimator> guarded;
  std::optional<Episode> smoothed;
  if (!hands.empty()) {
    ResidualOptions residual = options.residual;
    if (options.smooth.zero_phase) {
      smoothed = smooth_motion(episode, options.smooth.motion);
      residual.cut_off = 0.0;  // a causal filter would bring back the delay
    }
    guarded.emplace(robot, hands, options.equation, residual, options.posterior, options.guarded, options.feasibility,
                    options.input);
    std::size_t hand = 0;
    for (EndpointRecorders& recorder : recorders) {
      if (!recorder.posterior) continue;
      recorder.posterior->series.posterior = empty_trace(guarded->reliability_rows(hand++), steps);
    }
  }
  Reconstruction result;
  result.name = episode.name;
  result.first_step = first_step;
  result.reference_motor = robot.reference_motor();
  result.time = episode.time;
  result.residual.resize(steps, motors);
  result.gravity.resize(steps, motors);
  result.reference_residual.setConstant(steps, kNaN);
  result.identified.assign(static_cast<std::size_t>(steps), false);
  result.outside_identified = result.identified;
  result.envelope_speed.setConstant(steps, kNaN);
  const Eigen::Index hundredth = std::max<Eigen::Index>(1, steps / 100);
  Observation observation;
  for (Eigen::Index step = 0; step < steps; ++step) {
    if (progress && step % hundredth == 0) progress(static_cast<double>(step) / static_cast<double>(steps));
    episode.observe(step, observation);
    const Instant& now = reader.at(observation);
    result.used_imu = result.used_imu || now.used_imu();
    result.residual.row(step) = now.static_residual();
    result.gravity.row(step) = now.gravity_torque();
    const int reference = result.reference_motor;
    if (reference >= 0) result.reference_residual[step] = now.static_residual()[reference];
    const WrenchEstimates& one = deployed.solve(now);
    const WrenchEstimates& all = stacked.solve(now);
    if (smoothed) smoothed->observe(step, observation);
    if (guarded) {
      guarded->update(observation);
      note_identified(*guarded, step, result);
    }
    std::size_t hand = 0;
    for (std::size_t k = 0; k < endpoints.size(); ++k) {
      record(recorders[k].deployed, step, one[k]);
      record(recorders[k].stacked, step, all[k]);
      if (recorders[k].posterior) record_posterior(recorders[k].posterior->series, step, *guarded, hand++);
    }
  }
  const auto finish = [&](EstimateSeries& series) {
    find_peaks(series);
    result.series.push_back(std::move(series));
  };
  for (EndpointRecorders& recorder : recorders) {
    finish(recorder.deployed.series);
    finish(recorder.stacked.series);
    if (recorder.posterior) finish(recorder.posterior->series);
  }
  if (progress) progress(1.0);
  return result;
}

void note_overflow(const Reconstruction& reconstruction, Episode& episode) {
  std::vector<Eigen::Index> all;
  Eigen::Index count = 0, first = -1;
  for (Eigen::Index i = 0; i < reconstruction.steps(); ++i) {
    const auto& known = episode.invalid_steps;
    const bool invalid = std::binary_search(known.begin(), known.end(), i);
    const bool overflows = std::any_of(reconstruction.series.begin(), reconstruction.series.end(), [&](const auto& s) {
      return s.estimator == EstimatorName::deployed && !std::isfinite(s.force_norm[i]);
    });
    if (invalid || overflows) all.push_back(i);
    if (invalid || !overflows) continue;
    if (count++ == 0) first = reconstruction.first_step + i;
  }
  if (count == 0) return;
  episode.invalid_steps = std::move(all);
  episode.notes.push_back(std::to_string(count) +
                          " steps hold numbers too large to compute a force from (first: step " +
                          std::to_string(first) + "); they keep their place, verdict invalid_input");
}

}  // namespace antaeus
