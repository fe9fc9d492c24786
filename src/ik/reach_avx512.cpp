// The solver as built for the instruction set avx512; CMakeLists.txt gives this file its flags.
#define ANTAEUS_LANES avx512
#include "ik/reach_build_source.hpp"

namespace antaeus::detail {

const ReachBuild& reach_build_avx512() { return lanes::avx512::this_build(); }

}  // namespace antaeus::detail
