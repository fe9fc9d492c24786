#pragma once
/// \file
/// Could the ground and the weight have made these wrenches? A check on any estimator's result that needs no truth.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/constraints/contact_margins.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/wrench_estimate.hpp"

namespace antaeus {

struct FeasibilityOptions {
  double k = 3.0;
  double friction = 0.7;
  double half_length = 0.0;
  double half_width = 0.0;
  double sole_forward = 0.0;
  double sole_depth = 0.0;
  double com_acceleration_sd = 0.1;
  double moving_com_acceleration_sd = 2.0;
  double mass_share_sd = 0.02;
  double tilt_sd = 0.02;
  double unknown_tilt_sd = 0.1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    constexpr const char* kRobot = "the robot's drawing; 0: not known";
    visit(OptionInfo{"k", "sd", "how many standard deviations below zero a margin may be",
                     "3: chance exceeds it 13 times in 10 000 on one side"},
          self.k);
    visit(OptionInfo{"friction", "1", "coefficient of the ground under a foot", "rubber on dry concrete, 0.6 to 0.85"},
          self.friction);
    visit(
        OptionInfo{"half_length", "m", "half the sole's length; 0: unknown, no centre of pressure is checked", kRobot},
        self.half_length);
    visit(OptionInfo{"half_width", "m", "half the sole's width; 0: unknown, no centre of pressure is checked", kRobot},
          self.half_width);
    visit(OptionInfo{"sole_forward", "m", "from the foot frame's origin to the sole's middle, along the frame's x",
                     kRobot},
          self.sole_forward);
    visit(OptionInfo{"sole_depth", "m", "from the foot frame's origin to the sole, along the frame's −z", kRobot},
          self.sole_depth);
    visit(OptionInfo{"com_acceleration_sd", "m/s²", "of the centre of mass, each axis, in a robot that stands still",
                     "our choice: 1 % of free fall"},
          self.com_acceleration_sd);
    visit(OptionInfo{"moving_com_acceleration_sd", "m/s²", "the same when motion is seen or not excluded",
                     "our choice: a fifth of free fall, about walking's vertical acceleration"},
          self.moving_com_acceleration_sd);
    visit(OptionInfo{"mass_share_sd", "1", "sd of the robot's mass, as a share of it", "study, §4: masses ± 2 %"},
          self.mass_share_sd);
    visit(OptionInfo{"tilt_sd", "rad", "of the vertical when an IMU gives it", "study, §4: 0.7 degrees, and its mount"},
          self.tilt_sd);
    visit(OptionInfo{"unknown_tilt_sd", "rad", "of the vertical without an IMU, the base then counts as upright",
                     "our choice: 6 degrees"},
          self.unknown_tilt_sd);
  }
};

/// What a margin is of; to_string() names it. `total_x` … `total_z`: the whole robot's balance, world axes.
enum class MarginKind : std::uint8_t { unilateral, friction, cop_x, cop_y, yaw, total_x, total_y, total_z };
constexpr std::string_view to_string(MarginKind kind) noexcept {
  constexpr std::string_view names[] = {"unilateral", "friction", "cop_x",   "cop_y",
                                        "yaw",        "total_x",  "total_y", "total_z"};
  return names[static_cast<std::size_t>(kind)];
}

/// One condition. ContactMargins says what the margin of a foot is; that of the balance is −|ΣF − m (a_com − g)|.
struct FeasibilityMargin {
  MarginKind kind = MarginKind::unilateral;
  int endpoint = -1;  ///< in the equation's order; −1: the whole robot
  const char* unit = "N";
  double value = 0.0;     ///< ≥ 0 where the condition holds; NaN where it could not be computed
  double sd = 0.0;        ///< first order; 0 for an estimate without covariance, which thereby counts as exact
  bool feasible = false;  ///< value + k·sd ≥ 0; false for NaN
};

struct Feasibility {
  Status status = Status::not_computed;
  std::vector<FeasibilityMargin> margins;  ///< always the same ones in the same order
  bool sole_known = false;                 ///< whether centre of pressure and yaw are among them
  bool balance_known = false;              ///< whether the balance is: a floating base with feet, all of them endpoints

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

/// Margins of every endpoint of kind "foot", and of ΣF = m (a_com − g).
///
/// Assumed of a foot: the ground is level and even, so the contact's z is the world's, and its x the foot frame's x
/// made level; the sole's middle is where `sole_forward` and `sole_depth` put it in the foot frame. With both at 0 the
/// moments are those about the frame's origin: a tangential force f_t then falsifies the centre of pressure by f_t
/// times the true depth. A foot whose x axis is within 30° of upright has no flat contact: its moments' margins are
/// NaN. Assumed of the balance: nothing but the endpoints touches anything. A gantry breaks it, and so does a hand on a
/// table that is no endpoint. Covariances of different endpoints are added as if independent: right for `own` rows of
/// separate limbs, too large where shared rows tie the wrenches together.
/// A posterior of feet needs a prior that admits the weight (PosteriorOptions::force_prior).
/// Sources: contact_margins.hpp; estimation_and_users.md §3.7.
class FeasibilityChecker {
 public:
  /// \param endpoints  frames in the order of the estimates. \throws ModelError, OptionsError
  FeasibilityChecker(const Robot& robot, const std::vector<std::string>& endpoints, FeasibilityOptions options = {});

  /// \param equation   updated with the observation that the estimates are of
  /// \param estimates  of any estimator, either sign; their covariance counts where they have one
  /// \param moving     motion seen or not excluded (Residual::moving)
  /// \realtime (feasibility_test)
  const Feasibility& check(const ContactEquation& equation, const std::vector<WrenchEstimate>& estimates,
                           bool moving) noexcept;
  const Feasibility& result() const noexcept { return result_; }
  const FeasibilityOptions& options() const noexcept { return options_; }

 private:
  void check_foot(const ContactEquation& equation, const WrenchEstimate& estimate, int endpoint,
                  std::size_t& next) noexcept;
  void check_balance(const ContactEquation& equation, const std::vector<WrenchEstimate>& estimates, bool moving,
                     std::size_t& next) noexcept;
  void set(std::size_t& next, double value, double sd) noexcept;

  FeasibilityOptions options_;
  std::vector<bool> is_foot_;
  double mass_ = 0.0;
  Feasibility result_;
};

}  // namespace antaeus
