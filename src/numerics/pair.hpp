#pragma once
/// \file
/// Two doubles that one instruction of every x86-64 and ARM64 processor handles: sums over rows, two at a time.

namespace antaeus::detail {

using Pair = double __attribute__((vector_size(16)));

inline Pair load(const double* from) noexcept {
  Pair x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
inline void store(double* to, Pair x) noexcept { __builtin_memcpy(to, &x, sizeof x); }
inline Pair both(double x) noexcept { return Pair{x, x}; }
inline double sum(Pair x) noexcept { return x[0] + x[1]; }
inline Pair largest(Pair a, Pair b) noexcept { return a > b ? a : b; }
inline Pair smallest(Pair a, Pair b) noexcept { return a < b ? a : b; }
inline Pair magnitude(Pair x) noexcept { return largest(x, -x); }
inline double largest(Pair x) noexcept { return x[0] > x[1] ? x[0] : x[1]; }
inline double smallest(Pair x) noexcept { return x[0] < x[1] ? x[0] : x[1]; }

}  // namespace antaeus::detail
