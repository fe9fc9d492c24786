#pragma once
/// \file
/// Folders for what is being written and not finished, and what becomes of them when the writer is ended.

#include <filesystem>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// A hidden folder of a random name that is made for its owner alone. It is removed with all that it holds when it goes
/// out of scope, by `remove_scratch` when the process is interrupted, and, when its owner was killed, by the next
/// ScratchFolder that is made in the same place.
class ANTAEUS_API ScratchFolder {
 public:
  /// \param place  folder that exists
  /// \param mode   permissions, less the umask
  /// \param whose  what it is made for, named in messages; empty: the place
  /// \throws Error that names what it is made for, the reason and the remedy
  explicit ScratchFolder(const std::filesystem::path& place, unsigned mode = 0777,
                         const std::filesystem::path& whose = {});
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  ///< of the folder: held while the owner lives, wherever the folder is renamed to
};

/// Removes what this process has begun to write and not put in place. Nothing can be put in place afterwards: who still
/// tries, waits. For a thread that is about to end the process; not for a signal handler.
ANTAEUS_API void remove_scratch() noexcept;

}  // namespace antaeus
