// Identification: what a robot's torques read while nothing touches it, from its logs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <variant>

#include "antaeus/episode/raw_log.hpp"
#include "antaeus/identification/identify.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "pages.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::IdentifyMethod> : EnumerationCaster<antaeus::IdentifyMethod, "antaeus.IdentifyMethod"> {};
template <>
struct type_caster<antaeus::ChannelUse> : EnumerationCaster<antaeus::ChannelUse, "antaeus.ChannelUse"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

using LogChoice = std::variant<Episode, std::filesystem::path>;

Episode episode_of(const Robot& robot, const LogChoice& log) {
  if (const Episode* episode = std::get_if<Episode>(&log)) return *episode;
  return load_episode(std::get<std::filesystem::path>(log), robot, robot.profile.settings.get<EpisodeOptions>());
}

std::vector<IdentifyLog> logs_of(const Robot& robot, const std::vector<LogChoice>& logs) {
  std::vector<IdentifyLog> result;
  for (const LogChoice& log : logs) {
    IdentifyLog& read = result.emplace_back();
    read.episode = episode_of(robot, log);
    if (const auto* file = std::get_if<std::filesystem::path>(&log)) read.date = recorded_on(*file, read.episode);
  }
  return result;
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
      "told, and another's is wrong. no_excitation: its joint moved too little, or one way "
      "only. saturated: it is at its limit most of the time.");
  nb::class_<ParameterEstimate> parameter(module, "ParameterEstimate", "One parameter: \"panda_joint2.coulomb\".");
  bind_fields(parameter)
      .def("identified", &ParameterEstimate::identified, "Whether the logs halve the prior's variance.")
      .def("__repr__", [](const ParameterEstimate& self) {
        return self.name + " " + nb::repr(nb::float_(self.value)).c_str() + " ± " +
               nb::repr(nb::float_(self.sd)).c_str() + " " + self.unit;
      });
  bind_struct<PayloadFit>(module, "PayloadFit", "What a gripper carries, from logs with and without it.");
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
      [](const Robot& robot, const std::vector<Episode>& logs, const std::vector<std::pair<double, double>>& spans,
         const nb::kwargs& options) {
        std::vector<MovingLog> moving;
        for (const Episode& log : logs) {
          moving.push_back({log, {}});
          for (const auto& [from, to] : spans) moving.back().spans.push_back({from, to});
        }
        return fit_moving(robot, moving, options_from<MovingFitOptions>(options));
      },
      "robot"_a, "logs"_a, "spans"_a = nb::list(), "options"_a,
      nb::sig(
          options_signature<MovingFitOptions>("def fit_moving(robot: Robot, logs: collections.abc.Sequence[Episode], "
                                              "spans: collections.abc.Sequence[tuple[float, float]] = []",
                                              ") -> MovingFit")
              .c_str()),
      options_doc<MovingFitOptions>(
          "Fits logs of free motion of an arm on a fixed base. spans: where nothing touches, by "
          "the logs' own clock, s; none: all along.")
          .c_str());
  module.def(
      "judge_moving",
      [](const Robot& robot, const NoiseModel& noise, const std::vector<Episode>& logs, const nb::kwargs& options) {
        std::vector<MovingLog> moving;
        for (const Episode& log : logs) moving.push_back({log, {}});
        return judge_moving(robot, noise, moving, options_from<MovingFitOptions>(options));
      },
      "robot"_a, "noise"_a, "logs"_a, "options"_a,
      nb::sig(options_signature<MovingFitOptions>("def judge_moving(robot: Robot, noise: NoiseModel, logs: "
                                                  "collections.abc.Sequence[Episode]",
                                                  ") -> HoldOut")
                  .c_str()),
      "Whether noise that was identified on some logs, as `fit_moving(…).noise`, holds on others without contact. "
      "Options "
      "as fit_moving. OptionsError, EpisodeError.");
  module.def(
      "read_held_stretch",
      [](const Robot& robot, const std::vector<std::string>& endpoints, const Episode& episode, double from, double to,
         const std::string& run) { return read_held_stretch(robot, endpoints, episode, from, to, {}, run); },
      "robot"_a, "endpoints"_a, "episode"_a, "from_"_a, "to"_a, "run"_a = "",
      "The part of a log with from_ ≤ t ≤ to, s from its first sample, in which nothing touches. EpisodeError where "
      "the "
      "robot does not stand still there.");
  module.def(
      "fit_held_pose",
      [](const Robot& robot, const std::vector<std::string>& endpoints, const std::vector<HeldStretch>& stretches) {
        return fit_held_pose(robot, endpoints, stretches);
      },
      "robot"_a, "endpoints"_a, "stretches"_a,
      "Offsets, their spread between runs and what is within them. EpisodeError for fewer than two runs.");
  module.def("noise_model", &noise_model, "model"_a, "noise"_a, "The same as what residuals are formed with.");
}

struct IdentifyTerms {
  std::vector<std::string> contact_free, endpoints;
  std::string payload_frame;
  bool friction, inertia, effort_units;
};

IdentifyResult run(const Robot& robot, const std::vector<LogChoice>& logs, const std::vector<LogChoice>& loaded,
                   const IdentifyTerms& terms) {
  const nb::gil_scoped_release unlocked;
  IdentifyRequest request{.logs = logs_of(robot, logs)};
  label_contact_free(request.logs, terms.contact_free);
  request.loaded = logs_of(robot, loaded);
  request.endpoints = terms.endpoints;
  request.payload_frame = terms.payload_frame;
  request.friction = terms.friction;
  request.inertia = terms.inertia;
  request.effort_units = terms.effort_units;
  request.check = true;
  return identify(robot, std::move(request));
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
          "omitted",
          [](const IdentifyResult& self) {
            std::vector<std::pair<std::string, std::string>> all;
            for (const OmittedParameter& one : self.omitted) all.emplace_back(one.name, one.reason);
            return all;
          },
          "Name and reason of each parameter that was asked for and is not known.")
      .def_prop_ro(
          "summary", [](const IdentifyResult& self) { return loaded_json(identify_summary(self).dump()); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"), "What summary.json holds; made anew at each call.")
      .def("__repr__", [](const IdentifyResult& self) {
        return std::string("IdentifyResult(") + (self.identified ? "identified, " : "not identified, ") +
               std::string(to_string(self.method)) + ")";
      });
  module.def(
      "identify",
      [](const Robot& robot, const std::vector<LogChoice>& logs, const std::vector<std::string>& contact_free,
         const std::vector<LogChoice>& loaded, const std::string& payload_frame,
         const std::vector<std::string>& endpoints, bool friction, bool inertia, bool effort_units) {
        return run(robot, logs, loaded, {contact_free, endpoints, payload_frame, friction, inertia, effort_units});
      },
      "robot"_a, "logs"_a, "contact_free"_a = nb::list(), nb::kw_only(), "loaded"_a = nb::list(),
      "payload_frame"_a = "", "endpoints"_a = nb::list(), "friction"_a = true, "inertia"_a = true,
      "effort_units"_a = false,
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
