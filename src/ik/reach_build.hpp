#pragma once
/// \file
/// What each instruction set's build of the solver offers: plain functions over plain numbers. All builds give the same
/// bits; they differ in how many targets they work on side by side.

#include "antaeus/core/instruction_set.hpp"
#include "ik/seed_table.hpp"

namespace antaeus::detail {

/// Who looks on while the solver works: told each configuration that it evaluates, in order. Traces have one.
struct Onlooker {
  struct Sight {
    bool begins = false;   ///< the first of an attempt or descent
    bool kept = false;     ///< nearer than what came before; else it is given up again
    bool descent = false;  ///< towards the closest pose; else an attempt to reach
  };
  void (*see)(void* who, Sight sight, const double* q) = nullptr;
  void* who = nullptr;
};

/// A chain with its starts, and when a target counts as reached.
struct ReachTask {
  const ChainNumbers* chain = nullptr;
  const SeedTable* seeds = nullptr;
  bool rotation = true;  ///< else positions alone
  double position_tolerance = 1e-4, rotation_tolerance = 1e-3;
  int budget = 0;                      ///< iterations a target
  const Onlooker* onlooker = nullptr;  ///< of one target at a time; null: none
};

/// What attempts came to.
struct AttemptAnswer {
  double q[kMaxJoints];  ///< reached, else where E was least
  double E = 0.0;
  double position2 = 0.0, rotation2 = 0.0;  ///< |e_p|² and |e_r|², e_r the chordal error
  bool reached = false;
  int iterations = 0, attempts = 0;
};

/// What descents to the closest pose came to.
struct ClosestAnswer {
  double q[kMaxJoints];
  double f = 0.0;         ///< ½(m² + rad²)
  double gradient = 0.0;  ///< largest entry of the projected gradient
  bool stationary = false;
  int starts = 0, agreeing = 0;  ///< descents, and those that ended at the same f
  bool confirmed = false;        ///< two of those do not come from the target's own cells
  int iterations = 0;
};

/// Those of the low-discrepancy sequence; more of it, which take their time.
enum class MoreAttempts { sequence, patient };

struct ReachBuild {
  int lanes;
  /// The first attempts of \p count targets, side by side.
  void (*many)(const ReachTask&, const TargetNumbers* targets, int count, AttemptAnswer* answers);
  /// The same of one.
  void (*one)(const ReachTask&, const TargetNumbers& target, AttemptAnswer& answer);
  /// The attempts that follow, added to an answer.
  void (*more)(const ReachTask&, const TargetNumbers& target, MoreAttempts which, AttemptAnswer& answer);
  /// One attempt from q, added to an answer.
  void (*from)(const ReachTask&, const TargetNumbers& target, const double* q, AttemptAnswer& answer);
  /// Attempts around q, which all but reaches the target, added to an answer.
  void (*around)(const ReachTask&, const TargetNumbers& target, const double* q, AttemptAnswer& answer);
  /// The closest pose from several starts, until one of another kind confirms it.
  void (*closest)(const ReachTask&, const TargetNumbers& target, ClosestAnswer& answer);
  /// The closest pose on the branch of q.
  void (*descend)(const ReachTask&, const TargetNumbers& target, const double* q, ClosestAnswer& answer);
  /// |e_p| and the angle at q.
  void (*errors)(const ReachTask&, const TargetNumbers& target, const double* q, double& position, double& rotation);
};

const ReachBuild& reach_build_portable();
const ReachBuild& reach_build_avx2();
const ReachBuild& reach_build_avx512();
/// The build for a set; one that this program or machine does not have is replaced by the next smaller.
const ReachBuild& reach_build(InstructionSet set);

}  // namespace antaeus::detail
