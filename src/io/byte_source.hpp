#pragma once
// Bytes that are read where they are wanted: of a file, or in memory. Private to src/io.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace antaeus {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const noexcept = 0;
  /// \p count bytes from \p at on, which the caller has compared with size(). \throws Error where they are gone by now
  virtual void read(std::uint64_t at, char* out, std::size_t count) = 0;
};

/// Bytes that outlive it.
class BytesInMemory : public ByteSource {
 public:
  explicit BytesInMemory(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  void read(std::uint64_t at, char* out, std::size_t count) override { bytes_.copy(out, count, at); }

 private:
  std::string_view bytes_;
};

/// A regular file, open as long as this lives. \throws Error as read_file
std::shared_ptr<ByteSource> open_bytes(const std::filesystem::path& file);

/// Looks at bytes here and there without a call to the system each time.
class ByteWindow {
 public:
  explicit ByteWindow(ByteSource& source) : source_(source) {}
  std::uint64_t size() const noexcept { return source_.size(); }
  /// The bytes, until the next call. They must be there.
  std::string_view view(std::uint64_t at, std::size_t count) {
    if (at < first_ || at + count > first_ + held_.size()) {
      constexpr std::size_t kAtATime = std::size_t{1} << 16;
      held_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(count, kAtATime), size() - at)));
      source_.read(at, held_.data(), held_.size());
      first_ = at;
    }
    return std::string_view(held_).substr(static_cast<std::size_t>(at - first_), count);
  }

 private:
  ByteSource& source_;
  std::uint64_t first_ = 0;
  std::string held_;
};

}  // namespace antaeus
