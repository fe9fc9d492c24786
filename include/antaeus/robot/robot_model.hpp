#pragma once
/// \file
/// The fixed properties of a robot: joints, masses, limits, frames. A cheap handle on data that every workspace shares.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/robot_description.hpp"

namespace antaeus {

/// What the root link may do. `free_flyer`: six degrees of freedom before all joints, q = (x y z, quaternion x y z w),
/// v = (linear, angular) in base axes. `fixed`: the root is bolted to the world.
enum class Base : std::uint8_t { free_flyer, fixed };
constexpr auto enum_names(Base) noexcept { return name_list<Base>("free_flyer", "fixed"); }

/// A rigid load that is not in the description.
struct Payload {
  std::string frame;
  Inertial inertial;
  std::string name = {};
};
template <class Visit>
constexpr void visit_fields(const Payload*, Visit&& visit) {
  using P = Payload;
  visit(field("frame", "", "link or joint frame that carries it", &P::frame));
  visit(field("inertial", "", "in that frame", &P::inertial));
  visit(field("name", "", "for people; may be empty", &P::name));
}

/// \throws ModelError at \p place for a mass that is negative or not finite, and for an inertia that no body has: not
///         symmetric, a moment below zero, or two that together are less than the third
ANTAEUS_API void check_payload(const Payload& payload, const std::string& place);

/// How a description becomes a model.
struct ModelOptions {
  Base base = Base::free_flyer;
  Vector3 gravity{0.0, 0.0, -9.81};
  std::vector<Payload> payloads;
  std::map<std::string, double> armature;
  std::map<std::string, double> locked_joints;
  std::vector<std::string> motors;
};
template <class Visit>
constexpr void visit_fields(const ModelOptions*, Visit&& visit) {
  using M = ModelOptions;
  visit(field("base", "", "what the root link may do", &M::base));
  visit(field("gravity", "m/s²", "[3] acceleration of free fall in world axes", &M::gravity));
  visit(field("payloads", "", "loads that the description does not hold", &M::payloads));
  visit(field("armature", "kg·m²", "joint → reflected rotor inertia; absent: 0", &M::armature));
  visit(field("locked_joints", "rad or m", "joint → position held; it becomes fixed", &M::locked_joints));
  visit(field("motors", "", "joints in motor order; empty: all, in the model's order", &M::motors));
}

/// Handle of a frame of one model: a link, a joint or a fixed frame.
struct FrameId {
  int index = -1;
};
template <class Visit>
constexpr void visit_fields(const FrameId*, Visit&& visit) {
  using F = FrameId;
  visit(field("index", "", "its number in the model; −1: none", &F::index));
}

/// A robot that does not change. Copying copies a pointer; every function is const and thread-safe.
///
/// Order of joints: depth first from the root, the joints of one link by name (Pinocchio's order for the same URDF).
/// nq ≥ nv: a free flyer takes 7 of q and 6 of v, a continuous joint (cos, sin) of q and 1 of v.
class ANTAEUS_API RobotModel {
 public:
  /// \throws ModelError for an unknown joint or frame (with the nearest name), a massless moving body,
  ///         or motors that are not single-degree joints
  RobotModel(const RobotDescription& description, const ModelOptions& options = {});

  int nq() const noexcept;
  int nv() const noexcept;
  Base base() const noexcept;
  int motor_count() const noexcept;
  double total_mass() const noexcept;       ///< [kg], payloads included
  const Vector3& gravity() const noexcept;  ///< [m/s²], world axes
  const RobotDescription& description() const noexcept;
  const ModelOptions& options() const noexcept;

  const std::vector<std::string>& motor_names() const noexcept;
  /// \throws ModelError with the nearest name
  int motor(std::string_view joint) const;
  /// Row of v, tau and g that belongs to each motor.
  const std::vector<int>& motor_rows() const noexcept;
  /// Joint of each row of v, nv; "joint_i" where one has several.
  const std::vector<std::string>& row_names() const noexcept;
  /// Bodies that move: one a joint in the order of joints (a free base first), each of all links welded together.
  int body_count() const noexcept;
  /// φ [10 body_count]: of each body m [kg]; m c, the first moment, x y z [kg·m]; the inertia about the joint's origin,
  /// not about the centre of mass, xx xy yy xz yz zz [kg·m²]; all in the axes of the joint behind it. Payloads
  /// included.
  VectorX inertial_parameters() const;
  /// The joint that carries a body; empty for one that is not there.
  std::string body_joint(int body) const;
  /// Viscous damping of the description, nv [N·m·s/rad | N·s/m]; no function of this library uses it unasked.
  const VectorX& damping() const noexcept;
  /// Per motor: position [rad|m], effort [N·m|N] and velocity [rad/s|m/s] limits; infinite where there are none.
  const VectorX& lower_limits() const noexcept;
  const VectorX& upper_limits() const noexcept;
  const VectorX& effort_limits() const noexcept;
  const VectorX& velocity_limits() const noexcept;

  /// \throws ModelError with the nearest name
  FrameId frame(std::string_view name) const;
  bool has_frame(std::string_view name) const noexcept;
  const std::string& frame_name(FrameId frame) const;
  std::vector<std::string> frame_names() const;
  /// Motors between the root and the frame, in motor order: the only columns of its Jacobian that are not zero.
  std::vector<int> supporting_motors(FrameId frame) const;

  /// The configuration with every joint at zero and the base at the origin, nq.
  const VectorX& neutral() const noexcept;
  /// Writes q from motor positions: base at the world's origin with orientation \p quaternion_xyzw (ignored for a
  /// fixed base), joints without a motor at neutral. \realtime (dynamics_realtime_test)
  Status position_from_motors(ConstVectorRef q_motor, const Eigen::Vector4d& quaternion_xyzw,
                              VectorRef q) const noexcept;
  /// motor ← full: the motors' rows of a vector of nv. \realtime
  Status select_motor_rows(ConstVectorRef full, VectorRef motor) const noexcept;
  /// q ⊕ v: the configuration reached from q by moving with v [nv] for one unit of time.
  Status integrate(ConstVectorRef q, ConstVectorRef v, VectorRef result) const noexcept;
  /// q1 ⊖ q0 [nv]: the velocity that leads from q0 to q1 in one unit of time.
  Status difference(ConstVectorRef q0, ConstVectorRef q1, VectorRef result) const noexcept;

 private:
  friend class Dynamics;
  friend class PositionTerms;
  friend class VelocityTerms;
  friend class ParameterTorque;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Index of a motor that an argument or option names. \throws OptionsError at \p place, with the nearest name
ANTAEUS_API int motor_named(const RobotModel& model, std::string_view joint, const std::string& place);
/// Positions of all motors [motors]: zero, or the nearest that each motor's limits allow.
ANTAEUS_API VectorX allowed_zeros(const RobotModel& model);

}  // namespace antaeus
