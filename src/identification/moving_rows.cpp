#include "identification/moving_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/signal/savitzky_golay.hpp"

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
          option("motion_needed", "s", "motion without which nothing is identified", kStudy, &O::motion_needed),
          option("moving_speed", "rad/s", "from which a joint counts as moving", "tanh of it over 0.03 is 0.93",
                 &O::moving_speed, kPositive),
          option("periods_needed", "1", "integral times of motion below which a joint's reason says so", kStudy,
                 &O::periods_needed),
          option("largest_rate", "Hz", "faster logs are thinned out to this", "twenty times an arm's band",
                 &O::largest_rate, kPositive),
          option("effort_units", "", "take a channel as it is, whatever its unit", "--effort-units", &O::effort_units),
          option("friction", "", "whether dry and viscous friction are fitted; else they are noise", "--fit",
                 &O::friction),
          option("inertia", "", "whether masses, inertias and rotors are fitted; else the description's hold", "--fit",
                 &O::inertia),
      });
  return table;
}
const OptionGroup kMovingFitGroup(MovingFitOptions{});

namespace identification {

namespace {

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

/// Steps of each span, thinned out, where q has derivatives and no channel holds NaN.
std::vector<Piece> pieces_of(const MovingLog& log, const SmoothedLog& motion, Eigen::Index stride, Eigen::Index edge) {
  const Episode& episode = log.episode;
  std::vector<TimeSpan> spans = log.spans;
  if (spans.empty()) spans.push_back({episode.time[0], episode.time[episode.steps() - 1]});
  std::vector<Piece> pieces;
  for (const TimeSpan& span : spans) {
    Piece piece;
    // At the log's ends the fit is one-sided, and its acceleration is noise.
    for (Eigen::Index i = edge; i < episode.steps() - edge; i += stride) {
      if (episode.time[i] < span.from || episode.time[i] > span.to) continue;
      if (!motion.second.row(i).allFinite() || !motion.first.row(i).allFinite() || !episode.q.row(i).allFinite()) {
        continue;
      }
      piece.steps.push_back(i);
    }
    if (!piece.steps.empty()) pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

MovingRows moving_rows(const Robot& robot, const std::vector<MovingLog>& logs, const MovingFitOptions& options) {
  const RobotModel& model = robot.model;
  if (model.base() != Base::fixed) {
    throw ModelError(robot.profile.name, "a floating base carries its own unknown wrench into every torque",
                     "identify an arm on a fixed base (--base fixed), or a robot that is held in a pose");
  }
  if (logs.empty()) throw EpisodeError("logs", "none given");
  MovingRows rows;
  rows.at = torque_parameters(model);
  const int motors = rows.at.motors, nv = model.nv(), inertial = 10 * rows.at.bodies;
  struct Part {
    SmoothedLog motion;
    std::vector<Piece> pieces;
  };
  std::vector<Part> parts;
  Eigen::Index samples = 0;
  for (const MovingLog& log : logs) {
    check_log(robot, log);
    const double dt = log.episode.sample_time();
    if (!(dt > 0.0)) throw EpisodeError(log.episode.name, "its clock stands still");
    SavitzkyGolayOptions fit;
    fit.window = std::max(5, 2 * static_cast<int>(std::round(0.5 * options.window / dt)) + 1);
    Part part;
    part.motion = savitzky_golay(log.episode.time, log.episode.q, fit);
    const auto stride = std::max<Eigen::Index>(1, std::lround(1.0 / (dt * options.largest_rate)));
    part.pieces = pieces_of(log, part.motion, stride, fit.window / 2);
    const double step = dt * static_cast<double>(stride);
    if (rows.step > 0.0 && std::abs(step - rows.step) > 0.2 * rows.step) {
      throw EpisodeError(log.episode.name,
                         "a sample time of " + rounded(step) + " s beside one of " + rounded(rows.step) + " s",
                         "give logs of one rate");
    }
    rows.step = step;
    for (const Piece& piece : part.pieces) samples += static_cast<Eigen::Index>(piece.steps.size());
    parts.push_back(std::move(part));
  }

  rows.q.resize(samples, model.nq());
  rows.v = MatrixX::Zero(samples, nv);
  rows.a = MatrixX::Zero(samples, nv);
  rows.motor_v.resize(samples, motors);
  rows.piece.reserve(static_cast<std::size_t>(samples));
  rows.joints.resize(static_cast<std::size_t>(motors));
  for (JointRows& joint : rows.joints) {
    joint.X.resize(samples, rows.width());
    joint.reading.resize(samples);
    joint.expected.resize(samples);
    joint.use.assign(static_cast<std::size_t>(samples), 1);
    joint.at_limit.assign(static_cast<std::size_t>(samples), 0);
  }
  Dynamics dynamics(model);
  MatrixX Y(nv, inertial);
  VectorX q(model.nq()), v(nv), a(nv), tau(nv);
  Eigen::Index t = 0;
  int number = 0;
  for (std::size_t l = 0; l < logs.size(); ++l) {
    const Episode& episode = logs[l].episode;
    for (const Piece& piece : parts[l].pieces) {
      for (const Eigen::Index i : piece.steps) {
        const VectorX q_motor = episode.q.row(i);
        model.position_from_motors(q_motor, Eigen::Vector4d(0, 0, 0, 1), q);
        v.setZero();
        a.setZero();
        for (int j = 0; j < motors; ++j) {
          v[model.motor_rows()[j]] = parts[l].motion.first(i, j);
          a[model.motor_rows()[j]] = parts[l].motion.second(i, j);
        }
        const bool good = dynamics.inverse_dynamics(q, v, a, tau) == Status::ok &&
                          dynamics.inverse_dynamics_regressor(q, v, a, Y) == Status::ok;
        rows.q.row(t) = q;
        rows.v.row(t) = v;
        rows.a.row(t) = a;
        rows.piece.push_back(number);
        for (int j = 0; j < motors; ++j) {
          JointRows& joint = rows.joints[j];
          const int row = model.motor_rows()[j];
          rows.motor_v(t, j) = v[row];
          joint.X.row(t) << Y.row(row), a[row], std::tanh(v[row] / kCoulombSpeed), v[row], 1.0;
          joint.reading[t] = robot.profile.joint_torque(static_cast<std::size_t>(j), episode.tau(i, j));
          joint.expected[t] = tau[row];
          if (logs[l].contact.size() > 0) joint.expected[t] -= logs[l].contact(i, j);
          if (!good || !std::isfinite(joint.reading[t] - joint.expected[t])) joint.use[t] = 0;
        }
        ++t;
      }
      ++number;
    }
  }
  return rows;
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

}  // namespace identification
}  // namespace antaeus
