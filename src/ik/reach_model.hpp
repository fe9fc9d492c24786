#pragma once
/// \file
/// What a ReachModel holds, and the stages of a solve that single targets and batches share.

#include "antaeus/ik/reach.hpp"
#include "ik/reach_build.hpp"

namespace antaeus {

struct ReachModel::Impl {
  KinematicChain chain, free_chain;
  ReachOptions options;
  bool limited;  ///< whether limits can block anything
  std::shared_ptr<const detail::SeedTable> seeds, free_seeds;
  detail::ReachTask task, free_task;
};

namespace detail {

/// The target in the solver's terms. \return false where it is no pose
bool read_target(const ChainNumbers& chain, bool rotation, const Pose& X_WF, TargetNumbers& target) noexcept;
/// Whether attempts may be left out: no sample came near, or no configuration can.
struct Distance {
  bool proven = false;  ///< beyond the sum of the links
  bool far = false;     ///< outside all that was sampled
};
Distance distance_of(const ReachModel::Impl& model, const TargetNumbers& target) noexcept;
/// A solution with every field at its start, for a chain.
void clear(const ReachModel::Impl& model, ReachSolution& solution) noexcept;
/// A joint without limits stands within half a turn of zero.
void unwind(const ChainNumbers& chain, double* q) noexcept;
void take_reached(const AttemptAnswer& answer, ReachSolution& solution) noexcept;
/// What follows the first attempts: closest pose, further attempts, verdict. \p answer holds what they came to.
void finish(const ReachModel::Impl& model, const ReachBuild& build, const TargetNumbers& target,
            const Distance& distance, AttemptAnswer& answer, ReachSolution& solution) noexcept;

/// Bit i: joint i of \p q is outside its limits.
std::uint32_t outside_limits(const ChainNumbers& chain, const double* q) noexcept;
/// Whether solve() may say more of a target than follow() did.
bool open_question(const ReachSolution& followed) noexcept;
/// A solution of follow() with what solve() says of the same target.
ReachSolution explained_by(const ReachSolution& followed, const ReachSolution& whole) noexcept;

}  // namespace detail

}  // namespace antaeus
