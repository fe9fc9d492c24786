#pragma once
/// \file
/// The incident's loop in simulation: the H1-2 on a stand, its joints under their PD loops, a surrogate of the policy
/// that answers to the wrench which it reads, and what may stand between estimate and policy.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/control/damping_mode.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/sim/mujoco_plant.hpp"
#include "studies/arm_rig.hpp"

namespace antaeus {

/// What the policy reads, and what stops it.
enum class Remedy : std::uint8_t {
  deployed,
  clamp,
  condition,
  dominance,
  imu,
  stacked,
  guarded,
  watchdog_damping,
  watchdog_hold,
};
constexpr auto enum_names(Remedy) noexcept {
  return name_list<Remedy>("deployed", "clamp", "condition", "dominance", "imu", "stacked", "guarded",
                           "watchdog_damping", "watchdog_hold");
}

/// What carries the pelvis.
enum class Stand : std::uint8_t {
  yielding,  ///< a column that turns about the vertical under a spring and a damper, all else is fixed
  welded,    ///< nothing moves it: no leg can reach the torso, and the loop is open
};
constexpr auto enum_names(Stand) noexcept { return name_list<Stand>("yielding", "welded"); }

/// Group "incident".
struct IncidentChoice {
  std::string pose = "arm_waist_target";  ///< of the arms, of the profile
  std::string good_pose = "zero";         ///< beside it
  Remedy shown = Remedy::deployed;        ///< of the run whose samples, page and clip are made
  int seeds = 20;                         ///< runs of each variant
  double duration = 2.0;                  ///< after the disturbance begins [s]
  double disturbance = 34.45;             ///< largest moment about the vertical at the torso [N·m]
  double disturbance_time = 0.16;         ///< half a sine long [s]
  double answer = 3.7e-3;                 ///< of the policy's leg targets to the force that it reads [rad/N]
  Stand stand = Stand::yielding;          ///< what carries the pelvis
  double stand_stiffness = 1000.0;        ///< of its spring about the vertical [N·m/rad]
  double stand_damping = 20.0;            ///< of its damper [N·m·s/rad]
};
ANTAEUS_API const OptionTable& options_of(const IncidentChoice&);

/// The robot on its stand, shared by all runs of one pose.
struct IncidentBench {
  Robot robot;          ///< as its estimators know it
  RobotModel standing;  ///< with the stand
  MujocoScene scene;
  int first = 0;               ///< of the plant's motors that are the robot's: the stand's spring stands before them
  VectorX targets;             ///< of the robot's motors before the policy answers [rad]
  VectorX stiffness, damping;  ///< of their PD loops
  VectorX start;               ///< of the scene, at rest under these loops
};
/// \throws ModelError for a pose that there is not
IncidentBench make_incident_bench(const IncidentChoice& choice, const std::string& pose, Stand stand);

struct IncidentOutcome {
  double first_rated =
      kNaN;  ///< from the disturbance to the first motor that the policy drives to its effort limit [s]; NaN: none
  double largest_share = 0.0;  ///< of any motor's effort limit [1]
  double largest_read = 0.0;   ///< |force| of a hand that the policy read [N]
  double largest_speed = 0.0;  ///< of any motor [rad/s]
  double late_speed = 0.0;     ///< the same in the last half second
  double alarm = kNaN;         ///< of the watchdog, or the guard's first refusal, from the disturbance on [s]
  double after_alarm = kNaN;   ///< largest speed from one second after the watchdog's alarm on [rad/s]
};

/// Columns of incident runs, for SampleLog.
std::vector<SampleLog::Head> incident_heads(const IncidentBench& bench);
/// One run. \param log  may be null
IncidentOutcome run_incident_once(const IncidentBench& bench, const IncidentChoice& choice, Remedy remedy,
                                  const DampingModeOptions& damping, int seed, SampleLog* log);

}  // namespace antaeus
