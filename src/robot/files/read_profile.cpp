// A profile's TOML file into a RobotProfile. Each mistake is blamed on its own line.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "robot/files/channel_keys.hpp"
#include "robot/files/noise_file.hpp"
#include "robot/files/toml_keys.hpp"

namespace antaeus {

namespace {

constexpr std::uintmax_t kLargestProfile = std::uintmax_t{4} << 20;
constexpr std::int64_t kSchema = 1;

const std::vector<std::string> kBaseNames = {"fixed", "floating", "free_flyer"};

std::optional<Base> base_named(std::string_view text) {
  return text == "floating" ? Base::free_flyer : find_enum<Base>(text);
}

void read_figures(Keys& keys, RobotProfile& profile) {
  profile.figures.assign(profile.options.motors.size(), JointFigures{});
  for (Keys& table : keys.tables("joint_figures")) {
    std::vector<std::string> joints = table.names("joints", profile.lines, "joint_figures");
    const std::size_t own = joints.size();
    if (const std::string group = table.text_or("group", ""); !group.empty()) {
      const JointGroup* found = profile.find_group(group);
      if (!found) {
        std::vector<std::string> names;
        for (const auto& g : profile.groups) names.push_back(g.name);
        const UnknownName text = unknown_name("group", group, names);
        table.fail(table.find("group"), text.problem, text.remedy);
      }
      joints.insert(joints.end(), found->joints.begin(), found->joints.end());
    }
    JointFigures figures;
    figures.torque_sd = table.not_negative_or("torque_sd", figures.torque_sd);
    if (figures.torque_sd == 0) table.fail(table.find("torque_sd"), "'torque_sd' is zero", "no sensor is exact");
    figures.static_sd = table.positive_or("static_sd", figures.static_sd);
    if (table.find("torque_sd")) figures.torque_sd_from = FigureSource::profile;
    if (table.find("static_sd")) figures.static_sd_from = FigureSource::profile;
    figures.coulomb = table.not_negative_or("coulomb", 0.0);
    figures.stribeck = table.not_negative_or("stribeck", 0.0);
    figures.stribeck_speed = table.positive_or("stribeck_speed", figures.stribeck_speed);
    figures.viscous = table.not_negative_or("viscous", 0.0);
    figures.friction_offset = table.number_or("friction_offset", 0.0);
    figures.armature = table.not_negative_or("armature", 0.0);
    figures.gear = table.positive_or("gear", figures.gear);
    figures.scale = table.number_or("scale", figures.scale);
    if (figures.scale == 0.0)
      table.fail(table.find("scale"), "'scale' is zero",
                 "give what the channel is to be multiplied by; negative: it is positive against the joint's axis");
    figures.torque_offset = table.number_or("torque_offset", 0.0);
    figures.torque_limit = table.positive_or("torque_limit", figures.torque_limit);
    table.finish();
    if (!table.find("group") && !table.find("joints")) {
      table.fail(nullptr, "names neither 'group' nor 'joints'", "name the joints of these values");
    }
    if (profile.options.motors.empty()) continue;  // which the file as a whole lacks
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const std::string& joint = joints[i];
      const auto at = std::find(profile.options.motors.begin(), profile.options.motors.end(), joint);
      if (at == profile.options.motors.end()) {
        if (i >= own) continue;  // told at the group's own line, with the model
        const UnknownName text = unknown_name("motor joint", joint, profile.options.motors);
        table.fail(table.array_of(*table.find("joints"), "joints").get(i), text.problem, text.remedy);
      }
      profile.figures[at - profile.options.motors.begin()] = figures;
    }
  }
}

/// What a contact at an endpoint can exert. The sole's corners go once around it, each a turn to the left.
void read_surface(Keys& table, ContactSurface& surface) {
  surface.friction = table.not_negative_or("friction", kNaN);
  surface.torsion = table.not_negative_or("torsion", kNaN);
  if (table.find("force_cap")) surface.force_cap = table.positive_or("force_cap", kNaN);
  surface.sole_depth = table.number_or("sole_depth", 0.0);
  const toml::node* sole = table.find("sole");
  if (!sole) return;
  constexpr const char* kRemedy = "write the corners [[x, y], …] in the endpoint's frame, counter-clockwise";
  for (const toml::node& corner : table.array_of(*sole, "sole")) {
    const toml::array& numbers = table.array_of(corner, "sole");
    if (numbers.size() != 2)
      table.fail(&corner, "a corner has " + std::to_string(numbers.size()) + " numbers", kRemedy);
    surface.sole.emplace_back(table.number_of(*numbers.get(0), "sole"), table.number_of(*numbers.get(1), "sole"));
  }
  const std::size_t n = surface.sole.size();
  bool convex = n >= 3;
  double turned = 0.0;  // a star turns left at every corner too, but more than once around
  for (std::size_t i = 0; convex && i < n; ++i) {
    const Eigen::Vector2d here = surface.sole[(i + 1) % n];
    const Eigen::Vector2d a = here - surface.sole[i], b = surface.sole[(i + 2) % n] - here;
    const double left = a.x() * b.y() - a.y() * b.x();
    convex = left > 0.0 && std::isfinite(left);
    turned += std::atan2(left, a.dot(b));
  }
  convex = convex && turned < 9.0;  // [rad] between once and twice around
  if (!convex) table.fail(sole, "'sole' is not a convex polygon that turns left", kRemedy);
}

/// `count` finite numbers, zero where the key is absent.
VectorX numbers_or_zero(Keys& table, const std::string& key, std::size_t count, const std::string& remedy) {
  VectorX numbers = VectorX::Zero(static_cast<Eigen::Index>(count));
  const toml::node* node = table.find(key);
  if (!node) return numbers;
  const toml::array& values = table.array_of(*node, key);
  if (values.size() != count) table.fail(node, "'" + key + "' needs " + std::to_string(count) + " numbers", remedy);
  for (std::size_t i = 0; i < count; ++i) numbers[static_cast<Eigen::Index>(i)] = table.number_of(*values.get(i), key);
  return numbers;
}

void read_payloads(Keys& keys, RobotProfile& profile, const std::string& file) {
  for (Keys& table : keys.tables("payload")) {
    Payload payload;
    payload.frame = table.text("frame");
    payload.name = table.text_or("name", "");
    payload.inertial.mass = table.number_or("mass", 0.0);
    if (!table.find("mass")) table.fail(nullptr, "no key 'mass'", "add it, in kg");
    payload.inertial.center_of_mass = numbers_or_zero(table, "center_of_mass", 3, "write [x, y, z] in the frame");
    const VectorX i = numbers_or_zero(table, "inertia", 6, "write [ixx, ixy, ixz, iyy, iyz, izz]");
    payload.inertial.inertia << i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5];
    table.finish();
    const int line = table.line(table.find(payload.inertial.mass >= 0 && table.find("inertia") ? "inertia" : "mass"));
    check_payload(payload, file + ":" + std::to_string(line) + " [payload]");
    profile.lines.emplace("payload " + payload.frame, table.line(table.find("frame")));
    profile.options.payloads.push_back(std::move(payload));
  }
}

void read_tables(Keys& keys, RobotProfile& profile, const std::string& file) {
  std::set<std::string> groups, frames, labels, poses;
  for (Keys& table : keys.tables("groups")) {
    JointGroup group{table.text("name"), "", table.names("joints", profile.lines, "group")};
    group.title = table.text_or("title", group.name);
    table.finish();
    if (!groups.insert(group.name).second) {
      table.fail(table.find("name"), "a second group '" + group.name + "'", "rename or remove one");
    }
    profile.groups.push_back(std::move(group));
  }
  for (Keys& table : keys.tables("endpoints")) {
    Endpoint endpoint;
    endpoint.frame = table.text("frame");
    endpoint.label = table.text_or("label", endpoint.frame);
    endpoint.kind = table.choice_or("kind", endpoint.kind);
    endpoint.group = table.text_or("group", "");
    read_surface(table, endpoint.surface);
    table.finish();
    if (!frames.insert(endpoint.frame).second) {
      table.fail(table.find("frame"), "a second endpoint '" + endpoint.frame + "'", "remove one");
    }
    if (!labels.insert(endpoint.label).second) {
      table.fail(table.find("label"), "a second label '" + endpoint.label + "'", "rename one");
    }
    profile.lines.emplace("endpoint " + endpoint.frame, table.line(table.find("frame")));
    profile.lines.emplace("group of " + endpoint.frame, table.line(table.find("group")));
    profile.endpoints.push_back(std::move(endpoint));
  }
  if (const toml::table* node = keys.table("robot")) {
    Keys table(*node, file, "robot");
    if (table.find("rated_load")) profile.rated_load = table.positive_or("rated_load", 1.0);
    table.finish();
  }
  if (const toml::table* node = keys.table("imu")) {
    Keys table(*node, file, "imu");
    profile.imu.frame = table.text("frame");
    profile.lines.emplace("imu " + profile.imu.frame, table.line(table.find("frame")));
    profile.imu.order = table.choice_or("quaternion_order", profile.imu.order);
    table.text_or("mounted_on", "");
    table.finish();
  }
  if (const toml::table* node = keys.table("channels")) {
    profile.channels = read_channels(Keys(*node, file, "channels"), profile.options.motors.size());
  }
  if (const toml::table* node = keys.table("deployed")) {
    Keys table(*node, file, "deployed");
    if (table.find("sign")) profile.deployed_sign = table.choice_or("sign", Sign::on_robot);
    profile.deployed_endpoints = table.names("endpoints", profile.lines, "deployed endpoint");
    profile.imu.deployed_as = table.choice_or("imu_quaternion_fed_to", profile.imu.deployed_as);
    table.finish();
  }
  if (const toml::table* node = keys.table("torque")) {
    Keys table(*node, file, "torque");
    profile.torque_source = table.choice_or("source", profile.torque_source);
    profile.friction = table.choice_or("friction", profile.friction);
    profile.torque_sign = table.number_or("sign", 1.0);
    if (std::abs(profile.torque_sign) != 1.0) table.fail(table.find("sign"), "'sign' is neither 1 nor -1", "write one");
    table.finish();
  }
  if (const toml::table* node = keys.table("preflight")) {
    Keys table(*node, file, "preflight");
    PreflightFigures& figures = profile.preflight;
    figures.gain_limit = table.not_negative_or("gain_limit", figures.gain_limit);
    figures.gain_row = table.choice_or("gain_row", figures.gain_row);
    figures.gain_joints = table.names("gain_joints", profile.lines, "preflight");
    figures.start_error_limit = table.not_negative_or("start_error_limit", figures.start_error_limit);
    figures.start_error_joints = table.names("start_error_joints", profile.lines, "preflight");
    table.finish();
  }
  for (Keys& table : keys.tables("poses")) {
    NamedPose pose;
    pose.name = table.text("name");
    pose.title = table.text_or("title", pose.name);
    if (const toml::table* positions = table.table("positions")) {
      for (const auto& [joint, node] : *positions) {
        profile.lines.emplace("pose " + pose.name + " " + std::string(joint.str()),
                              static_cast<int>(joint.source().begin.line));
        pose.positions[std::string(joint.str())] = table.number_of(node, std::string(joint.str()));
      }
    }
    table.finish();
    if (!poses.insert(pose.name).second) {
      table.fail(table.find("name"), "a second pose '" + pose.name + "'", "rename or remove one");
    }
    profile.poses.push_back(std::move(pose));
  }
}

/// [options.<group>] tables, checked against the tables of the rooms that own the options.
void read_options(Keys& keys, RobotProfile& profile) {
  const toml::table* groups = keys.table("options");
  if (!groups) return;
  std::vector<std::string> known;
  for (const OptionGroup& group : OptionGroup::all()) known.push_back(group.table->group());
  for (const auto& [group, node] : *groups) {
    const std::string name(group.str());
    if (std::find(known.begin(), known.end(), name) == known.end() && !Settings::is_old_group(name)) {
      const UnknownName unknown = unknown_name("option group", name, known);
      keys.fail(&node, unknown.problem, unknown.remedy);
    }
    if (!node.is_table()) {
      keys.fail(&node, "'options." + name + "' must be a table", "write [options." + name + "]");
    }
    for (const auto& [key, value] : *node.as_table()) {
      Setting setting{name, std::string(key.str()), "",
                      profile.file.string() + ":" + std::to_string(value.source().begin.line)};
      if (const auto text = value.value_exact<std::string>()) {
        setting.value = *text;
      } else if (const auto flag = value.value_exact<bool>()) {
        setting.value = *flag ? "true" : "false";
      } else {
        setting.value = shortest_text(keys.number_of(value, setting.name));
      }
      try {
        profile.settings.set(std::move(setting));
      } catch (const OptionsError& error) {
        throw ModelError(error.place(), error.problem(), error.remedy());
      }
    }
  }
}

/// The end of the string that begins at \p at. A long one may end in up to five of its quotes.
std::size_t past_string(std::string_view text, std::size_t at, int& line) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.substr(at).starts_with(three);
  const std::string end = is_long ? three : three.substr(2);
  for (at += end.size(); at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
      line += at < text.size() && text[at] == '\n';
      continue;
    }
    if (text[at] == '\n' && !is_long) return at;
    line += text[at] == '\n';
    if (!text.substr(at).starts_with(end)) continue;
    at += end.size();
    while (is_long && at < text.size() && text[at] == quote) ++at;
    return at;
  }
  return text.size();
}

/// Bounds how deep names, tables and lists of a TOML text nest, since toml++ 3.3 bounds lists and inline tables alone
/// (at 256) and takes a table apart by recursion. Where the text is no TOML, toml++ finds it. In a list over several
/// lines the dots of all names count together.
void check_nesting(std::string_view text, const std::string& file) {
  constexpr int kDeepest = 64;
  int line = 1, header = 0, brackets = 0, named = 0, dots = 0;  // dots: of the name that is being read
  bool is_begun = false, is_header = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (const char c = text[at]) {
      case '"':
      case '\'':
        is_begun = true;
        at = past_string(text, at, line) - 1;
        break;
      case '#': at = std::min(text.find('\n', at), text.size()) - 1; break;
      case '\n':
        ++line;
        dots = 0;
        if (brackets == 0 || is_header) {
          is_begun = is_header = false;
          brackets = named = 0;
        }
        break;
      case '.': ++dots; break;
      case '=':
        named += dots + (dots > 0);
        dots = 0;
        break;
      case ',': dots = 0; break;
      case '[':
      case '{':
        if (!is_begun) {
          is_header = true;
          header = 0;
        }
        is_begun = true;
        ++brackets;
        dots = 0;
        break;
      case ']':
      case '}':
        if (is_header) header = std::max(header, dots + 1);
        brackets = std::max(brackets - 1, 0);
        dots = 0;
        break;
      default: is_begun = is_begun || (c != ' ' && c != '\t' && c != '\r');
    }
    if (header + brackets + named + dots > kDeepest) {
      throw ModelError(file + ":" + std::to_string(line),
                       "nested more than " + std::to_string(kDeepest) + " levels deep",
                       "a profile needs three; shorten the dotted name or the list");
    }
  }
}

}  // namespace

Base parse_base(std::string_view text, const std::string& place) {
  if (const std::optional<Base> base = base_named(text)) return *base;
  throw_unknown<OptionsError>(place, "base", text, kBaseNames);
}

namespace {

/// The description that `model` names: a file relative to the profile, or a robot that comes with Antaeus.
std::filesystem::path model_of(const std::filesystem::path& file, const std::string& model) {
  const std::filesystem::path beside = file.parent_path() / model;
  const bool is_name = std::filesystem::path(model).extension().empty() && model.find('/') == std::string::npos;
  std::error_code absent;
  const std::filesystem::path shipped = robots_folder() / model / "profile.toml";
  if (!is_name || std::filesystem::is_regular_file(beside, absent) || !std::filesystem::exists(shipped, absent) ||
      std::filesystem::equivalent(shipped, file, absent)) {
    return beside;
  }
  return read_profile(shipped).model;
}

}  // namespace

RobotProfile read_profile(const std::filesystem::path& file) {
  const std::string bytes = read_file(file, kLargestProfile);
  check_nesting(bytes, file.string());
  toml::table table;
  try {
    table = toml::parse(bytes, file.string());
  } catch (const toml::parse_error& error) {
    throw ModelError(file.string() + ":" + std::to_string(error.source().begin.line),
                     "not valid TOML (" + std::string(error.description()) + ")", "correct the line");
  }
  Keys keys(table, file.string(), "");
  const toml::node* schema = keys.find("schema");
  if (!schema || schema->value<std::int64_t>() != kSchema) {
    keys.fail(schema, "not a profile of schema 1", "begin the file with `schema = 1`");
  }
  RobotProfile profile;
  profile.file = file;
  profile.sha256 = sha256(bytes);
  profile.name = keys.text("name");
  profile.title = keys.text_or("title", profile.name);
  profile.provenance = keys.text_or("provenance", "");
  profile.model = model_of(file, keys.text("model"));
  if (const toml::node* node = keys.find("model")) profile.lines.emplace("model", keys.line(node));
  profile.base_source = BaseSource::limbs;
  if (const toml::node* node = keys.find("base")) {
    profile.base_source = BaseSource::profile;
    const std::optional<Base> base = base_named(keys.text_of(*node, "base"));
    const UnknownName unknown = unknown_name("base", keys.text_of(*node, "base"), kBaseNames);
    if (!base) keys.fail(node, unknown.problem, unknown.remedy);
    profile.options.base = *base;
  }
  if (keys.find("gravity")) profile.options.gravity = numbers_or_zero(keys, "gravity", 3, "write [0.0, 0.0, -9.81]");
  profile.options.motors = keys.names("motors", profile.lines, "motor");
  if (profile.options.motors.empty()) {
    if (keys.find("motors")) keys.fail(keys.find("motors"), "no motors", "list the joints in motor order");
    keys.lack("no key 'motors'", "list the joints in motor order");
  }
  profile.motor_labels = keys.texts("motor_labels");
  if (profile.motor_labels.empty()) profile.motor_labels = profile.options.motors;
  if (keys.find("motors") && profile.motor_labels.size() != profile.options.motors.size()) {
    keys.fail(keys.find("motor_labels"),
              std::to_string(profile.motor_labels.size()) + " labels for " +
                  std::to_string(profile.options.motors.size()) + " motors",
              "give one a motor");
  }
  profile.reference_joint = keys.text_or("reference_joint", "");
  if (const toml::node* node = keys.find("reference_joint")) {
    profile.lines.emplace("reference_joint " + profile.reference_joint, keys.line(node));
  }
  read_tables(keys, profile, file.string());
  read_payloads(keys, profile, file.string());
  read_figures(keys, profile);
  read_options(keys, profile);
  profile.noise_file = read_noise(keys, profile);
  keys.finish();
  return profile;
}

}  // namespace antaeus
