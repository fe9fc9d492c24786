#pragma once
#include <vector>

#include "convert.hpp"

namespace antaeus::python {

/// Targets of an array whose first `outer` dimensions count them. \throws StatusError for another shape
std::vector<Pose> read_targets(const ArrayArgument& targets, std::size_t outer, bool position_only, const char* place);

/// A list of targets as `antaeus ik` answers it: ik_run.cpp.
void bind_ik_run(nb::module_& module);

}  // namespace antaeus::python
