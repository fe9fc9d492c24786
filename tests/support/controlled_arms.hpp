#pragma once
/// Arms that controllers are tried on, and their free motion under a torque that is asked for at every instant.

#include <functional>
#include <string>
#include <vector>

#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "robot/test_robots.hpp"

namespace antaeus::test {

struct ControlledArm {
  std::string name;
  RobotModel model;
  std::string tool;
  VectorX home;  ///< away from limits and singular poses
};

/// Rotors as of an arm with gears: without them a wrist has some 1e-4 kg m², and no loop of 1 kHz could damp it.
inline ModelOptions with_rotors(const RobotDescription& description) {
  ModelOptions options = fixed_base();
  for (const JointDescription& joint : description.joints) {
    if (joint.type == JointType::revolute) options.armature[joint.name] = 0.1;
  }
  return options;
}

inline RobotModel locked_panda() {
  const RobotDescription description = own_robot("panda").model.description();
  ModelOptions options = with_rotors(description);
  options.locked_joints = {{"panda_finger_joint1", 0.02}, {"panda_finger_joint2", 0.02}};
  return {description, options};
}

inline ControlledArm controlled_panda() {
  const VectorX home{{0.1, -0.6, 0.2, -2.2, 0.1, 1.8, 0.7}};
  return {"panda", locked_panda(), "panda_hand_tcp", home};
}
inline ControlledArm controlled_ur5e() {
  const VectorX home{{0.3, -1.4, 1.6, -1.7, -1.5, 0.2}};
  const RobotDescription description = own_robot("ur5e").model.description();
  return {"ur5e", RobotModel(description, with_rotors(description)), "tool0", home};
}
inline std::vector<ControlledArm> controlled_arms() { return {controlled_panda(), controlled_ur5e()}; }

/// The arm in free space, by Runge and Kutta.
class FreeArm {
 public:
  /// Torque of motors and of who pushes [n].
  using Torque = std::function<VectorX(const VectorX& q, const VectorX& v)>;

  FreeArm(const RobotModel& model, VectorX q_in, VectorX v_in)
      : q(std::move(q_in)), v(std::move(v_in)), dynamics_(model) {}

  /// \return false where it broke
  bool step(double h, const Torque& torque) {
    const VectorX a1 = acceleration(q, v, torque);
    const VectorX v2 = v + 0.5 * h * a1;
    const VectorX a2 = acceleration(q + 0.5 * h * v, v2, torque);
    const VectorX v3 = v + 0.5 * h * a2;
    const VectorX a3 = acceleration(q + 0.5 * h * v2, v3, torque);
    const VectorX v4 = v + h * a3;
    const VectorX a4 = acceleration(q + h * v3, v4, torque);
    q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    return q.allFinite() && v.allFinite();
  }

  VectorX q, v;

 private:
  VectorX acceleration(const VectorX& at, const VectorX& velocity, const Torque& torque) {
    VectorX a(at.size());
    if (dynamics_.forward_dynamics(at, velocity, torque(at, velocity), a) != Status::ok) a.setConstant(kNaN);
    return a;
  }
  Dynamics dynamics_;
};

}  // namespace antaeus::test
