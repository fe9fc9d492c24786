// How long a log looks like the uneventful runs that the robot's noise was identified from.
#include <cmath>

#include "antaeus/robot/noise_model.hpp"
#include "audit/audit_shared.hpp"

namespace antaeus::detail {

IdentifiedSpan identified_span(const Robot& robot, const Audit& audit) {
  IdentifiedSpan span;
  if (!robot.profile.noise || robot.profile.noise->largest_residual.size() == 0) return span;
  const NoiseModel& noise = *robot.profile.noise;
  const Reconstruction& run = audit.audited.reconstruction;
  span.identified = noise.identified_speed;
  for (Eigen::Index row = 0; row < run.steps(); ++row) {
    if (!run.identified[static_cast<std::size_t>(row)]) continue;
    span.judged = true;
    if (span.first_outside < 0 && std::isfinite(run.envelope_speed[row])) {
      if (run.outside_identified[static_cast<std::size_t>(row)]) {
        span.first_outside = run.first_step + row;
        span.speed = run.envelope_speed[row];
      } else {
        span.speed = std::fmax(span.speed, run.envelope_speed[row]);
      }
    }
    if (span.first_beyond >= 0) continue;
    double furthest = kUneventfulFactor;
    for (Eigen::Index m = 0; m < noise.largest_residual.size(); ++m) {
      if (!std::isfinite(noise.white_sd[m])) continue;
      const double ratio = std::abs(run.residual(row, m)) / noise.largest_residual[m];
      if (!(ratio > furthest)) continue;
      furthest = ratio;
      span.first_beyond = run.first_step + row;
      span.joint = robot.profile.motor_labels[static_cast<std::size_t>(m)];
      span.residual = run.residual(row, m);
      span.largest = noise.largest_residual[m];
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
    text =
        "In every step its torques are those of the uneventful runs that the robot's noise was identified from: no "
        "joint reads more than twice what it did there at most";
  } else {
    text = span.first_beyond == first
               ? "From its first step on its torques are not those of the uneventful runs that the robot's noise was "
                 "identified from"
               : "Until step " + std::to_string(span.first_beyond - 1) +
                     " its torques are those of uneventful runs, the ones that the robot's noise was identified from: "
                     "no joint reads more than twice what it did there at most";
    text += ". At " + step_text(audit, span.first_beyond) + " " + span.joint + " reads " + number_text(span.residual) +
            " N·m beyond gravity; in those runs it was " + number_text(span.largest) + " at most";
  }
  if (span.first_outside >= 0) {
    text += ". From " + step_text(audit, span.first_outside) +
            " on the robot moves faster than its noise is known for, whatever its torques read: " +
            number_text(span.speed) + " rad/s rms, in those runs " + number_text(span.identified) + " at most";
  } else if (std::isfinite(span.identified)) {
    text +=
        ". It moves at up to " + number_text(span.speed) + " rad/s rms, in those runs " + number_text(span.identified);
  }
  return {{Topic::identified, text + "."}};
}

}  // namespace antaeus::detail
