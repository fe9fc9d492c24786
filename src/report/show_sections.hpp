#pragma once
// The parts of the page of a log.
#include <memory>

#include "antaeus/episode/raw_log.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "episode/fitted_log.hpp"

namespace antaeus::detail {

/// show_views.cpp. The views read the log's arrays.
Views show_views(const std::shared_ptr<const FittedLog>& shown, std::shared_ptr<const MeshFiles> meshes);

}  // namespace antaeus::detail
