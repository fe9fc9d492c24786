// Inverse kinematics of a list of targets as `antaeus ik` answers it: numbers, reasons, page.
#include "antaeus/ik/ik_run.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <array>
#include <memory>
#include <optional>
#include <variant>

#include "antaeus/ik/ik_story.hpp"
#include "antaeus/ik/ik_trace.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "fields.hpp"
#include "ik.hpp"
#include "interruption.hpp"
#include "logs.hpp"
#include "pages.hpp"

namespace antaeus::python {

namespace {

/// A result, shared with the traces that are made of it.
struct IkRun {
  std::shared_ptr<const IkResult> result;
};
constexpr void visit_fields(const IkRun*, auto&& visit) {
  using R = IkRun;
  visit(field("robot", "", "its title", [](const R& r) -> auto& { return r.result->robot; }));
  visit(field("frame", "", "that was brought to the targets",
              [](const R& r) -> auto& { return r.result->request.frame; }));
  visit(
      field("all_reached", "", "whether every target is reached", [](const R& r) { return r.result->all_reached(); }));
  visit(field("start", "", "[joints] as used, within the limits, rad or m; empty: none",
              [](const R& r) -> auto& { return r.result->start; }));
  visit(field("pulled_in", "", "joints of the start that were outside their limits",
              [](const R& r) -> auto& { return r.result->pulled_in; }));
  visit(field("largest_step", "", "of a path, rad or m; NaN with fewer than two answers",
              [](const R& r) { return r.result->largest_step; }));
  visit(field("steps", "", "of a path: those in which a joint moves far",
              [](const R& r) -> auto& { return r.result->steps; }));
  visit(field("cpu_us", "µs", "[N] of each solve with timing; else empty",
              [](const R& r) -> auto& { return r.result->cpu_us; }));
  visit(field("remarks", "", "what a reader must know, one sentence each",
              [](const R& r) -> auto& { return r.result->remarks; }));
}

/// The ways of three methods to a result's answers.
struct IkRunTrace {
  std::shared_ptr<const IkResult> result;
  IkTrace trace;
};

SavedForms ik_forms(const IkRun& self) {
  const IkResult& result = *self.result;
  return {{".html", "the page", [&] { return html_page(ik_page(result, drawn_meshes(result.description))); }},
          {".json", "the summary", [&] { return ik_summary(result).dump() + "\n"; }},
          {".csv", "the answers", [&] { return to_csv(solutions_table(result)); }},
          {".parquet", "the answers", [&] { return to_parquet(solutions_table(result)); }}};
}
SavedForms trace_forms(const IkRunTrace& self) {
  const IkResult& result = *self.result;
  const IkTrace& trace = self.trace;
  return {
      {".html", "the page", [&] { return html_page(ik_trace_page(result, trace, drawn_meshes(result.description))); }},
      {".csv", "the iterations", [&] { return to_csv(trace_table(result, trace)); }},
      {".parquet", "the iterations", [&] { return to_parquet(trace_table(result, trace)); }}};
}

// What goes in -------------------------------------------------------------------------------------------------------

using RunTargets = std::variant<std::filesystem::path, Pose, std::vector<Pose>, ArrayArgument>;
using RunStart = std::variant<std::string, ArrayArgument>;

/// Rows of three or seven numbers as a file has them, so that a number that is none becomes a target with a problem.
IkTargets targets_of_rows(const double* numbers, std::size_t rows, std::size_t columns) {
  constexpr std::array<const char*, 7> kNames = {"x", "y", "z", "qx", "qy", "qz", "qw"};
  Table table;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> column(rows);
    for (std::size_t row = 0; row < rows; ++row) column[row] = numbers[row * columns + c];
    table.add({kNames[c], "", "", std::move(column)});
  }
  return ik_targets_of(table, "targets");
}

IkTargets targets_of_run(const RunTargets& given) {
  if (const auto* file = std::get_if<std::filesystem::path>(&given)) return read_ik_targets(*file);
  IkTargets targets;
  targets.name = "targets";
  if (const auto* pose = std::get_if<Pose>(&given)) targets.poses = {*pose};
  if (const auto* poses = std::get_if<std::vector<Pose>>(&given)) targets.poses = *poses;
  const auto* argument = std::get_if<ArrayArgument>(&given);
  if (!argument || argument->array.size() == 0) return targets;
  const auto& array = argument->array;
  const std::size_t last = array.ndim() > 0 ? array.shape(array.ndim() - 1) : 0;
  if (array.ndim() >= 1 && array.ndim() <= 2 && (last == 3 || last == 7)) {
    return targets_of_rows(array.data(), array.ndim() == 1 ? 1 : array.shape(0), last);
  }
  const bool one = array.ndim() < 2 || (array.ndim() == 2 && last == 4 && array.shape(0) == 4);
  targets.poses = read_targets(*argument, one ? 0 : 1, true, "solve_ik.targets");
  return targets;
}

/// What a caller chose beside targets, robot and frame.
struct IkChoices {
  bool path;
  std::string method;
  std::optional<RunStart> start;
  bool position_only;
  int threads;
  bool timing;
};

/// The line that does the same; empty where an object of Python went in.
std::string ik_command(const RunTargets& targets, const RobotChoice& robot, const std::string& frame,
                       const IkChoices& choices, const std::vector<std::string>& assignments) {
  const auto* file = std::get_if<std::filesystem::path>(&targets);
  const auto* robot_file = std::get_if<std::filesystem::path>(&robot);
  const auto* start = choices.start ? std::get_if<std::string>(&*choices.start) : nullptr;
  if (!file || !robot_file || (choices.start && !start)) return {};
  const std::filesystem::path folder = folder_of(*file);
  std::string text = "antaeus ik --robot " + file_word(*robot_file, folder) + " --frame " + shell_word(frame) +
                     " --targets " + file_word(*file, folder);
  if (choices.position_only) text += " --position-only";
  if (choices.path) text += " --path";
  if (choices.method != "default") text += " --method " + choices.method;
  if (start) text += " --start " + shell_word(*start);
  for (const std::string& assignment : assignments) text += " --set " + shell_word(assignment);
  return text;
}

IkRun solved_ik(const RunTargets& targets, const RobotChoice& robot, const std::string& frame, const IkChoices& choices,
                const nb::dict& settings) {
  const std::vector<std::string> assignments = assignments_of(settings, "solve_ik.settings");
  IkRequest request{.frame = frame, .targets = {}, .path = choices.path};
  request.method = parse_enum<IkMethod>(choices.method, "solve_ik.method");
  request.threads = choices.threads;
  request.timing = choices.timing;
  const std::string command = ik_command(targets, robot, frame, choices, assignments);
  if (choices.start) {
    if (const auto* numbers = std::get_if<ArrayArgument>(&*choices.start)) {
      request.start = as_vector(*numbers, "solve_ik", "start");
    }
  }
  const Progress interrupted = until_interrupted();

  // From here on nothing is Python's but arrays, which are only read.
  const Unlocked unlocked;
  const auto* robot_file = std::get_if<std::filesystem::path>(&robot);
  Robot loaded =
      robot_file ? load_any_robot(robot_file->string(), MeshPolicy::ignored, Base::fixed) : std::get<Robot>(robot);
  if (robot_file) loaded.profile.base_source = BaseSource::caller;
  for (const std::string& assignment : assignments) loaded.profile.settings.set(assignment, "solve_ik.settings");
  ReachOptions options = loaded.profile.settings.get<ReachOptions>();
  options.position_only = options.position_only || choices.position_only;
  request.frame = ik_frame(loaded, frame);
  request.targets = targets_of_run(targets);
  if (choices.start) {
    if (const auto* text = std::get_if<std::string>(&*choices.start)) {
      request.start = parse_ik_start(loaded, KinematicChain(loaded.model, request.frame), *text, "solve_ik.start");
    }
  }
  auto result = std::make_shared<IkResult>(solve_ik(loaded, std::move(request), options, interrupted));
  result->command = command;
  return {std::move(result)};
}

int target_number(const IkRun& self, Py_ssize_t target) {
  if (target < 0 || target >= self.result->size()) throw nb::index_error("no target of that number");
  return static_cast<int>(target);
}

void bind_ik_result(nb::module_& module) {
  bind_struct<IkStep>(module, "IkStep", "From one target of a path to the next, where some joint moves far.");
  nb::class_<IkRunTrace> trace(module, "IkTrace",
                               "The way of pinv, dls and the default method to each of the first 20 targets.");
  bind_saving(trace, "trace.save", trace_forms,
              "Writes the page (.html) or the iterations (.csv, .parquet), whole or not at all; the bytes are those of "
              "the command line's trace.html, trace.csv, trace.parquet. OptionsError for a name that ends otherwise.")
      .def("__len__", [](const IkRunTrace& self) { return self.trace.size(); })
      .def("__repr__", [](const IkRunTrace& self) {
        return "IkTrace(" + std::to_string(self.trace.ways.size()) + " ways, " + std::to_string(self.trace.size()) +
               " iterations)";
      });
  nb::class_<IkRun> result(module, "IkResult", "Answers to a list of targets, and why each ended as it did.");
  bind_fields(result);
  bind_saving(result, "ik.save", ik_forms,
              "Writes the page (.html), the summary (.json) or the answers (.csv, .parquet), whole or not at all, and "
              "makes folders that are missing; the bytes are those of the command line's files. OptionsError, a "
              "ValueError, for a name that ends otherwise. The interpreter's lock is released meanwhile.")
      .def_prop_ro(
          "command", [](const IkRun& self) { return decoded(self.result->command); },
          "The command line that does the same; empty where a Robot or an array was handed over.")
      .def_prop_ro(
          "answers", [](const IkRun& self) -> const ReachBatch& { return self.result->answers; },
          nb::rv_policy::reference_internal, "Of all targets, in their order.")
      .def_prop_ro(
          "summary", [](const IkRun& self) { return loaded_json(ik_summary(*self.result).dump()); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"),
          "What summary.json holds (docs/reference/schemas.md); created at each call.")
      .def(
          "solution",
          [](const IkRun& self, Py_ssize_t target) { return self.result->solution(target_number(self, target)); },
          "target"_a, "The whole solution of one target. IndexError.")
      .def(
          "reason",
          [](const IkRun& self, Py_ssize_t target) { return self.result->reason(target_number(self, target)); },
          "target"_a, "One sentence: why the target ended as it did. IndexError.")
      .def(
          "trace",
          [](const IkRun& self) {
            const Unlocked unlocked;
            return IkRunTrace{self.result, trace_ik(*self.result)};
          },
          "Each of the first 20 targets solved once more, every iteration kept. OptionsError for a path.")
      .def("__len__", [](const IkRun& self) { return self.result->size(); })
      .def("__repr__", [](const IkRun& self) {
        return decoded("IkResult(" + self.result->request.frame + ": " + std::to_string(self.result->answers.reached) +
                       " of " + std::to_string(self.result->size()) + " reached)");
      });
}

}  // namespace

void bind_ik_run(nb::module_& module) {
  bind_ik_result(module);
  const ReachOptions options;
  const std::string doc = options_doc(
      "Joint positions that bring a frame to targets, or the reason why there are none: what `antaeus ik` does. "
      "targets: a .csv or .parquet with columns x, y, z and, for poses, qx, qy, qz, qw; N × 3 (x y z), N × 7 (x y z qx "
      "qy qz qw), N × 4 × 4, a Pose, or a list of Pose; world axes, m. robot: a name, a profile, a description (its "
      "root is held), or a Robot. frame: a link, joint or frame, or an endpoint's label. follow: each target is "
      "followed "
      "from the answer before. method: default, dls, pinv, dls_restarts. start: a pose of the profile, "
      "'joint=value,…', or one number for each joint of the chain. timing: also `cpu_us`. settings: 'ik.option' → "
      "value, over what the profile sets. The interpreter's lock is released meanwhile, and Ctrl-C ends it. A target "
      "that is not reached is no error; EpisodeError, ModelError, OptionsError: one line, with the nearest name.\n\nik",
      options_of(options), &options);
  module.def(
      "solve_ik",
      [](const RunTargets& targets, const RobotChoice& robot, const std::string& frame, bool path,
         const std::string& method, const std::optional<RunStart>& start, bool position_only, int threads, bool timing,
         const nb::dict& settings) {
        return solved_ik(targets, robot, frame, {path, method, start, position_only, threads, timing}, settings);
      },
      "targets"_a, "robot"_a, "frame"_a, nb::kw_only(), "follow"_a = false, "method"_a = "default",
      "start"_a = nb::none(), "position_only"_a = false, "threads"_a = 1, "timing"_a = false, "settings"_a = nb::dict(),
      nb::sig(
          "def solve_ik(targets: str | os.PathLike | Pose | collections.abc.Sequence[Pose] | numpy.typing.ArrayLike, "
          "robot: str | os.PathLike | Robot, frame: str, *, follow: bool = False, method: str = 'default', start: str "
          "| numpy.typing.ArrayLike | None = None, position_only: bool = False, threads: int = 1, timing: bool = "
          "False, settings: dict[str, float | str | bool] = {}) -> IkResult"),
      doc.c_str());
}

}  // namespace antaeus::python
