// The Panda's wrist to a point, in reach, out of it and barred by limits: joints, status, why, and the closest pose.
// Usage: example_reach_a_point [x y z]
// prints: 1.00 0.30 0.60: out_of_reach, 220 mm short at 0.80 0.24 0.55
#include <cstdio>
#include <cstdlib>

#include "antaeus/ik/reach.hpp"
#include "antaeus/robot/robot_profile.hpp"

using namespace antaeus;
int main(int argc, char** argv) {
  const Robot robot = load_robot("panda");
  const KinematicChain chain(robot.model, "panda_hand");
  const ReachModel model(chain, {.position_only = true});  // its table of starts: built once, shared by solvers
  ReachSolver solver(model);
  std::vector<Vector3> points = {{0.5, 0.2, 0.4}, {1.0, 0.3, 0.6}, {0.0, 0.0, 0.333}};
  if (argc > 3) points = {{std::atof(argv[1]), std::atof(argv[2]), std::atof(argv[3])}};
  for (const Vector3& point : points) {
    const ReachSolution& found = solver.solve({Matrix3::Identity(), point});
    Pose X_WF;
    chain.pose(found.q, X_WF);
    const Vector3& at = X_WF.translation;
    std::printf("%.2f %.2f %.2f: %s, %.0f mm short at %.2f %.2f %.2f\n", point.x(), point.y(), point.z(),
                to_string(found.status).data(), 1000.0 * found.position_error, at.x(), at.y(), at.z());
    std::printf("  because: %s\n  joints:", reason_text(model, found).c_str());
    for (int i = 0; i < chain.size(); ++i) std::printf(" %s %.3f", chain.joints()[i].name.c_str(), found.q[i]);
    std::printf("\n");
  }
}
