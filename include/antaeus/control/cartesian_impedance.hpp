#pragma once
/// \file
/// The tool as a spring with a damper: whoever pushes it feels K and D, and the arm's own mass.
///
///     F = K e + D (V_d − V) + Λ A_d + F_ff        e = (p_d − p; log(R_d Rᵀ)), world axes, about the tool's origin
///     τ = g + Jᵀ F + posture
///
/// F is what the tool does to the world: a person who pushes with +40 N along x moves it by 40/K along +x.
/// At rest and with natural velocity torques, ½ vᵀ M v + ½ eᵀ K e grows by nothing but the power of who pushes.

#include <memory>

#include "antaeus/control/joint_impedance.hpp"
#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// How the orientation's error is told.
enum class RotationLaw : std::uint8_t {
  log_map,  ///< the whole angle, log(R_d Rᵀ): the further, the stronger
  skew,     ///< its sine: weaker beyond 90°, nothing at 180°. Only to compare with
};
constexpr auto enum_names(RotationLaw) noexcept { return name_list<RotationLaw>("log_map", "skew"); }

struct CartesianImpedanceOptions {
  double stiffness = 500.0;            ///< of the tool's place, all directions [N/m]
  double rotational_stiffness = 50.0;  ///< of its orientation [N·m/rad]
  DampingLaw damping_law = DampingLaw::ratio;
  double damping_ratio = 1.0;  ///< with `ratio` [1]
  double damping = 110.0;      ///< with `given`, of the place [N·s/m]
  /// With `given`, of the orientation [N·m·s/rad].
  double rotational_damping = 5.0;
  RotationLaw rotation_law = RotationLaw::log_map;
  VelocityTorque velocity_torque = VelocityTorque::natural;
  /// Of each joint towards the target's posture, in motions that leave the tool at rest [N·m/rad]. Their damping is
  /// critical for each joint's own inertia. 0: such motions are left alone.
  double posture_stiffness = 10.0;
  TorqueLimitOptions limits = {};
};
ANTAEUS_API const OptionTable& options_of(const CartesianImpedanceOptions&);

/// Where the tool shall be. World axes, about the tool's origin, linear rows first.
struct CartesianTarget {
  Pose X_WT;
  Vector6 twist = Vector6::Zero();         ///< [m/s, rad/s]
  Vector6 acceleration = Vector6::Zero();  ///< [m/s², rad/s²]
  Wrench feed_forward = {};                ///< what the tool shall do to the world beside the spring [N, N·m]
  VectorX posture = {};                    ///< [n] rad or m; empty: any, only damped
};

struct CartesianTorque : LimitedTorque {
  Vector6 error;
  Wrench commanded;
  double spring_energy = kNaN;
};
constexpr void visit_fields(const CartesianTorque*, auto&& visit) {
  using T = CartesianTorque;
  visit(field("error", "", "[6] target less tool, m and rad", &T::error));
  visit(field("commanded", "", "what the tool does to the world where it stands still", &T::commanded));
  visit(field("spring_energy", "J", "½ eᵀ K e; NaN with RotationLaw.skew", &T::spring_energy));
}

class ANTAEUS_API CartesianImpedance {
 public:
  /// \throws OptionsError; ModelError for a joint without a motor
  explicit CartesianImpedance(const RobotModel& model, const CartesianImpedanceOptions& options = {});
  ~CartesianImpedance();
  CartesianImpedance(CartesianImpedance&&) noexcept;
  CartesianImpedance& operator=(CartesianImpedance&&) noexcept;

  /// Any symmetric K, world axes; for tool axes turn it by now.X_WT. A step of it changes the stored energy.
  /// \return `not_finite` where it is not symmetric or not positive semidefinite, nothing changed then. \realtime
  Status set_stiffness(const Matrix6& K_W) noexcept;
  /// The same of D, with DampingLaw::given. \realtime
  Status set_damping(const Matrix6& D_W) noexcept;

  /// A state or target that is not good gives NaN and its status. \realtime (impedance_realtime_test)
  const CartesianTorque& update(const ToolState& now, const CartesianTarget& target) noexcept;
  const Matrix6& stiffness() const noexcept;
  const Matrix6& damping() const noexcept;  ///< D of the last cycle
  /// Empties the rate's memory. \realtime
  void reset() noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
