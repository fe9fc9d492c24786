#pragma once
/// \file
/// antaeus contact: what carries a motion, whether it is possible, what the motion does not tell, and what is left.

#include <memory>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/report/page.hpp"
#include "antaeus/robot/robot_meshes.hpp"

namespace antaeus {

/// Forces are those of the contacts on the robot (on the body where a total was given), torques those of the motors.
/// \param result  must live as long as the page: its views read the result's arrays when the page is written
/// \param meshes  of the robot (read_meshes); null: none are drawn
ANTAEUS_API Page contact_page(const ContactResult& result, std::shared_ptr<const MeshFiles> meshes = nullptr);

}  // namespace antaeus
