#pragma once
/// \file
/// What the bindings of controllers share.

#include <nanobind/stl/optional.h>

#include <optional>
#include <string>

#include "convert.hpp"

namespace antaeus::python {

using Array = std::optional<ArrayArgument>;

/// Empty where nothing is given; the controllers answer a wrong size themselves.
inline VectorX numbers(const Array& argument, const char* place, const char* name) {
  return argument ? VectorX(as_vector(*argument, place, name)) : VectorX();
}
inline Vector6 six(const Array& argument, const char* place, const char* name) {
  return argument ? Vector6(as_vector(*argument, place, name, 6)) : Vector6(Vector6::Zero());
}

/// As options_from, but by the controller's name: its table has no group of its own.
template <class Options>
Options control_options(const char* place, const nb::kwargs& keywords, Options options = {}) {
  for (const auto& [key, value] : keywords) {
    const std::string name = nb::cast<std::string>(key);
    set_option(options, place, name, option_text(std::string(place) + "." + name, value));
  }
  return options;
}

}  // namespace antaeus::python
