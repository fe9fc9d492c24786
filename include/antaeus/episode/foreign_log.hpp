#pragma once
/// \file
/// Recordings in formats of others: who makes episodes of them.

#include <filesystem>
#include <functional>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// Makes of a recording a folder that load_episode reads: .npy files, and beside them channels.csv (names and units of
/// their columns) and notes.txt. \throws Error, one line with file, place and remedy
using LogConverter = std::function<void(const std::filesystem::path& recording, const std::filesystem::path& folder)>;

/// Sets who reads ROS bags, MCAP, HDF5, LeRobot datasets and tables of others for load_episode, load_raw_log and all
/// that call them: the command line and the Python package set their own (`antaeus convert`). Without one such a file
/// is refused, and the message says what makes an episode of it. For the whole process; any thread may call it and
/// read.
ANTAEUS_API void set_log_converter(LogConverter converter);

}  // namespace antaeus
