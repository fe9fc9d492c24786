#pragma once
/// \file
/// Views that follow one cursor: plots, a robot in space, lists and a table over the rows of a run.
///
/// Numbers come from channels: a function of the row, which is called for every row once, so that a log of any length
/// is read in one go. A run of more than 20 000 rows is kept whole near the focus and elsewhere by bins of equal
/// length. NaN is a gap everywhere.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/report/scene.hpp"

namespace antaeus {

/// One number a row.
struct Channel {
  std::function<double(Eigen::Index row)> value = {};
  /// What stands for a bin of a long run: its least and largest value, one row of it (numbers that belong together, as
  /// the positions of joints), or its largest code.
  enum class Bin { extremes, one_row, largest } bin = Bin::extremes;
  int run = 0;  ///< whose rows: 0 the page's own, else a comparison
};

namespace detail {
struct ANTAEUS_API KeptRows;
}

/// Rows on the axis. Run 0 is the page's own; the others are comparisons, drawn from the same start.
struct Run {
  std::string name = {};
  Eigen::Index rows = 0;
  Eigen::Index first_step = 0;  ///< number of row 0 for people
  VectorX time = {};            ///< per row [s], never decreasing; empty or NaN: the axis is the step
  /// Of rows that came in blocks and are gone: what was kept of all channels and of the time. Else null.
  std::shared_ptr<const detail::KeptRows> kept = {};
};
/// Beside the samples that stand for it.
template <class Visit>
constexpr void visit_fields(const Run*, Visit&& visit) {
  detail::visit_members(visit, "name", &Run::name, "steps", &Run::rows, "first_step", &Run::first_step);
}

/// What the reader chooses: an endpoint, a foot, joints. What is shown then carries it as a condition (`When`).
struct Selector {
  std::string id = {}, label = {};  ///< id [a-z0-9-]
  std::vector<std::string> options = {};
  std::vector<int> chosen = {0};  ///< at first; several only where `multiple`
  bool multiple = false;
};
template <class Visit>
constexpr void visit_fields(const Selector*, Visit&& visit) {
  detail::visit_members(visit, "id", &Selector::id, "label", &Selector::label, "options", &Selector::options, "chosen",
                        &Selector::chosen, "multiple", &Selector::multiple);
}
struct Line {
  std::string name = {};
  ChannelId channel = kNoChannel;
  ChannelId sd = kNoChannel;                      ///< shaded to both sides
  ChannelId low = kNoChannel, high = kNoChannel;  ///< a strip between two channels
  Tone tone = Tone::ink;
  bool follows_choice = false;  ///< tone by its place among the chosen options instead
  bool dashed = false, wide = false;
  bool shown = true;   ///< at first; a press on its name turns it off and on
  bool scales = true;  ///< false: it may leave the panel
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const Line*, Visit&& visit) {
  detail::visit_members(visit, "name", &Line::name, "channel", &Line::channel, "sd", &Line::sd, "low", &Line::low,
                        "high", &Line::high, "tone", &Line::tone, "follows_choice", &Line::follows_choice, "dashed",
                        &Line::dashed, "wide", &Line::wide, "shown", &Line::shown, "scales", &Line::scales, "when",
                        &Line::when);
}
/// A level across the panel.
struct Limit {
  double value = 0.0;
  std::string label = {};
};
template <class Visit>
constexpr void visit_fields(const Limit*, Visit&& visit) {
  detail::visit_members(visit, "value", &Limit::value, "label", &Limit::label);
}
/// A row of its own in which the codes of a channel are told: filled where `filled[code]`.
struct Lane {
  std::string name = {};
  ChannelId channel = kNoChannel;       ///< codes 0, 1, 2, …
  std::vector<std::string> words = {};  ///< what a code is called at the cursor
  std::vector<bool> filled = {};
  Tone tone = Tone::blue;
};
template <class Visit>
constexpr void visit_fields(const Lane*, Visit&& visit) {
  detail::visit_members(visit, "name", &Lane::name, "channel", &Lane::channel, "words", &Lane::words, "filled",
                        &Lane::filled, "tone", &Lane::tone);
}
/// Successive rows with a text: written into a lane where it has room, and told in a sentence at the cursor.
struct LaneText {
  Eigen::Index from = 0, to = 0;  ///< rows, both included
  int lane = 0;
  std::string text = {}, sentence = {};
};
template <class Visit>
constexpr void visit_fields(const LaneText*, Visit&& visit) {
  detail::visit_members(visit, "from", &LaneText::from, "to", &LaneText::to, "lane", &LaneText::lane, "text",
                        &LaneText::text, "sentence", &LaneText::sentence);
}
/// A moment with a name.
struct EventMark {
  Eigen::Index row = 0;
  std::string text = {};
};
template <class Visit>
constexpr void visit_fields(const EventMark*, Visit&& visit) {
  detail::visit_members(visit, "row", &EventMark::row, "text", &EventMark::text);
}

/// One pair of axes, or lanes below each other.
struct ViewPanel {
  std::string id = {};  ///< [a-z0-9-]; panels that are never shown together may share one
  std::string title = {}, unit = {};
  std::vector<Line> lines = {};
  std::vector<Limit> limits = {};
  std::vector<Lane> lanes = {};  ///< instead of lines
  std::vector<LaneText> texts = {};
  std::vector<EventMark> marks = {};
  bool logarithmic = false;
  bool detail = false;  ///< among "more plots", which are opened together
  int run = 0;          ///< whose rows are the axis; a comparison's panel shows all of it, with a cursor of its own
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const ViewPanel*, Visit&& visit) {
  detail::visit_members(visit, "id", &ViewPanel::id, "title", &ViewPanel::title, "unit", &ViewPanel::unit, "lines",
                        &ViewPanel::lines, "limits", &ViewPanel::limits, "lanes", &ViewPanel::lanes, "texts",
                        &ViewPanel::texts, "marks", &ViewPanel::marks, "logarithmic", &ViewPanel::logarithmic, "detail",
                        &ViewPanel::detail, "run", &ViewPanel::run, "when", &ViewPanel::when);
}

/// A number at the cursor.
struct Reading {
  std::string label = {}, unit = {};
  ChannelId channel = kNoChannel;
  ChannelId sd = kNoChannel;
  std::vector<std::string> words = {};  ///< of a channel of codes
  int digits = -1;                      ///< after the point; negative: three significant digits
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const Reading*, Visit&& visit) {
  detail::visit_members(visit, "label", &Reading::label, "unit", &Reading::unit, "channel", &Reading::channel, "sd",
                        &Reading::sd, "words", &Reading::words, "digits", &Reading::digits, "when", &Reading::when);
}
/// Values beside each other at the cursor as bars, for example what each joint adds to a force.
struct BarList {
  std::string title = {}, value_head = {}, aside_head = {}, unit = {}, aside_unit = {};
  struct Row {
    std::string label = {}, title = {};  ///< title: the whole name where the label is short
    ChannelId value = kNoChannel, aside = kNoChannel;
    int option = -1;  ///< of `selector`: a press chooses it or lets it go
  };
  std::vector<Row> rows = {};
  int selector = -1;
  ChannelId total = kNoChannel;
  Conditions when = {};
};
template <class Visit>
constexpr void visit_fields(const BarList::Row*, Visit&& visit) {
  detail::visit_members(visit, "label", &BarList::Row::label, "title", &BarList::Row::title, "value",
                        &BarList::Row::value, "aside", &BarList::Row::aside, "option", &BarList::Row::option);
}
template <class Visit>
constexpr void visit_fields(const BarList*, Visit&& visit) {
  detail::visit_members(visit, "title", &BarList::title, "value_head", &BarList::value_head, "aside_head",
                        &BarList::aside_head, "unit", &BarList::unit, "aside_unit", &BarList::aside_unit, "rows",
                        &BarList::rows, "selector", &BarList::selector, "total", &BarList::total, "when",
                        &BarList::when);
}

/// All views of a page.
struct ANTAEUS_API Views {
  std::vector<Run> runs = {};
  std::vector<Channel> channels = {};
  std::vector<Selector> selectors = {};
  std::vector<Scene> scenes = {};
  std::vector<ViewPanel> panels = {};
  std::vector<BarList> bars = {};
  std::vector<Reading> readings = {};  ///< in one sentence under the scene
  std::vector<Reading> columns = {};   ///< of the table of rows around the cursor
  Eigen::Index focus = -1;             ///< row of run 0 at which the cursor stands at first, marked everywhere
  std::string focus_name = {};         ///< "incident"
  std::string comparisons_name = {};   ///< what the button calls runs 1, 2, …
  std::string note = {};               ///< below the plots

  bool empty() const noexcept { return runs.empty() || runs.front().rows == 0; }
  ChannelId add(std::function<double(Eigen::Index)> value, Channel::Bin bin = Channel::Bin::extremes, int run = 0) {
    channels.push_back({std::move(value), bin, run});
    return static_cast<ChannelId>(channels.size()) - 1;
  }
};
/// Beside the runs and their channels.
template <class Visit>
constexpr void visit_fields(const Views*, Visit&& visit) {
  detail::visit_members(visit, "selectors", &Views::selectors, "scenes", &Views::scenes, "panels", &Views::panels,
                        "bars", &Views::bars, "readings", &Views::readings, "columns", &Views::columns, "focus",
                        &Views::focus, "focus_name", &Views::focus_name, "comparisons_name", &Views::comparisons_name,
                        "note", &Views::note);
}

}  // namespace antaeus
