// antaeus estimate EPISODE: the wrench at every step, as a table.
#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

constexpr Eigen::Index kStepsShown = 20;
constexpr const char* kFeet = "a foot carries the robot, and the posterior's prior is that of a push";

struct EstimateCommand {
  RobotChoice robot;
  std::string episode, out, name = "posterior";
  EstimatorName estimator = EstimatorName::posterior;
  std::vector<std::string> endpoints;
  std::vector<std::string> left_out;  ///< labels of endpoints that this estimator has no series of
  int step = -1;
  bool json = false;

  int run() {
    estimator = parse_enum<EstimatorName>(name, "--estimator", "estimator");
    const Robot loaded = robot.load();
    const std::vector<std::string> frames = loaded.endpoint_frames(endpoints, "--endpoint");
    const AuditOptions options = audit_options(loaded, frames);
    left_out = estimator == EstimatorName::posterior ? feet(loaded, frames) : std::vector<std::string>();
    if (left_out.size() == frames.size()) {
      throw OptionsError("--estimator", "no posterior at " + joined(left_out) + ": " + kFeet,
                         "name a hand or a tool with --endpoint, or set --estimator deployed or stacked");
    }
    EpisodeOptions reading = options.episode;
    reading.require_target = false;
    Episode log = load_episode(episode, loaded, reading);
    if (step >= log.steps()) {
      throw OptionsError("--step", std::to_string(step) + " is past the end",
                         "the log has steps 0 to " + std::to_string(log.steps() - 1));
    }
    Reconstruction result = reconstruct(loaded, log, frames, options, progress_bar("estimate"));
    note_overflow(result, log);
    std::erase_if(result.series, [&](const EstimateSeries& s) { return s.estimator != estimator; });
    if (!out.empty()) {
      const Table table = steps_table(result);
      const bool parquet = std::filesystem::path(out).extension() == ".parquet";
      write_file(out, parquet ? to_parquet(table) : to_csv(table));
    }
    print(json ? with_base(to_json(result), loaded).dump() + "\n" : to_text(result) + "  " + base_line(loaded) + "\n");
    if (!log.invalid_steps.empty()) {
      say("antaeus: " + log.name + ": " + log.notes.back());
      return kBadInput;
    }
    return kFine;
  }

  bool wanted(Eigen::Index i) const { return step < 0 || i == step; }

  static std::vector<std::string> feet(const Robot& robot, const std::vector<std::string>& frames) {
    std::vector<std::string> labels;
    for (const std::string& frame : frames) {
      if (robot.kind_of(frame) == EndpointKind::foot) labels.push_back(robot.profile.label_of(frame));
    }
    return labels;
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  }

  /// Every column of steps.csv under its name, and the wrench and its standard deviations as lists.
  Json to_json(const Reconstruction& r) const {
    const Table table = steps_table(r);
    Json rows = Json::array();
    std::size_t place = 0;
    for (Eigen::Index i = 0; i < r.steps(); ++i) {
      for (const EstimateSeries& s : r.series) {
        const std::size_t at = place++;
        if (!wanted(i)) continue;
        Json row = Json::object();
        for (const Column& column : table.columns()) {
          row.set(column.name, std::visit([at](const auto& data) { return cell(data, at); }, column.data));
        }
        Json wrench = Json::array();
        for (int k = 0; k < 6; ++k) wrench.push_back(s.wrench(i, k));
        // Names of schema 1 beside the columns that say the same.
        row.set("time_s", r.time[i])
            .set("reference_residual_Nm", r.reference_residual[i])
            .set("wrench", std::move(wrench))
            .set("sd", deviations(s, i));
        rows.push_back(std::move(row));
      }
    }
    Json without = Json::array();
    for (const std::string& label : left_out) without.push_back(label);
    return Json::object()
        .set("schema", "antaeus.estimate/1")
        .set("estimator", name)
        .set("left_out", std::move(without))
        .set("rows", std::move(rows));
  }

  static Json cell(const std::vector<double>& numbers, std::size_t row) { return numbers[row]; }
  static Json cell(const std::vector<std::int64_t>& numbers, std::size_t row) { return numbers[row]; }
  static Json cell(const TextColumn& texts, std::size_t row) { return texts[row]; }

  /// Six standard deviations, null without a covariance.
  static Json deviations(const EstimateSeries& s, Eigen::Index i) {
    if (!s.posterior) return Json();
    Json sd = Json::array();
    for (int row = 0; row < 6; ++row) sd.push_back(s.posterior->sd(i, row));
    return sd;
  }

  std::string to_text(const Reconstruction& r) const {
    const bool posterior = estimator == EstimatorName::posterior;
    TextTable table({"step", "time s", "endpoint", "Fx N", "Fy N", "Fz N", "Mx N·m", "My N·m", "Mz N·m",
                     posterior ? "worst sd N" : "kappa", "verdict", "because"});
    const Eigen::Index shown = step < 0 ? std::min(r.steps(), kStepsShown) : r.steps();
    Sign sign = Sign::on_environment;
    for (Eigen::Index i = 0; i < shown; ++i) {
      for (const EstimateSeries& s : r.series) {
        if (!wanted(i)) continue;
        sign = s.sign;
        std::vector<std::string> cells = {std::to_string(i), fixed(r.time[i], 3), s.label};
        for (int row = 0; row < 6; ++row) cells.push_back(fixed(s.wrench(i, row), 2));
        cells.push_back(s.posterior ? fixed(s.posterior->worst_sd[i], 1) : condition(s.kappa[i], 1));
        cells.emplace_back(to_string(s.verdict[static_cast<std::size_t>(i)]));
        cells.push_back(s.reasons[static_cast<std::size_t>(i)].text());
        table.add(std::move(cells));
      }
    }
    std::string text =
        heading("Estimator " + name + ", sign " + std::string(to_string(sign)) + ", endpoint's origin, world axes, " +
                residuals(r) + (posterior ? "" : "; no covariance")) +
        table.text();
    if (shown < r.steps())
      text += "  … " + std::to_string(r.steps() - shown) + " more steps: --out FILE.csv or --json\n";
    if (!left_out.empty()) {
      text += wrapped("Left out: " + joined(left_out) + ", because " + kFeet +
                          ". --estimator deployed or stacked has numbers there.",
                      2);
    }
    return text;
  }

  /// "static residual", or how many steps have which. The residual of a step is the same at every endpoint.
  static std::string residuals(const Reconstruction& r) {
    const EstimateSeries& series = r.series.front();
    if (!series.posterior) return std::string(to_string(series.residual_kind)) + " residual";
    std::string text;
    for (std::size_t kind = 0; kind < enum_names(ResidualKind{}).size(); ++kind) {
      const auto& kinds = series.posterior->residual_kind;
      const auto count = std::count(kinds.begin(), kinds.end(), static_cast<ResidualKind>(kind));
      if (count == 0) continue;
      text += (text.empty() ? "" : ", ") + std::string(to_string(static_cast<ResidualKind>(kind))) + " residual";
      if (count != std::ssize(kinds)) text += " in " + std::to_string(count) + " steps";
    }
    return text;
  }
};

}  // namespace

void add_estimate(CLI::App& app, Run& run) {
  auto command = std::make_shared<EstimateCommand>();
  CLI::App* verb = app.add_subcommand("estimate", "wrenches of a recorded episode, step by step");
  verb->add_option("episode", command->episode, "folder of .npy files, .npz or .csv")
      ->required()
      ->option_text("EPISODE");
  command->robot.add_to(*verb);
  command->robot.add_threads_to(*verb);
  verb->add_option("--endpoint,-e", command->endpoints, "frame or label of an endpoint (repeatable)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--estimator", command->name, "posterior (default; endpoints other than feet), deployed or stacked")
      ->option_text("NAME");
  verb->add_option("--step", command->step, "one step only")->check(CLI::NonNegativeNumber)->option_text("N");
  verb->add_option("--out,-o", command->out, "write every step to a .csv or .parquet file")->option_text("FILE");
  verb->add_flag("--json", command->json, "print JSON instead of a table");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
