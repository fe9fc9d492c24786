#include "antaeus/sim/mujoco_flyer.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "core/decompositions.hpp"

namespace antaeus {

namespace {

std::string numbers(std::initializer_list<double> all) {
  std::string text;
  for (const double one : all) text += (text.empty() ? "" : " ") + shortest_text(one);
  return text;
}
std::string numbers(const Vector3& v) { return numbers({v.x(), v.y(), v.z()}); }

std::string escaped(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    switch (letter) {
      case '&': text += "&amp;"; break;
      case '<': text += "&lt;"; break;
      case '>': text += "&gt;"; break;
      case '"': text += "&quot;"; break;
      default: text += letter;
    }
  }
  return text;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

std::string place_of(const Pose& X) {
  std::string text;
  if (!X.translation.isZero(0.0)) text += attribute("pos", numbers(X.translation));
  if (X.rotation != Matrix3::Identity()) {
    const Eigen::Quaterniond turn(X.rotation);
    text += attribute("quat", numbers({turn.w(), turn.x(), turn.y(), turn.z()}));
  }
  return text;
}

/// MuJoCo would find the axes of inertia itself, but stops at 1e-12 kg·m², which is much for the links of a wrist.
std::string inertial_of(const Inertial& body) {
  Vector3 moments = body.inertia.diagonal();
  Matrix3 axes = Matrix3::Identity();
  if (!body.inertia.isDiagonal(0.0)) {
    const Eigen::SelfAdjointEigenSolver<Matrix3> found(body.inertia);
    moments = found.eigenvalues();
    axes = found.eigenvectors();
    if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  }
  // `pos` is not a choice here: a body without it would take its inertia from its geoms.
  return "<inertial" + attribute("pos", numbers(body.center_of_mass)) + place_of({axes, Vector3::Zero()}) +
         attribute("mass", shortest_text(body.mass)) + attribute("diaginertia", numbers(moments)) + "/>";
}

std::string geom_of(const Shape& shape) {
  constexpr const char* kKinds[] = {"box", "cylinder", "capsule", "sphere"};
  const Vector3 half = 0.5 * shape.size;
  std::string size;
  switch (shape.kind) {
    case ShapeKind::box: size = numbers(half); break;
    case ShapeKind::cylinder:
    case ShapeKind::capsule: size = numbers({shape.size[0], half[1]}); break;
    case ShapeKind::sphere: size = numbers({shape.size[0]}); break;
    case ShapeKind::mesh: return "";
  }
  const Eigen::Vector4d& color = shape.color;
  return "<geom" + attribute("type", kKinds[static_cast<int>(shape.kind)]) + attribute("size", size) +
         place_of(shape.X_LS) + attribute("rgba", numbers({color[0], color[1], color[2], color[3]})) + "/>";
}

Pose motion_of(const JointDescription& joint, double position) {
  if (joint.type == JointType::prismatic) return {Matrix3::Identity(), joint.axis * position};
  return {Eigen::AngleAxisd(position, joint.axis).toRotationMatrix(), Vector3::Zero()};
}

class Writer {
 public:
  explicit Writer(const RobotModel& model) : model_(model), description_(model.description()) {
    for (const LinkDescription& link : description_.links) links_[link.name] = &link;
    for (const JointDescription& joint : description_.joints) {
      children_[joint.parent].push_back(&joint);
      child_of_[joint.name] = joint.child;
    }
    // What hangs on one link stands in the model's order, whatever the order of the file.
    for (auto& [link, joints] : children_) {
      std::sort(joints.begin(), joints.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    }
    for (const Payload& payload : model.options().payloads) {
      // A name is a link's before it is a joint's, as in the model; the root joint carries the root.
      const auto joint = child_of_.find(payload.frame);
      const bool is_link = links_.contains(payload.frame);
      payloads_[is_link                    ? payload.frame
                : joint != child_of_.end() ? joint->second
                                           : description_.root]
          .push_back(&payload.inertial);
    }
  }

  std::string write() {
    text_ = "<mujoco" + attribute("model", description_.name) + R"(>
  <compiler angle="radian" inertiafromgeom="false" boundmass="0" boundinertia="0" balanceinertia="false" settotalmass="-1" fusestatic="false" alignfree="false"/>
  <option gravity=")" +
            numbers(model_.gravity()) + R"("><flag constraint="disable" contact="disable"/></option>
  <default><geom contype="0" conaffinity="0" mass="0" group="2"/></default>
  <worldbody>
)";
    open(description_.root, Pose(), nullptr);
    // With a stack of its own: a hostile file may be as deep as it is long.
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      depth_ = next.depth;
      if (!next.joint) {
        line("</body>");
        continue;
      }
      add(*next.joint);
    }
    text_ += "  </worldbody>\n  <actuator>\n";
    for (int motor = 0; motor < model_.motor_count(); ++motor) {
      const std::string& name = model_.motor_names()[static_cast<std::size_t>(motor)];
      const double effort = model_.effort_limits()[motor];
      text_ += "    <motor" + attribute("name", name) + attribute("joint", name);
      if (effort > 0.0 && effort < kInfinity) {
        text_ += attribute("forcelimited", "true") + attribute("forcerange", numbers({-effort, effort}));
      }
      text_ += "/>\n";
    }
    return text_ + "  </actuator>\n</mujoco>\n";
  }

 private:
  struct Pending {
    const JointDescription* joint;  // none: the body ends
    int depth;
  };

  void line(const std::string& text) { text_ += std::string(2 * static_cast<std::size_t>(depth_), ' ') + text + "\n"; }

  void add(const JointDescription& joint) {
    const auto held = model_.options().locked_joints.find(joint.name);
    const bool is_held = held != model_.options().locked_joints.end();
    if (joint.type != JointType::fixed && !is_held) return open(joint.child, joint.X_PJ, &joint);
    const Pose X = is_held && joint.type != JointType::fixed ? joint.X_PJ * motion_of(joint, held->second) : joint.X_PJ;
    const LinkDescription& link = *links_.at(joint.child);
    const bool is_leaf = !children_.contains(link.name) && !payloads_.contains(link.name);
    if (is_leaf && !link.has_inertial && link.visuals.empty()) {
      return line("<site" + attribute("name", link.name) + place_of(X) + "/>");
    }
    open(joint.child, X, nullptr);
  }

  void open(const std::string& name, const Pose& X, const JointDescription* joint) {
    const bool is_root = name == description_.root;
    line("<body" + attribute("name", name) + place_of(X) + ">");
    ++depth_;
    if (is_root && model_.base() == Base::free_flyer) {
      std::string free = "root_joint";
      while (child_of_.contains(free)) free += "_base";
      line("<freejoint" + attribute("name", free) + attribute("align", "false") + "/>");
    }
    if (joint) write_joint(*joint);
    const LinkDescription& link = *links_.at(name);
    if (link.has_inertial && link.inertial.mass > 0.0) line(inertial_of(link.inertial));
    for (const Shape& shape : link.visuals) {
      if (const std::string geom = geom_of(shape); !geom.empty()) line(geom);
    }
    if (is_root) {
      std::string base = "base";
      while (is_site(base)) base += "_site";
      line("<site" + attribute("name", base) + "/>");
    }
    if (const auto loads = payloads_.find(name); loads != payloads_.end()) {
      for (const Inertial* const load : loads->second) {
        if (!(load->mass > 0.0)) continue;
        std::string body = "payload";
        while (links_.contains(body) || !payload_names_.insert(body).second) body += '_';
        line("<body" + attribute("name", body) + ">" + inertial_of(*load) + "</body>");
      }
    }
    pending_.push_back({nullptr, depth_ - 1});
    if (const auto below = children_.find(name); below != children_.end()) {
      // Last in, first out.
      for (const JointDescription* const child : std::views::reverse(below->second))
        pending_.push_back({child, depth_});
    }
  }

  /// Whether a link of that name may become a site.
  bool is_site(const std::string& name) const { return links_.contains(name) && name != description_.root; }

  void write_joint(const JointDescription& joint) {
    std::string type;
    switch (joint.type) {
      case JointType::revolute:
      case JointType::continuous: type = "hinge"; break;
      case JointType::prismatic: type = "slide"; break;
      default:
        throw ModelError(description_.source + ":" + std::to_string(joint.line),
                         "joint '" + joint.name + "' is " + std::string(to_string(joint.type)) +
                             ", for which MJCF has nothing below the root",
                         "write it as joints of one degree of freedom");
    }
    const bool is_ranged = joint.lower > -kInfinity && joint.upper < kInfinity && joint.lower < joint.upper;
    std::string text = "<joint" + attribute("name", joint.name) + attribute("type", type) +
                       attribute("axis", numbers(joint.axis)) + attribute("limited", is_ranged ? "true" : "false");
    if (is_ranged) text += attribute("range", numbers({joint.lower, joint.upper}));
    const auto rotor = model_.options().armature.find(joint.name);
    if (rotor != model_.options().armature.end()) text += attribute("armature", shortest_text(rotor->second));
    line(text + "/>");
  }

  const RobotModel& model_;
  const RobotDescription& description_;
  std::map<std::string, const LinkDescription*> links_;
  std::map<std::string, std::vector<const JointDescription*>> children_;  // of each link
  std::map<std::string, std::string> child_of_;                           // joint → link
  std::map<std::string, std::vector<const Inertial*>> payloads_;          // of each link
  std::set<std::string> payload_names_;
  std::vector<Pending> pending_;
  std::string text_;
  int depth_ = 2;
};

}  // namespace

Mjcf mjcf_of(const RobotModel& model) { return {.file = {}, .text = Writer(model).write()}; }

SceneDescription flyer_scene(const RobotModel& model, double time_step, Integrator integrator) {
  SceneDescription scene;
  scene.name = model.description().name;
  scene.robot = mjcf_of(model);
  scene.physics.time_step = time_step;
  scene.physics.gravity = model.gravity();
  scene.physics.integrator = integrator;
  return scene;
}

}  // namespace antaeus
