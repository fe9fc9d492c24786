#pragma once
/// \file
/// Many targets that do not know each other: worked on in blocks by several threads, their answers kept in one batch.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "antaeus/ik/reach.hpp"

namespace antaeus::detail {

/// Calls make() once in each thread, and what it returns with blocks [first, last) until all are done. Where progress
/// throws, the other threads stop after their block.
template <class Make>
void in_blocks(Eigen::Index count, Eigen::Index block, int threads, const Progress& progress, Make make) {
  std::atomic<Eigen::Index> next = 0;
  const auto run = [&](bool tells) {
    auto work = make();
    for (Eigen::Index first = next.fetch_add(block); first < count; first = next.fetch_add(block)) {
      if (tells && progress) progress(static_cast<double>(first) / static_cast<double>(count));
      work(first, std::min(first + block, count));
    }
  };
  std::vector<std::jthread> others;
  const Eigen::Index most = std::min<Eigen::Index>(threads, count / block + 1);
  for (Eigen::Index k = 1; k < most; ++k) others.emplace_back(run, false);
  try {
    run(true);
  } catch (...) {
    next = count;
    throw;
  }
}

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
