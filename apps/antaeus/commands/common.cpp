#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/pose/pose_quality.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "components.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

void RobotChoice::add_to(CLI::App& verb, Needed needed) {
  verb.add_option("--robot,-r", robot,
                  "robot: a name (antaeus robot lists them), a .toml profile, a .urdf or an MJCF .xml")
      ->option_text("NAME|FILE")
      ->required(needed == Needed::yes);
  add_model_options_to(verb);
  verb.add_option("--set", assignments, "set any option, e.g. --set published_guard.clamp_force=30 (repeatable)")
      ->option_text("GROUP.OPTION=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

void RobotChoice::add_model_options_to(CLI::App& verb) {
  verb.add_flag("--ignore-meshes", ignore_meshes,
                "draw sticks instead of mesh files (a missing mesh file is always drawn as a stick)");
  verb.add_option(
          "--base", base,
          "fixed (root bolted to the world) or floating; default: from the profile, else fixed if the robot has one "
          "limb")
      ->option_text("fixed|floating");
  add_payload_to(verb);
}

void RobotChoice::add_payload_to(CLI::App& verb) {
  verb.add_option("--payload", payloads,
                  "a load that is not in the description: kg, and its centre of mass in the frame [m] (repeatable)")
      ->option_text("FRAME=MASS[,x,y,z]")
      ->take_all()
      ->allow_extra_args(false);
}

void RobotChoice::add_threads_to(CLI::App& verb) {
  verb.add_option("--threads", threads, "number of threads (default: one per core); results stay the same")
      ->option_text("N");
}

namespace {

/// Returns finite numbers separated by commas; nothing if a part is not one.
std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  const char *at = text.data(), *const end = at + text.size();
  for (;; ++at) {
    double number = 0.0;
    const auto [last, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || !std::isfinite(number) || (last != end && *last != ',')) return std::nullopt;
    numbers.push_back(number);
    if (last == end) return numbers;
    at = last;
  }
}

/// Returns the point mass of "FRAME=MASS", or of "FRAME=MASS,x,y,z" with its centre in the frame's axes.
Payload parse_payload(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  Payload payload{std::string(text.substr(0, equals == std::string::npos ? 0 : equals)), {}, {}};
  const auto numbers = parse_numbers(std::string_view(text).substr(equals + 1));
  if (payload.frame.empty() || !numbers || (numbers->size() != 1 && numbers->size() != 4)) {
    throw OptionsError("--payload", "'" + std::string(text) + "' is not a payload",
                       "write FRAME=MASS or FRAME=MASS,x,y,z, in kg and m");
  }
  payload.inertial.mass = (*numbers)[0];
  if (numbers->size() == 4) payload.inertial.center_of_mass = {(*numbers)[1], (*numbers)[2], (*numbers)[3]};
  return payload;
}

}  // namespace

std::vector<Payload> RobotChoice::loads() const {
  std::vector<Payload> all;
  for (const std::string& payload : payloads) all.push_back(parse_payload(payload));
  return all;
}

void apply_assignments(Settings& settings, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) settings.set(assignment, "--set");
  for (const Note& note : settings.notes()) say("antaeus: " + note_text(note, FrontEnd::command_line));
}

Robot RobotChoice::load() const {
  if (threads && *threads < 1) {
    throw OptionsError("--threads", std::to_string(*threads) + " is fewer than one", "give 1 or more");
  }
  std::optional<Base> chosen;
  if (!base.empty()) chosen = parse_base(base, "--base");
  const bool is_mjcf = std::filesystem::path(robot).extension() == ".xml";
  Robot loaded = is_mjcf ? load_mjcf(robot, chosen)
                         : load_robot(robot, MeshPolicy::ignored, chosen);  // a page says which mesh is not there
  for (const Payload& payload : loads()) loaded = with_payload(loaded, payload, "--payload");
  apply_assignments(loaded.profile.settings, assignments);
  if (threads) loaded.profile.settings.set("replay.threads=" + std::to_string(*threads), "--threads");
  return loaded;
}

std::string RobotChoice::payload_words() const {
  std::string text;
  for (const std::string& payload : payloads) text += " --payload " + shell_word(payload);
  return text;
}

namespace {

/// The unit of a robot's torques where its noise was identified in another than N·m: forces are then no newtons.
std::string foreign_unit(const Robot& robot) {
  const NoiseModel* noise = robot.profile.noise.get();
  return noise && noise->unit != "N·m" ? noise->unit : std::string();
}

}  // namespace

std::string base_line(const Robot& robot) {
  const std::string unit = foreign_unit(robot);
  const NoiseModel* noise = robot.profile.noise.get();
  return "base: " + base_text(robot) + printable(payloads_text(robot.model.options().payloads)) +
         (noise && noise->origin == NoiseOrigin::moving && noise->logs == 0
              ? "; its noise was identified by an older version, or without labels: how far days lie apart is taken "
                "from "
                "other robots"
              : "") +
         (unit.empty() ? "" : "; torques in " + printable(unit) + ", so every N is of " + printable(unit) + " over m");
}

Json with_base(Json json, const Robot& robot) {
  json.set("base", to_string(robot.model.base())).set("base_source", to_string(robot.profile.base_source));
  if (const auto& payloads = robot.model.options().payloads; !payloads.empty()) json.set("payloads", to_json(payloads));
  if (const std::string unit = foreign_unit(robot); !unit.empty()) json.set("torque_unit", unit);
  return json;
}

std::string no_whole_number(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && text.size() < 10 ? "" : "'" + text + "' is not the number of a step; give 0 or more, a whole number";
}

void PoseChoice::add_to(CLI::App& verb, bool with_episode) {
  recorded = with_episode;
  verb.add_option("--pose", pose,
                  "a pose of the robot's profile, zero or middle; joint=value,...; or one number per motor")
      ->option_text("POSE");
  verb.add_option("--positions", positions,
                  "motor positions in rad (m where a joint slides); other joints are at zero, or at the limit nearest "
                  "to it")
      ->option_text("JOINT=RAD,...");
  if (!recorded) return;
  verb.add_option("--episode", episode, "log with the pose (and targets)")->option_text("LOG");
  verb.add_option("--step", step, "step of that log (default 0)")->check(no_whole_number)->option_text("N");
}

namespace {

/// A pose as --pose has it: a name, "joint=value,joint=value", or one number per motor.
LabelledPose typed_pose(const Robot& robot, const std::string& text) {
  const std::vector<std::string> names = robot.pose_names();
  if (std::ranges::find(names, text) != names.end()) return {text, robot.pose(text)};
  if (text.find('=') != std::string::npos) return {"given", parse_positions(robot, text, "--pose")};
  const auto numbers = parse_numbers(text);
  if (!numbers) throw_unknown<OptionsError>("--pose", "pose", text, names);
  if (std::ssize(*numbers) != robot.model.motor_count()) {
    throw OptionsError("--pose",
                       std::to_string(numbers->size()) + (numbers->size() == 1 ? " number" : " numbers") + " for " +
                           std::to_string(robot.model.motor_count()) + " motors",
                       "give a name, joint=value,..., or one number per motor");
  }
  return {"given", Eigen::Map<const VectorX>(numbers->data(), std::ssize(*numbers))};
}

}  // namespace

LabelledPose PoseChoice::load(const Robot& robot, const EpisodeOptions& options, VectorX* target,
                              std::optional<Eigen::Vector4d>* imu_xyzw) const {
  if (!pose.empty() + !positions.empty() + !episode.empty() != 1) {
    throw OptionsError("pose", "missing, or more than one",
                       std::string("give one of --pose, --positions") + (recorded ? ", --episode" : ""));
  }
  if (!pose.empty()) return typed_pose(robot, pose);
  if (!positions.empty()) return {"given", parse_positions(robot, positions, "--positions")};
  const Episode log = load_episode(episode, robot, options);
  if (step >= log.steps()) {
    throw OptionsError("--step", std::to_string(step) + " is past the end",
                       "the log has steps 0 to " + std::to_string(log.steps() - 1));
  }
  if (target && log.target.rows() > 0) *target = log.target.row(step);
  if (imu_xyzw && log.has_imu()) *imu_xyzw = Eigen::Vector4d(log.imu_quaternion.row(step).transpose());
  return {log.name + " step " + std::to_string(step), log.q.row(step)};
}

void EndpointChoice::add_to(CLI::App& verb) {
  verb.add_option("--endpoint,-e", endpoints, "frame or label (repeatable; default: those that the consumer reads)")
      ->option_text("FRAME")
      ->take_all()
      ->allow_extra_args(false);
}

std::vector<std::string> EndpointChoice::frames(const Robot& robot) const {
  const bool consumed = endpoints.empty() && !robot.profile.deployed_endpoints.empty();
  return robot.endpoint_frames(consumed ? robot.profile.deployed_endpoints : endpoints, "--endpoint");
}

VectorX named_pose(const Robot& robot, const std::string& name, const std::string& option) {
  const std::vector<std::string> names = robot.pose_names();
  if (std::ranges::find(names, name) == names.end()) throw_unknown<OptionsError>(option, "pose", name, names);
  return robot.pose(name);
}

std::vector<Note> pose_notes(const Robot& robot, const VectorX& q, const std::string& positions,
                             const std::vector<std::string>& endpoints) {
  const RobotModel& model = robot.model;
  std::vector<Note> notes = position_notes(robot, q, endpoints);
  if (positions.empty()) return notes;
  const VectorX zeros = allowed_zeros(model);
  for (int m = 0; m < q.size(); ++m) {
    const std::string& name = model.motor_names()[static_cast<std::size_t>(m)];
    const auto outside = std::ranges::find_if(
        notes, [&](const Note& note) { return note.code == NoteCode::outside_limits && note.subject == name; });
    if (outside != notes.end() && !slides(model, m)) {
      std::string hint = "; radians are expected";
      if (std::abs(q[m]) > 2 * std::numbers::pi) {
        hint += ", and " + significant_text(q[m], 4) + " looks like degrees: " + name + "=" +
                significant_text(q[m] * std::numbers::pi / 180.0, 4);
      }
      outside->values.emplace_back(hint);
    }
    if (zeros[m] == 0.0 || ("," + positions).find("," + name + "=") != std::string::npos) continue;
    notes.push_back({NoteCode::joint_not_named, name, {NoteValue(zeros[m], significant_text(zeros[m], 4))}});
  }
  return notes;
}

ExitCode code_of_readings(const Episode& log, bool usable) { return usable && log.silent.empty() ? kFine : kRefused; }

std::string notes_text(const std::vector<Note>& notes) {
  std::string text;
  for (const Note& note : notes) text += wrapped("Note: " + note_text(note, FrontEnd::command_line) + ".", 2);
  return text;
}

std::string set_up_text(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  std::string text = heading("Does the log agree with the profile?");
  for (const std::string& sentence : sentences) text += wrapped("• " + sentence, 2);
  return text;
}

Json with_notes(Json json, const std::vector<Note>& notes) {
  if (!notes.empty()) json.set("notes", to_json(note_texts(notes))).set("note_details", to_json(notes));
  return json;
}

VectorX parse_positions(const Robot& robot, const std::string& text, const std::string& option) {
  VectorX q = allowed_zeros(robot.model);
  std::vector<bool> given(static_cast<std::size_t>(q.size()), false);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string item = text.substr(at, end - at);
    item.erase(0, std::min(item.find_first_not_of(' '), item.size()));
    at = end + 1;
    const std::size_t equals = item.find('=');
    double value = 0;
    const char* first = item.data() + (equals == std::string::npos ? item.size() : equals + 1);
    const auto [last, error] = std::from_chars(first, item.data() + item.size(), value);
    if (equals == std::string::npos || error != std::errc{} || last != item.data() + item.size() ||
        !std::isfinite(value)) {
      throw OptionsError(option, "'" + item + "' is not a position", "write joint=radians,joint=radians");
    }
    const int motor = motor_named(robot.model, item.substr(0, equals), option);
    if (given[static_cast<std::size_t>(motor)]) {
      throw OptionsError(option, "joint '" + item.substr(0, equals) + "' is given twice", "remove one");
    }
    given[static_cast<std::size_t>(motor)] = true;
    q[motor] = value;
  }
  return q;
}

}  // namespace antaeus::cli
