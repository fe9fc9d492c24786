// Messages in JSON, in CSV, and arrays whose names came first.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <tuple>

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/io/table.hpp"
#include "format_reader.hpp"
#include "json_scan.hpp"

namespace antaeus {

namespace {

std::string_view text_of(std::span<const std::byte> message) noexcept {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

void put(const RowPlace& place, double value, VectorX& row) noexcept {
  if (place.at >= 0) row[place.at] = place.scale * value;
}

/// Arrays and numbers of an object, with the lists of names beside them.
struct JsonShape : JsonListener {
  struct Array {
    std::string path;
    std::vector<double> values;
    std::vector<std::string> texts;
  };
  std::vector<Array> arrays;
  bool too_many = false;

  Array& of(std::string_view path) {
    for (Array& array : arrays) {
      if (array.path == path) return array;
    }
    return arrays.emplace_back(Array{std::string(path), {}, {}});
  }
  void number(std::string_view path, std::size_t, double value) noexcept override {
    constexpr std::size_t kMost = 4096;
    if (too_many = too_many || arrays.size() > kMost; too_many) return;
    Array& array = of(path);
    if (too_many = array.values.size() > kMost; !too_many) array.values.push_back(value);
  }
  void text(std::string_view path, std::size_t, std::string_view raw) noexcept override {
    constexpr std::size_t kMost = 1024;
    if (too_many = too_many || arrays.size() > kMost; too_many) return;
    Array& array = of(path);
    if (too_many = array.texts.size() > kMost; !too_many) array.texts.emplace_back(raw);
  }
};

/// "imu_state.gyroscope" → "imu_gyro", "msg.position" → "position".
std::string channel_name(const std::string& path) {
  static const std::map<std::string, std::string, std::less<>> kMeant = {
      {"orientation", "imu_quat"},
      {"quaternion", "imu_quat"},
      {"imu_quaternion", "imu_quat"},
      {"angular_velocity", "imu_gyro"},
      {"gyroscope", "imu_gyro"},
      {"imu_angular_velocity", "imu_gyro"},
      {"linear_acceleration", "imu_acc"},
      {"accelerometer", "imu_acc"},
      {"imu_linear_acceleration", "imu_acc"},
      {"quaternion_xyzw", "imu_quat_xyzw"},
      {"quaternion_wxyz", "imu_quat_wxyz"},
      {"gyro", "imu_gyro"},
      {"orientation_xyzw", "imu_quat_xyzw"},
      {"orientation_wxyz", "imu_quat_wxyz"},
      {"acc", "imu_acc"},
  };
  const std::string last = path.substr(path.rfind('.') + 1);
  const auto meant = kMeant.find(last);
  return meant == kMeant.end() ? last : meant->second;
}

class JsonReader : public FormatReader, JsonListener {
 public:
  explicit JsonReader(const ReaderOptions& options) : options_(options) {}

  Decoded read(std::span<const std::byte> message, int, VectorX& row) override {
    if (keys_.empty()) learn(text_of(message));
    row_ = &row;
    fits_ = has_its_joints_ = true;
    cursor_ = 0;
    for (Key& key : keys_) key.seen = 0;
    row[RowLayout::kStamp] = kNaN;
    seconds_ = 0.0;
    if (const char* why = scan_json(text_of(message), *this)) {
      problem = why;
      return Decoded::unusable;
    }
    if (!has_its_joints_) {
      problem = "joint names other than in the first message";
      return Decoded::unusable;
    }
    for (const Key& key : keys_) fits_ = fits_ && (key.seen == 0 || key.seen == key.count);
    if (!fits_) {
      problem = "an array with more or fewer numbers than in the first message";
      return Decoded::unusable;
    }
    if (has_seconds_) row[RowLayout::kStamp] = seconds_;
    return Decoded::sample;
  }

 private:
  struct Key {
    std::string path;
    std::size_t first, count, seen;
    double seconds;  ///< per unit, of a stamp in two numbers; 0: of none
  };

  void learn(std::string_view text) {
    JsonShape shape;
    if (const char* why = scan_json(text, shape)) throw Error("message", why, "send one JSON object a message");
    if (shape.too_many) throw Error("message", "more than 4096 keys or numbers", "send the robot's channels alone");
    std::vector<std::string> joints;
    std::string joints_path;
    for (const auto& array : shape.arrays) {
      const std::string last = channel_name(array.path);
      for (const char* known : {"name", "names", "joint_names", "joints"}) {
        if (last == known && !array.texts.empty()) std::tie(joints, joints_path) = std::tie(array.texts, array.path);
      }
    }
    std::vector<std::string> names;
    std::vector<Key> keys;
    bool by_joint = false;
    has_seconds_ = false;
    for (const auto& array : shape.arrays) {
      if (array.values.empty()) continue;
      const std::string name = channel_name(array.path);
      const std::size_t dot = array.path.rfind('.');
      const std::string outer = dot == std::string::npos ? "" : channel_name(array.path.substr(0, dot));
      const std::size_t first = names.size();
      double seconds = 0.0;
      if (name == "sec" || name == "secs") seconds = 1.0;
      if (name == "nanosec" || name == "nsec" || name == "nsecs") seconds = 1e-9;
      if (seconds > 0.0) {
        has_seconds_ = true;
        names.push_back(array.path);
      } else if (outer.starts_with("imu_") && name.size() == 1 && array.values.size() == 1) {
        names.push_back((outer.starts_with("imu_quat") ? "imu_quat" : outer) + "_" + name);
      } else if (array.values.size() == 1 && options_.layout.motors != 1) {
        names.push_back(name);
      } else if (joints.size() == array.values.size()) {
        for (const std::string& joint : joints) names.push_back(name + "_" + joint);
        by_joint = true;
      } else {
        name_numbers(name, array.values.size(), options_.column_order(), names);
      }
      keys.push_back({array.path, first, array.values.size(), 0, seconds});
    }
    const ColumnNames columns = joints.empty() ? ColumnNames::any : ColumnNames::by_joint;
    learnt = learn_places(names, "stream", options_.robot, columns, options_.names());
    if (has_seconds_) learnt.channels.stamp = true;
    for (const Key& key : keys) {
      if (joints.size() != key.count) require_whole(learnt, key.path, key.first, key.count, options_.robot);
    }
    keys_ = std::move(keys);
    if (by_joint) joints_ = std::move(joints);
    joints_path_ = std::move(joints_path);
  }

  void text(std::string_view path, std::size_t index, std::string_view raw) noexcept override {
    if (!joints_.empty() && path == joints_path_) {
      has_its_joints_ = has_its_joints_ && index < joints_.size() && joints_[index] == raw;
    }
  }

  void number(std::string_view path, std::size_t, double value) noexcept override {
    std::size_t k = cursor_;
    if (k >= keys_.size() || keys_[k].path != path) {
      const auto found = std::ranges::find(keys_, path, &Key::path);
      if (found == keys_.end()) return;
      k = static_cast<std::size_t>(found - keys_.begin());
    }
    Key& key = keys_[k];
    cursor_ = k;
    if (key.seen == key.count) {
      fits_ = false;
      return;
    }
    if (key.seconds > 0.0) {
      seconds_ += key.seconds * value;
    } else {
      put(learnt.places[key.first + key.seen], value, *row_);
    }
    if (++key.seen == key.count) ++cursor_;
  }

  ReaderOptions options_;
  std::vector<Key> keys_;
  std::vector<std::string> joints_;  ///< as named by the first message; empty: not named
  std::string joints_path_;
  VectorX* row_ = nullptr;
  std::size_t cursor_ = 0;
  bool fits_ = true, has_its_joints_ = true, has_seconds_ = false;
  double seconds_ = 0.0;
};

class CsvRowReader : public FormatReader {
 public:
  explicit CsvRowReader(const ReaderOptions& options) : options_(options) {}

  Decoded read(std::span<const std::byte> message, int, VectorX& row) override {
    std::string_view text = text_of(message);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    if (learnt.places.empty()) {
      const auto count = [&](char c) { return std::ranges::count(text, c); };
      if (count(';') > count(',')) separator_ = ';';
      if (count('\t') > std::max(count(','), count(';'))) separator_ = '\t';
      std::vector<std::string> names;
      const Table header = parse_csv(std::string(text) + "\n", "stream");
      for (const Column& column : header.columns()) names.push_back(column.name);
      learnt = learn_places(names, "stream", options_.robot, ColumnNames::any, options_.names());
      return Decoded::kept;
    }
    std::size_t column = 0;
    for (bool more = true; more; ++column) {
      const std::size_t end = text.find(separator_);
      more = end != text.npos;
      const std::string_view cell = text.substr(0, end);
      if (more) text.remove_prefix(end + 1);
      if (column < learnt.places.size() && learnt.places[column].at >= 0) {
        double value = kNaN;
        if (!number(cell, value)) {
          problem = "a cell that is not a number";
          return Decoded::unusable;
        }
        put(learnt.places[column], value, row);
      }
    }
    if (column == learnt.places.size()) return Decoded::sample;
    problem = "more or fewer cells than the header has";
    return Decoded::unusable;
  }

 private:
  /// An empty cell is no number, and none is missing.
  bool number(std::string_view cell, double& value) const noexcept {
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '"')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '"')) cell.remove_suffix(1);
    std::array<char, 64> plain;
    if (cell.empty() || cell == "nan" || cell == "NaN") return true;
    if (cell.size() > plain.size()) return false;
    std::ranges::copy(cell, plain.begin());
    if (separator_ != ',') std::replace(plain.begin(), plain.begin() + std::ssize(cell), ',', '.');
    const char *first = plain.data(), *const end = first + cell.size();
    if (*first == '+') ++first;
    const auto [after, error] = std::from_chars(first, end, value);
    return error == std::errc() && after == end;
  }

  ReaderOptions options_;
  char separator_ = ',';
};

class ArraysReader : public FormatReader {
 public:
  explicit ArraysReader(const ReaderOptions& options) : options_(options) {}

  Decoded read(std::span<const std::byte> message, int, VectorX& row) override {
    if (learnt.places.empty()) {
      learn(text_of(message));
      return Decoded::kept;
    }
    if (message.size() != learnt.places.size() * sizeof(double)) {
      problem = "more or fewer numbers than in the header";
      return Decoded::unusable;
    }
    for (std::size_t i = 0; i < learnt.places.size(); ++i) {
      double value = 0.0;
      std::memcpy(&value, message.data() + i * sizeof(double), sizeof(double));
      put(learnt.places[i], value, row);
    }
    return Decoded::sample;
  }

 private:
  /// {"channels": [["qpos", 27], …]}: texts and numbers by turns.
  void learn(std::string_view text) {
    JsonShape shape;
    if (const char* why = scan_json(text, shape)) throw Error("header", why, "send {\"channels\": [[name, count], …]}");
    const auto& list = shape.of("channels");
    if (list.texts.empty() || list.texts.size() != list.values.size() || shape.too_many) {
      throw Error("header", "no list of channels", "send {\"channels\": [[name, count], …]}");
    }
    std::vector<std::string> names;
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < list.texts.size(); ++i) {
      firsts.push_back(names.size());
      const double count = list.values[i];
      if (!(count >= 1.0) || !(count <= 1024.0)) throw Error("header", "a count that cannot be", "give 1 to 1024");
      if (count == 1.0 && (list.texts[i] == "time" || options_.layout.motors != 1)) {
        names.push_back(list.texts[i]);
      } else {
        name_numbers(list.texts[i], static_cast<std::size_t>(count), options_.column_order(), names);
      }
    }
    LearntPlaces learning = learn_places(names, "stream", options_.robot, ColumnNames::any, NamedOrder::final);
    firsts.push_back(names.size());
    for (std::size_t i = 0; i + 1 < firsts.size(); ++i) {
      require_whole(learning, list.texts[i], firsts[i], firsts[i + 1] - firsts[i], options_.robot);
    }
    learnt = std::move(learning);
  }

  ReaderOptions options_;
};

}  // namespace

std::unique_ptr<FormatReader> json_reader(const ReaderOptions& options) {
  return std::make_unique<JsonReader>(options);
}
std::unique_ptr<FormatReader> csv_reader(const ReaderOptions& options) {
  return std::make_unique<CsvRowReader>(options);
}
std::unique_ptr<FormatReader> arrays_reader(const ReaderOptions& options) {
  return std::make_unique<ArraysReader>(options);
}

}  // namespace antaeus
