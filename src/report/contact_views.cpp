// The linked views of a motion's contacts: every number is one of the result's arrays, read when the page is written.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "report/contact_sections.hpp"

namespace antaeus::detail {

namespace {

using Bin = Channel::Bin;
using Eigen::Index;

constexpr double kWeightArrow = 0.5;           ///< [m] of an arrow as large as the weight
constexpr double kFoot = 0.02;                 ///< [m] of the ball that stands for a foot without a robot
constexpr std::size_t kFirstMotionJoints = 4;  ///< that are chosen at first
constexpr double kPercent = 100.0;

constexpr const char* kTouchesAndBroken = "Contacts, and which limits are broken";

std::string in_a_word(LimitKind kind) {
  switch (kind) {
    case LimitKind::unilateral: return "pushing";
    case LimitKind::cop: return "sole";
    case LimitKind::yaw: return "turning";
    case LimitKind::force_cap: return "force cap";
    default: return std::string(to_string(kind));
  }
}
std::string broken_name(LimitKind kind) { return "broken: " + in_a_word(kind); }
bool is_met(const ContactFigures& figures, LimitKind kind) {
  return std::any_of(figures.broken.begin(), figures.broken.end(),
                     [&](const BrokenLimit& one) { return one.kind == kind; });
}

class ContactViews {
 public:
  /// \param to_be  the figures are not there yet: whatever may turn out to be there gets its channel
  ContactViews(std::shared_ptr<const ContactReading> reading, bool to_be)
      : reading_(std::move(reading)),
        to_be_(to_be),
        r_(*reading_),
        result_(r_.result()),  // of the block that is there now: nothing of it goes into a channel
        upright_(Eigen::Quaterniond::FromTwoVectors(result_.up, Vector3::UnitZ()).toRotationMatrix()) {}

  Views make(std::shared_ptr<const MeshFiles> meshes) {
    views_.runs.push_back({result_.motion, r_.frames(), 0, r_.time()});
    select();
    forces();
    states();
    torques();
    margins();
    residuals();
    pressures();
    further();
    scene(std::move(meshes));
    return std::move(views_);
  }

 private:
  template <class Value>
  ChannelId add(Value value, Bin bin = Bin::extremes) {
    return views_.add(std::move(value), bin);
  }
  void panel(ViewPanel shown) { views_.panels.push_back(std::move(shown)); }
  static Tone tone(int n) { return series_style(static_cast<std::size_t>(n)).tone; }
  Conditions of_contact(int c) const { return r_.contacts() > 1 ? Conditions{{0, c}} : Conditions{}; }
  Conditions of_joint(Index j) const {
    return r_.joints() > 1 ? Conditions{{r_.contacts() > 1 ? 1 : 0, static_cast<int>(j)}} : Conditions{};
  }

  void select() {
    if (r_.contacts() > 1) views_.selectors.push_back({"contact", "contact", r_.demand().contacts, {0}, false});
    if (r_.joints() < 2) return;
    Selector joints{"joints", "joint", {}, {}, true};
    for (Index j = 0; j < r_.joints(); ++j) joints.options.push_back(r_.joint(j));
    views_.selectors.push_back(std::move(joints));
  }

  // --- Panels --------------------------------------------------------------------------------------------------------

  Line force_line(int c, const Vector3& along) {
    const auto reading = reading_;
    Line line{.name = r_.name(c), .tone = tone(c)};
    line.channel = add([reading, c, along](Index t) { return reading->force(t, c).dot(along); });
    if (r_.has_sd()) line.sd = add([reading, c, along](Index t) { return reading->force_sd(t, c, along); });
    return line;
  }

  void forces() {
    const std::string doubt = r_.has_sd() ? ", ± one sd shaded" : "";
    ViewPanel vertical{.id = "vertical",
                       .title = "Vertical force of each contact on the " + r_.who() + doubt,
                       .unit = "N",
                       .limits = {{result_.weight, "weight"}}};
    for (int c = 0; c < r_.contacts(); ++c) {
      vertical.lines.push_back(force_line(c, result_.up));
      vertical_.push_back(vertical.lines.back());
      views_.readings.push_back(
          {.label = r_.name(c) + " up", .unit = "N", .channel = vertical_.back().channel, .sd = vertical_.back().sd});
      views_.columns.push_back({.label = r_.name(c) + " up",
                                .unit = "N",
                                .channel = vertical_.back().channel,
                                .sd = vertical_.back().sd,
                                .digits = 1});
    }
    if (!std::isfinite(result_.weight)) vertical.limits.clear();
    panel(std::move(vertical));
    for (int axis = 0; axis < 2; ++axis) {
      ViewPanel level{.id = "horizontal-" + std::to_string(axis + 1),
                      .title = "Horizontal force of each contact on the " + r_.who() + " along world " +
                               r_.level_name(axis) + doubt,
                      .unit = "N"};
      for (int c = 0; c < r_.contacts(); ++c) level.lines.push_back(force_line(c, r_.level(axis)));
      panel(std::move(level));
    }
  }

  ChannelId codes(std::function<bool(Index)> holds) {
    return add([holds = std::move(holds)](Index t) { return holds(t) ? 1.0 : 0.0; }, Bin::largest);
  }
  void states() {
    ViewPanel shown{.id = "states", .title = kTouchesAndBroken};
    const auto reading = reading_;
    for (int c = 0; c < r_.contacts(); ++c) {
      shown.lanes.push_back({r_.name(c),
                             codes([reading, c](Index t) { return reading->touches(t, c); }),
                             {"in the air", "touches"},
                             {false, true},
                             tone(c)});
    }
    for (const LimitKind kind : all_values<LimitKind>()) {
      if (to_be_ ? !r_.was_checked() : !is_met(r_.figures(), kind)) continue;
      shown.lanes.push_back({broken_name(kind),
                             codes([reading, kind](Index t) { return reading->is_broken(t, kind); }),
                             {"kept", "broken"},
                             {false, true},
                             Tone::vermillion});
    }
    panel(std::move(shown));
  }
  void torques() {
    ViewPanel torque{.id = "torque", .title = "Torque of the motors"};
    ViewPanel share{.id = "torque-share",
                    .title = "Torque as a share of the motor’s limit",
                    .unit = "%",
                    .limits = {{kPercent, "limit"}, {-kPercent, "limit"}}};
    bool slides = false;
    for (Index j = 0; j < r_.joints(); ++j) slides = slides || r_.torque_unit(j) == "N";
    torque.unit = slides ? "N·m or N" : "N·m";
    BarList bars{.title = "Torque of each joint",
                 .value_head = "torque",
                 .unit = slides ? "" : "N·m",
                 .selector = r_.joints() > 1 ? (r_.contacts() > 1 ? 1 : 0) : -1};
    if (r_.has_torque_limits()) bars.aside_head = "of its limit", bars.aside_unit = "%";
    const auto reading = reading_;
    for (Index j = 0; j < r_.joints(); ++j) {
      const ChannelId value = add([reading, j](Index t) { return reading->torque(t, j); });
      tau_.push_back(value);
      ChannelId part = kNoChannel;
      if (const double limit = r_.torque_limit(j); std::isfinite(limit)) {
        part = add([reading, j, limit](Index t) { return kPercent * reading->torque(t, j) / limit; });
      }
      const Line line{.name = r_.joint(j),
                      .channel = value,
                      .tone = Tone::blue,
                      .follows_choice = r_.joints() > 1,
                      .when = of_joint(j)};
      torque.lines.push_back(line);
      share.lines.push_back(line);
      share.lines.back().channel = part;
      bars.rows.push_back(
          {r_.joint(j), slides ? r_.torque_unit(j) : "", value, part, r_.joints() > 1 ? static_cast<int>(j) : -1});
    }
    if (r_.joints() > 0) views_.bars.push_back(std::move(bars));
    panel(std::move(share));
    panel(std::move(torque));
  }

  void margins() {
    if (result_.margins.empty()) return;
    ViewPanel shown{.id = "margins",
                    .title = "Smallest margin of each limit: below zero it is broken",
                    .unit = "N",
                    .limits = {{0.0, ""}}};
    constexpr std::pair<const char*, double FrameMargins::*> kLines[] = {{"pushing", &FrameMargins::unilateral},
                                                                         {"friction", &FrameMargins::friction},
                                                                         {"sole", &FrameMargins::cop},
                                                                         {"turning", &FrameMargins::yaw},
                                                                         {"torque", &FrameMargins::torque}};
    int n = 0;
    for (const auto& [name, field] : kLines) {
      const auto reading = reading_;
      shown.lines.push_back({.name = name,
                             .channel = add([reading, of = field](Index t) {
                               return reading->result().margins[static_cast<std::size_t>(t)].*of;
                             }),
                             .tone = tone(n++),
                             .scales = field != &FrameMargins::torque});
    }
    panel(std::move(shown));
  }

  void residuals() {
    const auto reading = reading_;
    const bool alone = result_.request.inverse_dynamics;
    const double limit = alone ? kInfinity : result_.options.residual_limit * result_.weight;
    ViewPanel force{
        .id = "residual",
        .title = alone ? "Force that must hold the root" : "Root force that no contact explains",
        .unit = "N",
        .lines = {{.name = "force", .channel = add([reading](Index t) { return reading->residual_force(t); })}}};
    if (std::isfinite(limit)) {
      force.limits = {{limit, "limit of its root mean square"}};
    }
    views_.columns.push_back(
        {.label = alone ? "root force" : "residual", .unit = "N", .channel = force.lines[0].channel, .digits = 1});
    panel(std::move(force));
    panel({.id = "residual-moment",
           .title = alone ? "Moment that must hold the root" : "Root moment that no contact explains",
           .unit = "N·m",
           .lines = {{.name = "moment", .channel = add([reading](Index t) { return reading->residual_moment(t); })}},
           .detail = true});
  }

  void pressures() {
    const auto reading = reading_;
    for (int c = 0; c < r_.contacts(); ++c) {
      if (r_.is_point(c)) continue;
      const ContactSurface* sole = r_.sole(c);
      for (int axis = 0; axis < 2; ++axis) {
        const std::string along =
            sole ? std::string(axis == 0 ? "along" : "across") + " the sole, from the frame’s origin"
                 : "from the frame’s origin along world " + r_.level_name(axis);
        ViewPanel shown{.id = "pressure-" + std::to_string(axis + 1),
                        .title = "Centre of pressure of " + r_.name(c) + " " + along,
                        .unit = "m",
                        .when = of_contact(c)};
        shown.lines = {{.name = axis == 0 ? "x" : "y",
                        .channel = add([reading, c, axis](Index t) { return reading->pressure_along(t, c, axis); }),
                        .tone = tone(c)}};
        if (sole) {
          const double middle = sole->middle()[axis], half = sole->half_size()[axis];
          shown.limits = {{middle + half, axis == 0 ? "toe" : "edge"}, {middle - half, axis == 0 ? "heel" : "edge"}};
        } else {
          shown.detail = true;
        }
        panel(std::move(shown));
      }
    }
  }

  /// What few look for: moments, squeezes, what is hidden, how contacts were found.
  void further() {
    const auto reading = reading_;
    constexpr const char* kMoments[] = {"Mx", "My", "Mz"};
    for (int c = 0; c < r_.contacts(); ++c) {
      if (r_.is_point(c)) continue;
      ViewPanel shown{.id = "moment",
                      .title = "Moment of " + r_.name(c) + " on the " + r_.who() + " about its origin, world axes",
                      .unit = "N·m",
                      .detail = true,
                      .when = of_contact(c)};
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3 along = Vector3::Unit(axis);
        Line line{.name = kMoments[axis], .tone = tone(axis)};
        line.channel = add([reading, c, along](Index t) { return reading->moment(t, c).dot(along); });
        if (r_.has_sd()) line.sd = add([reading, c, along](Index t) { return reading->moment_sd(t, c, along); });
        shown.lines.push_back(std::move(line));
      }
      panel(std::move(shown));
    }
    if (const ContactPosterior* posterior = r_.posterior()) {
      ViewPanel squeeze{.id = "squeeze",
                        .title = "Squeeze between feet, which the motion does not hold, ± one sd shaded",
                        .unit = "N",
                        .detail = true};
      int n = 0;
      for (const FootPair& pair : posterior->pairs) {
        Line line{.name = r_.name(pair.a) + " and " + r_.name(pair.b), .tone = tone(n++), .shown = n < 4};
        line.channel = add([reading, &pair](Index t) {
          const bool both = reading->touches(t, pair.a) && reading->touches(t, pair.b);
          return both ? pair.squeeze[t] : kNaN;
        });
        line.sd = add([&pair](Index t) { return pair.squeeze_sd[t]; });
        squeeze.lines.push_back(std::move(line));
      }
      panel(std::move(squeeze));
      const HiddenTrace& hidden = posterior->hidden;
      if (hidden.force.size() == r_.frames()) {
        panel({.id = "hidden",
               .title = "Vertical force of another contact, ± one sd shaded",
               .unit = "N",
               .lines = {{.name = "hidden contact",
                          .channel = add([&hidden](Index t) { return hidden.force[t]; }),
                          .sd = add([&hidden](Index t) { return hidden.sd[t]; })}}});
      }
    }
    if (result_.timing && result_.timing->probability.rows() == r_.frames()) {
      ViewPanel shown{.id = "touch", .title = "Probability of each contact", .detail = true};
      const MatrixX& probability = result_.timing->probability;
      for (int c = 0; c < static_cast<int>(probability.cols()); ++c) {
        shown.lines.push_back({.name = result_.timing->feet[static_cast<std::size_t>(c)],
                               .channel = add([&probability, c](Index t) { return probability(t, c); }),
                               .tone = tone(c)});
      }
      panel(std::move(shown));
    }
    if (result_.root_change.rows() == r_.frames()) {
      panel({.id = "root-change",
             .title = "What was changed of the base’s acceleration",
             .unit = "m/s²",
             .lines = {{.name = "change", .channel = add([reading](Index t) {
                                            return reading->result().root_change.row(t).head<3>().norm();
                                          })}},
             .detail = true});
    }
  }

  // --- Space ---------------------------------------------------------------------------------------------------------

  using Point = std::function<Vector3(Index)>;  ///< in the world
  /// Three channels of a vector, turned so that up is z.
  std::array<ChannelId, 3> channels(const Point& point, Bin bin = Bin::extremes) {
    std::array<ChannelId, 3> ids{};
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3 row = upright_.row(axis).transpose();
      ids[static_cast<std::size_t>(axis)] = add([point, row](Index t) { return row.dot(point(t)); }, bin);
    }
    return ids;
  }
  std::array<ChannelId, 7> base(const std::function<Pose(Index)>& pose) {
    const auto place = channels([pose](Index t) { return pose(t).translation; }, Bin::one_row);
    std::array<ChannelId, 7> ids = {place[0], place[1], place[2]};
    for (int c = 0; c < 4; ++c) {
      ids[static_cast<std::size_t>(c) + 3] =
          add([pose, c,
               turn = upright_](Index t) { return Eigen::Quaterniond(Matrix3(turn * pose(t).rotation)).coeffs()[c]; },
              Bin::one_row);
    }
    return ids;
  }

  void robot(Scene& scene, std::shared_ptr<const MeshFiles> meshes) {
    SceneRobot drawn{.description = result_.description, .meshes = std::move(meshes)};
    // Positions stand in q in the order of the rows of v; a joint without limits as cosine and sine.
    Index place = 7;
    for (Index j = 0; j < r_.joints(); ++j) {
      const JointDescription* joint = r_.described(j);
      if (!joint) return;  // of several rows: nobody knows where the next one stands
      const bool turns = joint->type == JointType::continuous;
      if (place + (turns ? 2 : 1) > result_.dynamics.q.cols()) return;
      const auto reading = reading_;
      const auto angle = [reading, place, turns](Index t) {
        const SampleMatrix& q = reading->result().dynamics.q;
        return turns ? std::atan2(q(t, place + 1), q(t, place)) : q(t, place);
      };
      drawn.joints.push_back({joint->name, add(angle, Bin::one_row), {{tau_[static_cast<std::size_t>(j)], {}}}});
      place += turns ? 2 : 1;
    }
    if (std::ssize(result_.dynamics.base) == r_.frames()) {
      const auto reading = reading_;
      drawn.base = base([reading](Index t) { return reading->result().dynamics.base[static_cast<std::size_t>(t)]; });
    }
    scene.title = result_.robot;
    scene.note = "Colour: torque.";
    scene.robots.push_back(std::move(drawn));
  }

  /// Without a robot: the centre of mass, and feet that move around it as they were seen to.
  void feet(Scene& scene) {
    const auto reading = reading_;
    const Matrix3X& com = result_.dynamics.center_of_mass;
    const bool known = com.cols() == r_.frames();
    const auto middle = [&com, known](Index t) { return known ? Vector3(com.col(t)) : Vector3(Vector3::Zero()); };
    const auto ball = [](double radius) {
      return Shape{.kind = ShapeKind::sphere, .X_LS = {}, .size = {radius, 0.0, 0.0}, .mesh = {}};
    };
    const std::string root = "centre of mass";
    SceneRobot body;
    body.description.name = body.description.root = root;
    const auto link = [&body](const std::string& name) -> LinkDescription& {
      body.description.links.emplace_back().name = name;
      return body.description.links.back();
    };
    link(root).visuals = {ball(kFoot)};
    const auto way = channels(middle, Bin::one_row);
    std::copy(way.begin(), way.end(), body.base.begin());
    for (int c = 0; c < r_.contacts(); ++c) {
      // Three slides and three turns, R = Rx Ry Rz.
      std::string parent = root;
      for (int i = 0; i < 6; ++i) {
        const std::string child = i < 5 ? r_.name(c) + " " + std::to_string(i) : r_.name(c);
        link(child);
        body.description.joints.push_back(
            {child, i < 3 ? JointType::prismatic : JointType::revolute, parent, child, {}, Vector3::Unit(i % 3)});
        const auto position = [reading, c, i, middle, turn = upright_](Index t) {
          const Pose& foot = reading->place(t, c);
          if (i < 3) return turn.row(i).dot(foot.translation - middle(t));
          const Matrix3 R = turn * foot.rotation;
          return i == 3 ? std::atan2(-R(1, 2), R(2, 2)) : i == 4 ? std::asin(R(0, 2)) : std::atan2(-R(0, 1), R(0, 0));
        };
        body.joints.push_back({child, add(position, Bin::one_row), {}});
        parent = child;
      }
      body.description.links.back().visuals = {ball(kFoot)};
      scene.frames.push_back({.name = r_.name(c), .anchor = {static_cast<int>(scene.robots.size()), r_.name(c)}});
    }
    scene.robots.push_back(std::move(body));
  }

  void scene(std::shared_ptr<const MeshFiles> meshes) {
    const auto reading = reading_;
    Scene shown{.title = "Feet"};
    if (r_.has_robot() && result_.dynamics.q.rows() == r_.frames()) robot(shown, std::move(meshes));
    const bool drawn = !shown.robots.empty();
    if (!drawn) feet(shown);
    const double scale = std::isfinite(result_.weight) && result_.weight > 0.0 ? kWeightArrow / result_.weight : 1e-3;
    for (int c = 0; c < r_.contacts(); ++c) {
      Anchor anchor{0, result_.description.link_of(r_.name(c))};
      const auto from = [reading, c](Index t) -> Vector3 {
        const Vector3 at = reading->pressure(t, c);
        return at.allFinite() ? at : reading->place(t, c).translation;
      };
      shown.arrows.push_back({.name = "force of " + r_.name(c) + " on the " + r_.who(),
                              .unit = "N",
                              .anchor = anchor,
                              .vector = channels([reading, c](Index t) { return reading->force(t, c); }),
                              .from = channels(from, Bin::one_row),
                              .meters_per_unit = scale,
                              .tone = tone(c)});
      if (!r_.is_point(c)) {
        shown.trails.push_back(
            {.name = "centre of pressure of " + r_.name(c),
             .point = channels([reading, c](Index t) { return reading->pressure(t, c); }, Bin::one_row),
             .tone = tone(c)});
      }
      if (const ContactSurface* sole = r_.sole(c); sole && drawn && result_.description.find_link(anchor.link)) {
        ScenePolygon polygon{.name = "sole of " + r_.name(c), .anchor = anchor, .tone = tone(c)};
        for (const Eigen::Vector2d& p : sole->sole) polygon.points.emplace_back(p.x(), p.y(), -sole->sole_depth);
        shown.polygons.push_back(std::move(polygon));
      }
    }
    if (result_.dynamics.center_of_mass.cols() == r_.frames()) {
      const auto middle = [reading](Index t) { return Vector3(reading->result().dynamics.center_of_mass.col(t)); };
      shown.trails.push_back({.name = "centre of mass", .point = channels(middle, Bin::one_row)});
    }
    if (r_.contacts() > 0) {
      const std::string per_meter = display_number(1.0 / scale, 0);
      shown.note += (shown.note.empty() ? "" : " ") + ("Arrows: 1 m is " + per_meter + " N");
      shown.note += std::isfinite(result_.weight) ? ", half a metre the weight." : ".";
      shown.note += " They start at the centre of pressure, where it is known.";
    }
    if (!upright_.isIdentity(1e-12)) shown.note += " The world is drawn with its vertical upwards.";
    views_.scenes.push_back(std::move(shown));
  }

  std::shared_ptr<const ContactReading> reading_;
  bool to_be_;
  const ContactReading& r_;
  const ContactResult& result_;
  Matrix3 upright_;
  Views views_;
  std::vector<Line> vertical_;
  std::vector<ChannelId> tau_;
};

/// The joints that do most are chosen at first.
void choose_joints(Views& views, const ContactReading& r) {
  const auto joints = std::ranges::find(views.selectors, "joints", &Selector::id);
  if (joints == views.selectors.end()) return;
  std::vector<std::pair<double, int>> order;
  for (Index j = 0; j < r.joints(); ++j) {
    const Spread& size = r.figures().joints[static_cast<std::size_t>(j)].size;
    const double limit = r.torque_limit(j);
    const double weight = size.count == 0 ? 0.0 : r.has_torque_limits() ? size.largest / limit : size.largest;
    order.emplace_back(weight, static_cast<int>(j));
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  joints->chosen.clear();
  for (std::size_t i = 0; i < std::min(order.size(), kFirstMotionJoints); ++i)
    joints->chosen.push_back(order[i].second);
}

}  // namespace

Focus focus_of(const ContactFigures& figures, const ContactResult& result) {
  if (result.request.inverse_dynamics) return {"Largest force at the root", figures.most_held.at_largest};
  if (!figures.broken.empty()) return {"Worst broken limit", figures.broken_size.at_largest};
  return {figures.frames > 0 ? "Largest vertical force" : "Worst broken limit", figures.most_vertical.at_largest};
}

void finish_views(Views& views, const ContactReading& whole, const std::function<bool(ChannelId)>& any) {
  const ContactFigures& figures = whole.figures();
  if (!whole.result().request.inverse_dynamics && !figures.any_wrench) {
    views = {};
    return;
  }
  choose_joints(views, whole);
  const Focus focus = focus_of(figures, whole.result());
  views.focus_name = focus.name;
  views.focus = focus.row;
  // A panel of the lines that have a number; none is left out of the page.
  for (ViewPanel& shown : views.panels) {
    std::erase_if(shown.lines, [&](const Line& line) { return line.channel == kNoChannel || !any(line.channel); });
    if (shown.id != "states") continue;
    if (figures.broken.empty()) shown.title = "Contacts";
    for (const LimitKind kind : all_values<LimitKind>()) {
      if (!is_met(figures, kind))
        std::erase_if(shown.lanes, [&](const Lane& lane) { return lane.name == broken_name(kind); });
    }
  }
  std::erase_if(views.panels, [](const ViewPanel& shown) { return shown.lines.empty() && shown.lanes.empty(); });
}

Views contact_views(const std::shared_ptr<const ContactReading>& reading, std::shared_ptr<const MeshFiles> meshes) {
  Views views = ContactViews(reading, false).make(std::move(meshes));
  finish_views(views, *reading, [&](ChannelId channel) {
    const auto& value = views.channels[static_cast<std::size_t>(channel)].value;
    for (Index t = 0; t < reading->frames(); ++t) {
      if (std::isfinite(value(t))) return true;
    }
    return false;
  });
  return views;
}

Views contact_views_to_be(const std::shared_ptr<const ContactReading>& reading,
                          std::shared_ptr<const MeshFiles> meshes) {
  return ContactViews(reading, true).make(std::move(meshes));
}

}  // namespace antaeus::detail
