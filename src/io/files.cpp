#include "antaeus/io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <system_error>

#include "antaeus/core/error.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "io/byte_source.hpp"
#include "io/own_results.hpp"
#include "io/unfinished.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;

/// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int handle) : handle_(handle) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int get() const noexcept { return handle_; }
  bool close() noexcept {
    const int handle = std::exchange(handle_, -1);
    return handle < 0 || ::close(handle) == 0;
  }

 private:
  int handle_;
};

[[noreturn]] void throw_unwritable(const fs::path& file, int code) {
  throw Error(file.string(), "cannot be written (" + errno_text(code) + ")", errno_remedy(code));
}

void write_all_of(int out, std::string_view bytes, const fs::path& file) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = ::write(out, bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_unwritable(file, written < 0 ? errno : ENOSPC);
    at += static_cast<std::size_t>(written);
  }
}

void close_synced(Descriptor& out, const fs::path& file) {
  if (::fsync(out.get()) != 0 && errno != EINVAL) throw_unwritable(file, errno);
  if (!out.close()) throw_unwritable(file, errno);
}

Descriptor create(const fs::path& temporary, const fs::path& file) {
  Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (out.get() < 0) throw_unwritable(file, errno);
  return out;
}

void write_synced(const fs::path& temporary, const fs::path& file, std::string_view bytes) {
  Descriptor out = create(temporary, file);
  write_all_of(out.get(), bytes, file);
  mark_own(out.get());
  close_synced(out, file);
}

/// Makes the new names durable; a file system that cannot sync a folder loses nothing but that promise.
void sync_folder(const fs::path& folder) noexcept {
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() >= 0) static_cast<void>(::fsync(handle.get()));
}

bool is_folder(const fs::path& path) noexcept {
  std::error_code absent;
  return fs::is_directory(path, absent);
}

/// The folders that a set's folder needs, made; gone again unless they are kept.
class MadeFolders {
 public:
  MadeFolders() = default;
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;
  ~MadeFolders() {
    const std::lock_guard<std::mutex> hold(unfinished().mutex);
    for (const fs::path& folder : std::views::reverse(folders_)) {
      if (!kept_) ::rmdir(folder.c_str());
      unfinished().made.erase(folder);
    }
  }
  void make(const fs::path& folder) {
    if (folder.empty() || is_folder(folder)) return;
    if (folder.has_relative_path()) make(folder.parent_path());
    const std::lock_guard<std::mutex> hold(unfinished().mutex);
    if (::mkdir(folder.c_str(), 0777) == 0) {
      folders_.push_back(folder);
      unfinished().made.insert(folder);
    } else if (const int code = errno; code != EEXIST || !is_folder(folder)) {
      throw Error(folder.string(), "the folder cannot be made (" + errno_text(code) + ")", errno_remedy(code));
    }
  }
  void keep() noexcept { kept_ = true; }

 private:
  std::vector<fs::path> folders_;
  bool kept_ = false;
};

}  // namespace

/// Bytes that came before their set is complete: a hidden file beside the folder that they go into, or above it.
struct detail::StreamedFile {
  /// \param is_alone  in its set: it then replaces a file, never the folder
  StreamedFile(const fs::path& folder, fs::path meant, bool is_alone) : file(std::move(meant)) {
    scratch.emplace(is_alone && is_folder(folder) ? folder : place_for(folder), 0777, file);
    out.emplace(create(scratch->path() / "bytes", file));
  }
  static fs::path place_for(const fs::path& folder) {
    std::error_code failed;
    fs::path place = fs::absolute(folder.empty() ? fs::path(".") : folder, failed).lexically_normal();
    if (!place.has_filename()) place = place.parent_path();
    // The folder itself is exchanged for another: what lies in it now must not be a part of it then.
    do place = place.parent_path();
    while (!is_folder(place) && place.has_relative_path());
    return ::access(place.c_str(), W_OK | X_OK) == 0 || !is_folder(folder) ? place : folder;
  }
  /// Gives the finished bytes the name; they keep their own, so that a second try finds them.
  void put(const fs::path& name) {
    if (out) {
      mark_own(out->get());
      close_synced(*out, file);
    }
    out.reset();
    const fs::path own = scratch->path() / "bytes";
    if (::link(own.c_str(), name.c_str()) == 0) return;
    std::error_code failed;  // another file system, or one without hard links
    fs::copy_file(own, name, failed);
    if (failed) throw_unwritable(file, failed.value());
    Descriptor copied(::open(name.c_str(), O_WRONLY | O_CLOEXEC));
    if (copied.get() < 0) throw_unwritable(file, errno);
    mark_own(copied.get());
    close_synced(copied, file);
  }

  fs::path file;
  std::optional<ScratchFolder> scratch;  ///< until the set is in place
  std::optional<Descriptor> out;
};

namespace {

/// Puts the files of a set in place. Whole folders first: one rename, or one exchange of two folders, leaves no moment
/// in which a reader or a kill meets some new files and some old ones.
class Publication {
 public:
  using Files = std::vector<std::pair<std::string, std::string>>;
  using Streams = std::map<std::string, std::shared_ptr<detail::StreamedFile>>;

  Publication(fs::path folder, const Files& files, const Streams& streams, Existing replaces)
      : folder_(std::move(folder)), files_(files), streams_(streams), replaces_(replaces) {}

  void run() {
    // "out/" is "out": its own parent it is not.
    if (!folder_.has_filename() && folder_.has_relative_path()) folder_ = folder_.parent_path();
    if (files_.size() == 1) made_.make(folder_);  // a lone file replaces a file, never the folder that it lies in
    if (!is_folder(folder_)) {
      made_.make(folder_.parent_path());
      check_absent();
      if (place_new_folder()) return made_.keep();
      made_.make(folder_);
    }
    for (const auto& [name, bytes] : files_) check_place(folder_ / name);
    if (replaces_ == Existing::own) check_replaceable(folder_, new_files());
    if (files_.size() == 1 || !exchange_folder()) exchange_files();
    made_.keep();
  }

 private:
  /// Refuses what is there in the folder's place and is no folder. Another writer may have made the folder since it was
  /// looked for: then it is used like one that was there before.
  void check_absent() const {
    struct stat status{};
    if (::lstat(folder_.c_str(), &status) != 0) {
      if (errno == ENOENT) return;
      throw Error(folder_.string(), "the folder cannot be made (" + errno_text(errno) + ")", errno_remedy(errno));
    }
    if (S_ISDIR(status.st_mode) || is_folder(folder_)) return;
    throw Error(folder_.string(), "the folder cannot be made (" + errno_text(EEXIST) + ")", "choose another name");
  }

  static void check_place(const fs::path& file) {
    std::error_code absent;
    const fs::file_status present = fs::status(file, absent);
    if (fs::is_directory(present))
      throw Error(file.string(), "a folder is where the file should go", "choose another name");
    if (fs::exists(present) && !fs::is_regular_file(present)) {
      throw Error(file.string(), "it exists and is not a regular file", "choose another name");
    }
  }

  std::vector<NewFile> new_files() const {
    std::vector<NewFile> all;
    for (const auto& [name, bytes] : files_) {
      const auto stream = streams_.find(name);
      all.push_back({name, bytes, stream == streams_.end() ? fs::path() : stream->second->scratch->path() / "bytes"});
    }
    return all;
  }

  /// Writes every file below `scratch`, named in messages by the place that it is meant for.
  void write_all(const fs::path& scratch) const {
    for (const auto& [name, bytes] : files_) {
      std::error_code failed;
      fs::create_directories((scratch / name).parent_path(), failed);
      if (failed) throw_unwritable(folder_ / name, failed.value());
      if (const auto stream = streams_.find(name); stream != streams_.end()) {
        stream->second->put(scratch / name);
      } else {
        write_synced(scratch / name, folder_ / name, bytes);
      }
    }
    sync_folder(scratch);
  }

  static fs::path parent_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
  }

  /// Nothing is there yet: the folder appears with its files. \return false if someone else made it meanwhile
  bool place_new_folder() const {
    const ScratchFolder scratch(parent_of(folder_), 0777, folder_);
    write_all(scratch.path());
    const std::lock_guard<std::mutex> hold(unfinished().mutex);
    int failed = ::renameat2(AT_FDCWD, scratch.path().c_str(), AT_FDCWD, folder_.c_str(), RENAME_NOREPLACE);
    // Without that flag a folder that appears meanwhile is still safe, unless it is empty.
    if (failed != 0 && errno == EINVAL) failed = ::rename(scratch.path().c_str(), folder_.c_str());
    if (failed != 0 && (errno == EEXIST || errno == ENOTEMPTY)) return false;
    if (failed != 0) throw_unwritable(folder_, errno);
    sync_folder(parent_of(folder_));
    return true;
  }

  /// Replaces the folder as one, with the user's own files in it. \return false where that cannot be done, or where the
  /// folder is more than a place for results (folders in it, many files, someone's working directory, rights that a new
  /// folder would not have)
  bool exchange_folder() const {
    std::error_code absent;
    const fs::path target = fs::canonical(folder_, absent);
    if (absent || !target.has_relative_path() || !may_be_replaced(target)) return false;
    std::optional<ScratchFolder> scratch;
    try {
      scratch.emplace(parent_of(target));
    } catch (const Error&) {
      return false;  // the folder may be written to, its parent may not
    }
    write_all(scratch->path());
    if (!copy_rights(target, scratch->path())) return false;
    const std::lock_guard<std::mutex> hold(unfinished().mutex);
    if (!link_others(target, scratch->path())) return false;
    if (::renameat2(AT_FDCWD, scratch->path().c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) return false;
    keep_late_files(scratch->path(), target);
    sync_folder(parent_of(target));
    return true;
  }

  static bool may_be_replaced(const fs::path& target) {
    struct stat folder{}, here{};
    if (::stat(target.c_str(), &folder) != 0 || folder.st_uid != ::geteuid()) return false;
    if (::faccessat(AT_FDCWD, target.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) return false;
    if (::stat(".", &here) == 0 && here.st_dev == folder.st_dev && here.st_ino == folder.st_ino) return false;
    for (const char* list : {"system.posix_acl_access", "system.posix_acl_default"}) {
      if (::getxattr(target.c_str(), list, nullptr, 0) > 0) return false;
    }
    return true;
  }

  static bool copy_rights(const fs::path& from, const fs::path& to) {
    struct stat rights{}, own{};
    if (::stat(from.c_str(), &rights) != 0 || ::stat(to.c_str(), &own) != 0) return false;
    if (own.st_gid != rights.st_gid && ::lchown(to.c_str(), static_cast<uid_t>(-1), rights.st_gid) != 0) return false;
    return ::chmod(to.c_str(), rights.st_mode & 07777) == 0;
  }

  /// The files that are not of the set get a second name in the new folder: at no time are they in the old one only.
  bool link_others(const fs::path& target, const fs::path& scratch) const {
    constexpr int kMost = 64;
    int count = 0;
    std::error_code failed;
    for (fs::directory_iterator entry(target, failed), end; !failed && entry != end; entry.increment(failed)) {
      const fs::path name = entry->path().filename();
      const bool ours = std::any_of(files_.begin(), files_.end(), [&](const auto& file) { return file.first == name; });
      if (ours) continue;
      if (++count > kMost || ::link(entry->path().c_str(), (scratch / name).c_str()) != 0) return false;
    }
    return !failed;
  }

  /// What someone wrote into the old folder between the links and the exchange.
  static void keep_late_files(const fs::path& old, const fs::path& target) {
    std::error_code failed;
    for (fs::directory_iterator entry(old, failed), end; !failed && entry != end; entry.increment(failed)) {
      const fs::path place = target / entry->path().filename();
      static_cast<void>(
          ::renameat2(AT_FDCWD, entry->path().c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE));  // else it is there
    }
  }

  /// File by file, each whole at any time; what fails is undone, but a kill in between leaves new files beside old
  /// ones.
  void exchange_files() {
    const ScratchFolder scratch(folder_);
    write_all(scratch.path());
    for (const auto& [name, bytes] : files_) made_.make((folder_ / name).parent_path());
    const std::lock_guard<std::mutex> hold(unfinished().mutex);
    std::vector<Placed> placed;
    for (const auto& [name, bytes] : files_) {
      const Placed step = place(scratch.path() / name, folder_ / name);
      if (step.how == How::failed) {
        const int code = errno;
        for (const Placed& done : std::views::reverse(placed)) take_back(done);
        throw_unwritable(folder_ / name, code);
      }
      placed.push_back(step);
    }
    for (const auto& [name, bytes] : files_) sync_folder((folder_ / name).parent_path());
  }

  enum class How { failed, added, exchanged, replaced };
  struct Placed {
    fs::path from, to;
    How how;
  };
  static Placed place(const fs::path& from, const fs::path& to) {
    std::error_code absent;
    if (!fs::exists(fs::symlink_status(to, absent))) {
      return {from, to, ::rename(from.c_str(), to.c_str()) == 0 ? How::added : How::failed};
    }
    if (is_folder(to)) {  // made since the places were checked: a folder must never be moved aside
      errno = EISDIR;
      return {from, to, How::failed};
    }
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0)
      return {from, to, How::exchanged};
    const bool unknown = errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
    return {from, to, unknown && ::rename(from.c_str(), to.c_str()) == 0 ? How::replaced : How::failed};
  }
  static void take_back(const Placed& step) noexcept {
    if (step.how == How::added) ::unlink(step.to.c_str());
    if (step.how == How::exchanged) ::rename(step.from.c_str(), step.to.c_str());
  }

  fs::path folder_;
  const Files& files_;
  const Streams& streams_;
  Existing replaces_;
  MadeFolders made_;
};

constexpr const char* kCheckPath = "check the path";

[[noreturn]] void throw_unreadable(const fs::path& file, int code) {
  throw Error(file.string(), "cannot be read (" + errno_text(code) + ")", kCheckPath);
}

/// A regular file that is open, and its size by now.
struct OpenFile {
  Descriptor in;
  std::uintmax_t size;
};

OpenFile open_regular(const fs::path& file) {
  // Without O_NONBLOCK the opening of a pipe would wait for its writer.
  Descriptor in(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (in.get() < 0) throw_unreadable(file, errno);
  struct stat status{};
  if (::fstat(in.get(), &status) != 0) throw_unreadable(file, errno);
  if (S_ISDIR(status.st_mode)) throw Error(file.string(), "it is a folder", "name a file");
  if (!S_ISREG(status.st_mode)) throw Error(file.string(), "it is not a regular file", "name a regular file");
  return {std::move(in), static_cast<std::uintmax_t>(status.st_size)};
}

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const fs::path& file) : file_(file), open_(open_regular(file)) {}
  std::uint64_t size() const noexcept override { return open_.size; }
  void read(std::uint64_t at, char* out, std::size_t count) override {
    while (count > 0) {
      const ssize_t got = ::pread(open_.in.get(), out, count, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_unreadable(file_, errno);
      if (got == 0) throw Error(file_.string(), "it became shorter while it was read", "read it once it is written");
      at += static_cast<std::uint64_t>(got);
      out += got;
      count -= static_cast<std::size_t>(got);
    }
  }

 private:
  fs::path file_;
  OpenFile open_;
};

}  // namespace

std::shared_ptr<ByteSource> open_bytes(const fs::path& file) { return std::make_shared<FileBytes>(file); }

std::string read_file(const fs::path& file, std::uintmax_t limit) {
  const OpenFile open = open_regular(file);
  const auto too_large = [&] {
    return Error(file.string(), "it is larger than " + std::to_string(limit) + " bytes",
                 "check that it is the right file");
  };
  const std::uintmax_t declared = open.size;
  if (declared > limit) throw too_large();

  // One byte more than declared: the end of the file is met without growing.
  std::string bytes(static_cast<std::size_t>(declared) + 1, '\0');
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(2 * bytes.size());
    const ssize_t count = ::read(open.in.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_unreadable(file, errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > limit) throw too_large();
  }
  bytes.resize(filled);
  return bytes;
}

void FileSet::check_name(const std::string& name) const {
  const auto refuse = [&](const char* problem) {
    throw Error("file name '" + name + "'", problem, "use a name within the folder " + folder_.string());
  };
  const fs::path path(name);
  if (name.empty() || name.find('\0') != std::string::npos) refuse("it is not a file name");
  if (path.is_absolute()) refuse("it is absolute");
  for (const fs::path& part : path) {
    if (part.empty() || part == "." || part == "..") refuse("it leaves its folder or names none of its files");
  }
  for (const auto& [present, present_bytes] : files_) {
    if (fs::path(present) == path) refuse("it is in the set already");
  }
}

void FileSet::add(std::string name, std::string bytes) {
  check_name(name);
  files_.emplace_back(std::move(name), std::move(bytes));
}

FileStream FileSet::stream(std::string name) {
  check_name(name);
  auto file = std::make_shared<detail::StreamedFile>(folder_, folder_ / name, false);
  streams_.emplace(name, file);
  files_.emplace_back(std::move(name), std::string());
  return FileStream(std::move(file));
}

void FileStream::write(std::string_view bytes) {
  if (!file_->out) throw Error(file_->file.string(), "it is written already", "write before commit()");
  write_all_of(file_->out->get(), bytes, file_->file);
}

void FileSet::commit() {
  if (files_.empty()) return;
  Publication(folder_.empty() ? fs::path(".") : folder_, files_, streams_, replaces_).run();
  for (const auto& [name, stream] : streams_) stream->scratch.reset();
  files_.clear();
  streams_.clear();
}

void write_file(const fs::path& file, std::string_view bytes, Existing replaces) {
  FileSet single(file.parent_path(), replaces);
  single.add(file.filename().string(), std::string(bytes));
  single.commit();
}

void write_file(const fs::path& file, const std::function<void(const ByteSink&)>& fill, Existing replaces) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string name = file.filename().string();
  FileSet(folder).add(name, {});  // says what is wrong with a name
  const auto stream = std::make_shared<detail::StreamedFile>(folder, file, true);
  fill([&](std::string_view bytes) { write_all_of(stream->out->get(), bytes, file); });
  Publication(folder, {{name, {}}}, {{name, stream}}, replaces).run();
}

std::string sha256_of_file(const fs::path& file) {
  FileBytes bytes(file);
  Sha256 hash;
  std::string part;
  constexpr std::uint64_t kAtATime = std::uint64_t{1} << 18;
  for (std::uint64_t at = 0; at < bytes.size(); at += part.size()) {
    part.resize(static_cast<std::size_t>(std::min(kAtATime, bytes.size() - at)));
    bytes.read(at, part.data(), part.size());
    hash.add(part);
  }
  return hash.digits();
}

}  // namespace antaeus
