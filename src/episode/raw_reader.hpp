#pragma once
// A raw log of a table that was read already. Private to src/episode.

#include <filesystem>
#include <string>

#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

/// "column 'tau_0' (line 102), row 100: 'n/a' is text where a number is needed"
std::string text_cell_message(const std::string& column, const TextCell& cell);
inline constexpr const char* kTextCellRemedy = "correct the cell or leave it empty";

/// As load_raw_log of the file that holds it.
RawLog read_raw_log(const std::filesystem::path& path, const Table& table);

}  // namespace antaeus
