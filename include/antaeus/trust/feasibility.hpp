#pragma once
/// \file
/// Checks whether the ground and the robot's weight can have made the estimated wrenches. It needs no true force.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/numerics/contact_margins.hpp"
#include "antaeus/robot/wrench_estimates.hpp"

namespace antaeus {

struct FeasibilityOptions {
  double k = 3.0;  ///< [sd] how many standard deviations below zero a margin may be
  // Where the profile's endpoint states friction or a sole (ContactSurface), that counts, and not the six below.
  double friction = 0.7;             ///< [1] coefficient of the ground under a foot
  double half_length = 0.0;          ///< [m] half the sole's length; 0: unknown, no centre of pressure is checked
  double half_width = 0.0;           ///< [m] half the sole's width; 0: unknown, no centre of pressure is checked
  double sole_forward = 0.0;         ///< [m] from the foot frame's origin to the sole's middle, along the frame's x
  double sole_depth = 0.0;           ///< [m] from the foot frame's origin to the sole, along the frame's −z
  double com_acceleration_sd = 0.1;  ///< [m/s²] of the centre of mass, each axis, in a robot that stands still
  double moving_com_acceleration_sd = 2.0;  ///< [m/s²] the same when motion is seen or not excluded
  double mass_share_sd = 0.02;              ///< [1] sd of the robot's mass, as a share of it
  double tilt_sd = 0.02;                    ///< [rad] of the vertical when an IMU gives it
  double unknown_tilt_sd = 0.1;             ///< [rad] of the vertical without an IMU, the base then counts as upright
};
ANTAEUS_API const OptionTable& options_of(const FeasibilityOptions&);

/// What a margin is of; to_string() names it. `total_x` … `total_z`: the whole robot's balance, world axes.
enum class MarginKind : std::uint8_t { unilateral, friction, cop_x, cop_y, yaw, total_x, total_y, total_z };
constexpr auto enum_names(MarginKind) noexcept {
  return name_list<MarginKind>("unilateral", "friction", "cop_x", "cop_y", "yaw", "total_x", "total_y", "total_z");
}

/// One condition. ContactMargins says what the margin of a foot is; that of the balance is −|ΣF − m (a_com − g)|.
struct FeasibilityMargin {
  MarginKind kind = MarginKind::unilateral;
  int endpoint = -1;
  const char* unit = "N";
  double value = 0.0, sd = 0.0;
  bool feasible = false;
};
constexpr void visit_fields(const FeasibilityMargin*, auto&& visit) {
  using F = FeasibilityMargin;
  visit(field("kind", "", "what it is of", &F::kind));
  visit(field("endpoint", "", "in the order of the estimates; −1: the whole robot", &F::endpoint));
  visit(field("unit", "", "of value and sd", &F::unit));
  visit(field("value", "", "≥ 0 where the condition holds, in `unit`; NaN where it could not be computed", &F::value));
  visit(
      field("sd", "",
            "of the value, first order, in `unit`; 0 for an estimate without covariance, which thereby counts as exact",
            &F::sd));
  visit(field("feasible", "", "value + k·sd ≥ 0; false for NaN", &F::feasible));
}

/// The margins of one instant.
struct Feasibility {
  Status status = Status::not_computed;
  std::vector<FeasibilityMargin> margins;
  bool sole_known = false, balance_known = false;

  bool feasible() const noexcept {
    bool all = status == Status::ok;
    for (const FeasibilityMargin& margin : margins) all = all && margin.feasible;
    return all;
  }
  int violations() const noexcept {
    int count = 0;
    for (const FeasibilityMargin& margin : margins) count += !margin.feasible;
    return count;
  }
};
constexpr void visit_fields(const Feasibility*, auto&& visit) {
  using F = Feasibility;
  visit(field("status", "", "ok, or why there are no margins", &F::status));
  visit(field("margins", "", "always the same ones in the same order", &F::margins));
  visit(field("sole_known", "", "whether centre of pressure and yaw are among them", &F::sole_known));
  visit(field("balance_known", "", "whether the balance is: a floating base with feet, all of them endpoints",
              &F::balance_known));
}

/// Margins of every endpoint of kind "foot", and of ΣF = m (a_com − g).
///
/// Assumed of a foot: the ground is level and even, so the contact's z is the world's, and its x the foot frame's x
/// made level; the sole's middle is where `sole_forward` and `sole_depth` put it in the foot frame. With both at 0 the
/// moments are those about the frame's origin: a tangential force f_t then adds f_t times the true depth to the moment
/// that gives the centre of pressure. A foot whose x axis is within 30° of upright has no flat contact: its moments'
/// margins are NaN. Assumed of the balance: nothing but the endpoints touches anything. A gantry violates this, and so
/// does a hand on a table that is not an endpoint. Covariances of different endpoints are added as if independent:
/// right for `own` rows of separate limbs, too large where shared rows tie the wrenches together. A posterior of feet
/// needs a prior as large as the weight (PosteriorOptions::prior). Source: contact_margins.hpp.
class ANTAEUS_API FeasibilityChecker {
 public:
  /// \param endpoints  frames in the order of the estimates. \throws ModelError, OptionsError
  FeasibilityChecker(const Robot& robot, const std::vector<std::string>& endpoints, FeasibilityOptions options = {});

  /// \param estimates  of any estimator, either sign; their covariance counts where they have one
  /// \realtime (feasibility_test)
  const Feasibility& check(const WrenchEstimates& estimates) noexcept;
  const Feasibility& result() const noexcept { return result_; }
  const FeasibilityOptions& options() const noexcept { return options_; }

 private:
  void check_foot(const WrenchEstimates& estimates, int endpoint, std::size_t& next) noexcept;
  void check_balance(const WrenchEstimates& estimates, std::size_t& next) noexcept;
  void set(std::size_t& next, double value, double sd) noexcept;

  FeasibilityOptions options_;
  std::vector<bool> is_foot_;
  /// Of each endpoint: the contact, and its sole's middle in the foot frame.
  struct Foot {
    SurfaceContact contact;
    Vector3 middle = Vector3::Zero();
    bool has_sole = false;
  };
  Foot foot_of(const Robot& robot, const std::string& frame) const;
  std::vector<Foot> feet_;
  double mass_ = 0.0;
  Vector3 gravity_;
  Feasibility result_;
};

}  // namespace antaeus
