// Solutions: one level after the other, no level at the cost of one before it.

#include <algorithm>
#include <cmath>

#include "tasks/step_range.hpp"
#include "tasks/task_workspace.hpp"

namespace antaeus {

namespace {

/// By how much an iteration may raise the error of a level that is done: ten times less than what is promised.
constexpr double kNoRise = 1e-10;
/// Predicted decrease of an error, as a share of it, below which a level counts as stationary.
constexpr double kNoGain = 1e-10;
/// The same above which a level that was done leads again: those behind it have moved it to where it can improve.
constexpr double kLeads = 1e-3;
/// So many iterations that bring less than this share of the error are the end of it, too.
constexpr int kPatience = 20;
constexpr double kTooSlow = 1e-5;
/// Largest entry of a step that counts as none [rad, m].
constexpr double kNoMove = 1e-10;
/// Share of the predicted decrease that an iteration must bring (Armijo).
constexpr double kSufficient = 1e-4;
/// A joint nearer than this to its limit is at it [rad, m].
constexpr double kAtLimit = 1e-9;
/// Largest damping, a unit of error [1/rad]: steps are then gradient steps of a hundredth.
constexpr double kMostCautious = 1e3;
constexpr int kHalvings = 14, kStartRepairs = 4;

/// Room of each joint, and the longest step.
void limit_move(detail::LevelSolver& solver, const std::vector<detail::JointRow>& joints, const VectorX& q,
                double longest) noexcept {
  solver.lower.setConstant(-longest);
  solver.upper.setConstant(longest);
  for (const detail::JointRow& joint : joints) {
    if (joint.position < 0) continue;
    detail::JointRow timeless = joint;
    timeless.velocity = kInfinity;
    const detail::StepRange room = detail::step_range(timeless, q[joint.position], 0.0, kInfinity, 1.0);
    solver.lower[joint.row] = std::max(-longest, room.lower);
    solver.upper[joint.row] = std::min(longest, room.upper);
  }
}

}  // namespace

/// Linearises at q: the move p that levels 0 … count − 1 want, and the objectives after them where count is all.
bool TaskSolver::Workspace::prepare_iteration(int count) noexcept {
  if (look_at(q) != Status::ok || evaluate(0, std::min(count, level_count())) != Status::ok) return false;
  if (measure() != Status::ok) return false;
  need = std::max(need, std::min(smallest, options.margin));
  for (int k = 0; k < std::min(count, level_count()); ++k) {
    Level& each = level(k);
    each.start = each.error;
    auto& target = squares.level(k);
    target.A = each.J;
    target.b = -each.error;
    target.damping = std::hypot(options.damping, caution[k] * each.error.norm());
  }
  limit_move(squares, joints, q, options.longest_step);
  if (guard(squares, options.margin, 0.9, 1.0) != Status::ok) return false;
  int preferred = -1;
  if (count > level_count()) {
    if (evaluate_objectives() != Status::ok) return false;
    preferred = level_count();
    squares.level(preferred).b = -stride * gradient;
    squares.level(preferred).damping = options.damping;
  }
  if (!squares.solve(std::min(count, level_count()), preferred)) return false;
  p = squares.v();
  return true;
}

/// Moves from q by alpha · p to `next`, and back to where the levels before the last expected to be.
bool TaskSolver::Workspace::try_point(int count, double alpha) noexcept {
  const int before = std::min(count - 1, level_count());
  scaled = alpha * p;
  if (model.integrate(q, scaled, next) != Status::ok) return false;
  for (int i = 0;; ++i) {
    if (look_at(next) != Status::ok || evaluate(0, std::min(count, level_count())) != Status::ok) return false;
    if (measure() != Status::ok) return false;
    double off = 0.0;
    for (int k = 0; k < before; ++k) {
      auto& target = repair.level(k);
      target.A = level(k).J;
      target.b.noalias() = alpha * squares.level(k).A.lazyProduct(p);
      target.b += level(k).start - level(k).error;
      target.damping = squares.level(k).damping;
      if (target.b.size() > 0) off = std::max(off, target.b.cwiseAbs().maxCoeff());
    }
    if (i == kStartRepairs || before == 0 || (off < 1e-13 && smallest >= need)) return true;
    limit_move(repair, joints, next, options.longest_step);
    if (guard(repair, need, 1.0, 1.0) != Status::ok) return false;
    if (!repair.solve(before)) return true;
    scaled = repair.v();
    if (scaled.cwiseAbs().maxCoeff() < 1e-15) return true;
    if (model.integrate(next, scaled, moved) != Status::ok) return false;
    next = moved;
  }
}

/// Whether `next` may be taken: nothing that is done got worse, and the leading level got better as predicted.
bool TaskSolver::Workspace::accept(int lead, double alpha) noexcept {
  if (!(smallest >= need)) return false;
  const double done = 0.1 * options.error_tolerance;
  for (int k = 0; k < std::min(lead, level_count()); ++k) {
    if (!(level_error(k) <= std::max(reference[k], done) + kNoRise)) return false;
  }
  if (lead < level_count()) {
    const double start = level(lead).start.norm();
    repair.level(lead).b.noalias() = squares.level(lead).A.lazyProduct(p);
    const double predicted = start - (level(lead).start + repair.level(lead).b).norm();
    came = (start - level_error(lead)) / (alpha * predicted);
    return came >= kSufficient;
  }
  const double start = value, predicted = -gradient.dot(p);
  scaled = gradient;  // of q, which `evaluate_objectives` overwrites
  const bool computed = evaluate_objectives() == Status::ok;
  came = computed ? (start - value) / (alpha * predicted) : 0.0;
  const bool better = came >= kSufficient;
  value = start;
  gradient = scaled;
  return better;
}

/// The first level that the move p improves noticeably, else the last one.
int TaskSolver::Workspace::leading_level(int count) noexcept {
  for (int k = 0; k < count - 1; ++k) {
    const double start = level(k).start.norm();
    if (start <= 0.1 * options.error_tolerance + kNoRise) continue;
    repair.level(k).b.noalias() = squares.level(k).A.lazyProduct(p);
    if (start - (level(k).start + repair.level(k).b).norm() > kLeads * start) return k;
  }
  return count - 1;
}

/// Levenberg and Marquardt's rule: the damping of what is out of reach follows how much of the predicted decrease came.
void TaskSolver::Workspace::adapt(int count, double alpha, double share) noexcept {
  const double factor = alpha < 1.0 ? 1.5 / alpha : share > 0.75 ? 0.5 : share < 0.4 ? 2.0 : 1.0;
  for (int k = 0; k < std::min(count, level_count()); ++k) {
    caution[k] = std::clamp(caution[k] * factor, options.error_damping, kMostCautious);
  }
}

SolveStatus TaskSolver::Workspace::improve_level(int k) noexcept {
  const int count = k + 1;
  double checkpoint = kInfinity;
  for (iterations = 0;; ++iterations) {
    if (!prepare_iteration(count)) return SolveStatus::bad_input;
    for (int j = 0; j < k; ++j) reference[j] = std::min(reference[j], level(j).start.norm());
    const double start = level(k).start.norm();
    const int lead = leading_level(count);
    if (lead == k) {
      if (start <= 0.1 * options.error_tolerance) return SolveStatus::reached;
      repair.level(k).b.noalias() = squares.level(k).A.lazyProduct(p);
      const double gain = start - (level(k).start + repair.level(k).b).norm();
      if (!(gain > kNoGain * start) || p.cwiseAbs().maxCoeff() < kNoMove) return SolveStatus::stationary;
    }
    if (iterations % kPatience == 0) {
      if (lead == k && start > (1.0 - kTooSlow) * checkpoint) return SolveStatus::stationary;
      checkpoint = lead == k ? start : kInfinity;
    }
    if (iterations == options.iteration_budget) return SolveStatus::iteration_budget;
    double alpha = 1.0;
    bool taken = false;
    for (int i = 0; i < kHalvings && !taken; ++i) {
      taken = try_point(count, alpha) && accept(lead, alpha);
      if (!taken) alpha *= 0.5;
    }
    if (!taken) return SolveStatus::stationary;
    adapt(count, alpha, came);
    q = next;
  }
}

void TaskSolver::Workspace::improve_objectives() noexcept {
  const int count = level_count() + 1;
  stride = 0.0;
  for (iterations = 0; iterations < options.iteration_budget; ++iterations) {
    if (stride == 0.0) {
      if (look_at(q) != Status::ok || evaluate_objectives() != Status::ok) return;
      const double steepest = gradient.cwiseAbs().maxCoeff();
      if (!(steepest > 0.0)) return;
      stride = options.longest_step / steepest;
    }
    if (!prepare_iteration(count)) return;
    for (int j = 0; j < level_count(); ++j) reference[j] = std::min(reference[j], level(j).start.norm());
    const double predicted = -gradient.dot(p);
    if (!(predicted > 1e-12 * (1.0 + std::abs(value))) || p.cwiseAbs().maxCoeff() < 1e-8) return;
    double alpha = 1.0;
    bool taken = false;
    for (int i = 0; i < kHalvings && !taken; ++i) {
      taken = try_point(count, alpha) && accept(level_count(), alpha);
      if (!taken) alpha *= 0.5;
    }
    if (!taken) return;
    stride *= alpha == 1.0 ? 2.0 : alpha;
    adapt(level_count(), alpha, came);
    q = next;
  }
}

const SolveResult& TaskSolver::solve(ConstVectorRef q_start) noexcept {
  Workspace& w = *workspace_;
  SolveResult& r = w.solution;
  const auto refuse = [&](Status input, int task = -1) -> const SolveResult& {
    r.status = SolveStatus::bad_input;
    r.input = input;
    r.task = task;
    r.q.setConstant(kNaN);
    for (LevelResult& level : r.levels) level = {.priority = level.priority};
    std::ranges::fill(r.at_limit, 0);
    r.distance = r.objective = kNaN;
    r.objective_iterations = 0;
    return r;
  };
  r.pulled_in = 0;
  if (q_start.size() != w.model.nq()) return refuse(Status::wrong_size);
  if (!q_start.allFinite()) return refuse(Status::not_finite);
  w.q = q_start;
  r.pulled_in = w.pull_in(w.q);
  w.bad_task = -1;
  if (const Status status = w.look_at(w.q); status != Status::ok) return refuse(status);
  if (const Status status = w.evaluate(0, w.level_count()); status != Status::ok) return refuse(status, w.bad_task);
  if (const Status status = w.evaluate_objectives(); status != Status::ok) return refuse(status);

  w.need = -kInfinity;
  w.reference.setConstant(kInfinity);
  w.caution.setConstant(w.options.error_damping);
  const int offset = w.level_count() - static_cast<int>(r.levels.size());
  for (int k = offset; k < w.level_count(); ++k) {
    LevelResult& level = r.levels[static_cast<std::size_t>(k - offset)];
    level.status = w.improve_level(k);
    level.iterations = w.iterations;
    if (level.status == SolveStatus::bad_input) return refuse(Status::not_finite, w.bad_task);
    if (w.look_at(w.q) != Status::ok || w.evaluate(0, k + 1) != Status::ok) return refuse(Status::not_finite);
    w.reference[k] = w.level_error(k);
  }
  w.iterations = 0;
  if (!w.objectives.empty()) w.improve_objectives();
  r.objective_iterations = w.iterations;

  if (w.look_at(w.q) != Status::ok || w.evaluate(0, w.level_count()) != Status::ok ||
      w.evaluate_objectives() != Status::ok || w.measure() != Status::ok) {
    return refuse(Status::not_finite);
  }
  r.status = SolveStatus::reached;
  for (int k = offset; k < w.level_count(); ++k) {
    LevelResult& level = r.levels[static_cast<std::size_t>(k - offset)];
    level.error = w.level_error(k);
    if (level.error <= w.options.error_tolerance) level.status = SolveStatus::reached;
    r.status = std::max(r.status, level.status);
    if (k == 0 && level.status != SolveStatus::reached) {
      level.status = SolveStatus::infeasible;
      r.status = SolveStatus::infeasible;
    }
  }
  if (w.smallest < w.options.margin) r.status = SolveStatus::infeasible;
  r.input = Status::ok;
  r.task = -1;
  if (r.status == SolveStatus::infeasible) static_cast<void>(w.hold_error(&r.task));
  r.q = w.q;
  r.distance = w.smallest;
  r.objective = w.value;
  std::ranges::fill(r.at_limit, 0);
  for (const detail::JointRow& joint : w.joints) {
    if (joint.position < 0) continue;
    const double position = w.q[joint.position];
    r.at_limit[static_cast<std::size_t>(joint.row)] = position >= joint.upper - kAtLimit   ? 1
                                                      : position <= joint.lower + kAtLimit ? -1
                                                                                           : 0;
  }
  return r;
}

}  // namespace antaeus
