#pragma once
/// \file
/// References to the inputs of a call in the texts of the library. A text names `Input::contact_free`; the front end
/// that shows it spells `--contact-free` or `contact_free`.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"

namespace antaeus {

/// The inputs that texts refer to. The names are the neutral spelling; kPythonNames in messages.cpp has Python's.
enum class Input : std::uint8_t {
  base,
  baseline,
  clip,
  contact,
  contact_free,
  effort_units,
  endpoint,
  estimator,
  fault,
  fit,
  fix,
  frame,
  from,
  ignore_meshes,
  inverse_dynamics,
  joint,
  joints,
  limit,
  log,
  map,
  method,
  out,
  over_time,
  payload,
  poses,
  position_only,
  robot,
  set,
  size,
  smooth,
  start,
  step,
  steps,
  target,
  to,
  total,
  with_limits,
  wrench_frame,
  write,
};
constexpr auto enum_names(Input) noexcept {
  return name_list<Input>("base", "baseline", "clip", "contact", "contact_free", "effort_units", "endpoint",
                          "estimator", "fault", "fit", "fix", "frame", "from", "ignore_meshes", "inverse_dynamics",
                          "joint", "joints", "limit", "log", "map", "method", "out", "over_time", "payload", "poses",
                          "position_only", "robot", "set", "size", "smooth", "start", "step", "steps", "target", "to",
                          "total", "with_limits", "wrench_frame", "write");
}

/// Returns a reference for use inside a text. \param value  what to give the input; of `set`, "group.option=value"
ANTAEUS_API std::string arg(Input input, std::string_view value = {});

/// Returns the text with its references spelled for \p front_end:
///
///     arg(Input::base, "fixed")   →  --base fixed     base="fixed"        base=fixed
///     arg(Input::fix)             →  --fix            fixed_robot()       fix
///     arg(Input::set, "a.b=1")    →  --set a.b=1      settings={"a.b": 1} a.b=1
ANTAEUS_API std::string spelled(std::string_view text, FrontEnd front_end);
ANTAEUS_API std::vector<std::string> spelled(const std::vector<std::string>& texts, FrontEnd front_end);

/// True if a text may hold a reference: a quick look before spelled().
inline bool may_refer(std::string_view text) noexcept { return text.find('\x0e') != text.npos; }

}  // namespace antaeus
