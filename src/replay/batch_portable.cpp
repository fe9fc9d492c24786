// The batched kernel as built for the instruction set portable; CMakeLists.txt gives this file its flags.
#define ANTAEUS_LANES portable
#include "replay/batch_kernel.hpp"

namespace antaeus::detail {

const BatchBuild& batch_build_portable() {
  static const BatchBuild build = lanes::portable::batch_build<lanes::portable::BatchWidest>();
  return build;
}

const BatchBuild& batch_build_single() {
  static const BatchBuild build = lanes::portable::batch_build<double>();
  return build;
}

}  // namespace antaeus::detail
