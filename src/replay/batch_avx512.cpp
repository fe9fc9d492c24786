// The batched kernel as built for the instruction set avx512; CMakeLists.txt gives this file its flags.
#define ANTAEUS_LANES avx512
#include "replay/batch_kernel.hpp"

namespace antaeus::detail {

const BatchBuild& batch_build_avx512() {
  static const BatchBuild build = lanes::avx512::batch_build<lanes::avx512::BatchWidest>();
  return build;
}

}  // namespace antaeus::detail
