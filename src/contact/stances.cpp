#include "contact/stances.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "contact/over_time.hpp"

namespace antaeus {

namespace {

constexpr double kDegree = 0.017453292519943295;
constexpr double kTurn = 15.0 * kDegree;      ///< pitch at which a foot has mostly left its flat stance
constexpr double kSameRoll = 10.0 * kDegree;  ///< of the smallest roll: the foot is as flat as it gets
constexpr double kStill = 0.25;               ///< [m/s] speed of a foot that stands
constexpr double kWindow = 0.03;              ///< [s] half the time over which a speed is fitted
constexpr double kNear = 0.1;                 ///< [s] before and after a stance in which its place still counts

/// What a foot's frame says in one row, axes level.
struct Attitude {
  Vector3 place, forward;
  double pitch, roll, speed;
};

std::vector<Attitude> attitudes(const TotalMotion& motion, const FootMotion& foot, const Sole& sole) {
  const Matrix3 level = level_axes(motion.up);
  const Vector3 right = sole.forward.cross(sole.up);
  MatrixX places(motion.rows(), 3);
  std::vector<Attitude> result;
  Vector3 last = Vector3::UnitX();
  for (Eigen::Index i = 0; i < motion.rows(); ++i) {
    const Pose& pose = foot.pose[static_cast<std::size_t>(i)];
    const Vector3 ahead = level * pose.rotation * sole.forward, aside = level * pose.rotation * right;
    Attitude now{level * pose.translation, {ahead.x(), ahead.y(), 0.0}, 0, 0, 0};
    const double length = now.forward.norm();
    now.forward = length > 0.1 ? Vector3(now.forward / length) : last;  // upright: the heading that it had
    last = now.forward;
    now.pitch = std::asin(std::clamp(ahead.z(), -1.0, 1.0));
    now.roll = std::asin(std::clamp(aside.z(), -1.0, 1.0));
    places.row(i) = now.place.transpose();
    result.push_back(now);
  }
  const MatrixX velocity = savitzky_golay(motion.time, places, fit_over(motion.time, kWindow)).first;
  for (Eigen::Index i = 0; i < motion.rows(); ++i) result[static_cast<std::size_t>(i)].speed = velocity.row(i).norm();
  return result;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Get>
double median_of(const std::vector<Attitude>& rows, Get&& get) {
  std::vector<double> values;
  for (const Attitude& one : rows) values.push_back(get(one));
  return median(std::move(values));
}

/// A foot that stands as these rows say.
struct Stance {
  Vector3 place, forward;
  double pitch;
};

Stance stance_of(const std::vector<Attitude>& rows) {
  std::vector<Attitude> still;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(still), [](const Attitude& a) { return a.speed < kStill; });
  if (still.empty()) still = rows;
  const double flat = median_of(still, [](const Attitude& a) { return a.pitch; });
  std::erase_if(still, [&](const Attitude& a) { return std::abs(a.pitch - flat) > kSameRoll; });
  const auto less = [](const Attitude& a, const Attitude& b) { return std::abs(a.roll) < std::abs(b.roll); };
  const double smallest = std::min_element(still.begin(), still.end(), less)->roll;
  std::erase_if(still, [&](const Attitude& a) { return std::abs(a.roll - smallest) > kSameRoll; });
  // Medians along and across the mean heading, so that no axis of the world matters.
  Vector3 mean = Vector3::Zero();
  for (const Attitude& one : still) mean += one.forward;
  mean = mean.norm() > 0.1 ? Vector3(mean.normalized()) : still.front().forward;
  const Matrix3 axes = (Matrix3() << mean, mean.cross(Vector3::UnitZ()), Vector3::UnitZ()).finished();
  const auto median_vector = [&](auto&& get) {
    Vector3 result;
    for (int k = 0; k < 3; ++k) {
      result[k] = median_of(still, [&](const Attitude& one) { return axes.col(k).dot(get(one)); });
    }
    return Vector3(axes * result);
  };
  Stance stance;
  stance.place = median_vector([](const Attitude& one) { return one.place; });
  stance.forward = median_vector([](const Attitude& one) { return one.forward; });
  stance.forward = stance.forward.norm() > 0.1 ? Vector3(stance.forward.normalized()) : mean;
  stance.pitch = median_of(still, [](const Attitude& a) { return a.pitch; });
  return stance;
}

Footing footing_of(const Stance& stance, double pitch, const Sole& sole) {
  Footing result;
  result.turn = std::tanh((stance.pitch - pitch) / kTurn);
  result.forward = stance.forward;
  result.c = stance.place + (sole.flat + rolled(sole, result.turn)) * stance.forward;
  result.c.z() = stance.place.z() - sole.depth;
  return result;
}

/// Towards the other feet, on the side where they are most of the time.
void move_inwards(std::vector<std::vector<Footing>>& feet, double by) {
  if (feet.size() < 2) return;
  std::vector<double> side(feet.size(), 0.0);
  const std::size_t rows = feet.front().size();
  const auto right = [](const Footing& one) { return one.forward.cross(Vector3::UnitZ()); };
  for (std::size_t f = 0; f < feet.size(); ++f) {
    for (std::size_t i = 0; i < rows; ++i) {
      Vector3 others = Vector3::Zero();
      for (std::size_t o = 0; o < feet.size(); ++o) others += feet[o][i].c - feet[f][i].c;
      side[f] += others.dot(right(feet[f][i]));
    }
  }
  for (std::size_t f = 0; f < feet.size(); ++f) {
    for (Footing& one : feet[f]) one.c += (side[f] > 0 ? by : -by) * right(one);
  }
}

}  // namespace

Matrix3 level_axes(int up) {
  if (up != 1) return Matrix3::Identity();
  return (Matrix3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();
}

std::vector<std::vector<Footing>> footings(const TotalMotion& motion, const ContactTiming& timing, const Sole& sole) {
  std::vector<std::vector<Footing>> feet;
  for (const FootMotion& foot : motion.feet) {
    const std::vector<Attitude> rows = attitudes(motion, foot, sole);
    const std::vector<FootContact> intervals = timing.contacts_of(foot.name);
    std::vector<Stance> stances;
    for (const FootContact& one : intervals) {
      std::vector<Attitude> own;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double t = motion.time[static_cast<Eigen::Index>(i)];
        if (t >= one.from && t <= one.to) own.push_back(rows[i]);
      }
      stances.push_back(own.empty() ? stance_of(rows) : stance_of(own));
    }
    std::vector<Footing> footing;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double t = motion.time[static_cast<Eigen::Index>(i)];
      // The nearest stance, in which the foot stands, or of which it has the flat pitch on its way.
      std::size_t nearest = 0;
      double away = kInfinity;
      for (std::size_t s = 0; s < stances.size(); ++s) {
        const double apart = std::max({0.0, intervals[s].from - t, t - intervals[s].to});
        if (apart < away) {
          away = apart;
          nearest = s;
        }
      }
      Stance stance{rows[i].place, rows[i].forward, stances.empty() ? rows[i].pitch : stances[nearest].pitch};
      if (away <= kNear) stance = stances[nearest];
      footing.push_back(footing_of(stance, away <= kNear ? rows[i].pitch : stance.pitch, sole));
    }
    feet.push_back(std::move(footing));
  }
  move_inwards(feet, sole.medial);
  return feet;
}

}  // namespace antaeus
