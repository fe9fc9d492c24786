// Recorded and synthetic episodes. Their matrices are views: an Episode does not change in Python.
#include "antaeus/episode/episode.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "logs.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::TwinKind> : EnumerationCaster<antaeus::TwinKind, "antaeus.TwinKind"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

// Arrays as an episode ----------------------------------------------------------------------------------------------

/// Channels that are matrices, by argument.
constexpr std::pair<const char*, SampleMatrix Episode::*> kMatrices[] = {
    {"q", &Episode::q},
    {"tau", &Episode::tau},
    {"v", &Episode::v},
    {"a", &Episode::a},
    {"target", &Episode::target},
    {"imu_quaternion", &Episode::imu_quaternion},
    {"imu_angular_velocity", &Episode::imu_angular_velocity},
    {"imu_specific_force", &Episode::imu_specific_force}};

/// An argument's numbers. \throws TypeError, EpisodeError that name the argument
ArrayArgument numbers_of(nb::handle value, const std::string& name, std::size_t dimensions, const char* shape) {
  ArrayArgument numbers;
  if (!nb::try_cast(value, numbers)) {
    throw nb::type_error(("Episode.from_arrays: " + name + " is no array of real numbers").c_str());
  }
  if (numbers.array.ndim() != dimensions) {
    throw EpisodeError("Episode.from_arrays: " + name, "it has " + std::to_string(numbers.array.ndim()) + " dimensions",
                       std::string("give ") + shape);
  }
  if (numbers.array.shape(0) == 0) {
    throw EpisodeError("Episode.from_arrays: " + name, "no steps", "give one or more");
  }
  return numbers;
}

Episode from_arrays(const nb::kwargs& arguments) {
  std::vector<std::string> known = {"robot", "time", "name", "simulated", "as_logged"};
  for (const auto& [name, field] : kMatrices) known.emplace_back(name);
  Episode arrays;
  arrays.name = "arrays";
  std::optional<RobotChoice> robot;
  bool as_logged = false;
  for (const auto& [key, value] : arguments) {
    const auto name = nb::cast<std::string>(key);
    const auto* matrix = std::ranges::find(kMatrices, name, [](const auto& one) { return std::string(one.first); });
    const auto flag = [&] {
      if (!PyBool_Check(value.ptr())) throw nb::type_error(("Episode.from_arrays: " + name + " is no bool").c_str());
      return value.is(Py_True);
    };
    if (std::ranges::count(known, name) == 0)
      throw_unknown<OptionsError>("Episode.from_arrays", "argument", name, known);
    if (value.is_none()) continue;
    if (matrix != std::end(kMatrices)) {
      const ArrayArgument numbers = numbers_of(value, name, 2, "two: steps, and columns");
      arrays.*matrix->second =
          Eigen::Map<const SampleMatrix>(numbers.array.data(), static_cast<Eigen::Index>(numbers.array.shape(0)),
                                         static_cast<Eigen::Index>(numbers.array.shape(1)));
    } else if (name == "time") {
      const ArrayArgument numbers = numbers_of(value, name, 1, "one: a stamp a step");
      arrays.time = Eigen::Map<const VectorX>(numbers.array.data(), static_cast<Eigen::Index>(numbers.array.shape(0)));
    } else if (name == "robot") {
      robot = robot_from(value, "Episode.from_arrays: robot");
    } else if (name == "name") {
      if (!PyUnicode_Check(value.ptr())) throw nb::type_error("Episode.from_arrays: name is no text");
      arrays.name = nb::cast<std::string>(value);
    } else if (name == "simulated") {
      arrays.simulated = flag();
    } else {
      as_logged = flag();
    }
  }
  if (!robot) {
    throw OptionsError("Episode.from_arrays: robot", "is missing",
                       "say whose the arrays are: a name, a path or a Robot");
  }
  const Unlocked unlocked;
  return episode_from_arrays(arrays, loaded_robot(*robot), as_logged ? ArrayTerms::as_logged : ArrayTerms::robots);
}

constexpr const char* kFromArraysSignature =
    "def from_arrays(*, q: numpy.typing.ArrayLike, tau: numpy.typing.ArrayLike, robot: str | os.PathLike | Robot, "
    "time: "
    "numpy.typing.ArrayLike | None = None, v: numpy.typing.ArrayLike | None = None, a: numpy.typing.ArrayLike | None = "
    "None, target: numpy.typing.ArrayLike | None = None, imu_quaternion: numpy.typing.ArrayLike | None = None, "
    "imu_angular_velocity: numpy.typing.ArrayLike | None = None, imu_specific_force: numpy.typing.ArrayLike | None = "
    "None, name: str = 'arrays', simulated: bool = False, as_logged: bool = False) -> Episode";
constexpr const char* kFromArraysDoc =
    "An episode of arrays, which are copied; checks, notes and hash are those of load_episode. q, tau, v, a, target "
    "[N × motors] in the robot's motor order, rad or m, N·m or N; time [N], s, never decreasing; imu_quaternion [N × "
    "4], "
    "x y z w, sensor in world; imu_angular_velocity, imu_specific_force [N × 3], sensor axes, rad/s and m/s². Rows "
    "with "
    "NaN keep their place. as_logged: [channels] of the robot's profile turns them into the robot's, as it does with a "
    "file's; else they are the robot's. EpisodeError, OptionsError, TypeError name the argument.";

Observation observed(const Episode& self, Eigen::Index step) {
  if (step < -self.steps() || step >= self.steps()) {
    throw nb::index_error(("step " + std::to_string(step) + " of " + std::to_string(self.steps())).c_str());
  }
  Observation observation;
  self.observe(step < 0 ? step + self.steps() : step, observation);
  return observation;
}

Observation step_of(const Episode& self, nb::handle step) {
  if (!PyIndex_Check(step.ptr())) {
    throw nb::type_error(
        ("Episode: steps are whole numbers or slices, not " + std::string(nb::inst_name(step).c_str())).c_str());
  }
  return observed(self, nb::cast<Eigen::Index>(nb::int_(nb::borrow(step))));
}

Episode steps_of(const Episode& self, const nb::slice& steps) {
  const auto [start, stop, step, count] = steps.compute(static_cast<std::size_t>(self.steps()));
  if (step != 1) throw OptionsError("Episode", "a slice whose step is not 1", "an episode is cut, not thinned");
  return cut_steps(self, start, static_cast<Eigen::Index>(count));
}

template <SampleMatrix Episode::* matrix>
auto channel(nb::handle_t<Episode> self) {
  return view(nb::cast<const Episode&>(self).*matrix, self);
}

void bind_recorded(nb::module_& module) {
  bind_struct<EpisodeChannel>(module, "EpisodeChannel", "One file, npz member or group of CSV columns that was read.");
  auto recorded = bind_struct<Episode, Arrays::views>(
      module, "Episode",
      "Samples of one robot in motor order, N steps by rows. Empty matrices were not recorded. Arrays are read-only "
      "views.");
  recorded.def_prop_ro("a", &channel<&Episode::a>, "[N × motors], rad/s² or m/s²")
      .def_prop_ro("imu_angular_velocity", &channel<&Episode::imu_angular_velocity>, "[N × 3] sensor axes [rad/s]")
      .def_prop_ro("imu_specific_force", &channel<&Episode::imu_specific_force>, "[N × 3] sensor axes [m/s²]")
      .def_ro("simulated", &Episode::simulated, "Whether a simulation made it.");
  recorded
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
            if (step < 0) throw nb::index_error(("step " + std::to_string(step)).c_str());
            return observed(self, step);
          },
          "step"_a, "The Observation of one step.")
      .def_static("from_arrays", &from_arrays, nb::sig(kFromArraysSignature), kFromArraysDoc)
      .def("__len__", &Episode::steps)
      .def("__getitem__", &steps_of, "steps"_a, nb::sig("def __getitem__(self, steps: slice) -> Episode"),
           "An Episode of those steps; EpisodeError where there are none.")
      .def("__getitem__", &step_of, nb::arg("step").none(), nb::sig("def __getitem__(self, step: int) -> Observation"),
           "The Observation of a step, from the end where it is negative; IndexError.")
      .def(
          "__iter__", [](nb::handle_t<Episode> self) { return nb::steal(PySeqIter_New(self.ptr())); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Observation]"), "One Observation a step, in order.");

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
        const auto chosen = options_from<EpisodeOptions>(options, robot.profile.settings.get<EpisodeOptions>());
        const Robot own = robot;  // the caller's may change once the lock is given away
        const Unlocked unlocked;
        return load_episode(path, own, chosen);
      },
      "path"_a, "robot"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str());
  const std::string any_signature =
      options_signature<EpisodeOptions>("def read_episode(path: str | os.PathLike, robot: Robot", ") -> Episode");
  module.def(
      "read_episode",
      [](const std::filesystem::path& path, const Robot& robot, const nb::kwargs& options) {
        const auto chosen = options_from<EpisodeOptions>(options, robot.profile.settings.get<EpisodeOptions>());
        const Robot own = robot;  // the caller's may change once the lock is given away
        const Unlocked unlocked;
        return read_episode(path, own, chosen);
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
        if (!episode.has_time()) {
          throw EpisodeError(episode.name, "no time stamps to cut by",
                             "leave from_ and to away, or slice: episode[i:j]");
        }
        Episode part = cut_episode(episode, from, to, first_step);
        return std::make_pair(std::move(part), first_step);
      },
      "episode"_a, "from_"_a = -1.0, "to"_a = -1.0,
      "The part with from_ ≤ time ≤ to, s, and the number of its first step; a negative limit is none.");
  module.def("write_episode", &write_episode, "episode"_a, "folder"_a, nb::call_guard<Unlocked>(),
             "Writes what is present as .npy files, whole or not at all. Error where the "
             "folder cannot be written.");
}

void bind_reader(nb::module_& module) {
  nb::class_<EpisodeReader>(
      module, "EpisodeReader",
      "A recorded log in blocks of steps: memory does not know how long it is. The blocks joined are what load_episode "
      "makes of the log. Whole in memory stay a table of up to 64 MiB, a channel whose name was guessed, and a log "
      "whose profile moves channels in time.")
      .def(
          "__init__",
          [](EpisodeReader* self, const std::filesystem::path& path, const Robot& robot) {
            const Robot own = robot;  // the caller's may change once the lock is given away
            const Unlocked unlocked;
            new (self) EpisodeReader(path, own, own.profile.settings.get<EpisodeOptions>());
          },
          "path"_a, "robot"_a, "Opens the log and looks at names and shapes. EpisodeError as load_episode.")
      .def_static(
          "as_received",
          [](const std::filesystem::path& path, const Robot& robot) {
            const Robot own = robot;
            const Unlocked unlocked;
            return EpisodeReader::as_received(path, own, own.profile.settings.get<EpisodeOptions>());
          },
          "path"_a, "robot"_a,
          "Its values are not checked, and before the profile's [channels]: as a driver sent them; a quaternion is x "
          "y z w. EpisodeError for a file that is not a log of the robot.")
      .def("block", &EpisodeReader::block, "first"_a, "count"_a,
           "Any steps, as an Episode. EpisodeError for steps that are not there.")
      .def("steps", &EpisodeReader::steps, "Of the whole log.")
      .def(
          "next",
          [](EpisodeReader& self, Eigen::Index count) {
            if (count < 1) throw OptionsError("EpisodeReader.next: count", "is below one", "give 1 or more");
            const Unlocked unlocked;
            return self.next(count);
          },
          "count"_a,
          "The next steps, `count` at most; None after the last. EpisodeError as load_episode: time that goes back, an "
          "accelerometer in g (with the last block).")
      .def_prop_ro(
          "notes", [](const EpisodeReader& self) { return self.judged().notes; },
          "How the log was read; complete after the last block.");
}

void bind_synthetic(nb::module_& module) {
  bind_enumeration<TwinKind>(module,
                             "pushes (after RE1): real pushes at the wrists. good (after RE2), incident (after RE3): "
                             "no push; the torso's residual of those runs.");
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
        const auto one = parse_enum<TwinKind>(kind, "make_twin.kind");
        const Robot own = robot;  // the caller's may change once the lock is given away
        const Unlocked unlocked;
        return make_twin(own, one,
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
  bind_reader(module);
  bind_synthetic(module);
}

}  // namespace antaeus::python
