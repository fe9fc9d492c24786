#pragma once
/// \file
/// The static figures of an audit. Everything is read from the audit's structs, and nothing is computed again.

#include <vector>

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/draw/figure.hpp"

namespace antaeus {

/// All figures that make sense for this audit, in the order of a reader's questions. A robot without feet or without a
/// reference joint, or an audit without baselines, gets fewer. NaN steps leave gaps in the lines.
ANTAEUS_API std::vector<NamedFigure> audit_figures(const Audit& audit);

}  // namespace antaeus
