#include <antaeus/robot/dynamics.hpp>
#include <antaeus/robot/robot_profile.hpp>
#include <cstdio>

int main() {
  const antaeus::Robot robot = antaeus::load_robot("ur5e");
  antaeus::Dynamics dynamics(robot.model);
  antaeus::VectorX held(robot.model.nv());
  if (dynamics.at(robot.pose("zero")).gravity_torque(held) != antaeus::Status::ok) return 1;
  std::printf("the shoulder holds %.2f N·m\n", held[1]);
}
