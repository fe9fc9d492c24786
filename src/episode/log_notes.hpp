#pragma once
// What load_episode refuses and notes of a log's values, taken in block after block. Private to src/episode.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/input_checks.hpp"

namespace antaeus {

class LogNotes {
 public:
  /// \param clock          where the time stamps are, for messages; empty: there are none
  /// \param accelerometer  the same of imu_acc
  LogNotes(const Robot& robot, std::string clock, std::string accelerometer);

  /// The next steps. \throws EpisodeError where the clock goes back or is not finite
  void take(const Episode& block);
  /// Adds what was found to the notes of the log. \param how_read  goes, if any, after the notes of the clock
  /// \throws EpisodeError where the accelerometer is in g
  void finish(Episode& log, const std::optional<Note>& how_read);

 private:
  struct Found {
    Eigen::Index steps = 0, first = -1;
    int motor = -1;
  };
  void take_time(const VectorX& time);
  void take_holes(const Episode& block);
  void take_readings(const Episode& block);
  std::vector<std::string> silent() const;
  void take_accelerometer(const Episode& block);
  void take_findings(const Episode& block);
  void check_accelerometer(Episode& log);

  const Robot& robot_;
  std::string clock_, accelerometer_;
  Eigen::Index done_ = 0, repeated_ = 0;
  double last_time_ = kNaN;
  std::vector<Found> holes_;  ///< of the channels that may have some
  /// Steps without a valid reading, by channel of kReadings and motor, and of the quaternion.
  std::vector<std::vector<Eigen::Index>> unread_;
  Eigen::Index unturned_ = 0;
  InputChecks checks_;
  std::map<Reason, Found> findings_;
  Observation observation_;
  std::vector<Eigen::Index> invalid_;
  /// \name Of the accelerometer
  ///@{
  std::vector<double> norms_;
  Eigen::Index every_ = 1, norms_seen_ = 0, compared_ = 0;  ///< beyond a million norms, every second, fourth, … is kept
  double cosine_ = 0.0;
  Reasons accelerometer_noted_;
  ///@}
};

}  // namespace antaeus
