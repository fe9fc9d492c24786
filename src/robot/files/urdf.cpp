// URDF into a RobotDescription. Read with tinyxml2 rather than urdfdom: urdfdom drops the line numbers, prints on its
// own, and accepts moving links without inertia and meshes that do not exist.
#include <tinyxml2.h>

#include <Eigen/Eigenvalues>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/robot/robot_description.hpp"

namespace antaeus {

namespace {

using tinyxml2::XMLElement;

constexpr std::uintmax_t kLargestUrdf = std::uintmax_t{64} << 20;
/// A tree deeper than this is no robot, and every walk over it is recursive somewhere.
constexpr std::size_t kMostLinks = 2000;
/// A gram, and a gram 3 cm off the axis: what is below both moves no torque. Published robots carry such (TIAGo's
/// antennas) with inertias that no body can have.
constexpr double kWeightless = 1e-3, kTurnsFreely = 1e-6;  // [kg], [kg·m²]

class UrdfReader {
 public:
  UrdfReader(std::string name, std::filesystem::path folder, MeshPolicy meshes)
      : name_(std::move(name)), folder_(std::move(folder)), meshes_(meshes) {}

  RobotDescription read(std::string_view text) {
    tinyxml2::XMLDocument document;
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
      fail(document.ErrorLineNum(), std::string("not well-formed XML (") + document.ErrorName() + ")",
           "is the file cut off?");
    }
    const XMLElement* root = document.RootElement();
    if (!root) fail(1, "no root element", "give a URDF file");
    if (std::strcmp(root->Name(), "robot") != 0) {
      fail(root->GetLineNum(), std::string("the root element is <") + root->Name() + ">, not <robot>",
           "give a URDF file (run xacro first on a .xacro)");
    }
    robot_.name = attribute(root, "name", "robot");
    robot_.source = name_;
    for (const auto* e = root->FirstChildElement("material"); e; e = e->NextSiblingElement("material"))
      read_material(e);
    for (const auto* e = root->FirstChildElement("link"); e; e = e->NextSiblingElement("link")) read_link(e);
    for (const auto* e = root->FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) read_joint(e);
    check_tree(root->GetLineNum());
    check_inertias();
    return std::move(robot_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& problem, const std::string& remedy) const {
    throw ModelError(name_ + ":" + std::to_string(line), problem, remedy);
  }

  std::string attribute(const XMLElement* element, const char* key, const char* fallback = nullptr) const {
    const char* text = element->Attribute(key);
    if (text && *text) return text;
    if (fallback) return fallback;
    fail(element->GetLineNum(), std::string("<") + element->Name() + "> has no '" + key + "'", "add it");
  }

  template <int N>
  Eigen::Matrix<double, N, 1> numbers(const XMLElement* element, const char* key) const {
    const std::string text = attribute(element, key);
    Eigen::Matrix<double, N, 1> values;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto skip_space = [&] {
      while (at < end && std::isspace(static_cast<unsigned char>(*at))) ++at;
    };
    for (int i = 0; i < N; ++i) {
      skip_space();
      if (at + 1 < end && *at == '+' && at[1] != '-') ++at;  // from_chars reads no plus sign
      const auto [next, error] = std::from_chars(at, end, values[i]);
      if (error != std::errc{} || !std::isfinite(values[i])) bad_numbers(element, key, text, N);
      at = next;
    }
    skip_space();
    if (at != end) bad_numbers(element, key, text, N);
    return values;
  }

  [[noreturn]] void bad_numbers(const XMLElement* element, const char* key, const std::string& text, int count) const {
    fail(element->GetLineNum(), std::string(key) + "=\"" + text.substr(0, 60) + "\" of <" + element->Name() + ">",
         "write " + std::to_string(count) + (count == 1 ? " finite number" : " finite numbers"));
  }

  double number(const XMLElement* element, const char* key) const { return numbers<1>(element, key)[0]; }
  double number_or(const XMLElement* element, const char* key, double fallback) const {
    return element && element->Attribute(key) ? number(element, key) : fallback;
  }

  Pose read_origin(const XMLElement* parent) const {
    Pose X;
    const XMLElement* origin = parent->FirstChildElement("origin");
    if (!origin) return X;
    if (origin->Attribute("xyz")) X.translation = numbers<3>(origin, "xyz");
    if (origin->Attribute("rpy")) {
      // Through a quaternion, as urdfdom does: the same file gives the same bits as Pinocchio's parser.
      const Vector3 half = numbers<3>(origin, "rpy") / 2.0;
      const double sr = std::sin(half.x()), cr = std::cos(half.x());
      const double sp = std::sin(half.y()), cp = std::cos(half.y());
      const double sy = std::sin(half.z()), cy = std::cos(half.z());
      Eigen::Quaterniond R(cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
                           cr * cp * sy - sr * sp * cy);
      X.rotation = R.normalized().toRotationMatrix();
    }
    return X;
  }

  void read_material(const XMLElement* element) {
    if (const XMLElement* color = element->FirstChildElement("color")) {
      materials_[attribute(element, "name")] = numbers<4>(color, "rgba");
    }
  }

  void read_link(const XMLElement* element) {
    LinkDescription link;
    link.name = attribute(element, "name");
    link.line = element->GetLineNum();
    if (!link_lines_.emplace(link.name, link.line).second) {
      fail(link.line,
           "link '" + link.name + "' is described twice (first on line " + std::to_string(link_lines_[link.name]) + ")",
           "rename or remove one");
    }
    if (robot_.links.size() >= kMostLinks) fail(link.line, "more than 2000 links", "is this a robot?");
    if (const XMLElement* inertial = element->FirstChildElement("inertial")) {
      link.has_inertial = true;
      link.inertial = read_inertial(inertial, link.name);
    }
    for (const auto* e = element->FirstChildElement("visual"); e; e = e->NextSiblingElement("visual")) {
      link.visuals.push_back(read_shape(e, link.name));
    }
    for (const auto* e = element->FirstChildElement("collision"); e; e = e->NextSiblingElement("collision")) {
      link.collisions.push_back(read_shape(e, link.name));
    }
    robot_.links.push_back(std::move(link));
  }

  Inertial read_inertial(const XMLElement* element, const std::string& link) {
    const int line = element->GetLineNum();
    const XMLElement* mass = element->FirstChildElement("mass");
    const XMLElement* inertia = element->FirstChildElement("inertia");
    if (!mass || !inertia) {
      fail(line, "link '" + link + "': <inertial> without <" + (mass ? "inertia" : "mass") + ">", "add it");
    }
    Inertial body;
    body.mass = number(mass, "value");
    const Pose X = read_origin(element);
    // One by one: an error thrown out of Eigen's comma initialiser leaves it half filled, which it asserts against.
    Matrix3 I;
    I(0, 0) = number(inertia, "ixx");
    I(0, 1) = number(inertia, "ixy");
    I(0, 2) = number(inertia, "ixz");
    I(1, 1) = number(inertia, "iyy");
    I(1, 2) = number(inertia, "iyz");
    I(2, 2) = number(inertia, "izz");
    I.triangularView<Eigen::StrictlyLower>() = I.transpose();
    body.center_of_mass = X.translation;
    body.inertia = X.rotation * I * X.rotation.transpose();
    if (body.mass < 0) fail(line, "link '" + link + "' has a negative mass", "give the mass in kg");
    const Vector3 moments = I.selfadjointView<Eigen::Lower>().eigenvalues();
    // The triangle inequality holds for every real body; published models violate it by rounding, not by more.
    const double slack = 1e-3 * std::abs(moments[2]) + 1e-12;
    if (moments[0] < -slack) {
      if (body.mass >= kWeightless || moments.cwiseAbs().maxCoeff() >= kTurnsFreely) {
        robot_.notes.push_back({NoteCode::inertia_not_positive, link, {line}});
        return body;
      }
      robot_.notes.push_back({NoteCode::inertia_of_point, link, {line}});
      body.inertia.setZero();
      return body;
    }
    if (moments[0] + moments[1] < moments[2] - slack) {
      robot_.notes.push_back({NoteCode::inertia_triangle, link, {line}});
    }
    return body;
  }

  Shape read_shape(const XMLElement* element, const std::string& link) {
    Shape shape;
    shape.X_LS = read_origin(element);
    const XMLElement* geometry = element->FirstChildElement("geometry");
    const XMLElement* kind = geometry ? geometry->FirstChildElement() : nullptr;
    if (!kind) fail(element->GetLineNum(), "link '" + link + "': no geometry", "add box, cylinder, sphere or mesh");
    const std::string name = kind->Name();
    if (name == "box") {
      shape.kind = ShapeKind::box;
      shape.size = numbers<3>(kind, "size");
    } else if (name == "cylinder" || name == "capsule") {
      shape.kind = name == "cylinder" ? ShapeKind::cylinder : ShapeKind::capsule;
      shape.size = {number(kind, "radius"), number(kind, "length"), 0.0};
    } else if (name == "sphere") {
      shape.kind = ShapeKind::sphere;
      shape.size = {number(kind, "radius"), 0.0, 0.0};
    } else if (name == "mesh") {
      shape.kind = ShapeKind::mesh;
      shape.mesh = find_mesh(attribute(kind, "filename"), kind->GetLineNum());
      if (kind->Attribute("scale")) shape.scale = numbers<3>(kind, "scale");
    } else {
      fail(kind->GetLineNum(), "unknown geometry <" + name + ">", "use box, cylinder, capsule, sphere or mesh");
    }
    if ((shape.size.array() < 0).any()) fail(kind->GetLineNum(), "negative size", "give sizes in metres");
    if (const XMLElement* material = element->FirstChildElement("material")) {
      if (const XMLElement* color = material->FirstChildElement("color")) {
        shape.color = numbers<4>(color, "rgba");
      } else if (const auto known = materials_.find(attribute(material, "name", "")); known != materials_.end()) {
        shape.color = known->second;
      }
    }
    return shape;
  }

  std::filesystem::path find_mesh(std::string uri, int line) const {
    namespace fs = std::filesystem;
    std::vector<fs::path> candidates;
    if (uri.starts_with("package://")) {
      const std::string inside = uri.substr(10);
      // Without ROS: a package is found when the file lies in a folder of its name, or beside it.
      std::error_code unknown_folder;  // a file may be named without its folder
      for (fs::path up = fs::absolute(folder_.empty() ? "." : folder_, unknown_folder); !up.empty();
           up = up.parent_path()) {
        candidates.push_back(up / inside);
        if (up == up.parent_path()) break;
      }
    } else {
      if (uri.starts_with("file://")) uri.erase(0, 7);
      candidates.push_back(folder_ / uri);  // an absolute path replaces the folder
    }
    std::error_code ignored;
    for (const fs::path& candidate : candidates) {
      if (fs::is_regular_file(candidate, ignored)) return candidate;
    }
    if (meshes_ == MeshPolicy::required) {
      fail(line, "mesh '" + uri + "' does not exist",
           "put it next to the file, or ignore meshes (" + arg(Input::ignore_meshes) + ")");
    }
    return candidates.empty() ? fs::path(uri) : candidates.front();
  }

  void read_joint(const XMLElement* element) {
    JointDescription joint;
    joint.name = attribute(element, "name");
    joint.line = element->GetLineNum();
    const std::string type = attribute(element, "type");
    const std::optional<JointType> known = find_enum<JointType>(type);
    if (!known) {
      const UnknownName text = unknown_name("joint type", type, all_names<JointType>());
      fail(joint.line, text.problem, text.remedy);
    }
    joint.type = *known;
    const XMLElement* parent = element->FirstChildElement("parent");
    const XMLElement* child = element->FirstChildElement("child");
    if (!parent || !child) {
      fail(joint.line, "joint '" + joint.name + "' has no <" + (parent ? "child" : "parent") + ">", "add it");
    }
    joint.parent = attribute(parent, "link");
    joint.child = attribute(child, "link");
    joint.X_PJ = read_origin(element);
    if (const XMLElement* axis = element->FirstChildElement("axis"); axis && axis->Attribute("xyz")) {
      const Vector3 direction = numbers<3>(axis, "xyz");
      if (joint.type != JointType::fixed && joint.type != JointType::floating) {
        const double length = direction.norm();  // infinite where squares overflow
        if (!(length >= 1e-6) || !std::isfinite(length)) {
          fail(axis->GetLineNum(), "the axis has no direction", "write a unit vector");
        }
        joint.axis = direction.normalized();
      }
    }
    const XMLElement* limit = element->FirstChildElement("limit");
    const double infinity = kInfinity;
    if (joint.type == JointType::revolute || joint.type == JointType::prismatic) {
      if (!limit) fail(joint.line, "joint '" + joint.name + "' has no <limit>", "add it, or make it continuous");
      joint.lower = number_or(limit, "lower", 0.0);
      joint.upper = number_or(limit, "upper", 0.0);
      if (joint.lower > joint.upper) {
        fail(limit->GetLineNum(), "joint '" + joint.name + "': lower limit above upper limit", "swap them");
      }
    }
    joint.effort_limit = number_or(limit, "effort", infinity);
    joint.velocity_limit = number_or(limit, "velocity", infinity);
    const XMLElement* dynamics = element->FirstChildElement("dynamics");
    joint.damping = number_or(dynamics, "damping", 0.0);
    if (joint.damping < 0.0) {
      fail(dynamics->GetLineNum(), "joint '" + joint.name + "' has a negative damping", "give 0 or more");
    }
    if (const XMLElement* mimic = element->FirstChildElement("mimic")) {
      joint.mimics = attribute(mimic, "joint");
      robot_.notes.emplace_back(NoteCode::mimics, joint.name);
    }
    if (!joint_lines_.emplace(joint.name, joint.line).second) {
      fail(joint.line, "joint '" + joint.name + "' is described twice", "rename or remove one");
    }
    robot_.joints.push_back(std::move(joint));
  }

  void check_tree(int line) {
    if (robot_.links.empty()) fail(line, "no links", "give a robot with at least one link");
    std::map<std::string, const JointDescription*> parent_of;
    std::vector<std::string> names;
    for (const auto& link : robot_.links) names.push_back(link.name);
    for (const auto& joint : robot_.joints) {
      for (const std::string& link : {joint.parent, joint.child}) {
        if (!link_lines_.contains(link)) {
          const UnknownName text = unknown_name("link", link, names);
          fail(joint.line, "joint '" + joint.name + "': " + text.problem, text.remedy);
        }
      }
      if (!parent_of.emplace(joint.child, &joint).second) {
        fail(joint.line, "link '" + joint.child + "' has two parent joints", "a URDF is a tree: remove one");
      }
    }
    for (const auto& link : robot_.links) {
      if (parent_of.contains(link.name)) continue;
      if (!robot_.root.empty()) {
        fail(link.line, "two root links, '" + robot_.root + "' and '" + link.name + "'", "join them with a joint");
      }
      robot_.root = link.name;
    }
    if (robot_.root.empty()) fail(robot_.links.front().line, "the joints form a loop: no root link", "open it");
    // One root and one parent each still allow a separate ring: every link must lead to the root.
    std::set<std::string> reached = {robot_.root};
    for (const auto& link : robot_.links) {
      std::vector<std::string> way;
      std::string at = link.name;
      while (!reached.contains(at) && way.size() <= robot_.links.size()) {
        way.push_back(at);
        at = parent_of.at(at)->parent;
      }
      if (way.size() > robot_.links.size()) fail(link.line, "link '" + link.name + "' is in a loop", "open it");
      reached.insert(way.begin(), way.end());
    }
  }

  void check_inertias() {
    std::map<std::string, const JointDescription*> parent_of;
    for (const auto& joint : robot_.joints) parent_of[joint.child] = &joint;
    for (const auto& link : robot_.links) {
      if (link.has_inertial && link.inertial.mass > 0) continue;
      const auto joint = parent_of.find(link.name);
      if (joint != parent_of.end() && joint->second->type != JointType::fixed) {
        robot_.notes.push_back({NoteCode::no_mass_but_moves, link.name, {link.line, joint->second->name}});
        continue;
      }
      if (link.has_inertial) continue;
      if (!link.collisions.empty() && link.name != robot_.root) {
        robot_.notes.push_back({NoteCode::shape_without_mass, link.name, {link.line}});
      }
    }
  }

  std::string name_;
  std::filesystem::path folder_;
  MeshPolicy meshes_;
  RobotDescription robot_;
  std::map<std::string, Eigen::Vector4d> materials_;
  std::map<std::string, int> link_lines_;
  std::map<std::string, int> joint_lines_;
};

}  // namespace

RobotDescription parse_urdf(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                            MeshPolicy meshes) {
  if (text.empty()) throw ModelError(name, "the file is empty", "give a URDF file");
  RobotDescription robot = UrdfReader(name, folder, meshes).read(text);
  robot.sha256 = sha256(text);
  return robot;
}

RobotDescription read_urdf(const std::filesystem::path& file, MeshPolicy meshes) {
  return parse_urdf(read_file(file, kLargestUrdf), file.string(), file.parent_path(), meshes);
}

}  // namespace antaeus
