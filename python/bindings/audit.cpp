// The audit: what happened in a log, as plain structs, tables and the page. What it has a step is in audit_series.cpp.
#include "antaeus/audit/audit.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <cmath>
#include <optional>
#include <variant>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/summary.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/report/pages.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "interruption.hpp"
#include "logs.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::Outcome> : EnumerationCaster<antaeus::Outcome, "antaeus.Outcome"> {};
template <>
struct type_caster<antaeus::EventKind> : EnumerationCaster<antaeus::EventKind, "antaeus.EventKind"> {};
template <>
struct type_caster<antaeus::Remedy> : EnumerationCaster<antaeus::Remedy, "antaeus.Remedy"> {};
template <>
struct type_caster<antaeus::RemedyKind> : EnumerationCaster<antaeus::RemedyKind, "antaeus.RemedyKind"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

// What goes in -------------------------------------------------------------------------------------------------------

/// A limit in time for AuditRequest, where a negative one is none. \throws OptionsError that names the argument
double limit_time(const std::optional<double>& limit, const char* place) {
  if (!limit) return -1.0;
  if (!std::isfinite(*limit) || *limit < 0) {
    throw OptionsError(place, shortest_text(*limit) + " is no time stamp", "give seconds, zero or more, or None");
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

Audit audit(Log episode, const RobotChoice& robot, std::vector<Log> baselines, std::vector<std::string> endpoints,
            const std::optional<double>& start, const std::optional<double>& stop, const nb::dict& settings) {
  AuditRequest request;
  request.endpoints = std::move(endpoints);
  request.from = limit_time(start, "audit.start");
  request.to = limit_time(stop, "audit.stop");
  const std::vector<std::string> assignments = assignments_of(settings, "audit.settings");
  std::vector<Log> logs = std::move(baselines);
  logs.insert(logs.begin(), std::move(episode));
  request.command = command_text(robot, logs, request, assignments);
  // Ctrl-C ends the audit of a long log.
  const Progress interrupted = until_interrupted();

  // From here on nothing is Python's: what went in was copied.
  const nb::gil_scoped_release unlocked;
  Robot loaded = std::holds_alternative<Robot>(robot) ? std::get<Robot>(robot)
                                                      : load_robot(std::get<std::filesystem::path>(robot).string());
  for (const std::string& assignment : assignments) loaded.profile.settings.set(assignment, "audit.settings");
  const AuditOptions options = audit_options(loaded, loaded.endpoint_frames(request.endpoints, "audit.endpoints"));
  std::vector<Episode> episodes;
  for (Log& log : logs) {
    const auto* file = std::get_if<std::filesystem::path>(&log);
    episodes.push_back(file ? load_episode(*file, loaded, options.episode) : std::move(std::get<Episode>(log)));
  }
  return run_audit(loaded, std::move(episodes), request, options, interrupted);
}

// What comes out -----------------------------------------------------------------------------------------------------

nb::object summary(const Audit& audit) {
  std::string text;
  {
    const nb::gil_scoped_release unlocked;
    text = audit_summary(audit).dump();
  }
  return nb::module_::import_("json").attr("loads")(text);
}

/// Columns as read-only arrays: numbers are views of the table, which lives as long as one of them.
nb::dict steps(const EpisodeAudit& episode) {
  Table* table = nullptr;
  {
    const nb::gil_scoped_release unlocked;
    table = new Table(steps_table(episode.reconstruction));
  }
  const nb::capsule owner(table, [](void* p) noexcept { delete static_cast<Table*>(p); });
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::dict columns;
  for (const Column& column : table->columns()) {
    nb::object array;
    if (const auto* numbers = std::get_if<std::vector<double>>(&column.data)) {
      array = nb::cast(view(*numbers, owner), kOwned);
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&column.data)) {
      array = nb::cast(view(*integers, owner), kOwned);
    } else {
      const auto& text = std::get<TextColumn>(column.data);
      array = numpy.attr("array")(text.levels, "dtype"_a = "object")
                  .attr("take")(nb::cast(view(text.codes, owner), kOwned));
      array.attr("setflags")("write"_a = false);
    }
    columns[column.name.c_str()] = array;
  }
  return columns;
}

nb::object to_arrow(const EpisodeAudit& episode) {
  const nb::module_ parquet = nb::module_::import_("pyarrow.parquet");
  std::string bytes;
  {
    const nb::gil_scoped_release unlocked;
    bytes = to_parquet(steps_table(episode.reconstruction));
  }
  const nb::object buffer = nb::module_::import_("pyarrow").attr("BufferReader")(nb::bytes(bytes.data(), bytes.size()));
  return parquet.attr("read_table")(buffer);
}

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

void save_audit(const Audit& audit, const std::filesystem::path& file) {
  const std::filesystem::path suffix = file.extension();
  if (std::filesystem::is_directory(file)) {
    throw OptionsError("audit.save", "'" + file.string() + "' is a folder",
                       "name a file in it that ends in .html (the page) or .json (the summary)");
  }
  if (suffix != ".html" && suffix != ".json") {
    throw OptionsError("audit.save", "'" + file.string() + "' says no format",
                       "let it end in .html (the page) or .json (the summary)");
  }
  const nb::gil_scoped_release unlocked;
  write_file(file, suffix == ".html" ? html_report(audit) : audit_summary(audit).dump() + "\n");
}

constexpr const char* kStepsDoc =
    "The table of steps.csv (docs/schema/steps.md): column → read-only array, one row a step, endpoint and estimator; "
    "texts are arrays of str, NaN is \"no number\". Made anew at each call: keep it.";
constexpr const char* kArrowDoc =
    "The same as a pyarrow.Table, unit and meaning in each field's metadata; needs pyarrow.";
constexpr const char* kSeriesDoc =
    "One estimator ('deployed', 'stacked', 'posterior'; feet have no posterior) at an endpoint, by frame or label. "
    "OptionsError with the nearest name.";

void bind_findings(nb::module_& module) {
  bind_enumeration<EventKind>(module, "What happened at a step.");
  nb::class_<Event>(module, "Event", "Something that happened at a step, found in the data.")
      .def_prop_ro("kind", copied_field(&Event::kind))
      .def_ro("step", &Event::step, "Of the log.")
      .def_ro("time", &Event::time, "s; NaN without time stamps.")
      .def_ro("subject", &Event::subject, "Endpoint, joint or guard.")
      .def_ro("value", &Event::value, "In `unit`.")
      .def_ro("unit", &Event::unit)
      .def_ro("text", &Event::text, "One sentence.")
      .def("__repr__", [](const Event& self) {
        return "Event(" + std::string(to_string(self.kind)) + ", step " + std::to_string(self.step) + ", " +
               self.subject + ")";
      });
  nb::class_<Statement>(module, "Statement", "One sentence, and the name under which it stays the same.")
      .def_ro("id", &Statement::id)
      .def_ro("text", &Statement::text)
      .def("__repr__", [](const Statement& self) { return "Statement(" + self.id + ": " + self.text + ")"; });
  nb::class_<JointRange>(module, "JointRange", "Where a joint was, rad.")
      .def_ro("joint", &JointRange::joint)
      .def_ro("label", &JointRange::label)
      .def_ro("minimum", &JointRange::minimum)
      .def_ro("maximum", &JointRange::maximum);
  nb::class_<StartError>(module, "StartError", "A joint at the first valid step, rad.")
      .def_ro("joint", &StartError::joint)
      .def_ro("label", &StartError::label)
      .def_ro("position", &StartError::position)
      .def_ro("target", &StartError::target)
      .def_ro("error", &StartError::error, "position − target.");
  using Contamination = ReferenceStatistics::Contamination;
  nb::class_<Contamination>(module, "ReferenceStatisticsContamination",
                            "|gain(Fz)|·|τ| at a hand: what the reference joint's torque alone reads as force, N.")
      .def_ro("endpoint", &Contamination::endpoint)
      .def_ro("mean", &Contamination::mean)
      .def_ro("worst", &Contamination::worst)
      .def_ro("worst_step", &Contamination::worst_step, "Of the log.");
  nb::class_<ReferenceStatistics>(module, "ReferenceStatistics", "The reference joint's torque over an episode, N·m.")
      .def_ro("mean", &ReferenceStatistics::mean, "Of τ, signed.")
      .def_ro("mean_magnitude", &ReferenceStatistics::mean_magnitude, "Of |τ|.")
      .def_ro("deviation", &ReferenceStatistics::deviation, "Standard deviation of τ, divided by N.")
      .def_ro("maximum", &ReferenceStatistics::maximum, "Of |τ|.")
      .def_ro("p99", &ReferenceStatistics::p99, "99th percentile of |τ|.")
      .def_ro("contamination", &ReferenceStatistics::contamination);
  nb::class_<EpisodeAudit>(module, "EpisodeAudit", "What is known of one episode by itself.")
      .def_ro("episode", &EpisodeAudit::episode, "As it was read; of the audited one, the part that was cut out.")
      .def_ro("reconstruction", &EpisodeAudit::reconstruction)
      .def_ro("ranges", &EpisodeAudit::ranges)
      .def_ro("start_errors", &EpisodeAudit::start_errors)
      .def_ro("reference", &EpisodeAudit::reference)
      .def_ro("preflight", &EpisodeAudit::preflight, "At the first valid step.")
      .def_ro("contact_share", &EpisodeAudit::contact_share,
              "Steps within an interval of a force that stands out, 0 … 1.")
      .def_ro("peak_torque", &EpisodeAudit::peak_torque, "Largest |τ| of any motor, N·m; NaN without a finite one.")
      .def_ro("peak_torque_step", &EpisodeAudit::peak_torque_step, "Of the log.")
      .def_ro("peak_torque_motor", &EpisodeAudit::peak_torque_motor)
      .def_prop_ro("steps", &steps, nb::sig("def steps(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
                   kStepsDoc)
      .def("to_arrow", &to_arrow, nb::sig("def to_arrow(self) -> typing.Any"), kArrowDoc)
      .def("series", &series, "endpoint"_a, "estimator"_a, nb::rv_policy::reference_internal, kSeriesDoc);
}

void bind_evidence(nb::module_& module) {
  using Row = ReliabilityTable::Row;
  nb::class_<Row>(module, "ReliabilityTableRow", "Reliability of one joint's torque.")
      .def_ro("joint", &Row::joint)
      .def_ro("motor_label", &Row::motor_label)
      .def_ro("redundancy", &Row::redundancy, "0 … 1: the share of an error that shows.")
      .def_ro("detectable_bias", &Row::detectable_bias,
              "Smallest error that the row's test finds, contacts within their priors, N·m.")
      .def_ro("torque_limit", &Row::torque_limit, "Of the motor, N·m.")
      .def_ro("external_force", &Row::external_force, "Shift of the force that such an error causes, unnoticed, N.")
      .def_ro("prior_free_redundancy", &Row::prior_free_redundancy,
              "Redundancy without an assumption on the contact's size.")
      .def_ro("prior_free_bias", &Row::prior_free_bias, "N·m; infinite: none is found.")
      .def_ro("undetectable", &Row::undetectable,
              "Without such an assumption: hardly any of an error shows, or only one above the motor's limit.");
  nb::class_<ReliabilityTable>(module, "ReliabilityTable", "Baarda's reliability at one endpoint and step.")
      .def_ro("episode", &ReliabilityTable::episode)
      .def_ro("step", &ReliabilityTable::step, "Of the log.")
      .def_ro("endpoint", &ReliabilityTable::endpoint)
      .def_ro("label", &ReliabilityTable::label)
      .def_ro("rows", &ReliabilityTable::rows);
  nb::class_<FeasibilityRow>(module, "FeasibilityRow",
                             "One condition that ground and weight put on an estimator's wrenches.")
      .def_prop_ro("estimator", copied_field(&FeasibilityRow::estimator))
      .def_ro("endpoint", &FeasibilityRow::endpoint, "Empty for the whole robot's balance.")
      .def_prop_ro("margin", copied_field(&FeasibilityRow::margin))
      .def_ro("unit", &FeasibilityRow::unit)
      .def_ro("value", &FeasibilityRow::value, "≥ 0 where the condition holds.")
      .def_ro("sd", &FeasibilityRow::sd)
      .def_ro("feasible", &FeasibilityRow::feasible);
  bind_struct<CauseRow>(module, "CauseRow", "One single cause of the focus step's residuals.");
  bind_struct<CauseTest>(module, "CauseTest", "The single causes against each other, at the focus step.");
  nb::class_<ContactFinding>(module, "ContactFinding",
                             "What the consumer was made for, against a contact that the focus step's torques are of.")
      .def_ro("found", &ContactFinding::found, "One contact at the focus endpoint explains the torques, no joint does.")
      .def_ro("size", &ContactFinding::size, "Of its force, N; NaN unless found.")
      .def_ro("size_sd", &ContactFinding::size_sd, "N")
      .def_ro("limit", &ContactFinding::limit, "What the consumer was made for, N.")
      .def("beyond", &ContactFinding::beyond, "found, and size > limit.");
  nb::class_<GuardInterval>(module, "GuardInterval", "Successive steps in one state of the posterior's guard.")
      .def_ro("start", &GuardInterval::from, "Step of the log: C++ `from`, which is a Python keyword.")
      .def_ro("to", &GuardInterval::to, "Last step, included.")
      .def_prop_ro("state", copied_field(&GuardInterval::state))
      .def_prop_ro("action", copied_field(&GuardInterval::action))
      .def_prop_ro("because", reasons_field(&GuardInterval::because), "Of the sample that brought the state.");
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
  using FalseAlarm = Counterfactual::FalseAlarm;
  nb::class_<FalseAlarm>(module, "CounterfactualFalseAlarm", "How often a guard acts in a baseline.")
      .def_ro("baseline", &FalseAlarm::baseline)
      .def_ro("steps", &FalseAlarm::steps,
              "At which it acts at any endpoint that the consumer reads; the posterior's guard: refuses.")
      .def_ro("share", &FalseAlarm::share, "Of the baseline's steps, 0 … 1.")
      .def_ro("degraded_steps", &FalseAlarm::degraded_steps,
              "At which the guard is degraded: the published chain clips (counted in steps too), the posterior's guard "
              "passes its number with that word.")
      .def_ro("degraded_share", &FalseAlarm::degraded_share, "Of the baseline's steps, 0 … 1.");
  nb::class_<Counterfactual>(module, "Counterfactual",
                             "One remedy: when it would have acted, and what would have been read.")
      .def_prop_ro("remedy", copied_field(&Counterfactual::remedy))
      .def_ro("title", &Counterfactual::title)
      .def_prop_ro("kind", copied_field(&Counterfactual::kind))
      .def_ro("endpoint", &Counterfactual::endpoint, "That it was judged on.")
      .def_ro("first_act", &Counterfactual::first_act, "Step of the log; −1: never.")
      .def_ro("first_act_time", &Counterfactual::first_act_time, "s")
      .def_prop_ro("force_at_focus", frozen_field(&Counterfactual::force_at_focus), kOwned,
                   "[3] read by the consumer at the focus step, world axes, sign of its series, N.")
      .def_ro("largest_force_read", &Counterfactual::largest_force_read, "|F| that it would have let through, N.")
      .def_ro("consequence", &Counterfactual::consequence, "One sentence.")
      .def_ro("false_alarms", &Counterfactual::false_alarms, "One a baseline, for guards.");
  nb::class_<PoseCounterfactual>(module, "PoseCounterfactual",
                                 "An episode's reference residuals through the gain of another pose.")
      .def_ro("residuals_of", &PoseCounterfactual::residuals_of, "Episode.")
      .def_ro("pose", &PoseCounterfactual::pose)
      .def_ro("endpoint", &PoseCounterfactual::endpoint)
      .def_ro("gain", &PoseCounterfactual::gain, "Fz, N/(N·m).")
      .def_ro("kappa", &PoseCounterfactual::kappa)
      .def_ro("force_at_focus", &PoseCounterfactual::force_at_focus,
              "gain · r at the focus step, N; NaN but for the audited episode.")
      .def_ro("largest_force", &PoseCounterfactual::largest_force, "max |gain · r|, N.");
  nb::class_<TiltSensitivity>(module, "TiltSensitivity", "What a tilted base would do.")
      .def_ro("axis", &TiltSensitivity::axis, "\"roll\", \"pitch\"")
      .def_ro("angle", &TiltSensitivity::angle, "rad")
      .def_ro("largest_torque", &TiltSensitivity::largest_torque,
              "max |Δg| over the joints above the base that support a hand, N·m.")
      .def_ro("joint", &TiltSensitivity::joint)
      .def_ro("phantom_force", &TiltSensitivity::phantom_force, "|pinv(Jᵀ) Δg| at the focus endpoint, N.");
  nb::class_<ReferenceRow>(module, "ReferenceRow",
                           "Norm of the reference joint's row in an endpoint's block of the stacked matrix; 0: this "
                           "endpoint cannot explain its torque.")
      .def_ro("endpoint", &ReferenceRow::endpoint)
      .def_ro("norm", &ReferenceRow::norm);
  using Condition = AdviceRow::Condition;
  using Move = AdviceRow::Move;
  using Alone = AdviceRow::Alone;
  nb::class_<Condition>(module, "AdviceRowCondition", "quantity < limit.")
      .def_prop_ro("quantity", copied_field(&Condition::quantity))
      .def_ro("limit", &Condition::limit);
  nb::class_<Move>(module, "AdviceRowMove", "What one joint must do, rad.")
      .def_ro("joint", &Move::joint)
      .def_ro("start", &Move::from, "Where it is: C++ `from`.")
      .def_ro("to", &Move::to);
  nb::class_<Alone>(module, "AdviceRowAlone", "A joint that reaches it alone, all others held, rad.")
      .def_ro("joint", &Alone::joint)
      .def_ro("start", &Alone::from, "Where it is: C++ `from`.")
      .def_ro("below", &Alone::below, "Up to here downwards; NaN where there is no opening on that side.")
      .def_ro("above", &Alone::above, "From here upwards; NaN likewise.")
      .def("distance", &Alone::distance, "To the nearer of the two, rad.");
  nb::class_<AdviceRow>(module, "AdviceRow",
                        "The nearest pose found that satisfies a named set of limits at the focus endpoint.")
      .def_prop_ro("limits", copied_field(&AdviceRow::limits))
      .def_ro("endpoint", &AdviceRow::endpoint)
      .def_ro("step", &AdviceRow::step, "Of the log whose pose is advised on.")
      .def_ro("conditions", &AdviceRow::conditions)
      .def_ro("satisfied", &AdviceRow::satisfied, "By that pose already.")
      .def_ro("found", &AdviceRow::found)
      .def_ro("distance", &AdviceRow::distance, "Norm of the move, rad.")
      .def_ro("moves", &AdviceRow::moves)
      .def_ro("alone", &AdviceRow::alone, "Smallest move first.");
}

void bind_result(nb::module_& module) {
  bind_enumeration<Outcome>(module,
                            "What the audit says of the log. cannot_be_told: no incident in the steps that hold "
                            "numbers, but they are too few.");
  nb::class_<Audit>(module, "Audit",
                    "An incident explained from its log: plain, read-only results. Every number of the verdict comes "
                    "from them. Steps count from the log's first, also where a part was cut out.")
      .def_ro("robot", &Audit::robot)
      .def_ro("robot_title", &Audit::robot_title)
      .def_ro("model_sha256", &Audit::model_sha256)
      .def_ro("profile_sha256", &Audit::profile_sha256)
      .def_ro("description", &Audit::description, "Links and joints.")
      .def_prop_ro("base", copied_field(&Audit::base))
      .def_prop_ro("base_source", copied_field(&Audit::base_source))
      .def_ro("base_text", &Audit::base_text, "Both, for people.")
      .def_ro("total_mass", &Audit::total_mass, "kg")
      .def_ro("motor_labels", &Audit::motor_labels)
      .def_ro("reference_joint", &Audit::reference_joint, "Empty: none.")
      .def_ro("base_orientation", &Audit::base_orientation, "What was taken for it: \"imu (mounted)\", …")
      .def_ro("settings", &Audit::settings, "Every option with its value and the source of that.")
      .def_prop_ro(
          "command", [](const Audit& self) { return decoded(self.command); },
          "The command line that does the same; empty where a Robot or an Episode was handed over.")
      .def_ro("version", &Audit::version)
      .def_ro("audited", &Audit::audited)
      .def_ro("baselines", &Audit::baselines, "Good runs, each an EpisodeAudit.")
      .def_prop_ro("outcome", copied_field(&Audit::outcome))
      .def_ro("incident", &Audit::incident, "The watchdog would have latched on an endpoint that the consumer reads.")
      .def_ro("usable_share", &Audit::usable_share, "Of the audited steps, those that hold numbers, 0 … 1.")
      .def_ro("focus_endpoint", &Audit::focus_endpoint, "Frame of the consumed endpoint with the largest force.")
      .def_ro("focus_step", &Audit::focus_step, "Step of the log that is analysed; −1: none.")
      .def_ro("focus_axis", &Audit::focus_axis, "Largest component of the deployed force there: 0 x, 1 y, 2 z.")
      .def_ro("events", &Audit::events, "By step.")
      .def_ro("attributions", &Audit::attributions, "At the focus step: deployed and stacked.")
      .def_ro("counterfactuals", &Audit::counterfactuals, "What each remedy would have done.")
      .def_ro("pose_counterfactuals", &Audit::pose_counterfactuals, "The same torques in other poses.")
      .def_ro("tilt", &Audit::tilt, "What a tilted base would have done.")
      .def_ro("reference_rows", &Audit::reference_rows)
      .def_ro("reliability", &Audit::reliability,
              "Of every consumed endpoint with a posterior: at the focus step, and in each baseline at the same row.")
      .def_ro("feasibility", &Audit::feasibility, "Of the stacked estimator at the focus step; empty without feet.")
      .def_ro("cause_test", &Audit::cause_test, "At the focus step.")
      .def_ro("contact", &Audit::contact, "At the focus step.")
      .def_ro("advice", &Audit::advice, "Empty where the pre-flight lets the pose start.")
      .def_ro("endpoints", &Audit::endpoints, "The profile's, whether audited or not.")
      .def_ro("groups", &Audit::groups, "The profile's.")
      .def_ro("verdict", &Audit::verdict)
      .def_ro("cannot_tell", &Audit::cannot_tell, "What the log cannot say.")
      .def_prop_ro("summary", &summary, nb::sig("def summary(self) -> dict[str, typing.Any]"),
                   "What summary.json holds (docs/schema/summary.md); made anew at each call.")
      .def_prop_ro(
          "steps", [](const Audit& self) { return steps(self.audited); },
          nb::sig("def steps(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"), kStepsDoc)
      .def(
          "to_arrow", [](const Audit& self) { return to_arrow(self.audited); },
          nb::sig("def to_arrow(self) -> typing.Any"), kArrowDoc)
      .def(
          "series",
          [](const Audit& self, const std::string& endpoint, std::string_view estimator) -> const EstimateSeries& {
            return series(self.audited, endpoint, estimator);
          },
          "endpoint"_a, "estimator"_a, nb::rv_policy::reference_internal, kSeriesDoc)
      .def("save", &save_audit, "path"_a,
           "Writes the page (.html) or the summary (.json), whole or not at all; the bytes are those of the command "
           "line's files. OptionsError, a ValueError, for another name.")
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
      "audit", &audit, "episode"_a, "robot"_a, "baselines"_a = nb::list(), "endpoints"_a = nb::list(),
      "start"_a = nb::none(), "stop"_a = nb::none(), "settings"_a = nb::dict(),
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
  bind_result(module);
  bind_function(module);
}

}  // namespace antaeus::python
