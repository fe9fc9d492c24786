#pragma once
// The frames that a caller names as contacts. Private.
#include <set>
#include <string>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus::detail {

/// Each known and each once. \param place  the argument that messages name. \throws OptionsError
inline std::vector<FrameId> contact_frames(const RobotModel& model, const std::vector<std::string>& names,
                                           const std::string& place) {
  if (names.empty()) throw OptionsError(place, "no contact", "name at least one frame");
  std::set<std::string> seen;
  std::vector<FrameId> frames;
  for (const std::string& name : names) {
    if (!model.has_frame(name)) throw_unknown<OptionsError>(place, "frame", name, model.frame_names());
    if (!seen.insert(name).second) throw OptionsError(place, "'" + name + "' is named twice", "name it once");
    frames.push_back(model.frame(name));
  }
  return frames;
}

}  // namespace antaeus::detail
