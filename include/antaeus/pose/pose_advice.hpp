#pragma once
/// \file
/// Pose advice: the nearest pose in which force estimates meet stated limits.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/pose/pose_quality.hpp"

namespace antaeus {

/// One condition, value < limit, that every endpoint must meet.
struct PoseLimit {
  PoseQuantity quantity = PoseQuantity::sd;
  double limit = 0.0;
};
/// Reads "sd=5". \throws OptionsError for an unknown quantity (with the nearest), or a limit that is no positive number
ANTAEUS_API PoseLimit parse_pose_limit(std::string_view text);

/// Named sets of conditions.
/// `sd`: the posterior knows the force in every direction to within its full_use_sd.
/// `published`: the incident report's own limits of the deployed estimator, |gain| of its Check A and condition number
/// of its monitor. The two do not imply each other: the first asks whether torques hold the force, the second how much
/// one wrong torque is amplified.
/// `preflight`: what the pre-flight asks of a pose, gain, sd and conditioning together.
enum class PoseLimitSet : std::uint8_t { sd, published, preflight };
constexpr auto enum_names(PoseLimitSet) noexcept { return name_list<PoseLimitSet>("sd", "published", "preflight"); }

/// Conditions that belong together, under the name that advice prints.
struct PoseLimits {
  std::string name;
  std::vector<PoseLimit> limits;
};
/// \param endpoints  whose forces the limit on the sd fits; empty: the profile's. `preflight` asks the sd only where
/// all of them have six joints or more
ANTAEUS_API PoseLimits pose_limits(const Robot& robot, PoseLimitSet set,
                                   const std::vector<std::string>& endpoints = {});

struct PoseAdviceOptions {
  double keep_hand = 0.0;     ///< [m] distance that an endpoint may move, in base axes; 0: any
  double scan_step = 0.05;    ///< [rad] step of the scan along a joint or a direction: narrower openings are missed
  double final_step = 0.005;  ///< [rad] step at which the local search stops
  int directions = 128;       ///< [1] directions of the coarse search
  int starts = 6;             ///< [1] best coarse answers that are refined
  VectorX weights{};          ///< of each motor's move in the distance [1/rad²]; empty: all 1
};
ANTAEUS_API const OptionTable& options_of(const PoseAdviceOptions&);

/// What one joint must do.
struct JointMove {
  std::string joint;
  int motor = -1;
  double from = 0.0, to = 0.0;  ///< [rad] or [m]
};

/// Positions of one joint that satisfy the limits: from `to`, the nearest, through `until`.
struct Opening {
  bool found = false;
  double to = 0.0, until = 0.0;
};

/// The answer of one joint moved alone, all others held: the nearest opening on either side. A singular pose may be
/// left in both directions.
struct SingleJointMove {
  std::string joint;
  int motor = -1;
  double from = 0.0;
  Opening below, above;

  bool found() const noexcept { return below.found || above.found; }
  /// The nearer of the two. Only when found.
  const Opening& nearest() const noexcept {
    return !above.found || (below.found && from - below.to <= above.to - from) ? below : above;
  }
};

struct PoseAdvice {
  PoseLimits limits;
  bool satisfied = false;                ///< by the present pose already: nothing moves
  bool found = false;                    ///< also when satisfied
  VectorX q;                             ///< the pose advised; the present one unless found
  double distance = 0.0;                 ///< weighted norm of the move
  std::vector<JointMove> moves;          ///< joints that move, largest move first
  std::vector<PoseConditioning> before;  ///< one an endpoint
  std::vector<PoseConditioning> after;   ///< the same unless found
  std::vector<double> hand_shift;        ///< of each endpoint between the two [m]
  std::vector<SingleJointMove> alone;    ///< of every joint that may move, in motor order
  int evaluations = 0;
};

/// Finds the nearest pose within the joints' limits that satisfies \p limits at every endpoint.
///
/// Each joint alone is scanned outwards both ways and its first openings bisected to 1e-7 rad. All joints together:
/// rays run in evenly spread directions from the present pose. Their nearest hits, and the answers of single joints,
/// are refined by a compass search on the border of the permitted set. It uses no derivatives (the worst direction
/// changes abruptly) and no random numbers: equal input gives equal advice. The result is a local optimum: a nearer
/// pose may exist. Joints that share no endpoint are searched separately.
/// \param joints  that may move; empty: those of each endpoint's group (without one, all that support it)
/// Set-up code: allocates, some 10⁴ evaluations. \throws OptionsError, ModelError with the nearest name
ANTAEUS_API PoseAdvice advise(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                              const PoseLimits& limits, const std::vector<std::string>& joints = {},
                              const PoseAdviceOptions& options = {});

}  // namespace antaeus
