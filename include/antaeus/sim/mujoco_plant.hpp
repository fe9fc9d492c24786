#pragma once
/// \file
/// A robot in MuJoCo, driven by joint torques one time step at a time: what it senses, and what is true.

#include <memory>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"
#include "antaeus/sim/mujoco_scene.hpp"

namespace antaeus {

/// What lies between the simulation and a real arm. Viscous friction is the scene's (SceneDescription::joint_damping).
struct PlantOptions {
  double coulomb = 0.0;         ///< Coulomb friction of each motor's joint [N·m] or [N]; MujocoPlant takes single ones
  double stick_range = 1e-4;    ///< how far a joint gives before it slides [rad] or [m]
  double position_noise = 0.0;  ///< sd of each motor's position [rad] or [m]
  double velocity_noise = 0.0;  ///< sd of each motor's velocity [rad/s] or [m/s]
  double motor_noise = 0.0;     ///< sd of each motor's torque as it is sensed [N·m] or [N]
  double force_noise = 0.0;     ///< sd of each component of the sensed force [N]
  double torque_noise = 0.0;    ///< sd of each component of the sensed moment [N·m]
  double delay = 0.0;           ///< of the sensed wrench [s], in whole time steps
  double payload_error = 0.0;   ///< the payload that is taken off the sensor is this share too heavy [1]
  double tool_control = 0.0;    ///< of every actuator of the tool, in its file's unit (2F-85: 255 is closed)
  int seed = 1;                 ///< of all noise; the same seed gives the same numbers
};
ANTAEUS_API const OptionTable& options_of(const PlantOptions&);

/// Where the plant measures.
struct PlantPlaces {
  std::string site;               ///< of the scene: wrenches are about its origin
  std::string contact_body = {};  ///< the geoms of its tree are the end-effector; empty: of the force sensor's body
};

/// What a robot's controller is told. NaN where there is nothing yet.
struct PlantReading {
  double time = kNaN;
  VectorX q, v, tau;
  Wrench wrench{Vector3::Constant(kNaN), Vector3::Constant(kNaN)};
};
constexpr void visit_fields(const PlantReading*, auto&& visit) {
  using R = PlantReading;
  visit(field("time", "s", "", &R::time));
  visit(field("q", "", "[motors] after the step", &R::q));
  visit(field("v", "", "[motors] after the step", &R::v));
  visit(field("tau", "", "[motors] over the step, before friction", &R::tau));
  visit(field("wrench", "", "the environment on the robot, about the site, world axes: the sensor less the payload",
              &R::wrench));
}

/// What is so, without noise, delay and error.
struct PlantTruth {
  double time = kNaN;
  VectorX qpos, qvel;
  VectorX tau, friction;
  Wrench contact{Vector3::Constant(kNaN), Vector3::Constant(kNaN)};
  int contacts = 0;
  Pose X_WS;
  Wrench sensor{Vector3::Constant(kNaN), Vector3::Constant(kNaN)};
};
constexpr void visit_fields(const PlantTruth*, auto&& visit) {
  using T = PlantTruth;
  visit(field("time", "s", "", &T::time));
  visit(field("qpos", "", "[nq] the whole scene after the step, in MuJoCo's order (SceneOrder)", &T::qpos));
  visit(field("qvel", "", "[nv] likewise", &T::qvel));
  visit(field("tau", "", "[motors] over the step, after their limits", &T::tau));
  visit(field("friction", "", "[motors] Coulomb friction, not in tau", &T::friction));
  visit(field("contact", "", "the environment on the end-effector, the robot's own arm too, about the site, world axes",
              &T::contact));
  visit(field("contacts", "", "places of contact in that sum", &T::contacts));
  visit(field("X_WS", "", "the site when the step began", &T::X_WS));
  visit(field("sensor", "", "as PlantReading.wrench, exact and at once", &T::sensor));
}

/// Scratch memory of one simulation, one a thread. Steps are noexcept, total and free of allocation.
class ANTAEUS_API MujocoPlant {
 public:
  /// \param coulomb  friction of each motor [N·m] or [N] in place of `options.coulomb`; empty: that
  /// \throws ModelError for a site or body that does not exist, an actuator of the robot that is not torque controlled
  ///         (by name), a scene without motors; OptionsError for an option out of its range
  MujocoPlant(const MujocoScene& scene, const PlantPlaces& places, const PlantOptions& options = {},
              const VectorX& coulomb = {});
  ~MujocoPlant();
  MujocoPlant(MujocoPlant&&) noexcept;
  MujocoPlant& operator=(MujocoPlant&&) noexcept;

  int motor_count() const noexcept;
  double time_step() const noexcept;  ///< [s]
  /// Joint of each motor.
  const std::vector<std::string>& motor_joints() const noexcept;

  /// To rest at time zero: motors at \p q, all other joints at their reference. Noise starts again. \realtime
  Status reset(ConstVectorRef q) noexcept;
  /// The same for the whole scene, in MuJoCo's order. \realtime
  Status reset_scene(ConstVectorRef qpos) noexcept;
  /// A wrench of the environment on the robot at the site, about its origin in world axes, in every step from now on,
  /// beside the contacts and not among them. \realtime
  Status push(const Wrench& wrench) noexcept;
  /// How stiff the scene's contact pairs are from now on: solref[0] of all of them [s]. Set-up code, not for a loop.
  /// \throws OptionsError for a scene without pairs, or a number that is not above zero
  void set_contact_time_constant(double time_constant);
  /// One time step with the motors' torques [N·m] or [N]. On `wrong_size` and `not_finite` of an argument nothing
  /// moves; a torque of 1e10 and more is not finite to MuJoCo. `not_finite` is also a simulation that has broken, until
  /// the next reset. \realtime (mujoco_plant_realtime_test)
  Status step(ConstVectorRef tau) noexcept;

  const PlantReading& reading() const noexcept;
  const PlantTruth& truth() const noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
