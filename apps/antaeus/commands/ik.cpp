// antaeus ik: find joint positions that bring a frame to targets, or the reason why there are none.
#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/ik/ik_run.hpp"
#include "antaeus/ik/ik_story.hpp"
#include "antaeus/ik/ik_trace.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "components.hpp"
#include "delivery.hpp"
#include "ik_clip_call.hpp"
#include "io/plugin.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

struct IkCommand {
  RobotChoice robot;
  std::string frame, file, method = "default", start;
  std::vector<std::string> targets;
  bool position_only = false, path = false, timing = false, trace = false, clip = false;
  int threads = 1;
  Delivery delivery;
  Settings settings = {};  ///< of the robot, once it is loaded

  /// The component that draws, loaded when it is asked for.
  static IkClipFunction& clip_function() {
    constexpr const char* kRemedy = "build it with: make studies";
    if (!plugin_is_built(kStudies.file)) throw Error("--clip", "the component studies is not built", kRemedy);
    void* const plugin = open_plugin(kStudies.file, "--clip", kRemedy);
    auto* const function = reinterpret_cast<IkClipFunction*>(plugin_function(plugin, "antaeus_ik_clip_1"));
    if (!function) throw Error("--clip", std::string(kStudies.file) + " is of another version", kRemedy);
    return *function;
  }

  /// Neither threads nor timing: answers do not depend on them.
  std::string command_text() const {
    const std::string& first = file.empty() ? robot.robot : file;
    const std::filesystem::path folder = folder_of(first);
    std::string text = "antaeus ik --robot " + file_word(robot.robot, folder) + " --frame " + shell_word(frame);
    if (!robot.base.empty()) text += " --base " + shell_word(robot.base);
    text += robot.payload_words();
    if (!file.empty()) text += " --targets " + file_word(file, folder);
    for (const std::string& target : targets) text += " --target " + shell_word(target);
    if (position_only) text += " --position-only";
    if (path) text += " --path";
    if (trace) text += " --trace";
    if (method != "default") text += " --method " + method;
    if (!start.empty()) text += " --start " + shell_word(start);
    for (const std::string& assignment : robot.assignments) text += " --set " + shell_word(assignment);
    return text;
  }

  IkResult solve(std::shared_ptr<const MeshFiles>& meshes) {
    if (file.empty() == targets.empty()) {
      throw OptionsError("--targets, --target", "one of the two must be given",
                         "--targets FILE.csv, or --target x,y,z[,qx,qy,qz,qw]");
    }
    IkRequest request{.frame = frame, .targets = {}, .path = path};
    request.method = parse_enum<IkMethod>(method, "--method", "method");
    request.threads = threads;
    request.timing = timing;
    if (threads < 1) throw OptionsError("--threads", std::to_string(threads) + " is fewer than one", "give 1 or more");
    RobotChoice asked = robot;
    asked.ignore_meshes = true;
    // Without a choice the root is held: a base that floats would stand where it is all the same.
    if (asked.base.empty()) asked.base = "fixed";
    Robot loaded = asked.load();
    if (robot.base.empty()) loaded.profile.base_source = BaseSource::caller;
    ReachOptions options = loaded.profile.settings.get<ReachOptions>();
    options.position_only = options.position_only || position_only;
    request.frame = ik_frame(loaded, frame);
    settings = loaded.profile.settings;
    if (clip) clip_function()({.settings = &settings});
    const KinematicChain chain(loaded.model, request.frame);
    request.targets = file.empty() ? parse_ik_targets(targets) : read_ik_targets(file);
    if (!start.empty()) request.start = parse_ik_start(loaded, chain, start);
    IkResult result = solve_ik(loaded, std::move(request), options, progress_bar("ik"));
    if (!robot.ignore_meshes) {
      meshes = std::make_shared<const MeshFiles>(read_meshes(loaded.model.description(), nullptr));
    }
    return result;
  }

  /// A frame's name as part of a folder's.
  std::string default_folder() const {
    std::string name = frame;
    std::replace(name.begin(), name.end(), '/', '_');
    return "antaeus-ik-" + name;
  }

  int run() {
    delivery.prepare();
    std::shared_ptr<const MeshFiles> meshes;
    if (trace && path) throw OptionsError("--trace, --path", "a path is not traced", "leave one of the two");
    if (clip) clip_function();  // before --set, which names its options
    IkResult result = solve(meshes);
    result.command = command_text();
    const std::string summary = ik_summary(result).dump() + "\n";
    if (delivery.out.empty() && (!delivery.json || delivery.pdf || trace || clip)) delivery.out = default_folder();
    std::string names = "report.html, ";
    if (!delivery.out.empty()) {
      const Page page = ik_page(result, meshes);
      FileSet files(delivery.out);
      if (delivery.pdf) names += "report.pdf, ";
      delivery.add_page(files, html_page(page));
      files.add("summary.json", summary);
      names += "summary.json, " + add_table(files, "solutions", solutions_table(result));
      if (const Table rejected = rejected_table(result); rejected.rows() > 0) {
        names += ", " + add_table(files, "rejected", rejected);
      }
      std::optional<IkTrace> way;
      if (trace) names += add_trace(files, result, way.emplace(trace_ik(result)), meshes);
      if (clip) names += add_clip(files, result, way ? &*way : nullptr);
      commit(files, "solutions");
    }
    for (const std::string& joint : result.pulled_in) {
      say("antaeus: --start: joint '" + printable(joint) + "' was outside its limits and stands at the nearer one");
    }
    if (delivery.json) {
      print(summary);
    } else {
      print(story(result));
      if (!delivery.out.empty()) print("\n  Written to " + printable(delivery.out) + ": " + names + "\n");
    }
    return result.all_reached() ? kFine : kRefused;
  }

  std::string add_clip(FileSet& files, const IkResult& result, const IkTrace* way) const {
    std::string mp4, told;
    clip_function()({.settings = &settings, .result = &result, .trace = way, .mp4 = &mp4, .told = &told});
    files.add("clip.mp4", std::move(mp4));
    return ", clip.mp4 (" + told + ")";
  }

  static std::string add_trace(FileSet& files, const IkResult& result, const IkTrace& way,
                               const std::shared_ptr<const MeshFiles>& meshes) {
    files.add("trace.html", html_page(ik_trace_page(result, way, meshes)));
    return ", trace.html, " + add_table(files, "trace", trace_table(result, way));
  }

  static std::string story(const IkResult& result) {
    std::string out =
        heading(printable(result.robot) + ", " + printable(result.request.frame) + ": " + ik_subtitle(result));
    for (const IkAnswer& answer : ik_story(result)) {
      out += heading(answer.question);
      for (const IkStatement& one : answer.statements) {
        const std::string about = one.target >= 0 ? "Target " + std::to_string(one.target) + ": " : "";
        out += wrapped((one.quiet ? "Note: " : "• ") + one.lead + about + one.text, 2);
      }
    }
    return out + positions(result);
  }

  /// The joint positions of the first targets, side by side.
  static std::string positions(const IkResult& result) {
    constexpr int kShown = 6;
    const std::vector<ChainJoint>& joints = result.model.chain().joints();
    std::vector<int> shown;
    for (int t = 0; t < result.size() && std::ssize(shown) < kShown; ++t) {
      if (result.status(t) != ReachStatus::bad_input) shown.push_back(t);
    }
    if (shown.empty()) return {};
    std::vector<std::string> heads = {"joint", "unit"};
    bool any_missed = false;
    for (const int t : shown) {
      const bool missed = result.status(t) != ReachStatus::reached;
      any_missed = any_missed || missed;
      heads.push_back("target " + std::to_string(t) + (missed ? " *" : ""));
    }
    TextTable table(std::move(heads));
    for (std::size_t j = 0; j < joints.size(); ++j) {
      std::vector<std::string> cells = {joints[j].name, joints[j].prismatic ? "m" : "rad"};
      for (const int t : shown) cells.push_back(fixed(result.answers.q(t, static_cast<Eigen::Index>(j)), 4));
      table.add(std::move(cells));
    }
    std::string text = heading("Joint positions") + table.text();
    if (any_missed) text += wrapped("* not reached: the nearest pose within the limits that was found", 2);
    if (std::ssize(shown) < result.size()) text += wrapped("Those of all targets are in solutions.csv.", 2);
    return text;
  }
};

}  // namespace

void add_ik(CLI::App& app, Run& run) {
  auto command = std::make_shared<IkCommand>();
  CLI::App* verb = app.add_subcommand("ik", kIkSummary);
  verb->add_option("--robot,-r", command->robot.robot,
                   "robot: a name (antaeus robot lists them), a .toml profile, a .urdf or an MJCF .xml")
      ->option_text("NAME|FILE")
      ->required();
  verb->add_option("--frame,-f", command->frame,
                   "frame to bring to the targets: a link, joint or frame of the robot, or the label of an endpoint")
      ->option_text("FRAME")
      ->required();
  verb->add_option("--targets", command->file,
                   ".csv with columns x, y, z [m] and, for poses, qx, qy, qz, qw; world axes")
      ->option_text("FILE");
  verb->add_option("--target", command->targets, "instead of a file: x,y,z or x,y,z,qx,qy,qz,qw (repeatable)")
      ->option_text("NUMBERS")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--position-only", command->position_only, "use the frame's origin only; quaternions are not read");
  verb->add_flag("--path", command->path,
                 "start each target from the answer before it; otherwise targets are independent");
  verb->add_flag("--trace", command->trace,
                 "also write every iteration of pinv, dls and the default method: trace.csv, and as motion in "
                 "trace.html (the first 20 targets)");
  verb->add_flag("--clip", command->clip,
                 "also render clip.mp4: the answers, or with --trace every iteration (needs make studies, EGL and "
                 "the package imageio-ffmpeg)");
  verb->add_option("--method", command->method, "default, or a plain one to compare with: dls, pinv, dls_restarts")
      ->option_text("NAME");
  verb->add_option("--start", command->start,
                   "pose of the profile, joint=value,..., or one number per joint of the chain: tried first, and "
                   "kept to with --path")
      ->option_text("POSE");
  verb->add_option("--threads", command->threads, "threads for independent targets (default 1); answers stay the same")
      ->option_text("N");
  verb->add_flag("--timing", command->timing, "also measure the CPU time of each solve, with warm caches");
  verb->add_option("--set", command->robot.assignments,
                   "set any option of group ik, e.g. --set ik.position_tolerance=1e-5 (repeatable)")
      ->option_text("GROUP.OPTION=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command->robot.add_model_options_to(*verb);
  verb->get_option("--base")->description("fixed (default), or floating: the root stands at the origin all the same");
  verb->add_option("--out,-o", command->delivery.out,
                   "folder for report.html, summary.json, solutions.csv (default: antaeus-ik-<frame>)")
      ->option_text("DIR");
  verb->add_flag(
      "--json", command->delivery.json,
      "print summary.json instead of the summary text; writes files only with --out, --pdf, --trace or --clip");
  command->delivery.add_pdf_to(*verb);
  verb->footer(
      "Exit code 1: a target is not reached.\n"
      "Example: antaeus ik --robot panda --frame panda_hand --target 0.4,0.1,0.5");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
