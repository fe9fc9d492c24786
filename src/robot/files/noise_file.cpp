#include "robot/files/noise_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/base64.hpp"
#include "core/utf8.hpp"
#include "robot/files/toml_keys.hpp"
#include "robot/standing_friction.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kLongestRow = std::size_t{1} << 16;  // bytes: no robot has as many parameters
constexpr double kMostLogs = 1e6;
/// By how much a stated standard error may differ from the factor's: it is written with all its digits.
constexpr double kSameError = 1e-6;

constexpr std::array<const char*, 10> kInertial = {"mass",       "moment_x",   "moment_y",   "moment_z",
                                                   "inertia_xx", "inertia_xy", "inertia_yy", "inertia_xz",
                                                   "inertia_yz", "inertia_zz"};
constexpr std::array<const char*, 4> kOfMotor = {"rotor", "coulomb", "viscous", "offset"};

void read_limit(Keys& table, NoiseFileJoint& joint) {
  if (table.find("limit")) joint.limit = table.positive_or("limit", kNaN);
  if (table.find("limit_offset")) joint.limit_offset = table.number_or("limit_offset", kNaN);
  if (table.find("limit_sd")) joint.limit_sd = table.not_negative_or("limit_sd", kNaN);
  const bool offset = !std::isnan(joint.limit_offset), sd = !std::isnan(joint.limit_sd);
  const char* const key = offset ? "limit_offset" : "limit_sd";
  if (std::isnan(joint.limit) && (offset || sd)) {
    table.fail(table.find(key), "'" + std::string(key) + "' of " + joint.joint + " without its limit",
               "add 'limit' (N·m), or remove it");
  }
  if (offset != sd) {
    table.fail(table.find(key), "one of 'limit_offset' and 'limit_sd' of " + joint.joint, "give both, or neither");
  }
}

NoiseFileJoint read_joint(Keys& table) {
  NoiseFileJoint joint;
  joint.joint = table.text("joint");
  joint.line = table.line(table.find("joint"));
  const auto size = [&table](const char* key) { return table.find(key) ? table.not_negative_or(key, kNaN) : kNaN; };
  joint.evidence = table.flag_or("evidence", true);
  joint.motion_identified = table.flag_or("motion_identified", true);
  if (joint.evidence) {
    if (!table.find("white_sd")) {
      table.fail(nullptr, "no key 'white_sd' of " + joint.joint, "add it (N·m), or write evidence = false");
    }
    joint.white_sd = table.positive_or("white_sd", kNaN);
  } else if (const toml::node* node = table.find("white_sd")) {
    table.fail(node, "'white_sd' of a channel that is not evidence", "remove it, or evidence = false");
  }
  joint.offset_sd = size("offset_sd");
  joint.slow_sd = size("slow_sd");
  joint.motion_sd = size("motion_sd");
  if (!joint.motion_identified && !std::isnan(joint.motion_sd)) {
    table.fail(table.find("motion_sd"), "'motion_sd' of motion that was not identified", "remove one of the two");
  }
  joint.coulomb_sd = size("coulomb_sd");
  joint.viscous_sd = size("viscous_sd");
  joint.standing_sd = size("standing_sd");
  joint.correlation_time = size("correlation_time");
  joint.joint_speed = size("joint_speed");
  joint.largest_residual = size("largest_residual");
  read_limit(table, joint);
  table.finish();
  return joint;
}

static_assert(std::endian::native == std::endian::little, "numbers in the file are little-endian");

std::string row_text(const VectorX& row) {
  Eigen::Index length = row.size();
  while (length > 0 && row[length - 1] == 0.0) --length;
  return to_base64({reinterpret_cast<const char*>(row.data()), static_cast<std::size_t>(length) * sizeof(double)});
}

/// Its row of F, and whether it is what the standard error says.
void read_row(Keys& table, NoiseFileParameter& parameter) {
  const toml::node* node = table.find("row");
  if (node) {
    const std::optional<std::string> bytes = from_base64(table.text_of(*node, "row"));
    if (!bytes || bytes->size() % sizeof(double) != 0 || bytes->size() > kLongestRow) {
      table.fail(node, "'row' of " + parameter.name + " is not a row of numbers", "leave it as identify wrote it");
    }
    parameter.row.resize(static_cast<Eigen::Index>(bytes->size() / sizeof(double)));
    std::memcpy(parameter.row.data(), bytes->data(), bytes->size());
  }
  if (!parameter.row.allFinite()) table.fail(node, "a number in 'row' is not finite", "leave it as identify wrote it");
  const double held = parameter.row.norm();
  if (std::abs(parameter.se - held) <= kSameError * std::max(held, 1e-12)) return;
  table.fail(
      table.find("se"),
      "'se' of " + parameter.name + " is " + shortest_text(parameter.se) + ", by its 'row' " + shortest_text(held),
      "leave both as identify wrote them");
}

}  // namespace

std::string toml_text(const std::string& text) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size(); at += utf8_length(text, at)) {
    if (utf8_length(text, at) > 0) continue;
    throw ModelError(printable(text), "no UTF-8, so a profile cannot hold it", "rename it");
  }
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20 || code == 0x7f) {
      constexpr const char* kHex = "0123456789abcdef";
      result += std::string("\\u00") + kHex[code >> 4U] + kHex[code & 15U];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::vector<std::string> parameter_names(const RobotModel& model) {
  std::vector<std::string> names;
  for (int body = 0; body < model.body_count(); ++body) {
    for (const char* part : kInertial) names.push_back(model.body_joint(body) + "." + part);
  }
  for (const char* part : kOfMotor) {
    for (const std::string& motor : model.motor_names()) names.push_back(motor + "." + part);
  }
  return names;
}

std::shared_ptr<const NoiseFile> read_noise(Keys& keys, const RobotProfile& profile) {
  const toml::table* node = keys.table("noise");
  if (!node) return nullptr;
  Keys table(*node, profile.file.string(), "noise");
  auto noise = std::make_shared<NoiseFile>();
  noise->file = profile.file;
  noise->origin = table.choice_or("origin", noise->origin);
  noise->unit = table.text_or("unit", noise->unit);
  noise->simulated = table.flag_or("simulated", false);
  noise->provenance = table.text_or("provenance", "");
  if (const toml::node* logs = table.find("logs")) {
    const double count = table.not_negative_or("logs", kNaN);
    if (count != std::floor(count) || count > kMostLogs) {
      table.fail(logs, "'logs' is not a number of logs", "leave it as identify wrote it");
    }
    noise->logs = static_cast<int>(count);
  }
  if (table.find("rate")) noise->rate = table.positive_or("rate", kNaN);
  if (table.find("identified_speed")) noise->identified_speed = table.positive_or("identified_speed", kNaN);
  noise->envelope_motors = table.names("envelope_motors", noise->lines, "motor");
  if (noise->envelope_motors.empty() && !std::isnan(noise->identified_speed)) {
    table.fail(table.find("identified_speed"), "'identified_speed' of no motors", "name them: envelope_motors = [ … ]");
  }
  std::set<std::string> joints, parameters;
  for (Keys& row : table.tables("joints")) {
    noise->joints.push_back(read_joint(row));
    const std::string& last = noise->joints.back().joint;
    if (!joints.insert(last).second) row.fail(row.find("joint"), "'" + last + "' has two rows", "remove one");
  }
  if (noise->joints.empty()) table.fail(nullptr, "no row in 'joints'", "add one for each motor, or remove [noise]");
  for (Keys& row : table.tables("parameters")) {
    NoiseFileParameter parameter;
    parameter.name = row.text("name");
    parameter.value = row.number_or("value", 0.0);
    parameter.se = row.not_negative_or("se", 0.0);
    read_row(row, parameter);
    parameter.line = row.line(row.find("name"));
    row.finish();
    if (!parameters.insert(parameter.name).second) {
      row.fail(row.find("name"), "a second parameter '" + parameter.name + "'", "remove one");
    }
    noise->parameters.push_back(std::move(parameter));
  }
  table.finish();
  return noise;
}

NoiseModel noise_for(const RobotModel& model, const NoiseFile& file) {
  const std::vector<std::string>& motors = model.motor_names();
  const std::vector<std::string> names = parameter_names(model);
  const auto find = [](const std::vector<std::string>& where, const std::string& name) {
    const auto at = std::find(where.begin(), where.end(), name);
    return at == where.end() ? -1 : static_cast<int>(at - where.begin());
  };
  std::vector<std::string> described;
  for (const JointDescription& joint : model.description().joints) described.push_back(joint.name);
  described.emplace_back("root_joint");  // of a robot that floats
  const auto place = [&](int line) { return file.file.string() + ":" + std::to_string(line) + " [noise]"; };
  const auto known = [&](const std::string& joint, int line) {
    if (find(described, joint) < 0) throw_unknown<ModelError>(place(line), "joint", joint, described);
  };

  NoiseModel noise;
  noise.origin = file.origin;
  noise.unit = file.unit;
  noise.simulated = file.simulated;
  noise.provenance = file.provenance;
  noise.identified_speed = file.identified_speed;
  noise.logs = file.logs;
  noise.rate = file.rate;
  for (const std::string& name : file.envelope_motors) {
    known(name, file.lines.at("motor " + name));
    if (const int motor = find(motors, name); motor >= 0) noise.envelope_motors.push_back(motor);
  }
  if (noise.envelope_motors.empty()) noise.identified_speed = kNaN;

  const auto count = std::ssize(motors);
  noise.white_sd = VectorX::Constant(count, kNaN);
  const auto fill = [&](VectorX& vector, double absent, int motor, double value) {
    if (std::isnan(value)) return;
    if (vector.size() == 0) vector = VectorX::Constant(count, absent);
    vector[motor] = value;
  };
  std::vector<bool> measured_standing(motors.size(), false);
  for (const NoiseFileJoint& joint : file.joints) {
    known(joint.joint, joint.line);
    const int motor = find(motors, joint.joint);
    if (motor < 0) continue;
    noise.white_sd[motor] = joint.evidence ? joint.white_sd : kInfinity;
    fill(noise.offset_sd, 0.0, motor, joint.offset_sd);
    fill(noise.slow_sd, 0.0, motor, joint.slow_sd);
    fill(noise.coulomb_sd, 0.0, motor, joint.coulomb_sd);
    fill(noise.viscous_sd, 0.0, motor, joint.viscous_sd);
    fill(noise.standing_sd, 0.0, motor, joint.standing_sd);
    measured_standing[static_cast<std::size_t>(motor)] = !std::isnan(joint.standing_sd);
    fill(noise.motion_sd, 0.0, motor, joint.motion_identified ? joint.motion_sd : kInfinity);
    fill(noise.correlation_time, 0.0, motor, joint.correlation_time);
    fill(noise.joint_speed, kInfinity, motor, joint.joint_speed);
    fill(noise.largest_residual, kInfinity, motor, joint.largest_residual);
    fill(noise.limit, kInfinity, motor, joint.limit);
    fill(noise.limit_offset, 0.0, motor, joint.limit_offset);
    fill(noise.limit_sd, kInfinity, motor, joint.limit_sd);
  }
  if (noise.limit.size() > 0 && noise.limit_sd.size() == 0) {
    noise.limit_offset = VectorX::Zero(count);
    noise.limit_sd = VectorX::Constant(count, kInfinity);
  }
  if (file.parameters.empty()) return noise;
  noise.parameters = VectorX::Zero(std::ssize(names));
  Eigen::Index columns = 0;
  for (const NoiseFileParameter& parameter : file.parameters) columns = std::max(columns, parameter.row.size());
  noise.factor = MatrixX::Zero(std::ssize(names), columns);
  for (const NoiseFileParameter& parameter : file.parameters) {
    const std::size_t dot = parameter.name.rfind('.');
    const std::string joint = parameter.name.substr(0, dot),
                      part = dot == std::string::npos ? "" : parameter.name.substr(dot + 1);
    known(joint, parameter.line);
    const std::vector<std::string> of_body(kInertial.begin(), kInertial.end()),
        of_motor(kOfMotor.begin(), kOfMotor.end());
    if (find(of_body, part) < 0 && find(of_motor, part) < 0) {
      std::vector<std::string> valid = of_body;
      valid.insert(valid.end(), of_motor.begin(), of_motor.end());
      throw_unknown<ModelError>(place(parameter.line), "parameter of " + joint, part, valid);
    }
    const int at = find(names, parameter.name);
    if (at < 0) continue;
    noise.parameters[at] = parameter.value;
    noise.factor.row(at).head(parameter.row.size()) = parameter.row.transpose();
  }
  // A joint that states none beside others that do has what its friction says.
  NoiseModel by_friction = noise;
  by_friction.standing_sd.resize(0);
  for (Eigen::Index j = 0; j < noise.standing_sd.size(); ++j) {
    if (measured_standing[static_cast<std::size_t>(j)] || std::isnan(noise.white_sd[j])) continue;
    noise.standing_sd[j] = standing_friction(by_friction, torque_parameters(model), static_cast<int>(j));
  }
  assume_days(model, noise);  // a profile that was written before days were told apart
  return noise;
}

std::string noise_text(const RobotModel& model, const NoiseModel& noise) {
  const std::vector<std::string>& motors = model.motor_names();
  const std::vector<std::string> names = parameter_names(model);
  const auto at_all = [](const VectorX& vector, Eigen::Index j) { return vector.size() > 0 ? vector[j] : kNaN; };
  const auto of = [&](std::string& item, const char* key, double value) {
    if (std::isfinite(value)) item += std::string(", ") + key + " = " + shortest_text(value);
  };
  std::string toml =
      "\n# Torque readings without contact, as `antaeus identify` found it (docs/guide/identify.md). "
      "Torques in " +
      noise.unit + ".\n[noise]\norigin = " + toml_text(std::string(to_string(noise.origin))) +
      "\nunit = " + toml_text(noise.unit) + (noise.simulated ? "\nsimulated = true" : "") +
      "\nprovenance = " + toml_text(noise.provenance) + "\n";
  if (noise.logs >= 0) {
    toml += noise.logs > 1
                ? "# Logs from which the spreads between sessions (coulomb_sd, viscous_sd, offset_sd) come.\n"
                : "# One log shows no spread between sessions: coulomb_sd, viscous_sd and offset_sd are those "
                  "of other robots.\n";
    toml += "logs = " + std::to_string(noise.logs) + "\n";
  }
  if (std::isfinite(noise.rate)) {
    toml += "# Rate of the dynamic residuals that white_sd is of [Hz].\nrate = " + shortest_text(noise.rate) + "\n";
  }
  if (std::isfinite(noise.identified_speed) && !noise.envelope_motors.empty()) {
    toml += "# Largest rms speed of these motors that was seen [rad/s]; well beyond it estimates are refused.\n";
    toml += "identified_speed = " + shortest_text(noise.identified_speed) + "\n";
  }
  if (!noise.envelope_motors.empty()) {
    toml += "envelope_motors = [\n";
    for (const int motor : noise.envelope_motors) toml += "    " + toml_text(motors[motor]) + ",\n";
    toml += "]\n";
  }

  toml +=
      "# Standard deviations: white_sd, offset_sd from run to run, slow_sd within one, motion_sd while the other "
      "joints move,\n# coulomb_sd and viscous_sd of friction between sessions, standing_sd of a joint that stands;\n"
      "# joint_speed, largest_residual: largest |v| and |τ − g| that were seen; limit: |τ| from which on the channel "
      "reads\n# limit_offset too much, give or take limit_sd (without these it is not evidence there). A joint "
      "without a row was not\n# identified: its values above hold.\njoints = [\n";
  for (Eigen::Index j = 0; j < noise.white_sd.size(); ++j) {
    if (std::isnan(noise.white_sd[j])) continue;
    std::string item = "    { joint = " + toml_text(motors[static_cast<std::size_t>(j)]);
    if (std::isinf(noise.white_sd[j])) item += ", evidence = false";
    of(item, "white_sd", noise.white_sd[j]);
    of(item, "offset_sd", at_all(noise.offset_sd, j));
    of(item, "slow_sd", at_all(noise.slow_sd, j));
    of(item, "coulomb_sd", at_all(noise.coulomb_sd, j));
    of(item, "viscous_sd", at_all(noise.viscous_sd, j));
    of(item, "standing_sd", at_all(noise.standing_sd, j));
    of(item, "motion_sd", at_all(noise.motion_sd, j));
    if (std::isinf(at_all(noise.motion_sd, j))) item += ", motion_identified = false";
    of(item, "correlation_time", at_all(noise.correlation_time, j));
    of(item, "joint_speed", at_all(noise.joint_speed, j));
    of(item, "largest_residual", at_all(noise.largest_residual, j));
    if (const double limit = at_all(noise.limit, j); std::isfinite(limit)) {
      of(item, "limit", limit);
      if (std::isfinite(noise.limit_sd[j])) of(item, "limit_offset", noise.limit_offset[j]);
      of(item, "limit_sd", noise.limit_sd[j]);
    }
    toml += item + " },\n";
  }
  toml += "]\n";

  std::vector<int> used;
  for (int k = 0; k < static_cast<int>(names.size()); ++k) {
    const bool valued = noise.parameters.size() > 0 && noise.parameters[k] != 0.0;
    const bool doubted = noise.factor.size() > 0 && !noise.factor.row(k).isZero(0.0);
    if (valued || doubted) used.push_back(k);
  }
  if (used.empty()) return toml;
  toml +=
      "# Estimates and standard errors (kg, kg·m, kg·m², N·m, N·m·s/rad); masses are added to the description's. What "
      "has\n# an error as large as its prior was not identified; it is here because others depend on it. row: a row "
      "of F, their\n# covariance is F Fᵀ (base64 of doubles, zeros at its end left out).\nparameters = [\n";
  for (const int k : used) {
    const VectorX row = noise.factor.size() > 0 ? VectorX(noise.factor.row(k).transpose()) : VectorX();
    std::string item = "    { name = " + toml_text(names[static_cast<std::size_t>(k)]);
    of(item, "value", noise.parameters.size() > 0 ? noise.parameters[k] : 0.0);
    of(item, "se", row.norm());
    if (const std::string text = row_text(row); !text.empty()) item += ", row = " + toml_text(text);
    toml += item + " },\n";
  }
  return toml + "]\n";
}

}  // namespace antaeus
