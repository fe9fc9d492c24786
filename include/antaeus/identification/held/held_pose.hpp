#pragma once
/// \file
/// The noise of a robot that holds a pose, identified from stretches of logs in which nothing touched it.
///
/// Within a run the residual τ − g of a joint is a constant; between runs, and after every push, it sits elsewhere:
/// stiction. So what is identified is a mean, a spread between runs, what a wrong mass makes of it in another pose, and
/// what the motion of the other joints adds:
///
///     r = Y θ + b + e,   R = [Y I] C [Y I]ᵀ + diag(σ_b² + σ_s² + σ² + g(L)² σ_m²)
///
/// Y is the gravity regressor, C the covariance of (θ, b), σ_b the spread between runs, σ_s how far a row wanders
/// within one, σ what is white, σ_m the motion's torque, L the speed of SpeedEnvelope and g its motion_share. Each run
/// counts once, however long it is: seconds of one run are no new evidence. Sign: τ − g as Residual's; a wrench w on
/// the robot adds −Jᵀ w. Time alone cannot tell an offset from a contact that never ends: whoever names the stretches
/// vouches for them.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/pulse.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/envelope.hpp"
#include "antaeus/identification/gravity_regressor.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/coloured_noise.hpp"

namespace antaeus {

struct HeldPoseOptions {
  bool ridge = true;  ///< whether masses may be off too; else the mean of one pose is that of all
  /// [1] prior sd of a body's mass and first moment, as a share of GravityRegressor::scale.
  double ridge_share = 0.3;
  double prior_runs = 8.0;      ///< [1] how many runs the spread of like joints counts beside a joint's own
  bool few_runs_factor = true;  ///< whether σ_b is widened by Student's t, as few runs told it
  double shortest_still = 1.0;  ///< [s] of a stretch that the robot must stand still for its median to count
  EnvelopeOptions envelope{};   ///< what counts as still and as moving
};
ANTAEUS_API const OptionTable& options_of(const HeldPoseOptions&);

/// What one stretch of a log without contact says. All vectors in motor order.
struct HeldStretch {
  std::string run;
  bool simulated = false;  ///< Episode::simulated
  double from = kNaN, to = kNaN;
  int still = 0, moving = 0;
  VectorX q;
  Vector3 free_fall;  ///< mean while still, in base axes [m/s²]
  VectorX residual;
  VectorX white_variance;  ///< half the mean square of differences of neighbours while still [N²·m²]
  VectorX motion_square;   ///< sum over samples in motion of (τ − g − residual)² [N²·m²]
  double largest_speed = kNaN;
  VectorX slow_sd;           ///< sd while still beyond what is white [N·m]
  VectorX joint_speed;       ///< largest |v| of each motor, moving or not [rad/s]
  VectorX largest_residual;  ///< largest |τ − g| of each motor, moving or not [N·m]
};
constexpr void visit_fields(const HeldStretch*, auto&& visit) {
  using H = HeldStretch;
  visit(field("run", "", "the log; stretches of one run share its weight of 1", &H::run));
  visit(field("still", "", "samples with motion_share 0", &H::still));
  visit(field("moving", "", "samples with motion_share 1", &H::moving));
  visit(field("q", "", "[motors] median while still [rad|m]", &H::q));
  visit(field("residual", "N·m", "[motors] median of τ − g while still", &H::residual));
  visit(field("largest_speed", "rad/s", "of SpeedEnvelope", &H::largest_speed));
}

/// Reads the part of a log with from ≤ t ≤ to [s from its first sample]. The log's first seconds belong to it: torques
/// while the controller takes hold are what σ_m is identified from.
/// \param run  under which name the stretch counts; empty: the episode's
/// \param pulse  may be null
/// \throws EpisodeError without times or velocities, for a stretch outside of the log, or where the robot stands still
///         for less than `shortest_still`
ANTAEUS_API HeldStretch read_held_stretch(const Robot& robot, const std::vector<std::string>& endpoints,
                                          const Episode& episode, double from, double to,
                                          const HeldPoseOptions& options = {}, const std::string& run = {},
                                          const Pulse& pulse = nullptr);

/// What was identified, as plain data. Vectors have one entry a row, rows as `motors`.
struct HeldPoseNoise {
  std::vector<int> motors;
  int runs = 0, stretches = 0;
  bool simulated = false;    ///< all of them
  VectorX offset;            ///< b̄
  VectorX offset_error;      ///< masses being free
  VectorX parameters;        ///< θ [kg, kg·m], four a body; empty without ridge
  VectorX parameter_scale;   ///< prior sd of each; their own unit
  MatrixX parameter_factor;  ///< F, (θ, b) has covariance F Fᵀ, θ in units of parameter_scale; lower triangular
  VectorX offset_sd;         ///< σ_b
  VectorX slow_sd;           ///< σ_s
  VectorX white_sd;          ///< σ
  VectorX motion_sd;         ///< σ_m
  double largest_speed = kNaN;
  VectorX joint_speed;               ///< largest |v| of each motor of the robot, all of them [rad/s]
  VectorX largest_residual;          ///< largest |τ − g| of each motor of the robot [N·m]
  std::vector<int> envelope_motors;  ///< whose speed L is
  std::vector<std::string> notes;
};
constexpr void visit_fields(const HeldPoseNoise*, auto&& visit) {
  using H = HeldPoseNoise;
  visit(field("motors", "", "the rows: all that support an endpoint, ascending", &H::motors));
  visit(field("runs", "", "logs that were read", &H::runs));
  visit(field("stretches", "", "stretches without contact", &H::stretches));
  visit(field("offset", "N·m", "of τ − g", &H::offset));
  visit(field("offset_error", "N·m", "its standard error", &H::offset_error));
  visit(field("offset_sd", "N·m", "between runs", &H::offset_sd));
  visit(field("slow_sd", "N·m", "within a run", &H::slow_sd));
  visit(field("white_sd", "N·m", "", &H::white_sd));
  visit(field("motion_sd", "N·m", "NaN: no stretch holds motion", &H::motion_sd));
  visit(field("largest_speed", "rad/s", "of all stretches", &H::largest_speed));
  visit(field("notes", "", "what could not be identified and why, one line each", &H::notes));
}

/// Fits the model above by ridge regression, σ_b from what is left, in turns until it stands still.
///
///     σ_b,j² = (k p_c + SS_j) / (k + n − 1),   SS_j = n × weighted mean square of what is left
///
/// n runs, k `prior_runs`, p_c the mean of SS/(n − 1) over joints that are alike. So few runs tell it that a new run is
/// Student's t: σ_b is stated t/1.96 times as large, of min(k + n − 1, m (n − 1)) degrees of freedom,
/// m joints alike (HeldPose.ANewRunIsCoveredHoweverFew). One that is alone of its kind has only n − 1 and is taken for
/// k + n − 1: of five runs, a new one of it is covered in 0.90.
/// \throws EpisodeError for fewer than two runs: one run shows no spread between runs
ANTAEUS_API HeldPoseNoise fit_held_pose(const Robot& robot, const std::vector<std::string>& endpoints,
                                        const std::vector<HeldStretch>& stretches, const HeldPoseOptions& options = {});

/// The same as what residuals are formed with (RobotProfile::noise): rows that were not identified have NaN for
/// white_sd, σ_m that no stretch showed is infinity, and four parameters a body become ten.
ANTAEUS_API NoiseModel noise_model(const RobotModel& model, const HeldPoseNoise& noise);

/// What the identified noise says of one pose. One a thread.
class ANTAEUS_API HeldPosePredictor {
 public:
  /// \throws OptionsError for noise of another robot
  HeldPosePredictor(const RobotModel& model, HeldPoseNoise noise);

  const HeldPoseNoise& noise() const noexcept { return noise_; }
  /// \param now  position terms in the base's axes, as Instant::base_terms  \param free_fall  in those axes [m/s²]
  /// \param motion  motion_share of the present speed, 0 … 1; where no motion was identified, anything above 0 makes
  ///        the variance infinite: a row without evidence
  /// \param mean  Y θ + b [rows], what τ − g reads without contact \param covariance  R [rows × rows]
  /// \return not `ok`: both are NaN \realtime (held_pose_realtime_test)
  Status predict(const PositionTerms& now, const Vector3& free_fall, double motion, VectorRef mean,
                 MatrixRef covariance) noexcept;

  /// The same noise at rest as what may be simulated: offset, wander and white, with one time constant [s] for all
  /// rows, since stretches of seconds do not tell it. Its covariance() is R. \throws OptionsError for a bad pose
  ColouredNoise simulated(const PositionTerms& now, const Vector3& free_fall, double slow_time);

 private:
  Status fill(const PositionTerms& now, const Vector3& free_fall) noexcept;
  void add_parameters(MatrixRef covariance) noexcept;
  HeldPoseNoise noise_;
  GravityRegressor regressor_;
  MatrixX C_;           ///< of (θ, b), θ in its own unit
  MatrixX Y_, spread_;  ///< Y, and C [Y I]ᵀ
};

}  // namespace antaeus
