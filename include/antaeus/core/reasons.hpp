#pragma once
/// \file
/// Named reasons why a verdict is not `ok`, and sets of them.

#include <cstdint>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"

namespace antaeus {

/// One reason. New ones are added at the end: the numbers stand in flight records.
enum class Reason : std::uint8_t {
  invalid_input,            ///< the observation could not be used
  rank_deficient,           ///< some direction of the wrench leaves no trace in the torques
  condition_number,         ///< guard: condition number above its limit
  reference_dominance,      ///< guard: the reference joint makes most of the force
  clamped,                  ///< guard: the force was cut to its limit
  watchdog,                 ///< guard: the force was too large for too long; latched
  motion,                   ///< the robot moves and the residual is static
  motion_unknown,           ///< no velocity: motion cannot be excluded and the residual is static
  missing_channels,         ///< the requested residual needs channels that were not measured
  low_rate,                 ///< samples too far apart for accelerations; the residual is static
  gap,                      ///< samples were lost; filters were restarted
  settling,                 ///< filters have not seen enough samples yet
  time_back,                ///< the time stamp is not after the last one
  saturated,                ///< torques at the drive's limit: left out, or read with what was identified of them there
  uncertain,                ///< some direction is known worse than the limit for full use
  unobservable_direction,   ///< some direction is known worse than the limit for any use
  inconsistent,             ///< the torques contradict model and stated noise (misfit or reference row)
  torque_rate,              ///< guard: a torque changes faster than any contact that is allowed for
  stale,                    ///< guard: the sample is older than allowed
  infeasible,               ///< guard: no contact can exert this wrench
  base_rows_dropped,        ///< base rows were requested but the robot moves
  held,                     ///< guard: not recovered for long enough yet
  force_limit,              ///< guard: the force is beyond what the consumer was made for
  position_out_of_limits,   ///< input: a position is far beyond its joint's limits
  position_jump,            ///< input: a position changed by what the joint's speed cannot have done
  dead_torque,              ///< input: torques stay exactly as they were
  orientation_contradicts,  ///< input: the quaternion contradicts the accelerometer, or the gyro
  accelerometer_scale,      ///< input: the accelerometer's norm is not near gravity for long
  no_clock,                 ///< guard: the sample's time stamp is not a finite number
  contradiction,            ///< the reference row, or a gross misfit, contradicts every contact within the prior
  unexplained,              ///< only a contact that no row shows, or a fault, explains the reference row (NIS)
  beyond_prior,             ///< the contact is larger than its prior allows for, or a torque error looks like one
  outside_identified,       ///< the robot moves faster than it ever did while its noise was identified
  assumed_friction,         ///< a joint moves that was identified at rest: friction and inertia are assumed figures
  not_tared,                ///< a tare that was asked for was refused or has expired: offsets are in the residual again
  set_up_suspect,           ///< the log contradicts what the profile says of it (check_log): an error of the set-up
  contact_since_start,      ///< a force that was there from the start: rather a mistake of the set-up than a contact
  residual_follows_gravity,   ///< the residual is a negative multiple of gravity, as of torques that hold none
  residual_follows_velocity,  ///< a joint's residual is a multiple of its velocity, beyond its friction
  nis_stays_high,             ///< the NIS is high on average, though no sample need alarm
  insensible_direction,       ///< the consumer needs a direction that the limb, by its build, senses in no pose
  contact_elsewhere,          ///< the torques speak for a contact at another place of the limb than the endpoint
  transient,                  ///< the force changes faster than the residual's low pass follows
  joint_error,                ///< one joint's torque error explains the torques better than a contact at the endpoint
  position_slip,              ///< input: over seconds a position moves otherwise than its velocity says
};
constexpr auto enum_names(Reason) noexcept {
  return name_list<Reason>(
      "invalid_input", "rank_deficient", "condition_number", "reference_dominance", "clamped", "watchdog", "motion",
      "motion_unknown", "missing_channels", "low_rate", "gap", "settling", "time_back", "saturated", "uncertain",
      "unobservable_direction", "inconsistent", "torque_rate", "stale", "infeasible", "base_rows_dropped", "held",
      "force_limit", "position_out_of_limits", "position_jump", "dead_torque", "orientation_contradicts",
      "accelerometer_scale", "no_clock", "contradiction", "unexplained", "beyond_prior", "outside_identified",
      "assumed_friction", "not_tared", "set_up_suspect", "contact_since_start", "residual_follows_gravity",
      "residual_follows_velocity", "nis_stays_high", "insensible_direction", "contact_elsewhere", "transient",
      "joint_error", "position_slip");
}

/// A set of reasons; empty when made. All functions but text() are fit for a control loop.
class ANTAEUS_API Reasons {
 public:
  constexpr Reasons() noexcept = default;
  constexpr Reasons(Reason reason) noexcept : bits_(bit(reason)) {}  // NOLINT: one reason is a set
  static constexpr Reasons from_bits(std::uint64_t bits) noexcept {
    Reasons reasons;
    reasons.bits_ = bits;
    return reasons;
  }

  constexpr bool has(Reason reason) const noexcept { return (bits_ & bit(reason)) != 0; }
  /// Whether the two sets share a reason.
  constexpr bool has_any(Reasons other) const noexcept { return (bits_ & other.bits_) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr void add(Reasons more) noexcept { bits_ |= more.bits_; }
  constexpr void remove(Reasons less) noexcept { bits_ &= ~less.bits_; }
  friend constexpr Reasons operator|(Reasons a, Reasons b) noexcept { return from_bits(a.bits_ | b.bits_); }
  /// Those that are in both sets.
  friend constexpr Reasons operator&(Reasons a, Reasons b) noexcept { return from_bits(a.bits_ & b.bits_); }
  constexpr bool operator==(const Reasons&) const noexcept = default;
  /// Bit i is the reason with the number i.
  constexpr std::uint64_t bits() const noexcept { return bits_; }
  /// The names, separated by blanks. Allocates.
  std::string text() const;

 private:
  static constexpr std::uint64_t bit(Reason reason) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(reason);
  }
  std::uint64_t bits_ = 0;
};
/// `a | b` of two reasons.
constexpr Reasons operator|(Reason a, Reason b) noexcept { return Reasons(a) | Reasons(b); }

/// What a posterior's tests alarm with: no contact that the rows show, of a size that the prior allows, explains the
/// torques.
inline constexpr Reasons kTestAlarm = Reason::contradiction | Reason::unexplained | Reason::beyond_prior;

}  // namespace antaeus
