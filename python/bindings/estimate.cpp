// The wrenches of a log, step by step, as the command line's verb of that name writes them.
#include "antaeus/audit/estimate.hpp"

#include <cmath>
#include <memory>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "convert.hpp"
#include "interruption.hpp"
#include "logs.hpp"
#include "shared_enumerations.hpp"
#include "tables.hpp"

namespace antaeus::python {

namespace {

constexpr const char* kOptions[] = {"estimator", "endpoints", "smooth", "threads", "settings"};

/// Keyword arguments of estimate().
struct Asked {
  EstimateRequest request;
  std::optional<int> threads;
  std::vector<std::string> assignments;
};

double seconds_of(nb::handle value) {
  if (!PyFloat_Check(value.ptr()) && !PyIndex_Check(value.ptr()) && !nb::hasattr(value, "__float__")) {
    throw nb::type_error(
        ("estimate.smooth: of type " + std::string(nb::inst_name(value).c_str()) + "; give seconds, above 0, or None")
            .c_str());
  }
  return nb::cast<double>(nb::float_(nb::borrow(value)));
}

Asked asked_of(const nb::dict& options) {
  Asked asked;
  for (const auto& [key, value] : options) {
    const auto name = nb::cast<std::string>(key);
    const std::string place = "estimate." + name;
    if (name == "estimator") {
      if (!PyUnicode_Check(value.ptr())) throw nb::type_error((place + ": no name").c_str());
      asked.request.estimator = parse_enum<EstimatorName>(nb::cast<std::string>(value), place, "estimator");
    } else if (name == "endpoints") {
      if (PyUnicode_Check(value.ptr())) {
        asked.request.endpoints = {nb::cast<std::string>(value)};
      } else if (!nb::try_cast(value, asked.request.endpoints)) {
        throw nb::type_error((place + ": no list of names").c_str());
      }
    } else if (name == "smooth") {
      if (!value.is_none()) asked.request.smooth = seconds_of(value);
    } else if (name == "threads") {
      if (!value.is_none()) asked.threads = detail::parse_integer(option_text(place, value), kAnyNumber, place);
      if (asked.threads && *asked.threads < 1) {
        throw OptionsError(place, std::to_string(*asked.threads) + " is fewer than one", "give 1 or more");
      }
    } else if (name == "settings") {
      if (!PyDict_Check(value.ptr())) throw nb::type_error((place + ": no dict of values by name").c_str());
      asked.assignments = assignments_of(nb::borrow<nb::dict>(value), place);
    } else {
      throw_unknown<OptionsError>("estimate", "option", name, {std::begin(kOptions), std::end(kOptions)});
    }
  }
  return asked;
}

Robot robot_with(const RobotChoice& robot, const Asked& asked) {
  Robot loaded = loaded_robot(robot);
  for (const std::string& one : asked.assignments) loaded.profile.settings.set(one, "estimate.settings");
  if (asked.threads) {
    loaded.profile.settings.set("replay.threads=" + std::to_string(*asked.threads), "estimate.threads");
  }
  return loaded;
}

EstimateTable estimate(nb::handle given_log, nb::handle given_robot, const nb::kwargs& options) {
  require_log_first(given_log, given_robot, "estimate(log, robot)");
  const Log log = log_from(given_log, "estimate.log");
  const RobotChoice robot = robot_from(given_robot, "estimate.robot");
  const Asked asked = asked_of(options);
  const Progress interrupted = until_interrupted();

  // From here on nothing is Python's: what went in was copied.
  const Unlocked unlocked;
  const Robot loaded = robot_with(robot, asked);
  const EstimatePlan plan = plan_estimate(loaded, asked.request);
  const auto* file = std::get_if<std::filesystem::path>(&log);
  Episode episode = file ? load_episode(*file, loaded, plan.options.episode) : std::get<Episode>(log);
  require_fits(episode, loaded);
  return estimate_log(loaded, std::move(episode), plan, interrupted);
}

std::string first_line(const EstimateTable& self) {
  std::string text = "EstimateTable(" + self.log + " of " + self.robot + ": " + self.estimator + " " +
                     std::string(to_string(self.sign)) + ", " + std::to_string(self.steps) + " steps, " +
                     std::to_string(self.table->rows()) + " rows";
  for (const auto& [verdict, count] : self.verdicts()) text += ", " + std::to_string(count) + " " + verdict;
  return text + ")";
}

std::vector<std::string> column_names(const EstimateTable& self) {
  std::vector<std::string> names;
  for (const Column& column : self.table->columns()) names.push_back(column.name);
  return names;
}

nb::object column_of(const EstimateTable& self, const std::string& name) {
  for (const Column& column : self.table->columns()) {
    if (column.name == name) return numpy_column(self.table, column);
  }
  const UnknownName text = unknown_name("column", name, column_names(self));
  throw nb::key_error((text.problem + "; " + text.remedy).c_str());
}

/// A LogEstimates with what it was planned by.
struct EstimateParts {
  EstimatePlan plan;
  std::unique_ptr<LogEstimates> parts;
};

EstimateParts parts_of_log(nb::handle given_log, nb::handle given_robot, const nb::kwargs& options) {
  require_log_first(given_log, given_robot, "LogEstimates(log, robot)");
  const Log log = log_from(given_log, "LogEstimates.log");
  const RobotChoice robot = robot_from(given_robot, "LogEstimates.robot");
  const Asked asked = asked_of(options);
  if (asked.request.smooth) {
    throw OptionsError("LogEstimates.smooth", "wants the whole log, not its parts", "call antaeus.estimate");
  }

  const Unlocked unlocked;
  const Robot loaded = robot_with(robot, asked);
  EstimatePlan plan = plan_estimate(loaded, asked.request);
  const auto* file = std::get_if<std::filesystem::path>(&log);
  if (!file) require_fits(std::get<Episode>(log), loaded);
  EpisodeReader reader =
      file ? EpisodeReader(*file, loaded, plan.options.episode) : EpisodeReader(std::get<Episode>(log));
  if (reader.steps() == 0) throw EpisodeError(reader.about().name, "no steps", "give a log that holds some");
  auto parts = std::make_unique<LogEstimates>(loaded, std::move(reader), plan);
  return {std::move(plan), std::move(parts)};
}

nb::tuple next_part(EstimateParts& self) {
  std::optional<Reconstruction> part;
  {
    const Progress interrupted = until_interrupted();
    const Unlocked unlocked;
    part = self.parts->next(interrupted);
  }
  if (!part) throw nb::stop_iteration();
  return nb::make_tuple(nb::cast(*self.parts->samples()), nb::cast(std::move(*part)));
}

void bind_parts(nb::module_& module) {
  nb::class_<EstimateParts>(
      module, "LogEstimates",
      "What `estimate` computes of a log, part after part, so that memory does not know how long the log is: an "
      "iterator of pairs, the samples of the part as an Episode and its Reconstruction. Their numbers are those of the "
      "whole log, to the bit.")
      .def(
          "__init__",
          [](EstimateParts* self, nb::handle log, nb::handle robot, const nb::kwargs& options) {
            new (self) EstimateParts(parts_of_log(log, robot, options));
          },
          nb::arg("log").none(), nb::arg("robot").none(), "options"_a,
          nb::sig(
              "def __init__(self, log: str | os.PathLike | Episode, robot: str | os.PathLike | Robot, *, estimator: "
              "str = 'posterior', endpoints: collections.abc.Sequence[str] = (), threads: int | None = None, "
              "settings: dict[str, float | str | bool] = {}) -> None"),
          "Arguments as those of `estimate`, and the same errors. Opens the log and checks it: where its set-up is "
          "wrong, no posterior is `ok`.")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __iter__(self) -> LogEstimates"),
          "Itself: a log is read once.")
      .def("__next__", &next_part, nb::sig("def __next__(self) -> tuple[Episode, Reconstruction]"),
           "The next part. EpisodeError where the log is damaged there. The interpreter's lock is released meanwhile.")
      .def(
          "steps", [](const EstimateParts& self) { return self.parts->steps(); }, "Of the whole log.")
      .def_prop_ro(
          "check", [](const EstimateParts& self) { return CheckResult(self.parts->check()); },
          "What `check` says of the log.")
      .def_prop_ro(
          "why_static", [](const EstimateParts& self) { return decoded(self.parts->why()); },
          "Why its residuals are static; empty where they are not.")
      .def_prop_ro(
          "notes", [](const EstimateParts& self) { return std::vector<Note>(self.parts->log().notes); },
          "How the log was read; complete after the last part.")
      .def_prop_ro(
          "left_out", [](const EstimateParts& self) { return spelled(self.plan.left_out, FrontEnd::python); },
          "Labels of endpoints that this estimator has no numbers of.");
}

void bind_estimates(nb::module_& module) {
  nb::class_<EstimateTable>(
      module, "EstimateTable",
      "Wrenches of a log, step by step: the table that `antaeus estimate` writes (docs/reference/schemas.md), one row "
      "a "
      "step "
      "and endpoint. result[\"Fz\"] is a column as a read-only array; texts are arrays of str, NaN is \"no number\".")
      .def_prop_ro("columns", &column_names, "Names, in the table's order.")
      .def("keys", &column_names, "As columns, so that dict(result) has all.")
      .def("__getitem__", &column_of, "column"_a,
           nb::sig("def __getitem__(self, column: str) -> numpy.typing.NDArray[typing.Any]"),
           "A column [N], one entry a step and endpoint. KeyError with the nearest name.")
      .def(
          "__contains__",
          [](const EstimateTable& self, nb::handle name) {
            return PyUnicode_Check(name.ptr()) &&
                   std::ranges::count(column_names(self), nb::cast<std::string>(name)) > 0;
          },
          "column"_a)
      .def(
          "__iter__", [](const EstimateTable& self) { return nb::iter(nb::cast(column_names(self))); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"), "Names of the columns.")
      .def(
          "__len__", [](const EstimateTable& self) { return self.table->rows(); }, "Rows.")
      .def(
          "to_numpy", [](const EstimateTable& self) { return numpy_columns(self.table); },
          nb::sig("def to_numpy(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "Column → read-only array [rows]. Numbers are not copied.")
      .def(
          "__arrow_c_stream__", [](const EstimateTable& self, nb::object) { return arrow_stream(self.table); },
          "requested_schema"_a = nb::none(),
          "The table as Arrow's stream: pyarrow.table(result), polars.from_arrow(result).")
      .def("to_arrow", &to_arrow, nb::sig("def to_arrow(self) -> typing.Any"),
           "The same as a pyarrow.Table, unit and meaning in each field's metadata. ImportError without pyarrow: pip "
           "install 'antaeus[parquet]'.")
      .def(
          "save",
          [](const EstimateTable& self, const std::filesystem::path& file) {
            const Unlocked unlocked;
            write_estimates(self, file, "estimate.save");
          },
          "path"_a,
          "Writes a .csv or .parquet, whole or not at all; the bytes are those of `antaeus estimate --out`. "
          "OptionsError "
          "for another ending.")
      .def_prop_ro(
          "log", [](const EstimateTable& self) { return decoded(self.log); }, "Its name.")
      .def_ro("robot", &EstimateTable::robot, "Its name.")
      .def_ro("estimator", &EstimateTable::estimator, "posterior, deployed, stacked or smoothed.")
      .def_prop_ro(
          "sign", [](const EstimateTable& self) { return self.sign; }, "Who exerts the wrenches on whom.")
      .def_ro("steps", &EstimateTable::steps, "Of the log.")
      .def_ro("left_out", &EstimateTable::left_out, "Labels of endpoints that this estimator has no numbers of.")
      .def_prop_ro(
          "notes", [](const EstimateTable& self) { return self.notes; },
          "What is wrong with the log's set-up, why residuals are static, which steps cannot be used, what is left "
          "out.")
      .def_prop_ro(
          "verdicts",
          [](const EstimateTable& self) {
            nb::dict counts;
            for (const auto& [verdict, count] : self.verdicts()) counts[verdict.c_str()] = count;
            return counts;
          },
          nb::sig("def verdicts(self) -> dict[str, int]"), "Rows by verdict; a verdict that none has is missing.")
      .def("__repr__", [](const EstimateTable& self) { return decoded(first_line(self)); });
}

}  // namespace

void bind_estimate(nb::module_& module) {
  bind_estimates(module);
  bind_parts(module);
  module.def(
      "estimate", &estimate, nb::arg("log").none(), nb::arg("robot").none(), "options"_a,
      nb::sig("def estimate(log: str | os.PathLike | Episode, robot: str | os.PathLike | Robot, *, estimator: str = "
              "'posterior', endpoints: collections.abc.Sequence[str] = (), smooth: float | None = None, threads: int | "
              "None = None, settings: dict[str, float | str | bool] = {}) -> EstimateTable"),
      "The wrenches of a log, step by step: what `antaeus estimate` does, the same numbers to the bit. log: folder, "
      ".npz, .csv or .parquet, or an Episode. robot: a name, a profile, a description, or a Robot. estimator: "
      "posterior "
      "(endpoints other than feet), deployed or stacked. endpoints: by frame or label; none: the profile's. smooth: "
      "each "
      "step's wrench from the whole log, before and after it; the time after which a force is forgotten to 37 %, s. "
      "threads: None: one per core; results stay the same. settings: 'group.option' → value, over what the profile "
      "sets. "
      "Wrenches are at the endpoint's origin in world axes, N and N·m; the column `sign` says whose they are. The "
      "interpreter's lock is released meanwhile, and Ctrl-C ends it. EpisodeError, ModelError, OptionsError: one line, "
      "with the nearest name.");
}

}  // namespace antaeus::python
