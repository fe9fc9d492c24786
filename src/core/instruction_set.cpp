#include "antaeus/core/instruction_set.hpp"

#include <cstdlib>

#include "antaeus/core/error.hpp"

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

void require_instruction_set(InstructionSet set, const std::string& place) {
  if (set <= instruction_set()) return;
  throw OptionsError(place, "this machine has no " + std::string(to_string(set)),
                     "the largest set that it has is " + std::string(to_string(instruction_set())));
}

InstructionSet wanted_instruction_set() {
  const char* const named = std::getenv("ANTAEUS_INSTRUCTION_SET");
  if (!named || !*named) return instruction_set();
  const std::string place = "ANTAEUS_INSTRUCTION_SET";
  const auto set = parse_enum<InstructionSet>(named, place, "instruction set");
  require_instruction_set(set, place);
  return set;
}

}  // namespace antaeus
