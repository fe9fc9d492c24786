#pragma once
// The frames that a caller names as contacts. Private.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "antaeus/contact/contact_demand.hpp"
#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/robot/robot_model.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus::detail {

/// The request with frames in place of labels of the profile's endpoints.
inline ContactRequest with_frames(const Robot& robot, ContactRequest request) {
  request.contacts = robot.frames_named(std::move(request.contacts));
  return request;
}

/// Each known and each once. \param place  the argument that messages name. \throws OptionsError
inline std::vector<FrameId> contact_frames(const RobotModel& model, const std::vector<std::string>& names,
                                           const std::string& place) {
  if (names.empty()) throw OptionsError(place, "no contact", "name at least one frame");
  std::set<std::string> seen;
  std::vector<FrameId> frames;
  for (const std::string& name : names) {
    if (!model.has_frame(name)) throw_unknown<OptionsError>(place, "frame", name, model.frame_names());
    if (!seen.insert(name).second) throw OptionsError(place, "'" + name + "' is named twice", "name it once");
    frames.push_back(model.frame(name));
  }
  return frames;
}

/// True if the link of a frame is a ball: its shapes are spheres about one point.
inline bool is_ball(const RobotDescription& description, const std::string& frame) {
  const LinkDescription* link = description.find_link(frame);
  const auto joint = std::ranges::find(description.joints, frame, &JointDescription::name);
  if (!link && joint != description.joints.end()) link = description.find_link(joint->child);
  if (!link) return false;
  const std::vector<Shape>& shapes = link->collisions.empty() ? link->visuals : link->collisions;
  return !shapes.empty() && std::ranges::all_of(shapes, [&](const Shape& shape) {
    const double apart = (shape.X_LS.translation - shapes.front().X_LS.translation).norm();
    return shape.kind == ShapeKind::sphere && apart < shape.size[0];
  });
}

/// Wrench or force of each contact, as the options say; where they leave it to the robot, by the shape of its feet.
inline std::vector<ContactType> contact_kinds(const Robot& robot, const std::vector<std::string>& frames,
                                              const ContactOptions& options) {
  std::vector<ContactType> kinds(frames.size(), options.kind);
  if (options.kind != ContactType::automatic) return kinds;
  for (std::size_t c = 0; c < frames.size(); ++c) {
    const Endpoint* known = robot.profile.find_endpoint(frames[c]);
    const bool has_sole = (known && known->surface.has_sole()) || options.half_length > 0.0;
    const bool is_point =
        options.compatibility != Compatibility::nimble && !has_sole && is_ball(robot.model.description(), frames[c]);
    kinds[c] = is_point ? ContactType::point : ContactType::wrench;
  }
  return kinds;
}

}  // namespace antaeus::detail
