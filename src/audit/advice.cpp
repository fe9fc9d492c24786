// Where the arm should have been: the nearest pose that a pre-flight would have let start.
#include <algorithm>
#include <cmath>

#include "antaeus/pose/pose_advice.hpp"
#include "audit/audit_shared.hpp"

namespace antaeus {

double AdviceRow::Alone::distance() const noexcept {
  return std::fmin(std::abs(from - below), std::abs(above - from));  // fmin passes over NaN
}

namespace detail {

namespace {

/// "left_elbow_joint alone from 1.5 to at most 1.02 or at least 1.97 rad"
std::string alone_text(const AdviceRow::Alone& move) {
  std::string text = move.joint + " alone from " + number_text(move.from) + " to ";
  if (std::isfinite(move.below)) text += "at most " + number_text(move.below);
  if (std::isfinite(move.below) && std::isfinite(move.above)) text += " or ";
  if (std::isfinite(move.above)) text += "at least " + number_text(move.above);
  return text + " rad";
}

}  // namespace

std::vector<AdviceRow> pose_advice(const Robot& robot, const Audit& audit) {
  std::vector<AdviceRow> rows;
  // A pose that passes needs no advice; a start error is no matter of the arm's pose.
  const auto failed = [](const PreflightCheck& check) {
    return !check.passed && check.kind != PreflightCheckKind::start_error;
  };
  const PreflightReport& report = audit.audited.preflight;
  const bool any = std::any_of(report.checks.begin(), report.checks.end(), failed) ||
                   std::any_of(report.sd_checks.begin(), report.sd_checks.end(), failed);
  if (!any || audit.focus_step < 0) return rows;
  Eigen::Index first = 0;
  while (!audit.audited.episode.q.row(first).allFinite()) ++first;
  const VectorX q = audit.audited.episode.q.row(first);
  for (const PoseLimitSet set : {PoseLimitSet::sd, PoseLimitSet::published}) {
    const PoseLimits limits = pose_limits(robot, set, {audit.focus_endpoint});
    const PoseAdvice advice = advise(robot, {audit.focus_endpoint}, q, limits);
    AdviceRow row;
    row.limits = set;
    row.endpoint = audit.focus_endpoint;
    row.step = audit.audited.reconstruction.first_step + first;
    for (const PoseLimit& limit : advice.limits.limits) {
      if (!limit.is_asked_of(audit.focus_endpoint)) continue;
      row.conditions.push_back({limit.quantity, limit.limit});
    }
    row.satisfied = advice.satisfied;
    row.found = advice.found;
    row.distance = advice.distance;
    for (const JointMove& move : advice.moves) row.moves.push_back({move.joint, move.from, move.to});
    for (const SingleJointMove& move : advice.alone) {
      if (!move.found() || advice.satisfied) continue;
      row.alone.push_back(
          {move.joint, move.from, move.below.found ? move.below.to : kNaN, move.above.found ? move.above.to : kNaN});
    }
    std::stable_sort(row.alone.begin(), row.alone.end(),
                     [](const auto& a, const auto& b) { return a.distance() < b.distance(); });
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Statement> advice_verdict(const Audit& audit) {
  std::string text, compared;
  for (const AdviceRow& row : audit.advice) {
    if (row.satisfied) continue;
    std::string wanted;
    for (const auto& condition : row.conditions) {
      const std::string unit(unit_of(condition.quantity));
      wanted += (wanted.empty() ? "" : " and ") + std::string(to_string(condition.quantity)) + " below " +
                number_text(condition.limit) + (unit == "1" ? "" : " " + unit);
    }
    text += (text.empty() ? "For " : " For ") + wanted + " at the " + label_of(audit, row.endpoint);
    if (!row.found) {
      text += " no pose was found.";
      continue;
    }
    text += " the nearest pose found lies " + number_text(row.distance) + " rad away (";
    for (std::size_t i = 0; i < row.moves.size(); ++i) {
      const AdviceRow::Move& move = row.moves[i];
      text += (i == 0 ? "" : ", ") + move.joint + " from " + number_text(move.from) + " to " + number_text(move.to);
    }
    text += " rad)";
    // The joint that needs least, and the one of the first answer, so that the sets can be compared.
    std::string first = row.alone.empty() ? "" : row.alone.front().joint;
    if (!row.alone.empty()) text += "; or " + alone_text(row.alone.front());
    for (const AdviceRow::Alone& move : row.alone) {
      if (move.joint == compared && move.joint != first) text += "; " + alone_text(move);
    }
    if (compared.empty()) compared = first;
    text += '.';
  }
  if (text.empty()) return {};
  return {{Topic::advice, "Advice for the pose at step " + std::to_string(audit.advice.front().step) + ". " + text}};
}

}  // namespace detail
}  // namespace antaeus
