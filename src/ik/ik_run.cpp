#include "antaeus/ik/ik_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "ik/batch_work.hpp"
#include "ik/few_joints.hpp"
#include "ik/path_attempts.hpp"
#include "ik/plain_options.hpp"
#include "ik/reach_model.hpp"
#include "ik/solution_columns.hpp"
#include "ik/thread_time.hpp"

namespace antaeus {

namespace {

using Eigen::Index;

constexpr double kTimedWork = 20e-6;  ///< [s] that one reading of the clock is spread over
constexpr int kTimedRepeats = 5;
constexpr int kMostThreads = 256;
constexpr Index kTargetsAtATime = 16;

/// CPU time of a call with warm caches [µs].
template <class Call>
double cpu_us_of(Call call) {
  double begin = detail::thread_seconds();
  call();
  const double once = std::max(detail::thread_seconds() - begin, 1e-7);
  const int calls = std::max(1, static_cast<int>(std::ceil(kTimedWork / once)));
  double least = kInfinity;
  for (int repeat = 0; repeat < kTimedRepeats; ++repeat) {
    begin = detail::thread_seconds();
    for (int i = 0; i < calls; ++i) call();
    least = std::min(least, (detail::thread_seconds() - begin) / calls);
  }
  return 1e6 * least;
}

}  // namespace

PlainOptions detail::plain_options(IkMethod method, const ReachOptions& options) {
  PlainOptions plain;
  plain.method = method == IkMethod::dls    ? PlainMethod::dls
                 : method == IkMethod::pinv ? PlainMethod::pinv
                                            : PlainMethod::dls_restarts;
  plain.position_only = options.position_only;
  plain.position_tolerance = options.position_tolerance;
  plain.rotation_tolerance = options.rotation_tolerance;
  return plain;
}

namespace {

using detail::plain_options;

class IkRunner {
 public:
  IkRunner(IkResult& result, const Progress& progress)
      : result_(result), request_(result.request), chain_(result.model.chain()), progress_(progress) {}

  void solve() {
    if (request_.timing) result_.cpu_us.setConstant(count(), kNaN);
    if (request_.path) {
      request_.method == IkMethod::reach ? path() : plain_path();
    } else if (request_.method == IkMethod::reach) {
      request_.start.size() == 0 ? table_starts() : own_start();
    } else {
      plain();
    }
    if (progress_) progress_(1.0);
  }

 private:
  Index count() const { return std::ssize(request_.targets.poses); }
  const Pose& target(Index t) const { return request_.targets.poses[static_cast<std::size_t>(t)]; }
  void tell(Index t) const {
    if (progress_ && t % kTargetsAtATime == 0) progress_(static_cast<double>(t) / static_cast<double>(count()));
  }
  template <class Call>
  void time(Index t, ReachStatus status, Call call) {
    if (request_.timing && status != ReachStatus::bad_input) result_.cpu_us[t] = cpu_us_of(call);
  }

  // --- Targets that do not know each other ---------------------------------------------------------------------------

  /// \param make  makes, in each thread, what solves one target
  template <class Make>
  void solve_all(Make make) {
    detail::BatchAnswers answers(result_.answers, count(), chain_.size());
    detail::in_blocks(count(), kTargetsAtATime, std::min(request_.threads, kMostThreads), progress_, [&](int) {
      return [&answers, solve = make()](Index first, Index last) mutable {
        for (Index t = first; t < last; ++t) answers.keep(t, solve(t));
      };
    });
    answers.close();
  }

  void table_starts() {
    result_.answers = solve_batch(result_.model, request_.targets.poses,
                                  {.threads = std::min(request_.threads, kMostThreads)}, progress_);
    if (!request_.timing) return;
    ReachSolver solver(result_.model);
    for (Index t = 0; t < count(); ++t) {
      tell(t);
      time(t, result_.status(static_cast<int>(t)), [&] { solver.solve(target(t)); });
    }
  }

  void own_start() {
    solve_all([&] {
      return [this, solver = ReachSolver(result_.model)](Index t) mutable {
        return solver.solve(target(t), request_.start);
      };
    });
    if (!request_.timing) return;
    ReachSolver solver(result_.model);
    for (Index t = 0; t < count(); ++t) {
      tell(t);
      time(t, result_.status(static_cast<int>(t)), [&] { solver.solve(target(t), request_.start); });
    }
  }

  VectorX plain_start() const { return request_.start.size() > 0 ? request_.start : chain_.middle(); }

  void plain() {
    const PlainOptions options = plain_options(request_.method, result_.model.options());
    const VectorX start = plain_start();
    solve_all([&] {
      return [this, &start, solver = PlainSolver(chain_, options)](Index t) mutable {
        return solver.solve(target(t), start);
      };
    });
    if (!request_.timing) return;
    PlainSolver solver(chain_, options);
    for (Index t = 0; t < count(); ++t) {
      tell(t);
      time(t, result_.status(static_cast<int>(t)), [&] { solver.solve(target(t), start); });
    }
  }

  // --- Paths ---------------------------------------------------------------------------------------------------------

  void path() {
    std::optional<VectorX> start;
    if (request_.start.size() > 0) start = request_.start;
    const ReachPath path = follow_path(result_.model, request_.targets.poses, start, false, progress_);
    detail::BatchAnswers answers(result_.answers, count(), chain_.size());
    for (Index t = 0; t < count(); ++t) answers.keep(t, path.solutions[static_cast<std::size_t>(t)]);
    answers.close();
    result_.beginnings = path.beginnings;
    list_steps();
    auto examined = path.long_steps.begin();  // in the same order
    for (IkStep& step : result_.steps) {
      while (examined != path.long_steps.end() && examined->waypoint < step.to) ++examined;
      if (examined != path.long_steps.end() && examined->waypoint == step.to) step.largest_substep = examined->finest;
    }
    if (!request_.timing) return;
    ReachSolver solver(result_.model);
    VectorX at = request_.start;
    for (Index t = 0; t < count(); ++t) {
      tell(t);
      const ReachSolution& found = path.solutions[static_cast<std::size_t>(t)];
      time(t, found.status, [&] { at.size() == 0 ? solver.solve(target(t)) : solver.follow(target(t), at); });
      if (found.status != ReachStatus::bad_input) at = found.q;
    }
  }

  void plain_path() {
    answer_plain_path();
    list_steps();
    examine_steps();
  }
  void answer_plain_path() {
    detail::BatchAnswers answers(result_.answers, count(), chain_.size());
    PlainSolver solver(chain_, plain_options(request_.method, result_.model.options()));
    VectorX at = plain_start();
    for (Index t = 0; t < count(); ++t) {
      tell(t);
      const Pose& X_WF = target(t);
      const ReachSolution found = solver.solve(X_WF, at);
      time(t, found.status, [&] { solver.solve(X_WF, at); });
      answers.keep(t, found);
      if (found.status != ReachStatus::bad_input) at = found.q;
    }
    answers.close();
  }

  void list_steps() {
    int before = -1;
    for (int t = 0; t < result_.size(); ++t) {
      if (result_.status(t) == ReachStatus::bad_input) continue;
      if (before >= 0) {
        IkStep step{.from = before, .to = t};
        Index joint = 0;
        step.size = (result_.answers.q.row(t) - result_.answers.q.row(before)).cwiseAbs().maxCoeff(&joint);
        step.joint = static_cast<int>(joint);
        if (!(result_.largest_step >= step.size)) result_.largest_step = step.size;
        if (step.size > kLongStep) result_.steps.push_back(step);
      }
      before = t;
    }
  }

  void examine_steps() {
    ReachSolver solver(result_.model);
    int examined = 0;
    for (IkStep& step : result_.steps) {
      if (examined++ == kMostExamined) {
        result_.remarks.push_back("the first " + std::to_string(kMostExamined) + " of " +
                                  std::to_string(result_.steps.size()) + " long steps were examined");
        break;
      }
      if (progress_) progress_(static_cast<double>(examined) / static_cast<double>(result_.steps.size()));
      step.largest_substep = detail::largest_part(solver, target(step.from), target(step.to),
                                                  result_.answers.q.row(step.from).transpose());
    }
  }

  IkResult& result_;
  const IkRequest& request_;
  const KinematicChain& chain_;
  const Progress& progress_;
};

void check_columns(const KinematicChain& chain) {
  for (const ChainJoint& joint : chain.joints()) {
    for (const char* const column : detail::kSolutionColumns) {
      if (joint.name == column) {
        throw ModelError("joint '" + joint.name + "'", "a column of solutions.csv has its name", "rename the joint");
      }
    }
  }
}

void remark(IkResult& result, bool asked) {
  const IkTargets& targets = result.request.targets;
  if (!targets.has_rotation) {
    result.remarks.emplace_back("the targets have no quaternions: only their positions are used");
  } else if (asked) {
    result.remarks.emplace_back("the targets' quaternions were not read: only their positions are used");
  }
  result.remarks.insert(result.remarks.end(), targets.notes.begin(), targets.notes.end());
  if (!result.pulled_in.empty()) {
    const std::vector<ChainJoint>& joints = result.model.chain().joints();
    bool degrees = false;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      degrees |= !joints[j].prismatic && std::abs(result.request.start[static_cast<Index>(j)]) > 2 * std::numbers::pi;
    }
    result.remarks.push_back("the start was outside the limits of " + listed(result.pulled_in) +
                             " and was pulled to them" +
                             (degrees ? "; it looks like degrees, and radians are expected" : ""));
  }
  const bool tabled = result.request.method == IkMethod::reach && result.request.start.size() == 0;
  if (tabled && !result.model.has_table()) {
    result.remarks.emplace_back(
        "the chain has no table of starts, because its last joint slides or it has fewer than three: starts come from "
        "a "
        "sequence over all joints, which is slower");
  }
}

/// A hint where a position that is not reached is far beyond the chain as metres, and within it as millimetres.
std::string millimetres_hint(const IkResult& r, int target) {
  constexpr double kFar = 10.0;  // [1] of the reach: a position that is only somewhat too far is in metres
  const double reach = r.model.chain().reach();
  const Vector3& p = r.request.targets.poses[static_cast<std::size_t>(target)].translation;
  const double far = p.norm();
  const bool failed = r.status(target) != ReachStatus::reached && r.status(target) != ReachStatus::bad_input;
  if (!failed || !(far > kFar * reach) || far > 1000.0 * kFar * reach) return {};
  std::string metres;
  for (const double x : p) metres += (metres.empty() ? "" : ",") + significant_text(x / 1000.0, 4);
  return "; the position looks like millimetres: in metres it is " + metres;
}

/// The part of its pose that a chain of few joints does not reach, for the targets that are shown one by one.
void explain_few_joints(IkResult& result) {
  constexpr std::size_t kExplained = 30;
  if (result.model.chain().size() >= detail::kJointsOfAPose || result.model.options().position_only) return;
  for (const int target : result.answers.failure_of) {
    if (result.unreachable_parts.size() == kExplained) break;
    if (result.status(target) == ReachStatus::bad_input) continue;
    const Pose& X_WF = result.request.targets.poses[static_cast<std::size_t>(target)];
    std::string text = detail::few_joints_text(result.model, X_WF, result.answers.solution(target));
    if (text.empty()) continue;
    result.unreachable_parts.emplace(target, std::move(text));
  }
}

}  // namespace

ReachSolution IkResult::solution(int target) const {
  ReachSolution found = answers.solution(target);
  // Reached targets are kept without it.
  if (start.size() > 0 && (!request.path || target == 0)) {
    found.pulled_in = detail::outside_limits(model.chain().numbers(), request.start.data());
  }
  return found;
}

std::string IkResult::reason(int target) const {
  const auto problem = request.targets.position_problems.find(target);
  if (problem != request.targets.position_problems.end()) return problem->second;
  const auto turned = request.targets.rotation_problems.find(target);
  if (!model.options().position_only && turned != request.targets.rotation_problems.end()) return turned->second;
  std::string text = reason_text(model, solution(target));
  if (const auto part = unreachable_parts.find(target); part != unreachable_parts.end()) text += "; " + part->second;
  return text + millimetres_hint(*this, target);
}

int IkResult::count(ReachStatus status) const {
  return static_cast<int>(std::count(answers.status.begin(), answers.status.end(), status));
}

Pose IkResult::answered(int target) const {
  Pose X_WF;
  model.chain().pose(answers.q.row(target).transpose(), X_WF);
  return X_WF;
}

IkResult solve_ik(const Robot& robot, IkRequest request, ReachOptions options, const Progress& progress) {
  if (request.targets.poses.empty()) throw OptionsError("targets", "there are none", "give at least one");
  if (request.threads < 1)
    throw OptionsError("threads", std::to_string(request.threads) + " is fewer than one", "give 1 or more");
  KinematicChain chain(robot.model, request.frame);
  check_columns(chain);
  if (request.start.size() != 0 && (request.start.size() != chain.size() || !request.start.allFinite())) {
    throw OptionsError("start", "is not one finite number for each of " + std::to_string(chain.size()) + " joints",
                       "give the chain's joints in their order");
  }
  const bool asked = options.position_only;
  options.position_only = asked || !request.targets.has_rotation;
  std::vector<OptionValue> settings = robot.profile.settings.list(options);
  // The plain methods ask the model for words alone.
  if (request.method != IkMethod::reach) options.table_samples = 1;
  const RobotProfile& profile = robot.profile;
  IkResult result{.request = std::move(request),
                  .model = ReachModel(std::move(chain), options),
                  .robot = profile.title.empty() ? profile.name : profile.title,
                  .base_text = base_text(robot),
                  .command = {}};
  result.description = robot.model.description();
  result.payloads = robot.model.options().payloads;
  result.settings = std::move(settings);
  if (result.request.start.size() > 0) {
    result.start = result.model.chain().pulled_in(result.request.start, &result.pulled_in);
  }
  remark(result, asked);
  IkRunner(result, progress).solve();
  explain_few_joints(result);
  return result;
}

}  // namespace antaeus
