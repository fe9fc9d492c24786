#pragma once
// One task in contact on the rig, from the approach to the end, measured against what is so.
#include <functional>
#include <string>
#include <vector>

#include "antaeus/control/contact_task.hpp"
#include "antaeus/control/hybrid_law.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/ik/reach.hpp"
#include "studies/arm_rig.hpp"
#include "studies/experiment.hpp"

namespace antaeus {

/// Group "control": which law, on which force, with which gains.
enum class ForceLaw : std::uint8_t {
  source_3dof,  ///< the force-control lab's (docs/references.md), as printed: three axes of place, the orientation left
                ///< to itself
  source,       ///< the same with an orientation term
  antaeus,      ///< HybridController
};
constexpr auto enum_names(ForceLaw) noexcept { return name_list<ForceLaw>("source_3dof", "source", "default"); }
enum class WrenchSource : std::uint8_t {
  truth,     ///< the simulation's contacts
  sensor,    ///< the force sensor at the gripper's mount, less the gripper as it is told
  estimate,  ///< Antaeus' own, from joint torques
};
constexpr auto enum_names(WrenchSource) noexcept { return name_list<WrenchSource>("truth", "sensor", "estimate"); }

struct ControlChoice {
  ForceLaw law = ForceLaw::antaeus;
  WrenchSource wrench = WrenchSource::sensor;
  bool tare = true;            ///< a sensor's offset in the air is taken off
  double hold_time = 5.0;      ///< pressing at rest [s]
  double judged_after = 0.25;  ///< since the touch: what comes before is the landing [s]
  HybridLawGains source = {};
  HybridOptions hybrid = {};
  ContactTaskOptions task = {};

  bool is_source() const noexcept { return law != ForceLaw::antaeus; }
};
const OptionTable& options_of(const ControlChoice&);

/// Group "trace".
struct TraceChoice {
  double length = 0.05;         ///< [m]
  double duration = 10.0;       ///< [s]
  std::string direction = "x";  ///< x, y, -x, -y, or an angle from world x to y [rad]
  ProfileShape profile = ProfileShape::trapezoid;
  double ramp = 0.25;  ///< share of the duration that each ramp of a trapezoid takes

  /// \throws OptionsError
  Vector3 along() const;
};
const OptionTable& options_of(const TraceChoice&);

/// All that a run of these experiments is made from, with the defaults that a law has.
struct ForceSetup {
  SceneChoice scene;
  PlantChoice plant;
  ControlChoice control;
  TraceChoice trace;
  int seed = 1;
};
/// \param base  the experiment's own defaults. A law of the lab's also brings the lab's landing, its line, its
///              joint damping, and a contact without a reference for friction: as it was published.
ANTAEUS_API ForceSetup force_setup(const Settings& settings, ForceSetup base, int seed);
/// What a stretch of time held. Shares are 0 … 1; NaN where the stretch is empty.
struct ForceFigures {
  int samples = 0;
  double mean = kNaN, sd = kNaN, least = kNaN, largest = kNaN;
  double within_1N = kNaN, within_01N = kNaN;
  double tangent_max = kNaN;  ///< of the place along the surface, from where it was wanted [m]
};

struct ForceRun {
  SampleLog log;
  std::vector<TaskEvent> events = {};
  double touched = kNaN, traced = kNaN, held = kNaN, ended = kNaN;  ///< when those phases began, and the run's end [s]
  double landing_peak = kNaN;  ///< largest force until `judged_after` the touch [N]
  double normal_error = kNaN;  ///< angle between the surface's normal as it is and as it is known at the end [rad]
  double tilt_max = 0.0;       ///< largest angle of the tool from where it was wanted, in contact [rad]
  int saturated = 0;           ///< cycles with a motor at its limit
  bool finished = false;       ///< it held to the end, without backing off
  double wanted = 5.0;         ///< force [N]

  /// Of the samples with from ≤ time < to.
  ANTAEUS_API ForceFigures figures(double from, double to) const;
};

/// What happens to a run from outside; called before each cycle.
struct RunHooks {
  std::function<void(double time, Wrench& measured)> sense = {};                 ///< disturbs what is sensed
  std::function<void(const ContactTask& task, MujocoPlant& plant)> change = {};  ///< changes the scene
};

/// Whether the arm reaches a line is asked with it. Its table of starts is kept while one lives: who runs many tasks
/// holds one.
ReachModel reach_model(const ArmRig& rig);

/// \throws ModelError where the line leaves the arm's reach; OptionsError
ANTAEUS_API ForceRun run_force_task(ArmRig& rig, const ForceSetup& setup, bool has_line,
                                    const Progress& progress = nullptr, const RunHooks& hooks = {});

}  // namespace antaeus
