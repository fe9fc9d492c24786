// The solver as built for the instruction set avx2; CMakeLists.txt gives this file its flags.
#define ANTAEUS_LANES avx2
#include "ik/reach_build_source.hpp"

namespace antaeus::detail {

const ReachBuild& reach_build_avx2() { return lanes::avx2::this_build(); }

}  // namespace antaeus::detail
