#include "antaeus/contact/contact_posterior.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

const OptionTable& options_of(const SplitOptions&) {
  using O = SplitOptions;
  static const char* const kPlates = "one person's standing, squats and steps on force plates";
  static const char* const kMotion = "force plates against a scaled model's inverse dynamics, 6 Hz low pass";
  static const char* const kConstant =
      "frames are placed by hand: markers on a foot are 1 to 13 mm off its bones' landmarks (J. Foot Ankle Res. 5, "
      "O40)";
  static const char* const kStrike = "both strikes of one person's walk on force plates";
  static const char* const kStepShare =
      "published: relative rms of 4 % up, 11 % forward (Van Hulle et al., J. Biomech. 100, 109412); more at a step";
  static const OptionTable table(
      "split",
      {
          option("force_sd_forward", "N", "sd of the motion's total force, forward", kMotion, &O::force_sd_forward,
                 kPositive),
          option("force_sd_up", "N", "sd of the motion's total force, vertical", kMotion, &O::force_sd_up, kPositive),
          option("force_sd_sideways", "N", "sd of the motion's total force, sideways", kMotion, &O::force_sd_sideways,
                 kPositive),
          option("com_sd_forward", "m", "sd of the centre of mass, forward; times the weight a moment", kMotion,
                 &O::com_sd_forward, kPositive),
          option("com_sd_sideways", "m", "sd of the centre of mass, sideways; times the weight a moment", kMotion,
                 &O::com_sd_sideways, kPositive),
          option("yaw_sd", "N·m", "sd of the motion's moment about the vertical", kMotion, &O::yaw_sd, kPositive),
          option("delay", "s", "sd of the motion's time, times the rate of the total wrench", kMotion, &O::delay),
          option("motion_share", "1", "sd of what the motion adds to weight, as a share of it", kMotion,
                 &O::motion_share),
          option("motion_window", "s", "half the time over which rate and addition are averaged", "our choice",
                 &O::motion_window, kPositive),
          option("total_correlation", "s", "correlation time of the total wrench's error", kMotion,
                 &O::total_correlation, kPositive),
          option("com_constant_forward", "m", "sd of a centre of mass that errs alike all through a trial, forward",
                 kConstant, &O::com_constant_forward),
          option("com_constant_sideways", "m", "the same sideways", kConstant, &O::com_constant_sideways),
          option("lean_constant_forward", "1",
                 "sd of a foot's force direction that errs alike all through a trial, forward", kConstant,
                 &O::lean_constant_forward),
          option("lean_constant_sideways", "1", "the same sideways", kConstant, &O::lean_constant_sideways),
          option("lean_forward", "1", "how far the force leans towards the centre of mass, forward; 1: it points there",
                 kPlates, &O::lean_forward),
          option("lean_sideways", "1", "the same sideways", kPlates, &O::lean_sideways),
          option("lean_sd_forward", "1", "sd of the horizontal over the vertical force, forward", kPlates,
                 &O::lean_sd_forward, kPositive),
          option("lean_sd_sideways", "1", "sd of the horizontal over the vertical force, sideways", kPlates,
                 &O::lean_sd_sideways, kPositive),
          option("free_moment_sd", "m", "sd of the moment about the force's line, over the vertical force", kPlates,
                 &O::free_moment_sd, kPositive),
          option("foot_correlation", "s", "correlation time of force direction, centre of pressure and free moment",
                 kPlates, &O::foot_correlation, kPositive),
          option("load_sd_raised", "1", "sd of a raised foot's load, as a share of the weight",
                 "our choice: 2 N of a person", &O::load_sd_raised, kPositive),
          option("load_sd_touching", "1", "the same of a foot in contact", "our choice: no knowledge",
                 &O::load_sd_touching, kPositive),
          option("load_correlation", "s", "correlation time of a foot's load",
                 "short, since its sd changes with the contact", &O::load_correlation, kPositive),
          option("difference_sd", "1", "sd of the difference of two feet's loads, as a share of the weight",
                 "our choice: weak, uneven stances are possible", &O::difference_sd, kPositive),
          option("difference_correlation", "s", "correlation time of that difference", "our choice",
                 &O::difference_correlation, kPositive),
          option("shift_rate_quiet", "1/√s", "random walk of that difference with quiet feet",
                 "0.2 on force plates; 0.25 makes 40 % of the weight moved across in 2.5 s two sds",
                 &O::shift_rate_quiet, kPositive),
          option("shift_rate_step", "1/√s", "random walk of that difference near a step", kPlates, &O::shift_rate_step,
                 kPositive),
          option("step_window", "s", "time before and after a strike or toe-off that counts as near", kPlates,
                 &O::step_window),
          option("force_floor", "1", "share of the weight that replaces a smaller vertical force in ratios",
                 "our choice: the plates' 12 N", &O::force_floor, kPositive),
          option("step_time", "s", "how long before and after a strike or toe-off what follows counts, fading", kStrike,
                 &O::step_time, kPositive),
          option("step_correlation", "s", "correlation time there of direction, pressure and free moment", kStrike,
                 &O::step_correlation, kPositive),
          option("step_spread", "1", "by which their sds grow there, as a share of themselves", kStrike,
                 &O::step_spread),
          option("step_share_up", "1", "sd there of the motion's total force, vertical, as a share of the weight",
                 kStepShare, &O::step_share_up),
          option("step_share_forward", "1", "the same forward", kStepShare, &O::step_share_forward),
          option("step_share_sideways", "1", "the same sideways", kStepShare, &O::step_share_sideways),
          option("hidden_contact", "", "whether a contact besides the feet is possible: a chair, a wall, a hand",
                 "off: a declared contact makes the feet's loads less certain", &O::hidden_contact),
          option("hidden_behind", "m", "where it is expected, behind the centre of mass", "our choice: a chair",
                 &O::hidden_behind, kAnyNumber),
          option("hidden_location_sd", "m", "sd of its location, both ways", "our choice", &O::hidden_location_sd,
                 kPositive),
          option("hidden_sd_still", "1", "sd of its load while the body stands still, as a share of the weight",
                 "our choice: half the weight", &O::hidden_sd_still, kPositive),
          option("hidden_sd_moving", "1", "sd of its load in any case", "our choice: 3 N of a person",
                 &O::hidden_sd_moving, kPositive),
          option("hidden_speed", "m/s", "horizontal speed of the centre of mass at which a body moves on",
                 "a chair does not walk: 40 % of a slow walk", &O::hidden_speed, kPositive),
          option("hidden_lean_sd", "1", "sd of its horizontal over its vertical force",
                 "0.001: a chair pushes upwards; a free direction takes what the feet's forces do not fit",
                 &O::hidden_lean_sd, kPositive),
          option("hidden_correlation", "s", "correlation time of its load, location and direction", "our choice",
                 &O::hidden_correlation, kPositive),
          option("hidden_z", "sd", "how far above zero its load is where it is seen",
                 "3: chance exceeds it 13 times in 10 000 on one side", &O::hidden_z, kPositive),
          option("hidden_z_end", "sd", "how far above zero it still counts, once seen",
                 "1.645: as long as its 95 % lower bound is above zero", &O::hidden_z_end, kPositive),
          option("hidden_shortest", "s", "how long it is seen at least", "our choice", &O::hidden_shortest),
          option("most_iterations", "1", "Gauss–Newton steps at most",
                 "10 to 20 are usual, some 50 with a hidden contact", &O::most_iterations, at_least(1)),
          option("tolerance", "1", "decrease of the cost, per row of the problem, at which it has converged",
                 "1e-10: the wrenches stay within 0.1 N", &O::tolerance, kPositive),
      });
  return table;
}

namespace {
const OptionGroup kSplitGroup(SplitOptions{});
}

}  // namespace antaeus
