#include "antaeus/tasks/task_solver.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "antaeus/core/in_place.hpp"
#include "tasks/step_range.hpp"
#include "tasks/task_workspace.hpp"

namespace antaeus {

namespace {

/// Distances are aimed at this much above the margin [m]: what GJK and one more linearisation may be off.
constexpr double kHair = 1e-6;
/// Share of what joints can decelerate that links may count on to stop before each other: the rest is for the other
/// links, for what tasks of priority 0 need of the same joints, and for how distances curve.
constexpr double kBraking = 0.25;
/// And what a step may ask of them where it came too fast.
constexpr double kHardestBraking = 0.9;
/// Linearisations with which what must hold is brought back onto its manifold: each squares the error.
constexpr int kRepairs = 8;
/// Holds that are farther off before a step are brought in by it, not kept by it [m, rad].
constexpr double kHeld = 1e-7;

/// Rows of the levels, and of the one that prefers a velocity.
std::vector<int> level_rows(const std::vector<std::unique_ptr<Task>>& tasks, const std::vector<int>& priorities,
                            int nv) {
  std::vector<int> rows;
  for (const int priority : priorities) {
    rows.push_back(0);
    for (const auto& task : tasks) rows.back() += task->settings.priority == priority ? task->rows() : 0;
  }
  rows.push_back(nv);
  return rows;
}

std::vector<std::unique_ptr<Task>> copies(const std::vector<std::shared_ptr<const Task>>& tasks) {
  std::vector<std::unique_ptr<Task>> result;
  for (const auto& task : tasks) result.push_back(task->clone());
  return result;
}

/// 0, and those that tasks have, ascending.
std::vector<int> priorities_of(const TaskProblem& problem) {
  std::set<int> priorities{0};
  for (const auto& task : problem.tasks()) priorities.insert(task->settings.priority);
  return {priorities.begin(), priorities.end()};
}

int guard_count(const TaskProblem& problem) { return problem.collisions() ? problem.collisions()->most_near() : 0; }

}  // namespace

TaskSolver::Workspace::Workspace(const TaskProblem& given)
    : problem(given),
      model(given.model()),
      options(given.options()),
      dynamics(given.model()),
      tasks(copies(given.tasks())),
      joints(detail::joint_rows(given.model())),
      squares(model.nv(), level_rows(tasks, priorities_of(given), model.nv()), guard_count(given)),
      repair(model.nv(), level_rows(tasks, priorities_of(given), model.nv()), guard_count(given)),
      q(model.neutral()),
      next(model.neutral()),
      moved(model.neutral()),
      first(6, model.nv()),
      second(6, model.nv()) {
  const int nv = model.nv();
  for (const auto& objective : given.objectives()) objectives.push_back(objective->clone());
  if (given.collisions()) collision.emplace(*given.collisions());
  for (VectorX* vector : {&positions, &scaled, &v, &kept_v, &gradient, &one_gradient, &p, &previous})
    vector->setZero(nv);
  const std::vector<int> priorities = priorities_of(given);
  const std::vector<int> rows = level_rows(tasks, priorities, nv);
  for (std::size_t k = 0; k < priorities.size(); ++k) {
    Level made{.priority = priorities[k], .tasks = {}, .rows = rows[k], .error = {}, .start = {}, .J = {}};
    made.error.setZero(rows[k]);
    made.start.setZero(rows[k]);
    made.J.setZero(rows[k], nv);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks[i]->settings.priority == made.priority) made.tasks.push_back(static_cast<int>(i));
    }
    levels.push_back(std::move(made));
  }
  reference.setZero(std::ssize(levels));
  caution.setZero(std::ssize(levels));
  const bool holds = levels.front().rows > 0;
  errors.setZero(std::ssize(levels) - (holds ? 0 : 1));
  squares.level(level_count()).A.setIdentity();
  repair.level(level_count()).A.setIdentity();
  step.v.setConstant(nv, kNaN);
  step.q.setConstant(model.nq(), kNaN);
  solution.q = step.q;
  solution.at_limit.assign(static_cast<std::size_t>(nv), 0);
  for (const Level& each : levels) {
    if (each.priority > 0 || holds) solution.levels.push_back({.priority = each.priority});
  }
}

int TaskSolver::Workspace::pull_in(VectorX& configuration) const noexcept {
  int count = 0;
  for (const detail::JointRow& joint : joints) {
    if (joint.position < 0) continue;
    double& position = configuration[joint.position];
    const double inside = std::max(joint.lower, std::min(joint.upper, position));
    count += inside != position;
    position = inside;
  }
  return count;
}

Status TaskSolver::Workspace::look_at(const VectorX& configuration) noexcept {
  at = &configuration;
  terms = dynamics.at(configuration);
  if (terms.status() != Status::ok) return terms.status();
  if (const Status status = model.difference(model.neutral(), configuration, positions); status != Status::ok) {
    return status;
  }
  // The position itself, not a difference that rounds.
  for (const detail::JointRow& joint : joints) {
    if (joint.position >= 0) positions[joint.row] = configuration[joint.position];
  }
  return Status::ok;
}

Status TaskSolver::Workspace::evaluate(int begin, int end) noexcept {
  for (int k = begin; k < end; ++k) {
    Level& each = level(k);
    int row = 0;
    for (const int index : each.tasks) {
      const Task& task = *tasks[static_cast<std::size_t>(index)];
      auto error = each.error.segment(row, task.rows());
      auto J = each.J.middleRows(row, task.rows());
      Status status = task.evaluate(state(), error, J);
      const double weight = task.settings.weight;
      const bool sound = weight > 0.0 && weight < kInfinity && task.settings.gain > 0.0;
      if (status == Status::ok && !(sound && error.allFinite() && J.allFinite())) status = Status::not_finite;
      if (status != Status::ok) {
        bad_task = index;
        return status;
      }
      error *= std::sqrt(weight);
      J *= std::sqrt(weight);
      row += task.rows();
    }
  }
  return Status::ok;
}

Status TaskSolver::Workspace::evaluate_objectives() noexcept {
  value = 0.0;
  gradient.setZero();
  for (const auto& objective : objectives) {
    double one = kNaN;
    if (const Status status = objective->evaluate(state(), one, one_gradient); status != Status::ok) return status;
    if (!std::isfinite(one) || !one_gradient.allFinite()) return Status::not_finite;
    value += objective->weight * one;
    gradient += objective->weight * one_gradient;
  }
  return Status::ok;
}

Status TaskSolver::Workspace::measure() noexcept {
  smallest = kInfinity;
  nearest = -1;
  if (!collision) return Status::ok;
  const Status status = collision->compute(terms, options.margin + options.watch);
  smallest = collision->smallest();
  if (collision->count() > 0) nearest = collision->near(0).pair;
  return status;
}

Status TaskSolver::Workspace::guard(detail::LevelSolver& solver, double wanted, double approach, double dt,
                                    double braking) noexcept {
  solver.guards = collision ? collision->count() : 0;
  for (int i = 0; i < solver.guards; ++i) {
    if (const Status status = collision->gradient(terms, i, one_gradient); status != Status::ok) return status;
    solver.G.row(i) = one_gradient.transpose();
    const double room = (collision->near(i).distance - wanted - kHair) / dt;
    solver.floor[i] = -approach * room;
    if (!(braking > 0.0) || !(room > 0.0)) continue;
    double deceleration = 0.0;  // that the joints between the two can make together
    for (const detail::JointRow& joint : joints) {
      const double share = std::abs(one_gradient[joint.row]);
      if (share > 0.0) deceleration += share * problem.acceleration_limits()[joint.row];
    }
    const double change = deceleration * dt;
    if (!(change < kInfinity)) continue;
    // Slow enough to stop in time, and no harder to reach from where the joints are than what they can do in a step;
    // what the distance itself demands stays.
    const double slow = std::max(solver.floor[i], -detail::braking_speed(room, braking * change));
    solver.floor[i] = std::max(-room, std::min(slow, one_gradient.dot(previous) + kHardestBraking * change));
  }
  return Status::ok;
}

double TaskSolver::Workspace::hold_error(int* worst) const noexcept {
  double most = 0.0;
  int row = 0;
  for (const int index : levels.front().tasks) {
    const Task& task = *tasks[static_cast<std::size_t>(index)];
    const double error =
        levels.front().error.segment(row, task.rows()).cwiseAbs().maxCoeff() / std::sqrt(task.settings.weight);
    if (worst && error > most) *worst = index;
    most = std::max(most, error);
    row += task.rows();
  }
  return most;
}

Status TaskSolver::Workspace::prepare_step(double dt, int& row, int& preferred) noexcept {
  for (int k = 0; k < level_count(); ++k) {
    const Level& level = this->level(k);
    auto& target = squares.level(k);
    target.A = level.J;
    target.damping = options.damping;
    int at_row = 0;
    for (const int index : level.tasks) {
      const Task& task = *tasks[static_cast<std::size_t>(index)];
      const double rate = k == 0 ? 1.0 / dt : std::min(task.settings.gain, 1.0 / dt);
      target.b.segment(at_row, task.rows()) = -rate * level.error.segment(at_row, task.rows());
      at_row += task.rows();
    }
  }
  // What is not a joint, a floating base, moves as far as linearisations reach.
  squares.lower.setConstant(-options.longest_step / dt);
  squares.upper = -squares.lower;
  for (const detail::JointRow& joint : joints) {
    detail::JointRow limits = joint;
    limits.velocity *= options.velocity_share;
    const double position = joint.position < 0 ? 0.0 : q[joint.position];
    const detail::StepRange range =
        detail::step_range(limits, position, previous[joint.row], problem.acceleration_limits()[joint.row], dt);
    squares.lower[joint.row] = range.lower;
    squares.upper[joint.row] = range.upper;
    if (range.conflict && row < 0) row = joint.row;
  }
  if (const Status status = guard(squares, options.margin, options.approach, dt, kBraking); status != Status::ok) {
    return status;
  }
  preferred = -1;
  if (objectives.empty()) return Status::ok;
  if (const Status status = evaluate_objectives(); status != Status::ok) return status;
  preferred = level_count();
  squares.level(preferred).b = -gradient;
  squares.level(preferred).damping = options.damping;
  return Status::ok;
}

Status TaskSolver::Workspace::repair_step(double dt, int& worst, bool& kept) noexcept {
  double last = kInfinity;
  for (int i = 0; i <= kRepairs; ++i) {
    scaled = dt * v;
    if (const Status status = model.integrate(q, scaled, next); status != Status::ok) return status;
    Status status = look_at(next);
    if (status == Status::ok) status = evaluate(0, 1);
    if (status == Status::ok) status = measure();
    if (status != Status::ok) return status;
    const double hold = hold_error(&worst);
    kept = hold <= kHoldTolerance && smallest >= need;
    // Rounding may keep far-away robots from the tolerance; what does not converge any more is left.
    if (kept || i == kRepairs || (hold > 0.5 * last && smallest >= need && hold < 1e-9)) return Status::ok;
    last = hold;
    auto& fix = repair.level(0);
    fix.A = level(0).J;
    fix.b = -level(0).error / dt;
    fix.damping = options.damping;
    repair.lower = squares.lower - v;
    repair.upper = squares.upper - v;
    if (status = guard(repair, need, 1.0, dt); status != Status::ok) return status;
    if (!repair.solve(1)) return Status::ok;
    // Rows of joints add up; a floating base is moved on the manifold.
    scaled = dt * repair.v();
    if (model.integrate(next, scaled, moved) != Status::ok) return Status::ok;
    if (model.difference(q, moved, scaled) != Status::ok) return Status::ok;
    scaled /= dt;
    for (const detail::JointRow& joint : joints) {
      scaled[joint.row] =
          std::max(squares.lower[joint.row], std::min(squares.upper[joint.row], v[joint.row] + repair.v()[joint.row]));
    }
    v = scaled;
  }
  return Status::ok;
}

TaskSolver::TaskSolver(const TaskProblem& problem) : workspace_(std::make_unique<Workspace>(problem)) {}
TaskSolver::~TaskSolver() = default;
TaskSolver::TaskSolver(TaskSolver&&) noexcept = default;
TaskSolver& TaskSolver::operator=(TaskSolver&&) noexcept = default;

Task& TaskSolver::task(int index) noexcept { return *workspace_->tasks[static_cast<std::size_t>(index)]; }
Objective& TaskSolver::objective(int index) noexcept {
  return *workspace_->objectives[static_cast<std::size_t>(index)];
}

const VectorX& TaskSolver::level_errors(ConstVectorRef q) noexcept {
  Workspace& w = *workspace_;
  w.errors.setConstant(kNaN);
  if (q.size() != w.model.nq()) return w.errors;
  w.next = q;
  if (w.look_at(w.next) != Status::ok || w.evaluate(0, w.level_count()) != Status::ok) return w.errors;
  const int offset = w.level_count() - static_cast<int>(w.errors.size());
  for (int k = offset; k < w.level_count(); ++k) w.errors[k - offset] = w.level_error(k);
  return w.errors;
}

Status TaskSolver::error(int index, ConstVectorRef q, VectorRef result) noexcept {
  Workspace& w = *workspace_;
  result.setConstant(kNaN);
  if (index < 0 || index >= std::ssize(w.tasks) || q.size() != w.model.nq()) return Status::wrong_size;
  const Task& task = *w.tasks[static_cast<std::size_t>(index)];
  if (result.size() != task.rows()) return Status::wrong_size;
  w.next = q;
  if (const Status status = w.look_at(w.next); status != Status::ok) return status;
  // The level's own memory serves as scratch for the Jacobian.
  for (Workspace::Level& each : w.levels) {
    if (each.priority == task.settings.priority) return task.evaluate(w.state(), result, each.J.topRows(task.rows()));
  }
  return Status::not_computed;
}

const StepResult& TaskSolver::step(ConstVectorRef q, ConstVectorRef v_previous, double dt) noexcept {
  Workspace& w = *workspace_;
  StepResult& r = w.step;
  const int nv = w.model.nv();
  r.status = StepStatus::bad_input;
  r.task = r.row = r.pair = -1;
  r.pulled_in = 0;
  set_nan(r.distance, r.hold_error, r.v, r.q);
  const auto refuse = [&](Status input, int task = -1) -> const StepResult& {
    r.status = StepStatus::bad_input;
    r.input = input;
    r.task = task;
    set_nan(r.v, r.q);
    return r;
  };
  if (q.size() != w.model.nq() || v_previous.size() != nv) return refuse(Status::wrong_size);
  if (!q.allFinite() || !v_previous.allFinite()) return refuse(Status::not_finite);
  if (!(dt > 0.0) || !(dt < kInfinity)) return refuse(Status::time_back);

  w.q = q;
  w.previous = v_previous;
  r.pulled_in = w.pull_in(w.q);
  if (const Status status = w.look_at(w.q); status != Status::ok) return refuse(status);
  w.bad_task = -1;
  if (const Status status = w.evaluate(0, w.level_count()); status != Status::ok) return refuse(status, w.bad_task);
  if (const Status status = w.measure(); status != Status::ok) return refuse(status);
  const bool held = w.hold_error() <= kHeld;
  w.need = std::min(w.options.margin, w.smallest);

  int preferred = -1;
  if (const Status status = w.prepare_step(dt, r.row, preferred); status != Status::ok) return refuse(status);
  if (!w.squares.solve(w.level_count(), preferred)) return refuse(Status::not_finite);
  w.kept_v = w.squares.v();

  // What must hold is held at the end of the step, not only along its tangent: limits of the step as they are, the
  // smallest change that brings holds and distances back. Where that fails, shorter steps, at last none.
  bool kept = false;
  for (const double share : {1.0, 0.5, 0.25, 0.0}) {
    w.v = (share * w.kept_v).cwiseMax(w.squares.lower).cwiseMin(w.squares.upper);
    if (const Status status = w.repair_step(dt, r.task, kept); status != Status::ok) return refuse(status, w.bad_task);
    // Holds that are still being brought in are nobody's reason to stop.
    if (kept || (!held && w.smallest >= w.need)) break;
  }
  r.v = w.v;
  r.q = w.next;
  r.distance = w.smallest;
  r.pair = w.nearest;
  r.hold_error = w.hold_error();
  r.input = Status::ok;
  r.status = r.hold_error > kHoldTolerance   ? StepStatus::hold_broken
             : w.smallest < w.options.margin ? StepStatus::collision_conflict
             : r.row >= 0                    ? StepStatus::limits_conflict
                                             : StepStatus::ok;
  if (r.status != StepStatus::hold_broken) r.task = -1;
  return r;
}

}  // namespace antaeus
