// Figures of an audit: what no panel of its views shows. Several series in one glance, and what the pose does.
#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/pose/sweep.hpp"
#include "antaeus/report/figures.hpp"
#include "audit/audit_shared.hpp"
#include "report/audit_series.hpp"

namespace antaeus {

namespace detail {

namespace {

using Eigen::Index;

/// One figure being put together from an audit.
class AuditFigures {
 public:
  explicit AuditFigures(const Audit& audit) : audit_(audit), episodes_(drawn_episodes(audit)) {
    for (const Endpoint& endpoint : audit.endpoints) {
      if (endpoint.kind != EndpointKind::foot || endpoint.group.empty()) continue;
      const auto group = std::find_if(audit.groups.begin(), audit.groups.end(),
                                      [&](const JointGroup& g) { return g.name == endpoint.group; });
      if (group != audit.groups.end() && std::find(feet_.begin(), feet_.end(), &*group) == feet_.end())
        feet_.push_back(&*group);
    }
    focus_ = series_of(audit.audited, audit.focus_endpoint, EstimatorName::deployed);
    for (const PreflightCheck& check : audit.audited.preflight.checks) {
      if (check.kind == PreflightCheckKind::gain) gain_limit_ = check.limit;
    }
    row_ = audit.focus_step - audit.audited.reconstruction.first_step;
    if (focus_ && row_ >= 0) focus_->wrench.row(row_).head<3>().cwiseAbs().maxCoeff(&component_);
  }

  std::vector<NamedFigure> all() {
    if (!focus_ || audit_.focus_step < 0) return {};
    for (NamedFigure& figure : causal_figures(audit_)) figures_.push_back(std::move(figure));
    summary();
    force_cascade();
    contribution();
    for (NamedFigure& figure : posterior_figures(audit_)) figures_.push_back(std::move(figure));
    if (!audit_.spectra.empty()) figures_.push_back(spectrum_figure(audit_.spectra, gain_limit_));
    if (!audit_.sweeps.empty()) figures_.push_back(sweep_figure(audit_.sweeps, gain_limit_));
    if (!audit_.junction.poses.empty()) figures_.push_back(junction_figure(audit_.junction));
    for (const PlanarLesson& lesson : audit_.lessons) figures_.push_back(planar_figure(lesson));
    return std::move(figures_);
  }

 private:
  /// By step of the log.
  template <class Value>
  Curve by_step(std::string label, const EpisodeAudit& episode, Index rows, const Style& style, Value&& value) const {
    return thinned_curve(std::move(label), rows, static_cast<double>(episode.reconstruction.first_step), 1.0, style,
                         value);
  }
  Index audited_rows() const { return audit_.audited.episode.steps(); }
  /// Rows of an episode beside the audited one: no further than that goes.
  Index shared_rows(const EpisodeAudit& episode) const { return std::min(episode.episode.steps(), audited_rows()); }

  int motor(const std::string& joint) const {
    for (std::size_t m = 0; m < audit_.audited.ranges.size(); ++m) {
      if (audit_.audited.ranges[m].joint == joint) return static_cast<int>(m);
    }
    return -1;
  }
  std::string joint_label(int motor) const { return audit_.motor_labels[motor]; }
  std::string focus_label() const { return label_of(*focus_); }
  std::string component() const { return enum_names(WrenchRow{})[component_]; }
  std::string name(const EpisodeAudit& episode) const { return episode.episode.name; }
  const GuardTrace* guard(SingleGuard kind) const {
    for (const GuardTrace& trace : focus_->guards) {
      if (trace.guard == kind) return &trace;
    }
    return nullptr;
  }
  Threshold focus_mark(bool labelled) const {
    return {static_cast<double>(audit_.focus_step),
            true,
            labelled ? "step " + std::to_string(audit_.focus_step) : "",
            {Tone::muted, Dash::dotted, Marker::none, 1.2}};
  }
  Axis steps_axis(bool labelled = true) const {
    Axis axis;
    if (labelled) axis.label = "step of the log";
    axis.minimum = static_cast<double>(audit_.audited.reconstruction.first_step);
    axis.maximum = axis.minimum + static_cast<double>(std::max<Index>(audited_rows() - 1, 1));
    return axis;
  }
  void add(Figure figure, std::string caption) {
    figure.description = caption;
    figures_.push_back({figure.id, figure.title, std::move(caption), draw_figure(figure)});
  }

  Panel residual_panel() const {
    Panel panel;
    panel.title = "Torque of " + audit_.reference_joint + " beyond gravity";
    panel.x = steps_axis(false);
    panel.y.label = "residual [N·m]";
    for (std::size_t e = 0; e < episodes_.size(); ++e) {
      const VectorX& residual = episodes_[e]->reconstruction.reference_residual;
      panel.curves.push_back(by_step(name(*episodes_[e]), *episodes_[e], shared_rows(*episodes_[e]), episode_style(e),
                                     [&](Index i) { return residual[i]; }));
    }
    return panel;
  }
  template <class Value>
  Panel compared_panel(const std::string& title, const std::string& axis, bool focus_only, Value&& value) const {
    Panel panel;
    panel.title = title;
    panel.x = steps_axis(false);
    panel.y.label = axis;
    for (std::size_t e = 0; e < episodes_.size(); ++e) {
      const EstimateSeries* series = series_of(*episodes_[e], audit_.focus_endpoint, EstimatorName::deployed);
      if (focus_only && !series) continue;
      panel.curves.push_back(by_step(name(*episodes_[e]), *episodes_[e], shared_rows(*episodes_[e]), episode_style(e),
                                     [&](Index i) { return value(*episodes_[e], series, i); }));
    }
    return panel;
  }

  void summary() {
    Figure figure;
    figure.id = "cascade-summary";
    figure.title = "The cascade at a glance";
    figure.columns = 2;
    figure.panel_height = 118;
    if (!audit_.reference_joint.empty()) figure.panels.push_back(residual_panel());
    figure.panels.push_back(
        compared_panel("Condition number at the " + focus_label(), "κ", true,
                       [](const EpisodeAudit&, const EstimateSeries* s, Index i) { return s->kappa[i]; }));
    if (!audit_.reference_joint.empty()) {
      Panel gain = compared_panel(
          "Gain into Fz at the " + focus_label(), "N/(N·m)", true,
          [](const EpisodeAudit&, const EstimateSeries* s, Index i) { return std::abs(s->reference_gain(i, kFz)); });
      gain.y.include_zero = true;
      if (std::isfinite(gain_limit_))
        gain.thresholds.push_back({gain_limit_, false, "limit " + display_number(gain_limit_, 0)});
      figure.panels.push_back(std::move(gain));
    }
    Panel force =
        compared_panel("Force " + detail::as_deployed(audit_) + " at the " + focus_label(), "|F| [N]", true,
                       [](const EpisodeAudit&, const EstimateSeries* s, Index i) { return s->force_norm[i]; });
    force.y.include_zero = true;
    figure.panels.push_back(std::move(force));
    if (audit_.audited.episode.target.rows() > 0) {
      Panel jump =
          compared_panel("Largest change of a target in one step", "[rad]", false,
                         [](const EpisodeAudit& e, const EstimateSeries*, Index i) {
                           if (i == 0 || e.episode.target.rows() <= i) return std::nan("");
                           return (e.episode.target.row(i) - e.episode.target.row(i - 1)).cwiseAbs().maxCoeff();
                         });
      jump.y.include_zero = true;
      figure.panels.push_back(std::move(jump));
    }
    if (!feet_.empty()) {
      const std::vector<int> legs = leg_motors();
      Panel torque = compared_panel("Largest torque of a leg", "|τ| [N·m]", false,
                                    [&](const EpisodeAudit& e, const EstimateSeries*, Index i) {
                                      double largest = std::nan("");
                                      for (const int m : legs)
                                        largest = std::fmax(largest, std::abs(e.episode.tau(i, m)));
                                      return largest;
                                    });
      torque.y.include_zero = true;
      figure.panels.push_back(std::move(torque));
    }
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
      figure.panels[i].thresholds.push_back(focus_mark(i == 0));
      if (i + 2 >= figure.panels.size()) figure.panels[i].x.label = "step of the log";
    }
    add(figure, name(audit_.audited) + (episodes_.size() > 1 ? " and the first steps of the baselines" : "") +
                    "; the dotted line is the step shown in detail, " + std::to_string(audit_.focus_step) +
                    ". The force peaks at " + display_number(focus_->peak_force, 0) + " N at step " +
                    std::to_string(audit_.audited.reconstruction.first_step + focus_->peak_step) + ", the torques at " +
                    display_number(audit_.audited.peak_torque, 0) + " N·m at step " +
                    std::to_string(audit_.audited.peak_torque_step) + ".");
  }

  std::vector<int> leg_motors() const {
    std::vector<int> motors;
    for (const JointGroup* group : feet_) {
      for (const std::string& joint : group->joints) {
        if (motor(joint) >= 0) motors.push_back(motor(joint));
      }
    }
    return motors;
  }

  void force_cascade() {
    Figure figure;
    figure.id = "force-cascade";
    figure.title = "The force " + detail::as_deployed(audit_) + ", and where each guard first acts";
    figure.panel_height = 190;
    const auto curves = [&](Panel& panel) {
      panel.y.label = "force [N]";
      panel.curves.push_back(by_step(component(), audit_.audited, audited_rows(),
                                     {Tone::vermillion, Dash::solid, Marker::none, 2.0},
                                     [&](Index i) { return focus_->wrench(i, component_); }));
      panel.curves.push_back(by_step("|F|", audit_.audited, audited_rows(),
                                     {Tone::blue, Dash::dashed, Marker::none, 1.6},
                                     [&](Index i) { return focus_->force_norm[i]; }));
    };
    Panel whole, close;
    whole.title = "Whole episode, " + focus_label();
    whole.x = steps_axis();
    curves(whole);
    whole.thresholds.push_back(focus_mark(true));
    close.title = "Up to step " + std::to_string(audit_.focus_step);
    close.x.label = "step of the log";
    close.x.maximum = static_cast<double>(audit_.focus_step) + 0.5;
    close.x.minimum = static_cast<double>(std::max(audit_.audited.reconstruction.first_step, audit_.focus_step - 40));
    curves(close);
    for (Curve& curve : close.curves) {
      // Only the range in view may set the scale.
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (curve.x[i] < close.x.minimum || curve.x[i] > close.x.maximum) curve.y[i] = std::nan("");
      }
      curve.style.marker = curve.label == component() ? Marker::circle : Marker::square;
    }
    whole.curves[0].label.clear(), whole.curves[1].label.clear();
    std::string caption = component() + " and |F| at the " + focus_label() + ", as the " +
                          detail::estimator_word(audit_) + " reads them.";
    if (const GuardTrace* clamp = guard(SingleGuard::clamp)) {
      close.thresholds.push_back({clamp->limit, false, ""});
      close.thresholds.push_back({-clamp->limit, false, "clamp ±" + display_number(clamp->limit, 0) + " N"});
      close.thresholds.back().below = true;
    }
    if (const GuardTrace* watchdog = guard(SingleGuard::watchdog)) {
      close.thresholds.push_back({watchdog->limit, false, "watchdog " + display_number(watchdog->limit, 0) + " N"});
    }
    std::vector<std::pair<Index, std::string>> acts;
    for (const GuardTrace& trace : focus_->guards) {
      if (trace.first_act < 0) continue;
      const Index step = audit_.audited.reconstruction.first_step + trace.first_act;
      caption += (acts.empty() ? " First acts, each guard alone: " : ", ") + std::string(to_string(trace.guard)) +
                 " at step " + std::to_string(step);
      acts.emplace_back(step, to_string(trace.guard));
    }
    if (!acts.empty()) caption += '.';
    mark_acts(acts, close);
    figure.panels = {std::move(close), std::move(whole)};
    add(figure, caption);
  }

  /// One upright line a step, with every guard that first acts there.
  static void mark_acts(std::vector<std::pair<Index, std::string>> acts, Panel& panel) {
    std::stable_sort(acts.begin(), acts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Threshold> marks;
    for (auto [step, guard] : acts) {
      if (guard == "reference_dominance_formula") continue;  // beside reference_dominance it would only repeat
      std::replace(guard.begin(), guard.end(), '_', ' ');
      const auto at = static_cast<double>(step);
      if (!marks.empty() && marks.back().value == at) {
        marks.back().label += ", " + guard;
      } else {
        marks.push_back({at, true, guard, {Tone::muted, Dash::dotted, Marker::none, 1.2}});
      }
    }
    panel.thresholds.insert(panel.thresholds.end(), marks.begin(), marks.end());
  }

  void contribution() {
    const auto found = std::find_if(audit_.attributions.begin(), audit_.attributions.end(),
                                    [](const Attribution& a) { return a.estimator == EstimatorName::deployed; });
    if (found == audit_.attributions.end() || found->contribution.cols() == 0) return;
    const Index row = component_;
    std::vector<Index> joints;
    for (Index j = 0; j < found->contribution.cols(); ++j) {
      if (found->contribution(row, j) != 0 && std::isfinite(found->contribution(row, j))) joints.push_back(j);
    }
    if (joints.empty()) return;
    std::stable_sort(joints.begin(), joints.end(), [&](Index a, Index b) {
      return std::abs(found->contribution(row, a)) > std::abs(found->contribution(row, b));
    });
    joints.resize(std::min<std::size_t>(joints.size(), 12));
    Figure figure;
    figure.id = "joint-contribution";
    figure.title = "Which joint makes the force";
    figure.columns = 2;
    figure.panel_height = 120;
    Panel residual, force;
    residual.title = "Torque beyond gravity";
    residual.x.label = "residual [N·m]";
    force.title = "Its part in " + component() + " at the " + focus_label();
    force.x.label = "contribution to " + component() + " [N]";
    Bars torques{"", {}, {Tone::blue}}, parts{"", {}, {Tone::vermillion}};
    for (const Index j : joints) {
      residual.categories.push_back(joint_label(static_cast<int>(j)));
      torques.values.push_back(found->residual[j]);
      parts.values.push_back(found->contribution(row, j));
    }
    force.categories = residual.categories;
    residual.bars.push_back(std::move(torques)), force.bars.push_back(std::move(parts));
    for (Panel* panel : {&residual, &force}) panel->horizontal_bars = panel->value_labels = true;
    figure.panels = {std::move(residual), std::move(force)};
    const Index first = joints.front();
    // Where a contact made the force, the largest part is that of the joint with the longest lever, and no cause.
    const std::string contact =
        audit_.contact.found ? "The torques are those of a contact, and the joints share it. " : std::string();
    add(figure, contact + "Step " + std::to_string(audit_.focus_step) + ": of " + component() + " = " +
                    display_number(found->wrench[row], 1) + " N, " + joint_label(static_cast<int>(first)) +
                    " alone makes " + display_number(found->contribution(row, first), 1) + " N out of " +
                    display_number(found->residual[first], 2) + " N·m. Joints that do not reach the " + focus_label() +
                    " contribute exactly 0 and are left out.");
  }

  const Audit& audit_;
  std::vector<const EpisodeAudit*> episodes_;  ///< audited first
  std::vector<const JointGroup*> feet_;        ///< groups that end in a foot
  const EstimateSeries* focus_ = nullptr;
  double gain_limit_ = std::nan("");
  Index row_ = -1;
  Index component_ = kFz;  ///< largest force component at the focus step
  std::vector<NamedFigure> figures_;
};

}  // namespace

}  // namespace detail

std::vector<NamedFigure> audit_figures(const Audit& audit) { return detail::AuditFigures(audit).all(); }

}  // namespace antaeus
