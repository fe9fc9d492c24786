// Half a minute of free motion of a Panda whose friction is known because it was made up: identified, with standard
// errors. Usage: example_identify_an_arm [folder for the profile] prints: joint 2: Coulomb 0.6, offset -0.3; joint 4:
// Coulomb 0.4, offset 0.2
#include <cmath>
#include <cstdio>
#include <map>

#include "antaeus/identification/identify.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "antaeus/robot/noise_model.hpp"

using namespace antaeus;
int main(int argc, char** argv) {
  Robot robot = load_robot("panda");
  const RobotModel& model = robot.model;
  const int motors = model.motor_count(), steps = 3000;
  const VectorX ready = robot.pose("ready");
  Episode log;
  log.name = "free_motion";
  log.time.resize(steps);
  log.q.resize(steps, motors);
  log.tau.resize(steps, motors);
  Dynamics dynamics(model);
  VectorX q_motor(motors), q(model.nq()), v = VectorX::Zero(model.nv()), a = v, tau = v;
  for (int i = 0; i < steps; ++i) {
    log.time[i] = 0.01 * i;
    for (int j = 0; j < motors; ++j) {
      const double rate = 0.9 + 0.13 * j, angle = rate * log.time[i] + 1.3 * j;
      q_motor[j] = ready[j] + 0.4 * std::sin(angle);
      v[model.motor_rows()[j]] = 0.4 * rate * std::cos(angle);
      a[model.motor_rows()[j]] = -0.4 * rate * rate * std::sin(angle);
    }
    if (model.position_from_motors(q_motor, Eigen::Vector4d(0, 0, 0, 1), q) != Status::ok) return 1;
    if (dynamics.inverse_dynamics(q, v, a, tau) != Status::ok) return 1;
    log.q.row(i) = q_motor;
    for (int j = 0; j < motors; ++j) {
      const int row = model.motor_rows()[j];
      const double coulomb = 0.7 - 0.1 * j, offset = 0.25 * j - 0.55;
      const double noise = 0.05 * (std::sin(12.9898 * i * i + 78.233 * j) + std::sin(0.37 * i + 2.0 * j));
      log.tau(i, j) = tau[row] + coulomb * std::tanh(v[row] / 0.03) + offset + noise;
    }
  }

  const IdentifyResult result = identify(robot, {.logs = {{.episode = log, .labelled = true}}});
  std::printf("identified: %d, held out: %s, %.0f %% covered\n", result.identified, result.hold_out.c_str(),
              100.0 * result.hold_out_covered);
  std::map<std::string, double> found;
  for (const ParameterEstimate& one : result.parameters) found[one.name] = one.value;
  std::printf("joint 2: Coulomb %.1f, offset %.1f; joint 4: Coulomb %.1f, offset %.1f\n", found["panda_joint2.coulomb"],
              found["panda_joint2.offset"], found["panda_joint4.coulomb"], found["panda_joint4.offset"]);
  for (const IdentifiedJoint& joint : result.joints) {
    std::printf("  %s: left %.2f before, %.2f after, N·m\n", joint.joint.c_str(), joint.rms_before, joint.rms_after);
  }
  if (argc > 1) {
    robot.profile.noise = std::make_shared<const NoiseModel>(result.noise);
    write_profile(robot, argv[1]);
  }
}
