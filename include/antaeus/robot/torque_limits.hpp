#pragma once
/// \file
/// Limits of the motors' torques and of how fast they change; what was taken away is said.

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

/// Torques for the motors, and what had to be done to them. What every controller returns.
struct JointTorque {
  Status status = Status::not_computed;
  VectorX tau;
};
constexpr void visit_fields(const JointTorque*, auto&& visit) {
  using T = JointTorque;
  visit(field("status", "", "on anything but ok, tau is NaN: brake, or hold the position", &T::status));
  visit(field("tau", "", "[n] N·m or N, what the motors shall give", &T::tau));
}

/// Part of every controller's options.
struct TorqueLimitOptions {
  double torque_share = 1.0;    ///< of each motor's effort limit of the model [1]
  double torque_rate = 0.0;     ///< largest change of each torque [N·m/s] or [N/s]; 0: any
  double torque_cycle = 0.001;  ///< of the control loop [s]: the rate's time
};
ANTAEUS_API const OptionTable& options_of(const TorqueLimitOptions&);

/// A torque within the limits. What was wanted is tau + clipped + slowed.
struct LimitedTorque : JointTorque {
  VectorX clipped, slowed;
  bool is_limited = false;
};
constexpr void visit_fields(const LimitedTorque*, auto&& visit) {
  using T = LimitedTorque;
  visit(field("clipped", "", "[n] what was beyond the motor's limit; 0: nothing", &T::clipped));
  visit(field("slowed", "", "[n] what the rate holds back in this cycle; 0: nothing", &T::slowed));
  visit(field("is_limited", "", "some entry of the two is not zero", &T::is_limited));
}

/// Keeps torques within the limits. The first torque after `reset()` may be any within them.
class ANTAEUS_API TorqueLimits {
 public:
  /// Limits of the model's motors. \throws OptionsError, ModelError as ToolDynamics
  explicit TorqueLimits(const RobotModel& model, const TorqueLimitOptions& options = {});
  /// \param torque  [n] largest size of each torque, \param rate  [n] of its change per second; infinite: none
  /// \throws OptionsError for unequal sizes, a negative limit, a cycle that is not above zero
  TorqueLimits(const VectorX& torque, const VectorX& rate, double cycle);

  int size() const noexcept { return static_cast<int>(limit_.size()); }
  const VectorX& limits() const noexcept { return limit_; }  ///< [n] of the torques' size

  /// NaN and a wrong size give NaN and a status; the next torque then starts from the last good one.
  /// \param wanted  [n] \realtime (impedance_realtime_test)
  const LimitedTorque& apply(ConstVectorRef wanted) noexcept;
  const LimitedTorque& last() const noexcept { return result_; }
  /// NaN and why: what a controller gives that cannot compute. \realtime
  const LimitedTorque& fail(Status why) noexcept;

  /// \realtime
  void reset() noexcept;
  /// The next torque starts from this one: what the motors give as the controller takes over [n]. \realtime
  Status reset(ConstVectorRef tau) noexcept;

 private:
  VectorX limit_, step_, last_;
  bool has_last_ = false;
  LimitedTorque result_;
};

}  // namespace antaeus
