#pragma once
/// \file
/// A file of this process that goes away with it: for parsers that read files, not bytes.

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace antaeus::fuzz {

class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name)
      : path_(folder() / ("antaeus_fuzz_" + std::to_string(getpid()) + "_" + name)) {}
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& write(const std::uint8_t* data, std::size_t size) const {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  /// In memory where there is such a place: a disk flushes a file that is cut and written again, thousands of times.
  static std::filesystem::path folder() {
    const std::filesystem::path memory = "/dev/shm";
    return ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
  }

  std::filesystem::path path_;
};

}  // namespace antaeus::fuzz
