#pragma once
// What units that are taken for others are apart. Private to src/check.

namespace antaeus::detail {

inline constexpr double kDegreesPerRadian = 57.29577951308232;
inline constexpr double kStandardGravity = 9.80665;  ///< [m/s²] of one g

}  // namespace antaeus::detail
