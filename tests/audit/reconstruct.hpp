#pragma once
#include "antaeus/audit/reconstruction.hpp"

namespace antaeus::test {

/// The whole episode at once.
inline Reconstruction reconstruct(const Robot& robot, const Episode& episode, const std::vector<std::string>& endpoints,
                                  const AuditOptions& options) {
  return Reconstructor(robot, episode, endpoints, options).next(episode.steps());
}

}  // namespace antaeus::test
