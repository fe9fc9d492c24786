// The page of inverse kinematics: the answers, the targets behind them, and the views.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/ik/ik_run.hpp"
#include "antaeus/ik/ik_story.hpp"
#include "antaeus/report/pages.hpp"

namespace antaeus {

namespace {

using Bin = Channel::Bin;
using Eigen::Index;

constexpr int kMostTargets = 30;         ///< of the table of targets
constexpr std::size_t kMostDots = 1500;  ///< of one status in the picture
constexpr int kFewestDots = 10;          ///< targets that make a picture
constexpr double kBall = 0.012;          ///< [m] radius of the ball at a target

Style style_of(ReachStatus status) {
  constexpr std::array<std::pair<Tone, Marker>, 6> kLooks = {{{Tone::green, Marker::circle},
                                                              {Tone::vermillion, Marker::cross},
                                                              {Tone::orange, Marker::triangle},
                                                              {Tone::purple, Marker::diamond},
                                                              {Tone::blue, Marker::square},
                                                              {Tone::muted, Marker::square}}};
  const auto& [tone, marker] = kLooks[static_cast<std::size_t>(status)];
  return {.tone = tone, .marker = marker};
}

class IkPage {
 public:
  explicit IkPage(const IkResult& result)
      : r_(result), chain_(result.model.chain()), with_rotation_(!result.model.options().position_only) {
    for (const int target : r_.answers.failure_of) order_.push_back(target);
    for (int t = 0; t < r_.size() && std::ssize(order_) < kMostTargets; ++t) {
      if (r_.status(t) == ReachStatus::reached) order_.push_back(t);
    }
    order_.resize(std::min<std::size_t>(order_.size(), kMostTargets));
  }

  Page make(std::shared_ptr<const MeshFiles> meshes) {
    page_.kicker = "Antaeus ik · " + r_.robot;
    page_.title = r_.request.frame;
    page_.badge = r_.all_reached()
                      ? "all reached"
                      : std::to_string(r_.answers.reached) + " of " + std::to_string(r_.size()) + " reached";
    page_.badge_tone = r_.all_reached() ? Tone::green : Tone::vermillion;
    page_.subtitle = ik_subtitle(r_);
    answers();
    page_.views = views(std::move(meshes));
    page_.sections.push_back({"explore", "Look closer", {ViewsPlace{}}});
    page_.sections.push_back({"targets", "Targets", {targets(), positions()}});
    if (r_.size() >= kFewestDots) page_.sections.push_back({"set", "Where the targets are", {Figures{{picture()}}}});
    page_.sections.push_back({"joints", "Joints and their limits", {joints()}, true});
    return std::move(page_);
  }

 private:
  void answers() {
    for (const IkAnswer& told : ik_story(r_)) {
      Answer answer{told.question, {}};
      for (const IkStatement& one : told.statements) {
        Prose text;
        if (!one.lead.empty()) text << Strong{one.lead};
        if (one.target >= 0) text << "Target " << StepLink{one.target} << ": ";
        answer.paragraphs.push_back({text << one.text, one.quiet});
      }
      page_.answers.push_back(std::move(answer));
    }
  }

  // --- Tables and picture --------------------------------------------------------------------------------------------

  TableBlock targets() const {
    TableBlock table{"", {"#target", "status", "#position error [mm]"}, {}};
    if (with_rotation_) table.heads.emplace_back("#rotation error [mrad]");
    table.heads.insert(table.heads.end(), {"#iterations", "why"});
    if (std::ssize(order_) < r_.size()) {
      table.caption = std::to_string(order_.size()) + " of " + std::to_string(r_.size()) +
                      " targets, those first that are not reached. All are in solutions.csv.";
    }
    for (const int t : order_) {
      const ReachSolution s = r_.solution(t);
      const bool fine = s.status == ReachStatus::reached;
      TableBlock::Row row{{StepLink{t}, StateWord{in_words(s.status), fine ? Tone::green : Tone::vermillion},
                           Quantity{1000.0 * s.position_error, "", 3}}};
      if (with_rotation_) row.cells.emplace_back(Quantity{1000.0 * s.rotation_error, "", 3});
      row.cells.emplace_back(Quantity{static_cast<double>(s.iterations), "", 0});
      row.cells.emplace_back(fine && s.pulled_in == 0 ? "" : r_.reason(t));
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  TableBlock positions() const {
    TableBlock table{
        "Joint positions in rad or m, by target; of a target that is not reached those of the nearest pose.",
        {"#target"},
        {}};
    for (const ChainJoint& joint : chain_.joints()) table.heads.push_back("#" + joint.name);
    for (const int t : order_) {
      if (r_.status(t) == ReachStatus::bad_input) continue;
      TableBlock::Row row{{StepLink{t}}};
      for (int j = 0; j < chain_.size(); ++j) row.cells.emplace_back(Quantity{r_.answers.q(t, j), "", 4});
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  TableBlock joints() const {
    TableBlock table{"Positions in rad or m; least and largest are those of all answers.",
                     {"joint", "#lower limit", "#least", "#largest", "#upper limit"},
                     {}};
    for (int j = 0; j < chain_.size(); ++j) {
      const ChainJoint& joint = chain_.joints()[static_cast<std::size_t>(j)];
      double least = kNaN, largest = kNaN;
      for (const double q : r_.answers.q.col(j)) {
        if (q < least || std::isnan(least)) least = q;
        if (q > largest || std::isnan(largest)) largest = q;
      }
      table.rows.push_back({{joint.name, Quantity{joint.lower, "", 4}, Quantity{least, "", 4}, Quantity{largest, "", 4},
                             Quantity{joint.upper, "", 4}}});
    }
    return table;
  }

  NamedFigure picture() const {
    Figure figure;
    figure.id = "target-set", figure.title = "Targets by status";
    figure.columns = 2, figure.panel_height = 300.0;
    figure.description = "Places of the targets, seen from above and from the side, marked by status.";
    constexpr std::array<std::array<int, 2>, 2> kSides = {{{0, 1}, {0, 2}}};
    bool thinned = false;
    for (const auto& [across, up] : kSides) {
      Panel panel;
      panel.title = up == 1 ? "From above" : "From the side";
      panel.x.label = std::string(1, "xyz"[across]) + " [m]";
      panel.y.label = std::string(1, "xyz"[up]) + " [m]";
      panel.equal_scale = true;
      for (const ReachStatus status : all_values<ReachStatus>()) {
        const int n = r_.count(status);
        if (n == 0 || status == ReachStatus::bad_input) continue;
        Curve dots{in_words(status), {}, {}, style_of(status), Curve::Join::none};
        const int every = 1 + (n - 1) / static_cast<int>(kMostDots);
        thinned = thinned || every > 1;
        for (int t = 0, k = 0; t < r_.size(); ++t) {
          if (r_.status(t) != status || k++ % every != 0) continue;
          dots.x.push_back(place(t)[across]), dots.y.push_back(place(t)[up]);
        }
        panel.curves.push_back(std::move(dots));
      }
      figure.panels.push_back(std::move(panel));
    }
    std::string caption = std::to_string(r_.size()) + " targets in world axes, by what became of them.";
    if (thinned) caption += " Of each status at most " + std::to_string(kMostDots) + " are drawn, evenly chosen.";
    return {figure.id, figure.title, caption, draw_figure(figure)};
  }

  const Vector3& place(Index t) const { return r_.request.targets.poses[static_cast<std::size_t>(t)].translation; }

  // --- Views ---------------------------------------------------------------------------------------------------------

  template <class Value>
  ChannelId add(Views& views, Value value, Bin bin = Bin::extremes) const {
    return views.add([&r = r_, value](Index t) -> double { return value(r, t); }, bin);
  }

  Views views(std::shared_ptr<const MeshFiles> meshes) const {
    Views views;
    if (r_.count(ReachStatus::bad_input) == r_.size()) return views;
    views.runs.push_back({r_.request.targets.name, r_.size()});
    views.note = "A step is a target, in the order of the file.";
    const IkStep* worst = nullptr;
    for (const IkStep& step : r_.steps) {
      if (!step.needed() && (!worst || step.size > worst->size)) worst = &step;
    }
    if (!r_.answers.failure_of.empty()) {
      views.focus = r_.answers.failure_of.front(), views.focus_name = "First target that is not reached";
    } else if (worst) {
      views.focus = worst->to, views.focus_name = "Largest jump";
    }
    panels(views);
    views.scenes.push_back(scene(views, std::move(meshes)));
    return views;
  }

  void panels(Views& views) const {
    ViewPanel states{.id = "status", .title = "What became of each target"};
    Reading status_now{.label = "status"};
    for (const ReachStatus status : all_values<ReachStatus>()) status_now.words.push_back(in_words(status));
    status_now.channel = add(
        views, [](const IkResult& r, Index t) { return static_cast<double>(r.status(static_cast<int>(t))); },
        Bin::largest);
    views.readings.push_back(status_now);
    views.columns.push_back(status_now);
    for (const ReachStatus status : all_values<ReachStatus>()) {
      if (r_.count(status) == 0) continue;
      const ChannelId now = add(
          views, [status](const IkResult& r, Index t) { return r.status(static_cast<int>(t)) == status ? 1.0 : 0.0; },
          Bin::largest);
      const std::string name = status == ReachStatus::blocked_by_limits ? "blocked" : in_words(status);
      states.lanes.push_back({name, now, {"no", "yes"}, {false, true}, style_of(status).tone});
    }
    views.panels.push_back(std::move(states));

    Selector chosen{"joints", "joint", {}, {}, true};
    ViewPanel shares{.id = "joints",
                     .title = "Joints within their limits: −100 % at the lower, 100 % at the upper one",
                     .unit = "%",
                     .limits = {{100.0, "upper limit"}, {-100.0, "lower limit"}}};
    std::vector<ViewPanel> positions;
    for (int j = 0; j < chain_.size(); ++j) {
      const ChainJoint& joint = chain_.joints()[static_cast<std::size_t>(j)];
      const double middle = 0.5 * (joint.lower + joint.upper), half = 0.5 * (joint.upper - joint.lower);
      chosen.options.push_back(joint.name);
      chosen.chosen.push_back(j);
      const Conditions when = chain_.size() > 1 ? Conditions{{0, j}} : Conditions{};
      Line line{.name = joint.name, .follows_choice = chain_.size() > 1, .when = when};
      if (std::isfinite(half) && half > 0.0) {
        line.channel =
            add(views, [=](const IkResult& r, Index t) { return 100.0 * (r.answers.q(t, j) - middle) / half; });
        shares.lines.push_back(line);
      }
      line.channel = add(views, [j](const IkResult& r, Index t) { return r.answers.q(t, j); });
      ViewPanel own{.id = "joint-" + std::to_string(j), .title = joint.name, .unit = joint.prismatic ? "m" : "rad"};
      own.lines = {line};
      if (std::isfinite(joint.lower)) own.limits.push_back({joint.lower, "lower limit"});
      if (std::isfinite(joint.upper)) own.limits.push_back({joint.upper, "upper limit"});
      own.detail = !shares.lines.empty();
      own.when = when;
      positions.push_back(std::move(own));
    }
    if (chain_.size() > 1) views.selectors.push_back(std::move(chosen));
    if (!shares.lines.empty()) views.panels.push_back(std::move(shares));
    views.panels.insert(views.panels.end(), positions.begin(), positions.end());

    const ReachOptions& options = r_.model.options();
    errors(views, "position", "Distance from the target", "m", options.position_tolerance, &ReachBatch::position_error);
    if (with_rotation_) {
      errors(views, "rotation", "Angle to the target’s orientation", "rad", options.rotation_tolerance,
             &ReachBatch::rotation_error);
    }
    if (r_.request.path && r_.size() > 1) {
      const bool slides = std::ranges::any_of(chain_.joints(), &ChainJoint::prismatic);
      const ChannelId step = add(views, [](const IkResult& r, Index t) {
        return t == 0 ? kNaN : (r.answers.q.row(t) - r.answers.q.row(t - 1)).cwiseAbs().maxCoeff();
      });
      views.panels.push_back({.id = "steps",
                              .title = "Largest step of a joint from the target before",
                              .unit = slides ? "rad or m" : "rad",
                              .lines = {{.name = "step", .channel = step}},
                              .limits = {{kLongStep, ""}}});
    }
    const ChannelId work =
        add(views, [](const IkResult& r, Index t) { return static_cast<double>(r.answers.iterations[t]); });
    views.columns.push_back({.label = "iterations", .channel = work, .digits = 0});
    views.panels.push_back({.id = "iterations",
                            .title = "Evaluations of the chain",
                            .lines = {{.name = "iterations", .channel = work}},
                            .detail = true});
  }

  void errors(Views& views, const std::string& id, const std::string& title, const std::string& unit, double tolerance,
              VectorX ReachBatch::* field) const {
    const ChannelId error = add(views, [field](const IkResult& r, Index t) { return (r.answers.*field)[t]; });
    views.panels.push_back({.id = id,
                            .title = title,
                            .unit = unit,
                            .lines = {{.name = "error", .channel = error}},
                            .limits = {{tolerance, "tolerance"}},
                            .logarithmic = true});
    views.readings.push_back({.label = id + " error", .unit = unit, .channel = error});
    views.columns.push_back({.label = id + " error", .unit = unit, .channel = error});
  }

  SceneRobot drawn(Views& views, std::shared_ptr<const MeshFiles> meshes, bool rejected) const {
    SceneRobot robot{.description = r_.description, .meshes = std::move(meshes), .ghost = rejected};
    for (int j = 0; j < chain_.size(); ++j) {
      const auto position = [j, rejected](const IkResult& r, Index t) {
        if (rejected) {
          const ReachSolution s = r.answers.solution(t);
          if (s.rejected.size() > 0) return s.rejected[j];
        }
        return r.answers.q(t, j);
      };
      robot.joints.push_back(
          {chain_.joints()[static_cast<std::size_t>(j)].name, add(views, position, Bin::one_row), {}});
    }
    for (const auto& [joint, held] : chain_.model().options().locked_joints) {
      robot.joints.push_back({joint, add(views, [at = held](const IkResult&, Index) { return at; }), {}});
    }
    return robot;
  }

  Scene scene(Views& views, std::shared_ptr<const MeshFiles> meshes) const {
    Scene scene{.title = r_.robot};
    scene.note = with_rotation_ ? "" : "Only the position was requested: the target’s axes are the world’s.";
    scene.robots.push_back(drawn(views, meshes, false));
    // The target moves with the cursor: a ball of its own.
    SceneRobot target;
    target.description.name = target.description.root = "target";
    const Shape ball{.kind = ShapeKind::sphere, .X_LS = {}, .size = {kBall, 0.0, 0.0}, .mesh = {}};
    target.description.links.emplace_back().name = "target";
    target.description.links.back().visuals = {ball};
    for (int c = 0; c < 7; ++c) {
      const auto part = [c, turned = with_rotation_](const IkResult& r, Index t) -> double {
        const Pose& X_WF = r.request.targets.poses[static_cast<std::size_t>(t)];
        if (c < 3) return X_WF.translation[c];
        return turned ? Eigen::Quaterniond(X_WF.rotation).coeffs()[c - 3] : (c == 6 ? 1.0 : 0.0);
      };
      target.base[static_cast<std::size_t>(c)] = add(views, part, Bin::one_row);
    }
    scene.robots.push_back(std::move(target));
    scene.frames.push_back({.name = "target", .anchor = {1, "target"}, .target = true});
    const Anchor frame{0, r_.description.link_of(chain_.frame())};
    scene.frames.push_back({.name = chain_.frame(), .anchor = frame});
    if (r_.count(ReachStatus::blocked_by_limits) > 0) {
      scene.robots.push_back(drawn(views, std::move(meshes), true));
      scene.note += std::string(scene.note.empty() ? "" : " ") +
                    "Pale: the configuration beyond the limits that would reach a blocked target.";
    }
    if (r_.request.path) {
      SceneTrail asked{.name = "targets"}, way{.name = "way of " + chain_.frame(), .tone = Tone::blue};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<Index>(axis);
        asked.point[axis] = add(
            views,
            [a](const IkResult& r, Index t) {
              return r.request.targets.poses[static_cast<std::size_t>(t)].translation[a];
            },
            Bin::one_row);
        way.point[axis] = add(
            views, [a](const IkResult& r, Index t) { return r.answered(static_cast<int>(t)).translation[a]; },
            Bin::one_row);
      }
      scene.trails = {asked, way};
    }
    return scene;
  }

  const IkResult& r_;
  const KinematicChain& chain_;
  bool with_rotation_;
  std::vector<int> order_;  ///< targets as the table has them
  Page page_;
};

}  // namespace

Page ik_page(const IkResult& result, std::shared_ptr<const MeshFiles> meshes) {
  return IkPage(result).make(std::move(meshes));
}

}  // namespace antaeus
