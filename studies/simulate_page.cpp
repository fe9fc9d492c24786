// The page of an experiment: the answers, the figures beside their criteria, the runs beside each other, the replay.
#include "studies/simulate_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

namespace {

using Eigen::Index;

constexpr std::size_t kMostReadings = 5;
constexpr std::size_t kMostRead = 3;           ///< lines of a plot whose values are told in the sentence at the cursor
constexpr std::size_t kMostCsvRows = 200'000;  ///< Parquet has all
constexpr std::array<Tone, 6> kTones = {Tone::blue,   Tone::vermillion, Tone::green,
                                        Tone::purple, Tone::orange,     Tone::sky};

std::string with_unit(double value, const std::string& unit) {
  return value_text(value) + (unit == "1" || unit.empty() ? "" : " " + unit);
}

class SimulatePage {
 public:
  explicit SimulatePage(const ExperimentResult& result) : r_(result) {
    for (const Column& column : r_.samples.columns()) names_.insert(column.name);
    if (names_.contains(r_.axis)) axis_ = r_.samples.numbers(r_.axis);
  }

  Page make(std::shared_ptr<const MeshFiles> meshes, const std::string& clip) {
    page_.kicker = "Antaeus " + r_.verb + " · " + r_.name;
    page_.title = r_.title;
    page_.badge = r_.is_met() ? "met" : "missed";
    page_.badge_tone = r_.is_met() ? Tone::green : Tone::vermillion;
    page_.subtitle = subtitle();
    answers(clip);
    page_.views = views(std::move(meshes));
    page_.sections.push_back({"figures-of-the-run", "Against the criteria", {metrics()}});
    if (!page_.views.empty()) page_.sections.push_back({"look", "Look closer", {ViewsPlace{}}});
    for (const Comparison& one : r_.comparisons) {
      page_.sections.push_back({"compared-" + std::to_string(page_.sections.size()), one.title, {comparison(one)}});
    }
    Section pictures{"pictures", "Pictures", {}};
    for (const NamedFigure& figure : r_.figures)
      pictures.blocks.emplace_back(Figures{{figure}});  // each as wide as the page
    page_.sections.push_back(std::move(pictures));
    if (!r_.phases.empty()) page_.sections.push_back({"phases", "What the run passed through", {timeline()}});
    page_.sections.push_back({"settings", "Settings", {settings()}, true});
    if (!r_.command.empty()) page_.sections.push_back({"again", "Run it again", {CodeLine{r_.command}}});
    return std::move(page_);
  }

 private:
  bool is_timed() const { return r_.axis == "time"; }

  Prose subtitle() const {
    Prose text = std::to_string(axis_.size()) + (is_timed() ? " samples" : " rows");
    if (is_timed() && axis_.size() > 1) text << " over " << Quantity{axis_.back() - axis_.front(), "s"};
    return text << ", seed " + std::to_string(r_.seed) + payloads_text(r_.payloads) + ".";
  }

  void answers(const std::string& clip) {
    Answer came{"What came out?", {{Prose(Strong{verdict_text(r_)})}}};
    for (const std::string& finding : r_.findings) came.paragraphs.push_back({finding});
    page_.answers.push_back(std::move(came));
    page_.answers.push_back({"What was tried?", {{r_.question}}});
    Answer simulated{"What was simulated?", {}};
    for (const std::string& sentence : r_.physics) simulated.paragraphs.push_back({sentence});
    for (const std::string& remark : r_.remarks) simulated.paragraphs.push_back({remark, true});
    if (!clip.empty()) simulated.paragraphs.push_back({"clip.mp4 next to this page: " + clip + ".", true});
    if (!simulated.paragraphs.empty()) page_.answers.push_back(std::move(simulated));
  }

  // --- Tables --------------------------------------------------------------------------------------------------------

  TableBlock metrics() const {
    const bool is_published =
        std::ranges::any_of(r_.metrics, [](const Metric& one) { return !std::isnan(one.source); });
    TableBlock table{"", {"figure", "#value", "criterion", ""}, {}};
    if (is_published) {
      table.caption =
          "Published: the figure of the force-control lab (docs/references.md) that the experiment repeats.";
      table.heads.emplace_back("#published");
    }
    table.heads.emplace_back("meaning");
    for (const Metric& one : r_.metrics) {
      const bool met = one.is_met();
      TableBlock::Row& row = table.rows.emplace_back();
      row.mark = met ? TableBlock::Row::Mark::none : TableBlock::Row::Mark::failed;
      row.cells = {one.name, with_unit(one.value, one.unit), criterion_text(one), ""};
      if (one.has_criterion())
        row.cells.back() = StateWord{met ? "met" : "missed", met ? Tone::green : Tone::vermillion};
      if (is_published) row.cells.emplace_back(std::isnan(one.source) ? "" : with_unit(one.source, one.unit));
      row.cells.emplace_back(one.meaning);
    }
    return table;
  }

  static TableBlock comparison(const Comparison& one) {
    TableBlock table{one.note, {""}, {}};
    for (const std::string& head : one.heads) table.heads.push_back("#" + head);
    for (const Variant& variant : one.variants) {
      TableBlock::Row& row = table.rows.emplace_back();
      row.cells.emplace_back(variant.name);
      for (const double value : variant.values) row.cells.emplace_back(value_text(value));
      row.cells.resize(table.heads.size());
      if (variant.is_main) row.mark = TableBlock::Row::Mark::strong;
    }
    return table;
  }

  TableBlock settings() const {
    TableBlock table{"", {"option", "#value", "unit", "meaning", "from"}, {}};
    for (const OptionValue& option : r_.settings) {
      table.rows.push_back({{option.group + "." + option.info.name, option.value, option.info.unit, option.info.meaning,
                             option.source}});
    }
    return table;
  }

  /// First row at which the axis is not below the value.
  Index row_at(double value) const {
    const auto at = std::lower_bound(axis_.begin(), axis_.end(), value);
    return std::min(at - axis_.begin(), std::ssize(axis_) - 1);
  }

  Timeline timeline() const {
    Timeline timeline;
    for (const PhaseChange& change : r_.phases) {
      Prose text = Strong{change.phase};
      text << (change.reason.empty() ? "" : ": " + change.reason);
      timeline.moments.push_back({row_at(change.time), change.time, {{text, Tone::blue}}});
    }
    return timeline;
  }

  // --- Views ---------------------------------------------------------------------------------------------------------

  ChannelId channel(Views& views, const std::string& name, Channel::Bin bin = Channel::Bin::extremes) {
    if (!names_.contains(name)) return kNoChannel;
    const auto [at, is_new] = channels_.try_emplace({name, bin}, kNoChannel);
    if (is_new) {
      const auto numbers = std::make_shared<const std::vector<double>>(r_.samples.numbers(name));
      at->second = views.add([numbers](Index row) { return (*numbers)[static_cast<std::size_t>(row)]; }, bin);
    }
    return at->second;
  }

  std::array<ChannelId, 3> vector(Views& views, const std::vector<std::string>& names) {
    std::array<ChannelId, 3> ids = {kNoChannel, kNoChannel, kNoChannel};
    for (std::size_t i = 0; i < 3 && names.size() == 3; ++i) ids[i] = channel(views, names[i], Channel::Bin::one_row);
    return ids;
  }

  Views views(std::shared_ptr<const MeshFiles> meshes) {
    Views views;
    if (axis_.empty()) return views;
    views.runs.push_back({r_.name, std::ssize(axis_)});
    if (is_timed()) {
      views.runs.front().time = Eigen::Map<const VectorX>(axis_.data(), std::ssize(axis_));
    } else {
      views.note = "A step is a row of samples.csv, by its " + r_.axis + ".";
    }
    // Where the tool has touched; else where the first phase, which is the way there, has ended.
    const auto touch = std::ranges::find(r_.phases, "settle", &PhaseChange::phase);
    if (r_.phases.size() > 1) {
      const PhaseChange& shown = touch == r_.phases.end() ? r_.phases[1] : *touch;
      views.focus = row_at(shown.time);
      views.focus_name = shown.phase;
    }
    phase_lane(views);
    for (const SamplePlot& plot : r_.plots) add(views, plot);
    if (!r_.replay.description.links.empty()) views.scenes.push_back(scene(views, std::move(meshes)));
    return views;
  }

  void phase_lane(Views& views) {
    if (r_.phases.empty()) return;
    std::vector<std::string> words = {"before"};
    auto codes = std::make_shared<std::vector<double>>(axis_.size(), 0.0);
    ViewPanel panel{.id = "phases", .title = "Phases"};
    for (std::size_t i = 0; i < r_.phases.size(); ++i) {
      const PhaseChange& change = r_.phases[i];
      const Index from = row_at(change.time);
      const Index to =
          i + 1 < r_.phases.size() ? std::max(from, row_at(r_.phases[i + 1].time) - 1) : std::ssize(axis_) - 1;
      auto word = std::find(words.begin(), words.end(), change.phase);
      if (word == words.end()) word = words.insert(words.end(), change.phase);
      std::fill(codes->begin() + from, codes->end(), static_cast<double>(word - words.begin()));
      panel.texts.push_back(
          {from, to, 0, change.phase, change.phase + (change.reason.empty() ? "" : ": " + change.reason)});
    }
    const ChannelId id =
        views.add([codes](Index row) { return (*codes)[static_cast<std::size_t>(row)]; }, Channel::Bin::largest);
    // Every other word is filled: neighbours differ.
    std::vector<bool> filled;
    for (std::size_t word = 0; word < words.size(); ++word) filled.push_back(word % 2 == 1);
    panel.lanes.push_back({"phase", id, words, filled, Tone::blue});
    views.panels.push_back(std::move(panel));
    views.readings.push_back({.label = "phase", .channel = id, .words = words});
    views.columns.push_back(views.readings.back());
  }

  void add(Views& views, const SamplePlot& plot) {
    ViewPanel panel{.id = "plot-" + std::to_string(views.panels.size()), .title = plot.title, .unit = plot.unit};
    panel.logarithmic = plot.logarithmic;
    for (const SamplePlot::Line& line : plot.lines) {
      const ChannelId id = channel(views, line.column);
      if (id == kNoChannel) continue;
      const std::size_t place = panel.lines.size();
      Line drawn{.name = line.name, .channel = id, .tone = kTones[place % kTones.size()]};
      drawn.dashed = place >= kTones.size();
      if (!line.sd_column.empty()) drawn.sd = channel(views, line.sd_column);
      const Reading reading{.label = line.name, .unit = plot.unit, .channel = id, .sd = drawn.sd};
      panel.lines.push_back(std::move(drawn));
      views.columns.push_back(reading);
      if (plot.lines.size() <= kMostRead && views.readings.size() < kMostReadings) views.readings.push_back(reading);
    }
    for (const double limit : plot.limits) panel.limits.push_back({limit, ""});
    if (!panel.lines.empty()) views.panels.push_back(std::move(panel));
  }

  Scene scene(Views& views, std::shared_ptr<const MeshFiles> meshes) {
    const SceneReplay& replay = r_.replay;
    Scene scene{.title = r_.title};
    SceneRobot robot{.description = replay.description, .meshes = std::move(meshes)};
    for (std::size_t joint = 0; joint < replay.joints.size(); ++joint) {
      robot.joints.push_back({replay.joints[joint], channel(views, replay.columns[joint], Channel::Bin::one_row), {}});
    }
    for (std::size_t i = 0; i < replay.base.size() && i < robot.base.size(); ++i) {
      robot.base[i] = channel(views, replay.base[i], Channel::Bin::one_row);
    }
    scene.robots.push_back(std::move(robot));
    if (replay.force.size() == 3) {
      SceneArrow& arrow = scene.arrows.emplace_back();
      arrow.name = replay.force_name;
      arrow.unit = "N";
      arrow.vector = vector(views, replay.force);
      arrow.from = vector(views, replay.force_at.empty() ? replay.place : replay.force_at);
      arrow.meters_per_unit = replay.meters_per_newton;
    }
    if (replay.wanted.size() == 3) scene.trails.push_back({.name = "wanted", .point = vector(views, replay.wanted)});
    if (replay.place.size() == 3) {
      scene.trails.push_back({.name = "tool", .point = vector(views, replay.place), .tone = Tone::blue});
    }
    if (replay.has_table) {
      ScenePolygon table{.name = replay.table_name, .tone = Tone::muted};
      constexpr std::array<std::array<double, 2>, 4> kCorners = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
      for (const auto& [x, y] : kCorners) {
        const Vector3 corner(0.5 * x * replay.size.x(), 0.5 * y * replay.size.y(), 0.0);
        table.points.emplace_back(replay.X_WT.rotation * corner + replay.X_WT.translation);
      }
      scene.polygons.push_back(std::move(table));
    }
    return scene;
  }

  const ExperimentResult& r_;
  std::set<std::string> names_;
  std::vector<double> axis_;
  std::map<std::pair<std::string, Channel::Bin>, ChannelId> channels_;
  Page page_;
};

}  // namespace

Page simulate_page(const ExperimentResult& result, std::shared_ptr<const MeshFiles> meshes, const std::string& clip) {
  return SimulatePage(result).make(std::move(meshes), clip);
}

std::vector<std::string> add_simulation_files(const ExperimentResult& result, FileSet& files, const std::string& clip) {
  const auto meshes = std::make_shared<const MeshFiles>(read_meshes(result.replay.description, nullptr));
  std::vector<std::string> names = {"report.html", "summary.json"};
  files.add(names[0], html_page(simulate_page(result, meshes, clip)));
  files.add(names[1], experiment_summary_json(result).dump() + "\n");
  const bool has_parquet = missing_parquet().empty();
  if (has_parquet) files.add(names.emplace_back("samples.parquet"), to_parquet(result.samples));
  if (has_parquet && result.samples.rows() > kMostCsvRows) return names;
  files.add(names.emplace_back("samples.csv"), to_csv(result.samples));
  return names;
}

}  // namespace antaeus
