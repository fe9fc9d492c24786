#pragma once
/// \file
/// The nearest pose from which torques can tell what they should: advice to whoever chose the present one.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/estimation/pose_quality.hpp"

namespace antaeus {

/// One condition, value < limit, asked of every endpoint.
struct PoseLimit {
  PoseQuantity quantity = PoseQuantity::sd;
  double limit = 0.0;
};
/// Reads "sd=5". \throws OptionsError for an unknown quantity (with the nearest), or a limit that is no positive number
PoseLimit parse_pose_limit(std::string_view text);

/// Conditions that belong together, under the name by which advice is asked for.
struct PoseLimits {
  std::string name;
  std::vector<PoseLimit> limits;
};
/// `sd`: the posterior knows the force in every direction to within its full_use_sd.
/// `published`: the incident report's own limits of the deployed estimator, |gain| of its Check A and condition number
/// of its monitor. The two do not imply each other: the first asks whether torques hold the force, the second how much
/// one wrong torque is amplified.
/// \throws OptionsError with the nearest name
PoseLimits pose_limits(const Robot& robot, std::string_view name);
inline constexpr const char* kPoseLimitNames[] = {"sd", "published"};

struct PoseAdviceOptions {
  double keep_hand = 0.0;
  double scan_step = 0.05;
  double final_step = 0.005;
  int directions = 128;
  int starts = 6;
  VectorX weights{};  ///< of each motor's move in the distance [1/rad²]; empty: all 1

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"keep_hand", "m", "distance that an endpoint may move, in base axes; 0: any", "the user's task"},
          self.keep_hand);
    visit(OptionInfo{"scan_step", "rad", "step of the scan along a joint or a direction: narrower openings are missed",
                     "the H1-2's gain changes by up to a factor of 1.5 over it"},
          self.scan_step);
    visit(OptionInfo{"final_step", "rad", "step at which the local search stops", "a servo's steady error"},
          self.final_step);
    visit(
        OptionInfo{"directions", "1", "directions of the coarse search", "8 joints: more change no answer on the H1-2"},
        self.directions);
    visit(OptionInfo{"starts", "1", "best coarse answers that are refined", "the same"}, self.starts);
  }
};

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
struct LoneMove {
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
  std::vector<LoneMove> alone;           ///< of every joint that may move, in motor order
  int evaluations = 0;
};

/// Finds the nearest pose within the joints' limits that satisfies \p limits at every endpoint.
///
/// Each joint alone is scanned outwards both ways and its first openings bisected to 1e-7 rad. All joints together:
/// rays in evenly spread directions from the present pose, the nearest hits among them and the lone answers refined by
/// a compass search on the border of the permitted set. No derivatives (the worst direction changes abruptly), no
/// random numbers: equal input gives equal advice. It is the nearest found, a local optimum: nobody promises that there
/// is none nearer. Joints that share no endpoint are searched apart.
/// \param joints  that may move; empty: those of each endpoint's group (without one, all that support it)
/// Set-up code: allocates, some 10⁴ evaluations. \throws OptionsError, ModelError with the nearest name
PoseAdvice advise(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                  const PoseLimits& limits, const std::vector<std::string>& joints = {},
                  const PoseAdviceOptions& options = {});

}  // namespace antaeus
