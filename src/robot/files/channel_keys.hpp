#pragma once
// The [channels] table of a profile. Private to robot.

#include <cstddef>
#include <string>

#include "antaeus/robot/channel_map.hpp"

namespace antaeus {

class Keys;

/// \param motors  how many the profile lists; 0: it lists none, which the file as a whole is blamed for
/// \throws ModelError that names file, line and key
ChannelMap read_channels(Keys table, std::size_t motors);

/// The table as a profile has it; empty where it would change nothing.
std::string channels_text(const ChannelMap& channels);

}  // namespace antaeus
