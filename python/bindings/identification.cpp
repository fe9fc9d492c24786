// Identification: what a robot's torques read while nothing touches it, from its logs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <algorithm>

#include "antaeus/core/messages.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/identification/identify.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "interruption.hpp"
#include "logs.hpp"
#include "pages.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::IdentifyMethod> : EnumerationCaster<antaeus::IdentifyMethod, "antaeus.IdentifyMethod"> {};
template <>
struct type_caster<antaeus::ChannelUse> : EnumerationCaster<antaeus::ChannelUse, "antaeus.ChannelUse"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

Episode episode_of(const Robot& robot, const Log& log) {
  if (const Episode* episode = std::get_if<Episode>(&log)) {
    require_fits(*episode, robot);
    return *episode;
  }
  return load_episode(std::get<std::filesystem::path>(log), robot, robot.profile.settings.get<EpisodeOptions>());
}

std::vector<IdentifyLog> logs_of(const Robot& robot, const std::vector<Log>& logs) {
  std::vector<IdentifyLog> result;
  for (const Log& log : logs) {
    IdentifyLog& read = result.emplace_back();
    read.episode = episode_of(robot, log);
    if (const auto* file = std::get_if<std::filesystem::path>(&log)) read.date = recorded_on(*file, read.episode);
  }
  return result;
}

/// Of logs and a robot as they were handed over, in this order.
struct Given {
  Given(nb::handle given_logs, nb::handle given_robot, const char* call)
      : robot((require_log_first(given_logs, given_robot, call), robot_from(given_robot, place(call, ".robot")))),
        logs(logs_from(given_logs, place(call, ".logs"))) {}
  RobotChoice robot;
  std::vector<Log> logs;

 private:
  static std::string place(std::string_view call, const char* argument) {
    return std::string(call.substr(0, call.find('('))) + argument;
  }
};
std::vector<MovingLog> moving_logs(const Robot& robot, const std::vector<Log>& logs,
                                   const std::vector<std::pair<double, double>>& spans) {
  std::vector<MovingLog> moving;
  for (const Log& log : logs) {
    moving.push_back({episode_of(robot, log), {}});
    for (const auto& [from, to] : spans) moving.back().spans.push_back({from, to});
  }
  return moving;
}

SavedForms identify_forms(const IdentifyResult& self) {
  return {{".html", "the page", [&self] { return html_page(identify_page(self)); }},
          {".json", "the summary", [&self] { return identify_summary(self).dump() + "\n"; }}};
}

void bind_parts(nb::module_& module) {
  bind_enumeration<IdentifyMethod>(
      module,
      "Which fit: moving (a fixed base that moves), held_pose (stretches of several runs), "
      "unlabelled (what no contact can explain).");
  bind_enumeration<ChannelUse>(
      module,
      "What became of a torque channel. used: a row of evidence. dead: it repeats one number. "
      "other_unit: its sign, gain or column is not the model's. unknown_unit: its gain cannot be "
      "determined, and another's is wrong. no_excitation: its joint moved too little, or one way "
      "only. saturated: it is at its limit most of the time.");
  nb::class_<ParameterEstimate> parameter(module, "ParameterEstimate", "One parameter: \"panda_joint2.coulomb\".");
  bind_fields(parameter)
      .def("identified", &ParameterEstimate::identified, "Whether the logs halve the prior's variance.")
      .def("__repr__", [](const ParameterEstimate& self) {
        return self.name + " " + nb::repr(nb::float_(self.value)).c_str() + " ± " +
               nb::repr(nb::float_(self.sd)).c_str() + " " + self.unit;
      });
  bind_struct<PayloadFit>(module, "PayloadFit", "What a gripper carries, from logs with and without it.");
  bind_struct<LogOfRobot>(module, "LogOfRobot", "What one log had of its own, beyond the mean of all logs.");
  bind_struct<Coverage>(
      module, "Coverage",
      "How often stated intervals held what was not fitted, of a joint's torque or an axis of the force "
      "that untouched torques read as.");
  bind_struct<CoverageTable>(module, "CoverageTable", "What was judged by a fit of what, and how it came out.");
  bind_struct<AnotherDay>(module, "AnotherDay", "What logs of more days are expected to buy at an endpoint.");
  nb::class_<IdentifiedJoint> joint(module, "IdentifiedJoint",
                                    "What became of one joint. Torques in the result's unit; NaN: no such figure.");
  bind_fields(joint).def("__repr__", [](const IdentifiedJoint& self) { return "IdentifiedJoint(" + self.joint + ")"; });
}

void bind_fits(nb::module_& module) {
  bind_struct<MovingFit>(module, "MovingFit", "Noise, friction and inertia of an arm that moves.");
  bind_struct<HoldOut>(module, "HoldOut", "A noise model's error on logs that it was not fitted to.");
  bind_struct<HeldStretch>(module, "HeldStretch", "What one stretch of a log without contact says.");
  bind_struct<HeldPoseNoise>(module, "HeldPoseNoise",
                             "Noise of a robot that holds a pose; arrays by row, as `motors`.");
  module.def(
      "fit_moving",
      [](nb::handle logs, nb::handle robot, const std::vector<std::pair<double, double>>& spans,
         const nb::kwargs& options) {
        const Given given(logs, robot, "fit_moving(logs, robot)");
        const auto chosen = options_from<MovingFitOptions>(options);
        const Unlocked unlocked;
        const Robot loaded = loaded_robot(given.robot);
        return fit_moving(loaded, moving_logs(loaded, given.logs, spans), chosen);
      },
      nb::arg("logs").none(), nb::arg("robot").none(), "spans"_a = nb::list(), "options"_a,
      nb::sig(options_signature<MovingFitOptions>("def fit_moving(logs: collections.abc.Sequence[str | os.PathLike | "
                                                  "Episode], robot: str | os.PathLike | Robot, "
                                                  "spans: collections.abc.Sequence[tuple[float, float]] = []",
                                                  ") -> MovingFit")
                  .c_str()),
      options_doc<MovingFitOptions>(
          "Fits logs of free motion of an arm on a fixed base. spans: where nothing touches, by "
          "the logs' own clock, s; none: all along.")
          .c_str());
  module.def(
      "judge_moving",
      [](nb::handle logs, nb::handle robot, const NoiseModel& noise, const nb::kwargs& options) {
        const Given given(logs, robot, "judge_moving(logs, robot, noise)");
        const auto chosen = options_from<MovingFitOptions>(options);
        const Unlocked unlocked;
        const Robot loaded = loaded_robot(given.robot);
        return judge_moving(loaded, noise, moving_logs(loaded, given.logs, {}), chosen);
      },
      nb::arg("logs").none(), nb::arg("robot").none(), "noise"_a, "options"_a,
      nb::sig(options_signature<MovingFitOptions>("def judge_moving(logs: collections.abc.Sequence[str | os.PathLike "
                                                  "| Episode], robot: str | os.PathLike | Robot, noise: NoiseModel",
                                                  ") -> HoldOut")
                  .c_str()),
      "Whether noise that was identified on some logs, as `fit_moving(…).noise`, holds on others without contact. "
      "Options "
      "as fit_moving. OptionsError, EpisodeError.");
  module.def(
      "read_held_stretch",
      [](nb::handle episode, nb::handle robot, const std::vector<std::string>& endpoints, double from, double to,
         const std::string& run) {
        const Given given(episode, robot, "read_held_stretch(episode, robot, endpoints, from_, to)");
        if (given.logs.size() != 1) throw nb::type_error("read_held_stretch.episode: several logs; give one");
        const Unlocked unlocked;
        const Robot loaded = loaded_robot(given.robot);
        return read_held_stretch(loaded, endpoints, episode_of(loaded, given.logs.front()), from, to, {}, run);
      },
      nb::arg("episode").none(), nb::arg("robot").none(), "endpoints"_a, "from_"_a, "to"_a, "run"_a = "",
      nb::sig(
          "def read_held_stretch(episode: str | os.PathLike | Episode, robot: str | os.PathLike | Robot, endpoints: "
          "collections.abc.Sequence[str], from_: float, to: float, run: str = '') -> HeldStretch"),
      "The part of a log with from_ ≤ t ≤ to, s from its first sample, in which nothing touches. EpisodeError where "
      "the "
      "robot does not stand still there.");
  module.def(
      "fit_held_pose",
      [](nb::handle given, nb::handle robot, const std::vector<std::string>& endpoints) {
        std::vector<HeldStretch> stretches;
        if (!nb::try_cast(given, stretches)) {
          require_log_first(given, robot, "fit_held_pose(stretches, robot, endpoints)");
          throw nb::type_error("fit_held_pose.stretches: no list of HeldStretch");
        }
        const RobotChoice choice = robot_from(robot, "fit_held_pose.robot");
        const Unlocked unlocked;
        return fit_held_pose(loaded_robot(choice), endpoints, stretches);
      },
      nb::arg("stretches").none(), nb::arg("robot").none(), "endpoints"_a,
      nb::sig("def fit_held_pose(stretches: collections.abc.Sequence[HeldStretch], robot: str | os.PathLike | Robot, "
              "endpoints: collections.abc.Sequence[str]) -> HeldPoseNoise"),
      "Offsets, their spread between runs and what is within them. EpisodeError for fewer than two runs.");
  module.def("noise_model", &noise_model, "model"_a, "noise"_a, "The same as what residuals are formed with.");
}

struct IdentifyTerms {
  std::vector<std::string> contact_free, endpoints;
  std::string payload_frame;
  bool friction, inertia, effort_units;
};

/// The line that does the same; empty where an object of Python went in.
std::string identify_command(const Given& given, const std::vector<Log>& loaded, const IdentifyTerms& terms) {
  const auto* robot_file = std::get_if<std::filesystem::path>(&given.robot);
  const auto is_file = [](const Log& log) { return std::holds_alternative<std::filesystem::path>(log); };
  if (!robot_file || given.logs.empty() || !std::ranges::all_of(given.logs, is_file) ||
      !std::ranges::all_of(loaded, is_file)) {
    return {};
  }
  const std::filesystem::path folder = folder_of(std::get<std::filesystem::path>(given.logs.front()));
  const auto word = [&](const Log& log) { return file_word(std::get<std::filesystem::path>(log), folder); };
  std::string text = "antaeus identify";
  for (const Log& log : given.logs) text += " " + word(log);
  text += " --robot " + file_word(*robot_file, folder);
  for (const std::string& stretch : terms.contact_free) text += " --contact-free " + shell_word(stretch);
  if (!terms.friction || !terms.inertia) {
    text += std::string(" --fit noise") + (terms.friction ? ",friction" : "") + (terms.inertia ? ",inertia" : "") +
            (loaded.empty() ? "" : ",payload");
  }
  for (const Log& log : loaded) text += " --loaded " + word(log);
  if (!terms.payload_frame.empty()) text += " --payload-frame " + shell_word(terms.payload_frame);
  for (const std::string& endpoint : terms.endpoints) text += " --endpoint " + shell_word(endpoint);
  if (terms.effort_units) text += " --effort-units";
  return text;
}

IdentifyResult run(const Given& given, const std::vector<Log>& loaded, const IdentifyTerms& terms) {
  const Progress interrupted = until_interrupted();
  const Unlocked unlocked;
  const Robot robot = loaded_robot(given.robot);
  IdentifyRequest request{.logs = logs_of(robot, given.logs)};
  label_contact_free(request.logs, terms.contact_free);
  request.loaded = logs_of(robot, loaded);
  request.endpoints = terms.endpoints;
  request.payload_frame = terms.payload_frame;
  request.friction = terms.friction;
  request.inertia = terms.inertia;
  request.effort_units = terms.effort_units;
  request.check = true;
  IdentifyResult result = identify(robot, std::move(request), interrupted);
  result.command = identify_command(given, loaded, terms);
  return result;
}

void bind_run(nb::module_& module) {
  nb::class_<IdentifyResult> result(module, "IdentifyResult", "What `antaeus identify` found.");
  bind_fields(result);
  bind_saving(result, "identify.save", identify_forms)
      .def(
          "save_page",
          [](const IdentifyResult&, const nb::args&, const nb::kwargs&) {
            throw nb::attribute_error("IdentifyResult.save_page is called save now: result.save(\"report.html\")");
          },
          nb::sig("def save_page(self, *args: object, **kwargs: object) -> None"), "Gone: `save` writes the page.")
      .def_prop_ro(
          "missing", [](const IdentifyResult& self) { return spelled(self.missing, FrontEnd::python); },
          "Why nothing was identified, one sentence each.")
      .def_prop_ro(
          "omitted",
          [](const IdentifyResult& self) {
            std::vector<std::pair<std::string, std::string>> all;
            for (const OmittedParameter& one : self.omitted) all.emplace_back(one.name, one.reason);
            return all;
          },
          "Name and reason of each parameter that was asked for and is not known.")
      .def_prop_ro(
          "summary", [](const IdentifyResult& self) { return loaded_json(identify_summary(self).dump()); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"), "What summary.json holds; created at each call.")
      .def("__repr__", [](const IdentifyResult& self) {
        return std::string("IdentifyResult(") + (self.identified ? "identified, " : "not identified, ") +
               std::string(to_string(self.method)) + ")";
      });
  module.def(
      "identify",
      [](nb::handle logs, nb::handle robot, const std::vector<std::string>& contact_free, nb::handle loaded,
         const std::string& payload_frame, const std::vector<std::string>& endpoints, bool friction, bool inertia,
         bool effort_units) {
        const Given given(logs, robot, "identify(logs, robot, contact_free)");
        return run(given, logs_from(loaded, "identify.loaded"),
                   {contact_free, endpoints, payload_frame, friction, inertia, effort_units});
      },
      nb::arg("logs").none(), nb::arg("robot").none(), "contact_free"_a = nb::list(), nb::kw_only(),
      "loaded"_a = nb::list(), "payload_frame"_a = "", "endpoints"_a = nb::list(), "friction"_a = true,
      "inertia"_a = true, "effort_units"_a = false,
      nb::sig("def identify(logs: collections.abc.Sequence[str | os.PathLike | Episode], robot: str | os.PathLike | "
              "Robot, contact_free: collections.abc.Sequence[str] = [], *, loaded: collections.abc.Sequence[str | "
              "os.PathLike | Episode] = [], payload_frame: str = '', endpoints: collections.abc.Sequence[str] = [], "
              "friction: bool = True, inertia: bool = True, effort_units: bool = False) -> IdentifyResult"),
      "What `antaeus identify` does with logs, each an Episode or a path. contact_free: \"all\", \"FROM:TO\" in "
      "seconds "
      "from each log's first sample, or \"LOG=FROM:TO\"; none: unlabelled. The interpreter's lock is released "
      "meanwhile. "
      "Logs that do not suffice are no error: `missing` says for what.");
  module.def(
      "with_noise", &with_noise, "robot"_a, "noise"_a.none(),
      "The same robot with an identified noise; None: with its assumed figures, as for torques that a simulation "
      "made. OptionsError for another robot's.");
}

}  // namespace

void bind_identification(nb::module_& module) {
  bind_parts(module);
  bind_fits(module);
  bind_run(module);
}

}  // namespace antaeus::python
