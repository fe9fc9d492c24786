#pragma once
// How a robot moved in a log, and the torque that the description has for it. Private to src/identification.

#include "antaeus/identification/moving/moving_fit.hpp"

namespace antaeus::detail {

/// Of every step of one log.
struct LogMotion {
  MatrixX q;               ///< steps × nq; a floating base at the origin, unturned: its own axes are the world
  MatrixX v, a;            ///< steps × nv; a floating base has no linear velocity, and a = specific force + gravity
  MatrixX reading;         ///< steps × motors: τ [N·m]
  MatrixX channel;         ///< the same before any low pass
  MatrixX expected;        ///< steps × motors: rnea − Jᵀ w [N·m]
  std::vector<char> good;  ///< whether the step has a motion, and the filter is settled
};

/// [s] until the low pass has forgotten a sample, to 5 %; 0 without one.
double low_pass_memory(const MovingFitOptions& options);

/// \throws EpisodeError for a floating robot's log without gyro or accelerometer
LogMotion log_motion(const Robot& robot, const MovingLog& log, const MovingFitOptions& options, const Pulse& pulse);

}  // namespace antaeus::detail
