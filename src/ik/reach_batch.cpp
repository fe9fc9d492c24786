#include <algorithm>
#include <atomic>
#include <thread>

#include "antaeus/core/error.hpp"
#include "ik/reach_model.hpp"

namespace antaeus {

namespace {

/// Targets that a thread takes at a time: their answers fit the cache.
constexpr int kBlock = 512;

/// One thread's scratch, and its part of the work.
class Worker {
 public:
  Worker(const ReachModel& model, std::span<const Pose> targets, const detail::ReachBuild& build, ReachBatch& batch)
      : model_(model.impl()), targets_(targets), build_(build), batch_(batch) {
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
        keep(t, solution);
        continue;
      }
      distances_[slot] = detail::distance_of(model_, numbers_[slot]);
      if (distances_[slot].proven || distances_[slot].far) {
        detail::clear(model_, solution);
        detail::AttemptAnswer none;
        none.reached = false;
        none.iterations = none.attempts = 0;
        detail::finish(model_, build_, numbers_[slot], distances_[slot], none, solution);
        keep(t, solution);
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
      keep(index_[slot], solution);
    }
  }

  std::vector<std::pair<int, ReachSolution>> failures;
  int reached = 0;

 private:
  void keep(Eigen::Index t, const ReachSolution& solution) {
    batch_.q.row(t) = solution.q.transpose();
    batch_.status[static_cast<std::size_t>(t)] = solution.status;
    batch_.position_error[t] = solution.position_error;
    batch_.rotation_error[t] = solution.rotation_error;
    batch_.iterations[t] = solution.iterations;
    batch_.attempts[t] = solution.attempts;
    if (solution.status == ReachStatus::reached) {
      ++reached;
    } else {
      failures.emplace_back(static_cast<int>(t), solution);
    }
  }

  const ReachModel::Impl& model_;
  std::span<const Pose> targets_;
  const detail::ReachBuild& build_;
  ReachBatch& batch_;
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
  batch.q.resize(count, joints);
  batch.status.resize(targets.size());
  batch.position_error.resize(count);
  batch.rotation_error.resize(count);
  batch.iterations.resize(count);
  batch.attempts.resize(count);
  const detail::ReachBuild& build = detail::reach_build(work.set);
  std::atomic<Eigen::Index> next = 0;
  std::vector<Worker> workers;
  const auto threads = static_cast<int>(std::clamp<Eigen::Index>(work.threads, 1, count / kBlock + 1));
  for (int k = 0; k < threads; ++k) workers.emplace_back(model, targets, build, batch);
  const auto run = [&](int k) {
    while (true) {
      const Eigen::Index first = next.fetch_add(kBlock);
      if (first >= count) return;
      if (k == 0 && progress) progress(static_cast<double>(first) / static_cast<double>(count));
      workers[static_cast<std::size_t>(k)].block(first, std::min<Eigen::Index>(first + kBlock, count));
    }
  };
  std::vector<std::jthread> others;
  for (int k = 1; k < threads; ++k) others.emplace_back(run, k);
  try {
    run(0);
  } catch (...) {  // of progress: the others stop after their block
    next = count;
    throw;
  }
  others.clear();
  std::vector<std::pair<int, ReachSolution>> failures;
  for (Worker& worker : workers) {
    batch.reached += worker.reached;
    failures.insert(failures.end(), worker.failures.begin(), worker.failures.end());
  }
  std::sort(failures.begin(), failures.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [target, solution] : failures) {
    batch.failure_of.push_back(target);
    batch.failures.push_back(std::move(solution));
  }
  if (progress) progress(1.0);
  return batch;
}

}  // namespace antaeus
