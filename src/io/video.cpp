#include "antaeus/io/video.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/scratch_folder.hpp"

namespace antaeus {

namespace {

constexpr const char* kPlace = "video";

std::filesystem::path temporary_place() {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failed);
  if (failed) throw Error(kPlace, "no temporary folder can be created", "set TMPDIR to one that can be written");
  return place;
}

}  // namespace

struct VideoWriter::Impl {
  Impl(const std::filesystem::path& program, int width, int height, double rate)
      : ffmpeg(program.string()), size(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    // A socket and no pipe: a program that has ended is an error of `send`, and not this process's end.
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw Error(kPlace, "no channel to " + ffmpeg + " can be opened", "close other files");
    }
    input = ends[0];
    // One thread and no versions: the same bytes on every machine.
    std::vector<std::string> command = {ffmpeg,       "-y",
                                        "-f",         "rawvideo",
                                        "-pix_fmt",   "rgb24",
                                        "-s",         std::to_string(width) + "x" + std::to_string(height),
                                        "-r",         shortest_text(rate),
                                        "-i",         "pipe:0",
                                        "-an",        "-c:v",
                                        "libx264",    "-crf",
                                        "20",         "-preset",
                                        "medium",     "-pix_fmt",
                                        "yuv420p",    "-threads",
                                        "1",          "-fflags",
                                        "+bitexact",  "-flags:v",
                                        "+bitexact",  "-movflags",
                                        "+faststart", file().string()};
    std::vector<char*> arguments;
    for (std::string& part : command) arguments.push_back(part.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], 0);
    for (const int stream : {1, 2}) posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    sigset_t none;  // this process may wait for its signals in a thread
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    const int failed = ::posix_spawn(&child, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    ::close(ends[1]);
    if (failed == 0) return;
    child = 0;
    ::close(input);
    throw Error(ffmpeg, "cannot be started", "name another ffmpeg");
  }
  ~Impl() {
    if (child > 0) ::kill(child, SIGKILL);
    end();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::filesystem::path file() const { return folder.path() / "clip.mp4"; }

  /// \return the program's exit code; negative: it was ended
  int end() {
    if (input >= 0) ::close(input);
    input = -1;
    if (child <= 0) return -1;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[noreturn]] void fail() const {
    throw Error(ffmpeg, "made no video of the pictures", "try it by hand with `ffmpeg -encoders`: it needs libx264");
  }

  ScratchFolder folder{temporary_place(), 0700};
  std::string ffmpeg;
  std::size_t size;
  int input = -1;
  pid_t child = 0;
};

VideoWriter::VideoWriter(const std::filesystem::path& ffmpeg, int width, int height, double rate) {
  if (width < 2 || height < 2 || width % 2 != 0 || height % 2 != 0 || !(rate > 0)) {
    throw Error(kPlace, std::to_string(width) + " × " + std::to_string(height) + " is no size of a video",
                "give even numbers of pixels, and a rate above zero");
  }
  impl_ = std::make_unique<Impl>(ffmpeg, width, height, rate);
}

VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

void VideoWriter::add(std::string_view pixels) {
  if (pixels.size() != impl_->size || impl_->input < 0) {
    throw Error(kPlace, "a picture is of another size, or too late", "give as many bytes as the first ones had");
  }
  while (!pixels.empty()) {
    const ssize_t sent = ::send(impl_->input, pixels.data(), pixels.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) impl_->fail();
    pixels.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string VideoWriter::finish() {
  if (impl_->end() != 0) impl_->fail();
  std::error_code absent;
  if (!std::filesystem::is_regular_file(impl_->file(), absent)) impl_->fail();
  return read_file(impl_->file());
}

}  // namespace antaeus
