#pragma once
/// \file
/// The same quantities as Dynamics, as MuJoCo computes them: a reference that nobody here wrote.

#include <memory>

#include "antaeus/core/api.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/sim/mujoco_robot.hpp"

namespace antaeus {

/// MuJoCo's dynamics of a scene without contacts, limits, equalities, friction, springs and actuators, in the order and
/// with the signs of a model of it: M v̇ + C v + g = τ. Scratch memory, one a thread.
///
/// Joints that the model holds stand still in MuJoCo: rows and columns of the others are what they are while these are
/// held. Every function is total and noexcept; on any status but `ok` its outputs are NaN.
class ANTAEUS_API MujocoDynamics {
 public:
  /// \throws ModelError for a joint or frame of the model that is not the scene's
  MujocoDynamics(const MujocoScene& scene, const RobotModel& model);
  ~MujocoDynamics();
  MujocoDynamics(MujocoDynamics&&) noexcept;
  MujocoDynamics& operator=(MujocoDynamics&&) noexcept;

  /// g(q) [nv]
  Status gravity_torque(ConstVectorRef q, VectorRef g) noexcept;
  /// C v + g [nv]
  Status nonlinear_effects(ConstVectorRef q, ConstVectorRef v, VectorRef h) noexcept;
  /// M [nv × nv], armature included
  Status mass_matrix(ConstVectorRef q, MatrixRef M) noexcept;
  /// τ = M a + C v + g [nv]
  Status inverse_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, VectorRef tau) noexcept;
  /// a = M⁻¹ (τ − C v − g) [nv]. MuJoCo's own solution where the model holds no joint; where it holds some, the model's
  /// rows of MuJoCo's M and h, solved here: MuJoCo would let the held joints go.
  Status forward_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau, VectorRef a) noexcept;
  /// X_WF of a body or site, by the frame of the model. `unknown_frame` for what MuJoCo has no such thing.
  Status frame_pose(ConstVectorRef q, FrameId frame, Pose& X_WF) noexcept;
  /// J_WF_W [6 × nv], as PositionTerms::frame_jacobian.
  Status frame_jacobian(ConstVectorRef q, FrameId frame, Matrix6XRef J_WF_W) noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
