#include "robot/noise_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "robot/toml_keys.hpp"

namespace antaeus {

namespace {

constexpr std::uintmax_t kLargestFactor = std::uintmax_t{256} << 20;
/// By how much a stated standard error may differ from the factor's: it is written with all its digits.
constexpr double kSameError = 1e-6;

constexpr std::array<const char*, 10> kInertial = {"mass",       "moment_x",   "moment_y",   "moment_z",
                                                   "inertia_xx", "inertia_xy", "inertia_yy", "inertia_xz",
                                                   "inertia_yz", "inertia_zz"};
constexpr std::array<const char*, 4> kOfMotor = {"rotor", "coulomb", "viscous", "offset"};

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
    table.fail(node, "'white_sd' of a channel that is no evidence", "remove it, or evidence = false");
  }
  joint.offset_sd = size("offset_sd");
  joint.slow_sd = size("slow_sd");
  joint.motion_sd = size("motion_sd");
  if (!joint.motion_identified && !std::isnan(joint.motion_sd)) {
    table.fail(table.find("motion_sd"), "'motion_sd' of motion that was not identified", "remove one of the two");
  }
  joint.correlation_time = size("correlation_time");
  joint.joint_speed = size("joint_speed");
  table.finish();
  return joint;
}

void read_factor(Keys& table, const RobotProfile& profile, NoiseFile& noise) {
  const toml::node* node = table.find("factor");
  const toml::node* sum = table.find("factor_sha256");
  if (!node) {
    if (!noise.parameters.empty()) {
      table.fail(nullptr, "no key 'factor' beside 'parameters'", "name the file that holds their covariance");
    }
    return;
  }
  const std::filesystem::path file = profile.file.parent_path() / table.text_of(*node, "factor");
  const auto fail = [&](const std::string& problem, const std::string& remedy) { table.fail(node, problem, remedy); };
  std::string bytes;
  try {
    bytes = read_file(file, kLargestFactor);
  } catch (const Error& error) {
    fail(error.what(), "copy the folder whole: profile and factor belong together");
  }
  if (!sum) table.fail(nullptr, "no key 'factor_sha256'", "add the sum of " + file.filename().string());
  if (table.text_of(*sum, "factor_sha256") != sha256(bytes)) {
    table.fail(sum, file.filename().string() + " is another file than the profile was written with",
               "copy the folder whole, or identify again");
  }
  NumpyArray array;
  try {
    array = parse_npy(bytes, file.string());
  } catch (const Error& error) {
    fail(error.what(), "identify again");
  }
  if (array.shape.size() != 2 || array.rows() != noise.parameters.size()) {
    fail(std::to_string(array.rows()) + " rows in " + file.filename().string() + " for " +
             std::to_string(noise.parameters.size()) + " parameters",
         "identify again");
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  noise.factor = Eigen::Map<const RowMajor>(array.values.data(), static_cast<Eigen::Index>(array.rows()),
                                            static_cast<Eigen::Index>(array.columns()));
  if (!noise.factor.allFinite()) fail("a number that is not finite in " + file.filename().string(), "identify again");
  const toml::array& parameters = table.array_of(*table.find("parameters"), "parameters");
  for (std::size_t i = 0; i < noise.parameters.size(); ++i) {
    const NoiseFileParameter& one = noise.parameters[i];
    const double held = noise.factor.row(static_cast<Eigen::Index>(i)).norm();
    if (std::abs(one.se - held) <= kSameError * std::max(held, 1e-12)) continue;
    table.fail(parameters.get(i),
               "'se' of " + one.name + " is " + shortest_text(one.se) + ", its covariance says " + shortest_text(held),
               "leave it as identify wrote it");
  }
}

}  // namespace

std::string toml_text(const std::string& text) {
  std::string result = "\"";
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
  noise->provenance = table.text_or("provenance", "");
  if (table.find("identified_speed")) noise->identified_speed = table.positive_or("identified_speed", kNaN);
  noise->envelope_motors = table.names("envelope_motors", noise->lines, "motor");
  if (noise->envelope_motors.empty() && !std::isnan(noise->identified_speed)) {
    table.fail(table.find("identified_speed"), "'identified_speed' of no motors", "name them: envelope_motors = [ … ]");
  }
  for (Keys& row : table.tables("joints")) {
    noise->joints.push_back(read_joint(row));
    const NoiseFileJoint& last = noise->joints.back();
    for (std::size_t i = 0; i + 1 < noise->joints.size(); ++i) {
      if (noise->joints[i].joint == last.joint) {
        row.fail(row.find("joint"), "'" + last.joint + "' has two rows", "remove one");
      }
    }
  }
  if (noise->joints.empty()) table.fail(nullptr, "no row in 'joints'", "add one for each motor, or remove [noise]");
  for (Keys& row : table.tables("parameters")) {
    NoiseFileParameter parameter;
    parameter.name = row.text("name");
    parameter.value = row.number_or("value", 0.0);
    parameter.se = row.not_negative_or("se", 0.0);
    parameter.line = row.line(row.find("name"));
    row.finish();
    for (const NoiseFileParameter& other : noise->parameters) {
      if (other.name == parameter.name) {
        row.fail(row.find("name"), "a second parameter '" + parameter.name + "'", "remove one");
      }
    }
    noise->parameters.push_back(std::move(parameter));
  }
  read_factor(table, profile, *noise);
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
  noise.provenance = file.provenance;
  noise.identified_speed = file.identified_speed;
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
  for (const NoiseFileJoint& joint : file.joints) {
    known(joint.joint, joint.line);
    const int motor = find(motors, joint.joint);
    if (motor < 0) continue;
    noise.white_sd[motor] = joint.evidence ? joint.white_sd : kInfinity;
    fill(noise.offset_sd, 0.0, motor, joint.offset_sd);
    fill(noise.slow_sd, 0.0, motor, joint.slow_sd);
    fill(noise.motion_sd, 0.0, motor, joint.motion_identified ? joint.motion_sd : kInfinity);
    fill(noise.correlation_time, 0.0, motor, joint.correlation_time);
    fill(noise.joint_speed, kInfinity, motor, joint.joint_speed);
  }
  if (file.parameters.empty()) return noise;
  noise.parameters = VectorX::Zero(std::ssize(names));
  noise.factor = MatrixX::Zero(std::ssize(names), file.factor.cols());
  for (std::size_t i = 0; i < file.parameters.size(); ++i) {
    const NoiseFileParameter& parameter = file.parameters[i];
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
    noise.factor.row(at) = file.factor.row(static_cast<Eigen::Index>(i));
  }
  return noise;
}

NoiseText noise_text(const RobotModel& model, const NoiseModel& noise) {
  const std::vector<std::string>& motors = model.motor_names();
  const std::vector<std::string> names = parameter_names(model);
  const auto at_all = [](const VectorX& vector, Eigen::Index j) { return vector.size() > 0 ? vector[j] : kNaN; };
  const auto of = [&](std::string& item, const char* key, double value) {
    if (std::isfinite(value)) item += std::string(", ") + key + " = " + shortest_text(value);
  };
  std::string toml =
      "\n# What the torques read while nothing touches, as `antaeus identify` found it (docs/identify.md). "
      "Torques in " +
      noise.unit + ".\n[noise]\norigin = " + toml_text(std::string(to_string(noise.origin))) +
      "\nunit = " + toml_text(noise.unit) + "\nprovenance = " + toml_text(noise.provenance) + "\n";
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
      "joints move;\n# joint_speed: its own largest speed. A joint without a row was not identified: its figures "
      "above hold.\njoints = [\n";
  for (Eigen::Index j = 0; j < noise.white_sd.size(); ++j) {
    if (std::isnan(noise.white_sd[j])) continue;
    std::string item = "    { joint = " + toml_text(motors[static_cast<std::size_t>(j)]);
    if (std::isinf(noise.white_sd[j])) item += ", evidence = false";
    of(item, "white_sd", noise.white_sd[j]);
    of(item, "offset_sd", at_all(noise.offset_sd, j));
    of(item, "slow_sd", at_all(noise.slow_sd, j));
    of(item, "motion_sd", at_all(noise.motion_sd, j));
    if (std::isinf(at_all(noise.motion_sd, j))) item += ", motion_identified = false";
    of(item, "correlation_time", at_all(noise.correlation_time, j));
    of(item, "joint_speed", at_all(noise.joint_speed, j));
    toml += item + " },\n";
  }
  toml += "]\n";

  std::vector<int> used;
  for (int k = 0; k < static_cast<int>(names.size()); ++k) {
    const bool valued = noise.parameters.size() > 0 && noise.parameters[k] != 0.0;
    const bool doubted = noise.factor.size() > 0 && !noise.factor.row(k).isZero(0.0);
    if (valued || doubted) used.push_back(k);
  }
  if (used.empty()) return {toml, {}};
  MatrixX factor = MatrixX::Zero(std::ssize(used), std::max<Eigen::Index>(noise.factor.cols(), 1));
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (noise.factor.size() > 0) factor.row(static_cast<Eigen::Index>(i)) = noise.factor.row(used[i]);
  }
  NoiseText result{toml, to_npy(factor)};
  result.toml += "# The parameters' covariance is F Fᵀ; this file holds F, a row each in their order.\nfactor = " +
                 toml_text(kNoiseFactor) + "\nfactor_sha256 = " + toml_text(sha256(result.factor)) +
                 "\n# Estimates and standard errors (kg, kg·m, kg·m², N·m, N·m·s/rad); masses are added to the "
                 "description's. What has\n# an error as large as its prior was not identified; it stands here because "
                 "others hang on it.\nparameters = [\n";
  for (std::size_t i = 0; i < used.size(); ++i) {
    std::string item = "    { name = " + toml_text(names[static_cast<std::size_t>(used[i])]);
    of(item, "value", noise.parameters.size() > 0 ? noise.parameters[used[i]] : 0.0);
    of(item, "se", factor.row(static_cast<Eigen::Index>(i)).norm());
    result.toml += item + " },\n";
  }
  result.toml += "]\n";
  return result;
}

}  // namespace antaeus
