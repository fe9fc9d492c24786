#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "channels.hpp"
#include "episode_source.hpp"
#include "log_files.hpp"
#include "log_notes.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

/// A channel whose rows can be read.
struct OpenChannel {
  SampleMatrix Episode::* matrix;  ///< null: the time stamps
  std::vector<std::size_t> shape;
  std::shared_ptr<ChannelRows> rows;
  std::size_t listed;  ///< its place among Episode::channels
  bool is_scalar_first = false;
};

/// Finds the channels of a log and looks at their shapes.
class Loader {
 public:
  Loader(EpisodeSource& source, const Robot& robot, Episode& episode)
      : source_(source), robot_(robot), episode_(episode) {}

  /// Takes N × columns for `matrix`; \return whether the channel is there under the name that it has in our own logs.
  bool find(const std::string& name, Eigen::Index columns, const std::string& columns_are,
            SampleMatrix Episode::* matrix) {
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
    bind(std::move(*samples), matrix);
    return true;
  }

  /// The same, or under a name that tells what it holds.
  bool read_motors(const std::string& name, ChannelRole role, SampleMatrix Episode::* matrix) {
    return find(name, robot_.model.motor_count(), "per motor of " + robot_.profile.name, matrix) ||
           guess_motors(name, role, matrix);
  }
  bool read_axes(const std::string& name, ChannelRole role, SampleMatrix Episode::* matrix) {
    if (find(name, 3, "per axis", matrix)) return true;
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
    if (!samples) {
      if (!guess_time()) episode_.missing.emplace_back("time");
      return;
    }
    const std::string place = source_.place("time");
    const bool column = samples->shape.size() == 2 && samples->shape[1] == 1;
    if (samples->shape.size() != 1 && !column) {
      throw EpisodeError(place, "shape " + shape_text(samples->shape) + ", not (steps,)",
                         "give one time stamp per step");
    }
    check_length("time", static_cast<Eigen::Index>(samples->shape[0]));
    bind(std::move(*samples), nullptr);
    clock_ = place;
  }

  void read_imu() {
    SampleMatrix Episode::* const quaternion = &Episode::imu_quaternion;
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
      quaternion_note_ = {NoteCode::quaternion_order, name, {to_string(order)}};
    }
    channels_.back().is_scalar_first =
        robot_.profile.channels.quaternion_order.value_or(order) == QuaternionOrder::wxyz;
  }

  void read_inertial() {
    const bool gyro = read_axes("imu_gyro", ChannelRole::gyro, &Episode::imu_angular_velocity);
    const bool accelerometer = read_axes("imu_acc", ChannelRole::accelerometer, &Episode::imu_specific_force);
    if (gyro && !accelerometer) episode_.missing.emplace_back("imu_acc");
    if (accelerometer && !gyro) episode_.missing.emplace_back("imu_gyro");
  }

  void read_simulated() {
    const std::optional<Samples> samples = source_.find("simulated");
    if (!samples) return;
    std::size_t count = 1;
    for (const std::size_t extent : samples->shape) count *= extent;
    std::vector<double> values(count);
    samples->rows->read(0, samples->shape.empty() ? 1 : samples->shape[0], values.data());
    episode_.simulated = std::ranges::any_of(values, [](double value) { return value != 0.0; });
  }

  /// What was taken for granted goes first.
  void note_guesses() {
    if (!source_.has_guessed() || guess_notes_.empty()) return;
    const GuessedChannels& guess = *source_.guessed();
    episode_.guesses = guess.fitted.guesses;
    std::vector<Note> notes;
    for (const std::string& sentence : episode_.guesses) notes.push_back({NoteCode::guessed, "", {sentence}});
    notes.insert(notes.end(), guess.log.notes.begin(), guess.log.notes.end());
    notes.insert(notes.end(), guess_notes_.begin(), guess_notes_.end());
    episode_.notes.insert(episode_.notes.begin(), notes.begin(), notes.end());
    episode_.sha256 = guess.log.sha256;
  }

  /// What was opened.
  std::vector<OpenChannel> take_channels() { return std::move(channels_); }
  Eigen::Index steps() const noexcept { return steps_; }
  const std::string& clock() const noexcept { return clock_; }
  const std::optional<Note>& how_read() const noexcept { return quaternion_note_; }

 private:
  void bind(Samples samples, SampleMatrix Episode::* matrix) {
    channels_.push_back({matrix, std::move(samples.shape), std::move(samples.rows), episode_.channels.size()});
    episode_.channels.push_back(std::move(samples.channel));
  }

  /// One channel of the log under another name, as the one that we know.
  void take(const std::string& name, const RawChannel& channel, const SampleMatrix& samples,
            SampleMatrix Episode::* matrix) {
    check_length(name, samples.rows());
    const auto rows = static_cast<std::size_t>(samples.rows()), columns = static_cast<std::size_t>(samples.cols());
    bind(
        {{name, printable(channel.source), "float64", {}},
         {rows, columns},
         std::make_shared<RowsInMemory>(std::vector<double>(samples.data(), samples.data() + samples.size()), columns)},
        matrix);
    const bool one = channel.role >= ChannelRole::orientation;
    guess_notes_.push_back(
        {NoteCode::guessed,
         channel.name,
         {detail::role_in_words(channel.role) + (one ? " is" : " are") + " read from " + printable(channel.source)}});
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

  bool guess_motors(const std::string& name, ChannelRole role, SampleMatrix Episode::* matrix) {
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
          !pairs.empty()
              ? "did you mean " + pairs + "? State it in [joints] of a map (antaeus convert " + arg(Input::map) + ")"
          : log.log->by_name ? "give a log of this robot, or map its joints in [joints] of a map (antaeus convert " +
                                   arg(Input::map) + ")"
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
  std::string guess_quaternion(SampleMatrix Episode::* matrix) {
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
    std::vector<double> stamps(log.stamps.data(), log.stamps.data() + steps_);
    bind({{"time", printable(log.clock), "float64", {}},
          {stamps.size()},
          std::make_shared<RowsInMemory>(std::move(stamps), 1)},
         nullptr);
    guess_notes_.push_back({NoteCode::guessed, "time", {"time stamps are read from " + printable(log.clock)}});
    clock_ = log.name + " [" + printable(log.clock) + "]";
    return true;
  }

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
  std::string first_, clock_;
  std::optional<Note> quaternion_note_;
  std::vector<Note> guess_notes_;
  std::vector<OpenChannel> channels_;
};

enum class Values { judged, as_they_are };

void take_scalar_first(SampleMatrix& quaternion) {
  quaternion = SampleMatrix(quaternion(Eigen::all, std::array{1, 2, 3, 0}));
}

/// A log that is open.
class OpenLog {
 public:
  OpenLog(std::unique_ptr<EpisodeSource> source, const std::string& log, const Robot& robot,
          const EpisodeOptions& options, Values values)
      : source_(std::move(source)), robot_(robot), values_(values) {
    const bool judged = values == Values::judged;
    about_.name = log;
    Loader loader(*source_, robot_, about_);
    const auto wanted = [&](const char* name, ChannelRole role, SampleMatrix Episode::* samples, const char* needs) {
      if (loader.read_motors(name, role, samples)) return true;
      if (needs) loader.lack(name, needs);
      about_.missing.emplace_back(name);
      return false;
    };
    constexpr const char* kNeeds = "tau and qpos, one row per step";
    const bool has_torques = wanted("tau", ChannelRole::torque, &Episode::tau, judged ? kNeeds : nullptr);
    wanted("qpos", ChannelRole::position, &Episode::q, judged || !has_torques ? kNeeds : nullptr);
    wanted("target_dof", ChannelRole::target, &Episode::target,
           judged && options.require_target ? "target_dof here, since require_target was set" : nullptr);
    wanted("dq", ChannelRole::velocity, &Episode::v, nullptr);
    loader.read_motors("ddq", ChannelRole::acceleration, &Episode::a);
    loader.read_time();
    loader.read_imu();
    loader.read_inertial();
    loader.read_simulated();
    loader.note_guesses();
    about_.torque_unit = source_->torque_unit();
    channels_ = loader.take_channels();
    steps_ = loader.steps();
    clock_ = loader.clock();
    how_read_ = loader.how_read();
  }

  Eigen::Index steps() const noexcept { return steps_; }
  const Episode& about() const noexcept { return about_; }
  const Robot& robot() const noexcept { return robot_; }
  const std::optional<Note>& how_read() const noexcept { return how_read_; }
  LogNotes notes() const { return {robot_, clock_, source_->place("imu_acc")}; }
  bool moves_in_time() const noexcept {
    return robot_.profile.channels.velocity_delay != 0.0 || robot_.profile.channels.torque_delay != 0.0;
  }
  bool streams() const noexcept {
    return !moves_in_time() &&
           std::ranges::all_of(channels_, [](const OpenChannel& channel) { return channel.rows->streams(); });
  }

  Episode read(Eigen::Index first, Eigen::Index count, bool with_hashes = false) const {
    Episode episode = about_;
    episode.time.setConstant(count, kNaN);
    for (const OpenChannel& channel : channels_) {
      double* numbers = episode.time.data();
      if (channel.matrix) {
        SampleMatrix& matrix = episode.*channel.matrix;
        matrix.resize(count, static_cast<Eigen::Index>(channel.shape[1]));
        numbers = matrix.data();
      }
      channel.rows->read(static_cast<std::size_t>(first), static_cast<std::size_t>(count), numbers);
      if (with_hashes) episode.channels[channel.listed].sha256 = channel.rows->hash(channel.shape, numbers);
      if (channel.is_scalar_first) take_scalar_first(episode.*channel.matrix);
    }
    apply_channel_map(robot_.profile.channels, episode);
    find_invalid_steps(episode);
    if (with_hashes && episode.sha256.empty()) episode.sha256 = hash_of_channels(episode.channels);
    return episode;
  }

  /// Of all steps, without keeping them.
  void add_hashes(Episode& episode) const {
    for (const OpenChannel& channel : channels_) {
      episode.channels[channel.listed].sha256 = channel.rows->hash(channel.shape, nullptr);
    }
    if (episode.sha256.empty()) episode.sha256 = hash_of_channels(episode.channels);
  }

  Episode whole() const {
    Episode episode = read(0, steps_, true);
    if (values_ == Values::as_they_are) {
      if (how_read_) episode.notes.push_back(*how_read_);
      return episode;
    }
    LogNotes found = notes();
    found.take(episode);
    found.finish(episode, how_read_);
    return episode;
  }

 private:
  std::unique_ptr<EpisodeSource> source_;
  const Robot& robot_;
  Values values_;
  Episode about_;  ///< no samples
  std::vector<OpenChannel> channels_;
  Eigen::Index steps_ = 0;
  std::string clock_;
  std::optional<Note> how_read_;
};

/// Numbers that someone else holds.
class RowsElsewhere : public ChannelRows {
 public:
  RowsElsewhere(const double* first, std::size_t columns) : first_(first), columns_(columns) {}
  void read(std::size_t first, std::size_t count, double* out) override {
    std::copy_n(first_ + first * columns_, count * columns_, out);
  }

 private:
  const double* first_;
  std::size_t columns_;
};

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
    auto rows = std::make_shared<RowsElsewhere>(first, shape.size() == 2 ? shape[1] : 1);
    return {{name, place(name), "float64", {}}, std::move(shape), std::move(rows)};
  }
  const Episode& arrays_;
};

OpenLog open_log(const fs::path& path, const Robot& robot, const EpisodeOptions& options, Values values) {
  return {open_episode(path, robot, options), log_name(path), robot, options, values};
}

}  // namespace

Episode read_episode(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  return open_log(path, robot, options, Values::as_they_are).whole();
}

Episode read_table(const Table& table, const std::string& name, const Robot& robot, const EpisodeOptions& options,
                   ColumnNames names) {
  return OpenLog(table_source(table, name, robot, options, names == ColumnNames::by_joint), name, robot, options,
                 Values::as_they_are)
      .whole();
}

Episode load_episode(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  return open_log(path, robot, options, Values::judged).whole();
}

Episode episode_from_arrays(const Episode& arrays, const Robot& robot, ArrayTerms terms) {
  Robot plain = robot;
  if (terms == ArrayTerms::robots) plain.profile.channels = {};
  return OpenLog(std::make_unique<ArraySource>(arrays, plain), arrays.name, plain, {}, Values::judged).whole();
}

struct EpisodeReader::Impl {
  /// A file, and what is found in it on the way.
  struct File {
    File(const fs::path& path, const Robot& of, const EpisodeOptions& options, Values values)
        : robot(of),
          log(open_log(path, robot, options, values)),
          is_judged(values == Values::judged),
          notes(log.notes()) {}
    const Robot robot;
    const OpenLog log;
    const bool is_judged;
    LogNotes notes;
  };

  explicit Impl(Episode episode)
      : about(without_samples(episode)), judged(about), steps(episode.steps()), whole(std::move(episode)) {
    judged.invalid_steps = whole->invalid_steps;
  }
  Impl(const fs::path& path, const Robot& robot, const EpisodeOptions& options, Values values)
      : file(std::make_unique<File>(path, robot, options, values)),
        about(file->log.about()),
        judged(about),
        steps(file->log.steps()) {
    if (file->log.moves_in_time()) whole = file->log.read(0, steps);
  }

  Episode block(Eigen::Index first, Eigen::Index count) const {
    if (first < 0 || count < 1 || count > steps - first) {
      throw EpisodeError(about.name, "no steps there", "it has " + std::to_string(steps));
    }
    return whole ? cut_steps(*whole, before + first, count) : file->log.read(before + first, count);
  }

  /// The first step whose time is not below \p time; with \p or_at above it.
  Eigen::Index first_after(double time, bool or_at) const {
    Eigen::Index low = 0, high = steps;
    while (low < high) {
      const Eigen::Index middle = low + (high - low) / 2;
      const double there = block(middle, 1).time[0];
      (or_at ? there <= time : there < time) ? low = middle + 1 : high = middle;
    }
    return low;
  }

  void cut(double from, double to) {
    if (!block(0, 1).has_time()) {
      throw EpisodeError(about.name, "no time stamps to cut by",
                         "leave " + arg(Input::from) + " and " + arg(Input::to) + " away");
    }
    const Eigen::Index first = from < 0 ? 0 : first_after(from, false), last = to < 0 ? steps : first_after(to, true);
    if (first >= last) throw no_step_between(about.name, from, to, block(0, 1).time[0], block(steps - 1, 1).time[0]);
    before += first;
    steps = last - first;
  }

  void judge(const Episode& block) {
    if (!file || !file->is_judged) return;
    file->notes.take(block);
    for (const Eigen::Index step : block.invalid_steps) judged.invalid_steps.push_back(done + step);
    if (done + block.steps() < steps) return;
    judged.notes = block.notes;  // with what moving channels in time said
    file->notes.finish(judged, file->log.how_read());
  }

  Eigen::Index file_steps() const noexcept { return file ? file->log.steps() : whole->steps(); }

  std::unique_ptr<File> file;  ///< null: the log was in memory
  Episode about, judged;
  Eigen::Index steps;
  std::optional<Episode> whole;       ///< in memory, or where a step needs its neighbours
  Eigen::Index before = 0, done = 0;  ///< steps that were cut off, and handed out
};

EpisodeReader::EpisodeReader(const fs::path& path, const Robot& robot, const EpisodeOptions& options)
    : impl_(std::make_unique<Impl>(path, robot, options, Values::judged)) {}
EpisodeReader::EpisodeReader(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
EpisodeReader EpisodeReader::as_it_is(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  return EpisodeReader(std::make_unique<Impl>(path, robot, options, Values::as_they_are));
}
EpisodeReader EpisodeReader::as_received(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  Robot plain = robot;
  plain.profile.channels = {.quaternion_order = robot.profile.channels.quaternion_order};  // the file's, no map's
  return as_it_is(path, plain, options);
}
EpisodeReader::EpisodeReader(Episode episode) : impl_(std::make_unique<Impl>(std::move(episode))) {}
EpisodeReader::EpisodeReader(EpisodeReader&&) noexcept = default;
EpisodeReader& EpisodeReader::operator=(EpisodeReader&&) noexcept = default;
EpisodeReader::~EpisodeReader() = default;

Eigen::Index EpisodeReader::steps() const noexcept { return impl_->steps; }
bool EpisodeReader::streams() const noexcept { return impl_->file && impl_->file->log.streams(); }
const Episode& EpisodeReader::about() const noexcept { return impl_->about; }
const Episode& EpisodeReader::judged() const noexcept { return impl_->judged; }
Episode EpisodeReader::block(Eigen::Index first, Eigen::Index count) const { return impl_->block(first, count); }
Episode EpisodeReader::load() && {
  Impl& my = *impl_;
  if (my.steps == my.file_steps()) return my.file ? my.file->log.whole() : std::move(*my.whole);
  Episode part = *next(my.steps);
  add_hashes();
  part.sha256 = my.judged.sha256;
  part.channels = my.judged.channels;
  part.notes = my.judged.notes;
  return part;
}
void EpisodeReader::cut(double from, double to) { impl_->cut(from, to); }
Eigen::Index EpisodeReader::first_step() const noexcept { return impl_->before; }
void EpisodeReader::add_hashes() {
  if (impl_->file) impl_->file->log.add_hashes(impl_->judged);
}

std::optional<Episode> EpisodeReader::next(Eigen::Index count) {
  Impl& my = *impl_;
  if (my.done == my.steps) return std::nullopt;
  Episode block = my.block(my.done, std::min(std::max<Eigen::Index>(count, 1), my.steps - my.done));
  my.judge(block);
  my.done += block.steps();
  return block;
}

}  // namespace antaeus
