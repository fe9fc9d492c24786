#include "antaeus/robot/robot_profile.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/robot/limbs.hpp"
#include "io/plugin.hpp"
#include "robot/files/noise_file.hpp"
#include "robot/joint_noise.hpp"

namespace antaeus {

namespace {

/// "file:line (what)" of a name in the profile; without the line where a program has put it there.
std::string place_of(const RobotProfile& profile, const std::string& key, const std::string& what) {
  const auto line = profile.lines.find(key);
  std::string place = profile.file.string();
  if (line != profile.lines.end()) place.append(":").append(std::to_string(line->second));
  return place.append(" (").append(what).append(")");
}

/// The motors against the description, where a profile's line can be blamed.
void check_motors(const RobotProfile& profile, const RobotDescription& description) {
  if (profile.file.empty()) return;
  std::vector<std::string> movable;
  for (const JointDescription& joint : description.joints) {
    const bool one =
        joint.type == JointType::revolute || joint.type == JointType::continuous || joint.type == JointType::prismatic;
    if (one) movable.push_back(joint.name);
  }
  for (const std::string& name : profile.options.motors) {
    if (std::find(movable.begin(), movable.end(), name) != movable.end()) continue;
    const auto joint = std::find_if(description.joints.begin(), description.joints.end(),
                                    [&](const JointDescription& known) { return known.name == name; });
    const std::string place = place_of(profile, "motor " + name, "motors");
    if (joint == description.joints.end()) throw_unknown<ModelError>(place, "motor joint", name, movable);
    throw ModelError(place, "joint '" + name + "' is " + std::string(to_string(joint->type)),
                     "name revolute, continuous and prismatic joints only");
  }
}

/// The frame of the endpoint with that label; without one the name itself.
std::string frame_of_label(const RobotProfile& profile, std::string_view name) {
  const auto known = std::ranges::find(profile.endpoints, name, &Endpoint::label);
  return known != profile.endpoints.end() ? known->frame : std::string(name);
}

/// Puts frames in place of the labels of endpoints that the profile's own keys name.
void resolve_labels(RobotProfile& profile, const RobotDescription& description) {
  const auto resolve = [&](std::string& name) {
    const bool is_frame =
        description.find_link(name) ||
        std::ranges::find(description.joints, name, &JointDescription::name) != description.joints.end();
    if (!is_frame) name = frame_of_label(profile, name);
  };
  for (Payload& payload : profile.options.payloads) resolve(payload.frame);
  for (std::string& endpoint : profile.deployed_endpoints) resolve(endpoint);
}

/// The payloads' frames against the description, where a profile's line can be blamed.
void check_payload_frames(const RobotProfile& profile, const RobotDescription& description) {
  if (profile.file.empty()) return;
  std::vector<std::string> frames;
  for (const LinkDescription& link : description.links) frames.push_back(link.name);
  for (const JointDescription& joint : description.joints) frames.push_back(joint.name);
  for (const Payload& payload : profile.options.payloads) {
    if (std::find(frames.begin(), frames.end(), payload.frame) != frames.end()) continue;
    throw_unknown<ModelError>(place_of(profile, "payload " + payload.frame, "payload"), "frame", payload.frame, frames);
  }
}

/// Names in the profile against the model that it describes.
void check_names(const RobotProfile& profile, const RobotModel& model) {
  const auto joint = [&](const std::string& name, const std::string& key, const std::string& what) {
    const auto& motors = model.motor_names();
    if (std::find(motors.begin(), motors.end(), name) != motors.end()) return;
    throw_unknown<ModelError>(place_of(profile, key + " " + name, what), "motor joint", name, motors);
  };
  const auto frame = [&](const std::string& name, const std::string& key, const std::string& what) {
    if (model.has_frame(name)) return;
    throw_unknown<ModelError>(place_of(profile, key + " " + name, what), "frame", name, model.frame_names());
  };
  for (const auto& group : profile.groups) {
    for (const auto& name : group.joints) joint(name, "group", "group " + group.name);
  }
  std::vector<std::string> groups;
  for (const auto& group : profile.groups) groups.push_back(group.name);
  for (const auto& endpoint : profile.endpoints) {
    frame(endpoint.frame, "endpoint", "endpoints");
    if (endpoint.group.empty() || profile.find_group(endpoint.group)) continue;
    throw_unknown<ModelError>(place_of(profile, "group of " + endpoint.frame, "endpoint " + endpoint.frame), "group",
                              endpoint.group, groups);
  }
  for (const auto& name : profile.deployed_endpoints) frame(name, "deployed endpoint", "deployed endpoints");
  if (!profile.imu.frame.empty()) frame(profile.imu.frame, "imu", "imu");
  if (!profile.reference_joint.empty()) joint(profile.reference_joint, "reference_joint", "reference_joint");
  for (const auto& pose : profile.poses) {
    for (const auto& [name, position] : pose.positions) joint(name, "pose " + pose.name, "pose " + pose.name);
  }
  for (const auto& name : profile.preflight.gain_joints) joint(name, "preflight", "preflight");
  for (const auto& name : profile.preflight.start_error_joints) joint(name, "preflight", "preflight");
}

}  // namespace

const NamedPose& RobotProfile::pose(std::string_view wanted) const {
  std::vector<std::string> names;
  for (const NamedPose& candidate : poses) {
    if (candidate.name == wanted) return candidate;
    names.push_back(candidate.name);
  }
  throw_unknown<ModelError>(name, "pose", wanted, names);
}

const Endpoint& RobotProfile::endpoint(std::string_view frame_or_label) const {
  std::vector<std::string> names;
  for (const Endpoint& candidate : endpoints) {
    if (candidate.frame == frame_or_label || candidate.label == frame_or_label) return candidate;
    names.push_back(candidate.frame);
  }
  throw_unknown<ModelError>(name, "endpoint", frame_or_label, names);
}

const Endpoint* RobotProfile::find_endpoint(std::string_view frame) const noexcept {
  for (const Endpoint& endpoint : endpoints) {
    if (endpoint.frame == frame) return &endpoint;
  }
  return nullptr;
}

const JointGroup* RobotProfile::group_of(std::string_view frame) const noexcept {
  const Endpoint* endpoint = find_endpoint(frame);
  return endpoint ? find_group(endpoint->group) : nullptr;
}

std::string RobotProfile::label_of(std::string_view frame) const {
  const Endpoint* endpoint = find_endpoint(frame);
  return endpoint && !endpoint->label.empty() ? endpoint->label : std::string(frame);
}

const JointGroup* RobotProfile::find_group(std::string_view wanted) const noexcept {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.name == wanted; });
  return found == groups.end() ? nullptr : &*found;
}

namespace {

constexpr std::array kPosesOfAll = {"zero", "middle"};

bool has_pose(const RobotProfile& profile, std::string_view name) {
  return std::ranges::find(profile.poses, name, &NamedPose::name) != profile.poses.end();
}

}  // namespace

VectorX Robot::pose(std::string_view name) const {
  const bool is_own = has_pose(profile, name);
  if (!is_own && name == "zero") return allowed_zeros(model);
  if (!is_own && name != "middle") throw_unknown<ModelError>(profile.name, "pose", name, pose_names());
  VectorX q = VectorX::Zero(model.motor_count());
  const NamedPose pose = is_own ? profile.pose(name) : middle_pose(model.description(), model.motor_names());
  for (const auto& [joint, position] : pose.positions) q[model.motor(joint)] = position;
  return q;
}

std::vector<std::string> Robot::pose_names() const {
  std::vector<std::string> names;
  for (const NamedPose& pose : profile.poses) names.push_back(pose.name);
  for (const char* const name : kPosesOfAll) {
    if (!has_pose(profile, name)) names.emplace_back(name);
  }
  return names;
}

NamedPose middle_pose(const RobotDescription& description, const std::vector<std::string>& motors) {
  constexpr double kBend = 0.4;       // [rad]
  constexpr double kOfRange = 0.2;    // share of the range that the bend takes at most
  constexpr double kStraight = 0.05;  // [rad]
  constexpr int kDecimals = 4;        // as a profile states positions
  NamedPose middle{"middle", "Middle of the limits, bent where that is straight", {}};
  int turned = 0;
  // From the root outwards, so that bends alternate along each limb, whatever the order of the file.
  std::map<std::string, std::vector<std::size_t>> children;
  for (std::size_t j = 0; j < description.joints.size(); ++j) children[description.joints[j].parent].push_back(j);
  std::vector<std::size_t> open(children[description.root].rbegin(), children[description.root].rend());
  while (!open.empty()) {
    const JointDescription& joint = description.joints[open.back()];
    open.pop_back();
    const std::vector<std::size_t>& next = children[joint.child];
    open.insert(open.end(), next.rbegin(), next.rend());
    if (std::ranges::find(motors, joint.name) == motors.end()) continue;
    const bool is_bounded = std::isfinite(joint.lower) && std::isfinite(joint.upper);
    double at = is_bounded ? 0.5 * (joint.lower + joint.upper) : std::clamp(0.0, joint.lower, joint.upper);
    if (joint.type == JointType::revolute && std::abs(at) < kStraight) {
      const double bend = is_bounded ? std::min(kBend, kOfRange * (joint.upper - joint.lower)) : kBend;
      at += turned++ % 2 == 0 ? bend : -bend;
    }
    at = rounded_to(at, kDecimals);
    if (at != 0.0) middle.positions[joint.name] = at;
  }
  return middle;
}

std::string Robot::frame_named(std::string_view frame_or_label) const {
  return model.has_frame(frame_or_label) ? std::string(frame_or_label) : frame_of_label(profile, frame_or_label);
}

std::vector<std::string> Robot::frames_named(std::vector<std::string> names) const {
  for (std::string& name : names) name = frame_named(name);
  return names;
}

std::vector<std::string> Robot::endpoint_frames(const std::vector<std::string>& wanted,
                                                const std::string& place) const {
  std::vector<std::string> frames;
  const auto add = [&](const std::string& frame) {
    if (std::find(frames.begin(), frames.end(), frame) != frames.end()) {
      throw ModelError(place, "endpoint '" + frame + "' is named twice", "remove one");
    }
    if (!model.has_frame(frame)) {
      // The profile's endpoints are meant rather than one of a hundred frames.
      std::vector<std::string> names;
      for (const Endpoint& endpoint : profile.endpoints) names.insert(names.end(), {endpoint.label, endpoint.frame});
      if (nearest_name(frame, names).empty()) names = model.frame_names();
      throw_unknown<ModelError>(place, "endpoint or frame", frame, names);
    }
    frames.push_back(frame);
  };
  for (const std::string& name : wanted) {
    const auto known = std::find_if(profile.endpoints.begin(), profile.endpoints.end(),
                                    [&](const Endpoint& e) { return e.label == name; });
    add(known != profile.endpoints.end() ? known->frame : name);
  }
  if (wanted.empty()) {
    for (const Endpoint& endpoint : profile.endpoints) add(endpoint.frame);
  }
  if (frames.empty())
    throw ModelError(profile.name, "no endpoints", "name at least one frame (" + arg(Input::endpoint) + ")");
  return frames;
}

int Robot::reference_motor() const {
  return profile.reference_joint.empty() ? -1 : model.motor(profile.reference_joint);
}

std::vector<int> Robot::gain_motors() const {
  std::vector<int> motors;
  for (const std::string& joint : profile.preflight.gain_joints) motors.push_back(model.motor(joint));
  if (motors.empty() && reference_motor() >= 0) motors.push_back(reference_motor());
  return motors;
}

namespace {

/// A profile's MJCF, read by the component that stands on MuJoCo, which is loaded for this alone.
Robot make_robot_of_mjcf(RobotProfile profile) {
  constexpr const char* kFile = "libantaeus_sim.so";
  const std::string place =
      profile.lines.contains("model") ? place_of(profile, "model", "model") : profile.model.string();
  if (!plugin_is_built(kFile)) {
    throw ModelError(place, "it is an MJCF, and what reads it is not built", "build it with: make studies");
  }
  using Read = void(const std::string&, const Base*, RobotDescription&, ModelOptions&);
  auto* const read = reinterpret_cast<Read*>(plugin_function(open_plugin(kFile, "it", ""), "antaeus_read_mjcf_1"));
  if (!read) throw ModelError(place, std::string(kFile) + " is of another version", "build it with: make studies");
  RobotDescription description;
  ModelOptions options;
  const bool is_stated = profile.base_source != BaseSource::limbs;
  read(profile.model.string(), is_stated ? &profile.options.base : nullptr, description, options);
  if (!is_stated) {
    profile.options.base = options.base;
    profile.base_source = BaseSource::caller;
  }
  // Rotors of the file turn with the motors; what the profile states of them stays.
  if (profile.torque_source == TorqueSource::motor) {
    for (std::size_t i = 0; i < profile.figures.size(); ++i) {
      const double armature = profile.figures[i].armature;
      if (armature > 0) profile.options.armature.try_emplace(profile.options.motors[i], armature);
    }
    profile.options.armature.insert(options.armature.begin(), options.armature.end());
  }
  return make_robot(std::move(profile), description);
}

}  // namespace

Robot make_robot(RobotProfile profile, MeshPolicy meshes) {
  std::error_code unreadable;
  if (profile.lines.contains("model") && !std::filesystem::exists(profile.model, unreadable)) {
    throw ModelError(place_of(profile, "model", "model"), "missing file " + profile.model.string(),
                     "name the URDF or MJCF, relative to the profile");
  }
  if (profile.model.extension() == ".xml") return make_robot_of_mjcf(std::move(profile));
  const RobotDescription description = read_urdf(profile.model, meshes);
  return make_robot(std::move(profile), description);
}

Robot make_robot(RobotProfile profile, const RobotDescription& description) {
  // A motor's own torque also turns its rotor; a sensor at the output does not feel it. What the caller set, stays.
  if (profile.torque_source == TorqueSource::motor) {
    for (std::size_t i = 0; i < profile.figures.size(); ++i) {
      if (profile.figures[i].armature > 0) {
        profile.options.armature.try_emplace(profile.options.motors[i], profile.figures[i].armature);
      }
    }
  }
  check_motors(profile, description);
  resolve_labels(profile, description);
  check_payload_frames(profile, description);
  if (profile.base_source == BaseSource::limbs) {
    const bool floats = limb_count(description) > 1 && !frees_itself(description);
    profile.options.base = floats ? Base::free_flyer : Base::fixed;
  }
  RobotModel model(description, profile.options);
  if (profile.options.motors.empty() || profile.motor_labels.empty()) {
    profile.options.motors = model.motor_names();
    profile.motor_labels = model.motor_names();
    profile.figures.assign(model.motor_names().size(), JointFigures{});
  }
  check_names(profile, model);
  fill_noise(model, profile.figures);
  if (profile.noise_file) profile.noise = std::make_shared<NoiseModel>(noise_for(model, *profile.noise_file));
  return {std::move(profile), std::move(model)};
}

std::filesystem::path robots_folder() {
  if (const char* named = std::getenv("ANTAEUS_ROBOTS"); named && *named) return named;
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&robots_folder), &library) && library.dli_fname) {
    std::error_code ignored;
    const auto file = std::filesystem::canonical(library.dli_fname, ignored);
    return file.parent_path().parent_path() / "share" / "antaeus" / "robots";
  }
  return "share/antaeus/robots";
}

std::vector<std::string> robot_names() {
  std::vector<std::string> names;
  std::error_code failed, absent;
  for (std::filesystem::directory_iterator entry(robots_folder(), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (std::filesystem::exists(entry->path() / "profile.toml", absent))
      names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string shipped_robot(const std::filesystem::path& model) {
  std::error_code absent;
  for (const std::string& name : robot_names()) {
    try {
      const std::filesystem::path own = read_profile(robots_folder() / name / "profile.toml").model;
      if (std::filesystem::equivalent(own, model, absent) && !absent) return name;
    } catch (const Error&) {  // a damaged profile describes no robot
    }
  }
  return {};
}

std::string base_text(const Robot& robot) {
  const RobotDescription& description = robot.model.description();
  const bool floats = robot.model.base() == Base::free_flyer;
  const std::string base = floats ? "floating" : "fixed";
  switch (robot.profile.base_source) {
    case BaseSource::caller: return base;
    case BaseSource::option: return base + " (" + arg(Input::base) + ")";
    case BaseSource::profile: return base + " (the profile's)";
    case BaseSource::limbs: break;
  }
  const int limbs = limb_count(description);
  const std::string why = frees_itself(description) ? "the description has a root joint of its own"
                          : limbs == 1              ? "one limb"
                                                    : std::to_string(limbs) + " limbs";
  return base + " (" + why + "; " + arg(Input::base, floats ? "fixed" : "floating") + " otherwise)";
}

namespace {

RobotProfile find_profile(const std::string& name_or_path) {
  const std::filesystem::path path(name_or_path);
  if (path.extension() == ".toml") return read_profile(path);
  if (path.extension() == ".urdf") {
    RobotProfile bare;
    bare.name = path.stem().string();
    bare.title = bare.name;
    bare.provenance = "made from the description alone: no endpoints, groups or assumed noise";
    bare.model = path;
    bare.base_source = BaseSource::limbs;
    return bare;
  }
  const bool plain_name =
      !name_or_path.empty() && name_or_path.find('/') == std::string::npos && name_or_path[0] != '.';
  std::error_code ignored;
  if (plain_name && std::filesystem::exists(robots_folder() / name_or_path / "profile.toml", ignored)) {
    return read_profile(robots_folder() / name_or_path / "profile.toml");
  }
  if (std::filesystem::exists(path / "profile.toml", ignored)) return read_profile(path / "profile.toml");
  const UnknownName text = unknown_name("robot", name_or_path, robot_names());
  throw ModelError(arg(Input::robot), text.problem,
                   text.remedy +
                       (text.remedy.ends_with('?') ? " Or "
                        : text.remedy.empty()      ? ""
                                                   : ", or ") +
                       "give a .toml or .urdf file");
}

}  // namespace

Robot load_robot(const std::string& name_or_path, MeshPolicy meshes, std::optional<Base> base) {
  RobotProfile profile = find_profile(name_or_path);
  if (base) {
    profile.options.base = *base;
    profile.base_source = BaseSource::option;
  }
  return make_robot(std::move(profile), meshes);
}

Robot with_payload(const Robot& robot, const Payload& payload, const std::string& place) {
  Payload carried = payload;
  carried.frame = robot.frame_named(payload.frame);
  if (!robot.model.has_frame(carried.frame)) {
    throw_unknown<ModelError>(place, "frame", payload.frame, robot.model.frame_names());
  }
  check_payload(carried, place);
  ModelOptions options = robot.model.options();
  options.payloads.push_back(carried);
  Robot loaded{robot.profile, RobotModel(robot.model.description(), options)};
  loaded.profile.options.payloads = options.payloads;
  return loaded;
}

std::string payloads_text(const std::vector<Payload>& payloads) {
  std::string text;
  for (const Payload& payload : payloads) {
    text += "; payload " + (payload.name.empty() ? "" : payload.name + " ") + "of " +
            significant_text(payload.inertial.mass, 4) + " kg at " + payload.frame;
  }
  return text;
}

}  // namespace antaeus
