#pragma once
/// \file
/// Every joint as a spring with a damper: τ = g + M a_d + K (q_d − q) + D (v_d − v) + τ_ff.
///
/// Left to itself the arm is passive: ½ vᵀ M v + ½ eᵀ K e grows by nothing but the power of who pushes it.

#include <memory>

#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/robot/torque_limits.hpp"

namespace antaeus {

/// Where damping comes from.
enum class DampingLaw : std::uint8_t {
  ratio,  ///< shaped by the masses at each instant: every mode has the same damping ratio
  given,  ///< the numbers of the options
};
constexpr auto enum_names(DampingLaw) noexcept { return name_list<DampingLaw>("ratio", "given"); }

/// What becomes of the torques C v.
enum class VelocityTorque : std::uint8_t {
  natural,    ///< they stay the arm's own: passive with any environment
  cancelled,  ///< as if there were none: moving targets are followed more closely, and passivity holds at rest only
};
constexpr auto enum_names(VelocityTorque) noexcept { return name_list<VelocityTorque>("natural", "cancelled"); }

struct JointImpedanceOptions {
  double joint_stiffness = 200.0;  ///< of each joint [N·m/rad]
  DampingLaw joint_damping_law = DampingLaw::ratio;
  double joint_damping_ratio = 1.0;  ///< with `ratio` [1]
  double joint_damping = 20.0;       ///< of each joint with `given` [N·m·s/rad]
  VelocityTorque velocity_torque = VelocityTorque::natural;
  TorqueLimitOptions limits = {};
};
ANTAEUS_API const OptionTable& options_of(const JointImpedanceOptions&);

/// Where the joints shall be. Empty vectors but q: zero.
struct JointTarget {
  VectorX q;              ///< [n] rad or m
  VectorX v = {};         ///< [n] rad/s or m/s
  VectorX a = {};         ///< [n] rad/s² or m/s²
  VectorX tau_feed = {};  ///< [n] added to the motors' torque, N·m or N
};

class ANTAEUS_API JointImpedance {
 public:
  /// \throws OptionsError; ModelError for a joint without a motor
  explicit JointImpedance(const RobotModel& model, const JointImpedanceOptions& options = {});
  ~JointImpedance();
  JointImpedance(JointImpedance&&) noexcept;
  JointImpedance& operator=(JointImpedance&&) noexcept;

  /// Stiffness joint by joint [n]; a step of it changes the stored energy. \return `not_finite` for a negative one,
  /// nothing changed then. \realtime
  Status set_stiffness(ConstVectorRef stiffness) noexcept;
  /// The same of the damping, with DampingLaw::given. \realtime
  Status set_damping(ConstVectorRef damping) noexcept;

  /// A state or target that is not good gives NaN and its status. \realtime (impedance_realtime_test)
  const LimitedTorque& update(const ToolState& now, const JointTarget& target) noexcept;
  const MatrixX& damping() const noexcept;  ///< D [n × n] of the last cycle
  /// Empties the rate's memory. \realtime
  void reset() noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
