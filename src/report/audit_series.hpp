#pragma once
// What the figures of an audit share: an episode's look, its series, and curves thinned before they are kept.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/audit/audit.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/report/figures.hpp"

namespace antaeus::detail {

/// More baselines than this could not be distinguished in one figure.
inline constexpr std::size_t kMostBaselines = 3;
/// Buckets of a curve that is longer than kDecimationLimit: finer than the widest panel.
inline constexpr std::size_t kCurveBuckets = 900;

/// The audited episode, then the baselines that are drawn.
inline std::vector<const EpisodeAudit*> drawn_episodes(const Audit& audit) {
  std::vector<const EpisodeAudit*> episodes = {&audit.audited};
  for (std::size_t i = 0; i < std::min(audit.baselines.size(), kMostBaselines); ++i) {
    episodes.push_back(&audit.baselines[i]);
  }
  return episodes;
}

/// The incident stands out; baselines are cooler and dashed.
Style episode_style(std::size_t episode);

/// Null where the episode has no such series.
const EstimateSeries* series_of(const EpisodeAudit& episode, const std::string& endpoint, EstimatorName estimator);
/// Posteriors of the audited episode's endpoints that the consumer reads.
std::vector<const EstimateSeries*> consumed_posteriors(const Audit& audit);
inline const std::string& label_of(const EstimateSeries& series) {
  return series.label.empty() ? series.endpoint : series.label;
}

/// A curve of values by row; long ones are thinned here, before a copy of an hour at 1 kHz is kept.
template <class Value>
Curve thinned_curve(std::string label, Eigen::Index rows, double first, double step, const Style& style,
                    Value&& value) {
  std::vector<double> y(static_cast<std::size_t>(std::max<Eigen::Index>(rows, 0)));
  for (Eigen::Index i = 0; i < rows; ++i) y[i] = value(i);
  Curve result{std::move(label), {}, {}, style};
  if (y.size() > kDecimationLimit) {
    for (const std::size_t i : min_max_decimation(y, kCurveBuckets)) {
      result.x.push_back(first + step * static_cast<double>(i));
      result.y.push_back(y[i]);
    }
  } else {
    for (std::size_t i = 0; i < y.size(); ++i) result.x.push_back(first + step * static_cast<double>(i));
    result.y = std::move(y);
  }
  return result;
}

/// What the consumer reads, as people say it.
std::string action_in_words(ConsumerAction action);
/// What a state is called on the page and where its lane is: "ok", "degraded", "refused".
inline constexpr const char* kStateNames[] = {"ok", "degraded", "refused"};
/// 0 ok, 1 degraded, 2 anything worse.
inline int state_lane(Verdict state) { return std::min(static_cast<int>(state), static_cast<int>(Verdict::refused)); }
/// Of consumed endpoints: at the focus step beside the same step of the baselines.
std::vector<const ReliabilityTable*> reliability_of(const Audit& audit, const std::string& endpoint);

/// The causal graph; none without a focus step.
std::vector<NamedFigure> causal_figures(const Audit& audit);
/// The posterior beside the deployed number, and redundancy; none for an audit without a posterior.
std::vector<NamedFigure> posterior_figures(const Audit& audit);

}  // namespace antaeus::detail
