#pragma once
/// \file
/// The way of a solver to its answer: every configuration that pinv, dls and our own method evaluate, target by target.
///
///     const IkResult result = solve_ik(robot, request);
///     const IkTrace trace = trace_ik(result);
///     for (const IkWay& way : trace.ways) say(way.method, way.rows, way.position_error);
///
/// Each target is solved once more, from the run's start, by the code that answers: so many rows as the answer counts
/// iterations. Set-up code: allocates.

#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/ik/ik_run.hpp"

namespace antaeus {

/// What the solver was after: `attempt` to reach; `descent` to the closest pose; `without_limits`, an attempt that asks
/// whether limits are what blocks the target.
enum class IkStage : std::uint8_t { attempt, descent, without_limits };
constexpr auto enum_names(IkStage) noexcept { return name_list<IkStage>("attempt", "descent", "without_limits"); }

/// One method on one target: its rows of the trace.
struct IkWay {
  IkMethod method = IkMethod::pinv;
  int target = 0;
  ReachStatus status = ReachStatus::bad_input;
  int first = 0, rows = 0;
  double position_error = kNaN;  ///< of the answer [m]
  double rotation_error = kNaN;  ///< [rad]; 0 for positions
  /// Mean step over the last ten rows that have one, of plain methods [rad, or m of sliding joints]: far from 0 it
  /// thrashes. NaN for our method, which ends where no step leads nearer.
  double last_steps = kNaN;
};

struct IkTrace {
  std::vector<IkWay> ways;  ///< by target, then pinv, dls, default
  /// One entry a row.
  std::vector<int> start;      ///< number of the attempt or descent within its way, from 0
  std::vector<int> iteration;  ///< within its start, from 0
  std::vector<IkStage> stage;
  std::vector<bool> kept;                              ///< nearer than what came before; else given up again
  std::vector<double> position_error, rotation_error;  ///< [m], [rad]
  std::vector<double> step;  ///< Euclidean norm of the move from the configuration held before; NaN where one begins
  std::vector<VectorX> q;    ///< [size of the chain]; without_limits: may be outside them
  int left_out = 0;          ///< targets beyond kMostTraced
  int size() const noexcept { return static_cast<int>(q.size()); }
};
/// Targets that are traced; the first.
inline constexpr int kMostTraced = 20;

/// \throws OptionsError for a path: its answers hang on each other; ModelError for a joint called as a column
ANTAEUS_API IkTrace trace_ik(const IkResult& result);
/// trace.csv: one row an iteration (docs/reference/schemas.md).
ANTAEUS_API Table trace_table(const IkResult& result, const IkTrace& trace);

}  // namespace antaeus
