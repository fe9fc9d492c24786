#pragma once
/// \file
/// Inverse kinematics: joint positions that bring a frame to a target within the limits, or what prevents it.
///
///     const ReachModel model(KinematicChain(robot.model, "panda_hand"));   // fixed; builds the table of starts
///     ReachSolver solver(model);                                           // one a thread
///     const ReachSolution& found = solver.solve(X_WF);
///     if (found.status == ReachStatus::reached) use(found.q);
///     else say(reason_text(model, found));
///
/// Method: error-scaled Levenberg–Marquardt with limits as an active set, from starts that are filed by the two
/// symmetries of a chain that ends with a revolute joint; for what none of them reaches, the nearest pose
/// within the limits by projected Newton steps. docs/concepts/ik.md explains both. Answers do not depend on the
/// clock, on the number of threads, on the instruction set, nor on other targets: the same target gives the same bits.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antaeus/core/fields.hpp"
#include "antaeus/core/instruction_set.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/ik/chain.hpp"

namespace antaeus {

/// When a target counts as reached, and how much work it may cost.
struct ReachOptions {
  bool position_only = false;        ///< the frame's origin alone; its orientation is free
  double position_tolerance = 1e-4;  ///< [m] attempts end at half of it
  double rotation_tolerance = 1e-3;  ///< [rad]
  int iteration_budget = 20000;      ///< [1] of attempts; descents and the explanation of a failure are bounded besides
  double deadline = 0.0;             ///< [s] after which no stage of a failing solve is begun; 0: none
  int table_samples = 300000;        ///< [1] configurations from which the table of starts is made
  bool explain = true;               ///< whether a failure is explained: out of reach, or blocked by limits
};
ANTAEUS_API const OptionTable& options_of(const ReachOptions&);

/// How a target ended.
enum class ReachStatus : std::uint8_t {
  reached,            ///< both errors within tolerance, every joint within its limits
  out_of_reach,       ///< not even without joint limits; q is the closest pose within them
  blocked_by_limits,  ///< `rejected` would reach it; q is the closest pose within the limits
  local_minimum,      ///< q cannot be improved by small steps, and nothing more is known
  iteration_budget,   ///< the budget or the deadline ended the search: q is the best so far
  bad_input,          ///< target or start is not a number, of wrong size, or no rotation: q is NaN
};
constexpr auto enum_names(ReachStatus) noexcept {
  return name_list<ReachStatus>("reached", "out_of_reach", "blocked_by_limits", "local_minimum", "iteration_budget",
                                "bad_input");
}

/// What stands behind a status other than reached.
enum class ReachEvidence : std::uint8_t {
  none,
  link_lengths,  ///< proven: farther away than all links stretched out
  agreement,     ///< stationary within the limits, several descents agree, and attempts without limits fail too
  one_descent,   ///< stationary, one descent alone came there
  branch_only,   ///< follow(): one attempt on the branch of the start; others were not asked
  other_branch,  ///< explain(): another branch reaches it
  no_limits,     ///< `rejected`, found with the limits lifted
  budget,
  deadline,
  target,  ///< the target's rotation is not orthonormal, or a number of it not finite
  start,   ///< the start is of wrong size or not finite
};
constexpr auto enum_names(ReachEvidence) noexcept {
  return name_list<ReachEvidence>("none", "link_lengths", "agreement", "one_descent", "branch_only", "other_branch",
                                  "no_limits", "budget", "deadline", "target", "start");
}

/// Positions of a chain's joints, without memory from the heap.
using ChainVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxChainJoints, 1>;

struct ReachSolution {
  ReachStatus status = ReachStatus::bad_input;
  ReachEvidence evidence = ReachEvidence::none;
  ChainVector q;
  double position_error = kNaN, rotation_error = kNaN;
  int iterations = 0, attempts = 0, descents = 0, agreeing_starts = 0;
  double gradient = kNaN;
  std::uint32_t blocked_by = 0;
  ChainVector rejected;
  std::uint32_t pulled_in = 0;
};
constexpr void visit_fields(const ReachSolution*, auto&& visit) {
  using S = ReachSolution;
  visit(field("status", "", "reached, or why not", &S::status));
  visit(field("evidence", "", "what stands behind a status other than reached", &S::evidence));
  visit(field("q", "", "[joints] of the chain, rad or m; always within the limits, exactly. NaN for bad_input", &S::q));
  visit(field("position_error", "m", "|p − p*| at q", &S::position_error));
  visit(field("rotation_error", "rad", "angle at q; 0 where only the position was requested", &S::rotation_error));
  visit(field("iterations", "", "evaluations of the chain, of all stages", &S::iterations));
  visit(field("attempts", "", "starts from which the target was tried", &S::attempts));
  visit(field("descents", "", "starts from which the closest pose was looked for; 0: reached", &S::descents));
  visit(
      field("agreeing_starts", "", "of those, how many came to this pose's distance within 1e-5", &S::agreeing_starts));
  visit(field("gradient", "", "largest of the projected gradient of ½(m² + rad²) at q, m or rad; NaN: reached",
              &S::gradient));
  visit(field("blocked_by", "", "bit i: joint i is outside its limits in `rejected`; joint_names reads it",
              &S::blocked_by));
  visit(field("rejected", "", "[joints] reaches the target with the limits lifted; [0] unless blocked", &S::rejected));
  visit(field("pulled_in", "", "bit i: joint i of the start was outside its limits; likewise", &S::pulled_in));
}

/// What solvers share: chain, options, tables of starts. Fixed; copies share; thread-safe.
/// Building the tables takes about 0.2 s and 7 MB for seven joints (`table_seconds`, `table_bytes` say it); chains of
/// equal numbers share theirs.
class ANTAEUS_API ReachModel {
 public:
  /// \throws OptionsError for an option out of its range
  explicit ReachModel(KinematicChain chain, const ReachOptions& options = {});

  const KinematicChain& chain() const noexcept;
  const ReachOptions& options() const noexcept;
  double table_seconds() const noexcept;
  std::size_t table_bytes() const noexcept;
  /// Whether starts come from a table; else, as the last joint is prismatic or there are fewer than three, from a
  /// sequence over all joints: slower.
  bool has_table() const noexcept;

  struct Impl;
  const Impl& impl() const noexcept { return *impl_; }
  explicit ReachModel(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Workspace, one a thread. \realtime all but the constructor (reach_realtime_test)
class ANTAEUS_API ReachSolver {
 public:
  /// \param set  instructions to use; one that this machine does not have is replaced by the next smaller
  explicit ReachSolver(ReachModel model, InstructionSet set = instruction_set());

  /// From the table's starts: any branch that reaches the target. At most about 0.5 ms where it fails.
  /// \param X_WF  pose of the frame in the world; its rotation orthonormal within 1e-6 (unread for positions)
  const ReachSolution& solve(const Pose& X_WF) noexcept;
  /// The same after one attempt from \p start [size], which is pulled into the limits: near it where that reaches.
  const ReachSolution& solve(const Pose& X_WF, ConstVectorRef start) noexcept;
  /// On the branch of \p start [size] alone: for servo loops and paths. One descent, a microsecond or two.
  /// Where it fails the status is `out_of_reach` if link lengths prove it, else `local_minimum` (branch_only).
  const ReachSolution& follow(const Pose& X_WF, ConstVectorRef start) noexcept;
  /// What solve() says of the target that follow() did not reach; q stays that of \p followed.
  ReachSolution explain(const Pose& X_WF, const ReachSolution& followed) noexcept;

  const ReachModel& model() const noexcept { return model_; }

 private:
  ReachModel model_;
  const ReachSolution& solve(const Pose& X_WF, const double* start) noexcept;
  bool read_start(ConstVectorRef start) noexcept;
  InstructionSet set_;
  ReachSolution solution_;
};

/// Joints that a mask of a solution names.
ANTAEUS_API std::vector<std::string> joint_names(const KinematicChain& chain, std::uint32_t mask);
/// One sentence: why, and how sure that is.
ANTAEUS_API std::string reason_text(const ReachModel& model, const ReachSolution& solution);

/// How a batch is worked on; answers do not depend on it.
struct BatchWork {
  int threads = 1;  ///< ≥ 1
  InstructionSet set = instruction_set();
};
/// Answers of many independent targets, in their order; those that are not reached stand whole in `failures`.
struct ANTAEUS_API ReachBatch {
  SampleMatrix q;
  std::vector<ReachStatus> status;
  VectorX position_error, rotation_error;
  Eigen::VectorXi iterations, attempts;
  std::vector<ReachSolution> failures;
  std::vector<int> failure_of;
  int reached = 0;
  /// The whole solution of one target, as solve() gives it.
  ReachSolution solution(Eigen::Index target) const;
};
constexpr void visit_fields(const ReachBatch*, auto&& visit) {
  using B = ReachBatch;
  visit(field("q", "", "[N × joints] rad or m, within the limits; NaN for bad_input", &B::q));
  visit(field("status", "", "[N] places in ReachStatus: list(antaeus.ReachStatus)[code] is the name; 0: reached",
              &B::status));
  visit(field("position_error", "m", "[N]", &B::position_error));
  visit(field("rotation_error", "rad", "[N]", &B::rotation_error));
  visit(field("iterations", "", "[N]", &B::iterations));
  visit(field("attempts", "", "[N]", &B::attempts));
  visit(field("failures", "", "whole solutions of the targets that are not reached", &B::failures));
  visit(field("failure_of", "", "[failures] target of each, ascending", &B::failure_of));
  visit(field("reached", "", "how many", &B::reached));
}
/// Solves each target as ReachSolver::solve does, to the bit, several side by side and in several threads.
/// Set-up code: allocates. \param progress  where wanted, told from the calling thread
ANTAEUS_API ReachBatch solve_batch(const ReachModel& model, std::span<const Pose> targets, const BatchWork& work = {},
                                   const Progress& progress = nullptr);

}  // namespace antaeus
