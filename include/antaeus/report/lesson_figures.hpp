#pragma once
/// \file
/// Figures that teach what a pose does to torques: the planar arm, the kinematic junction, sweeps, singular values.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/pose/sweep.hpp"

namespace antaeus {

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
