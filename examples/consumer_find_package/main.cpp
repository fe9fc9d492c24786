#include <antaeus/ik/reach.hpp>
#include <antaeus/robot/robot_profile.hpp>
#include <cstdio>

int main() {
  const antaeus::Robot robot = antaeus::load_robot("panda");
  const antaeus::KinematicChain chain(robot.model, "panda_hand");
  const antaeus::ReachModel model(chain, {.position_only = true});
  antaeus::ReachSolver solver(model);
  const antaeus::ReachSolution& found = solver.solve({.translation = {0.5, 0.2, 0.4}});
  std::printf("%s, %.3f mm short\n", to_string(found.status).data(), 1000.0 * found.position_error);
}
