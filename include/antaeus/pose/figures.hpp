#pragma once
/// \file
/// Figures of a pose as SVG: the planar arm, the kinematic junction, sweeps, singular values, maps and lists of poses.
/// Nothing is computed again; equal input gives equal bytes. Set-up code: allocates.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/draw/figure.hpp"

namespace antaeus {

struct JointSweep;
struct JunctionLesson;
struct MappedQuantity;
struct PlanarLesson;
struct PoseList;
struct PoseMap;
struct PoseSpectrum;

/// The planar arm bent and stretched with what a torque reads as, and the force over its second joint.
ANTAEUS_API NamedFigure planar_figure(const PlanarLesson& lesson);
/// The reference joint between legs and arms, from the side and from the front, with the lever arm to the endpoint.
/// The lesson holds one pose or more.
ANTAEUS_API NamedFigure junction_figure(const JunctionLesson& lesson);
/// Gain, κ and the endpoint's height over each swept joint. \param gain_limit drawn when finite [N/(N·m)]
ANTAEUS_API NamedFigure sweep_figure(const std::vector<JointSweep>& sweeps, double gain_limit);
/// Singular values, and the gain, pose by pose. \param gain_limit as above
ANTAEUS_API NamedFigure spectrum_figure(const std::vector<PoseSpectrum>& spectra, double gain_limit);
/// The four above as the documentation shows them, where they have content.
ANTAEUS_API std::vector<NamedFigure> teaching_figures(const PlanarLesson& planar, const JunctionLesson& junction,
                                                      const std::vector<PoseSpectrum>& spectra,
                                                      const std::vector<JointSweep>& sweeps, double gain_limit);

/// Filled contours of each quantity over the two joints, a row of panels for each endpoint.
///
/// How they look: draw_contour_map. Named poses are marked, hollow where a joint that is not drawn stands elsewhere.
/// \param id  of the figure, [a-z0-9-]
/// \throws Error for an id of other characters, or without quantities
ANTAEUS_API std::string draw_pose_map(const PoseMap& map, const std::vector<MappedQuantity>& quantities,
                                      const std::string& id);
/// The same quantities over a list of poses: points on a logarithmic axis, one panel a quantity, the limit as a line.
/// Up to 24 poses are named at the axis, more are numbered.
ANTAEUS_API Figure pose_list_figure(const PoseList& list, const std::vector<MappedQuantity>& quantities,
                                    const std::string& id);

}  // namespace antaeus
