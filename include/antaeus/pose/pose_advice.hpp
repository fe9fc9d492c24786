#pragma once
/// \file
/// Pose advice: the nearest pose in which force estimates meet stated limits.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/pose/pose_quality.hpp"

namespace antaeus {

/// One condition, value < limit, that every endpoint must meet but those that cannot in any pose.
struct ANTAEUS_API PoseLimit {
  PoseQuantity quantity = PoseQuantity::sd;
  double limit = 0.0;
  std::vector<std::string> left_out{};  ///< endpoints of which it is not asked

  bool is_asked_of(const std::string& endpoint) const;
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
  std::vector<Note> notes{};  ///< what is left out and why, for people
};
/// \param endpoints  whose forces the limit on the sd fits; empty: the profile's. Of one whose joints' torques can tell
/// no whole force in any pose the sd is not asked, and `sd` asks for error_force in its place: what torque errors of
/// one sd read as in the directions that they can tell, below the preflight's limit
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
  double from = 0.0, to = 0.0;
};
constexpr void visit_fields(const JointMove*, auto&& visit) {
  using J = JointMove;
  visit(field("joint", "", "that moves", &J::joint));
  visit(field("start", "rad", "where it is, m for slides: C++ `from`, which is a Python keyword", &J::from)
            .as("from_rad"));
  visit(field("to", "rad", "where it goes, m for slides", &J::to));
}

/// Positions of one joint that satisfy the limits: from `to`, the nearest, through `until`.
struct Opening {
  bool found = false;
  double to = 0.0, until = 0.0;

  std::optional<std::pair<double, double>> ends() const noexcept {
    return found ? std::optional(std::pair(to, until)) : std::nullopt;
  }
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
constexpr void visit_fields(const SingleJointMove*, auto&& visit) {
  using S = SingleJointMove;
  visit(field("joint", "", "moved alone, all others held", &S::joint));
  visit(field("start", "rad", "where it is: C++ `from`", &S::from));
  visit(field("below", "rad", "nearest sufficient position downwards and how far the opening reaches, or None",
              [](const S& s) { return s.below.ends(); }));
  visit(field("above", "rad", "the same upwards", [](const S& s) { return s.above.ends(); }));
}

/// The nearest pose found (a local optimum) that satisfies the limits.
struct PoseAdvice {
  PoseLimits limits;
  bool satisfied = false, found = false;
  VectorX q;
  double distance = 0.0;
  std::vector<JointMove> moves;
  std::vector<PoseConditioning> before, after;
  std::vector<double> hand_shift;  ///< of each endpoint between the two [m]
  std::vector<SingleJointMove> alone;
  int evaluations = 0;
};
constexpr void visit_fields(const PoseAdvice*, auto&& visit) {
  using P = PoseAdvice;
  visit(field("satisfied", "", "by the present pose already: nothing moves", &P::satisfied));
  visit(field("found", "", "also when satisfied", &P::found));
  visit(field("q", "rad", "[motors] the pose advised; the present one unless found", &P::q));
  visit(field("distance", "rad", "weighted norm of the move", &P::distance));
  visit(field("moves", "", "joints that move, largest move first", &P::moves));
  visit(field("before", "", "one an endpoint", &P::before));
  visit(field("after", "", "the same in the pose advised; as before unless found", &P::after));
  visit(field("alone", "", "every joint that may move, by itself, in motor order", &P::alone));
  visit(field("notes", "", "positions outside limits; limits that no pose can pass, which are left out, and why",
              [](const P& p) { return p.limits.notes; })
            .only(FieldUse::python_only));
}

/// Finds the nearest pose within the joints' limits that satisfies \p limits at every endpoint.
///
/// Each joint alone is scanned outwards both ways and its first openings bisected to 1e-7 rad. All joints together:
/// rays run in evenly spread directions from the present pose. Their nearest hits, and the answers of single joints,
/// are refined by a compass search on the border of the permitted set, along joints and pairs of them (of more than 28
/// joints, pairs near each other in the chain). It uses no derivatives (the worst direction
/// changes abruptly) and no random numbers: equal input gives equal advice. The result is a local optimum: a nearer
/// pose may exist. Joints that share no endpoint are searched separately. Where nothing is found, poses over the whole
/// range of the limb's joints are tried for each limit by itself. One that none of them passes is noted. Of the sets sd
/// and published it is left out, or where it is an endpoint's only one, replaced by what is a quarter above the least
/// that was found; the search then starts again.
/// \param joints  that may move; empty: those of each endpoint's group (without one, all that support it)
/// Set-up code: allocates, some 10⁴ evaluations. \throws OptionsError, ModelError with the nearest name
ANTAEUS_API PoseAdvice advise(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                              const PoseLimits& limits, const std::vector<std::string>& joints = {},
                              const PoseAdviceOptions& options = {});

}  // namespace antaeus
