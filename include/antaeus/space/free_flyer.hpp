#pragma once
/// \file
/// From a state (q, v) of a free-flying robot to the terms of its coordinated control. The workspace, one a thread.

#include <memory>
#include <string_view>

#include "antaeus/core/api.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/space/free_flying_terms.hpp"

namespace antaeus {

struct FreeFlyerOptions {
  ThreeTierOptions j_plus;                        ///< inverse of J⊕
  NullSpaceOptions null_space;                    ///< kernel of J⊕ for seven joints
  CoriolisForm coriolis = CoriolisForm::passive;  ///< formula of Ĉ
};

/// Gravity does not enter: the robot falls freely.
///
/// What one motion remembers, the last inverse and the last kernel, is used by at() alone and forgotten by reset().
/// States of one motion belong in one sequence; a state whose J⊕ is far from the last one's is taken as a new one.
/// \realtime after construction: free_flyer_realtime_test
class ANTAEUS_API FreeFlyer {
 public:
  /// \throws ModelError: no free root, not 6 or 7 joints, a joint that does not move the frame, an unknown frame;
  ///         OptionsError: floors that cross
  FreeFlyer(RobotModel model, std::string_view frame, const FreeFlyerOptions& options = {});

  const RobotModel& model() const noexcept { return dynamics_->model(); }
  FrameId frame() const noexcept { return frame_; }
  /// n: 6 or 7.
  int joints() const noexcept { return joints_; }
  CoriolisForm coriolis() const noexcept { return coriolis_; }

  /// Kinematics alone: no mass matrix, no memory. Also kept in the terms of at().
  const FreeFlyingMotion& motion_at(ConstVectorRef q, ConstVectorRef v) noexcept;
  /// Everything. `not_finite` also for numbers that no robot can have (core/possible.hpp).
  const FreeFlyingTerms& at(ConstVectorRef q, ConstVectorRef v) noexcept;
  /// The results of the last calls.
  const FreeFlyingMotion& motion() const noexcept { return motion_; }
  const FreeFlyingTerms& terms() const noexcept { return terms_; }

  /// Twist of any frame in the state of the last motion_at() or at(); `not_computed` after any other call.
  Status twist(FrameId frame, TwistAxes axes, Vector6& twist) noexcept;

  /// J⊕ [6 × n] at rest, for samplers: touches neither memory nor terms.
  Status j_plus(ConstVectorRef q, Matrix6XRef J) noexcept;
  /// Γ [12 × (6 + n)] at rest, likewise.
  Status gamma(ConstVectorRef q, MatrixRef Gamma) noexcept;
  /// σ and κ of both, likewise.
  FreeFlyingConditioning conditioning_at(ConstVectorRef q) noexcept;

  /// Begins a new motion.
  void reset() noexcept;

 private:
  template <int N>
  void compute(const VelocityTerms& now) noexcept;
  template <int N>
  void write_momentum() noexcept;
  void compute_null(const Eigen::Matrix<double, 3, 7>& J_v_bar_dot, const Eigen::Matrix<double, 13, 12>& MG,
                    const Eigen::Matrix<double, 13, 12>& CG) noexcept;
  Status kinematics(ConstVectorRef q, ConstVectorRef v, FreeFlyingMotion& motion) noexcept;
  void fail(Status status) noexcept;
  void fill_motion(const Vector3& p_bc, ConstVectorRef v, FreeFlyingMotion& motion) const noexcept;
  void write_gamma(const FreeFlyingMotion& motion, MatrixRef Gamma) const noexcept;
  template <int N>
  void condition(const SmallSvd& svd_J, const SpaceMatrix& Gamma, FreeFlyingConditioning& result) noexcept;

  std::unique_ptr<Dynamics> dynamics_;  // position_ points to it
  FrameId frame_, base_;
  int joints_;
  CoriolisForm coriolis_;
  ThreeTierInverse inverse_;
  InverseMemory memory_;
  NullDirection null_;
  SpaceVector last_k_, last_z_;
  bool has_null_ = false;
  SmallSvd svd_J_, svd_Gamma_;
  FreeFlyingMotion motion_, empty_motion_, scratch_;
  FreeFlyingTerms terms_, empty_;
  Matrix6X J_W_;
  SpaceMatrix Gamma_scratch_;
  VectorX rest_, v_;
  PositionTerms position_;  // of the state that twist() is asked of
};

}  // namespace antaeus
