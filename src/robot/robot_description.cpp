#include "antaeus/robot/robot_description.hpp"

#include <algorithm>

namespace antaeus {

const LinkDescription* RobotDescription::find_link(std::string_view link) const noexcept {
  const auto found = std::find_if(links.begin(), links.end(), [&](const auto& l) { return l.name == link; });
  return found == links.end() ? nullptr : &*found;
}

const JointDescription* RobotDescription::find_joint(std::string_view joint) const noexcept {
  const auto found = std::find_if(joints.begin(), joints.end(), [&](const auto& j) { return j.name == joint; });
  return found == joints.end() ? nullptr : &*found;
}

std::string RobotDescription::link_of(std::string_view frame) const {
  const JointDescription* const joint = find_link(frame) ? nullptr : find_joint(frame);
  return joint ? joint->child : std::string(frame);
}

}  // namespace antaeus
