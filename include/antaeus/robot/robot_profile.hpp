#pragma once
/// \file
/// The profile of a robot: motor order, endpoints, IMU, noise, friction and limits. A TOML file beside the model.
/// It holds what the robot's description (URDF) does not say.
/// robots/h1_2/profile.toml is the commented example; docs/reference/profile.md lists every key.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/core/wrench.hpp"
#include "antaeus/numerics/contact_surface.hpp"
#include "antaeus/robot/channel_map.hpp"
#include "antaeus/robot/joint_figures.hpp"
#include "antaeus/robot/robot_model.hpp"

namespace antaeus {

/// Joints that belong together: a leg, an arm.
struct JointGroup {
  std::string name;
  std::string title;
  std::vector<std::string> joints;
};
template <class Visit>
constexpr void visit_fields(const JointGroup*, Visit&& visit) {
  using J = JointGroup;
  visit(field("name", "", "as other keys of the profile name it", &J::name));
  visit(field("title", "", "for people", &J::title));
  visit(field("joints", "", "names of its joints, from the root on", &J::joints));
}

/// The role of an endpoint. A foot stands on the ground; hands and tools touch what they are made to touch.
enum class EndpointKind : std::uint8_t { hand, foot, tool };
constexpr auto enum_names(EndpointKind) noexcept { return name_list<EndpointKind>("hand", "foot", "tool"); }

/// A frame at which contact wrenches are estimated.
struct Endpoint {
  std::string frame;
  std::string label;
  EndpointKind kind = EndpointKind::tool;
  std::string group;
  ContactSurface surface = {};  ///< what a contact there can exert, as far as the profile states it
};
template <class Visit>
constexpr void visit_fields(const Endpoint*, Visit&& visit) {
  using E = Endpoint;
  visit(field("frame", "", "the model's frame name", &E::frame));
  visit(field("label", "", "for people: \"left wrist\"", &E::label));
  visit(field("kind", "", "its role: foot, hand or tool", &E::kind));
  visit(field("group", "", "joint group that carries it; may be empty", &E::group));
}

/// A configuration with a name. Joints that are not named are at zero.
struct NamedPose {
  std::string name;
  std::string title;
  std::map<std::string, double> positions;
};
template <class Visit>
constexpr void visit_fields(const NamedPose*, Visit&& visit) {
  using N = NamedPose;
  visit(field("name", "", "as commands name it", &N::name));
  visit(field("title", "", "for people", &N::title));
  visit(field("positions", "rad or m", "by joint", &N::positions));
}

/// Which body's orientation the deployed code takes the IMU's quaternion for. `unknown`: the profile does not state it.
enum class DeployedImu : std::uint8_t { unknown, base, mounted_on };
constexpr auto enum_names(DeployedImu) noexcept { return name_list<DeployedImu>("unknown", "base", "mounted_on"); }
/// Where the inertial sensor sits, and where the deployed code assumes that it sits.
struct ImuMount {
  std::string frame;
  DeployedImu deployed_as = DeployedImu::unknown;
  QuaternionOrder order = QuaternionOrder::xyzw;
};
template <class Visit>
constexpr void visit_fields(const ImuMount*, Visit&& visit) {
  using I = ImuMount;
  visit(field("frame", "", "the sensor's frame; empty: the robot has none", &I::frame));
  visit(field("deployed_as", "", "what the deployed code takes the quaternion for", &I::deployed_as));
  visit(field("order", "", "of a quaternion's four numbers", &I::order));
}

/// Where the torque is measured: `motor` (current or motor side: rotor inertia and gear friction are in it) or `joint`
/// (a sensor at the output).
enum class TorqueSource : std::uint8_t { motor, joint };
constexpr auto enum_names(TorqueSource) noexcept { return name_list<TorqueSource>("motor", "joint"); }

/// How the friction figures are used. `bound`: nobody identified them, they only widen the covariance.
/// `identified`: they are subtracted from the torque, and a fifth of dry friction stays as uncertainty.
enum class FrictionUse : std::uint8_t { bound, identified };
constexpr auto enum_names(FrictionUse) noexcept { return name_list<FrictionUse>("bound", "identified"); }

/// Limits of the published pre-flight checks.
struct PreflightFigures {
  double gain_limit = 3.0;
  WrenchRow gain_row = kFz;
  std::vector<std::string> gain_joints;  ///< whose gain is checked; empty: the reference joint's
  double start_error_limit = 0.15;
  std::vector<std::string> start_error_joints;
};
template <class Visit>
constexpr void visit_fields(const PreflightFigures*, Visit&& visit) {
  using P = PreflightFigures;
  visit(field("gain_limit", "N/(N·m)", "of |reference gain|", &P::gain_limit));
  visit(field("gain_row", "", "wrench row of the gain", &P::gain_row));
  visit(field("start_error_limit", "rad", "of |q − target| at the start", &P::start_error_limit));
  visit(field("start_error_joints", "", "joints whose error at the start counts", &P::start_error_joints));
}

/// Who decided what the base is. `caller`: the program that made the profile. `option`: the user who loads the robot.
/// `profile`: its key `base`. `limbs`: nobody did; a robot of one limb is fixed, one of several floats (limbs.hpp).
enum class BaseSource : std::uint8_t { caller, option, profile, limbs };
constexpr auto enum_names(BaseSource) noexcept { return name_list<BaseSource>("caller", "option", "profile", "limbs"); }

struct NoiseModel;  // robot/noise_model.hpp
struct NoiseFile;

struct ANTAEUS_API RobotProfile {
  std::string name;
  std::string title;
  std::string provenance;
  std::filesystem::path file;
  std::string sha256;
  std::map<std::string, int> lines;  ///< where the file has the names that the model must know, for messages
  std::filesystem::path model;
  ModelOptions options;
  BaseSource base_source = BaseSource::caller;
  double rated_load = kNaN;
  std::vector<std::string> motor_labels;
  std::vector<JointGroup> groups;
  std::vector<Endpoint> endpoints;
  std::string reference_joint;
  ImuMount imu;
  ChannelMap channels;  ///< how a log's channels become this robot's (read_episode)
  std::optional<Sign> deployed_sign;
  std::vector<std::string> deployed_endpoints;
  TorqueSource torque_source = TorqueSource::motor;
  FrictionUse friction = FrictionUse::bound;
  double torque_sign = 1.0;
  std::vector<JointFigures> figures;
  /// Identified errors of the torques: with it the estimators use it instead of noise and friction figures. May be
  /// null.
  std::shared_ptr<const NoiseModel> noise;
  /// The same as the file has it, by names: make_robot() turns it into `noise` for the model that it makes.
  std::shared_ptr<const NoiseFile> noise_file;
  Settings settings;
  std::vector<NamedPose> poses;
  PreflightFigures preflight;

  /// \throws ModelError with the nearest name
  const NamedPose& pose(std::string_view wanted) const;
  const Endpoint& endpoint(std::string_view frame_or_label) const;
  const JointGroup* find_group(std::string_view wanted) const noexcept;
  /// By frame; null where the profile does not list it.
  const Endpoint* find_endpoint(std::string_view frame) const noexcept;
  /// The joint group that carries an endpoint; null without one.
  const JointGroup* group_of(std::string_view frame) const noexcept;
  /// The sign in which forces are reported, and where it comes from.
  std::pair<Sign, std::string> reported_sign() const;
  /// What people call an endpoint: its label, else the frame.
  std::string label_of(std::string_view frame) const;
  /// Joint torque of motor \p motor from what its channel reads: sign · scale · gear · (reading − torque_offset) [N·m].
  double joint_torque(std::size_t motor, double reading) const noexcept {
    const JointFigures& f = figures[motor];
    return torque_sign * f.scale * f.gear * (reading - f.torque_offset);
  }
};
template <class Visit>
constexpr void visit_fields(const RobotProfile*, Visit&& visit) {
  using P = RobotProfile;
  visit(field("name", "", "as commands name it", &P::name));
  visit(field("title", "", "for people", &P::title));
  visit(field("provenance", "", "where its figures come from", &P::provenance));
  visit(field("file", "", "empty when made from a bare description", &P::file));
  visit(field("sha256", "", "of the file's bytes", &P::sha256));
  visit(field("model", "", "description file", &P::model));
  visit(field("options", "", "base, gravity, motor order", &P::options));
  visit(field("base_source", "", "who decided what the base is", &P::base_source));
  visit(field("rated_load", "kg", "that each hand or tool is made for; NaN: not stated", &P::rated_load));
  visit(field("motor_labels", "", "short names in motor order", &P::motor_labels));
  visit(field("groups", "", "legs, arms: joints that belong together", &P::groups));
  visit(field("endpoints", "", "frames at which contact forces are asked for", &P::endpoints));
  visit(field("reference_joint", "", "the joint whose torque the endpoints share; empty: none", &P::reference_joint));
  visit(field("imu", "", "where the inertial sensor sits", &P::imu));
  visit(field("channels", "", "how a log's channels become this robot's", &P::channels));
  visit(field("deployed_sign", "", "of the estimator that the robot's users run; none: the profile does not state it",
              &P::deployed_sign));
  visit(field("deployed_endpoints", "", "frames that its consumer reads", &P::deployed_endpoints));
  visit(field("torque_source", "", "where torques are measured", &P::torque_source));
  visit(field("friction", "", "what the friction figures are good for", &P::friction));
  visit(field("torque_sign", "1", "−1: the channel is positive against the joint's axis", &P::torque_sign));
  visit(field("figures", "", "in motor order", &P::figures));
  visit(field("settings", "", "[options], and what callers add; see Robot.settings", &P::settings));
  visit(field("poses", "", "configurations with a name", &P::poses));
  visit(field("preflight", "", "limits of the published pre-flight checks", &P::preflight));
}

/// A configuration and what to call it: a pose of the profile, a row of a table, a step of an episode.
struct LabelledPose {
  std::string name;
  VectorX q;  ///< motor positions [rad] or [m]
};

/// A model and its profile, checked against each other.
struct ANTAEUS_API Robot {
  RobotProfile profile;
  RobotModel model;

  /// Motor positions of a named pose: one of the profile's, "zero" (every motor at zero, or as near to it as its limits
  /// allow) or "middle" (middle_pose). \throws ModelError with the nearest name
  VectorX pose(std::string_view name) const;
  /// The profile's poses, then "zero" and "middle" where it does not define them.
  std::vector<std::string> pose_names() const;
  /// The frame that a name stands for: a frame of the model, else the frame of the endpoint with that label, else the
  /// name itself.
  std::string frame_named(std::string_view frame_or_label) const;
  std::vector<std::string> frames_named(std::vector<std::string> names) const;
  /// Frames of endpoints named by frame or label; the profile's own for an empty list.
  /// \param place  the argument that messages name
  /// \throws ModelError for an unknown name (with the nearest), a repeated one, or when there is none at all
  std::vector<std::string> endpoint_frames(const std::vector<std::string>& wanted = {},
                                           const std::string& place = "endpoints") const;
  /// What an endpoint is: by the profile; one that it does not list is a foot where the base floats and the frame's
  /// name says so (foot, sole, toe, ankle), else a tool.
  EndpointKind kind_of(std::string_view frame) const;
  double weight() const noexcept;  ///< [N], payloads included
  /// The profile's settings, with defaults that follow this robot and these endpoints: the sign (reported_sign), and
  /// the force that the endpoints are made for (docs/concepts/estimator.md#defaults-of-any-robot).
  Settings settings(const std::vector<std::string>& endpoints) const;
  /// Index of the reference joint's motor, −1 without one.
  int reference_motor() const;
  /// Motors whose gain pre-flight checks: `preflight.gain_joints`, else the reference joint; may be empty.
  std::vector<int> gain_motors() const;
};
template <class Visit>
constexpr void visit_fields(const Robot*, Visit&& visit) {
  using R = Robot;
  visit(field("profile", "", "what its users know of it", &R::profile));
  visit(field("model", "", "joints, masses, limits and frames", &R::model));
}

/// The pose "middle": each of \p motors in the middle of its limits, bent a little where the middle is straight.
ANTAEUS_API NamedPose middle_pose(const RobotDescription& description, const std::vector<std::string>& motors);

/// The name of the robot that comes with Antaeus whose description this file is; empty: it is another file.
ANTAEUS_API std::string shipped_robot(const std::filesystem::path& model);

/// Reads and checks a profile. \throws ModelError that names file, line and key
ANTAEUS_API RobotProfile read_profile(const std::filesystem::path& file);

/// Resolves a robot: a profile (.toml), a description (.urdf), or the name of a robot that comes with Antaeus.
/// \param base  what the root may do; unless given as the profile says, else by the number of limbs
/// \throws ModelError with the nearest name
ANTAEUS_API Robot load_robot(const std::string& name_or_path, MeshPolicy meshes = MeshPolicy::ignored,
                             std::optional<Base> base = {});
/// "fixed", "floating" or its other name "free_flyer". \throws OptionsError at \p place
ANTAEUS_API Base parse_base(std::string_view text, const std::string& place);
/// The same with model options changed by the caller (take them from the profile first). The base is chosen by the
/// number of limbs where `base_source` says so.
ANTAEUS_API Robot make_robot(RobotProfile profile, MeshPolicy meshes = MeshPolicy::ignored);
/// The same of a description that was read already, whatever its format.
ANTAEUS_API Robot make_robot(RobotProfile profile, const RobotDescription& description);

/// The robot with one more load: it joins the link that carries the frame.
/// \throws ModelError at \p place for an unknown frame, with the nearest name, and as check_payload
ANTAEUS_API Robot with_payload(const Robot& robot, const Payload& payload, const std::string& place = "payload");
/// For people: "; payload gripper of 0.9 kg at tool0", one such part a load; empty without any.
ANTAEUS_API std::string payloads_text(const std::vector<Payload>& payloads);

/// Returns what the base is and why: "fixed (one limb; base=floating otherwise)", with a reference to the input `base`.
ANTAEUS_API std::string base_text(const Robot& robot);

/// Folder that holds the robots which come with Antaeus: ANTAEUS_ROBOTS, else share/antaeus/robots beside the library.
ANTAEUS_API std::filesystem::path robots_folder();
/// Names in that folder, sorted.
ANTAEUS_API std::vector<std::string> robot_names();

}  // namespace antaeus
