// When a log was recorded, for the provenance of what is identified from it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "antaeus/identification/identify.hpp"
#include "identification/identify_steps.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

std::string day_text(std::chrono::sys_seconds when) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(when));
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                static_cast<unsigned>(day.day()));
  return text;
}

}  // namespace

std::string recorded_on(const fs::path& path, const Episode& episode) {
  constexpr double kSince2001 = 1e9, kUntil2100 = 4102444800.0;  // [s]; beyond, the clock counts something else
  if (episode.has_time() && episode.time[0] > kSince2001 && episode.time[0] < kUntil2100) {
    return day_text(std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(episode.time[0]))));
  }
  std::error_code failed;
  fs::file_time_type newest = fs::file_time_type::min();
  const auto look = [&](const fs::path& file) {
    const fs::file_time_type written = fs::last_write_time(file, failed);
    if (!failed) newest = std::max(newest, written);
  };
  if (fs::is_directory(path, failed)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(path, failed)) look(entry.path());
  } else {
    look(path);
  }
  if (newest == fs::file_time_type::min()) return {};
  const auto written = std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(newest));
  return std::string(detail::kByFile) + day_text(written);
}

}  // namespace antaeus
