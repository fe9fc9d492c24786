#pragma once
/// \file
/// The flight of a robot that nothing holds in MuJoCo, under the same arguments as FreeFlight's.
///
///     MujocoFlight flight(model);                     // MJCF of the model, steps of 1 ms, Runge and Kutta
///     flight.reset(q, v);
///     flight.step(tau, flight.time_step());           // tau: f_b, τ_b in base axes, then the joints'

#include <memory>

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/sim/mujoco_flyer.hpp"

namespace antaeus {

/// FreeFlight in MuJoCo: the second opinion on a flight. Joints that the model does not have stay free and without
/// torque. Contacts, limits and friction are those of the scene; one of `flyer_scene` has none.
///
/// MuJoCo takes forces on a free joint in world axes, constant over a step; a force of the base is given to it as it is
/// turned in the step's middle, were the base's rotation constant. That leaves (ω dt)²/24 of it.
///
/// Workspace, one a thread. \realtime after construction: mujoco_flight_test
class ANTAEUS_API MujocoFlight {
 public:
  /// \param model  of the scene, or of another file with the same names of joints and of the root
  /// \throws ModelError for a joint or root of the model that is not the scene's, and an actuator that is not a motor
  MujocoFlight(const MujocoScene& scene, const RobotModel& model);
  explicit MujocoFlight(const RobotModel& model, double time_step = 1e-3,
                        Integrator integrator = Integrator::runge_kutta_4);
  ~MujocoFlight();
  MujocoFlight(MujocoFlight&&) noexcept;
  MujocoFlight& operator=(MujocoFlight&&) noexcept;

  const RobotModel& model() const noexcept;
  double time_step() const noexcept;  ///< the scene's [s]

  /// To this state, time zero; a base's quaternion is made of unit length. On any status but `ok` the state stays as it
  /// was.
  Status reset(ConstVectorRef q, ConstVectorRef v) noexcept;
  /// \param tau  [nv] f_b, τ_b in base axes, then the joints' torques, all constant through the step
  /// \param dt   a whole number of time steps up to a thousand [s]; else `wrong_size`, and `not_finite` for NaN.
  ///             On any status but `ok` the state stays as it was. A torque of 1e10 and more is not finite to MuJoCo.
  Status step(ConstVectorRef tau, double dt) noexcept;

  double time() const noexcept;       ///< [s]
  const VectorX& q() const noexcept;  ///< [nq]
  const VectorX& v() const noexcept;  ///< [nv], base velocities in base axes

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
