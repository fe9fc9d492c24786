#pragma once
/// \file
/// Named reasons why a verdict is not `ok`, and sets of them.

#include <array>
#include <cstdint>
#include <iterator>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/note.hpp"

namespace antaeus {

/// A reason. New ones are added at the end: flight records hold the numbers. kReasons has their meanings.
enum class Reason : std::uint8_t {
  invalid_input,
  rank_deficient,
  condition_number,
  reference_dominance,
  clamped,
  watchdog,
  motion,
  motion_unknown,
  missing_channels,
  low_rate,
  gap,
  settling,
  time_back,
  saturated,
  uncertain,
  unobservable_direction,
  inconsistent,
  torque_rate,
  stale,
  infeasible,
  base_rows_dropped,
  held,
  force_limit,
  position_out_of_limits,
  position_jump,
  dead_torque,
  orientation_contradicts,
  accelerometer_scale,
  no_clock,
  contradiction,
  unexplained,
  beyond_prior,
  outside_identified,
  assumed_friction,
  not_tared,
  set_up_suspect,
  contact_since_start,
  residual_follows_gravity,
  residual_follows_velocity,
  nis_stays_high,
  insensible_direction,
  contact_elsewhere,
  transient,
  joint_error,
  position_slip,
};

/// The one description of a reason: C++, Python, the live page and the reference read it.
struct ReasonInfo {
  Reason reason;
  const char* name;
  Severity severity;    ///< error: the estimate is refused; warning: it is degraded; note: it is as good as without
  int urgency;          ///< rank among all reasons, from 1: what to deal with first
  const char* meaning;  ///< one line
  const char* remedy;   ///< what to do, one line
};
inline constexpr ReasonInfo kReasons[] = {
    {Reason::invalid_input, "invalid_input", Severity::error, 1, "the sample could not be used",
     "find the driver that writes NaN or impossible values"},
    {Reason::rank_deficient, "rank_deficient", Severity::error, 30, "a force in some direction changes no torque",
     "move the arm out of the straight pose, or add a sensor for that direction"},
    {Reason::condition_number, "condition_number", Severity::error, 29,
     "in this pose, forces in some direction hardly change the torques: the condition number is above its limit",
     "change the pose: bend the elbow and keep the hand away from straight below the shoulder"},
    {Reason::reference_dominance, "reference_dominance", Severity::error, 28,
     "the reference joint contributes most of the force", "compare with the other joints of the limb"},
    {Reason::clamped, "clamped", Severity::warning, 27, "the force was limited to the consumer's maximum",
     "raise published_guard.clamp_force if such contacts are intended; otherwise do not rely on the estimate"},
    {Reason::watchdog, "watchdog", Severity::error, 26,
     "the force stayed above its limit for too long; the guard latches",
     "find the cause, then reset; do not continue in the same pose"},
    {Reason::motion, "motion", Severity::warning, 41, "the robot moves and the residual does not include its inertia",
     "send joint velocities, a clock, gyro and accelerometer at 200 Hz or more"},
    {Reason::motion_unknown, "motion_unknown", Severity::warning, 42,
     "the velocity is missing, so motion cannot be excluded", "send joint velocities and a clock"},
    {Reason::missing_channels, "missing_channels", Severity::warning, 39,
     "a channel that the requested residual needs is missing",
     "send velocities, and gyro and accelerometer if the base floats"},
    {Reason::low_rate, "low_rate", Severity::warning, 40, "samples arrive too rarely for the requested residual",
     "send them at 200 Hz or more"},
    {Reason::gap, "gap", Severity::warning, 34, "samples were lost; filters have restarted",
     "wait until the filters have settled; check the network if it happens again"},
    {Reason::settling, "settling", Severity::warning, 35, "filters have not received enough samples yet",
     "wait a moment"},
    {Reason::time_back, "time_back", Severity::error, 4, "a time stamp is not after the previous one",
     "look for two senders, or a clock that was set"},
    {Reason::saturated, "saturated", Severity::warning, 32, "a torque is at the limit of its drive",
     "reduce the load, or correct torque_limit in the profile"},
    {Reason::uncertain, "uncertain", Severity::warning, 37,
     "the uncertainty of the worst direction is too large for full use",
     "change the pose (antaeus advise), or use the force with its sd"},
    {Reason::unobservable_direction, "unobservable_direction", Severity::warning, 36,
     "in this pose one direction is hardly observable: its value is the prior's",
     "change the pose, or use the force with its sd"},
    {Reason::inconsistent, "inconsistent", Severity::warning, 31,
     "the torques contradict every contact by more than their noise",
     "tare or identify if this also happens without contact"},
    {Reason::torque_rate, "torque_rate", Severity::error, 15,
     "a torque changed faster than any contact that is allowed for",
     "look for an impact, or for a fault at the joints with the largest residual"},
    {Reason::stale, "stale", Severity::error, 3, "the sample is older than allowed",
     "check the network, the driver and both clocks"},
    {Reason::infeasible, "infeasible", Severity::error, 22, "no ground contact can exert the forces of the feet",
     "check for a gantry or another contact, and the mass of the model"},
    {Reason::base_rows_dropped, "base_rows_dropped", Severity::note, 43,
     "rows of the base were requested, but they are invalid while it moves", "nothing: they are left out"},
    {Reason::held, "held", Severity::note, 44, "the samples are good again, but the guard has not recovered yet",
     "wait until its dwell time is over"},
    {Reason::force_limit, "force_limit", Severity::error, 21, "the force is larger than the consumer was designed for",
     "reduce the contact force, or state rated_load in the profile if such contacts are intended"},
    {Reason::position_out_of_limits, "position_out_of_limits", Severity::error, 8,
     "a position is far outside its joint's limits", "check the encoder, its unit and its zero"},
    {Reason::position_jump, "position_jump", Severity::error, 6, "a position changed faster than its joint can move",
     "check the encoder, and whether the driver mixes joints or samples"},
    {Reason::dead_torque, "dead_torque", Severity::error, 5, "a torque repeats exactly",
     "check the bus and that drive"},
    {Reason::orientation_contradicts, "orientation_contradicts", Severity::error, 9,
     "the quaternion contradicts the accelerometer or the gyro",
     "check the order of the quaternion and the axes of the accelerometer"},
    {Reason::accelerometer_scale, "accelerometer_scale", Severity::error, 10,
     "the norm of the accelerometer is not near gravity", "check its unit: m/s², not g"},
    {Reason::no_clock, "no_clock", Severity::error, 2, "the time stamp is not a finite number", "stamp each sample"},
    {Reason::contradiction, "contradiction", Severity::error, 16,
     "the reference joint contradicts every plausible contact",
     "do not act on the force; check the joints with the largest residual"},
    {Reason::unexplained, "unexplained", Severity::error, 19,
     "only a fault, or a contact that no endpoint represents, explains the torques",
     "check for contact elsewhere on the robot; another pose shows more"},
    {Reason::beyond_prior, "beyond_prior", Severity::error, 23,
     "the contact is larger than its prior allows, or a torque error looks like one",
     "change posterior.force_prior if such contacts are intended"},
    {Reason::outside_identified, "outside_identified", Severity::error, 33,
     "the robot moves faster than it did while its noise was identified", "slow down, or identify with faster motion"},
    {Reason::assumed_friction, "assumed_friction", Severity::warning, 38,
     "a joint moves whose noise was identified at rest: its friction and inertia are assumed",
     "slow down, or identify from motion"},
    {Reason::not_tared, "not_tared", Severity::warning, 25,
     "the tare was refused or has expired: the result contains the offsets again",
     "tare again while the robot is contact-free"},
    {Reason::set_up_suspect, "set_up_suspect", Severity::warning, 11, "the log contradicts its profile",
     "run antaeus check, and correct the profile with its option fix"},
    {Reason::contact_since_start, "contact_since_start", Severity::warning, 14,
     "a force has been present since the start: rather a configuration error than a contact",
     "start contact-free; add a tool or load to the profile, or tare it"},
    {Reason::residual_follows_gravity, "residual_follows_gravity", Severity::warning, 12,
     "the residual is a negative multiple of gravity: the torques do not contain gravity",
     "add gravity to the torques, or state in the profile that the driver removes it"},
    {Reason::residual_follows_velocity, "residual_follows_velocity", Severity::warning, 13,
     "the residual of a joint is a multiple of its velocity, beyond its friction",
     "identify friction; check the sign and unit of that velocity"},
    {Reason::nis_stays_high, "nis_stays_high", Severity::warning, 24,
     "the NIS is high on average: the misfits are larger than stated", "run antaeus identify, then antaeus check"},
    {Reason::insensible_direction, "insensible_direction", Severity::error, 45,
     "the consumer needs a direction that this limb cannot observe in any pose",
     "change the consumer or the limb, or add a sensor"},
    {Reason::contact_elsewhere, "contact_elsewhere", Severity::warning, 18,
     "a contact elsewhere on the limb explains the torques better than one at the endpoint",
     "check what is in contact with the limb"},
    {Reason::transient, "transient", Severity::warning, 20,
     "the force changes faster than the filter of the residual follows", "wait, or use the sd"},
    {Reason::joint_error, "joint_error", Severity::warning, 17,
     "the torque error of one joint explains the torques better than a contact at the endpoint",
     "tare or identify that joint"},
    {Reason::position_slip, "position_slip", Severity::warning, 7,
     "over seconds a position changes differently from its velocity", "check the encoder, its coupling and its gear"},
};
constexpr auto enum_names(Reason) noexcept {
  std::array<const char*, std::size(kReasons)> names{};
  for (std::size_t at = 0; at < names.size(); ++at) names[at] = kReasons[at].name;
  return names;
}
static_assert(!detail::is_enumerator<Reason, static_cast<Reason>(std::size(kReasons))>(), "a reason has no row");
/// Returns the row of the table.
constexpr const ReasonInfo& describe(Reason reason) noexcept { return kReasons[static_cast<std::size_t>(reason)]; }

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
