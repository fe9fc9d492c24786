#include "antaeus/sim/mujoco_robot.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "antaeus/core/error.hpp"
#include "sim/mujoco_scene_impl.hpp"

namespace antaeus {

namespace {

using detail::BodyFacts;
using detail::JointFacts;
using detail::JointKind;
using detail::SceneFacts;

std::string name_or(const std::string& name, const char* kind, int index) {
  return name.empty() ? std::string(kind) + "_" + std::to_string(index) : name;
}

/// The name, lengthened until it is not among those that are taken.
std::string free_name(std::set<std::string>& taken, std::string name, const std::string& ending) {
  while (!taken.insert(name).second) name += ending;
  return name;
}

bool is_below(const SceneFacts& facts, int body, int root) {
  while (body > root) body = facts.bodies[body].parent;  // a parent stands before its children
  return body == root;
}

Pose turned(const Vector3& axis, double angle) {
  return {Eigen::AngleAxisd(angle, axis).toRotationMatrix(), Vector3::Zero()};
}
Pose moved(const Vector3& by) { return {Matrix3::Identity(), by}; }

/// Writes the tree of one root, or of all, as links and joints.
class Extractor {
 public:
  Extractor(const SceneFacts& facts, int root, Base base)
      : facts_(facts), root_(root), flies_(base == Base::free_flyer), names_(detail::link_names(facts)) {
    links_taken_.insert(names_.bodies.begin(), names_.bodies.end());
    links_taken_.insert(names_.sites.begin(), names_.sites.end());
    for (int joint = 0; joint < static_cast<int>(facts.joints.size()); ++joint) {
      joints_taken_.insert(detail::joint_name(facts, joint));
    }
  }

  MujocoRobot extract() {
    RobotDescription& description = robot_.description;
    description.name = facts_.name;
    description.source = facts_.name;
    description.sha256 = facts_.sha256;
    description.notes = facts_.notes;
    for (int body = 0; body < static_cast<int>(facts_.bodies.size()); ++body) {
      if (is_wanted(body)) add_body(body);
    }
    description.root = names_.bodies[flies_ ? root_ : 0];
    for (int site = 0; site < static_cast<int>(facts_.sites.size()); ++site) add_site(site);
    robot_.options.base = flies_ ? Base::free_flyer : Base::fixed;
    robot_.options.gravity = facts_.gravity;
    return std::move(robot_);
  }

 private:
  /// The root's tree, and what carries it; nothing carries a free one.
  bool is_wanted(int body) const { return is_below(facts_, body, root_) || (!flies_ && is_below(facts_, root_, body)); }
  /// Of a fixed joint, which MuJoCo does not have.
  std::string weld_name(const std::string& link) { return free_name(joints_taken_, link + "_weld", "_weld"); }

  std::string add_link(const std::string& name) {
    LinkDescription link;
    link.name = name;
    robot_.description.links.push_back(link);
    return name;
  }

  JointDescription& add_joint(std::string name, const std::string& parent, const std::string& child, const Pose& X) {
    JointDescription joint;
    joint.name = std::move(name);
    joint.parent = parent;
    joint.child = child;
    joint.X_PJ = X;
    robot_.description.joints.push_back(joint);
    return robot_.description.joints.back();
  }

  void add_body(int index) {
    const BodyFacts& body = facts_.bodies[index];
    const std::string& own = names_.bodies[index];
    if (index > 0 && !(flies_ && index == root_)) {
      std::string parent = names_.bodies[body.parent];
      Pose X = body.X_PB;  // of the frame that comes next, in `parent`
      for (std::size_t at = 0; at < body.joints.size(); ++at) {
        const JointFacts& joint = facts_.joints[body.joints[at]];
        const bool is_last = at + 1 == body.joints.size();
        const bool is_own = is_last && (joint.kind != JointKind::hinge || joint.anchor.isZero(0.0));
        const std::string name = detail::joint_name(facts_, body.joints[at]);
        const std::string child = is_own ? own : add_link(free_name(links_taken_, own + "/" + name, "_link"));
        write_joint(joint, add_joint(name, parent, child, at_reference(joint, X)));
        // Behind a hinge the frame stands at the anchor.
        X = joint.kind == JointKind::hinge ? moved(-joint.anchor) : Pose();
        parent = child;
        if (is_own) parent.clear();
      }
      if (!parent.empty()) add_joint(weld_name(own), parent, own, X);
    }
    add_link(own);
    LinkDescription& link = robot_.description.links.back();
    for (const detail::GeomFacts& geom : facts_.geoms) {
      if (geom.body == index && geom.has_shape) (geom.is_visual ? link.visuals : link.collisions).push_back(geom.shape);
    }
    // MuJoCo reads a mass below zero as none, and NaN as NaN.
    if (!std::isfinite(body.mass) || !body.inertia.allFinite() || (body.mass == 0.0 && !body.inertia.isZero(0.0))) {
      throw ModelError(facts_.name, "body '" + own + "' has inertia without a mass, or numbers that are not finite",
                       "give it a mass above zero");
    }
    if (body.mass > 0.0) {
      link.has_inertial = true;
      link.inertial.mass = body.mass;
      link.inertial.center_of_mass = body.X_BI.translation;
      const Matrix3& R = body.X_BI.rotation;
      link.inertial.inertia = R * body.inertia.asDiagonal() * R.transpose();
    }
  }

  /// Where the joint's frame stands at position zero, which is not where the file draws it.
  static Pose at_reference(const JointFacts& joint, const Pose& X) {
    switch (joint.kind) {
      case JointKind::hinge: return X * moved(joint.anchor) * turned(joint.axis, -joint.reference);
      case JointKind::slide: return X * moved(-joint.reference * joint.axis);
      case JointKind::free: break;
    }
    return {};  // of the world, wherever the file puts the body
  }

  void write_joint(const JointFacts& joint, JointDescription& to) {
    if (joint.kind == JointKind::free) {
      to.type = JointType::floating;
      return;
    }
    to.type = joint.kind == JointKind::hinge ? JointType::revolute : JointType::prismatic;
    to.axis = joint.axis;
    to.lower = joint.lower;
    to.upper = joint.upper;
    to.effort_limit = joint.effort;
    to.damping = joint.damping;
    if (joint.armature != 0.0) robot_.options.armature[to.name] = joint.armature;
  }

  void add_site(int index) {
    const detail::SiteFacts& site = facts_.sites[index];
    if (!is_wanted(site.body)) return;
    const std::string& name = names_.sites[index];
    add_link(name);
    add_joint(weld_name(name), names_.bodies[site.body], name, site.X_BS);
  }

  const SceneFacts& facts_;
  int root_;
  bool flies_;
  detail::LinkNames names_;
  MujocoRobot robot_;
  std::set<std::string> links_taken_, joints_taken_;
};

bool is_free(const SceneFacts& facts, int body) {
  const std::vector<int>& joints = facts.bodies[body].joints;
  return joints.size() == 1 && facts.joints[joints[0]].kind == JointKind::free;
}

/// The one body with a free joint. \throws ModelError for none or several
int free_body(const SceneFacts& facts) {
  std::string names;
  int found = 0, count = 0;
  for (int body = 1; body < static_cast<int>(facts.bodies.size()); ++body) {
    if (!is_free(facts, body)) continue;
    names += (count == 0 ? "'" : ", '") + name_or(facts.bodies[body].name, "body", body) + "'";
    found = body;
    ++count;
  }
  if (count == 0) throw ModelError(facts.name, "no body has a free joint", "give the base a <freejoint/>");
  if (count > 1) throw ModelError(facts.name, "several bodies have a free joint", "name the root: one of " + names);
  return found;
}

/// A branch of so many joints is a limb and no finger (docs/reference/cli.md#base).
constexpr std::size_t kLimbJoints = 3;

/// The joints between a body and one that carries it.
std::vector<int> joints_between(const SceneFacts& facts, int carrier, int body) {
  std::vector<int> joints;
  for (; body > carrier; body = facts.bodies[body].parent) {
    joints.insert(joints.end(), facts.bodies[body].joints.begin(), facts.bodies[body].joints.end());
  }
  return joints;
}

/// Reads equalities as a URDF is read: a coupled joint mimics the other and is independent, and a loop of fingers is
/// open. \throws ModelError for a loop of limbs, whose torques no tree has
void open_equalities(const SceneFacts& facts, RobotDescription& description) {
  const auto link = [&](int body) { return "'" + name_or(facts.bodies[body].name, "body", body) + "'"; };
  for (const detail::EqualityFacts& equality : facts.equalities) {
    if (equality.joints.size() == 2) {
      const std::string name = detail::joint_name(facts, equality.joints[0]);
      for (JointDescription& joint : description.joints) {
        if (joint.name == name) joint.mimics = detail::joint_name(facts, equality.joints[1]);
      }
      description.notes.emplace_back(NoteCode::mimics, name);
      continue;
    }
    if (!equality.joints.empty() || equality.body < 0) {
      description.notes.emplace_back(NoteCode::equality_ignored, equality.what);
      continue;
    }
    int carrier = equality.body;
    while (!is_below(facts, equality.other, carrier)) carrier = facts.bodies[carrier].parent;
    std::string names;
    for (const int end : {equality.body, equality.other}) {
      const std::vector<int> joints = joints_between(facts, carrier, end);
      if (joints.size() >= kLimbJoints) {
        throw ModelError(facts.name,
                         equality.what + " closes a loop from " + link(equality.body) + " to " + link(equality.other) +
                             " over " + std::to_string(joints.size()) +
                             " joints, and a tree of joints cannot hold a limb that is a loop",
                         "remove it, or take mujoco_robot(), which leaves it out with a note");
      }
      for (const int joint : joints) names += (names.empty() ? "" : ", ") + detail::joint_name(facts, joint);
    }
    if (names.empty()) continue;
    description.notes.push_back({NoteCode::loop_open, "", {link(equality.body), link(equality.other), names}});
  }
}

}  // namespace

namespace detail {

LinkNames link_names(const SceneFacts& facts) {
  LinkNames names;
  std::set<std::string> taken;
  for (int body = 0; body < static_cast<int>(facts.bodies.size()); ++body) {
    names.bodies.push_back(free_name(taken, name_or(facts.bodies[body].name, "body", body), "_body"));
  }
  for (int site = 0; site < static_cast<int>(facts.sites.size()); ++site) {
    names.sites.push_back(free_name(taken, name_or(facts.sites[site].name, "site", site), "_site"));
  }
  return names;
}

std::string joint_name(const SceneFacts& facts, int joint) { return name_or(facts.joints[joint].name, "joint", joint); }

}  // namespace detail

MujocoRobot mujoco_robot(const MujocoScene& scene, const MujocoRobotOptions& options) {
  const SceneFacts& facts = scene.impl().facts();
  const bool flies = options.base == Base::free_flyer;
  int root = flies && options.root.empty() ? free_body(facts) : 0;
  if (!options.root.empty()) {
    root = detail::index_of(facts.bodies, options.root, facts.name, "root body");
    for (int body = facts.bodies[root].parent; body > 0; body = facts.bodies[body].parent) {
      if (facts.bodies[body].joints.empty()) continue;
      throw ModelError(
          facts.name,
          "the root body '" + options.root + "' is carried by a moving one, '" + facts.bodies[body].name + "'",
          "name a body fixed to the world");
    }
  }
  if (flies && !is_free(facts, root)) {
    throw ModelError(facts.name, "the root body '" + options.root + "' has no free joint",
                     "give it a <freejoint/>, or ask for a fixed base");
  }
  MujocoRobot robot = Extractor(facts, root, options.base).extract();
  for (const auto& [joint, position] : options.locked_joints) {
    detail::index_of(facts.joints, joint, facts.name + " (locked joints)", "joint");
  }
  robot.options.locked_joints = options.locked_joints;
  std::vector<std::string>& motors = robot.options.motors;
  for (const detail::ActuatorFacts& actuator : facts.actuators) {
    std::vector<int> moved;
    if (!actuator.is_tool) moved = actuator.tendon_joints;
    if (actuator.is_torque) moved.push_back(actuator.joint);
    std::string names;
    for (const int joint : moved) {
      if (!is_below(facts, facts.joints[joint].body, root)) continue;
      const std::string name = detail::joint_name(facts, joint);
      names += (names.empty() ? "" : ", ") + name;
      const bool is_held = options.locked_joints.contains(name);
      if (!is_held && std::find(motors.begin(), motors.end(), name) == motors.end()) motors.push_back(name);
    }
    if (actuator.is_torque || actuator.joint >= 0 || actuator.is_tool) continue;
    robot.description.notes.push_back(
        {NoteCode::actuator,
         actuator.name,
         {!names.empty() ? "pulls the " + actuator.tendon + ", and with it " + names + ": each is a motor here"
          : !actuator.tendon.empty()
              ? "pulls the " + actuator.tendon + ", which runs past joints that are no motors here"
              : "acts on a body or a site, and is no torque of a joint"}});
  }
  return robot;
}

Robot load_any_robot(const std::string& name_or_path, MeshPolicy meshes, std::optional<Base> base) {
  const std::filesystem::path file(name_or_path);
  if (file.extension() != ".xml") return load_robot(name_or_path, meshes, base);
  SceneDescription description;
  description.name = file.stem().string();
  description.robot.file = file;
  const MujocoScene scene(description);
  const SceneFacts& facts = scene.impl().facts();
  int free = 0;
  for (int body = 1; body < static_cast<int>(facts.bodies.size()); ++body) free += is_free(facts, body);
  const bool floats = base ? *base == Base::free_flyer : free > 0;
  // A robot that could fly and is held has its root at the origin, as one of a URDF has.
  const bool is_held = !floats && free == 1;
  MujocoRobot robot = mujoco_robot(scene, {.base = floats || is_held ? Base::free_flyer : Base::fixed});
  if (is_held) robot.options.base = Base::fixed;
  open_equalities(facts, robot.description);
  RobotProfile bare;
  bare.name = bare.title = description.name;
  bare.model = file;
  bare.provenance = "made from an MJCF alone: no endpoints, groups or assumed noise";
  bare.base_source = base ? BaseSource::option : BaseSource::caller;
  bare.options = std::move(robot.options);
  return make_robot(std::move(bare), robot.description);
}

std::map<std::string, double> joint_positions(const MujocoScene& scene, const std::string& body, ConstVectorRef qpos) {
  const SceneFacts& facts = scene.impl().facts();
  const int root = detail::index_of(facts.bodies, body, facts.name, "body");
  if (qpos.size() != facts.position_size || !qpos.allFinite()) {
    throw ModelError(facts.name, "the position is not of " + std::to_string(facts.position_size) + " finite numbers",
                     "give MuJoCo's qpos");
  }
  std::map<std::string, double> positions;
  for (int joint = 0; joint < static_cast<int>(facts.joints.size()); ++joint) {
    const JointFacts& one = facts.joints[joint];
    if (!is_below(facts, one.body, root)) continue;
    if (one.kind == JointKind::free) {
      throw ModelError(facts.name, "joint '" + detail::joint_name(facts, joint) + "' is free and cannot be held",
                       "name a body beyond it");
    }
    positions[detail::joint_name(facts, joint)] = qpos[one.position];
  }
  return positions;
}

}  // namespace antaeus
