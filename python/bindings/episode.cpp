// Recorded and synthetic episodes. Their matrices are views: an Episode does not change in Python.
#include "antaeus/episode/episode.hpp"

#include <nanobind/stl/pair.h>

#include "antaeus/episode/synthetic_episode.hpp"
#include "convert.hpp"
#include "fields.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::TwinKind> : EnumerationCaster<antaeus::TwinKind, "antaeus.TwinKind"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

void bind_recorded(nb::module_& module) {
  bind_struct<EpisodeChannel>(module, "EpisodeChannel", "One file, npz member or group of CSV columns that was read.");
  bind_struct<Episode, Arrays::views>(
      module, "Episode",
      "Samples of one robot in motor order, N steps by rows. Empty matrices were not recorded. Arrays are read-only "
      "views.")
      .def_prop_ro(
          "invalid_steps",
          [](const Episode& self) {
            return std::vector<std::ptrdiff_t>(self.invalid_steps.begin(), self.invalid_steps.end());
          },
          "Rows with NaN or infinity in q, tau or the quaternion.")
      .def("steps", &Episode::steps, "N: rows of the channels.")
      .def("has_time", &Episode::has_time, "Whether there is a clock.")
      .def("has_imu", &Episode::has_imu, "Whether there are orientations.")
      .def("sample_time", &Episode::sample_time, "Median, s; NaN without time stamps or with one step.")
      .def(
          "observe",
          [](const Episode& self, Eigen::Index step) {
            if (step < 0 || step >= self.steps()) {
              throw nb::index_error(("step " + std::to_string(step) + " of " + std::to_string(self.steps())).c_str());
            }
            Observation observation;
            self.observe(step, observation);
            return observation;
          },
          "step"_a, "The Observation of one step.");

  const std::string signature =
      options_signature<EpisodeOptions>("def load_episode(path: str | os.PathLike, robot: Robot", ") -> Episode");
  const std::string doc = options_doc<EpisodeOptions>(
      "Reads a folder of .npy files (tau, qpos; target_dof, dq, time, imu_quat_xyzw or imu_quat_wxyz, imu_gyro, "
      "imu_acc "
      "optional), an .npz with members of those names, or a .csv or .parquet with a header. Other names in use (q, "
      "effort, velocity, …) are guessed, which a note says. [channels] of the robot's profile are applied. Rows with "
      "NaN keep their place. EpisodeError names file, place and remedy.");
  module.def(
      "load_episode",
      [](const std::filesystem::path& path, const Robot& robot, const nb::kwargs& options) {
        return load_episode(path, robot, options_from<EpisodeOptions>(options));
      },
      "path"_a, "robot"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str());
  const std::string any_signature =
      options_signature<EpisodeOptions>("def read_episode(path: str | os.PathLike, robot: Robot", ") -> Episode");
  module.def(
      "read_episode",
      [](const std::filesystem::path& path, const Robot& robot, const nb::kwargs& options) {
        return read_episode(path, robot, options_from<EpisodeOptions>(options));
      },
      "path"_a, "robot"_a, "options"_a, nb::sig(any_signature.c_str()),
      "load_episode without refusing values: a clock that goes back, an accelerometer in g, NaN throughout, one row, "
      "no "
      "torques or no positions (their matrices are empty then). For who says what is wrong with a log. EpisodeError "
      "where "
      "nothing can be read.");
  module.def(
      "cut_episode",
      [](const Episode& episode, double from, double to) {
        Eigen::Index first_step = 0;
        Episode part = cut_episode(episode, from, to, first_step);
        return std::make_pair(std::move(part), first_step);
      },
      "episode"_a, "from_"_a = -1.0, "to"_a = -1.0,
      "The part with from_ ≤ time ≤ to, s, and the number of its first step; a negative limit is none.");
  module.def("write_episode", &write_episode, "episode"_a, "folder"_a,
             "Writes what is present as .npy files, whole or not at all. Error where the folder cannot be written.");
}

void bind_synthetic(nb::module_& module) {
  bind_enumeration<TwinKind>(module,
                             "pushes (after RE1): real pushes at the wrists. good (after RE2), incident (after RE3): "
                             "nobody pushes; the torso's residual of those runs.");
  bind_struct<SyntheticEpisode, Arrays::views>(
      module, "SyntheticEpisode",
      "An episode and everything that was true while it was recorded. Arrays are read-only views.")
      .def_prop_ro(
          "wrenches",
          [](nb::handle_t<SyntheticEpisode> self) {
            nb::list arrays;
            for (const SampleMatrix& matrix : nb::cast<const SyntheticEpisode&>(self).wrenches) {
              arrays.append(nb::cast(view(matrix, self)));
            }
            return arrays;
          },
          nb::sig("def wrenches(self) -> list[numpy.typing.NDArray[numpy.float64]]"),
          "Per endpoint [N × 6]: on the robot, frame origin, world axes, N, N·m.");
  const TwinOptions defaults;
  module.def(
      "make_twin",
      [](const Robot& robot, std::string_view kind, double rate, double duration, double torque_noise,
         std::uint64_t seed, bool motor_side_torque) {
        return make_twin(robot, parse_enum<TwinKind>(kind, "make_twin.kind"),
                         {.rate = rate,
                          .duration = duration,
                          .torque_noise = torque_noise,
                          .seed = seed,
                          .motor_side_torque = motor_side_torque});
      },
      "robot"_a, "kind"_a, nb::kw_only(), "rate"_a = defaults.rate, "duration"_a = defaults.duration,
      "torque_noise"_a = defaults.torque_noise, "seed"_a = defaults.seed,
      "motor_side_torque"_a = defaults.motor_side_torque,
      "A twin of an episode with exact truth. rate: samples a second; duration: s, 0 for the kind's own; torque_noise: "
      "sd of white noise, N·m. OptionsError for an unknown kind.");
}

}  // namespace

void bind_episode(nb::module_& module) {
  bind_recorded(module);
  bind_synthetic(module);
}

}  // namespace antaeus::python
