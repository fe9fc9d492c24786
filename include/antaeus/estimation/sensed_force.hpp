#pragma once
/// \file
/// Which directions of a force a limb's torques can show at all, whatever its pose: a fact of its build.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

/// What the torques of some motors show of a force at a frame, in the best of many poses over the joints' ranges. A
/// singular pose takes directions away that other poses show: those are not meant here.
struct ANTAEUS_API SensedForce {
  int insensible = 0;  ///< directions that no pose shows, 0 … 3
  int fixed = 0;       ///< how many of them are the same in all poses; the others turn with the pose
  /// Columns, unit length, axes of the base: the first `fixed` are those.
  Matrix3 directions = Matrix3::Identity();

  /// How many directions a verdict leaves out. A limb that senses no force at all is excused of nothing.
  int excused() const noexcept { return insensible < 3 ? insensible : 0; }
  /// Share of \p direction (base axes, unit length) that lies in the fixed ones, squared: 1 is never sensed.
  double never(const Vector3& direction) const noexcept;
  /// For people: "senses x and z of the base; y not, by its build". Empty where every direction is sensed.
  std::string text() const;
};
constexpr void visit_fields(const SensedForce*, auto&& visit) {
  using S = SensedForce;
  visit(field("insensible", "", "directions of a force that the limb shows in no pose, 0 … 3", &S::insensible));
  visit(field("fixed", "", "how many of them are the same in all poses; the others turn with the pose", &S::fixed));
  visit(field("directions", "1", "[3 × 3] columns of unit length, base axes: the first `fixed` are those",
              &S::directions));
}

/// Set-up code. \param rows  motors whose torques are read \throws nothing for motors that do not move the frame
ANTAEUS_API SensedForce sensed_force(const RobotModel& model, FrameId frame, const std::vector<int>& rows);

}  // namespace antaeus
