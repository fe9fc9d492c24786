#pragma once
/// \file
/// The robot of a scene as Antaeus sees it: the same tree of joints, masses and frames, out of MuJoCo's compiled model.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/robot_model.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/sim/mujoco_scene.hpp"

namespace antaeus {

/// What becomes of a scene's joints in the model.
struct MujocoRobotOptions {
  /// Body whose tree is wanted; it must not be carried by a moving one. Empty: the whole scene.
  std::string root = {};
  /// Joint → position at which it is held [rad] or [m]; it becomes fixed.
  std::map<std::string, double> locked_joints = {};
  /// `free_flyer`: the root is a body with a free joint, which becomes the model's own free root: q and v begin with
  /// it, and FreeFlyer takes the model. Where `root` is empty, it is the one body that has a free joint.
  Base base = Base::fixed;
};

/// A description and the options that make a model of it: base, gravity, armature, motors (the scene's torque
/// actuators and joints of fixed tendons that its actuators pull, in their order; without one all joints).
///
/// Links are MuJoCo's bodies under their names, with the world as the root (a free flyer's is its body); sites are
/// links without mass. What has no name is called after its number ("body_3"), and a name that is taken gets its kind
/// behind it ("tool_site"). A body's further joints, and an anchor off the body's origin, stand between two links:
/// "body/joint". Positions of hinges and slides are MuJoCo's, qpos0 included. Springs, friction, equalities and
/// MuJoCo's own gravity compensation are not part of it: `description.notes` says which there are. Geoms that touch
/// nothing are visuals, the others collision shapes; planes, ellipsoids and height fields are left out.
struct MujocoRobot {
  RobotDescription description;
  ModelOptions options;

  RobotModel model() const { return {description, options}; }
};
/// \throws ModelError for a root or joint that does not exist, a root on a moving body, a mass that no body can have;
///         for a free flyer that has no free joint, or where several bodies have one and none is named
ANTAEUS_API MujocoRobot mujoco_robot(const MujocoScene& scene, const MujocoRobotOptions& options = {});

/// load_robot() that takes an MJCF file (.xml) too, as MuJoCo reads it; the engine is loaded for such a file alone. The
/// one body with a free joint is then the floating base, and with \p base fixed it is held at the origin; without one
/// the base is fixed. There is no profile.
/// \param base  floating is refused where no body has a free joint
/// Equalities are read as a URDF's <mimic>: a joint that is coupled to another is independent, and a loop of fingers
/// (fewer than three joints on either side) is open; `description.notes` names the joints.
/// \throws ModelError as load_robot and mujoco_robot, and for what the model cannot hold: a loop of limbs, and several
///         free bodies
ANTAEUS_API Robot load_any_robot(const std::string& name_or_path, MeshPolicy meshes = MeshPolicy::ignored,
                                 std::optional<Base> base = {});

/// Positions of the joints of a body's tree at a position of the scene, for MujocoRobotOptions::locked_joints: a
/// gripper as it stands.
/// \param qpos  in MuJoCo's order [nq]
/// \throws ModelError for a body that does not exist, a wrong size, or a free joint in the tree
ANTAEUS_API std::map<std::string, double> joint_positions(const MujocoScene& scene, const std::string& body,
                                                          ConstVectorRef qpos);

/// Carries vectors between a model of a scene and MuJoCo's order.
///
/// They differ in the order of joints, in joints that the model holds, and in free joints: MuJoCo has the quaternion as
/// (w x y z) and the linear velocity in world axes, the model (x y z w) and body axes. Where the model does not say
/// (held joints, other robots), MuJoCo's vectors have the held position or the reference, and zeros.
class ANTAEUS_API SceneOrder {
 public:
  /// A free flyer's root is the body of its name.
  /// \throws ModelError for a joint of the model that is not the scene's, and a continuous joint
  SceneOrder(const MujocoScene& scene, const RobotModel& model);

  /// q [nq], v [nv] → qpos, qvel of MuJoCo. \realtime (mujoco_plant_realtime_test)
  Status to_scene(ConstVectorRef q, ConstVectorRef v, VectorRef qpos, VectorRef qvel) const noexcept;
  /// qpos, qvel → q, v. \realtime
  Status to_robot(ConstVectorRef qpos, ConstVectorRef qvel, VectorRef q, VectorRef v) const noexcept;
  /// a at (q, v) → qacc. \realtime
  Status acceleration_to_scene(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, VectorRef qacc) const noexcept;
  /// qacc at (q, v) → a. \realtime
  Status acceleration_to_robot(ConstVectorRef q, ConstVectorRef v, ConstVectorRef qacc, VectorRef a) const noexcept;
  /// Generalised forces at q. \realtime
  Status force_to_scene(ConstVectorRef q, ConstVectorRef tau, VectorRef qfrc) const noexcept;
  Status force_to_robot(ConstVectorRef q, ConstVectorRef qfrc, VectorRef tau) const noexcept;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace antaeus
