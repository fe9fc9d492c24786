#pragma once
/// \file
/// All configurations of an arm of Universal Robots' kind that reach a pose, by trigonometry: axes 2, 3 and 4 parallel,
/// 5 across them, 6 across 5. Up to eight; independent of every iterative solver.

#include <cmath>
#include <vector>

#include "antaeus/core/pose.hpp"

namespace antaeus::test {

/// The published figures of the UR5e [m].
struct UrFigures {
  double d1 = 0.1625, a2 = -0.425, a3 = -0.3922, d4 = 0.1333, d5 = 0.0997, d6 = 0.0996;
};

/// Joint positions in (−π, π] for the flange at X (frame 6 of Denavit and Hartenberg in the base).
inline std::vector<VectorX> ur_configurations(const Pose& X, const UrFigures& f = {}) {
  std::vector<VectorX> found;
  const Matrix3& R = X.rotation;
  const Vector3& p = X.translation;
  const Vector3 wrist = p - f.d6 * R.col(2);  // origin of frame 5
  const double flat = std::hypot(wrist.x(), wrist.y());
  if (flat < std::abs(f.d4)) return found;
  for (const double shoulder : {1.0, -1.0}) {
    // The plane of joints 2 to 4 passes the wrist at a distance of d4.
    const double q1 = std::atan2(wrist.y(), wrist.x()) + shoulder * std::acos(f.d4 / flat) + M_PI_2;
    const double s1 = std::sin(q1), c1 = std::cos(q1);
    const double cosine5 = (p.x() * s1 - p.y() * c1 - f.d4) / f.d6;
    if (std::abs(cosine5) > 1.0) continue;
    for (const double flip : {1.0, -1.0}) {
      const double q5 = flip * std::acos(cosine5), s5 = std::sin(q5);
      if (std::abs(s5) < 1e-9) continue;
      const double q6 = std::atan2((-R(0, 1) * s1 + R(1, 1) * c1) / s5, (R(0, 0) * s1 - R(1, 0) * c1) / s5);
      // Frame 4 in frame 1, by taking off joints 5 and 6.
      const auto link = [](double q, double d, double a, double alpha) {
        Pose T;
        const double c = std::cos(q), s = std::sin(q), ca = std::cos(alpha), sa = std::sin(alpha);
        T.rotation << c, -s * ca, s * sa, s, c * ca, -c * sa, 0.0, sa, ca;
        T.translation << a * c, a * s, d;
        return T;
      };
      const Pose X14 = link(q1, f.d1, 0.0, M_PI_2).inverse() * X * link(q6, f.d6, 0.0, 0.0).inverse() *
                       link(q5, f.d5, 0.0, -M_PI_2).inverse();
      // X14 = link(q2, a2) link(q3, a3) link(q4, d4, π/2)
      const double x = X14.translation.x(), y = X14.translation.y();
      const double cosine3 = (x * x + y * y - f.a2 * f.a2 - f.a3 * f.a3) / (2.0 * f.a2 * f.a3);
      if (std::abs(cosine3) > 1.0) continue;
      for (const double elbow : {1.0, -1.0}) {
        const double q3 = elbow * std::acos(cosine3);
        const double q2 = std::atan2(y, x) - std::atan2(f.a3 * std::sin(q3), f.a2 + f.a3 * std::cos(q3));
        const double q234 = std::atan2(X14.rotation(1, 0), X14.rotation(0, 0));
        VectorX q(6);
        q << q1, q2, q3, q234 - q2 - q3, q5, q6;
        for (double& angle : q) angle -= 2.0 * M_PI * std::round(angle / (2.0 * M_PI));
        found.push_back(q);
      }
    }
  }
  return found;
}

}  // namespace antaeus::test
