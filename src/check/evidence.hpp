#pragma once
// The evidence that a log's torques give for a model of them: linear in what is not known, with priors, all joints at
// once. Private to src/check; the formulas are those of docs/guide/check.md.
#include <Eigen/Dense>
#include <optional>
#include <vector>

#include "antaeus/robot/dynamics.hpp"
#include "check/judged_log.hpp"

namespace antaeus::detail {

/// Own parameters of a joint: gain error, rotor inertia, viscous and Coulomb friction, offset.
enum OwnColumn : int { kGainError, kRotor, kViscous, kCoulomb, kOffset, kOwn };
using OwnMatrix = Eigen::Matrix<double, kOwn, kOwn>;
using OwnVector = Eigen::Matrix<double, kOwn, 1>;

/// Moments of the log that are compared with the model: a few hundred, spread over its pieces. Rows × motors.
struct Samples {
  std::vector<int> piece;
  std::vector<double> row;
  MatrixX q, v, a, y;           ///< positions, their derivatives and torques [rad, N·m]
  MatrixX omega, alpha, force;  ///< of a floating base: what its IMU feels, sensor axes; empty for a fixed one
  MatrixX still;                ///< quaternion x y z w of the sensor; empty without
  Eigen::Index count() const noexcept { return q.rows(); }
};
Samples take_samples(const Robot& robot, const JudgedLog& log, Eigen::Index most);
/// The torques \p delay [s] later than the positions, at the samples. rows × motors.
MatrixX late_torques(const JudgedLog& log, const Samples& samples, double delay);

/// What a model says of the samples. Columns are scaled by the prior's standard deviations: all parameters are N(0, 1).
struct Reading {
  std::vector<MatrixX> common;             ///< per motor: rows × (masses, then gravity's direction)
  std::vector<MatrixX> own;                ///< per motor: rows × kOwn
  MatrixX torque;                          ///< rows × motors, by the description
  MatrixX gravity;                         ///< the same of gravity alone
  std::vector<MatrixX> gravity_of;         ///< of 1 m/s² of free fall along x, y, z
  std::vector<std::vector<MatrixX>> ends;  ///< per end and motor: rows × 10, of that body's parameters
  VectorX scale;                           ///< [N·m] a motor's usual torque
  VectorX own_sd;                          ///< motors · kOwn: priors in the columns' units
  MatrixX basis;                           ///< of the masses' columns, in prior sds
  int masses = 0;                          ///< columns of `common` that are masses
  Eigen::Index rows() const noexcept { return torque.rows(); }
};

/// Root mean square.
double rms(const VectorX& values);

/// How positions are read: what a mistake of them changes.
struct PositionReading {
  VectorX sign, offset;    ///< q = sign ∘ reading − offset; empty: 1, 0
  std::vector<int> order;  ///< the column that holds each motor's position; empty: its own
  bool without_gravity = false;
  double scale = 1.0;  ///< of all turning joints
};
/// \param ends  bodies whose parameters' columns are kept \param like  another reading of the same robot, whose scales
/// and directions of masses are taken; may be null
Reading read_model(const RobotModel& model, const RobotProfile& profile, const Samples& samples,
                   const PositionReading& positions, const std::vector<int>& ends, const Reading* like);
/// Torque of the description alone, rows × motors: the dear columns left out.
MatrixX model_torque(const RobotModel& model, const RobotProfile& profile, const Samples& samples,
                     const PositionReading& positions);

/// Sums over the samples, for one reading and one set of torque channels.
struct Sums {
  struct Joint {
    MatrixX cc, cd, cy, dy;  ///< with all channels as columns of cy, dy
    OwnMatrix dd;
    VectorX c0, yy, y0;
    OwnVector d0;
    double n = 0.0, t0 = 0.0;
  };
  std::vector<Joint> joints;
  VectorX level;  ///< [N·m] sd of each channel
  VectorX scale;
};
Sums sums_of(const Reading& reading, const MatrixX& channels, const MatrixX& weights,
             const std::vector<MatrixX>& extra = {}, double mass_width = 1.0);

/// The same sums with other torques of the description, and its columns as they are: a first look.
Sums with_torque(const Sums& sums, const Reading& reading, const MatrixX& channels, const MatrixX& weights,
                 const MatrixX& torque);

/// One explanation: which channel is which motor's, and its gain.
struct Trial {
  std::vector<int> order;  ///< channel of each motor; empty: its own
  VectorX gain;            ///< channel per N·m; empty: 1
};

struct Fit {
  double score = -kInfinity;  ///< [nats] tempered log evidence
  VectorX common;             ///< posterior means, in prior sds; masses, gravity, then extra columns
  VectorX common_sd;
  std::vector<OwnVector> own, own_sd;
  VectorX sigma;  ///< [N·m] of what is left
};

/// What is weighed: the motors that count, the share of a sample that counts as independent.
struct Weighing {
  std::vector<int> motors;
  double temper = 1.0;
};
Fit weigh(const Weighing& weighing, const Sums& sums, const Trial& trial,
          const OwnVector& own_width = OwnVector::Ones());
/// What is left of the torques, rows × motors.
MatrixX left_over(const Reading& reading, const MatrixX& channels, const Fit& fit, const Trial& trial);

/// The assignment of columns to rows with the largest sum (Kuhn 1955, Munkres 1957).
std::vector<int> best_assignment(const MatrixX& value);

}  // namespace antaeus::detail
