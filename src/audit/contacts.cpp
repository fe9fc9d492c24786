// Which contacts a log holds, as intervals, and what would settle what it leaves open.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "antaeus/signal/chi_squared.hpp"
#include "audit/audit_shared.hpp"

namespace antaeus::detail {

namespace {

/// A force that noise alone would exceed in one of so many steps.
constexpr double kFalseShare = 1e-4;
/// Torques that no contact explains, or that are no measurement, tell of no force.
constexpr Reasons kNoEvidence = kTestAlarm | Reason::dead_torque | Reason::saturated;

/// w ᵀ C⁻¹ w of the force, from the principal axes of its covariance.
double normalised_square(const EstimateSeries& series, Eigen::Index row) {
  const Vector3 force = series.wrench.row(row).head<3>();
  double sum = 0.0;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const Vector3 axis = series.posterior->force_axes.row(row).segment<3>(3 * i);  // as long as its sd
    const double variance = axis.squaredNorm();
    sum += variance > 0 ? std::pow(force.dot(axis) / variance, 2) : kNaN;
  }
  return sum;
}

/// Standard deviation of |F|, along the force.
double sd_along(const EstimateSeries& series, Eigen::Index row) {
  const Vector3 direction = Vector3(series.wrench.row(row).head<3>()).normalized();
  double variance = 0.0;
  for (Eigen::Index i = 0; i < 3; ++i) {
    variance += std::pow(direction.dot(Vector3(series.posterior->force_axes.row(row).segment<3>(3 * i))), 2);
  }
  return std::sqrt(variance);
}

void intervals_of(const EstimateSeries& series, const Reconstruction& r, std::vector<ContactInterval>& found) {
  const double threshold = chi_squared_threshold(kFalseShare, 3);
  const bool timed = r.time.size() == r.steps() && r.steps() > 0 && std::isfinite(r.time[0]);
  const auto length = [&](Eigen::Index from, Eigen::Index to) {
    return timed ? (r.time[to] - r.time[from]) / kShortestContact
                 : static_cast<double>(to - from) / kShortestContactSteps;
  };
  std::vector<std::pair<Eigen::Index, Eigen::Index>> spans;
  for (Eigen::Index row = 0; row < r.steps(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    if (series.verdict[at] == Verdict::invalid_input || series.reasons[at].has_any(kNoEvidence) ||
        !(normalised_square(series, row) > threshold))
      continue;
    if (!spans.empty() && length(spans.back().second, row) <= 1.0) {
      spans.back().second = row;
    } else {
      spans.emplace_back(row, row);
    }
  }
  for (const auto& [from, to] : spans) {
    if (length(from, to) < 1.0) continue;
    std::vector<std::pair<double, Eigen::Index>> sizes;
    for (Eigen::Index row = from; row <= to; ++row) {
      if (std::isfinite(series.force_norm[row])) sizes.emplace_back(series.force_norm[row], row);
    }
    const auto middle = sizes.begin() + std::ssize(sizes) / 2;
    std::nth_element(sizes.begin(), middle, sizes.end());
    found.push_back({series.endpoint, series.label, r.first_step + from, r.first_step + to, timed ? r.time[from] : kNaN,
                     timed ? r.time[to] : kNaN, middle->first, sd_along(series, middle->second)});
  }
}

}  // namespace

std::vector<ContactInterval> contact_intervals(const Reconstruction& r) {
  std::vector<ContactInterval> found;
  for (const EstimateSeries& series : r.series) {
    if (series.posterior && series.posterior->force_axes.rows() == r.steps()) intervals_of(series, r, found);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  return found;
}

double share_within(const std::vector<ContactInterval>& contacts, const Reconstruction& r) {
  std::vector<bool> within(static_cast<std::size_t>(r.steps()), false);
  for (const ContactInterval& c : contacts) {
    std::fill(within.begin() + (c.from - r.first_step), within.begin() + (c.to - r.first_step + 1), true);
  }
  return within.empty()
             ? 0.0
             : static_cast<double>(std::count(within.begin(), within.end(), true)) / static_cast<double>(within.size());
}

bool is_touched_all_along(const EstimateSeries& series, const std::vector<ContactInterval>& contacts,
                          const Reconstruction& r) {
  constexpr double kAll = 0.95;
  std::vector<ContactInterval> own;
  std::ranges::copy_if(contacts, std::back_inserter(own),
                       [&](const ContactInterval& one) { return one.endpoint == series.endpoint; });
  return share_within(own, r) >= kAll;
}

void doubt_since_start(EstimateSeries& series) {
  for (std::size_t at = 0; at < series.verdict.size(); ++at) {
    if (series.verdict[at] == Verdict::ok) series.verdict[at] = Verdict::degraded;
    if (series.verdict[at] != Verdict::invalid_input) series.reasons[at].add(Reason::contact_since_start);
  }
}

void doubt_lasting_contacts(const AuditOptions& options, const std::vector<ContactInterval>& contacts,
                            Reconstruction& r) {
  const bool timed = r.time.size() == r.steps() && r.steps() > 0 && std::isfinite(r.time[0]);
  const double least = options.guarded.set_up_time;
  if (!timed || !(least > 0.0) || !(r.time[r.steps() - 1] - r.time[0] >= least)) return;
  for (EstimateSeries& series : r.series) {
    if (!series.posterior || series.kind == EndpointKind::foot) continue;
    if (is_touched_all_along(series, contacts, r)) doubt_since_start(series);
  }
}

std::vector<Statement> contacts_verdict(const Audit& audit) {
  const auto& series = audit.audited.reconstruction.series;
  if (std::none_of(series.begin(), series.end(), [](const EstimateSeries& s) { return s.posterior.has_value(); })) {
    return {};
  }
  // Steps of which the posterior can say anything of a force.
  const auto speaks = [](const EstimateSeries& s) {
    for (std::size_t at = 0; at < s.verdict.size(); ++at) {
      if (s.posterior && s.verdict[at] != Verdict::invalid_input && !s.reasons[at].has_any(kNoEvidence)) return true;
    }
    return false;
  };
  if (audit.contacts.empty() && std::none_of(series.begin(), series.end(), speaks)) {
    return {
        {Topic::contacts,
         "Whether a force stands out cannot be determined: in no step are the torques a measurement that some contact "
         "explains."}};
  }
  if (audit.contacts.empty()) {
    return {{Topic::contacts,
             "The posterior shows no contact of 0.1 s or longer: in the steps that a contact can explain, no force "
             "exceeds what noise, friction and model error produce."}};
  }
  constexpr std::size_t kMostTold = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(audit.contacts.size(), kMostTold); ++i) {
    const ContactInterval& c = audit.contacts[i];
    text += (i == 0 ? "" : "; ") + number_text(c.size) + " ± " + number_text(c.size_sd) + " N at the " + c.label +
            ", " + step_text(audit, c.from) + " to " + step_text(audit, c.to);
  }
  if (audit.contacts.size() > kMostTold) {
    text += "; " + std::to_string(audit.contacts.size()) + " intervals in all";
  }
  text = "Forces beyond what the stated noise, friction and model error make: " + text + ".";
  const auto lasting = [](const EstimateSeries& s) {
    return s.posterior && !s.reasons.empty() && s.reasons.front().has(Reason::contact_since_start);
  };
  if (std::any_of(series.begin(), series.end(), lasting)) {
    text +=
        " A force throughout the log rather means a configuration error (gravity, signs, order or unit of the "
        "torques, a load missing in the model) than a contact: antaeus check names it.";
  }
  return {{Topic::contacts, text}};
}

std::vector<Statement> next_checks(const Audit& audit) {
  std::vector<Statement> all;
  const Episode& episode = audit.audited.episode;
  const bool floating = audit.base != Base::fixed;
  const auto deployed = std::find_if(audit.attributions.begin(), audit.attributions.end(),
                                     [](const Attribution& a) { return a.estimator == EstimatorName::deployed; });
  if (audit.incident && !audit.contact.found && deployed != audit.attributions.end() && deployed->largest >= 0) {
    const std::string& joint = audit.motor_labels[static_cast<std::size_t>(deployed->largest)];
    all.push_back({Topic::joint, "Hold this pose without contact and read the torque of " + joint + ": the " +
                                     number_text(deployed->residual[deployed->largest]) + " N·m beyond gravity of " +
                                     step_text(audit, audit.focus_step) +
                                     " must not be there. If they stay, the sensor, the model or friction is wrong; if "
                                     "they vanish, motion or a contact made them."});
  }
  if (audit.incident) {
    all.push_back(
        {Topic::touch, "Check in the video, or with a force sensor, whether there was contact from " +
                           step_text(audit, audit.events.empty() ? audit.focus_step : audit.events.front().step) +
                           " to " + step_text(audit, audit.focus_step) + "."});
    if (audit.has_deployed)
      all.push_back({Topic::consumed, "Log the wrench that the consumer reads: then it is known, not reconstructed."});
  }
  if (floating && !episode.has_imu()) {
    all.push_back({Topic::imu, "Log the IMU’s orientation: then gravity is known, whatever the base does."});
  }
  if (episode.v.rows() == 0) {
    all.push_back(
        {Topic::velocity, "Log the joint velocities: then inertial torque can be distinguished from contact."});
  } else if (floating && (episode.imu_angular_velocity.rows() == 0 || episode.imu_specific_force.rows() == 0)) {
    all.push_back({Topic::acceleration,
                   "Log gyro and accelerometer: then what the base’s motion does to the torques is taken out."});
  }
  if (!episode.has_time()) all.push_back({Topic::time, "Log time stamps: then durations and rates are known."});
  return all;
}

}  // namespace antaeus::detail
