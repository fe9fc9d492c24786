#pragma once
/// How often the controllers are asked.

namespace antaeus::test {

inline constexpr double kControlStep = 1e-3;  ///< [s]

}  // namespace antaeus::test
