#pragma once
// What can be read off a result beyond its own numbers: who touches, where the pressure is, what is broken. Private to
// contact and report.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "antaeus/contact/contact_result.hpp"
#include "contact/contact_figures.hpp"

namespace antaeus::detail {

/// The result with the questions that a page asks of it. World axes; "level" is horizontal.
class ContactReading {
 public:
  explicit ContactReading(const ContactResult& result) : ContactReading(result, figures_of(result)) {}
  /// \param figures  null: nobody asks for them
  ContactReading(const ContactResult& result, std::shared_ptr<const ContactFigures> figures);
  /// Another block of the same motion: rows are its own from now on.
  void turn_to(const ContactResult& block);

  const ContactResult& result() const { return *result_; }
  const ContactFigures& figures() const { return *figures_; }
  const ContactDemand& demand() const { return result_->dynamics.demand; }
  Eigen::Index frames() const { return demand().frames(); }
  int contacts() const { return demand().contact_count(); }
  const std::string& name(int c) const { return demand().contacts[static_cast<std::size_t>(c)]; }
  bool has_robot() const { return !result_->description.links.empty(); }
  /// "robot", or "body" where the total was given.
  std::string who() const { return has_robot() ? "robot" : "body"; }
  /// Whether a limit of this kind is broken in a row.
  bool is_broken(Eigen::Index t, LimitKind kind) const {
    return !broken_.empty() && ((broken_[static_cast<std::size_t>(t)] >> static_cast<int>(kind)) & 1) != 0;
  }
  /// Per step; empty where there is no clock.
  const VectorX& time() const { return time_; }
  const Vector3& level(int axis) const { return level_[static_cast<std::size_t>(axis)]; }
  const std::string& level_name(int axis) const { return level_names_[static_cast<std::size_t>(axis)]; }
  const Pose& place(Eigen::Index t, int c) const {
    return demand().places[static_cast<std::size_t>(demand().column(t, c))];
  }
  bool is_point(int c) const { return demand().kinds[static_cast<std::size_t>(c)] == ContactType::point; }
  const ContactSurface* sole(int c) const;

  /// Whether the contact was taken to touch: as stated, else as found in the motion, else always.
  bool touches(Eigen::Index t, int c) const { return demand().is_active(t, c); }
  Vector3 force(Eigen::Index t, int c) const { return wrench(t, c).head<3>(); }
  Vector3 moment(Eigen::Index t, int c) const { return wrench(t, c).tail<3>(); }
  double vertical(Eigen::Index t, int c) const { return force(t, c).dot(result_->up); }
  double horizontal(Eigen::Index t, int c) const { return (force(t, c) - vertical(t, c) * result_->up).norm(); }
  bool has_sd() const { return !result_->error.empty(); }
  /// One sd of the force along a direction, or of the moment; NaN where it is not known.
  double force_sd(Eigen::Index t, int c, const Vector3& along) const { return sd(t, c, along, 0); }
  double moment_sd(Eigen::Index t, int c, const Vector3& along) const { return sd(t, c, along, 3); }
  /// In the world; NaN where hardly anything presses. At the height of the sole, else of the ground, else of the
  /// origin.
  Vector3 pressure(Eigen::Index t, int c) const;
  /// From the contact's origin, level: along and across the sole, as its limits count, else along the level axes.
  double pressure_along(Eigen::Index t, int c, int axis) const;
  /// Root force and moment that no contact explains; 0 where rounding alone is left.
  double residual_force(Eigen::Index t) const { return told(result_->solution.residual.col(t).head<3>().norm()); }
  double residual_moment(Eigen::Index t) const { return told(result_->solution.residual.col(t).tail<3>().norm()); }

  /// First row of v that is a joint's.
  Eigen::Index first_joint() const { return 6; }
  Eigen::Index joints() const { return std::max<Eigen::Index>(0, result_->torque.cols() - first_joint()); }
  const std::string& joint(Eigen::Index j) const { return result_->rows[static_cast<std::size_t>(first_joint() + j)]; }
  const JointDescription* described(Eigen::Index j) const;
  double torque(Eigen::Index t, Eigen::Index j) const { return result_->torque(t, first_joint() + j); }
  double torque_limit(Eigen::Index j) const;
  std::string torque_unit(Eigen::Index j) const;
  bool has_torque_limits() const;
  /// With a robot whose limits were asked for.
  bool was_checked() const { return result_->request.limits != LimitSet::none; }
  /// A posterior with an answer.
  const ContactPosterior* posterior() const {
    return result_->posterior && result_->posterior->status == Status::ok ? &*result_->posterior : nullptr;
  }

 private:
  Vector6 wrench(Eigen::Index t, int c) const { return result_->solution.wrench.col(demand().column(t, c)); }
  double sd(Eigen::Index t, int c, const Vector3& along, int first) const;
  double told(double residual) const { return residual <= kRounding * result_->weight ? 0.0 : residual; }
  static constexpr double kRounding = 1e-9;  ///< [1] of the weight

  const ContactResult* result_ = nullptr;
  std::shared_ptr<const ContactFigures> figures_;
  std::vector<std::uint8_t> broken_;  ///< per row, a bit a kind of limit
  VectorX time_;
  std::array<Vector3, 2> level_;
  std::array<std::string, 2> level_names_;
};

/// "the ground would have to pull"
std::string in_words(LimitKind kind);
/// Worst first.
std::vector<BrokenLimit> broken_limits(const ContactFigures& figures);

}  // namespace antaeus::detail
