#pragma once
/// \file
/// Named runs in simulation: what a controller does to an arm, measured against what is so.
///
///     Settings settings;
///     settings.set("scene.friction=0.3");
///     const ExperimentResult result = run_experiment("hybrid-hold", settings);
///     result.metric("force_mean").value;
///
/// Set-up code: allocates, takes seconds. The same settings give the same numbers.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/robot/robot_description.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

/// A number of a run, and what it had to be.
struct Metric {
  std::string name;
  double value = kNaN;
  std::string unit, meaning;
  double lower = -kInfinity, upper = kInfinity;
  double source = kNaN;

  bool has_criterion() const noexcept { return lower > -kInfinity || upper < kInfinity; }
  /// NaN meets no criterion.
  bool is_met() const noexcept { return !has_criterion() || (value >= lower && value <= upper); }
};

constexpr void visit_fields(const Metric*, auto&& visit) {
  using M = Metric;
  visit(field("name", "", "\"force_mean\", as in summary.json", &M::name).as("metric"));
  visit(field("value", "", "SI units, shares 0 … 1", &M::value).only(FieldUse::python_only));
  visit(field("unit", "", "\"N\", \"1\" for shares", &M::unit));
  visit(field("meaning", "", "one sentence: of what, over which time", &M::meaning));
  visit(field("lower", "", "of the criterion, in `unit`; −inf: not bounded", &M::lower));
  visit(field("upper", "", "of the criterion, in `unit`; inf: not bounded", &M::upper));
  visit(file_field("met", "", [](const M& m) { return m.has_criterion() ? std::optional(m.is_met()) : std::nullopt; }));
  visit(field("source", "", "what the published study has, in `unit`; NaN: nothing", &M::source));
}

/// One line of a table that puts runs side by side: other laws, other contacts, other gains.
struct Variant {
  std::string name;
  std::vector<double> values;
  bool is_main = false;
};
constexpr void visit_fields(const Variant*, auto&& visit) {
  using V = Variant;
  visit(field("name", "", "\"source, 3 DoF, as printed\"", &V::name));
  visit(field("is_main", "", "the run whose metrics and samples the result has", &V::is_main));
  visit(field("values", "", "one for each head of the comparison, in the unit of the head; NaN: none", &V::values));
}

struct Comparison {
  std::string title, note;
  std::vector<std::string> heads;
  std::vector<Variant> variants;
};
constexpr void visit_fields(const Comparison*, auto&& visit) {
  using C = Comparison;
  visit(field("title", "", "for people", &C::title));
  visit(field("note", "", "below the table", &C::note));
  visit(field("heads", "", "with units: \"mean [N]\"", &C::heads));
  visit(field("variants", "", "its rows", &C::variants));
}

/// What the run passed through: a phase begins, for a reason.
struct PhaseChange {
  double time = kNaN;
  std::string phase, reason;
};
constexpr void visit_fields(const PhaseChange*, auto&& visit) {
  using P = PhaseChange;
  visit(field("time", "s", "of the samples", &P::time).as("time"));
  visit(field("phase", "", "that begins", &P::phase));
  visit(field("reason", "", "one sentence", &P::reason));
}

/// A quantity over the run, for a plot: columns of the samples.
struct SamplePlot {
  std::string title, unit;
  struct Line {
    std::string column;
    std::string name;
    std::string sd_column = {};  ///< shaded to both sides
  };
  std::vector<Line> lines;
  std::vector<double> limits;  ///< levels across the plot
  bool logarithmic = false;
};

/// How the run looks in space.
struct SceneReplay {
  RobotDescription description = {};
  std::vector<std::string> joints;   ///< of the description
  std::vector<std::string> columns;  ///< of the samples: their positions
  /// Columns of the root link in the world: x y z [m], quaternion x y z w; empty: it stands upright at the origin.
  std::vector<std::string> base = {};
  /// Columns of a force in world axes [N] and of the place of the tool [m]; empty: none.
  std::vector<std::string> force, place;
  std::vector<std::string> force_at = {};  ///< where the force acts [m]; empty: at `place`
  std::string force_name = "environment on the robot";
  double meters_per_newton = 0.03;  ///< of the arrow
  bool has_own_shapes = false;      ///< a clip draws the description's shapes; else the experiments' arm
  /// Columns of the place that was wanted in world axes [m]; empty: none.
  std::vector<std::string> wanted;
  bool has_table = false;
  std::string table_name = "table";
  Pose X_WT;              ///< the table's upper face, z out of it
  Vector3 size{0, 0, 0};  ///< its edges [m]
};

struct ANTAEUS_API ExperimentResult {
  std::string verb = "simulate";  ///< of the command line that runs it
  std::string name, title, question;
  std::string command;  ///< filled by run_experiment
  std::vector<Metric> metrics;
  std::vector<Comparison> comparisons;
  std::vector<std::string> physics, findings, remarks;
  std::vector<PhaseChange> phases;
  Table samples;  ///< columns `time`, q_*, and what the experiment measures
  std::vector<SamplePlot> plots;
  std::vector<NamedFigure> figures;
  SceneReplay replay;
  std::vector<OptionValue> settings;  ///< as used
  int seed = 1;                       ///< filled by run_experiment
  std::vector<Payload> payloads;      ///< loads that the robot's description does not hold
  std::string axis = "time";          ///< column of the samples that the rows stand over

  bool is_met() const noexcept;
  /// Name → number of each metric.
  Json numbers() const;
  /// \throws Error with the nearest name
  const Metric& metric(std::string_view wanted) const;
};

constexpr void visit_fields(const ExperimentResult*, auto&& visit) {
  using R = ExperimentResult;
  visit(field("command", "", "that repeats it on a command line", &R::command).only(FieldUse::python_only));
  visit(field("name", "", "as commands name it", &R::name).only(FieldUse::python_only));
  visit(field("title", "", "for people", &R::title));
  visit(field("question", "", "what is tried, one or two sentences", &R::question));
  visit(field("seed", "", "of the random numbers", &R::seed));
  visit(file_field("met", "", [](const R& r) { return r.is_met(); }));
  visit(file_field("metrics", "", [](const R& r) { return r.numbers(); }));
  visit(file_field("criteria", "", &R::metrics));
  visit(field("comparisons", "", "tables of runs side by side", &R::comparisons));
  visit(field("phases", "", "what the run went through", &R::phases));
  visit(field("physics", "", "contact, friction, noise, as simulated; one sentence each", &R::physics));
  visit(field("findings", "", "what the figures say, one sentence each, most important first", &R::findings));
  visit(field("remarks", "", "what a reader must know beside", &R::remarks));
}

/// Names, in the order of docs/concepts/control.md#scenes-and-plants.
ANTAEUS_API std::vector<std::string> experiment_names();
/// One sentence. \throws OptionsError with the nearest name
ANTAEUS_API std::string experiment_summary(std::string_view name);

/// \param seed  of all noise and all random states
/// \throws OptionsError for a name that there is not (with the nearest), ModelError for a scene that cannot be made or
///         a task that the arm cannot reach
ANTAEUS_API ExperimentResult run_experiment(std::string_view name, const Settings& settings = {}, int seed = 1,
                                            const Progress& progress = nullptr);

/// A value as people read it: "0.9994", "1.3·10⁻¹³", "–" for NaN.
ANTAEUS_API std::string value_text(double value);
/// "≤ 1·10⁻¹¹", "0.99 to 1"; empty without a criterion.
ANTAEUS_API std::string criterion_text(const Metric& metric);
/// "3 of 8 criteria are missed: …", or that all are met.
ANTAEUS_API std::string verdict_text(const ExperimentResult& result);

/// summary.json: schema, settings, `metrics` as plain numbers, criteria, comparisons, phases.
ANTAEUS_API Json experiment_summary_json(const ExperimentResult& result);

}  // namespace antaeus
