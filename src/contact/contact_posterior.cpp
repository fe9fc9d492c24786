#include "antaeus/contact/contact_posterior.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "contact/frame_algebra.hpp"
#include "contact/split_problem.hpp"
#include "contact/stances.hpp"
#include "core/cross_matrix.hpp"

namespace antaeus {

namespace {

constexpr double kCovered = 0.95;
const double kTwoSided = normal_quantile(0.5 * (1.0 + kCovered));  ///< 1.96
const double kOneSided = normal_quantile(kCovered);                ///< 1.645
/// A mean this many sds below the bound counts as there: a tail beyond is not a number.
constexpr double kDeepest = -8.0;
constexpr std::size_t kMostContacts = 10;  ///< BlockTridiagonal's largest block is of 64 unknowns
constexpr double kShortestLever = 0.01;    ///< [m] between a hidden contact and the feet: nearer, it is one of them

/// [from, to] of highest density of a normal distribution that is cut at 0.
struct Interval {
  double from, to;
};
Interval pushing(double mean, double sd) {
  const double deep = std::max(mean / sd, kDeepest);
  const double mass = normal_cdf(deep);  // above 0
  const double half = normal_quantile(0.5 * (1.0 + kCovered * mass));
  if (deep >= half) return {mean - half * sd, mean + half * sd};
  // Φ(u) of the upper end: 1 − (1 − 0.95) mass
  return {0.0, std::max(0.0, (deep - normal_quantile((1.0 - kCovered) * mass)) * sd)};
}

void check_fit(const TotalMotion& motion, const ContactTiming& timing, const SplitOptions& options) {
  check(motion);
  const std::string place = "contacts of " + motion.name;
  if (motion.feet.size() + (options.hidden_contact ? 1 : 0) > kMostContacts) {
    throw Error(place, std::to_string(motion.feet.size()) + " feet", "name at most ten contacts");
  }
  if (timing.time.size() != motion.rows() || timing.probability.rows() != motion.rows() ||
      timing.probability.cols() != std::ssize(motion.feet) || timing.feet.size() != motion.feet.size()) {
    throw Error(place, "the timing has other rows or feet than the motion", "detect or give them for this motion");
  }
  for (std::size_t f = 0; f < motion.feet.size(); ++f) {
    if (timing.feet[f] != motion.feet[f].name) {
      throw Error(place,
                  "foot " + std::to_string(f + 1) + " is '" + printable(motion.feet[f].name) + "' here and '" +
                      printable(timing.feet[f]) + "' in the timing",
                  "keep one order");
    }
  }
  if (!timing.probability.allFinite()) throw Error(place, "a probability is not finite", "give 0 to 1");
}

/// From (f, m about c) in level axes to (f, m about p) in the world's.
Matrix6 transport(const Matrix3& world, const Vector3& from_p_to_c) {
  Matrix6 T = Matrix6::Zero();
  T.topLeftCorner<3, 3>() = T.bottomRightCorner<3, 3>() = world;
  T.bottomLeftCorner<3, 3>() = world * detail::cross_matrix(from_p_to_c);
  return T;
}

class Result {
 public:
  Result(const TotalMotion& motion, const SplitProblem& problem, const SplitSolution& solution)
      : motion_(motion), problem_(problem), solution_(solution), world_(level_axes(motion.up).transpose()) {}

  void feet(ContactPosterior& result) const {
    const Eigen::Index rows = motion_.rows();
    for (int f = 0; f < problem_.body.feet; ++f) {
      FootWrenches foot{motion_.feet[static_cast<std::size_t>(f)].name, MatrixX(rows, 6), {}, {}, {}, MatrixX(rows, 3)};
      foot.lower = foot.upper = foot.mean;
      for (Eigen::Index t = 0; t < rows; ++t) {
        const Matrix6 T = at_foot(t, f);
        const Vector6 w = T * solution_.w.row(t).segment<6>(6 * f).transpose();
        const Matrix6 covariance = T * block(t, f, f) * T.transpose();
        const Vector6 sd = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
        foot.mean.row(t) = w.transpose();
        foot.lower.row(t) = (w - kTwoSided * sd).transpose();
        foot.upper.row(t) = (w + kTwoSided * sd).transpose();
        const Interval up = pushing(w[motion_.up], sd[motion_.up]);
        foot.lower(t, motion_.up) = up.from;
        foot.upper(t, motion_.up) = up.to;
        foot.covariance.push_back(covariance);
        foot.reference.row(t) = (world_ * contact(t, f).c).transpose();
      }
      result.feet.push_back(std::move(foot));
    }
  }

  void pairs(ContactPosterior& result, const ContactTiming& timing) const {
    for (int a = 0; a < problem_.body.feet; ++a) {
      for (int b = a + 1; b < problem_.body.feet; ++b) {
        result.pairs.push_back(pair(a, b));
        const auto together = timing.probability.col(a).cwiseMin(timing.probability.col(b)).maxCoeff();
        if (!(together > 0.5)) continue;
        const std::string names =
            result.feet[static_cast<std::size_t>(a)].name + " and " + result.feet[static_cast<std::size_t>(b)].name;
        result.unobservable.push_back("squeeze between " + names);
        result.unobservable.push_back("centres of pressure of " + names + " against each other");
        result.unobservable.push_back("free moments of " + names + " against each other");
      }
    }
    if (problem_.body.feet > 3) {
      result.unobservable.push_back(std::to_string(problem_.body.feet - 3) + " patterns of load among " +
                                    std::to_string(problem_.body.feet) +
                                    " feet that leave sum and moments as they are");
    }
  }

  void hidden(HiddenTrace& trace) const {
    const Eigen::Index rows = motion_.rows();
    const int at = problem_.body.feet;
    const double floor = problem_.body.options.force_floor * problem_.body.weight;
    trace.force.resize(rows);
    trace.sd.resize(rows);
    trace.z.resize(rows);
    trace.lower.resize(rows);
    trace.place.resize(rows, 3);
    trace.place_sd.resize(rows);
    for (Eigen::Index t = 0; t < rows; ++t) {
      const Vector6 w = solution_.w.row(t).segment<6>(6 * at).transpose();
      const Matrix6 covariance = block(t, at, at);
      const double force = w[2], sd = std::sqrt(std::max(0.0, covariance(2, 2)));
      // p = (−m_y, m_x)/f about c; first order in the wrench.
      const double up = std::max(force, floor);
      const Vector3 offset(-w[4] / up, w[3] / up, 0.0), place = contact(t, at).c + offset;
      trace.place.row(t) = (world_ * place).transpose();
      Eigen::Matrix<double, 2, 6> J = Eigen::Matrix<double, 2, 6>::Zero();
      J(0, 4) = -1.0 / up;
      J(1, 3) = 1.0 / up;
      J.col(2) = -offset.head<2>() / up;
      trace.place_sd[t] = std::sqrt(std::max(0.0, (J * covariance * J.transpose()).diagonal().maxCoeff()));
      // The motion shows the force times its lever to the feet. A chair does not move, so that an error of its place
      // stays, however long it is watched, and the force errs with it in proportion.
      const double lever = std::max((place - feet_centre(t)).head<2>().norm(), kShortestLever);
      trace.force[t] = force;
      trace.z[t] = force / sd;
      trace.sd[t] = std::hypot(sd, up * problem_.body.options.hidden_location_sd / lever);
      trace.lower[t] = std::max(0.0, force - kOneSided * trace.sd[t]);
    }
    VectorX sds = trace.sd;
    std::nth_element(sds.begin(), sds.begin() + rows / 2, sds.end());
    trace.resolution = sds[rows / 2];
    seen(trace);
  }

 private:
  const KnownContact& contact(Eigen::Index t, int f) const {
    return problem_.rows[static_cast<std::size_t>(t)].contacts[static_cast<std::size_t>(f)];
  }
  Matrix6 block(Eigen::Index t, int a, int b) const {
    return solution_.covariance[static_cast<std::size_t>(t)].block<6, 6>(6 * a, 6 * b);
  }
  Matrix6 at_foot(Eigen::Index t, int f) const {
    const Pose& pose = motion_.feet[static_cast<std::size_t>(f)].pose[static_cast<std::size_t>(t)];
    return transport(world_, contact(t, f).c - world_.transpose() * pose.translation);
  }

  /// Where the feet's reference points are on average, by how much each may carry.
  Vector3 feet_centre(Eigen::Index t) const {
    Vector3 sum = Vector3::Zero();
    double all = 0.0;
    for (int f = 0; f < problem_.body.feet; ++f) {
      sum += contact(t, f).c * contact(t, f).load_sd;
      all += contact(t, f).load_sd;
    }
    return sum / all;
  }

  FootPair pair(int a, int b) const {
    const Eigen::Index rows = motion_.rows();
    FootPair result{a, b, {}, MatrixX(rows, 3), VectorX(rows), VectorX(rows)};
    for (Eigen::Index t = 0; t < rows; ++t) {
      result.covariance.emplace_back(at_foot(t, a) * block(t, a, b) * at_foot(t, b).transpose());
      Vector3 d = contact(t, b).c - contact(t, a).c;
      d.z() = 0.0;
      d = d.norm() > 1e-6 ? Vector3(d.normalized()) : Vector3::UnitX();
      result.direction.row(t) = (world_ * d).transpose();
      const auto w = solution_.w.row(t);
      result.squeeze[t] = 0.5 * (w.segment<3>(6 * a) - w.segment<3>(6 * b)).dot(d.transpose());
      const Matrix3 difference =
          (block(t, a, a) + block(t, b, b) - block(t, a, b) - block(t, b, a)).topLeftCorner<3, 3>();
      result.squeeze_sd[t] = 0.5 * std::sqrt(std::max(0.0, d.dot(difference * d)));
    }
    return result;
  }

  /// Intervals in which the force is above `hidden_z_end` sds, and above `hidden_z` long enough.
  void seen(HiddenTrace& trace) const {
    const SplitOptions& o = problem_.body.options;
    const VectorX& z = trace.z;
    const VectorX& time = motion_.time;
    for (Eigen::Index first = 0; first < z.size(); ++first) {
      if (!(z[first] > o.hidden_z_end)) continue;
      Eigen::Index last = first, above = -1;
      bool certain = false;
      for (Eigen::Index t = first; t < z.size() && z[t] > o.hidden_z_end; ++t) {
        last = t;
        above = z[t] > o.hidden_z ? (above < 0 ? t : above) : -1;
        certain = certain || (above >= 0 && time[t] - time[above] >= o.hidden_shortest);
      }
      if (certain) trace.seen.push_back(one_seen(trace, first, last));
      first = last;
    }
  }

  HiddenContact one_seen(const HiddenTrace& trace, Eigen::Index first, Eigen::Index last) const {
    const Eigen::Index count = last - first + 1;
    const VectorX force = trace.force.segment(first, count), sd = trace.sd.segment(first, count);
    HiddenContact contact;
    contact.from = motion_.time[first];
    contact.to = motion_.time[last];
    contact.size = force.mean();
    contact.sd = sd.mean();  // rows err together: their mean is not better known than one of them
    contact.lower = trace.lower.segment(first, count).mean();
    contact.place = (trace.place.middleRows(first, count).transpose() * force) / force.sum();
    contact.place_sd = trace.place_sd.segment(first, count).dot(force) / force.sum();
    contact.z = trace.z.segment(first, count).maxCoeff();
    return contact;
  }

  const TotalMotion& motion_;
  const SplitProblem& problem_;
  const SplitSolution& solution_;
  Matrix3 world_;
};

void check_split(const SplitOptions& options, const Sole& sole) {
  check_options(options);
  if (options.hidden_z_end > options.hidden_z) {
    throw OptionsError("split.hidden_z_end", shortest_text(options.hidden_z_end) + " is above split.hidden_z",
                       "let what was seen end lower");
  }
  if (!(sole.along_sd > 0) || !(sole.across_sd > 0) || std::abs(sole.forward.norm() - 1) > 1e-6 ||
      std::abs(sole.up.norm() - 1) > 1e-6 || std::abs(sole.forward.dot(sole.up)) > 1e-6) {
    throw OptionsError("sole", "sds that are not positive, or axes that are not perpendicular units",
                       "give along_sd, across_sd > 0 and unit vectors forward and up");
  }
}

}  // namespace

ContactPosterior split_contacts(const TotalMotion& motion, const ContactTiming& timing, const Sole& sole,
                                const SplitOptions& options) {
  check_split(options, sole);
  check_fit(motion, timing, options);
  const SplitProblem problem = split_problem(motion, timing, sole, options);
  const SplitSolution solution = solve(problem, timing);
  ContactPosterior result;
  result.time = motion.time;
  result.up = motion.up;
  result.iterations = solution.iterations;
  result.converged = solution.converged;
  result.cost = solution.cost;
  if (!solution.solved) {
    result.remark = "the equations of the wrenches have no finite solution";
    return result;
  }
  result.status = Status::ok;
  if (!solution.converged) {
    result.remark = "not converged after " + std::to_string(solution.iterations) + " iterations";
  }
  result.nis = solution.nis;
  result.nis_dof = solution.nis_dof;
  const Result parts(motion, problem, solution);
  parts.feet(result);
  parts.pairs(result, timing);
  if (options.hidden_contact) parts.hidden(result.hidden);
  for (Eigen::Index f = 0; f < timing.probability.cols(); ++f) {
    if (timing.probability.col(f).maxCoeff() < 0.5) {
      result.remark += (result.remark.empty() ? "" : "; ") + timing.feet[static_cast<std::size_t>(f)] +
                       " is never in contact: its wrench is the remainder for a raised foot";
    }
  }
  return result;
}

}  // namespace antaeus
