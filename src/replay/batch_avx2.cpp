// The batched kernel as built for the instruction set avx2; CMakeLists.txt gives this file its flags.
#define ANTAEUS_LANES avx2
#include "replay/batch_kernel.hpp"

namespace antaeus::detail {

const BatchBuild& batch_build_avx2() {
  static const BatchBuild build = lanes::avx2::batch_build<lanes::avx2::BatchWidest>();
  return build;
}

}  // namespace antaeus::detail
