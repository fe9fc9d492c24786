#include "antaeus/io/shell_words.hpp"

#include <string_view>
#include <system_error>

namespace antaeus {

namespace {

namespace fs = std::filesystem;

/// Absolute, without "." and "..", without a slash at its end; the path itself where there is no working directory.
fs::path whole(const fs::path& path) {
  std::error_code no_working_directory;
  const fs::path clean = fs::absolute(path, no_working_directory).lexically_normal();
  if (clean.empty()) return path;
  return clean.has_filename() ? clean : clean.parent_path();
}

constexpr int kMostUp = 2;

bool is_near(const fs::path& relative) {
  int up = 0;
  for (const fs::path& part : relative) up += part == "..";
  return !relative.empty() && up <= kMostUp;
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,/:=@%+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

fs::path folder_of(const fs::path& path) { return whole(path).parent_path(); }

std::string file_word(const fs::path& path, const fs::path& folder) {
  std::error_code unknown;
  const fs::path clean = whole(path);
  fs::path told = clean.filename();
  if (!folder.empty() && fs::exists(path, unknown)) {
    const fs::path relative = clean.lexically_relative(folder);
    if (is_near(relative)) told = relative;
  }
  const std::string name = told.string();
  return shell_word(name.starts_with('-') ? "./" + name : name);
}

}  // namespace antaeus
