// An MJCF that a profile names: what src/robot/robot_profile.cpp loads this component for.
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/sim/mujoco_robot.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the number is the version of the border
extern "C" ANTAEUS_API void antaeus_read_mjcf_1(const std::string& file, const antaeus::Base* base,
                                                antaeus::RobotDescription& description,
                                                antaeus::ModelOptions& options) {
  const antaeus::Robot robot = antaeus::load_any_robot(file, antaeus::MeshPolicy::ignored,
                                                       base ? std::optional<antaeus::Base>(*base) : std::nullopt);
  description = robot.model.description();
  options = robot.model.options();
}
