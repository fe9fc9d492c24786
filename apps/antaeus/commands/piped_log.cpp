#include "piped_log.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "antaeus/io/files.hpp"

namespace antaeus::cli {

PipedLog::PipedLog(const std::string& log, const std::string& format) : file_(log) {
  if (log != "-") {
    if (!format.empty())
      throw OptionsError("--format", "the log is not a pipe", "leave it out: the file's name states it");
    return;
  }
  if (format != "csv" && format != "parquet") {
    throw OptionsError("--format", format.empty() ? "missing, and a pipe has no name" : "'" + format + "' is unknown",
                       "set --format csv or --format parquet");
  }
  scratch_.emplace(std::filesystem::temp_directory_path(), 0700, "standard input");
  file_ = scratch_->path() / ("stdin." + format);
  bool is_empty = true;
  write_file(file_, [&](const ByteSink& take) {
    std::array<char, 1 << 16> bytes;
    while (true) {
      const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        throw Error("standard input", std::string("cannot be read (") + std::strerror(errno) + ")", "check the pipe");
      }
      if (count == 0) return;
      is_empty = false;
      take({bytes.data(), static_cast<std::size_t>(count)});
    }
  });
  if (is_empty) throw Error("standard input", "it is empty", "write a log into the pipe");
}

void PipedLog::rethrow(const Error& error) const {
  const std::string name = file_.string();
  if (!scratch_) throw;
  const auto renamed = [&](std::string text) {
    const std::size_t at = text.find(name);
    return at == text.npos ? text : text.replace(at, name.size(), "standard input");
  };
  throw Error(renamed(error.place()), renamed(error.problem()), renamed(error.remedy()));
}

}  // namespace antaeus::cli
