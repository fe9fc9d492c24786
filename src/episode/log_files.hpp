#pragma once
// Where logs lie: what load_episode and load_raw_log share. Private to src/episode.

#include <filesystem>
#include <string>
#include <vector>

namespace antaeus {

/// Whether the log is a folder. \param forms  "a folder of .npy files, an .npz or a .csv", for messages
/// \throws EpisodeError where nothing is there (with the nearest name), or nothing that may be looked at
bool is_log_folder(const std::filesystem::path& path, const std::string& forms);
/// The last part of the path, printable; "." has a name, too.
std::string log_name(const std::filesystem::path& path);
/// "(20, 3)", "(20,)"
std::string shape_text(const std::vector<std::size_t>& shape);

}  // namespace antaeus
