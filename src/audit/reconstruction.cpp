#include "antaeus/audit/reconstruction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "antaeus/conditioning/gains.hpp"
#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A guard that runs alone beside the default chain.
struct LoneGuard {
  const char* name;
  GuardKind kind;
  DominanceForm form;
};
constexpr LoneGuard kLoneGuards[] = {
    {"watchdog", GuardKind::watchdog, DominanceForm::per_joint},
    {"condition", GuardKind::condition, DominanceForm::per_joint},
    {"reference_dominance", GuardKind::reference_dominance, DominanceForm::per_joint},
    {"reference_dominance_formula", GuardKind::reference_dominance, DominanceForm::formula},
    {"clamp", GuardKind::clamp, DominanceForm::per_joint},
    {"norm_clamp", GuardKind::norm_clamp, DominanceForm::per_joint},
};

/// One series being written: its results, the default chain, and each guard alone.
struct Recorder {
  EstimateSeries series;
  GuardChain chain;
  std::vector<GuardChain> alone;
};

/// The limit on κ was published for one wrist's Jacobian. The stacked matrix of hands and feet has κ above 30 in the
/// best of poses, so there the guard would only say that it is stacked.
std::vector<GuardKind> chain_of(std::string_view estimator) {
  std::vector<GuardKind> order = GuardChain::default_order();
  if (estimator != "deployed") std::erase(order, GuardKind::condition);
  return order;
}

Recorder make_recorder(const Robot& robot, const std::string& endpoint, const char* estimator, Eigen::Index steps,
                       const AuditOptions& options) {
  Recorder recorder{{}, GuardChain(chain_of(estimator), options.guard), {}};
  EstimateSeries& series = recorder.series;
  series.endpoint = endpoint;
  series.label = endpoint;
  series.kind = "tool";
  for (const Endpoint& known : robot.profile.endpoints) {
    if (known.frame != endpoint) continue;
    series.label = known.label;
    series.kind = known.kind;
  }
  const auto& deployed = robot.profile.deployed_endpoints;
  // Without a word on the consumer in the profile, every endpoint is taken for consumed.
  series.consumed = deployed.empty() || std::find(deployed.begin(), deployed.end(), endpoint) != deployed.end();
  series.estimator = estimator;
  series.sign = options.estimator.sign;
  series.residual_kind = to_string(ResidualKind::static_gravity);
  const bool is_posterior = series.estimator == "posterior";
  if (is_posterior) series.sign = options.posterior.sign;
  series.wrench.setConstant(steps, 6, kNaN);
  series.reference_gain.setConstant(steps, 6, kNaN);
  series.guarded_force.setConstant(steps, 3, kNaN);
  if (series.consumed && series.estimator == "deployed") {
    series.contribution_Fz.setConstant(steps, robot.model.motor_count(), std::numeric_limits<float>::quiet_NaN());
  }
  for (VectorX EstimateSeries::* column :
       {&EstimateSeries::force_norm, &EstimateSeries::kappa, &EstimateSeries::kappa_scaled, &EstimateSeries::sigma_min,
        &EstimateSeries::manipulability}) {
    (series.*column).setConstant(steps, kNaN);
  }
  series.rank.assign(static_cast<std::size_t>(steps), 0);
  series.verdict.assign(static_cast<std::size_t>(steps), Verdict::invalid_input);
  series.reasons.assign(static_cast<std::size_t>(steps), kReasonInvalidInput);
  if (is_posterior) return recorder;
  for (const LoneGuard& guard : kLoneGuards) {
    GuardOptions alone = options.guard;
    alone.dominance_form = guard.form;
    recorder.alone.emplace_back(std::vector<GuardKind>{guard.kind}, alone);
    GuardTrace trace;
    trace.name = guard.name;
    trace.action.assign(static_cast<std::size_t>(steps), GuardAction::no_input);
    trace.saw.assign(static_cast<std::size_t>(steps), kNaN);
    trace.force_read.setConstant(steps, 3, kNaN);
    series.guards.push_back(std::move(trace));
  }
  return recorder;
}

void record(Recorder& recorder, Eigen::Index step, const WrenchEstimate& estimate, const ContactEquation& equation) {
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
  const VectorX& residual = equation.residual();
  if (series.contribution_Fz.rows() > 0) {
    series.contribution_Fz.row(step) =
        (estimate.gain.row(kFz).array() * residual.transpose().array()).template cast<float>();
  }
  const int reference = equation.reference_motor();
  const ChainedWrench& guarded = recorder.chain.apply(estimate, residual, reference);
  series.verdict[at] = guarded.verdict;
  series.reasons[at] = guarded.reasons;
  series.guarded_force.row(step) = guarded.wrench.force;
  for (std::size_t g = 0; g < recorder.alone.size(); ++g) {
    const ChainedWrench& alone = recorder.alone[g].apply(estimate, residual, reference);
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
  for (VectorX* column : {&trace.worst_sd, &trace.nis, &trace.nis_threshold, &trace.innovation, &trace.innovation_sd}) {
    column->setConstant(steps, kNaN);
  }
  trace.observable.assign(count, 0);
  trace.rows = rows;
  for (PosteriorTrace::Reliability* matrix : {&trace.redundancy, &trace.detectable_bias, &trace.external_force}) {
    matrix->setConstant(steps, static_cast<Eigen::Index>(rows.size()), std::numeric_limits<float>::quiet_NaN());
  }
  trace.state.assign(count, Verdict::refused);
  trace.action.assign(count, ConsumerAction::zero);
  trace.because.assign(count, kReasonInvalidInput);
  trace.residual_kind.assign(count, ResidualKind::static_gravity);
  return trace;
}

void record_posterior(EstimateSeries& series, Eigen::Index step, const GuardedEstimator& guarded, std::size_t k) {
  const WrenchEstimate& estimate = guarded.estimates()[k];
  const GuardedWrench& read = guarded.results()[k];
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
  trace.innovation[step] = u.innovation;
  trace.innovation_sd[step] = u.innovation_sd;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    trace.redundancy(step, column) = static_cast<float>(reliability.redundancy[trace.rows[i]]);
    trace.detectable_bias(step, column) = static_cast<float>(reliability.minimal_detectable_bias[trace.rows[i]]);
    trace.external_force(step, column) = static_cast<float>(reliability.external_force[trace.rows[i]]);
  }
  trace.state[at] = read.state;
  trace.action[at] = read.action;
  trace.because[at] = read.because;
  trace.residual_kind[at] = estimate.residual_kind;
  if (estimate.status == Status::ok && !u.consistent()) {
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

}  // namespace

int PosteriorTrace::place(int motor) const noexcept {
  const auto at = std::find(rows.begin(), rows.end(), motor);
  return at == rows.end() ? -1 : static_cast<int>(at - rows.begin());
}

const EstimateSeries& Reconstruction::find(std::string_view endpoint, std::string_view estimator) const {
  for (const EstimateSeries& candidate : series) {
    if (candidate.endpoint == endpoint && candidate.estimator == estimator) return candidate;
  }
  throw Error(name, "no series of '" + std::string(estimator) + "' at '" + std::string(endpoint) + "'", "");
}

Reconstruction reconstruct(const Robot& robot, const Episode& episode, const std::vector<std::string>& endpoints,
                           const AuditOptions& options, const Progress& progress, Eigen::Index first_step) {
  ContactEquation equation(robot, endpoints, options.equation);
  WrenchEstimatorOptions stacked_options = options.estimator;
  stacked_options.characteristic_length = 0.0;  // one length for hands and feet together would mean nothing
  DeployedEstimator deployed(equation, options.estimator);
  StackedEstimator stacked(equation, options.stacked.rows, stacked_options);

  const Eigen::Index steps = episode.steps();
  const Eigen::Index motors = robot.model.motor_count();
  struct EndpointRecorders {
    Recorder deployed, stacked;
    std::optional<Recorder> posterior;
  };
  std::vector<EndpointRecorders> recorders;
  // A foot carries the robot: a prior of a hand's push does not fit it, and its leg has no redundancy.
  std::vector<std::string> hands;
  for (const std::string& endpoint : endpoints) {
    recorders.push_back({make_recorder(robot, endpoint, "deployed", steps, options),
                         make_recorder(robot, endpoint, "stacked", steps, options), std::nullopt});
    if (recorders.back().deployed.series.kind == "foot") continue;
    hands.push_back(endpoint);
    recorders.back().posterior = make_recorder(robot, endpoint, "posterior", steps, options);
  }
  std::optional<GuardedEstimator> guarded;
  std::optional<Episode> smoothed;
  if (!hands.empty()) {
    ResidualOptions residual = options.residual;
    if (options.smooth.zero_phase) {
      smoothed = smooth_motion(episode, options.smooth);
      residual.cut_off = 0.0;  // a causal filter would bring back the delay
    }
    guarded.emplace(robot, hands, options.equation, residual, options.posterior, options.guarded, options.feasibility);
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
  const Eigen::Index hundredth = std::max<Eigen::Index>(1, steps / 100);
  Observation observation;
  for (Eigen::Index step = 0; step < steps; ++step) {
    if (progress && step % hundredth == 0) progress(static_cast<double>(step) / static_cast<double>(steps));
    episode.observe(step, observation);
    equation.update(observation);
    result.used_imu = result.used_imu || equation.used_imu();
    result.residual.row(step) = equation.residual();
    result.gravity.row(step) = equation.gravity_torque();
    if (equation.reference_motor() >= 0)
      result.reference_residual[step] = equation.residual()[equation.reference_motor()];
    const std::vector<WrenchEstimate>& one = deployed.solve(equation);
    const std::vector<WrenchEstimate>& all = stacked.solve(equation);
    if (smoothed) smoothed->observe(step, observation);
    if (guarded) guarded->update(observation);
    std::size_t hand = 0;
    for (std::size_t k = 0; k < endpoints.size(); ++k) {
      record(recorders[k].deployed, step, one[k], equation);
      record(recorders[k].stacked, step, all[k], equation);
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

Attribution attribute_step(const Robot& robot, const Episode& episode, Eigen::Index step,
                           const std::vector<std::string>& endpoints, const std::string& endpoint,
                           const std::string& estimator, const AuditOptions& options) {
  ContactEquation equation(robot, endpoints, options.equation);
  Observation observation;
  episode.observe(step, observation);
  equation.update(observation);
  const auto k = static_cast<std::size_t>(std::find(endpoints.begin(), endpoints.end(), endpoint) - endpoints.begin());
  if (k == endpoints.size()) throw OptionsError("endpoint", "'" + endpoint + "' is not among those audited", "name it");

  DeployedEstimator deployed(equation, options.estimator);
  StackedEstimator stacked(equation, options.stacked.rows, options.estimator);
  const WrenchEstimate& estimate = estimator == "deployed" ? deployed.solve(equation)[k] : stacked.solve(equation)[k];

  Attribution result;
  result.step = step;
  result.endpoint = endpoint;
  result.estimator = estimator;
  result.tau = observation.tau;
  result.gravity = equation.gravity_torque();
  result.residual = equation.residual();
  result.wrench = estimate.wrench.to_vector();
  result.contribution.resize(6, result.residual.size());
  attribution(estimate.gain, result.residual, result.contribution);
  result.largest = largest_contributor(result.contribution, kFz).joint;
  return result;
}

namespace {

/// Numbers of the table, appended row by row.
struct NumberColumn {
  const char* name;
  const char* unit;
  std::string meaning;
  std::vector<double> values;
};

}  // namespace

Table steps_table(const Reconstruction& r) {
  const std::size_t rows = r.series.size() * static_cast<std::size_t>(r.steps());
  std::vector<std::int64_t> step_column;
  TextColumn endpoint, estimator, sign, frame, residual_kind, verdict, reasons, guard_state, guard_action;
  std::vector<NumberColumn> numbers;
  numbers.push_back({"time", "s", "time stamp of the log; empty where it has none", {}});
  const std::string where = " at the endpoint's origin in world axes, of the sign in column sign";
  for (int i = 0; i < 6; ++i) {
    numbers.push_back({kWrenchRowNames[i], i < 3 ? "N" : "N·m", std::string(i < 3 ? "force" : "moment") + where, {}});
  }
  for (const char* name : {"sd_Fx", "sd_Fy", "sd_Fz"}) {
    numbers.push_back({name, "N", "standard deviation; empty where the estimator has no covariance", {}});
  }
  numbers.push_back({"kappa", "1", "condition number of the inverted matrix; mixes m and rad", {}});
  numbers.push_back({"sigma_min", "", "smallest singular value of the inverted matrix", {}});
  numbers.push_back({"reference_gain_Fz", "N/(N·m)", "force Fz per torque of the reference joint", {}});
  numbers.push_back({"reference_residual", "N·m", "tau - g of the reference joint", {}});
  const std::size_t fixed = numbers.size();
  numbers.push_back({"F_norm", "N", "norm of the force", {}});
  numbers.push_back(
      {"kappa_scaled", "1", "condition number with linear rows divided by the characteristic length", {}});
  for (const char* name : {"guarded_Fx", "guarded_Fy", "guarded_Fz"}) {
    numbers.push_back({name, "N", "force behind the default guard chain; zero only where a guard zeroes", {}});
  }
  constexpr const char* kPosterior = "posterior: ";
  const auto of_posterior = [&](const char* name, const char* unit, const char* meaning) {
    numbers.push_back({name, unit, std::string(kPosterior) + meaning, {}});
  };
  of_posterior("worst_sd", "N", "standard deviation of the force in its least known direction");
  for (const char* name : {"worst_x", "worst_y", "worst_z"}) of_posterior(name, "1", "that direction, world axes");
  of_posterior("observable_directions", "1", "force directions with an sd under posterior.observable_sd");
  of_posterior("nis", "1", "normalised innovation squared of the endpoint's rows and the reference row");
  of_posterior("nis_threshold", "1", "its chi-squared limit");
  of_posterior("innovation", "N·m", "reference residual less what the estimated wrenches explain");
  of_posterior("innovation_sd", "N·m", "standard deviation of it");
  of_posterior("reference_redundancy", "1", "share of a reference torque's error that shows in the misfit");
  of_posterior("reference_detectable_bias", "N·m", "smallest error of the reference torque that a test finds");
  for (NumberColumn& column : numbers) column.values.reserve(rows);
  step_column.reserve(rows);
  for (Eigen::Index i = 0; i < r.steps(); ++i) {
    for (const EstimateSeries& s : r.series) {
      const auto at = static_cast<std::size_t>(i);
      step_column.push_back(r.first_step + i);
      endpoint.push_back(s.endpoint);
      estimator.push_back(s.estimator);
      sign.push_back(to_string(s.sign));
      frame.push_back("world_aligned");
      const PosteriorTrace* const trace = s.posterior ? &*s.posterior : nullptr;
      residual_kind.push_back(trace ? std::string(to_string(trace->residual_kind[at])) : s.residual_kind);
      verdict.push_back(to_string(s.verdict[at]));
      reasons.push_back(reasons_text(s.reasons[at]));
      std::size_t c = 0;
      const auto put = [&](double value) { numbers[c++].values.push_back(value); };
      put(r.time.size() > 0 ? r.time[i] : kNaN);
      for (int row = 0; row < 6; ++row) put(s.wrench(i, row));
      for (int row = 0; row < 3; ++row) put(trace ? trace->sd(i, row) : kNaN);
      put(s.kappa[i]);
      put(s.sigma_min[i]);
      put(s.reference_gain(i, kFz));
      put(r.reference_residual[i]);
      put(s.force_norm[i]);
      put(s.kappa_scaled[i]);
      for (int row = 0; row < 3; ++row) put(s.guarded_force(i, row));
      put(trace ? trace->worst_sd[i] : kNaN);
      for (int row = 0; row < 3; ++row) put(trace ? trace->worst_direction(i, row) : kNaN);
      const bool valid = trace && std::isfinite(trace->worst_sd[i]);
      put(valid ? trace->observable[at] : kNaN);
      put(trace ? trace->nis[i] : kNaN);
      put(trace ? trace->nis_threshold[i] : kNaN);
      put(trace ? trace->innovation[i] : kNaN);
      put(trace ? trace->innovation_sd[i] : kNaN);
      const int reference = trace && r.reference_motor >= 0 ? trace->place(r.reference_motor) : -1;
      put(reference >= 0 ? static_cast<double>(trace->redundancy(i, reference)) : kNaN);
      put(reference >= 0 ? static_cast<double>(trace->detectable_bias(i, reference)) : kNaN);
      guard_state.push_back(trace ? std::string(to_string(trace->state[at])) : std::string());
      guard_action.push_back(trace ? std::string(enum_name(trace->action[at])) : std::string());
    }
  }
  Table table;
  const auto add_number = [&](std::size_t from, std::size_t to) {
    for (std::size_t c = from; c < to; ++c) {
      table.add({numbers[c].name, numbers[c].unit, numbers[c].meaning, std::move(numbers[c].values)});
    }
  };
  table.add({"step", "1", "index in the log", std::move(step_column)});
  add_number(0, 1);
  table.add({"endpoint", "", "frame at whose origin the wrench acts", std::move(endpoint)});
  table.add({"estimator", "",
             "deployed: pinv(J^T)(tau - g) by itself; stacked: all endpoints at once; posterior: the limb's own rows",
             std::move(estimator)});
  table.add({"sign", "", "on_environment: robot on world; on_robot: world on robot", std::move(sign)});
  table.add({"frame", "", "world_aligned: origin of the endpoint, axes of the world", std::move(frame)});
  table.add({"residual_kind", "", "static: tau - g(q); inverse_dynamics; momentum_observer", std::move(residual_kind)});
  add_number(1, fixed);
  table.add({"verdict", "", "ok, degraded, refused, unobservable or invalid_input", std::move(verdict)});
  table.add({"reasons", "", "why the verdict is not ok", std::move(reasons)});
  add_number(fixed, numbers.size());
  table.add({"guard_state", "", "posterior: ok, degraded or refused, after hysteresis", std::move(guard_state)});
  table.add({"guard_action", "", "posterior: what the consumer reads as guarded_F*", std::move(guard_action)});
  return table;
}

}  // namespace antaeus
