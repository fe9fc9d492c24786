#include "foreign_log.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <list>
#include <mutex>
#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/foreign_log.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/table.hpp"
#include "fitted_log.hpp"
#include "log_files.hpp"
#include "raw_channels.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

constexpr const char* kColumnsFile = "channels.csv";
constexpr const char* kNotesFile = "notes.txt";
constexpr std::size_t kMostKept = 4;  ///< converted recordings: an audit reads its log and baselines several times

struct Kept {
  fs::path recording;
  fs::file_time_type changed;
  ReadableLog log;
};
/// Never destroyed but for its folders: a converter of Python must not outlive the interpreter.
struct Converting {
  std::mutex mutex;
  LogConverter converter;
};
Converting& converting() {
  static auto* const one = new Converting;
  return *one;
}
std::list<Kept>& kept() {
  static std::list<Kept> all;
  return all;
}

bool has(const fs::path& folder, const char* name) {
  std::error_code error;
  return fs::exists(folder / name, error);
}

bool holds_npy(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".npy") return true;
  }
  return false;
}

/// Whether a header names a column so, with or without the quotes and the "state." that libfranka's may have.
bool names(std::string_view head, std::string_view column) {
  constexpr std::string_view kBefore = ",;\t \".", kAfter = ",;\t \"\r";
  for (std::size_t at = head.find(column); at != head.npos; at = head.find(column, at + 1)) {
    const std::size_t end = at + column.size();
    if ((at == 0 || kBefore.find(head[at - 1]) != kBefore.npos) &&
        (end == head.size() || kAfter.find(head[end]) != kAfter.npos)) {
      return true;
    }
  }
  return false;
}

/// Tables of UR's RTDE client, of libfranka and of PlotJuggler, by what the readers in python/antaeus/formats go by.
bool is_table_of_others(const fs::path& file) {
  constexpr std::array kRtde = {"actual_q_0", "actual_current_0", "actual_qd_0", "target_q_0",
                                "actual_current_as_torque_0"};
  constexpr std::array kFranka = {"tau_J[0]", "tau_ext_hat_filtered[0]", "q_d[0]", "O_T_EE[0]"};
  constexpr std::size_t kLongestHead = 1 << 16;
  std::ifstream stream(file, std::ios::binary);
  std::string head(kLongestHead, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(std::min(static_cast<std::size_t>(stream.gcount()), head.find('\n')));
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);
  const auto has_name = [&](const char* column) { return names(head, column); };
  return head.starts_with("__time,") || head.starts_with("__time;") || head.starts_with("__time\t") ||
         head.starts_with("\"__time\",") || std::ranges::any_of(kRtde, has_name) ||
         (names(head, "q[0]") && std::ranges::any_of(kFranka, has_name));
}

bool is_foreign(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (has(path, "metadata.yaml")) return !holds_npy(path);
    if (has(path, "meta") && has(path / "meta", "info.json")) return true;
    return has(path, "data.json") && !holds_npy(path);
  }
  if (!fs::is_regular_file(path, error)) return false;
  const std::string ending = lower(path.extension().string());
  constexpr std::array kEndings = {".bag", ".db3", ".mcap", ".hdf5", ".h5", ".json"};
  if (std::ranges::find(kEndings, ending) != kEndings.end()) return true;
  if (ending == ".csv" || ending == ".txt") return is_table_of_others(path);
  if (ending != ".parquet") return false;
  const fs::path folder = fs::absolute(path, error).parent_path().parent_path();
  return has(folder / "meta", "info.json") || has(folder.parent_path() / "meta", "info.json");
}

}  // namespace

void set_log_converter(LogConverter converter) {
  const std::lock_guard<std::mutex> hold(converting().mutex);
  converting().converter = std::move(converter);
}

ReadableLog readable_log(const fs::path& path) {
  if (!is_foreign(path)) return {path};
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  const auto changed = fs::last_write_time(path, error);
  const std::lock_guard<std::mutex> hold(converting().mutex);
  for (const Kept& one : kept()) {
    if (one.recording == whole && one.changed == changed) return one.log;
  }
  if (!converting().converter) {
    throw EpisodeError(path.string(), "a recording that this program does not read",
                       "make an episode of it: antaeus convert (pip install 'antaeus[logs]')");
  }
  const fs::path place = fs::temp_directory_path(error);
  if (error) throw EpisodeError(path.string(), "no folder for temporary files", "set TMPDIR to one");
  const auto scratch = std::make_shared<const ScratchFolder>(place, 0700, path);
  const ReadableLog log{scratch->path() / "episode", scratch};
  converting().converter(path, log.path);
  kept().push_front({whole, changed, log});
  if (kept().size() > kMostKept) kept().pop_back();
  return log;
}

bool ConvertedChannel::is_named() const { return !std::ranges::all_of(columns, detail::is_number); }

std::string ConvertedFolder::torque_unit() const {
  const auto tau = channels.find("tau");
  if (tau == channels.end()) return {};
  const std::string& unit = tau->second.unit;
  return unit == "unknown" || unit == "N·m" || unit == "N" ? std::string() : unit;
}

ConvertedFolder read_converted_folder(const fs::path& folder) {
  ConvertedFolder found;
  std::error_code error;
  if (!fs::exists(folder / kColumnsFile, error)) return found;
  const Table table = read_csv(folder / kColumnsFile);
  const auto texts = [&](const char* name) -> std::vector<std::string> {
    for (const Column& column : table.columns()) {
      if (column.name != name) continue;
      std::vector<std::string> cells;
      if (const auto* const text = std::get_if<TextColumn>(&column.data)) {
        for (std::size_t row = 0; row < text->size(); ++row) cells.emplace_back((*text)[row]);
      } else {
        for (const double number : table.numbers(name)) cells.push_back(shortest_text(number));
      }
      return cells;
    }
    throw EpisodeError((folder / kColumnsFile).string(), std::string("no column '") + name + "'",
                       "let antaeus convert write the folder, or remove the file");
  };
  const std::vector<std::string> channels = texts("channel"), names = texts("name"), units = texts("unit"),
                                 sources = texts("source");
  for (std::size_t i = 0; i < channels.size(); ++i) {
    ConvertedChannel& channel = found.channels[channels[i]];
    channel.columns.push_back(printable(names[i]));
    channel.unit = printable(units[i]), channel.source = printable(sources[i]);
  }
  if (!fs::exists(folder / kNotesFile, error)) return found;
  const std::string lines = read_file(folder / kNotesFile);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    if (end > at) found.notes.push_back({NoteCode::converted, "", {printable(lines.substr(at, end - at))}});
    at = end + 1;
  }
  return found;
}

}  // namespace antaeus
