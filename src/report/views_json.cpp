#include "report/views_json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "antaeus/io/json_fields.hpp"
#include "report/view_samples.hpp"
#include "robot/files/robot_drawing.hpp"

namespace antaeus::detail {

/// Beside the vertices and indices of a mesh.
template <class Visit>
constexpr void visit_fields(const DrawnShape*, Visit&& visit) {
  visit_members(visit, "kind", &DrawnShape::kind, "pose", &DrawnShape::X_LS, "size", &DrawnShape::size, "color",
                &DrawnShape::color);
}
template <class Visit>
constexpr void visit_fields(const DrawnLink*, Visit&& visit) {
  visit_members(visit, "name", &DrawnLink::name, "shapes", &DrawnLink::shapes);
}

namespace {

/// A list, or a struct as an object with the names of its fields. Notes of robots are added to \p note.
class ViewsWriter {
 public:
  std::string note = {};

  template <class Struct>
  Json& append(Json& object, const Struct& from) {
    visit_fields(static_cast<const Struct*>(nullptr),
                 [&](const auto& field) { object.set(key_of(field), json(value_of(field, from))); });
    return object;
  }
  template <class Value>
  Json json(const Value& value) {
    if constexpr (HasFields<Value>) {
      Json object = Json::object();
      return append(object, value);
    } else if constexpr (std::ranges::range<Value> && !std::is_constructible_v<Json, const Value&>) {
      return list_json(value, [this](const auto& item) { return this->json(item); });
    } else {
      return to_json(value);
    }
  }
  Json json(const When& when) { return json(std::array{when.selector, when.option}); }
  Json json(const Vector3& v) { return json(std::array{v.x(), v.y(), v.z()}); }  // keeps −0
  Json json(const Eigen::Vector4d& v) { return json(std::array{v[0], v[1], v[2], v[3]}); }
  /// Three rows of the rotation with the translation's entry.
  Json json(const Pose& X) {
    Json list = Json::array();
    for (int row = 0; row < 3; ++row) {
      for (int col = 0; col < 3; ++col) list.push_back(X.rotation(row, col));
      list.push_back(X.translation[row]);
    }
    return list;
  }
  /// As columns; a text stands once, however often it is used.
  Json json(const std::vector<LaneText>& texts) {
    std::map<std::string, std::int32_t> known;
    Json strings = Json::array(), all = Json::object();
    std::map<std::string, std::vector<std::int32_t>> columns;
    const auto code = [&](const auto& value) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
        return static_cast<std::int32_t>(value);
      } else {
        const auto [entry, fresh] = known.try_emplace(value, static_cast<std::int32_t>(known.size()));
        if (fresh) strings.push_back(value);
        return entry->second;
      }
    };
    for (const LaneText& text : texts) {
      visit_fields(&text, [&](const auto& field) { columns[field.name].push_back(code(value_of(field, text))); });
    }
    visit_fields(static_cast<const LaneText*>(nullptr),
                 [&](const auto& field) { all.set(field.name, packed("i32", columns[field.name])); });
    return all.set("strings", std::move(strings));
  }
  Json json(const DrawnShape& shape) {
    Json drawn = Json::object();
    append(drawn, shape);
    if (shape.kind == ShapeKind::mesh) {
      drawn.set("vertices", packed("f32", shape.vertices)).set("indices", packed("i32", shape.indices));
    }
    return drawn;
  }
  Json json(const SceneRobot& robot) {
    const DrawnRobot drawn = drawn_robot(robot.description, robot.meshes ? *robot.meshes : MeshFiles{});
    // Who asked for no meshes knows that none are drawn.
    for (const std::string& text : {drawn.note, robot.meshes ? drawn.meshes : std::string()}) {
      if (!text.empty() && !robot.ghost) note += (note.empty() ? "" : " ") + text;
    }
    Json joints = Json::array();
    for (const JointDescription& joint : robot.description.joints) {
      const auto motion = std::ranges::find(robot.joints, joint.name, &SceneRobot::Joint::name);
      Json one = Json::object()
                     .set("name", joint.name)
                     .set("type", joint_type(joint.type))
                     .set("parent", joint.parent)
                     .set("child", joint.child)
                     .set("pose", json(joint.X_PJ))
                     .set("axis", json(joint.axis));
      joints.push_back(append(one, motion == robot.joints.end() ? SceneRobot::Joint{} : *motion));
    }
    Json object = Json::object()
                      .set("root", robot.description.root)
                      .set("links", json(drawn.links))
                      .set("joints", std::move(joints));
    return append(object, robot);
  }
  Json json(const Scene& scene) {
    Json object = Json::object();
    note = scene.note;
    append(object, scene);
    return object.set("note", note);
  }

 private:
  static const char* joint_type(JointType type) {
    switch (type) {
      case JointType::revolute:
      case JointType::continuous: return "revolute";
      case JointType::prismatic: return "prismatic";
      default: return "fixed";
    }
  }
};

Json run_json(const Run& run, const Sampling& sampling) {
  Json time;
  if (run.kept && run.rows > 0 && std::isfinite(run.kept->time(0))) {
    std::vector<double> stamps;
    for (const std::int32_t row : sampling.rows) stamps.push_back(run.kept->time(row));
    time = packed("f64", stamps);
  } else if (run.time.size() == run.rows && run.rows > 0 && std::isfinite(run.time[0])) {
    std::vector<double> stamps;
    for (const std::int32_t row : sampling.rows) stamps.push_back(run.time[row]);
    time = packed("f64", stamps);
  }
  Json object = Json::object();
  ViewsWriter().append(object, run);
  ViewsWriter().append(object, sampling);
  return object.set("rows", packed("i32", sampling.rows)).set("time", std::move(time));
}

}  // namespace

std::string views_json(const Views& views) {
  std::vector<Sampling> samplings;
  Json runs = Json::array();
  for (const Run& run : views.runs) {
    samplings.push_back(sample_rows(run.rows, samplings.empty() ? views.focus : -1, run.kept != nullptr));
    runs.push_back(run_json(run, samplings.back()));
  }
  Json all = Json::object();
  all.set("schema", "antaeus.views/1").set("runs", std::move(runs)).set("channels", channels_json(views, samplings));
  const std::string text = ViewsWriter().append(all, views).dump(-1);
  // Inside a JSON text "<" stands in strings only, where \u003c means the same and cannot end the element.
  std::string safe;
  safe.reserve(text.size() + 64);
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace antaeus::detail
