#pragma once
/// \file
/// Reading whole files, and writing a set of files whole or not at all.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// Reads a regular file. \throws Error that names it: missing, a folder, unreadable, larger than \p limit bytes
ANTAEUS_API std::string read_file(const std::filesystem::path& file, std::uintmax_t limit = std::uintmax_t{1} << 34);

/// A set of files that appears in its folder complete or not at all. Each file is first written into a ScratchFolder
/// and synced. Only when all have succeeded are they put in place: a new folder by one rename; a folder that is there
/// by one exchange with it, which keeps the other files in it; where that cannot be (FileSet::commit), file by file.
class ANTAEUS_API FileSet {
 public:
  /// \param folder made on commit when absent (and removed again when the commit fails)
  explicit FileSet(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// \param name relative, without ".."; \throws Error otherwise
  void add(std::string name, std::string bytes);
  /// A single file replaces its forerunner in one rename. Two or more replace the folder as one, unless it belongs to
  /// someone else, holds folders or more than 64 other files, is the working directory or a mount point, has access
  /// lists, lies in a folder that may not be written to, or on a file system that cannot exchange: then they are
  /// replaced one after the other, and a kill (not an error) in between leaves new files beside old ones.
  /// \throws Error that names the file, the reason and the remedy; nothing new is left behind then
  void commit();

  const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::string>> files_;
};

/// One file, whole or not at all. \throws Error as FileSet::commit
ANTAEUS_API void write_file(const std::filesystem::path& file, std::string_view bytes);

/// SHA-256 (FIPS 180-4) of the bytes, as 64 lower-case hexadecimal digits.
ANTAEUS_API std::string sha256(std::string_view bytes);

}  // namespace antaeus
