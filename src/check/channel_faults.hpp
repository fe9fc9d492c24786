#pragma once
// What each channel says of itself and of its neighbour, without a model. Private to src/check.
#include <optional>
#include <string>
#include <vector>

#include "antaeus/check/check_log.hpp"
#include "check/judged_log.hpp"

namespace antaeus::detail {

/// What the channels named, and what must be mended before torques are judged.
struct ChannelFaults {
  std::vector<Finding> findings;
  double time_unit = 1.0;      ///< of the clock in a second
  double position_unit = 1.0;  ///< of positions in a radian

  bool frozen_position = false;  ///< some joint's position does not tell where it is
};

/// Rows of a channel that hold something else than what can have been measured, and what is said of them.
struct BrokenNumbers {
  Eigen::Index rows = 0, broken = 0;
  std::vector<Eigen::Index> of_motor = {};  ///< rows without a number of that motor

  void take(const SampleMatrix& samples);
};
/// \param motors  names of the columns, for the joints that hold no number in more than 1 % of the rows
std::optional<Finding> numbers_finding(const char* channel, const BrokenNumbers& numbers,
                                       const std::vector<std::string>& motors);

/// A clock, block after block.
class ClockCounter {
 public:
  /// Keeps every step, to know the usual one.
  ClockCounter() = default;
  /// \param typical  the usual step, in the clock's unit: longer ones alone are kept
  explicit ClockCounter(double typical) : keep_(false), typical_(typical), long_step_(5.0 * typical) {}
  void take(const VectorX& time, const std::vector<Eigen::Index>& seams = {});
  /// Of the steps so far, in the clock's unit; NaN without one that goes forward.
  double typical() const;
  std::vector<Finding> findings(double& unit) const;

 private:
  bool keep_ = true;
  double typical_ = kNaN, long_step_ = kInfinity, last_ = kNaN, largest_back_ = 0.0;
  Eigen::Index rows_ = 0, finite_ = 0, back_ = 0, first_back_ = -1, repeated_ = 0, forward_ = 0;
  std::vector<double> steps_, long_steps_;
};

/// The clock of a log: gaps, steps back, repeated stamps, no stamps. \param unit  [1/s] found by its rate alone
/// \param seams  rows before which rows were left out: no step of the clock
std::vector<Finding> clock_findings(const VectorX& time, double& unit, const std::vector<Eigen::Index>& seams = {});

/// \param judged  filled: the log in pieces, filtered, in mended units
ChannelFaults channel_faults(const Robot& robot, const Episode& log, const CheckOptions& options, JudgedLog& judged,
                             const std::vector<Eigen::Index>& seams);

/// By severity; before all a joint that holds no numbers.
void sort_findings(std::vector<Finding>& findings);

/// check_log of a log that windows of a longer one were put into.
CheckResult check_windows(const Robot& robot, const Episode& log, const std::vector<Eigen::Index>& seams,
                          const CheckOptions& options);

/// Quaternion, accelerometer and gyro against each other.
/// \param not_told  receives faults that the log neither shows nor rules out
std::vector<Finding> imu_faults(const Robot& robot, const Episode& log, JudgedLog& judged, const CheckOptions& options,
                                std::vector<std::string>& not_told);

/// "1.5", "0.191": for sentences.
std::string figure(double value);
std::string count_text(Eigen::Index count, const std::string& noun);

}  // namespace antaeus::detail
