// Named runs in simulation.
#include <nanobind/stl/map.h>

#include <algorithm>

#include "convert.hpp"
#include "fields.hpp"
#include "interruption.hpp"
#include "pages.hpp"
#include "studies/clip.hpp"
#include "studies/experiment.hpp"
#include "studies/simulate_page.hpp"
#include "studies/space_flight.hpp"

namespace antaeus::python {

namespace {

/// A result with what its clip is made from.
struct Ran {
  ExperimentResult result;
  Settings settings;
};
constexpr void visit_fields(const Ran*, auto&& visit) { visit_part<ExperimentResult>(&Ran::result, visit); }

/// Settings as on the command line: the files' bytes are the same.
/// \param caller  whose name a message has
Settings settings_of(const nb::dict& given, const std::string& caller) {
  Settings settings;
  for (const auto& [key, value] : given) {
    const std::string option = text_of(key, caller + ".settings: a name");
    std::string assignment = option + "=" + option_text(option, value);
    if (caller == "run_space_scenario") assignment = space_assignment(assignment);
    Settings().set(assignment, caller);
    settings.set(assignment, "--set");  // as in the summary of the command line
  }
  return settings;
}

Ran run_flight(const std::string& name, const nb::dict& settings, const std::filesystem::path& robot,
               const std::string& frame, const std::string& plant, int seed) {
  Ran ran;
  ran.settings = settings_of(settings, "run_space_scenario");
  const auto flown = parse_enum<FlightPlant>(plant, "plant", "plant");
  const Unlocked unlocked;
  ran.result = run_space_scenario(name, {robot.string(), frame, flown, ran.settings, seed, until_interrupted()});
  return ran;
}

Ran run(const std::string& name, const nb::dict& settings, int seed) {
  Ran ran;
  ran.settings = settings_of(settings, "run_experiment");
  const Unlocked unlocked;
  ran.result = run_experiment(name, ran.settings, seed, until_interrupted());
  return ran;
}

/// Column → numbers.
nb::dict samples(const Ran& self) {
  nb::dict columns;
  for (const Column& column : self.result.samples.columns()) {
    const std::vector<double> numbers = self.result.samples.numbers(column.name);
    columns[column.name.c_str()] = fresh(Eigen::Map<const VectorX>(numbers.data(), std::ssize(numbers)));
  }
  return columns;
}

SavedForms run_forms(const Ran& self) {
  return {{".html", "the page",
           [&self] { return html_page(simulate_page(self.result, drawn_meshes(self.result.replay.description))); }},
          {".json", "the summary", [&self] { return experiment_summary_json(self.result).dump() + "\n"; }},
          {".csv", "the samples", [&self] { return to_csv(self.result.samples); }},
          {".parquet", "the samples", [&self] { return to_parquet(self.result.samples); }}};
}

/// One file where the name has an ending that says which; else all of them in a folder.
void save_run(const Ran& self, const std::filesystem::path& path, bool clip) {
  const SavedForms forms = run_forms(self);
  const bool one = std::ranges::find(forms, path.extension().string(), &SavedForm::ending) != forms.end();
  std::error_code no_such_folder;
  if (one && !std::filesystem::is_directory(path, no_such_folder)) {
    if (clip) throw OptionsError("save.clip", "a clip lies beside the page", "name a folder for them");
    save_form("save", path, forms);
    return;
  }
  const Unlocked unlocked;
  FileSet files(path);
  std::string told;
  if (clip) {
    Clip made = experiment_clip(self.result, self.settings, until_interrupted());
    files.add("clip.mp4", std::move(made.mp4));
    told = made.of_the_run;
  }
  add_simulation_files(self.result, files, told);
  files.commit();
}

}  // namespace

void bind_experiments(nb::module_& module) {
  bind_struct<Metric>(module, "Metric", "A number of a run, and what it had to be.")
      .def("has_criterion", &Metric::has_criterion, "Whether a limit judges it.")
      .def("is_met", &Metric::is_met, "NaN meets no criterion.")
      .def("__repr__", [](const Metric& self) {
        return "Metric(" + self.name + "=" + nb::repr(nb::float_(self.value)).c_str() + ")";
      });
  bind_struct<PhaseChange>(module, "PhaseChange", "A phase of a run begins, for a reason.");
  bind_struct<Variant>(module, "Variant", "One run among those of a comparison.");
  bind_struct<Comparison>(module, "Comparison", "Runs side by side: other laws, other contacts, other gains.");
  bind_struct<Ran>(module, "ExperimentResult", "What a run of antaeus simulate or antaeus space found.")
      .def(
          "_repr_html_", [](const Ran& self) { return notebook_html(run_forms(self)); },
          nb::sig("def _repr_html_(self) -> str"), kNotebookDoc)
      .def_prop_ro(
          "metrics",
          [](const Ran& self) {
            nb::dict metrics;
            for (const Metric& metric : self.result.metrics) metrics[metric.name.c_str()] = metric.value;
            return metrics;
          },
          nb::sig("def metrics(self) -> dict[str, float]"), "Name → number, SI units.")
      .def(
          "metric", [](const Ran& self, std::string_view name) { return self.result.metric(name); }, "name"_a,
          "With its criterion. Error with the nearest name.")
      .def(
          "is_met", [](const Ran& self) { return self.result.is_met(); }, "Whether every criterion is.")
      .def_prop_ro("samples", &samples, nb::sig("def samples(self) -> dict[str, numpy.typing.NDArray[numpy.float64]]"),
                   "Column → array, one number a row; created at each call.")
      .def_prop_ro(
          "summary", [](const Ran& self) { return loaded_json(experiment_summary_json(self.result).dump()); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"),
          "What summary.json holds (docs/reference/schemas.md); created at each call.")
      .def("save", &save_run, "path"_a, nb::kw_only(), "clip"_a = false,
           "Writes the page (.html), the summary (.json) or the samples (.csv, .parquet); under any other name all of "
           "them as a folder: report.html, summary.json, samples.parquet and samples.csv, with clip also clip.mp4. A "
           "file or folder appears whole or not at all; the bytes are those of the command line. Error where it cannot "
           "be "
           "written.")
      .def("__repr__", [](const Ran& self) {
        return "ExperimentResult(" + self.result.name + ": " + verdict_text(self.result) + ")";
      });
  module.def("experiment_names", &experiment_names, "What run_experiment knows.");
  module.def("experiment_summary", &experiment_summary, "name"_a, "One sentence. OptionsError with the nearest name.");
  module.def("run_experiment", &run, "name"_a, "settings"_a = nb::dict(), nb::kw_only(), "seed"_a = 1,
             nb::sig("def run_experiment(name: str, settings: dict[str, typing.Any] = {}, *, seed: int = 1) -> "
                     "ExperimentResult"),
             "What antaeus simulate runs. settings: \"group.option\" → value, e.g. {\"scene.friction\": 0.3}. "
             "OptionsError for an unknown name (with the nearest), ModelError for a scene that cannot be made. The "
             "interpreter's lock is released meanwhile, and Ctrl-C ends it.");
  module.def("space_scenario_names", &space_scenario_names, "What run_space_scenario knows.");
  module.def("space_scenario_summary", &space_scenario_summary, "name"_a,
             "One sentence. OptionsError with the nearest name.");
  module.def(
      "run_space_scenario", &run_flight, "name"_a, "settings"_a = nb::dict(), nb::kw_only(), "robot"_a = "",
      "frame"_a = "", "plant"_a = "pinocchio", "seed"_a = 1,
      nb::sig(
          "def run_space_scenario(name: str, settings: dict[str, typing.Any] = {}, *, robot: str | os.PathLike = '', "
          "frame: str = '', plant: str = 'pinocchio', seed: int = 1) -> ExperimentResult"),
      "What antaeus space flies. robot: name, profile, URDF or MJCF; empty: the scenario's own. settings: "
      "\"group.option\" → value, e.g. {\"flying.law\": \"tracker\", \"space.speed\": 0.2}. OptionsError for an "
      "unknown name or a scenario that the robot cannot fly, ModelError for a robot without an arm of 6 or 7 "
      "joints.");
}

}  // namespace antaeus::python
