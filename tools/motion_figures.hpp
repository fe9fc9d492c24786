#pragma once
// The figures of docs/concepts/contact.md, docs/concepts/ik.md, docs/concepts/control.md and docs/concepts/space.md,
// each run here on a robot of our own.
#include <vector>

#include "antaeus/draw/figure.hpp"

namespace antaeus {

/// `feet-of-a-step`, `out-of-reach`, `push-and-give`, `arm-stops-tumbling`.
std::vector<NamedFigure> motion_figures();

}  // namespace antaeus
