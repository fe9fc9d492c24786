#pragma once
/// \file
/// Verdicts and reasons of many states, out of the kernel's numbers and the log's history. Private to src/replay.

#include <string>
#include <vector>

#include "antaeus/replay/replay.hpp"
#include "replay/static_history.hpp"

namespace antaeus::detail {

/// What judgement reads of the kernel's numbers, in memory of one block, where the caller does not want them.
struct JudgedNumbers {
  JudgedNumbers(std::ptrdiff_t count, int endpoints);
  /// Puts this memory where \p out has none. \param referred  whether there is a reference row
  /// \param correlated  whether identified noise couples it with the others
  void complete(ReplayOutput& out, bool referred, bool correlated) noexcept;

 private:
  std::size_t count_, endpoints_;
  std::vector<double> numbers_;
  std::vector<int> integers_;
};

/// A robot's settings, as far as a replay follows them, and what they make of a state. Nothing in it changes after
/// set-up but the history, whose blocks come in order.
class Judgement {
 public:
  /// \throws OptionsError for settings that only a loop can follow
  Judgement(const Robot& robot, const std::vector<std::string>& endpoints, const ReplayPosterior& posterior);

  const BatchModel& model() const noexcept { return model_; }
  bool is_correlated() const noexcept { return correlated_; }
  /// Degrees of freedom, 0 among them, of the limits that history keeps of a state; 0: they are the same everywhere.
  int kept_limits() const noexcept { return hourly_ ? most_dof_ + 1 : 0; }
  bool has_reference() const noexcept { return reference_ >= 0; }
  /// \throws OptionsError for what a posterior at rest does not take, or cannot do without
  void check(const ReplayInput& in) const;
  /// \throws EpisodeError for a simulation's log where the robot's own noise counts, and the other way round
  void check_origin(const Episode& episode) const;
  /// A new history. \throws nothing
  StaticHistory history() const;
  /// The kernel's input. \p rows  of the block
  BatchInput input_of(const ReplayInput& block, const HistoryRows& rows) const noexcept;
  /// Status, verdicts and reasons of a block. \param out  with all numbers that are read \return verdicts near a limit
  std::ptrdiff_t judge(const ReplayOutput& out, const HistoryRows& rows, std::ptrdiff_t count) const noexcept;

 private:
  struct OneEndpoint {
    double threshold = 0.0;  ///< χ² above which its rows show a contact
    bool loads = false;      ///< whether the reference row carries it
    int insensible = 0;      ///< directions of its force that its rows see in no pose
  };
  double reference_nis(const ReplayOutput& out, const HistoryRows& rows, std::ptrdiff_t state,
                       int endpoint) const noexcept;
  int judge_one(const ReplayOutput& out, const HistoryRows& rows, std::ptrdiff_t state, int endpoint, Verdict& verdict,
                Reasons& reasons) const noexcept;

  Robot robot_;
  ReplayPosterior options_;
  bool correlated_ = false, uses_imu_ = false;
  int reference_ = -1, most_dof_ = 1;
  std::vector<OneEndpoint> endpoints_;
  std::optional<AlarmLimits> hourly_;
  std::vector<double> limits_;          ///< of χ² by degrees of freedom, where they are the same everywhere
  std::vector<std::vector<int>> rows_;  ///< of each endpoint the motors that speak for it
  BatchModel model_;
};

}  // namespace antaeus::detail
