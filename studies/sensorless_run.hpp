#pragma once
// One run of force control on torques alone. studies/sensorless.cpp makes a result of it.
#include <string>
#include <vector>

#include "antaeus/control/sensorless_control.hpp"
#include "antaeus/core/progress.hpp"
#include "studies/arm_rig.hpp"
#include "studies/experiment.hpp"

namespace antaeus {

/// Group "sensorless": what the controller assumes wrongly, and how the arm is controlled.
struct SensorlessChoice {
  double stated_error = 0.3;            ///< largest error of each joint's assumed Coulomb friction, as a share
  double payload_error = 0.05;          ///< most by which the gripper is held too heavy or too light, as a share
  double torque_constant_error = 0.02;  ///< most by which each motor gives more or less than it is told, as a share
  double sensor_bias = 0.3;             ///< most of each joint torque sensor [N·m]
  double sensor_gain = 0.01;            ///< most of each joint torque sensor's error of gain
  double start_height = 0.01;           ///< of the tool above home, where the tare is made [m]
  double velocity_filter = 250.0;       ///< low-pass of the sensed velocities [1/s]; 0: none
  double hold_time = 10.0;              ///< [s]
  double stretched = 0.0;  ///< elbow of an arm that reaches out level against a wall [rad]; 0: home, and the table
  int runs = 6;            ///< of the comparison, each with other errors, contacts and lines
  SensorlessOptions control = {};
};
const OptionTable& options_of(const SensorlessChoice&);

struct SensorlessSetup {
  SensorlessChoice choice;
  SceneChoice scene;
  PlantChoice plant;
  LineProfile line;                      ///< length 0: a hold
  Vector3 direction = Vector3::UnitX();  ///< of the line
  bool has_payload_error = true;         ///< drawn, for the user set none
  int seed = 1;
};

/// What the measured stretch held: the line, or the hold. Shares are 0 … 1.
struct SensorlessFigures {
  int samples = 0;
  double mean = kNaN, within_one = kNaN, within_tenth = kNaN, tangent_max = kNaN;
  double coverage = kNaN;       ///< of the stated 95 % interval
  double sd = kNaN;             ///< as stated, mean [N]
  double error_over_sd = kNaN;  ///< root mean square of the estimate's error over the stated sd
};

struct SensorlessRun {
  SampleLog log;
  std::vector<TaskEvent> events = {};
  bool finished = false;
  bool has_joint_sensors = false;
  bool refused = false;             ///< before touching
  double tared = 0.0;               ///< when the task began [s]
  double touched = kNaN;            ///< [s]
  double landing_peak = kNaN;       ///< largest true force before what is measured [N]
  double sd_at_rest = kNaN;         ///< before touching [N]
  double hidden = kNaN;             ///< most that friction at rest can hide, at the end [N]
  double from = kNaN, to = kNaN;    ///< what is measured [s]
  VectorX coulomb = {}, told = {};  ///< of each joint, as it is and as it was told [N·m]
  JointFriction friction = {};      ///< as it was taken to be at the end
  SensorlessFigures figures = {};
};

/// \param has_log  whether `log` is filled
SensorlessRun run_sensorless(const SensorlessSetup& setup, ArmRig& rig, const Progress& progress, bool has_log);
/// With the gripper's error of weight that the seed draws. \throws as make_rig
ArmRig make_sensorless_rig(SensorlessSetup& setup);

}  // namespace antaeus
