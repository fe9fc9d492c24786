#include <algorithm>
#include <charconv>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/pose/pose_advice.hpp"
#include "antaeus/pose/preflight.hpp"

namespace antaeus {

PoseLimit parse_pose_limit(std::string_view text) {
  const std::size_t equals = text.find('=');
  PoseLimit limit;
  const auto [end, error] = std::from_chars(text.data() + (equals == std::string_view::npos ? text.size() : equals + 1),
                                            text.data() + text.size(), limit.limit);
  if (equals == std::string_view::npos || error != std::errc{} || end != text.data() + text.size() ||
      !(limit.limit > 0) || !std::isfinite(limit.limit)) {
    throw OptionsError("--limit", "'" + std::string(text.substr(0, 60)) + "' is not a limit",
                       "write quantity=number, as in sd=5");
  }
  limit.quantity = parse_enum<PoseQuantity>(text.substr(0, equals), "--limit");
  return limit;
}

PoseLimits pose_limits(const Robot& robot, PoseLimitSet set, const std::vector<std::string>& endpoints) {
  if (set == PoseLimitSet::sd) {
    const auto posterior = robot.settings(endpoints).get<PosteriorOptions>();
    return {"sd", {{PoseQuantity::sd, posterior.full_use_sd}}};
  }
  if (set == PoseLimitSet::preflight) {
    const Settings settings = robot.settings(endpoints);
    const auto posterior = settings.get<PosteriorOptions>();
    const auto figures = settings.get<PreflightOptions>();
    const auto own = [](double figure, double fallback) { return figure > 0 ? figure : fallback; };
    PoseLimits limits{"preflight",
                      {{PoseQuantity::error_force, own(figures.error_force_limit, posterior.prior.force)}}};
    if (!robot.gain_motors().empty()) {
      limits.limits.push_back({PoseQuantity::gain, robot.profile.preflight.gain_limit});
    }
    const bool wrenches = std::all_of(endpoints.begin(), endpoints.end(), [&](const std::string& frame) {
      return robot.model.supporting_motors(robot.model.frame(frame)).size() >= 6;
    });
    if (wrenches) limits.limits.push_back({PoseQuantity::sd, own(figures.sd_limit, posterior.full_use_sd)});
    return limits;
  }
  PoseLimits limits{"published", {}};
  if (robot.reference_motor() >= 0) limits.limits.push_back({PoseQuantity::gain, robot.profile.preflight.gain_limit});
  limits.limits.push_back({PoseQuantity::kappa, PublishedGuardOptions{}.condition_limit});
  return limits;
}

}  // namespace antaeus
