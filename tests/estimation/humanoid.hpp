#pragma once
/// The H1-2 in numbers that its tests share.

#include <string>

#include "antaeus/core/types.hpp"

namespace antaeus::test {

inline constexpr int kTorso = 12, kMotors = 27;  ///< the torso's motor, and how many there are
inline const std::string kLeftWrist = "left_wrist_yaw_link";
inline const Vector6 kPush = (Vector6() << 12.0, -7.0, 25.0, 0.4, -0.3, 0.2).finished();  ///< [N], [N·m]
inline const Vector6 kPrior = (Vector6() << 20, 20, 20, 1.5, 1.5, 1.5).finished();        ///< sd [N], [N·m]

}  // namespace antaeus::test
