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
#include "antaeus/core/fields.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/robot_model.hpp"
#include "antaeus/robot/torque_limits.hpp"

namespace antaeus {

/// A tool and the arm behind it at one instant. World axes, the tool's origin; linear rows first.
/// On any status but `ok` all numbers are NaN.
struct ToolState {
  Status status = Status::not_computed;
  VectorX q, v;
  Pose X_WT;
  Vector6 twist;
  Matrix6X J;
  Vector6 drift;
  VectorX g, h;
  MatrixX M, M_inv_Jt;
  Matrix6 Lambda;
  bool is_near_singular = false;
};
constexpr void visit_fields(const ToolState*, auto&& visit) {
  using S = ToolState;
  visit(field("status", "", "ok, or what of the state is wrong", &S::status));
  visit(field("q", "", "as given [n]", &S::q));
  visit(field("v", "", "as given [n]", &S::v));
  visit(field("X_WT", "", "the tool", &S::X_WT));
  visit(field("twist", "", "V = J v [6], m/s and rad/s", &S::twist));
  visit(field("J", "", "J_WT_W [6 × n]", &S::J));
  visit(field("drift", "", "J̇ v [6], the tool's acceleration while v is constant, m/s² and rad/s²", &S::drift));
  visit(field("g", "", "gravity's torque [n]: what holds the arm still", &S::g));
  visit(field("h", "", "C v + g [n]: the torque that keeps v constant", &S::h));
  visit(field("M", "", "mass matrix [n × n], armature included", &S::M));
  visit(field("M_inv_Jt", "", "M⁻¹ Jᵀ [n × 6]", &S::M_inv_Jt));
  visit(field("Lambda", "", "(J M⁻¹ Jᵀ)⁻¹ [6 × 6]: what the tool weighs, kg, kg·m, kg·m²; bounded near singular poses",
              &S::Lambda));
  visit(field("is_near_singular", "", "Λ is bounded, for some direction weighs too much: accelerations are not reached",
              &S::is_near_singular));
}

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
