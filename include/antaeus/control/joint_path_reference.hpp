#pragma once
/// \file
/// A reference that follows a path of the arm's joints, also through singular poses, while base attitude and centre of
/// mass rest: feasible there by construction, unless an offset is asked for that no joint motion reaches.
///
///     JointPathReference path(FreeFlyer(model, "ee_link"), q_start);
///     SingularCrossing crossing{.theta = singular, .direction = along, .speed = 0.2};
///     path.offset_at(crossing.theta);                           // only where crossing.offset is not zero
///     const FlyingReference& reference = path.at(crossing, time);

#include "antaeus/core/api.hpp"
#include "antaeus/space/flying_reference.hpp"
#include "antaeus/space/free_flyer.hpp"

namespace antaeus {

/// A number that depends on time.
struct MovingNumber {
  double value = 0.0, rate = 0.0, acceleration = 0.0;  ///< [unit], [unit/s], [unit/s²]
};

/// A straight path in joint space, θ = theta + s · direction, from s = reach at constant speed past s = 0 to
/// s = −reach, and then to rest: the speed falls to zero within `stop` with continuous acceleration and jerk, and the
/// reference stays. The plan starts in motion: a robot starts with it, or has that to catch up with.
struct SingularCrossing {
  VectorX theta;        ///< [n] joints where s = 0: the singular pose [rad]
  VectorX direction;    ///< [n] dθ/ds; 1 for the joint that makes the pose singular, so that s is its angle
  double reach = 0.35;  ///< [rad]
  double speed = 0.2;   ///< of s, > 0 [rad/s]
  double stop = 1.0;    ///< > 0 [s]
  double offset = 0.0;  ///< largest offset along the direction of offset_at() [m, rad, mixed as there]
  double window = 0.3;  ///< the offset is offset · (1 − (s/window)²)³ where |s| < window, else zero; > 0 [rad]
};
/// s at a time; NaN for a speed or stop that is not above zero. \realtime
ANTAEUS_API MovingNumber crossing_path(const SingularCrossing& crossing, double time) noexcept;
/// Time at which the reference comes to rest [s]. \realtime
ANTAEUS_API double crossing_end(const SingularCrossing& crossing) noexcept;

/// Workspace, one a thread. \realtime after construction: flying_control_realtime_test
class ANTAEUS_API JointPathReference {
 public:
  /// Base attitude and centre of mass stay those of \p q_start [nq].
  /// \throws Error for a q_start of a wrong size, not finite or with a bad quaternion
  JointPathReference(FreeFlyer flying, ConstVectorRef q_start);

  /// The offset's direction: u₆, the unit direction of twists in E that J⊕ reaches least, at these joints, constant in
  /// E's axes. Its sign makes the largest entry positive. On any status but `ok` there is none.
  Status offset_at(ConstVectorRef theta) noexcept;
  /// Another direction [m; rad], in E's axes; zero: none.
  void set_offset(const Vector6& direction) noexcept { direction_ = direction; }
  const Vector6& offset_direction() const noexcept { return direction_; }

  /// The reference of joints that move so; the pose is then moved on by offset · direction: p += R d_v, R exp(d_ω).
  /// Velocities and accelerations are exact. All of it NaN unless status() is `ok`.
  /// \param theta, theta_dot, theta_ddot  [n]
  const FlyingReference& at(ConstVectorRef theta, ConstVectorRef theta_dot, ConstVectorRef theta_ddot,
                            const MovingNumber& offset = {}) noexcept;
  /// On a crossing; its theta and direction [n].
  const FlyingReference& at(const SingularCrossing& crossing, double time) noexcept;

  Status status() const noexcept { return status_; }
  /// The robot's own motion on the path, without the offset: q [nq], v and v̇ [nv], and τ = M v̇ + C v, of which the
  /// first three are zero: what an ideal plant takes.
  const VectorX& q() const noexcept { return q_; }
  const VectorX& v() const noexcept { return v_; }
  const VectorX& v_dot() const noexcept { return v_dot_; }
  const VectorX& tau() const noexcept { return tau_; }
  double sigma_J() const noexcept { return sigma_; }  ///< of J⊕ there

 private:
  void fail(Status status) noexcept;
  void set_joints(ConstVectorRef theta) noexcept;

  FreeFlyer flying_;
  Vector3 p_com_;
  VectorX q_start_, step_, q_, v_, v_dot_, tau_, at_rest_, theta_, theta_dot_, theta_ddot_;
  Vector6 direction_ = Vector6::Zero();
  SmallSvd svd_;
  double sigma_ = kNaN;
  Status status_ = Status::not_computed;
  FlyingReference reference_;
};

}  // namespace antaeus
