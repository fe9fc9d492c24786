#include "antaeus/ik/reach.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "ik/reach_model.hpp"

namespace antaeus {

using detail::AttemptAnswer;
using detail::ChainNumbers;
using detail::ClosestAnswer;
using detail::Distance;
using detail::MoreAttempts;
using detail::ReachBuild;
using detail::ReachTask;
using detail::TargetNumbers;

namespace {

constexpr double kTurn = 2.0 * M_PI;
/// RᵀR may differ from the identity by as much: a quaternion written with seven digits.
constexpr double kOrthonormal = 1e-6;
/// Samples are finitely many: a target this much beyond them may still be reached [m].
constexpr double kSampleMargin = 0.02;
/// A closest pose that misses by less may yet be reached from around it [√(m² + rad²)].
constexpr double kNear = 0.02;
/// One that misses by less is worth a few milliseconds before it is called unreachable.
constexpr double kVeryNear = 0.005;
/// Largest entry of the projected gradient at which a descent that ran out of iterations is still called stationary.
constexpr double kStationary = 1e-6;

using Clock = std::chrono::steady_clock;

template <class V>
void copy(const double* from, int n, V& to) {
  to.resize(n);
  std::copy_n(from, n, to.data());
}

/// The nearest turn of a revolute joint to its limits. \return by how much it is outside
double turn_into_limits(const ChainNumbers& chain, int i, double& q) {
  if (!chain.prismatic[i] && (q < chain.lower[i] || q > chain.upper[i])) {
    const double middle = 0.5 * (chain.lower[i] + chain.upper[i]);
    if (std::isfinite(middle)) q -= kTurn * std::round((q - middle) / kTurn);
  }
  return std::max({chain.lower[i] - q, q - chain.upper[i], 0.0});
}

void take_closest(const ReachModel::Impl& model, const ReachBuild& build, const TargetNumbers& target,
                  const ClosestAnswer& closest, ReachSolution& solution) {
  copy(closest.q, model.task.chain->joints, solution.q);
  solution.gradient = closest.gradient;
  build.errors(model.task, target, closest.q, solution.position_error, solution.rotation_error);
}

bool within(const ReachTask& task, double position, double rotation) {
  return position <= task.position_tolerance && (!task.rotation || rotation <= task.rotation_tolerance);
}

/// Looks for a configuration that reaches the target with the limits lifted.
/// \return `reached` where turns bring it within the limits after all
enum class Lifted { none, blocked, reached };
Lifted lift_limits(const ReachModel::Impl& model, const ReachBuild& build, const TargetNumbers& target,
                   const double* closest, ReachSolution& solution) {
  const ChainNumbers& chain = *model.task.chain;
  const int n = chain.joints;
  double least = kInfinity;
  double chosen[detail::kMaxJoints];
  std::uint32_t outside = 0;
  const auto consider = [&](const AttemptAnswer& answer) {
    double q[detail::kMaxJoints], total = 0.0;
    std::uint32_t mask = 0;
    for (int i = 0; i < n; ++i) {
      q[i] = answer.q[i];
      const double over = turn_into_limits(chain, i, q[i]);
      total += over;
      if (over > 0.0) mask |= std::uint32_t{1} << i;
    }
    if (total >= least) return;
    least = total;
    outside = mask;
    std::copy_n(q, n, chosen);
  };
  AttemptAnswer near{};
  build.from(model.free_task, target, closest, near);
  if (near.reached) consider(near);
  AttemptAnswer any{};
  build.one(model.free_task, target, any);
  if (any.reached) consider(any);
  solution.iterations += near.iterations + any.iterations;
  if (std::isinf(least)) return Lifted::none;
  if (outside == 0) {
    double position, rotation;
    build.errors(model.task, target, chosen, position, rotation);
    if (within(model.task, position, rotation)) {
      copy(chosen, n, solution.q);
      solution.position_error = position;
      solution.rotation_error = rotation;
      return Lifted::reached;
    }
    return Lifted::none;
  }
  copy(chosen, n, solution.rejected);
  solution.blocked_by = outside;
  return Lifted::blocked;
}

void set_reached(ReachSolution& solution) {
  solution.status = ReachStatus::reached;
  solution.evidence = ReachEvidence::none;
  solution.gradient = kNaN;
  solution.descents = solution.agreeing_starts = 0;
}

}  // namespace

namespace detail {

void unwind(const ChainNumbers& chain, double* q) noexcept {
  for (int i = 0; i < chain.joints; ++i) {
    if (!chain.prismatic[i] && std::isinf(chain.lower[i]) && std::isinf(chain.upper[i])) {
      q[i] -= kTurn * std::round(q[i] / kTurn);
    }
  }
}

bool read_target(const ChainNumbers& chain, bool rotation, const Pose& X_WF, TargetNumbers& target) noexcept {
  using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const Eigen::Map<const Rows> R_0W(chain.R_0W), R_FN(chain.R_FN);
  if (!X_WF.translation.allFinite()) return false;
  Eigen::Map<Vector3>(target.p) = R_0W * X_WF.translation + Eigen::Map<const Vector3>(chain.world_origin);
  if (!rotation) return true;
  if (!X_WF.rotation.allFinite() || X_WF.rotation.determinant() < 0.5 ||
      !((X_WF.rotation.transpose() * X_WF.rotation - Matrix3::Identity()).cwiseAbs().maxCoeff() <= kOrthonormal)) {
    return false;
  }
  Eigen::Map<Rows>(target.R) = R_0W * X_WF.rotation * R_FN;
  return true;
}

Distance distance_of(const ReachModel::Impl& model, const TargetNumbers& target) noexcept {
  const ChainNumbers& chain = *model.task.chain;
  const double* p = target.p;
  Distance distance;
  const double flat2 = p[0] * p[0] + p[1] * p[1], flat = std::sqrt(flat2);
  distance.proven = std::sqrt(flat2 + p[2] * p[2]) > chain.reach * (1.0 + 1e-12) + model.task.position_tolerance;
  const SeedTable& seeds = *model.seeds;
  const SeedGrid& grid = model.task.rotation ? seeds.pose : seeds.position;
  if (grid.dimensions > 0) {
    const double tool = chain.tool_length + kSampleMargin;
    const double place[2] = {chain.prismatic[0] ? p[0] : flat, chain.prismatic[0] ? p[1] : p[2]};
    for (int k = 0; k < 2; ++k) {
      distance.far = distance.far || place[k] > seeds.high[k] + tool || place[k] < seeds.low[k] - tool;
    }
  }
  return distance;
}

void clear(const ReachModel::Impl& model, ReachSolution& solution) noexcept {
  solution.status = ReachStatus::bad_input;
  solution.evidence = ReachEvidence::none;
  solution.q.setConstant(model.task.chain->joints, kNaN);
  solution.position_error = solution.rotation_error = solution.gradient = kNaN;
  solution.iterations = solution.attempts = solution.descents = solution.agreeing_starts = 0;
  solution.blocked_by = solution.pulled_in = 0;
  solution.rejected.resize(0);
}

void take_reached(const AttemptAnswer& answer, ReachSolution& solution) noexcept {
  std::copy_n(answer.q, solution.q.size(), solution.q.data());
  solution.position_error = std::sqrt(answer.position2);
  // From the chord 2 sin(θ/2) to θ: the next term is below 1e-17 at a milliradian.
  solution.rotation_error = std::sqrt(answer.rotation2) * (1.0 + answer.rotation2 / 24.0);
  solution.iterations = answer.iterations;
  solution.attempts = answer.attempts;
  set_reached(solution);
}

void finish(const ReachModel::Impl& model, const ReachBuild& build, const TargetNumbers& target,
            const Distance& distance, AttemptAnswer& answer, ReachSolution& solution) noexcept {
  const auto begin = Clock::now();
  const auto late = [&] {
    return model.options.deadline > 0.0 &&
           std::chrono::duration<double>(Clock::now() - begin).count() > model.options.deadline;
  };
  const auto stopped = [&](ReachEvidence why) {
    solution.status = ReachStatus::iteration_budget;
    solution.evidence = why;
  };
  if (answer.attempts > 0 && answer.iterations >= model.task.budget) {
    copy(answer.q, model.task.chain->joints, solution.q);
    build.errors(model.task, target, answer.q, solution.position_error, solution.rotation_error);
    solution.iterations = answer.iterations;
    solution.attempts = answer.attempts;
    return within(model.task, solution.position_error, solution.rotation_error) ? set_reached(solution)
                                                                                : stopped(ReachEvidence::budget);
  }
  ClosestAnswer closest;
  build.closest(model.task, target, closest);
  if (!closest.stationary) {
    // Near a singular pose the last steps along the valley are many.
    ClosestAnswer further;
    build.descend(model.task, target, closest.q, further);
    closest.iterations += further.iterations;
    std::copy_n(further.q, model.task.chain->joints, closest.q);
    closest.f = further.f;
    closest.gradient = further.gradient;
    closest.stationary = further.stationary || further.gradient <= kStationary;
  }
  solution.attempts = answer.attempts;
  solution.descents = closest.starts;
  solution.agreeing_starts = closest.agreeing;
  solution.iterations = answer.iterations + closest.iterations;
  take_closest(model, build, target, closest, solution);
  if (within(model.task, solution.position_error, solution.rotation_error)) {
    detail::unwind(*model.task.chain, solution.q.data());
    return set_reached(solution);
  }
  if (distance.proven) {
    solution.status = ReachStatus::out_of_reach;
    solution.evidence = ReachEvidence::link_lengths;
    return;
  }
  if (late()) return stopped(ReachEvidence::deadline);
  if (!distance.far) {
    const int before = answer.iterations;
    // Reached in no hurry: near a singular pose the last millimetre takes many steps.
    if (2.0 * closest.f < kNear * kNear) build.around(model.task, target, closest.q, answer);
    if (!answer.reached) build.more(model.task, target, MoreAttempts::sequence, answer);
    if (!answer.reached && 2.0 * closest.f < kVeryNear * kVeryNear) {
      build.more(model.task, target, MoreAttempts::patient, answer);
    }
    solution.attempts = answer.attempts;
    solution.iterations += answer.iterations - before;
    if (answer.reached) {
      detail::unwind(*model.task.chain, answer.q);
      const int all = solution.iterations;
      take_reached(answer, solution);
      solution.iterations = all;
      return;
    }
    if (answer.iterations >= model.task.budget) return stopped(ReachEvidence::budget);
  }
  if (!closest.stationary) return stopped(ReachEvidence::budget);
  if (!model.options.explain) {
    solution.status = ReachStatus::local_minimum;
    solution.evidence = closest.confirmed ? ReachEvidence::agreement : ReachEvidence::one_descent;
    return;
  }
  if (late()) return stopped(ReachEvidence::deadline);
  if (model.limited) {
    switch (lift_limits(model, build, target, closest.q, solution)) {
      case Lifted::reached: return set_reached(solution);
      case Lifted::blocked:
        solution.status = ReachStatus::blocked_by_limits;
        solution.evidence = ReachEvidence::no_limits;
        return;
      case Lifted::none: break;
    }
  }
  solution.status = closest.confirmed ? ReachStatus::out_of_reach : ReachStatus::local_minimum;
  solution.evidence = closest.confirmed ? ReachEvidence::agreement : ReachEvidence::one_descent;
}

const ReachBuild& reach_build(InstructionSet set) {
#if defined(__x86_64__)
  const InstructionSet best = instruction_set();
  if (set >= InstructionSet::avx512 && best >= InstructionSet::avx512) return reach_build_avx512();
  if (set >= InstructionSet::avx2 && best >= InstructionSet::avx2) return reach_build_avx2();
#endif
  return reach_build_portable();
}

}  // namespace detail

ReachModel::ReachModel(KinematicChain chain, const ReachOptions& options) {
  check_options(options);
  KinematicChain free_chain = chain.without_limits();
  const bool limited = chain.limited();
  auto impl = std::make_shared<Impl>(Impl{std::move(chain), std::move(free_chain), options, limited, {}, {}, {}, {}});
  impl->seeds = detail::seed_table(impl->chain.numbers(), options.table_samples);
  // The question without limits comes up rarely: fewer samples do.
  impl->free_seeds = impl->limited
                         ? detail::seed_table(impl->free_chain.numbers(), std::min(options.table_samples, 100000))
                         : impl->seeds;
  impl->task = {&impl->chain.numbers(),     impl->seeds.get(),          !options.position_only,
                options.position_tolerance, options.rotation_tolerance, options.iteration_budget};
  impl->free_task = impl->task;
  impl->free_task.chain = &impl->free_chain.numbers();
  impl->free_task.seeds = impl->free_seeds.get();
  impl_ = std::move(impl);
}

const KinematicChain& ReachModel::chain() const noexcept { return impl_->chain; }
const ReachOptions& ReachModel::options() const noexcept { return impl_->options; }
double ReachModel::table_seconds() const noexcept {
  return impl_->seeds->build_seconds + impl_->free_seeds->build_seconds;
}
std::size_t ReachModel::table_bytes() const noexcept {
  return impl_->seeds->bytes + (impl_->limited ? impl_->free_seeds->bytes : 0);
}
bool ReachModel::has_table() const noexcept {
  const detail::SeedTable& seeds = *impl_->seeds;
  return (impl_->task.rotation ? seeds.pose : seeds.position).dimensions > 0;
}

ReachSolver::ReachSolver(ReachModel model, InstructionSet set) : model_(std::move(model)), set_(set) {
  detail::clear(model_.impl(), solution_);
}

const ReachSolution& ReachSolver::solve(const Pose& X_WF) noexcept {
  detail::clear(model_.impl(), solution_);
  return solve(X_WF, nullptr);
}

const ReachSolution& ReachSolver::solve(const Pose& X_WF, ConstVectorRef start) noexcept {
  detail::clear(model_.impl(), solution_);
  return read_start(start) ? solve(X_WF, start.data()) : solution_;
}

bool ReachSolver::read_start(ConstVectorRef start) noexcept {
  const ChainNumbers& chain = *model_.impl().task.chain;
  if (start.size() != chain.joints || !start.allFinite()) {
    solution_.evidence = ReachEvidence::start;
    return false;
  }
  solution_.pulled_in = detail::outside_limits(chain, start.data());
  return true;
}

const ReachSolution& ReachSolver::solve(const Pose& X_WF, const double* start) noexcept {
  const ReachModel::Impl& model = model_.impl();
  TargetNumbers target;
  if (!detail::read_target(*model.task.chain, model.task.rotation, X_WF, target)) {
    solution_.evidence = ReachEvidence::target;
    return solution_;
  }
  const ReachBuild& build = detail::reach_build(set_);
  const Distance distance = detail::distance_of(model, target);
  AttemptAnswer answer;
  if (!distance.proven && !distance.far) {
    if (start) build.from(model.task, target, start, answer);
    const int iterations = answer.iterations;
    if (!answer.reached) {
      build.one(model.task, target, answer);
      answer.iterations += iterations;
      answer.attempts += start ? 1 : 0;
    }
    if (answer.reached) {
      detail::unwind(*model.task.chain, answer.q);
      detail::take_reached(answer, solution_);
      return solution_;
    }
  }
  detail::finish(model, build, target, distance, answer, solution_);
  return solution_;
}

const ReachSolution& ReachSolver::follow(const Pose& X_WF, ConstVectorRef start) noexcept {
  const ReachModel::Impl& model = model_.impl();
  detail::clear(model, solution_);
  TargetNumbers target;
  if (!detail::read_target(*model.task.chain, model.task.rotation, X_WF, target)) {
    solution_.evidence = ReachEvidence::target;
    return solution_;
  }
  if (!read_start(start)) return solution_;
  const ReachBuild& build = detail::reach_build(set_);
  ClosestAnswer closest;
  build.descend(model.task, target, start.data(), closest);
  take_closest(model, build, target, closest, solution_);
  solution_.iterations = closest.iterations;
  solution_.descents = solution_.agreeing_starts = 1;
  if (within(model.task, solution_.position_error, solution_.rotation_error)) {
    set_reached(solution_);
  } else if (detail::distance_of(model, target).proven) {
    solution_.status = ReachStatus::out_of_reach;
    solution_.evidence = ReachEvidence::link_lengths;
  } else if (!closest.stationary) {
    solution_.status = ReachStatus::iteration_budget;
    solution_.evidence = ReachEvidence::budget;
  } else {
    solution_.status = ReachStatus::local_minimum;
    solution_.evidence = ReachEvidence::branch_only;
  }
  return solution_;
}

namespace detail {

std::uint32_t outside_limits(const ChainNumbers& chain, const double* q) noexcept {
  std::uint32_t mask = 0;
  for (int i = 0; i < chain.joints; ++i) {
    if (q[i] < chain.lower[i] || q[i] > chain.upper[i]) mask |= std::uint32_t{1} << i;
  }
  return mask;
}

bool open_question(const ReachSolution& followed) noexcept {
  return followed.status != ReachStatus::reached && followed.status != ReachStatus::bad_input &&
         followed.evidence != ReachEvidence::link_lengths;
}

ReachSolution explained_by(const ReachSolution& followed, const ReachSolution& whole) noexcept {
  ReachSolution told = followed;
  told.iterations += whole.iterations;
  told.attempts = whole.attempts;
  if (whole.status == ReachStatus::reached) {
    told.status = ReachStatus::local_minimum;
    told.evidence = ReachEvidence::other_branch;
    return told;
  }
  told.status = whole.status;
  told.evidence = whole.evidence;
  told.descents = whole.descents;
  told.agreeing_starts = whole.agreeing_starts;
  told.blocked_by = whole.blocked_by;
  told.rejected = whole.rejected;
  return told;
}

}  // namespace detail

ReachSolution ReachSolver::explain(const Pose& X_WF, const ReachSolution& followed) noexcept {
  if (!detail::open_question(followed)) return followed;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it may be this solver's own, which solve() overwrites
  const ReachSolution copy = followed;
  return detail::explained_by(copy, solve(X_WF));
}

}  // namespace antaeus
