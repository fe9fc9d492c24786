#include "contact/split_problem.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "contact/over_time.hpp"
#include "contact/stances.hpp"

namespace antaeus {

namespace {

constexpr double kRateWindow = 0.03;    ///< [s] half the time over which the total's rate is fitted
constexpr double kSpeedWindow = 0.15;   ///< [s] half the time over which the body's speed is fitted
constexpr double kHeadingWindow = 0.3;  ///< [s] half the time over which the body's heading is averaged
constexpr double kStanding = 0.95;      ///< the standing body's height: what it falls short of for this share of time
constexpr double kArmijo = 1e-4;        ///< of the decrease that the slope promises
constexpr int kMostHalvings = 30;

double percentile(VectorX values, double share) {
  const auto place = static_cast<Eigen::Index>(std::round(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[place];
}

/// Where the body faces: the mean of its feet's headings.
std::vector<Vector3> headings(const VectorX& time, const std::vector<std::vector<Footing>>& feet) {
  VectorX x = VectorX::Zero(time.size()), y = x;
  for (const auto& foot : feet) {
    for (Eigen::Index i = 0; i < time.size(); ++i) {
      x[i] += foot[static_cast<std::size_t>(i)].forward.x();
      y[i] += foot[static_cast<std::size_t>(i)].forward.y();
    }
  }
  x = averaged(time, x, kHeadingWindow);
  y = averaged(time, y, kHeadingWindow);
  std::vector<Vector3> result;
  Vector3 last = feet.front().front().forward;
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    const double length = std::hypot(x[i], y[i]);
    if (length > 0.1 * static_cast<double>(feet.size())) last = {x[i] / length, y[i] / length, 0.0};
    result.push_back(last);
  }
  return result;
}

/// Rows whose wrench is turned into (forward, right, up) axes.
MatrixX along_body(const std::vector<KnownRow>& rows) {
  MatrixX result(std::ssize(rows), 6);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Vector3& forward = rows[i].forward;
    const Matrix3 axes = (Matrix3() << forward, forward.cross(Vector3::UnitZ()), Vector3::UnitZ()).finished();
    const Vector6& total = rows[i].total;
    result.row(static_cast<Eigen::Index>(i)) << (axes.transpose() * total.head<3>()).transpose(),
        (axes.transpose() * total.tail<3>()).transpose();
  }
  return result;
}

/// Calls work(row, seconds between) for every row within \p reach of a strike or toe-off of the foot.
template <class Work>
void near_steps(const VectorX& time, const ContactTiming& timing, std::size_t foot, double reach, Work&& work) {
  for (const FootContact& one : timing.contacts_of(timing.feet[foot])) {
    for (const double step : {one.from, one.to}) {
      // A contact that the log cuts did not begin or end there.
      if (step <= time[0] || step >= time[time.size() - 1]) continue;
      for (auto i = std::lower_bound(time.begin(), time.end(), step - reach); i != time.end() && *i <= step + reach;
           ++i) {
        work(i - time.begin(), std::abs(*i - step));
      }
    }
  }
}

void set_total_sd(SplitProblem& problem) {
  const SplitOptions& o = problem.body.options;
  const double weight = problem.body.weight;
  // A centre of mass that is off forward is a moment about the axis to the right.
  const double base[6] = {o.force_sd_forward,         o.force_sd_sideways,       o.force_sd_up,
                          o.com_sd_sideways * weight, o.com_sd_forward * weight, o.yaw_sd};
  MatrixX total = along_body(problem.rows);
  const MatrixX rate = savitzky_golay(problem.time, total, fit_over(problem.time, kRateWindow)).first;
  total.col(2).array() -= weight;  // what remains is the motion's
  for (int k = 0; k < 6; ++k) {
    const VectorX moved = rms_over(problem.time, total.col(k), o.motion_window) * o.motion_share;
    const VectorX late = rms_over(problem.time, rate.col(k), o.motion_window) * o.delay;
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      problem.rows[i].total_sd[k] = std::hypot(base[k], moved[row], late[row]);
    }
  }
}

/// How near each foot's strikes and toe-offs are: 1 there, fading to 0 at `step_time`.
void set_steps(SplitProblem& problem, const ContactTiming& timing) {
  const double reach = problem.body.options.step_time;
  for (std::size_t f = 0; f < timing.feet.size(); ++f) {
    near_steps(problem.time, timing, f, reach, [&](Eigen::Index i, double away) {
      double& nearest = problem.rows[static_cast<std::size_t>(i)].contacts[f].step;
      nearest = std::max(nearest, 0.5 + 0.5 * std::cos(std::numbers::pi * away / reach));
    });
  }
}

void set_shift_rates(SplitProblem& problem, const ContactTiming& timing) {
  const SplitOptions& o = problem.body.options;
  problem.shift_rate = VectorX::Constant(problem.time.size(), o.shift_rate_quiet);
  for (std::size_t f = 0; f < timing.feet.size(); ++f) {
    near_steps(problem.time, timing, f, o.step_window,
               [&](Eigen::Index i, double) { problem.shift_rate[i] = o.shift_rate_step; });
  }
}

void add_hidden(SplitProblem& problem) {
  const SplitOptions& o = problem.body.options;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    KnownRow& row = problem.rows[i];
    KnownContact contact;
    contact.c = row.ground - o.hidden_behind * row.forward;
    contact.forward = row.forward;
    const double still = std::exp(-std::pow(problem.speed[static_cast<Eigen::Index>(i)] / o.hidden_speed, 2));
    contact.load_sd = o.hidden_sd_still * still + o.hidden_sd_moving;
    row.contacts.push_back(contact);
  }
}

}  // namespace

SplitProblem split_problem(const TotalMotion& motion, const ContactTiming& timing, const Sole& sole,
                           const SplitOptions& options) {
  SplitProblem problem;
  problem.time = motion.time;
  problem.body.feet = static_cast<int>(motion.feet.size());
  problem.body.hidden = options.hidden_contact;
  problem.body.weight = motion.weight();
  problem.body.sole = sole;
  problem.body.options = options;
  if (!(problem.body.weight > 0)) {
    throw EpisodeError(motion.name, "the total force carries no weight", "write the force of all contacts on the body");
  }
  const Matrix3 level = level_axes(motion.up);
  const auto feet = footings(motion, timing, sole);
  const std::vector<Vector3> heading = headings(motion.time, feet);
  double ground = 0.0;
  for (const auto& foot : feet) {
    VectorX height(motion.rows());
    for (Eigen::Index i = 0; i < motion.rows(); ++i) height[i] = foot[static_cast<std::size_t>(i)].c.z();
    const double low = percentile(height, 0.1);
    ground = &foot == &feet.front() ? low : std::min(ground, low);
  }
  MatrixX com = motion.com * level.transpose();
  problem.body.com_height = std::max(percentile(com.col(2).array() - ground, kStanding), 1e-3);
  problem.speed =
      savitzky_golay(motion.time, com, fit_over(motion.time, kSpeedWindow)).first.leftCols<2>().rowwise().norm();
  for (Eigen::Index i = 0; i < motion.rows(); ++i) {
    KnownRow row;
    row.com = com.row(i).transpose();
    row.ground = {row.com.x(), row.com.y(), ground};
    row.forward = heading[static_cast<std::size_t>(i)];
    const Vector3 force = level * motion.wrench.row(i).head<3>().transpose();
    row.total << force, level * motion.wrench.row(i).tail<3>().transpose() - row.ground.cross(force);
    for (std::size_t f = 0; f < feet.size(); ++f) {
      const Footing& footing = feet[f][static_cast<std::size_t>(i)];
      const double touching = std::clamp(timing.probability(i, static_cast<Eigen::Index>(f)), 0.0, 1.0);
      row.contacts.push_back({footing.c, footing.forward, footing.turn,
                              options.load_sd_raised + options.load_sd_touching * touching * touching});
    }
    problem.rows.push_back(std::move(row));
  }
  set_steps(problem, timing);
  set_total_sd(problem);
  set_shift_rates(problem, timing);
  if (options.hidden_contact) add_hidden(problem);
  return problem;
}

namespace {

/// The cost of all rows and, on request, its Gauss–Newton Hessian and slope.
class Cost {
 public:
  explicit Cost(const SplitProblem& problem) : problem_(problem), body_(problem.body), memory_(memories(body_)) {
    e_.resize(problem.rows.size());
    gradient_.resize(problem.rows.size());
  }

  /// From here on what strikes and toe-offs do counts.
  void count_steps() {
    body_.steps = true;
    memory_ = memories(body_);
  }

  double at(const VectorX& w) {
    for (std::size_t t = 0; t < e_.size(); ++t) evaluate(body_, problem_.rows[t], part(w, t), e_[t], nullptr);
    return sum();
  }

  /// \param walks  whether the walks count in Hessian and slope
  double linearise(const VectorX& w, BlockTridiagonal& hessian, VectorX& slope, bool walks = true) {
    hessian.set_zero();
    slope.setZero(w.size());
    const int n = body_.unknowns();
    for (std::size_t t = 0; t < e_.size(); ++t) {
      evaluate(body_, problem_.rows[t], part(w, t), e_[t], &gradient_[t]);
      const MatrixX& J = gradient_[t];
      const auto here = static_cast<int>(t);
      if (t == 0) {
        VectorX first(J.rows());
        for (Eigen::Index k = 0; k < J.rows(); ++k) first[k] = memory_[static_cast<std::size_t>(k)].walks ? 0.0 : 1.0;
        hessian.diagonal(0).noalias() += J.transpose() * first.asDiagonal() * J;
        slope.head(n).noalias() += J.transpose() * first.cwiseProduct(e_[0]);
        continue;
      }
      transition(t, walks);
      const MatrixX before = phi_.asDiagonal() * gradient_[t - 1];
      const MatrixX now = weight_.asDiagonal() * J;
      const VectorX change = weight_.cwiseProduct(e_[t] - phi_.cwiseProduct(e_[t - 1]));
      hessian.diagonal(here).noalias() += J.transpose() * now;
      hessian.diagonal(here - 1).noalias() += before.transpose() * weight_.asDiagonal() * before;
      hessian.lower(here - 1).noalias() -= now.transpose() * before;
      slope.segment(n * here, n).noalias() += J.transpose() * change;
      slope.segment(n * (here - 1), n).noalias() -= before.transpose() * change;
    }
    return sum();
  }

  /// What a constant error does to the slope, per sd of it; after linearise(). The wrenches err by the Hessian's
  /// inverse times it.
  void pull(int constant, VectorX& slope) {
    slope.setZero(body_.unknowns() * std::ssize(e_));
    const int n = body_.unknowns();
    VectorX before, off, change;
    for (std::size_t t = 0; t < e_.size(); ++t, before.swap(off)) {
      shift(body_, problem_.rows[t], constant, off);
      const auto here = n * static_cast<Eigen::Index>(t);
      if (t == 0) {
        slope.head(n).noalias() += gradient_[0].transpose() * off;
        continue;
      }
      transition(t, false);
      change = weight_.cwiseProduct(off - phi_.cwiseProduct(before));
      slope.segment(here, n).noalias() += gradient_[t].transpose() * change;
      slope.segment(here - n, n).noalias() -= gradient_[t - 1].transpose() * phi_.cwiseProduct(change);
    }
  }

  /// Squared deviations of each row, walks left out; after at() or linearise().
  VectorX squares() const {
    VectorX result = VectorX::Zero(std::ssize(e_));
    for (std::size_t t = 0; t < e_.size(); ++t) {
      for (std::size_t k = 0; k < memory_.size(); ++k) {
        const double one = e_[t][static_cast<Eigen::Index>(k)];
        if (!memory_[k].walks) result[static_cast<Eigen::Index>(t)] += one * one;
      }
    }
    return result;
  }

  int deviations() const {
    return static_cast<int>(std::count_if(memory_.begin(), memory_.end(), [](const Memory& m) { return !m.walks; }));
  }

 private:
  Eigen::VectorBlock<const VectorX> part(const VectorX& w, std::size_t t) const {
    const int n = body_.unknowns();
    return w.segment(n * static_cast<Eigen::Index>(t), n);
  }

  /// φ and 1/(1 − φ²) from row t − 1 to row t; of a walk 1 and 1/(rate² dt), or 0 where walks do not count.
  void transition(std::size_t t, bool walks = true) {
    const auto row = static_cast<Eigen::Index>(t);
    const double step = problem_.time[row] - problem_.time[row - 1];
    const double rate = std::max(problem_.shift_rate[row], problem_.shift_rate[row - 1]);
    phi_.resize(std::ssize(memory_));
    weight_.resize(std::ssize(memory_));
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      const Memory& m = memory_[k];
      if (m.walks) {
        phi_[at] = 1.0;
        weight_[at] = walks ? 1.0 / (rate * rate * step) : 0.0;
        continue;
      }
      // Near a step it forgets itself in both ways at once: the rates add up.
      const double forgotten =
          step * (1.0 / m.correlation + step_between(t, m.steps_of) / body_.options.step_correlation);
      phi_[at] = std::exp(-forgotten);
      weight_[at] = -1.0 / std::expm1(-2.0 * forgotten);
    }
  }

  /// How near a step of a contact is between rows t − 1 and t.
  double step_between(std::size_t t, int contact) const {
    if (contact < 0) return 0.0;
    const auto c = static_cast<std::size_t>(contact);
    return std::max(problem_.rows[t - 1].contacts[c].step, problem_.rows[t].contacts[c].step);
  }

  double sum() {
    double twice = 0.0;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      const double one = e_[0][static_cast<Eigen::Index>(k)];
      if (!memory_[k].walks) twice += one * one;
    }
    for (std::size_t t = 1; t < e_.size(); ++t) {
      transition(t);
      twice += weight_.dot((e_[t] - phi_.cwiseProduct(e_[t - 1])).cwiseAbs2());
    }
    return 0.5 * twice;
  }

  const SplitProblem& problem_;
  KnownBody body_;  ///< the problem's, with steps or without
  std::vector<Memory> memory_;
  std::vector<VectorX> e_;
  std::vector<MatrixX> gradient_;
  VectorX phi_, weight_;
};

/// The total force on the contacts, no moments: a hidden contact, if it is to carry, as much as the lever between it
/// and the feet says, the feet by how certainly they touch.
VectorX first_guess(const SplitProblem& problem, const ContactTiming& timing, bool carries) {
  const int n = problem.body.unknowns(), feet = problem.body.feet;
  VectorX w = VectorX::Zero(n * std::ssize(problem.rows));
  for (std::size_t t = 0; t < problem.rows.size(); ++t) {
    const auto row = static_cast<Eigen::Index>(t);
    const KnownRow& known = problem.rows[t];
    const Vector3 force = known.total.head<3>();
    const double all = timing.probability.row(row).sum() + 1e-3;
    double hidden = 0.0;
    if (carries) {
      Vector3 middle = Vector3::Zero();
      for (int f = 0; f < feet; ++f)
        middle += known.contacts[static_cast<std::size_t>(f)].c * timing.probability(row, f);
      const Vector3 lever = known.contacts.back().c - middle / all;
      const Vector3 pressure(-known.total[4], known.total[3], 0.0);  // times the force, from `ground`
      const double up = std::max(force.z(), problem.body.options.force_floor * problem.body.weight);
      const Vector3 off = known.ground + pressure / up - middle / all;
      const double length = lever.head<2>().squaredNorm();
      hidden = length > 0 ? std::clamp(off.head<2>().dot(lever.head<2>()) / length, 0.0, 0.9) : 0.0;
      w[n * row + 6 * feet + 2] = hidden * force.z();
    }
    for (int f = 0; f < feet; ++f) {
      w.segment<3>(n * row + 6 * f) = (1.0 - hidden) * force * (timing.probability(row, f) / all);
    }
  }
  return w;
}

}  // namespace

namespace {

/// Of each row's wrenches; empty where there is none. The walks of load differences are left out: that loads do not
/// jump helps the wrenches, but of a load that follows from the centre of mass and the centres of pressure it says
/// nothing that those do not, and counted as if it did it took 15 % from an sd. What errs the same way all through a
/// trial is not learned from it: it goes into the wrenches as it is.
std::vector<MatrixX> covariance(const SplitProblem& problem, Cost& cost, const VectorX& w, BlockTridiagonal& hessian) {
  const int n = problem.body.unknowns(), rows = static_cast<int>(problem.rows.size());
  VectorX off;
  cost.linearise(w, hessian, off, false);
  if (!hessian.factor()) return {};
  BlockTridiagonal inverse;
  inverse.reshape(rows, n);
  hessian.inverse_blocks(inverse);
  std::vector<MatrixX> result;
  for (int t = 0; t < rows; ++t) result.emplace_back(inverse.diagonal(t));
  for (int c = 0; c < constants(problem.body); ++c) {
    cost.pull(c, off);
    hessian.solve(off);
    for (int t = 0; t < rows; ++t) {
      const auto one = off.segment(n * static_cast<Eigen::Index>(t), n);
      result[static_cast<std::size_t>(t)].noalias() += one * one.transpose();
    }
  }
  return result;
}

/// Gauss–Newton with a search along each step.
struct Descent {
  bool possible = true, converged = false;
  int iterations = 0;
};

Descent descend(const SplitOptions& options, Cost& cost, VectorX& w, BlockTridiagonal& hessian) {
  Descent result;
  VectorX slope, step, tried;
  const double small = options.tolerance * hessian.blocks();
  for (; result.iterations < options.most_iterations && !result.converged; ++result.iterations) {
    const double before = cost.linearise(w, hessian, slope);
    result.possible = std::isfinite(before) && hessian.factor();
    if (!result.possible) return result;
    step = -slope;
    hessian.solve(step);
    const double promised = slope.dot(step);  // < 0
    double length = 1.0, after = kNaN;
    for (int halving = 0; halving < kMostHalvings; ++halving, length *= 0.5) {
      tried = w + length * step;
      after = cost.at(tried);
      if (after <= before + kArmijo * length * promised) break;
    }
    if (!(after <= before)) {
      result.converged = -promised < small;
      break;
    }
    w = tried;
    result.converged = before - after < small;
  }
  result.possible = w.allFinite();
  return result;
}

/// The wrenches are those of least cost without steps: against force plates their vertical forces err by 30 N
/// instead of 42, all forces together by 55 instead of 69. What is known of steps makes other wrenches likelier; the
/// covariance is the expected square of what the stated ones are off by, the square of the way between the two and the
/// covariance of the likelier.
SplitSolution solve_from(const SplitProblem& problem, VectorX w) {
  SplitSolution solution;
  const int n = problem.body.unknowns(), rows = static_cast<int>(problem.rows.size());
  Cost cost(problem);
  BlockTridiagonal hessian;
  hessian.reshape(rows, n);
  Descent descent = descend(problem.body.options, cost, w, hessian);
  solution.iterations = descent.iterations;
  if (!descent.possible) return solution;
  solution.converged = descent.converged;
  solution.cost = cost.at(w);
  VectorX likelier = w;
  const bool steps =
      std::any_of(problem.rows.begin(), problem.rows.end(), [](const KnownRow& r) { return r.step() > 0; });
  if (steps) {
    cost.count_steps();
    descent = descend(problem.body.options, cost, likelier, hessian);
    solution.iterations += descent.iterations;
    solution.converged = solution.converged && descent.converged;
    if (!descent.possible) return solution;
  }
  solution.covariance = covariance(problem, cost, likelier, hessian);
  if (solution.covariance.empty()) return solution;
  for (int t = 0; steps && t < rows; ++t) {
    const auto at = n * static_cast<Eigen::Index>(t);
    const VectorX off = w.segment(at, n) - likelier.segment(at, n);
    solution.covariance[static_cast<std::size_t>(t)].noalias() += off * off.transpose();
  }
  solution.nis = cost.squares();
  solution.nis_dof = cost.deviations() - n;
  solution.w = Eigen::Map<const MatrixX>(w.data(), n, rows).transpose();
  solution.solved = true;
  return solution;
}

}  // namespace

SplitSolution solve(const SplitProblem& problem, const ContactTiming& timing) {
  SplitSolution solution = solve_from(problem, first_guess(problem, timing, false));
  if (!problem.body.hidden) return solution;
  // With a hidden contact there may be two minima, one in which it carries nothing.
  SplitSolution carrying = solve_from(problem, first_guess(problem, timing, true));
  const bool better = carrying.solved && (!solution.solved || carrying.cost < solution.cost);
  return better ? std::move(carrying) : std::move(solution);
}

}  // namespace antaeus
