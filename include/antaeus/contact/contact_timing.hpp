#pragma once
/// \file
/// When feet touch the ground, from their motion alone.
///
/// A point touches that is low **and** slow. One threshold does not do: the heel of a standing human drifts by 3 cm
/// with the posture, and a foot swings through only 2 cm above the ground. So there are two rules, and a point that
/// meets either touches:
///
///     planted   slower than 0.25 m/s, lower than 6 cm, hardly accelerated,
///     touching  lower than 1.8 cm, slower than 0.9 m/s: the instants of strike and toe-off.
///
/// Heights are above the point's own 10th percentile, so that no height of the ground needs to be known. Limits are
/// soft, which gives a probability. A foot touches as much as the most certain of its points. The probability is
/// smoothed over time and passes two thresholds, one to begin a contact and a lower one to end it.

#include <span>
#include <string>
#include <vector>

#include "antaeus/contact/sole.hpp"
#include "antaeus/contact/total_motion.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"

namespace antaeus {

struct TimingOptions {
  double planted_speed = 0.25;        ///< [m/s] of a planted point
  double planted_height = 0.06;       ///< [m] of a planted point above its low level
  double planted_acceleration = 6.0;  ///< [m/s²] of a planted point; a foot at the top of a small step is slow too
  double touch_speed = 0.9;           ///< [m/s] of a point that strikes or leaves
  double touch_height = 0.018;        ///< [m] of a point that strikes or leaves, above its low level
  double softness = 0.1;              ///< [1] width of each limit, as a share of it
  double low_share = 0.1;             ///< [1] share of the time that a point spends below its low level
  double same_level = 0.06;           ///< [m] a foot whose low level is higher than the lowest foot's by more is raised
  double window = 0.03;               ///< [s] half the time over which speed and acceleration are fitted
  double smoothing = 0.02;            ///< [s] half the time over which the probability is averaged
  double begin = 0.6;                 ///< [1] probability at which a contact begins
  double end = 0.4;                   ///< [1] probability at which it ends
  double shortest = 0.05;             ///< [s] a shorter contact, or gap, is none
};
ANTAEUS_API const OptionTable& options_of(const TimingOptions&);

/// Points of a foot, or of anything that may touch, over time.
struct ContactPoints {
  std::string foot;
  std::vector<MatrixX> points;  ///< of each point rows × 3, in the world [m]
};

/// One contact of one foot.
struct FootContact {
  std::string foot;
  double from = kNaN, to = kNaN;
  double probability = kNaN;
};
constexpr void visit_fields(const FootContact*, auto&& visit) {
  using F = FootContact;
  visit(field("contact", "", "", &F::foot));
  visit(field("from", "s", "between rows; a contact that the log cuts begins or ends with it", &F::from));
  visit(field("to", "s", "likewise", &F::to));
  visit(field("probability", "1", "mean over the interval", &F::probability));
}

struct ANTAEUS_API ContactTiming {
  VectorX time;                        ///< [s]
  std::vector<std::string> feet;       ///< columns of probability
  MatrixX probability;                 ///< rows × feet, 0 … 1
  std::vector<FootContact> intervals;  ///< by foot, then by time

  /// The intervals of one foot, in time.
  std::vector<FootContact> contacts_of(const std::string& foot) const;
};

/// \param time  [s], increasing, at least three rows
/// \param up    vertical axis of the world: 0, 1, 2
/// \throws Error for sizes that do not fit, NaN and time that does not increase; OptionsError
ANTAEUS_API ContactTiming detect_contacts(const VectorX& time, int up, std::span<const ContactPoints> feet,
                                          const TimingOptions& options = {});

/// The same of a motion's feet, with the rearmost and the foremost point of the sole.
ANTAEUS_API ContactTiming detect_contacts(const TotalMotion& motion, const Sole& sole = {},
                                          const TimingOptions& options = {});

}  // namespace antaeus
