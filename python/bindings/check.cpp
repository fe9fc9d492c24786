// Whether a log is what its robot's profile says: findings, mistakes to plant, and the profile that mends them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <optional>

#include "antaeus/check/check_log.hpp"
#include "antaeus/check/describe.hpp"
#include "antaeus/check/fix.hpp"
#include "antaeus/check/mutate.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "logs.hpp"
#include "pages.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::Fault> : EnumerationCaster<antaeus::Fault, "antaeus.Fault"> {};
template <>
struct type_caster<antaeus::Severity> : EnumerationCaster<antaeus::Severity, "antaeus.Severity"> {};
template <>
struct type_caster<antaeus::JointUse> : EnumerationCaster<antaeus::JointUse, "antaeus.JointUse"> {};
template <>
struct type_caster<antaeus::TorqueStage> : EnumerationCaster<antaeus::TorqueStage, "antaeus.TorqueStage"> {};
template <>
struct type_caster<antaeus::GravityContent> : EnumerationCaster<antaeus::GravityContent, "antaeus.GravityContent"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

Episode episode_of_check(const Log& log, const Robot& robot) {
  const auto* file = std::get_if<std::filesystem::path>(&log);
  return file ? read_checked_log(*file, robot).load() : std::get<Episode>(log);
}

/// The line that does the same; empty where an object of Python went in.
std::string check_command(const Log& episode, const std::optional<RobotChoice>& robot,
                          const std::vector<std::string>& assignments) {
  const auto* file = std::get_if<std::filesystem::path>(&episode);
  const auto* robot_file = robot ? std::get_if<std::filesystem::path>(&*robot) : nullptr;
  if (!file || (robot && !robot_file)) return {};
  const std::filesystem::path folder = folder_of(*file);
  std::string text = "antaeus check " + file_word(*file, folder);
  if (robot) text += " --robot " + file_word(*robot_file, folder);
  for (const std::string& assignment : assignments) text += " --set " + shell_word(assignment);
  return text;
}

CheckResult checked(nb::handle given_log, nb::handle given_robot, const nb::dict& settings) {
  require_log_first(given_log, given_robot, "check(log, robot)");
  const Log episode = log_from(given_log, "check.episode");
  const std::optional<RobotChoice> robot = robot_or_none(given_robot, "check.robot");
  const std::vector<std::string> assignments = assignments_of(settings, "check.settings");
  const std::string command = check_command(episode, robot, assignments);
  const Unlocked unlocked;
  if (!robot && !assignments.empty()) throw OptionsError("check.settings", "they are of a robot", "give one");
  std::optional<Robot> known;
  if (robot) known = loaded_robot(*robot);
  for (const std::string& assignment : assignments) known->profile.settings.set(assignment, "check.settings");
  CheckResult result;
  if (const auto* file = std::get_if<std::filesystem::path>(&episode)) {
    result = check_file(*file, known ? &*known : nullptr);
    result.command = command;
  } else if (const Episode& log = std::get<Episode>(episode); known) {
    result = check_log(*known, log, known->profile.settings.get<CheckOptions>());
    result.series = check_series(*known, log, result);
  } else {
    result = check_log(raw_log(log));
  }
  return result;
}

Episode planted(nb::handle given_log, nb::handle given_robot, std::string_view fault, std::vector<std::string> joints,
                const std::optional<double>& size) {
  require_log_first(given_log, given_robot, "mutate(log, robot, fault)");
  const Log episode = log_from(given_log, "mutate.episode");
  const RobotChoice robot = robot_from(given_robot, "mutate.robot");
  PlantedFault one{parse_enum<Fault>(fault, "mutate.fault"), std::move(joints)};
  if (size) one.size = *size;
  const Unlocked unlocked;
  const Robot loaded = loaded_robot(robot);
  return mutate(loaded, episode_of_check(episode, loaded), one);
}

std::pair<Robot, std::vector<std::string>> fixed_robot(const Robot& robot, const CheckResult& result) {
  std::vector<std::string> not_fixed;
  Robot fixed = robot;
  fixed.profile = fixed_profile(robot, result, not_fixed);
  return {std::move(fixed), spelled(not_fixed, FrontEnd::python)};
}

SavedForms check_forms(const CheckResult& self) {
  return {{".html", "the page", [&self] { return html_page(check_page(self)); }},
          {".json", "the summary", [&self] { return to_json(self).dump() + "\n"; }}};
}

/// With the robot that its page draws.
struct Described {
  Robot robot;
  RobotFacts facts;
};

Described described(nb::handle given_model, const std::optional<std::filesystem::path>& log) {
  const RobotChoice model = robot_from(given_model, "describe.model");
  const Unlocked unlocked;
  Described result{loaded_robot(model), {}};
  result.facts = describe(result.robot, log.value_or(std::filesystem::path()));
  return result;
}

SavedForms described_forms(const Described& self) {
  return {
      {".html", "the page",
       [&self] { return html_page(robot_page(self.robot, self.facts, drawn_meshes(self.robot.model.description()))); }},
      {".json", "the summary", [&self] { return to_json(self.facts).dump() + "\n"; }}};
}

void bind_described(nb::module_& module) {
  bind_enumeration<JointUse>(
      module,
      "What a joint is to a profile. motor: one of its columns. mimic: it follows another. "
      "passive: a caster. unlogged: no motor or no log holds it, so it is locked. fixed: it does "
      "not move. free: several degrees of freedom.");
  bind_struct<JointFacts>(module, "JointFacts", "A joint of a description, as a profile sees it.");
  bind_struct<EndpointFacts>(module, "EndpointFacts", "A frame at which a contact can be asked for, and why.");
  bind_struct<LogChannelFacts>(module, "LogChannelFacts", "A channel of a log, and what names its columns.");
  nb::class_<Described> type(module, "RobotFacts",
                             "What a profile of a robot needs to say, found by its tree and its names: `describe`.");
  bind_fields_of<RobotFacts>(type, [](const Described& self) -> const RobotFacts& { return self.facts; });
  bind_saving(type, "RobotFacts.save", described_forms)
      .def_prop_ro(
          "profile",
          [](const Described& self) { return decoded(described_profile(self.facts, std::filesystem::current_path())); },
          "The profile as text, commented, with the model relative to the working directory.")
      .def(
          "write",
          [](const Described& self, const std::filesystem::path& path) {
            const Unlocked unlocked;
            write_described_profile(self.facts, path);
          },
          "path"_a,
          "Writes the profile, whole or not at all, after it was loaded once; a file that is there is replaced, "
          "folders "
          "that are missing are made. path: str or os.PathLike that ends in .toml, else OptionsError, a ValueError; "
          "ModelError for a robot without a motor or without a file; Error where it cannot be written.")
      .def_prop_ro(
          "summary", [](const Described& self) { return loaded_json(to_json(self.facts).dump()); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"), "The same as a dictionary; created at each call.")
      .def("__repr__", [](const Described& self) {
        std::string frames;
        for (const EndpointFacts& e : self.facts.endpoints) {
          if (e.chosen) frames += (frames.empty() ? "" : " ") + e.endpoint.frame;
        }
        return decoded("RobotFacts(" + self.facts.name + ": " + std::to_string(self.facts.motors.size()) +
                       " motors, base " + (self.facts.base == Base::fixed ? "fixed" : "floating") + ", endpoints " +
                       (frames.size() > 120 ? frames.substr(0, 120) + "…" : frames) + ")");
      });
  module.def(
      "describe", &described, nb::arg("model").none(), "log"_a = nb::none(),
      nb::sig("def describe(model: str | os.PathLike | Robot, log: str | os.PathLike | None = None) -> RobotFacts"),
      "What a profile of a robot needs to say: motors, limbs, endpoints, base, IMU, limits; what `antaeus robot "
      "--write` writes. model: a .urdf, an MJCF .xml, a name, or a Robot. log: a log of it, whose motors, order and "
      "columns the profile is to have; None: none. What is guessed is in `guesses`, what the description does not say "
      "in `missing`. ModelError: no such robot; EpisodeError: the log cannot be read, or its columns are no joints of "
      "this robot. The interpreter's lock is released meanwhile.");
}

void bind_check_result(nb::module_& module) {
  bind_enumeration<Fault>(module, "A mistake in how a log was recorded or is read (docs/guide/check.md).");
  bind_enumeration<Severity>(
      module,
      "error: no force that is computed from the log can be trusted. warning: some may be wrong. "
      "note: it describes the log.");
  bind_enumeration<TorqueStage>(module, "What a torque channel is, as far as the log shows.");
  bind_enumeration<GravityContent>(module, "Whether gravity is in a torque channel.");
  nb::class_<Finding> finding(module, "Finding", "What is wrong with a log, with its size, its doubt and its remedy.");
  bind_fields(finding).def("__repr__", [](const Finding& self) {
    return "Finding(" + std::string(to_string(self.severity)) + ", " + std::string(to_string(self.fault)) + ": " +
           self.text + ")";
  });
  bind_struct<CheckedJoint>(module, "CheckedJoint", "What a log shows of one joint's torque channel, and of its zero.");
  bind_struct<TorqueDescription>(module, "TorqueDescription", "The torque channel in words that a machine can read.");
  bind_struct<CheckSeries>(module, "CheckSeries", "What a check's page draws of one joint, sample by sample.");
  nb::class_<CheckResult> result(module, "CheckResult", "What `antaeus check` found.");
  bind_fields(result);
  bind_saving(result, "check.save", check_forms)
      .def_prop_ro(
          "command", [](const CheckResult& self) { return decoded(self.command); },
          "The command line that does the same; empty where a Robot or an Episode was handed over, or another call "
          "made "
          "the check.")
      .def_prop_ro(
          "not_told", [](const CheckResult& self) { return spelled(self.not_told, FrontEnd::python); },
          "Faults that it cannot show, each with what would.")
      .def_prop_ro(
          "headline", [](const CheckResult& self) { return spelled(check_headline(self), FrontEnd::python); },
          "The most severe finding in one line, or \"No mistake found\".")
      .def_prop_ro("serious", &serious_findings, "Findings of severity error or warning: those to act on.")
      .def("has_errors", &has_errors, "Whether a finding has severity error.")
      .def_prop_ro(
          "summary", [](const CheckResult& self) { return loaded_json(to_json(self).dump()); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"),
          "What summary.json holds (docs/reference/schemas.md); created at each call.")
      .def("__repr__", [](const CheckResult& self) {
        return decoded("CheckResult(" + self.log + ": " + check_headline(self) + ")");
      });
}

}  // namespace

void bind_check(nb::module_& module) {
  bind_check_result(module);
  bind_described(module);
  const CheckOptions options;
  const std::string doc = options_doc(
      "Whether a log is what the robot's profile says: what `antaeus check` does. episode: a folder of .npy files, "
      ".npz, "
      ".csv or .parquet, or an Episode. robot: a name, a profile, a description, a Robot; None: channels alone are "
      "judged. settings: 'group.option' → value, over what the profile sets. The interpreter's lock is released "
      "meanwhile. What is wrong with the log is a finding, no error; EpisodeError: it cannot be read.\n\ncheck",
      options_of(options), &options);
  module.def("check", &checked, nb::arg("episode").none(), "robot"_a = nb::none(), "settings"_a = nb::dict(),
             nb::sig("def check(episode: str | os.PathLike | Episode, robot: str | os.PathLike | Robot | None = None, "
                     "settings: dict[str, float | str | bool] = {}) -> CheckResult"),
             doc.c_str());
  module.def(
      "plantable_faults",
      [] {
        std::vector<std::string> names;
        for (const Fault fault : plantable_faults()) names.emplace_back(to_string(fault));
        return names;
      },
      "Names that `mutate` takes.");
  module.def(
      "mutate", &planted, nb::arg("episode").none(), nb::arg("robot").none(), "fault"_a, "joints"_a = nb::list(),
      "size"_a = nb::none(),
      nb::sig("def mutate(episode: str | os.PathLike | Episode, robot: str | os.PathLike | Robot, fault: str, "
              "joints: collections.abc.Sequence[str] = (), size: float | None = None) -> Episode"),
      "A good log with one mistake planted in it: the positive control of a check. joints: names or labels; none: "
      "the fault's usual ones. size: in the fault's unit; None: its usual one. The last note says what was planted. "
      "OptionsError, a ValueError, for what cannot be planted in this log.");
  module.def(
      "fixed_robot", &fixed_robot, "robot"_a, "result"_a,
      "The robot with the profile that reads the log right, and a line for each finding that no key of a channel "
      "corrects. `write_profile(robot, folder)` of it writes the profile.");
}

}  // namespace antaeus::python
