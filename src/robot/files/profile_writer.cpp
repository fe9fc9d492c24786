#include "antaeus/robot/files/profile_writer.hpp"

#include <cmath>
#include <system_error>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "robot/files/channel_keys.hpp"
#include "robot/files/noise_file.hpp"

namespace antaeus {

namespace {

/// One table of a TOML file as it grows: keys whose value says nothing are left out.
class Text {
 public:
  explicit Text(std::string& out) : out_(out) {}
  void head(const std::string& text) { out_ += "\n" + text + "\n"; }
  void text(const char* key, const std::string& value) {
    if (!value.empty()) line(key, toml_text(value));
  }
  void number(const char* key, double value) {
    if (std::isfinite(value)) line(key, shortest_text(value));
  }
  void size(const char* key, double value) {
    if (value != 0.0) number(key, value);
  }
  template <class Enum>
  void choice(const char* key, Enum value) {
    line(key, toml_text(std::string(to_string(value))));
  }
  void list(const char* key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    std::string items;
    for (const std::string& value : values) items += (items.empty() ? "" : ", ") + toml_text(value);
    line(key, "[" + items + "]");
  }
  void line(const std::string& key, const std::string& value) { out_ += key + " = " + value + "\n"; }

 private:
  std::string& out_;
};

void write_endpoint(Text& table, const Endpoint& endpoint) {
  table.head("[[endpoints]]");
  table.text("frame", endpoint.frame);
  table.text("label", endpoint.label);
  table.choice("kind", endpoint.kind);
  table.text("group", endpoint.group);
  const ContactSurface& surface = endpoint.surface;
  table.number("friction", surface.friction);
  table.number("torsion", surface.torsion);
  table.number("force_cap", surface.force_cap);
  table.size("sole_depth", surface.sole_depth);
  if (!surface.has_sole()) return;
  std::string corners;
  for (const Eigen::Vector2d& corner : surface.sole) {
    corners += (corners.empty() ? "[" : ", [") + shortest_text(corner.x()) + ", " + shortest_text(corner.y()) + "]";
  }
  table.line("sole", "[" + corners + "]");
}

void write_payload(Text& table, const Payload& payload) {
  const Matrix3& I = payload.inertial.inertia;
  const auto list = [](std::initializer_list<double> numbers) {
    std::string items;
    for (const double number : numbers) items += (items.empty() ? "" : ", ") + shortest_text(number);
    return "[" + items + "]";
  };
  const Vector3& c = payload.inertial.center_of_mass;
  table.head("[[payload]]");
  table.text("frame", payload.frame);
  table.text("name", payload.name);
  table.number("mass", payload.inertial.mass);
  if (!c.isZero(0.0)) table.line("center_of_mass", list({c.x(), c.y(), c.z()}));
  if (!I.isZero(0.0)) table.line("inertia", list({I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)}));
}

void write_figures(Text& table, const std::string& joint, const JointFigures& f) {
  const JointFigures plain;
  table.head("[[joint_figures]]");
  table.list("joints", {joint});
  if (f.torque_sd_from == FigureSource::profile) table.number("torque_sd", f.torque_sd);
  if (f.static_sd_from == FigureSource::profile) table.number("static_sd", f.static_sd);
  table.size("coulomb", f.coulomb);
  table.size("stribeck", f.stribeck);
  if (f.stribeck_speed != plain.stribeck_speed) table.number("stribeck_speed", f.stribeck_speed);
  table.size("viscous", f.viscous);
  table.size("friction_offset", f.friction_offset);
  table.size("armature", f.armature);
  if (f.gear != 1.0) table.number("gear", f.gear);
  if (f.scale != 1.0) table.number("scale", f.scale);
  table.size("torque_offset", f.torque_offset);
  table.number("torque_limit", f.torque_limit);
}

/// What the profile itself says of the options: what was asked for behind --set is of one run.
void write_options(Text& table, const RobotProfile& profile) {
  std::map<std::string, std::map<std::string, std::string>> groups;
  for (const Setting& setting : profile.settings.all()) {
    if (!profile.file.empty() && setting.place.starts_with(profile.file.string() + ":")) {
      groups[setting.group][setting.name] = setting.value;
    }
  }
  for (const auto& [group, options] : groups) {
    table.head("[options." + group + "]");
    for (const auto& [name, value] : options) table.line(name, toml_text(value));
  }
}

std::string assumed_text(const Robot& robot, const std::filesystem::path& folder) {
  const RobotProfile& profile = robot.profile;
  std::string out =
      "# Written by Antaeus (identify, check --fix). docs/reference/profile.md lists every key; SI units, "
      "radians.\n\nschema = "
      "1\n";
  Text table(out);
  table.text("name", profile.name);
  table.text("title", profile.title);
  table.text("model", model_reference(profile.model, folder));
  table.line("base", toml_text(profile.options.base == Base::fixed ? "fixed" : "floating"));
  const Vector3& g = profile.options.gravity;
  table.line("gravity", "[" + shortest_text(g.x()) + ", " + shortest_text(g.y()) + ", " + shortest_text(g.z()) + "]");
  table.text("provenance", profile.provenance);
  table.list("motors", profile.options.motors);
  table.list("motor_labels", profile.motor_labels);
  table.text("reference_joint", profile.reference_joint);
  for (const JointGroup& group : profile.groups) {
    table.head("[[groups]]");
    table.text("name", group.name);
    table.text("title", group.title);
    table.list("joints", group.joints);
  }
  for (const Endpoint& endpoint : profile.endpoints) write_endpoint(table, endpoint);
  for (const Payload& payload : profile.options.payloads) write_payload(table, payload);
  if (std::isfinite(profile.rated_load)) {
    table.head("[robot]");
    table.number("rated_load", profile.rated_load);
  }
  if (!profile.imu.frame.empty()) {
    table.head("[imu]");
    table.text("frame", profile.imu.frame);
    table.choice("quaternion_order", profile.imu.order);
  }
  out += channels_text(profile.channels);
  if (profile.deployed_sign || !profile.deployed_endpoints.empty() || profile.imu.deployed_as != DeployedImu::unknown) {
    table.head("[deployed]");
    if (profile.deployed_sign) table.choice("sign", *profile.deployed_sign);
    table.list("endpoints", profile.deployed_endpoints);
    table.choice("imu_quaternion_fed_to", profile.imu.deployed_as);
  }
  table.head("[torque]");
  table.choice("source", profile.torque_source);
  table.choice("friction", profile.friction);
  table.line("sign", profile.torque_sign < 0 ? "-1" : "1");
  for (std::size_t i = 0; i < profile.figures.size(); ++i) {
    write_figures(table, profile.options.motors[i], profile.figures[i]);
  }
  for (const NamedPose& pose : profile.poses) {
    table.head("[[poses]]");
    table.text("name", pose.name);
    table.text("title", pose.title);
    std::string positions;
    for (const auto& [joint, position] : pose.positions) {
      positions += (positions.empty() ? " " : ", ") + toml_text(joint) + " = " + shortest_text(position);
    }
    table.line("positions", "{" + positions + " }");
  }
  const PreflightFigures& preflight = profile.preflight;
  table.head("[preflight]");
  table.number("gain_limit", preflight.gain_limit);
  table.choice("gain_row", preflight.gain_row);
  table.list("gain_joints", preflight.gain_joints);
  table.number("start_error_limit", preflight.start_error_limit);
  table.list("start_error_joints", preflight.start_error_joints);
  write_options(table, profile);
  return out;
}

}  // namespace

std::string model_reference(const std::filesystem::path& model, const std::filesystem::path& folder) {
  if (std::string shipped = shipped_robot(model); !shipped.empty()) return shipped;
  std::error_code failed;
  const auto canonical = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
  };
  const std::filesystem::path target = canonical(model), from = canonical(folder.empty() ? "." : folder);
  const std::filesystem::path relative = target.lexically_relative(from);
  return (relative.empty() ? target : relative).generic_string();
}

std::string profile_text(const Robot& robot, const std::filesystem::path& folder) {
  if (robot.profile.model.empty()) {
    throw ModelError(robot.profile.name, "it has no description file", "load it from a URDF");
  }
  std::string text = assumed_text(robot, folder);
  if (robot.profile.noise) text += noise_text(robot.model, TorqueNoise(robot.model, *robot.profile.noise).model());
  return text;
}

void write_profile(const Robot& robot, const std::filesystem::path& folder) {
  if (folder.empty()) throw Error("write_profile", "the folder has no name", "give one; '.' is the present one");
  FileSet files(folder);
  files.add("profile.toml", profile_text(robot, folder));
  files.commit();
}

}  // namespace antaeus
