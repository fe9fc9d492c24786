// The solver as built for the instruction set portable; CMakeLists.txt gives this file its flags.
#define ANTAEUS_LANES portable
#include "ik/reach_build_source.hpp"

namespace antaeus::detail {

const ReachBuild& reach_build_portable() { return lanes::portable::this_build(); }

}  // namespace antaeus::detail
