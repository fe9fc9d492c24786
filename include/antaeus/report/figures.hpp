#pragma once
/// \file
/// Figures of results as SVG, on pages and in the documentation. Nothing is computed again. One SVG serves light, dark
/// and print, and equal input gives equal bytes. Set-up code: allocates.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/pose/figures.hpp"

namespace antaeus {

struct Audit;

/// What no panel of the audit's views shows, in the order of a reader's questions. A robot without feet or without a
/// reference joint, or an audit without baselines, gets fewer. NaN steps leave gaps in the lines.
ANTAEUS_API std::vector<NamedFigure> audit_figures(const Audit& audit);

}  // namespace antaeus
