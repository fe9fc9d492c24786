#pragma once
/// \file
/// What friction and offsets are today. A profile knows them over all days; within one they are constant, and the first
/// seconds of motion that nothing touches tell them.
///
/// Of each motor a Kalman filter of three states, u = (Coulomb, viscous, offset) beyond the mean of all days:
///
///     r = xᵀ u + e,   x = (tanh(v / 0.03), v, 1),   e with R's variance, T seconds of samples counting as one
///     u forgets: mean e^(−t/τ), covariance back to the spread between days (an Ornstein–Uhlenbeck process; Jazwinski,
///     Stochastic Processes and Filtering Theory (1970), §7)
///
/// It cannot know whether something touches. It learns where the user vouches for that (begin, or DayOptions::from),
/// or, where `learn` is `found`, while no row says otherwise, and then with twice the sd. A sample in which any row
/// lies beyond `contact_sd` is not learnt from. A contact that is smaller and stays is learnt all the same: what that
/// can take away is bounded, because draws beyond `largest` sds of the spread between days end it. The stated
/// covariance shrinks by what was learnt, and grows again as it is forgotten.

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/robot/noise_model.hpp"

namespace antaeus {

/// `stated`: only in the interval that the user declares contact-free. `found`: also while all torques are consistent
/// with no contact.
enum class DayLearning : std::uint8_t { stated, found };
constexpr auto enum_names(DayLearning) noexcept { return name_list<DayLearning>("stated", "found"); }

struct DayOptions {
  DayLearning learn = DayLearning::stated;  ///< when friction and offsets of this session are estimated
  /// [s] time stamps of the contact-free interval, for the replay of a log. Negative: none.
  double from = -1.0, until = -1.0;
  double forget = 1800.0;   ///< [s] time constant with which the session's estimates decay
  double contact_sd = 3.0;  ///< [sd] of a joint torque above which a sample is treated as contact
  double largest = 5.0;     ///< [sd] of the spread between sessions above which the estimates are refused
};
ANTAEUS_API const OptionTable& options_of(const DayOptions&);

/// `unknown`: nothing was learnt yet, or it was dropped. `learning`, `known`: something was. `refused`: what was learnt
/// is beyond what days are.
enum class DayState : std::uint8_t { unknown, learning, known, refused };
constexpr auto enum_names(DayState) noexcept { return name_list<DayState>("unknown", "learning", "known", "refused"); }

class ANTAEUS_API DayEstimator {
 public:
  /// \throws OptionsError
  explicit DayEstimator(const NoiseModel& noise, const DayOptions& options = {});

  /// "From now on nothing touches", until end(). \realtime
  void begin() noexcept;
  /// Keeps what was learnt. \realtime
  void end() noexcept;
  /// Forgets it all. \realtime
  void drop() noexcept;

  /// One sample. \param residual  without the means of noise and day [motors, N·m]  \param speed  [rad/s]
  /// \param R  of the residual with this day's covariance in it; a diagonal of infinity: no evidence
  /// \return whether day() changed \realtime (day_estimator_test)
  bool step(double time, ConstVectorRef residual, ConstVectorRef speed, const MatrixX& R) noexcept;

  DayState state() const noexcept { return state_; }
  const DayDraw& day() const noexcept { return day_; }
  double learnt() const noexcept { return learnt_; }  ///< [s] of samples that were learnt from
  int motor() const noexcept { return motor_; }       ///< whose draw was refused; −1: none

 private:
  bool wanted(double time) const noexcept;
  void forget(double dt) noexcept;
  void refuse(int motor) noexcept;

  DayOptions options_;
  DayDraw unknown_, day_;
  VectorX period_, white_;
  DayState state_ = DayState::unknown;
  bool told_ = false;
  int motor_ = -1;
  double last_time_ = kNaN, learnt_ = 0.0, quiet_ = 0.0;
};

}  // namespace antaeus
