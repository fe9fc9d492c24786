#pragma once
/// \file
/// What is wrong with a torque reading while nothing touches: the identified mean error and its whole covariance.
///
///     τ − rnea(q, v, a) − Jᵀ w = X θ + b + e
///     X = [ Y | diag(a) | diag(tanh(v / 0.03)) | diag(v) | I ]   inertial regressor, rotors, Coulomb, viscous, offset
///     R = diag(σ²) + X C Xᵀ + diag(σ_b² + σ_s²) + g² diag(σ_m²) + diag(s_f² (1 − tanh²(v / 0.03)))
///         + diag(σ_c² tanh²(v / 0.03) + σ_v² v²)
/// s_f: a joint that stands may be held by any part of its Coulomb friction c, either way; 0.8 √(c² + C_cc) where
/// nobody measured it. σ_c, σ_v, σ_b: Coulomb and viscous friction and offset of another day than those of the logs.
/// C is what is still unknown of θ after identification. So R is full: joints are wrong together, as the mass that is
/// wrong hangs on all of them. Room `identification` fills this type; whoever forms a residual reads it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

/// Where each of θ's parameters stands: the inertial ones of all bodies (RobotModel::inertial_parameters), then four
/// of each motor.
struct TorqueParameters {
  int bodies = 0, motors = 0;

  int inertial(int body) const noexcept { return 10 * body; }
  int rotor(int motor) const noexcept { return 10 * bodies + motor; }                 ///< [kg·m²]
  int coulomb(int motor) const noexcept { return 10 * bodies + motors + motor; }      ///< [N·m]
  int viscous(int motor) const noexcept { return 10 * bodies + 2 * motors + motor; }  ///< [N·m·s/rad]
  int offset(int motor) const noexcept { return 10 * bodies + 3 * motors + motor; }   ///< [N·m]
  int count() const noexcept { return 10 * bodies + 4 * motors; }
};
inline TorqueParameters torque_parameters(const RobotModel& model) { return {model.body_count(), model.motor_count()}; }
/// Their names in that order: "elbow.mass", "elbow.moment_x", "elbow.inertia_xx" of the body on joint elbow,
/// "elbow.rotor", "elbow.coulomb", "elbow.viscous", "elbow.offset" of its motor.
ANTAEUS_API std::vector<std::string> parameter_names(const RobotModel& model);
/// Speed at which tanh(v / this) has developed three quarters of Coulomb friction [rad/s].
inline constexpr double kCoulombSpeed = 0.03;

/// How far one robot's torques lie apart from day to day: sixteen logs of a UR10e over five months, fitted one by one,
/// had Coulomb friction within 3 to 11 %, viscous friction within 10 to 27 % of their means, and offsets within 0.2 to
/// 0.4 % of the effort limits (docs/guide/identify.md). Where nothing better is known, this is taken.
inline constexpr double kCoulombBetween = 0.08, kViscousBetween = 0.20;  ///< [1] sd, as a share of the friction
inline constexpr double kOffsetBetween = 0.005;                          ///< [1] sd, as a share of the largest torque

/// What the robot did while its noise was identified. `moving`: an arm that moved through its space; the residual was
/// τ − rnea(q, v, a). `held_pose`: it held its endpoints in a pose; the residual was τ − g(q). So the motion term and
/// the envelope speak of static residuals alone, and of joints of its own that move nothing was identified.
enum class NoiseOrigin : std::uint8_t { moving, held_pose };
constexpr auto enum_names(NoiseOrigin) noexcept { return name_list<NoiseOrigin>("moving", "held_pose"); }

/// The identified errors of a robot's torques: plain data. Vectors in motor order; empty: no such term.
struct NoiseModel {
  NoiseOrigin origin = NoiseOrigin::moving;
  VectorX white_sd;
  VectorX parameters;
  MatrixX factor;
  VectorX offset_sd, slow_sd, motion_sd;
  VectorX coulomb_sd, viscous_sd, standing_sd;
  int logs = -1;
  double rate = kNaN;
  VectorX correlation_time;
  double identified_speed = kNaN;
  std::vector<int> envelope_motors;
  VectorX joint_speed;
  VectorX largest_residual;
  VectorX limit, limit_offset, limit_sd;
  std::string unit = "N·m";
  bool simulated = false;
  std::string provenance;
};
template <class Visit>
constexpr void visit_fields(const NoiseModel*, Visit&& visit) {
  using N = NoiseModel;
  visit(field("origin", "", "what the robot did meanwhile", &N::origin));
  visit(field("white_sd", "N·m",
              "[motors] σ, > 0; infinity: the row is not evidence (a dead channel); NaN: it was not identified",
              &N::white_sd));
  visit(
      field("parameters", "",
            "[10 bodies + 4 motors] θ̂, taken out of the torque: inertial parameters, rotors, Coulomb, viscous, offsets",
            &N::parameters));
  visit(field("factor", "", "[parameters × any] L: C = L Lᵀ is what is left of them", &N::factor));
  visit(field("offset_sd", "N·m", "[motors] σ_b of an offset that is constant within a run", &N::offset_sd));
  visit(field("coulomb_sd", "N·m", "[motors] σ_c of Coulomb friction from day to day", &N::coulomb_sd));
  visit(field("viscous_sd", "N·m·s/rad", "[motors] σ_v of viscous friction from day to day", &N::viscous_sd));
  visit(field("standing_sd", "N·m", "[motors] s_f of a joint that stands; empty: 0.8 of its Coulomb friction",
              &N::standing_sd));
  visit(field("logs", "",
              "of how many logs the spreads from day to day are, of moving; 0: of none, they are taken from other "
              "robots; −1: not stated",
              &N::logs));
  visit(field("rate", "Hz",
              "slowest rate of the dynamic residuals that white_sd is of, where the loop formed them as it would of a "
              "robot; NaN: white_sd is of single samples of the torque",
              &N::rate));
  visit(field("slow_sd", "N·m", "[motors] σ_s of what wanders within a run", &N::slow_sd));
  visit(field("motion_sd", "N·m",
              "[motors] σ_m while the rest of the robot moves, times g of 0 … 1; infinity: not identified",
              &N::motion_sd));
  visit(field("correlation_time", "s",
              "[motors] after which the errors are about independent: of held_pose a time constant, of moving the "
              "integral time of the error, twice that. What looks at more than one sample reads it",
              &N::correlation_time));
  visit(field("identified_speed", "rad/s",
              "largest rms speed of `envelope_motors` while it was identified, of held_pose; NaN: no envelope",
              &N::identified_speed));
  visit(field("envelope_motors", "", "motors whose speed bounds what was identified", &N::envelope_motors));
  visit(field("joint_speed", "rad/s", "[motors] largest |v| while it was identified; empty: any speed is known",
              &N::joint_speed));
  visit(field("largest_residual", "N·m",
              "[motors] largest |τ − g| while it was identified; empty: not known. For people: what an audit compares "
              "a log with; no estimate reads it",
              &N::largest_residual));
  visit(field("limit", "N·m",
              "[motors] |τ| from which on a channel is at its limit; infinity: never seen; empty: no limits",
              &N::limit));
  visit(field("limit_offset", "N·m", "[motors] what it then reads too much, outward", &N::limit_offset));
  visit(field("limit_sd", "N·m", "[motors] sd of that: such a row stays evidence with this doubt; infinity: it is none",
              &N::limit_sd));
  visit(field("unit", "", "of all torques here: other where the user asked for the channel's own unit", &N::unit));
  visit(field("simulated", "", "identified in simulation: of its samples (Observation.simulated), not of the robot's",
              &N::simulated));
  visit(field("provenance", "", "by whom, from which logs and stretches, when", &N::provenance));
}

/// What is known of one day: each motor's Coulomb and viscous friction and offset beyond the mean of all days, in these
/// three rows. Estimated by DayEstimator (estimation/day_estimator.hpp).
struct DayDraw {
  static constexpr int kParts = 3;
  using Part = Eigen::Vector3d;                              ///< of one motor
  Eigen::Matrix<double, kParts, Eigen::Dynamic> mean;        ///< [3 × motors]
  Eigen::Matrix<double, kParts, Eigen::Dynamic> covariance;  ///< [3 × 3 motors], a block a motor

  int motors() const noexcept { return static_cast<int>(mean.cols()); }
  /// Columns of the three at a speed [rad/s].
  static Part columns(double speed) noexcept;
  double torque(int motor, const Part& x) const noexcept { return x.dot(mean.col(motor)); }  ///< [N·m]
  double variance(int motor, const Part& x) const noexcept {                                 ///< [N²·m²]
    return x.dot(covariance.middleCols<kParts>(kParts * motor) * x);
  }
};
/// Of a day of which nothing is known: the spreads of \p noise.
ANTAEUS_API DayDraw unknown_day(const NoiseModel& noise);

/// Spreads from day to day as other robots have them, for a moving noise that states none: `logs` is then 0.
ANTAEUS_API void assume_days(const RobotModel& model, NoiseModel& noise);

/// Evaluates a NoiseModel: the workspace, one a thread.
class ANTAEUS_API TorqueNoise {
 public:
  /// \throws OptionsError for sizes that are not the model's, a number that is not finite, or an sd below zero
  TorqueNoise(RobotModel model, NoiseModel noise);
  ~TorqueNoise();
  TorqueNoise(TorqueNoise&&) noexcept;
  TorqueNoise& operator=(TorqueNoise&&) noexcept;

  /// Mean error and covariance at one motion; on any status but `ok` both are NaN.
  /// \param q, v, a       [nq], [nv], [nv]
  /// \param motion_share  g, how far the motion term is developed, 0 … 1
  /// \realtime (noise_model_test)
  Status evaluate(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share = 0.0) noexcept;
  /// The same for whoever has looked at q already: kinematics cost as much as the rest.
  /// \param now  of this model \realtime (noise_model_test)
  Status evaluate(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a, double motion_share = 0.0) noexcept;

  /// The mean at this motion, and the covariance with X C Xᵀ as the last evaluate() left it: for loops whose motion
  /// changes little from one cycle to the next. The first one, or one after an error, is a whole evaluate().
  /// \realtime (noise_model_test)
  Status evaluate_mean(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, double motion_share = 0.0) noexcept;
  Status evaluate_mean(const PositionTerms& now, ConstVectorRef v, ConstVectorRef a,
                       double motion_share = 0.0) noexcept;

  /// X θ̂ of the last call [motors, N·m]: subtract it from τ − rnea. 0 of rows that were not identified.
  const VectorX& mean() const noexcept;
  /// R of the last call [motors × motors], symmetric; a row that is no evidence has infinity on its diagonal, one that
  /// was not identified NaN, and both have zeros beside it.
  const MatrixX& covariance() const noexcept;
  const NoiseModel& model() const noexcept;

  /// What is known of the day from now on: its mean is in mean(), its covariance in covariance() in place of the
  /// spreads from day to day. Of another size: nothing changes. \realtime (noise_model_test)
  void set_day(const DayDraw& day) noexcept;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace antaeus
