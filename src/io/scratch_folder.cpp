#include "antaeus/io/scratch_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>

#include "antaeus/core/error.hpp"
#include "io/unfinished.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

// Short, so that it fits wherever a final name does; long enough that no two meet, also from containers on one volume.
constexpr std::string_view kPrefix = ".antaeus-";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kRandomDigits = 16;

std::string random_name() {
  std::random_device source;
  std::string name(kPrefix);
  for (std::size_t i = 0; i < kRandomDigits; ++i) name += kHexDigits[source() % kHexDigits.size()];
  return name;
}

bool is_scratch_name(std::string_view name) {
  return name.size() == kPrefix.size() + kRandomDigits && name.starts_with(kPrefix) &&
         name.find_first_not_of(kHexDigits, kPrefix.size()) == std::string_view::npos;
}

int open_folder(const fs::path& folder) noexcept {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// A program that the process had started, a browser, may still be writing there: then it takes more than one attempt.
void remove_whole(const fs::path& folder) noexcept {
  constexpr int kAttempts = 50;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (failed != std::errc::directory_not_empty) return;
    ::usleep(10'000);
  }
}

/// A folder of that kind whose owner is dead: the lock that every owner holds until its end can be had. Where locks are
/// not to be had, on some network file systems, nobody can tell, and it stays.
void remove_orphans(const fs::path& place) noexcept {
  std::error_code unreadable;
  for (fs::directory_iterator entry(place, unreadable), end; !unreadable && entry != end; entry.increment(unreadable)) {
    if (!is_scratch_name(entry->path().filename().native())) continue;
    const int lock = open_folder(entry->path());
    if (lock < 0) continue;
    struct stat status{};
    if (::fstat(lock, &status) == 0 && status.st_uid == ::geteuid() && ::flock(lock, LOCK_EX | LOCK_NB) == 0) {
      remove_whole(entry->path());
    }
    ::close(lock);
  }
}

/// Locks the folder for its owner. \return -1 if someone took it for an orphan before it could be locked
int lock_own(const fs::path& folder) noexcept {
  const int lock = open_folder(folder);
  if (lock < 0) return -1;
  const bool taken = ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat own{}, there{};
  if (!taken && ::fstat(lock, &own) == 0 && ::lstat(folder.c_str(), &there) == 0 && own.st_ino == there.st_ino)
    return lock;
  ::close(lock);
  return -1;
}

}  // namespace

Unfinished& unfinished() {
  static auto* const one = new Unfinished;  // never destroyed: an interruption may come while the process ends
  return *one;
}

std::string errno_text(int code) { return std::generic_category().message(code); }

std::string errno_remedy(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return "free disk space or choose another disk";
    case ENAMETOOLONG: return "choose a shorter name";
    default: return "check the path and the disk";
  }
}

ScratchFolder::ScratchFolder(const fs::path& place, unsigned mode, const fs::path& whose) {
  const std::string named = (whose.empty() ? place : whose).string();
  remove_orphans(place);
  Unfinished& live = unfinished();
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts && lock_ < 0; ++attempt) {
    const std::lock_guard<std::mutex> hold(live.mutex);
    path_ = place / random_name();
    if (::mkdir(path_.c_str(), mode) != 0) {
      if (errno == EEXIST) continue;
      const int code = errno;
      throw Error(named, "cannot be written (" + errno_text(code) + ")", errno_remedy(code));
    }
    lock_ = lock_own(path_);
    if (lock_ >= 0) live.scratch.insert(path_);
  }
  if (lock_ < 0) throw Error(named, "no temporary folder can be created in it", "choose another folder");
}

ScratchFolder::~ScratchFolder() {
  Unfinished& live = unfinished();
  const std::lock_guard<std::mutex> hold(live.mutex);
  remove_whole(path_);
  live.scratch.erase(path_);
  ::close(lock_);
}

void remove_scratch() noexcept {
  Unfinished& live = unfinished();
  live.mutex.lock();  // and never given back
  for (const fs::path& folder : live.scratch) {
    // Another thread may still write into it; once the folder is gone it cannot.
    constexpr int kTries = 1000;
    struct stat there{};
    for (int i = 0; i < kTries && ::lstat(folder.c_str(), &there) == 0; ++i) remove_whole(folder);
  }
  for (const fs::path& folder : std::views::reverse(live.made)) ::rmdir(folder.c_str());
}

}  // namespace antaeus
