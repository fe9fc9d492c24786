#pragma once
// What an identified noise is worth on rows that it was not fitted to. Private to src/identification.

#include <string>
#include <vector>

#include "identification/identify_steps.hpp"
#include "identification/moving/moving_rows.hpp"

namespace antaeus::detail {

/// What a noise model leaves of logs. Rows at the drive's limit and dead channels are not judged.
struct Judged {
  MovingRows rows;
  MatrixX after, sd;  ///< samples × motors; NaN: not judged
  VectorX rms_before, rms, covered, count;
  double pooled = kNaN;
};
Judged judge(const IdentifyTask& task, const NoiseModel& noise, const std::vector<MovingLog>& logs);

/// What torques that nothing touches read as a force at a frame [N], and its covariance by the noise.
struct ForceOfNothing {
  bool known = false;
  Vector3 force;
  Matrix3 covariance;  ///< of the force, without any contact; the prior's shrinking is in both
  Matrix3 posterior;   ///< of the contact that may be there
};
class ForcesOfNothing {
 public:
  ForcesOfNothing(const IdentifyTask& task, const NoiseModel& noise);
  /// One sample's forces at the task's endpoints, in their order. \param r  τ less description and mean [motors]
  const std::vector<ForceOfNothing>& at(const VectorX& q, const VectorX& v, const VectorX& a, const VectorX& r);

 private:
  const IdentifyTask* task_;
  TorqueNoise torque_noise_;
  Dynamics dynamics_;
  std::vector<FrameId> frames_;
  std::vector<std::vector<int>> motors_;  ///< that were identified, of each endpoint
  std::vector<ForceOfNothing> forces_;
  double prior_;
};

/// Counts how often stated intervals hold what was not fitted, over several judgements.
class CoverageCount {
 public:
  explicit CoverageCount(const IdentifyTask& task);
  /// \param period  T of each motor's error [s]
  void add(const Judged& judged, const NoiseModel& noise, const VectorX& period);
  /// Of joints that were judged, then of forces at endpoints; empty: nothing was.
  std::vector<Coverage> table() const;
  /// Of one motor, or of all of them (−1): share within 1.96 sd, and the root of the mean square [unit]; NaN: none.
  double covered(int motor) const;
  double rms(int motor) const;

 private:
  struct Row {
    std::string what;
    double within[4] = {0, 0, 0, 0};
    double count = 0.0, square = 0.0, error = 0.0, effective = 0.0;
    void add(double z, double worth);
  };
  const IdentifyTask* task_;
  std::vector<Row> joints_, forces_;  ///< motors; of each endpoint x, y, z
};

/// Judgement of a log by a fit of all others.
struct LeftOut {
  std::size_t log = 0;
  NoiseModel noise;
  Judged judged;
};
/// Of each log whose others suffice for a fit; none of one log.
std::vector<LeftOut> leave_one_out(const IdentifyTask& task, const std::vector<MovingLog>& logs);
/// Each half of each log by a fit of its other half, a day of its own. \param nothing  why no half was judged
CoverageCount judge_halves(const IdentifyTask& task, const std::vector<MovingLog>& logs, std::string& nothing);

/// Where the torques of a log that others explain are no free motion: "tool0 reads 14 ± 2 N for 3.2 s from 12.0 s on";
/// empty: nowhere.
std::string contact_in(const IdentifyTask& task, const LeftOut& left);

/// [N] of each endpoint the median, over poses of \p rows, of what a force there may be wrong by: rms over axes; NaN
/// where nothing is known of it.
std::vector<double> force_deviations(const IdentifyTask& task, const NoiseModel& noise, const MovingRows& rows);

}  // namespace antaeus::detail
