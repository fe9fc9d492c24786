#pragma once
/// \file
/// Noise, friction and inertia of an arm that moves, from a log in which nothing unknown touched it.
///
/// One ridge regression towards the description (robot/noise_model.hpp has the model):
///
///     minimise  Σ_j (Δ/T_j) Σ_t (r_tj − X_tj θ − x_tj u_jl)²/(σ_j² + s_f² (1 − tanh²))  +  Σ_k θ_k²/s_k²
///               +  Σ_jl u_jlᵀ S_j⁻¹ u_jl,     r = τ − rnea − Jᵀ w_known
///
/// u_jl is what log l has of its own of joint j's Coulomb and viscous friction and offset, x_tj their columns: a random
/// effect (Laird & Ware, Biometrics 38 (1982), eq. 2.1), whose spread S_j starts from what other robots show and is
/// estimated with the logs. σ_j and s_f make the errors of what was not fitted most likely, beside what C says of them,
/// and T_j is their integral time: neighbouring samples repeat each other, and T_j/Δ of them count as one. Set-up code:
/// allocates.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/pulse.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// A part of a log [s], both ends included.
struct TimeSpan {
  double from = 0.0, to = 0.0;
};

/// A log with motion that can be learnt from.
struct MovingLog {
  Episode episode;  ///< time, q and tau are read, gyro and accelerometer of a floating base; v and a are fitted to q
  std::vector<TimeSpan> spans;  ///< where nothing unknown touches; empty: all along
  SampleMatrix contact = {};    ///< Jᵀw of a contact that was measured [steps × motors, N·m]; empty: none
};

struct MovingFitOptions {
  double window = 0.14;  ///< [s] length of log that one cubic is fitted to for v and a
  double seam = 0.5;     ///< [s] left out between the part that is fitted and the part that judges it
  double motion_needed =
      10.0;  ///< [s] of motion below which uncertainties grow, and below 0.8 of it nothing is identified
  double moving_speed = 0.05;    ///< [rad/s] from which a joint counts as moving
  double periods_needed = 20.0;  ///< [1] integral times of motion below which a joint's reason states it
  double largest_rate = 200.0;   ///< [Hz] faster logs are thinned out to this
  /// [1] rows that are fitted, one per sample and joint: five minutes at 200 Hz of seven joints. Of more, windows
  /// spread over the logs are taken, those with motion first, so that time and memory do not grow with the logs
  int most_rows = 420000;
  /// [Hz] forms the rows of which σ and T are as the loop's residual does (residual.cut_off): v as measured, where the
  /// log has it, a its differences, all through one causal low pass: white noise is filtered, noise of v is in. θ comes
  /// from v and a fitted to q all the same: noisy regressors shrink masses. 0: σ is that of single samples of the
  /// torque
  double low_pass = 0.0;
  double shift_range = 0.04;  ///< [s] how late or early a torque channel is looked for; 0: it is not
  /// \name How far logs of one robot lie apart before they are seen, as standard deviations
  ///@{
  double coulomb_between = kCoulombBetween;  ///< [1] of Coulomb friction, as a share of it
  double viscous_between = kViscousBetween;  ///< [1] of viscous friction, as a share of it
  double offset_between = kOffsetBetween;    ///< [1] of the offset, as a share of the largest torque in the logs
  double between_logs = 2.0;                 ///< [1] how many logs these are worth
  ///@}
  bool effort_units = false;  ///< take a channel as it is, whatever its unit
  bool friction = true;       ///< whether dry and viscous friction are fitted; else they are noise
  bool inertia = true;        ///< whether masses, inertias and rotors are fitted; else the description's hold
};
ANTAEUS_API const OptionTable& options_of(const MovingFitOptions&);

/// What became of a torque channel. `used`: a row of evidence. `dead`: it repeats one number. `other_unit`: it follows
/// the model with a gain far from 1, and neither rotor, friction nor masses explain it: sign, gear, unit or column.
/// `unknown_unit`: its gain cannot be told, and another channel's is wrong. `no_excitation`: its joint moved too
/// little, or one way only. `saturated`: it is at its limit most of the time. `carries_foot`: the ground's push is in
/// it.
enum class ChannelUse : std::uint8_t { used, dead, other_unit, unknown_unit, no_excitation, saturated, carries_foot };
constexpr auto enum_names(ChannelUse) noexcept {
  return name_list<ChannelUse>("used", "dead", "other_unit", "unknown_unit", "no_excitation", "saturated",
                               "carries_foot");
}

/// Share of its limit from which on a channel counts as at it: a drive does not hold it to a hair.
inline constexpr double kAtLimit = 0.95;

/// One torque channel and its joint. Everything [N·m] is in the channel's unit where effort units were asked for.
struct ChannelFinding {
  std::string joint;
  ChannelUse use = ChannelUse::used;
  std::string reason;                  ///< one sentence; empty while used and unremarkable
  double repeated = 0.0;               ///< share of samples that have the most frequent value
  double gain = kNaN, gain_sd = kNaN;  ///< joint torque of the model per unit of the channel; NaN: not identifiable
  double limit = kNaN;                 ///< |τ| at which it saturates: recognised or stated; NaN: not reached
  /// Mean and sd of what the channel reads too much at its limit, outward [N·m]; NaN: less than 1 s there
  double limit_offset = kNaN, limit_sd = kNaN;
  double at_limit = 0.0;                 ///< share of samples there, left out of the fit
  double forward = 0.0, backward = 0.0;  ///< motion in each direction [s]
  double white_sd = kNaN;                ///< σ_j, cross-validated [N·m]
  double standing_sd = kNaN;             ///< s_f, of a joint that stands [N·m]
  double integral_time = kNaN;           ///< T_j of the cross-validated error [s]
  double periods = 0.0;                  ///< motion over T_j
  /// Of the last channel: what hangs on the last link beyond the description's, where one mass explains the joints
  /// [kg]; NaN: nothing that is sure
  double tool = kNaN, tool_sd = kNaN;
};

/// One parameter of θ, by name: "shoulder.coulomb", "elbow.mass" (of all that hangs on that joint up to the next).
struct ParameterEstimate {
  std::string name, unit;
  double value = 0.0;
  double sd = 0.0;        ///< √C_kk
  double prior_sd = 0.0;  ///< s_k
  /// Whether the log says anything: C_kk ≤ s_k²/2. The others are to be named, not written.
  bool identified() const noexcept { return prior_sd > 0.0 && sd * sd <= 0.5 * prior_sd * prior_sd; }
};
constexpr void visit_fields(const ParameterEstimate*, auto&& visit) {
  using P = ParameterEstimate;
  visit(field("name", "", "\"panda_joint2.coulomb\"", &P::name));
  visit(field("unit", "", "of value and sd", &P::unit));
  visit(field("value", "", "to be added to the description's (inertia, rotor), or the friction itself", &P::value));
  visit(field("sd", "", "standard error, in `unit`", &P::sd));
  visit(field("prior_sd", "", "standard deviation before the logs, in `unit`", &P::prior_sd));
}

/// Whether the torques are as old as the motion: how well the fit predicts what it did not see, with all torques read
/// later. Slow motion cannot tell.
struct ShiftScan {
  VectorX shift;         ///< [s]; positive: the channels are late by it; empty: not scanned
  VectorX error;         ///< cross-validated error over that at no shift, rms over joints [1]
  double best = kNaN;    ///< [s]; NaN: not scanned, or the error does not rise within the range
  double sd = kNaN;      ///< [s] of it, by the likelihood's curvature
  bool differs = false;  ///< whether `best` is better than none beyond noise, by 5 ms and half a sample time
};

/// What one log had of its own: Coulomb and viscous friction and offset beyond the mean of all logs, in motor order.
struct LogOfRobot {
  std::string log;
  VectorX coulomb, coulomb_sd;  ///< [N·m]
  VectorX viscous, viscous_sd;  ///< [N·m·s/rad]
  VectorX offset, offset_sd;    ///< [N·m]
};
constexpr void visit_fields(const LogOfRobot*, auto&& visit) {
  using L = LogOfRobot;
  // In the unit of the fit.
  visit(field("log", "", "its name", &L::log));
  visit(field("coulomb", "", "[motors] friction beyond the mean of all logs", &L::coulomb));
  visit(field("coulomb_sd", "", "[motors] standard error", &L::coulomb_sd));
  visit(field("viscous", "", "[motors] friction beyond the mean of all logs", &L::viscous));
  visit(field("viscous_sd", "", "[motors] standard error", &L::viscous_sd));
  visit(field("offset", "", "[motors] offset beyond the mean of all logs", &L::offset));
  visit(field("offset_sd", "", "[motors] standard error", &L::offset_sd));
}

struct ANTAEUS_API MovingFit {
  bool identified = false;
  std::vector<std::string> missing;
  std::vector<std::string> notes;
  std::string unit = "N·m";
  double motion = 0.0;
  double sample_time = kNaN;  ///< [s] of the rows that were fitted
  double prior_scale = kNaN;
  ShiftScan torque_shift;                ///< found, not taken out: the loop reads the same torques
  std::vector<ChannelFinding> channels;  ///< in motor order
  std::vector<ParameterEstimate> parameters;
  MatrixX covariance;  ///< C
  std::vector<LogOfRobot> logs;
  MatrixX factor_of_another_day;  ///< of C, were there as many logs of other days again
  NoiseModel noise;
};
constexpr void visit_fields(const MovingFit*, auto&& visit) {
  using M = MovingFit;
  visit(field("identified", "", "false: `missing` says for what the logs do not suffice; no model", &M::identified));
  visit(field("missing", "", "one sentence each", &M::missing));
  visit(field("notes", "", "what is odd about the figures, one sentence each", &M::notes));
  visit(field("unit", "", "of torques; \"channel units\" where effort units were asked for", &M::unit));
  visit(field("motion", "s", "in which some joint moved", &M::motion));
  visit(field("prior_scale", "1", "how far the description may be wrong, by cross-validation", &M::prior_scale));
  visit(field("parameters", "", "in the order of TorqueParameters", &M::parameters));
  visit(field("logs", "", "what each log had of its own", &M::logs));
  visit(
      field("noise", "", "what an estimator needs: θ̂ whole, with the prior of what is not identified in C", &M::noise));
}

/// Fits one or several logs of one robot.
/// \throws OptionsError, ModelError for a floating base without an IMU, EpisodeError for logs without clock, of another
///         robot, with spans outside of the log, or on a floating base without gyro and accelerometer
/// \param pulse  may be null
ANTAEUS_API MovingFit fit_moving(const Robot& robot, const std::vector<MovingLog>& logs,
                                 const MovingFitOptions& options = {}, const Pulse& pulse = nullptr);

/// A model's error on a log that it was not fitted to.
struct HoldOut {
  Eigen::Index rows = 0;
  VectorX rms;
  VectorX covered;
};
constexpr void visit_fields(const HoldOut*, auto&& visit) {
  using H = HoldOut;
  visit(field("rows", "", "samples that were judged", &H::rows));
  visit(field("rms", "N·m", "[motors] of r − X θ̂; NaN for channels that are no evidence", &H::rms));
  visit(field("covered", "1", "[motors] share of rows within 1.96 sd of R", &H::covered));
}
/// \throws as fit_moving
ANTAEUS_API HoldOut judge_moving(const Robot& robot, const NoiseModel& noise, const std::vector<MovingLog>& logs,
                                 const MovingFitOptions& options = {});

}  // namespace antaeus
