#pragma once
// What units that are taken for others are apart, and what clean robots have. Private to src/check.

namespace antaeus::detail {

inline constexpr double kDegreesPerRadian = 57.29577951308232;
inline constexpr double kStandardGravity = 9.80665;  ///< [m/s²] of one g
/// Log of a gain: what clean channels differ by, and below which one gain of all joints is no unit (a factor of 2.5).
inline constexpr double kCleanGain = 0.35, kOddGain = 0.92;
inline constexpr double kLargestMeasured = 1e12;  ///< larger numbers nothing has measured
inline constexpr double kIndependent = 0.25;      ///< [s] between samples whose errors are two, and not one seen twice

}  // namespace antaeus::detail
