#pragma once
/// \file
/// What a log's order says of its states: time, motion, and what each torque row is worth. Private to src/replay.

#include <optional>
#include <vector>

#include "antaeus/estimation/residual.hpp"
#include "antaeus/replay/replay_rows.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/alarm_limits.hpp"

namespace antaeus::detail {

/// What history makes of a block's states: the kernel's input, and what judgement reads. Memory of one block.
struct HistoryRows {
  HistoryRows(std::ptrdiff_t count, int motors, int limits, bool correlated);
  std::vector<double> tau, variance;  ///< motors: joint torques less friction; of each row, NaN of states refused
  /// \name With identified noise
  ///@{
  std::vector<double> speed, least;  ///< motors: [rad/s]; of a row's variance, −infinity where there is no least
  std::vector<double> share;         ///< of the motion's torque
  ///@}
  std::vector<double> limits;  ///< of χ² by degrees of freedom, where they depend on the interval of samples
  std::vector<Status> status;  ///< of the residual
  std::vector<Reasons> reasons;
};

/// Steps through states as ResidualEstimator does with static residuals, without any kinematics.
class StaticHistory {
 public:
  /// \param noise  whether the robot's identified noise counts
  /// \param limits  of tests, where they follow the interval of samples
  StaticHistory(const Robot& robot, const ResidualOptions& options, bool uses_imu, bool noise,
                std::optional<AlarmLimits> limits, int most_dof);

  /// Before the first state of a log.
  void begin() noexcept;
  /// The states of a block, which follow those of the last.
  /// \param is_episode  a gyro or an accelerometer that holds NaN was not measured there
  void read(const ReplayInput& block, bool is_episode, HistoryRows& rows) noexcept;

 private:
  /// One state of the block.
  struct Sample {
    const double *q, *tau, *v, *a, *gyro, *force, *quaternion;  ///< null: not measured
    double time;
  };
  Status refusal_of(const Sample& sample) const noexcept;
  Status step(const Sample& sample, HistoryRows& rows, std::size_t at) noexcept;
  void see_speed(const Sample& sample, double dt, Reasons& reasons) noexcept;
  void fill(const Sample& sample, Reasons& reasons, double* tau, double* variance) const noexcept;
  void fill_noise(double clock, Reasons& reasons, const double* tau, double* variance, double* least) const noexcept;
  void reset() noexcept;
  bool known(Eigen::Index motor) const noexcept;
  const NoiseModel* noise() const noexcept { return noise_.get(); }

  ResidualOptions options_;
  RobotProfile profile_;
  Eigen::Index motors_;
  bool uses_imu_, identified_friction_;
  std::shared_ptr<const NoiseModel> noise_;  ///< null: the profile's figures hold
  std::optional<AlarmLimits> limits_;
  int most_dof_;
  bool has_friction_ = false, has_limits_ = false;  ///< whether any row's torque is read otherwise than it stands there
  VectorX torque_limit_, least_saturated_;
  VectorX still_, moving_;  ///< variances by the figures: at rest, but for the gain; the least while it moves
  std::optional<SpeedEnvelope> envelope_;

  double last_time_ = kNaN, moving_until_ = 0.0;
  bool has_rates_ = false, is_moving_ = false;
  VectorX last_q_, speed_, outside_until_;
  double motion_share_ = 1.0;
};

}  // namespace antaeus::detail
