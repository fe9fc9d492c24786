#pragma once
/// \file
/// What a controller of a tool computes with: pose, velocity, Jacobian, masses. Once a cycle, shared by all that use
/// it.
///
///     ToolDynamics dynamics(model, "fingertip");          // scratch memory, one a thread
///     const ToolState& now = dynamics.at(q, v);            // once a cycle
///     const JointTorque& tau = impedance.update(now, target);

#include <memory>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/robot_model.hpp"
#include "antaeus/robot/torque_limits.hpp"

namespace antaeus {

/// A tool and the arm behind it at one instant. World axes, the tool's origin; linear rows first.
/// On any status but `ok` all numbers are NaN.
struct ToolState {
  Status status = Status::not_computed;
  VectorX q, v;      ///< as given [n]
  Pose X_WT;         ///< the tool
  Vector6 twist;     ///< V = J v [m/s, rad/s]
  Matrix6X J;        ///< J_WT_W [6 × n]
  Vector6 drift;     ///< J̇ v: the tool's acceleration while v is constant [m/s², rad/s²]
  VectorX g;         ///< gravity's torque [n]: what holds the arm still
  VectorX h;         ///< C v + g [n]: the torque that keeps v constant
  MatrixX M;         ///< mass matrix [n × n], armature included
  MatrixX M_inv_Jt;  ///< M⁻¹ Jᵀ [n × 6]
  /// Λ = (J M⁻¹ Jᵀ)⁻¹: what the tool weighs [kg, kg·m, kg·m²]. Bounded near singular poses, as `is_near_singular` says.
  Matrix6 Lambda;
  /// Some direction weighs more than the arm can be asked to move: there Λ is bounded, and accelerations are not
  /// reached.
  bool is_near_singular = false;
};

struct ToolDynamicsOptions {
  /// Added to J M⁻¹ Jᵀ: bounds Λ at its inverse. Elsewhere it changes Λ by this over the mobility, some 0.1 %.
  double mobility_floor = 1e-4;  ///< [1/kg] and [1/(kg·m²)]
  /// `is_near_singular` where some direction's mobility falls below it.
  double singular_mobility = 0.01;  ///< [1/kg] and [1/(kg·m²)]
};

/// Scratch memory for one model and one tool.
class ANTAEUS_API ToolDynamics {
 public:
  /// \throws ModelError for a frame that does not exist, a floating base, a joint without a motor
  ToolDynamics(const RobotModel& model, const std::string& tool, const ToolDynamicsOptions& options = {});
  ~ToolDynamics();
  ToolDynamics(ToolDynamics&&) noexcept;
  ToolDynamics& operator=(ToolDynamics&&) noexcept;

  const RobotModel& model() const noexcept;
  int size() const noexcept;  ///< n joints, all of them motors, in the model's order

  /// Reads one instant; the last one's numbers are overwritten. \param q, v  of the motors [n]
  /// \realtime (impedance_realtime_test)
  const ToolState& at(ConstVectorRef q, ConstVectorRef v) noexcept;
  const ToolState& state() const noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

/// The rotation vector that leads from `from` to `to`, in the axes in which both are given: |·| ≤ π. Shorter way round;
/// at π one of the two. Bullo and Murray (1995): log(R_d Rᵀ).
ANTAEUS_API Vector3 rotation_error(const Matrix3& from, const Matrix3& to) noexcept;

}  // namespace antaeus
