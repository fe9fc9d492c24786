#pragma once
// What the names of a log's channels and columns say. Private to src/episode.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/episode/raw_log.hpp"

namespace antaeus {

/// Seconds in the unit of a channel of time stamps, by its name: "t", "time [s]", "timestamp_ns"; none for another
/// name.
std::optional<double> time_unit(std::string_view name);

/// What a channel of this name holds, by its columns: three named x, y, z are no joints.
ChannelRole channel_role(std::string_view name, const std::vector<std::string>& columns);

/// A column of a table: the channel that it belongs to, and what tells it from the others there.
struct ColumnPlace {
  std::string channel;
  std::string label;
};
/// One place a name. A name that shares its stem with no other column is a channel of its own, without a label.
std::vector<ColumnPlace> column_places(const std::vector<std::string>& names);

/// ASCII letters in small.
std::string lower(std::string_view text);

}  // namespace antaeus
