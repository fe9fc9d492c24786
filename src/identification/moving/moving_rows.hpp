#pragma once
// The equations of a moving arm's logs, stacked: one row a sample and joint. Private to src/identification.

#include <string>
#include <vector>

#include "antaeus/core/pulse.hpp"
#include "antaeus/identification/moving/moving_fit.hpp"

namespace antaeus::detail {

/// One joint's rows. Through the low pass, where one was asked for: all but `channel`.
struct JointRows {
  /// samples × columns: inertial of the bodies that the joint carries, rotor, Coulomb, viscous, offset; empty: no
  /// evidence from the start. In all other columns of a row of θ it would hold zeros.
  MatrixX X;
  std::vector<int> columns;  ///< places of X's columns in a row of MovingRows::width(), ascending
  Eigen::Index inertial() const noexcept { return std::ssize(columns) - 4; }
  VectorX reading;             ///< τ, torque channel with the profile's gear and sign [N·m]
  VectorX channel;             ///< the same as it was read
  VectorX expected;            ///< rnea − Jᵀ w: what the description says [N·m]
  std::vector<char> use;       ///< whether the row is evidence
  std::vector<char> at_limit;  ///< whether the drive is saturated there
  VectorX residual() const { return reading - expected; }
};

/// All samples of all spans, one after the other.
struct MovingRows {
  TorqueParameters at;
  double step = 0.0;       ///< Δ [s]
  std::vector<int> piece;  ///< of each sample: which span it is of; neighbours of one piece are neighbours in time
  /// samples × nq, nv, nv. A floating base is at the origin, and its linear acceleration is what the IMU felt, plus g.
  MatrixX q, v, a;
  MatrixX motor_v;  ///< samples × motors
  std::vector<JointRows> joints;
  std::vector<char> grounded;  ///< of each motor: whether it carries a foot
  /// For the scan over shifts: of each log its readings [steps × motors] and its sample time [s]; of each sample where
  /// it comes from.
  std::vector<MatrixX> readings;
  std::vector<double> log_step;
  std::vector<int> log;
  std::vector<Eigen::Index> source;
  int threads = 1;    ///< that share out what is done to each row by itself
  Pulse pulse;        ///< may be null
  std::string taken;  ///< Excerpt::text(), where they are one

  Eigen::Index samples() const noexcept { return q.rows(); }
  int width() const noexcept { return 10 * at.bodies + 4; }
  /// Column of θ of column \p column of joint \p joint.
  int parameter(int joint, int column) const noexcept {
    const int inertial = 10 * at.bodies;
    return column < inertial ? column : inertial + (column - inertial) * at.motors + joint;
  }
};

/// A log, and what of it is learnt from, without a copy of its samples. \see MovingLog
struct LogView {
  const Episode& episode;
  std::vector<TimeSpan> spans;
  const SampleMatrix& contact;
};

/// Windows of logs that have more rows than `most_rows`: each with the samples around it that filters and differences
/// need, its spans the windows alone. Logs that have fewer are copied as they are.
struct Excerpt {
  std::vector<MovingLog> logs;
  Eigen::Index samples = 0, of = 0;
  int windows = 0;  ///< 0: all are taken
  /// "samples used 60000 of 720000, in 15 windows spread over the log …"; empty: all are used.
  std::string text() const;
};
Excerpt excerpt(const Robot& robot, const std::vector<LogView>& logs, const MovingFitOptions& options);

/// Of more rows than `most_rows` it takes an excerpt. \param pulse  may be null; called on, too, by what works with the
/// rows
/// \throws as fit_moving
MovingRows moving_rows(const Robot& robot, const std::vector<MovingLog>& logs, const MovingFitOptions& options,
                       const Pulse& pulse = nullptr);
/// Calls its pulse.
void beat(const MovingRows& rows);

/// T = Δ (1 + 2 Σρ) of errors about zero, summed until ρ < 0.05; rows that are not used are gaps. Never below Δ.
double integral_time(const MovingRows& rows, const JointRows& joint, const VectorX& error);

/// Recognises torque at its limit, dead channels, channels in other units and joints that were not excited, and takes
/// their rows out of the evidence.
std::vector<ChannelFinding> examine_channels(const Robot& robot, MovingRows& rows, const MovingFitOptions& options);

/// Steps of a log by which its torque is shifted at most.
Eigen::Index shift_steps(const MovingFitOptions& options, double log_step);
/// Whether a parameter moves any row that is evidence.
std::vector<char> seen_parameters(const MovingRows& rows);

/// σ of the samples that are used.
double root_mean_square(const JointRows& joint, const VectorX& error);
Eigen::Index used_rows(const JointRows& joint);

/// "3.2", for sentences.
std::string rounded(double value);

}  // namespace antaeus::detail
