// Figures of the posterior: its number with its doubt, its tests, and its guard.
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "audit/parts.hpp"
#include "draw/figure_parts.hpp"
#include "report/audit_series.hpp"

namespace antaeus::detail {

using Eigen::Index;

Style episode_style(std::size_t episode) {
  constexpr Style kStyles[] = {{Tone::vermillion, Dash::solid, Marker::none, 2.0},
                               {Tone::blue, Dash::dashed, Marker::none, 1.5},
                               {Tone::green, Dash::dash_dot, Marker::none, 1.5},
                               {Tone::purple, Dash::dotted, Marker::none, 1.5}};
  return kStyles[std::min(episode, std::size(kStyles) - 1)];
}

const EstimateSeries* series_of(const EpisodeAudit& episode, const std::string& endpoint, EstimatorName estimator) {
  for (const EstimateSeries& series : episode.reconstruction.series) {
    if (series.endpoint == endpoint && series.estimator == estimator) return &series;
  }
  return nullptr;
}

std::vector<const EstimateSeries*> consumed_posteriors(const Audit& audit) {
  std::vector<const EstimateSeries*> all;
  for (const EstimateSeries& series : audit.audited.reconstruction.series) {
    if (series.consumed && series.posterior) all.push_back(&series);
  }
  return all;
}

std::string action_in_words(ConsumerAction action) {
  switch (action) {
    case ConsumerAction::pass_raw: return "the deployed number";
    case ConsumerAction::posterior: return "the posterior";
    case ConsumerAction::observable: return "the posterior where it is observed";
    case ConsumerAction::hold: return "its last good number, decaying to zero";
    case ConsumerAction::zero: return "zero";
    case ConsumerAction::stop: return "zero, and a request to stop";
  }
  return "?";
}

std::vector<const ReliabilityTable*> reliability_of(const Audit& audit, const std::string& endpoint) {
  std::vector<const ReliabilityTable*> tables;
  for (const ReliabilityTable& table : audit.reliability) {
    if (table.endpoint == endpoint) tables.push_back(&table);
  }
  return tables;
}

namespace {

/// Steps shown on each side of the step that is taken apart.
constexpr Index kAround = 40;
/// A NIS below this is as good as none: it would only cost room.
constexpr double kLeastNis = 0.1;
/// [N] A force below this is none to its consumer.
constexpr double kLeastForce = 0.1;
/// The two numbers get panels of their own scale where the deployed one is larger than the posterior's strip by this.
constexpr double kFarApart = 2.0;
constexpr Style kDeployed{Tone::vermillion, Dash::solid, Marker::none, 2.0};
constexpr Style kPosterior{Tone::blue, Dash::solid, Marker::none, 2.0};
constexpr Style kGuarded{Tone::green, Dash::dashed, Marker::none, 1.8};
constexpr Style kMark{Tone::muted, Dash::dotted, Marker::none, 1.2};

class PosteriorFigures {
 public:
  explicit PosteriorFigures(const Audit& audit)
      : audit_(audit),
        hands_(consumed_posteriors(audit)),
        episodes_(drawn_episodes(audit)),
        first_(audit.audited.reconstruction.first_step),
        focus_(audit.focus_step - first_) {}

  std::vector<NamedFigure> all() {
    if (hands_.empty() || audit_.focus_step < 0) return {};
    forces();
    tests();
    redundancy();
    guard();
    return std::move(figures_);
  }

 private:
  void add(Figure figure, std::string caption) {
    figure.description = caption;
    figures_.push_back({figure.id, figure.title, std::move(caption), draw_figure(figure)});
  }
  Index rows() const { return audit_.audited.reconstruction.steps(); }
  const std::string& name(const EpisodeAudit& episode) const { return episode.episode.name; }
  Threshold focus_mark() const {
    return {static_cast<double>(audit_.focus_step), true, "step " + std::to_string(audit_.focus_step), kMark};
  }

  void forces() {
    const int axis = audit_.focus_axis;
    const std::string component = axis_name(axis);
    Figure figure;
    figure.id = "posterior-force";
    figure.title = "The deployed number, and the posterior with its doubt";
    figure.columns = static_cast<int>(hands_.size());
    figure.panel_height = 140;
    const Index begin = std::max<Index>(0, focus_ - kAround), end = std::min(rows(), focus_ + kAround + 1);
    const bool apart = std::any_of(hands_.begin(), hands_.end(), [&](const EstimateSeries* hand) {
      const EstimateSeries* deployed = series_of(audit_.audited, hand->endpoint, EstimatorName::deployed);
      double strip = 0, number = 0;
      for (Index i = begin; deployed && i < end; ++i) {
        strip = std::fmax(strip, std::abs(hand->wrench(i, axis)) + hand->posterior->sd(i, axis));
        number = std::fmax(number, std::abs(deployed->wrench(i, axis)));
      }
      return number > kFarApart * strip;
    });
    const auto panel_of = [&](const EstimateSeries& hand, int row) {
      const EstimateSeries* deployed = series_of(audit_.audited, hand.endpoint, EstimatorName::deployed);
      const PosteriorTrace& trace = *hand.posterior;
      Panel panel;
      panel.x.minimum = static_cast<double>(first_ + begin);
      panel.x.maximum = static_cast<double>(first_ + std::max(end - 1, begin + 1));
      Ribbon doubt{"one sd each way", {}, {}, {}, kPosterior};
      Curve raw{"deployed", {}, {}, kDeployed}, number{"posterior", {}, {}, kPosterior},
          read{"behind the posterior’s guard", {}, {}, kGuarded};
      double low = 0, high = 0;
      for (Index i = begin; i < end; ++i) {
        const double x = static_cast<double>(first_ + i), sd = trace.sd(i, axis);
        const bool norm = row == 2;
        const double value = norm ? hand.force_norm[i] : hand.wrench(i, axis);
        number.x.push_back(x), number.y.push_back(value);
        read.x.push_back(x), read.y.push_back(norm ? hand.guarded_force.row(i).norm() : hand.guarded_force(i, axis));
        if (deployed) raw.x.push_back(x), raw.y.push_back(norm ? deployed->force_norm[i] : deployed->wrench(i, axis));
        if (norm) continue;
        doubt.x.push_back(x), doubt.low.push_back(value - sd), doubt.high.push_back(value + sd);
        if (std::isfinite(value - sd)) low = std::min(low, value - sd), high = std::max(high, value + sd);
      }
      if (row == 0) panel.title = label_of(hand) + (apart ? ", on the deployed number’s scale" : ", both numbers");
      if (row == 1) {
        panel.title = label_of(hand) + ", on the posterior’s scale";
        const double margin = 0.15 * std::max(high - low, 1.0);
        panel.y.minimum = low - margin, panel.y.maximum = high + margin;
      }
      if (row == 2) {
        panel.title = label_of(hand) + ", size of the force";
        panel.x.label = "step of the log";
        panel.y.logarithmic = true;
        // The guard's number decays to nothing, and what is smaller than the axis is not drawn.
        bool small = false;
        for (Curve* curve : {&raw, &number, &read}) {
          for (const double y : curve->y) small = small || y < kLeastForce;
        }
        if (small) panel.y.minimum = kLeastForce;
        for (double& y : read.y) {
          if (y < kLeastForce) y = std::nan("");
        }
      } else {
        panel.ribbons.push_back(std::move(doubt));
      }
      if (&hand == hands_.front()) panel.y.label = row == 2 ? "|F| [N]" : component + " [N]";
      panel.curves = {std::move(raw), std::move(number), std::move(read)};
      panel.thresholds.push_back(focus_mark());
      return panel;
    };
    for (int row = 0; row < 3; ++row) {
      if (row == 1 && !apart) continue;
      for (const EstimateSeries* hand : hands_) figure.panels.push_back(panel_of(*hand, row));
    }
    std::string caption = "Around step " + std::to_string(audit_.focus_step) + ", which is marked. " +
                          (apart ? "The upper row has the deployed number’s scale, the middle one the posterior’s, "
                                   "which the deployed number leaves where the two disagree most. "
                                 : "") +
                          "The shaded strip is one standard deviation of the posterior’s " + component +
                          " to each side: where it is "
                          "as wide as the prior, the torques tell nothing of this force, and the strip says so.";
    for (const EstimateSeries* hand : hands_) {
      const EstimateSeries* deployed = series_of(audit_.audited, hand->endpoint, EstimatorName::deployed);
      if (!deployed || !std::isfinite(hand->wrench(focus_, axis))) continue;
      caption += " In that step at the " + label_of(*hand) + ": deployed " + component + " " +
                 display_number(deployed->wrench(focus_, axis), 1) + " N, posterior " +
                 display_number(hand->wrench(focus_, axis), 1) + " ± " +
                 display_number(hand->posterior->sd(focus_, axis), 1) + " N, read behind its guard " +
                 display_number(hand->guarded_force(focus_, axis), 1) + " N.";
    }
    add(figure, caption);
  }

  /// One curve an episode, of its posterior at this endpoint; no further than the audited one goes.
  template <class Value>
  void compare(Panel& panel, const std::string& endpoint, Value&& value) const {
    for (std::size_t e = 0; e < episodes_.size(); ++e) {
      const EstimateSeries* series = series_of(*episodes_[e], endpoint, EstimatorName::posterior);
      if (!series || !series->posterior) continue;
      const Reconstruction& r = episodes_[e]->reconstruction;
      panel.curves.push_back(thinned_curve(name(*episodes_[e]), std::min(r.steps(), rows()),
                                           static_cast<double>(r.first_step), 1.0, episode_style(e),
                                           [&](Index i) { return value(*series->posterior, i); }));
    }
  }

  void tests() {
    Figure figure;
    figure.id = "posterior-tests";
    figure.title = "What the posterior doubts, and when it finds a contradiction";
    figure.columns = static_cast<int>(hands_.size());
    figure.panel_height = 150;
    std::string caption =
        "Above, the standard deviation of the force in the direction of which least is known. Below, the normalised "
        "innovation squared (NIS) with its limit: above it the torques contradict every contact within the prior.";
    for (const bool nis : {false, true}) {
      for (const EstimateSeries* hand : hands_) {
        const PosteriorTrace& trace = *hand->posterior;
        Panel panel;
        panel.x.minimum = static_cast<double>(first_);
        panel.x.maximum = panel.x.minimum + static_cast<double>(std::max<Index>(rows() - 1, 1));
        panel.title = label_of(*hand) + (nis ? ", NIS" : ", worst sd");
        if (hand == hands_.front()) panel.y.label = nis ? "NIS" : "sd [N]";
        panel.y.logarithmic = nis;
        if (nis) panel.y.minimum = kLeastNis;
        panel.y.include_zero = !nis;
        if (nis) {
          panel.x.label = "step of the log";
          compare(panel, hand->endpoint, [](const PosteriorTrace& t, Index i) { return t.nis[i]; });
          panel.curves.push_back(thinned_curve("alarm limit", rows(), static_cast<double>(first_), 1.0,
                                               {Tone::ink, Dash::long_dash, Marker::none, 1.4},
                                               [&](Index i) { return trace.nis_threshold[i]; }));
          double most = kLeastNis;
          for (const Curve& curve : panel.curves) {
            for (const double value : curve.y) most = std::fmax(most, value);
          }
          panel.y.maximum = 8.0 * most;  // room for the mark's words
          if (trace.first_alarm >= 0) {
            const auto at = static_cast<double>(first_ + trace.first_alarm);
            panel.thresholds.push_back(
                {at, true, "first test alarm, step " + std::to_string(first_ + trace.first_alarm), kMark});
            panel.curves.push_back({"",
                                    {at},
                                    {trace.nis[trace.first_alarm]},
                                    {Tone::vermillion, Dash::solid, Marker::diamond},
                                    Curve::Join::none});
          }
        } else {
          compare(panel, hand->endpoint, [](const PosteriorTrace& t, Index i) { return t.worst_sd[i]; });
          panel.thresholds.push_back(focus_mark());
        }
        figure.panels.push_back(std::move(panel));
      }
    }
    for (const EstimateSeries* hand : hands_) {
      const PosteriorTrace& trace = *hand->posterior;
      caption += " At the " + label_of(*hand) + " " + name(audit_.audited) + " begins with an sd of " +
                 display_number(trace.worst_sd[0], 1) + " N";
      for (std::size_t e = 1; e < episodes_.size(); ++e) {
        const EstimateSeries* good = series_of(*episodes_[e], hand->endpoint, EstimatorName::posterior);
        if (good && good->posterior) {
          caption += (e == 1 ? " (" : ", ") + name(*episodes_[e]) + " with " +
                     display_number(good->posterior->worst_sd[0], 1) + " N" + (e + 1 == episodes_.size() ? ")" : "");
        }
      }
      caption += trace.first_alarm < 0
                     ? std::string(" and its tests never alarm.")
                     : " and its tests first alarm at step " + std::to_string(first_ + trace.first_alarm) + ".";
    }
    add(figure, caption);
  }

  void redundancy() {
    const std::vector<const ReliabilityTable*> tables = reliability_of(audit_, audit_.focus_endpoint);
    if (tables.empty() || tables.front()->rows.empty()) return;
    Figure figure;
    figure.id = "redundancy";
    figure.title = "Which joint’s torque could be wrong without a test noticing, and what a prior adds";
    figure.columns = 2;
    figure.panel_height = 120;
    Panel share, bias;
    share.title = "Share of an error that shows, any contact";
    share.x.label = "redundancy";
    share.x.logarithmic = true;
    share.x.minimum = 1e-6, share.x.maximum = 1.0;
    share.thresholds.push_back({kUndetectableRedundancy, true, ""});
    bias.title = "Smallest error found, contacts within the prior";
    bias.x.label = "torque error [N·m]";
    bias.x.logarithmic = true;
    for (const ReliabilityTable::Row& row : tables.front()->rows) share.categories.push_back(row.motor_label);
    bias.categories = share.categories;
    std::string caption =
        "Reliability of each joint’s torque for the posterior at the " + tables.front()->label + ", at step " +
        std::to_string(tables.front()->step) + " of " + tables.front()->episode +
        (tables.size() > 1 ? " beside the baselines" : "") +
        ". Left, contacts may have any size; below the line a joint counts as undetectable. Right, contacts "
        "are within the prior; the marks are torques that the joint’s motor can make.";
    double most = 1.0, least = 1.0;
    for (std::size_t t = 0; t < std::min(tables.size(), kMostBaselines + 1); ++t) {
      Style style = episode_style(t);
      Bars shares{tables[t]->episode, {}, style, {}}, errors{tables[t]->episode, {}, style, {}};
      for (const std::string& joint : share.categories) {
        const auto row = std::find_if(tables[t]->rows.begin(), tables[t]->rows.end(),
                                      [&](const ReliabilityTable::Row& r) { return r.motor_label == joint; });
        const bool known = row != tables[t]->rows.end();
        const double rho = known ? row->prior_free_redundancy : std::nan(""),
                     error = known ? row->detectable_bias : std::nan("");
        shares.values.push_back(known ? std::clamp(rho, share.x.minimum, 1.0) : rho);
        shares.notes.emplace_back(known && row->undetectable ? "undetectable" : "");
        errors.values.push_back(error);
        if (std::isfinite(error)) most = std::max(most, error), least = std::min(least, error);
      }
      share.bars.push_back(std::move(shares)), bias.bars.push_back(std::move(errors));
      std::string blind;
      for (const ReliabilityTable::Row& row : tables[t]->rows) {
        if (!row.undetectable) continue;
        blind += (blind.empty() ? " " : ", ") + row.motor_label + " (" + number_text(row.prior_free_redundancy) + ")";
      }
      caption +=
          " " + tables[t]->episode +
          (blind.empty() ? ": every joint can be tested." : ", undetectable whatever the contact:" + blind + ".");
    }
    bias.x.minimum = std::pow(10.0, std::floor(std::log10(least)));
    bias.x.maximum = 4.0 * most;
    for (Bars& bars : bias.bars) {
      for (double& error : bars.values) {
        bars.notes.push_back(std::isinf(error) ? "none" : display_number(error, error < 100.0 ? 1 : 0));
        if (std::isinf(error)) error = most;
      }
    }
    bias.limits = {"what the motor can make", {}, {Tone::ink, Dash::solid, Marker::none, 2.0}};
    for (const ReliabilityTable::Row& row : tables.front()->rows) bias.limits.values.push_back(row.torque_limit);
    share.horizontal_bars = bias.horizontal_bars = true;
    share.value_labels = bias.value_labels = true;
    figure.panels = {std::move(share), std::move(bias)};
    add(figure, caption);
  }

  /// Intervals as they are drawn: no more than the panel has pixels, each as bad as its worst step.
  std::vector<GuardInterval> drawn_intervals(const EstimateSeries& hand) const {
    std::vector<GuardInterval> intervals = guard_timeline(hand, first_);
    if (intervals.size() <= kCurveBuckets) return intervals;
    const Index bucket = (rows() + static_cast<Index>(kCurveBuckets) - 1) / static_cast<Index>(kCurveBuckets);
    std::vector<GuardInterval> coarse;
    for (const GuardInterval& interval : intervals) {
      if (!coarse.empty() && interval.to - coarse.back().from < bucket) {
        coarse.back().to = interval.to;
        coarse.back().state = std::max(coarse.back().state, interval.state);
      } else {
        coarse.push_back(interval);
      }
    }
    return coarse;
  }

  void guard() {
    constexpr Tone kTones[] = {Tone::green, Tone::orange, Tone::vermillion};
    Figure figure;
    figure.id = "guard-timeline";
    figure.title = "The posterior’s guard, step by step";
    figure.panel_height = 124;
    std::string caption =
        "The state of the guard at each step. Where a state begins and there is room, words name the reasons that are "
        "new "
        "then.";
    for (const EstimateSeries* hand : hands_) {
      const PosteriorTrace& trace = *hand->posterior;
      Panel panel;
      panel.title = label_of(*hand);
      panel.x.minimum = static_cast<double>(first_) - 0.5;
      panel.x.maximum = static_cast<double>(first_ + rows()) - 0.5;
      if (hand == hands_.back()) panel.x.label = "step of the log";
      panel.y.names.assign(std::begin(kStateNames), std::end(kStateNames));
      const double pixel = (panel.x.maximum - panel.x.minimum) / (figure.width - 90.0);
      double taken[3] = {-1e300, -1e300, -1e300};
      Reasons before;
      for (const GuardInterval& interval : drawn_intervals(*hand)) {
        const int lane = state_lane(interval.state);
        const double from = static_cast<double>(interval.from) - 0.5, to = static_cast<double>(interval.to) + 0.5;
        panel.shapes.push_back({DrawnShape::Kind::polygon,
                                {from, to, to, from},
                                {lane - 0.26, lane - 0.26, lane + 0.12, lane + 0.12},
                                {kTones[lane]}});
        Reasons fresh = interval.because;
        fresh.remove(before);
        before = interval.because;
        const std::string words = reasons_in_words(fresh.empty() ? interval.because : fresh);
        // Words near the right edge are moved back into the panel.
        const double width = (detail::text_width(words, 11.0) + 10.0) * pixel;
        if (words.empty() || std::min(from, panel.x.maximum - width) < taken[lane]) continue;
        taken[lane] = from + width;
        panel.notes.push_back({from, lane + 0.12, words, 2, -3});
      }
      panel.thresholds.push_back(focus_mark());
      figure.panels.push_back(std::move(panel));
      const auto count = [&](Verdict state) {
        return std::to_string(std::count(trace.state.begin(), trace.state.end(), state));
      };
      caption += " At the " + label_of(*hand) + " " + count(Verdict::ok) + " steps are ok, " +
                 count(Verdict::degraded) + " degraded and " + count(Verdict::refused) + " refused";
      caption +=
          trace.first_refusal < 0 ? "." : ", the first at step " + std::to_string(first_ + trace.first_refusal) + ".";
    }
    add(figure, caption);
  }

  const Audit& audit_;
  std::vector<const EstimateSeries*> hands_;
  std::vector<const EpisodeAudit*> episodes_;  ///< audited first
  Index first_, focus_;                        ///< number of the first row; row of the focus step
  std::vector<NamedFigure> figures_;
};

}  // namespace

std::vector<NamedFigure> posterior_figures(const Audit& audit) { return PosteriorFigures(audit).all(); }

}  // namespace antaeus::detail
