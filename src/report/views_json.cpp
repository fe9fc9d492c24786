#include "report/views_json.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "antaeus/core/error.hpp"
#include "antaeus/io/base64.hpp"
#include "antaeus/io/json.hpp"
#include "robot/files/robot_drawing.hpp"

namespace antaeus::detail {

namespace {

static_assert(std::endian::native == std::endian::little, "the arrays of the page are little-endian");

template <class Number>
Json packed(const char* type, const std::vector<Number>& values) {
  return Json::object()
      .set("type", type)
      .set("data", to_base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)}));
}

// --- Channels -------------------------------------------------------------------------------------------------------

/// The samples of one channel in the making.
struct Samples {
  std::vector<float> numbers;
  std::vector<std::uint8_t> codes;
};

void read_block(const Channel& channel, const Sampling::Block& block, Samples& out) {
  const bool single = block.end - block.begin == 1;
  switch (channel.bin) {
    case Channel::Bin::one_row:
      out.numbers.push_back(static_cast<float>(channel.value(block.begin)));
      if (!single) out.numbers.push_back(static_cast<float>(channel.value((block.begin + block.end) / 2)));
      return;
    case Channel::Bin::largest: {
      double largest = 0.0;
      for (Eigen::Index row = block.begin; row < block.end; ++row) largest = std::max(largest, channel.value(row));
      const auto code = static_cast<std::uint8_t>(std::clamp(largest, 0.0, 255.0));
      out.codes.insert(out.codes.end(), single ? 1 : 2, code);
      return;
    }
    case Channel::Bin::extremes: {
      double least = kInfinity, most = -kInfinity;
      for (Eigen::Index row = block.begin; row < block.end; ++row) {
        const double v = channel.value(row);  // NaN as the second of two is passed over
        least = std::min(least, v);
        most = std::max(most, v);
      }
      if (least > most) least = most = kNaN;
      out.numbers.push_back(static_cast<float>(least));
      if (!single) out.numbers.push_back(static_cast<float>(most));
      return;
    }
  }
}

/// Block by block, so that a long log is walked through once while its rows are near.
Json channels_json(const Views& views, const std::vector<Sampling>& samplings) {
  std::vector<Samples> all(views.channels.size());
  for (std::size_t run = 0; run < samplings.size(); ++run) {
    std::vector<std::size_t> own;
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (views.channels[c].run == static_cast<int>(run)) own.push_back(c);
    }
    for (const Sampling::Block& block : samplings[run].blocks) {
      for (const std::size_t c : own) read_block(views.channels[c], block, all[c]);
    }
  }
  Json list = Json::array();
  for (std::size_t c = 0; c < all.size(); ++c) {
    Json channel =
        views.channels[c].bin == Channel::Bin::largest ? packed("u8", all[c].codes) : packed("f32", all[c].numbers);
    list.push_back(std::move(channel.set("run", views.channels[c].run)));
  }
  return list;
}

Json run_json(const Run& run, const Sampling& sampling) {
  Json time;
  if (run.time.size() == run.rows && run.rows > 0 && std::isfinite(run.time[0])) {
    std::vector<double> stamps;
    for (const std::int32_t row : sampling.rows) stamps.push_back(run.time[row]);
    time = packed("f64", stamps);
  }
  return Json::object()
      .set("name", run.name)
      .set("steps", static_cast<std::int64_t>(run.rows))
      .set("first_step", static_cast<std::int64_t>(run.first_step))
      .set("bin", static_cast<std::int64_t>(sampling.bin))
      .set("whole_begin", static_cast<std::int64_t>(sampling.whole_begin))
      .set("whole_end", static_cast<std::int64_t>(sampling.whole_end))
      .set("rows", packed("i32", sampling.rows))
      .set("time", std::move(time));
}

// --- Small values ---------------------------------------------------------------------------------------------------

template <class List, class Make>
Json list_json(const List& list, Make&& make) {
  Json all = Json::array();
  for (const auto& item : list) all.push_back(make(item));
  return all;
}
template <class List>
Json plain_list(const List& list) {
  return list_json(list, [](const auto& item) { return Json(item); });
}
Json bools(const std::vector<bool>& list) {
  Json all = Json::array();
  for (const bool item : list) all.push_back(item);
  return all;
}
Json vector_json(const Vector3& v) { return plain_list(std::array{v.x(), v.y(), v.z()}); }
Json pose_json(const Pose& X) {
  const Matrix3& R = X.rotation;
  const Vector3& p = X.translation;
  return plain_list(
      std::array{R(0, 0), R(0, 1), R(0, 2), p.x(), R(1, 0), R(1, 1), R(1, 2), p.y(), R(2, 0), R(2, 1), R(2, 2), p.z()});
}
Json when_json(const Conditions& conditions) {
  return list_json(conditions, [](const When& when) { return plain_list(std::array{when.selector, when.option}); });
}
Json tone_json(Tone tone) { return std::string(to_string(tone)); }
Json row_json(Eigen::Index row) { return static_cast<std::int64_t>(row); }

// --- Plots and lists ------------------------------------------------------------------------------------------------

Json line_json(const Line& line) {
  return Json::object()
      .set("name", line.name)
      .set("channel", line.channel)
      .set("sd", line.sd)
      .set("low", line.low)
      .set("high", line.high)
      .set("tone", tone_json(line.tone))
      .set("follows_choice", line.follows_choice)
      .set("dashed", line.dashed)
      .set("wide", line.wide)
      .set("shown", line.shown)
      .set("scales", line.scales)
      .set("when", when_json(line.when));
}

Json lane_json(const Lane& lane) {
  return Json::object()
      .set("name", lane.name)
      .set("channel", lane.channel)
      .set("words", plain_list(lane.words))
      .set("filled", bools(lane.filled))
      .set("tone", tone_json(lane.tone));
}

/// As columns; a text stands once, however often it is said.
Json texts_json(const std::vector<LaneText>& texts) {
  std::map<std::string, std::int32_t> known;
  Json strings = Json::array();
  const auto place = [&](const std::string& text) {
    const auto [entry, fresh] = known.try_emplace(text, static_cast<std::int32_t>(known.size()));
    if (fresh) strings.push_back(text);
    return entry->second;
  };
  std::array<std::vector<std::int32_t>, 5> columns;
  for (const LaneText& text : texts) {
    const std::array<std::int32_t, 5> values = {static_cast<std::int32_t>(text.from),
                                                static_cast<std::int32_t>(text.to), text.lane, place(text.text),
                                                place(text.sentence)};
    for (std::size_t c = 0; c < values.size(); ++c) columns[c].push_back(values[c]);
  }
  Json all = Json::object();
  constexpr std::array kNames = {"from", "to", "lane", "text", "sentence"};
  for (std::size_t c = 0; c < kNames.size(); ++c) all.set(kNames[c], packed("i32", columns[c]));
  return all.set("strings", std::move(strings));
}

Json panel_json(const ViewPanel& panel) {
  return Json::object()
      .set("id", panel.id)
      .set("title", panel.title)
      .set("unit", panel.unit)
      .set("lines", list_json(panel.lines, line_json))
      .set("limits",
           list_json(panel.limits,
                     [](const Limit& l) { return Json::object().set("value", l.value).set("label", l.label); }))
      .set("lanes", list_json(panel.lanes, lane_json))
      .set("texts", texts_json(panel.texts))
      .set("marks",
           list_json(panel.marks,
                     [](const EventMark& m) { return Json::object().set("row", row_json(m.row)).set("text", m.text); }))
      .set("logarithmic", panel.logarithmic)
      .set("detail", panel.detail)
      .set("when", when_json(panel.when));
}

Json reading_json(const Reading& reading) {
  return Json::object()
      .set("label", reading.label)
      .set("unit", reading.unit)
      .set("channel", reading.channel)
      .set("sd", reading.sd)
      .set("words", plain_list(reading.words))
      .set("digits", reading.digits)
      .set("when", when_json(reading.when));
}

Json bars_json(const BarList& list) {
  return Json::object()
      .set("title", list.title)
      .set("value_head", list.value_head)
      .set("aside_head", list.aside_head)
      .set("unit", list.unit)
      .set("aside_unit", list.aside_unit)
      .set("rows", list_json(list.rows,
                             [](const BarList::Row& row) {
                               return Json::object()
                                   .set("label", row.label)
                                   .set("title", row.title)
                                   .set("value", row.value)
                                   .set("aside", row.aside)
                                   .set("option", row.option);
                             }))
      .set("selector", list.selector)
      .set("total", list.total)
      .set("when", when_json(list.when));
}

Json selector_json(const Selector& selector) {
  return Json::object()
      .set("id", selector.id)
      .set("label", selector.label)
      .set("options", plain_list(selector.options))
      .set("chosen", plain_list(selector.chosen))
      .set("multiple", selector.multiple);
}

// --- Scenes ---------------------------------------------------------------------------------------------------------

const char* joint_name(JointType type) {
  switch (type) {
    case JointType::revolute:
    case JointType::continuous: return "revolute";
    case JointType::prismatic: return "prismatic";
    default: return "fixed";
  }
}

Json shape_json(const DrawnShape& shape) {
  Json drawn =
      Json::object()
          .set("kind", std::string(to_string(shape.kind)))
          .set("pose", pose_json(shape.X_LS))
          .set("size", vector_json(shape.size))
          .set("color", plain_list(std::array{shape.color[0], shape.color[1], shape.color[2], shape.color[3]}));
  if (shape.kind == ShapeKind::mesh) {
    drawn.set("vertices", packed("f32", shape.vertices)).set("indices", packed("i32", shape.indices));
  }
  return drawn;
}

Json robot_json(const SceneRobot& robot, const DrawnRobot& drawn) {
  const auto motion_of = [&](const std::string& joint) -> const SceneRobot::Joint* {
    const auto found =
        std::find_if(robot.joints.begin(), robot.joints.end(), [&](const auto& j) { return j.name == joint; });
    return found == robot.joints.end() ? nullptr : &*found;
  };
  return Json::object()
      .set("root", robot.description.root)
      .set("links",
           list_json(drawn.links,
                     [](const DrawnLink& link) {
                       return Json::object().set("name", link.name).set("shapes", list_json(link.shapes, shape_json));
                     }))
      .set("joints", list_json(robot.description.joints,
                               [&](const JointDescription& joint) {
                                 const SceneRobot::Joint* motion = motion_of(joint.name);
                                 return Json::object()
                                     .set("name", joint.name)
                                     .set("type", joint_name(joint.type))
                                     .set("parent", joint.parent)
                                     .set("child", joint.child)
                                     .set("pose", pose_json(joint.X_PJ))
                                     .set("axis", vector_json(joint.axis))
                                     .set("position", motion ? motion->position : kNoChannel)
                                     .set("tints", motion ? list_json(motion->tints,
                                                                      [](const auto& tint) {
                                                                        return Json::object()
                                                                            .set("channel", tint.channel)
                                                                            .set("when", when_json(tint.when));
                                                                      })
                                                          : Json::array());
                               }))
      .set("base", plain_list(robot.base))
      .set("ghost", robot.ghost)
      .set("when", when_json(robot.when));
}

Json anchor_json(const Anchor& anchor) { return Json::object().set("robot", anchor.robot).set("link", anchor.link); }

/// What every thing in a scene has.
template <class Thing>
Json thing_json(const Thing& thing) {
  Json json = Json::object().set("name", thing.name).set("when", when_json(thing.when));
  if constexpr (requires { thing.anchor; }) json.set("anchor", anchor_json(thing.anchor));
  if constexpr (requires { thing.tone; }) json.set("tone", tone_json(thing.tone));
  if constexpr (requires { thing.unit; }) {
    json.set("unit", thing.unit).set("meters_per_unit", thing.meters_per_unit);
  }
  return json;
}

Json scene_json(const Scene& scene) {
  Json robots = Json::array();
  std::string note = scene.note;
  for (const SceneRobot& robot : scene.robots) {
    const DrawnRobot drawn = drawn_robot(robot.description, robot.meshes ? *robot.meshes : MeshFiles{});
    robots.push_back(robot_json(robot, drawn));
    // Who asked for no meshes knows that none are drawn.
    for (const std::string& told : {drawn.note, robot.meshes ? drawn.meshes : std::string()}) {
      if (!told.empty() && !robot.ghost) note += (note.empty() ? "" : " ") + told;
    }
  }
  return Json::object()
      .set("title", scene.title)
      .set("note", note)
      .set("robots", std::move(robots))
      .set("arrows",
           list_json(scene.arrows,
                     [](const SceneArrow& a) {
                       return thing_json(a).set("vector", plain_list(a.vector)).set("from", plain_list(a.from));
                     }))
      .set("ellipsoids",
           list_json(scene.ellipsoids,
                     [](const SceneEllipsoid& e) { return thing_json(e).set("axes", plain_list(e.axes)); }))
      .set("trails",
           list_json(scene.trails, [](const SceneTrail& t) { return thing_json(t).set("point", plain_list(t.point)); }))
      .set("polygons", list_json(scene.polygons,
                                 [](const ScenePolygon& p) {
                                   return thing_json(p).set("points", list_json(p.points, vector_json));
                                 }))
      .set("frames", list_json(scene.frames,
                               [](const SceneFrame& f) {
                                 return thing_json(f).set("X_AF", pose_json(f.X_AF)).set("target", f.target);
                               }))
      .set("ground", scene.ground)
      .set("when", when_json(scene.when));
}

}  // namespace

Sampling sample_rows(Eigen::Index rows, Eigen::Index focus) {
  Sampling sampling;
  sampling.whole_end = rows;
  if (rows > kWholeRows) {
    sampling.bin = (rows + kOverviewBins - 1) / kOverviewBins;
    sampling.whole_begin = focus < 0 ? 0 : std::clamp<Eigen::Index>(focus - kWindowRows, 0, rows);
    sampling.whole_end = focus < 0 ? 0 : std::clamp<Eigen::Index>(focus + kWindowRows + 1, 0, rows);
  }
  const auto binned = [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index at = begin; at < end; at += sampling.bin) {
      sampling.blocks.push_back({at, std::min(at + sampling.bin, end)});
    }
  };
  binned(0, sampling.whole_begin);
  for (Eigen::Index row = sampling.whole_begin; row < sampling.whole_end; ++row) {
    sampling.blocks.push_back({row, row + 1});
  }
  binned(sampling.whole_end, rows);
  for (const Sampling::Block& block : sampling.blocks) {
    sampling.rows.push_back(static_cast<std::int32_t>(block.begin));
    if (block.end - block.begin > 1) sampling.rows.push_back(static_cast<std::int32_t>((block.begin + block.end) / 2));
  }
  return sampling;
}

std::string views_json(const Views& views) {
  std::vector<Sampling> samplings;
  Json runs = Json::array();
  for (const Run& run : views.runs) {
    samplings.push_back(sample_rows(run.rows, samplings.empty() ? views.focus : -1));
    runs.push_back(run_json(run, samplings.back()));
  }
  const std::string text = Json::object()
                               .set("schema", "antaeus.views/1")
                               .set("runs", std::move(runs))
                               .set("channels", channels_json(views, samplings))
                               .set("selectors", list_json(views.selectors, selector_json))
                               .set("scenes", list_json(views.scenes, scene_json))
                               .set("panels", list_json(views.panels, panel_json))
                               .set("bars", list_json(views.bars, bars_json))
                               .set("readings", list_json(views.readings, reading_json))
                               .set("columns", list_json(views.columns, reading_json))
                               .set("focus", row_json(views.focus))
                               .set("focus_name", views.focus_name)
                               .set("comparisons_name", views.comparisons_name)
                               .set("note", views.note)
                               .dump(-1);
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
