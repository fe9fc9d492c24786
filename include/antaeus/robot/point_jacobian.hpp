#pragma once
/// \file
/// The Jacobian of any point on any body: what MuJoCo's mj_jac gives.

#include <cstdint>
#include <string_view>

#include "antaeus/core/api.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

/// Origin and axes in which a point is given: the world's, as mj_jac has it, or those of the frame that carries it.
enum class PointIn : std::uint8_t { world, frame };

/// J_WP_W [6 × nv]: velocity of a point P fixed in a frame F, and F's angular velocity, in world axes, linear rows
/// first [m, rad per unit of v]. Columns that do not move F are exactly zero.
/// \param point  P in the world or in F, as \p given says [m]
/// \return as PositionTerms::frame_jacobian; `not_finite` for a point that is not. On any but `ok` J is NaN. \realtime
///         (dynamics_realtime_test)
ANTAEUS_API Status point_jacobian(const PositionTerms& terms, FrameId frame, const Vector3& point, PointIn given,
                                  Matrix6XRef J_WP_W) noexcept;

/// The same at q [nq], for set-up code: allocates. \throws ModelError for a frame that does not exist (with the
/// nearest), OptionsError for a q or point of another size or not finite
ANTAEUS_API Matrix6X point_jacobian(const RobotModel& model, ConstVectorRef q, std::string_view frame,
                                    const Vector3& point, PointIn given);

}  // namespace antaeus
