// Where the arm should have been: the nearest pose that a pre-flight would have let start.
#include <algorithm>
#include <cmath>

#include "antaeus/estimation/pose_advice.hpp"
#include "audit/parts.hpp"

namespace antaeus::parts {

namespace {

double shift(const LoneMove& move) { return std::abs(move.nearest().to - move.from); }

}  // namespace

std::vector<AdviceRow> pose_advice(const Robot& robot, const Audit& audit) {
  std::vector<AdviceRow> rows;
  // A pose that passes needs no advice; a start error is no matter of the arm's pose.
  const auto failed = [](const PreflightCheck& check) { return !check.passed && check.name != "start_error"; };
  const PreflightReport& report = audit.audited.preflight;
  const bool any = std::any_of(report.checks.begin(), report.checks.end(), failed) ||
                   std::any_of(report.sd_checks.begin(), report.sd_checks.end(), failed);
  if (!any || audit.focus_step < 0) return rows;
  Eigen::Index first = 0;
  while (!audit.audited.episode.q.row(first).allFinite()) ++first;
  const VectorX q = audit.audited.episode.q.row(first);
  for (const char* name : kPoseLimitNames) {
    const PoseLimits limits = pose_limits(robot, name);
    const PoseAdvice advice = advise(robot, {audit.focus_endpoint}, q, limits);
    AdviceRow row;
    row.limits = name;
    row.endpoint = audit.focus_endpoint;
    row.step = audit.audited.reconstruction.first_step + first;
    for (const PoseLimit& limit : limits.limits) {
      row.conditions.push_back({enum_name(limit.quantity), limit.limit, std::string(unit_of(limit.quantity))});
    }
    row.satisfied = advice.satisfied;
    row.found = advice.found;
    row.distance = advice.distance;
    for (const JointMove& move : advice.moves) row.moves.push_back({move.joint, move.from, move.to});
    const LoneMove* least = nullptr;
    for (const LoneMove& move : advice.alone) {
      if (move.found() && (!least || shift(move) < shift(*least))) least = &move;
    }
    if (least && !advice.satisfied) row.alone = {least->joint, least->from, least->nearest().to};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Statement> advice_verdict(const Audit& audit) {
  std::string text;
  for (const AdviceRow& row : audit.advice) {
    if (row.satisfied) continue;
    std::string wanted;
    for (const auto& condition : row.conditions) {
      wanted += (wanted.empty() ? "" : " and ") + condition.quantity + " below " + number_text(condition.limit) +
                (condition.unit == "1" ? "" : " " + condition.unit);
    }
    text += (text.empty() ? "For " : " For ") + wanted + " at the " +
            audit.audited.reconstruction.find(row.endpoint, "deployed").label;
    if (!row.found) {
      text += " no pose was found.";
      continue;
    }
    text += " the nearest pose found lies " + number_text(row.distance) + " rad away";
    if (!row.alone.joint.empty()) {
      text += "; " + row.alone.joint + " alone would have to move from " + number_text(row.alone.from) + " to " +
              number_text(row.alone.to) + " rad";
    }
    text += ".";
  }
  if (text.empty()) return {};
  return {{"advice", "Advice for the pose at step " + std::to_string(audit.advice.front().step) + ". " + text}};
}

}  // namespace antaeus::parts
