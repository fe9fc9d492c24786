#pragma once
/// \file
/// Maps of poses as SVG: numbers over two joints, or over a list of poses.
///
/// Like every figure one SVG serves light, dark and print, and equal input gives equal bytes. Set-up code: allocates.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/pose/pose_map.hpp"

namespace antaeus {

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
