#include <algorithm>
#include <charconv>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
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
    throw OptionsError(arg(Input::limit), "'" + std::string(text.substr(0, 60)) + "' is not a limit",
                       "write quantity=number, as in sd=5");
  }
  limit.quantity = parse_enum<PoseQuantity>(text.substr(0, equals), arg(Input::limit));
  return limit;
}

bool PoseLimit::is_asked_of(const std::string& endpoint) const {
  return std::ranges::find(left_out, endpoint) == left_out.end();
}

PoseLimits pose_limits(const Robot& robot, PoseLimitSet set, const std::vector<std::string>& endpoints) {
  const Settings settings = robot.settings(endpoints);
  const auto posterior = settings.get<PosteriorOptions>();
  const auto figures = settings.get<PreflightOptions>();
  const auto own = [](double figure, double fallback) { return figure > 0 ? figure : fallback; };
  PoseLimits limits{std::string(to_string(set)), {}};
  if (set == PoseLimitSet::published) {
    if (robot.reference_motor() >= 0) {
      limits.limits.push_back({PoseQuantity::gain, robot.profile.preflight.gain_limit});
    }
    limits.limits.push_back({PoseQuantity::kappa, PublishedGuardOptions{}.condition_limit});
    return limits;
  }
  const bool preflight = set == PoseLimitSet::preflight;
  PoseLimit sd{PoseQuantity::sd, preflight ? own(figures.sd_limit, posterior.full_use_sd) : posterior.full_use_sd};
  PoseLimit error{PoseQuantity::error_force, own(figures.error_force_limit, posterior.prior.force)};
  if (!endpoints.empty()) {
    const PoseQuality quality(robot, endpoints);
    for (std::size_t k = 0; k < endpoints.size(); ++k) {
      const std::string why = quality.untold_force(static_cast<int>(k));
      (why.empty() ? error : sd).left_out.push_back(endpoints[k]);
      if (why.empty()) continue;
      limits.notes.push_back({NoteCode::quantity_left_out,
                              endpoints[k],
                              {why, preflight ? "" : "; error_force is asked instead, of what they can show"}});
    }
  }
  if (preflight) {
    error.left_out.clear();
    limits.limits.push_back(error);
    if (!robot.gain_motors().empty()) {
      limits.limits.push_back({PoseQuantity::gain, robot.profile.preflight.gain_limit});
    }
  }
  const auto asked = [&](const PoseLimit& limit) {
    return endpoints.empty() || limit.left_out.size() < endpoints.size();
  };
  if (asked(sd)) limits.limits.push_back(sd);
  if (!preflight && !endpoints.empty() && asked(error)) limits.limits.push_back(error);
  return limits;
}

}  // namespace antaeus
