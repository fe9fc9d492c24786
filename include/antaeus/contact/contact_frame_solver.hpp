#pragma once
/// \file
/// Contact inverse dynamics of one frame, as a loop calls it: dynamics, wrenches and torques without any allocation.

#include <string>
#include <vector>

#include "antaeus/contact/contact_demand.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// Of the last call; NaN unless `ok`.
struct ContactFrame {
  Status status = Status::not_computed;
  Matrix6X wrench;   ///< 6 × k: on the robot, world axes, about the contacts' origins
  VectorX torque;    ///< nv: what motors exert; the first six rows hold the root residual (force, moment, base axes)
  VectorX total;     ///< nv: M v̇ + C v + g, before the contacts
  Vector6 residual;  ///< what no contact explains: world axes, about the base's origin
};

/// One a thread. Contacts without a guess share by least torque, else they are nearest to the guess.
class ContactFrameSolver {
 public:
  /// \throws OptionsError for unknown or repeated contacts, a fixed base, weights that leave the wrenches undetermined
  ANTAEUS_API ContactFrameSolver(const Robot& robot, const std::vector<std::string>& contacts,
                                 const ContactOptions& options = {}, bool with_guess = false);

  /// \param q, v, a   Pinocchio's order; a the acceleration that is asked for
  /// \param guess     6 × k, world axes; only with `with_guess`
  /// \return `wrong_size`, `not_finite`, `bad_orientation`: the numbers are NaN. \realtime (contact_realtime_test)
  ANTAEUS_API const ContactFrame& solve(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a) noexcept;
  ANTAEUS_API const ContactFrame& solve(ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                                        Eigen::Ref<const Matrix6X> guess) noexcept;
  /// Contacts that touch; all do at first.
  void set_active(int contact, bool active) noexcept { demand_.active[static_cast<std::size_t>(contact)] = active; }
  const ContactFrame& result() const noexcept { return result_; }

 private:
  const ContactFrame& fail(Status status) noexcept;
  Dynamics dynamics_;
  std::vector<FrameId> frames_;
  ContactDemand demand_;
  ContactSplitter splitter_;
  std::vector<Matrix6X> jacobians_;
  ContactFrame result_;
};

}  // namespace antaeus
