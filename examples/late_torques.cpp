// Measured torques that come later than the positions beside them: by how much, from a log of the two.
// A Panda waves its arm; its shoulder's torque is read at 100 Hz and 12 ms late, the positions at 250 Hz.
// prints: the torque is 12.0 ms late, give or take 0.0
#include <cmath>
#include <cstdio>

#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/signal/delay.hpp"

using namespace antaeus;
int main() {
  constexpr double kDelay = 0.012;  // [s] what is to be found
  const Robot robot = load_robot("panda");
  Dynamics dynamics(robot.model);
  const auto torque = [&](double t) {  // what the shoulder holds against gravity
    VectorX q = robot.pose("ready"), tau(robot.model.nv());
    q[1] += 0.4 * std::sin(1.3 * t) + 0.2 * std::sin(2.9 * t + 1.0);
    dynamics.at(q).gravity_torque(tau);
    return tau[1];
  };
  VectorX time = VectorX::LinSpaced(2501, 0.0, 10.0), model(2501);
  for (int i = 0; i < 2501; ++i) model[i] = torque(time[i]);
  VectorX stamps = VectorX::LinSpaced(1001, 0.0, 10.0), measured(1001);
  for (int i = 0; i < 1001; ++i) measured[i] = 0.05 * std::round((torque(stamps[i] - kDelay) + 0.6) / 0.05);
  const DelayEstimate found = estimate_delay(time, model, stamps, measured);
  if (found.status != Status::ok) return 1;
  std::printf("the torque is %.1f ms late, give or take %.1f (correlation %.4f)\n", 1e3 * found.delay, 1e3 * found.sd,
              found.correlation);
}
