#pragma once
/// \file
/// Objectives that come with the library, for what tasks leave free. All are \realtime (task_realtime_test).

#include <string>
#include <vector>

#include "antaeus/numerics/force_deviation.hpp"
#include "antaeus/tasks/task.hpp"

namespace antaeus {

/// Keeps joints away from their limits: mean over the joints with two limits of x² / (1 + kEdge − x²), x from −1 at the
/// lower to 1 at the upper limit.
class ANTAEUS_API LimitDistance : public Objective {
 public:
  explicit LimitDistance(const RobotModel& model, double weight = 1.0);
  Status evaluate(const TaskState& state, double& value, VectorRef gradient) const noexcept override;
  std::unique_ptr<Objective> clone() const override;

  static constexpr double kEdge = 0.01;  ///< keeps value and gradient finite at the limit

 private:
  VectorX lower_, upper_;  // nv; NaN where there are not both
  double count_ = 0.0;
};

/// Keeps a frame away from singularities: −½ log det(J Jᵀ), the negative logarithm of Yoshikawa's manipulability
/// ("Manipulability of robotic mechanisms", Int. J. Robot. Res. 4 (1985)). Infinity is cut off where det < 1e-30.
class ANTAEUS_API Manipulability : public Objective {
 public:
  /// \param part  which rows of J; \param length  [m] that divides the linear rows, so that they compare with rad
  /// \param joints  whose columns count; empty: all single-degree joints
  /// \throws ModelError for an unknown frame or joint, OptionsError for a length that is not positive
  Manipulability(const RobotModel& model, const std::string& frame, bool linear = true, bool angular = true,
                 double length = 1.0, const std::vector<std::string>& joints = {}, double weight = 1.0);
  Status evaluate(const TaskState& state, double& value, VectorRef gradient) const noexcept override;
  std::unique_ptr<Objective> clone() const override;

 private:
  FrameId frame_;
  Vector6 scale_;            // of the rows; 0: does not count
  VectorX column_;           // nv, 1 or 0
  std::vector<int> starts_;  // first row of v of the joint of each row
};

/// Places a limb where its forces can be known: the sd of the worst-known direction of an external force at a frame
/// [N], when joint torques of given noise measure it (ForceDeviation).
class ANTAEUS_API ForceSd : public Objective {
 public:
  /// \param torque_sd  nv [N·m | N]; infinity: a row that nobody measures, such as those of a floating base
  /// \param prior      what is known of the wrench before
  /// \throws ModelError for an unknown frame, OptionsError for sds that are not positive
  ForceSd(const RobotModel& model, const std::string& frame, const VectorX& torque_sd, WrenchPriorSd prior = {},
          double weight = 1.0);
  Status evaluate(const TaskState& state, double& value, VectorRef gradient) const noexcept override;
  std::unique_ptr<Objective> clone() const override;

 private:
  FrameId frame_;
  VectorX information_;  // 1/variance, nv
  WrenchPriorSd prior_;
  std::vector<int> starts_;
};

}  // namespace antaeus
