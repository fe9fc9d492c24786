#include "antaeus/identification/identify.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <set>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/savitzky_golay.hpp"
#include "identification/identify_steps.hpp"
#include "identification/moving/moving_rows.hpp"
#include "robot/check_inertia.hpp"

namespace antaeus {

namespace detail {

namespace {

constexpr double kShortest = 2.0;      // [s] of a log below which nothing can be said of it
constexpr Eigen::Index kFewest = 40;   // steps of it
constexpr double kBeyond = 0.2;        // [rad] or [m] past a limit: calibration, and joints that are pressed
constexpr double kOftenBeyond = 0.05;  // share of samples
constexpr double kMovingShare = 0.05;  // share of motion below which an arm holds a pose
/// Clocks jitter: samples that are 5 % late are not a lower rate.
constexpr double kRateSlack = 1.05;

std::string name_of(const IdentifyLog& log) { return log.episode.name.empty() ? "log" : log.episode.name; }

double duration(const Episode& episode) {
  return episode.steps() > 0 ? episode.time[episode.steps() - 1] - episode.time[0] : 0.0;
}

void check_log(const Robot& robot, const IdentifyLog& log) {
  const Episode& episode = log.episode;
  const int motors = robot.model.motor_count();
  if (episode.tau.cols() != motors || episode.q.cols() != motors || episode.q.rows() != episode.tau.rows()) {
    throw EpisodeError(name_of(log),
                       std::to_string(episode.tau.cols()) + " torques and " + std::to_string(episode.q.cols()) +
                           " positions per step, and the " + robot.profile.name + " has " + std::to_string(motors) +
                           " motors",
                       "give logs of one robot, the one of " + arg(Input::robot));
  }
  if (episode.steps() == 0) throw EpisodeError(name_of(log), "it has no steps");
  if (!episode.has_time()) throw EpisodeError(name_of(log), "no time stamps", "identification needs them");
  const double length = duration(episode);
  for (const TimeSpan& span : log.spans) {
    const std::string text = rounded(span.from) + ":" + rounded(span.to);
    if (!(span.from < span.to)) {
      throw EpisodeError(name_of(log), "the stretch " + text + " s ends before it begins", "write FROM:TO");
    }
    if (span.from < 0.0 || span.from >= length) {
      throw EpisodeError(name_of(log), "the stretch " + text + " s is outside of the log",
                         "it lasts " + rounded(length) + " s, counted from its first sample");
    }
  }
}

void check_same(const std::vector<IdentifyLog>& logs) {
  std::set<std::string> seen;
  for (const IdentifyLog& log : logs) {
    if (log.episode.simulated != logs.front().episode.simulated) {
      throw EpisodeError(name_of(log), "some logs are simulated, others are not",
                         "identify a robot and its simulation apart");
    }
    if (!log.episode.sha256.empty() && !seen.insert(log.episode.sha256).second) {
      throw EpisodeError(name_of(log), "it is given twice: the same samples are not a second run", "remove one");
    }
  }
}

/// Logs of one name are runs of their own all the same.
void tell_apart(std::vector<IdentifyLog>& logs) {
  std::set<std::string> names;
  for (IdentifyLog& log : logs) {
    const std::string name = name_of(log);
    log.episode.name = name;
    for (int number = 2; !names.insert(log.episode.name).second; ++number) {
      log.episode.name = name + " (" + std::to_string(number) + ")";
    }
  }
}

/// What was taken for granted of a log's columns: first of all notes.
void note_guesses(const std::vector<IdentifyLog>& logs, IdentifyResult& result) {
  for (const IdentifyLog& log : logs) {
    for (const std::string& guess : log.episode.guesses) result.notes.push_back(log.episode.name + ": " + guess);
  }
}

/// Block by block, each with what its ends need: values, slopes and curvatures of a whole log are three logs more.
SampleMatrix slopes(const Episode& episode, const SavitzkyGolayOptions& fit, const Pulse& pulse) {
  constexpr Eigen::Index kBlock = 16384;
  const Eigen::Index steps = episode.steps();
  SampleMatrix v(steps, episode.q.cols());
  for (Eigen::Index first = 0; first < steps; first += kBlock) {
    if (pulse) pulse();
    const Eigen::Index count = std::min(kBlock, steps - first), from = std::max<Eigen::Index>(0, first - fit.window);
    const Eigen::Index length = std::min(steps, first + count + fit.window) - from;
    const SmoothedLog part =
        savitzky_golay(episode.time.segment(from, length), episode.q.middleRows(from, length), fit);
    v.middleRows(first, count) = part.first.middleRows(first - from, count);
  }
  return v;
}

/// Velocities where the log has none: positions, differentiated without delay.
void add_velocities(std::vector<IdentifyLog>& logs, double window, const Pulse& pulse, IdentifyResult& result) {
  for (IdentifyLog& log : logs) {
    Episode& episode = log.episode;
    if (episode.v.rows() == episode.steps()) continue;
    if (pulse) pulse();
    SavitzkyGolayOptions fit;
    fit.window = std::max(5, 2 * static_cast<int>(std::round(0.5 * window / episode.sample_time())) + 1);
    episode.v = slopes(episode, fit, pulse);
    result.notes.push_back(episode.name + ": it has no velocities, they are taken from its positions");
  }
}

/// dq that is not the change of q: the fit's rows and the speeds within which its noise holds would be those of another
/// motion. What is off by less than a factor of two is in the result's check.
void refuse_velocities(const IdentifyLog& log, const CheckResult& check) {
  constexpr double kFactor = 2.0;
  for (const Finding& finding : check.findings) {
    const bool scaled =
        finding.fault == Fault::velocity_scale && !(finding.size < kFactor && finding.size > 1.0 / kFactor);
    if (scaled || finding.fault == Fault::velocity_sign || finding.fault == Fault::velocity_frozen) {
      throw EpisodeError(name_of(log), finding.text, finding.remedy);
    }
  }
}

/// One velocity that no change of position comes near to: it would be the largest speed that was seen.
void check_speeds(const Robot& robot, const IdentifyLog& log) {
  constexpr double kNear = 5.0, kSlack = 1.0;  // times the fastest change of position; [rad/s] or [m/s]
  const Episode& episode = log.episode;
  if (episode.v.rows() != episode.steps()) return;
  for (Eigen::Index j = 0; j < episode.v.cols(); ++j) {
    double fastest = 0.0, largest = 0.0;
    Eigen::Index at = 0;
    for (Eigen::Index i = 0; i < episode.steps(); ++i) {
      if (const double v = std::abs(episode.v(i, j)); v > largest) largest = v, at = i;
      if (i == 0) continue;
      const double change = std::abs(episode.q(i, j) - episode.q(i - 1, j)) / (episode.time[i] - episode.time[i - 1]);
      if (change < kInfinity) fastest = std::max(fastest, change);
    }
    if (largest <= kNear * fastest + kSlack) continue;
    throw EpisodeError(name_of(log),
                       "dq of " + robot.model.motor_names()[static_cast<std::size_t>(j)] + " is " + rounded(largest) +
                           " at " + rounded(episode.time[at] - episode.time[0]) +
                           " s, and its position never changes faster than " + rounded(fastest) + " a second",
                       "leave dq out (velocities are then taken from positions), or record it again");
  }
}

/// Of the log with the most severe finding, the first of several.
/// \throws EpisodeError for velocities that are not those of the positions
CheckResult worst_check(const Robot& robot, const std::vector<IdentifyLog>& logs, const Pulse& pulse) {
  const CheckOptions options = robot.profile.settings.get<CheckOptions>();
  std::optional<CheckResult> worst;
  for (const IdentifyLog& log : logs) {
    if (pulse) pulse();
    CheckResult result = antaeus::check_log(robot, log.episode, options);
    refuse_velocities(log, result);  // what is wrong with all of dq comes before one sample of it
    check_speeds(robot, log);
    const auto severity = [](const CheckResult& one) {
      return one.findings.empty() ? static_cast<int>(Severity::note) + 1
                                  : static_cast<int>(one.findings.front().severity);
    };
    if (!worst || severity(result) < severity(*worst)) worst = std::move(result);
  }
  return worst.value_or(CheckResult{});
}

/// One joint past its limits by turns is a description that is wrong about that joint; several, or one that is far
/// past, are another robot or another unit.
void check_limits(const Robot& robot, const IdentifyLog& log, IdentifyResult& result) {
  const Episode& episode = log.episode;
  const VectorX& low = robot.model.lower_limits();
  const VectorX& high = robot.model.upper_limits();
  constexpr double kTurn = 2.0 * std::numbers::pi;
  constexpr double kTurns = 3.0;   // past a joint that may turn whole ones
  constexpr double kWhole = 0.98;  // of a turn: what joints have that could go on
  struct Beyond {
    int motor = -1;
    double worst = 0.0, share = 0.0;
  };
  std::vector<Beyond> joints;
  for (int j = 0; j < robot.model.motor_count(); ++j) {
    Eigen::Index beyond = 0;
    double worst = 0.0;
    for (Eigen::Index i = 0; i < episode.steps(); ++i) {
      const double q = episode.q(i, j), over = std::max(low[j] - q, q - high[j]);
      if (!(over > kBeyond)) continue;
      ++beyond;
      if (std::abs(q) > std::abs(worst)) worst = q;
    }
    const double share = static_cast<double>(beyond) / static_cast<double>(episode.steps());
    if (share > kOftenBeyond) joints.push_back({j, worst, share});
  }
  if (joints.empty()) return;
  const auto [j, worst, share] = joints.front();
  const std::string text = episode.name + ": " + robot.model.motor_names()[j] + " is beyond its limits of " +
                           rounded(low[j]) + " to " + rounded(high[j]) + " in " + rounded(100.0 * share) +
                           " % of the samples, at " + rounded(worst);
  const double over = std::max(low[j] - worst, worst - high[j]);
  const bool whole = high[j] - low[j] >= kWhole * kTurn;
  if (joints.size() > 1 || over > (whole ? kTurns : 0.5) * kTurn) {
    result.missing.push_back(text + ": another robot, or positions in other units");
    return;
  }
  result.notes.push_back(text + (whole ? ": if it turns endlessly, make it type=\"continuous\" in the description; its "
                                         "limits are not tested"
                                       : ": its limits in the description, or its zero, are wrong; all else is "
                                         "identified"));
}

/// What makes a log useless, whatever is fitted.
void check_usable(const Robot& robot, const std::vector<IdentifyLog>& logs, IdentifyResult& result) {
  for (const IdentifyLog& log : logs) {
    const Episode& episode = log.episode;
    const double length = duration(episode);
    if (length < kShortest || episode.steps() < kFewest) {
      result.missing.push_back(episode.name + ": too short, " + rounded(length) + " s in " +
                               std::to_string(episode.steps()) + " steps; record 20 to 30 s of free motion");
      continue;
    }
    if (!(episode.sample_time() > 0.0)) {
      result.missing.push_back(episode.name + ": its clock stands still most of the time; record a clock");
      continue;
    }
    check_limits(robot, log, result);
  }
}

/// [s] of labelled samples, and how much of it some motor moves faster than \p speed.
struct Motion {
  double labelled = 0.0, moving = 0.0;
};
/// \param counts  1 of each motor whose motion counts, else 0
void add_motion(const Episode& episode, const std::vector<TimeSpan>& spans, double speed, const VectorX& counts,
                Motion& motion) {
  const double dt = episode.sample_time();
  for (Eigen::Index i = 0; i < episode.steps(); ++i) {
    const double time = episode.time[i] - episode.time[0];
    const bool inside = spans.empty() || std::ranges::any_of(spans, [time](const TimeSpan& span) {
                          return time >= span.from && time <= span.to;
                        });
    if (!inside) continue;
    motion.labelled += dt;
    if (episode.v.row(i).cwiseProduct(counts.transpose()).cwiseAbs().maxCoeff() > speed) motion.moving += dt;
  }
}
Motion motion_of(const std::vector<IdentifyLog>& logs, double speed, const VectorX& counts) {
  Motion motion;
  for (const IdentifyLog& log : logs) add_motion(log.episode, log.spans, speed, counts, motion);
  return motion;
}
VectorX all_motors(const Robot& robot) { return VectorX::Ones(robot.model.motor_count()); }

/// [Hz] from which the rows of an arm on a fixed base are formed as the loop forms them: what differences of velocities
/// get wrong at such a rate is then in σ, and the loop may form them too (NoiseModel::rate). Four samples in the period
/// of the loop's low pass.
double least_rate(const Robot& robot, const ResidualOptions& residual) {
  constexpr double kSamples = 4.0;
  if (robot.model.base() != Base::fixed || !(residual.cut_off > 0.0)) return residual.minimum_rate;
  return std::min(residual.minimum_rate, kSamples * residual.cut_off);
}

/// Whether the loop may form dynamic residuals from these logs: velocities, and accelerations by their differences.
bool has_loop_rows(const Robot& robot, const std::vector<IdentifyLog>& logs, const ResidualOptions& residual) {
  return std::ranges::all_of(logs, [&](const IdentifyLog& log) {
    const Episode& e = log.episode;
    const bool inertial = e.imu_angular_velocity.rows() == e.steps() && e.imu_specific_force.rows() == e.steps();
    return e.v.rows() == e.steps() && e.sample_time() * least_rate(robot, residual) <= kRateSlack &&
           (robot.model.base() == Base::fixed || (inertial && !robot.profile.imu.frame.empty()));
  });
}

/// [s] in which a motor that carries an endpoint, and no foot, moves.
double limb_motion(const IdentifyTask& task, const std::vector<IdentifyLog>& logs) {
  VectorX counts = VectorX::Zero(task.robot.model.motor_count());
  const auto mark = [&](const std::string& frame, double value) {
    for (const int m : task.robot.model.supporting_motors(task.robot.model.frame(frame))) counts[m] = value;
  };
  for (const std::string& frame : task.endpoints) mark(frame, 1.0);
  for (const Endpoint& endpoint : task.robot.profile.endpoints) {
    if (endpoint.kind == EndpointKind::foot) mark(endpoint.frame, 0.0);
  }
  return motion_of(logs, task.moving.moving_speed, counts).moving;
}

/// What a robot that floats does to its base shows in gyro and accelerometer: with them, and arms that move, its rows
/// are as good as an arm's. Without them what is left is to hold a pose. A fixed one that stands still in several runs
/// holds a pose too.
IdentifyMethod method_of(const IdentifyTask& task, const std::vector<IdentifyLog>& logs) {
  if (task.options.method != IdentifyMethod::automatic) return task.options.method;
  if (task.robot.model.base() != Base::fixed) {
    const bool moves = task.moving.low_pass > 0.0 && limb_motion(task, logs) >= task.moving.motion_needed;
    return moves ? IdentifyMethod::moving : IdentifyMethod::held_pose;
  }
  const Motion motion = motion_of(logs, task.moving.moving_speed, all_motors(task.robot));
  const bool stands = motion.moving < kMovingShare * motion.labelled;
  return stands && logs.size() > 1 ? IdentifyMethod::held_pose : IdentifyMethod::moving;
}

/// The link that all motors of an arm carry, where nobody names an endpoint.
std::vector<std::string> tip_of(const RobotModel& model) {
  std::string tip;
  std::size_t most = 0;
  for (const LinkDescription& link : model.description().links) {
    if (!model.has_frame(link.name)) continue;
    const std::size_t carried = model.supporting_motors(model.frame(link.name)).size();
    if (carried > most) most = carried, tip = link.name;
  }
  return most == 0 ? std::vector<std::string>() : std::vector<std::string>{tip};
}

std::vector<std::string> endpoints_of(const Robot& robot, const std::vector<std::string>& wanted) {
  if (!wanted.empty()) return robot.endpoint_frames(wanted, arg(Input::endpoint));
  if (!robot.profile.deployed_endpoints.empty()) {
    return robot.endpoint_frames(robot.profile.deployed_endpoints, arg(Input::endpoint));
  }
  std::vector<std::string> frames;
  for (const Endpoint& endpoint : robot.profile.endpoints) {
    if (endpoint.kind != EndpointKind::foot) frames.push_back(endpoint.frame);
  }
  if (frames.empty() && robot.model.base() == Base::fixed) frames = tip_of(robot.model);
  return frames;
}

std::string seconds_text(double value) { return shortest_text(std::round(value * 1000.0) / 1000.0); }

std::string provenance_of(const IdentifyResult& result, const std::vector<IdentifyLog>& logs) {
  std::string text = "antaeus identify " ANTAEUS_VERSION ", ";
  text += to_string(result.method);
  text += ": ";
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const IdentifyLog& log = logs[i];
    text += (i == 0 ? "" : "; ") + log.episode.name;
    if (log.labelled) {
      std::string spans;
      for (const TimeSpan& span : log.spans) {
        spans += (spans.empty() ? " " : ", ") + seconds_text(span.from) + ":" +
                 seconds_text(std::min(span.to, duration(log.episode)));
      }
      text += spans.empty() ? " all" : spans + " s";
    }
    if (!log.date.empty()) text += " (" + log.date + ")";
    if (!log.episode.sha256.empty()) text += " sha256 " + log.episode.sha256.substr(0, 12);
  }
  return text;
}

/// "all", "FROM:TO" or "FROM:". \param whole  for the message
TimeSpan stretch_in(const std::string& text, const std::string& whole) {
  if (text == "all") return {0.0, kInfinity};
  const auto number = [](std::string_view part) {
    double value = kNaN;
    const auto [last, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc{} && last == part.data() + part.size() && std::isfinite(value) ? value : kNaN;
  };
  const std::string_view view = text;
  const std::size_t colon = view.find(':');
  TimeSpan span{kNaN, kNaN};
  if (colon != std::string_view::npos) {
    span = {number(view.substr(0, colon)), colon + 1 == view.size() ? kInfinity : number(view.substr(colon + 1))};
  }
  if (!(span.from >= 0.0 && span.from < span.to)) {
    throw OptionsError(arg(Input::contact_free), "'" + whole.substr(0, 120) + "' is not a stretch of a log",
                       "write FROM:TO in seconds from the log's first sample, FROM: to its end, all, or LOG=FROM:TO");
  }
  return span;
}

/// A segment that is not in the log was meant for another log, or for another clock.
/// \param end  [s] of the log, from its first sample
void check_inside(const TimeSpan& span, double end, const std::string& log) {
  constexpr double kRounded = 0.01;  // [1] of a log's length: people write 12 for a log that lasts 11.995 s
  const bool is_open = span.to == kInfinity;
  if (!(end > 0.0) || (span.from < end && (is_open || span.to <= (1.0 + kRounded) * end))) return;
  throw OptionsError(arg(Input::contact_free),
                     "the stretch " + rounded(span.from) + ":" + (is_open ? "" : rounded(span.to)) +
                         " s is outside of the log '" + log + "': past the log's end at " + rounded(end) + " s",
                     "count from the log's first sample, or write FROM: for all that follows");
}

}  // namespace

}  // namespace detail

const OptionTable& options_of(const IdentifyOptions&) {
  using O = IdentifyOptions;
  static const OptionTable table(
      "identify",
      {
          option("method", "", "which fit: automatic, moving or held_pose", "what the robot is and does", &O::method),
          option("largest_sd", "1", "of the effort limit: where most channels scatter more, nothing is written",
                 "a TIAGo with a contact all along", &O::largest_sd, kPositive),
          option("constant_force", "N", "level force at an endpoint all along that is no free motion",
                 "largest that a fit of free logs reads", &O::constant_force, kPositive),
          option("other_robot", "1", "share of a log's rows that the other logs' fit covers, below which they differ",
                 "95 % for one robot", &O::other_robot, kShare),
      });
  return table;
}
const OptionGroup kIdentifyGroup(IdentifyOptions{});

void label_contact_free(std::vector<IdentifyLog>& logs, const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const IdentifyLog& log : logs) names.push_back(std::filesystem::path(detail::name_of(log)).stem().string());
  std::vector<TimeSpan> of_all;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const TimeSpan span = detail::stretch_in(equals == std::string::npos ? text : text.substr(equals + 1), text);
    if (equals == std::string::npos) {
      of_all.push_back(span);
      continue;
    }
    const std::string wanted = text.substr(0, equals);
    std::vector<IdentifyLog*> meant;
    for (IdentifyLog& log : logs) {
      if (wanted == detail::name_of(log) || wanted == std::filesystem::path(detail::name_of(log)).stem())
        meant.push_back(&log);
    }
    if (meant.empty()) throw_unknown<OptionsError>(arg(Input::contact_free), "log", wanted, names);
    if (meant.size() > 1) {
      throw OptionsError(arg(Input::contact_free), "two logs are called '" + wanted + "'",
                         "give their files different names");
    }
    meant.front()->labelled = true;
    meant.front()->spans.push_back(span);
  }
  for (IdentifyLog& log : logs) {
    // What is said of one log counts there in place of what is said of all.
    if (!log.labelled && !of_all.empty()) {
      log.labelled = true;
      log.spans = of_all;
    }
    std::ranges::sort(log.spans, {}, &TimeSpan::from);
    std::vector<TimeSpan> joined;
    for (TimeSpan span : log.spans) {
      const double end = detail::duration(log.episode);
      detail::check_inside(span, end, detail::name_of(log));
      if (end > 0.0) span.to = std::min(span.to, end);
      if (!joined.empty() && span.from <= joined.back().to) {
        joined.back().to = std::max(joined.back().to, span.to);
      } else {
        joined.push_back(span);
      }
    }
    log.spans = std::move(joined);
  }
}

SampleMatrix measured_contact(const Robot& robot, const Episode& episode, const std::string& frame,
                              const SampleMatrix& force) {
  if (force.rows() != episode.steps() || force.cols() != 3) {
    throw EpisodeError(episode.name,
                       "a measured force of shape (" + std::to_string(force.rows()) + ", " +
                           std::to_string(force.cols()) + "), not (" + std::to_string(episode.steps()) + ", 3)",
                       "give x, y and z of every step");
  }
  const RobotModel& model = robot.model;
  if (model.base() != Base::fixed) {
    throw ModelError(robot.profile.name, "a measured force needs a base that is known",
                     "identify it with " + arg(Input::base, "fixed"));
  }
  Dynamics dynamics(model);
  const FrameId id = model.frame(robot.frame_named(frame));
  SampleMatrix contact(episode.steps(), model.motor_count());
  Matrix6X J(6, model.nv());
  VectorX q(model.nq());
  for (Eigen::Index i = 0; i < episode.steps(); ++i) {
    const VectorX motors = episode.q.row(i);
    if (model.position_from_motors(motors, Eigen::Vector4d(0, 0, 0, 1), q) != Status::ok ||
        dynamics.at(q).frame_jacobian(id, J) != Status::ok) {
      contact.row(i).setConstant(kNaN);
      continue;
    }
    const VectorX torque = J.topRows<3>().transpose() * force.row(i).transpose();
    for (int j = 0; j < model.motor_count(); ++j) contact(i, j) = torque[model.motor_rows()[j]];
  }
  return contact;
}

Robot with_noise(Robot robot, const std::optional<NoiseModel>& noise) {
  if (noise) static_cast<void>(TorqueNoise(robot.model, *noise));
  robot.profile.noise = noise ? std::make_shared<const NoiseModel>(*noise) : nullptr;
  return robot;
}

IdentifyResult identify(const Robot& robot, IdentifyRequest request, const Progress& progress) {
  if (request.logs.empty()) throw OptionsError("logs", "none given", "give at least one");
  if (request.loaded.empty() != request.payload_frame.empty()) {
    throw OptionsError("payload", "its log and its frame belong together", "give both, or neither");
  }
  detail::check_same(request.logs);
  for (const IdentifyLog& log : request.logs) detail::check_log(robot, log);
  for (const IdentifyLog& log : request.loaded) detail::check_log(robot, log);
  if (!request.payload_frame.empty()) {
    request.payload_frame = robot.frame_named(request.payload_frame);
    robot.model.frame(request.payload_frame);
  }
  detail::check_inertia(robot.model);

  IdentifyResult result;
  result.robot = robot.profile.title.empty() ? robot.profile.name : robot.profile.title;
  result.base_text = base_text(robot);
  result.payloads = robot.model.options().payloads;
  detail::note_guesses(request.logs, result);
  detail::note_guesses(request.loaded, result);
  if (request.effort_units) result.unit = "channel units";
  const Settings& settings = robot.profile.settings;
  detail::IdentifyTask task{.robot = robot,
                            .request = request,
                            .endpoints = detail::endpoints_of(robot, request.endpoints),
                            .options = settings.get<IdentifyOptions>(),
                            .moving = settings.get<MovingFitOptions>(),
                            .held = settings.get<HeldPoseOptions>(),
                            .unlabelled = settings.get<UnlabelledOptions>(),
                            .progress = progress};
  task.moving.effort_units = task.moving.effort_units || request.effort_units;
  task.moving.friction = task.moving.friction && request.friction;
  task.moving.inertia = task.moving.inertia && request.inertia;
  task.held.ridge = task.held.ridge && request.inertia;
  if (task.options.method == IdentifyMethod::unlabelled) {
    throw OptionsError("identify.method", "unlabelled is not a choice", "leave " + arg(Input::contact_free) + " away");
  }

  detail::tell_apart(request.logs);
  const bool labelled = std::ranges::any_of(request.logs, &IdentifyLog::labelled);
  if (labelled) {
    std::erase_if(request.logs, [&result](const IdentifyLog& log) {
      if (!log.labelled)
        result.notes.push_back(log.episode.name + ": no stretch of it is contact-free, so it is not used");
      return !log.labelled;
    });
  }
  if (request.check) result.check = detail::worst_check(robot, request.logs, task.pulse());
  detail::check_usable(robot, request.logs, result);
  for (IdentifyLog& log : request.loaded) log.labelled = true;
  detail::check_usable(robot, request.loaded, result);
  result.runs = static_cast<int>(request.logs.size());
  if (!result.missing.empty()) {
    result.method = labelled ? IdentifyMethod::moving : IdentifyMethod::unlabelled;
    return result;
  }
  const auto residual = settings.get<ResidualOptions>();
  if (task.moving.low_pass == 0.0 && detail::has_loop_rows(robot, request.logs, residual)) {
    task.moving.low_pass = residual.cut_off;
  }
  detail::add_velocities(request.logs, task.moving.window, task.pulse(), result);
  for (const IdentifyLog& log : request.logs) {
    std::vector<TimeSpan> spans = log.spans;
    if (spans.empty()) spans.push_back({0.0, detail::duration(log.episode)});
    for (const TimeSpan& span : spans) {
      detail::Motion motion;
      detail::add_motion(log.episode, {span}, task.moving.moving_speed, detail::all_motors(robot), motion);
      task.tell(0.0);
      result.stretches.push_back({log.episode.name, span.from, std::min(span.to, detail::duration(log.episode)),
                                  motion.labelled - motion.moving, motion.moving});
    }
  }
  result.method = labelled ? detail::method_of(task, request.logs) : IdentifyMethod::unlabelled;
  result.endpoints = task.endpoints;
  switch (result.method) {
    case IdentifyMethod::held_pose: detail::identify_held_pose(task, result); break;
    case IdentifyMethod::unlabelled: detail::identify_unlabelled(task, result); break;
    default: detail::identify_moving(task, result); break;
  }
  detail::add_ranges(request.logs, result.joints);
  if (result.identified) {
    result.provenance = detail::provenance_of(result, request.logs);
    result.noise.provenance = result.provenance;
    result.noise.unit = result.unit;
    result.noise.simulated = request.logs.front().episode.simulated;
  }
  task.tell(1.0);
  return result;
}

}  // namespace antaeus
