#include "logs.hpp"

#include <algorithm>

#include "antaeus/core/note.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/episode/foreign_log.hpp"
#include "antaeus/sim/mujoco_robot.hpp"

namespace antaeus::python {

namespace {

std::string python_type(nb::handle value) { return nb::inst_name(value).c_str(); }

/// Nothing where the value is neither text nor os.PathLike.
std::optional<std::filesystem::path> path_from(nb::handle value) {
  if (!PyUnicode_Check(value.ptr()) && !PyBytes_Check(value.ptr()) && !nb::hasattr(value, "__fspath__")) return {};
  std::filesystem::path path;
  if (nb::try_cast(value, path)) return path;
  // A NUL, or half a character: nanobind would say "bad_cast".
  throw OptionsError("path", nb::repr(value).c_str() + std::string(" can be no file's name"), "give a path or a name");
}

/// Whether it is a robot that comes with Antaeus and no file: what the other order has in the log's place.
bool names_robot(nb::handle value) {
  if (nb::isinstance<Robot>(value)) return true;
  if (!PyUnicode_Check(value.ptr())) return false;
  const auto name = nb::cast<std::string>(value);
  std::error_code none;
  return std::ranges::count(robot_names(), name) > 0 && !std::filesystem::exists(name, none);
}

}  // namespace

void require_log_first(nb::handle log, nb::handle robot, const std::string& call) {
  const bool is_robot = robot.is_none() || nb::isinstance<Robot>(robot) || path_from(robot).has_value();
  if (is_robot && !names_robot(log)) return;
  const bool is_log = nb::isinstance<Episode>(robot) || PyDict_Check(robot.ptr()) || PyList_Check(robot.ptr()) ||
                      PyTuple_Check(robot.ptr());
  if (!is_log && !names_robot(log)) return;  // no order would help: the argument says so
  const std::string function = call.substr(0, call.find('('));
  throw nb::type_error((function + ": what was recorded comes first, then the robot; call " + call).c_str());
}

Log log_from(nb::handle value, const std::string& place) {
  if (nb::isinstance<Episode>(value)) return nb::cast<const Episode&>(value);
  if (auto path = path_from(value)) return std::move(*path);
  throw nb::type_error((place + ": of type " + python_type(value) + "; give a path or an Episode").c_str());
}

std::vector<Log> logs_from(nb::handle values, const std::string& place) {
  std::vector<Log> logs;
  if (nb::isinstance<Episode>(values) || path_from(values)) {
    logs.push_back(log_from(values, place));  // one log is a list of one
    return logs;
  }
  if (!nb::hasattr(values, "__iter__")) {
    throw nb::type_error((place + ": of type " + python_type(values) + "; give a list of paths or Episodes").c_str());
  }
  for (const nb::handle value : nb::iter(values)) logs.push_back(log_from(value, place));
  return logs;
}

RobotChoice robot_from(nb::handle value, const std::string& place) {
  if (nb::isinstance<Robot>(value)) return nb::cast<const Robot&>(value);
  if (auto path = path_from(value)) return std::move(*path);
  throw nb::type_error((place + ": of type " + python_type(value) + "; give a name, a path or a Robot").c_str());
}

std::optional<RobotChoice> robot_or_none(nb::handle value, const std::string& place) {
  if (value.is_none()) return {};
  return robot_from(value, place);
}

Robot loaded_robot(const RobotChoice& robot) {
  const auto* file = std::get_if<std::filesystem::path>(&robot);
  return file ? load_any_robot(file->string(), MeshPolicy::ignored, {}) : std::get<Robot>(robot);
}

void require_fits(const Episode& episode, const Robot& robot) {
  const Eigen::Index motors = robot.model.motor_count();
  if (episode.steps() == 0) throw EpisodeError(episode.name, "no steps", "give a log that holds some");
  for (const auto& [name, samples] : {std::pair("q", &episode.q), std::pair("tau", &episode.tau)}) {
    if (samples->cols() == motors) continue;
    throw EpisodeError(episode.name,
                       std::string(name) + " has " + std::to_string(samples->cols()) + " columns, and the " +
                           robot.profile.name + " has " + std::to_string(motors) + " motors",
                       "give a log of this robot");
  }
}

void convert_recordings_here() {
  set_log_converter([](const std::filesystem::path& recording, const std::filesystem::path& folder) {
    const Locked locked;
    try {
      hold_when_ended([&] {
        nb::module_::import_("antaeus.formats.convert")
            .attr("into_folder")(decoded(recording.string()), decoded(folder.string()));
      });
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_OSError)) throw;
      // "place: problem; remedy", as errors of the library are.
      const auto line = nb::cast<std::string>(nb::str(error.value()));
      const std::size_t end = std::min(line.find(": "), line.size());
      throw EpisodeError(line.substr(0, end), line.substr(std::min(end + 2, line.size())));
    }
  });
}

nb::str decoded(const std::string& text) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

std::vector<std::string> assignments_of(const nb::dict& settings, const std::string& place) {
  std::vector<std::string> assignments;
  Settings known;
  for (const auto& [key, value] : settings) {
    const std::string name = text_of(key, place + ": a name");
    assignments.push_back(name + "=" + option_text(place + ": " + name, value));
    known.set(assignments.back(), place);
  }
  for (const Note& note : known.notes()) {
    if (PyErr_WarnEx(PyExc_DeprecationWarning, note_text(note, FrontEnd::python).c_str(), 1) < 0)
      throw nb::python_error();
  }
  return assignments;
}

}  // namespace antaeus::python
