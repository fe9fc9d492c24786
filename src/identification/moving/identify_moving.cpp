// A moving arm: the fit, what it leaves, and whether the arm was free.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "core/decompositions.hpp"
#include "identification/identify_steps.hpp"
#include "identification/moving/moving_gram.hpp"

namespace antaeus::detail {

namespace {

constexpr std::size_t kMostPoints = 1500;  // of a joint's residual in a figure

/// The same logs with the part of their stretches before, or after, the middle of all labelled time.
std::vector<MovingLog> half_of(const std::vector<MovingLog>& logs, bool first) {
  double all = 0.0;
  for (const MovingLog& log : logs) {
    for (const TimeSpan& span : log.spans) all += span.to - span.from;
  }
  std::vector<MovingLog> half;
  double before = 0.0;  // labelled time in front of the present span
  for (const MovingLog& log : logs) {
    std::vector<TimeSpan> spans;
    for (const TimeSpan& span : log.spans) {
      const double cut = std::clamp(span.from + 0.5 * all - before, span.from, span.to);
      const TimeSpan part = first ? TimeSpan{span.from, cut} : TimeSpan{cut, span.to};
      if (part.from < part.to) spans.push_back(part);
      before += span.to - span.from;
    }
    if (spans.empty()) continue;
    half.push_back(log);
    half.back().spans = std::move(spans);
  }
  return half;
}

/// What a noise model leaves of logs. Rows at the drive's limit and dead channels are not judged.
struct Judged {
  MovingRows rows;
  MatrixX after, sd;  ///< samples × motors
  VectorX rms_before, rms, covered, count;
  double pooled = kNaN;
};

Judged judge(const IdentifyTask& task, const NoiseModel& noise, const std::vector<MovingLog>& logs) {
  Judged judged{moving_rows(task.robot, logs, task.moving, task.pulse()), {}, {}, {}, {}, {}, {}};
  MovingRows& rows = judged.rows;
  examine_channels(task.robot, rows, task.moving);
  TorqueNoise torque_noise(task.robot.model, noise);
  const int motors = rows.at.motors;
  judged.after = judged.sd = MatrixX::Constant(rows.samples(), motors, kNaN);
  judged.rms_before = judged.rms = judged.covered = judged.count = VectorX::Zero(motors);
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (t % 512 == 0) beat(rows);
    const VectorX q = rows.q.row(t), v = rows.v.row(t), a = rows.a.row(t);
    if (torque_noise.evaluate(q, v, a) != Status::ok) continue;
    for (int j = 0; j < motors; ++j) {
      if (!rows.joints[j].use[t] || !std::isfinite(noise.white_sd[j])) continue;
      const double before = rows.joints[j].reading[t] - rows.joints[j].expected[t];
      const double after = before - torque_noise.mean()[j];
      judged.after(t, j) = after;
      judged.sd(t, j) = std::sqrt(torque_noise.covariance()(j, j));
      judged.rms_before[j] += before * before;
      judged.rms[j] += after * after;
      judged.covered[j] += std::abs(after) <= kWithin95 * judged.sd(t, j) ? 1.0 : 0.0;
      judged.count[j] += 1.0;
    }
  }
  if (judged.count.sum() > 0.0) judged.pooled = judged.covered.sum() / judged.count.sum();
  for (int j = 0; j < motors; ++j) {
    const double n = judged.count[j] > 0.0 ? judged.count[j] : kNaN;
    judged.rms_before[j] = std::sqrt(judged.rms_before[j] / n);
    judged.rms[j] = std::sqrt(judged.rms[j] / n);
    judged.covered[j] /= n;
  }
  return judged;
}

void hold_out(const IdentifyTask& task, const std::vector<MovingLog>& logs, IdentifyResult& result) {
  MovingFitOptions short_log = task.moving;
  short_log.motion_needed = 0.0;  // half of what suffices: the judgement says what it is worth
  const std::vector<MovingLog> first = half_of(logs, true), second = half_of(logs, false);
  if (first.empty() || second.empty()) return;
  const MovingFit half = fit_moving(task.robot, first, short_log, task.pulse());
  if (!half.identified) {
    result.hold_out = "nothing: the first half does not suffice for a fit (" + half.missing.front() + ")";
    return;
  }
  const Judged judged = judge(task, half.noise, second);
  result.hold_out = "the second half of the labelled time, judged by a fit of the first";
  result.hold_out_covered = judged.pooled;
  for (IdentifiedJoint& joint : result.joints) {
    joint.hold_out_rms = judged.rms[joint.motor];
    joint.hold_out_covered = judged.covered[joint.motor];
  }
}

/// A level force that stands at an endpoint through the whole log, as far as neither masses nor friction explain it:
/// the fit's normal equations with two columns more. What pulls down is left out, since a tool that the description
/// does not know pulls so too.
std::string constant_force(const IdentifyTask& task, const MovingRows& rows, const MovingFit& fit,
                           const std::string& frame) {
  const RobotModel& model = task.robot.model;
  const Vector3 gravity = model.gravity();
  const Vector3 up = gravity.norm() > 0.0 ? Vector3(-gravity.normalized()) : Vector3(Vector3::UnitZ());
  Eigen::Matrix<double, 3, 2> level;
  level.col(0) = up.unitOrthogonal();
  level.col(1) = up.cross(level.col(0));
  Dynamics dynamics(model);
  const FrameId id = model.frame(frame);
  Matrix6X J(6, model.nv());
  MatrixX XZ = MatrixX::Zero(rows.at.count(), 2);
  Eigen::Matrix2d ZZ = Eigen::Matrix2d::Zero();
  Eigen::Vector2d Zy = Eigen::Vector2d::Zero();
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (t % 1024 == 0) beat(rows);
    const VectorX q = rows.q.row(t);
    if (dynamics.at(q).frame_jacobian(id, J) != Status::ok) continue;
    for (int j = 0; j < rows.at.motors; ++j) {
      const JointRows& joint = rows.joints[j];
      const ChannelFinding& channel = fit.channels[j];
      if (!joint.use[t] || channel.use != ChannelUse::used) continue;
      const double weight = rows.step / (channel.integral_time * channel.white_sd * channel.white_sd);
      const Eigen::Vector2d z = -level.transpose() * J.col(model.motor_rows()[j]).head<3>();
      const double e = joint.reading[t] - joint.expected[t] - predicted(rows, j, t, fit.noise.parameters);
      for (Eigen::Index c = 0; c < joint.X.cols(); ++c)
        XZ.row(rows.parameter(j, joint.columns[c])) += weight * joint.X(t, c) * z.transpose();
      ZZ += weight * z * z.transpose();
      Zy += weight * e * z;
    }
  }
  const MatrixX LXZ = fit.noise.factor.transpose() * XZ;
  const double prior = task.unlabelled.force;
  const Eigen::Matrix2d H = ZZ - LXZ.transpose() * LXZ + Eigen::Matrix2d::Identity() / (prior * prior);
  const Eigen::LLT<Eigen::Matrix2d> information(H);
  if (information.info() != Eigen::Success) return {};
  const Eigen::Vector2d w = information.solve(Zy);
  constexpr double kSure = 5.0;  // sds: a wrong description makes one or two
  if (w.norm() < task.options.constant_force || w.dot(H * w) < kSure * kSure) return {};
  const double sd = std::sqrt(w.normalized().dot(information.solve(w.normalized())));
  return "a level force of " + rounded(w.norm()) + " ± " + rounded(sd) + " N at " + frame +
         " explains the logs better than free motion: contact all along? Record with nothing touching, or name the "
         "contact-free stretches";
}

/// A log that the others' fit does not cover.
void contradictions(const IdentifyTask& task, const std::vector<MovingLog>& logs, std::vector<std::string>& doubts) {
  if (logs.size() < 2) return;
  MovingFitOptions any = task.moving;
  any.motion_needed = 0.0;
  for (std::size_t l = 0; l < logs.size(); ++l) {
    std::vector<MovingLog> others = logs;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(l));
    const MovingFit fit = fit_moving(task.robot, others, any, task.pulse());
    if (!fit.identified) continue;
    const double covered = judge(task, fit.noise, {logs[l]}).pooled;
    if (!(covered < task.options.other_robot)) continue;
    doubts.push_back(logs[l].episode.name + ": the other logs' fit covers " + rounded(100.0 * covered) +
                     " % of its torques, and 95 % of its own robot's: two robots, or a contact or load in one of them");
  }
}

void fit_the_payload(const IdentifyTask& task, const std::vector<MovingLog>& logs, IdentifyResult& result) {
  if (task.request.loaded.empty()) return;
  result.payload = fit_payload(task.robot, logs, moving_logs(task, task.request.loaded, result),
                               task.request.payload_frame, task.moving, task.pulse());
}

}  // namespace

std::vector<MovingLog> moving_logs(const IdentifyTask& task, const std::vector<IdentifyLog>& logs,
                                   IdentifyResult& result, bool whole) {
  std::vector<LogView> views;
  for (const IdentifyLog& log : logs) {
    const Episode& episode = log.episode;
    LogView one{episode, {}, log.contact};
    const double start = episode.time[0], end = episode.time[episode.steps() - 1];
    if (!whole) {
      for (const TimeSpan& span : log.spans) one.spans.push_back({start + span.from, std::min(start + span.to, end)});
    }
    if (one.spans.empty()) one.spans.push_back({start, end});
    views.push_back(std::move(one));
  }
  Excerpt taken = excerpt(task.robot, views, task.moving);
  if (taken.windows > 0) result.notes.push_back(taken.text());
  return std::move(taken.logs);
}

std::vector<IdentifiedJoint> joints_of(const Robot& robot, const std::vector<ChannelFinding>& channels) {
  std::vector<IdentifiedJoint> joints;
  for (std::size_t j = 0; j < channels.size(); ++j) {
    const ChannelFinding& found = channels[j];
    IdentifiedJoint joint;
    joint.joint = found.joint;
    joint.label = robot.profile.motor_labels[j];
    joint.motor = static_cast<int>(j);
    joint.identified = found.use == ChannelUse::used;
    joint.use = found.use;
    joint.reason = found.reason;
    joint.gain = found.gain, joint.gain_sd = found.gain_sd;
    joint.white_sd = found.white_sd;
    joint.integral_time = found.integral_time;
    joints.push_back(std::move(joint));
  }
  return joints;
}

void add_ranges(const std::vector<IdentifyLog>& logs, std::vector<IdentifiedJoint>& joints) {
  for (IdentifiedJoint& joint : joints) {
    for (const IdentifyLog& log : logs) {
      const Episode& episode = log.episode;
      for (Eigen::Index i = 0; i < episode.steps(); ++i) {
        const double time = episode.time[i] - episode.time[0];
        const bool inside = log.spans.empty() || std::ranges::any_of(log.spans, [time](const TimeSpan& span) {
                              return time >= span.from && time <= span.to;
                            });
        if (!inside) continue;
        joint.largest_speed = std::fmax(joint.largest_speed, std::abs(episode.v(i, joint.motor)));
        joint.least_position = std::fmin(joint.least_position, episode.q(i, joint.motor));
        joint.largest_position = std::fmax(joint.largest_position, episode.q(i, joint.motor));
      }
    }
  }
}

void sort_parameters(const std::vector<ParameterEstimate>& all, IdentifyResult& result) {
  for (const ParameterEstimate& one : all) {
    if (!(one.prior_sd > 0.0)) continue;  // not asked for
    if (one.identified()) {
      result.parameters.push_back(one);
    } else {
      result.omitted.push_back({one.name, "the logs leave " + rounded(100.0 * one.sd / one.prior_sd) +
                                              " % of what was unknown before: move so that its torque changes"});
    }
  }
}

void add_moving_residuals(const IdentifyTask& task, const std::vector<MovingLog>& logs, IdentifyResult& result) {
  const Judged judged = judge(task, result.noise, logs);
  const MovingRows& rows = judged.rows;
  const auto stride = std::max<Eigen::Index>(1, rows.samples() / static_cast<Eigen::Index>(kMostPoints));
  for (IdentifiedJoint& joint : result.joints) {
    joint.rms_before = judged.rms_before[joint.motor];
    joint.rms_after = judged.rms[joint.motor];
    if (!joint.identified) continue;
    int piece = rows.piece.empty() ? 0 : rows.piece.front();
    for (Eigen::Index t = 0; t < rows.samples(); t += stride) {
      const auto at = static_cast<std::size_t>(t);
      const double time = static_cast<double>(t) * rows.step;
      ResidualSeries& series = joint.residual;
      const auto add = [&series, time](double before, double after, double sd) {
        series.x.push_back(time), series.before.push_back(before), series.after.push_back(after),
            series.sd.push_back(sd);
      };
      if (rows.piece[at] != piece) add(kNaN, kNaN, kNaN);
      piece = rows.piece[at];
      const JointRows& row = rows.joints[static_cast<std::size_t>(joint.motor)];
      const double after = judged.after(t, joint.motor);
      add(std::isnan(after) ? kNaN : row.reading[t] - row.expected[t], after, judged.sd(t, joint.motor));
    }
  }
}

std::vector<std::string> doubts_of_freedom(const IdentifyTask& task, const std::vector<MovingLog>& logs,
                                           const MovingFit& fit) {
  std::vector<std::string> doubts;
  if (!task.moving.effort_units) {
    const VectorX& limits = task.robot.model.effort_limits();
    int used = 0;
    std::vector<std::string> wide;
    for (std::size_t j = 0; j < fit.channels.size(); ++j) {
      const ChannelFinding& found = fit.channels[j];
      if (found.use != ChannelUse::used) continue;
      ++used;
      if (found.white_sd > task.options.largest_sd * limits[static_cast<Eigen::Index>(j)]) {
        wide.push_back(found.joint + " " + rounded(found.white_sd) + " N·m");
      }
    }
    if (2 * std::ssize(wide) > used) {
      doubts.push_back("the torques scatter by more than " + rounded(100.0 * task.options.largest_sd) +
                       " % of the effort limits about any model (" + listed(wide) +
                       "): contact, another robot, or torques in other units");
    }
    MovingRows rows = moving_rows(task.robot, logs, task.moving, task.pulse());
    examine_channels(task.robot, rows, task.moving);
    for (const std::string& frame : task.endpoints) {
      if (std::string text = constant_force(task, rows, fit, frame); !text.empty()) doubts.push_back(std::move(text));
    }
  }
  contradictions(task, logs, doubts);
  return doubts;
}

void identify_moving(const IdentifyTask& task, IdentifyResult& result) {
  const std::vector<MovingLog> logs = moving_logs(task, task.request.logs, result);
  task.tell(0.05);
  const MovingFit fit = fit_moving(task.robot, logs, task.moving, task.pulse());
  task.tell(0.4);
  result.motion = fit.motion;
  result.prior_scale = fit.prior_scale;
  result.joints = joints_of(task.robot, fit.channels);
  result.missing = fit.missing;
  result.notes.insert(result.notes.end(), fit.notes.begin(), fit.notes.end());
  if (!fit.identified) return;
  result.missing = doubts_of_freedom(task, logs, fit);
  task.tell(0.6);
  if (!result.missing.empty()) {
    for (IdentifiedJoint& joint : result.joints) joint.identified = false;
    return;
  }
  result.identified = true;
  result.noise = fit.noise;
  const TorqueParameters at = torque_parameters(task.robot.model);
  VectorX periods = VectorX::Zero(at.motors);
  for (IdentifiedJoint& joint : result.joints) {
    if (!joint.identified) continue;
    joint.offset = fit.noise.parameters[at.offset(joint.motor)];
    joint.offset_error = fit.noise.factor.row(at.offset(joint.motor)).norm();
    periods[joint.motor] = joint.integral_time;
  }
  result.noise.correlation_time = periods;
  sort_parameters(fit.parameters, result);
  hold_out(task, logs, result);
  task.tell(0.8);
  add_moving_residuals(task, logs, result);
  fit_the_payload(task, logs, result);
}

}  // namespace antaeus::detail
