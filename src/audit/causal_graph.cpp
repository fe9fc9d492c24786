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
    const StartError* worst = nullptr;
    Index worst_motor = -1;
    for (std::size_t m = 0; m < audit_.audited.start_errors.size(); ++m) {
      const StartError& error = audit_.audited.start_errors[m];
      const auto& joints = robot_.profile.preflight.start_error_joints;
      if (std::find(joints.begin(), joints.end(), error.joint) == joints.end() || !std::isfinite(error.error)) continue;
      if (worst && !(std::abs(error.error) > std::abs(worst->error))) continue;
      worst = &error;
      worst_motor = static_cast<Index>(m);
    }
    if (worst) started_away(*worst, worst_motor, first);
    node(N::reference_residual, joint_, now, "N·m", row_,
         number_text(at_first) + " N·m at step " + std::to_string(r_.first_step + first) + ", " + number_text(now) +
             " N·m at step " + std::to_string(audit_.focus_step));
  }

  void started_away(const StartError& worst, Index motor, Index first) {
    const double limit = robot_.profile.preflight.start_error_limit;
    node(N::start_error, worst.label, worst.error, "rad", first,
         number_text(worst.error) + " rad from its target; limit " + number_text(limit) + " rad");
    // Whichever joint of that group works hardest up to the focus step.
    std::vector<Index> group = {motor};
    for (const JointGroup& g : audit_.groups) {
      if (std::find(g.joints.begin(), g.joints.end(), worst.joint) == g.joints.end()) continue;
      for (std::size_t m = 0; m < audit_.audited.ranges.size(); ++m) {
        if (static_cast<Index>(m) != motor &&
            std::find(g.joints.begin(), g.joints.end(), audit_.audited.ranges[m].joint) != g.joints.end()) {
          group.push_back(static_cast<Index>(m));
        }
      }
    }
    double peak = kNaN;
    Index peak_row = -1, peak_motor = motor;
    for (const Index m : group) {
      for (Index i = first; i <= row_; ++i) {
        if (!std::isfinite(episode_.tau(i, m)) || (peak_row >= 0 && !(std::abs(episode_.tau(i, m)) > std::abs(peak))))
          continue;
        peak = episode_.tau(i, m);
        peak_row = i;
        peak_motor = m;
      }
    }
    if (peak_row < 0) return;
    node(N::commanded_torque, audit_.motor_labels[peak_motor], peak, "N·m", peak_row,
         number_text(peak) + " N·m at step " + std::to_string(r_.first_step + peak_row) +
             ", its group's largest so far");
    const double began = episode_.tau(first, motor);
    edge(N::start_error, N::commanded_torque, std::abs(worst.error) > limit ? E::inferred : E::absent, began, "N·m",
         worst.label + " begins with " + number_text(began) + " N·m");
    const Index rows = row_ - first + 1;
    const double r =
        correlation(episode_.tau.col(peak_motor).segment(first, rows), r_.residual.col(motor_).segment(first, rows));
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
        node(N::targets, jump->subject, jump->value, jump->unit.c_str(), jump->step - r_.first_step,
             "jumps by " + number_text(jump->value) + " " + jump->unit + " at step " + std::to_string(jump->step));
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
    node(N::torque, audit_.motor_labels[a.peak_torque_motor], a.peak_torque, "N·m", a.peak_torque_step - r_.first_step,
         text);
    edge(before, N::torque, limit ? E::inferred : E::absent, limit ? static_cast<double>(limit->step - since) : kNaN,
         "1", limit ? after(limit->step - since) : "no rated torque passed after it");
    feedback(limit);
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
  double gain_ = kNaN;
  std::string joint_, label_;
  CausalGraph graph_;
};

}  // namespace

CausalGraph causal_graph(const Robot& robot, const Audit& audit) {
  if (audit.focus_step < 0) return {};
  return Builder(robot, audit).build();
}

}  // namespace antaeus::detail
