#pragma once
// The parts of a run of `antaeus identify`. Private to src/identification.

#include <string>
#include <vector>

#include "antaeus/core/progress.hpp"
#include "antaeus/identification/identify.hpp"

namespace antaeus::detail {

/// What one run works with: options as the robot's settings and the request have them.
struct IdentifyTask {
  const Robot& robot;
  const IdentifyRequest& request;
  std::vector<std::string> endpoints;  ///< frames
  IdentifyOptions options;
  MovingFitOptions moving;
  HeldPoseOptions held;
  UnlabelledOptions unlabelled;
  const Progress& progress;
  mutable double done = 0.0;  ///< what was told last

  void tell(double share) const {
    done = share;
    if (progress) progress(share);
  }
  /// Tells the same again, so that who waits can end it. Null where nobody does.
  Pulse pulse() const {
    if (!progress) return nullptr;
    return [this] { progress(done); };
  }
};

/// Each fills joints, parameters, what is missing and, where it suffices, the noise.
void identify_moving(IdentifyTask& task, IdentifyResult& result);
void identify_held_pose(const IdentifyTask& task, IdentifyResult& result);
void identify_unlabelled(const IdentifyTask& task, IdentifyResult& result);

/// Logs with their stretches as fit_moving reads them; windows of them where they are long, with a note that says so.
/// \param whole  all of each log, whatever its stretches
std::vector<MovingLog> moving_logs(const IdentifyTask& task, const std::vector<IdentifyLog>& logs,
                                   IdentifyResult& result, bool whole = false);

/// Channel findings, positions and speeds of each motor of the logs.
std::vector<IdentifiedJoint> joints_of(const Robot& robot, const std::vector<ChannelFinding>& channels);
void add_ranges(const std::vector<IdentifyLog>& logs, std::vector<IdentifiedJoint>& joints);

/// Residuals before and after, and their figures, on logs of a moving arm.
void add_moving_residuals(const IdentifyTask& task, const std::vector<MovingLog>& logs, IdentifyResult& result);

/// Splits parameters into those that the log tells and those that it does not.
void sort_parameters(const std::vector<ParameterEstimate>& all, IdentifyResult& result);

inline constexpr const char* kByFile = "file of ";  ///< begins a date that is no clock's (recorded_on)
inline constexpr double kWithin95 = 1.959964;       ///< sds that hold 95 % of normal numbers

}  // namespace antaeus::detail
