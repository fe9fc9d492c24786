#pragma once
/// \file
/// antaeus ik: which targets are reached, why the others are not, what a path does, and the robot at each answer.

#include <memory>

#include "antaeus/core/api.hpp"
#include "antaeus/ik/ik_run.hpp"
#include "antaeus/report/page.hpp"
#include "antaeus/robot/robot_meshes.hpp"

namespace antaeus {

/// A step of the page's views is a target.
/// \param result  must live as long as the page: its views read the result's arrays when the page is written
/// \param meshes  of the robot (read_meshes); null: none are drawn
ANTAEUS_API Page ik_page(const IkResult& result, std::shared_ptr<const MeshFiles> meshes = nullptr);

}  // namespace antaeus
