#include "antaeus/signal/coloured_noise.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace antaeus {

MatrixX ColouredNoise::covariance() const {
  MatrixX result = offset_factor * offset_factor.transpose();
  result.diagonal() += slow_sd.cwiseAbs2() + white_sd.cwiseAbs2();
  return result;
}

NormalNumbers::NormalNumbers(std::uint64_t seed) noexcept {
  // SplitMix64, as the generator's authors ask: near seeds give unrelated states, none of them zero.
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15U;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    word = z ^ (z >> 31U);
  }
}

std::uint64_t NormalNumbers::bits() noexcept {
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

double NormalNumbers::operator()() noexcept {
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

}  // namespace antaeus
