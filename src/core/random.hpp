#pragma once
// The one source of random numbers: from a seed, and the same on every platform that rounds log, sqrt and cos alike.
// The standard fixes what its engines give, but not what its distributions make of them.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace antaeus::detail {

/// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014): an engine whose state is
/// one word, for whoever draws a few numbers from a seed that a user gave.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t operator()() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

/// Uniform and normal numbers. \realtime (alarm_rate_test)
template <class Engine = std::mt19937_64>
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : engine_(seed) {}

  /// In [0, 1), of 53 bits.
  double uniform() noexcept { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  /// Standard normal, by Box and Muller's transform: two at a time. The largest is 8.6.
  double normal() noexcept {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform())), angle = 2.0 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }
  /// Normal of this sd, by the transform's cosine alone, of numbers in the middle of their 53 bits: the stream of the
  /// recorded twins, to the bit.
  double single_normal(double sd) noexcept {
    const double radius = std::sqrt(-2.0 * std::log(uniform() + 0x1p-54));
    return sd * radius * std::cos(2.0 * std::numbers::pi * (uniform() + 0x1p-54));
  }

 private:
  Engine engine_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace antaeus::detail
