#pragma once
/// \file
/// Target sets for inverse kinematics, by the recipe of the comparison with other libraries
/// (docs/validation.md#inverse-kinematics), and the judge of answers: Pinocchio's forward kinematics, and limits
/// compared without any tolerance.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "antaeus/ik/reach.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "support/arms.hpp"

namespace antaeus::test {

/// An arm, its chain, and forward kinematics by Pinocchio.
class ReachArm {
 public:
  explicit ReachArm(const Arm& arm)
      : name(arm.name),
        model(arm.description, fixed()),
        chain(model, arm.frame),
        dynamics_(model),
        frame_(model.frame(arm.frame)),
        q_(model.nq()) {}

  Pose pose(const VectorX& q) {
    VectorX motors = VectorX::Zero(model.motor_count());
    for (int i = 0; i < chain.size(); ++i) motors[chain.joints()[static_cast<std::size_t>(i)].motor] = q[i];
    Pose X_WF;
    if (model.position_from_motors(motors, Eigen::Vector4d(0, 0, 0, 1), q_) != Status::ok ||
        dynamics_.at(q_).frame_pose(frame_, X_WF) != Status::ok) {
      X_WF.translation.setConstant(kNaN);
    }
    return X_WF;
  }
  struct Judgement {
    double position, rotation;
    bool within_limits;
    bool reaches(bool position_only) const {
      return within_limits && position <= 1e-4 && (position_only || rotation <= 1e-3);
    }
  };
  Judgement judge(const Pose& target, const VectorX& q) {
    const Pose X = pose(q);
    bool within = q.size() == chain.size();
    for (int i = 0; within && i < chain.size(); ++i) {
      const ChainJoint& joint = chain.joints()[static_cast<std::size_t>(i)];
      within = q[i] >= joint.lower && q[i] <= joint.upper;
    }
    return {(X.translation - target.translation).norm(),
            Eigen::AngleAxisd(Matrix3(X.rotation.transpose() * target.rotation)).angle(), within};
  }
  /// √(m² + rad²), or the distance alone.
  double miss(const Pose& target, const VectorX& q, bool position_only) {
    const Judgement j = judge(target, q);
    return position_only ? j.position : std::hypot(j.position, j.rotation);
  }

  std::string name;
  RobotModel model;
  KinematicChain chain;

 private:
  static ModelOptions fixed() {
    ModelOptions options;
    options.base = Base::fixed;
    return options;
  }
  Dynamics dynamics_;
  FrameId frame_;
  VectorX q_;
};

/// Targets from a seed.
class ReachSets {
 public:
  ReachSets(ReachArm& arm, unsigned seed) : arm_(arm), random_(seed) {}

  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * M_PI * uniform());
  }
  /// Uniform within the limits; a joint without limits within half a turn.
  VectorX positions() {
    VectorX q(arm_.chain.size());
    for (int i = 0; i < q.size(); ++i) {
      const ChainJoint& joint = arm_.chain.joints()[static_cast<std::size_t>(i)];
      const double low = std::max(joint.lower, -2.0 * M_PI), high = std::min(joint.upper, 2.0 * M_PI);
      q[i] = low + (high - low) * uniform();
    }
    return q;
  }
  Matrix3 orientation() {
    const Eigen::Quaterniond random(normal(), normal(), normal(), normal());
    return random.normalized().toRotationMatrix();
  }
  Vector3 direction() { return Vector3(normal(), normal(), normal()).normalized(); }

  std::vector<Pose> reachable(int count) {
    std::vector<Pose> targets;
    for (int k = 0; k < count; ++k) targets.push_back(arm_.pose(positions()));
    return targets;
  }
  /// The Panda's elbow within 0.02 rad of its straightest.
  std::vector<Pose> straight_elbow(int count) {
    std::vector<Pose> targets;
    for (int k = 0; k < count; ++k) {
      VectorX q = positions();
      q[3] = arm_.chain.joints()[3].upper - 0.02 * uniform();
      targets.push_back(arm_.pose(q));
    }
    return targets;
  }
  /// \p factor times as far from \p shoulder as the frame can be, in random directions and orientations.
  std::vector<Pose> at_distance(int count, const Vector3& shoulder, double factor) {
    double reach = 0.0;
    for (int k = 0; k < 20000; ++k) reach = std::max(reach, (arm_.pose(positions()).translation - shoulder).norm());
    std::vector<Pose> targets;
    for (int k = 0; k < count; ++k) targets.push_back({orientation(), shoulder + factor * reach * direction()});
    return targets;
  }
  /// From a reachable pose outwards beyond the workspace, along an arc out there, and back to the start.
  std::vector<Pose> path(int waypoints, const Vector3& shoulder, VectorX& start) {
    start.resize(arm_.chain.size());
    const VectorX middle = arm_.chain.middle();
    for (int i = 0; i < start.size(); ++i) {
      const ChainJoint& joint = arm_.chain.joints()[static_cast<std::size_t>(i)];
      const double half = std::min(0.5 * (joint.upper - joint.lower), M_PI);
      start[i] = middle[i] + 0.5 * half * (2.0 * uniform() - 1.0);
    }
    const Pose first = arm_.pose(start);
    const Vector3 out = first.translation - shoulder;
    const Vector3 axis = out.cross(direction()).normalized(), turn = direction();
    const double sweep = 0.5 + uniform(), far = 1.25 / out.norm();  // [m] from the shoulder: beyond any of the arms
    std::vector<Pose> targets;
    for (int k = 0; k < waypoints; ++k) {
      const double s = static_cast<double>(k) / (waypoints - 1);
      const double outwards = s < 0.25 ? s / 0.25 : s > 0.75 ? (1.0 - s) / 0.25 : 1.0;
      const double angle = sweep * (s < 0.25 ? 0.0 : s > 0.75 ? 1.0 : (s - 0.25) / 0.5);
      const Matrix3 swing = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
      targets.push_back({Eigen::AngleAxisd(0.6 * std::sin(M_PI * s), turn).toRotationMatrix() * first.rotation,
                         shoulder + swing * (out * (1.0 + (far - 1.0) * outwards))});
    }
    return targets;
  }

 private:
  ReachArm& arm_;
  std::mt19937_64 random_;
};

}  // namespace antaeus::test
