#include "antaeus/episode/raw_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/io/table.hpp"
#include "channels.hpp"
#include "foreign_log.hpp"
#include "log_files.hpp"
#include "raw_channels.hpp"
#include "raw_reader.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRawForms = "a folder of .npy files, an .npz, a .csv or a .parquet";
constexpr std::size_t kMostColumns = 256;  ///< more are a picture or a map, and no signals
constexpr double kNoClock = 1e5;           ///< [s] steps of a clock that does not count seconds but nanoseconds

/// A channel before it is known which of them belong to the log.
struct Found {
  std::string name, source, sha256;
  std::vector<std::string> columns;
  std::vector<std::size_t> shape;
  std::vector<double> values;  ///< row-major
  std::size_t rows() const { return shape.empty() ? 1 : shape[0]; }
};

/// True if a column is one of a channel that a robot's log has.
bool has_known_role(const std::string& column) {
  const std::string channel = column_places({column}).front().channel;
  return std::ranges::any_of(std::array{1, 3, 4}, [&](int columns) {
    std::vector<std::string> labels;
    for (int c = 0; c < columns; ++c) labels.push_back(std::to_string(c));
    return channel_role(channel, labels) != ChannelRole::other;
  });
}
bool is_of_joints(const std::string& channel) { return channel_role(channel, {"0"}) < ChannelRole::orientation; }

/// A name from a file, short enough to be told.
std::string told(const std::string& name) {
  constexpr std::size_t kLongest = 80;
  const std::string shown = printable(name.substr(0, kLongest));
  return name.size() > kLongest ? shown + "…" : shown;
}

/// A time stamp [s], to the microsecond: what a clock that counts from 1970 can tell.
std::string stamp_text(double stamp) {
  if (std::abs(stamp) >= 1e15) return shortest_text(stamp);  // no double has digits after the point there
  return fixed_text(stamp, 6);
}

NoteValue stamp(double seconds) { return {seconds, stamp_text(seconds)}; }

/// Returns why these time stamps [s] are not an axis; nothing where they are one.
std::optional<Note> clock_trouble(const VectorX& stamps) {
  for (Eigen::Index i = 0; i < stamps.size(); ++i) {
    if (!std::isfinite(stamps[i])) return Note(NoteCode::clock_not_finite, "time", {i});
    if (i > 0 && stamps[i] < stamps[i - 1]) {
      return Note(NoteCode::time_goes_back, "time", {i, stamp(stamps[i - 1]), stamp(stamps[i])});
    }
  }
  if (stamps.size() > 1 && stamps[0] == stamps[stamps.size() - 1]) {
    return Note(NoteCode::clock_stands_still, "time", {stamp(stamps[0])});
  }
  return std::nullopt;
}

/// It goes before all other notes: without time many of them read differently.
void note_bad_clock(const Note& trouble, RawLog& log) {
  log.bad_clock = true;
  log.notes.insert(log.notes.begin(), trouble);
}

class RawReader {
 public:
  explicit RawReader(fs::path path) : path_(std::move(path)), readable_(readable_log(path_)) {}

  RawLog read(const Table* table = nullptr) {
    log_.name = log_name(path_);
    if (table) {
      read_table(*table);
    } else if (is_log_folder(readable_.path, kRawForms)) {
      read_folder();
    } else if (path_.extension() == ".npz") {
      read_members();
    } else if (path_.extension() == ".csv") {
      read_table(read_csv(path_));
    } else if (path_.extension() == ".parquet") {
      read_table(read_parquet(path_));
    } else {
      throw EpisodeError(path_.string(), "not an episode", std::string("give ") + kRawForms);
    }
    if (found_.empty()) nothing_readable();
    keep_one_length();
    take_clock();
    if (found_.empty()) {
      throw EpisodeError(path_.string(), "time stamps and nothing else", "add the channels that were logged with them");
    }
    take_channels();
    return std::move(log_);
  }

 private:
  [[noreturn]] void nothing_readable() const {
    // With one reason, or the first of several, the reader knows where to look.
    if (log_.notes.empty()) throw EpisodeError(path_.string(), "no channel in it", std::string("give ") + kRawForms);
    throw EpisodeError(path_.string(), "nothing in it can be read as numbers (" + note_text(log_.notes.front()) + ")",
                       path_.extension() == ".csv"
                           ? "separate columns by commas, semicolons or tabs, and name them in the first line"
                           : "save the channels again as arrays of numbers");
  }

  // --- Files ---------------------------------------------------------------------------------------------------------

  /// What a page says does not depend on where the log lies.
  std::string without_folder(std::string message) const {
    const std::string name = printable(path_.filename().string());
    for (const std::string& path : {path_.string(), printable(path_.string())}) {
      for (std::size_t at = message.find(path); !path.empty() && at != message.npos;
           at = message.find(path, at + name.size())) {
        message.replace(at, path.size(), name);
      }
    }
    return message;
  }

  void leave_out(std::string why) { log_.notes.push_back({NoteCode::left_out, "", {std::move(why)}}); }

  void add(Found found) {
    const std::size_t rows = found.rows();
    const std::size_t columns = rows == 0 || found.shape.empty() ? 1 : found.values.size() / rows;
    // Of a motion, as contact takes it: the time of a step in place of a clock.
    if (found.name == "dt" && found.values.size() == 1 && found.values[0] > 0 && std::isfinite(found.values[0])) {
      step_ = std::move(found);
      return;
    }
    if (found.shape.empty()) {
      log_.notes.push_back({NoteCode::odd_shape, told(found.name), {"a single number"}});
      return;
    }
    if (columns > kMostColumns || columns == 0) {
      log_.notes.push_back(
          {NoteCode::odd_shape,
           told(found.name),
           {"shape " + shape_text(found.shape) + ", " +
            (columns == 0 ? "no column" : "more than " + std::to_string(kMostColumns) + " numbers per row")}});
      return;
    }
    if (found.columns.empty()) {
      for (std::size_t c = 0; c < columns; ++c) found.columns.push_back(columns == 1 ? "" : std::to_string(c));
    }
    found_.push_back(std::move(found));
  }

  void read_folder() {
    std::vector<fs::path> files;
    std::size_t others = 0;
    std::error_code error;
    for (fs::directory_iterator entry(readable_.path, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() == ".npy") {
        files.push_back(entry->path());
      } else {
        ++others;
      }
    }
    if (error) throw EpisodeError(path_.string(), "cannot be read (" + error.message() + ")", "check its permissions");
    if (files.empty()) {
      throw EpisodeError(
          path_.string(),
          others == 0 ? "an empty folder" : "no .npy file among the " + std::to_string(others) + " in it",
          std::string("give ") + kRawForms);
    }
    std::sort(files.begin(), files.end());
    const ConvertedFolder converted = read_converted_folder(readable_.path);
    log_.notes = converted.notes;
    log_.torque_unit = converted.torque_unit();
    for (const fs::path& file : files) {
      const auto known = converted.channels.find(file.stem().string());
      try {
        NumpyArray array = read_npy(file);
        const std::string name = file.stem().string();
        Found found{printable(name),        printable(file.filename().string()), sha256_of_file(file), {}, array.shape,
                    std::move(array.values)};
        if (known != converted.channels.end()) {
          found.source = known->second.source;
          if (array.shape.size() == 2 && known->second.columns.size() == array.shape[1]) {
            found.columns = known->second.columns;
            log_.by_name |= known->second.is_named() && is_of_joints(name);
          }
        }
        add(std::move(found));
      } catch (const Error& reason) {
        const std::string place = reason.place() == file.string() ? file.filename().string() : reason.place();
        leave_out(without_folder(Error(place, reason.problem(), reason.remedy()).what()));
      }
    }
  }

  void read_members() {
    std::vector<std::string> unread;
    std::map<std::string, NumpyArray> arrays = read_npz(path_, &unread);
    for (const std::string& reason : unread) leave_out(without_folder(reason));
    for (auto& [name, array] : arrays) {
      const std::string hash = sha256_of_npy(array.shape, array.values.data());
      const std::string source = printable(path_.filename().string()) + "[" + printable(name) + "]";
      add({printable(name), source, hash, {}, array.shape, std::move(array.values)});
    }
  }

  void read_table(const Table& table) {
    std::vector<std::string> names;
    std::string texts;
    std::size_t text_count = 0;
    const bool has_clock = std::ranges::any_of(table.columns(), [](const Column& column) {
      return time_unit(column.name) && !std::holds_alternative<TextColumn>(column.data);
    });
    for (const Column& column : table.columns()) {
      if (!std::holds_alternative<TextColumn>(column.data)) {
        names.push_back(column.name);
        continue;
      }
      const TextCell cell = table.first_text(column.name);
      const bool is_clock = time_unit(column.name) && !has_clock && !cell.text.empty();
      if (is_clock || (cell.after_numbers && !time_unit(column.name))) {
        const std::string message = text_cell_message(told(column.name), cell);
        leave_out(message);
        if (is_clock || has_known_role(column.name)) log_.text_cells.push_back(message);
        continue;
      }
      if (++text_count <= 5) texts += (texts.empty() ? "" : ", ") + told(column.name);
    }
    if (text_count > 5) texts += ", …";
    if (text_count > 0) {
      const NoteValue count(static_cast<double>(text_count),
                            std::to_string(text_count) + (text_count == 1 ? " column holds" : " columns hold"));
      log_.notes.push_back({NoteCode::text_columns, "", {count, text_count == 1 ? "is" : "are", texts}});
    }
    const std::vector<ColumnPlace> places = column_places(names);
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < names.size(); ++i) {
      // Time stamps stand alone, whatever shares their stem.
      const std::string channel = time_unit(names[i]) ? names[i] : places[i].channel;
      if (!groups.contains(channel)) order.push_back(channel);
      groups[channel].push_back(i);
    }
    for (const std::string& channel : order) add_group(table, channel, groups[channel], names, places);
  }

  void add_group(const Table& table, const std::string& channel, std::vector<std::size_t> members,
                 const std::vector<std::string>& names, const std::vector<ColumnPlace>& places) {
    const auto label = [&](std::size_t i) -> const std::string& { return places[i].label; };
    constexpr std::string_view kAxes = "xyzw";
    const bool axes = members.size() > 1 && std::all_of(members.begin(), members.end(), [&](std::size_t i) {
                        return label(i).size() == 1 && kAxes.find(label(i)[0]) != std::string_view::npos;
                      });
    const bool digits = std::all_of(members.begin(), members.end(), [&](std::size_t i) {
      return !label(i).empty() && label(i).size() < 6 && label(i).find_first_not_of("0123456789") == std::string::npos;
    });
    // Columns are told by their names, so their order in the file does not matter.
    if (axes) {
      std::stable_sort(members.begin(), members.end(),
                       [&](std::size_t a, std::size_t b) { return kAxes.find(label(a)[0]) < kAxes.find(label(b)[0]); });
    } else if (digits) {
      std::stable_sort(members.begin(), members.end(),
                       [&](std::size_t a, std::size_t b) { return std::stoi(label(a)) < std::stoi(label(b)); });
    }
    Found found;
    found.name = printable(channel == "imu_quat" && axes && members.size() == 4 ? "imu_quat_xyzw" : channel);
    const std::size_t rows = table.rows(), columns = members.size();
    found.shape = time_unit(channel) ? std::vector<std::size_t>{rows} : std::vector<std::size_t>{rows, columns};
    found.values.resize(rows * columns);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::vector<double> column = table.numbers(names[members[c]]);
      for (std::size_t r = 0; r < rows; ++r) found.values[r * columns + c] = column[r];
      found.columns.push_back(told(label(members[c])));
    }
    found.source = told(names[members.front()]);
    if (columns > 1) found.source += " … " + told(names[members.back()]);
    found.sha256 = sha256_of_npy(found.shape, found.values.data());
    add(std::move(found));
  }

  // --- Which of them are the log -------------------------------------------------------------------------------------

  /// Torques and positions say how long the log is, else what most channels agree on, else the longest.
  void keep_one_length() {
    std::map<std::size_t, int> votes;
    for (const Found& one : found_) {
      const ChannelRole role = channel_role(one.name, one.columns);
      votes[one.rows()] += role == ChannelRole::torque || role == ChannelRole::position ? 1000 : 1;
    }
    std::size_t rows = 0;
    int most = -1;
    for (const auto& [length, count] : votes) {
      if (length > 0 && count >= most) {
        most = count;
        rows = length;
      }
    }
    if (rows == 0) throw EpisodeError(path_.string(), "no rows", "give a log with at least one row");
    std::erase_if(found_, [&](const Found& one) {
      if (one.rows() == rows) return false;
      const NoteValue own(static_cast<double>(one.rows()),
                          std::to_string(one.rows()) + (one.rows() == 1 ? " row" : " rows"));
      log_.notes.push_back({NoteCode::other_length, told(one.name), {own, rows}});
      return true;
    });
  }

  void take_clock() {
    // The name that our own logs have goes first.
    auto clock = std::find_if(found_.begin(), found_.end(), [](const Found& one) { return one.name == "time"; });
    if (clock == found_.end() || clock->columns.size() != 1) {
      clock = std::find_if(found_.begin(), found_.end(),
                           [](const Found& one) { return one.columns.size() == 1 && time_unit(one.name); });
    }
    if (clock == found_.end()) {
      if (!step_) return;
      const auto rows = static_cast<Eigen::Index>(found_.front().rows());
      log_.time = step_->values[0] * VectorX::LinSpaced(rows, 0.0, static_cast<double>(rows - 1));
      log_.stamps = log_.time;
      log_.clock = step_->source;
      log_.notes.push_back({NoteCode::clock_of_dt, "dt", {step_->values[0]}});
      hashes_.emplace_back(step_->name, step_->sha256);
      return;
    }
    const double unit = time_unit(clock->name).value_or(1.0);
    const VectorX stamps =
        Eigen::Map<const VectorX>(clock->values.data(), static_cast<Eigen::Index>(clock->values.size())) * unit;
    const std::optional<Note> trouble = clock_trouble(stamps);
    hashes_.emplace_back("time", clock->sha256);
    log_.stamps = stamps;
    log_.clock = clock->source;
    if (!trouble) {
      log_.time = stamps;
      const double mean = (stamps[stamps.size() - 1] - stamps[0]) / static_cast<double>(stamps.size());
      if (mean > kNoClock) {
        log_.time *= 1e-9;
        log_.stamps = log_.time;
        log_.notes.push_back({NoteCode::nanoseconds, told(clock->name), {std::round(mean)}});
      }
    } else {
      note_bad_clock(*trouble, log_);
    }
    found_.erase(clock);
  }

  void take_channels() {
    std::vector<RawChannel> channels;
    for (Found& one : found_) {
      const ChannelRole role = channel_role(one.name, one.columns);
      hashes_.emplace_back(one.name, one.sha256);
      name_axes(role, one);
      const auto rows = static_cast<Eigen::Index>(one.rows()), columns = static_cast<Eigen::Index>(one.columns.size());
      channels.push_back({one.name, one.source, role, std::move(one.columns),
                          Eigen::Map<const SampleMatrix>(one.values.data(), rows, columns)});
      std::vector<double>().swap(one.values);  // its memory, too: a long log is there once
    }
    std::stable_sort(channels.begin(), channels.end(),
                     [](const RawChannel& a, const RawChannel& b) { return a.role < b.role; });
    for (RawChannel& channel : channels) order_as(channels.front(), channel);
    log_.channels = std::move(channels);
    log_.sha256 = hash();
  }

  /// Channels of joints have their columns in one order: that of the first.
  static void order_as(const RawChannel& first, RawChannel& channel) {
    const bool joints = first.role < ChannelRole::orientation && channel.role < ChannelRole::orientation;
    if (!joints || channel.columns == first.columns || channel.columns.size() != first.columns.size()) return;
    std::vector<int> order;
    for (const std::string& column : first.columns) {
      const auto found = std::find(channel.columns.begin(), channel.columns.end(), column);
      if (found == channel.columns.end()) return;
      order.push_back(static_cast<int>(found - channel.columns.begin()));
    }
    channel.values = SampleMatrix(channel.values(Eigen::all, order));
    channel.columns = first.columns;
  }

  /// Columns of an IMU that have numbers get the axes' names.
  static void name_axes(ChannelRole role, Found& one) {
    const bool numbers = one.columns.front() == "0";
    if (role == ChannelRole::orientation && numbers && one.name.ends_with("xyzw")) one.columns = {"x", "y", "z", "w"};
    if (role == ChannelRole::orientation && numbers && one.name.ends_with("wxyz")) one.columns = {"w", "x", "y", "z"};
    if ((role == ChannelRole::gyro || role == ChannelRole::accelerometer) && numbers) one.columns = {"x", "y", "z"};
  }

  /// In the order in which load_episode reads channels, then by name.
  std::string hash() {
    const std::vector<std::string> first = {"tau",      "qpos",     "target_dof",    "dq",
                                            "ddq",      "time",     "imu_quat_xyzw", "imu_quat_wxyz",
                                            "imu_quat", "imu_gyro", "imu_acc"};
    const auto place = [&](const EpisodeChannel& one) { return std::find(first.begin(), first.end(), one.name); };
    std::vector<EpisodeChannel> channels;
    for (const auto& [name, sha] : hashes_) channels.push_back({name, "", "", sha});
    std::stable_sort(channels.begin(), channels.end(), [&](const EpisodeChannel& a, const EpisodeChannel& b) {
      return place(a) != place(b) ? place(a) < place(b) : a.name < b.name;
    });
    return hash_of_channels(channels);
  }

  fs::path path_;
  ReadableLog readable_;
  RawLog log_;
  std::vector<Found> found_;
  std::optional<Found> step_ = {};  ///< "dt" of a motion
  std::vector<std::pair<std::string, std::string>> hashes_;
};

RawLog of_episode(const Episode& episode, const std::vector<std::string>& labels) {
  RawLog log;
  log.name = episode.name;
  log.sha256 = episode.sha256;
  log.notes = episode.notes;
  if (episode.has_time()) {
    const std::optional<Note> trouble = clock_trouble(episode.time);
    if (!trouble && episode.time.size() == episode.steps()) log.time = episode.time;
    if (trouble) note_bad_clock(*trouble, log);
  }
  const auto source = [&](const std::string& name) {
    for (const EpisodeChannel& channel : episode.channels) {
      if (channel.name == name) return channel.source;
    }
    return std::string("in memory");
  };
  const auto add = [&](const NamedChannel& channel, std::vector<std::string> columns) {
    const SampleMatrix& samples = episode.*channel.samples;
    if (samples.rows() == 0 || samples.cols() == 0) return;
    const bool axes = channel.name == std::string_view("imu_gyro") || channel.name == std::string_view("imu_acc");
    if (axes) columns.resize(3);
    if (std::ssize(columns) != samples.cols()) {  // no robot, or another one's
      columns.clear();
      for (Eigen::Index c = 0; c < samples.cols(); ++c) columns.push_back(std::to_string(c));
    }
    const ChannelRole role = channel_role(channel.name, columns);
    log.channels.push_back({channel.name, source(channel.name), role, std::move(columns), samples});
  };
  for (const NamedChannel& channel : kMotorChannels) add(channel, labels);
  for (const NamedChannel& channel : kImuChannels) add(channel, {"x", "y", "z", "w"});
  if (log.channels.empty()) throw EpisodeError(episode.name, "no steps", "give an episode with at least one step");
  std::erase_if(log.channels, [&](const RawChannel& channel) { return channel.values.rows() != episode.steps(); });
  std::stable_sort(log.channels.begin(), log.channels.end(),
                   [](const RawChannel& a, const RawChannel& b) { return a.role < b.role; });
  return log;
}

}  // namespace

std::string text_cell_message(const std::string& column, const TextCell& cell) {
  return cell.place(column) + ": '" + printable(cell.text) + "' is text where a number is needed";
}

RawLog load_raw_log(const fs::path& path) { return RawReader(path).read(); }
RawLog read_raw_log(const fs::path& path, const Table& table) { return RawReader(path).read(&table); }

RawLog raw_log(const Episode& episode, const Robot& robot) { return of_episode(episode, robot.profile.motor_labels); }
RawLog raw_log(const Episode& episode) { return of_episode(episode, {}); }

}  // namespace antaeus
