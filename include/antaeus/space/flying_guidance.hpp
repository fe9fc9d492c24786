#pragma once
/// \file
/// From a plan to the reference of an instant, in three stages, each a function of the ones before it: end-effector,
/// then base, then centre of mass. Velocities and accelerations are derived by the chain rule, not by differences.

#include <cstdint>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/space/flying_reference.hpp"

namespace antaeus {

/// A passage from 0 to 1 between two times with velocity and acceleration zero at both ends: the polynomial of
/// degree 5.
struct Passage {
  double begin = 0.0, end = 0.0;  ///< [s]; equal: at once, by a jump; an end before the beginning gives NaN
};
struct PassageValue {
  double s = 0.0, s_dot = 0.0, s_ddot = 0.0;  ///< [1], [1/s], [1/s²]
};
/// \realtime
ANTAEUS_API PassageValue passage_at(const Passage& passage, double time) noexcept;

enum class EndEffectorGuidance : std::uint8_t {
  move,    ///< from `start` to `goal`: a straight line, and a turn about one axis, through one passage
  circle,  ///< around `center` about `axis` by `angle`, turning along: what E saw of the centre it goes on seeing
};
constexpr auto enum_names(EndEffectorGuidance) noexcept { return name_list<EndEffectorGuidance>("move", "circle"); }
struct EndEffectorPlan {
  EndEffectorGuidance kind = EndEffectorGuidance::move;
  Passage passage = {};
  Pose start = {}, goal = {};       ///< X_WE; `move` to an equal goal holds
  Vector3 center{0, 0, 0};          ///< circle: [m]
  Vector3 axis = Vector3::UnitZ();  ///< circle: any length but zero
  double angle = 0.0;               ///< circle [rad]
};

enum class BaseGuidance : std::uint8_t {
  move,  ///< from `start` to `goal` about one axis through the plan's own passage
  face,  ///< turned along with the direction from `pivot` to the end-effector, by the shortest way from `start`
};
constexpr auto enum_names(BaseGuidance) noexcept { return name_list<BaseGuidance>("move", "face"); }
struct BasePlan {
  BaseGuidance kind = BaseGuidance::move;
  Passage passage = {};
  Matrix3 start = Matrix3::Identity(), goal = Matrix3::Identity();  ///< R_WB
  Vector3 pivot{0, 0, 0};                                           ///< face: fixed place in the world [m]
  Vector3 direction = Vector3::UnitX();  ///< face: from the pivot to the end-effector while the base is at `start`
                                         ///< any length but zero
};

enum class ComGuidance : std::uint8_t {
  move,   ///< from `start` to `goal` along a line through the plan's own passage
  carry,  ///< such that the end-effector stays where it was seen from the centre of mass in base axes: the arm keeps
          ///< its pose while all else moves
};
constexpr auto enum_names(ComGuidance) noexcept { return name_list<ComGuidance>("move", "carry"); }
struct ComPlan {
  ComGuidance kind = ComGuidance::move;
  Passage passage = {};
  Vector3 start{0, 0, 0}, goal{0, 0, 0};  ///< [m]
  Vector3 p_CE_B{0, 0, 0};                ///< carry: from C to E, in base axes [m]
};

struct FlyingPlan {
  EndEffectorPlan end_effector;
  BasePlan base;
  ComPlan com;
};

/// End-effector, base, centre of mass, in this order. \realtime (flying_guidance_test), total: NaN among the fields
/// that a stage's kind reads gives NaN in all of this stage and of those after it. `face`: an end-effector within 1e-9
/// m of the pivot, or opposite to `direction` of it within 1e-6 rad, leaves no shortest way and gives NaN.
ANTAEUS_API FlyingReference flying_reference(const FlyingPlan& plan, double time) noexcept;

}  // namespace antaeus
