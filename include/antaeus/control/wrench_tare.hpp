#pragma once
/// \file
/// What a force sensor says while nothing touches the tool, taken off from then on: its own offset, and the error of
/// the tool's weight as it was told. Right for the orientation in which it was taken.

#include "antaeus/core/api.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/core/wrench.hpp"

namespace antaeus {

/// All functions are noexcept and free of allocation (hybrid_control_realtime_test).
class ANTAEUS_API WrenchTare {
 public:
  /// Forgets everything: nothing is taken off.
  void restart() noexcept { *this = WrenchTare(); }
  /// One more wrench of the tool in the air. `not_finite` changes nothing.
  Status add(const Wrench& measured) noexcept;
  /// How many went in.
  int count() const noexcept { return count_; }
  /// Their mean; zero without one.
  Wrench offset() const noexcept;
  /// The wrench less the offset. NaN stays NaN.
  Wrench tared(const Wrench& measured) const noexcept;

 private:
  Vector6 sum_ = Vector6::Zero();
  int count_ = 0;
};

}  // namespace antaeus
