#pragma once
/// \file
/// Words of a command line that can be pasted and run.

#include <filesystem>
#include <string>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// The text as one word of a POSIX shell: pasted, it is the argument that it was, whatever stands in it.
ANTAEUS_API std::string shell_word(const std::string& text);

/// The folder in which a line runs whose first file is this one: the one that holds it. Empty without a working
/// directory.
ANTAEUS_API std::filesystem::path folder_of(const std::filesystem::path& path);

/// A file as such a word, seen from \p folder: at most two folders up, for more would tell of this machine; then its
/// name alone. A name of nothing that exists, as that of a robot of our own, stays. One that begins like an option is
/// told to be a file.
ANTAEUS_API std::string file_word(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace antaeus
