#pragma once
// The robot of a flight: one arm on a base that nothing holds, out of a profile, a URDF or an MJCF file.
#include <string>
#include <vector>

#include "antaeus/core/settings.hpp"
#include "antaeus/robot/robot_model.hpp"
#include "antaeus/space/free_flyer.hpp"

namespace antaeus {

struct FlyingRobot {
  RobotModel model;  // free root, no gravity; what does not move the frame is locked
  std::string frame;
  std::string title;
  VectorX ready;        // [n] around which a start is sought
  bool is_named_ready;  // it is the profile's pose "ready"
  std::vector<std::string> remarks;
  Settings settings = {};  // of its profile
};

/// \param payloads  beside those of the profile. \throws ModelError (also at --payload), OptionsError at --frame
FlyingRobot load_flying_robot(const std::string& robot, const std::string& frame,
                              const std::vector<Payload>& payloads = {});

/// q with the base at this pose and the arm at these positions.
VectorX flying_position(const RobotModel& model, const Pose& X_WB, ConstVectorRef theta);
/// The arm's positions in q, from neutral on.
VectorX arm_positions(const RobotModel& model, ConstVectorRef q);

}  // namespace antaeus
