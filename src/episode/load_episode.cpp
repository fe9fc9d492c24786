#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/episode/input_checks.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "channels.hpp"
#include "episode_source.hpp"
#include "log_files.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

class Loader {
 public:
  Loader(EpisodeSource& source, const Robot& robot, Episode& episode)
      : source_(source), robot_(robot), episode_(episode) {}

  /// Reads N × columns into `matrix`; \return whether the channel is there under the name that it has in our own logs.
  bool find(const std::string& name, Eigen::Index columns, const std::string& columns_are, SampleMatrix& matrix) {
    std::optional<Samples> samples = source_.find(name);
    if (!samples) return false;
    const std::vector<std::size_t>& shape = samples->shape;
    if (shape.size() != 2 || static_cast<Eigen::Index>(shape[1]) != columns) {
      const bool fewer = shape.size() == 2 && static_cast<Eigen::Index>(shape[1]) < columns && shape[1] > 0;
      const bool with_base = name == "qpos" && shape.size() == 2 && static_cast<Eigen::Index>(shape[1]) == columns + 7;
      const bool of_motors = columns == robot_.model.motor_count() && !name.starts_with("imu_");
      throw EpisodeError(
          source_.place(name), "shape " + shape_text(shape) + ", not (steps, " + std::to_string(columns) + ")",
          "give one column " + columns_are +
              (fewer && of_motors ? ", or write a profile whose motors are those that are logged, in the "
                                    "order of the columns: the others are then locked at zero"
               : with_base        ? ": the first seven may be the base's, whose orientation belongs into imu_quat"
                                  : ""));
    }
    const auto rows = static_cast<Eigen::Index>(shape[0]);
    check_length(name, rows);
    matrix = Eigen::Map<const SampleMatrix>(samples->values.data(), rows, columns);
    episode_.channels.push_back(std::move(samples->channel));
    return true;
  }

  /// The same, or under a name that tells what it holds.
  bool read_motors(const std::string& name, ChannelRole role, SampleMatrix& matrix) {
    return find(name, robot_.model.motor_count(), "a motor of " + robot_.profile.name, matrix) ||
           guess_motors(name, role, matrix);
  }
  bool read_axes(const std::string& name, ChannelRole role, SampleMatrix& matrix) {
    if (find(name, 3, "an axis", matrix)) return true;
    const GuessedChannels* guess = source_.guess(role);
    if (!guess) return false;
    const detail::FittedLog& log = guess->fitted;
    const RawChannel* channel = log.channel(role == ChannelRole::gyro ? log.gyro : log.accelerometer);
    if (!channel) return false;
    take(name, *channel, channel->values, matrix);
    return true;
  }

  /// \throws EpisodeError that says what an episode needs, and how to name it
  [[noreturn]] void lack(const std::string& name, const std::string& needs) const {
    const std::string how = source_.how_to_name(name);
    throw EpisodeError(source_.place(name), "missing", "an episode needs " + needs + (how.empty() ? how : "; " + how));
  }

  void read_time() {
    std::optional<Samples> samples = source_.find("time");
    episode_.time.setConstant(steps_, kNaN);
    if (!samples) {
      if (!guess_time()) episode_.missing.emplace_back("time");
      return;
    }
    const std::string place = source_.place("time");
    const bool column = samples->shape.size() == 2 && samples->shape[1] == 1;
    if (samples->shape.size() != 1 && !column) {
      throw EpisodeError(place, "shape " + shape_text(samples->shape) + ", not (steps,)", "give one time stamp a step");
    }
    check_length("time", static_cast<Eigen::Index>(samples->shape[0]));
    episode_.time = Eigen::Map<const VectorX>(samples->values.data(), steps_);
    episode_.channels.push_back(std::move(samples->channel));
    clock_ = place;
  }

  /// \throws EpisodeError where the clock goes back or is not finite
  void check_time() {
    if (clock_.empty()) return;
    const VectorX& time = episode_.time;
    Eigen::Index repeated = 0;
    for (Eigen::Index i = 0; i < time.size(); ++i) {
      const auto row = [&] { return clock_ + " row " + std::to_string(i); };
      if (!std::isfinite(time[i])) {
        throw EpisodeError(row(), "the time stamp is not finite", "correct or remove the row");
      }
      if (i > 0 && time[i] < time[i - 1]) {
        throw EpisodeError(
            row(), "time goes back from " + shortest_text(time[i - 1]) + " s to " + shortest_text(time[i]) + " s",
            "sort the log, or cut it at the restart");
      }
      if (i > 0 && time[i] == time[i - 1]) ++repeated;
    }
    if (repeated > 0) episode_.notes.push_back(std::to_string(repeated) + " time stamps repeat the one before");
  }

  void read_imu() {
    SampleMatrix quaternion;
    std::string name;  // which says the order, or leaves it to the profile
    for (const char* known : {"imu_quat_xyzw", "imu_quat_wxyz", "imu_quat"}) {
      if (name.empty() && find(known, 4, "a component", quaternion)) name = known;
    }
    if (name.empty()) name = guess_quaternion(quaternion);
    if (name.empty()) {
      episode_.missing.emplace_back("imu_quaternion");
      return;
    }
    QuaternionOrder order = robot_.profile.imu.order;
    if (name.find("xyzw") != name.npos) {
      order = QuaternionOrder::xyzw;
    } else if (name.find("wxyz") != name.npos) {
      order = QuaternionOrder::wxyz;
    } else if (!robot_.profile.channels.quaternion_order) {
      quaternion_note_ = name + " is read in the profile's order, " + std::string(to_string(order));
    }
    if (robot_.profile.channels.quaternion_order.value_or(order) == QuaternionOrder::wxyz) {
      take_scalar_first(quaternion);
    } else {
      episode_.imu_quaternion = std::move(quaternion);
    }
  }

  void read_inertial() {
    const bool gyro = read_axes("imu_gyro", ChannelRole::gyro, episode_.imu_angular_velocity);
    const bool accelerometer = read_axes("imu_acc", ChannelRole::accelerometer, episode_.imu_specific_force);
    if (gyro && !accelerometer) episode_.missing.emplace_back("imu_acc");
    if (accelerometer && !gyro) episode_.missing.emplace_back("imu_gyro");
  }

  void read_simulated() {
    const std::optional<Samples> samples = source_.find("simulated");
    if (!samples) return;
    episode_.simulated = std::ranges::any_of(samples->values, [](double value) { return value != 0.0; });
  }

  /// What was taken for granted goes first.
  void note_guesses() {
    if (!source_.has_guessed() || guess_notes_.empty()) return;
    const GuessedChannels& guess = *source_.guessed();
    episode_.guesses = guess.fitted.guesses;
    std::vector<std::string> notes = episode_.guesses;
    notes.insert(notes.end(), guess.log.notes.begin(), guess.log.notes.end());
    notes.insert(notes.end(), guess_notes_.begin(), guess_notes_.end());
    episode_.notes.insert(episode_.notes.begin(), notes.begin(), notes.end());
    episode_.sha256 = guess.log.sha256;
  }

  void note_how_read() {
    if (!quaternion_note_.empty()) episode_.notes.push_back(quaternion_note_);
  }

  void note_simulated() {
    if (episode_.simulated && robot_.profile.noise && !robot_.profile.noise->simulated) {
      episode_.notes.emplace_back(
          "the log says that it was simulated: the profile's assumed figures count, not the noise that was identified "
          "on a robot");
    }
  }

  void note_holes() {
    const auto note = [&](const char* name, const SampleMatrix& samples, const char* consequence) {
      Eigen::Index count = 0, first = -1;
      for (Eigen::Index i = 0; i < samples.rows(); ++i) {
        if (samples.row(i).allFinite()) continue;
        if (count++ == 0) first = i;
      }
      if (count == 0) return;
      episode_.notes.push_back(std::string(name) + ": " + std::to_string(count) +
                               " steps hold NaN or infinity (first: step " + std::to_string(first) + "); " +
                               consequence);
    };
    note("dq", episode_.v, "who uses it refuses them");
    note("ddq", episode_.a, "who uses it refuses them");
    note("imu_gyro", episode_.imu_angular_velocity, "read as not measured there");
    note("imu_acc", episode_.imu_specific_force, "read as not measured there");
  }

  /// What the loop would refuse, sample by sample; not again what was said of the whole log.
  void note_findings() {
    InputChecks checks(robot_, robot_.profile.settings.get<InputCheckOptions>());
    struct Found {
      Eigen::Index steps = 0, first = -1;
      int motor = -1;
    };
    std::map<Reason, Found> all;
    Observation observation;
    for (Eigen::Index i = 0; i < episode_.steps(); ++i) {
      episode_.observe(i, observation);
      const InputFindings& findings = checks.inspect(observation);
      Reasons reasons = findings.reasons;
      for (const Reasons& motor : findings.motors) reasons.add(motor);
      for (unsigned bit = 0; reasons.bits() >> bit != 0; ++bit) {
        const auto reason = static_cast<Reason>(bit);
        if (!reasons.has(reason)) continue;
        Found& found = all[reason];
        if (found.steps++ == 0) found = {1, i, findings.motor_with(reason)};
      }
    }
    for (const auto& [reason, found] : all) {
      if (accelerometer_noted_.has(reason)) continue;
      const std::string motor =
          found.motor < 0 ? "" : ", " + robot_.model.motor_names()[static_cast<std::size_t>(found.motor)];
      episode_.notes.push_back(std::string(to_string(reason)) + ": " + std::to_string(found.steps) +
                               " steps (first: step " + std::to_string(found.first) + motor +
                               "); a guarded loop refuses them");
    }
  }

  void take_scalar_first(const SampleMatrix& quaternion) {
    episode_.imu_quaternion.resize(quaternion.rows(), 4);
    episode_.imu_quaternion << quaternion.rightCols(3), quaternion.col(0);
  }

  /// What the accelerometer says at rest most of the time is gravity. Silent where the model has none.
  void check_accelerometer() {
    if (episode_.imu_specific_force.rows() == 0) return;
    constexpr double kLeastGravity = 2.0;  // below, an accelerometer in g could not be told from one that is right
    const Vector3 gravity = robot_.model.gravity();
    if (gravity.norm() < kLeastGravity) return;
    const SampleMatrix& measured = episode_.imu_specific_force;
    std::vector<double> norms;
    double cosine = 0.0;  // of the angle to up
    Eigen::Index compared = 0;
    for (Eigen::Index i = 0; i < measured.rows(); ++i) {
      const Vector3 f = measured.row(i).transpose();
      if (!f.allFinite()) continue;
      norms.push_back(f.norm());
      if (!episode_.has_imu()) continue;
      const double angle = angle_from_up(episode_.imu_quaternion.row(i).transpose(), f, gravity);
      if (!std::isfinite(angle)) continue;
      cosine += std::cos(angle);
      ++compared;
    }
    if (norms.empty()) return;
    const auto middle = norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2);
    std::nth_element(norms.begin(), middle, norms.end());
    constexpr double kInG[] = {0.8, 1.2};
    if (*middle > kInG[0] && *middle < kInG[1]) {
      throw EpisodeError(source_.place("imu_acc"), "median norm " + shortest_text(rounded(*middle)) + ": it is in g",
                         "multiply by 9.81: specific force in m/s²");
    }
    constexpr double kPlausible[] = {0.5, 2.0};
    const double share = *middle / gravity.norm();
    if (share < kPlausible[0] || share > kPlausible[1]) {
      accelerometer_noted_.add(Reason::accelerometer_scale);
      episode_.notes.push_back("imu_acc: median norm " + shortest_text(rounded(*middle)) + " m/s², but gravity is " +
                               shortest_text(rounded(gravity.norm())) +
                               "; it is read as specific force a − g in m/s², gravity included");
    }
    constexpr double kLeastCosine = 0.5;  // 60°: neither tilt nor motion does that on average
    if (compared > 0 && !(cosine / static_cast<double>(compared) > kLeastCosine)) {
      accelerometer_noted_.add(Reason::orientation_contradicts);
      constexpr double kDegrees = 57.29577951308232;
      const double angle = std::acos(std::clamp(cosine / static_cast<double>(compared), -1.0, 1.0)) * kDegrees;
      episode_.notes.push_back("imu_acc: " + std::to_string(std::lround(angle)) +
                               "° away from up by the quaternion; its sign or axes are not those of a − g in the "
                               "sensor's axes, +9.81 along the axis that points up at rest");
    }
  }

 private:
  /// One channel of the log under another name, as the one that we know.
  void take(const std::string& name, const RawChannel& channel, const SampleMatrix& samples, SampleMatrix& matrix) {
    check_length(name, samples.rows());
    matrix = samples;
    const auto rows = static_cast<std::size_t>(matrix.rows()), columns = static_cast<std::size_t>(matrix.cols());
    const std::string hash = sha256(to_npy({rows, columns}, {matrix.data(), matrix.data() + matrix.size()}));
    episode_.channels.push_back({name, printable(channel.source), "float64", hash});
    const bool one = channel.role >= ChannelRole::orientation;
    guess_notes_.push_back(detail::role_in_words(channel.role) + (one ? " is" : " are") + " read from " +
                           printable(channel.source));
  }

  static std::string listed_first(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) text += (i ? ", " : "") + printable(names[i]);
    return text + (names.size() > kMost ? ", …" : "");
  }
  /// "'fer_joint1' = 'joint1'": what names that match no joint come near to, one at most a joint; empty: to none.
  static std::string nearest_pairs(const std::vector<std::string>& labels, const std::vector<std::string>& motors) {
    constexpr std::size_t kMost = 3;
    std::string text;
    std::size_t count = 0;
    for (const std::string& label : labels) {
      const std::string nearest = nearest_name(label, motors);
      if (nearest.empty() || ++count > kMost) continue;
      text += (text.empty() ? "'" : ", '") + printable(label) + "' = '" + nearest + "'";
    }
    return text;
  }

  bool guess_motors(const std::string& name, ChannelRole role, SampleMatrix& matrix) {
    const GuessedChannels* guess = source_.guess(role);
    if (!guess) return false;
    const detail::FittedLog& log = guess->fitted;
    const RawChannel* channel = log.channel(role);
    if (!channel) return false;
    std::vector<int> columns(static_cast<std::size_t>(robot_.model.motor_count()), -1);
    for (std::size_t j = 0; j < log.motors.size(); ++j) {
      if (log.motors[j] >= 0) columns[static_cast<std::size_t>(log.motors[j])] = static_cast<int>(j);
    }
    check_fit(log, columns, guess->log.name);
    take(name, *channel, channel->values(Eigen::all, columns), matrix);
    return true;
  }

  /// \param columns  of the log, per motor; −1: none
  /// \throws EpisodeError unless each motor has one
  void check_fit(const detail::FittedLog& log, const std::vector<int>& columns, const std::string& name) const {
    const std::vector<std::string>& motors = robot_.model.motor_names();
    const auto missing = std::ranges::find(columns, -1);
    if (log.fits && missing == columns.end()) return;
    const auto counted = [](std::size_t n, const char* what) { return std::to_string(n) + what + (n == 1 ? "" : "s"); };
    std::vector<std::string> logged;
    for (std::size_t m = 0; m < motors.size(); ++m) {
      if (columns[m] >= 0) logged.push_back(motors[m]);
    }
    if (logged.empty()) {
      const std::string pairs = nearest_pairs(log.labels, motors);
      throw EpisodeError(
          name,
          "it has " + counted(log.joints.size(), " joint") + " (" + listed_first(log.labels) +
              "), none of them named as one of the " + counted(motors.size(), " motor") + " of the " +
              robot_.profile.name + " (" + listed_first(motors) + ")",
          !pairs.empty() ? "did you mean " + pairs + "? Say so in [joints] of a map (antaeus convert --map)"
          : log.log->by_name
              ? "give a log of this robot, or say in [joints] of a map which is which (antaeus convert --map)"
          : log.joints.size() < motors.size()
              ? "write a profile whose motors are those that are logged, in the order of the columns, or "
                "give a log of this robot"
              : "give a log of this robot, or name its columns after the joints");
    }
    const std::string& absent = motors[static_cast<std::size_t>(missing - columns.begin())];
    std::vector<std::string> strangers;
    for (std::size_t j = 0; j < log.motors.size(); ++j) {
      if (log.motors[j] < 0) strangers.push_back(log.labels[j]);
    }
    const std::string nearest = nearest_name(absent, strangers);
    throw EpisodeError(name,
                       "it has columns of " + std::to_string(logged.size()) + " of the " +
                           std::to_string(motors.size()) + " motors of the " + robot_.profile.name + ", and none of " +
                           absent,
                       nearest.empty() ? "log every motor, or " + motors_remedy(logged)
                                       : "is it '" + nearest + "'? Name it after the joint");
  }

  /// \return the name of the channel that was read; empty: there is none
  std::string guess_quaternion(SampleMatrix& matrix) {
    const GuessedChannels* guess = source_.guess(ChannelRole::orientation);
    const RawChannel* channel = guess ? guess->fitted.channel(guess->fitted.orientation) : nullptr;
    if (!channel) return {};
    take("imu_quat", *channel, channel->values, matrix);
    return channel->name;
  }

  bool guess_time() {
    const GuessedChannels* guess = source_.guess(ChannelRole::other);
    if (!guess || guess->log.stamps.size() != steps_) return false;
    const RawLog& log = guess->log;
    episode_.time = log.stamps;
    const std::vector<double> stamps(log.stamps.data(), log.stamps.data() + steps_);
    episode_.channels.push_back({"time", printable(log.clock), "float64", sha256(to_npy({stamps.size()}, stamps))});
    guess_notes_.push_back("time stamps are read from " + printable(log.clock));
    clock_ = log.name + " [" + printable(log.clock) + "]";
    return true;
  }

  static double rounded(double value) { return std::round(value * 100.0) / 100.0; }

  void check_length(const std::string& name, Eigen::Index rows) {
    if (rows == 0) throw EpisodeError(source_.place(name), "no steps", "give an episode with at least one step");
    if (steps_ < 0) {
      steps_ = rows;
      first_ = name;
    }
    if (rows != steps_) {
      throw EpisodeError(source_.place(name),
                         std::to_string(rows) + " steps, but " + first_ + " has " + std::to_string(steps_),
                         "cut all channels to the same length");
    }
  }

  EpisodeSource& source_;
  const Robot& robot_;
  Episode& episode_;
  Eigen::Index steps_ = -1;
  std::string first_, clock_, quaternion_note_;
  std::vector<std::string> guess_notes_;
  Reasons accelerometer_noted_;
};

void note_invalid_steps(Episode& episode) {
  find_invalid_steps(episode);
  if (episode.invalid_steps.empty()) return;
  episode.notes.push_back(
      std::to_string(episode.invalid_steps.size()) + " steps hold NaN, infinity or no unit quaternion (first: step " +
      std::to_string(episode.invalid_steps.front()) + "); they keep their place, verdict invalid_input");
}

enum class Values { judged, as_they_are };

Episode read(EpisodeSource& source, const std::string& log, const Robot& robot, const EpisodeOptions& options,
             Values values) {
  const bool judged = values == Values::judged;
  Episode episode;
  episode.name = log;
  Loader loader(source, robot, episode);
  const auto wanted = [&](const char* name, ChannelRole role, SampleMatrix& samples, const char* needs) {
    if (loader.read_motors(name, role, samples)) return;
    if (needs) loader.lack(name, needs);
    episode.missing.emplace_back(name);
  };
  constexpr const char* kNeeds = "tau and qpos, one row a step";
  wanted("tau", ChannelRole::torque, episode.tau, judged ? kNeeds : nullptr);
  wanted("qpos", ChannelRole::position, episode.q, judged || episode.tau.rows() == 0 ? kNeeds : nullptr);
  wanted("target_dof", ChannelRole::target, episode.target,
         judged && options.require_target ? "target_dof here, since require_target was set" : nullptr);
  wanted("dq", ChannelRole::velocity, episode.v, nullptr);
  loader.read_motors("ddq", ChannelRole::acceleration, episode.a);
  loader.read_time();
  loader.read_imu();
  loader.read_inertial();
  loader.read_simulated();
  loader.note_guesses();
  episode.torque_unit = source.torque_unit();
  apply_channel_map(robot.profile.channels, episode);
  if (judged) loader.check_time();
  loader.note_how_read();
  if (judged) {
    loader.check_accelerometer();
    loader.note_simulated();
    loader.note_holes();
    loader.note_findings();
    note_invalid_steps(episode);
  } else {
    find_invalid_steps(episode);
  }
  if (episode.sha256.empty()) episode.sha256 = hash_of_channels(episode.channels);
  return episode;
}

/// Channels of an episode in memory; places are the names that Episode has for them.
class ArraySource : public EpisodeSource {
 public:
  ArraySource(const Episode& arrays, const Robot& robot) : EpisodeSource({}, robot), arrays_(arrays) {}
  std::string place(const std::string& name) const override {
    for (const auto& [channel, field] : kFields) {
      if (name == channel) return field;
    }
    return name;
  }
  std::optional<Samples> find(const std::string& name) override {
    const double one = 1.0;
    if (name == "simulated" && arrays_.simulated) return samples_of(name, {1}, &one);
    if (name == "time" && arrays_.time.size() > 0) {
      return samples_of(name, {static_cast<std::size_t>(arrays_.time.size())}, arrays_.time.data());
    }
    std::optional<Samples> found;
    for_each_channel([&](const NamedChannel& channel) {
      const SampleMatrix& matrix = arrays_.*channel.samples;
      if (name != channel.name || matrix.size() == 0) return;
      found = samples_of(name, {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())},
                         matrix.data());
    });
    return found;
  }

 protected:
  std::vector<std::string> names() const override { return {}; }

 private:
  static constexpr std::pair<const char*, const char*> kFields[] = {{"qpos", "q"},
                                                                    {"target_dof", "target"},
                                                                    {"dq", "v"},
                                                                    {"ddq", "a"},
                                                                    {"imu_quat_xyzw", "imu_quaternion"},
                                                                    {"imu_gyro", "imu_angular_velocity"},
                                                                    {"imu_acc", "imu_specific_force"}};

  Samples samples_of(const std::string& name, std::vector<std::size_t> shape, const double* first) const {
    std::size_t size = 1;
    for (const std::size_t one : shape) size *= one;
    std::vector<double> numbers(first, first + size);
    const std::string hash = sha256(to_npy(shape, numbers));
    return {{name, place(name), "float64", hash}, std::move(shape), std::move(numbers)};
  }
  const Episode& arrays_;
};

Episode read(const fs::path& path, const Robot& robot, const EpisodeOptions& options, Values values) {
  return read(*open_episode(path, robot, options), log_name(path), robot, options, values);
}

}  // namespace

Episode read_episode(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  return read(path, robot, options, Values::as_they_are);
}

Episode load_episode(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  return read(path, robot, options, Values::judged);
}

Episode episode_from_arrays(const Episode& arrays, const Robot& robot, ArrayTerms terms) {
  if (terms == ArrayTerms::robots) {
    Robot plain = robot;
    plain.profile.channels = {};
    ArraySource source(arrays, plain);
    return read(source, arrays.name, plain, {}, Values::judged);
  }
  ArraySource source(arrays, robot);
  return read(source, arrays.name, robot, {}, Values::judged);
}

}  // namespace antaeus
