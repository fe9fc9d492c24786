// Pages of logs without a verdict. The page of an audit is in audit.cpp.
#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>

#include "antaeus/check/check_log.hpp"
#include "antaeus/episode/log_summary.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "convert.hpp"
#include "logs.hpp"
#include "pages.hpp"
#include "shown_page.hpp"

namespace antaeus::python {

namespace {

ShownPage show(nb::handle given_log, nb::handle given_robot) {
  require_log_first(given_log, given_robot, "show(log, robot)");
  const Log episode = log_from(given_log, "show.episode");
  const std::optional<RobotChoice> robot = robot_or_none(given_robot, "show.robot");
  std::string command;
  const auto* file = std::get_if<std::filesystem::path>(&episode);
  const auto* robot_file = robot ? std::get_if<std::filesystem::path>(&*robot) : nullptr;
  if (file && (!robot || robot_file)) {
    const std::filesystem::path folder = folder_of(*file);
    command = "antaeus show " + file_word(*file, folder);
    if (robot_file) command += " --robot " + file_word(*robot_file, folder);
  }

  // From here on nothing is Python's: what went in was copied.
  const Unlocked unlocked;
  std::optional<Robot> loaded;
  if (robot) loaded = loaded_robot(*robot);
  const Robot* known = loaded ? &*loaded : nullptr;
  const std::shared_ptr<const MeshFiles> meshes = known ? drawn_meshes(known->model.description()) : nullptr;
  const auto in_memory = [&](const Episode& log) { return known ? raw_log(log, *known) : raw_log(log); };
  ShownPage shown;
  const auto from_file = [&] { return known ? load_raw_log(*file, *known) : load_raw_log(*file); };
  shown.log = std::make_shared<const RawLog>(file ? from_file() : in_memory(std::get<Episode>(episode)));
  const auto check = [&] {
    if (file) return check_shown_log(*file, *shown.log, known);
    if (known) return check_log(*known, std::get<Episode>(episode), known->profile.settings.get<CheckOptions>());
    return check_log(*shown.log);
  };
  const CheckResult checked = check();
  shown.page = show_page(*shown.log, known, meshes, command, &checked);
  shown.summary = log_summary(*shown.log, known).set("check", to_json(checked)).dump();
  return shown;
}

SavedForms shown_forms(const ShownPage& self) {
  return {{".html", "the page", [&self] { return html_page(self.page); }},
          {".json", "the summary", [&self] { return self.summary + "\n"; }}};
}

}  // namespace

void bind_show(nb::module_& module) {
  nb::class_<ShownPage> page(module, "Page", "A page made from data: text, tables and linked views in one HTML file.");
  bind_saving(page, "page.save", shown_forms)
      .def_prop_ro(
          "title", [](const ShownPage& self) { return decoded(self.page.title); },
          "What stands above: of a log its name.")
      .def_prop_ro(
          "summary", [](const ShownPage& self) { return loaded_json(self.summary); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"),
          "What is saved as .json: of a log what summary.json of `antaeus show` holds. Created at each call.")
      .def("__repr__", [](const ShownPage& self) { return decoded("Page(" + self.page.title + ")"); });
  bind_page_kit(module, page);
  module.def(
      "show", &show, nb::arg("episode").none(), "robot"_a = nb::none(),
      nb::sig("def show(episode: str | os.PathLike | Episode, robot: str | os.PathLike | Robot | None = None) -> "
              "Page"),
      "Any log as a page without a verdict: what is in it, what is missing, and the robot in space; what "
      "`antaeus show` does. episode: a folder of .npy files, .npz, .csv or .parquet of any robot, or an Episode. "
      "robot: a name, a profile, a description, a Robot, or None. The interpreter's lock is released meanwhile. "
      "EpisodeError, ModelError: one line, with the nearest name.");
}

}  // namespace antaeus::python
