#include "studies/space_robot.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <filesystem>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/sim/mujoco_robot.hpp"

namespace antaeus {

namespace {

/// What the three kinds of files have in common.
struct Source {
  RobotDescription description;
  ModelOptions options;
  std::string title;
  std::vector<std::string> endpoints;  // frames
  const NamedPose* ready = nullptr;
  Settings settings = {};
};

/// The link that most joints carry; of several the one furthest down the tree.
std::string last_link(const RobotDescription& description) {
  struct Place {
    int moving = 0, depth = 0;
  };
  std::map<std::string, Place> places = {{description.root, {}}};
  std::string last = description.root;
  // Joints stand in any order: as many sweeps as the tree is deep.
  for (bool grew = true; grew;) {
    grew = false;
    for (const JointDescription& joint : description.joints) {
      if (!places.contains(joint.parent) || places.contains(joint.child)) continue;
      const Place parent = places[joint.parent];
      const Place own{parent.moving + (joint.type != JointType::fixed), parent.depth + 1};
      places[joint.child] = own;
      grew = true;
      if (std::pair(own.moving, own.depth) > std::pair(places[last].moving, places[last].depth)) last = joint.child;
    }
  }
  return last;
}

FlyingRobot finish(const Source& source, const std::string& wanted, const std::vector<Payload>& payloads) {
  std::vector<std::string> remarks;
  std::string frame = wanted;
  if (frame.empty()) {
    if (source.endpoints.size() > 1) {
      throw OptionsError(arg(Input::frame), source.title + " has several endpoints: " + listed(source.endpoints),
                         "name the one to be led");
    }
    frame = source.endpoints.empty() ? last_link(source.description) : source.endpoints.front();
    if (source.endpoints.empty()) remarks.push_back("The end-effector is the link '" + frame + "', the chain's end.");
  }
  ModelOptions options = source.options;
  options.base = Base::free_flyer;
  options.gravity.setZero();
  options.motors.clear();
  RobotModel model(source.description, options);
  for (const Payload& payload : payloads) {
    const std::string kPlace = arg(Input::payload);
    if (!model.has_frame(payload.frame)) throw_unknown<ModelError>(kPlace, "frame", payload.frame, model.frame_names());
    check_payload(payload, kPlace);
    options.payloads.push_back(payload);
  }
  if (!payloads.empty()) model = RobotModel(source.description, options);
  // Fingers and the like: what does not move the frame is held.
  std::set<std::string> moving;
  for (const int motor : model.supporting_motors(model.frame(frame))) {
    moving.insert(model.motor_names()[static_cast<std::size_t>(motor)]);
  }
  std::vector<std::string> locked;
  for (const std::string& joint : model.motor_names()) {
    if (moving.contains(joint)) continue;
    locked.push_back(joint);
    options.locked_joints[joint] = 0.0;
  }
  if (moving.size() < 6 || moving.size() > 7) {
    throw ModelError(source.title,
                     std::to_string(moving.size()) + (moving.size() == 1 ? " joint moves " : " joints move ") + frame +
                         "; coordinated control leads an arm of 6 or 7",
                     "name another end-effector with " + arg(Input::frame) + ", or take another robot");
  }
  if (!locked.empty()) {
    model = RobotModel(source.description, options);
    remarks.push_back("Joints that do not move " + frame + " are held at zero: " + listed(locked) + ".");
  }
  VectorX ready = VectorX::Zero(model.motor_count());
  for (int motor = 0; motor < model.motor_count(); ++motor) {
    const std::string& joint = model.motor_names()[static_cast<std::size_t>(motor)];
    if (source.ready != nullptr) {
      if (const auto at = source.ready->positions.find(joint); at != source.ready->positions.end()) {
        ready[motor] = at->second;
      }
    }
    ready[motor] = std::clamp(ready[motor], model.lower_limits()[motor], model.upper_limits()[motor]);
  }
  return {std::move(model),        std::move(frame),   source.title,   std::move(ready),
          source.ready != nullptr, std::move(remarks), source.settings};
}

}  // namespace

FlyingRobot load_flying_robot(const std::string& robot, const std::string& frame,
                              const std::vector<Payload>& payloads) {
  if (std::filesystem::path(robot).extension() == ".xml") {
    SceneDescription scene;
    scene.name = std::filesystem::path(robot).stem().string();
    scene.robot.file = robot;
    const MujocoRobot loaded = mujoco_robot(MujocoScene(scene), {.base = Base::free_flyer});
    return finish({loaded.description, loaded.options, scene.name, {}, nullptr}, frame, payloads);
  }
  const Robot loaded = load_robot(robot, MeshPolicy::ignored, Base::free_flyer);
  Source source{loaded.model.description(), loaded.profile.options, loaded.profile.title, {}, nullptr,
                loaded.profile.settings};
  if (source.title.empty()) source.title = loaded.profile.name;
  for (const Endpoint& endpoint : loaded.profile.endpoints) source.endpoints.push_back(endpoint.frame);
  std::vector<Payload> carried = payloads;
  for (Payload& payload : carried) payload.frame = loaded.frame_named(payload.frame);
  for (const NamedPose& pose : loaded.profile.poses) {
    if (pose.name == "ready") source.ready = &pose;
  }
  return finish(source, loaded.frame_named(frame), carried);
}

VectorX flying_position(const RobotModel& model, const Pose& X_WB, ConstVectorRef theta) {
  VectorX step = VectorX::Zero(model.nv()), q(model.nq());
  step.tail(theta.size()) = theta;
  if (model.integrate(model.neutral(), step, q) != Status::ok) {
    throw Error("flight", "positions that are not finite", "check the start and the goals");
  }
  const Eigen::Quaterniond quaternion(X_WB.rotation);
  q.head<3>() = X_WB.translation;
  q.segment<4>(3) = quaternion.coeffs();
  return q;
}

VectorX arm_positions(const RobotModel& model, ConstVectorRef q) {
  VectorX step(model.nv());
  model.difference(model.neutral(), q, step);
  return step.tail(model.nv() - 6);
}

}  // namespace antaeus
