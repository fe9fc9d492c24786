#pragma once
/// \file
/// What a contact can exert, as a robot's profile states it: one struct for checks and for limits.

#include <Eigen/Core>
#include <vector>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

/// Of one endpoint; what is not stated is NaN, or an empty polygon.
struct ContactSurface {
  double friction = kNaN;   ///< μ [1]: tangential force per normal force
  double torsion = kNaN;    ///< [m]: moment about the normal per normal force
  double force_cap = kNaN;  ///< largest normal force [N]
  /// Corners of the sole, x and y in the endpoint's frame [m]: convex, counter-clockwise seen from +z.
  std::vector<Eigen::Vector2d> sole;
  double sole_depth = 0.0;  ///< from the frame's origin down to the sole, along the frame's −z [m]

  /// Middle and half sizes of the smallest rectangle along the frame's axes that holds the sole.
  Eigen::Vector2d middle() const noexcept {
    return sole.empty() ? Eigen::Vector2d(0.0, 0.0) : Eigen::Vector2d((low() + high()) / 2.0);
  }
  Eigen::Vector2d half_size() const noexcept {
    return sole.empty() ? Eigen::Vector2d(0.0, 0.0) : Eigen::Vector2d((high() - low()) / 2.0);
  }
  bool has_sole() const noexcept { return !sole.empty(); }

 private:
  Eigen::Vector2d low() const noexcept {
    Eigen::Vector2d corner = sole.front();
    for (const Eigen::Vector2d& p : sole) corner = corner.cwiseMin(p);
    return corner;
  }
  Eigen::Vector2d high() const noexcept {
    Eigen::Vector2d corner = sole.front();
    for (const Eigen::Vector2d& p : sole) corner = corner.cwiseMax(p);
    return corner;
  }
};

}  // namespace antaeus
