#pragma once
/// \file
/// A video out of pictures, through the program ffmpeg.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// H.264 in an mp4. The same pictures give the same bytes with the same ffmpeg.
class ANTAEUS_API VideoWriter {
 public:
  /// \param width, height  of a picture [px], even \param rate  pictures a second
  /// \throws Error for another size, and where the program cannot be started
  VideoWriter(const std::filesystem::path& ffmpeg, int width, int height, double rate);
  ~VideoWriter();
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;

  /// One picture: rows from the top, three bytes a pixel: red, green, blue. \throws Error for another size, and when
  /// the program has ended
  void add(std::string_view pixels);
  /// The file's bytes; nothing can be added afterwards. \throws Error when the program has failed
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antaeus
