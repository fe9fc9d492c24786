#pragma once
/// \file
/// How far along a line a tool shall be, over time: from rest to rest.

#include <cstdint>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"

namespace antaeus {

enum class ProfileShape : std::uint8_t {
  trapezoid,     ///< constant acceleration, constant speed, constant deceleration: least speed for a length and time
  minimum_jerk,  ///< 10 s³ − 15 s⁴ + 6 s⁵ (Flash and Hogan 1985): its greatest speed is 1.875 times the mean
};
constexpr auto enum_names(ProfileShape) noexcept { return name_list<ProfileShape>("trapezoid", "minimum_jerk"); }

struct LinePoint {
  double distance = 0.0, speed = 0.0, acceleration = 0.0;
};
constexpr void visit_fields(const LinePoint*, auto&& visit) {
  using P = LinePoint;
  visit(field("distance", "m", "from the start", &P::distance));
  visit(field("speed", "m/s", "", &P::speed));
  visit(field("acceleration", "m/s²", "", &P::acceleration));
}

struct LineProfile {
  double length = 0.0;    ///< [m]
  double duration = 1.0;  ///< [s], > 0
  ProfileShape shape = ProfileShape::trapezoid;
  double ramp = 0.25;  ///< share of the duration that each ramp of a trapezoid takes, 0 < ramp ≤ 0.5

  /// At a time since the start [s]; before it the beginning, after it the end. NaN gives NaN. \realtime
  ANTAEUS_API LinePoint at(double time) const noexcept;
};

}  // namespace antaeus
