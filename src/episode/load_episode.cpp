#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/input_checks.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "channels.hpp"
#include "log_files.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

/// One channel's samples, wherever they came from.
struct Samples {
  EpisodeChannel channel;
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// Where samples are looked up by the names that the incident's files have: a folder, an .npz, a CSV.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::optional<Samples> find(const std::string& name) = 0;
  /// For messages: what a channel of this name would be called here.
  virtual std::string place(const std::string& name) const = 0;
};

class FolderSource : public Source {
 public:
  explicit FolderSource(fs::path folder) : folder_(std::move(folder)) {}
  std::string place(const std::string& name) const override { return (folder_ / (name + ".npy")).string(); }
  std::optional<Samples> find(const std::string& name) override {
    const fs::path file = folder_ / (name + ".npy");
    std::error_code error;
    const auto status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) return std::nullopt;
    const std::string bytes = read_file(file, kLargestChannel);
    NumpyArray array = parse_npy(bytes, file.string());
    return Samples{{name, name + ".npy", array.stored_type, sha256(bytes)}, array.shape, std::move(array.values)};
  }

 private:
  fs::path folder_;
};

class NpzSource : public Source {
 public:
  explicit NpzSource(const fs::path& file) : file_(file), arrays_(read_npz(file)) {}
  std::string place(const std::string& name) const override { return file_.string() + "[" + name + "]"; }
  std::optional<Samples> find(const std::string& name) override {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) return std::nullopt;
    const NumpyArray& array = found->second;
    return Samples{{name, printable(file_.filename().string()) + "[" + name + "]", array.stored_type,
                    sha256(to_npy(array.shape, array.values))},
                   array.shape,
                   array.values};
  }

 private:
  fs::path file_;
  std::map<std::string, NumpyArray> arrays_;
};

class CsvSource : public Source {
 public:
  CsvSource(const fs::path& file, const Robot& robot, EpisodeOptions options)
      : file_(file), robot_(robot), options_(std::move(options)), table_(read_csv(file)) {}
  std::string place(const std::string& name) const override { return file_.string() + " (" + pattern(name) + ")"; }

  std::optional<Samples> find(const std::string& name) override {
    const std::vector<std::string> wanted = column_names(name);
    std::size_t present = 0;
    std::string absent;
    for (const std::string& column : wanted) {
      if (has(column)) {
        ++present;
      } else if (absent.empty()) {
        absent = column;
      }
    }
    if (present == 0) return std::nullopt;
    if (present < wanted.size()) {
      std::vector<std::string> names;
      for (const Column& column : table_.columns()) names.push_back(column.name);
      throw_unknown<EpisodeError>(file_.string() + ":1", "column", absent, names);
    }
    Samples samples;
    const std::size_t rows = table_.rows(), columns = wanted.size();
    samples.shape =
        columns == 1 && name == "time" ? std::vector<std::size_t>{rows} : std::vector<std::size_t>{rows, columns};
    samples.values.resize(rows * columns);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::vector<double> column = numbers(wanted[c]);
      for (std::size_t r = 0; r < rows; ++r) samples.values[r * columns + c] = column[r];
    }
    samples.channel = {name, printable(file_.filename().string()) + "[" + pattern(name) + "]", "text",
                       sha256(to_npy(samples.shape, samples.values))};
    return samples;
  }

 private:
  /// The table does not know which file it came from; the reader wants to.
  std::vector<double> numbers(const std::string& column) const {
    try {
      return table_.numbers(column);
    } catch (const Error& error) {
      throw EpisodeError(file_.string(), error.what());
    }
  }

  bool has(const std::string& name) const {
    return std::any_of(table_.columns().begin(), table_.columns().end(),
                       [&](const Column& c) { return c.name == name; });
  }

  std::string pattern(const std::string& name) const {
    if (name == "simulated") return name;
    if (name == "time") return options_.time;
    if (name == "qpos") return options_.q;
    if (name == "tau") return options_.tau;
    if (name == "target_dof") return options_.target;
    if (name == "dq") return options_.v;
    if (name == "ddq") return options_.a;
    if (name == "imu_gyro") return options_.imu_angular_velocity;
    if (name == "imu_acc") return options_.imu_specific_force;
    return options_.imu_quaternion;
  }

  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
    return text;
  }

  std::vector<std::string> column_names(const std::string& name) const {
    const std::string text = pattern(name);
    if (name == "time" || name == "simulated") return {text};
    std::vector<std::string> names;
    if (name.starts_with("imu_")) {
      // Columns are named by axis, so their order in the file does not matter: always read as x y z (w).
      const bool quaternion = name.starts_with("imu_quat");
      if (quaternion && name != "imu_quat_xyzw") return {};
      if (text.find("{axis}") == text.npos) {
        throw EpisodeError(file_.string(), "the pattern '" + text + "' names one column for all axes",
                           "put {axis} into it");
      }
      for (const char* axis : {"x", "y", "z"}) names.push_back(replaced(text, "{axis}", axis));
      if (quaternion) names.push_back(replaced(text, "{axis}", "w"));
      return names;
    }
    const auto& motors = robot_.model.motor_names();
    if (motors.size() > 1 && text.find("{joint}") == text.npos && text.find("{label}") == text.npos &&
        text.find("{motor}") == text.npos) {
      throw EpisodeError(file_.string(), "the pattern '" + text + "' names one column for all motors",
                         "put {joint}, {label} or {motor} into it");
    }
    for (std::size_t m = 0; m < motors.size(); ++m) {
      std::string column = replaced(text, "{joint}", motors[m]);
      column = replaced(column, "{label}", robot_.profile.motor_labels[m]);
      names.push_back(replaced(column, "{motor}", std::to_string(m)));
    }
    return names;
  }

  fs::path file_;
  const Robot& robot_;
  EpisodeOptions options_;
  Table table_;
};

class Loader {
 public:
  Loader(Source& source, const Robot& robot, Episode& episode) : source_(source), robot_(robot), episode_(episode) {}

  /// Reads N × columns into `matrix`; \return whether the channel is there.
  bool read(const std::string& name, Eigen::Index columns, const std::string& columns_are, SampleMatrix& matrix) {
    std::optional<Samples> samples = source_.find(name);
    if (!samples) return false;
    if (samples->shape.size() != 2 || static_cast<Eigen::Index>(samples->shape[1]) != columns) {
      throw EpisodeError(source_.place(name),
                         "shape " + shape_text(samples->shape) + ", not (steps, " + std::to_string(columns) + ")",
                         "give one column " + columns_are);
    }
    const auto rows = static_cast<Eigen::Index>(samples->shape[0]);
    check_length(name, rows);
    matrix = Eigen::Map<const SampleMatrix>(samples->values.data(), rows, columns);
    episode_.channels.push_back(std::move(samples->channel));
    return true;
  }

  void require(const std::string& name, SampleMatrix& matrix) {
    if (!read_motors(name, matrix)) {
      throw EpisodeError(source_.place(name), "missing", "an episode needs tau, qpos and target_dof, one row a step");
    }
  }

  bool read_motors(const std::string& name, SampleMatrix& matrix) {
    return read(name, robot_.model.motor_count(), "a motor of " + robot_.profile.name, matrix);
  }

  void read_time() {
    std::optional<Samples> samples = source_.find("time");
    episode_.time.setConstant(steps_, kNaN);
    if (!samples) {
      episode_.missing.emplace_back("time");
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
    has_clock_ = true;
  }

  /// \throws EpisodeError where the clock goes back or is not finite
  void check_time() {
    if (!has_clock_) return;
    const VectorX& time = episode_.time;
    Eigen::Index repeated = 0;
    for (Eigen::Index i = 0; i < time.size(); ++i) {
      const auto row = [&] { return source_.place("time") + " row " + std::to_string(i); };
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
    QuaternionOrder order = QuaternionOrder::xyzw;
    if (read("imu_quat_xyzw", 4, "a component", quaternion)) {
    } else if (read("imu_quat_wxyz", 4, "a component", quaternion)) {
      order = QuaternionOrder::wxyz;
    } else if (read("imu_quat", 4, "a component", quaternion)) {
      order = robot_.profile.imu.order;
      if (!robot_.profile.channels.quaternion_order) {
        quaternion_note_ = "imu_quat is read in the profile's order, " + std::string(to_string(order));
      }
    } else {
      episode_.missing.emplace_back("imu_quaternion");
      return;
    }
    if (robot_.profile.channels.quaternion_order.value_or(order) == QuaternionOrder::wxyz) {
      take_scalar_first(quaternion);
    } else {
      episode_.imu_quaternion = std::move(quaternion);
    }
  }

  void read_inertial() {
    const bool gyro = read("imu_gyro", 3, "an axis", episode_.imu_angular_velocity);
    const bool accelerometer = read("imu_acc", 3, "an axis", episode_.imu_specific_force);
    if (gyro && !accelerometer) episode_.missing.emplace_back("imu_acc");
    if (accelerometer && !gyro) episode_.missing.emplace_back("imu_gyro");
  }

  void read_simulated() {
    const std::optional<Samples> samples = source_.find("simulated");
    if (!samples) return;
    episode_.simulated = std::ranges::any_of(samples->values, [](double value) { return value != 0.0; });
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

  Source& source_;
  const Robot& robot_;
  Episode& episode_;
  Eigen::Index steps_ = -1;
  std::string first_, quaternion_note_;
  bool has_clock_ = false;
  Reasons accelerometer_noted_;
};

void note_invalid_steps(Episode& episode) {
  find_invalid_steps(episode);
  if (episode.invalid_steps.empty()) return;
  episode.notes.push_back(
      std::to_string(episode.invalid_steps.size()) + " steps hold NaN, infinity or no unit quaternion (first: step " +
      std::to_string(episode.invalid_steps.front()) + "); they keep their place, verdict invalid_input");
}

constexpr const char* kForms = "a folder of .npy files, an .npz or a .csv";

std::unique_ptr<Source> open_source(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  if (is_log_folder(path, kForms)) return std::make_unique<FolderSource>(path);
  if (path.extension() == ".npz") return std::make_unique<NpzSource>(path);
  if (path.extension() == ".csv") return std::make_unique<CsvSource>(path, robot, options);
  throw EpisodeError(path.string(), "not an episode", std::string("give ") + kForms);
}

enum class Values { judged, as_they_are };

Episode read(const fs::path& path, const Robot& robot, const EpisodeOptions& options, Values values) {
  const bool judged = values == Values::judged;
  const std::unique_ptr<Source> source = open_source(path, robot, options);
  Episode episode;
  episode.name = log_name(path);
  Loader loader(*source, robot, episode);
  const auto wanted = [&](const char* name, SampleMatrix& samples, bool required) {
    if (required) {
      loader.require(name, samples);
    } else if (!loader.read_motors(name, samples)) {
      episode.missing.emplace_back(name);
    }
  };
  wanted("tau", episode.tau, judged);
  wanted("qpos", episode.q, judged || episode.tau.rows() == 0);
  wanted("target_dof", episode.target, judged && options.require_target);
  wanted("dq", episode.v, false);
  loader.read_motors("ddq", episode.a);
  loader.read_time();
  loader.read_imu();
  loader.read_inertial();
  loader.read_simulated();
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
  episode.sha256 = hash_of_channels(episode.channels);
  return episode;
}

}  // namespace

Episode read_episode(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  return read(path, robot, options, Values::as_they_are);
}

Episode load_episode(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  return read(path, robot, options, Values::judged);
}

}  // namespace antaeus
