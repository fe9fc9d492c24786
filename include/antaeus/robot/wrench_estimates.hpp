#pragma once
/// \file
/// The estimates of one estimator for all endpoints at one instant.

#include <vector>

#include "antaeus/core/wrench_estimate.hpp"
#include "antaeus/robot/instant.hpp"

namespace antaeus {

/// One estimate an endpoint, in the instant's order, and the instant that they are of.
struct WrenchEstimates {
  Instant instant;
  /// Motion was seen, or cannot be excluded.
  bool moving = true;
  std::vector<WrenchEstimate> endpoints;

  /// `not_computed` once the instant is stale.
  Status status() const noexcept { return instant.status(); }
  std::size_t size() const noexcept { return endpoints.size(); }
  const WrenchEstimate& operator[](std::size_t endpoint) const noexcept { return endpoints[endpoint]; }
  WrenchEstimate& operator[](std::size_t endpoint) noexcept { return endpoints[endpoint]; }
  const WrenchEstimate& front() const noexcept { return endpoints.front(); }
  auto begin() const noexcept { return endpoints.begin(); }
  auto end() const noexcept { return endpoints.end(); }
  auto begin() noexcept { return endpoints.begin(); }
  auto end() noexcept { return endpoints.end(); }
};

}  // namespace antaeus
