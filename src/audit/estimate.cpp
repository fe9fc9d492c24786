#include "antaeus/audit/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/table_parts.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

namespace {

constexpr Eigen::Index kStepsOfAPart = 16384;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

ReconstructedEstimators only(EstimatorName estimator) {
  return {.deployed = estimator == EstimatorName::deployed,
          .stacked = estimator == EstimatorName::stacked,
          .posterior = estimator == EstimatorName::posterior};
}

/// Rows of a column, as if there had never been others.
template <class Number>
std::vector<Number> part_of(const std::vector<Number>& data, std::size_t first, std::size_t count) {
  const auto begin = data.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}
TextColumn part_of(const TextColumn& data, std::size_t first, std::size_t count) {
  TextColumn part;
  for (std::size_t row = first; row < first + count; ++row) part.push_back(data[row]);
  return part;
}

/// The parts in which the table was made.
TableParts parts_of(const EstimateTable& estimates) {
  const std::size_t rows = estimates.table->rows();
  const auto steps = static_cast<std::size_t>(estimates.steps);
  const std::size_t of_a_part = static_cast<std::size_t>(kStepsOfAPart) * (steps == 0 ? 1 : rows / steps);
  return [=, table = estimates.table, first = std::size_t{0}]() mutable -> std::optional<Table> {
    if (first == rows) return std::nullopt;
    const std::size_t count = std::min(of_a_part, rows - first);
    Table part;
    for (const Column& column : table->columns()) {
      part.add({column.name, column.unit, column.meaning,
                std::visit([&](const auto& data) -> ColumnData { return part_of(data, first, count); }, column.data)});
    }
    first += count;
    return part;
  };
}

}  // namespace

EstimatePlan plan_estimate(const Robot& robot, const EstimateRequest& request) {
  EstimatePlan plan;
  plan.estimator = request.estimator;
  plan.smooth = request.smooth;
  plan.frames = robot.endpoint_frames(request.endpoints, arg(Input::endpoint));
  plan.options = audit_options(robot, plan.frames);
  if (plan.estimator == EstimatorName::posterior) {
    for (const std::string& frame : plan.frames) {
      if (robot.kind_of(frame) == EndpointKind::foot) plan.left_out.push_back(robot.profile.label_of(frame));
    }
  }
  if (plan.left_out.size() == plan.frames.size()) {
    throw OptionsError(arg(Input::estimator), "no posterior at " + joined(plan.left_out) + ": " + kWhyLeftOut,
                       "name a hand or a tool with " + arg(Input::endpoint) + ", or set " +
                           arg(Input::estimator, "deployed") + " or " + arg(Input::estimator, "stacked"));
  }
  if (plan.estimator == EstimatorName::posterior) {
    std::vector<std::string> hands = plan.frames;
    std::erase_if(hands, [&](const std::string& frame) { return robot.kind_of(frame) == EndpointKind::foot; });
    plan.senses = sensed_sentences(robot, hands, plan.options.posterior);
  }
  if (plan.smooth) {
    if (plan.estimator != EstimatorName::posterior) {
      throw OptionsError(arg(Input::smooth), "smooths the posterior alone", "leave " + arg(Input::estimator) + " out");
    }
    if (!(*plan.smooth > 0) || !std::isfinite(*plan.smooth)) {
      throw OptionsError(arg(Input::smooth), "'" + shortest_text(*plan.smooth) + "' is no time",
                         "give seconds, above 0");
    }
  }
  return plan;
}

std::vector<Note> configuration_notes(const std::vector<std::string>& errors, const std::string& why_static,
                                      const std::vector<std::string>& senses) {
  std::vector<Note> notes;
  for (const std::string& sentence : errors) notes.push_back({NoteCode::configuration_error, "", {sentence}});
  if (!why_static.empty()) notes.push_back({NoteCode::static_residual, "", {why_static}});
  for (const std::string& sentence : senses) notes.push_back({NoteCode::limb_observes, "", {sentence}});
  return notes;
}

struct LogEstimates::Impl {
  Impl(Robot of, EpisodeReader reader, const EstimatePlan& plan)
      : robot(std::move(of)), log(std::move(reader)), judged(log.about()) {
    check = check_log(robot, log, robot.profile.settings.get<CheckOptions>());
    block = log.next(plan.options.smooth.zero_phase ? log.steps() : kStepsOfAPart);
    why = why_static(robot, *block, plan.options.residual);
    again.emplace(robot, *block, plan.frames, plan.options, only(plan.estimator));
    again->suspect(check);
  }

  /// Notes are of the log as a whole: what is too large comes last of all.
  void finish() {
    const Episode& read = log.judged();
    judged.notes = read.notes;
    judged.invalid_steps = read.invalid_steps;
    judged.silent = read.silent;
    note_overflow(overflow, judged);
  }

  const Robot robot;
  EpisodeReader log;
  Episode judged;
  CheckResult check;
  std::optional<Episode> block;    ///< that is not reconstructed yet
  std::optional<Episode> samples;  ///< of the part that was handed over last
  std::string why;
  std::optional<Reconstructor> again;
  std::vector<Eigen::Index> overflow;
};

LogEstimates::LogEstimates(const Robot& robot, EpisodeReader log, const EstimatePlan& plan)
    : impl_(std::make_unique<Impl>(robot, std::move(log), plan)) {}
LogEstimates::~LogEstimates() = default;

std::optional<Reconstruction> LogEstimates::next(const Progress& progress) {
  Impl& my = *impl_;
  if (!my.block) return std::nullopt;
  const Eigen::Index first = my.again->done();
  Reconstruction part = my.again->next(*my.block, my.log.steps(), progress);
  for (const Eigen::Index step : overflowing_steps(part, *my.block)) my.overflow.push_back(first + step);
  my.samples = std::move(my.block);
  my.block = my.log.next(kStepsOfAPart);
  if (!my.block) my.finish();
  return part;
}

const std::optional<Episode>& LogEstimates::samples() const noexcept { return impl_->samples; }
Eigen::Index LogEstimates::steps() const noexcept { return impl_->log.steps(); }
const Episode& LogEstimates::log() const noexcept { return impl_->judged; }
const std::string& LogEstimates::why() const noexcept { return impl_->why; }
const CheckResult& LogEstimates::check() const noexcept { return impl_->check; }

EstimateTable estimate_log(const Robot& robot, Episode log, const EstimatePlan& plan, const Progress& progress) {
  EstimateTable all;
  all.log = log.name;
  all.robot = robot.profile.name;
  all.estimator = plan.smooth ? "smoothed" : to_string(plan.estimator);
  all.sign = plan.options.posterior.sign;
  all.steps = log.steps();
  all.left_out = plan.left_out;
  const auto say = [&](const Episode& read, const CheckResult& check, const std::string& why) {
    all.notes =
        configuration_notes(has_errors(check) ? set_up_sentences(check) : std::vector<std::string>(), why, plan.senses);
    if (const Note* invalid = why_invalid(read.notes)) all.notes.push_back(*invalid);
    if (!plan.left_out.empty()) {
      all.notes.push_back({NoteCode::endpoints_left_out, "", {joined(plan.left_out), kWhyLeftOut}});
    }
  };
  if (plan.smooth) {
    all.table = std::make_shared<const Table>(smoothed_wrenches(robot, log, plan, progress));
    say(log, check_log(robot, log, robot.profile.settings.get<CheckOptions>()),
        why_static(robot, log, plan.options.residual));
    return all;
  }
  LogEstimates parts(robot, EpisodeReader(std::move(log)), plan);
  std::vector<Column> columns;
  while (const std::optional<Reconstruction> part = parts.next(progress)) {
    all.sign = part->series.front().sign;
    const Table rows = steps_table(*part);
    join_rows(columns, rows);
  }
  Table table;
  for (Column& column : columns) table.add(std::move(column));
  all.table = std::make_shared<const Table>(std::move(table));
  say(parts.log(), parts.check(), parts.why());
  return all;
}

std::vector<std::pair<std::string, std::size_t>> EstimateTable::verdicts() const {
  const auto& column = std::get<TextColumn>(table->column("verdict").data);
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const std::string_view name : enum_names(Verdict{})) {
    const auto level = std::ranges::find(column.levels, name);
    if (level == column.levels.end()) continue;
    const auto code = static_cast<std::int32_t>(level - column.levels.begin());
    counts.emplace_back(name, static_cast<std::size_t>(std::ranges::count(column.codes, code)));
  }
  return counts;
}

void check_table_ending(const std::filesystem::path& file, const std::string& place) {
  const std::string ending = file.extension().string();
  if (ending.empty() || ending == ".csv" || ending == ".parquet") return;
  throw OptionsError(place, "'" + ending + "' is no ending of a table that is written",
                     "end the file's name with .csv or .parquet");
}

void write_estimates(const EstimateTable& estimates, const std::filesystem::path& file, const std::string& place) {
  check_table_ending(file, place);
  if (file.extension() != ".parquet") {
    write_file(file, to_csv(*estimates.table));
  } else if (estimates.estimator == "smoothed") {
    write_file(file, to_parquet(*estimates.table));
  } else {
    write_file(file, [&](const ByteSink& take) { write_parquet(parts_of(estimates), take); });
  }
}

}  // namespace antaeus
