#pragma once
/// \file
/// Flights of a robot that nothing holds, under coordinated control: named scenarios, measured.
///
///     SpaceRequest request;
///     request.settings.set("flying.law=regulator");
///     const ExperimentResult result = run_space_scenario("pose-change", request);
///     result.metric("base_force_max").value;
///
/// Set-up code: allocates, takes seconds. The same request gives the same numbers.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/robot/robot_model.hpp"
#include "antaeus/space/published_scheme.hpp"
#include "studies/experiment.hpp"

namespace antaeus {

/// Who moves the robot on.
enum class FlightPlant : std::uint8_t {
  pinocchio,  ///< FreeFlight: Pinocchio's forward dynamics, integrated with order 4
  mujoco,     ///< MujocoFlight: MuJoCo's own dynamics and integrator
};
constexpr auto enum_names(FlightPlant) noexcept { return name_list<FlightPlant>("pinocchio", "mujoco"); }

/// What the arm passes through in the scenario "singular".
enum class Crossing : std::uint8_t {
  elbow,  ///< the third joint (the fourth of seven)
  wrist,  ///< the fifth joint (the sixth of seven)
};
constexpr auto enum_names(Crossing) noexcept { return name_list<Crossing>("elbow", "wrist"); }

/// Group "space".
struct SpaceChoice {
  /// published: law, tiers, γ, freeze, exit and Coriolis form of GiordanoRobot at once (published_scheme)
  SpaceCompatibility compatibility = SpaceCompatibility::none;
  double duration = 0.0;         ///< of the flight [s]; 0: the scenario's own
  double rate = 1000.0;          ///< of the control loop [Hz]
  double sample_rate = 50.0;     ///< rows of the samples in a second [Hz]
  double q0_eps = 0.0;           ///< how far the plant's arm starts from where the plan has it [rad]; perturbed_start()
  double turn = 0.18;            ///< of the base in pose-change, tracking [rad]
  double reach = 0.5;            ///< most that each joint of the arm differs at the goal of pose-change, tracking [rad]
  double shift = 0.2;            ///< of the centre of mass in tracking [m]
  double spin = 0.15;            ///< of the base at the start of tumble [rad/s]
  double drift = 0.05;           ///< of the centre of mass at the start of tumble [m/s]
  double circle = 1.0471975512;  ///< angle of inspection [rad]
  double standoff = 0.6;         ///< from the end-effector to the inspected place [m]
  Crossing crossing = Crossing::elbow;
  double speed = 0.5;   ///< of the crossing joint in singular [rad/s]
  double offset = 0.0;  ///< unreachable demand at the singularity: [m] at the elbow, [rad] at the wrist
  double start_error =
      0.01;                  ///< length of the joints' error at the start of singular, in a direction of the seed [rad]
  double null_travel = 0.8;  ///< length of the null motion in posture [rad]
};
ANTAEUS_API const OptionTable& options_of(const SpaceChoice&);

struct SpaceRequest {
  std::string robot = {};  ///< name, profile, URDF, or MJCF (.xml); empty: the scenario's own
  std::string frame = {};  ///< the end-effector's; empty: the profile's only endpoint, else the longest chain's end
  FlightPlant plant = FlightPlant::pinocchio;
  Settings settings = {};
  int seed = 1;                        ///< of the start and of the goals
  Progress progress = {};              ///< may be empty
  std::vector<Payload> payloads = {};  ///< beside those of the profile
};

/// In the order of docs/concepts/space.md#flights.
ANTAEUS_API std::vector<std::string> space_scenario_names();
/// One sentence. \throws OptionsError with the nearest name
ANTAEUS_API std::string space_scenario_summary(std::string_view name);

/// \throws OptionsError for a name that there is not (with the nearest) or a scenario that the robot cannot fly;
///         ModelError for a robot without an arm of 6 or 7 joints
ANTAEUS_API ExperimentResult run_space_scenario(std::string_view name, const SpaceRequest& request = {});

/// "space.j_plus.damping=…" and "q0_eps=…" as what Settings takes: "j_plus.damping=…", "space.q0_eps=…"; others as they
/// are.
ANTAEUS_API std::string space_assignment(std::string_view assignment);

}  // namespace antaeus
