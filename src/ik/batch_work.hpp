#pragma once
/// \file
/// Many targets that do not know each other: worked on by several threads, their answers kept in one batch.

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "antaeus/ik/reach.hpp"
#include "core/in_blocks.hpp"

namespace antaeus::detail {

/// A batch that is filled target by target, from any thread; every target must be kept before close().
class BatchAnswers {
 public:
  BatchAnswers(ReachBatch& batch, Eigen::Index count, int joints) : batch_(batch) {
    batch_ = {};
    batch_.q.resize(count, joints);
    batch_.status.resize(static_cast<std::size_t>(count));
    batch_.position_error.resize(count);
    batch_.rotation_error.resize(count);
    batch_.iterations.resize(count);
    batch_.attempts.resize(count);
  }
  void keep(Eigen::Index t, const ReachSolution& solution) {
    batch_.q.row(t) = solution.q.transpose();
    batch_.status[static_cast<std::size_t>(t)] = solution.status;
    batch_.position_error[t] = solution.position_error;
    batch_.rotation_error[t] = solution.rotation_error;
    batch_.iterations[t] = solution.iterations;
    batch_.attempts[t] = solution.attempts;
    if (solution.status == ReachStatus::reached) return;
    const std::scoped_lock lock(mutex_);
    failures_.emplace_back(static_cast<int>(t), solution);
  }
  /// Puts the failures in the targets' order.
  void close() {
    std::sort(failures_.begin(), failures_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [target, solution] : failures_) {
      batch_.failure_of.push_back(target);
      batch_.failures.push_back(std::move(solution));
    }
    batch_.reached = static_cast<int>(batch_.status.size() - failures_.size());
  }

 private:
  ReachBatch& batch_;
  std::mutex mutex_;
  std::vector<std::pair<int, ReachSolution>> failures_;
};

}  // namespace antaeus::detail
