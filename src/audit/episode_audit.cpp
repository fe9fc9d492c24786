#include <algorithm>
#include <cmath>

#include "antaeus/audit/audit_options.hpp"
#include "audit/audit_shared.hpp"
#include "robot/quaternion_slack.hpp"

namespace antaeus::detail {

namespace {

/// Linear between samples, as numpy.percentile does.
double percentile(std::vector<double> values, double share) {
  if (values.empty()) return kNaN;
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

ReferenceStatistics reference_statistics(const Robot& robot, const EpisodeAudit& audit) {
  ReferenceStatistics s;
  s.mean = s.mean_magnitude = s.deviation = s.maximum = s.p99 = kNaN;
  const int motor = robot.reference_motor();
  if (motor < 0) return s;
  std::vector<double> magnitudes;
  double sum = 0, squares = 0, magnitude = 0;
  for (Eigen::Index i = 0; i < audit.episode.steps(); ++i) {
    const double tau = audit.episode.tau(i, motor);
    if (!std::isfinite(tau)) continue;
    sum += tau;
    magnitude += std::abs(tau);
    magnitudes.push_back(std::abs(tau));
  }
  if (magnitudes.empty()) return s;
  const double count = static_cast<double>(magnitudes.size());
  s.mean = sum / count;
  for (Eigen::Index i = 0; i < audit.episode.steps(); ++i) {
    const double tau = audit.episode.tau(i, motor);
    if (std::isfinite(tau)) squares += (tau - s.mean) * (tau - s.mean);
  }
  s.mean_magnitude = magnitude / count;
  s.deviation = std::sqrt(squares / count);
  s.maximum = *std::max_element(magnitudes.begin(), magnitudes.end());
  s.p99 = percentile(magnitudes, 0.99);
  for (const EstimateSeries& series : audit.reconstruction.series) {
    if (series.estimator != EstimatorName::deployed || series.kind == EndpointKind::foot) continue;
    ReferenceStatistics::Contamination c{series.endpoint, 0.0, kNaN, -1};
    double total = 0, valid = 0;
    for (Eigen::Index i = 0; i < audit.episode.steps(); ++i) {
      const double force = std::abs(series.reference_gain(i, kFz) * audit.episode.tau(i, motor));
      if (!std::isfinite(force)) continue;
      total += force;
      valid += 1;
      if (force > c.worst || c.worst_step < 0) {
        c.worst = force;
        c.worst_step = audit.reconstruction.first_step + i;
      }
    }
    c.mean = valid > 0 ? total / valid : kNaN;
    s.contamination.push_back(std::move(c));
  }
  return s;
}

}  // namespace

void summarise_episode(const Robot& robot, const std::vector<std::string>& endpoints, const AuditOptions& options,
                       EpisodeAudit& audit) {
  const Episode& episode = audit.episode;
  const auto& names = robot.model.motor_names();
  audit.peak_torque = kNaN;
  for (int m = 0; m < robot.model.motor_count(); ++m) {
    const auto motor = static_cast<std::size_t>(m);
    JointRange range{names[motor], robot.profile.motor_labels[motor], kNaN, kNaN};
    for (Eigen::Index i = 0; i < episode.steps(); ++i) {
      const double q = episode.q(i, m), tau = std::abs(episode.tau(i, m));
      if (std::isfinite(q)) {
        if (!(q >= range.minimum)) range.minimum = q;
        if (!(q <= range.maximum)) range.maximum = q;
      }
      if (std::isfinite(tau) && !(tau <= audit.peak_torque)) {
        audit.peak_torque = tau;
        audit.peak_torque_step = audit.reconstruction.first_step + i;
        audit.peak_torque_motor = m;
      }
    }
    audit.ranges.push_back(std::move(range));
    if (episode.target.rows() > 0) {
      const double position = episode.q(0, m), target = episode.target(0, m);
      audit.start_errors.push_back(
          {names[motor], robot.profile.motor_labels[motor], position, target, position - target});
    }
  }
  audit.reference = reference_statistics(robot, audit);

  std::vector<std::string> hands;
  for (const std::string& endpoint : endpoints) {
    const EstimateSeries& series = audit.reconstruction.find(endpoint, EstimatorName::deployed);
    if (series.kind != EndpointKind::foot && series.consumed) hands.push_back(endpoint);
  }
  if (hands.empty()) hands = endpoints;
  for (Eigen::Index i = 0; i < episode.steps(); ++i) {
    if (!episode.q.row(i).allFinite()) continue;
    VectorX target;
    if (episode.target.rows() > 0 && episode.target.row(i).allFinite()) target = episode.target.row(i);
    // A step whose quaternion is none is no step: Reconstruction lists it among the invalid ones.
    Eigen::Vector4d imu = Eigen::Vector4d::Constant(kNaN);
    if (episode.has_imu()) imu = episode.imu_quaternion.row(i).transpose();
    const bool known = std::abs(imu.norm() - 1.0) <= kQuaternionSlack;
    audit.preflight =
        preflight(robot, hands, VectorX(episode.q.row(i)), target, options.preflight, known ? &imu : nullptr);
    break;
  }
}

const FocusCandidate* choose_focus(const AuditOptions& options, const std::vector<FocusCandidate>& candidates,
                                   Audit& audit) {
  const Episode& episode = audit.audited.episode;
  const bool all = audit.whole.steps == 0;
  const auto unusable = static_cast<double>(all ? std::ssize(episode.invalid_steps) : audit.whole.invalid_steps);
  audit.usable_share = 1.0 - unusable / static_cast<double>(all ? episode.steps() : audit.whole.steps);
  for (const WholeSeries& series : audit.whole.series) {
    const auto own = std::ranges::find_if(audit.audited.reconstruction.series, [&](const EstimateSeries& one) {
      return one.endpoint == series.endpoint && one.estimator == series.estimator;
    });
    const bool consumed = own != audit.audited.reconstruction.series.end() && own->consumed;
    audit.incident =
        audit.incident || (consumed && series.estimator == EstimatorName::deployed && series.watchdog_acts > 0);
  }
  const EstimateSeries* worst = nullptr;
  for (const EstimateSeries& series : audit.audited.reconstruction.series) {
    if (series.estimator != EstimatorName::deployed || !series.consumed || series.peak_step < 0) continue;
    if (!worst || series.peak_force > worst->peak_force) worst = &series;
    for (const GuardTrace& guard : series.guards) {
      audit.incident = audit.incident || (guard.guard == SingleGuard::watchdog && guard.acts > 0);
    }
  }
  if (!worst) return nullptr;
  const bool enough = audit.usable_share >= options.event.least_usable_share &&
                      (episode.silent.empty() || options.event.least_usable_share == 0.0);
  audit.outcome = audit.incident ? Outcome::incident : enough ? Outcome::no_incident : Outcome::cannot_be_told;
  audit.focus_endpoint = worst->endpoint;
  const auto focus = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const FocusCandidate& c) { return c.endpoint == worst->endpoint; });
  audit.focus_step = audit.audited.reconstruction.first_step + focus->row;
  audit.focus_axis = largest_component(*worst, focus->row);
  return &*focus;
}

}  // namespace antaeus::detail
