#include "episode_source.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/io/table_reader.hpp"
#include "foreign_log.hpp"
#include "log_files.hpp"
#include "raw_channels.hpp"
#include "raw_reader.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

class FolderSource : public EpisodeSource {
 public:
  FolderSource(const fs::path& path, const Robot& robot, ReadableLog readable)
      : EpisodeSource(path, robot), readable_(std::move(readable)), converted_(read_converted_folder(readable_.path)) {}
  std::string torque_unit() const override { return converted_.torque_unit(); }
  std::string place(const std::string& name) const override {
    return readable_.keep ? path().string() + " (" + name + ")" : file(name).string();
  }
  std::optional<Samples> find(const std::string& name) override {
    // Columns with names are the joints' that are called so, wherever they stand: `guess` finds them.
    const auto known = converted_.channels.find(name);
    if (known != converted_.channels.end() && known->second.is_named() && !name.starts_with("imu_") && name != "time") {
      return std::nullopt;
    }
    std::error_code error;
    if (fs::status(file(name), error).type() == fs::file_type::not_found) return std::nullopt;
    ArrayReader array(file(name));
    EpisodeChannel channel{name, name + ".npy", array.stored_type(), {}};
    std::vector<std::size_t> shape = array.shape();
    return Samples{std::move(channel), std::move(shape), std::make_shared<RowsOfFile>(std::move(array), file(name))};
  }

 private:
  fs::path file(const std::string& name) const { return readable_.path / (name + ".npy"); }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(readable_.path, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() == ".npy") names.push_back(entry->path().stem().string());
    }
    return names;
  }

  ReadableLog readable_;
  ConvertedFolder converted_;
};

class NpzSource : public EpisodeSource {
 public:
  NpzSource(const fs::path& file, const Robot& robot) : EpisodeSource(file, robot), file_(file) {}
  std::string place(const std::string& name) const override { return path().string() + "[" + name + "]"; }
  std::optional<Samples> find(const std::string& name) override {
    if (!file_.contains(name)) return std::nullopt;
    ArrayReader array = file_.array(name);
    EpisodeChannel channel{name, printable(path().filename().string()) + "[" + name + "]", array.stored_type(), {}};
    std::vector<std::size_t> shape = array.shape();
    return Samples{std::move(channel), std::move(shape), std::make_shared<RowsOfArray>(std::move(array))};
  }

 private:
  std::vector<std::string> names() const override { return file_.names(); }

  NpzReader file_;
};

/// The columns of a log that is a table.
class LoggedColumns {
 public:
  virtual ~LoggedColumns() = default;
  virtual const std::vector<std::string>& names() const = 0;
  virtual std::size_t rows() const = 0;
  virtual bool is_text(std::size_t column) const = 0;
  /// The first cell of a text column that is not a number.
  virtual TextCell first_text(std::size_t column) const = 0;
  /// True if a text column begins with numbers, as far as that is known without reading the file again.
  virtual bool begins_with_numbers(std::size_t column) const { return first_text(column).after_numbers; }
  /// Some of them side by side; no longer than this.
  virtual std::shared_ptr<ChannelRows> rows_of(std::vector<std::size_t> columns) = 0;
  virtual Table table() = 0;
};

class ColumnsInMemory : public LoggedColumns {
 public:
  explicit ColumnsInMemory(Table table) : table_(std::move(table)) {
    for (const Column& column : table_.columns()) names_.push_back(column.name);
  }
  const std::vector<std::string>& names() const override { return names_; }
  std::size_t rows() const override { return table_.rows(); }
  bool is_text(std::size_t column) const override {
    return std::holds_alternative<TextColumn>(table_.columns()[column].data);
  }
  TextCell first_text(std::size_t column) const override { return table_.first_text(names_[column]); }
  std::shared_ptr<ChannelRows> rows_of(std::vector<std::size_t> columns) override {
    return std::make_shared<Rows>(table_, std::move(columns));
  }
  Table table() override { return table_; }

 private:
  class Rows : public ChannelRows {
   public:
    Rows(const Table& table, std::vector<std::size_t> columns) : table_(table), columns_(std::move(columns)) {}
    void read(std::size_t first, std::size_t count, double* out) override {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const auto put = [&](const auto& numbers) {
          for (std::size_t r = 0; r < count; ++r)
            out[r * columns_.size() + c] = static_cast<double>(numbers[first + r]);
        };
        const ColumnData& data = table_.columns()[columns_[c]].data;
        if (const auto* const numbers = std::get_if<std::vector<double>>(&data)) put(*numbers);
        if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&data)) put(*integers);
      }
    }

   private:
    const Table& table_;
    std::vector<std::size_t> columns_;
  };

  Table table_;
  std::vector<std::string> names_;
};

/// A block of all columns that are wanted is read at a time, since their cells stand beside each other in the file.
template <class Reader>
class ColumnsInRows : public LoggedColumns {
 public:
  /// \param whole  reads all of the file
  ColumnsInRows(const fs::path& file, Table (*whole)(const fs::path&)) : file_(file), whole_(whole), reader_(file) {}
  const std::vector<std::string>& names() const override { return reader_.columns(); }
  std::size_t rows() const override { return reader_.rows(); }
  bool is_text(std::size_t column) const override { return reader_.is_text(column); }
  TextCell first_text(std::size_t column) const override {
    if constexpr (requires { reader_.first_text(column); }) {
      return reader_.first_text(column);
    } else {
      return whole_(file_).first_text(names()[column]);
    }
  }
  bool begins_with_numbers(std::size_t column) const override {
    if constexpr (requires { reader_.first_text(column); }) return first_text(column).after_numbers;
    return false;
  }
  std::shared_ptr<ChannelRows> rows_of(std::vector<std::size_t> columns) override {
    std::vector<std::size_t> places;
    for (const std::size_t column : columns) {
      const auto known = std::ranges::find(wanted_, column);
      places.push_back(static_cast<std::size_t>(known - wanted_.begin()));
      if (known == wanted_.end()) wanted_.push_back(column);
    }
    count_ = 0;  // a block of fewer columns
    return std::make_shared<Rows>(*this, std::move(places));
  }
  Table table() override { return whole_(file_); }

 private:
  class Rows : public ChannelRows {
   public:
    Rows(ColumnsInRows& all, std::vector<std::size_t> places) : all_(all), places_(std::move(places)) {}
    void read(std::size_t first, std::size_t count, double* out) override {
      const double* row = all_.block(first, count);
      for (std::size_t r = 0; r < count; ++r, row += all_.wanted_.size()) {
        for (const std::size_t place : places_) *out++ = row[place];
      }
    }
    bool streams() const override { return true; }

   private:
    ColumnsInRows& all_;
    std::vector<std::size_t> places_;
  };

  const double* block(std::size_t first, std::size_t count) {
    if (first != first_ || count != count_) {
      block_.resize(count * wanted_.size());
      count_ = 0;
      reader_.read(first, count, wanted_, block_.data());
      first_ = first;
      count_ = count;
    }
    return block_.data();
  }

  fs::path file_;
  Table (*whole_)(const fs::path&);
  Reader reader_;
  std::vector<std::size_t> wanted_;
  std::vector<double> block_;
  std::size_t first_ = 0, count_ = 0;
};

struct PatternOf {
  const char* name;
  const char* option;
  std::string EpisodeOptions::* pattern;
};
const PatternOf kPatterns[] = {{"time", "time", &EpisodeOptions::time},
                               {"tau", "tau", &EpisodeOptions::tau},
                               {"qpos", "q", &EpisodeOptions::q},
                               {"target_dof", "target", &EpisodeOptions::target},
                               {"dq", "v", &EpisodeOptions::v},
                               {"ddq", "a", &EpisodeOptions::a},
                               {"imu_quat_xyzw", "imu_quaternion", &EpisodeOptions::imu_quaternion},
                               {"imu_gyro", "imu_angular_velocity", &EpisodeOptions::imu_angular_velocity},
                               {"imu_acc", "imu_specific_force", &EpisodeOptions::imu_specific_force}};

const PatternOf* pattern_of(const std::string& name) {
  const auto* const found = std::ranges::find_if(kPatterns, [&](const PatternOf& one) { return one.name == name; });
  return found == std::end(kPatterns) ? nullptr : found;
}

class TableSource : public EpisodeSource {
 public:
  /// \param by_name  columns are called after joints: those that no joint has the name of are none of it
  TableSource(const fs::path& file, const Robot& robot, EpisodeOptions options, std::unique_ptr<LoggedColumns> table,
              bool by_name = false)
      : EpisodeSource(file, robot), options_(std::move(options)), table_(std::move(table)), by_name_(by_name) {
    for (std::size_t c = 0; c < table_->names().size(); ++c) columns_.emplace(table_->names()[c], c);
  }
  std::string place(const std::string& name) const override {
    const PatternOf* one = pattern_of(name);
    return path().string() + " (" + (one ? options_.*one->pattern : name) + ")";
  }
  std::string how_to_name(const std::string& name) const override {
    const PatternOf* one = pattern_of(name);
    return one ? "set episode." + std::string(one->option) + " to the names of its columns, with " +
                     (name.starts_with("imu_") ? "{axis}" : "{joint}, {label} or {motor}") + " where they differ"
               : std::string();
  }

  std::optional<Samples> find(const std::string& name) override {
    const PatternOf* one = pattern_of(name);
    if (!one && name != "simulated") return std::nullopt;  // an order that no column's name tells
    const std::string text = one ? options_.*one->pattern : name;
    std::vector<std::string> wanted = column_names(name, text, 0);
    std::string absent;
    std::size_t present = present_of(wanted, absent);
    const bool is_set = one && (text != EpisodeOptions().*one->pattern || setting_of(*one));
    if (present == 0) {
      if (is_set) nothing_matches(*one, text, wanted);
      return std::nullopt;
    }
    if (present < wanted.size() && !is_set && text.find("{motor}") != text.npos) {
      // Columns that count motors from 1.
      std::vector<std::string> from_one = column_names(name, text, 1);
      std::string none;
      if (!columns_.contains(wanted.front()) && present_of(from_one, none) == from_one.size()) {
        wanted = std::move(from_one);
        present = wanted.size();
      }
    }
    if (present < wanted.size()) one_is_missing(name, wanted, absent);
    Samples samples;
    const std::size_t rows = table_->rows(), columns = wanted.size();
    samples.shape =
        columns == 1 && name == "time" ? std::vector<std::size_t>{rows} : std::vector<std::size_t>{rows, columns};
    std::vector<std::size_t> taken;
    for (const std::string& column : wanted) taken.push_back(of_numbers(column));
    samples.rows = table_->rows_of(std::move(taken));
    samples.channel = {name, printable(path().filename().string()) + "[" + text + "]", "text", {}};
    return samples;
  }

 private:
  std::vector<std::string> names() const override {
    std::vector<std::string> columns, names;
    for (std::size_t c = 0; c < table_->names().size(); ++c) {
      const std::string& name = table_->names()[c];
      // A channel with a cell of text is refused by read_raw, not left out.
      if (!table_->is_text(c) || time_unit(name) || table_->begins_with_numbers(c)) columns.push_back(name);
    }
    for (const ColumnPlace& place : column_places(columns)) names.push_back(place.channel);
    for (const std::string& column : columns) {
      if (time_unit(column)) names.push_back(column);
    }
    return names;
  }
  RawLog read_raw() const override {
    RawLog log = read_raw_log(path(), table_->table());
    if (!log.text_cells.empty()) throw EpisodeError(path().string(), log.text_cells.front(), kTextCellRemedy);
    log.by_name = log.by_name || by_name_;
    return log;
  }

  /// Where the user set a channel's pattern, in the profile or by --set; null: nowhere, or in a call.
  const Setting* setting_of(const PatternOf& one) const {
    const auto& all = robot().profile.settings.all();
    const auto found = std::ranges::find_if(all, [&](const Setting& setting) {
      return setting.group == "episode" && setting.name == one.option && setting.value == options_.*one.pattern;
    });
    return found == all.end() ? nullptr : &*found;
  }

  std::size_t present_of(const std::vector<std::string>& wanted, std::string& absent) const {
    std::size_t present = 0;
    for (const std::string& column : wanted) {
      if (columns_.contains(column)) {
        ++present;
      } else if (absent.empty()) {
        absent = column;
      }
    }
    return present;
  }

  /// Columns that no pattern takes, for whatever motor or channel: what a misspelt name can mean. \p own: all but those
  /// of this channel.
  std::vector<std::string> free_columns(const std::string& own = {}) const {
    std::set<std::string> taken;
    for (const PatternOf& one : kPatterns) {
      if (one.name == own) continue;
      for (const std::string& column : column_names(one.name, options_.*one.pattern, 0)) taken.insert(column);
    }
    std::vector<std::string> free;
    for (const std::string& name : table_->names()) {
      if (!taken.contains(name)) free.push_back(name);
    }
    return free;
  }

  [[noreturn]] void nothing_matches(const PatternOf& one, const std::string& text,
                                    const std::vector<std::string>& wanted) const {
    const UnknownName nearest = unknown_name("column", wanted.front(), free_columns());
    const Setting* set = setting_of(one);
    throw EpisodeError(
        path().string() + ":1",
        "no column matches episode." + std::string(one.option) + " = '" + text + "'" +
            (set && !set->place.empty() ? " (" + set->place + ")" : "") + ": there is no '" + wanted.front() + "'",
        nearest.remedy.empty() ? "leave the option away, or name columns that are there" : nearest.remedy);
  }

  [[noreturn]] void one_is_missing(const std::string& name, const std::vector<std::string>& wanted,
                                   const std::string& absent) const {
    const std::string problem = "unknown column '" + absent + "'";
    const std::string nearest = nearest_name(absent, free_columns());
    if (!nearest.empty()) throw EpisodeError(path().string() + ":1", problem, "did you mean '" + nearest + "'?");
    const auto& motors = robot().model.motor_names();
    std::vector<std::string> logged;
    for (std::size_t m = 0; m < std::min(motors.size(), wanted.size()) && !name.starts_with("imu_"); ++m) {
      if (columns_.contains(wanted[m])) logged.push_back(motors[m]);
    }
    throw EpisodeError(path().string() + ":1", problem,
                       logged.empty() ? "add it" : "add it, or " + motors_remedy(logged));
  }

  /// Place of a column. \throws EpisodeError unless it holds numbers
  std::size_t of_numbers(const std::string& column) const {
    const std::size_t place = columns_.at(column);
    if (table_->is_text(place)) {
      throw EpisodeError(path().string(), text_cell_message(column, table_->first_text(place)), kTextCellRemedy);
    }
    return place;
  }

  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
    return text;
  }

  /// \param first  what {motor} is for the first motor
  std::vector<std::string> column_names(const std::string& name, const std::string& text, std::size_t first) const {
    if (name == "time" || name == "simulated") return {text};
    std::vector<std::string> names;
    if (name.starts_with("imu_")) {
      // Columns are named by axis, so their order in the file does not matter: always read as x y z (w).
      if (text.find("{axis}") == text.npos) {
        throw EpisodeError(path().string(), "the pattern '" + text + "' names one column for all axes",
                           "put {axis} into it");
      }
      for (const char* axis : {"x", "y", "z"}) names.push_back(replaced(text, "{axis}", axis));
      if (name == "imu_quat_xyzw") names.push_back(replaced(text, "{axis}", "w"));
      return names;
    }
    const auto& motors = robot().model.motor_names();
    if (motors.size() > 1 && text.find("{joint}") == text.npos && text.find("{label}") == text.npos &&
        text.find("{motor}") == text.npos) {
      throw EpisodeError(path().string(), "the pattern '" + text + "' names one column for all motors",
                         "put {joint}, {label} or {motor} into it");
    }
    for (std::size_t m = 0; m < motors.size(); ++m) {
      std::string column = replaced(text, "{joint}", motors[m]);
      column = replaced(column, "{label}", robot().profile.motor_labels[m]);
      names.push_back(replaced(column, "{motor}", std::to_string(m + first)));
    }
    return names;
  }

  EpisodeOptions options_;
  std::unique_ptr<LoggedColumns> table_;
  bool by_name_;
  std::map<std::string, std::size_t, std::less<>> columns_;  ///< place by name
};

constexpr const char* kForms = "a folder of .npy files, an .npz, a .csv or a .parquet";

/// Whether a channel of this name may play the role, whatever its columns.
bool may_be(const std::string& name, ChannelRole role) {
  if (role == ChannelRole::other) return time_unit(name).has_value();
  const std::size_t columns = role == ChannelRole::orientation ? 4 : 3;
  std::vector<std::string> labels;
  for (std::size_t c = 0; c < columns; ++c) labels.push_back(std::to_string(c));
  return channel_role(name, labels) == role;
}

}  // namespace

const GuessedChannels* EpisodeSource::guess(ChannelRole role) {
  if (!std::ranges::any_of(names(), [&](const std::string& name) { return may_be(name, role); })) return nullptr;
  if (!guessed_) guessed_ = std::make_unique<const GuessedChannels>(read_raw(), robot_);
  return guessed_.get();
}

std::unique_ptr<EpisodeSource> open_episode(const fs::path& path, const Robot& robot, const EpisodeOptions& options) {
  if (ReadableLog readable = readable_log(path); is_log_folder(readable.path, kForms)) {
    return std::make_unique<FolderSource>(path, robot, std::move(readable));
  }
  if (path.extension() == ".npz") return std::make_unique<NpzSource>(path, robot);
  const auto of = [&](std::unique_ptr<LoggedColumns> table) {
    return std::make_unique<TableSource>(path, robot, options, std::move(table));
  };
  // A short one is read once and kept; each look at a long one reads the rows that it wants.
  constexpr std::uintmax_t kShort = std::uintmax_t{64} << 20;
  std::error_code unknown;
  const bool is_long = fs::file_size(path, unknown) > kShort && !unknown;
  if (path.extension() == ".csv") {
    if (is_long) return of(std::make_unique<ColumnsInRows<CsvReader>>(path, read_csv));
    return of(std::make_unique<ColumnsInMemory>(read_csv(path)));
  }
  if (path.extension() == ".parquet") {
    if (is_long) return of(std::make_unique<ColumnsInRows<ParquetReader>>(path, read_parquet));
    return of(std::make_unique<ColumnsInMemory>(read_parquet(path)));
  }
  throw EpisodeError(path.string(), "not an episode", std::string("give ") + kForms);
}

std::unique_ptr<EpisodeSource> table_source(Table table, const std::string& name, const Robot& robot,
                                            const EpisodeOptions& options, bool by_name) {
  return std::make_unique<TableSource>(name, robot, options, std::make_unique<ColumnsInMemory>(std::move(table)),
                                       by_name);
}

std::string motors_remedy(const std::vector<std::string>& logged) {
  constexpr std::size_t kMostNamed = 30;
  std::string names;
  for (std::size_t i = 0; i < std::min(logged.size(), kMostNamed); ++i) {
    std::string name = printable(logged[i]);
    for (std::size_t at = 0; (at = name.find_first_of("\"\\", at)) != name.npos; at += 2) name.insert(at, 1, '\\');
    names += (i ? ", \"" : "\"") + name + "\"";
  }
  if (logged.size() > kMostNamed) names += ", …";
  return "write a profile with those that are logged, motors = [" + names + "]: the others are then locked at zero";
}

}  // namespace antaeus
