// Pre-flight of a named pose: what it makes of one newton metre at the torso, before anything is switched on.
// Usage: example_check_pose [pose]
// prints: left_wrist_yaw_link: gain 15.035 N
#include <cstdio>

#include "antaeus/pose/preflight.hpp"

int main(int argc, char** argv) {
  const antaeus::Robot robot = antaeus::load_robot("h1_2");
  const antaeus::VectorX q = robot.pose(argc > 1 ? argv[1] : "arm_waist_target");
  const antaeus::VectorX no_target;  // without targets the check of the start errors is left out
  const antaeus::PreflightReport report = antaeus::preflight(robot, robot.profile.deployed_endpoints, q, no_target);
  for (const antaeus::PreflightCheck& check : report.checks) {
    std::printf("%s: %s %.3f N/(N·m), limit %.1f, %s\n", check.subject.c_str(), to_string(check.kind).data(),
                check.value, check.limit, check.passed ? "passed" : "refused");
  }
  return report.passed ? 0 : 1;
}
