#pragma once
/// Tests that have a long form: `make soak` runs it, `make test` a sample. Soak is part of their names.

#include <cstdlib>

namespace antaeus::test {

inline bool is_soak() { return std::getenv("ANTAEUS_SOAK") != nullptr; }

/// The whole number under `make soak`, else the sample.
inline int in_soak(int whole, int sample) { return is_soak() ? whole : sample; }

}  // namespace antaeus::test
