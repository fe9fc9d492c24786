#pragma once
/// \file
/// What can be wrong with a log's set-up, and one such finding with its size, its doubt and its remedy.

#include <cstdint>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/numbers.hpp"

namespace antaeus {

/// Fault in how a log was recorded or is read; docs/guide/check.md states how each is found and repaired. The last four
/// are not faults of a channel: a contact, what no named fault explains, and what a log cannot distinguish.
enum class Fault : std::uint8_t {
  time_unit,
  time_gap,
  time_back,
  time_repeated,
  time_missing,
  positions_degrees,
  position_unit,
  position_offset,
  position_sign,
  position_limits,
  position_frozen,
  position_jump,
  joint_order,
  joint_locked,
  velocity_scale,
  velocity_sign,
  velocity_late,
  velocity_frozen,
  torque_order,
  torque_sign,
  torque_gain,
  torque_late,
  torque_frozen,
  torque_saturated,
  torque_quantised,
  motor_side,
  gravity_removed,
  friction_removed,
  quaternion_order,
  quaternion_inverse,
  imu_link,
  accelerometer_unit,
  accelerometer_sign,
  accelerometer_gravity_removed,
  gyro_unit,
  gyro_sign,
  other_robot,
  payload,
  base_tilted,
  not_numbers,
  external_force,
  too_short,
  too_little_motion
};
constexpr auto enum_names(Fault) noexcept {
  return name_list<Fault>(
      "time_unit", "time_gap", "time_back", "time_repeated", "time_missing", "positions_degrees", "position_unit",
      "position_offset", "position_sign", "position_limits", "position_frozen", "position_jump", "joint_order",
      "joint_locked", "velocity_scale", "velocity_sign", "velocity_late", "velocity_frozen", "torque_order",
      "torque_sign", "torque_gain", "torque_late", "torque_frozen", "torque_saturated", "torque_quantised",
      "motor_side", "gravity_removed", "friction_removed", "quaternion_order", "quaternion_inverse", "imu_link",
      "accelerometer_unit", "accelerometer_sign", "accelerometer_gravity_removed", "gyro_unit", "gyro_sign",
      "other_robot", "payload", "base_tilted", "not_numbers", "external_force", "too_short", "too_little_motion");
}

/// `error`: no force that is computed from the log can be trusted. `warning`: some may be wrong. `note`: it describes
/// the log.
enum class Severity : std::uint8_t { error, warning, note };
constexpr auto enum_names(Severity) noexcept { return name_list<Severity>("error", "warning", "note"); }

struct Finding {
  Fault fault = Fault::other_robot;
  std::string channel = {};              ///< "tau", "qpos", "dq", "time", "imu_quat", "imu_acc", "imu_gyro"
  std::vector<std::string> joints = {};  ///< names of the model; empty: all, or none in particular
  double size = kNaN, sd = kNaN;         ///< in `unit`; NaN: it has none
  std::string unit = {};
  Severity severity = Severity::error;
  double margin = kNaN;                        ///< [nats] over the next explanation; NaN: seen without a model
  std::string remedy = {};                     ///< one line that can be pasted or done
  std::vector<std::string> alternatives = {};  ///< faults that explain the log nearly as well, by their names
  std::string text = {};                       ///< the finding in one sentence
  std::vector<double> sizes = {};              ///< one per joint of `joints`, where they differ
};
constexpr void visit_fields(const Finding*, auto&& visit) {
  using F = Finding;
  visit(field("fault", "", "name of the mistake (docs/guide/check.md)", &F::fault));
  visit(field("channel", "", "that holds it: `tau`, `qpos`, `dq`, `time`, `imu_quat`, `imu_acc`, `imu_gyro`, `model`",
              &F::channel));
  visit(field("joints", "", "names of the model; empty: all, or none in particular", &F::joints));
  visit(field("size", "", "of the mistake, in `unit`", &F::size));
  visit(field("sd", "", "standard deviation of `size`, in `unit`", &F::sd));
  visit(field("unit", "", "of `size`", &F::unit));
  visit(field("severity", "", "how bad it is", &F::severity));
  visit(field("margin", "",
              "nats of tempered evidence over the next explanation of another name or joint; null where no model was "
              "needed",
              &F::margin));
  visit(field("remedy", "", "one line that can be pasted or done", &F::remedy));
  visit(field("alternatives", "", "faults that explain the log nearly as well", &F::alternatives));
  visit(field("text", "", "the finding in one sentence", &F::text));
  visit(field("sizes", "", "one per joint of `joints`, where they differ, in `unit`", &F::sizes));
}

}  // namespace antaeus
