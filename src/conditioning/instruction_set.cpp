#include "antaeus/conditioning/instruction_set.hpp"

namespace antaeus {

namespace {

InstructionSet detect() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2")) return InstructionSet::avx2;
#endif
  return InstructionSet::portable;
}

}  // namespace

InstructionSet instruction_set() noexcept {
  static const InstructionSet set = detect();
  return set;
}

}  // namespace antaeus
