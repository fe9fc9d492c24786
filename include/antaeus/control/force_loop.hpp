#pragma once
/// \file
/// One axis under force control: which push brings the measured force to the wanted one.
///
/// Sign: forces are the environment's on the robot along the axis, as a table's on a finger that presses it is along
/// the table's normal. The push is what the robot must exert there: at rest, minus the force.

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// What the measured force passes before it is compared. All are causal; what they hold back is phase that the loop
/// loses.
enum class ForceFilter : std::uint8_t {
  none,         ///< for a force that is clean
  exponential,  ///< first order: y += share (x − y), once a cycle
  butterworth,  ///< second order, at `filter_cut_off`
};
constexpr auto enum_names(ForceFilter) noexcept { return name_list<ForceFilter>("none", "exponential", "butterworth"); }

struct ForceLoopOptions {
  double proportional = 0.3;     ///< push for an error [1]
  double integral = 10.0;        ///< push for an error, a second [1/s]
  double integral_limit = 20.0;  ///< most push of the integral [N]; at it, it only shrinks (anti-windup)
  double damping = 300.0;        ///< against the tool's speed along the axis [N·s/m]
  bool feed_forward = true;      ///< the wanted force is pushed itself, and the gains work on what is left
  double blend = 0.03;           ///< time in which the set-point goes from the force at the start to the wanted one [s]
  ForceFilter filter = ForceFilter::none;
  double filter_share = 0.2;     ///< of the newest sample, `exponential`
  double filter_cut_off = 30.0;  ///< [Hz], `butterworth`
};
ANTAEUS_API const OptionTable& options_of(const ForceLoopOptions&);

/// Proportional and integral action on one component of a wrench, with damping. All functions are noexcept and free of
/// allocation (hybrid_control_realtime_test).
class ANTAEUS_API ForceLoop {
 public:
  /// \throws OptionsError
  explicit ForceLoop(const ForceLoopOptions& options = {});

  /// Begins anew: the set-point starts at the force as it is, the integral at zero, the filter at rest.
  void start(double measured) noexcept;

  struct Input {
    double wanted = 0.0;    ///< [N] or [N·m]
    double measured = 0.0;  ///< the same; NaN: none came, and the last one is kept for this cycle
    double speed = 0.0;     ///< of the tool along the axis [m/s] or [rad/s]
    double dt = 0.0;        ///< since the last call [s]
    double trust = 1.0;     ///< 0 … 1 times the gains on the error: what is hardly known hardly moves the robot
    bool integrates = true;
  };
  /// The push along the axis [N] or [N·m]. NaN where speed or dt is none, or no force ever came.
  double push(const Input& input) noexcept;

  double filtered() const noexcept { return filtered_; }    ///< [N]
  double set_point() const noexcept { return set_point_; }  ///< [N], between the force at the start and the wanted one
  double integral() const noexcept { return integral_; }    ///< [N]
  bool at_limit() const noexcept { return at_limit_; }      ///< of the integral

 private:
  void filter(double measured, double dt) noexcept;

  ForceLoopOptions options_;
  double begun_ = kNaN, elapsed_ = 0.0;
  double filtered_ = kNaN, filter_rate_ = 0.0;
  double set_point_ = kNaN, integral_ = 0.0;
  bool at_limit_ = false;
};

}  // namespace antaeus
