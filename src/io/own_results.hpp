#pragma once
// Files of an earlier run, recognised by their content: only these are replaced. python/antaeus/formats/ownership.py
// applies the same rule in Python.

#include <filesystem>
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

/// Marks an open file as a result, in an extended attribute that holds its inode: a copy of it has no mark. Formats
/// such as .npy have no room for one. On a file system without extended attributes there is none.
void mark_own(int file) noexcept;

}  // namespace antaeus
