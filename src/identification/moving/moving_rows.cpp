#include "identification/moving/moving_rows.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/replay/replay.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "core/in_blocks.hpp"
#include "identification/moving/moving_motion.hpp"

namespace antaeus {

const OptionTable& options_of(const MovingFitOptions&) {
  using O = MovingFitOptions;
  constexpr const char* kStudy = "a TIAGo's log: 2 s of it are wrong and sure, 10 s are covered";
  static const OptionTable table(
      "moving_fit",
      {
          option("window", "s", "length of log that one cubic is fitted to for v and a", "passes 10 Hz", &O::window,
                 kPositive),
          option("seam", "s", "left out between the part that is fitted and the part that judges it", kStudy, &O::seam),
          option("motion_needed", "s", "motion below which the doubts grow, and below 0.8 of it nothing is identified",
                 kStudy, &O::motion_needed),
          option("moving_speed", "rad/s", "from which a joint counts as moving", "tanh of it over 0.03 is 0.93",
                 &O::moving_speed, kPositive),
          option("periods_needed", "1", "integral times of motion below which a joint's reason says so", kStudy,
                 &O::periods_needed),
          option("largest_rate", "Hz", "faster logs are thinned out to this", "twenty times an arm's band",
                 &O::largest_rate, kPositive),
          option("low_pass", "Hz", "the loop's low pass, which torque and motion run through; 0: single samples count",
                 "residual.cut_off", &O::low_pass),
          option("shift_range", "s", "how late or early a torque channel is looked for; 0: it is not",
                 "20 ms break a fast arm's coverage", &O::shift_range),
          option("effort_units", "", "take a channel as it is, whatever its unit", "--effort-units", &O::effort_units),
          option("friction", "", "whether dry and viscous friction are fitted; else they are noise", "--fit",
                 &O::friction),
          option("inertia", "", "whether masses, inertias and rotors are fitted; else the description's hold", "--fit",
                 &O::inertia),
      });
  return table;
}
const OptionGroup kMovingFitGroup(MovingFitOptions{});

namespace detail {

namespace {

/// Rows that a thread takes at a time.
constexpr Eigen::Index kRowsAtATime = 64;

struct Piece {
  std::vector<Eigen::Index> steps;
};

void check_log(const Robot& robot, const MovingLog& log) {
  const Episode& episode = log.episode;
  const std::string place = episode.name.empty() ? "log" : episode.name;
  if (!episode.has_time()) throw EpisodeError(place, "no time stamps", "identification needs them");
  const Eigen::Index motors = robot.model.motor_count();
  if (episode.tau.cols() != motors || episode.q.cols() != motors) {
    throw EpisodeError(
        place, "a log of " + std::to_string(episode.tau.cols()) + " motors, the robot has " + std::to_string(motors));
  }
  if (log.contact.size() > 0 && (log.contact.rows() != episode.steps() || log.contact.cols() != motors)) {
    throw EpisodeError(place, "the known contact's torques have another shape than the log's");
  }
  for (const TimeSpan& span : log.spans) {
    if (!(span.from < span.to)) throw EpisodeError(place, "a stretch that ends before it begins");
    if (span.to < episode.time[0] || span.from > episode.time[episode.steps() - 1]) {
      throw EpisodeError(place,
                         "the stretch " + rounded(span.from) + " to " + rounded(span.to) + " s is outside of the log",
                         "its time runs from " + rounded(episode.time[0]) + " to " +
                             rounded(episode.time[episode.steps() - 1]) + " s");
    }
  }
}

/// Motors whose torque the ground may push at: on a floating base all that carry a foot.
std::vector<char> grounded_motors(const Robot& robot) {
  std::vector<char> grounded(static_cast<std::size_t>(robot.model.motor_count()), 0);
  if (robot.model.base() != Base::free_flyer) return grounded;
  for (const Endpoint& endpoint : robot.profile.endpoints) {
    if (endpoint.kind != EndpointKind::foot) continue;
    for (const int motor : robot.model.supporting_motors(robot.model.frame(endpoint.frame))) grounded[motor] = 1;
  }
  return grounded;
}

/// Steps of each span, thinned out, that have a motion.
std::vector<Piece> pieces_of(const MovingLog& log, const LogMotion& motion, Eigen::Index stride, Eigen::Index edge) {
  const Episode& episode = log.episode;
  std::vector<TimeSpan> spans = log.spans;
  if (spans.empty()) spans.push_back({episode.time[0], episode.time[episode.steps() - 1]});
  std::vector<Piece> pieces;
  for (const TimeSpan& span : spans) {
    Piece piece;
    // At the log's ends the fit is one-sided, and its acceleration is noise.
    for (Eigen::Index i = edge; i < episode.steps() - edge; i += stride) {
      if (episode.time[i] < span.from || episode.time[i] > span.to) continue;
      if (!motion.good[i]) continue;
      piece.steps.push_back(i);
    }
    if (!piece.steps.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// The regressor's rows of one sample. \param Y  scratch
void fill_row(const RobotModel& model, const LogMotion& motion, Dynamics& dynamics, MatrixX& Y, Eigen::Index t,
              MovingRows& rows) {
  const Eigen::Index i = rows.source[static_cast<std::size_t>(t)];
  const VectorX q = motion.q.row(i), v = motion.v.row(i), a = motion.a.row(i);
  rows.q.row(t) = q;
  rows.v.row(t) = v;
  rows.a.row(t) = a;
  const bool good = dynamics.inverse_dynamics_regressor(q, v, a, Y) == Status::ok;
  for (int j = 0; j < rows.at.motors; ++j) {
    JointRows& joint = rows.joints[j];
    const int row = model.motor_rows()[j];
    rows.motor_v(t, j) = v[row];
    joint.reading[t] = motion.reading(i, j);
    joint.channel[t] = motion.channel(i, j);
    joint.expected[t] = motion.expected(i, j);
    if (rows.grounded[j]) continue;
    joint.X.row(t) << Y.row(row), a[row], std::tanh(v[row] / kCoulombSpeed), v[row], 1.0;
    if (!good || !std::isfinite(joint.reading[t] - joint.expected[t])) joint.use[t] = 0;
  }
}

}  // namespace

std::string rounded(double value) { return significant_text(value, 3); }

Eigen::Index shift_steps(const MovingFitOptions& options, double log_step) {
  return std::lround(options.shift_range / log_step);
}

MovingRows moving_rows(const Robot& robot, const std::vector<MovingLog>& logs, const MovingFitOptions& options) {
  const RobotModel& model = robot.model;
  if (logs.empty()) throw EpisodeError("logs", "none given");
  check_options(options);
  MovingRows rows;
  rows.at = torque_parameters(model);
  const int motors = rows.at.motors, nv = model.nv();
  rows.grounded = grounded_motors(robot);
  std::vector<LogMotion> motions;
  std::vector<std::vector<Piece>> pieces;
  Eigen::Index samples = 0;
  for (const MovingLog& log : logs) {
    check_log(robot, log);
    const double dt = log.episode.sample_time();
    if (!(dt > 0.0)) throw EpisodeError(log.episode.name, "its clock stands still");
    motions.push_back(log_motion(robot, log, options));
    const auto stride = std::max<Eigen::Index>(1, std::lround(1.0 / (dt * options.largest_rate)));
    const auto fitted = static_cast<Eigen::Index>(std::round(0.5 * options.window / dt));
    const Eigen::Index edge = std::max({Eigen::Index{2}, fitted, shift_steps(options, dt)});
    pieces.push_back(pieces_of(log, motions.back(), stride, edge));
    const double step = dt * static_cast<double>(stride);
    if (rows.step > 0.0 && std::abs(step - rows.step) > 0.2 * rows.step) {
      throw EpisodeError(log.episode.name,
                         "a sample time of " + rounded(step) + " s beside one of " + rounded(rows.step) + " s",
                         "give logs of one rate");
    }
    rows.step = step;
    rows.log_step.push_back(dt);
    for (const Piece& piece : pieces.back()) samples += static_cast<Eigen::Index>(piece.steps.size());
  }

  rows.q.resize(samples, model.nq());
  rows.v = rows.a = MatrixX::Zero(samples, nv);
  rows.motor_v.resize(samples, motors);
  rows.joints.resize(static_cast<std::size_t>(motors));
  for (int j = 0; j < motors; ++j) {
    JointRows& joint = rows.joints[j];
    if (!rows.grounded[j]) joint.X.resize(samples, rows.width());
    for (VectorX* vector : {&joint.reading, &joint.channel, &joint.expected}) vector->resize(samples);
    joint.use.assign(static_cast<std::size_t>(samples), rows.grounded[j] ? 0 : 1);
    joint.at_limit.assign(static_cast<std::size_t>(samples), 0);
  }
  int number = 0;
  for (std::size_t l = 0; l < logs.size(); ++l) {
    for (const Piece& piece : pieces[l]) {
      for (const Eigen::Index i : piece.steps) {
        rows.piece.push_back(number);
        rows.log.push_back(static_cast<int>(l));
        rows.source.push_back(i);
      }
      ++number;
    }
  }
  // A row each: no row knows another, so threads share them out.
  rows.threads = thread_count(robot.profile.settings.get<ReplayOptions>());
  detail::in_blocks(samples, kRowsAtATime, rows.threads, {}, [&](int) {
    return [&, dynamics = Dynamics(model), Y = MatrixX(nv, 10 * rows.at.bodies)](Eigen::Index first,
                                                                                 Eigen::Index last) mutable {
      for (Eigen::Index t = first; t < last; ++t) {
        fill_row(model, motions[static_cast<std::size_t>(rows.log[static_cast<std::size_t>(t)])], dynamics, Y, t, rows);
      }
    };
  });
  for (LogMotion& motion : motions) rows.readings.push_back(std::move(motion.reading));
  return rows;
}

std::vector<char> seen_parameters(const MovingRows& rows) {
  std::vector<char> seen(static_cast<std::size_t>(rows.at.count()), 0);
  for (int j = 0; j < rows.at.motors; ++j) {
    const JointRows& joint = rows.joints[j];
    for (Eigen::Index t = 0; t < joint.X.rows(); ++t) {
      if (!joint.use[t]) continue;
      for (int c = 0; c < rows.width(); ++c) {
        if (joint.X(t, c) != 0.0) seen[rows.parameter(j, c)] = 1;
      }
    }
  }
  return seen;
}

Eigen::Index used_rows(const JointRows& joint) { return std::ranges::count(joint.use, char{1}); }

double root_mean_square(const JointRows& joint, const VectorX& error) {
  double sum = 0.0;
  for (Eigen::Index t = 0; t < error.size(); ++t) {
    if (joint.use[t]) sum += error[t] * error[t];
  }
  const auto n = static_cast<double>(used_rows(joint));
  return n > 0.0 ? std::sqrt(sum / n) : kNaN;
}

double integral_time(const MovingRows& rows, const JointRows& joint, const VectorX& error) {
  const double power = std::pow(root_mean_square(joint, error), 2);
  if (!(power > 0.0)) return rows.step;
  constexpr double kNoMore = 0.05;  // what is correlated less is not told from nothing in a log of a minute
  double sum = 0.0;
  for (Eigen::Index lag = 1; lag < rows.samples() / 2; ++lag) {
    double product = 0.0;
    Eigen::Index pairs = 0;
    for (Eigen::Index t = 0; t + lag < rows.samples(); ++t) {
      if (!joint.use[t] || !joint.use[t + lag] || rows.piece[t] != rows.piece[t + lag]) continue;
      product += error[t] * error[t + lag];
      ++pairs;
    }
    if (pairs == 0) break;
    const double correlation = product / static_cast<double>(pairs) / power;
    if (correlation < kNoMore) break;
    sum += correlation;
  }
  return rows.step * (1.0 + 2.0 * sum);
}

}  // namespace detail
}  // namespace antaeus
