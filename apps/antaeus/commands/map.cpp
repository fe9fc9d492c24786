// antaeus map: gain, κ and sd over two joints or over a list of poses, as a figure and as a table.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/pose/figures.hpp"
#include "antaeus/pose/pose_map.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

/// What one quantity of one endpoint spans over the poses.
struct MappedRange {
  std::string endpoint;
  MappedQuantity of;
  double least = kInfinity, most = -kInfinity, below = 0.0;
};
constexpr void visit_fields(const MappedRange*, auto&& visit) {
  using R = MappedRange;
  visit(file_field("endpoint", "", &R::endpoint));
  visit(file_field("quantity", "", [](const R& r) { return r.of.quantity; }));
  visit(file_field("unit", "", [](const R& r) { return unit_of(r.of.quantity); }));
  visit(file_field("limit", "", [](const R& r) { return r.of.limit; }));
  visit(file_field("minimum", "", [](const R& r) { return std::isfinite(r.least) ? r.least : kNaN; }));
  visit(file_field("maximum", "", [](const R& r) { return std::isfinite(r.most) ? r.most : kNaN; }));
  visit(file_field("share_below", "", &R::below));
}

struct MapCommand {
  RobotChoice robot;
  PoseChoice pose;
  EndpointChoice endpoints;
  std::vector<std::string> joints, poses;
  std::string out = "antaeus-map", quantity = "all";
  int steps = kMapSteps;
  bool json = false, out_given = false;
  std::string tables;  ///< that were written

  int run() {
    const Robot loaded = robot.load();
    const std::vector<std::string> frames = endpoints.frames(loaded);
    const std::vector<MappedQuantity> quantities = wanted(loaded, frames);
    return poses.empty() ? over_joints(loaded, frames, quantities) : over_list(loaded, frames, quantities);
  }

  std::vector<MappedQuantity> wanted(const Robot& loaded, const std::vector<std::string>& frames) const {
    std::vector<MappedQuantity> all = mapped_quantities(loaded, frames);
    if (quantity == "all") return all;
    std::vector<std::string> names = {"all"};
    for (const MappedQuantity& q : all) names.emplace_back(to_string(q.quantity));
    std::erase_if(all, [&](const MappedQuantity& q) { return quantity != to_string(q.quantity); });
    if (!all.empty()) return all;
    throw_unknown<OptionsError>("--quantity", "quantity", quantity, names);
  }

  int over_joints(const Robot& loaded, const std::vector<std::string>& frames,
                  const std::vector<MappedQuantity>& quantities) {
    if (joints.size() != 2) {
      throw OptionsError("--joint", std::to_string(joints.size()) + " given", "name two joints, or give --poses");
    }
    for (const std::string& joint : joints) motor_named(loaded.model, joint, "--joint");
    const LabelledPose held = pose.load(loaded, {});
    const PoseMap map = map_poses(loaded, endpoints.endpoints.empty() ? moved(loaded, frames) : frames, held, joints[0],
                                  joints[1], steps, progress_bar("map"));
    write(draw_pose_map(map, quantities, "pose-map"), pose_table(map));
    const std::vector<Note> notes = held_notes(loaded, held, map.endpoints);
    if (json) {
      Json marks = Json::array();
      for (const MapMark& mark : map.marks) {
        marks.push_back(Json::object()
                            .set("pose", mark.name)
                            .set("x_" + map.unit_x, mark.x)
                            .set("y_" + map.unit_y, mark.y)
                            .set("in_plane", mark.in_plane));
      }
      print(with_base(with_notes(Json::object()
                                     .set("schema", "antaeus.map/1")
                                     .set("pose", map.pose)
                                     .set("joints", Json(Json::Array{map.joint_x, map.joint_y}))
                                     .set("steps", steps)
                                     .set("poses", static_cast<std::int64_t>(map.x.size() * map.y.size()))
                                     .set("marks", std::move(marks))
                                     .set("quantities", to_json(spans(map.endpoints, map.samples, quantities))),
                                 notes),
                      loaded)
                .dump() +
            "\n");
      return kFine;
    }
    print(heading("Map over " + map.joint_x + " and " + map.joint_y + ", " + std::to_string(steps) + " × " +
                  std::to_string(steps) + " poses, other joints as in " + map.pose) +
          ranges(spans(map.labels, map.samples, quantities)) + "\n" + notes_text(notes) + "  " + base_line(loaded) +
          written());
    return kFine;
  }

  /// Of joints that the map does not move.
  std::vector<Note> held_notes(const Robot& loaded, const LabelledPose& held,
                               const std::vector<std::string>& frames) const {
    std::vector<Note> notes = pose_notes(loaded, held.q, pose.typed(), frames);
    std::erase_if(notes, [&](const Note& note) {
      return note.code != NoteCode::effort_limit && (note.subject == joints[0] || note.subject == joints[1]);
    });
    const std::vector<Note> left_out = untold(loaded, frames);
    notes.insert(notes.end(), left_out.begin(), left_out.end());
    return notes;
  }

  /// Why the sd of some endpoints is no number to judge them by.
  static std::vector<Note> untold(const Robot& loaded, const std::vector<std::string>& frames) {
    std::vector<Note> notes;
    const PoseQuality quality(loaded, frames);
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const std::string why = quality.untold_force(static_cast<int>(k));
      if (!why.empty()) notes.push_back({NoteCode::sd_of_prior, frames[k], {why}});
    }
    return notes;
  }

  /// Those of the frames that a joint of the map moves; all when none is moved, and the library says so.
  std::vector<std::string> moved(const Robot& loaded, const std::vector<std::string>& frames) const {
    std::vector<std::string> some;
    for (const std::string& frame : frames) {
      const std::vector<int> motors = loaded.model.supporting_motors(loaded.model.frame(frame));
      const bool any = std::any_of(joints.begin(), joints.end(), [&](const std::string& joint) {
        return std::find(motors.begin(), motors.end(), loaded.model.motor(joint)) != motors.end();
      });
      if (any) some.push_back(frame);
    }
    return some.empty() ? frames : some;
  }

  int over_list(const Robot& loaded, const std::vector<std::string>& frames,
                const std::vector<MappedQuantity>& quantities) {
    if (!joints.empty() || !pose.pose.empty() || !pose.positions.empty()) {
      throw OptionsError("--poses", "given together with --joint, --pose or --positions", "give one or the other");
    }
    std::vector<LabelledPose> all;
    for (const std::string& item : poses) {
      if (std::filesystem::path(item).extension() == ".csv") {
        for (LabelledPose& read : poses_from_table(loaded, read_csv(item), item)) all.push_back(std::move(read));
      } else {
        all.push_back({item, named_pose(loaded, item, "--poses")});
      }
    }
    const PoseList list = list_poses(loaded, frames, std::move(all), progress_bar("map"));
    write(draw_figure(pose_list_figure(list, quantities, "pose-list")), pose_table(list));
    std::vector<Note> notes = untold(loaded, frames);
    for (const LabelledPose& one : list.poses) {
      for (int m = 0; m < one.q.size(); ++m) {
        if (std::optional<Note> outside = outside_limits(loaded.model, m, one.q[m])) {
          outside->subject = one.name + ": " + outside->subject;
          notes.push_back(std::move(*outside));
        }
      }
    }
    constexpr std::size_t kToldNotes = 20;
    if (notes.size() > kToldNotes) {
      const std::size_t more = notes.size() - kToldNotes;
      notes.resize(kToldNotes);
      notes.push_back({NoteCode::more_positions, "", {more}});
    }
    if (json) {
      print(with_base(with_notes(Json::object()
                                     .set("schema", "antaeus.map/1")
                                     .set("poses", static_cast<std::int64_t>(list.poses.size()))
                                     .set("quantities", to_json(spans(list.endpoints, list.samples, quantities))),
                                 notes),
                      loaded)
                .dump() +
            "\n");
      return kFine;
    }
    print(heading(std::to_string(list.poses.size()) + " poses") + ranges(spans(list.labels, list.samples, quantities)) +
          "\n" + notes_text(notes) + "  " + base_line(loaded) + written());
    return kFine;
  }

  bool writes() const { return !json || out_given; }
  void write(std::string svg, const Table& table) {
    if (!writes()) return;
    FileSet files(out);
    files.add("map.svg", std::move(svg));
    tables = add_table(files, "map", table);
    commit(files, "map");
  }
  std::string written() const {
    return "\n  Written: " + printable((std::filesystem::path(out) / "map.svg").string()) + ", " + tables + "\n";
  }

  static std::vector<MappedRange> spans(const std::vector<std::string>& names,
                                        const std::vector<std::vector<PoseSample>>& samples,
                                        const std::vector<MappedQuantity>& quantities) {
    std::vector<MappedRange> all;
    for (std::size_t k = 0; k < names.size(); ++k) {
      for (const MappedQuantity& q : quantities) {
        MappedRange range{names[k], q};
        for (const PoseSample& sample : samples[k]) {
          const double value = sample.value(q.quantity);
          range.least = std::min(range.least, value);
          range.most = std::max(range.most, value);
          range.below += value < q.limit ? 1.0 / static_cast<double>(samples[k].size()) : 0.0;
        }
        all.push_back(std::move(range));
      }
    }
    return all;
  }

  static std::string ranges(const std::vector<MappedRange>& spans) {
    TextTable table({"endpoint", "of", "unit", "least", "most", "limit", "poses below it"});
    for (const MappedRange& r : spans) {
      table.add({r.endpoint, std::string(to_string(r.of.quantity)), std::string(unit_of(r.of.quantity)),
                 condition(r.least, 2), condition(r.most, 2), fixed(r.of.limit, 1), fixed(100 * r.below, 1) + " %"});
    }
    return table.text();
  }
};

}  // namespace

void add_map(CLI::App& app, Run& run) {
  auto command = std::make_shared<MapCommand>();
  CLI::App* verb = app.add_subcommand("map", "map gain, condition number and sd over two joints or a list of poses");
  command->robot.add_to(*verb);
  command->robot.add_threads_to(*verb);
  command->pose.add_to(*verb, false);
  command->endpoints.add_to(*verb);
  verb->add_option("--joint,-j", command->joints, "joint of an axis; give two, the x axis first")
      ->option_text("NAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--poses", command->poses,
                   "instead of joints: named poses, or a .csv with motor columns (repeatable)")
      ->option_text("NAME|FILE")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--steps", command->steps, "steps along each joint (default 41)")->option_text("N");
  verb->add_option("--quantity,-q", command->quantity, "quantity to draw: gain, kappa, sd or all (default)")
      ->option_text("NAME");
  CLI::Option* out =
      verb->add_option("--out,-o", command->out, "folder of map.svg, map.csv and map.parquet")->option_text("DIR");
  verb->add_flag("--json", command->json, "print JSON instead of a table; files only with --out");
  verb->footer(
      "Example: antaeus map --robot h1_2 --pose zero -e 'left wrist' -j left_shoulder_pitch_joint -j left_elbow_joint");
  verb->callback([command, out, &run] {
    command->out_given = out->count() > 0;
    run = [command] { return command->run(); };
  });
}

}  // namespace antaeus::cli
