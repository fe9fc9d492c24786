#pragma once
/// \file
/// A robot that nothing holds, moved on in time under the forces and torques that act on it.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

/// Integrates M v̇ + C v + g = τ on the configuration's own manifold, with an error of order 4 in the time step: the
/// method of Runge and Kutta in the coordinates of the Lie algebra at each step's beginning (H. Munthe-Kaas,
/// "High order Runge-Kutta methods on manifolds", Appl. Numer. Math. 29 (1999)). Quaternions stay of unit length
/// without being corrected, and momentum is kept to the same order; a semi-implicit Euler step in base axes leaks it.
///
/// Workspace, one a thread. \realtime after construction: free_flight_test
class ANTAEUS_API FreeFlight {
 public:
  /// \throws ModelError: no free root
  explicit FreeFlight(RobotModel model);

  const RobotModel& model() const noexcept { return dynamics_.model(); }

  /// To this state, time zero. On any status but `ok` the state stays as it was.
  Status reset(ConstVectorRef q, ConstVectorRef v) noexcept;
  /// \param tau  [nv] f_b, τ_b in base axes, then the joints' torques, all constant through the step
  /// \param dt   > 0, finite [s]; else `not_finite`. On any status but `ok` the state stays as it was.
  Status step(ConstVectorRef tau, double dt) noexcept;

  double time() const noexcept { return time_; }        ///< [s]
  const VectorX& q() const noexcept { return q_; }      ///< [nq]
  const VectorX& v() const noexcept { return v_; }      ///< [nv], base velocities in base axes
  const VectorX& v_dot() const noexcept { return a_; }  ///< [nv] at the beginning of the last step; NaN before it

 private:
  Dynamics dynamics_;
  double time_ = 0.0;
  VectorX q_, v_, a_;
  VectorX q_stage_, q_end_, v_stage_, u_, u_rate_, u_sum_, v_sum_, first_, a_stage_;
};

}  // namespace antaeus
