#pragma once
/// \file
/// antaeus show: the page of any log, without any verdict. Its numbers: log_summary.

#include <memory>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/report/page.hpp"
#include "antaeus/robot/robot_meshes.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Channels are the robot's where they have a column a motor, in motor order, or columns with names of its joints or
/// labels. Else the page says so, and draws no robot. The robot stands as the log's orientation says, upright where
/// there is none of a link that its base's follows from.
/// \param log      must live as long as the page: its views read the log's arrays when the page is written
/// \param robot    null: joints are named as the log's columns, and nothing is drawn in space
/// \param meshes   of the robot (read_meshes); null: none are drawn
/// \param command  the line that makes the page again; empty: none is told
ANTAEUS_API Page show_page(const RawLog& log, const Robot* robot = nullptr,
                           std::shared_ptr<const MeshFiles> meshes = nullptr, const std::string& command = {});

}  // namespace antaeus
