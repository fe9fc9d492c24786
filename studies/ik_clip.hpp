#pragma once
/// \file
/// A video of inverse kinematics.

#include "antaeus/ik/ik_trace.hpp"
#include "studies/clip.hpp"

namespace antaeus {

/// The answers one after another; with a trace every iteration of each method, target by target. An arrow leads from
/// the frame to the target. Drawn by MuJoCo from the description's boxes, cylinders and spheres: no meshes.
/// \param settings  group "clip" \throws as `check_clip`, and Error where there is nothing to show
ANTAEUS_API Clip ik_clip(const IkResult& result, const IkTrace* trace, const Settings& settings,
                         const Progress& progress = nullptr);

}  // namespace antaeus
