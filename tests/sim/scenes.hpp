#pragma once
/// Scenes that the tests of sim share: own MJCF texts, and the Menagerie's UR5e.

#include <functional>
#include <string>

#include "antaeus/core/error.hpp"
#include "antaeus/sim/mujoco_robot.hpp"
#include "antaeus/sim/mujoco_scene.hpp"
#include "robot/test_robots.hpp"

namespace antaeus::test {

/// What is thrown, or "no error".
inline std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline SceneDescription scene_of(const std::string& text) {
  SceneDescription scene;
  scene.name = "own.xml";
  scene.robot.text = text;
  return scene;
}

/// What the UR5e lacks: slides, references off zero, anchors off the body, several joints in one body, turned bodies
/// and axes of inertia, a free joint with an arm on it, joints named out of MuJoCo's order, actuators with armature.
inline constexpr const char* kMixedMjcf = R"(<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="rail" pos="0.1 -0.2 0.3" quat="0.9 0.1 -0.3 0.2">
      <inertial pos="0.01 0.02 0.03" quat="0.7 0.1 0.5 -0.2" mass="2.5" diaginertia="0.03 0.04 0.05"/>
      <joint name="z_rail" type="slide" axis="1 2 -0.5" ref="0.15" damping="3" armature="0.4" range="-1 1"/>
      <site name="tool" pos="0.1 0.2 0.3" quat="0.5 -0.5 0.1 0.7"/>
      <body name="gimbal" pos="0.2 0 0.1" quat="0.8 0 0.6 0">
        <inertial pos="0 0.05 -0.02" quat="0.4 0.2 0.1 0.6" mass="1.1" diaginertia="0.004 0.006 0.007"/>
        <joint name="yaw" type="hinge" axis="0 0 1" pos="0.05 0 0.02" ref="-0.7" armature="0.02"/>
        <joint name="pitch" type="hinge" axis="0 1 0.2" pos="-0.03 0.04 0.01" ref="0.4"/>
        <joint name="lift" type="slide" axis="0 0.3 1" ref="-0.2"/>
        <body name="tool" pos="0 0.1 0.4" quat="0.3 0.9 -0.1 0.2">
          <inertial pos="0.03 0 0" mass="0.4" fullinertia="0.002 0.003 0.0035 0.0004 -0.0002 0.0003"/>
          <joint name="a_turn" type="hinge" axis="1 0 0" pos="0.02 -0.06 0.05" ref="1.1" damping="0.5"/>
          <joint name="b_turn" type="hinge" axis="0 1 0"/>
        </body>
      </body>
      <body name="branch" pos="-0.2 0.1 0">
        <inertial pos="0 0 0.1" mass="0.7" diaginertia="0.002 0.002 0.001"/>
        <joint name="branch" type="hinge" axis="0 1 0" pos="0 0 -0.05"/>
        <body pos="0 0 0.3" quat="0.6 0 0 0.8">
          <inertial pos="0.02 0 0" mass="0.2" diaginertia="0.0005 0.0006 0.0007"/>
        </body>
      </body>
    </body>
    <body name="craft" pos="1 2 3" quat="0.5 0.5 0.5 0.5">
      <freejoint name="craft"/>
      <inertial pos="0.02 -0.03 0.01" quat="0.9 0.3 0.1 0.2" mass="5" diaginertia="0.2 0.3 0.4"/>
      <body name="boom" pos="0.3 0 0.1" quat="0.7 0.7 0 0.1">
        <inertial pos="0 0 0.2" mass="0.8" diaginertia="0.01 0.01 0.002"/>
        <joint name="boom" type="hinge" axis="0.2 1 0" pos="0 0.02 -0.04" ref="0.3" armature="0.01"/>
        <site name="boom_end" pos="0 0.1 0.4"/>
        <body name="piston" pos="0 0 0.4">
          <inertial pos="0 0 0.05" mass="0.3" diaginertia="0.001 0.001 0.0004"/>
          <joint name="piston" type="slide" axis="0 0 1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="rail_motor" joint="z_rail" forcerange="-90 120"/>
    <position name="yaw_servo" joint="yaw" kp="100" forcerange="-30 30" armature="0.05"/>
    <motor name="boom_motor" joint="boom" gear="3" armature="0.004"/>
  </actuator>
</mujoco>)";

inline constexpr const char* kBallMjcf = R"(<mujoco><worldbody><body name="arm">
  <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.01"/>
  <joint name="shoulder" type="ball"/></body></worldbody></mujoco>)";

/// Two bodies that can rest on the table: an arm of two slides with a ball at its end.
inline constexpr const char* kPusherMjcf = R"(<mujoco>
  <worldbody>
    <body name="carriage" pos="0 0 0.5">
      <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
      <joint name="along" type="slide" axis="1 0 0"/>
      <body name="rod" pos="0 0 -0.1">
        <inertial pos="0 0 0" mass="0.5" diaginertia="0.001 0.001 0.001"/>
        <joint name="down" type="slide" axis="0 0 1"/>
        <body name="foot" pos="0 0 -0.2">
          <inertial pos="0 0 -0.05" mass="0.8" diaginertia="0.002 0.002 0.001"/>
          <geom name="tip" type="sphere" size="0.03" pos="0 0 -0.1" mass="0"/>
          <site name="ankle" pos="0 0 0"/>
          <site name="sole" pos="0 0 -0.13"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="along" joint="along"/><motor name="down" joint="down" forcerange="-60 60"/></actuator>
</mujoco>)";

}  // namespace antaeus::test
