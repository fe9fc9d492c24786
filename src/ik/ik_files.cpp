// What a run is written as: two tables and a summary.
#include <algorithm>
#include <cmath>

#include "antaeus/ik/ik_run.hpp"
#include "antaeus/io/json_fields.hpp"

namespace antaeus {

namespace {

constexpr int kMostListed = 100;  ///< failures and steps that summary.json tells one by one

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

struct PathSummary {
  double largest_step;
  int beginnings;
  std::size_t long_steps;
  int needed = 0, branch_ended = 0;
  Json steps = Json::array();
};
constexpr void visit_fields(const PathSummary*, auto&& visit) {
  visit(file_field("largest_step", "", &PathSummary::largest_step));
  visit(file_field("beginnings", "", &PathSummary::beginnings));
  visit(file_field("long_steps", "", &PathSummary::long_steps));
  visit(file_field("needed", "", &PathSummary::needed));
  visit(file_field("branch_ended", "", &PathSummary::branch_ended));
  visit(file_field("steps", "", &PathSummary::steps));
}
std::optional<PathSummary> path_summary(const IkResult& result) {
  if (!result.request.path) return std::nullopt;
  PathSummary path{result.largest_step, result.beginnings, result.steps.size()};
  for (const IkStep& step : result.steps) {
    path.needed += step.examined() && step.needed();
    path.branch_ended += step.examined() && !step.needed();
    if (path.steps.size() == kMostListed) continue;
    const ChainJoint& joint = result.model.chain().joints()[static_cast<std::size_t>(step.joint)];
    path.steps.push_back(to_json(step).set("joint", joint.name));
  }
  return path;
}

Json status_counts(const IkResult& result) {
  Json counts = Json::object();
  for (const ReachStatus status : all_values<ReachStatus>()) counts.set(to_string(status), result.count(status));
  return counts;
}

/// Largest error of the targets that are reached; NaN without one.
double largest_error(const IkResult& result, const VectorX& errors) {
  double largest = kNaN;
  for (int t = 0; t < result.size(); ++t) {
    if (result.status(t) == ReachStatus::reached && !(largest >= errors[t])) largest = errors[t];
  }
  return largest;
}

Json start_summary(const IkResult& result) {
  if (result.start.size() == 0) return {};
  return Json::object().set("positions", vector_json(result.start)).set("pulled_in", to_json(result.pulled_in));
}

struct ToldFailure {
  const IkResult& result;
  int target;
  const ReachSolution& s;
};
constexpr void visit_fields(const ToldFailure*, auto&& visit) {
  using F = ToldFailure;
  visit(file_field("target", "", &F::target));
  visit(file_field("status", "", [](const F& f) { return f.s.status; }));
  visit(file_field("evidence", "", [](const F& f) { return f.s.evidence; }));
  visit(file_field("reason", "", [](const F& f) { return f.result.reason(f.target); }));
  visit(file_field("blocked_by", "", [](const F& f) { return joint_names(f.result.model.chain(), f.s.blocked_by); }));
  visit(file_field("rejected", "",
                   [](const F& f) { return f.s.rejected.size() > 0 ? vector_json(f.s.rejected) : Json(); }));
}
std::vector<ToldFailure> told_failures(const IkResult& result) {
  std::vector<ToldFailure> all;
  for (std::size_t k = 0; k < result.answers.failures.size() && k < kMostListed; ++k) {
    all.push_back({result, result.answers.failure_of[k], result.answers.failures[k]});
  }
  return all;
}

struct Timing {
  double median, p99, total, table_seconds;
  std::size_t table_bytes;
};
constexpr void visit_fields(const Timing*, auto&& visit) {
  visit(file_field("cpu_us_median", "", &Timing::median));
  visit(file_field("cpu_us_p99", "", &Timing::p99));
  visit(file_field("cpu_us_total", "", &Timing::total));
  visit(file_field("table", "s", &Timing::table_seconds));
  visit(file_field("table_bytes", "", &Timing::table_bytes));
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
  table.add({"rotation_error", "rad", "angle to the target's orientation; empty where only the position was requested",
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

static constexpr void visit_fields(const IkResult*, auto&& visit) {
  using R = IkResult;
  visit(file_field("schema", "", [](const R&) { return "antaeus.ik.summary/1"; }));
  visit(file_field("command", "", &R::command));
  visit(file_field("robot", "", &R::robot));
  visit(file_field("base", "", &R::base_text));
  visit(file_field("payloads", "", &R::payloads));
  visit(file_field("frame", "", [](const R& r) { return r.model.chain().frame(); }));
  visit(file_field("method", "", [](const R& r) { return r.request.method; }));
  visit(file_field("position_only", "", [](const R& r) { return r.model.options().position_only; }));
  visit(file_field("path", "", path_summary));
  visit(file_field("targets", "", [](const R& r) { return r.size(); }));
  visit(file_field("reached", "", [](const R& r) { return r.answers.reached; }));
  visit(file_field("statuses", "", status_counts));
  visit(file_field("largest_position_error_reached", "m",
                   [](const R& r) { return largest_error(r, r.answers.position_error); }));
  visit(file_field("largest_rotation_error_reached", "rad", [](const R& r) {
    return r.model.options().position_only ? kNaN : largest_error(r, r.answers.rotation_error);
  }));
  visit(file_field("joints", "", [](const R& r) { return r.model.chain().joints(); }));
  visit(file_field("reach", "m", [](const R& r) { return r.model.chain().reach(); }));
  visit(file_field("start", "", start_summary));
  visit(file_field("failures", "", told_failures));
  visit(file_field("settings", "", [](const R& r) {
    Json settings = Json::object();
    for (const OptionValue& option : r.settings) settings.set(option.group + "." + option.info.name, option.value);
    return settings;
  }));
  visit(file_field("remarks", "", &R::remarks));
}

Json ik_summary(const IkResult& result) {
  Json json = to_json(result);
  if (result.cpu_us.size() > 0) {
    const std::vector<double> all(result.cpu_us.begin(), result.cpu_us.end());
    double total = 0.0;
    for (const double one : all) total += std::isfinite(one) ? one : 0.0;
    json.set("timing", to_json(Timing{quantile(all, 0.5), quantile(all, 0.99), total, result.model.table_seconds(),
                                      result.model.table_bytes()}));
  }
  return json;
}

}  // namespace antaeus
