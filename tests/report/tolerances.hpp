#pragma once
/// \file
/// Tolerances of tests/report alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Vertical force of a slowly swaying robot, relative: its centre of mass differenced twice over 0.02 s, of which h²/12
/// times the 4th derivative is left, 1e-5 m/s² of 9.81.
inline constexpr Tolerance kDifferencedForce{1e-5};
/// Centre of pressure beyond an edge [m]: a limit may be broken by 0.02 N at a lever of 0.1 m, 2e-3 N·m under 240 N.
inline constexpr Tolerance kBesideTheSole{1e-5};
/// A contour between points 2.9 px apart [px]: a cone's curvature at a radius of 60 px leaves 2.9²/8/60, coordinates
/// are written to 0.01.
inline constexpr Tolerance kContour{0.05};

}  // namespace antaeus::tolerance
