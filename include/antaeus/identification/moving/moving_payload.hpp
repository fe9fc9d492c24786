#pragma once
/// \file
/// What a gripper carries, from two logs of free motion: with and without it.

#include <string>
#include <vector>

#include "antaeus/identification/moving/moving_fit.hpp"

namespace antaeus {

struct PayloadFit {
  bool identified = false;
  std::vector<std::string> missing;
  double mass = kNaN, mass_sd = kNaN;
  Vector3 center{kNaN, kNaN, kNaN}, center_sd{kNaN, kNaN, kNaN};
};
constexpr void visit_fields(const PayloadFit*, auto&& visit) {
  using P = PayloadFit;
  visit(field("identified", "", "whether the logs determine the load", &P::identified));
  visit(field("mass", "kg", "", &P::mass));
  visit(field("mass_sd", "kg", "", &P::mass_sd));
  visit(field("center", "m", "[3] centre of mass in the payload's frame", &P::center));
  visit(field("center_sd", "m", "[3]; NaN where the mass is within two sd of zero", &P::center_sd));
  visit(field("missing", "", "one sentence each", &P::missing));
}

/// One regression over both logs: θ is shared, the payload's ten inertial parameters act in the loaded log alone, and
/// so does a change of each offset by about the noise, since drives do not rest where they rested.
///
/// A drive whose gain is wrong by 1 % makes 1 % of all that hangs on it look like payload: the sd does not know that.
/// \param frame  link or joint frame that carries the payload
/// \throws as fit_moving; ModelError for an unknown frame
ANTAEUS_API PayloadFit fit_payload(const Robot& robot, const std::vector<MovingLog>& unloaded,
                                   const std::vector<MovingLog>& loaded, const std::string& frame,
                                   const MovingFitOptions& options = {}, const Pulse& pulse = nullptr);

}  // namespace antaeus
