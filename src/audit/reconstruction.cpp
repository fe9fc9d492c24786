#include "antaeus/audit/reconstruction.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/check/check_log.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/smooth_motion.hpp"
#include "antaeus/replay/replay.hpp"
#include "audit/step_series.hpp"
#include "core/team.hpp"

namespace antaeus {

namespace {

/// Steps that a thread takes at a time, those of a turn that each thread has, and of all: every step of a turn needs
/// the memory of an instant, 3 MB for a humanoid.
constexpr Eigen::Index kStepsAtATime = 4, kStepsAThread = 16, kLongestTurn = 64;
/// An arm's steps are short and need a tenth of that: turns so many times as long wake the threads less often.
constexpr Eigen::Index kTimesOfAnArm = 4;
constexpr int kMostMotorsOfAnArm = 12;

/// A step of the batch at hand: what threads leave to each other.
struct Step {
  std::optional<InstantReader> all, hands;  ///< `hands` where the posterior reads fewer endpoints, or a smoothed log
  std::vector<WrenchEstimate> deployed, stacked;
  Residual residual;
  AlarmLimits limits{AlarmRate{}, 1};
  PosteriorEstimates estimates;
  Feasibility feasible;
  std::vector<ContactPlaces> places;
  WrenchEstimates raw;
};

/// The estimators of one thread: none has a history.
struct Worker {
  Observation observation;
  std::optional<DeployedEstimator> deployed, raw;
  std::optional<StackedEstimator> stacked;
  std::optional<PosteriorEstimator> posterior;
  std::optional<ReliabilityEstimator> reliability;
  std::optional<FeasibilityChecker> feasibility;
  std::optional<ContactPlaceTest> places;
};

/// What is recorded of one endpoint.
struct EndpointRecorders {
  std::optional<detail::Recorder> deployed, stacked, posterior;
  std::size_t hand = 0;  ///< its place among the posterior's endpoints
};

int threads_of(const Robot& robot, const std::vector<std::string>& endpoints) {
  const int wanted = thread_count(robot.settings(endpoints).get<ReplayOptions>());
  return std::min(wanted, static_cast<int>(kLongestTurn / kStepsAtATime));
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

struct Reconstructor::Impl {
  Impl(const Robot& of, const Episode& log, std::vector<std::string> frames, const AuditOptions& chosen,
       const ReconstructedEstimators& which)
      : robot(of),
        episode(&log),
        endpoints(std::move(frames)),
        options(chosen),
        wanted(which),
        threads(threads_of(of, endpoints)),
        team(threads) {
    const std::vector<std::string> consumed = detail::consumed_frames(robot, endpoints);
    const auto recorder = [&](const std::string& endpoint, EstimatorName estimator) {
      return detail::make_recorder(robot, endpoint, estimator, options, consumed);
    };
    for (const std::string& endpoint : endpoints) {
      EndpointRecorders of_one;
      if (wanted.deployed) of_one.deployed = recorder(endpoint, EstimatorName::deployed);
      if (wanted.stacked) of_one.stacked = recorder(endpoint, EstimatorName::stacked);
      // A foot carries the robot: a prior of a hand's push does not fit it, and its leg has no redundancy.
      if (wanted.posterior && robot.kind_of(endpoint) != EndpointKind::foot) {
        of_one.posterior = recorder(endpoint, EstimatorName::posterior);
        of_one.hand = hands.size();
        hands.push_back(endpoint);
      }
      recorders.push_back(std::move(of_one));
    }
    ResidualOptions causal = options.residual;
    if (!hands.empty() && options.smooth.zero_phase) {
      smoothed = smooth_motion(*episode, options.smooth.motion);
      causal.cut_off = 0.0;  // a causal filter would bring back the delay
    }
    if (hands.empty() || wanted.deployed || wanted.stacked) {
      read_frames = endpoints;
    } else {
      read_frames = hands;
    }
    has_hands_reader = !hands.empty() && (smoothed || hands != read_frames);
    const Eigen::Index times = robot.model.motor_count() <= kMostMotorsOfAnArm ? kTimesOfAnArm : 1;
    const Eigen::Index turn = threads == 1 ? 1 : times * std::min(kStepsAThread * threads, kLongestTurn);
    batch.resize(static_cast<std::size_t>(std::clamp(episode->steps(), Eigen::Index{1}, turn)));
    for (Step& step : batch) {
      step.all.emplace(robot, read_frames, options.equation);
      if (has_hands_reader) step.hands.emplace(robot, hands, options.equation);
    }
    for (int k = 0; k < threads; ++k) workers.push_back(make_worker());
    for (const EndpointRecorders& of_one : recorders) {
      if (!wanted.posterior || !of_one.deployed || !of_one.deployed->head.consumed) continue;
      candidates.push_back({of_one.deployed->head.endpoint, -1, 0.0, false, {}});
    }
    // Smoothed, the posterior's residual is of another log.
    if (!candidates.empty() && (smoothed || hands.empty())) as_logged.emplace(robot, options.residual);
    if (hands.empty()) return;
    const Worker& any = workers.front();
    residual.emplace(robot, causal);
    limits = any.posterior->identified_limits();
    guard.emplace(robot, hands, *any.posterior, options.guarded, options.input);
    for (std::size_t k = 0; k < hands.size(); ++k) {
      reliability_rows.push_back(any.reliability->rows(k));
      sensed.push_back(any.posterior->sensed(static_cast<int>(k)));
    }
    if (!guard->needs_raw()) return;
    for (Worker& worker : workers) {
      worker.raw.emplace(posterior_reader(batch.front()), WrenchEstimatorOptions{.sign = options.posterior.sign});
    }
  }

  Worker make_worker() const {
    Worker worker;
    const InstantReader& reader = *batch.front().all;
    WrenchEstimatorOptions stacked = options.estimator;
    stacked.characteristic_length = 0.0;  // one length for hands and feet together would mean nothing
    if (wanted.deployed) worker.deployed.emplace(reader, options.estimator);
    if (wanted.stacked) worker.stacked.emplace(reader, options.stacked.rows, stacked);
    if (hands.empty()) return worker;
    worker.posterior.emplace(posterior_reader(batch.front()), options.posterior);
    worker.reliability.emplace(posterior_reader(batch.front()), *worker.posterior);
    worker.feasibility.emplace(robot, hands, options.feasibility);
    worker.places.emplace(robot, posterior_reader(batch.front()), *worker.posterior, options.places);
    return worker;
  }

  /// Reads one step, and what the published estimators make of it.
  void read(Worker& worker, Step& step, Eigen::Index at, Eigen::Index row, Reconstruction& result) {
    episode->observe(at - before, worker.observation);
    const Instant& now = step.all->at(worker.observation);
    result.residual.row(row) = now.static_residual();
    result.gravity.row(row) = now.gravity_torque();
    const int reference = result.reference_motor;
    if (reference >= 0) result.reference_residual[row] = now.static_residual()[reference];
    if (worker.deployed) step.deployed = worker.deployed->solve(now).endpoints;
    if (worker.stacked) step.stacked = worker.stacked->solve(now).endpoints;
    for (std::size_t k = 0; k < recorders.size(); ++k) {
      if (recorders[k].deployed) detail::record_numbers(recorders[k].deployed->series, row, step.deployed[k]);
      if (recorders[k].stacked) detail::record_numbers(recorders[k].stacked->series, row, step.stacked[k]);
    }
    if (!has_hands_reader) return;
    if (smoothed) smoothed->observe(at, worker.observation);
    step.hands->at(worker.observation);
  }

  const InstantReader& posterior_reader(const Step& step) const noexcept {
    return has_hands_reader ? *step.hands : *step.all;
  }

  /// The residual, whose filters have a history.
  void form(Step& step, Eigen::Index row, Reconstruction& result) {
    result.used_imu = result.used_imu || step.all->instant().used_imu();
    if (as_logged) as_logged->form(step.all->instant());
    if (!residual) return;
    const Residual& formed = residual->form(posterior_reader(step).instant());
    step.residual = formed;
    if (formed.current() == Status::ok) limits.step(formed.instant.observation().time);
    step.limits = limits;
    if (formed.current() != Status::ok || !formed.correlated || formed.kind != ResidualKind::static_gravity) return;
    const auto at = static_cast<std::size_t>(row);
    result.identified[at] = true;
    result.outside_identified[at] = formed.reasons.has(Reason::outside_identified);
    if (const SpeedEnvelope* envelope = residual->envelope()) result.envelope_speed[row] = envelope->speed();
  }

  /// Keeps the residual that form() left, where this may be the step that is taken apart.
  void keep_candidates(const Step& step, Eigen::Index row) {
    const Residual* last = as_logged ? &as_logged->residual() : residual ? &residual->residual() : nullptr;
    auto candidate = candidates.begin();
    for (std::size_t k = 0; k < recorders.size() && candidate != candidates.end(); ++k) {
      if (endpoints[k] != candidate->endpoint) continue;
      FocusCandidate& kept = *candidate++;
      const double force = step.deployed[k].wrench.force.norm();
      const bool past = force >= options.event.focus_force;
      if (kept.past || !(past || (std::isfinite(force) && (kept.row < 0 || force > kept.force)))) continue;
      kept = {std::move(kept.endpoint), row, force, past, *last};
    }
  }

  void estimate(Worker& worker, Step& step, Eigen::Index row) {
    worker.posterior->take_limits(step.limits);
    const PosteriorEstimates& estimates = worker.posterior->solve(step.residual);
    step.estimates = estimates;
    step.feasible = worker.feasibility->check(estimates);
    step.places = worker.places->judge(estimates);
    if (worker.raw) step.raw = worker.raw->solve(estimates.instant);
    const std::vector<EndpointReliability>& reliability = worker.reliability->judge(estimates);
    for (EndpointRecorders& of_one : recorders) {
      if (!of_one.posterior) continue;
      detail::record_posterior(of_one.posterior->series, row, estimates[of_one.hand], reliability[of_one.hand]);
    }
  }

  /// What all guards do.
  void judge(const Step& step, Eigen::Index row) {
    if (guard)
      guard->update(step.estimates, step.feasible, step.places, step.raw, step.estimates.instant.observation().time);
    for (std::size_t k = 0; k < recorders.size(); ++k) {
      EndpointRecorders& of_one = recorders[k];
      if (of_one.deployed) detail::record_guards(*of_one.deployed, row, step.deployed[k]);
      if (of_one.stacked) detail::record_guards(*of_one.stacked, row, step.stacked[k]);
      if (!of_one.posterior) continue;
      detail::record_consumer(of_one.posterior->series, row, step.estimates[of_one.hand],
                              guard->results()[of_one.hand]);
    }
  }

  Reconstruction next(const Episode& block, Eigen::Index of_all, const Progress& progress) {
    episode = &block;
    before = done;
    return next(block.steps(), of_all, progress);
  }

  /// \param of_all  steps of the log, for the progress
  Reconstruction next(Eigen::Index asked, Eigen::Index of_all, const Progress& progress) {
    const Eigen::Index steps = std::min(asked, episode->steps() - (done - before)), first = done;
    Reconstruction result = make_room(steps);
    detail::ProgressSteps progress_steps(progress, of_all);
    for (Eigen::Index from = 0; from < steps; from += std::ssize(batch)) {
      progress_steps.tell(first + from);
      const Eigen::Index count = std::min<Eigen::Index>(std::ssize(batch), steps - from);
      const auto step = [&](Eigen::Index i) -> Step& { return batch[static_cast<std::size_t>(i)]; };
      const auto worker = [&](int thread) -> Worker& { return workers[static_cast<std::size_t>(thread)]; };
      team.run(count, kStepsAtATime,
               [&](int thread, Eigen::Index i) { read(worker(thread), step(i), first + from + i, from + i, result); });
      for (Eigen::Index i = 0; i < count; ++i) {
        form(step(i), from + i, result);
        keep_candidates(step(i), first + from + i);
      }
      if (guard) {
        team.run(count, kStepsAtATime,
                 [&](int thread, Eigen::Index i) { estimate(worker(thread), step(i), from + i); });
      }
      for (Eigen::Index i = 0; i < count; ++i) judge(step(i), from + i);
    }
    done += steps;
    for (EndpointRecorders& of_one : recorders) {
      for (std::optional<detail::Recorder>* recorder : {&of_one.deployed, &of_one.stacked, &of_one.posterior}) {
        if (!*recorder) continue;
        detail::find_peaks((*recorder)->series);
        result.series.push_back(std::move((*recorder)->series));
      }
    }
    if (progress && done == of_all) progress(1.0);
    return result;
  }

  Reconstruction make_room(Eigen::Index steps) {
    Reconstruction result;
    const Eigen::Index motors = robot.model.motor_count();
    result.name = episode->name;
    result.first_step = done;
    result.reference_motor = robot.reference_motor();
    if (episode->time.size() > 0) result.time = episode->time.segment(done - before, steps);
    result.residual.resize(steps, motors);
    result.gravity.resize(steps, motors);
    result.reference_residual.setConstant(steps, kNaN);
    result.identified.assign(static_cast<std::size_t>(steps), false);
    result.outside_identified = result.identified;
    result.envelope_speed.setConstant(steps, kNaN);
    for (EndpointRecorders& of_one : recorders) {
      if (of_one.deployed) detail::make_room(*of_one.deployed, steps, motors);
      if (of_one.stacked) detail::make_room(*of_one.stacked, steps, motors);
      if (of_one.posterior) {
        detail::make_room(*of_one.posterior, steps, motors, reliability_rows[of_one.hand], sensed[of_one.hand]);
      }
    }
    return result;
  }

  const Robot robot;
  const Episode* episode;   ///< the log, or the block at hand
  Eigen::Index before = 0;  ///< steps of the log before it
  const std::vector<std::string> endpoints;
  const AuditOptions options;
  const ReconstructedEstimators wanted;
  const int threads;
  std::vector<std::string> hands;  ///< the posterior's endpoints
  std::vector<std::vector<int>> reliability_rows;
  std::vector<SensedForce> sensed;       ///< of each of them
  std::vector<std::string> read_frames;  ///< endpoints of the instants that all but the posterior read
  bool has_hands_reader = false;
  std::optional<Episode> smoothed;
  std::vector<EndpointRecorders> recorders;
  /// \name What has a history
  ///@{
  std::optional<ResidualEstimator> residual, as_logged;
  std::vector<FocusCandidate> candidates;  ///< in the order of the recorders
  AlarmLimits limits{AlarmRate{}, 1};
  std::optional<ConsumerGuard> guard;
  Eigen::Index done = 0;
  ///@}
  std::vector<Worker> workers;
  std::vector<Step> batch;
  detail::Team team;
};

Reconstructor::Reconstructor(const Robot& robot, const Episode& episode, const std::vector<std::string>& endpoints,
                             const AuditOptions& options, const ReconstructedEstimators& wanted)
    : impl_(std::make_unique<Impl>(robot, episode, endpoints, options, wanted)) {}
Reconstructor::~Reconstructor() = default;

void Reconstructor::suspect(const CheckResult& check) noexcept {
  if (!impl_->guard) return;
  const std::vector<std::string>& names = impl_->robot.model.motor_names();
  for (const Finding& finding : check.findings) {
    if (finding.severity != Severity::error) continue;
    // A joint's torque concerns those who read it; a position or a clock is in every row.
    std::vector<int> motors;
    for (const std::string& joint : finding.channel == "tau" ? finding.joints : std::vector<std::string>()) {
      const auto at = std::find(names.begin(), names.end(), joint);
      if (at != names.end()) motors.push_back(static_cast<int>(at - names.begin()));
    }
    impl_->guard->suspect(Reason::set_up_suspect, motors);
  }
}

Eigen::Index Reconstructor::done() const noexcept { return impl_->done; }
const std::vector<FocusCandidate>& Reconstructor::focus_candidates() const noexcept { return impl_->candidates; }
Reconstruction Reconstructor::next(Eigen::Index steps, const Progress& progress) {
  return impl_->next(steps, impl_->episode->steps(), progress);
}
Reconstruction Reconstructor::next(const Episode& block, Eigen::Index of_all, const Progress& progress) {
  return impl_->next(block, of_all, progress);
}

std::vector<Eigen::Index> overflowing_steps(const Reconstruction& reconstruction, const Episode& episode,
                                            Eigen::Index first) {
  std::vector<Eigen::Index> steps;
  const auto is_deployed = [](const EstimateSeries& s) { return s.estimator == EstimatorName::deployed; };
  const bool has_deployed = std::any_of(reconstruction.series.begin(), reconstruction.series.end(), is_deployed);
  for (Eigen::Index i = 0; i < reconstruction.steps(); ++i) {
    const auto& known = episode.invalid_steps;
    if (std::binary_search(known.begin(), known.end(), first + i)) continue;
    // A posterior takes torques beyond the drive's limit for no evidence: it has a number, and the log is no better.
    const bool overflows =
        has_deployed ? std::any_of(reconstruction.series.begin(), reconstruction.series.end(),
                                   [&](const auto& s) { return is_deployed(s) && !std::isfinite(s.force_norm[i]); })
                     : !std::isfinite(reconstruction.residual.row(i).squaredNorm());
    if (overflows) steps.push_back(first + i);
  }
  return steps;
}

namespace {

/// The link that an [imu] of this robot most likely sits in: one that says so, else the root.
std::string imu_link(const RobotDescription& description) {
  for (const LinkDescription& link : description.links) {
    if (link.name.find("imu") != std::string::npos) return link.name;
  }
  return description.root;
}

std::string rate_text(double hertz) { return significant_text(hertz, 3); }

}  // namespace

std::string why_static(const Robot& robot, const Episode& episode, const ResidualOptions& options) {
  if (options.kind == ResidualChoice::static_gravity || episode.v.rows() == 0 || !episode.has_time()) return {};
  const double rate = 1.0 / episode.sample_time();
  if (!std::isfinite(rate) || rate <= 0.0) return {};
  const std::string from = "the residual is static, though the log has velocities and a clock: ";
  if (robot.model.base() == Base::free_flyer) {
    std::vector<std::string> missing;
    if (episode.imu_angular_velocity.rows() == 0) missing.emplace_back("a gyro (channel imu_gyro)");
    if (episode.imu_specific_force.rows() == 0) {
      missing.emplace_back("an accelerometer (channel imu_acc)");
    }
    if (robot.profile.imu.frame.empty()) {
      missing.push_back("[imu] frame = \"" + imu_link(robot.model.description()) +
                        "\" in a profile, or the link in which the sensor sits");
    }
    if (!missing.empty()) {
      std::string text;
      for (std::size_t i = 0; i < missing.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == missing.size() ? " and " : ", ") + missing[i];
      }
      return from + "the base of " + robot.profile.name +
             " floats, so inverse dynamics needs its motion too; missing: " + text;
    }
  }
  if (episode.a.rows() > 0 || options.kind == ResidualChoice::momentum_observer) return {};
  // As ResidualEstimator allows a clock that is not exact.
  constexpr double kRateSlack = 1.05;
  const double least = minimum_rate(robot.profile, options);
  if (rate * kRateSlack >= least) return {};
  return from + rate_text(rate) + " Hz, " + rate_text(least) + " are required (residual.minimum_rate)";
}

void note_overflow(const std::vector<Eigen::Index>& steps, Episode& episode, Eigen::Index first_step) {
  if (steps.empty()) return;
  std::vector<Eigen::Index> all;
  std::merge(episode.invalid_steps.begin(), episode.invalid_steps.end(), steps.begin(), steps.end(),
             std::back_inserter(all));
  episode.invalid_steps = std::move(all);
  episode.notes.push_back({NoteCode::overflow_steps, "", {steps.size(), first_step + steps.front()}});
}

}  // namespace antaeus
