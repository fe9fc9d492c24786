#pragma once
// What the runs of an arm share: columns of its joints, how it looks, how numbers are written.
#include <string>
#include <vector>

#include "studies/arm_rig.hpp"
#include "studies/runs.hpp"

namespace antaeus {

/// "q_elbow_joint" for each motor of the rig.
std::vector<std::string> position_columns(const ArmRig& rig);
/// `time`, the positions, and the given heads behind them.
std::vector<SampleLog::Head> arm_heads(const ArmRig& rig, const std::vector<SampleLog::Head>& more);
/// Replay of the rig's arm by the columns of arm_heads.
SceneReplay arm_replay(const ArmRig& rig, bool has_table);
/// The same of a run on the table: the force of it on the tool, where the tool is and where it was wanted.
SceneReplay contact_replay(const ArmRig& rig, bool has_table = true);
/// Columns tau_<joint>, of each motor.
SamplePlot torque_plot(const ArmRig& rig);
/// The arm's true positions and velocities, after the last step.
VectorX true_positions(const ArmRig& rig);
VectorX true_velocities(const ArmRig& rig);

/// Heads of contact_replay's columns, and of the motors' positions and torques.
std::vector<SampleLog::Head> contact_heads(const ArmRig& rig);
/// The numbers below them, of the last step.
void append_contact(std::vector<double>& row, const ArmRig& rig, const Vector3& wanted, const VectorX& q,
                    const VectorX& tau);
/// Distance of the tool's true place from the wanted one, across a normal [m].
double off_along(const ArmRig& rig, const Vector3& normal, const Vector3& wanted);

/// "99.8 %" of 0.998.
std::string percent_text(double share);

/// Appends the options of groups, as used.
template <class... Options>
void add_settings(ExperimentResult& result, const RunRequest& request, const Options&... options) {
  const auto add = [&](std::vector<OptionValue> values) {
    for (OptionValue& value : values) result.settings.push_back(std::move(value));
  };
  (add(request.settings.list(options)), ...);
}

/// A figure, drawn.
NamedFigure named(const Figure& figure, std::string caption);

}  // namespace antaeus
