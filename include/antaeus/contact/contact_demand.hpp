#pragma once
/// \file
/// What a motion asks of its contacts: the wrench that all of them together must exert, and where they are.

#include <string>
#include <vector>

#include "antaeus/contact/contact_options.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

using Matrix3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// k contacts over N frames. Column t · k + c belongs to contact c in frame t.
struct ContactDemand {
  std::vector<std::string> contacts;  ///< names, in order
  std::vector<ContactType> kinds;     ///< k
  VectorX time;                       ///< N [s]
  double dt = kNaN;                   ///< [s] of even frames; NaN: independent states
  /// 6 × N: the wrench that the motion needs from all contacts, on the robot, world axes, about `about` [N, N·m].
  Matrix6X total;
  Matrix3X about;             ///< 3 × N [m], world
  std::vector<Pose> places;   ///< N · k: contact frames in the world
  Matrix3X speeds;            ///< 3 × N·k [m/s]: velocity of their origins, world axes; or empty
  std::vector<bool> active;   ///< N · k; empty: all, always
  Matrix6X guess;             ///< 6 × N·k, world axes about the origins, or empty: zero
  Matrix6X previous;          ///< 6 × k, in the axes of the first frame's world, or empty
  Eigen::MatrixXd magnitude;  ///< k × N [1]: weights of the wrenches' size, or empty

  int contact_count() const noexcept { return static_cast<int>(contacts.size()); }
  Eigen::Index frames() const noexcept { return total.cols(); }
  Eigen::Index column(Eigen::Index t, int c) const noexcept { return t * contact_count() + c; }
  bool is_active(Eigen::Index t, int c) const noexcept {
    return active.empty() || active[static_cast<std::size_t>(column(t, c))];
  }
};

/// Wrenches of the contacts and what they leave.
struct ContactSolution {
  Matrix6X wrench;             ///< 6 × N·k: on the robot, world axes, about the contacts' origins; 0 where inactive
  Matrix6X residual;           ///< 6 × N: total − what the wrenches make, as `total`
  std::vector<Status> status;  ///< N: `not_finite` where the demand holds NaN; the frame's numbers are NaN then
};

/// Each frame for itself: the wrenches nearest to `guess` (nearest to zero: least torque) that make the total.
///
///     minimise Σ a_m |m − m₀|² + a_f |f − f₀|²   subject to   Σ (f, m + (p − about) × f) = total
///
/// Where contacts cannot make the total (two points, none), the residual is the least, moments counting 1/lever.
class ANTAEUS_API ContactSplitter {
 public:
  /// \throws OptionsError for weights that are all zero or negative
  explicit ContactSplitter(const ContactOptions& options);
  /// One frame. \param wrench  6 × k, receives the result; \param residual  receives what is left
  /// \realtime (contact_realtime_test)
  Status solve(const ContactDemand& demand, Eigen::Index t, Eigen::Ref<Matrix6X> wrench,
               Vector6& residual) const noexcept;

 private:
  ContactOptions options_;
};

/// All frames, each for itself. \throws OptionsError
ANTAEUS_API ContactSolution solve_frames(const ContactDemand& demand, const ContactOptions& options);

/// All frames together, smoothed over time (contact_options.hpp has the cost): null space and block-tridiagonal
/// Cholesky, time and memory linear in the number of frames.
/// \throws OptionsError for weights that leave the wrenches undetermined
ANTAEUS_API ContactSolution solve_over_time(const ContactDemand& demand, const ContactOptions& options);

}  // namespace antaeus
