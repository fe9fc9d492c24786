#pragma once
// A log that comes through a pipe.

#include <filesystem>
#include <optional>
#include <string>

#include "antaeus/core/error.hpp"
#include "antaeus/io/scratch_folder.hpp"

namespace antaeus::cli {

/// A log by its path, or "-": what standard input holds until it ends is put into a file first, since a log is checked
/// before it is believed, and a table of numbers is known by all of its rows.
class PipedLog {
 public:
  /// \param format  of the pipe, "csv" or "parquet"; empty of a path
  /// \throws OptionsError for another, for none of a pipe and for one of a path; Error where the pipe breaks or holds
  ///         nothing, and where there is no room for it
  PipedLog(const std::string& log, const std::string& format);
  const std::filesystem::path& file() const noexcept { return file_; }

  /// Calls \p work, and says "standard input" where its error names the file that a pipe was put into.
  template <class Work>
  int named(const Work& work) const {
    try {
      return work();
    } catch (const Error& error) {
      rethrow(error);
    }
  }

 private:
  [[noreturn]] void rethrow(const Error& error) const;

  std::optional<ScratchFolder> scratch_;
  std::filesystem::path file_;
};

}  // namespace antaeus::cli
