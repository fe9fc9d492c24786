#include "pose/pose_batch.hpp"

#include <algorithm>
#include <cmath>

#include "estimation/describe_posterior.hpp"
#include "estimation/published/moved_directions.hpp"
#include "estimation/residual_rows.hpp"

namespace antaeus {

namespace {

/// Condition of a matrix from which on its decompositions share too few digits.
constexpr double kNearlySingular = 1e-6;
/// Gap between two sds, as a share, below which the direction of the larger one is more and more rounding.
constexpr double kSameSd = 1e-3;
/// Numbers so near to their limit, as a share, are at it.
constexpr double kAtLimit = 1e-8;

/// Angles from which on the kernel's sine may lose digits that the library's keeps [rad].
constexpr double kLargestAngle = 1e4;

bool at_limit(double value, double limit) noexcept { return std::abs(value - limit) <= kAtLimit * std::abs(limit); }

/// Whether two entries could both be the one that gives a direction its sign.
bool is_sign_doubtful(const double* direction) noexcept {
  double sizes[] = {std::abs(direction[0]), std::abs(direction[1]), std::abs(direction[2])};
  std::sort(std::begin(sizes), std::end(sizes));
  return !(sizes[2] - sizes[1] > kSameSd);
}

template <class T>
std::span<T> view(std::vector<T>& memory, int count, int width) noexcept {
  return {memory.data(), static_cast<std::size_t>(count) * static_cast<std::size_t>(width)};
}

/// Whether one endpoint's evidence is never another's, as the kernel wants it.
bool are_apart(const PoseQuality& quality, int endpoints) {
  std::vector<int> all;
  for (int k = 0; k < endpoints; ++k) all.insert(all.end(), quality.rows(k).begin(), quality.rows(k).end());
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

}  // namespace

PoseSample sample_of(const PoseQuality& quality, const PoseConditioning& pose) {
  return {pose.status,
          pose.reference_gain[quality.gain_row()],
          pose.reference_force_gain,
          pose.kappa,
          pose.rest.worst_sd(),
          pose.moving.worst_sd(),
          pose.rest.axis_sd,
          pose.rest.worst_direction(),
          pose.rest.observable,
          pose.position,
          pose.error_force};
}

PoseBatch::PoseBatch(const Robot& robot, const std::vector<std::string>& endpoints, PoseParts parts)
    : quality_(robot, endpoints),
      parts_(parts),
      motors_(robot.model.motor_count()),
      reference_(robot.reference_motor()),
      gain_row_(quality_.gain_row()),
      endpoints_(endpoints.size()),
      svd_(robot.model.motor_count(), 6),
      whitened_(Matrix6X::Zero(6, robot.model.motor_count())),
      q_(VectorX::Zero(robot.model.motor_count())) {
  set_up(robot, endpoints);
}

/// Leaves model_ empty where only PoseQuality can do what the settings ask for.
void PoseBatch::set_up(const Robot& robot, const std::vector<std::string>& names) {
  const PosteriorOptions& posterior = quality_.posterior_options();
  const ResidualOptions residual = robot.settings(names).get<ResidualOptions>();
  const PoseQualityOptions defaults;
  const bool identified = defaults.noise == NoiseUse::identified && robot.profile.noise;
  if (posterior.rows != PosteriorRows::own || identified || !are_apart(quality_, endpoint_count())) return;

  BatchOptions options{.imu = ImuUse::none};
  for (int k = 0; k < endpoint_count(); ++k) options.posterior.rows.push_back(quality_.rows(k));
  options.posterior.force_prior = posterior.prior.force;
  options.posterior.moment_prior = posterior.contact == ContactKind::wrench ? posterior.prior.moment : 0.0;
  const BatchModel model(robot.model, names, options);
  for (int k = 0, column = 0; k < endpoint_count(); ++k) {
    const std::vector<int>& supporting = model.supporting_motors(k);
    const PoseQuality::Seen seen = quality_.seen(k);
    Endpoint& endpoint = endpoints_[static_cast<std::size_t>(k)];
    const auto moved = detail::moved_directions(robot.model, robot.model.frame(names[static_cast<std::size_t>(k)]));
    if (moved.plane) return;  // the lanes explain torques by whole wrenches
    endpoint.directions = moved.count;
    endpoint.seen = seen.rank;
    endpoint.worst = 2 - quality_.insensible(k);
    endpoint.wrench = seen.wrench;
    endpoint.rows = quality_.rows(k);
    for (const int motor : endpoint.rows) {
      const auto at = std::find(supporting.begin(), supporting.end(), motor) - supporting.begin();
      endpoint.columns.push_back(column + 6 * static_cast<int>(at));
    }
    column += 6 * static_cast<int>(supporting.size());
  }
  const VectorX limits = detail::torque_limits(robot);
  for (int m = 0; m < motors_; ++m) {
    const JointFigures& figures = robot.profile.figures[static_cast<std::size_t>(m)];
    still_.push_back(detail::still_variance(figures, robot.profile.friction, residual, 0.0));
    static_variance_.push_back(detail::moving_variance(figures));
    saturation_.push_back(residual.saturation_share * limits[m]);
  }
  residual_ = residual;
  length_ = defaults.characteristic_length;
  const auto room = [](auto& memory, int width) { memory.resize(static_cast<std::size_t>(kPoses * width)); };
  const int count = endpoint_count();
  for (std::vector<double>* rows : {&torque_, &tau_, &rest_variance_, &moving_variance_}) room(*rows, motors_);
  for (std::vector<double>* rows : {&wrench_, &sigma_}) room(*rows, 6 * count);
  for (std::vector<double>* rows : {&rest_sd_, &moving_sd_}) room(*rows, 3 * count);
  room(pose_, 12 * count);
  room(jacobian_, model.jacobian_width());
  room(covariance_, 21 * count);
  room(direction_, 9 * count);
  room(doubtful_, 1);
  room(status_, 1);
  workspace_.emplace(model);
  model_ = model;
}

/// Torques that hold the poses against gravity, with their variances, and 1 N·m more at the reference joint.
void PoseBatch::fill_inputs(int count) noexcept {
  for (int i = 0; i < count; ++i) {
    bool doubtful = false;
    const std::ptrdiff_t row = std::ptrdiff_t{i} * motors_;
    for (int m = 0; m < motors_; ++m) {
      const auto motor = static_cast<std::size_t>(m);
      const double torque = torque_[row + m], rest = still_[motor] + detail::gain_variance(residual_, torque);
      const bool saturated = std::abs(torque) >= saturation_[motor];
      doubtful = doubtful || at_limit(std::abs(torque), saturation_[motor]);
      tau_[row + m] = torque;
      rest_variance_[row + m] = saturated ? kInfinity : rest;
      moving_variance_[row + m] = saturated ? kInfinity : std::max(rest, static_variance_[motor]);
    }
    if (reference_ >= 0) tau_[row + reference_] += 1.0;
    doubtful_[static_cast<std::size_t>(i)] = doubtful;
  }
}

void PoseBatch::run(const double* q, int count) noexcept {
  const int endpoints = endpoint_count();
  BatchInput in;
  in.count = count;
  in.q = {std::span<const double>(q, static_cast<std::size_t>(count) * static_cast<std::size_t>(motors_))};
  BatchOutput out;
  out.status = view(status_, count, 1);
  out.pose = {view(pose_, count, 12 * endpoints)};
  out.torque = {view(torque_, count, motors_)};
  const bool evident = parts_.rest || parts_.moving;
  const bool jacobians = parts_.moving && model_->jacobian_width() > 0;
  if (jacobians) out.jacobian = {view(jacobian_, count, model_->jacobian_width())};
  if (parts_.deployed) out.sigma = {view(sigma_, count, 6 * endpoints)};
  const bool amplified = parts_.deployed && reference_ >= 0;
  // What needs no torque goes with the torques' own pass, unless a later one has the decomposition anyway.
  if (amplified) out.sigma = {};
  workspace_->replay(in, out);
  if (!evident && !amplified) return;

  fill_inputs(count);
  in.tau = {std::span<const double>(view(tau_, count, motors_))};
  out = {};
  if (amplified) {
    out.sigma = {view(sigma_, count, 6 * endpoints)};
    out.wrench = {view(wrench_, count, 6 * endpoints)};
  }
  if (parts_.rest) {
    in.variance = {std::span<const double>(view(rest_variance_, count, motors_))};
    out.covariance = {view(covariance_, count, 21 * endpoints)};
    out.force_sd = {view(rest_sd_, count, 3 * endpoints)};
    out.force_directions = {view(direction_, count, 9 * endpoints)};
  }
  if (amplified || parts_.rest) workspace_->replay(in, out);
  if (!parts_.moving) return;
  in.variance = {std::span<const double>(view(moving_variance_, count, motors_))};
  out = {};
  out.force_sd = {view(moving_sd_, count, 3 * endpoints)};
  workspace_->replay(in, out);
}

bool PoseBatch::fill_deployed(int row, const Endpoint& endpoint, PoseSample& sample) const noexcept {
  const double* sigma = &sigma_[static_cast<std::size_t>(6 * row)];
  const int last = endpoint.directions - 1;
  if (last < 0 || !(sigma[last] > kNearlySingular * sigma[0])) return false;
  sample.kappa = sigma[0] / sigma[last];
  if (reference_ < 0) return true;
  const double* wrench = &wrench_[static_cast<std::size_t>(6 * row)];
  sample.gain = wrench[gain_row_];
  sample.force_gain = std::sqrt(wrench[0] * wrench[0] + wrench[1] * wrench[1] + wrench[2] * wrench[2]);
  return std::isfinite(sample.force_gain);
}

bool PoseBatch::fill_rest(int row, const Endpoint& endpoint, PoseSample& sample) const noexcept {
  const int worst = endpoint.worst;
  const double* sd = &rest_sd_[static_cast<std::size_t>(3 * row)];
  const double* direction = &direction_[static_cast<std::size_t>(9 * row + 3 * worst)];
  const double* covariance = &covariance_[static_cast<std::size_t>(21 * row)];
  // Two directions that are known alike turn into each other by rounding.
  const auto alike = [&](int i, int j) { return i >= 0 && j < 3 && !(sd[j] - sd[i] > kSameSd * sd[j]); };
  if (alike(worst - 1, worst) || alike(worst, worst + 1) || is_sign_doubtful(direction)) return false;
  const PosteriorOptions& options = quality_.posterior_options();
  const double prior = options.prior.force * options.prior.force, known = (1.0 - kLeastInformation) * prior;
  for (int i = 0; i <= worst; ++i) {
    if (!std::isfinite(sd[i]) || at_limit(sd[i], options.observable_sd) || at_limit(sd[i] * sd[i], known)) return false;
  }
  sample.observable =
      count_observable({sd[0], sd[1], sd[2]}, worst + 1, options.observable_sd, [prior](int) { return prior; });
  sample.sd = sd[worst];
  sample.worst_direction = {direction[0], direction[1], direction[2]};
  // Of the upper triangle's rows the first numbers.
  sample.axis_sd = {std::sqrt(covariance[0]), std::sqrt(covariance[6]), std::sqrt(covariance[11])};
  return true;
}

bool PoseBatch::fill_moving(int pose, int row, const Endpoint& endpoint, PoseSample& sample) noexcept {
  sample.sd_moving = moving_sd_[static_cast<std::size_t>(3 * row + endpoint.worst)];
  if (!std::isfinite(sample.sd_moving)) return false;
  const double* variance = &moving_variance_[static_cast<std::size_t>(pose) * static_cast<std::size_t>(motors_)];
  const double* jacobian =
      jacobian_.data() + static_cast<std::ptrdiff_t>(pose) * std::ptrdiff_t{model_->jacobian_width()};
  // As PoseQuality::fill_error_force, of the columns alone that are not zero there.
  const auto rows = static_cast<Eigen::Index>(endpoint.rows.size());
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double sd = std::sqrt(variance[endpoint.rows[at]]);
    whitened_.col(i) = Eigen::Map<const Vector6>(jacobian + endpoint.columns[at]) / sd;
  }
  whitened_.bottomRows<3>() *= length_;
  if (svd_.compute_transposed(whitened_.topLeftCorner(endpoint.wrench ? 6 : 3, rows)) != Status::ok) return false;
  const auto sigma = svd_.sigma();
  const int last = endpoint.seen - 1;
  if (last < 0 || last >= sigma.size() || !(sigma[last] > kNearlySingular * sigma[0])) return false;
  sample.error_force = 1.0 / sigma[last];
  return true;
}

/// \return whether rounding decides nothing about it
bool PoseBatch::fill(int pose, int k, PoseSample& sample) noexcept {
  const int row = pose * endpoint_count() + k;
  const Endpoint& endpoint = endpoints_[static_cast<std::size_t>(k)];
  sample = {.status = Status::ok,
            .gain = kNaN,
            .force_gain = kNaN,
            .kappa = kNaN,
            .sd = kNaN,
            .sd_moving = kNaN,
            .axis_sd = Vector3::Constant(kNaN),
            .worst_direction = Vector3::Constant(kNaN),
            .error_force = kNaN};
  const double* origin = &pose_[static_cast<std::size_t>(12 * row + 9)];
  sample.position = {origin[0], origin[1], origin[2]};
  if (parts_.deployed && !fill_deployed(row, endpoint, sample)) return false;
  if (parts_.rest && !fill_rest(row, endpoint, sample)) return false;
  return !parts_.moving || fill_moving(pose, row, endpoint, sample);
}

void PoseBatch::evaluate(const double* q, int count, PoseSample* const* samples) noexcept {
  if (model_) run(q, count);
  const auto endpoints = static_cast<std::size_t>(endpoint_count());
  for (int i = 0; i < count; ++i) {
    const auto pose = static_cast<std::size_t>(i);
    q_ = Eigen::Map<const VectorX>(q + std::ptrdiff_t{i} * motors_, motors_);
    bool sure = model_ && status_[pose] == Status::ok && (q_.array().abs() < kLargestAngle).all() &&
                !((parts_.rest || parts_.moving) && doubtful_[pose]);
    for (std::size_t k = 0; k < endpoints && sure; ++k) sure = fill(i, static_cast<int>(k), samples[k][i]);
    if (sure) continue;
    const std::vector<PoseConditioning>& poses = quality_.evaluate(q_, parts_);
    for (std::size_t k = 0; k < endpoints; ++k) samples[k][i] = sample_of(quality_, poses[k]);
  }
}

}  // namespace antaeus
