#pragma once
/// \file
/// The data of explanatory figures: how poses amplify a torque. One joint is moved over its range, poses are compared,
/// and two lessons belong to docs/incident.md. The base is upright, so that world and base axes are parallel. Set-up
/// code: allocates.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// An endpoint's Jacobian in one pose.
///
/// The gain is the profile's: what 1 N·m at the reference joint becomes in its row of the wrench, as a magnitude
/// [N/(N·m)]. Without a reference joint it is the norm of the force that 1 N·m at the first joint of the chain becomes.
struct PoseSpectrum {
  std::string pose;
  std::string endpoint;
  Vector6 sigma;           ///< singular values, largest first; NaN beyond the number of motors
  double sigma_min = 0.0;  ///< the smallest of them
  double kappa = 0.0;      ///< infinite where it is 0
  double gain = 0.0;
  double height = 0.0;  ///< z of the endpoint in base axes [m]
};

/// One joint over its range, all others as in a pose.
struct JointSweep {
  std::string joint, label;
  std::string endpoint;
  double position = 0.0;   ///< of the joint in the pose below [rad]
  PoseSpectrum at_pose;    ///< at that position; the other joints are held in its pose
  std::string gain_joint;  ///< whose torque the gain is of
  std::string gain_row;    ///< "Fz", …, or "|F|"
  VectorX positions;       ///< n [rad]; ±π where the joint has no limits
  VectorX gain;            ///< n [N/(N·m)], as in PoseSpectrum
  VectorX kappa;           ///< n
  VectorX height;          ///< n [m]
  Matrix6X sigma;          ///< 6 × n
};

/// Points of a sweep: 2° apart over a half turn.
inline constexpr int kSweepPoints = 91;

/// \throws ModelError for an unknown endpoint, OptionsError for a q of the wrong size or with NaN
ANTAEUS_API PoseSpectrum pose_spectrum(const Robot& robot, const std::string& endpoint, const LabelledPose& pose);

/// Moves one motor over its limits. \throws as pose_spectrum
ANTAEUS_API JointSweep sweep_joint(const Robot& robot, const std::string& endpoint, const LabelledPose& pose, int motor,
                                   int points = kSweepPoints);

/// Motors of the endpoint's group that change the gain at all, the one whose range changes it most first. What counts
/// is the standard deviation of g/(g + limit) over a coarse sweep, limit the profile's: it is bounded, because the gain
/// itself has no bound at a singularity, and neither has its ratio where the gain crosses zero.
ANTAEUS_API std::vector<int> influential_motors(const Robot& robot, const std::string& endpoint,
                                                const LabelledPose& pose);

/// How a torque at the first joint of a planar arm reads as a force at its tool, bent and stretched.
struct PlanarLesson {
  struct Pose {
    std::string name, title;
    VectorX q;                           ///< [rad]
    Eigen::Matrix2Xd points;             ///< joints, then the tool [m]
    Eigen::Matrix2Xd J;                  ///< x and y of the tool [m/rad]
    Eigen::Vector2d sigma;               ///< of J
    Eigen::Vector2d force = {0.0, 0.0};  ///< pinv(Jᵀ) (torque, 0, …) [N]
  };
  double torque = 5.0;      ///< at the first joint [N·m]; the incident report's
  std::vector<Pose> poses;  ///< two of the profile
  /// n positions of the second joint [rad], from half the straight pose's; the
  /// others move in proportion between the poses.
  VectorX bend;
  VectorX force;      ///< n magnitudes of that force [N]
  VectorX sigma_min;  ///< n
};

/// \throws ModelError when the robot has fewer than two joints or lacks a pose
ANTAEUS_API PlanarLesson planar_lesson(const Robot& robot, const std::string& bent = "bent",
                                       const std::string& straight = "straight");

/// Where the reference joint stands between legs and arms, and the lever arm from it to an endpoint.
struct JunctionLesson {
  struct Chain {
    std::string endpoint, label;
    EndpointKind kind = EndpointKind::tool;
    Eigen::Matrix3Xd points;  ///< root, joints, endpoint, in base axes [m]
    Eigen::Index above = 0;   ///< first point that the reference joint moves; the number of points when none
  };
  struct Pose {
    std::string name;
    std::vector<Chain> chains;  ///< one for each endpoint of the profile
    Vector3 origin;             ///< of the reference joint [m]
    Vector3 axis;               ///< of its turning, unit length
    Vector3 lever;              ///< from that origin to the endpoint [m]
    Vector3 column;             ///< axis × lever: the joint's linear part in the endpoint's Jacobian [m/rad]
    PoseSpectrum spectrum;
  };
  std::string reference_joint;
  std::string endpoint, label;
  std::vector<Pose> poses;
};

/// Empty poses without a reference joint, or when it does not move the endpoint.
ANTAEUS_API JunctionLesson junction_lesson(const Robot& robot, const std::string& endpoint,
                                           const std::vector<LabelledPose>& poses);

}  // namespace antaeus
