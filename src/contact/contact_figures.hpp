#pragma once
// What is told of all frames of a motion, counted as they come. Private to contact and report.
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/contact/contact_result.hpp"

namespace antaeus::detail {

/// Largest, least and mean of what was added, numbers only.
struct Spread {
  double least = kNaN, largest = kNaN, sum = 0.0, squares = 0.0;
  Eigen::Index at_least = -1, at_largest = -1, count = 0;
  void add(double value, Eigen::Index at) {
    if (!std::isfinite(value)) return;
    if (!(least <= value)) least = value, at_least = at;
    if (!(largest >= value)) largest = value, at_largest = at;
    sum += value, squares += value * value, ++count;
  }
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : kNaN; }
  double rms() const { return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : kNaN; }
};

/// What is broken, by subject and kind.
struct BrokenLimit {
  std::string subject;
  LimitKind kind = LimitKind::unilateral;
  Spread size;  ///< [N]
};

class ContactReading;

/// Frames count from the motion's first.
struct ContactFigures {
  struct OfContact {
    Spread vertical, horizontal;  ///< of all frames [N]
    Spread pushing, sd;           ///< vertical while it touches, and one sd of it [N]
    double pushing_sd = kNaN;     ///< where pushing is largest
    Eigen::Index touching = 0;
    std::array<Spread, 6> component, size;  ///< in the axes of the request, with sign and without
    std::array<double, 6> largest = {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};  ///< where `size` is
  };
  struct OfJoint {
    Spread size;
    double largest = kNaN;  ///< with its sign
  };
  struct OfPair {
    Spread squeeze, sd;
  };

  Eigen::Index frames = 0;
  bool clock = true;  ///< every frame has a time, and none goes back
  double time_begin = kNaN, time_end = kNaN;
  double dt = kNaN;
  std::vector<OfContact> contacts;
  std::vector<OfJoint> joints;
  std::vector<OfPair> pairs;
  std::array<Spread, 5> margins;           ///< in the order of kMarginFields
  Spread residual_force, residual_moment;  ///< as a page tells them
  Spread left_force, left_moment;          ///< as they are
  Spread root_force, root_moment;          ///< of the torques' first six rows
  Spread root_change;
  Eigen::Index changed = 0;  ///< frames of root_change
  double root_change_squares = 0.0;
  Eigen::Index bad = 0;  ///< frames without numbers
  bool any_wrench = false;
  int together = 0;                 ///< contacts that touch at a time, at most
  Eigen::Index unknowns = 0;        ///< of them, at most
  std::vector<BrokenLimit> broken;  ///< in the order in which they were met
  Eigen::Index broken_frames = 0, last_broken = -1;
  Spread broken_size, most_vertical, most_held;  ///< over all subjects, contacts

  /// The next frames.
  void take(const ContactReading& block);
  bool has_clock() const { return clock && frames > 0; }
  /// Of a frame that one of the spreads names; NaN of others, and without a clock.
  double time_at(Eigen::Index frame) const;

 private:
  void take_contacts(const ContactReading& block, Eigen::Index first);
  void take_torques(const ContactReading& block, Eigen::Index first);
  void take_limits(const ContactReading& block, Eigen::Index first);
  void keep_times(const ContactReading& block, Eigen::Index first);
  std::map<Eigen::Index, double> times_;
};

inline constexpr double FrameMargins::* kMarginFields[] = {
    &FrameMargins::unilateral, &FrameMargins::friction, &FrameMargins::cop, &FrameMargins::yaw, &FrameMargins::torque};

/// Of all frames: those that came with the result, else counted from its rows.
std::shared_ptr<const ContactFigures> figures_of(const ContactResult& result);

}  // namespace antaeus::detail
