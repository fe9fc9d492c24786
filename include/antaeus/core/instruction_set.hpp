#pragma once
/// \file
/// Which vector instructions this machine has. The batched solvers are compiled once for each set, from one source and
/// without fused operations, and chosen here at run time: every set gives the same bits.

#include <cstdint>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"

namespace antaeus {

/// In ascending order. `portable` is what every 64-bit processor of its family has (SSE2, NEON).
enum class InstructionSet : std::uint8_t { portable, avx2, avx512 };
constexpr auto enum_names(InstructionSet) noexcept { return name_list<InstructionSet>("portable", "avx2", "avx512"); }

/// The largest set that this machine and this build have. \realtime (detected once, at load)
ANTAEUS_API InstructionSet instruction_set() noexcept;

/// The set that ANTAEUS_INSTRUCTION_SET names in the environment, else the largest.
/// \throws OptionsError for a name that is none, and for a set that this machine does not have
ANTAEUS_API InstructionSet wanted_instruction_set();
/// \throws OptionsError at \p place for a set that this machine does not have
ANTAEUS_API void require_instruction_set(InstructionSet set, const std::string& place);

}  // namespace antaeus
