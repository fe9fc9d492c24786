#pragma once
/// \file
/// Tolerances of tests/check alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// A channel scaled and scaled back: a few roundings of numbers up to 1e5 (counts of an encoder), back at 100.
inline constexpr Tolerance kMendedChannel{1e-11};
/// The same of clock stamps up to 20 s that counted nanoseconds.
inline constexpr Tolerance kMendedClock{1e-11};
/// [1] of a channel's largest number: a delay taken back is interpolated twice between samples 5 ms apart, of sines of
/// 4 rad/s: 2 × (0.005 s)²/8 × (4 rad/s)² = 1e-4, and the ends are held.
inline constexpr Tolerance kMendedDelay{1e-3};
/// [1] The same of torques whose dry friction of 1.5 N·m turns round within two samples, of up to 60 N·m: a
/// fiftieth of the largest.
inline constexpr Tolerance kMendedTorqueDelay{2e-2};
/// Torques of one model by two ways: a hundred roundings of numbers up to 100 N·m.
inline constexpr Tolerance kModelTorque{1e-10};
/// [N·m] Friction of 1.5 N·m that is fitted to torques whose accelerations are central differences of velocities at
/// 5 ms: (0.005 s)²/6 × 64 rad/s³ × 0.4 rad of 5 kg m², and the rotor's term takes part of it.
inline constexpr Tolerance kFittedFriction{5e-2};

/// [s] Stamps of eleven minutes in steps of 5 ms: a few roundings of numbers up to 700 s.
inline constexpr Tolerance kOfAClock{1e-11};

}  // namespace antaeus::tolerance
