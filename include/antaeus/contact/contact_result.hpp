#pragma once
/// \file
/// Contact inverse dynamics of one motion: wrenches, torques, what is left, what is broken, and how far to trust it.

#include <optional>
#include <string>
#include <vector>

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/contact/contact_posterior.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

/// A limit of one contact or motor in one frame. Rows of moments count at a lever of 0.1 m, so that all are newtons.
enum class LimitKind : std::uint8_t { unilateral, friction, cop, yaw, force_cap, torque };
constexpr auto enum_names(LimitKind) noexcept {
  return name_list<LimitKind>("unilateral", "friction", "cop", "yaw", "force_cap", "torque");
}
struct LimitViolation {
  Eigen::Index frame = 0;
  std::string subject;  ///< contact, or joint of a torque limit
  LimitKind kind = LimitKind::unilateral;
  double size = 0.0;  ///< by how much [N]: the least sum of violations that any wrenches have
};

/// Smallest margin of each limit over a frame's contacts [N]; NaN where the limit is not known. See ContactMargins.
struct FrameMargins {
  double unilateral = kNaN, friction = kNaN, cop = kNaN, yaw = kNaN, torque = kNaN;
};

struct ContactResult {
  std::string motion;  ///< name of the file
  std::string robot;   ///< title; empty where the total was given
  std::string base_text;
  std::string command;  ///< that reproduces it
  ContactRequest request;
  ContactOptions options;
  RobotDescription description;   ///< for drawing; empty without a robot
  std::vector<std::string> rows;  ///< names of the joints' rows of v: torques' columns
  VectorX torque_limits;          ///< of those rows [N·m | N]; infinite where there are none
  double weight = kNaN;           ///< [N]
  Vector3 up = Vector3::UnitZ();  ///< against gravity, world axes

  MotionDynamics dynamics;  ///< with `demand`; without a robot that alone
  ContactSolution solution;
  SampleMatrix torque;       ///< N × nv, rows of the base: the root residual in base axes; empty without a robot
  SampleMatrix root_change;  ///< N × 6: what reduce_residual changed of the root's acceleration, base axes; or empty
  /// N · k: mean square error of each wrench, world axes: the posterior's covariance and, where the wrench is not the
  /// posterior's mean, the square of the difference. Empty: unknown, and `sd_because` says why.
  std::vector<Matrix6> error;
  std::string sd_because;
  std::vector<FrameMargins> margins;       ///< N
  std::vector<LimitViolation> violations;  ///< by frame
  std::vector<ContactSurface> surfaces;    ///< k, as used
  std::optional<ContactTiming> timing;     ///< where contacts were found in the motion
  std::optional<ContactPosterior> posterior;
  double residual_share = kNaN;  ///< root mean square of the root force that no contact explains, of the weight [1]
  bool residual_fine = true, feasible = true;
  std::vector<std::string> remarks;  ///< what a reader must know, one sentence each

  bool fine() const noexcept { return residual_fine && feasible; }
};

/// The whole of it for a robot's motion. \throws EpisodeError, ModelError, OptionsError
ANTAEUS_API ContactResult contact_inverse_dynamics(const Robot& robot, ContactMotion motion,
                                                   const ContactRequest& request, const ContactOptions& options = {},
                                                   const SplitOptions& split = {}, const TimingOptions& timing = {},
                                                   const Progress& progress = {});
/// The same for a total wrench that is given (total_motion.hpp): no robot, no torques. The wrenches are the posterior's
/// means; in Nimble's mode its rule.
ANTAEUS_API ContactResult contact_split(const TotalMotion& motion, const ContactRequest& request,
                                        const ContactOptions& options = {}, const SplitOptions& split = {},
                                        const TimingOptions& timing = {});

/// wrenches.csv: one row a frame and contact (docs/schema/contact.md).
ANTAEUS_API Table wrenches_table(const ContactResult& result);
/// torques.csv: one row a frame; without a robot the root residual alone.
ANTAEUS_API Table torques_table(const ContactResult& result);
ANTAEUS_API Json contact_summary(const ContactResult& result);

}  // namespace antaeus
