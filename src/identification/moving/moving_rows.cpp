#include "identification/moving/moving_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
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
          option("motion_needed", "s",
                 "motion below which uncertainties grow, and below 0.8 of it nothing is identified", kStudy,
                 &O::motion_needed),
          option("moving_speed", "rad/s", "from which a joint counts as moving", "tanh of it over 0.03 is 0.93",
                 &O::moving_speed, kPositive),
          option("periods_needed", "1", "integral times of motion below which a joint's reason states it", kStudy,
                 &O::periods_needed),
          option("largest_rate", "Hz", "faster logs are thinned out to this", "twenty times an arm's band",
                 &O::largest_rate, kPositive),
          option("most_rows", "1",
                 "rows that are fitted, one per sample and joint; of more, windows spread over the logs are taken",
                 "five minutes at 200 Hz of seven joints", &O::most_rows, at_least(1000)),
          option("low_pass", "Hz", "the loop's low pass, which torque and motion run through; 0: single samples count",
                 "residual.cut_off", &O::low_pass),
          option("shift_range", "s", "how late or early a torque channel is looked for; 0: it is not",
                 "20 ms break a fast arm's coverage", &O::shift_range),
          option("coulomb_between", "1", "how far Coulomb friction moves from log to log, as a share of it",
                 "sixteen logs of a UR10e over five months: 3 to 11 %", &O::coulomb_between, kNotNegative),
          option("viscous_between", "1", "how far viscous friction moves from log to log, as a share of it",
                 "the same: 10 to 27 %, with the temperature", &O::viscous_between, kNotNegative),
          option("offset_between", "1",
                 "how far offsets move from log to log, as a share of the largest torque in them",
                 "the same: 0.2 to 0.4 %", &O::offset_between, kNotNegative),
          option("between_logs", "1", "how many logs these three are worth compared with what the logs show",
                 "two logs are no evidence of a spread", &O::between_logs, kPositive),
          option("effort_units", "", "take a channel as it is, whatever its unit", "given by effort_units",
                 &O::effort_units),
          option("friction", "", "whether dry and viscous friction are fitted; else they are noise", "given by fit",
                 &O::friction),
          option("inertia", "", "whether masses, inertias and rotors are fitted; else the description's hold",
                 "given by fit", &O::inertia),
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

/// How a log is thinned out: its sample time [s], steps from row to row, and steps at its ends that are none.
struct Thinned {
  double dt = kNaN;
  Eigen::Index stride = 1, edge = 0;
};
Thinned thinned(const Episode& episode, const MovingFitOptions& options) {
  const double dt = episode.sample_time();
  const auto stride = std::max<Eigen::Index>(1, std::lround(1.0 / (dt * options.largest_rate)));
  const auto fitted = static_cast<Eigen::Index>(std::round(0.5 * options.window / dt));
  return {dt, stride, std::max({Eigen::Index{2}, fitted, shift_steps(options, dt)})};
}

std::vector<TimeSpan> spans_of(const Episode& episode, const std::vector<TimeSpan>& spans) {
  if (!spans.empty()) return spans;
  return {{episode.time[0], episode.time[episode.steps() - 1]}};
}

/// Steps of a span that may become rows, in order: [first, first + stride, … < end).
struct Candidates {
  Eigen::Index first = 0, end = 0, stride = 1;
  Eigen::Index count() const noexcept { return end > first ? (end - first + stride - 1) / stride : 0; }
};
Candidates candidates_in(const Episode& episode, const TimeSpan& span, const Thinned& at) {
  const double* begin = episode.time.data();
  const double* end = begin + episode.steps();
  const Eigen::Index low = std::max<Eigen::Index>(at.edge, std::lower_bound(begin, end, span.from) - begin);
  const Eigen::Index high =
      std::min<Eigen::Index>(episode.steps() - at.edge, std::upper_bound(begin, end, span.to) - begin);
  const Eigen::Index late = (low - at.edge + at.stride - 1) / at.stride;
  return {at.edge + late * at.stride, high, at.stride};
}

Eigen::Index candidates_of(const std::vector<MovingLog>& logs, const MovingFitOptions& options) {
  Eigen::Index count = 0;
  for (const MovingLog& log : logs) {
    const Thinned at = thinned(log.episode, options);
    for (const TimeSpan& span : spans_of(log.episode, log.spans)) count += candidates_in(log.episode, span, at).count();
  }
  return count;
}

std::vector<LogView> views_of(const std::vector<MovingLog>& logs) {
  std::vector<LogView> views;
  for (const MovingLog& log : logs) views.push_back({log.episode, log.spans, log.contact});
  return views;
}

/// How many samples `most_rows` are: joints that carry a foot have no rows.
Eigen::Index most_samples(const Robot& robot, const MovingFitOptions& options) {
  const auto joints = std::ranges::count(grounded_motors(robot), char{0});
  return options.most_rows / std::max<Eigen::Index>(1, joints);
}

/// A stretch of samples that an excerpt takes or leaves as a whole.
struct Tile {
  std::size_t log = 0;
  Candidates steps;
  bool moving = false;
};

/// Whether some motor that no foot holds moves for a twentieth of the tile.
bool moves(const Episode& episode, const Candidates& steps, const std::vector<char>& grounded, double speed) {
  constexpr Eigen::Index kShare = 20;
  Eigen::Index moving = 0;
  const bool measured = episode.v.rows() == episode.steps();
  for (Eigen::Index i = steps.first; i < steps.end; i += steps.stride) {
    double fastest = 0.0;
    for (Eigen::Index j = 0; j < episode.q.cols(); ++j) {
      if (grounded[static_cast<std::size_t>(j)]) continue;
      const double v = measured ? episode.v(i, j)
                                : (episode.q(i, j) - episode.q(i - 1, j)) / (episode.time[i] - episode.time[i - 1]);
      if (std::isfinite(v)) fastest = std::max(fastest, std::abs(v));
    }
    if (fastest > speed) ++moving;
  }
  return moving * kShare >= steps.count();
}

/// \p wanted of \p from, evenly spread.
void spread(const std::vector<std::size_t>& from, std::size_t wanted, std::vector<char>& taken) {
  const std::size_t count = std::min(wanted, from.size());
  for (std::size_t k = 0; k < count; ++k) taken[from[(2 * k + 1) * from.size() / (2 * count)]] = 1;
}

/// Rows [first, end) of each range, one range behind the other.
template <class Matrix>
Matrix rows_in(const Matrix& all, const std::vector<std::pair<Eigen::Index, Eigen::Index>>& ranges,
               Eigen::Index steps) {
  if (all.rows() != steps) return {};
  Eigen::Index count = 0;
  for (const auto& [first, end] : ranges) count += end - first;
  Matrix part(count, all.cols());
  Eigen::Index at = 0;
  for (const auto& [first, end] : ranges) {
    part.middleRows(at, end - first) = all.middleRows(first, end - first);
    at += end - first;
  }
  return part;
}

/// Steps of each span, thinned out, that have a motion.
std::vector<Piece> pieces_of(const MovingLog& log, const LogMotion& motion, Eigen::Index stride, Eigen::Index edge) {
  const Episode& episode = log.episode;
  std::vector<Piece> pieces;
  for (const TimeSpan& span : spans_of(episode, log.spans)) {
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

/// Columns that can be other than zero in each joint's rows: what it does not carry asks nothing of it.
std::vector<std::vector<int>> carried_columns(const RobotModel& model, const MovingRows& rows) {
  // A state without symmetry: what stays zero there is zero in all. A body's joint may be called as some link is.
  const VectorX turn = VectorX::LinSpaced(rows.at.motors, 0.3, 1.1);
  const VectorX v = VectorX::LinSpaced(model.nv(), 0.7, 1.3), a = VectorX::LinSpaced(model.nv(), 2.9, 1.7);
  VectorX q = model.neutral();
  MatrixX Y = MatrixX::Zero(model.nv(), 10 * rows.at.bodies);
  Dynamics dynamics(model);
  const bool known = model.position_from_motors(turn, Eigen::Vector4d(0, 0, 0, 1), q) == Status::ok &&
                     dynamics.inverse_dynamics_regressor(q, v, a, Y) == Status::ok;
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(rows.at.motors));
  for (int body = 0; body < rows.at.bodies; ++body) {
    for (int j = 0; j < rows.at.motors; ++j) {
      if (known && Y.block<1, 10>(model.motor_rows()[j], 10 * body).isZero(0.0)) continue;
      for (int part = 0; part < 10; ++part) columns[static_cast<std::size_t>(j)].push_back(10 * body + part);
    }
  }
  for (std::vector<int>& of_joint : columns) {
    for (int last = 0; last < 4; ++last) of_joint.push_back(10 * rows.at.bodies + last);
  }
  return columns;
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
    const Eigen::Index inertial = joint.inertial();
    for (Eigen::Index c = 0; c < inertial; ++c) joint.X(t, c) = Y(row, joint.columns[c]);
    joint.X.row(t).tail<4>() << a[row], std::tanh(v[row] / kCoulombSpeed), v[row], 1.0;
    if (!good || !std::isfinite(joint.reading[t] - joint.expected[t])) joint.use[t] = 0;
  }
}

}  // namespace

std::string rounded(double value) { return significant_text(value, 3); }

std::string Excerpt::text() const {
  if (windows == 0) return {};
  return "samples used " + std::to_string(samples) + " of " + std::to_string(of) + ", in " + std::to_string(windows) +
         (windows == 1 ? " window" : " windows spread over the logs") +
         ": time and memory do not grow with the length of logs; moving_fit.most_rows takes more";
}

Excerpt excerpt(const Robot& robot, const std::vector<LogView>& logs, const MovingFitOptions& options) {
  constexpr double kWindow = 20.0;  // [s] beside which the errors' integral times are short
  Excerpt result;
  const Eigen::Index most = most_samples(robot, options);
  const std::vector<char> grounded = grounded_motors(robot);
  std::vector<Tile> tiles;
  std::vector<Thinned> thin;
  for (std::size_t l = 0; l < logs.size(); ++l) {
    const Episode& episode = logs[l].episode;
    thin.push_back(thinned(episode, options));
    for (const TimeSpan& span : spans_of(episode, logs[l].spans)) {
      const Candidates steps = candidates_in(episode, span, thin.back());
      result.of += steps.count();
      const auto rows = std::clamp<Eigen::Index>(
          std::llround(kWindow / (thin.back().dt * static_cast<double>(steps.stride))), 1, most);
      for (Eigen::Index first = steps.first; first < steps.end; first += rows * steps.stride) {
        tiles.push_back({l, {first, std::min(steps.end, first + rows * steps.stride), steps.stride}});
      }
    }
  }
  if (result.of <= most) {
    result.samples = result.of;
    for (const LogView& log : logs) result.logs.push_back({log.episode, log.spans, log.contact});
    return result;
  }
  Eigen::Index longest = 1;
  for (Tile& tile : tiles) {
    tile.moving = moves(logs[tile.log].episode, tile.steps, grounded, options.moving_speed);
    longest = std::max(longest, tile.steps.count());
  }
  std::vector<std::size_t> moving, still;
  for (std::size_t k = 0; k < tiles.size(); ++k) (tiles[k].moving ? moving : still).push_back(k);
  // What rests says little: it fills up what motion leaves.
  const auto room = static_cast<std::size_t>(most / longest);
  std::vector<char> taken(tiles.size(), 0);
  spread(moving, room, taken);
  spread(still, room - std::min(room, moving.size()), taken);
  for (std::size_t l = 0; l < logs.size(); ++l) {
    const Episode& episode = logs[l].episode;
    const Eigen::Index around =
        thin[l].edge + 2 + static_cast<Eigen::Index>(std::ceil(low_pass_memory(options) / thin[l].dt));
    std::vector<std::pair<Eigen::Index, Eigen::Index>> ranges;
    MovingLog part;
    Eigen::Index end = -1;  // of the tile before
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      const Candidates& steps = tiles[k].steps;
      if (!taken[k] || tiles[k].log != l) continue;
      const Eigen::Index last = steps.first + (steps.count() - 1) * steps.stride;
      const TimeSpan window{episode.time[steps.first], episode.time[last]};
      result.samples += steps.count();
      const Eigen::Index from = std::max<Eigen::Index>(0, steps.first - around);
      const Eigen::Index to = std::min(episode.steps(), last + 1 + around);
      if (end == steps.first) {
        part.spans.back().to = window.to;
      } else {
        part.spans.push_back(window);
        ++result.windows;
      }
      end = steps.end;
      if (!ranges.empty() && from <= ranges.back().second) {
        ranges.back().second = std::max(ranges.back().second, to);
      } else {
        ranges.emplace_back(from, to);
      }
    }
    if (ranges.empty()) continue;
    Episode& e = part.episode;
    e.name = episode.name;
    e.sha256 = episode.sha256;
    e.simulated = episode.simulated;
    e.torque_unit = episode.torque_unit;
    const Eigen::Index steps = episode.steps();
    e.time = rows_in(episode.time, ranges, steps);
    e.q = rows_in(episode.q, ranges, steps);
    e.tau = rows_in(episode.tau, ranges, steps);
    e.v = rows_in(episode.v, ranges, steps);
    e.imu_quaternion = rows_in(episode.imu_quaternion, ranges, steps);
    e.imu_angular_velocity = rows_in(episode.imu_angular_velocity, ranges, steps);
    e.imu_specific_force = rows_in(episode.imu_specific_force, ranges, steps);
    part.contact = rows_in(logs[l].contact, ranges, steps);
    result.logs.push_back(std::move(part));
  }
  return result;
}

Eigen::Index shift_steps(const MovingFitOptions& options, double log_step) {
  return std::lround(options.shift_range / log_step);
}

void beat(const MovingRows& rows) {
  if (rows.pulse) rows.pulse();
}

namespace {

MovingRows rows_of(const Robot& robot, const std::vector<MovingLog>& logs, const MovingFitOptions& options,
                   const Pulse& pulse) {
  const RobotModel& model = robot.model;
  MovingRows rows;
  rows.pulse = pulse;
  rows.at = torque_parameters(model);
  const int motors = rows.at.motors, nv = model.nv();
  rows.grounded = grounded_motors(robot);
  std::vector<LogMotion> motions;
  std::vector<std::vector<Piece>> pieces;
  Eigen::Index samples = 0;
  for (const MovingLog& log : logs) {
    const auto [dt, stride, edge] = thinned(log.episode, options);
    motions.push_back(log_motion(robot, log, options, pulse));
    pieces.push_back(pieces_of(log, motions.back(), stride, edge));
    const double step = dt * static_cast<double>(stride);
    if (rows.step > 0.0 && std::abs(step - rows.step) > 0.2 * rows.step) {
      throw EpisodeError(log.episode.name,
                         "a sample time of " + rounded(step) + " s and one of " + rounded(rows.step) + " s",
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
  const std::vector<std::vector<int>> columns = carried_columns(model, rows);
  for (int j = 0; j < motors; ++j) {
    JointRows& joint = rows.joints[j];
    joint.columns = columns[static_cast<std::size_t>(j)];
    if (!rows.grounded[j]) joint.X.resize(samples, std::ssize(joint.columns));
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
  const Progress progress = pulse ? Progress([&pulse](double) { pulse(); }) : Progress();
  detail::in_blocks(samples, kRowsAtATime, rows.threads, progress, [&](int) {
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

}  // namespace

MovingRows moving_rows(const Robot& robot, const std::vector<MovingLog>& logs, const MovingFitOptions& options,
                       const Pulse& pulse) {
  if (logs.empty()) throw EpisodeError("logs", "none given");
  check_options(options);
  for (const MovingLog& log : logs) {
    check_log(robot, log);
    if (!(log.episode.sample_time() > 0.0)) throw EpisodeError(log.episode.name, "its clock stands still");
  }
  if (candidates_of(logs, options) <= most_samples(robot, options)) return rows_of(robot, logs, options, pulse);
  const Excerpt part = excerpt(robot, views_of(logs), options);
  MovingRows rows = rows_of(robot, part.logs, options, pulse);
  rows.taken = part.text();
  return rows;
}

std::vector<char> seen_parameters(const MovingRows& rows) {
  std::vector<char> seen(static_cast<std::size_t>(rows.at.count()), 0);
  for (int j = 0; j < rows.at.motors; ++j) {
    const JointRows& joint = rows.joints[j];
    for (Eigen::Index t = 0; t < joint.X.rows(); ++t) {
      if (!joint.use[t]) continue;
      for (std::size_t c = 0; c < joint.columns.size(); ++c) {
        if (joint.X(t, c) != 0.0) seen[rows.parameter(j, joint.columns[c])] = 1;
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
    if (lag % 64 == 0) beat(rows);
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
