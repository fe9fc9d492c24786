// How long a log looks like the uneventful runs that the robot's noise was identified from.
#include <cmath>

#include "audit/parts.hpp"

namespace antaeus::parts {

IdentifiedSpan identified_span(const Robot& robot, const std::vector<std::string>& endpoints,
                               const AuditOptions& options, const Audit& audit) {
  IdentifiedSpan span;
  if (!robot.profile.noise || options.residual.noise != NoiseUse::identified) return span;
  const VectorX& white_sd = robot.profile.noise->white_sd;
  InstantReader reader(robot, endpoints, options.equation);
  ResidualEstimator estimator(robot, options.residual);
  const Episode& episode = audit.audited.episode;
  const Eigen::Index first = audit.audited.reconstruction.first_step;
  Observation observation;
  for (Eigen::Index row = 0; row < episode.steps(); ++row) {
    episode.observe(row, observation);
    const Residual& residual = estimator.form(reader.at(observation));
    if (residual.current() != Status::ok || residual.kind != ResidualKind::static_gravity) continue;
    span.judged = true;
    if (const SpeedEnvelope* envelope = estimator.envelope()) {
      const bool outside = residual.reasons.has(Reason::outside_identified);
      if (outside && span.first_outside < 0) {
        span.first_outside = first + row;
        span.speed = envelope->speed();
      }
      if (span.first_outside < 0) span.speed = std::fmax(span.speed, envelope->speed());
      span.limit = envelope->limit();
    }
    if (span.first_beyond >= 0) continue;
    double largest = kIdentifiedDeviations;
    for (Eigen::Index m = 0; m < residual.value.size(); ++m) {
      if (!std::isfinite(white_sd[m]) || !std::isfinite(residual.variance[m])) continue;
      const double deviations = std::abs(residual.value[m]) / std::sqrt(residual.variance[m]);
      if (deviations <= largest) continue;
      largest = deviations;
      span.first_beyond = first + row;
      span.joint = robot.profile.motor_labels[static_cast<std::size_t>(m)];
      span.residual = residual.value[m];
      span.sd = std::sqrt(residual.variance[m]);
    }
  }
  return span;
}

std::vector<Statement> identified_verdict(const Audit& audit) {
  const IdentifiedSpan& span = audit.identified;
  if (!span.judged) return {};
  const Eigen::Index first = audit.audited.reconstruction.first_step;
  std::string text;
  if (span.first_beyond < 0) {
    text = "Its torques are those of the uneventful runs that the robot's noise was identified from, in every step";
  } else if (span.first_beyond == first) {
    text =
        "From its first step on its torques are not those of the uneventful runs that the robot's noise was "
        "identified from";
  } else {
    text = "Until step " + std::to_string(span.first_beyond - 1) +
           " its torques are those of uneventful runs: no joint is further off than three of the standard deviations "
           "that were identified there";
  }
  if (span.first_beyond >= 0) {
    text += ". At " + step_text(audit, span.first_beyond) + " " + span.joint + " reads " + number_text(span.residual) +
            " N·m too much, " + number_text(std::abs(span.residual) / span.sd) + " of them";
  }
  if (span.first_outside >= 0) {
    text += ". From " + step_text(audit, span.first_outside) +
            " on the robot moves faster than it ever did in these runs (" + number_text(span.speed) +
            " rad/s rms against " + number_text(span.limit) +
            " at which estimates are refused), whatever its torques read";
  } else if (std::isfinite(span.limit)) {
    text += ". It moves no faster than there: at most " + number_text(span.speed) + " of " + number_text(span.limit) +
            " rad/s rms";
  }
  return {{"identified", text + "."}};
}

}  // namespace antaeus::parts
