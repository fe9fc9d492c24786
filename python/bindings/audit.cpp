// The audit: what happened in a log, as plain structs, tables and the page. What it has a step is in audit_series.cpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <cmath>
#include <optional>
#include <variant>

#include "antaeus/audit/audit_fields.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/summary.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/report/pages.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "interruption.hpp"
#include "logs.hpp"
#include "pages.hpp"
#include "shared_enumerations.hpp"
#include "tables.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::Outcome> : EnumerationCaster<antaeus::Outcome, "antaeus.Outcome"> {};
template <>
struct type_caster<antaeus::EventKind> : EnumerationCaster<antaeus::EventKind, "antaeus.EventKind"> {};
template <>
struct type_caster<antaeus::CausalNode> : EnumerationCaster<antaeus::CausalNode, "antaeus.CausalNode"> {};
template <>
struct type_caster<antaeus::CausalEvidence> : EnumerationCaster<antaeus::CausalEvidence, "antaeus.CausalEvidence"> {};
template <>
struct type_caster<antaeus::Remedy> : EnumerationCaster<antaeus::Remedy, "antaeus.Remedy"> {};
template <>
struct type_caster<antaeus::RemedyKind> : EnumerationCaster<antaeus::RemedyKind, "antaeus.RemedyKind"> {};

}  // namespace nanobind::detail

namespace antaeus {

// As in stored.hpp, of structs inside others.
constexpr void visit_stored(const JunctionLesson::Pose*, auto&& visit) {
  using P = JunctionLesson::Pose;
  visit(&P::name, &P::chains);
}
constexpr void visit_stored(const JunctionLesson::Chain*, auto&& visit) {
  using C = JunctionLesson::Chain;
  visit(&C::endpoint, &C::label, &C::kind, &C::points, &C::above);
}
constexpr void visit_stored(const PlanarLesson::Pose*, auto&& visit) {
  visit(&PlanarLesson::Pose::points, &PlanarLesson::Pose::J);
}

}  // namespace antaeus

namespace antaeus::python {

namespace {

// What goes in -------------------------------------------------------------------------------------------------------

/// A limit in time for AuditRequest, where a negative one is none. \throws OptionsError that names the argument
double limit_time(const std::optional<double>& limit, const char* place) {
  if (!limit) return -1.0;
  if (!std::isfinite(*limit) || *limit < 0) {
    throw OptionsError(place, shortest_text(*limit) + " is not a time stamp", "give seconds, zero or more, or None");
  }
  return *limit;
}

/// The line that does the same audit; empty where an object of Python went in, which no line can name.
std::string command_text(const RobotChoice& robot, const std::vector<Log>& logs, const AuditRequest& request,
                         const std::vector<std::string>& assignments) {
  std::string text = "antaeus audit";
  std::filesystem::path folder;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const auto* file = std::get_if<std::filesystem::path>(&logs[i]);
    const auto* robot_file = std::get_if<std::filesystem::path>(&robot);
    if (!file || !robot_file) return {};
    if (i == 0) folder = folder_of(*file);
    text += (i == 0 ? " " : " --baseline ") + file_word(*file, folder);
    if (i == 0) text += " --robot " + file_word(*robot_file, folder);
  }
  for (const std::string& endpoint : request.endpoints) text += " --endpoint " + shell_word(endpoint);
  if (request.from >= 0) text += " --from " + shortest_text(request.from);
  if (request.to >= 0) text += " --to " + shortest_text(request.to);
  for (const std::string& assignment : assignments) text += " --set " + shell_word(assignment);
  return text;
}

Audit audit(nb::handle given_log, nb::handle given_robot, nb::handle baselines, std::vector<std::string> endpoints,
            const std::optional<double>& start, const std::optional<double>& stop, const nb::dict& settings) {
  require_log_first(given_log, given_robot, "audit(log, robot)");
  const RobotChoice robot = robot_from(given_robot, "audit.robot");
  if (PyUnicode_Check(baselines.ptr())) {
    throw nb::type_error("audit.baselines: of type str; give a list of paths or Episodes");
  }
  std::vector<Log> logs = logs_from(baselines, "audit.baselines");
  logs.insert(logs.begin(), log_from(given_log, "audit.episode"));
  AuditRequest request;
  request.endpoints = std::move(endpoints);
  request.from = limit_time(start, "audit.start");
  request.to = limit_time(stop, "audit.stop");
  const std::vector<std::string> assignments = assignments_of(settings, "audit.settings");
  request.check = true;
  request.memory = std::max(request.memory, 0.8 * free_memory());  // the steps are wanted as arrays, all that fit
  request.command = command_text(robot, logs, request, assignments);
  // Ctrl-C ends the audit of a long log.
  const Progress interrupted = until_interrupted();

  // From here on nothing is Python's: what went in was copied.
  const Unlocked unlocked;
  Robot loaded = loaded_robot(robot);
  for (const std::string& assignment : assignments) loaded.profile.settings.set(assignment, "audit.settings");
  const AuditOptions options = audit_options(loaded, loaded.endpoint_frames(request.endpoints, "audit.endpoints"));
  std::vector<Episode> episodes;
  for (Log& log : logs) {
    const auto* file = std::get_if<std::filesystem::path>(&log);
    episodes.push_back(file ? load_episode(*file, loaded, options.episode) : std::move(std::get<Episode>(log)));
    require_fits(episodes.back(), loaded);
  }
  return run_audit(loaded, std::move(episodes), request, options, interrupted);
}

// What comes out -----------------------------------------------------------------------------------------------------

/// A file's content as a dictionary. \param write  its JSON
nb::object dictionary(const Audit& audit, Json (*write)(const Audit&)) {
  std::string text;
  {
    const Unlocked unlocked;
    text = write(audit).dump();
  }
  return loaded_json(text);
}

std::shared_ptr<const Table> table_of(const EpisodeAudit& episode) {
  const Unlocked unlocked;
  return std::make_shared<const Table>(steps_table(episode.reconstruction));
}

nb::dict steps(const EpisodeAudit& episode) { return numpy_columns(table_of(episode)); }

const EstimateSeries& series(const EpisodeAudit& episode, const std::string& endpoint, std::string_view estimator) {
  const auto name = parse_enum<EstimatorName>(estimator, "series.estimator");
  std::vector<std::string> known;
  for (const EstimateSeries& one : episode.reconstruction.series) {
    if (one.estimator != name) continue;
    if (endpoint == one.endpoint || endpoint == one.label) return one;
    known.push_back(one.endpoint);
    known.push_back(one.label);
  }
  throw_unknown<OptionsError>("series.endpoint", "endpoint of the " + std::string(estimator) + " estimator", endpoint,
                              known);
}

SavedForms audit_forms(const Audit& self) {
  return {{".html", "the page", [&self] { return html_report(self, drawn_meshes(self.description)); }},
          {".json", "the summary", [&self] { return audit_summary(self).dump() + "\n"; }}};
}

constexpr const char* kStepsDoc =
    "The table of steps.csv (docs/reference/schemas.md): column → read-only array, one row a step, endpoint and "
    "estimator; "
    "texts are arrays of str, NaN is \"no number\". Created at each call: keep it.";
constexpr const char* kStreamDoc = "The steps as Arrow's stream: pyarrow.table(audit), polars.from_arrow(audit).";
constexpr const char* kArrowDoc =
    "The same as a pyarrow.Table, unit and meaning in each field's metadata; needs pyarrow.";
constexpr const char* kSeriesDoc =
    "One estimator ('deployed', 'stacked', 'posterior'; feet have no posterior) at an endpoint, by frame or label. "
    "OptionsError with the nearest name.";

void bind_findings(nb::module_& module) {
  bind_enumeration<EventKind>(module, "What happened at a step.");
  bind_struct<Event>(module, "Event", "Something that happened at a step, found in the data.")
      .def("__repr__", [](const Event& self) {
        return "Event(" + std::string(to_string(self.kind)) + ", step " + std::to_string(self.step) + ", " +
               self.subject + ")";
      });
  bind_struct<Statement>(module, "Statement", "One sentence, and the name under which it stays the same.")
      .def("__repr__", [](const Statement& self) {
        return "Statement(" + std::string(to_string(self.id)) + ": " + self.text + ")";
      });
  bind_struct<JointRange>(module, "JointRange", "Where a joint was, rad.");
  bind_struct<StartError>(module, "StartError", "A joint at the first valid step, rad.");
  bind_struct<ReferenceStatistics::Contamination>(
      module, "ReferenceStatisticsContamination",
      "|gain(Fz)|·|τ| at a hand: what the reference joint's torque alone reads as force, N.");
  bind_struct<ReferenceStatistics>(module, "ReferenceStatistics", "The reference joint's torque over an episode, N·m.");
  bind_struct<EpisodeAudit>(module, "EpisodeAudit", "What is known of one episode by itself.")
      .def_prop_ro("steps", &steps, nb::sig("def steps(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
                   kStepsDoc)
      .def(
          "__arrow_c_stream__", [](const EpisodeAudit& self, nb::object) { return arrow_stream(table_of(self)); },
          "requested_schema"_a = nb::none(), kStreamDoc)
      .def("to_arrow", &to_arrow, nb::sig("def to_arrow(self) -> typing.Any"), kArrowDoc)
      .def("series", &series, "endpoint"_a, "estimator"_a, nb::rv_policy::reference_internal, kSeriesDoc);
}

void bind_evidence(nb::module_& module) {
  bind_struct<ReliabilityTable::Row>(module, "ReliabilityTableRow", "Reliability of one joint's torque.");
  bind_struct<ReliabilityTable>(module, "ReliabilityTable", "Baarda's reliability at one endpoint and step.");
  bind_struct<FeasibilityRow>(module, "FeasibilityRow",
                              "One condition that ground and weight put on an estimator's wrenches.");
  bind_struct<CauseRow>(module, "CauseRow", "One single cause of the focus step's residuals.");
  bind_struct<CauseTest>(module, "CauseTest", "The single causes against each other, at the focus step.");
  bind_struct<PlaceFinding>(module, "PlaceFinding",
                            "Where on the focus endpoint's limb the contact is that the torques speak of.");
  bind_struct<ContactFinding>(module, "ContactFinding",
                              "What the consumer was made for, against a contact that the focus step's torques are of.")
      .def("beyond", &ContactFinding::beyond, "found, and size > limit.");
  bind_struct<GuardInterval>(module, "GuardInterval", "Successive steps in one state of the posterior's guard.");
  module.def(
      "guard_timeline",
      [](const EstimateSeries& series, Eigen::Index first_step) {
        if (!series.posterior) {
          throw OptionsError(
              "guard_timeline",
              "a series of the " + std::string(to_string(series.estimator)) + " estimator, which has no such guard",
              "pass a posterior's");
        }
        return guard_timeline(series, first_step);
      },
      "series"_a, "first_step"_a = 0,
      "The guard's states of a posterior's series. first_step: Reconstruction.first_step, the number of its first row "
      "in the log.");
}

void bind_remedies(nb::module_& module) {
  bind_enumeration<Remedy>(module,
                           "What somebody might have done. The first six are the published guards, each alone.");
  bind_enumeration<RemedyKind>(module, "What kind of remedy it is.");
  bind_struct<Counterfactual::FalseAlarm>(module, "CounterfactualFalseAlarm", "How often a guard acts in a baseline.");
  bind_struct<Counterfactual>(module, "Counterfactual",
                              "One remedy: when it would have acted, and what would have been read.");
  bind_struct<PoseCounterfactual>(module, "PoseCounterfactual",
                                  "An episode's reference residuals through the gain of another pose.");
  bind_struct<TiltSensitivity>(module, "TiltSensitivity", "What a tilted base would do.");
  bind_struct<ReferenceRow>(module, "ReferenceRow",
                            "Norm of the reference joint's row in an endpoint's block of the stacked matrix.");
  bind_struct<AdviceRow::Condition>(module, "AdviceRowCondition", "quantity < limit.");
  bind_struct<AdviceRow::Move>(module, "AdviceRowMove", "What one joint must do, rad.");
  bind_struct<AdviceRow::Alone>(module, "AdviceRowAlone", "A joint that reaches it alone, all others held, rad.")
      .def("distance", &AdviceRow::Alone::distance, "To the nearer of the two, rad.");
  bind_struct<AdviceRow>(module, "AdviceRow",
                         "The nearest pose found that satisfies a named set of limits at the focus endpoint.");
}

void bind_graph(nb::module_& module) {
  bind_enumeration<CausalNode>(module, "What stands in a causal graph.");
  bind_enumeration<CausalEvidence>(module,
                                   "What stands behind an edge: computed from log and model; inferred, both ends being "
                                   "in the log; or absent from it.");
  bind_struct<CausalState>(module, "CausalState", "A node of a causal graph, with its value in this log.");
  bind_struct<CausalEdge>(module, "CausalEdge", "An edge of a causal graph, with its number in this log.");
  bind_struct<CausalGraph>(module, "CausalGraph",
                           "How the force at the focus step comes about. Empty without a focus step.");
}

void bind_result(nb::module_& module) {
  bind_enumeration<Outcome>(module,
                            "What the audit says of the log. cannot_be_told: no incident in the steps that hold "
                            "numbers, but they are too few.");
  nb::class_<Audit> audit(
      module, "Audit",
      "An incident explained from its log: plain, read-only results. Every number of the verdict comes "
      "from them. Steps count from the log's first, also where a part was cut out.");
  bind_fields(audit);
  bind_saving(audit, "audit.save", audit_forms)
      .def_prop_ro(
          "command", [](const Audit& self) { return decoded(self.command); },
          "The command line that does the same; empty where a Robot or an Episode was handed over.")
      .def_prop_ro(
          "base_text", [](const Audit& self) { return spelled(self.base_text, FrontEnd::python); }, "Both, for people.")
      .def_prop_ro(
          "summary", [](const Audit& self) { return dictionary(self, audit_summary); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"),
          "What summary.json holds (docs/reference/schemas.md); created at each call.")
      .def_prop_ro(
          "whole", [](const Audit& self) { return dictionary(self, whole_log); },
          nb::sig("def whole(self) -> dict[str, typing.Any]"),
          "What whole.json holds: all steps of a log of which a part was audited (docs/reference/schemas.md). Its "
          "`steps` "
          "is "
          "0 where the audited part is the log.")
      .def_prop_ro(
          "steps", [](const Audit& self) { return steps(self.audited); },
          nb::sig("def steps(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"), kStepsDoc)
      .def(
          "__arrow_c_stream__", [](const Audit& self, nb::object) { return arrow_stream(table_of(self.audited)); },
          "requested_schema"_a = nb::none(), kStreamDoc)
      .def("to_arrow", &to_arrow, nb::sig("def to_arrow(self) -> typing.Any"), kArrowDoc)
      .def(
          "series",
          [](const Audit& self, const std::string& endpoint, std::string_view estimator) -> const EstimateSeries& {
            return series(self.audited, endpoint, estimator);
          },
          "endpoint"_a, "estimator"_a, nb::rv_policy::reference_internal, kSeriesDoc)
      .def("__repr__", [](const Audit& self) {
        std::string text = "Audit(" + self.audited.episode.name + " of " + self.robot + ": " +
                           std::string(to_string(self.outcome)) + ", " +
                           std::to_string(self.audited.reconstruction.steps()) + " steps";
        if (self.focus_step >= 0) {
          text += ", focus " + self.focus_endpoint + " at step " + std::to_string(self.focus_step);
        }
        return decoded(text + ")");
      });
}

void bind_function(nb::module_& module) {
  std::string doc =
      "Reconstructs a recorded episode and explains it: what `antaeus audit` does, with the same defaults. "
      "episode: folder, .npz or .csv, or an Episode. robot: a name, a profile, a description, or a Robot. baselines: "
      "good runs to compare with. endpoints: by frame or label; none: the profile's. start, stop: the part to audit, "
      "s. settings: 'group.option' → value, over what the profile sets. The interpreter's lock is released meanwhile. "
      "EpisodeError, ModelError, OptionsError: one line, with the nearest name.";
  AuditOptions defaults;
  AuditOptions::visit_groups(defaults, [&](const auto& options) {
    const OptionTable& table = options_of(options);
    doc = options_doc(doc + "\n\n" + table.group(), table, &options);
  });
  module.def(
      "audit", &audit, nb::arg("episode").none(), nb::arg("robot").none(), "baselines"_a = nb::list(),
      "endpoints"_a = nb::list(), "start"_a = nb::none(), "stop"_a = nb::none(), "settings"_a = nb::dict(),
      nb::sig("def audit(episode: str | os.PathLike | Episode, robot: str | os.PathLike | Robot, baselines: "
              "collections.abc.Sequence[str | os.PathLike | Episode] = (), endpoints: collections.abc.Sequence[str] = "
              "(), start: float | None = None, stop: float | None = None, settings: dict[str, float | str | bool] = "
              "{}) -> Audit"),
      doc.c_str());
}

}  // namespace

void bind_audit(nb::module_& module) {
  bind_series(module);
  bind_findings(module);
  bind_evidence(module);
  bind_remedies(module);
  bind_graph(module);
  bind_result(module);
  bind_function(module);
}

}  // namespace antaeus::python
