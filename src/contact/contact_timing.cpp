#include "antaeus/contact/contact_timing.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/signal/savitzky_golay.hpp"
#include "contact/over_time.hpp"

namespace antaeus {

namespace {

void check_times(const VectorX& time) {
  if (time.size() < 3) throw Error("contact timing", "fewer than three rows", "give more of the motion");
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    if (!std::isfinite(time[i]) || (i > 0 && !(time[i] > time[i - 1]))) {
      throw Error("contact timing row " + std::to_string(i + 1), "time does not increase",
                  "sort the rows and remove repeated ones");
    }
  }
}

void check_hysteresis(const TimingOptions& options) {
  check_options(options);
  if (options.end > options.begin) {
    throw OptionsError("timing.end", shortest_text(options.end) + " is above timing.begin", "let a contact end lower");
  }
}

/// 1 well below the limit, 0 well above, ½ on it.
double below(double value, double limit, double softness) {
  return 1.0 / (1.0 + std::exp((value / limit - 1.0) / softness));
}

/// Height of a point that it falls short of for this share of its time.
double low_level(VectorX height, double share) {
  const auto place = static_cast<Eigen::Index>(std::floor(share * static_cast<double>(height.size() - 1)));
  std::nth_element(height.begin(), height.begin() + place, height.end());
  return height[place];
}

VectorX point_probability(const VectorX& time, const MatrixX& point, int up, double level, const TimingOptions& o) {
  const SmoothedLog moved = savitzky_golay(time, point, fit_over(time, o.window));
  VectorX probability(time.size());
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    const double height = point(i, up) - level, speed = moved.first.row(i).norm();
    const double planted = below(speed, o.planted_speed, o.softness) * below(height, o.planted_height, o.softness) *
                           below(moved.second.row(i).norm(), o.planted_acceleration, o.softness);
    const double touching = below(speed, o.touch_speed, o.softness) * below(height, o.touch_height, o.softness);
    probability[i] = 1.0 - (1.0 - planted) * (1.0 - touching);
  }
  return probability;
}

/// Rows [first, last] of each contact: it begins at `begin`, and ends where the probability falls below `end`.
std::vector<std::pair<Eigen::Index, Eigen::Index>> contacts_of(const VectorX& time, const VectorX& probability,
                                                               const TimingOptions& o) {
  std::vector<std::pair<Eigen::Index, Eigen::Index>> found;
  bool touching = false;
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    const bool begins = !touching && probability[i] >= o.begin;
    touching = begins || (touching && probability[i] >= o.end);
    if (begins) {
      // A short gap is none: the last contact goes on.
      if (!found.empty() && time[i] - time[found.back().second] < o.shortest) {
        found.back().second = i;
      } else {
        found.emplace_back(i, i);
      }
    }
    if (touching) found.back().second = i;
  }
  std::erase_if(found, [&](const auto& one) {
    const bool cut = one.first == 0 || one.second == time.size() - 1;
    return !cut && time[one.second] - time[one.first] < o.shortest;
  });
  return found;
}

/// When the probability, straight between rows i and i + 1, passes a limit.
double crossing(const VectorX& time, const VectorX& probability, Eigen::Index i, double limit) {
  const double change = probability[i + 1] - probability[i];
  const double share = change == 0.0 ? 0.5 : std::clamp((limit - probability[i]) / change, 0.0, 1.0);
  return time[i] + share * (time[i + 1] - time[i]);
}

void add_intervals(ContactTiming& timing, const TimingOptions& o) {
  for (Eigen::Index f = 0; f < timing.probability.cols(); ++f) {
    const VectorX probability = timing.probability.col(f);
    for (const auto& [first, last] : contacts_of(timing.time, probability, o)) {
      const VectorX& time = timing.time;
      const double from = first > 0 ? crossing(time, probability, first - 1, o.begin) : time[0];
      const double to = last + 1 < time.size() ? crossing(time, probability, last, o.end) : time[last];
      timing.intervals.push_back(
          {timing.feet[static_cast<std::size_t>(f)], from, to, probability.segment(first, last - first + 1).mean()});
    }
  }
}

}  // namespace

std::vector<FootContact> ContactTiming::contacts_of(const std::string& foot) const {
  std::vector<FootContact> own;
  std::copy_if(intervals.begin(), intervals.end(), std::back_inserter(own),
               [&](const FootContact& one) { return one.foot == foot; });
  return own;
}

ContactTiming detect_contacts(const VectorX& time, int up, std::span<const ContactPoints> feet,
                              const TimingOptions& options) {
  check_hysteresis(options);
  check_times(time);
  if (up < 0 || up > 2) throw Error("contact timing", "axis " + std::to_string(up) + " is no vertical", "give 0 to 2");
  std::vector<double> low;  // level of each foot's lowest point
  for (const ContactPoints& foot : feet) {
    low.push_back(kInfinity);
    for (const MatrixX& point : foot.points) {
      if (point.rows() != time.size() || point.cols() != 3 || !point.allFinite()) {
        throw Error("contact timing, foot " + printable(foot.foot), "a point is not rows × 3 finite numbers",
                    "give one position per time");
      }
      low.back() = std::min(low.back(), low_level(point.col(up), options.low_share));
    }
    if (foot.points.empty())
      throw Error("contact timing", "foot " + printable(foot.foot) + " has no point", "give one");
  }
  const double ground = low.empty() ? 0.0 : *std::min_element(low.begin(), low.end());
  ContactTiming timing;
  timing.time = time;
  timing.probability.resize(time.size(), std::ssize(feet));
  for (std::size_t f = 0; f < feet.size(); ++f) {
    timing.feet.push_back(feet[f].foot);
    VectorX probability = VectorX::Zero(time.size());
    // A foot that was never down has no low level of its own.
    const double raised = low[f] - ground > options.same_level ? low[f] - ground : 0.0;
    for (const MatrixX& point : feet[f].points) {
      const double level = low_level(point.col(up), options.low_share) - raised;
      probability = probability.cwiseMax(point_probability(time, point, up, level, options));
    }
    timing.probability.col(static_cast<Eigen::Index>(f)) = averaged(time, probability, options.smoothing);
  }
  add_intervals(timing, options);
  return timing;
}

ContactTiming detect_contacts(const TotalMotion& motion, const Sole& sole, const TimingOptions& options) {
  check(motion);
  std::vector<ContactPoints> feet;
  for (const FootMotion& foot : motion.feet) {
    ContactPoints points{foot.name, {}};
    for (const double ahead : {sole.back, sole.front}) {
      MatrixX place(motion.rows(), 3);
      for (Eigen::Index i = 0; i < motion.rows(); ++i) {
        const Pose& pose = foot.pose[static_cast<std::size_t>(i)];
        place.row(i) = (pose.translation + pose.rotation * (ahead * sole.forward)).transpose();
      }
      points.points.push_back(std::move(place));
    }
    feet.push_back(std::move(points));
  }
  return detect_contacts(motion.time, motion.up, feet, options);
}

const OptionTable& options_of(const TimingOptions&) {
  using O = TimingOptions;
  static const char* const kPlates = "one person's steps on force plates";
  static const OptionTable table(
      "timing",
      {
          option("planted_speed", "m/s", "speed below which a low point is planted", kPlates, &O::planted_speed,
                 kPositive),
          option("planted_height", "m", "height above its low level below which a slow point is planted",
                 "twice the 3 cm by which the heel of a standing person drifts", &O::planted_height, kPositive),
          option("planted_acceleration", "m/s²", "acceleration above which a slow point is at the turn of a swing",
                 "the top of a step of 6 cm in 0.3 s: 8 · 0.06/0.3² = 5.3", &O::planted_acceleration, kPositive),
          option("touch_speed", "m/s", "speed below which a very low point strikes or leaves", kPlates, &O::touch_speed,
                 kPositive),
          option("touch_height", "m", "height above its low level below which a point strikes or leaves", kPlates,
                 &O::touch_height, kPositive),
          option("softness", "1", "width of each of these limits, as a share of it", "our choice", &O::softness,
                 kPositive),
          option("low_share", "1", "share of the time that a point spends below its low level",
                 "our choice: the 10th percentile", &O::low_share, kBelowOne),
          option("same_level", "m",
                 "a foot whose low level is higher than the lowest foot's by more counts as raised; more for stairs",
                 "twice the 3 cm by which the heel of a standing person drifts", &O::same_level),
          option("window", "s", "half the time over which speed and acceleration are fitted",
                 "our choice: a third of a heel strike", &O::window, kPositive),
          option("smoothing", "s", "half the time over which the probability is averaged", "our choice: two frames",
                 &O::smoothing),
          option("begin", "1", "probability at which a contact begins", "our choice", &O::begin, kProbability),
          option("end", "1", "probability at which a contact ends", "our choice", &O::end, kProbability),
          option("shortest", "s", "a shorter contact, or a shorter gap between two, is none",
                 "our choice: no step is as short", &O::shortest),
      });
  return table;
}

namespace {
const OptionGroup kTimingGroup(TimingOptions{});
}

}  // namespace antaeus
