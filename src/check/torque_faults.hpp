#pragma once
// Which mistake explains the torques of a log: hypotheses over one another. Private to src/check.
#include "antaeus/check/check_log.hpp"
#include "check/evidence.hpp"

namespace antaeus::detail {

/// One mistake, as well as it explains the log.
struct Hypothesis {
  Fault fault = Fault::other_robot;
  std::vector<int> motors = {};  ///< empty: all
  double score = -kInfinity;     ///< [nats] over the log as it is
  double size = kNaN, sd = kNaN;
  std::vector<double> sizes = {};
  std::string detail = {};  ///< another robot's name, a direction, …
};

struct TorqueJudgement {
  std::vector<Hypothesis> hypotheses;  ///< best first, one a fault and joint
  double unknown = 0.0;                ///< [nats] of masses that may be anything
  double explained = 1.0;              ///< [1] share of the torques' variance by the description, least of the joints
  std::vector<CheckedJoint> joints;
  std::vector<int> judged;  ///< motors
  std::string refused;      ///< why nothing was judged; empty: it was
  std::string remedy = "move each joint by 0.5 rad for 10 s without contact";  ///< of `refused`
  Fault refusal = Fault::too_little_motion;
  std::vector<int> still;         ///< motors that did not move
  std::vector<int> moves_unseen;  ///< whose position never changes, and whose torque does
  std::vector<int> stands;        ///< whose position never changes, as far as torques tell
  double friction_share = kNaN;
};

TorqueJudgement judge_torques(const Robot& robot, const JudgedLog& log, const CheckOptions& options);

}  // namespace antaeus::detail
