#pragma once
/// \file
/// How a log's channels become the robot's: what `[channels]` of a profile says. Torque sign, scale and gear are not
/// here: `torque.sign`, `joint_figures[].scale` and `gear` state them; the order of an unnamed quaternion is
/// `imu.order`.

#include <optional>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// Order of a quaternion's four numbers.
enum class QuaternionOrder : std::uint8_t { xyzw, wxyz };
constexpr auto enum_names(QuaternionOrder) noexcept { return name_list<QuaternionOrder>("xyzw", "wxyz"); }

/// Lists are in motor order and have one entry a motor, or none: the channel is as the robot's. Orders are applied
/// first, then scales and offsets, then delays. The defaults change nothing.
struct ChannelMap {
  double time_scale = 1.0;                   ///< [s] per unit of the clock
  std::vector<double> position_scale = {};   ///< q = scale · reading − offset; the target's, too
  std::vector<double> position_offset = {};  ///< [rad|m]
  std::vector<double> velocity_scale = {};   ///< of dq and ddq
  std::vector<int> position_order = {};      ///< per motor the column that holds its qpos, target, dq and ddq
  std::vector<int> torque_order = {};        ///< per motor the column that holds its tau
  double velocity_delay = 0.0;               ///< [s] dq and ddq are that much late
  double torque_delay = 0.0;                 ///< [s] tau is that much late
  std::optional<QuaternionOrder> quaternion_order = {};  ///< whatever the channel's name says; none: as it says
  bool quaternion_inverse = false;                       ///< it turns the world into the sensor
  Vector3 accelerometer_scale = Vector3::Ones();
  Vector3 gyro_scale = Vector3::Ones();

  bool is_identity() const noexcept {
    return time_scale == 1.0 && position_scale.empty() && position_offset.empty() && velocity_scale.empty() &&
           position_order.empty() && torque_order.empty() && velocity_delay == 0.0 && torque_delay == 0.0 &&
           !quaternion_order && !quaternion_inverse && accelerometer_scale == Vector3::Ones() &&
           gyro_scale == Vector3::Ones();
  }
};
constexpr void visit_fields(const ChannelMap*, auto&& visit) {
  using C = ChannelMap;
  visit(field("time_scale", "s", "per unit of the clock", &C::time_scale));
  visit(field("position_scale", "", "q = scale · reading − offset, and the target's; one a motor, or empty",
              &C::position_scale));
  visit(field("position_offset", "", "rad or m; one a motor, or empty", &C::position_offset));
  visit(field("velocity_scale", "", "of dq and ddq, rad/s or m/s per unit; one a motor, or empty", &C::velocity_scale));
  visit(field("position_order", "", "per motor the column that holds its qpos, target, dq and ddq; empty: as they are",
              &C::position_order));
  visit(field("torque_order", "", "per motor the column that holds its tau; empty: as they are", &C::torque_order));
  visit(field("velocity_delay", "s", "by which dq and ddq are late", &C::velocity_delay));
  visit(field("torque_delay", "s", "by which tau is late", &C::torque_delay));
  visit(field("quaternion_order", "", "whatever the channel's name says; none: as it says", &C::quaternion_order));
  visit(field("quaternion_inverse", "", "the quaternion turns the world into the sensor", &C::quaternion_inverse));
  visit(field("accelerometer_scale", "", "[3] m/s² per unit, one an axis", &C::accelerometer_scale));
  visit(field("gyro_scale", "", "[3] rad/s per unit, one an axis", &C::gyro_scale));
}

}  // namespace antaeus
