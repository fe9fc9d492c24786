#pragma once
// The equations of a moving arm's logs, stacked: one row a sample and joint. Private to src/identification.

#include <vector>

#include "antaeus/identification/moving/moving_fit.hpp"

namespace antaeus::detail {

/// One joint's rows. Through the low pass, where one was asked for: all but `channel`.
struct JointRows {
  /// samples × (10 bodies + 4): inertial, rotor, Coulomb, viscous, offset; empty: no evidence from the start
  MatrixX X;
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
  int threads = 1;  ///< that share out what is done to each row by itself

  Eigen::Index samples() const noexcept { return q.rows(); }
  int width() const noexcept { return 10 * at.bodies + 4; }
  /// Column of θ of column \p column of joint \p joint.
  int parameter(int joint, int column) const noexcept {
    const int inertial = 10 * at.bodies;
    return column < inertial ? column : inertial + (column - inertial) * at.motors + joint;
  }
};

/// \throws as fit_moving
MovingRows moving_rows(const Robot& robot, const std::vector<MovingLog>& logs, const MovingFitOptions& options);

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
