#pragma once
/// \file
/// Compliance for arms that take positions: a measured wrench in, a pose and a twist for the arm's own controller out.
///
///     M ẍ + D ẋ + K x = F − F_wanted        x = (p − p_nominal; log(R R_nominalᵀ)), world axes, each axis by itself
///
/// Solved exactly for a wrench that is constant over the cycle: stable for every M > 0, D > 0, K ≥ 0 and cycle. Against
/// a world of stiffness k, with T seconds from motion to measured force, the loop is stable for D > 2 k T / π where M
/// is small: the damping is chosen by the stiffest thing that is touched.

#include <array>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

struct AdmittanceOptions {
  double mass = 5.0;                  ///< M [kg]
  double inertia = 0.2;               ///< of turning [kg·m²]
  double damping = 200.0;             ///< D [N·s/m]
  double rotational_damping = 5.0;    ///< [N·m·s/rad]
  double stiffness = 0.0;             ///< K [N/m]; 0: it stays where it was pushed
  double rotational_stiffness = 0.0;  ///< [N·m/rad]
  double force_deadband = 1.0;        ///< a force is shortened by this; below it there is none [N]
  double moment_deadband = 0.1;       ///< [N·m]
  double speed_limit = 0.25;          ///< of ẋ [m/s]
  double turn_limit = 0.5;            ///< of the orientation [rad/s]
  double range_limit = 0.3;           ///< of x [m]
  double turn_range_limit = 1.0;      ///< of the orientation [rad]
  double cycle = 0.002;               ///< of the loop [s]
};
ANTAEUS_API const OptionTable& options_of(const AdmittanceOptions&);

/// What the loop does with the wrench.
enum class AdmittanceMode : std::uint8_t {
  waiting,      ///< no cycle yet
  compliant,    ///< follows it
  wrench_lost,  ///< it is NaN: neither wrench nor spring act, ẋ decays by exp(−D t / M), and x stays where it comes to
                ///< rest; with the next finite wrench it goes on from there
};
constexpr auto enum_names(AdmittanceMode) noexcept {
  return name_list<AdmittanceMode>("waiting", "compliant", "wrench_lost");
}

/// Where the tool would be without a push. World axes.
struct AdmittanceTarget {
  Pose X_WT;
  Vector6 twist = Vector6::Zero();  ///< of that pose [m/s, rad/s]
  /// What the environment shall do to the robot about the tool's origin [N, N·m]: zero gives way, else it is looked
  /// for.
  Wrench wanted = {};
};

/// What the arm's own controller shall follow. World axes, linear rows first.
struct AdmittanceReference {
  Status status = Status::not_computed;
  AdmittanceMode mode = AdmittanceMode::waiting;
  Pose X_WT;
  Vector6 twist, displacement;
  bool is_speed_limited = false, is_range_limited = false;
};
constexpr void visit_fields(const AdmittanceReference*, auto&& visit) {
  using R = AdmittanceReference;
  visit(field("status", "", "on anything but ok all numbers are NaN: hold the last pose", &R::status));
  visit(field("mode", "", "how the tool moves", &R::mode));
  visit(field("X_WT", "", "pose of the tool that is asked for", &R::X_WT));
  visit(field("twist", "", "[6] m/s and rad/s", &R::twist));
  visit(field("displacement", "", "x [6], m and rad", &R::displacement));
  visit(field("is_speed_limited", "", "in this cycle ẋ was shortened", &R::is_speed_limited));
  visit(field("is_range_limited", "", "in this cycle x was shortened", &R::is_range_limited));
}

/// Three masses on springs for the place, three for the orientation. Copyable, a few hundred bytes.
class ANTAEUS_API Admittance {
 public:
  /// \throws OptionsError
  explicit Admittance(const AdmittanceOptions& options = {});
  /// Axis by axis in world axes: mass and damping above zero. An axis with a mass of 1e6 hardly moves.
  /// \throws OptionsError
  Admittance(const AdmittanceOptions& options, const Vector6& mass, const Vector6& damping, const Vector6& stiffness);

  /// \param wrench  the environment on the robot, about the tool's origin in world axes, the tool's own weight taken
  /// off
  /// \realtime (impedance_realtime_test)
  const AdmittanceReference& update(const Wrench& wrench, const AdmittanceTarget& target) noexcept;
  const AdmittanceReference& last() const noexcept { return result_; }
  /// x and ẋ to zero. \realtime
  void reset() noexcept;

 private:
  /// (x, ẋ, F) → (x, ẋ) a cycle later.
  struct Axis {
    Eigen::Matrix<double, 2, 3> step;
    double decay, glide;  ///< of ẋ without a wrench, and what x still moves [s]
  };
  const AdmittanceReference& fail(Status why) noexcept;

  AdmittanceOptions options_;
  std::array<Axis, 6> axes_;
  Vector6 position_ = Vector6::Zero(), velocity_ = Vector6::Zero();
  AdmittanceReference result_;
};

}  // namespace antaeus
