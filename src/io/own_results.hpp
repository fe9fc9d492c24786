#pragma once
// Files of an earlier run, recognised by their content: only these are replaced. python/antaeus/formats/ownership.py
// applies the same rule in Python.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace antaeus {

/// A file that is about to be put in place.
struct NewFile {
  std::filesystem::path name;       ///< relative to the folder
  std::string_view bytes;           ///< all of them, or
  std::filesystem::path stored_in;  ///< the file that holds them
};

/// Refuses to replace a file that Antaeus did not write, and any link.
/// \throws Error that names the first such file in \p folder, the reason and the remedy
void check_replaceable(const std::filesystem::path& folder, const std::vector<NewFile>& files);

/// The text of the file `.antaeus.json`, which marks a folder without summary.json: it lists the files of the set.
std::string folder_mark(const char* schema, const std::vector<std::string>& names);
constexpr const char* kFolderMark = ".antaeus.json";

}  // namespace antaeus
