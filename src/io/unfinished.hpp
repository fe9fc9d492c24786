#pragma once
// What this process has begun to write: kept for whoever must end the process early.

#include <filesystem>
#include <mutex>
#include <set>
#include <string>

namespace antaeus {

struct Unfinished {
  std::mutex mutex;                         ///< held while a set is put in place: an interruption waits for its end
  std::set<std::filesystem::path> scratch;  ///< removed with all that they hold
  std::set<std::filesystem::path> made;     ///< folders made on the way, removed while they are empty
};
Unfinished& unfinished();

/// The operating system's words for an errno, and what to do about it.
std::string errno_text(int code);
std::string errno_remedy(int code);

}  // namespace antaeus
