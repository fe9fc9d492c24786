#pragma once
/// \file
/// The static figures of an audit. Everything is read from the audit's structs, and nothing is computed again.

#include <string>
#include <vector>

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/api.hpp"

namespace antaeus {

/// A figure as SVG text, ready to stand in a page (id is unique among the figures of one audit) or in a file.
struct NamedFigure {
  std::string id;       ///< "singular-values", …: [a-z0-9-]
  std::string title;    ///< plain text, not escaped
  std::string caption;  ///< plain text, not escaped; each number in it is one of the audit's
  std::string svg;      ///< one <svg> element without an XML declaration
};

/// All figures that make sense for this audit, in the order of a reader's questions. A robot without feet or without a
/// reference joint, or an audit without baselines, gets fewer. NaN steps leave gaps in the lines.
ANTAEUS_API std::vector<NamedFigure> audit_figures(const Audit& audit);

/// The planar arm bent and stretched with what a torque reads as, and the force over its second joint.
ANTAEUS_API NamedFigure planar_figure(const PlanarLesson& lesson);
/// The reference joint between legs and arms, from the side and from the front, with the lever arm to the endpoint.
/// The lesson holds one pose or more.
ANTAEUS_API NamedFigure junction_figure(const JunctionLesson& lesson);
/// Gain, κ and the endpoint's height over each swept joint. \param gain_limit drawn when finite [N/(N·m)]
ANTAEUS_API NamedFigure sweep_figure(const std::vector<JointSweep>& sweeps, double gain_limit);
/// Singular values, and the gain, pose beside pose. \param gain_limit as above
ANTAEUS_API NamedFigure spectrum_figure(const std::vector<PoseSpectrum>& spectra, double gain_limit);

/// The four above as the documentation shows them, where they have content.
ANTAEUS_API std::vector<NamedFigure> teaching_figures(const PlanarLesson& planar, const JunctionLesson& junction,
                                                      const std::vector<PoseSpectrum>& spectra,
                                                      const std::vector<JointSweep>& sweeps, double gain_limit);

}  // namespace antaeus
