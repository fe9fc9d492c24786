#pragma once
/// \file
/// The torque residual: the part of the joint torques that the model does not explain, with its variance.
/// It is the right-hand side of every wrench estimate.

#include <optional>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/wrench_estimate.hpp"
#include "antaeus/estimation/day_estimator.hpp"
#include "antaeus/estimation/envelope.hpp"
#include "antaeus/estimation/tare.hpp"
#include "antaeus/robot/instant.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/low_pass.hpp"
#include "antaeus/signal/ring_buffer.hpp"

namespace antaeus {

/// Which residual to form. `automatic`: inverse dynamics where velocity, time, and on a floating base gyro and
/// accelerometer come fast enough, else static.
enum class ResidualChoice { automatic, static_gravity, inverse_dynamics, momentum_observer };
constexpr auto enum_names(ResidualChoice) noexcept {
  return name_list<ResidualChoice>("automatic", "static", "inverse_dynamics", "momentum_observer");
}

/// Which noise counts. `identified`: the profile's identified one, where it has one. `assumed`: the profile's assumed
/// noise, as for a robot of which nothing was identified; for simulations, whose torques have none of the real robot's
/// errors.
enum class NoiseUse : std::uint8_t { identified, assumed };
constexpr auto enum_names(NoiseUse) noexcept { return name_list<NoiseUse>("identified", "assumed"); }

struct ResidualOptions {
  ResidualChoice kind = ResidualChoice::automatic;  ///< automatic, static, inverse_dynamics or momentum_observer
  /// identified or assumed: which noise of the profile is used. A simulated sample has the figures in both cases,
  /// unless the noise was identified in simulation too.
  NoiseUse noise = NoiseUse::identified;
  double minimum_rate = 200.0;  ///< [Hz] samples per second, on average, below which accelerations are not differenced
  double cut_off = 15.0;  ///< [Hz] of the one causal low pass that every signal of the dynamic residual goes through
  double observer_rate = 60.0;  ///< [1/s] bandwidth of the momentum observer
  double maximum_gap = 0.1;     ///< [s] time between samples after which filters start again
  double motion_speed = 0.05;   ///< [rad/s] speed of any motor, or of the gyro, above which the robot counts as moving
  double motion_hold = 0.2;  ///< [s] how long it counts as moving afterwards: where speed reverses, acceleration peaks
  double coulomb_share = 0.8;   ///< [1] sd of dry friction as a share of its bound
  double torque_share = 0.02;   ///< [1] sd of the torque channel's gain, as a share of the torque
  double dynamic_share = 0.08;  ///< [1] sd of the inertial torque, as a share of it
  double tilt_sd = 0.035;       ///< [rad] sd of each tilt of a floating base without a measured orientation
  /// [s] after which an identified noise's covariance is computed again, its mean at every sample; 0: at every sample
  /// too
  double covariance_period = 0.02;
  double saturation_share = 0.98;  ///< [1] share of the torque limit at which a sample is not used as evidence
  EnvelopeOptions envelope{};      ///< of the motion that the noise was identified in
  TareOptions tare{};              ///< of an offset that the user vouches for
  DayOptions day{};                ///< of today's friction and offsets, of an identified noise
};
ANTAEUS_API const OptionTable& options_of(const ResidualOptions&);
/// [Hz] below which accelerations are not differenced: `minimum_rate`, or the rate at which the robot's noise was
/// identified from such residuals: what they get wrong at that rate is in it.
ANTAEUS_API double minimum_rate(const RobotProfile& profile, const ResidualOptions& options);

/// The residual of one instant, in motor order, with that instant.
///
/// Sign: torque minus model, as τ − g(q) of the static residual; with w on the robot, value = −Σ Jᵀ w + error.
struct Residual {
  Status status = Status::not_computed;
  Instant instant;
  ResidualKind kind = ResidualKind::static_gravity;
  Reasons reasons = Reason::invalid_input;
  VectorX value, variance, lag, lag_variance;
  Eigen::Matrix<double, Eigen::Dynamic, 2> tilt;
  MatrixX covariance;
  bool correlated = false, tilted = false;
  bool moving = false;
  int saturated = 0;

  /// `status`, or `not_computed` once the instant is stale: its Jacobians are gone then.
  Status current() const noexcept { return status == Status::ok ? instant.status() : status; }
};
template <class Visit>
constexpr void visit_fields(const Residual*, Visit&& visit) {
  using R = Residual;
  visit(field("status", "", "see also current()", &R::status));
  visit(field("instant", "", "that it was formed from", &R::instant));
  visit(field("kind", "", "which torques it is the difference of", &R::kind));
  visit(field("reasons", "", "why it is less accurate than possible", &R::reasons));
  visit(field("value", "N·m", "[motors] NaN unless ok", &R::value));
  visit(field("variance", "N²·m²", "[motors] of its error; infinity: no evidence (saturated torque)", &R::variance));
  visit(field("lag", "N·m",
              "[motors] what the low pass of a dynamic residual holds back while it changes, √2/ω times the rate of "
              "`value`; 0 of a static residual and of a momentum observer's",
              &R::lag));
  visit(field("lag_variance", "N²·m²",
              "[motors] of the noise in `lag`, by its second differences over half a second: forces change more slowly",
              &R::lag_variance));
  visit(field("tilted", "", "a floating base without a measured orientation: tilt is not zero", &R::tilted));
  visit(field("tilt", "N·m",
              "[motors × 2] what a tilt of one sd about each horizontal axis of the base makes of the torques, an "
              "error that all rows share, on top of `variance`",
              &R::tilt));
  visit(field("correlated", "", "the noise was identified: R is `covariance`, else diag(variance)", &R::correlated)
            .only(FieldUse::file_only));
  visit(field("covariance", "N²·m²",
              "[motors × motors] R where it is correlated, else not read; `variance` is its diagonal, and a row that "
              "is not evidence has infinity there and zeros beside it",
              &R::covariance)
            .only(FieldUse::file_only));
  visit(field("moving", "", "motion seen, or not excluded", &R::moving));
  visit(field("saturated", "", "motors at their drive's limit", &R::saturated));
}

/// Forms the residual that the measured channels allow, and states which one and why.
///
/// Static: τ − g(q). Its variance is the noise and the friction of a robot at rest; once motion is seen, or cannot be
/// excluded, each joint's sd is at least its profile's `static_sd`. A floating base without an IMU counts as upright
/// within `tilt_sd`.
///
/// Inverse dynamics: τ − rnea(q, v, a). a is the difference of velocities where it is not measured. The base's
/// acceleration comes from the IMU's specific force, which contains gravity. So no orientation and no base velocity is
/// needed. Every signal runs through one low pass, so that all are late by the same √2/ω; the inertial torque in the
/// variance too. Lost samples up to maximum_gap are bridged: a difference over a longer time is a mean acceleration.
///
/// Momentum observer: ṙ = λ (τ + Cᵀv − g − ṗ − r) with p = M v. Over a step ṗ enters by its exact mean Δp/Δt and the
/// other terms by their last value, so inertia leaves nothing behind and any step is stable. Its frame moves with the
/// base's origin, where gravity is the negative specific force and the base's velocity is zero. Sources: De Luca &
/// Mattone, ICRA 2005; Haddadin, De Luca & Albu-Schäffer, T-RO 33 (2017), §IV;
/// docs/validation.md#residuals.
///
/// Where the robot's noise was identified (RobotProfile::noise), its mean is taken out of the residual, and R is its
/// covariance, both at the instant's q and at specific force, v and a through the residual's low pass: as late as the
/// residual. It takes the place of the profile's friction, noise and shares; a saturated row is no evidence, but where
/// NoiseModel::limit_sd knows what it reads. A static residual knows no acceleration: while the robot moves each sd is
/// at least `static_sd`, unless the noise has a motion term. Rows not identified (NaN) keep the profile's figures.
///
/// Noise of a held pose (NoiseOrigin) speaks of static residuals: beyond its envelope of speeds they are
/// `outside_identified`; a dynamic residual has no motion term, and `dynamic_share` of its inertial torque in its
/// place, and its mean is not taken out but doubted by its whole size: nothing was seen of such residuals. A row whose
/// own joint moves faster than it did then has at least its assumed variance (`assumed_friction`).
class ANTAEUS_API ResidualEstimator {
 public:
  /// \throws OptionsError for options out of range, or a noise that is of another robot
  ResidualEstimator(const Robot& robot, ResidualOptions options = {});

  /// One call an instant, in the order of time. \realtime (estimation_realtime_test)
  const Residual& form(const Instant& now) noexcept;
  /// Forgets all history, as after a gap.
  void reset() noexcept;
  const Residual& residual() const noexcept { return residual_; }
  /// "Nothing touches now": averages residuals and then takes them out, if its checks pass (Tare). While one that was
  /// asked for is refused or has expired, residuals say `not_tared`. reset() keeps it; a clock that is set back ends
  /// it.
  /// \realtime
  void begin_tare() noexcept { tare_.begin(); }
  void drop_tare() noexcept { tare_.drop(); }
  const Tare& tare() const noexcept { return tare_; }
  /// "From now on nothing touches", until end_day(): learns what an identified noise knows over all days only, today's
  /// friction and offsets (DayEstimator), and states less doubt. Refused, residuals say `not_tared`. reset() keeps what
  /// was learnt. Without identified noise nothing happens. \realtime
  void begin_day() noexcept {
    if (day_) day_->begin();
  }
  void end_day() noexcept {
    if (day_) day_->end();
  }
  void drop_day() noexcept;
  /// Null without identified noise.
  const DayEstimator* day() const noexcept { return day_ ? &*day_ : nullptr; }
  /// The envelope's speed and limit [rad/s]; null without one.
  const SpeedEnvelope* envelope() const noexcept { return envelope_ ? &*envelope_ : nullptr; }

 private:
  ResidualKind choose(const Observation& observation) noexcept;
  void watch_rate(double time) noexcept;
  void watch_motion(const Observation& observation, double dt) noexcept;
  Status compute_dynamic(const Instant& now, double dt) noexcept;
  Status observe_momentum(const Instant& now, const Vector3& gravity, bool first, double dt) noexcept;
  void see_lag(bool first, double dt) noexcept;
  Status see_motion(const Vector3& specific_force, bool first, double dt) noexcept;
  Status evaluate_noise(const Instant& now) noexcept;
  void learn_day(double time) noexcept;
  bool mean_counts() const noexcept;
  void take_mean_out() noexcept;
  bool saturated(const Instant& now, Eigen::Index motor) const noexcept;
  bool at_identified_limit(const Instant& now, Eigen::Index motor) const noexcept;
  double limit_offset(const Instant& now, Eigen::Index motor) const noexcept;
  void fill_variance(const Instant& now) noexcept;
  void fill_covariance(const Instant& now) noexcept;
  void fill_tilt(const Instant& now) noexcept;
  double friction(std::size_t motor, double speed) const noexcept;
  double assumed_variance(const Instant& now, Eigen::Index motor, bool dynamic) const noexcept;
  bool identified(Eigen::Index motor) const noexcept;
  void watch_envelope(const Observation& observation) noexcept;

  ResidualOptions options_;
  RobotModel model_;
  /// Of its own: C overwrites what an instant's terms hold.
  std::optional<Dynamics> momentum_dynamics_;
  std::vector<JointFigures> figures_;
  FrictionUse friction_use_;
  FrameId imu_frame_;
  VectorX torque_limit_;
  std::optional<TorqueNoise> noise_;
  std::optional<DayEstimator> day_;
  double minimum_rate_ = kNaN;
  bool counts_ = false;  ///< whether noise_ is of samples like the present one
  std::optional<SpeedEnvelope> envelope_;
  double motion_share_ = 1.0;  ///< g of the present sample
  VectorX outside_until_;      ///< of each motor, on the clock of its samples
  double covariance_time_ = kNaN;

  Residual residual_;
  double last_time_ = kNaN;
  double moving_until_ = 0.0;  ///< on the clock since_start_
  double since_reset_ = 0.0;   ///< [s] of filtered history
  bool has_velocity_ = false, has_rates_ = false;
  RingBuffer<double> times_{32};  ///< [s] of the last samples: the rate at which they come
  bool fast_ = false, slow_ = false;
  VectorX last_q_, last_v_, speed_;
  Vector3 omega_, last_omega_;
  VectorX full_v_, full_a_, full_tau_, full_tau_static_, raw_, raw_dynamic_part_, dynamic_part_;
  Matrix6X imu_jacobian_;
  ButterworthLowPass low_pass_, dynamic_low_pass_;
  ExponentialLowPass observer_, dynamic_observer_;  ///< of rate λ
  ButterworthLowPass motion_low_pass_;
  ExponentialLowPass motion_observer_;
  Tare tare_;
  VectorX motion_;                             ///< v and a as the noise sees them
  VectorX lag_before_, lag_step_, lag_noise_;  ///< the last lag, its last difference, its noise's variance
  int lags_ = 0;
  VectorX day_speed_;  ///< of the motors, likewise
  MatrixX coriolis_;
  VectorX momentum_, drive_;
};

}  // namespace antaeus
