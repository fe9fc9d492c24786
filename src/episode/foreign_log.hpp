#pragma once
// Recordings of others as folders of arrays, and what such a folder says of its columns. Private to src/episode.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/note.hpp"
#include "antaeus/io/scratch_folder.hpp"

namespace antaeus {

/// Where the arrays of a log lie. The folder of a converted recording goes when nobody holds it any more.
struct ReadableLog {
  std::filesystem::path path;
  std::shared_ptr<const ScratchFolder> keep = {};
};
/// The path itself, or, for a recording in a format of others, a folder that it was converted into.
/// \throws EpisodeError where nobody converts; what the converter throws
ReadableLog readable_log(const std::filesystem::path& path);

/// What the folder of a converted recording says of one channel.
struct ConvertedChannel {
  std::vector<std::string> columns = {};
  std::string unit = {};    ///< "unknown": the format does not state it
  std::string source = {};  ///< where it stood in the recording
  /// Whether its columns have names, and not only numbers.
  bool is_named() const;
};
struct ConvertedFolder {
  std::map<std::string, ConvertedChannel> channels = {};  ///< empty: no converted recording
  std::vector<Note> notes = {};
  /// Of the torques, where the format states another than N·m and N; else empty.
  std::string torque_unit() const;
};
/// \throws EpisodeError for a table that is not convert's
ConvertedFolder read_converted_folder(const std::filesystem::path& folder);

}  // namespace antaeus
