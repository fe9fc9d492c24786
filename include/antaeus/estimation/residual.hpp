#pragma once
/// \file
/// What the joint torques hold that the model does not explain, and how far to trust it: the right-hand side of every
/// wrench estimate.

#include <limits>
#include <vector>

#include "antaeus/core/options.hpp"
#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/wrench_estimate.hpp"
#include "antaeus/signal/low_pass.hpp"

namespace antaeus {

/// Which residual to form. `automatic`: inverse dynamics where velocity, time, and on a floating base gyro and
/// accelerometer come fast enough, else static.
enum class ResidualChoice { automatic, static_gravity, inverse_dynamics, momentum_observer };
template <>
struct EnumNames<ResidualChoice> {
  static constexpr std::pair<const char*, ResidualChoice> table[] = {
      {"automatic", ResidualChoice::automatic},
      {"static", ResidualChoice::static_gravity},
      {"inverse_dynamics", ResidualChoice::inverse_dynamics},
      {"momentum_observer", ResidualChoice::momentum_observer}};
};

struct ResidualOptions {
  ResidualChoice kind = ResidualChoice::automatic;
  double minimum_rate = 200.0;
  double cut_off = 15.0;
  double observer_rate = 60.0;
  double maximum_gap = 0.1;
  double motion_speed = 0.05;
  double motion_hold = 0.2;
  double coulomb_share = 0.8;
  double torque_share = 0.02;
  double dynamic_share = 0.08;
  double saturation_share = 0.98;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    constexpr const char* kStudy = "study of estimators against MuJoCo's truth, §5 and §7";
    visit(OptionInfo{"kind", "", "automatic, static, inverse_dynamics or momentum_observer", kStudy}, self.kind);
    visit(OptionInfo{"minimum_rate", "Hz", "samples a second below which accelerations are not differenced",
                     "study, §4: at 50 Hz causal differences give coverage 0.5, from 200 Hz on they work"},
          self.minimum_rate);
    visit(
        OptionInfo{"cut_off", "Hz", "of the one causal low pass that every signal of the dynamic residual goes through",
                   "study, §7: 10 to 20 Hz"},
        self.cut_off);
    visit(OptionInfo{"observer_rate", "1/s", "bandwidth of the momentum observer", "study, E5: 60"},
          self.observer_rate);
    visit(
        OptionInfo{"maximum_gap", "s", "time between samples after which filters begin anew", "five samples at 50 Hz"},
        self.maximum_gap);
    visit(OptionInfo{"motion_speed", "rad/s",
                     "speed of any motor, or of the gyro, above which the robot counts as moving",
                     "3 degrees a second; RE1's legs move at 0.1 rad/s rms"},
          self.motion_speed);
    visit(OptionInfo{"motion_hold", "s",
                     "how long it counts as moving afterwards: where speed reverses, acceleration peaks",
                     "half a period of balancing"},
          self.motion_hold);
    visit(OptionInfo{"coulomb_share", "1", "sd of dry friction as a share of its bound", kStudy}, self.coulomb_share);
    visit(OptionInfo{"torque_share", "1", "sd of the torque channel's gain, as a share of the torque", kStudy},
          self.torque_share);
    visit(OptionInfo{"dynamic_share", "1", "sd of the inertial torque, as a share of it", kStudy}, self.dynamic_share);
    visit(OptionInfo{"saturation_share", "1", "share of the torque limit at which a sample is no evidence",
                     "2 % below the limit: a clamped torque reads its limit exactly, a regulated one just below"},
          self.saturation_share);
  }
};

/// One instant's residual, motors in motor order.
///
/// Sign: torque minus model, as τ − g(q) of the static residual; with w on the robot, value = −Σ Jᵀ w + error.
struct Residual {
  Status status = Status::not_computed;
  ResidualKind kind = ResidualKind::static_gravity;
  std::uint32_t reasons = kReasonInvalidInput;  ///< why it is less than it might be
  VectorX value;                                ///< [N·m]; NaN unless `ok`
  VectorX variance;                             ///< of its error [N²·m²]; infinity: no evidence (saturated torque)
  bool moving = false;                          ///< motion seen, or not excluded
  int saturated = 0;                            ///< motors at their drive's limit
};

/// Forms the residual that the channels allow, and says which and why.
///
/// Static: τ − g(q). Its variance is the noise and the friction of a robot at rest; once motion is seen, or cannot be
/// excluded, each joint's sd is at least its profile's `static_sd`.
///
/// Inverse dynamics: τ − rnea(q, v, a), a by differences of velocity where not measured, the base's acceleration from
/// the IMU's specific force, which contains gravity: no orientation and no base velocity is needed. Everything runs
/// through one low pass, so every signal is late by the same √2/ω.
///
/// Momentum observer, exactly discretised: p = M v, τ̂ = λp − LPF_λ(τ + Cᵀv − g + λp), stable at any step. Its frame
/// moves with the base's origin, where gravity is the negative specific force and the base's velocity is zero.
/// Sources: De Luca & Mattone, ICRA 2005; Haddadin, De Luca & Albu-Schäffer, T-RO 33 (2017), §IV; study §7.
class ResidualEstimator {
 public:
  /// \throws OptionsError for options out of range
  ResidualEstimator(const Robot& robot, ResidualOptions options = {});

  /// \param equation  updated with the same observation. \realtime (estimation_realtime_test)
  const Residual& update(ContactEquation& equation, const Observation& observation) noexcept;
  /// Forgets all history, as after a gap.
  void reset() noexcept;
  const Residual& residual() const noexcept { return residual_; }

 private:
  ResidualKind choose(const Observation& observation, double dt) noexcept;
  void watch_motion(const Observation& observation, double dt) noexcept;
  Status compute_dynamic(ContactEquation& equation, const Observation& observation, double dt) noexcept;
  Status observe_momentum(ContactEquation& equation, double dt) noexcept;
  void fill_variance(const ContactEquation& equation) noexcept;
  double friction(std::size_t motor, double speed) const noexcept;

  ResidualOptions options_;
  RobotModel model_;
  std::vector<JointFigures> figures_;
  FrictionUse friction_use_;
  FrameId imu_frame_;
  VectorX torque_limit_;

  Residual residual_;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();
  double moving_until_ = 0.0;  ///< on the clock since_start_
  double since_reset_ = 0.0;   ///< [s] of filtered history
  bool has_velocity_ = false, has_rates_ = false;
  VectorX last_q_, last_v_, speed_;
  Vector3 omega_, last_omega_;
  VectorX full_v_, full_a_, full_tau_, full_tau_felt_, raw_, dynamic_part_;
  Matrix6X imu_jacobian_;
  ButterworthLowPass low_pass_;
  ExponentialLowPass observer_;
  MatrixX coriolis_;
  VectorX momentum_, drive_;
};

}  // namespace antaeus
