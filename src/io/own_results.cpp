#include "io/own_results.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

// Heads of pages: of this release (src/report/page_html.cpp, apps/antaeus/commands/tour.cpp), and of releases before
// it.
constexpr std::array<std::string_view, 3> kPageHeads = {
    R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="Antaeus">)",
    R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>)",
    R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Antaeus: a tour</title>)"};

bool is_regular(const fs::path& file) noexcept {
  struct stat status{};
  return ::lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

constexpr std::size_t kHeadBytes = 4096;

std::string head_of(const fs::path& file) {
  std::string head(kHeadBytes, '\0');
  if (!is_regular(file)) return {};
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

std::string head_of(const NewFile& file) {
  return file.stored_in.empty() ? std::string(file.bytes.substr(0, kHeadBytes)) : head_of(file.stored_in);
}

/// True for a table of estimates: its columns are named in the last bytes of the file.
bool is_table_of_estimates(const fs::path& file) {
  constexpr std::streamoff kTail = 1 << 16;
  if (file.extension() != ".parquet" || !is_regular(file)) return false;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = in.tellg(), count = std::min(size, kTail);
  std::string tail(static_cast<std::size_t>(std::max<std::streamoff>(count, 0)), '\0');
  in.seekg(size - count);
  in.read(tail.data(), count);
  return in && tail.ends_with("PAR1") &&
         std::ranges::all_of(std::array{"step", "endpoint", "verdict", "sd_Fx"},
                             [&](const char* name) { return tail.find(name) != tail.npos; });
}

/// \return the name in "schema": "antaeus.<name>/<number>" of a JSON text; empty: none
std::string_view schema_of(std::string_view text) {
  constexpr std::string_view kKey = "\"schema\": \"antaeus.";
  const std::size_t at = text.find(kKey);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + kKey.size());
  return rest.substr(0, rest.find_first_of("/\""));
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// True if the file shows by itself that it is a result of the kind that replaces it.
bool is_recognised(const std::string& extension, std::string_view old, std::string_view fresh) {
  if (extension == ".json") return !schema_of(old).empty();
  if (extension == ".html") return std::ranges::any_of(kPageHeads, [&](auto head) { return old.starts_with(head); });
  if (extension == ".svg") return first_line(old).find("class=\"antaeus-figure\"") != old.npos;
  if (extension == ".toml") return old.starts_with("# Written by Antaeus");
  const std::string_view columns = first_line(old);
  return extension == ".csv" && columns.find(',') != old.npos &&
         (columns == first_line(fresh) || columns.starts_with("step,time,endpoint,"));
}

constexpr const char* kMark = "user.antaeus.result";

bool is_marked(const fs::path& file) noexcept {
  struct stat status{};
  std::array<char, 32> inode{};
  if (::lstat(file.c_str(), &status) != 0) return false;
  const ssize_t size = ::lgetxattr(file.c_str(), kMark, inode.data(), inode.size());
  return size > 0 && std::string_view(inode.data(), static_cast<std::size_t>(size)) == std::to_string(status.st_ino);
}

/// The files of one folder that exist already, and what they would be replaced by.
class Replaced {
 public:
  Replaced(const fs::path& folder, const std::vector<NewFile>& files) : folder_(folder), files_(files) {}

  bool may_go(const NewFile& file) const {
    const fs::path place = folder_ / file.name;
    if (!is_regular(place)) return false;
    const fs::path within = file.name.parent_path();
    if (is_marked(place) || is_table_of_estimates(place) || summary_is_own(within)) return true;
    // A table is recognised by its .csv, a printed page by its .html: formats that have no room for a mark.
    return std::ranges::any_of(files_, [&](const NewFile& other) {
      return other.name.parent_path() == within && other.name.stem() == file.name.stem() &&
             is_recognised(other.name.extension().string(), head_of(folder_ / other.name), head_of(other));
    });
  }

 private:
  /// True if the summary there is of the same command as the new one.
  bool summary_is_own(const fs::path& within) const {
    const auto fresh = std::ranges::find(files_, within / "summary.json", &NewFile::name);
    if (fresh == files_.end()) return false;
    const std::string old = head_of(folder_ / fresh->name), text = head_of(*fresh);
    return !schema_of(old).empty() && schema_of(old) == schema_of(text);
  }

  const fs::path& folder_;
  const std::vector<NewFile>& files_;
};

}  // namespace

void check_replaceable(const fs::path& folder, const std::vector<NewFile>& files) {
  const Replaced replaced(folder, files);
  for (const NewFile& file : files) {
    const fs::path place = folder / file.name;
    struct stat status{};
    if (::lstat(place.c_str(), &status) != 0 || replaced.may_go(file)) continue;
    throw Error(place.string(),
                S_ISLNK(status.st_mode) ? "is a link, which is neither followed nor replaced"
                                        : "exists and is not a result of this command",
                "choose another name, or move it away");
  }
}

void mark_own(int file) noexcept {
  struct stat status{};
  if (::fstat(file, &status) != 0) return;
  const std::string inode = std::to_string(status.st_ino);
  static_cast<void>(::fsetxattr(file, kMark, inode.data(), inode.size(), 0));
}

}  // namespace antaeus
