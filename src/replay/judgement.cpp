#include "replay/judgement.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "estimation/describe_posterior.hpp"

namespace antaeus::detail {

namespace {

constexpr const char* kLoop = "the loop follows it (antaeus estimate)";

[[noreturn]] void refuse(const std::string& setting, const std::string& problem, const std::string& remedy) {
  throw OptionsError(setting, problem, remedy + "; " + kLoop);
}

/// What only a loop can do.
void check_settings(const ReplayPosterior& options) {
  const ResidualOptions& residual = options.residual;
  if (residual.kind != ResidualChoice::automatic && residual.kind != ResidualChoice::static_gravity) {
    refuse("residual.kind",
           std::string(to_string(residual.kind)) + ": a replay with a posterior is of static residuals",
           arg(Input::set, "residual.kind=static"));
  }
  if (residual.tare.at >= 0.0) {
    refuse("residual.tare_at", "a tare averages what came before, and a replay does not",
           arg(Input::set, "residual.tare_at=-1"));
  }
  if (residual.day.from >= 0.0 || residual.day.learn == DayLearning::found) {
    refuse("residual.session_from", "the session's friction is learnt from earlier samples, and a replay has none",
           arg(Input::set, "residual.session_from=-1") + " " + arg(Input::set, "residual.session_learn=stated"));
  }
  if (options.posterior.rows != PosteriorRows::own) {
    refuse("posterior.rows", std::string(to_string(options.posterior.rows)) + ": a replay solves each endpoint alone",
           arg(Input::set, "posterior.rows=own"));
  }
  if (options.posterior.want != ForceWant::sensed) {
    refuse("posterior.want",
           std::string(to_string(options.posterior.want)) +
               ": the verdicts of a replay are of every direction that a limb senses",
           arg(Input::set, "posterior.want=sensed"));
  }
}

/// Of each endpoint the motors that speak for it.
std::vector<std::vector<int>> rows_of(const Robot& robot, const std::vector<std::string>& endpoints,
                                      const ReplayPosterior& options) {
  const InstantReader reader(robot, endpoints, options.instant);
  const PosteriorEstimator estimator(reader, options.posterior);
  std::vector<std::vector<int>> rows;
  for (int k = 0; k < reader.endpoint_count(); ++k) rows.push_back(estimator.rows(k));
  return rows;
}

/// \throws OptionsError where a motor speaks for two
void check_apart(const Robot& robot, const std::vector<std::string>& endpoints,
                 const std::vector<std::vector<int>>& rows) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      for (const int motor : rows[j]) {
        if (std::ranges::find(rows[k], motor) == rows[k].end()) continue;
        refuse("endpoints",
               robot.model.motor_names()[motor] + " is a row of " + endpoints[j] + " and of " + endpoints[k] +
                   ": they have one posterior together",
               "replay them one at a time");
      }
    }
  }
}

BatchModel model_of(const Robot& robot, const std::vector<std::string>& endpoints, const ReplayPosterior& options,
                    const std::vector<std::vector<int>>& rows, bool noise) {
  check_apart(robot, endpoints, rows);
  const PosteriorOptions& posterior = options.posterior;
  BatchOptions batch{.imu = options.instant.imu, .imu_frame = robot.profile.imu.frame};
  batch.posterior.rows = rows;
  batch.posterior.force_prior = posterior.prior.force;
  batch.posterior.moment_prior = posterior.contact == ContactKind::wrench ? posterior.prior.moment : 0.0;
  batch.posterior.reference_motor = robot.reference_motor();
  batch.posterior.contact_shown = kContactShown;
  if (noise) batch.posterior.noise = *robot.profile.noise;
  return {robot.model, endpoints, batch};
}

/// Whether identified noise counts, for states that are a simulation's or not.
bool uses_noise(const Robot& robot, const ReplayPosterior& options) {
  return robot.profile.noise && options.residual.noise == NoiseUse::identified &&
         robot.profile.noise->simulated == options.simulated;
}

const ReplayPosterior& checked(const ReplayPosterior& options) {
  check_options(options.residual);
  check_settings(options);
  return options;
}

template <class T>
T& at(const BatchRowsOf<T>& rows, int width, std::ptrdiff_t state, int column) noexcept {
  const std::ptrdiff_t stride = rows.stride == 0 ? width : rows.stride;
  return rows.values[static_cast<std::size_t>(state * stride + column)];
}

bool is_near(double value, double limit) noexcept { return std::abs(value - limit) < kNearLimit * std::abs(limit); }

}  // namespace

JudgedNumbers::JudgedNumbers(std::ptrdiff_t count, int endpoints)
    : count_(static_cast<std::size_t>(count)),
      endpoints_(static_cast<std::size_t>(endpoints)),
      numbers_(count_ * (9 * endpoints_ + 2)),
      integers_(count_ * 2 * endpoints_) {}

void JudgedNumbers::complete(ReplayOutput& out, bool referred, bool correlated) noexcept {
  std::size_t number = 0, integer = 0;
  const auto give = [](auto& rows, auto& memory, std::size_t& used, std::size_t size) {
    if (rows.values.empty()) rows = {std::span(memory).subspan(used, size)};
    used += size;
  };
  const std::size_t each = count_ * endpoints_;
  give(out.force_sd, numbers_, number, 3 * each);
  give(out.nis, numbers_, number, each);
  give(out.misfit, numbers_, number, each);
  give(out.evidence_rows, integers_, integer, each);
  give(out.misfit_rows, integers_, integer, each);
  if (!referred) return;
  give(out.null_nis, numbers_, number, each);
  give(out.reference_share, numbers_, number, 2 * each);
  give(out.innovation, numbers_, number, 2 * count_);
  if (correlated) give(out.reference_nis, numbers_, number, each);
}

Judgement::Judgement(const Robot& robot, const std::vector<std::string>& endpoints, const ReplayPosterior& posterior)
    : robot_(robot),
      options_(checked(posterior)),
      correlated_(uses_noise(robot, posterior)),
      reference_(robot.reference_motor()),
      rows_(rows_of(robot, endpoints, posterior)),
      model_(model_of(robot, endpoints, posterior, rows_, correlated_)) {
  uses_imu_ = robot.model.base() == Base::free_flyer && posterior.instant.imu != ImuUse::none;
  int most_rows = 0;
  for (int k = 0; k < model_.endpoint_count(); ++k) {
    const int rows = static_cast<int>(std::ssize(rows_[static_cast<std::size_t>(k)]));
    const std::vector<int>& supports = model_.supporting_motors(k);
    const FrameId frame = robot.model.frame(endpoints[static_cast<std::size_t>(k)]);
    endpoints_.push_back({contact_threshold(rows), std::ranges::find(supports, reference_) != supports.end(),
                          sensed_force(robot.model, frame, rows_[static_cast<std::size_t>(k)]).excused()});
    most_rows = std::max(most_rows, rows);
  }
  most_dof_ = most_rows + 1;
  if (correlated_) {
    hourly_ = limits_of_identified(posterior.posterior, model_.endpoint_count(), reference_ >= 0, most_rows);
    return;
  }
  const AlarmLimits limits = limits_of_figures(posterior.posterior, most_rows);
  for (int dof = 0; dof <= most_dof_; ++dof) limits_.push_back(limits.limit(dof));
}

StaticHistory Judgement::history() const {
  return {robot_, options_.residual, uses_imu_, correlated_, hourly_, most_dof_};
}

void Judgement::check(const ReplayInput& in) const {
  for (const auto* rows : {&in.variance, &in.motion_share}) {
    if (rows->values.empty()) continue;
    throw OptionsError(rows == &in.variance ? "variance" : "motion_share", "the robot's settings give it",
                       "leave it empty, or make the BatchReplay of a BatchModel with BatchPosteriorOptions");
  }
  if (!in.base_angular_acceleration.values.empty()) {
    throw OptionsError("base_angular_acceleration", "a posterior by the robot's settings is of static residuals",
                       "leave it empty");
  }
  if (in.tau.values.empty()) throw OptionsError("tau", "absent", "give the motors' torques of each state");
  const bool tilts = robot_.model.base() == Base::free_flyer && options_.residual.tilt_sd > 0.0;
  if (!tilts || (uses_imu_ && !in.imu_quaternion_xyzw.values.empty())) return;
  refuse("residual.tilt_sd", "an unmeasured tilt is an error that all rows share, and a replay has none",
         "give imu_quaternion_xyzw" + std::string(uses_imu_ ? "" : " and " + arg(Input::set, "equation.imu=mounted")) +
             ", or take the base for upright: " + arg(Input::set, "residual.tilt_sd=0"));
}

void Judgement::check_origin(const Episode& episode) const {
  ReplayPosterior theirs = options_;
  theirs.simulated = episode.simulated;
  if (uses_noise(robot_, theirs) == correlated_) return;
  throw EpisodeError(episode.name, episode.simulated ? "a simulation's log" : "no simulation's log",
                     "the robot's identified noise is not of such logs: set ReplayPosterior::simulated, or " +
                         arg(Input::set, "residual.noise=assumed"));
}

BatchInput Judgement::input_of(const ReplayInput& block, const HistoryRows& rows) const noexcept {
  const auto states = static_cast<std::size_t>(block.count), motors = static_cast<std::size_t>(model_.motor_count());
  BatchInput in;
  in.count = block.count;
  in.q = block.q;
  in.tau = {std::span(rows.tau).first(states * motors)};
  in.imu_quaternion_xyzw = block.imu_quaternion_xyzw;
  in.variance = {std::span(rows.variance).first(states * motors)};
  if (correlated_) {
    in.motion_share = {std::span(rows.share).first(states)};
    in.v = {std::span(rows.speed).first(states * motors)};
    in.least_variance = {std::span(rows.least).first(states * motors)};
  }
  return in;
}

std::ptrdiff_t Judgement::judge(const ReplayOutput& out, const HistoryRows& rows, std::ptrdiff_t count) const noexcept {
  const bool judged = !out.verdict.values.empty() || !out.reasons.values.empty() || !out.near_limits.values.empty();
  const int endpoints = model_.endpoint_count();
  std::ptrdiff_t close = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto state = static_cast<std::size_t>(i);
    if (out.status[state] == Status::ok) out.status[state] = rows.status[state];
    for (int k = 0; k < endpoints && judged; ++k) {
      Verdict verdict = Verdict::invalid_input;
      Reasons reasons = rows.reasons[state] | Reason::invalid_input;
      int near = 0;
      if (out.status[state] == Status::ok) near = judge_one(out, rows, i, k, verdict, reasons);
      close += near > 0;
      reasons.add(options_.suspected);
      if (verdict == Verdict::ok && !reasons.empty()) verdict = Verdict::degraded;
      if (!out.verdict.values.empty()) at(out.verdict, endpoints, i, k) = verdict;
      if (!out.reasons.values.empty()) at(out.reasons, endpoints, i, k) = reasons;
      if (!out.near_limits.values.empty()) at(out.near_limits, endpoints, i, k) = near;
    }
  }
  return close;
}

/// The reference row given this endpoint's rows and those that show a contact: its innovation squared, over its
/// variance.
double Judgement::reference_nis(const ReplayOutput& out, const HistoryRows& rows, std::ptrdiff_t state,
                                int endpoint) const noexcept {
  const int endpoints = model_.endpoint_count();
  if (correlated_) return at(out.reference_nis, endpoints, state, endpoint);
  const auto motors = static_cast<std::ptrdiff_t>(model_.motor_count());
  double innovation = at(out.innovation, 2, state, 0);  // given all rows
  double spread = rows.variance[static_cast<std::size_t>(state * motors + reference_)];
  for (int k = 0; k < endpoints; ++k) {
    const bool is_shown = at(out.null_nis, endpoints, state, k) > endpoints_[static_cast<std::size_t>(k)].threshold;
    if (k == endpoint || is_shown) {
      spread += at(out.reference_share, 2 * endpoints, state, 2 * k + 1);
    } else {
      innovation += at(out.reference_share, 2 * endpoints, state, 2 * k);
    }
  }
  return innovation * innovation / spread;
}

/// As PosteriorEstimator::describe(). \return statistics near a limit
int Judgement::judge_one(const ReplayOutput& out, const HistoryRows& rows, std::ptrdiff_t state, int endpoint,
                         Verdict& verdict, Reasons& reasons) const noexcept {
  const int endpoints = model_.endpoint_count();
  const auto number = [&](const BatchRowsOf<double>& all, int k) -> double { return at(all, endpoints, state, k); };
  const int evidence = at(out.evidence_rows, endpoints, state, endpoint);
  const int unexplained = at(out.misfit_rows, endpoints, state, endpoint);
  const PosteriorOptions& options = options_.posterior;
  const OneEndpoint& mine = endpoints_[static_cast<std::size_t>(endpoint)];
  Uncertainty u;
  u.insensible = mine.insensible;
  for (int i = 0; i < 3; ++i) u.force_sd[i] = at(out.force_sd, 3 * endpoints, state, 3 * endpoint + i);
  const double nis = number(out.nis, endpoint), misfit = number(out.misfit, endpoint);
  reasons = Reason::invalid_input;
  verdict = Verdict::invalid_input;
  if (evidence < 0 || !std::isfinite(u.force_sd.sum() + nis + misfit)) return 0;
  reasons = rows.reasons[static_cast<std::size_t>(state)];

  const double* limits =
      hourly_ ? rows.limits.data() + state * static_cast<std::ptrdiff_t>(kept_limits()) : limits_.data();
  const auto limit = [&](int dof) { return limits[std::clamp(dof, 0, most_dof_)]; };
  const auto test = [&](double value, int dof) { return ConsistencyTest{value, limit(dof), dof}; };
  u.misfit = test(misfit, unexplained);
  u.contact = test(std::max(nis - misfit, 0.0), evidence - unexplained);
  u.reference = ConsistencyTest{};
  u.nis = nis;
  u.nis_rows = evidence;
  int near = 0;
  const double innovation = reference_ >= 0 ? at(out.innovation, 2, state, 0) : kNaN;
  if (mine.loads && std::isfinite(innovation)) {
    const double sd = at(out.innovation, 2, state, 1);
    u.reference = test((innovation / sd) * (innovation / sd), 1);
    for (int k = 0; k < endpoints; ++k) {
      if (k != endpoint) near += is_near(number(out.null_nis, k), endpoints_[static_cast<std::size_t>(k)].threshold);
    }
    u.nis += reference_nis(out, rows, state, endpoint);
    ++u.nis_rows;
  }
  u.nis_threshold = limit(u.nis_rows);
  const double prior = options.prior.force * options.prior.force;
  const int sensible = 3 - u.insensible;
  u.observable = count_observable(u.force_sd, sensible, options.observable_sd, [prior](int) { return prior; });
  verdict = judge_uncertainty(options, u, sensed_directions(u), reasons);

  near += is_near(u.worst_sd(), options.full_use_sd);
  for (int i = 0; i < sensible; ++i) {
    const double sd = u.force_sd[i];
    near += is_near(sd, options.observable_sd) || is_near(sd * sd, (1.0 - kLeastInformation) * prior * kRounding);
  }
  for (const ConsistencyTest* one : {&u.misfit, &u.contact, &u.reference}) near += is_near(one->value, one->limit);
  near += is_near(u.misfit.value, kGrossMisfit * u.misfit.limit) + is_near(u.nis, u.nis_threshold);
  return near;
}

}  // namespace antaeus::detail
