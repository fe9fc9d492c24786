#pragma once
// The figures of docs/contact.md, docs/ik.md, docs/control.md and docs/space.md, each run here on a robot of our own.
#include <vector>

#include "antaeus/draw/figure.hpp"

namespace antaeus {

/// `feet-of-a-step`, `out-of-reach`, `push-and-give`, `arm-stops-tumbling`.
std::vector<NamedFigure> motion_figures();

}  // namespace antaeus
