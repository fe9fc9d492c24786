#include <algorithm>

#include "antaeus/core/error.hpp"
#include "ik/batch_work.hpp"
#include "ik/reach_model.hpp"

namespace antaeus {

namespace {

/// Targets that a thread takes at a time: their answers fit the cache.
constexpr int kBlock = 512;

/// One thread's scratch, and its part of the work.
class Worker {
 public:
  Worker(const ReachModel& model, std::span<const Pose> targets, const detail::ReachBuild& build,
         detail::BatchAnswers& kept)
      : model_(model.impl()), targets_(targets), build_(build), kept_(kept) {
    numbers_.resize(kBlock);
    answers_.resize(kBlock);
    distances_.resize(kBlock);
    index_.reserve(kBlock);
  }

  void block(Eigen::Index first, Eigen::Index last) {
    index_.clear();
    ReachSolution solution;
    for (Eigen::Index t = first; t < last; ++t) {
      const auto slot = static_cast<std::size_t>(std::ssize(index_));
      const Pose& X_WF = targets_[static_cast<std::size_t>(t)];
      if (!detail::read_target(*model_.task.chain, model_.task.rotation, X_WF, numbers_[slot])) {
        detail::clear(model_, solution);
        solution.evidence = ReachEvidence::target;
        kept_.keep(t, solution);
        continue;
      }
      distances_[slot] = detail::distance_of(model_, numbers_[slot]);
      if (distances_[slot].proven || distances_[slot].far) {
        detail::clear(model_, solution);
        detail::AttemptAnswer none;
        detail::finish(model_, build_, numbers_[slot], distances_[slot], none, solution);
        kept_.keep(t, solution);
        continue;
      }
      index_.push_back(t);
    }
    build_.many(model_.task, numbers_.data(), static_cast<int>(index_.size()), answers_.data());
    for (std::size_t slot = 0; slot < index_.size(); ++slot) {
      detail::AttemptAnswer& answer = answers_[slot];
      detail::clear(model_, solution);
      if (answer.reached) {
        detail::unwind(*model_.task.chain, answer.q);
        detail::take_reached(answer, solution);
      } else {
        detail::finish(model_, build_, numbers_[slot], distances_[slot], answer, solution);
      }
      kept_.keep(index_[slot], solution);
    }
  }

 private:
  const ReachModel::Impl& model_;
  std::span<const Pose> targets_;
  const detail::ReachBuild& build_;
  detail::BatchAnswers& kept_;
  std::vector<detail::TargetNumbers> numbers_;
  std::vector<detail::AttemptAnswer> answers_;
  std::vector<detail::Distance> distances_;
  std::vector<Eigen::Index> index_;
};

}  // namespace

ReachSolution ReachBatch::solution(Eigen::Index target) const {
  const auto failure = std::lower_bound(failure_of.begin(), failure_of.end(), static_cast<int>(target));
  if (failure != failure_of.end() && *failure == target) {
    return failures[static_cast<std::size_t>(failure - failure_of.begin())];
  }
  ReachSolution solution;
  solution.status = ReachStatus::reached;
  solution.q = q.row(target).transpose();
  solution.position_error = position_error[target];
  solution.rotation_error = rotation_error[target];
  solution.iterations = iterations[target];
  solution.attempts = attempts[target];
  return solution;
}

ReachBatch solve_batch(const ReachModel& model, std::span<const Pose> targets, const BatchWork& work,
                       const Progress& progress) {
  if (work.threads < 1) throw OptionsError("threads", "fewer than one", "give 1 or more");
  const auto count = static_cast<Eigen::Index>(targets.size());
  const int joints = model.chain().size();
  ReachBatch batch;
  detail::BatchAnswers kept(batch, count, joints);
  const detail::ReachBuild& build = detail::reach_build(work.set);
  detail::in_blocks(count, kBlock, work.threads, progress, [&](int) {
    return [worker = Worker(model, targets, build, kept)](Eigen::Index first, Eigen::Index last) mutable {
      worker.block(first, last);
    };
  });
  kept.close();
  if (progress) progress(1.0);
  return batch;
}

}  // namespace antaeus
