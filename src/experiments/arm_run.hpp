#pragma once
// What the runs of an arm share: columns of its joints, how it looks, how numbers are written.
#include <string>
#include <vector>

#include "antaeus/experiments/arm_rig.hpp"
#include "experiments/runs.hpp"

namespace antaeus {

/// "q_elbow_joint" for each motor of the rig.
std::vector<std::string> position_columns(const ArmRig& rig);
/// `time`, the positions, and the given heads behind them.
std::vector<SampleLog::Head> arm_heads(const ArmRig& rig, const std::vector<SampleLog::Head>& more);
/// Replay of the rig's arm by the columns of arm_heads.
Replay arm_replay(const ArmRig& rig, bool has_table);
/// The same of a run on the table: the force of it on the tool, where the tool is and where it was wanted.
Replay contact_replay(const ArmRig& rig, bool has_table = true);
/// Columns tau_<joint>, of each motor.
SamplePlot torque_plot(const ArmRig& rig);
/// The arm's true positions and velocities, after the last step.
VectorX true_positions(const ArmRig& rig);
VectorX true_velocities(const ArmRig& rig);

/// physics_of without the contact, for runs that have no table.
std::vector<std::string> free_physics(const SceneChoice& scene, const PlantChoice& plant);

/// Appends the options of a group, as used.
template <class Options>
void add_settings(ExperimentResult& result, const RunRequest& request, const Options& options) {
  for (OptionValue& value : request.settings.list(options)) result.settings.push_back(std::move(value));
}

/// A figure, drawn.
NamedFigure named(const Figure& figure, std::string caption);

}  // namespace antaeus
