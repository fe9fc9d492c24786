#include "antaeus/io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

std::string reason(int code) { return std::generic_category().message(code); }

/// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int handle) : handle_(handle) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const noexcept { return handle_; }
  bool close() noexcept {
    const int handle = std::exchange(handle_, -1);
    return handle < 0 || ::close(handle) == 0;
  }

 private:
  int handle_;
};

std::string remedy_for(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return "make room or choose another disk";
    case ENAMETOOLONG: return "choose a shorter name";
    default: return "check the path and the disk";
  }
}

[[noreturn]] void throw_unwritable(const fs::path& file, int code) {
  throw Error(file.string(), "cannot be written (" + reason(code) + ")", remedy_for(code));
}

/// A name for a file beside its place. Short, so that it fits wherever the final name does.
fs::path temporary_beside(const fs::path& file) {
  static std::atomic<unsigned> counter{0};
  return file.parent_path() / (".antaeus-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
}

void write_synced(const fs::path& temporary, const fs::path& file, const std::string& bytes) {
  Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (out.get() < 0) throw_unwritable(file, errno);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = ::write(out.get(), bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_unwritable(file, written < 0 ? errno : ENOSPC);
    at += static_cast<std::size_t>(written);
  }
  if (::fsync(out.get()) != 0 && errno != EINVAL) throw_unwritable(file, errno);
  if (!out.close()) throw_unwritable(file, errno);
}

/// Makes the new names durable; a file system that cannot sync a folder loses nothing but that promise.
void sync_folder(const fs::path& folder) noexcept {
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() >= 0) static_cast<void>(::fsync(handle.get()));
}

/// What a commit has done so far; whatever was not kept is undone on destruction.
class Transaction {
 public:
  Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!kept_) {
      for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        if (step->is_in_place && step->backup.empty()) ::unlink(step->file.c_str());
        if (!step->backup.empty()) ::rename(step->backup.c_str(), step->file.c_str());
        ::unlink(step->temporary.c_str());
      }
      for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) ::rmdir(folder->c_str());
    } else {
      for (const Step& step : steps_) {
        if (!step.backup.empty()) ::unlink(step.backup.c_str());
      }
    }
  }

  /// Makes the folder and those above it.
  void make_folder(const fs::path& folder) {
    if (folder.empty() || fs::is_directory(folder)) return;
    if (folder.has_relative_path()) make_folder(folder.parent_path());
    folders_.reserve(folders_.size() + 1);
    if (::mkdir(folder.c_str(), 0777) == 0) {
      folders_.push_back(folder);
    } else if (errno != EEXIST || !fs::is_directory(folder)) {
      throw Error(folder.string(), "the folder cannot be made (" + reason(errno) + ")", remedy_for(errno));
    }
  }

  /// Writes the bytes beside their place.
  void stage(const fs::path& file, const std::string& bytes) {
    std::error_code absent;
    const fs::file_status present = fs::status(file, absent);
    if (fs::is_directory(present))
      throw Error(file.string(), "a folder is where the file should go", "choose another name");
    if (fs::exists(present) && !fs::is_regular_file(present)) {
      throw Error(file.string(), "it exists and is no regular file", "choose another name");
    }
    steps_.push_back({file, temporary_beside(file), {}, false});
    write_synced(steps_.back().temporary, file, bytes);
  }

  /// Renames everything into place.
  void publish() {
    for (Step& step : steps_) {
      std::error_code absent;
      const fs::file_status present = fs::symlink_status(step.file, absent);
      // A set may need one name as a file and as a folder; a folder must never be moved aside as a backup.
      if (fs::is_directory(present)) throw_unwritable(step.file, EISDIR);
      if (steps_.size() > 1 && fs::exists(present)) {
        const fs::path backup = temporary_beside(step.file);
        // A link keeps the old file visible until the new one replaces it; not every file system has links.
        if (::link(step.file.c_str(), backup.c_str()) != 0 && ::rename(step.file.c_str(), backup.c_str()) != 0) {
          throw_unwritable(step.file, errno);
        }
        step.backup = backup;
      }
      if (::rename(step.temporary.c_str(), step.file.c_str()) != 0) throw_unwritable(step.file, errno);
      step.is_in_place = true;
    }
    kept_ = true;
    for (const Step& step : steps_) sync_folder(step.file.parent_path());
  }

 private:
  struct Step {
    fs::path file;
    fs::path temporary;
    fs::path backup;  ///< the file that was there before
    bool is_in_place;
  };
  std::vector<Step> steps_;
  std::vector<fs::path> folders_;
  bool kept_ = false;
};

}  // namespace

std::string read_file(const fs::path& file, std::uintmax_t limit) {
  constexpr const char* kRemedy = "check the path";
  // Without O_NONBLOCK the opening of a pipe would wait for its writer.
  Descriptor in(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (in.get() < 0) throw Error(file.string(), "cannot be read (" + reason(errno) + ")", kRemedy);
  struct stat status{};
  if (::fstat(in.get(), &status) != 0) throw Error(file.string(), "cannot be read (" + reason(errno) + ")", kRemedy);
  if (S_ISDIR(status.st_mode)) throw Error(file.string(), "it is a folder", "name a file");
  if (!S_ISREG(status.st_mode)) throw Error(file.string(), "it is no regular file", "name a regular file");
  const auto too_large = [&] {
    return Error(file.string(), "it is larger than " + std::to_string(limit) + " bytes",
                 "check that it is the right file");
  };
  const auto declared = static_cast<std::uintmax_t>(status.st_size);
  if (declared > limit) throw too_large();

  // One byte more than declared: the end of the file is met without growing.
  std::string bytes(static_cast<std::size_t>(declared) + 1, '\0');
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    const ssize_t count = ::read(in.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(file.string(), "cannot be read (" + reason(errno) + ")", kRemedy);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > limit) throw too_large();
  }
  bytes.resize(filled);
  return bytes;
}

void FileSet::add(std::string name, std::string bytes) {
  const auto refuse = [&](const char* problem) {
    throw Error("file name '" + name + "'", problem, "use a name within the folder " + folder_.string());
  };
  const fs::path path(name);
  if (name.empty() || name.find('\0') != std::string::npos) refuse("it is no file name");
  if (path.is_absolute()) refuse("it is absolute");
  for (const fs::path& part : path) {
    if (part.empty() || part == "." || part == "..") refuse("it leaves its folder or names none of its files");
  }
  for (const auto& [present, present_bytes] : files_) {
    if (fs::path(present) == path) refuse("it is in the set already");
  }
  files_.emplace_back(std::move(name), std::move(bytes));
}

void FileSet::commit() {
  Transaction transaction;
  const fs::path folder = folder_.empty() ? fs::path(".") : folder_;
  transaction.make_folder(folder);
  for (const auto& [name, bytes] : files_) {
    transaction.make_folder((folder / name).parent_path());
    transaction.stage(folder / name, bytes);
  }
  transaction.publish();
  files_.clear();
}

void write_file(const fs::path& file, std::string_view bytes) {
  FileSet single(file.parent_path());
  single.add(file.filename().string(), std::string(bytes));
  single.commit();
}

}  // namespace antaeus
