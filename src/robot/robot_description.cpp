#include "antaeus/robot/robot_description.hpp"

#include <algorithm>

namespace antaeus {

const LinkDescription* RobotDescription::find_link(std::string_view link) const noexcept {
  const auto found = std::find_if(links.begin(), links.end(), [&](const auto& l) { return l.name == link; });
  return found == links.end() ? nullptr : &*found;
}

}  // namespace antaeus
