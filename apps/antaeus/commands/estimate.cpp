// antaeus estimate LOG: the wrench at every step, as a table.
#include "antaeus/audit/estimate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/identification/identify.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/io/table_parts.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "piped_log.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

constexpr Eigen::Index kStepsShown = 20;

struct EstimateCommand {
  RobotChoice robot;
  std::string episode, format, out, name = "posterior";
  EstimatorName estimator = EstimatorName::posterior;
  std::vector<std::string> endpoints;
  std::string contact_free;           ///< where nothing touches: today's friction is learnt there
  std::vector<std::string> left_out;  ///< labels of endpoints that this estimator has no series of
  std::vector<std::string> senses;    ///< what limbs do not sense by their build
  int step = -1;
  std::string why;  ///< the residual is static, where one would expect it not to be; empty: there is nothing to say
  std::optional<double> smooth;  ///< [s] after which the smoother forgets a force
  bool json = false;

  /// \name Of all parts, for printing
  ///@{
  Json rows = Json::array();
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> set_up;  ///< errors of the log's set-up, in sentences
  bool any_used = false;            ///< whether a step is not refused at some endpoint
  bool clock_stands = false;        ///< then the first sample alone is estimated, which is no use of a log
  Sign sign = Sign::on_environment;
  std::array<Eigen::Index, enum_names(ResidualKind{}).size()> residuals{};
  ///@}

  int run() {
    estimator = parse_enum<EstimatorName>(name, "--estimator", "estimator");
    check_table_ending(out, "--out");
    Robot loaded = robot.load();
    const PipedLog piped(episode, format);
    if (!contact_free.empty()) piped.named([&] { return learn_day(loaded, piped.file()), kFine; });
    const EstimatePlan plan = plan_estimate(loaded, {estimator, endpoints, smooth});
    left_out = plan.left_out;
    senses = plan.senses;
    return piped.named(
        [&] { return smooth ? run_smoothed(loaded, plan, piped.file()) : run_streamed(loaded, plan, piped.file()); });
  }

  /// --contact-free: the option of the residual that says so by the log's clock.
  void learn_day(Robot& loaded, const std::filesystem::path& file) const {
    if (!loaded.profile.noise) {
      throw OptionsError("--contact-free", "nothing was identified for this robot that a session could differ from",
                         "give the profile that antaeus identify wrote");
    }
    const EpisodeReader log(file, loaded, loaded.profile.settings.get<EpisodeOptions>());
    if (log.steps() < 2) return;
    const double first = log.block(0, 1).time[0], last = log.block(log.steps() - 1, 1).time[0];
    if (!std::isfinite(first) || !std::isfinite(last)) {
      throw EpisodeError(log.about().name, "no time stamps, and --contact-free is given in seconds", "log a clock");
    }
    std::vector<IdentifyLog> labelled(1);
    labelled.front().episode.name = log.about().name;
    labelled.front().episode.time = Eigen::Vector2d(first, last);
    labelled.front().episode.tau.resize(2, 0);
    label_contact_free(labelled, {contact_free});
    const TimeSpan span = labelled.front().spans.front();
    loaded.profile.settings.set("residual.session_from=" + shortest_text(first + span.from), "--contact-free");
    loaded.profile.settings.set("residual.session_until=" + shortest_text(std::min(first + span.to, last)),
                                "--contact-free");
  }

  /// Block by block.
  int run_streamed(const Robot& loaded, const EstimatePlan& plan, const std::filesystem::path& file) {
    LogEstimates estimates(loaded, EpisodeReader(file, loaded, plan.options.episode), plan);
    check_step(estimates.steps());
    read_check(estimates.check());
    const Progress progress = progress_bar("estimate");
    const auto next = [&]() -> std::optional<Table> {
      const std::optional<Reconstruction> part = estimates.next(progress);
      if (!part) return std::nullopt;
      if (json || !out.empty()) {
        Table table = steps_table(*part);
        show(*part, table);
        return table;
      }
      show(*part, {});
      return Table();
    };
    if (out.empty()) {
      while (next()) {
      }
    } else {
      write_file(
          out, [&](const ByteSink& take) { is_parquet() ? write_parquet(next, take) : write_csv(next, take); },
          Existing::own);
    }
    const Episode& read = estimates.log();
    why = estimates.why();
    print(json ? with_base(to_json(), loaded).dump() + "\n"
               : to_text(estimates.steps()) + "  " + base_line(loaded) + "\n");
    std::string line = why_unusable(read);
    if (line.empty() && !read.silent.empty()) line = read.silent.front();
    if (!is_usable()) {
      line +=
          std::string(line.empty() ? "" : "; ") + (clock_stands ? "the clock stands still" : "every step is refused");
    }
    if (!line.empty()) say("antaeus: " + read.name + ": " + line);
    return code_of_readings(read, is_usable());
  }

  bool is_usable() const { return any_used && !clock_stands; }

  void read_check(const CheckResult& check) {
    if (has_errors(check)) set_up = set_up_sentences(check);
    clock_stands = std::ranges::any_of(check.findings, [](const Finding& finding) {
      return finding.fault == Fault::time_repeated && finding.severity == Severity::error;
    });
  }

  void check_step(Eigen::Index steps) const {
    if (step < steps) return;
    throw OptionsError("--step", std::to_string(step) + " is past the end",
                       "the log has steps 0 to " + std::to_string(steps - 1));
  }

  bool is_parquet() const { return std::filesystem::path(out).extension() == ".parquet"; }

  /// The posterior over time, from the whole log.
  int run_smoothed(const Robot& loaded, const EstimatePlan& plan, const std::filesystem::path& file) {
    const Episode log = load_episode(file, loaded, plan.options.episode);
    check_step(log.steps());
    const CheckResult check = check_log(loaded, log, loaded.profile.settings.get<CheckOptions>());
    read_check(check);
    const Table table = smoothed_wrenches(loaded, log, plan);
    const std::size_t hands = plan.frames.size() - left_out.size();
    name = "smoothed";
    if (!out.empty()) {
      write_file(out, is_parquet() ? to_parquet(table) : to_csv(table), Existing::own);
    }
    sign = plan.options.posterior.sign;
    why = why_static(loaded, log, plan.options.residual);
    for (std::size_t at = 0; at < table.rows(); ++at) {
      const auto here = static_cast<Eigen::Index>(at / hands);
      if (!wanted(here)) continue;
      const auto value = [&](std::string_view column) {
        return std::visit([at](const auto& data) { return cell(data, at); }, table.column(column).data);
      };
      if (json) {
        Json row = Json::object(), wrench = Json::array(), sd = Json::array();
        for (const Column& column : table.columns()) row.set(column.name, value(column.name));
        for (const std::string_view one : enum_names(WrenchRow{})) {
          wrench.push_back(value(one));
          sd.push_back(value("sd_" + std::string(one)));
        }
        rows.push_back(row.set("wrench", std::move(wrench)).set("sd", std::move(sd)));
      } else if (step >= 0 || here < kStepsShown) {
        std::vector<std::string> cells = {std::to_string(here), fixed(value("time").number(), 3),
                                          loaded.profile.label_of(value("endpoint").text())};
        for (const std::string_view one : enum_names(WrenchRow{})) cells.push_back(fixed(number(value(one)), 2));
        cells.push_back(fixed(number(value("worst_sd")), 1));
        cells.push_back(value("verdict").text());
        cells.push_back(value("reasons").text());
        lines.push_back(std::move(cells));
      }
    }
    print(json ? with_base(to_json(), loaded).dump() + "\n" : to_text(log.steps()) + "  " + base_line(loaded) + "\n");
    if (const std::string line = why_unusable(log); !line.empty()) say("antaeus: " + log.name + ": " + line);
    const auto& verdicts = std::get<TextColumn>(table.column("verdict").data);
    for (std::size_t row = 0; row < table.rows(); ++row) any_used |= is_used(verdicts[row]);
    return code_of_readings(log, is_usable());
  }
  /// Returns why steps of the log cannot be used; empty where all can.
  static std::string why_unusable(const Episode& log) {
    const Note* const why = log.invalid_steps.empty() ? nullptr : why_invalid(log.notes);
    return why ? note_text(*why) : "";
  }
  static bool is_used(std::string_view verdict) { return verdict != "refused" && verdict != "invalid_input"; }
  static double number(const Json& value) { return value.is_number() ? value.number() : kNaN; }

  bool wanted(Eigen::Index i) const { return step < 0 || i == step; }

  /// Takes what will be printed of some steps.
  void show(const Reconstruction& part, const Table& table) {
    count_residuals(part);
    json ? add_rows(part, table) : add_lines(part);
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  }

  /// Every column of steps.csv under its name, and the wrench and its standard deviations as lists.
  void add_rows(const Reconstruction& r, const Table& table) {
    std::size_t place = 0;
    for (Eigen::Index i = 0; i < r.steps(); ++i) {
      for (const EstimateSeries& s : r.series) {
        const std::size_t at = place++;
        if (!wanted(r.first_step + i)) continue;
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
  }

  Json to_json() {
    const std::vector<Note> notes = configuration_notes(set_up, why, senses);
    return Json::object()
        .set("schema", "antaeus.estimate/1")
        .set("estimator", name)
        .set("left_out", antaeus::to_json(left_out))
        .set("notes", antaeus::to_json(note_texts(notes)))
        .set("note_details", antaeus::to_json(notes))
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

  bool is_posterior() const { return estimator == EstimatorName::posterior; }

  void add_lines(const Reconstruction& r) {
    for (Eigen::Index i = 0; i < r.steps(); ++i) {
      const Eigen::Index at = r.first_step + i;
      if (!wanted(at)) continue;
      if (step < 0 && at >= kStepsShown) return;
      for (const EstimateSeries& s : r.series) {
        sign = s.sign;
        std::vector<std::string> cells = {std::to_string(at), fixed(r.time[i], 3), s.label};
        for (int row = 0; row < 6; ++row) cells.push_back(fixed(s.wrench(i, row), 2));
        cells.push_back(s.posterior ? fixed(s.posterior->worst_sd[i], 1) : condition(s.kappa[i], 1));
        cells.emplace_back(to_string(s.verdict[static_cast<std::size_t>(i)]));
        cells.push_back(s.reasons[static_cast<std::size_t>(i)].text());
        lines.push_back(std::move(cells));
      }
    }
  }

  std::string to_text(Eigen::Index steps) const {
    TextTable table({"step", "time s", "endpoint", "Fx N", "Fy N", "Fz N", "Mx N·m", "My N·m", "Mz N·m",
                     is_posterior() ? "worst sd N" : "kappa", "verdict", "because"});
    for (const std::vector<std::string>& cells : lines) table.add(cells);
    std::string text = set_up_text(set_up);
    text += heading("Estimator " + name + ", sign " + std::string(to_string(sign)) + ", endpoint's origin, world axes" +
                    (smooth ? ", from the whole log" : ", " + residuals_text(steps)) +
                    (is_posterior() ? "" : "; no covariance")) +
            table.text();
    if (step < 0 && kStepsShown < steps) {
      text += "  … " + std::to_string(steps - kStepsShown) + " more steps: --out FILE.csv or --json\n";
    }
    text += notes_text(configuration_notes({}, why, senses));
    if (!left_out.empty()) {
      text += wrapped("Left out: " + joined(left_out) + ", because " + kWhyLeftOut +
                          ". --estimator deployed or stacked has numbers there.",
                      2);
    }
    return text;
  }

  /// The residual of a step is the same at every endpoint.
  void count_residuals(const Reconstruction& r) {
    for (const EstimateSeries& each : r.series) {
      any_used |= std::ranges::any_of(each.verdict, [](auto verdict) { return is_used(to_string(verdict)); });
    }
    const EstimateSeries& series = r.series.front();
    if (!series.posterior) {
      residuals[static_cast<std::size_t>(series.residual_kind)] += r.steps();
      return;
    }
    for (const ResidualKind kind : series.posterior->residual_kind) ++residuals[static_cast<std::size_t>(kind)];
  }

  /// "static residual", or how many steps have which.
  std::string residuals_text(Eigen::Index steps) const {
    std::string text;
    for (std::size_t kind = 0; kind < residuals.size(); ++kind) {
      if (residuals[kind] == 0) continue;
      text += (text.empty() ? "" : ", ") + std::string(to_string(static_cast<ResidualKind>(kind))) + " residual";
      if (residuals[kind] != steps) text += " in " + std::to_string(residuals[kind]) + " steps";
    }
    return text;
  }
};

}  // namespace

void add_estimate(CLI::App& app, Run& run) {
  auto command = std::make_shared<EstimateCommand>();
  CLI::App* verb = app.add_subcommand("estimate", "print the wrenches of a recorded episode, step by step");
  verb->add_option("LOG", command->episode, "folder of .npy files, .npz, .csv or .parquet; - for a pipe")
      ->required()
      ->option_text(" ");
  verb->add_option("--format", command->format, "format of the pipe: csv or parquet")->option_text("FORMAT");
  command->robot.add_to(*verb);
  command->robot.add_threads_to(*verb);
  verb->add_option("--endpoint,-e", command->endpoints, "frame or label of an endpoint (repeatable)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option(
          "--contact-free", command->contact_free,
          "contact-free interval, all or FROM:TO in seconds from the first sample: friction and offsets of this "
          "session are estimated there; the robot must be identified")
      ->option_text("INTERVAL");
  verb->add_option("--estimator", command->name, "posterior (default; endpoints other than feet), deployed or stacked")
      ->option_text("NAME");
  verb->add_option("--smooth", command->smooth,
                   "estimate each step from the samples before and after it; SECONDS is the time constant with which a "
                   "force decays")
      ->check([](const std::string& text) {
        double seconds = 0.0;
        const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        const bool fine = error == std::errc{} && last == text.data() + text.size() && seconds > 0;
        return fine ? std::string() : "'" + text + "' is no time; give seconds, above 0";
      })
      ->option_text("SECONDS");
  verb->add_option("--step", command->step, "one step only")->check(no_whole_number)->option_text("N");
  verb->add_option("--out,-o", command->out, "write every step to a .csv or .parquet file")->option_text("FILE");
  verb->add_flag("--json", command->json, "print JSON instead of a table");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
