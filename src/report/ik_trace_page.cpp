// The page of a trace: how each method moved, iteration by iteration.
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/ik/ik_story.hpp"
#include "antaeus/ik/ik_trace.hpp"
#include "antaeus/report/pages.hpp"

namespace antaeus {

namespace {

using Eigen::Index;

constexpr int kMostMoving = 6;         ///< targets that the views show
constexpr double kThrash = 1e-2;       ///< [rad or m] of the last steps, above which a method has come to no rest
constexpr double kTargetBall = 0.012;  ///< [m] radius

std::string method_name(IkMethod method) {
  return method == IkMethod::reach ? "Antaeus" : std::string(to_string(method));
}

Tone method_tone(IkMethod method) {
  return method == IkMethod::reach ? Tone::green : method == IkMethod::dls ? Tone::blue : Tone::vermillion;
}

class IkTracePage {
 public:
  IkTracePage(const IkResult& result, const IkTrace& trace)
      : r_(result), t_(trace), chain_(result.model.chain()), with_rotation_(!result.model.options().position_only) {
    for (const IkWay& way : t_.ways) {
      if (targets_.empty() || targets_.back() != way.target) targets_.push_back(way.target);
    }
  }

  Page make(std::shared_ptr<const MeshFiles> meshes) {
    Page page;
    page.kicker = "Antaeus ik · " + r_.robot;
    page.title = "Iterations of " + chain_.frame();
    page.subtitle = "Every configuration that pinv, dls and our own method evaluate on their way to a target.";
    Answer answer{"Which methods reach the target, and which do not converge?", {}};
    for (const int target : targets_) answer.paragraphs.push_back({sentence(target)});
    if (t_.left_out > 0) {
      answer.paragraphs.push_back({"The first " + std::to_string(kMostTraced) + " targets are traced.", true});
    }
    page.answers.push_back(std::move(answer));
    page.views = views(std::move(meshes));
    page.sections.push_back({"explore", "See them move", {ViewsPlace{}}});
    page.sections.push_back({"ways", "Each way in numbers", {ways()}});
    return page;
  }

 private:
  std::size_t shown() const { return std::min<std::size_t>(targets_.size(), kMostMoving); }

  Prose sentence(int target) const {
    Prose text;
    text << Strong{"Target " + std::to_string(target)};
    const char* before = ": ";
    for (const IkWay& way : t_.ways) {
      if (way.target != target) continue;
      text << before + method_name(way.method);
      const std::string count = std::to_string(way.rows);
      if (way.status == ReachStatus::reached) {
        text << " arrives after " + count + (way.rows == 1 ? " evaluation" : " evaluations");
      } else if (way.method == IkMethod::reach) {
        text << " says " + in_words(way.status) + ", ";
        text << Quantity{1000.0 * way.position_error, "mm"} << " away, after " + count + " evaluations";
      } else {
        text << " is " << Quantity{1000.0 * way.position_error, "mm"} << " away after " + count + " evaluations and ";
        text << (way.last_steps > kThrash ? "thrashes: its last steps are " : "creeps: its last steps are ");
        text << Quantity{way.last_steps, "rad"} << " long";
      }
      before = "; ";
    }
    return text << ".";
  }

  TableBlock ways() const {
    TableBlock table{"A row of trace.csv is an evaluation of the chain.",
                     {"#target", "method", "ends as", "#evaluations", "#position error [mm]"},
                     {}};
    if (with_rotation_) table.heads.emplace_back("#rotation error [mrad]");
    table.heads.emplace_back("#last steps [rad]");
    for (const IkWay& way : t_.ways) {
      const bool fine = way.status == ReachStatus::reached;
      TableBlock::Row row{{std::to_string(way.target), method_name(way.method),
                           StateWord{in_words(way.status), fine ? Tone::green : Tone::vermillion},
                           Quantity{static_cast<double>(way.rows), "", 0},
                           Quantity{1000.0 * way.position_error, "", 3}}};
      if (with_rotation_) row.cells.emplace_back(Quantity{1000.0 * way.rotation_error, "", 3});
      row.cells.emplace_back(Quantity{way.last_steps});
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  // --- Views: a robot for each way, that of the target and the methods which are chosen
  // --------------------------------

  /// A number of the way's row; after its end that of its last.
  template <class Get>
  ChannelId held(Views& views, const IkWay& way, Get get, Channel::Bin bin = Channel::Bin::one_row) const {
    return views.add(
        [&t = t_, &way, get](Index row) -> double {
          return get(t, static_cast<std::size_t>(way.first + std::min(static_cast<int>(row), way.rows - 1)));
        },
        bin);
  }
  /// The same, and nothing after the end.
  template <class Get>
  ChannelId until_end(Views& views, const IkWay& way, Get get) const {
    return views.add([&t = t_, &way, get](Index row) -> double {
      return row < way.rows ? get(t, static_cast<std::size_t>(way.first + static_cast<int>(row))) : kNaN;
    });
  }

  Views views(std::shared_ptr<const MeshFiles> meshes) const {
    Views views;
    int longest = 0;
    for (const IkWay& way : t_.ways) {
      if (std::find(targets_.begin(), targets_.begin() + static_cast<std::ptrdiff_t>(shown()), way.target) !=
          targets_.begin() + static_cast<std::ptrdiff_t>(shown())) {
        longest = std::max(longest, way.rows);
      }
    }
    if (longest == 0) return views;
    views.runs.push_back({"iterations", longest});
    views.note = "A step is an evaluation of the chain; a method that has ended stays at its last one.";
    Selector target{"target", "target", {}, {0}};
    for (std::size_t k = 0; k < shown(); ++k) target.options.push_back(std::to_string(targets_[k]));
    Selector method{"method", "method", {"pinv", "dls", "Antaeus"}, {0}};
    const bool choice = shown() > 1;
    if (choice) views.selectors.push_back(std::move(target));
    views.selectors.push_back(std::move(method));
    const int by_method = choice ? 1 : 0;

    Scene scene{.title = r_.robot};
    ViewPanel position{.id = "position",
                       .title = "Distance from the target",
                       .unit = "m",
                       .limits = {{r_.model.options().position_tolerance, "tolerance"}},
                       .logarithmic = true};
    ViewPanel rotation{.id = "rotation",
                       .title = "Angle to the target’s orientation",
                       .unit = "rad",
                       .limits = {{r_.model.options().rotation_tolerance, "tolerance"}},
                       .logarithmic = true};
    ViewPanel step{.id = "step", .title = "Length of a step", .unit = "rad"};
    for (std::size_t k = 0; k < shown(); ++k) {
      const Conditions of_target = choice ? Conditions{{0, static_cast<int>(k)}} : Conditions{};
      add_target(views, scene, targets_[k], of_target);
      for (const IkWay& way : t_.ways) {
        if (way.target != targets_[k] || way.rows == 0) continue;
        const int number = way.method == IkMethod::pinv ? 0 : way.method == IkMethod::dls ? 1 : 2;
        Conditions when = of_target;
        when.push_back({by_method, number});
        SceneRobot robot{.description = r_.description, .meshes = meshes};
        for (int j = 0; j < chain_.size(); ++j) {
          robot.joints.push_back({chain_.joints()[static_cast<std::size_t>(j)].name,
                                  held(views, way, [j](const IkTrace& t, std::size_t row) { return t.q[row][j]; }),
                                  {}});
        }
        for (const auto& [joint, locked] : chain_.model().options().locked_joints) {
          robot.joints.push_back({joint, views.add([at = locked](Index) { return at; }), {}});
        }
        robot.when = when;
        scene.robots.push_back(std::move(robot));
        SceneTrail trail{.name = "way of " + chain_.frame(), .tone = method_tone(way.method), .when = when};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto a = static_cast<Index>(axis);
          trail.point[axis] = held(views, way, [a, &chain = chain_](const IkTrace& t, std::size_t row) {
            Pose X_WF;
            chain.pose(t.q[row], X_WF);
            return X_WF.translation[a];
          });
        }
        scene.trails.push_back(std::move(trail));
        Line line{.name = method_name(way.method), .tone = method_tone(way.method), .when = of_target};
        line.channel = until_end(views, way, [](const IkTrace& t, std::size_t row) { return t.position_error[row]; });
        position.lines.push_back(line);
        if (with_rotation_) {
          line.channel = until_end(views, way, [](const IkTrace& t, std::size_t row) { return t.rotation_error[row]; });
          rotation.lines.push_back(line);
        }
        line.channel = until_end(views, way, [](const IkTrace& t, std::size_t row) { return t.step[row]; });
        step.lines.push_back(line);
      }
    }
    views.panels.push_back(std::move(position));
    if (with_rotation_) views.panels.push_back(std::move(rotation));
    views.panels.push_back(std::move(step));
    views.scenes.push_back(std::move(scene));
    return views;
  }

  /// A ball at the target.
  void add_target(Views& views, Scene& scene, int target, const Conditions& when) const {
    SceneRobot ball;
    ball.description.name = ball.description.root = "target";
    const Shape shape{.kind = ShapeKind::sphere, .X_LS = {}, .size = {kTargetBall, 0.0, 0.0}, .mesh = {}};
    ball.description.links.emplace_back().name = "target";
    ball.description.links.back().visuals = {shape};
    const Pose& X_WF = r_.request.targets.poses[static_cast<std::size_t>(target)];
    for (int c = 0; c < 3; ++c) {
      ball.base[static_cast<std::size_t>(c)] = views.add([place = X_WF.translation[c]](Index) { return place; });
    }
    ball.when = when;
    scene.robots.push_back(std::move(ball));
  }

  const IkResult& r_;
  const IkTrace& t_;
  const KinematicChain& chain_;
  bool with_rotation_;
  std::vector<int> targets_;
};

}  // namespace

Page ik_trace_page(const IkResult& result, const IkTrace& trace, std::shared_ptr<const MeshFiles> meshes) {
  return IkTracePage(result, trace).make(std::move(meshes));
}

}  // namespace antaeus
