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
#include "antaeus/core/fields.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/pose.hpp"

namespace antaeus {

/// Mass, centre of mass and rotational inertia of one link.
struct Inertial {
  double mass = 0.0;
  Vector3 center_of_mass = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();
};
template <class Visit>
constexpr void visit_fields(const Inertial*, Visit&& visit) {
  using I = Inertial;
  visit(field("mass", "kg", "", &I::mass));
  visit(field("center_of_mass", "m", "[3] in link axes, from the link's origin", &I::center_of_mass));
  visit(field("inertia", "kg·m²", "[3 × 3] about the centre of mass, in link axes", &I::inertia));
}

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
  int line = 0;
};
template <class Visit>
constexpr void visit_fields(const LinkDescription*, Visit&& visit) {
  using L = LinkDescription;
  visit(field("name", "", "of the link", &L::name));
  visit(field("has_inertial", "", "whether the file states mass and inertia", &L::has_inertial));
  visit(field("inertial", "", "mass, centre of mass and inertia in link axes", &L::inertial));
  visit(field("line", "", "in the source file", &L::line));
}

/// `continuous` is a revolute joint without limits. `floating` has six degrees of freedom, `planar` three.
enum class JointType : std::uint8_t { fixed, revolute, continuous, prismatic, floating, planar };
constexpr auto enum_names(JointType) noexcept {
  return name_list<JointType>("fixed", "revolute", "continuous", "prismatic", "floating", "planar");
}

struct JointDescription {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent, child;
  Pose X_PJ;
  Vector3 axis = Vector3::UnitX();
  double lower = -kInfinity, upper = kInfinity;
  double effort_limit = kInfinity;
  double velocity_limit = kInfinity;
  double damping = 0.0;  ///< [N·m·s/rad] or [N·s/m]: of the file; contact inverse dynamics as Nimble uses it
  /// Joint that it is coupled to by the file; empty: none. Models read it as independent all the same.
  std::string mimics = {};
  int line = 0;
};
template <class Visit>
constexpr void visit_fields(const JointDescription*, Visit&& visit) {
  using J = JointDescription;
  visit(field("name", "", "of the joint", &J::name));
  visit(field("type", "", "what it allows", &J::type));
  visit(field("parent", "", "link", &J::parent));
  visit(field("child", "", "link", &J::child));
  visit(field("X_PJ", "", "joint frame in the parent link; the child link's frame at position zero", &J::X_PJ));
  visit(field("axis", "", "[3] of rotation or translation, unit, in joint axes", &J::axis));
  visit(field("lower", "rad or m", "infinite without a limit", &J::lower));
  visit(field("upper", "rad or m", "infinite without a limit", &J::upper));
  visit(field("effort_limit", "N·m or N", "", &J::effort_limit));
  visit(field("velocity_limit", "rad/s or m/s", "", &J::velocity_limit));
  visit(field("mimics", "", "joint that it is coupled to; empty: none. It is read as independent", &J::mimics));
  visit(field("line", "", "in the source file", &J::line));
}

struct ANTAEUS_API RobotDescription {
  std::string name;
  std::string source;
  std::string sha256;
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  std::string root;
  std::vector<Note> notes;

  /// Null where there is none of that name.
  const LinkDescription* find_link(std::string_view link) const noexcept;
  const JointDescription* find_joint(std::string_view joint) const noexcept;
  /// The link of a model's frame: the link of that name, else the link that the joint of that name moves, else the
  /// name itself.
  std::string link_of(std::string_view frame) const;
};
template <class Visit>
constexpr void visit_fields(const RobotDescription*, Visit&& visit) {
  using R = RobotDescription;
  visit(field("name", "", "of the robot", &R::name));
  visit(field("source", "", "the file as it was named, for messages", &R::source));
  visit(field("sha256", "", "of the file's bytes", &R::sha256));
  visit(field("links", "", "in the order of the file", &R::links));
  visit(field("joints", "", "in the order of the file", &R::joints));
  visit(field("root", "", "the one link that is not a joint's child", &R::root));
  visit(field("notes", "", "what the file leaves open and how it was read, one line each", &R::notes));
}

/// Whether a mesh that a file names must exist. Dynamics do not need it, a viewer and collision checks do.
enum class MeshPolicy { required, ignored };
constexpr auto enum_names(MeshPolicy) noexcept { return name_list<MeshPolicy>("required", "ignored"); }

/// Reads a URDF file. Faults that urdfdom ignores are errors here, with their line: a moving link without inertia, an
/// inertia that no body can have, a missing mesh, two parents, a loop, a repeated name.
/// Mimic joints are read as independent joints, and `notes` says so.
/// \throws ModelError "file:line: problem; remedy"
ANTAEUS_API RobotDescription read_urdf(const std::filesystem::path& file, MeshPolicy meshes = MeshPolicy::ignored);
/// The same from text; \p folder is what mesh paths are relative to.
ANTAEUS_API RobotDescription parse_urdf(std::string_view text, const std::string& name,
                                        const std::filesystem::path& folder, MeshPolicy meshes);

}  // namespace antaeus
