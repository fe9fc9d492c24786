#include "experiments/arm_run.hpp"

namespace antaeus {

std::vector<std::string> position_columns(const ArmRig& rig) {
  std::vector<std::string> names;
  for (const std::string& joint : rig.plant.motor_joints()) names.push_back("q_" + joint);
  return names;
}

std::vector<SampleLog::Head> arm_heads(const ArmRig& rig, const std::vector<SampleLog::Head>& more) {
  std::vector<SampleLog::Head> heads = {{"time", "s", "from the start of the run"}};
  for (const std::string& joint : rig.plant.motor_joints())
    heads.push_back({"q_" + joint, "rad", "position, as it is"});
  heads.insert(heads.end(), more.begin(), more.end());
  return heads;
}

Replay arm_replay(const ArmRig& rig, bool has_table) {
  Replay replay;
  replay.description = rig.real.description();
  replay.joints = rig.plant.motor_joints();
  replay.columns = position_columns(rig);
  replay.has_table = has_table;
  replay.X_WT = rig.X_WT;
  replay.size = kTableSize;
  return replay;
}

Replay contact_replay(const ArmRig& rig, bool has_table) {
  Replay replay = arm_replay(rig, has_table);
  replay.force = {"Fx", "Fy", "Fz"};
  replay.place = {"x", "y", "z"};
  replay.wanted = {"x_wanted", "y_wanted", "z_wanted"};
  return replay;
}

SamplePlot torque_plot(const ArmRig& rig) {
  SamplePlot torques{"Torques asked of the motors", "N·m", {}, {}};
  for (const std::string& joint : rig.plant.motor_joints()) torques.lines.push_back({"tau_" + joint, joint});
  return torques;
}

VectorX true_positions(const ArmRig& rig) { return rig.plant.truth().qpos.head(rig.home.size()); }
VectorX true_velocities(const ArmRig& rig) { return rig.plant.truth().qvel.head(rig.home.size()); }

std::vector<std::string> free_physics(const SceneChoice& scene, const PlantChoice& plant) {
  std::vector<std::string> told = physics_of(scene, plant);
  std::erase_if(told, [](const std::string& sentence) {
    return sentence.starts_with("Contact of the pads") || sentence.starts_with("The table stands");
  });
  told.emplace_back("There is no table: nothing is touched.");
  return told;
}

NamedFigure named(const Figure& figure, std::string caption) {
  return {figure.id, figure.title, std::move(caption), draw_figure(figure)};
}

}  // namespace antaeus
