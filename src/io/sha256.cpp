#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "antaeus/io/files.hpp"
#include "io/sha256_portable.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kBlock = 64;

/// Fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

/// One step of the hash computation (FIPS 180-4, 6.2.2).
void digest_block(State& state, const char* block) {
  std::array<std::uint32_t, 64> schedule;
  for (std::size_t t = 0; t < 16; ++t) {
    schedule[t] = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      schedule[t] = (schedule[t] << 8) | static_cast<unsigned char>(block[4 * t + i]);
    }
  }
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t early = schedule[t - 15];
    const std::uint32_t late = schedule[t - 2];
    schedule[t] = schedule[t - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ (early >> 3)) + schedule[t - 7] +
                  (std::rotr(late, 17) ^ std::rotr(late, 19) ^ (late >> 10));
  }
  State s = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const std::uint32_t first = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) + choice +
                                kRoundConstants[t] + schedule[t];
    const std::uint32_t second = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
    s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

void digest_portable(State& state, const char* blocks, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) digest_block(state, blocks + i * kBlock);
}

#if defined(__x86_64__)
bool has_sha_instructions() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/// The same by the processor's own instructions, four rounds at a time. They hold a b e f and c d g h together, and
/// extend the schedule by four words from the sixteen before (Intel SDM, SHA256RNDS2, SHA256MSG1, SHA256MSG2).
__attribute__((target("sha,sse4.1,ssse3"))) void digest_x86(State& state, const char* blocks, std::size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data()));       // d c b a
  __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data() + 4));  // h g f e
  low = _mm_shuffle_epi32(low, 0xB1);
  high = _mm_shuffle_epi32(high, 0x1B);
  __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xF0);
  for (std::size_t i = 0; i < count; ++i, blocks += kBlock) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];
#pragma GCC unroll 16
    for (int k = 0; k < 16; ++k) {
      __m128i& next = words[k % 4];  // until now the words of sixteen rounds before
      if (k < 4) {
        next = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks + 16 * k)), big_endian);
      } else {
        const __m128i last = words[(k + 3) % 4], before = words[(k + 2) % 4];
        next = _mm_add_epi32(_mm_sha256msg1_epu32(next, words[(k + 1) % 4]), _mm_alignr_epi8(last, before, 4));
        next = _mm_sha256msg2_epu32(next, last);
      }
      const __m128i constants = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRoundConstants.data() + 4 * k));
      const __m128i sum = _mm_add_epi32(next, constants);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  low = _mm_shuffle_epi32(abef, 0x1B);
  high = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(low, high, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(high, low, 8));
}
#endif

auto fastest_digest() noexcept -> void (*)(State&, const char*, std::size_t) {
#if defined(__x86_64__)
  if (has_sha_instructions()) return digest_x86;
#endif
  return digest_portable;
}

}  // namespace

// Fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3).
Sha256::Sha256(Digest digest) noexcept
    : digest_(digest),
      state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

Sha256::Sha256() noexcept
    : Sha256([] {
        static const Digest digest = fastest_digest();
        return digest;
      }()) {}

void Sha256::add(std::string_view bytes) {
  count_ += bytes.size();
  if (!tail_.empty()) {
    const std::size_t missing = std::min(kBlock - tail_.size(), bytes.size());
    tail_ += bytes.substr(0, missing);
    bytes.remove_prefix(missing);
    if (tail_.size() < kBlock) return;
    digest_(state_, tail_.data(), 1);
    tail_.clear();
  }
  const std::size_t whole = bytes.size() / kBlock;
  digest_(state_, bytes.data(), whole);  // NOLINT(bugprone-suspicious-stringview-data-usage): whole blocks of it
  tail_ = bytes.substr(whole * kBlock);
}

std::string Sha256::digits() {
  const std::uint64_t bits = count_ * 8;
  tail_ += '\x80';
  while (tail_.size() % kBlock != kBlock - 8) tail_ += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail_ += static_cast<char>((bits >> shift) & 0xFF);
  digest_(state_, tail_.data(), tail_.size() / kBlock);

  constexpr char kHex[] = "0123456789abcdef";
  std::string digits;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) digits += kHex[(word >> shift) & 15U];
  }
  return digits;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

std::string detail::sha256_portable(std::string_view bytes) {
  Sha256 hash(digest_portable);
  hash.add(bytes);
  return hash.digits();
}

}  // namespace antaeus
