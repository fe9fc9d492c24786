// antaeus estimate EPISODE: the wrench at every step, as a table.
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

constexpr Eigen::Index kStepsShown = 20;

struct EstimateCommand {
  RobotChoice robot;
  std::string episode, out, name = "deployed";
  EstimatorName estimator = EstimatorName::deployed;
  std::vector<std::string> endpoints;
  int step = -1;
  bool json = false;

  int run() {
    estimator = parse_enum<EstimatorName>(name, "--estimator", "estimator");
    const Robot loaded = robot.load();
    const AuditOptions options = audit_options(loaded.profile);
    const std::vector<std::string> frames = loaded.endpoint_frames(endpoints, "--endpoint");
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

  Json to_json(const Reconstruction& r) const {
    Json rows = Json::array();
    for (Eigen::Index i = 0; i < r.steps(); ++i) {
      for (const EstimateSeries& s : r.series) {
        if (!wanted(i)) continue;
        Json wrench = Json::array();
        for (int row = 0; row < 6; ++row) wrench.push_back(s.wrench(i, row));
        rows.push_back(Json::object()
                           .set("step", static_cast<std::int64_t>(i))
                           .set("time_s", r.time[i])
                           .set("endpoint", s.endpoint)
                           .set("estimator", to_string(s.estimator))
                           .set("sign", to_string(s.sign))
                           .set("frame", "world_aligned")
                           .set("residual_kind", to_string(s.residual_kind))
                           .set("wrench", std::move(wrench))
                           .set("sd", deviations(s, i))
                           .set("kappa", s.kappa[i])
                           .set("sigma_min", s.sigma_min[i])
                           .set("reference_gain_Fz", s.reference_gain(i, kFz))
                           .set("reference_residual_Nm", r.reference_residual[i])
                           .set("verdict", to_string(s.verdict[i])));
      }
    }
    return Json::object().set("schema", "antaeus.estimate/1").set("rows", std::move(rows));
  }

  /// Six standard deviations, null without a covariance.
  static Json deviations(const EstimateSeries& s, Eigen::Index i) {
    if (!s.posterior) return Json();
    Json sd = Json::array();
    for (int row = 0; row < 6; ++row) sd.push_back(s.posterior->sd(i, row));
    return sd;
  }

  std::string to_text(const Reconstruction& r) const {
    TextTable table({"step", "time s", "endpoint", "Fx N", "Fy N", "Fz N", "Mx N·m", "My N·m", "Mz N·m",
                     estimator == EstimatorName::posterior ? "worst sd N" : "kappa", "verdict"});
    const Eigen::Index shown = step < 0 ? std::min(r.steps(), kStepsShown) : r.steps();
    Sign sign = Sign::on_environment;
    for (Eigen::Index i = 0; i < shown; ++i) {
      for (const EstimateSeries& s : r.series) {
        if (!wanted(i)) continue;
        sign = s.sign;
        std::vector<std::string> cells = {std::to_string(i), fixed(r.time[i], 3), s.label};
        for (int row = 0; row < 6; ++row) cells.push_back(fixed(s.wrench(i, row), 2));
        cells.push_back(s.posterior ? fixed(s.posterior->worst_sd[i], 1) : condition(s.kappa[i], 1));
        cells.emplace_back(to_string(s.verdict[i]));
        table.add(std::move(cells));
      }
    }
    std::string text =
        heading("Estimator " + name + ", sign " + std::string(to_string(sign)) + ", endpoint's origin, world axes" +
                (estimator == EstimatorName::posterior ? "" : ", static residual; no covariance")) +
        table.text();
    if (shown < r.steps())
      text += "  … " + std::to_string(r.steps() - shown) + " more steps: --out FILE.csv or --json\n";
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
  verb->add_option("--endpoint,-e", command->endpoints, "frame or label of an endpoint (repeatable)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--estimator", command->name, "deployed, stacked or posterior (endpoints other than feet)")
      ->option_text("NAME");
  verb->add_option("--step", command->step, "one step only")->check(CLI::NonNegativeNumber)->option_text("N");
  verb->add_option("--out,-o", command->out, "write every step to a .csv or .parquet file")->option_text("FILE");
  verb->add_flag("--json", command->json, "print JSON instead of a table");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
