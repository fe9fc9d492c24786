// The page of any log: what is in it, what is missing, and no verdict.
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "report/check_sections.hpp"
#include "report/page_words.hpp"
#include "report/show_sections.hpp"

namespace antaeus {

namespace detail {

namespace {

constexpr std::size_t kMostMoving = 3;  ///< joints that are named as moving most
constexpr std::size_t kMostNamed = 5;   ///< of a list of columns in a sentence
constexpr std::size_t kMostNotes = 5;   ///< above; all are below
constexpr double kHardlyMoves = 1e-3;   ///< [rad] or [m]

/// The first few, and how many more.
std::string listed_briefly(std::vector<std::string> words) {
  const std::size_t all = words.size();
  if (all > kMostNamed + 1) {
    words.resize(kMostNamed);
    words.push_back(std::to_string(all - kMostNamed) + " more");
  }
  return listed(words);
}
/// ", step 8 (0.16 s)", the step as a link.
void add_step(Prose& text, const FittedLog& shown, Eigen::Index step) {
  text << "step " << StepLink{step};
  const double time = shown.time_of(step);
  if (std::isfinite(time)) text << " (" << Quantity{time, "s", 3} << ")";
}

/// "1357 steps over 27.1 s at 50 Hz"
Prose subtitle(const FittedLog& shown) {
  const Eigen::Index steps = shown.log->steps();
  Prose text = counted(steps, "step", "steps");
  const LogFacts& facts = shown.facts;
  if (!shown.log->has_time()) {
    text << (shown.log->bad_clock ? ", time stamps unusable" : " without time stamps");
  } else if (steps > 1) {
    text << " over " << Quantity{facts.duration, "s"};
    if (facts.sample_time > 0.0) text << " at " << Quantity{1.0 / facts.sample_time, "Hz"};
  }
  if (shown.origin != 0.0) text << "; time is counted from the first time stamp, " << Quantity{shown.origin, "s", 3};
  if (shown.robot) text << payloads_text(shown.robot->model.options().payloads);
  return text;
}

// --- What is in it? --------------------------------------------------------------------------------------------------

Paragraph contents(const FittedLog& shown) {
  std::vector<std::string> of_joints, of_imu, others;
  for (int place = 0; place < static_cast<int>(shown.log->channels.size()); ++place) {
    const RawChannel& channel = *shown.channel(place);
    if (shown.is_of_joints(place)) {
      of_joints.push_back(role_in_words(channel.role));
    } else if (place == shown.orientation || place == shown.gyro || place == shown.accelerometer) {
      of_imu.push_back(role_in_words(channel.role));
    } else {
      others.push_back(channel.name + (channel.columns.size() > 1
                                           ? " (" + std::to_string(channel.columns.size()) + " columns)"
                                           : std::string()));
    }
  }
  std::vector<std::string> parts;
  if (!of_joints.empty()) {
    parts.push_back(listed(of_joints) + " of " + counted(std::ssize(shown.joints), "joint", "joints"));
  }
  if (!of_imu.empty()) parts.push_back(listed(of_imu));
  if (!others.empty())
    parts.push_back((parts.empty() ? "channels of no kind that is known: " : "also ") + listed_briefly(others));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return {Prose(capital(text) + "."), false, "contents"};
}

Paragraph motion(const FittedLog& shown) {
  if (shown.log->steps() < 2 || shown.place(ChannelRole::position) < 0) return {};
  const auto range = [&](int j) {
    const ColumnFacts* q = shown.column(ChannelRole::position, j);
    return q->largest - q->least;
  };
  const std::string in_words = shown.unit_in_words(shown.place(ChannelRole::position));
  // The largest of them says how many digits all have.
  std::vector<int> most;
  for (const int j : shown.by_motion) {
    if (most.size() < kMostMoving && range(j) > kHardlyMoves) most.push_back(j);
  }
  Prose text = "The largest motion is at ";
  for (std::size_t i = 0; i < most.size(); ++i) {
    const std::string unit = shown.fits ? shown.unit(ChannelRole::position, most[i]) : i == 0 ? in_words : "rad";
    text << (i == 0                ? ""
             : i + 1 < most.size() ? ", then at "
                                   : " and then at ")
         << Strong{shown.joints[static_cast<std::size_t>(most[i])]} << ", "
         << Quantity{range(most[i]), unit, display_digits(range(most.front()))};
  }
  if (!most.empty()) return {text << ".", false, "motion"};
  const ColumnFacts* first = shown.column(ChannelRole::position, 0);
  const bool any = !shown.facts.channels[static_cast<std::size_t>(shown.place(ChannelRole::position))].empty;
  if (!any || !first) return {};
  return {"No joint moves by more than 0.001 " + shown.unit_of_channel(shown.place(ChannelRole::position)) + ".", false,
          "motion"};
}

Paragraph peak(const FittedLog& shown) {
  const int j = shown.peak_joint();
  if (j < 0) return {};
  const ColumnFacts* tau = shown.column(ChannelRole::torque, j);
  if (tau->peak() == 0.0) return {"All torques are zero.", false, "peak_torque"};
  Prose text = "The largest torque is ";
  const std::string unit =
      shown.fits ? shown.unit(ChannelRole::torque, j) : shown.unit_in_words(shown.place(ChannelRole::torque));
  text << Quantity{tau->peak(), unit} << " at " << Strong{shown.joints[static_cast<std::size_t>(j)]} << ", ";
  add_step(text, shown, tau->peak_step());
  return {text << ".", false, "peak_torque"};
}

// --- What is missing or broken? --------------------------------------------------------------------------------------

/// "6 rows hold NaN or infinity, in tau; the first at step 40 (0.8 s), the longest piece from step 40 …"
Prose rows_with(const char* what, const FittedLog& shown, const std::vector<BrokenRows>& pieces, Eigen::Index count) {
  const LogFacts& facts = shown.facts;
  std::vector<std::string> where;
  for (std::size_t i = 0; i < facts.channels.size(); ++i) {
    bool here = false;
    for (const BrokenRows& rows : pieces) {
      here = here || std::find(rows.channels.begin(), rows.channels.end(), static_cast<int>(i)) != rows.channels.end();
    }
    if (here) where.push_back(shown.log->channels[i].name);
  }
  const auto longest = std::max_element(pieces.begin(), pieces.end(),
                                        [](const auto& a, const auto& b) { return a.to - a.from < b.to - b.from; });
  Prose text = counted(count, "row holds ", "rows hold ") + what + ", in " + listed_briefly(where) + "; " +
               (count == 1 ? "at " : "the first at ");
  add_step(text, shown, pieces.front().from);
  if (longest->to > longest->from) {
    text << ", the longest piece from ";
    add_step(text, shown, longest->from);
    text << " to ";
    add_step(text, shown, longest->to);
  }
  return text << ".";
}
Paragraph broken_rows(const FittedLog& shown) {
  const LogFacts& facts = shown.facts;
  if (facts.broken.empty()) return {};
  return {rows_with("NaN or infinity", shown, facts.broken, facts.broken_rows), false, "nan_rows"};
}
Paragraph too_large_rows(const FittedLog& shown) {
  const LogFacts& facts = shown.facts;
  if (facts.too_large.empty()) return {};
  Prose text = rows_with("numbers too large to draw", shown, facts.too_large, facts.too_large_rows);
  return {text << " Beyond ±10³⁰ they are left out of plots, least and largest.", false, "too_large_rows"};
}

Paragraph gaps(const FittedLog& shown) {
  const std::vector<TimeGap>& all = shown.facts.gaps;
  if (all.empty()) return {};
  const auto longest = std::max_element(all.begin(), all.end(),
                                        [](const TimeGap& a, const TimeGap& b) { return a.duration < b.duration; });
  Prose text = counted(std::ssize(all), "gap", "gaps") + " in time, longer than three times the median step of ";
  text << Quantity{1e3 * shown.facts.sample_time, "ms"} << (all.size() == 1 ? ": " : "; the longest is ")
       << Quantity{longest->duration, "s"} << " before ";
  add_step(text, shown, longest->step);
  return {text << ".", false, "gaps"};
}

Paragraph frozen(const FittedLog& shown) {
  const NamedParts same = shown.frozen();
  std::string text;
  if (!same.channels.empty()) text = "Frozen, the same in every row: " + listed_briefly(same.channels) + ".";
  if (!same.columns.empty()) {
    text += text.empty() ? "" : " ";
    text += same.columns.size() == 1 ? "One column never changes: " : "These columns never change: ";
    text += listed_briefly(same.columns) + ".";
  }
  return {text.empty() ? Prose() : Prose(text), false, "frozen"};
}

Paragraph dead(const FittedLog& shown) {
  NamedParts none = shown.without_numbers();
  if (none.channels.size() == shown.log->channels.size()) {
    return {shown.facts.too_large.empty()
                ? "Every number of the log is NaN or infinite: there is nothing to draw."
                : "Every number of the log is NaN, infinite or too large to draw: there is nothing to draw.",
            false, "no_numbers"};
  }
  none.channels.insert(none.channels.end(), none.columns.begin(), none.columns.end());
  if (none.channels.empty()) return {};
  return {(shown.facts.too_large.empty() ? "Not one finite number in " : "Not one number that can be drawn in ") +
              listed_briefly(none.channels) + ".",
          false, "no_numbers"};
}

Paragraph absent(const FittedLog& shown) {
  const std::vector<std::string> words = shown.absent();
  return {words.empty() ? Prose() : Prose("Not in this log: " + listed(words) + "."), false, "absent"};
}

std::vector<Paragraph> missing(const FittedLog& shown) {
  std::vector<Paragraph> all;
  const auto add = [&](Paragraph paragraph) {
    if (!paragraph.text.empty()) all.push_back(std::move(paragraph));
  };
  const std::vector<std::string> notes = note_texts(shown.log->notes, FrontEnd::command_line);
  const std::size_t first = shown.log->bad_clock && !notes.empty() ? 1 : 0;
  if (first > 0) add({capital(notes[0]) + ".", false, "bad_clock"});
  for (const std::string& guess : shown.guesses) all.push_back({capital(guess) + ".", false, "guessed"});
  add(dead(shown));
  if (!shown.misfit.empty()) add({capital(shown.misfit) + ".", false, "misfit"});
  if (shown.fits && shown.place(ChannelRole::position) < 0) {
    add({"The log has no positions: the robot is not drawn.", false, "no_pose"});
  }
  if (shown.log->steps() == 1) {
    add({"A single row: motion, gaps and frozen channels cannot be determined.", false, "one_row"});
  }
  add(broken_rows(shown));
  add(too_large_rows(shown));
  add(gaps(shown));
  add(frozen(shown));
  const bool whole = all.size() == first + shown.guesses.size() && shown.log->steps() > 1;
  if (whole) {
    add({shown.log->has_time() ? "No NaN, no gap in time, no frozen channel." : "No NaN, no frozen channel.", false,
         "whole"});
  }
  if (shown.has_idle_imu()) {
    add({"The log holds an IMU, and the robot’s base is fixed: the IMU is plotted, and the robot is drawn upright.",
         false, "idle_imu"});
  }
  add(absent(shown));
  for (std::size_t i = first; i < std::min(notes.size(), kMostNotes); ++i) add({capital(notes[i]) + ".", true});
  if (notes.size() > kMostNotes) {
    add({std::to_string(notes.size() - kMostNotes) + " more notes stand at the end of the page.", true});
  }
  return all;
}

// --- Tables ----------------------------------------------------------------------------------------------------------

Section channels_section(const FittedLog& shown) {
  TableBlock table{"Every channel of numbers that the log holds",
                   {"channel", "what", "#columns", "unit", "#least", "#largest", "#rows with NaN"},
                   {}};
  const bool huge = !shown.facts.too_large.empty();
  if (huge) table.heads.emplace_back("#rows too large to draw");
  table.heads.emplace_back("source");
  for (std::size_t i = 0; i < shown.log->channels.size(); ++i) {
    const RawChannel& channel = shown.log->channels[i];
    const ChannelFacts& facts = shown.facts.channels[i];
    const auto [least, largest] = facts.range();
    const std::string unit = shown.unit_in_words(static_cast<int>(i));
    const int digits = display_digits(std::max(std::abs(least), std::abs(largest)));
    std::vector<Prose> cells = {channel.name,
                                channel.role == ChannelRole::other ? "–" : role_in_words(channel.role),
                                std::to_string(channel.columns.size()),
                                unit.empty() ? "not known" : unit,
                                Quantity{least, "", digits},
                                Quantity{largest, "", digits},
                                std::to_string(facts.broken_rows)};
    if (huge) cells.emplace_back(std::to_string(facts.too_large_rows));
    cells.emplace_back(channel.source);
    table.rows.push_back({std::move(cells)});
  }
  const bool folded = table.rows.size() > kMostRows;
  Section section{"channels", "Channels", {std::move(table)}, folded};
  bool joints = false;
  for (const int place : shown.joint_channels) joints = joints || place >= 0;
  if (joints) {
    section.blocks.emplace_back(
        Paragraph{"Units of joints, gyro and accelerometer are those that such channels have; the "
                  "log itself does not state them.",
                  true});
  }
  return section;
}

Section log_joints_section(const FittedLog& shown) {
  const int q = shown.place(ChannelRole::position), tau = shown.place(ChannelRole::torque);
  TableBlock table{"What each joint did", {"joint"}, {}};
  // A unit that all share stands in the heads.
  const auto unit_of = [&](int place) { return place < 0 ? std::string() : shown.unit_in_words(place); };
  const std::string q_unit = unit_of(q), tau_unit = unit_of(tau);
  const auto is_mixed = [](const std::string& unit) { return unit.find(" or ") != std::string::npos; };
  const auto head = [&](const char* words, const std::string& unit) {
    table.heads.push_back(std::string(words) + (is_mixed(unit) ? "" : " [" + unit + "]"));
  };
  if (q >= 0) {
    for (const char* words : {"#least position", "#largest position", "#range"}) head(words, q_unit);
    if (is_mixed(q_unit)) table.heads.emplace_back("unit");
  }
  if (tau >= 0) {
    head("#peak torque", tau_unit);
    if (is_mixed(tau_unit)) table.heads.emplace_back("unit");
    table.heads.emplace_back("#at step");
  }
  for (int j = 0; j < static_cast<int>(shown.joints.size()) && table.heads.size() > 1; ++j) {
    std::vector<Prose> cells = {shown.joints[static_cast<std::size_t>(j)]};
    if (q >= 0) {
      const ColumnFacts& column = *shown.column(ChannelRole::position, j);
      for (const double value : {column.least, column.largest, column.largest - column.least}) {
        cells.emplace_back(Quantity{value, "", 3});
      }
      if (is_mixed(q_unit)) cells.emplace_back(shown.unit(ChannelRole::position, j));
    }
    if (tau >= 0) {
      const ColumnFacts& column = *shown.column(ChannelRole::torque, j);
      cells.emplace_back(Quantity{column.peak(), "", 2});
      if (is_mixed(tau_unit)) cells.emplace_back(shown.unit(ChannelRole::torque, j));
      cells.push_back(column.finite > 0 ? Prose(StepLink{column.peak_step()}) : Prose("–"));
    }
    table.rows.push_back({std::move(cells)});
  }
  const bool folded = table.rows.size() > kMostRows;
  return {"joints", "Joints", {std::move(table)}, folded};
}

Section log_provenance_section(const FittedLog& shown, const std::string& command) {
  Section section{"provenance", "How this was made", {}};
  section.blocks.emplace_back(Paragraph{"Every number is as logged: nothing is filtered, filled in or judged."});
  if (!command.empty()) {
    section.blocks.emplace_back(Paragraph{"Reproduce it with this line, in the folder that holds the log:"});
    section.blocks.emplace_back(CodeLine{command});
  }
  Definitions hashes{{{"log, SHA-256", shown.log->sha256}}};
  if (shown.robot) hashes.items.push_back({"model, SHA-256", shown.robot->model.description().sha256});
  section.blocks.emplace_back(Folded{"Hashes", {std::move(hashes)}});
  if (shown.log->notes.size() > kMostNotes) {
    Bullets notes;
    for (const Note& note : shown.log->notes) {
      notes.items.push_back({capital(note_text(note, FrontEnd::command_line)) + "."});
    }
    section.blocks.emplace_back(Folded{"All notes on how the log was read", {std::move(notes)}});
  }
  return section;
}

}  // namespace

}  // namespace detail

Page show_page(const RawLog& log, const Robot* robot, std::shared_ptr<const MeshFiles> meshes,
               const std::string& command, const CheckResult* check) {
  const auto shown = std::make_shared<const detail::FittedLog>(log, robot);
  Page page;
  page.kicker = robot ? "Antaeus show · " + shown->robot_title : "Antaeus show";
  page.title = log.name;
  page.subtitle = detail::subtitle(*shown);
  Answer in_it{"What is in it?", {}};
  for (Paragraph (*make)(const detail::FittedLog&) : {detail::contents, detail::motion, detail::peak}) {
    Paragraph paragraph = make(*shown);
    if (!paragraph.text.empty()) in_it.paragraphs.push_back(std::move(paragraph));
  }
  if (check) page.answers = detail::set_up_answers(*check);
  page.answers.push_back(std::move(in_it));
  page.answers.push_back({"What is missing or broken?", detail::missing(*shown)});
  page.views = detail::show_views(shown, std::move(meshes));
  // Without a number there is nothing to look at.
  const bool anything = !page.views.panels.empty() || !page.views.scenes.empty() || !page.views.bars.empty();
  if (!anything) page.views = {};
  page.sections.push_back({"explore", "Look closer", {ViewsPlace{}}});
  page.sections.push_back(detail::channels_section(*shown));
  page.sections.push_back(detail::log_joints_section(*shown));
  page.sections.push_back(detail::log_provenance_section(*shown, command));
  return page;
}

}  // namespace antaeus
