// What is shown of a log of which a part was audited: all of it, as fine as a screen is.
#include <algorithm>
#include <cmath>

#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/draw/figure.hpp"
#include "audit/audit_shared.hpp"
#include "report/audit_sections.hpp"
#include "report/page_words.hpp"

namespace antaeus::detail {

namespace {

constexpr std::size_t kMostListed = 40;

std::string estimator_at(const WholeSeries& series) {
  return std::string(to_string(series.estimator)) + " at the " + series.label;
}

NamedFigure whole_figure(const Audit& audit) {
  const WholeLog& whole = audit.whole;
  Figure figure;
  figure.id = "whole-log";
  figure.title = "Force over the whole log";
  figure.description = "Smallest and largest force of each of " +
                       std::to_string(whole.series.empty() ? 0 : whole.series.front().x.size()) +
                       " spans of steps, endpoint by endpoint; the shaded strip is the part shown in detail";
  const auto first = static_cast<double>(audit.audited.reconstruction.first_step);
  const auto last = first + static_cast<double>(audit.audited.episode.steps() - 1);
  for (const WholeSeries& series : whole.series) {
    if (series.estimator == EstimatorName::stacked) continue;
    auto panel = std::ranges::find(figure.panels, "Force at the " + series.label, &Panel::title);
    if (panel == figure.panels.end()) {
      Panel one;
      one.title = "Force at the " + series.label;
      one.x.label = "step";
      one.y = {"|F| [N]", kNaN, kNaN, false, true, true, {}};
      one.bands.push_back({first, last, true, "in detail"});
      panel = figure.panels.insert(figure.panels.end(), std::move(one));
    }
    const Style style = series_style(series.estimator == EstimatorName::posterior ? 0 : 1);
    panel->ribbons.push_back({"", series.x, series.least, series.largest, style});
    panel->curves.push_back({std::string(to_string(series.estimator)), series.x, series.largest, style});
  }
  return {figure.id, figure.title, figure.description + ".", draw_figure(figure)};
}

TableBlock counts_of(const WholeLog& whole) {
  TableBlock table{"All steps, by estimator and endpoint",
                   {"estimate", "steps by verdict", "#largest |F| [N]", "#at step", "#steps with an alarm", "#first",
                    "#steps refused", "#first"},
                   {}};
  for (const WholeSeries& series : whole.series) {
    std::string verdicts;
    for (const VerdictCount& count : series.verdicts) {
      verdicts +=
          (verdicts.empty() ? "" : ", ") + std::to_string(count.steps) + " " + in_words(to_string(count.verdict));
    }
    const bool posterior = series.estimator == EstimatorName::posterior;
    const auto step = [](Eigen::Index at) { return at < 0 ? Prose("never") : Prose(std::to_string(at)); };
    table.rows.push_back(
        {{estimator_at(series), verdicts, Quantity{series.peak_force, "", 1}, step(series.peak_step),
          posterior ? std::to_string(series.alarms) : "–", posterior ? step(series.first_alarm) : "–",
          posterior ? std::to_string(series.refusals) : "–", posterior ? step(series.first_refusal) : "–"}});
  }
  return table;
}

TableBlock contacts_of(const WholeLog& whole) {
  TableBlock table{"Forces that stand out in the posterior",
                   {"endpoint", "#from step", "#to step", "#from [s]", "#to [s]", "#median |F| [N]", "#sd [N]"},
                   {}};
  for (std::size_t i = 0; i < std::min(whole.contacts.size(), kMostListed); ++i) {
    const ContactInterval& one = whole.contacts[i];
    table.rows.push_back({{one.label, std::to_string(one.from), std::to_string(one.to), Quantity{one.from_time, "", 2},
                           Quantity{one.to_time, "", 2}, Quantity{one.size, "", 1}, Quantity{one.size_sd, "", 1}}});
  }
  return table;
}

}  // namespace

Section whole_log_section(const Audit& audit) {
  Section section{"whole", "The whole log", {}};
  const WholeLog& whole = audit.whole;
  if (whole.steps == 0) return section;
  section.blocks.emplace_back(Paragraph{
      "The log has " + std::to_string(whole.steps) + " steps; steps " +
      std::to_string(audit.audited.reconstruction.first_step) + " to " +
      std::to_string(audit.audited.reconstruction.first_step + audit.audited.episode.steps() - 1) +
      ", around its largest force, are shown in detail on this page, with filters and guards that restart there. Of "
      "the "
      "whole it shows the smallest and the largest force of each span that a screen can distinguish; every step is in "
      "steps.parquet. Another part: antaeus audit with " +
      arg(Input::from) + " and " + arg(Input::to) + "."});
  section.blocks.emplace_back(Figures{{whole_figure(audit)}});
  section.blocks.emplace_back(counts_of(whole));
  if (whole.contacts.empty()) return section;
  section.blocks.emplace_back(contacts_of(whole));
  const std::size_t all = whole.contacts.size() + static_cast<std::size_t>(whole.contacts_left_out);
  if (all > kMostListed) {
    section.blocks.emplace_back(Paragraph{
        "The first " + std::to_string(kMostListed) + " of " + std::to_string(all) + " intervals; more in whole.json.",
        true});
  }
  return section;
}

}  // namespace antaeus::detail
