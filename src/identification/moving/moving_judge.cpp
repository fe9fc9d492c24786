#include "identification/moving/moving_judge.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/chi_squared.hpp"

namespace antaeus::detail {

namespace {

/// Sds that hold 50, 80, 95 and 99 % of normal numbers.
constexpr std::array<double, 4> kWithin = {0.674490, 1.281552, kWithin95, 2.575829};
/// [s] between samples whose forces are looked at: less adds time and says the same.
constexpr double kForceStep = 0.05;

/// The log with the first or second half of its labelled time; empty: it has none.
std::vector<MovingLog> half_of(const MovingLog& log, bool first) {
  double all = 0.0;
  for (const TimeSpan& span : log.spans) all += span.to - span.from;
  std::vector<TimeSpan> spans;
  double before = 0.0;  // labelled time in front of the present span
  for (const TimeSpan& span : log.spans) {
    const double cut = std::clamp(span.from + 0.5 * all - before, span.from, span.to);
    const TimeSpan part = first ? TimeSpan{span.from, cut} : TimeSpan{cut, span.to};
    if (part.from < part.to) spans.push_back(part);
    before += span.to - span.from;
  }
  if (spans.empty()) return {};
  std::vector<MovingLog> half{log};
  half.back().spans = std::move(spans);
  return half;
}

VectorX periods_of(const MovingFit& fit) {
  VectorX period(std::ssize(fit.channels));
  for (Eigen::Index j = 0; j < period.size(); ++j) period[j] = fit.channels[static_cast<std::size_t>(j)].integral_time;
  return period;
}

VectorX residual_at(const Judged& judged, Eigen::Index t) {
  const VectorX r = judged.after.row(t);
  return r.array().isFinite().select(r, 0.0);
}

}  // namespace

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

ForcesOfNothing::ForcesOfNothing(const IdentifyTask& task, const NoiseModel& noise)
    : task_(&task),
      torque_noise_(task.robot.model, noise),
      dynamics_(task.robot.model),
      prior_(task.robot.profile.settings.get<PosteriorOptions>().prior.force) {
  for (const std::string& frame : task.endpoints) {
    frames_.push_back(task.robot.model.frame(frame));
    std::vector<int> motors = task.robot.model.supporting_motors(frames_.back());
    std::erase_if(motors, [&noise](int motor) { return !std::isfinite(noise.white_sd[motor]); });
    motors_.push_back(std::move(motors));
  }
  forces_.resize(frames_.size());
}

const std::vector<ForceOfNothing>& ForcesOfNothing::at(const VectorX& q, const VectorX& v, const VectorX& a,
                                                       const VectorX& r) {
  const bool known = torque_noise_.evaluate(q, v, a) == Status::ok;
  const PositionTerms& terms = dynamics_.at(q);
  Matrix6X J(6, task_->robot.model.nv());
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    ForceOfNothing& force = forces_[k];
    const std::vector<int>& motors = motors_[k];
    force.known = known && !motors.empty() && terms.frame_jacobian(frames_[k], J) == Status::ok;
    if (!force.known) continue;
    const auto n = std::ssize(motors);
    MatrixX A(n, 3), R(n, n);
    VectorX y(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const int motor = motors[static_cast<std::size_t>(i)];
      A.row(i) = -J.col(task_->robot.model.motor_rows()[motor]).head<3>().transpose();
      y[i] = r[motor];
      for (Eigen::Index c = 0; c < n; ++c)
        R(i, c) = torque_noise_.covariance()(motor, motors[static_cast<std::size_t>(c)]);
    }
    const double P = prior_ * prior_;
    const Eigen::LLT<MatrixX> S(MatrixX(P * A * A.transpose() + R));
    const MatrixX G = P * S.solve(A).transpose();
    force.known = S.info() == Eigen::Success;
    force.force = G * y;
    force.covariance = G * R * G.transpose();
    force.posterior = P * Matrix3::Identity() - P * G * A;
  }
  return forces_;
}

CoverageCount::CoverageCount(const IdentifyTask& task) : task_(&task) {
  for (std::size_t j = 0; j < task.robot.profile.motor_labels.size(); ++j) {
    joints_.push_back({.what = task.robot.profile.motor_labels[j]});
  }
  for (const std::string& frame : task.endpoints) {
    for (const char* axis : {" x", " y", " z"}) forces_.push_back({.what = frame + axis});
  }
}

void CoverageCount::Row::add(double z, double worth) {
  for (std::size_t level = 0; level < kWithin.size(); ++level)
    within[level] += std::abs(z) <= kWithin[level] ? 1.0 : 0.0;
  count += 1.0;
  square += z * z;
  effective += worth;
}

void CoverageCount::add(const Judged& judged, const NoiseModel& noise, const VectorX& period) {
  const MovingRows& rows = judged.rows;
  double longest = rows.step;
  for (int j = 0; j < rows.at.motors; ++j) {
    const double T = std::isfinite(period[j]) ? std::max(period[j], rows.step) : rows.step;
    if (std::isfinite(noise.white_sd[j])) longest = std::max(longest, T);
    Row& row = joints_[static_cast<std::size_t>(j)];
    for (Eigen::Index t = 0; t < rows.samples(); ++t) {
      if (std::isnan(judged.after(t, j))) continue;
      row.add(judged.after(t, j) / judged.sd(t, j), rows.step / T);
      row.error += judged.after(t, j) * judged.after(t, j);
    }
  }
  if (forces_.empty()) return;
  ForcesOfNothing forces(*task_, noise);
  const auto stride = std::max<Eigen::Index>(1, std::lround(kForceStep / rows.step));
  for (Eigen::Index t = 0; t < rows.samples(); t += stride) {
    if (t % 1024 == 0) beat(rows);
    const std::vector<ForceOfNothing>& now =
        forces.at(rows.q.row(t), rows.v.row(t), rows.a.row(t), residual_at(judged, t));
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (!now[k].known) continue;
      for (int axis = 0; axis < 3; ++axis) {
        const double sd = std::sqrt(now[k].covariance(axis, axis));
        // A direction that no torque knows has neither force nor doubt of one.
        if (!(sd > 1e-6)) continue;
        Row& row = forces_[3 * k + static_cast<std::size_t>(axis)];
        row.add(now[k].force[axis] / sd, std::min(1.0, static_cast<double>(stride) * rows.step / longest));
        row.error += now[k].force[axis] * now[k].force[axis];
      }
    }
  }
}

std::vector<Coverage> CoverageCount::table() const {
  std::vector<Coverage> table;
  for (const std::vector<Row>* rows : {&joints_, &forces_}) {
    for (const Row& row : *rows) {
      if (!(row.count > 0.0)) continue;
      Coverage one;
      one.what = row.what;
      one.unit = rows == &joints_ ? "N·m" : "N";
      one.within_50 = row.within[0] / row.count, one.within_80 = row.within[1] / row.count;
      one.within_95 = row.within[2] / row.count, one.within_99 = row.within[3] / row.count;
      one.rms = std::sqrt(row.error / row.count);
      one.nees = row.square / row.count;
      one.samples = row.effective;
      const double n = std::max(row.effective, 1.0);
      constexpr double kTail = 0.025;
      one.nees_low = chi_squared_quantile(kTail, n) / n;
      one.nees_high = chi_squared_quantile(1.0 - kTail, n) / n;
      table.push_back(std::move(one));
    }
  }
  return table;
}

double CoverageCount::covered(int motor) const {
  double within = 0.0, count = 0.0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (motor >= 0 && static_cast<std::size_t>(motor) != j) continue;
    within += joints_[j].within[2];
    count += joints_[j].count;
  }
  return count > 0.0 ? within / count : kNaN;
}

double CoverageCount::rms(int motor) const {
  const Row& row = joints_[static_cast<std::size_t>(motor)];
  return row.count > 0.0 ? std::sqrt(row.error / row.count) : kNaN;
}

std::vector<LeftOut> leave_one_out(const IdentifyTask& task, const std::vector<MovingLog>& logs) {
  std::vector<LeftOut> left;
  if (logs.size() < 2) return left;
  MovingFitOptions any = task.moving;
  any.motion_needed = 0.0;
  for (std::size_t l = 0; l < logs.size(); ++l) {
    std::vector<MovingLog> others = logs;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(l));
    MovingFit fit = fit_moving(task.robot, others, any, task.pulse());
    if (!fit.identified) continue;
    Judged judged = judge(task, fit.noise, {logs[l]});
    left.push_back({l, std::move(fit.noise), std::move(judged)});
  }
  return left;
}

CoverageCount judge_halves(const IdentifyTask& task, const std::vector<MovingLog>& logs, std::string& nothing) {
  CoverageCount count(task);
  MovingFitOptions one_day = task.moving;  // both halves are of one day: what days differ by is no doubt here
  one_day.motion_needed = 0.0;             // half of what suffices: the judgement says what it is worth
  one_day.coulomb_between = one_day.viscous_between = one_day.offset_between = 0.0;
  bool any = false;
  for (const MovingLog& log : logs) {
    const std::vector<MovingLog> first = half_of(log, true), second = half_of(log, false);
    if (first.empty() || second.empty()) continue;
    for (const bool forward : {true, false}) {
      const MovingFit fit = fit_moving(task.robot, forward ? first : second, one_day, task.pulse());
      if (!fit.identified) {
        nothing = "nothing: half of a log does not suffice for a fit (" + fit.missing.front() + ")";
        continue;
      }
      count.add(judge(task, fit.noise, forward ? second : first), fit.noise, periods_of(fit));
      any = true;
    }
  }
  if (any) nothing.clear();
  return count;
}

std::string contact_in(const IdentifyTask& task, const LeftOut& left) {
  constexpr double kSure = 5.0;        // sds, all along
  constexpr double kLongEnough = 1.0;  // [s]: errors last for less than that
  const MovingRows& rows = left.judged.rows;
  ForcesOfNothing forces(task, left.noise);
  struct Stretch {
    double from = kNaN, length = 0.0, force = 0.0, sd = 0.0, count = 0.0;
  };
  std::vector<Stretch> now(task.endpoints.size()), longest = now;
  const auto stride = std::max<Eigen::Index>(1, std::lround(kForceStep / rows.step));
  for (Eigen::Index t = 0; t < rows.samples(); t += stride) {
    const std::vector<ForceOfNothing>& all =
        forces.at(rows.q.row(t), rows.v.row(t), rows.a.row(t), residual_at(left.judged, t));
    for (std::size_t k = 0; k < all.size(); ++k) {
      const bool seam = t >= stride && rows.piece[t] != rows.piece[t - stride];
      // Along its own direction, so that a limb that cannot sense all three is judged by those that it can.
      const Vector3 along = all[k].force.normalized();
      const double sd = all[k].known ? std::sqrt(along.dot(all[k].covariance * along)) : kNaN;
      const bool touched =
          all[k].known && all[k].force.norm() > kSure * sd && all[k].force.norm() > task.options.constant_force;
      if (seam || !touched) now[k] = {};
      if (!touched) continue;
      if (now[k].count == 0.0) now[k].from = static_cast<double>(rows.source[t]) * rows.log_step.front();
      now[k].length += static_cast<double>(stride) * rows.step;
      now[k].force += all[k].force.norm();
      now[k].sd += sd;
      now[k].count += 1.0;
      if (now[k].length > longest[k].length) longest[k] = now[k];
    }
  }
  for (std::size_t k = 0; k < longest.size(); ++k) {
    const Stretch& one = longest[k];
    if (one.length < kLongEnough) continue;
    return task.endpoints[k] + " reads " + rounded(one.force / one.count) + " ± " + rounded(one.sd / one.count) +
           " N for " + rounded(one.length) + " s from " + rounded(one.from) + " s on";
  }
  return {};
}

std::vector<double> force_deviations(const IdentifyTask& task, const NoiseModel& noise, const MovingRows& rows) {
  constexpr Eigen::Index kPoses = 200;
  ForcesOfNothing forces(task, noise);
  const VectorX nothing = VectorX::Zero(rows.at.motors);
  std::vector<std::vector<double>> all(task.endpoints.size());
  for (Eigen::Index t = 0; t < rows.samples(); t += std::max<Eigen::Index>(1, rows.samples() / kPoses)) {
    const std::vector<ForceOfNothing>& now = forces.at(rows.q.row(t), rows.v.row(t), rows.a.row(t), nothing);
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (now[k].known) all[k].push_back(std::sqrt(std::max(0.0, now[k].posterior.trace() / 3.0)));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& one : all) {
    std::ranges::nth_element(one, one.begin() + std::ssize(one) / 2);
    medians.push_back(one.empty() ? kNaN : one[one.size() / 2]);
  }
  return medians;
}

}  // namespace antaeus::detail
