// The causal graph of an audit, from its results alone.
#include "antaeus/audit/causal_graph.hpp"

#include <algorithm>
#include <cmath>

#include "audit/audit_shared.hpp"

namespace antaeus::detail {

namespace {

using Eigen::Index;
using N = CausalNode;
using E = CausalEvidence;

/// Steps next to a peak torque of at least this share belong to it.
constexpr double kNearPeak = 0.8;

/// Pearson's r of two series; NaN where it is not defined.
double correlation(const VectorX& a, const VectorX& b) {
  if (a.size() < 3 || !a.allFinite() || !b.allFinite()) return kNaN;
  const VectorX x = a.array() - a.mean(), y = b.array() - b.mean();
  const double size = x.norm() * y.norm();
  return size > 0 ? x.dot(y) / size : kNaN;
}

/// The graph being put together.
class Builder {
 public:
  Builder(const Robot& robot, const Audit& audit)
      : robot_(robot),
        audit_(audit),
        r_(audit.audited.reconstruction),
        episode_(audit.audited.episode),
        row_(row_of(audit, audit.focus_step)),
        axis_(audit.focus_axis) {}

  CausalGraph build() {
    const auto found = std::find_if(audit_.attributions.begin(), audit_.attributions.end(),
                                    [](const Attribution& a) { return a.estimator == EstimatorName::deployed; });
    if (found == audit_.attributions.end()) return {};
    motor_ = r_.reference_motor >= 0 ? r_.reference_motor : found->largest;
    if (motor_ < 0) return {};
    joint_ = audit_.motor_labels[motor_];
    graph_.joint = audit_.audited.ranges[motor_].joint;
    pose_branch(*found);
    torque_branch();
    force(*found);
    consequences();
    return std::move(graph_);
  }

 private:
  void node(N kind, std::string subject, double value, const char* unit, Index row, std::string text) {
    const Index step = row < 0 ? -1 : r_.first_step + row;
    graph_.nodes.push_back({kind, std::move(subject), value, unit, step, std::move(text)});
  }
  void edge(N from, N to, E evidence, double number, const char* unit, std::string text) {
    graph_.edges.push_back({from, to, evidence, number, unit, std::move(text)});
  }
  Index first_row() const {
    for (Index i = 0; i < row_; ++i) {
      if (std::isfinite(r_.residual(i, motor_))) return i;
    }
    return row_;
  }

  void pose_branch(const Attribution& share) {
    const EstimateSeries& deployed = r_.find(audit_.focus_endpoint, EstimatorName::deployed);
    label_ = deployed.label;
    const double kappa = deployed.kappa[row_];
    if (r_.reference_motor >= 0) {
      gain_ = deployed.reference_gain(row_, axis_);
    } else {
      gain_ = share.residual[motor_] != 0 ? share.contribution(axis_, motor_) / share.residual[motor_] : kNaN;
    }
    const bool known = std::isfinite(gain_);
    node(N::pose, label_, kappa, "1", row_, "condition number κ " + number_text(kappa));
    node(N::gain, joint_, gain_, "N/(N·m)", row_, "1 N·m reads as " + number_text(gain_) + " N of " + axis_name(axis_));
    edge(N::pose, N::gain, known ? E::computed : E::absent, kappa, "1", "the model at κ " + number_text(kappa));
  }

  void torque_branch() {
    const Index first = first_row();
    const double at_first = r_.residual(first, motor_), now = r_.residual(row_, motor_);
    if (const int worst = worst_start_error(robot_, audit_); worst >= 0) started_away(worst, first);
    node(N::reference_residual, joint_, now, "N·m", row_,
         number_text(at_first) + " N·m at step " + std::to_string(r_.first_step + first) + ", " + number_text(now) +
             " N·m at step " + std::to_string(audit_.focus_step));
  }

  /// The joint that begins farthest from its target, and the torque that this asks of it up to the focus step.
  void started_away(Index motor, Index first) {
    const StartError& worst = audit_.audited.start_errors[static_cast<std::size_t>(motor)];
    const double limit = robot_.profile.preflight.start_error_limit;
    node(N::start_error, worst.label, worst.error, "rad", first,
         number_text(worst.error) + " rad from its target; limit " + number_text(limit) + " rad");
    const auto tau = [&](Index row) { return episode_.tau(row, motor); };
    Index peak = -1;
    for (Index i = first; i <= row_; ++i) {
      if (std::isfinite(tau(i)) && (peak < 0 || std::abs(tau(i)) > std::abs(tau(peak)))) peak = i;
    }
    if (peak < 0) return;
    const auto is_near_peak = [&](Index row) { return tau(row) / tau(peak) >= kNearPeak; };
    Index from = peak, to = peak;
    while (from > first && is_near_peak(from - 1)) --from;
    while (to < row_ && is_near_peak(to + 1)) ++to;
    std::string text = number_text(tau(peak)) + " N·m at step " + std::to_string(r_.first_step + peak);
    if (from < to) {
      text += "; ";
      for (Index i = from; i <= to; ++i) text += number_text(tau(i)) + (i < to ? ", " : " N·m");
      text += " at steps " + std::to_string(r_.first_step + from) + " to " + std::to_string(r_.first_step + to);
    }
    node(N::commanded_torque, worst.label, tau(peak), "N·m", peak, text);
    const double began = episode_.tau(first, motor);
    edge(N::start_error, N::commanded_torque, std::abs(worst.error) > limit ? E::inferred : E::absent, began, "N·m",
         worst.label + " begins with " + number_text(began) + " N·m");
    const Index rows = row_ - first + 1;
    const double r =
        correlation(episode_.tau.col(motor).segment(first, rows), r_.residual.col(motor_).segment(first, rows));
    edge(N::commanded_torque, N::reference_residual, std::isfinite(r) ? E::inferred : E::absent, r, "1",
         "correlation " + number_text(r) + " in " + std::to_string(rows) + " steps");
  }

  void force(const Attribution& share) {
    const double component = share.wrench[axis_], part = share.contribution(axis_, motor_);
    node(N::force, label_, component, "N", row_,
         axis_name(axis_) + " " + number_text(component) + " N " + as_deployed(audit_) + ", at step " +
             std::to_string(audit_.focus_step));
    const E evidence = std::isfinite(gain_) ? E::computed : E::absent;
    edge(N::gain, N::force, evidence, gain_, "N/(N·m)", "times " + number_text(gain_) + " N/(N·m)");
    edge(N::reference_residual, N::force, evidence, part, "N", "makes " + number_text(part) + " N of it");
  }

  const Event* event(EventKind kind, Index from) const {
    for (const Event& e : audit_.events) {
      if (e.kind == kind && e.step >= from) return &e;
    }
    return nullptr;
  }
  static std::string after(Index steps) {
    return std::to_string(steps) + (steps == 1 ? " step" : " steps") + " later: the order in time";
  }

  void consequences() {
    const Event* read = nullptr;
    for (const Event& e : audit_.events) {
      if (e.kind == EventKind::force_above && e.subject == audit_.focus_endpoint && !read) read = &e;
    }
    const Event* jump = read ? event(EventKind::target_jump, read->step) : nullptr;
    N before = N::force;
    Index since = read ? read->step : audit_.focus_step;
    bool linked = read != nullptr;
    if (episode_.target.rows() > 0) {
      if (jump) {
        targets(*jump);
        edge(N::force, N::targets, E::inferred, static_cast<double>(jump->step - since), "1",
             after(jump->step - since) + " (a force was first read at step " + std::to_string(since) + ")");
        since = jump->step;
      } else {
        node(N::targets, "", kNaN, "rad", -1, "no jump after a force was read");
        edge(N::force, N::targets, E::absent, kNaN, "1", "not seen in this log");
        linked = false;
      }
      before = N::targets;
    }
    const EpisodeAudit& a = audit_.audited;
    if (a.peak_torque_motor < 0) return;
    const Event* limit = linked ? event(EventKind::torque_limit, since) : nullptr;
    std::string text = "largest " + number_text(a.peak_torque) + " N·m at step " + std::to_string(a.peak_torque_step);
    if (limit) text += "; past a rated torque at step " + std::to_string(limit->step);
    for (const Event& e : audit_.events) {
      if (e.kind != EventKind::peak_torque || followed_ < 0 || e.subject != audit_.motor_labels[followed_]) continue;
      if (followed_ != a.peak_torque_motor) {
        text += "; " + e.subject + " " + number_text(e.value) + " N·m at step " + std::to_string(e.step);
      }
    }
    node(N::torque, audit_.motor_labels[a.peak_torque_motor], a.peak_torque, "N·m", a.peak_torque_step - r_.first_step,
         text);
    edge(before, N::torque, limit ? E::inferred : E::absent, limit ? static_cast<double>(limit->step - since) : kNaN,
         "1", limit ? after(limit->step - since) : "no rated torque passed after it");
    feedback(limit);
  }

  /// The joint whose target moves farthest, with its jumps; without one the first jump of any joint.
  void targets(const Event& first) {
    followed_ = followed_motor(robot_, audit_);
    std::string text;
    const Event* last = &first;
    for (const Event& e : audit_.events) {
      if (followed_ < 0 || e.kind != EventKind::target_jump || e.subject != audit_.motor_labels[followed_] ||
          e.step > audit_.focus_step) {
        continue;
      }
      text += (text.empty() ? "" : ", ") + number_text(episode_.target(e.step - r_.first_step, followed_)) +
              " rad at step " + std::to_string(e.step);
      last = &e;
    }
    if (text.empty()) {
      node(N::targets, first.subject, first.value, first.unit.c_str(), first.step - r_.first_step,
           "jumps by " + number_text(first.value) + " " + first.unit + " at step " + std::to_string(first.step));
      return;
    }
    const Index row = last->step - r_.first_step;
    node(N::targets, last->subject, episode_.target(row, followed_), "rad", row, "jumps to " + text);
  }

  /// What comes round: the torques shake the body, and that shows in the residual again.
  void feedback(const Event* limit) {
    double largest = kNaN;
    const Index from = limit ? limit->step - r_.first_step : row_ + 1;
    for (Index i = std::max<Index>(from, 0); i < r_.steps(); ++i) {
      largest = std::fmax(largest, std::abs(r_.residual(i, motor_)));
    }
    const bool grows = limit && largest > std::abs(r_.residual(row_, motor_));
    edge(N::torque, N::reference_residual, grows ? E::inferred : E::absent, largest, "N·m",
         grows ? "residual then up to " + number_text(largest) + " N·m" : "no growth seen after it");
  }

  const Robot& robot_;
  const Audit& audit_;
  const Reconstruction& r_;
  const Episode& episode_;
  Index row_;
  int axis_;
  Index motor_ = -1;
  int followed_ = -1;  ///< motor whose targets and torque are shown as a consequence
  double gain_ = kNaN;
  std::string joint_, label_;
  CausalGraph graph_;
};

}  // namespace

int worst_start_error(const Robot& robot, const Audit& audit) {
  const std::vector<std::string>& joints = robot.profile.preflight.start_error_joints;
  const std::vector<StartError>& errors = audit.audited.start_errors;
  int worst = -1;
  for (std::size_t m = 0; m < errors.size(); ++m) {
    if (!std::isfinite(errors[m].error) || std::find(joints.begin(), joints.end(), errors[m].joint) == joints.end()) {
      continue;
    }
    if (worst < 0 || std::abs(errors[m].error) > std::abs(errors[static_cast<std::size_t>(worst)].error)) {
      worst = static_cast<int>(m);
    }
  }
  return worst;
}

int followed_motor(const Robot& robot, const Audit& audit) {
  const Reconstruction& r = audit.audited.reconstruction;
  const SampleMatrix& target = audit.audited.episode.target;
  if (audit.focus_step < 0 || target.rows() == 0) return -1;
  const VectorX& force = r.find(audit.focus_endpoint, EstimatorName::deployed).force_norm;
  const Index focus = row_of(audit, audit.focus_step);
  Index read = 0;
  while (read <= focus && !(force[read] > kFirstForce)) ++read;
  std::vector<std::string> group;  // of the joint that began farthest from its target
  if (const int worst = worst_start_error(robot, audit); worst >= 0) {
    const std::string& joint = audit.audited.start_errors[static_cast<std::size_t>(worst)].joint;
    for (const JointGroup& g : audit.groups) {
      if (std::find(g.joints.begin(), g.joints.end(), joint) != g.joints.end()) group = g.joints;
    }
  }
  int followed = -1;
  double farthest = 0.0;
  for (Index m = 0; m < target.cols(); ++m) {
    const std::string& joint = audit.audited.ranges[static_cast<std::size_t>(m)].joint;
    if (!group.empty() && std::find(group.begin(), group.end(), joint) == group.end()) continue;
    for (Index i = read + 1; i <= focus; ++i) {
      const double moved = std::abs(target(i, m) - target(read, m));
      if (!(moved > farthest)) continue;
      farthest = moved;
      followed = static_cast<int>(m);
    }
  }
  return followed;
}

CausalGraph causal_graph(const Robot& robot, const Audit& audit) {
  if (audit.focus_step < 0) return {};
  return Builder(robot, audit).build();
}

}  // namespace antaeus::detail
