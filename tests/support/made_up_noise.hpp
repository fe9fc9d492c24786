#pragma once
/// \file
/// Identified noise that nobody identified: every term of the model, of the size that real ones have.

#include "antaeus/robot/noise_model.hpp"
#include "robot/test_robots.hpp"

namespace antaeus::test {

/// Masses, rotors, friction and offsets in the mean and in doubt; of a held pose, where the first \p unknown motors
/// were not identified, with an envelope of \p speed [rad/s] over the others.
inline NoiseModel made_up_noise(const RobotModel& model, NoiseOrigin origin, int unknown, double speed, unsigned seed) {
  RandomStates random(seed);
  const TorqueParameters at = torque_parameters(model);
  NoiseModel noise;
  noise.origin = origin;
  noise.white_sd = VectorX::Constant(at.motors, 0.2);
  noise.parameters = VectorX::Zero(at.count());
  noise.factor = MatrixX::Zero(at.count(), 12);
  for (int p = 0; p < at.count(); ++p) {
    const bool inertia = p < 10 * at.bodies && p % 10 > 3;
    noise.parameters[p] = random.vector(1, inertia ? 1e-3 : 0.05)[0];
    noise.factor.row(p) = random.vector(12, inertia ? 1e-4 : 0.01);
  }
  noise.offset_sd = noise.slow_sd = VectorX::Constant(at.motors, 0.3);
  noise.motion_sd = VectorX::Constant(at.motors, 1.0);
  noise.coulomb_sd = VectorX::Constant(at.motors, 0.15);
  noise.viscous_sd = VectorX::Constant(at.motors, 0.1);
  noise.provenance = "made up, " + random.text();
  if (origin == NoiseOrigin::moving) return noise;
  noise.white_sd.head(unknown).setConstant(kNaN);
  noise.identified_speed = speed;
  noise.joint_speed = VectorX::Constant(at.motors, speed);
  for (int motor = unknown; motor < at.motors; ++motor) noise.envelope_motors.push_back(motor);
  return noise;
}

}  // namespace antaeus::test
