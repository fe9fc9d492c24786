#include "studies/arm_run.hpp"

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

SceneReplay arm_replay(const ArmRig& rig, bool has_table) {
  SceneReplay replay;
  replay.description = rig.real.description();
  replay.joints = rig.plant.motor_joints();
  replay.columns = position_columns(rig);
  replay.has_table = has_table;
  replay.X_WT = rig.X_WT;
  replay.size = kTableSize;
  return replay;
}

SceneReplay contact_replay(const ArmRig& rig, bool has_table) {
  SceneReplay replay = arm_replay(rig, has_table);
  replay.force = {"Fx", "Fy", "Fz"};
  replay.place = {"x", "y", "z"};
  replay.wanted = {"x_wanted", "y_wanted", "z_wanted"};
  return replay;
}

std::vector<SampleLog::Head> contact_heads(const ArmRig& rig) {
  std::vector<SampleLog::Head> heads = {
      {"Fx", "N", "true force of the surface on the tool, world axes"},
      {"Fy", "N", "the same"},
      {"Fz", "N", "the same"},
      {"x", "m", "the tool, world axes"},
      {"y", "m", "the same"},
      {"z", "m", "the same"},
      {"x_wanted", "m", "where the tool was wanted, world axes; the tool itself while it tares its joints"},
      {"y_wanted", "m", "the same"},
      {"z_wanted", "m", "the same; along the surface's normal it stands for nothing in contact"},
  };
  for (const std::string& joint : rig.plant.motor_joints())
    heads.push_back({"q_" + joint, "rad", "position of the joint"});
  for (const std::string& joint : rig.plant.motor_joints())
    heads.push_back({"tau_" + joint, "N·m", "torque asked of the motor"});
  return heads;
}

void append_contact(std::vector<double>& row, const ArmRig& rig, const Vector3& wanted, const VectorX& q,
                    const VectorX& tau) {
  const PlantTruth& truth = rig.plant.truth();
  for (const Vector3& three : {Vector3(truth.contact.force), Vector3(truth.X_WS.translation), wanted}) {
    row.insert(row.end(), three.data(), three.data() + 3);
  }
  row.insert(row.end(), q.data(), q.data() + q.size());
  row.insert(row.end(), tau.data(), tau.data() + tau.size());
}

double off_along(const ArmRig& rig, const Vector3& normal, const Vector3& wanted) {
  const Vector3 miss = wanted - rig.plant.truth().X_WS.translation;
  return (miss - normal * normal.dot(miss)).norm();
}

std::string percent_text(double share) { return value_text(100.0 * share) + " %"; }

SamplePlot torque_plot(const ArmRig& rig) {
  SamplePlot torques{"Torques asked of the motors", "N·m", {}, {}};
  for (const std::string& joint : rig.plant.motor_joints()) torques.lines.push_back({"tau_" + joint, joint});
  return torques;
}

VectorX true_positions(const ArmRig& rig) { return rig.plant.truth().qpos.head(rig.home.size()); }
VectorX true_velocities(const ArmRig& rig) { return rig.plant.truth().qvel.head(rig.home.size()); }

NamedFigure named(const Figure& figure, std::string caption) {
  return {figure.id, figure.title, std::move(caption), draw_figure(figure)};
}

}  // namespace antaeus
