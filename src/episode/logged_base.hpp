#pragma once
// How the base of a robot was turned, as the IMU of its log says. Private: report reads it.
#include <functional>
#include <string>

#include "fitted_log.hpp"

namespace antaeus::detail {

/// Channel of the base's own orientation, as a motion with a floating base has it: no sensor stands between.
inline constexpr const char* kBaseQuaternion = "base_quat_xyzw";

/// Quaternion x y z w of a row, unit length; NaN where the log has none.
using OrientationOfRow = std::function<Eigen::Vector4d(Eigen::Index row)>;

/// Of the IMU in the world; empty where no row has one. The log must live as long as the function.
OrientationOfRow logged_orientation(const FittedLog& log);

struct LoggedBase {
  OrientationOfRow orientation = {};  ///< of the root link in the world; empty: not known
  int position = -1;                  ///< channel of the root link's place in the world [m]; −1: not known
  std::string told = {};              ///< a sentence or two for people: what is known, or why not
};
/// Of a robot that fits and whose base is free. The same.
LoggedBase logged_base(const FittedLog& log);

}  // namespace antaeus::detail
