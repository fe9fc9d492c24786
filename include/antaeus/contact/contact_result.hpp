#pragma once
/// \file
/// Contact inverse dynamics of one motion: wrenches, torques, what is left, what is broken, and how far to trust it.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/contact/contact_posterior.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
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
  std::string subject;
  LimitKind kind = LimitKind::unilateral;
  double size = 0.0;
};
constexpr void visit_fields(const LimitViolation*, auto&& visit) {
  using L = LimitViolation;
  visit(field("step", "", "frame of the motion", &L::frame));
  visit(field("subject", "", "contact, or joint of a torque limit", &L::subject));
  visit(field("kind", "", "of the limit", &L::kind).as("limit"));
  visit(field("size", "N", "by how much at least, of any wrenches; moments and torques at a lever of 0.1 m", &L::size)
            .as("by_N"));
}

/// What one contact carries over the motion.
struct ContactTotals {
  std::string contact;
  ContactType kind = ContactType::wrench;
  Eigen::Index frames_active = 0;
  double mean_vertical = kNaN, least_vertical = kNaN, largest_vertical = kNaN, largest_horizontal = kNaN;
  ContactSurface surface;
};
constexpr void visit_fields(const ContactTotals*, auto&& visit) {
  using C = ContactTotals;
  visit(field("contact", "", "", &C::contact));
  visit(field("kind", "", "", &C::kind));
  visit(field("frames_active", "", "", &C::frames_active));
  visit(field("mean_vertical", "N", "", &C::mean_vertical));
  visit(field("least_vertical", "N", "", &C::least_vertical));
  visit(field("largest_vertical", "N", "", &C::largest_vertical));
  visit(field("largest_horizontal", "N", "", &C::largest_horizontal));
  visit(field("friction", "1", "", [](const C& c) { return c.surface.friction; }));
  visit(field("torsion", "m", "", [](const C& c) { return c.surface.torsion; }));
  visit(field("force_cap", "N", "", [](const C& c) { return c.surface.force_cap; }));
  visit(field("sole_known", "", "", [](const C& c) { return c.surface.has_sole(); }));
}

/// Smallest margin of each limit over a frame's contacts [N]; NaN where the limit is not known. See ContactMargins.
struct FrameMargins {
  double unilateral = kNaN, friction = kNaN, cop = kNaN, yaw = kNaN, torque = kNaN;
};

namespace detail {
struct ContactFigures;
}

/// Of a motion, or of a block of its frames (contact_blocks.hpp): rows, and `violations`, then count from first_frame.
struct ANTAEUS_API ContactResult {
  std::string motion, robot, base_text, command;
  std::vector<Payload> payloads;
  ContactRequest request;
  ContactOptions options;
  RobotDescription description;   ///< for drawing; empty without a robot
  std::vector<std::string> rows;  ///< names of the joints' rows of v: torques' columns
  VectorX torque_limits;          ///< of those rows [N·m | N]; infinite where there are none
  double weight = kNaN;
  Vector3 up = Vector3::UnitZ();  ///< against gravity, world axes

  MotionDynamics dynamics;  ///< with `demand`; without a robot that alone
  ContactSolution solution;
  SampleMatrix torque;       ///< N × nv, rows of the base: the root residual in base axes; empty without a robot
  SampleMatrix root_change;  ///< N × 6: what reduce_residual changed of the root's acceleration, base axes; or empty
  /// N · k: mean square error of each wrench, world axes: the posterior's covariance and, where the wrench is not the
  /// posterior's mean, the square of the difference. Empty: unknown, and `sd_because` says why.
  std::vector<Matrix6> error;
  std::string sd_because;
  std::vector<FrameMargins> margins;  ///< N
  std::vector<LimitViolation> violations;
  std::vector<ContactSurface> surfaces;  ///< k, as used
  std::optional<ContactTiming> timing;   ///< where contacts were found in the motion
  std::optional<ContactPosterior> posterior;
  double residual_share = kNaN;
  bool residual_fine = true, feasible = true;
  std::vector<std::string> remarks;
  Eigen::Index first_frame = 0;
  /// Of a motion that came in blocks, whose rows are gone: what is told of all of them. Else null.
  std::shared_ptr<const detail::ContactFigures> figures = {};
  Eigen::Index violations_left_out = 0;  ///< beyond those that are kept of such a motion

  bool fine() const noexcept { return residual_fine && feasible; }
  Eigen::Index frames() const;
  /// Between frames [s]; NaN without a clock.
  double time_step() const;
  /// Of each contact.
  std::vector<ContactTotals> totals() const;
  /// Largest over the motion: 0, of the root force [N], 3, of the root moment [N·m] that no contact explains; NaN where
  /// there is none.
  double largest_residual(int first) const;
  /// Its own and the posterior's.
  std::vector<std::string> all_remarks() const;
};
constexpr void visit_fields(const ContactResult*, auto&& visit) {
  using R = ContactResult;
  visit(file_field("schema", "", [](const R&) { return "antaeus.contact.summary/1"; }));
  visit(field("command", "", "that reproduces it", &R::command).only(FieldUse::file_only));
  visit(field("motion", "", "name of the file", &R::motion).only(FieldUse::file_only));
  visit(field("robot", "", "title; empty where the total was given", &R::robot).or_null().only(FieldUse::file_only));
  visit(file_field("base", "", &R::base_text).or_null());
  visit(file_field("payloads", "", &R::payloads));
  visit(file_field("frames", "", [](const R& r) { return r.frames(); }));
  visit(file_field("time_step", "s", [](const R& r) { return r.time_step(); }));
  visit(file_field("inverse_dynamics", "", [](const R& r) { return r.request.inverse_dynamics; }));
  visit(file_field("over_time", "", [](const R& r) { return r.request.over_time; }));
  visit(file_field("limits", "", [](const R& r) { return r.request.limits; }));
  visit(file_field("wrench_frame", "", [](const R& r) { return r.request.axes; }));
  visit(file_field("sign", "", [](const R&) { return "on_robot"; }));
  visit(file_field("compatibility", "", [](const R& r) { return r.options.compatibility; }));
  visit(field("weight", "N", "", &R::weight));
  visit(field("feasible", "", "whether all limits can be kept", &R::feasible));
  visit(field("residual_share", "1", "rms of the root force that no contact explains, as a share of the weight",
              &R::residual_share));
  visit(field("residual_fine", "", "whether that is within contact.residual_limit", &R::residual_fine));
  visit(file_field("largest_residual_force", "N", [](const R& r) { return r.largest_residual(0); }));
  visit(file_field("largest_residual_moment", "N·m", [](const R& r) { return r.largest_residual(3); }));
  visit(file_field("contacts", "", [](const R& r) { return r.totals(); }));
  visit(field("violations", "", "of limits, by frame", &R::violations).as("broken_limits"));
  visit(file_field("sd_known", "", [](const R& r) { return !r.error.empty(); }));
  visit(field("sd_because", "", "why sd is unknown; empty: it is not", &R::sd_because).or_null());
  visit(field("unobservable", "", "directions that the motion does not hold, by name",
              [](const R& r) { return r.posterior ? r.posterior->unobservable : std::vector<std::string>(); }));
  visit(file_field("hidden_contacts", "",
                   [](const R& r) { return r.posterior ? r.posterior->hidden.seen : std::vector<HiddenContact>(); }));
  visit(file_field("hidden_resolution", "N",
                   [](const R& r) { return r.posterior ? r.posterior->hidden.resolution : kNaN; }));
  visit(file_field("contact_intervals", "",
                   [](const R& r) { return r.timing ? r.timing->intervals : std::vector<FootContact>(); }));
  visit(field("remarks", "", "what a reader must know, one sentence each", &R::remarks).only(FieldUse::python_only));
  visit(file_field("remarks", "", [](const R& r) { return r.all_remarks(); }));
}

/// The whole of it for a robot's motion; with request.inverse_dynamics no contact is named and none assumed: `torque`
/// is M v̇ + C v + g less what the motion states of other forces, its first six columns the wrench that must hold the
/// root. \throws EpisodeError, ModelError, OptionsError
ANTAEUS_API ContactResult contact_inverse_dynamics(const Robot& robot, ContactMotion motion,
                                                   const ContactRequest& request, const ContactOptions& options = {},
                                                   const SplitOptions& split = {}, const TimingOptions& timing = {},
                                                   const Progress& progress = {});
/// The same for a total wrench that is given (total_motion.hpp): no robot, no torques. The wrenches are the posterior's
/// means; in Nimble's mode its rule.
ANTAEUS_API ContactResult contact_split(const TotalMotion& motion, const ContactRequest& request,
                                        const ContactOptions& options = {}, const SplitOptions& split = {},
                                        const TimingOptions& timing = {});

/// wrenches.csv: one row a frame and contact (docs/reference/schemas.md).
ANTAEUS_API Table wrenches_table(const ContactResult& result);
/// torques.csv: one row a frame; without a robot the root residual alone.
ANTAEUS_API Table torques_table(const ContactResult& result);
ANTAEUS_API Json contact_summary(const ContactResult& result);

}  // namespace antaeus
