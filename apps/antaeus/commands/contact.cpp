// antaeus contact MOTION: the wrenches of a motion's contacts, the torques behind it, and what it does not tell.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "antaeus/contact/contact_blocks.hpp"
#include "antaeus/contact/contact_result.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/io/table_parts.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

/// A Parquet file whose parts are handed over one by one: the writer, which asks for them, has a thread of its own.
class ParquetFile {
 public:
  explicit ParquetFile(FileStream file) : file_(std::move(file)), thread_([this] { write(); }) {}
  ParquetFile(const ParquetFile&) = delete;
  ParquetFile& operator=(const ParquetFile&) = delete;
  ~ParquetFile() {
    if (thread_.joinable()) end();
  }

  void take(Table part) {
    join_rows(group_, part);
    rows_ += part.rows();
    if (rows_ >= kRowsOfAGroup) hand_over();
  }
  void finish() {
    if (rows_ > 0) hand_over();
    end();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// What the end of the file says of each group stays in memory until then.
  static constexpr std::size_t kRowsOfAGroup = 65'536;

  void hand_over() {
    Table part;
    for (Column& column : group_) part.add(std::move(column));
    group_.clear();
    rows_ = 0;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !part_ || failure_; });
    if (failure_) std::rethrow_exception(failure_);
    part_ = std::move(part);
    changed_.notify_all();
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  std::optional<Table> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return part_ || ended_; });
    std::optional<Table> part = std::exchange(part_, std::nullopt);
    changed_.notify_all();
    return part;
  }
  void write() {
    try {
      write_parquet([this] { return next(); }, [this](std::string_view bytes) { file_.write(bytes); });
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  FileStream file_;
  std::vector<Column> group_;  ///< rows of the next group of rows
  std::size_t rows_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Table> part_;  ///< that is not written yet
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  ///< last: it uses the rest
};

/// wrenches and torques, written as they come: CSV to 200 000 rows, beyond that Parquet, and CSV too where it was asked
/// for, or alone where Parquet cannot be written here.
class ContactFiles {
 public:
  ContactFiles(FileSet& files, std::int64_t rows, bool always_csv) : files_(files), rows_(rows) {
    constexpr std::int64_t kMostRows = 200'000;
    is_long_ = rows > kMostRows;
    has_parquet_ = is_long_ && missing_parquet().empty();
    has_csv_ = always_csv || !has_parquet_;
  }

  void take(const ContactResult& block) {
    if (tables_.empty()) {
      for (const char* stem : {"wrenches", "torques"}) {
        if (block.request.inverse_dynamics && tables_.empty() && stem != std::string_view("torques")) continue;
        TableFile& table = *tables_.emplace_back(std::make_unique<TableFile>());
        table.stem = stem;
        if (has_csv_) table.csv = files_.stream(table.stem + ".csv");
        if (has_parquet_) table.parquet.emplace(files_.stream(table.stem + ".parquet"));
      }
    }
    for (const std::unique_ptr<TableFile>& table : tables_) {
      Table part = table->stem == "torques" ? torques_table(block) : wrenches_table(block);
      if (table->csv) table->csv->write(csv_rows(part, std::exchange(table->is_first, false)));
      if (table->parquet) table->parquet->take(std::move(part));
    }
  }
  void finish() {
    for (const std::unique_ptr<TableFile>& table : tables_) {
      if (table->parquet) table->parquet->finish();
    }
  }
  /// The names of what was written, for people.
  std::string names() const {
    std::string names;
    for (const std::unique_ptr<TableFile>& table : tables_) {
      if (table->csv) names += ", " + table->stem + ".csv";
      if (table->parquet) names += ", " + table->stem + ".parquet";
    }
    if (!has_csv_) names += " (" + std::to_string(rows_) + " rows; --csv writes CSV, too)";
    return names;
  }
  /// Why there is no Parquet where there should be; empty: there is.
  std::string missing() const { return is_long_ ? missing_parquet() : std::string(); }

 private:
  struct TableFile {
    std::string stem;
    std::optional<FileStream> csv;
    std::optional<ParquetFile> parquet;
    bool is_first = true;
  };
  FileSet& files_;
  std::int64_t rows_;
  bool is_long_ = false, has_parquet_ = false, has_csv_ = true;
  std::vector<std::unique_ptr<TableFile>> tables_;
};

struct ContactCommand {
  RobotChoice robot;
  std::string motion, total, limits = "none", axes = "world";
  ContactRequest request;
  Delivery delivery;
  bool always_csv = false;

  std::string command_text() const {
    const std::string& file = total.empty() ? motion : total;
    const std::filesystem::path folder = folder_of(file);
    std::string text = "antaeus contact ";
    text += total.empty() ? file_word(motion, folder) + " --robot " + file_word(robot.robot, folder)
                          : "--total " + file_word(total, folder);
    if (!robot.base.empty()) text += " --base " + shell_word(robot.base);
    text += robot.payload_words();
    for (const std::string& contact : request.contacts) text += " --contact " + shell_word(contact);
    if (request.inverse_dynamics) text += " --inverse-dynamics";
    if (request.over_time) text += " --over-time";
    if (limits != "none") text += " --with-limits " + limits;
    if (axes != "world") text += " --wrench-frame " + axes;
    for (const std::string& assignment : robot.assignments) text += " --set " + shell_word(assignment);
    return text;
  }

  void check_request() {
    for (const auto& [option, file] : {std::pair("--robot", robot.robot), std::pair("MOTION", motion)}) {
      std::string ending = std::filesystem::path(file).extension().string();
      std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
      if (ending != ".osim" && ending != ".mot" && ending != ".sto") continue;
      throw OptionsError(option, "'" + printable(file) + "' is a file of OpenSim, which is not read",
                         "export the wrench that the motion needs with the poses of its feet, and give them as --total "
                         "FILE instead of --robot (docs/concepts/contact.md)");
    }
    if (total.empty() == robot.robot.empty()) {
      throw OptionsError("--robot, --total", "one of the two must be given",
                         "--robot R with a motion, or --total FILE with the wrench that a motion needs");
    }
    request.limits = parse_enum<LimitSet>(limits, "--with-limits");
    request.axes = parse_enum<WrenchAxes>(axes, "--wrench-frame");
    if (!total.empty()) {
      if (request.inverse_dynamics) {
        throw OptionsError("--inverse-dynamics", "cannot be combined with --total", "give a motion and --robot");
      }
      if (!robot.payloads.empty()) {
        throw OptionsError("--payload", "cannot be combined with --total", "no robot is given for it");
      }
      if (!motion.empty()) {
        throw OptionsError("MOTION", "'" + motion + "' cannot be combined with --total", "give one of the two");
      }
      return;
    }
    if (motion.empty())
      throw OptionsError("MOTION", "is missing", "give an .npz, a folder of .npy, a .csv or a .parquet");
    if (request.contacts.empty() && !request.inverse_dynamics) {
      throw OptionsError("--contact", "no contact", "name at least one frame of the robot, or give --inverse-dynamics");
    }
  }

  ContactResult solve_total() const {
    Settings settings;
    apply_assignments(settings, robot.assignments);
    const TotalMotion read = read_total_motion(total, request.contacts);
    return contact_split(read, request, settings.get<ContactOptions>(), settings.get<SplitOptions>(),
                         settings.get<TimingOptions>());
  }

  Robot load_robot() const {
    // Without a choice a robot in contact floats: a bolted one takes up every force.
    RobotChoice asked = robot;
    asked.ignore_meshes = true;
    if (asked.base.empty()) asked.base = "floating";
    Robot loaded = asked.load();
    if (robot.base.empty()) loaded.profile.base_source = BaseSource::caller;
    return loaded;
  }

  std::shared_ptr<const MeshFiles> meshes_of(const Robot& loaded) const {
    if (robot.ignore_meshes) return nullptr;
    return std::make_shared<const MeshFiles>(read_meshes(loaded.model.description(), nullptr));
  }

  /// Names the folder, and opens the tables that are written into it.
  void open_files(const ContactResult& result, Eigen::Index frames) {
    if (delivery.out.empty() && (!delivery.json || delivery.pdf)) delivery.out = "antaeus-contact-" + result.motion;
    if (delivery.out.empty()) return;
    files.emplace(delivery.out);
    tables.emplace(*files, frames * std::max<std::int64_t>(1, std::ssize(result.request.contacts)), always_csv);
  }

  /// \param told  receives the result, of a motion in blocks without its rows; the page reads it
  Page tell(std::optional<ContactResult>& told) {
    if (!total.empty()) {
      told = solve_total();
      return tell_one(*told, nullptr);
    }
    const Robot loaded = load_robot();
    const Settings& settings = loaded.profile.settings;
    ContactBlocks blocks(loaded, ContactMotionReader(motion), request, settings.get<ContactOptions>(),
                         settings.get<SplitOptions>(), settings.get<TimingOptions>());
    const auto bar = progress_bar("contact");
    if (blocks.count() == 1) {
      told = blocks.block(0, bar);
      return tell_one(*told, meshes_of(loaded));
    }
    open_files(blocks.whole(), blocks.frames());
    ContactPageOfBlocks page(blocks.frames(), meshes_of(loaded));
    for (Eigen::Index i = 0; i < blocks.count(); ++i) {
      const ContactResult block = blocks.block(i, bar);
      if (tables) tables->take(block);
      page.take(block);
    }
    const auto [first, end] = page.shown_whole(blocks.whole());
    for (Eigen::Index i = blocks.block_of(first); first < end && i <= blocks.block_of(end - 1); ++i) {
      page.take_again(blocks.block(i));
    }
    told = blocks.whole();
    told->command = command_text();
    return page.finish(*told);
  }

  Page tell_one(ContactResult& result, std::shared_ptr<const MeshFiles> meshes) {
    result.command = command_text();
    open_files(result, result.frames());
    if (tables) tables->take(result);
    return contact_page(result, std::move(meshes));
  }

  int run() {
    delivery.prepare();
    check_request();
    std::optional<ContactResult> told;
    const Page page = tell(told);
    const std::string summary = contact_summary(*told).dump() + "\n";
    if (files) {
      tables->finish();
      delivery.add_page(*files, html_page(page));
      files->add("summary.json", summary);
      files->commit();
      if (const std::string missing = tables->missing(); !missing.empty()) {
        say("antaeus: Parquet is left out: " + missing);
      }
    }
    if (delivery.json) {
      print(summary);
    } else {
      std::string out = heading(page.title + ": " + plain_text(page.subtitle));
      for (const Answer& answer : page.answers) {
        out += heading(answer.question);
        for (const Paragraph& paragraph : answer.paragraphs) {
          out += wrapped((paragraph.quiet ? "Note: " : "• ") + plain_text(paragraph.text), 2);
        }
      }
      print(out);
    }
    if (files && !delivery.json) {
      print("\n  Written to " + printable(delivery.out) + ": report.html, " + (delivery.pdf ? "report.pdf, " : "") +
            "summary.json" + tables->names() + "\n");
    }
    return told->fine() ? kFine : kRefused;
  }

  std::optional<FileSet> files;  ///< before the tables, which are among them
  std::optional<ContactFiles> tables;
};

}  // namespace

void add_contact(CLI::App& app, Run& run) {
  auto command = std::make_shared<ContactCommand>();
  CLI::App* verb = app.add_subcommand("contact", kContactSummary);
  verb->add_option("MOTION", command->motion,
                   ".npz, folder of .npy files, .csv or .parquet with q (or qpos) [N × nq] and dt or time; with v and "
                   "a, each row is an independent state")
      ->option_text(" ");
  verb->add_option("--robot,-r", command->robot.robot,
                   "robot: a name (antaeus robot lists them), a .toml profile, a .urdf or an MJCF .xml")
      ->option_text("NAME|FILE");
  command->robot.add_model_options_to(*verb);
  verb->get_option("--base")->description(
      "floating (default); fixed is refused, because a bolted root takes up every force");
  verb->add_option("--total", command->total,
                   "instead of a robot: .csv with the total wrench of a motion and the poses of its feet")
      ->option_text("FILE");
  verb->add_option("--contact,-c", command->request.contacts,
                   "frame or label in contact (repeatable); with --total a foot")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--inverse-dynamics", command->request.inverse_dynamics,
                 "no contact: the torques of the motion, and the wrench that would have to hold the root");
  verb->add_flag("--over-time", command->request.over_time, "solve all frames together, smooth over time");
  verb->add_option("--with-limits", command->limits,
                   "keep the limits of contacts and motors: none (default), friction as a pyramid, or as a cone")
      ->option_text("none|pyramid|cone");
  verb->add_option("--wrench-frame", command->axes,
                   "axes of wrenches in and out, about the contact's origin: world (default), or its link's")
      ->option_text("world|link");
  verb->add_option("--set", command->robot.assignments,
                   "set any option, e.g. --set contact.smoothing=2 (repeatable; groups contact, split, timing)")
      ->option_text("GROUP.OPTION=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option(
          "--out,-o", command->delivery.out,
          "folder for report.html, summary.json, wrenches.csv, torques.csv (default: antaeus-contact-<motion>)")
      ->option_text("DIR");
  verb->add_flag("--csv", command->always_csv,
                 "write wrenches.csv and torques.csv whatever their length; else Parquet alone beyond 200 000 rows");
  verb->add_flag("--json", command->delivery.json,
                 "print summary.json instead of the summary text; writes files only with --out or --pdf");
  command->delivery.add_pdf_to(*verb);
  verb->footer(
      "A contact exerts force and moment, or a force alone where its foot is a ball; --set contact.kind=wrench or "
      "contact.kind=point sets it for all.\n"
      "Exit code 1: limits are broken, or a root residual stays beyond contact.residual_limit.\n"
      "Example: antaeus contact walk.npz --robot biped.urdf --contact left_foot --contact right_foot --over-time");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
