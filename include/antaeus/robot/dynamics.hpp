#pragma once
/// \file
/// Rigid-body dynamics of one RobotModel: the workspace, one a thread.
///
/// Conventions: M v̇ + C v + g = τ + Σ Jᵀ w, w the wrench of the environment on the robot. Every function fully
/// overwrites its outputs, is noexcept, total and free of allocation (dynamics_realtime_test), and on any status but
/// `ok` leaves NaN in them. Algorithms: Featherstone, "Rigid Body Dynamics Algorithms" (2008), through Pinocchio.

#include <cstdint>
#include <memory>

#include "antaeus/core/api.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

class Dynamics;
class ParameterTorque;  // private to src/robot

/// All quantities that depend on q alone, computed once by Dynamics::at and read any number of times.
/// Valid until the next call of `at` on the same Dynamics; afterwards its functions return `not_computed`.
class ANTAEUS_API PositionTerms {
 public:
  /// Empty: every function returns `not_computed`.
  PositionTerms() noexcept = default;
  Status status() const noexcept { return status_; }
  /// g(q) [nv]: the generalised torque that holds the robot still against gravity. \realtime
  Status gravity_torque(VectorRef g) const noexcept;
  /// The same under another acceleration of free fall [m/s², world axes]. \realtime
  Status gravity_torque(const Vector3& free_fall, VectorRef g) const noexcept;
  /// τ = M a + C v + g [nv] at this q. \realtime
  Status inverse_dynamics(ConstVectorRef v, ConstVectorRef a, VectorRef tau) const noexcept;
  /// The same for a floating base, whose linear acceleration comes from an accelerometer.
  ///
  /// a[0..2] is ignored, and so is gravity: both are contained in the specific force, wherever on the robot the sensor
  /// sits. The base's linear velocity must be given as zero: dynamics does not depend on it (Galilei).
  /// \param specific_force  a − g at the origin of the frame \p sensor, in its axes [m/s²]
  /// \param base_specific_force  where wanted, receives the specific force at the base's origin in base axes
  /// \return `unknown_frame` also for a fixed base, whose motion is all in a. \realtime
  Status inverse_dynamics(ConstVectorRef v, ConstVectorRef a, FrameId sensor, const Vector3& specific_force,
                          VectorRef tau, Vector3* base_specific_force = nullptr) const noexcept;
  /// M [nv × nv] at this q, armature included, both triangles. \realtime
  Status mass_matrix(MatrixRef M) const noexcept;
  /// C v + g [nv], and J̇ v of the frame's origin in world axes [m/s², rad/s²]: its acceleration while v is constant.
  /// \realtime
  Status nonlinear_effects(ConstVectorRef v, VectorRef h, FrameId frame, Vector6& drift_WF_W) const noexcept;
  /// X_WF: pose of the frame in the world. \realtime
  Status frame_pose(FrameId frame, Pose& X_WF) const noexcept;
  /// J_WF_W [6 × nv]: velocity of the frame's origin, in world axes (Pinocchio: LOCAL_WORLD_ALIGNED), linear rows
  /// first. Columns that do not move the frame are exactly zero. \realtime
  Status frame_jacobian(FrameId frame, Matrix6XRef J_WF_W) const noexcept;
  /// Centre of mass in the world [m]. \realtime
  Status center_of_mass(Vector3& p_WC) const noexcept;
  /// J_WC [3 × nv]: velocity of the centre of mass, in world axes [m/s per unit of v]. \realtime
  Status center_of_mass_jacobian(Matrix3XRef J_WC) const noexcept;

 private:
  friend class Dynamics;
  friend class VelocityTerms;
  friend class ParameterTorque;
  PositionTerms(Dynamics* dynamics, Status status, std::uint64_t generation) noexcept
      : dynamics_(dynamics), status_(status), generation_(generation) {}
  Status ready() const noexcept;

  Dynamics* dynamics_ = nullptr;
  Status status_ = Status::not_computed;
  std::uint64_t generation_ = 0;
};

/// All quantities that depend on q and v, computed once by Dynamics::at(q, v). Valid as PositionTerms are.
class ANTAEUS_API VelocityTerms {
 public:
  /// Empty: every function returns `not_computed`.
  VelocityTerms() noexcept = default;
  Status status() const noexcept { return position_.status(); }
  /// What depends on q alone.
  const PositionTerms& position() const noexcept { return position_; }
  /// C [nv × nv] with Ṁ = C + Cᵀ. \realtime
  Status coriolis_matrix(MatrixRef C) const noexcept;
  /// Velocity of the frame's origin and its angular velocity, in the frame's own axes (Pinocchio: LOCAL) [m/s, rad/s].
  /// \realtime
  Status frame_velocity(FrameId frame, Vector6& v_WF_F) const noexcept;
  /// J_WF_F [6 × nv]: the same for each unit of v, and its derivative in time while the robot moves with v.
  /// \realtime
  Status frame_jacobian(FrameId frame, Matrix6XRef J_WF_F, Matrix6XRef J_dot) const noexcept;

 private:
  friend class Dynamics;
  explicit VelocityTerms(PositionTerms position) noexcept : position_(position) {}
  PositionTerms position_;
};

/// Scratch memory and algorithms for one model. Not thread-safe: one a thread. Movable; copy the model instead.
class ANTAEUS_API Dynamics {
 public:
  explicit Dynamics(RobotModel model);
  ~Dynamics();
  Dynamics(Dynamics&&) noexcept;
  Dynamics& operator=(Dynamics&&) noexcept;

  const RobotModel& model() const noexcept { return model_; }

  /// Forward kinematics and joint Jacobians at q [nq]. A quaternion off unit length by less than 1e-3 is normalised,
  /// by more is `bad_orientation`. \realtime
  PositionTerms at(ConstVectorRef q) noexcept;
  /// The same with velocities, C and the Jacobians' derivatives: one pass. \realtime
  VelocityTerms at(ConstVectorRef q, ConstVectorRef v) noexcept;

  /// τ = M a + C v + g [nv]. Recursive Newton–Euler. \realtime
  Status inverse_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, VectorRef tau) noexcept;
  /// Y [nv × 10 bodies] with M a + C v + g = Y φ + armature ∘ a, φ = RobotModel::inertial_parameters(): what each
  /// mass, first moment and moment of inertia of each body adds to each row of τ at this motion. Free bases too.
  /// Source: Atkeson, An & Hollerbach, Int. J. Robotics Research 5 (1986). \realtime
  Status inverse_dynamics_regressor(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, MatrixRef Y) noexcept;
  /// a = M⁻¹ (τ − C v − g) [nv]. Articulated-body algorithm. \realtime
  Status forward_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau, VectorRef a) noexcept;
  /// C v + g [nv]. \realtime
  Status nonlinear_effects(ConstVectorRef q, ConstVectorRef v, VectorRef h) noexcept;
  /// M [nv × nv], armature included, both triangles. Composite rigid bodies. \realtime
  Status mass_matrix(ConstVectorRef q, MatrixRef M) noexcept;
  /// C [nv × nv] with Ṁ = C + Cᵀ. \realtime
  Status coriolis_matrix(ConstVectorRef q, ConstVectorRef v, MatrixRef C) noexcept;

 private:
  friend class PositionTerms;
  friend class VelocityTerms;
  friend class ParameterTorque;
  struct Workspace;
  Status check(ConstVectorRef q) noexcept;
  RobotModel model_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
