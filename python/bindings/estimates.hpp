#pragma once
/// \file
/// What the bindings of estimators share.

#include <string>
#include <vector>

#include "antaeus/estimation/wrench_estimate.hpp"
#include "convert.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::ResidualKind> : EnumerationCaster<antaeus::ResidualKind, "antaeus.ResidualKind"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

/// Names of the reasons whose bits are set.
inline std::vector<std::string> reason_names(std::uint32_t reasons) {
  std::vector<std::string> names;
  for (int bit = 0; bit < kReasonCount; ++bit) {
    if (reasons & (1u << bit)) names.emplace_back(to_string(static_cast<Reason>(1u << bit)));
  }
  return names;
}

}  // namespace antaeus::python
