#include "antaeus/identification/moving/moving_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "antaeus/core/messages.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "identification/few_samples.hpp"
#include "identification/moving/moving_gram.hpp"

namespace antaeus {

namespace detail {

namespace {

/// log p of what each fold did not see, neighbours counting as one for T_j.
double log_likelihood(const MovingRows& rows, const CrossValidation& cv, const VectorX& period) {
  double sum = 0.0;
  const Eigen::Index stride = scored_stride(rows);
  const RowErrors& errors = cv.errors;
  for (int j = 0; j < rows.at.motors; ++j) {
    if (!std::isfinite(errors.sd[j]) || !(errors.sd[j] > 0.0)) continue;
    double of_joint = 0.0;
    for (Eigen::Index t = 0; t < rows.samples(); t += stride) {
      if (!rows.joints[j].use[t]) continue;
      const double variance = row_variance(rows, j, t, errors) + cv.spread(t, j);
      of_joint -= 0.5 * (std::log(2.0 * std::numbers::pi * variance) + cv.error(t, j) * cv.error(t, j) / variance);
    }
    sum += of_joint * static_cast<double>(stride) * rows.step / period[j];
  }
  return sum;
}

constexpr double kRefused = 0.8;  // of the motion that is needed: less is refused, more widens the doubts

/// What a log with less motion than needed widens every sd by.
double short_motion(const MovingFitOptions& options, const MovingFit& fit) {
  return fit.motion > 0.0 && fit.motion < options.motion_needed ? options.motion_needed / fit.motion : 1.0;
}

/// One mass at the last link that the description does not have, or has and the arm has not.
void note_tool(MovingFit& fit) {
  if (fit.channels.empty() || std::isnan(fit.channels.back().tool)) return;
  const ChannelFinding& last = fit.channels.back();
  fit.notes.push_back("a payload or tool of " + rounded(std::abs(last.tool)) + " ± " + rounded(last.tool_sd) + " kg " +
                      (last.tool > 0.0 ? "hangs on the last link that the description does not have"
                                       : "of the description is not on the arm") +
                      ": it explains the torques; give " + arg(Input::payload) +
                      ", or take the description without it");
}

/// What is missing before anything is fitted. A joint that hardly moved is no evidence: its friction would be a guess.
void check_excitation(const MovingFitOptions& options, MovingRows& rows, MovingFit& fit) {
  constexpr double kEachWay = 1.0;  // [s] of motion in each direction: less is a start, not a speed
  // A turning point belongs to the motion around it.
  constexpr double kTurn = 0.25;  // [s] on either side
  const auto turn = static_cast<Eigen::Index>(kTurn / rows.step);
  Eigen::Index counted = 0;  // samples before it are settled
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    double fastest = 0.0;
    for (int j = 0; j < rows.at.motors; ++j) {
      if (!rows.grounded[j]) fastest = std::max(fastest, std::abs(rows.motor_v(t, j)));
    }
    if (fastest <= options.moving_speed) continue;
    for (counted = std::max(counted, t - turn); counted <= std::min(rows.samples() - 1, t + turn); ++counted) {
      if (rows.piece[counted] == rows.piece[t]) fit.motion += rows.step;
    }
  }
  if (fit.motion < kRefused * options.motion_needed) {
    fit.missing.push_back("the log has " + rounded(fit.motion) + " s of motion, " + rounded(options.motion_needed) +
                          " s are needed: record 20 to 30 s in which every joint moves back and forth");
  }
  if (fit.missing.empty() && fit.motion < options.motion_needed) {
    fit.notes.push_back("the log has " + rounded(fit.motion) + " s of motion, " + rounded(options.motion_needed) +
                        " s are advised: the standard deviations are " +
                        rounded(100.0 * (short_motion(options, fit) - 1.0)) +
                        " % larger for it; record 20 to 30 s in which every joint moves back and forth");
  }
  for (int j = 0; j < rows.at.motors; ++j) {
    ChannelFinding& found = fit.channels[j];
    if (found.use != ChannelUse::used) continue;
    const double least = std::min(found.forward, found.backward);
    if (least >= kEachWay) continue;
    found.use = ChannelUse::no_excitation;
    found.reason = found.joint + ": no excitation, it moves forward for " + rounded(found.forward) +
                   " s and back for " + rounded(found.backward) + " s; move it both ways";
    std::ranges::fill(rows.joints[j].use, char{0});
  }
}

/// What the channel says at its limit: too much or too little by an offset of its own, counted away from zero.
void describe_limit(const MovingRows& rows, int motor, const Ridge& ridge, ChannelFinding& found) {
  const JointRows& joint = rows.joints[motor];
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    if (!joint.at_limit[t]) continue;
    const double error = joint.reading[t] - joint.expected[t] - predicted(rows, motor, t, ridge.mean);
    const double outward = joint.channel[t] < 0.0 ? -error : error;
    sum += outward;
    squares += outward * outward;
    count += 1.0;
  }
  constexpr double kLeastTime = 1.0;  // [s] at the limit, of a robot that moves meanwhile
  if (count * rows.step < kLeastTime) return;
  found.limit_offset = sum / count;
  found.limit_sd = std::sqrt(std::max(0.0, squares / count - found.limit_offset * found.limit_offset));
}

void add_limits(MovingFit& fit) {
  NoiseModel& noise = fit.noise;
  const auto motors = static_cast<Eigen::Index>(fit.channels.size());
  for (Eigen::Index j = 0; j < motors; ++j) {
    const ChannelFinding& found = fit.channels[static_cast<std::size_t>(j)];
    if (found.use != ChannelUse::used || std::isnan(found.limit)) continue;
    if (noise.limit.size() == 0) {
      noise.limit = noise.limit_sd = VectorX::Constant(motors, kInfinity);
      noise.limit_offset = VectorX::Zero(motors);
    }
    noise.limit[j] = kAtLimit * found.limit;
    if (std::isnan(found.limit_sd)) continue;
    noise.limit_offset[j] = found.limit_offset;
    noise.limit_sd[j] = found.limit_sd;
  }
}

/// C without the parameters that no row of evidence depends on: what a leg weighs does not matter to an arm. Nothing
/// ties them to the others, so their columns hold nothing else.
MatrixX factor_of_seen(const MovingRows& rows, MatrixX factor) {
  const std::vector<char> seen = seen_parameters(rows);
  for (Eigen::Index k = 0; k < factor.rows(); ++k) {
    if (!seen[k]) factor.row(k).setZero();
  }
  Eigen::Index kept = 0;
  for (Eigen::Index c = 0; c < factor.cols(); ++c) {
    if (!factor.col(c).isZero(0.0)) factor.col(kept++) = factor.col(c);
  }
  return factor.leftCols(kept);
}

/// A torque channel that is late is late in the loop too: to be mended there, not here.
void note_shift(MovingFit& fit) {
  const ShiftScan& scan = fit.torque_shift;
  if (!scan.differs) return;
  fit.notes.push_back(
      "the torques are " + rounded(1e3 * std::abs(scan.best)) + " ± " + rounded(1e3 * scan.sd) + " ms " +
      (scan.best > 0.0 ? "later" : "earlier") +
      " than the positions: a fast arm's uncertainties do not hold then; align the channels: channels.torque_delay = " +
      rounded(scan.best) + " s in the profile, beyond what it has, and identify again");
}

/// What the loop sees of the logs (MovingFitOptions::low_pass), with its σ, s_f and T for those of \p cv: each row
/// judged by the fit of the fold that did not see it. \param plain  the rows that were fitted; their regressors are let
/// go
MovingRows rows_of_loop(const Robot& robot, const std::vector<MovingLog>& logs, const MovingFitOptions& options,
                        MovingRows& plain, const Folds& folds, CrossValidation& cv) {
  for (JointRows& joint : plain.joints) joint.X.resize(0, joint.X.cols());  // as large as what comes now
  MovingRows rows = moving_rows(robot, logs, options, plain.pulse);
  examine_channels(robot, rows, options);
  for (int j = 0; j < rows.at.motors; ++j) {
    if (used_rows(plain.joints[j]) == 0) std::ranges::fill(rows.joints[j].use, char{0});
  }
  std::size_t at = 0;  // among the rows that were fitted: the same step of the same log, or the last one before it
  const auto follows = [&](std::size_t next, std::size_t row) {
    return next < plain.source.size() &&
           std::pair(plain.log[next], plain.source[next]) <= std::pair(rows.log[row], rows.source[row]);
  };
  std::vector<int> fold_of(static_cast<std::size_t>(rows.samples()));
  for (std::size_t t = 0; t < fold_of.size(); ++t) {
    while (follows(at + 1, t)) ++at;
    fold_of[t] = folds.of[at];
  }
  judge_rows(rows, fold_of, cv);
  return rows;
}

/// What each log had of its own, with what is unknown of θ.
std::vector<LogOfRobot> logs_of_robot(const MovingRows& rows, const std::vector<MovingLog>& logs, const Ridge& ridge) {
  std::vector<LogOfRobot> all;
  const auto motors = static_cast<Eigen::Index>(rows.at.motors);
  for (std::size_t l = 0; l < logs.size(); ++l) {
    LogOfRobot& one = all.emplace_back();
    one.log = logs[l].episode.name;
    VectorX* const means[] = {&one.coulomb, &one.viscous, &one.offset};
    VectorX* const sds[] = {&one.coulomb_sd, &one.viscous_sd, &one.offset_sd};
    for (int k = 0; k < kOfLog; ++k) *means[k] = *sds[k] = VectorX::Constant(motors, kNaN);
    for (Eigen::Index j = 0; j < motors; ++j) {
      const LogEffect& effect = ridge.effects[static_cast<std::size_t>(j) * logs.size() + l];
      if (effect.by_theta.size() == 0) continue;
      const MatrixX own = factor_of_joint(rows, static_cast<int>(j), ridge.factor);
      const OfLog variance = effect.covariance.diagonal() + OfLog((effect.by_theta * own).rowwise().squaredNorm());
      for (int k = 0; k < kOfLog; ++k) {
        (*means[k])[j] = effect.mean[k];
        (*sds[k])[j] = std::sqrt(variance[k]);
      }
    }
  }
  return all;
}

bool any_used(const MovingFit& fit) {
  return std::ranges::any_of(fit.channels, [](const ChannelFinding& c) { return c.use == ChannelUse::used; });
}

/// Masses that no arm has say that torque is measured in another unit.
void note_impossible_masses(const RobotModel& model, MovingFit& fit) {
  const VectorX described = model.inertial_parameters();
  for (int body = 0; body < model.body_count(); ++body) {
    const ParameterEstimate& mass = fit.parameters[10 * body];
    const double whole = described[10 * body] + mass.value;
    constexpr double kSure = 2.0;  // standard errors
    const bool light = whole + kSure * mass.sd < 0.2 * described[10 * body];
    if (mass.identified() && described[10 * body] > 0.0 && light) {
      fit.notes.push_back(mass.name + ": " + rounded(whole) + " kg where the description has " +
                          rounded(described[10 * body]) + ": the torque channels may not be in N·m");
    }
  }
}

}  // namespace

std::vector<ParameterEstimate> parameter_estimates(const RobotModel& model, const std::string& torque_unit,
                                                   const Ridge& ridge, const VectorX& prior) {
  const TorqueParameters at = torque_parameters(model);
  std::vector<ParameterEstimate> estimates(static_cast<std::size_t>(at.count()));
  static constexpr std::array<const char*, 10> kParts = {"mass",       "moment_x",   "moment_y",   "moment_z",
                                                         "inertia_xx", "inertia_xy", "inertia_yy", "inertia_xz",
                                                         "inertia_yz", "inertia_zz"};
  const bool newton_metres = torque_unit == "N·m";
  const auto unit = [newton_metres](const char* text, const char* otherwise) {
    return std::string(newton_metres ? text : otherwise);
  };
  for (int body = 0; body < at.bodies; ++body) {
    for (int part = 0; part < 10; ++part) {
      ParameterEstimate& one = estimates[at.inertial(body) + part];
      one.name = model.body_joint(body) + "." + kParts[part];
      one.unit = part == 0  ? unit("kg", "channel units·s²/m²")
                 : part < 4 ? unit("kg·m", "channel units·s²/m")
                            : unit("kg·m²", "channel units·s²");
    }
  }
  for (int j = 0; j < at.motors; ++j) {
    const std::string& joint = model.motor_names()[j];
    estimates[at.rotor(j)].name = joint + ".rotor";
    estimates[at.rotor(j)].unit = unit("kg·m²", "channel units·s²");
    estimates[at.coulomb(j)].name = joint + ".coulomb";
    estimates[at.coulomb(j)].unit = estimates[at.offset(j)].unit = torque_unit;
    estimates[at.viscous(j)].name = joint + ".viscous";
    estimates[at.viscous(j)].unit = unit("N·m·s/rad", "channel units·s/rad");
    estimates[at.offset(j)].name = joint + ".offset";
  }
  for (int k = 0; k < at.count(); ++k) {
    estimates[k].value = ridge.mean[k];
    estimates[k].sd = ridge.factor.row(k).norm();
    estimates[k].prior_sd = prior[k];
  }
  return estimates;
}

}  // namespace detail

MovingFit fit_moving(const Robot& robot, const std::vector<MovingLog>& logs, const MovingFitOptions& options,
                     const Pulse& pulse) {
  MovingFit fit;
  if (options.effort_units) fit.unit = "channel units";
  check_options(options);
  // θ is fitted to what cubics make of the positions: noise of measured speeds, differenced, would take a part of every
  // mass away (errors in variables), and a low pass is late. What the loop sees says how far off it then is.
  MovingFitOptions plain = options;
  plain.low_pass = 0.0;
  detail::MovingRows rows = detail::moving_rows(robot, logs, plain, pulse);
  fit.sample_time = rows.step;
  if (!rows.taken.empty()) fit.notes.push_back(rows.taken);
  if (rows.samples() == 0) {
    fit.missing.emplace_back("no sample of the log can be used");
    return fit;
  }
  fit.channels = detail::examine_channels(robot, rows, plain);
  if (!options.effort_units) detail::note_tool(fit);
  detail::check_excitation(options, rows, fit);
  const auto say_why = [&fit] {
    for (const ChannelFinding& found : fit.channels) {
      if (found.use != ChannelUse::used && found.use != ChannelUse::carries_foot) fit.missing.push_back(found.reason);
    }
  };
  if (!detail::any_used(fit)) say_why();
  if (!fit.missing.empty()) return fit;

  const int motors = rows.at.motors;
  const detail::Folds folds = detail::contiguous_folds(rows, options.seam);
  VectorX prior;
  detail::CrossValidation cv;
  {
    // How far the description may be wrong, all rows alike.
    const detail::RowErrors start = detail::first_errors(rows);
    const detail::Gram gram(rows, folds, start);
    constexpr std::array<double, 3> kScales = {1.0, 0.3, 3.0};  // a tenth would tie a short log to a wrong description
    double best_score = -kInfinity;
    VectorX period;
    for (const double scale : kScales) {
      VectorX sd = detail::prior_deviations(robot.model, rows, scale);
      for (int j = 0; j < motors && !options.friction; ++j) sd[rows.at.coulomb(j)] = sd[rows.at.viscous(j)] = 0.0;
      if (!options.inertia) sd.head(rows.at.rotor(0) + motors).setZero();
      detail::CrossValidation one = detail::cross_validate(rows, gram, folds, sd, options, start);
      // One weight for all, or the worst fit would count least.
      if (period.size() == 0) period = one.errors.period;
      const double score = detail::log_likelihood(rows, one, period);
      if (score > best_score) {
        best_score = score;
        cv = std::move(one);
        prior = sd;
        fit.prior_scale = scale;
      }
    }
    // What a shift does is judged against all that folds get wrong, not against what σ alone is of it.
    detail::RowErrors whole = cv.errors;
    for (int j = 0; j < motors; ++j) {
      if (whole.sd[j] > 0.0) whole.sd[j] = detail::root_mean_square(rows.joints[j], cv.error.col(j));
    }
    fit.torque_shift = detail::scan_shift(rows, gram, folds, prior, whole, plain);
    detail::note_shift(fit);
  }
  // Then rows of a joint that stands count as little as it may hold then.
  const detail::Gram gram(rows, folds, cv.errors);
  cv = detail::cross_validate(rows, gram, folds, prior, options, cv.errors);
  detail::Ridge ridge = gram.solve(cv.errors, prior, -1);
  ridge.factor *= detail::short_motion(options, fit);
  fit.noise.factor = detail::factor_of_seen(rows, ridge.factor);
  fit.logs = detail::logs_of_robot(rows, logs, ridge);
  fit.factor_of_another_day =
      detail::factor_of_seen(rows, gram.solve(cv.errors, prior, -1, 2).factor * detail::short_motion(options, fit));
  if (options.low_pass > 0.0) rows = detail::rows_of_loop(robot, logs, options, rows, folds, cv);
  for (int j = 0; j < motors; ++j) {
    if (fit.channels[j].use == ChannelUse::used) detail::describe_limit(rows, j, ridge, fit.channels[j]);
  }

  // A joint whose motion lasts for a few of its integral times has said little often. The tempered C knows; the reader
  // is told. No row is dropped for it: slow arms have errors of seconds and are covered all the same.
  for (int j = 0; j < motors; ++j) {
    ChannelFinding& found = fit.channels[j];
    if (found.use != ChannelUse::used) continue;
    found.integral_time = cv.errors.period[j];
    found.periods = (found.forward + found.backward) / cv.errors.period[j];
    found.white_sd = detail::few_samples_factor(found.periods) * cv.errors.sd[j];
    found.standing_sd = cv.errors.standing[j];
    if (found.periods >= options.periods_needed) continue;
    if (!found.reason.empty()) found.reason += "; ";
    found.reason += found.joint + ": its motion lasts for " + detail::rounded(found.periods) +
                    " integral times of its error (" + detail::rounded(cv.errors.period[j]) + " s), " +
                    detail::rounded(options.periods_needed) + " are advised: record longer";
  }
  fit.identified = true;
  fit.parameters = detail::parameter_estimates(robot.model, fit.unit, ridge, prior);
  fit.covariance = ridge.factor * ridge.factor.transpose();
  if (!options.effort_units) detail::note_impossible_masses(robot.model, fit);
  fit.noise.unit = fit.unit;
  fit.noise.simulated = logs.front().episode.simulated;
  fit.noise.parameters = ridge.mean;
  fit.noise.white_sd = VectorX::Constant(motors, kInfinity);
  fit.noise.joint_speed = fit.noise.white_sd;
  fit.noise.logs = static_cast<int>(logs.size());
  if (options.low_pass > 0.0) {
    fit.noise.rate = kInfinity;
    for (const MovingLog& log : logs) fit.noise.rate = std::min(fit.noise.rate, 1.0 / log.episode.sample_time());
  }
  fit.noise.standing_sd = fit.noise.coulomb_sd = fit.noise.viscous_sd = fit.noise.offset_sd = VectorX::Zero(motors);
  for (int j = 0; j < motors; ++j) {
    if (fit.channels[j].use == ChannelUse::used) {
      fit.noise.white_sd[j] = fit.channels[j].white_sd;
      fit.noise.standing_sd[j] = fit.channels[j].standing_sd;
      fit.noise.coulomb_sd[j] = cv.errors.between(0, j);
      fit.noise.viscous_sd[j] = cv.errors.between(1, j);
      fit.noise.offset_sd[j] = cv.errors.between(2, j);
      fit.noise.joint_speed[j] = rows.motor_v.col(j).cwiseAbs().maxCoeff();
    }
    // Nothing is wrong with these channels, but nothing is known of them either: the profile's figures hold. Those are
    // in N·m.
    const ChannelUse use = fit.channels[j].use;
    const bool unknown = use == ChannelUse::carries_foot || (use == ChannelUse::no_excitation && !options.effort_units);
    if (unknown) fit.noise.white_sd[j] = kNaN;
  }
  detail::add_limits(fit);
  return fit;
}

HoldOut judge_moving(const Robot& robot, const NoiseModel& noise, const std::vector<MovingLog>& logs,
                     const MovingFitOptions& options) {
  const detail::MovingRows rows = detail::moving_rows(robot, logs, options);
  TorqueNoise torque_noise(robot.model, noise);
  const int motors = rows.at.motors;
  HoldOut result;
  result.rows = rows.samples();
  result.rms = VectorX::Zero(motors);
  result.covered = VectorX::Zero(motors);
  VectorX count = VectorX::Zero(motors);
  constexpr double kTwoSided = 1.959964;  // of 95 %
  for (Eigen::Index t = 0; t < rows.samples(); ++t) {
    const VectorX q = rows.q.row(t), v = rows.v.row(t), a = rows.a.row(t);
    if (torque_noise.evaluate(q, v, a) != Status::ok) continue;
    for (int j = 0; j < motors; ++j) {
      if (!rows.joints[j].use[t] || !std::isfinite(noise.white_sd[j])) continue;
      const double error = rows.joints[j].reading[t] - rows.joints[j].expected[t] - torque_noise.mean()[j];
      count[j] += 1.0;
      result.rms[j] += error * error;
      if (std::abs(error) <= kTwoSided * std::sqrt(torque_noise.covariance()(j, j))) result.covered[j] += 1.0;
    }
  }
  for (int j = 0; j < motors; ++j) {
    result.rms[j] = count[j] > 0.0 ? std::sqrt(result.rms[j] / count[j]) : kNaN;
    result.covered[j] = count[j] > 0.0 ? result.covered[j] / count[j] : kNaN;
  }
  return result;
}

}  // namespace antaeus
