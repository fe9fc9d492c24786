// Figures of the posterior: its number with its doubt beside the deployed one, and what its tests can find.
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "audit/audit_shared.hpp"
#include "draw/figure_marks.hpp"
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
    redundancy();
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
    figure.title = "The " + deployed_word(audit_) + " number, and the posterior with its uncertainty";
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
      Curve raw{deployed_word(audit_), {}, {}, kDeployed}, number{"posterior", {}, {}, kPosterior},
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
      if (row == 0)
        panel.title = label_of(hand) +
                      (apart ? ", on the " + deployed_word(audit_) + " number’s scale" : std::string(", both numbers"));
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
    const std::string plain = deployed_word(audit_);
    std::string caption =
        "Around step " + std::to_string(audit_.focus_step) + ", which is marked. " +
        (apart ? "The upper row has the scale of the " + plain + " number, the middle one that of the posterior; the " +
                     plain + " number runs off it where the two disagree most. "
               : std::string()) +
        "The shaded strip is one standard deviation of the posterior’s " + component +
        " to each side: where it is "
        "as wide as the prior, the torques show nothing of this force.";
    for (const EstimateSeries* hand : hands_) {
      const EstimateSeries* deployed = series_of(audit_.audited, hand->endpoint, EstimatorName::deployed);
      if (!deployed || !std::isfinite(hand->wrench(focus_, axis))) continue;
      caption += " In that step at the " + label_of(*hand) + ": " + plain + " " + component + " " +
                 display_number(deployed->wrench(focus_, axis), 1) + " N, posterior " +
                 display_number(hand->wrench(focus_, axis), 1) + " ± " +
                 display_number(hand->posterior->sd(focus_, axis), 1) + " N, read behind its guard " +
                 display_number(hand->guarded_force(focus_, axis), 1) + " N.";
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
        (tables.size() > 1 ? " and the baselines" : "") +
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

  const Audit& audit_;
  std::vector<const EstimateSeries*> hands_;
  std::vector<const EpisodeAudit*> episodes_;  ///< audited first
  Index first_, focus_;                        ///< number of the first row; row of the focus step
  std::vector<NamedFigure> figures_;
};

}  // namespace

std::vector<NamedFigure> posterior_figures(const Audit& audit) { return PosteriorFigures(audit).all(); }

}  // namespace antaeus::detail
