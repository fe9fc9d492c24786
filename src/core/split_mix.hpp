#pragma once
// Random numbers that are the same on every platform, for set-up code that draws few of them.
#include <cstdint>

namespace antaeus::detail {

/// A number in [0, 1) from a state that it moves on: SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom
/// number generators", 2014).
inline double split_mix(std::uint64_t& state) noexcept {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

}  // namespace antaeus::detail
