#pragma once
/// \file
/// What a loop function says of its input, and what an estimate says of itself.

#include <cstdint>
#include <string_view>

namespace antaeus {

/// Outcome of a loop function. Anything but `ok` means that the outputs are NaN, never stale and never zero.
enum class Status : std::uint8_t {
  ok,
  wrong_size,       ///< an argument has not the model's dimension
  not_finite,       ///< an argument holds NaN or infinity
  bad_orientation,  ///< a quaternion is not of unit length within 1e-3
  unknown_frame,    ///< a frame handle is of another model
  not_computed,     ///< no result yet
  time_back,        ///< the time stamp is not after the last one
};

/// How far a number may be used. Ordered from best to worst.
enum class Verdict : std::uint8_t {
  ok,             ///< no known reason against it
  degraded,       ///< usable with the named reservation
  refused,        ///< a guard says: do not use
  unobservable,   ///< the torques hold no information on it
  invalid_input,  ///< the input could not be used; the numbers are NaN
};

constexpr std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::wrong_size: return "wrong_size";
    case Status::not_finite: return "not_finite";
    case Status::bad_orientation: return "bad_orientation";
    case Status::unknown_frame: return "unknown_frame";
    case Status::not_computed: return "not_computed";
    case Status::time_back: return "time_back";
  }
  return "?";
}

constexpr std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::degraded: return "degraded";
    case Verdict::refused: return "refused";
    case Verdict::unobservable: return "unobservable";
    case Verdict::invalid_input: return "invalid_input";
  }
  return "?";
}

}  // namespace antaeus
