#pragma once
/// \file
/// Reading whole files, and writing a set of files whole or not at all.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// Reads a regular file. \throws Error that names it: missing, a folder, unreadable, larger than \p limit bytes
ANTAEUS_API std::string read_file(const std::filesystem::path& file, std::uintmax_t limit = std::uintmax_t{1} << 34);

/// Takes the next bytes of a file.
using ByteSink = std::function<void(std::string_view)>;

namespace detail {
struct StreamedFile;
ANTAEUS_API std::string sha256_portable(std::string_view bytes);
}  // namespace detail

/// A file of a set that is written as its bytes come: none of them stays in memory. Copies write the same file.
class ANTAEUS_API FileStream {
 public:
  /// \throws Error that names the file, the reason and the remedy
  void write(std::string_view bytes);

 private:
  friend class FileSet;
  explicit FileStream(std::shared_ptr<detail::StreamedFile> file) noexcept : file_(std::move(file)) {}
  std::shared_ptr<detail::StreamedFile> file_;
};

/// Files that may be replaced. `own`: results of an earlier run, recognised by a mark or by their content; any other
/// file and any link is refused. `any`: whatever regular file has its name.
enum class Existing : std::uint8_t { own, any };

/// A set of files that appears in its folder complete or not at all. Each file is first written into a ScratchFolder
/// and synced. Only when all have succeeded are they put in place: a new folder by one rename; a folder that is there
/// by one exchange with it, which keeps the other files in it; where that cannot be (FileSet::commit), file by file.
class ANTAEUS_API FileSet {
 public:
  /// \param folder made on commit when absent (and removed again when the commit fails)
  /// \param replaces  which files of the folder may be replaced
  explicit FileSet(std::filesystem::path folder, Existing replaces = Existing::own)
      : folder_(std::move(folder)), replaces_(replaces) {}

  /// \param name relative, without ".."; \throws Error otherwise
  void add(std::string name, std::string bytes);
  /// The same for bytes that come until commit(). \throws Error besides where nothing can be written there
  FileStream stream(std::string name);
  /// A single file replaces its forerunner in one rename. Two or more replace the folder as one, unless it belongs to
  /// someone else, holds folders or more than 64 other files, is the working directory or a mount point, has access
  /// lists, lies in a folder that may not be written to, or on a file system that cannot exchange: then they are
  /// replaced one after the other, and a kill (not an error) in between leaves new files beside old ones.
  /// \throws Error that names the file, the reason and the remedy; nothing new is left behind then
  void commit();

  const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  std::filesystem::path folder_;
  Existing replaces_;
  void check_name(const std::string& name) const;
  std::vector<std::pair<std::string, std::string>> files_;
  std::map<std::string, std::shared_ptr<detail::StreamedFile>> streams_;  ///< of those whose bytes came one by one
};

/// One file, whole or not at all. \throws Error as FileSet::commit
ANTAEUS_API void write_file(const std::filesystem::path& file, std::string_view bytes,
                            Existing replaces = Existing::any);
/// The same of bytes that \p fill hands over.
ANTAEUS_API void write_file(const std::filesystem::path& file, const std::function<void(const ByteSink&)>& fill,
                            Existing replaces = Existing::any);

/// SHA-256 (FIPS 180-4) of bytes that come one after the other.
class ANTAEUS_API Sha256 {
 public:
  Sha256() noexcept;
  void add(std::string_view bytes);
  /// 64 lower-case hexadecimal digits. Nothing can be added after it.
  std::string digits();

 private:
  friend std::string detail::sha256_portable(std::string_view bytes);
  /// Takes in blocks of 64 bytes.
  using Digest = void (*)(std::array<std::uint32_t, 8>& state, const char* blocks, std::size_t count);
  explicit Sha256(Digest digest) noexcept;
  Digest digest_;
  std::array<std::uint32_t, 8> state_;
  std::string tail_;         ///< less than a block of 64 bytes
  std::uint64_t count_ = 0;  ///< bytes so far
};
/// SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
ANTAEUS_API std::string sha256(std::string_view bytes);
/// Of a file, read in parts. \throws Error as read_file
ANTAEUS_API std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace antaeus
