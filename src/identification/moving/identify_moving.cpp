// A moving arm: the fit, what it leaves, and whether the arm was free.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "core/decompositions.hpp"
#include "identification/identify_steps.hpp"
#include "identification/moving/moving_gram.hpp"
#include "identification/moving/moving_judge.hpp"

namespace antaeus::detail {

namespace {

constexpr std::size_t kMostPoints = 1500;  // of a joint's residual in a figure

/// A level force that stands at an endpoint through the whole log, as far as neither masses nor friction explain it:
/// the fit's normal equations with two columns more. What pulls down is left out, since a tool that the description
/// does not know pulls so too.
std::string constant_force(const IdentifyTask& task, const MovingRows& rows, const RowErrors& errors,
                           const Ridge& ridge, const std::string& frame) {
  const RobotModel& model = task.robot.model;
  const Vector3 gravity = model.gravity();
  const Vector3 up = gravity.norm() > 0.0 ? Vector3(-gravity.normalized()) : Vector3(Vector3::UnitZ());
  using Pair = Eigen::Matrix<double, kOfLog, 2>;
  Eigen::Matrix<double, 3, 2> level;
  level.col(0) = up.unitOrthogonal();
  level.col(1) = up.cross(level.col(0));
  Dynamics dynamics(model);
  const FrameId id = model.frame(frame);
  Matrix6X J(6, model.nv());
  MatrixX XZ = MatrixX::Zero(rows.at.count(), 2);
  std::vector<Pair> of_log(ridge.effects.size(), Pair::Zero());
  Eigen::Matrix2d ZZ = Eigen::Matrix2d::Zero();
  Eigen::Vector2d Zy = Eigen::Vector2d::Zero();
  const VectorX weight = weights(rows, errors);
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (t % 1024 == 0) beat(rows);
    const VectorX q = rows.q.row(t);
    if (dynamics.at(q).frame_jacobian(id, J) != Status::ok) continue;
    for (int j = 0; j < rows.at.motors; ++j) {
      const JointRows& joint = rows.joints[j];
      if (!joint.use[t] || !(weight[j] > 0.0)) continue;
      const double w = weight[j] * errors.sd[j] * errors.sd[j] / row_variance(rows, j, t, errors);
      const Eigen::Vector2d z = -level.transpose() * J.col(model.motor_rows()[j]).head<3>();
      const double e = joint.reading[t] - joint.expected[t] - predicted(rows, j, t, ridge);
      for (Eigen::Index c = 0; c < joint.X.cols(); ++c)
        XZ.row(rows.parameter(j, joint.columns[c])) += w * joint.X(t, c) * z.transpose();
      of_log[static_cast<std::size_t>(j) * rows.log_step.size() + static_cast<std::size_t>(rows.log[t])] +=
          w * columns_of_log(rows, j, t) * z.transpose();
      ZZ += w * z * z.transpose();
      Zy += w * e * z;
    }
  }
  // What logs have of their own may stand in for it too: eliminated, as in the fit.
  for (std::size_t k = 0; k < of_log.size(); ++k) {
    const LogEffect& effect = ridge.effects[k];
    if (effect.by_theta.size() == 0) continue;
    const auto j = static_cast<int>(k / rows.log_step.size());
    ZZ -= of_log[k].transpose() * effect.covariance * of_log[k];
    for (Eigen::Index c = 0; c < effect.by_theta.cols(); ++c) {
      XZ.row(rows.parameter(j, rows.joints[j].columns[c])) -= effect.by_theta.col(c).transpose() * of_log[k];
    }
  }
  const MatrixX LXZ = ridge.factor.transpose() * XZ;
  const double prior = task.unlabelled.force;
  const Eigen::Matrix2d H = ZZ - LXZ.transpose() * LXZ + Eigen::Matrix2d::Identity() / (prior * prior);
  const Eigen::LLT<Eigen::Matrix2d> information(H);
  if (information.info() != Eigen::Success) return {};
  const Eigen::Vector2d w = information.solve(Zy);
  constexpr double kSure = 5.0;  // sds: a wrong description makes one or two
  if (w.norm() < task.options.constant_force || w.dot(H * w) < kSure * kSure) return {};
  const double sd = std::sqrt(w.normalized().dot(information.solve(w.normalized())));
  return "a level force of " + rounded(w.norm()) + " ± " + rounded(sd) + " N at " + frame +
         " explains the logs better than free motion: contact all along? Record without contact, or declare "
         "contact-free intervals";
}

/// Why a log is not one of the others' robot, untouched; empty: it may be.
std::string contradiction(const IdentifyTask& task, const LeftOut& left) {
  const double covered = left.judged.pooled;
  const std::string contact = contact_in(task, left);
  if (covered < task.options.other_robot) {
    return "the other logs' fit covers " + rounded(100.0 * covered) +
           " % of its torques, and 95 % of its own robot's: two robots, or a contact or load in one of them" +
           (contact.empty() ? "" : "; by that fit " + contact);
  }
  return contact.empty() ? "" : "by the other logs' fit " + contact + ": a contact";
}

/// Logs that the others contradict. Of three and more, those that most others agree on are kept.
std::vector<MovingLog> without_contradictions(const IdentifyTask& task, std::vector<MovingLog> logs,
                                              std::vector<LeftOut>& left, IdentifyResult& result) {
  std::vector<std::string> told;
  while (true) {
    left = leave_one_out(task, logs);
    const LeftOut* worst = nullptr;
    std::string why;
    for (const LeftOut& one : left) {
      std::string text = contradiction(task, one);
      if (text.empty() || (worst && worst->judged.pooled <= one.judged.pooled)) continue;
      worst = &one;
      why = std::move(text);
    }
    if (!worst) break;
    const std::string text = logs[worst->log].episode.name + ": " + why;
    // Of two logs nobody knows which is right; and more than a third of them are no exception.
    if (logs.size() < 3 || 3 * (told.size() + 1) > logs.size() + told.size()) {
      result.missing.push_back(text);
      return logs;
    }
    told.push_back(text + "; the log is left out");
    logs.erase(logs.begin() + static_cast<std::ptrdiff_t>(worst->log));
  }
  result.notes.insert(result.notes.end(), told.begin(), told.end());
  return logs;
}

/// What the intervals are worth, and what was held out of the fit for that.
void add_coverage(const IdentifyTask& task, const std::vector<MovingLog>& logs, const std::vector<LeftOut>& left,
                  const VectorX& period, IdentifyResult& result) {
  std::string nothing;
  const CoverageCount halves = judge_halves(task, logs, nothing);
  CoverageCount others(task);
  for (const LeftOut& one : left) others.add(one.judged, one.noise, period);
  const auto add = [&result](const char* how, std::vector<Coverage> rows) {
    if (!rows.empty()) result.coverage.push_back({how, std::move(rows)});
  };
  add("half of each log by a fit of its other half", halves.table());
  add("each log by a fit of the others", others.table());
  const bool days = !left.empty();
  if (!days && !nothing.empty()) {
    result.hold_out = nothing;
    return;
  }
  const CoverageCount& told = days ? others : halves;
  result.hold_out = days ? "each log, judged by a fit of the others"
                         : "each half of the labelled time, judged by a fit of the other half";
  result.hold_out_covered = told.covered(-1);
  for (IdentifiedJoint& joint : result.joints) {
    joint.hold_out_rms = told.rms(joint.motor);
    joint.hold_out_covered = told.covered(joint.motor);
  }
}

/// What another day would buy: "… would take the force at tool0 from ± 6.5 to ± 5.8 N".
void note_another_day(const IdentifyTask& task, const MovingRows& rows, const MovingFit& fit, IdentifyResult& result) {
  if (task.endpoints.empty() || fit.noise.unit != "N·m") return;
  NoiseModel more = fit.noise;
  more.factor = fit.factor_of_another_day;
  const std::vector<double> now = force_deviations(task, fit.noise, rows), then = force_deviations(task, more, rows);
  for (std::size_t k = 0; k < task.endpoints.size(); ++k) {
    if (std::isfinite(now[k])) result.another_day.push_back({task.endpoints[k], now[k], then[k]});
  }
}

/// Residuals before and after, and their figures.
void add_residuals(const Judged& judged, IdentifyResult& result) {
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
  add_residuals(judge(task, result.noise, logs), result);
}

namespace {

/// Why the identified arm was no free one: one sentence each.
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
    RowErrors errors = first_errors(rows);
    for (int j = 0; j < rows.at.motors; ++j) {
      const ChannelFinding& found = fit.channels[j];
      errors.sd[j] = found.use == ChannelUse::used ? found.white_sd : kNaN;
      errors.period[j] = found.integral_time;
      errors.standing[j] = found.use == ChannelUse::used ? found.standing_sd : 0.0;
      errors.between.col(j) = OfLog(fit.noise.coulomb_sd[j], fit.noise.viscous_sd[j], fit.noise.offset_sd[j]);
    }
    VectorX prior(std::ssize(fit.parameters));
    for (Eigen::Index k = 0; k < prior.size(); ++k) prior[k] = fit.parameters[static_cast<std::size_t>(k)].prior_sd;
    const Gram gram(rows, contiguous_folds(rows, task.moving.seam), errors);
    const Ridge ridge = gram.solve(errors, prior, -1);
    for (const std::string& frame : task.endpoints) {
      std::string text = constant_force(task, rows, errors, ridge, frame);
      if (!text.empty()) doubts.push_back(std::move(text));
    }
  }
  return doubts;
}

/// How many logs what is stated of days counts for. Logs of one day do not show how far days lie apart.
double worth_of_other_robots(const IdentifyTask& task, IdentifyResult& result) {
  const std::vector<IdentifyLog>& logs = task.request.logs;
  if (logs.size() < 2) return task.moving.between_logs;
  std::set<std::string> dates;
  bool clocks = true;
  for (const IdentifyLog& log : logs) {
    dates.insert(log.date);
    clocks = clocks && !log.date.empty() && !log.date.starts_with(kByFile);
  }
  if (!clocks) {
    result.notes.emplace_back(
        "the logs' clocks have no date: each log counts as its own session; logs of one session make the uncertainty "
        "in "
        "other sessions too small");
    return task.moving.between_logs;
  }
  if (dates.size() > 1) return task.moving.between_logs;
  result.notes.push_back("all logs are of " + *dates.begin() +
                         ": they do not show how far days lie apart, which is taken from other robots");
  constexpr double kNothingElse = 1e6;
  return kNothingElse;
}

}  // namespace

void identify_moving(IdentifyTask& task, IdentifyResult& result) {
  std::vector<MovingLog> logs = moving_logs(task, task.request.logs, result);
  task.tell(0.05);
  task.moving.between_logs = worth_of_other_robots(task, result);
  std::vector<LeftOut> left;
  logs = without_contradictions(task, std::move(logs), left, result);
  task.tell(0.2);
  const MovingFit fit = fit_moving(task.robot, logs, task.moving, task.pulse());
  task.tell(0.4);
  result.motion = fit.motion;
  result.torque_delay = fit.torque_shift.best;
  result.torque_delay_sd = fit.torque_shift.sd;
  result.prior_scale = fit.prior_scale;
  result.joints = joints_of(task.robot, fit.channels);
  const std::vector<std::string> contradictions = std::exchange(result.missing, fit.missing);
  result.notes.insert(result.notes.end(), fit.notes.begin(), fit.notes.end());
  if (!fit.identified) return;
  result.missing = doubts_of_freedom(task, logs, fit);
  result.missing.insert(result.missing.end(), contradictions.begin(), contradictions.end());
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
    joint.standing_sd = fit.noise.standing_sd[joint.motor];
    joint.coulomb_sd = fit.noise.coulomb_sd[joint.motor];
    joint.viscous_sd = fit.noise.viscous_sd[joint.motor];
    joint.offset_sd = fit.noise.offset_sd[joint.motor];
  }
  result.noise.correlation_time = periods;
  sort_parameters(fit.parameters, result);
  add_coverage(task, logs, left, periods, result);
  task.tell(0.8);
  result.days = fit.logs;
  result.runs = static_cast<int>(logs.size());
  const Judged judged = judge(task, result.noise, logs);
  note_another_day(task, judged.rows, fit, result);
  add_residuals(judged, result);
  fit_the_payload(task, logs, result);
}

}  // namespace antaeus::detail
