#pragma once
/// \file
/// What an audit finds in an episode: events, ranges and statistics.

#include <cstdint>
#include <string>
#include <vector>

#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/pose/preflight.hpp"

namespace antaeus {

/// Something that happened at a step, found in the data.
enum class EventKind : std::uint8_t {
  force_above,
  residual_grown,
  guard_acts,
  nis_alarm,
  guard_refuses,
  target_jump,
  torque_limit,
  peak_force,
  peak_torque,
  end,
};
constexpr auto enum_names(EventKind) noexcept {
  return name_list<EventKind>("force_above", "residual_grown", "guard_acts", "nis_alarm", "guard_refuses",
                              "target_jump", "torque_limit", "peak_force", "peak_torque", "end");
}
struct Event {
  EventKind kind = EventKind::end;
  Eigen::Index step = 0;  ///< in the log
  double time = 0.0;      ///< [s]; NaN without time stamps
  std::string subject;    ///< endpoint, joint or guard
  double value = 0.0;
  std::string unit;
  std::string text;  ///< one sentence
};

struct JointRange {
  std::string joint, label;
  double minimum = 0.0, maximum = 0.0;  ///< [rad]
};

struct StartError {
  std::string joint, label;
  double position = 0.0, target = 0.0, error = 0.0;  ///< [rad]; error = position − target
};

/// Statistics of the reference joint's torque over an episode [N·m].
struct ReferenceStatistics {
  double mean = 0.0;            ///< of τ, signed
  double mean_magnitude = 0.0;  ///< of |τ|
  double deviation = 0.0;       ///< standard deviation of τ (divided by N)
  double maximum = 0.0;         ///< of |τ|
  double p99 = 0.0;             ///< 99th percentile of |τ|, linear between samples
  /// |gain(Fz)|·|τ| at a hand: what the joint's torque alone reads as force [N].
  struct Contamination {
    std::string endpoint;
    double mean = 0.0, worst = 0.0;
    Eigen::Index worst_step = -1;
  };
  std::vector<Contamination> contamination;
};

/// What is known of one episode by itself. The audited one and every baseline has this.
struct EpisodeAudit {
  Episode episode;
  Reconstruction reconstruction;
  std::vector<JointRange> ranges;
  std::vector<StartError> start_errors;
  ReferenceStatistics reference;
  PreflightReport preflight;   ///< at the first valid step
  double contact_share = 0.0;  ///< [1] steps within an interval of a force that stands out (ContactInterval)
  double peak_torque = 0.0;    ///< largest |τ| of any motor [N·m]; NaN without a finite one
  Eigen::Index peak_torque_step = -1;
  int peak_torque_motor = -1;
};

/// "the robot's force on its surroundings": whose force a number is, for people.
ANTAEUS_API std::string sign_in_words(Sign sign);
/// "Fx", "Fy", "Fz" of 0, 1, 2.
ANTAEUS_API std::string axis_name(int axis);

/// One sentence of the verdict and the key of each number in it.
struct Statement {
  std::string id;
  std::string text;
};

}  // namespace antaeus
