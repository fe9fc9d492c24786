#pragma once
/// \file
/// The mesh files that a robot is drawn from.

#include <map>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/io/stl.hpp"
#include "antaeus/robot/robot_description.hpp"

namespace antaeus {

/// Meshes by the file that names them in the description (`Shape::mesh`).
using MeshFiles = std::map<std::string, TriangleMesh>;

/// Reads the meshes of the links' visuals, each file once, and those of the collision shapes where a link has no
/// visuals or one of them cannot be read. A robot can be drawn without its meshes, so a missing or unreadable file is
/// no error. \param notes unless null, gains one line a file that was not read, in the description's order
ANTAEUS_API MeshFiles read_meshes(const RobotDescription& description, std::vector<std::string>* notes);

}  // namespace antaeus
