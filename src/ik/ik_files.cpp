// What a run is written as: two tables and a summary.
#include <algorithm>
#include <cmath>

#include "antaeus/ik/ik_run.hpp"

namespace antaeus {

namespace {

constexpr int kMostListed = 100;  ///< failures and steps that summary.json tells one by one

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json texts(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& one : all) list.push_back(one);
  return list;
}

const char* unit_of(const ChainJoint& joint) { return joint.prismatic ? "m" : "rad"; }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

/// The value below which a share of the finite numbers lies.
double quantile(std::vector<double> values, double share) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return kNaN;
  const auto at = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

Json path_summary(const IkResult& result) {
  Json steps = Json::array();
  int needed = 0, ended = 0;
  for (const IkStep& step : result.steps) {
    const bool examined = std::isfinite(step.largest_substep);
    needed += examined && step.needed();
    ended += examined && !step.needed();
    if (steps.size() == kMostListed) continue;
    steps.push_back(Json::object()
                        .set("from", step.from)
                        .set("to", step.to)
                        .set("joint", result.model.chain().joints()[static_cast<std::size_t>(step.joint)].name)
                        .set("step", step.size)
                        .set("largest_substep", number_or_null(step.largest_substep))
                        .set("needed", examined ? Json(step.needed()) : Json()));
  }
  return Json::object()
      .set("largest_step", number_or_null(result.largest_step))
      .set("beginnings", result.beginnings)
      .set("long_steps", result.steps.size())
      .set("needed", needed)
      .set("branch_ended", ended)
      .set("steps", std::move(steps));
}

}  // namespace

Table solutions_table(const IkResult& result) {
  const int n = result.size();
  const auto rows = static_cast<std::size_t>(n);
  const std::vector<ChainJoint>& joints = result.model.chain().joints();
  std::vector<std::int64_t> target(rows), reached(rows), iterations(rows), attempts(rows);
  std::vector<double> position(rows), rotation(rows, kNaN), agreeing(rows, kNaN), gradient(rows, kNaN), cpu(rows, kNaN);
  std::vector<std::vector<double>> q(joints.size(), std::vector<double>(rows, kNaN));
  TextColumn status, blocked, reason;
  const bool plain = result.request.method != IkMethod::reach;
  // TextColumn::push_back would be quadratic in reasons that differ.
  std::map<std::string, std::int32_t, std::less<>> levels;
  const auto add_reason = [&](std::string text) {
    const auto [at, is_new] = levels.try_emplace(std::move(text), static_cast<std::int32_t>(reason.levels.size()));
    if (is_new) reason.levels.push_back(at->first);
    reason.codes.push_back(at->second);
  };
  for (int t = 0; t < n; ++t) {
    const auto row = static_cast<std::size_t>(t);
    const ReachStatus how = result.status(t);
    const ReachSolution s = result.solution(t);
    target[row] = t;
    status.push_back(to_string(how));
    add_reason(result.reason(t));
    reached[row] = how == ReachStatus::reached ? 1 : 0;
    position[row] = s.position_error;
    if (!result.model.options().position_only) rotation[row] = s.rotation_error;
    iterations[row] = s.iterations;
    attempts[row] = s.attempts;
    blocked.push_back(joined(joint_names(result.model.chain(), s.blocked_by)));
    if (how != ReachStatus::reached && how != ReachStatus::bad_input && !plain) {
      agreeing[row] = s.agreeing_starts;
      gradient[row] = s.gradient;
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (how != ReachStatus::bad_input) q[j][row] = s.q[static_cast<Eigen::Index>(j)] + 0.0;
    }
    if (result.cpu_us.size() > 0) cpu[row] = result.cpu_us[t];
  }
  Table table;
  table.add({"target", "1", "number of the target, from 0", std::move(target)});
  table.add({"status", "", "how it ended", std::move(status)});
  table.add({"reason", "", "why, and how sure that is", std::move(reason)});
  table.add({"reached", "1", "1 where both errors are within tolerance", std::move(reached)});
  table.add({"position_error", "m", "distance of the frame's origin from the target", std::move(position)});
  table.add({"rotation_error", "rad", "angle to the target's orientation; empty where the position alone was asked for",
             std::move(rotation)});
  table.add({"iterations", "1", "evaluations of the chain, of all stages", std::move(iterations)});
  table.add({"attempts", "1", "starts from which the target was tried", std::move(attempts)});
  table.add({"blocked_by", "", "joints that the rejected configuration has outside their limits", std::move(blocked)});
  table.add(
      {"agreeing_starts", "1", "descents that came to the closest pose's distance within 1e-6", std::move(agreeing)});
  table.add({"gradient", "m, m/rad, rad", "largest entry of the projected gradient of ½(m² + rad²) at the answer",
             std::move(gradient)});
  for (std::size_t j = 0; j < joints.size(); ++j) {
    table.add({joints[j].name, unit_of(joints[j]), "position of the joint, within its limits", std::move(q[j])});
  }
  if (result.cpu_us.size() > 0) {
    table.add({"cpu_us", "µs", "CPU time of one solve, caches warm", std::move(cpu)});
  }
  return table;
}

Table rejected_table(const IkResult& result) {
  const std::vector<ChainJoint>& joints = result.model.chain().joints();
  std::vector<std::int64_t> target;
  TextColumn blocked;
  std::vector<std::vector<double>> q(joints.size());
  for (std::size_t k = 0; k < result.answers.failures.size(); ++k) {
    const ReachSolution& s = result.answers.failures[k];
    if (s.rejected.size() == 0) continue;
    target.push_back(result.answers.failure_of[k]);
    blocked.push_back(joined(joint_names(result.model.chain(), s.blocked_by)));
    for (std::size_t j = 0; j < joints.size(); ++j) q[j].push_back(s.rejected[static_cast<Eigen::Index>(j)] + 0.0);
  }
  Table table;
  table.add({"target", "1", "number of the target, from 0", std::move(target)});
  table.add({"blocked_by", "", "joints outside their limits", std::move(blocked)});
  for (std::size_t j = 0; j < joints.size(); ++j) {
    table.add({joints[j].name, unit_of(joints[j]), "position that would reach the target", std::move(q[j])});
  }
  return table;
}

Json ik_summary(const IkResult& result) {
  const KinematicChain& chain = result.model.chain();
  const ReachOptions& options = result.model.options();
  Json statuses = Json::object(), joints = Json::array(), failures = Json::array(), settings = Json::object();
  for (const ReachStatus status : all_values<ReachStatus>()) statuses.set(to_string(status), result.count(status));
  for (const ChainJoint& joint : chain.joints()) {
    joints.push_back(Json::object()
                         .set("joint", joint.name)
                         .set("unit", unit_of(joint))
                         .set("lower", number_or_null(joint.lower))
                         .set("upper", number_or_null(joint.upper)));
  }
  double position = kNaN, rotation = kNaN;
  for (int t = 0; t < result.size(); ++t) {
    if (result.status(t) != ReachStatus::reached) continue;
    if (!(position >= result.answers.position_error[t])) position = result.answers.position_error[t];
    if (!options.position_only && !(rotation >= result.answers.rotation_error[t])) {
      rotation = result.answers.rotation_error[t];
    }
  }
  for (std::size_t k = 0; k < result.answers.failures.size() && k < kMostListed; ++k) {
    const ReachSolution& s = result.answers.failures[k];
    const int target = result.answers.failure_of[k];
    Json rejected = Json::array();
    for (const double q : s.rejected) rejected.push_back(q + 0.0);
    failures.push_back(Json::object()
                           .set("target", target)
                           .set("status", to_string(s.status))
                           .set("evidence", to_string(s.evidence))
                           .set("reason", result.reason(target))
                           .set("blocked_by", texts(joint_names(chain, s.blocked_by)))
                           .set("rejected", s.rejected.size() > 0 ? std::move(rejected) : Json()));
  }
  for (const OptionValue& option : result.settings) settings.set(option.group + "." + option.info.name, option.value);
  Json start;
  if (result.start.size() > 0) {
    Json positions = Json::array();
    for (const double q : result.start) positions.push_back(q + 0.0);
    start = Json::object().set("positions", std::move(positions)).set("pulled_in", texts(result.pulled_in));
  }
  Json json = Json::object()
                  .set("schema", "antaeus.ik.summary/1")
                  .set("command", result.command)
                  .set("robot", result.robot)
                  .set("base", result.base_text)
                  .set("frame", chain.frame())
                  .set("method", to_string(result.request.method))
                  .set("position_only", options.position_only)
                  .set("path", Json())
                  .set("targets", result.size())
                  .set("reached", result.answers.reached)
                  .set("statuses", std::move(statuses))
                  .set("largest_position_error_reached_m", number_or_null(position))
                  .set("largest_rotation_error_reached_rad", number_or_null(rotation))
                  .set("joints", std::move(joints))
                  .set("reach_m", number_or_null(chain.reach()))
                  .set("start", std::move(start))
                  .set("failures", std::move(failures))
                  .set("settings", std::move(settings))
                  .set("remarks", texts(result.remarks));
  if (result.request.path) json.set("path", path_summary(result));
  if (result.cpu_us.size() > 0) {
    const std::vector<double> all(result.cpu_us.begin(), result.cpu_us.end());
    double total = 0.0;
    for (const double one : all) total += std::isfinite(one) ? one : 0.0;
    json.set("timing", Json::object()
                           .set("cpu_us_median", number_or_null(quantile(all, 0.5)))
                           .set("cpu_us_p99", number_or_null(quantile(all, 0.99)))
                           .set("cpu_us_total", total)
                           .set("table_s", result.model.table_seconds())
                           .set("table_bytes", result.model.table_bytes()));
  }
  return json;
}

}  // namespace antaeus
