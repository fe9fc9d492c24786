#pragma once
/// \file
/// A robot as its file describes it: a plain tree of links and joints, with the line where each is written.
/// Every format is read into this one type (URDF here, MJCF in sim), and a RobotModel is made from it alone.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/pose.hpp"

namespace antaeus {

/// Mass, centre of mass and rotational inertia of one link.
struct Inertial {
  double mass = 0.0;                         ///< [kg]
  Vector3 center_of_mass = Vector3::Zero();  ///< in link axes, from the link's origin [m]
  Matrix3 inertia = Matrix3::Zero();         ///< about the centre of mass, in link axes [kg·m²]
};

enum class ShapeKind : std::uint8_t { box, cylinder, capsule, sphere, mesh };
constexpr auto enum_names(ShapeKind) noexcept {
  return name_list<ShapeKind>("box", "cylinder", "capsule", "sphere", "mesh");
}

/// A geometric shape fixed to a link.
struct Shape {
  ShapeKind kind = ShapeKind::box;
  Pose X_LS;                        ///< shape in link axes; cylinders and capsules lie along their z
  Vector3 size = Vector3::Zero();   ///< box: edges; cylinder, capsule: (radius, length, –); sphere: (radius, –, –) [m]
  std::filesystem::path mesh;       ///< resolved file of a mesh
  Vector3 scale = Vector3::Ones();  ///< of a mesh
  Eigen::Vector4d color{0.7, 0.7, 0.7, 1.0};  ///< red, green, blue, opacity in [0, 1]
};

struct LinkDescription {
  std::string name;
  bool has_inertial = false;
  Inertial inertial;
  std::vector<Shape> visuals;
  std::vector<Shape> collisions;
  int line = 0;  ///< in the source file
};

/// `continuous` is a revolute joint without limits. `floating` has six degrees of freedom, `planar` three.
enum class JointType : std::uint8_t { fixed, revolute, continuous, prismatic, floating, planar };
constexpr auto enum_names(JointType) noexcept {
  return name_list<JointType>("fixed", "revolute", "continuous", "prismatic", "floating", "planar");
}

struct JointDescription {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent;                 ///< link
  std::string child;                  ///< link
  Pose X_PJ;                          ///< joint frame in the parent link; the child link's frame at position zero
  Vector3 axis = Vector3::UnitX();    ///< of rotation or translation, unit, in joint axes
  double lower = -kInfinity;          ///< [rad] or [m]
  double upper = kInfinity;           ///< [rad] or [m]
  double effort_limit = kInfinity;    ///< [N·m] or [N]
  double velocity_limit = kInfinity;  ///< [rad/s] or [m/s]
  double damping = 0.0;  ///< [N·m·s/rad] or [N·s/m]: of the file; contact inverse dynamics as Nimble uses it
  std::string mimics =
      {};  ///< joint that it is made to follow; empty: none. Models read it as independent all the same
  int line = 0;
};

struct ANTAEUS_API RobotDescription {
  std::string name;
  std::string source;  ///< file as it was named to us, for messages
  std::string sha256;  ///< of the file's bytes
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  std::string root;                ///< the one link that is not a joint's child
  std::vector<std::string> notes;  ///< what the file leaves open and how it was read, one line each

  const LinkDescription* find_link(std::string_view link) const noexcept;
};

/// Whether a mesh that a file names must exist. Dynamics do not need it, a viewer and collision checks do.
enum class MeshPolicy { required, ignored };
constexpr auto enum_names(MeshPolicy) noexcept { return name_list<MeshPolicy>("required", "ignored"); }

/// Reads a URDF file. Faults that urdfdom ignores are errors here, with their line: a moving link without inertia, an
/// inertia that no body can have, a missing mesh, two parents, a loop, a repeated name.
/// Mimic joints are read as independent joints, and `notes` says so.
/// \throws ModelError "file:line: problem; remedy"
ANTAEUS_API RobotDescription read_urdf(const std::filesystem::path& file, MeshPolicy meshes = MeshPolicy::required);
/// The same from text; \p folder is what mesh paths are relative to.
ANTAEUS_API RobotDescription parse_urdf(std::string_view text, const std::string& name,
                                        const std::filesystem::path& folder, MeshPolicy meshes);

}  // namespace antaeus
