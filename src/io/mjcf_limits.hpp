#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// Checks what an MJCF becomes before MuJoCo expands it: copies by <replicate> and <attach>, declared sizes, files that
/// contain themselves or are not regular files. What is not well-formed XML is left to MuJoCo.
/// \param file  MJCF file; where it is empty, \p text is the MJCF
/// \param place  name of the text in messages
/// \return bytes of the MJCF and of the files that it names
/// \throws ModelError that names file, line and element
ANTAEUS_API std::uintmax_t check_mjcf(const std::filesystem::path& file, const std::string& text,
                                      const std::string& place);

}  // namespace antaeus
