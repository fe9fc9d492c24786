#pragma once
/// \file
/// The status of a loop function's input, and the verdict on an estimate.

#include <cstdint>

#include "antaeus/core/enumeration.hpp"

namespace antaeus {

/// Outcome of a loop function. Anything but `ok` means that the outputs are NaN, never stale and never zero.
enum class Status : std::uint8_t {
  ok,
  wrong_size,       ///< an argument has not the model's dimension
  not_finite,       ///< an argument holds NaN, infinity, or a number that no robot can have (core/possible.hpp)
  bad_orientation,  ///< a quaternion is not of unit length within 1e-3
  unknown_frame,    ///< a frame handle is of another model
  not_computed,     ///< no result yet, or a later call has overwritten it
  time_back,        ///< the time stamp is not after the last one
};
constexpr auto enum_names(Status) noexcept {
  return name_list<Status>("ok", "wrong_size", "not_finite", "bad_orientation", "unknown_frame", "not_computed",
                           "time_back");
}

/// How far a number may be used. Ordered from best to worst.
enum class Verdict : std::uint8_t {
  ok,             ///< no known reason against it
  degraded,       ///< usable with the named reservation
  refused,        ///< a guard says: do not use
  unobservable,   ///< the torques hold no information on it
  invalid_input,  ///< the input could not be used; the numbers are NaN
};
constexpr auto enum_names(Verdict) noexcept {
  return name_list<Verdict>("ok", "degraded", "refused", "unobservable", "invalid_input");
}

}  // namespace antaeus
