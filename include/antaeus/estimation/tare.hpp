#pragma once
/// \file
/// Tare: the user says "nothing touches now", and what the residuals then read is taken out from there on.
///
/// It removes what is constant: a sensor's offset, stiction, most of a wrong mass as long as the pose stays near. It
/// cannot know whether something touches: the user vouches for that, and a contact that was tared away is missing from
/// then on. So it is never done by itself, it is checked, and it ends: after a time, or once a joint is far from where
/// it was. The stated covariance is not made smaller by it. After a push a joint may rest elsewhere: tare again.

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/observation.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

struct TareOptions {
  /// [s] time stamp at which it begins by itself: for the replay of a log, whose owner knows that nothing touched
  /// then. Below zero: never.
  double at = -1.0;
  double duration = 1.3;  ///< [s] over which residuals are averaged
  double expiry = 600.0;  ///< [s] after which it no longer holds
  double range = 0.5;     ///< [rad, m] by which any joint may move away until it no longer holds
  double largest = 0.15;  ///< [1] share of a joint's torque limit above which an offset is refused
  double drift = 4.0;     ///< [sd] between its two halves, above which it is refused: something touched, or let go
  double still = 0.05;    ///< [rad/s] joint speed above which it is refused
};
ANTAEUS_API const OptionTable& options_of(const TareOptions&);

/// `none`: never asked for, or dropped. `collecting`: until `duration` is over. `holding`: the offset is taken out.
/// `refused`, `expired`: it is not, and TareProblem says why.
enum class TareState : std::uint8_t { none, collecting, holding, refused, expired };
constexpr auto enum_names(TareState) noexcept {
  return name_list<TareState>("none", "collecting", "holding", "refused", "expired");
}

/// `bad_sample`: no residual, or time that does not advance. `gap`: samples were lost. `moved`: a joint was faster than
/// `still`. `drifted`, `too_large`: see the options. `time_over`, `pose_left`: expired.
enum class TareProblem : std::uint8_t { none, bad_sample, gap, moved, drifted, too_large, time_over, pose_left };
constexpr auto enum_names(TareProblem) noexcept {
  return name_list<TareProblem>("none", "bad_sample", "gap", "moved", "drifted", "too_large", "time_over", "pose_left");
}

/// Steps through a tare. One a residual; all memory is taken by the constructor.
class ANTAEUS_API Tare {
 public:
  /// \param torque_limits  of each motor [N·m]; infinity: any offset is taken \throws OptionsError
  Tare(VectorX torque_limits, const TareOptions& options = {});

  /// Asks for one: an old one is forgotten. \realtime
  void begin() noexcept;
  /// Back to `none`. \realtime
  void drop() noexcept;

  /// One sample. \param residual  as if there were no tare [motors, N·m]  \param variance  of it; infinity: the row is
  /// no evidence and gets no offset  \param speed  of the motors; NaN: not known, no objection
  /// \realtime (tare_test)
  void step(double time, ConstVectorRef q, ConstVectorRef speed, ConstVectorRef residual,
            ConstVectorRef variance) noexcept;
  /// A sample without a residual.
  void bad_sample() noexcept;

  TareState state() const noexcept { return state_; }
  TareProblem problem() const noexcept { return problem_; }
  int motor() const noexcept { return motor_; }  ///< whose the problem is; −1: no motor's
  bool lost() const noexcept { return state_ == TareState::refused || state_ == TareState::expired; }
  /// To be subtracted from the residual [motors, N·m]: zero unless `holding`.
  const VectorX& offset() const noexcept { return offset_; }
  double time() const noexcept { return end_; }  ///< time stamp at which it began to hold [s]; NaN unless `holding`

 private:
  void collect(ConstVectorRef q, ConstVectorRef speed, ConstVectorRef residual, ConstVectorRef variance) noexcept;
  void finish() noexcept;
  void lose(TareState state, TareProblem problem, int motor = -1) noexcept;

  TareOptions options_;
  VectorX limits_;
  TareState state_ = TareState::none;
  TareProblem problem_ = TareProblem::none;
  int motor_ = -1;
  bool done_by_itself_ = false;
  double begin_ = 0.0, end_ = 0.0, last_time_ = 0.0;
  int counts_[2] = {0, 0};
  MatrixX sums_;     ///< motors × 2: of the first and of the second half
  VectorX squares_;  ///< sum of variances
  VectorX first_;    ///< first residual: sums are of differences from it
  VectorX q_, offset_;
};

}  // namespace antaeus
