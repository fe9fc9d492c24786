#pragma once
// A raw log of a table that was read already. Private to src/episode.

#include <filesystem>

#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

/// As load_raw_log of the file that holds it.
RawLog read_raw_log(const std::filesystem::path& path, const Table& table);

}  // namespace antaeus
