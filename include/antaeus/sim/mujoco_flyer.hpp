#pragma once
/// \file
/// The MJCF of a model, for a robot that nothing holds.

#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_model.hpp"
#include "antaeus/sim/mujoco_scene.hpp"

namespace antaeus {

/// The model as an MJCF text: bodies named as its links, joints as its joints, leaves without mass as sites, a site
/// `base` at the root's frame, a motor for each of the model's motors with its limit of force, and visuals that touch
/// nothing. Gravity, payloads, armature and held joints are the model's. Masses and inertias are the model's own to the
/// last digit but for the turn into their axes: nothing is bounded, balanced or taken from shapes.
///
/// Constraints are switched off in it: ranges of joints stand there to be read and are not enforced, and nothing
/// collides. Left out: meshes, collision shapes, damping, limits of velocity.
/// \throws ModelError for a planar joint and a floating one that is not the root (by name)
ANTAEUS_API Mjcf mjcf_of(const RobotModel& model);

/// A scene of that text with the model's gravity. \param time_step  [s]
ANTAEUS_API SceneDescription flyer_scene(const RobotModel& model, double time_step = 1e-3,
                                         Integrator integrator = Integrator::runge_kutta_4);

}  // namespace antaeus
