#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace antaeus::detail {

struct ChildLimits {
  std::uint64_t memory = 0;  ///< bytes beyond those of this process
  unsigned seconds = 0;      ///< of CPU time
};

/// Bytes that a child process returned, or the reason why there are none.
struct ChildResult {
  std::string bytes;
  std::string error;    ///< what() of an exception
  std::string failure;  ///< "crashes MuJoCo (Segmentation fault)", "needs more than 30 s of CPU time"
};

/// Runs \p work in a copy of this process, so that neither its crash nor its hunger harms this one.
/// \param work  returns the bytes
/// \throws Error where no process can be started
ChildResult run_in_child(const ChildLimits& limits, const std::function<std::string()>& work);

}  // namespace antaeus::detail
