#pragma once
/// \file
/// The data of explanatory figures: how poses amplify a torque. One joint is moved over its range, poses are compared,
/// and two lessons belong to docs/concepts/incident.md. The base is upright, so that world and base axes are parallel.
/// Set-up code: allocates.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

/// An endpoint's Jacobian in one pose.
///
/// The gain is the profile's: what 1 N·m at the reference joint becomes in its row of the wrench, as a magnitude
/// [N/(N·m)]. Without a reference joint it is the norm of the force that 1 N·m at the first joint of the chain becomes.
struct PoseSpectrum {
  std::string pose, endpoint;
  Vector6 sigma;
  double sigma_min = 0.0, kappa = 0.0, gain = 0.0, height = 0.0;
};
constexpr void visit_fields(const PoseSpectrum*, auto&& visit) {
  using P = PoseSpectrum;
  visit(field("pose", "", "`<episode> step n`: the focus step, then the first step of each baseline", &P::pose));
  visit(field("endpoint", "", "the focus endpoint", &P::endpoint));
  visit(field("sigma", "",
              "singular values of its Jacobian, largest first; NaN beyond the number of motors, or of the directions "
              "of a plane",
              &P::sigma));
  visit(field("sigma_min", "", "the smallest of them", &P::sigma_min));
  visit(field("kappa", "", "largest by smallest; infinite where the smallest is 0", &P::kappa));
  visit(field("gain", "N/(N·m)", "what 1 N·m at the reference joint becomes", &P::gain).as("gain"));
  visit(field("height", "m", "z of the endpoint in base axes", &P::height));
}

/// One joint over its range, all others as in a pose.
struct JointSweep {
  std::string joint, label, endpoint;
  double position = 0.0;
  PoseSpectrum at_pose;
  std::string gain_joint, gain_row;
  VectorX positions, gain, kappa, height;
  Matrix6X sigma;
};
constexpr void visit_fields(const JointSweep*, auto&& visit) {
  using J = JointSweep;
  visit(field("joint", "", "that is moved over its limits, all others held; the two that change the gain most",
              &J::joint));
  visit(field("label", "", "short name", &J::label));
  visit(field("endpoint", "", "the focus endpoint", &J::endpoint));
  visit(field("position", "rad", "of the joint in the pose that is held", &J::position).as("position"));
  visit(field("at_pose", "", "at that position", &J::at_pose));
  visit(field("gain_joint", "", "whose torque the gain is of", &J::gain_joint));
  visit(field("gain_row", "", "Fz or another row of the profile, or |F| without a reference joint", &J::gain_row));
  visit(field("positions", "rad", "[n] ±π where the joint has no limits", &J::positions).as("positions"));
  visit(field("gain", "N/(N·m)", "[n] as in spectra", &J::gain).as("gain"));
  visit(field("kappa", "", "[n] as in spectra", &J::kappa));
  visit(field("height", "m", "[n] as in spectra", &J::height));
  visit(field("sigma", "", "[6 × n] singular values", &J::sigma));
}

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
    VectorX q;
    Eigen::Matrix2Xd points;  ///< joints, then the tool [m]
    Eigen::Matrix2Xd J;       ///< x and y of the tool [m/rad]
    Eigen::Vector2d sigma, force = {0.0, 0.0};
  };
  double torque = 5.0;  ///< the incident report's
  std::vector<Pose> poses;
  VectorX bend, force, sigma_min;
};
constexpr void visit_fields(const PlanarLesson::Pose*, auto&& visit) {
  using P = PlanarLesson::Pose;
  visit(field("name", "", "of the profile", &P::name));
  visit(field("title", "", "for people", &P::title));
  visit(field("q", "rad", "one per joint", &P::q).as("q"));
  visit(field("sigma", "", "singular values of the 2 × n Jacobian", &P::sigma));
  visit(field("force", "N", "that the torque reads as: pinv(Jᵀ) (torque, 0, …)", &P::force));
  visit(field("force_norm", "N", "its norm", [](const P& p) { return p.force.norm(); }));
}
constexpr void visit_fields(const PlanarLesson*, auto&& visit) {
  using P = PlanarLesson;
  visit(field("torque", "N·m", "at the first joint", &P::torque));
  visit(field("poses", "", "two of the profile", &P::poses));
  visit(field("bend", "rad",
              "[n] second joint, from half the straight pose's; the others move in proportion between the poses",
              &P::bend)
            .as("bend"));
  visit(field("force", "N", "[n] magnitudes of that force", &P::force).as("force_norm_N"));
  visit(field("sigma_min", "", "[n] smallest singular value", &P::sigma_min));
}

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
    Vector3 origin, axis, lever, column;
    PoseSpectrum spectrum;
  };
  std::string reference_joint, endpoint, label;
  std::vector<Pose> poses;
};
constexpr void visit_fields(const JunctionLesson::Pose*, auto&& visit) {
  using P = JunctionLesson::Pose;
  visit(field("origin", "m", "of the reference joint in base axes", &P::origin));
  visit(field("axis", "1", "of its turning, unit length", &P::axis));
  visit(field("lever", "m", "from that origin to the endpoint", &P::lever));
  visit(field("column", "m/rad", "axis × lever: the joint's linear part in the endpoint's Jacobian", &P::column)
            .as("column"));
  visit(field("distance", "m", "of the endpoint from the axis", [](const P& p) { return p.column.norm(); }));
  visit(field("spectrum", "", "as in spectra", &P::spectrum));
}
constexpr void visit_fields(const JunctionLesson*, auto&& visit) {
  using J = JunctionLesson;
  visit(field("reference_joint", "", "none where the robot has none, or it does not move the endpoint", [](const J& j) {
          return j.poses.empty() ? std::string() : j.reference_joint;
        }).or_null());
  visit(field("endpoint", "", "the focus endpoint", &J::endpoint));
  visit(field("poses", "", "as in spectra, up to two", &J::poses));
}

/// Empty poses without a reference joint, or when it does not move the endpoint.
ANTAEUS_API JunctionLesson junction_lesson(const Robot& robot, const std::string& endpoint,
                                           const std::vector<LabelledPose>& poses);

}  // namespace antaeus
