// Identification: what a robot's torques read while nothing touches it, from its logs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <variant>

#include "antaeus/episode/raw_log.hpp"
#include "antaeus/identification/identify.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/files/profile_writer.hpp"
#include "convert.hpp"

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
  return load_any_episode(std::get<std::filesystem::path>(log), robot, robot.profile.settings.get<EpisodeOptions>());
}

std::vector<IdentifyLog> logs_of(const Robot& robot, const std::vector<LogChoice>& logs) {
  std::vector<IdentifyLog> result;
  for (const LogChoice& log : logs) result.push_back({.episode = episode_of(robot, log)});
  return result;
}

void bind_parts(nb::module_& module) {
  bind_enumeration<IdentifyMethod>(
      module,
      "Which fit: moving (a fixed base that moves), held_pose (stretches of several runs), "
      "unlabelled (what no contact can explain).");
  bind_enumeration<ChannelUse>(module,
                               "What became of a torque channel. used: a row of evidence. dead: it repeats one number. "
                               "other_unit: its gain against the model is far from 1. unknown_unit: its gain cannot be "
                               "told, and another's is wrong. no_excitation: its joint moved too little, or one way "
                               "only. saturated: it is at its limit most of the time.");
  nb::class_<ParameterEstimate>(module, "ParameterEstimate", "One parameter: \"panda_joint2.coulomb\".")
      .def_ro("name", &ParameterEstimate::name)
      .def_ro("unit", &ParameterEstimate::unit)
      .def_ro("value", &ParameterEstimate::value,
              "Added to the description's (inertia, rotor), or the friction itself.")
      .def_ro("sd", &ParameterEstimate::sd, "Standard error.")
      .def_ro("prior_sd", &ParameterEstimate::prior_sd)
      .def("identified", &ParameterEstimate::identified, "Whether the logs halve the prior's variance.")
      .def("__repr__", [](const ParameterEstimate& self) {
        return self.name + " " + nb::repr(nb::float_(self.value)).c_str() + " ± " +
               nb::repr(nb::float_(self.sd)).c_str() + " " + self.unit;
      });
  nb::class_<PayloadFit>(module, "PayloadFit", "What a gripper carries, from logs with and without it.")
      .def_ro("identified", &PayloadFit::identified)
      .def_ro("missing", &PayloadFit::missing)
      .def_ro("mass", &PayloadFit::mass, "kg")
      .def_ro("mass_sd", &PayloadFit::mass_sd, "kg")
      .def_prop_ro("center", frozen_field(&PayloadFit::center), kOwned, "[3] in the payload's frame, m.")
      .def_prop_ro("center_sd", frozen_field(&PayloadFit::center_sd), kOwned, "[3] m; NaN for a mass of about zero.");
  nb::class_<IdentifiedJoint>(module, "IdentifiedJoint",
                              "What became of one joint. Torques in the result's unit; NaN: no such figure.")
      .def_ro("joint", &IdentifiedJoint::joint)
      .def_ro("motor", &IdentifiedJoint::motor)
      .def_ro("identified", &IdentifiedJoint::identified, "Whether its row is evidence from now on.")
      .def_prop_ro("use", copied_field(&IdentifiedJoint::use))
      .def_ro("reason", &IdentifiedJoint::reason, "One sentence; empty: unremarkable.")
      .def_ro("gain", &IdentifiedJoint::gain, "Joint torque of the model per unit of the channel.")
      .def_ro("gain_sd", &IdentifiedJoint::gain_sd)
      .def_ro("offset", &IdentifiedJoint::offset)
      .def_ro("offset_error", &IdentifiedJoint::offset_error, "Its standard error.")
      .def_ro("white_sd", &IdentifiedJoint::white_sd)
      .def_ro("offset_sd", &IdentifiedJoint::offset_sd, "Between runs.")
      .def_ro("slow_sd", &IdentifiedJoint::slow_sd, "Within a run.")
      .def_ro("motion_sd", &IdentifiedJoint::motion_sd, "While the rest of the robot moves.")
      .def_ro("integral_time", &IdentifiedJoint::integral_time, "Of the error, s.")
      .def_ro("rms_before", &IdentifiedJoint::rms_before, "Of the residual by the description alone.")
      .def_ro("rms_after", &IdentifiedJoint::rms_after)
      .def_ro("hold_out_rms", &IdentifiedJoint::hold_out_rms, "On what was not fitted.")
      .def_ro("hold_out_covered", &IdentifiedJoint::hold_out_covered, "Share of it within 1.96 sd.")
      .def_ro("largest_speed", &IdentifiedJoint::largest_speed, "rad/s")
      .def("__repr__", [](const IdentifiedJoint& self) { return "IdentifiedJoint(" + self.joint + ")"; });
}

void bind_fits(nb::module_& module) {
  nb::class_<MovingFit>(module, "MovingFit", "Noise, friction and inertia of an arm that moves.")
      .def_ro("identified", &MovingFit::identified, "False: `missing` says for what the logs do not suffice.")
      .def_ro("missing", &MovingFit::missing)
      .def_ro("notes", &MovingFit::notes)
      .def_ro("unit", &MovingFit::unit)
      .def_ro("motion", &MovingFit::motion, "In which some joint moved, s.")
      .def_ro("prior_scale", &MovingFit::prior_scale, "How far the description may be wrong, by cross-validation.")
      .def_ro("parameters", &MovingFit::parameters)
      .def_ro("noise", &MovingFit::noise);
  nb::class_<HeldStretch>(module, "HeldStretch", "What one stretch of a log without contact says.")
      .def_ro("run", &HeldStretch::run)
      .def_ro("still", &HeldStretch::still, "Samples.")
      .def_ro("moving", &HeldStretch::moving, "Samples.")
      .def_prop_ro("q", frozen_field(&HeldStretch::q), kOwned, "[motors] median while still.")
      .def_prop_ro("residual", frozen_field(&HeldStretch::residual), kOwned,
                   "[motors] median of τ − g while still, N·m.")
      .def_ro("largest_speed", &HeldStretch::largest_speed, "rad/s");
  nb::class_<HeldPoseNoise>(module, "HeldPoseNoise", "Noise of a robot that holds a pose; arrays by row, as `motors`.")
      .def_ro("motors", &HeldPoseNoise::motors, "All that support an endpoint, ascending.")
      .def_ro("runs", &HeldPoseNoise::runs)
      .def_ro("stretches", &HeldPoseNoise::stretches)
      .def_prop_ro("offset", frozen_field(&HeldPoseNoise::offset), kOwned, "N·m")
      .def_prop_ro("offset_error", frozen_field(&HeldPoseNoise::offset_error), kOwned, "N·m")
      .def_prop_ro("offset_sd", frozen_field(&HeldPoseNoise::offset_sd), kOwned, "Between runs, N·m.")
      .def_prop_ro("slow_sd", frozen_field(&HeldPoseNoise::slow_sd), kOwned, "Within a run, N·m.")
      .def_prop_ro("white_sd", frozen_field(&HeldPoseNoise::white_sd), kOwned, "N·m")
      .def_prop_ro("motion_sd", frozen_field(&HeldPoseNoise::motion_sd), kOwned, "N·m; NaN: no stretch holds motion.")
      .def_ro("largest_speed", &HeldPoseNoise::largest_speed, "rad/s")
      .def_ro("notes", &HeldPoseNoise::notes);
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
  return identify(robot, std::move(request));
}

void bind_run(nb::module_& module) {
  nb::class_<IdentifyResult>(module, "IdentifyResult", "What `antaeus identify` found.")
      .def_ro("identified", &IdentifyResult::identified)
      .def_prop_ro("method", copied_field(&IdentifyResult::method))
      .def_ro("unit", &IdentifyResult::unit, "Of torques.")
      .def_ro("endpoints", &IdentifyResult::endpoints)
      .def_ro("missing", &IdentifyResult::missing, "Why nothing was identified, one sentence each.")
      .def_ro("notes", &IdentifyResult::notes)
      .def_ro("joints", &IdentifyResult::joints)
      .def_ro("parameters", &IdentifyResult::parameters, "Identified ones alone.")
      .def_prop_ro(
          "omitted",
          [](const IdentifyResult& self) {
            std::vector<std::pair<std::string, std::string>> all;
            for (const OmittedParameter& one : self.omitted) all.emplace_back(one.name, one.reason);
            return all;
          },
          "Name and reason of each parameter that was asked for and is not known.")
      .def_ro("hold_out", &IdentifyResult::hold_out, "What was held out, or why nothing was.")
      .def_ro("hold_out_covered", &IdentifyResult::hold_out_covered, "Share of its rows within 1.96 sd.")
      .def_ro("largest_speed", &IdentifyResult::largest_speed, "Of the envelope, rad/s; NaN: none.")
      .def_ro("payload", &IdentifyResult::payload)
      .def_ro("noise", &IdentifyResult::noise)
      .def_ro("provenance", &IdentifyResult::provenance)
      .def_prop_ro(
          "summary",
          [](const IdentifyResult& self) {
            return nb::module_::import_("json").attr("loads")(identify_summary(self).dump());
          },
          nb::sig("def summary(self) -> dict[str, typing.Any]"), "What summary.json holds; made anew at each call.")
      .def(
          "save_page",
          [](const IdentifyResult& self, const std::filesystem::path& file) {
            write_file(file, html_page(identify_page(self)));
          },
          "path"_a, "Writes report.html.")
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
