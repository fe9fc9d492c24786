#pragma once
/// \file
/// The data of a pose map: the quality of poses over two joints, or over a list of poses.

#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/io/table.hpp"
#include "antaeus/pose/pose_quality.hpp"

namespace antaeus {

/// What a map draws of a pose, and the limit that it marks.
struct MappedQuantity {
  PoseQuantity quantity;
  double limit;
};
/// Gain and κ with the published limits, sd at rest with the posterior's full_use_sd; the gain only where the robot has
/// a reference joint.
ANTAEUS_API std::vector<MappedQuantity> mapped_quantities(const Robot& robot,
                                                          const std::vector<std::string>& endpoints = {});

/// The numbers of one pose at one endpoint.
struct ANTAEUS_API PoseSample {
  Status status = Status::not_computed;
  double gain = 0.0;        ///< of the reference joint in the profile's row, signed as deployed [N/(N·m)]
  double force_gain = 0.0;  ///< norm of its force rows [N/(N·m)]
  double kappa = 0.0;
  double sd = 0.0;                    ///< worst direction of the force, at rest [N]
  double sd_moving = 0.0;             ///< the same while moving with a static residual [N]
  Vector3 axis_sd = Vector3::Zero();  ///< along x, y, z at rest [N]
  Vector3 worst_direction = Vector3::Zero();
  int observable = 0;
  Vector3 position = Vector3::Zero();  ///< of the endpoint in base axes [m]
  double error_force = 0.0;            ///< what torque errors of one sd read as in the worst direction [N]

  /// As PoseQuality::value.
  double value(PoseQuantity quantity) const noexcept;
};

/// Where a named pose lies in the plane of a map.
struct MapMark {
  std::string name;
  double x = 0.0, y = 0.0;  ///< positions of the two joints [rad], m where one slides
  bool in_plane = false;    ///< all other joints that move the endpoints stand as in the map
};

/// Two joints over their ranges, all others held.
struct PoseMap {
  std::string pose;  ///< name of the pose in which the others are held
  std::string joint_x, joint_y;
  VectorX x, y;                                  ///< positions in these units
  std::vector<std::string> endpoints;            ///< frames
  std::vector<std::string> labels;               ///< of them, for people
  std::vector<std::vector<PoseSample>> samples;  ///< one list an endpoint, x fastest: [iy · x.size() + ix]
  std::vector<MapMark> marks;                    ///< the held pose first, then the profile's, within the ranges
  std::string unit_x = "rad", unit_y = "rad";    ///< m where the joint slides
};

/// A list of poses.
struct PoseList {
  std::vector<LabelledPose> poses;
  std::vector<std::string> joints;  ///< motors, in the order of q
  std::vector<std::string> endpoints, labels;
  std::vector<std::vector<PoseSample>> samples;  ///< one list an endpoint
  std::vector<std::string> units{};              ///< of the positions, rad or m; none: rad
};

inline constexpr int kMapSteps = 41;

/// \param steps per joint, from limit to limit (±π around the pose where there is none), 2 to 1000
/// \throws OptionsError for a wrong size, equal joints, or joints that move none of the endpoints; ModelError with the
///         nearest name
ANTAEUS_API PoseMap map_poses(const Robot& robot, const std::vector<std::string>& endpoints, const LabelledPose& held,
                              std::string_view joint_x, std::string_view joint_y, int steps = kMapSteps,
                              const Progress& progress = {});
/// \throws as map_poses, for an empty list too
ANTAEUS_API PoseList list_poses(const Robot& robot, const std::vector<std::string>& endpoints,
                                std::vector<LabelledPose> poses, const Progress& progress = {});

/// Poses from a table whose columns are named by motors; others than motors are ignored but for `pose`, which names
/// the rows ("row 0" … without it). Motors without a column are at zero, or as near as they may. \param file for
/// messages
/// \throws OptionsError for no motor's column (with the nearest name), an empty cell
ANTAEUS_API std::vector<LabelledPose> poses_from_table(const Robot& robot, const Table& table, const std::string& file);

/// One row a grid point (or pose) and endpoint; the columns carry unit and meaning.
ANTAEUS_API Table pose_table(const PoseMap& map);
ANTAEUS_API Table pose_table(const PoseList& list);

}  // namespace antaeus
