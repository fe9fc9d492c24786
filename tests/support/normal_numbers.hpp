#pragma once
/// \file
/// The normal numbers that stated rates of alarms were judged with: xoshiro256++ (Blackman & Vigna, ACM TOMS 47, 2021)
/// and Box–Muller. Kept beside core/random.hpp so that those proofs see the numbers that they always saw.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/random.hpp"

namespace antaeus::test {

/// \realtime (alarm_rate_test)
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) noexcept {
    // As the generator's authors ask: near seeds give unrelated states, none of them zero.
    detail::SplitMix64 words(seed);
    for (std::uint64_t& word : state_) word = words();
  }
  double normal() noexcept {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    // 53 bits, in (0, 1]: the logarithm is finite. The largest number is 8.6; alarms of interest lie at 4 to 6.
    const double u = static_cast<double>((bits() >> 11U) + 1) * 0x1p-53;
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(bits() >> 11U) * 0x1p-53;
    const double radius = std::sqrt(-2.0 * std::log(u));
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  std::uint64_t bits() noexcept {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace antaeus::test
