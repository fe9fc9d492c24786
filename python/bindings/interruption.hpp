#pragma once
// Ctrl-C during work that does not hold the interpreter's lock.

#include "antaeus/core/progress.hpp"
#include "antaeus/core/types.hpp"
#include "convert.hpp"

namespace antaeus::python {

/// Ends the work that it is told of, with the exception that the signal became.
inline Progress until_interrupted() {
  return [](double) {
    const Locked locked;
    int raised = 0;
    hold_when_ended([&] { raised = PyErr_CheckSignals(); });
    if (raised != 0) throw nb::python_error();
  };
}

}  // namespace antaeus::python
