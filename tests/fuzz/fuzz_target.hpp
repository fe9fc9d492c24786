#pragma once
/// \file
/// What a fuzzer of this folder provides. The entry point is libFuzzer's, so that the targets run under it unchanged.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace antaeus::fuzz {

/// Valid inputs and near misses, from which the mutations start.
std::vector<std::string> seeds();

/// How many inputs were read as what they are. A fuzzer none of whose seeds is read looks at refusals alone.
inline unsigned long long accepted = 0;
inline void accept() { ++accepted; }

/// A law that must hold for every input: breaking it ends the run as a crash does.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace antaeus::fuzz
