#include "robot/files/robot_drawing.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "io/indexed_mesh.hpp"

namespace antaeus::detail {

namespace {

/// Radius of a stick as a share of the robot's size, and as a share of its own length.
constexpr double kStickRadius = 0.018, kStickSlenderness = 0.3;
/// Length of a last link's stick, as a share of the robot's size, where nothing says how long it is.
constexpr double kTipLength = 0.06;
constexpr double kLongestTip = 0.15;
/// Joints nearer to each other than this share of the robot's size meet in a point.
constexpr double kMeeting = 1e-4;
/// A shape farther than this share from its joint is not seen to belong to it.
constexpr double kApart = 0.02;
/// A mass below this share of the robot's is a placeholder.
constexpr double kPlaceholder = 1e-5;
const Eigen::Vector4d kStickColor(0.58, 0.6, 0.63, 1.0);

enum class Look {
  whole,    ///< all its shapes are drawn
  partial,  ///< some are not
  missing,  ///< none is, though it has some
  bare      ///< it has none
};

struct Child {
  std::size_t link;
  Vector3 origin;  ///< of the child in the parent's axes [m]
};

/// What the drawing needs of a link beside its description.
struct Limb {
  Look look = Look::bare;
  const std::vector<Shape>* shapes = nullptr;  ///< those that are drawn
  bool is_collision = false;                   ///< they stand in for visuals
  std::vector<Child> children;
  bool is_root = true;
  Pose X_PL;             ///< in the parent's axes at position zero
  bool carries = false;  ///< mass or shapes, its own or further out
  bool after_drawn = false;
  bool is_apart = false;  ///< what stands in does not reach the link's origin
};

/// Distance of a point, in link axes, from a primitive; 0 for a mesh, which is taken to reach its joint.
double distance(const Shape& shape, const Vector3& point) {
  const Vector3 p = shape.X_LS.rotation.transpose() * (point - shape.X_LS.translation);
  Vector3 half = Vector3::Zero();
  double radius = 0;
  switch (shape.kind) {
    case ShapeKind::mesh: return 0.0;
    case ShapeKind::box: half = shape.size / 2; break;
    case ShapeKind::sphere: radius = shape.size[0]; break;
    case ShapeKind::cylinder:  // its ends are flat, which makes no odds here
    case ShapeKind::capsule: radius = shape.size[0], half.z() = shape.size[1] / 2; break;
  }
  return std::max((p.cwiseAbs() - half).cwiseMax(0.0).norm() - radius, 0.0);
}

class Drawing {
 public:
  Drawing(const RobotDescription& description, const MeshFiles& meshes, std::size_t most_triangles)
      : description_(description), meshes_(meshes), most_(most_triangles), limbs_(description.links.size()) {}

  DrawnRobot run() {
    for (std::size_t i = 0; i < limbs_.size(); ++i) choose(i);
    connect();
    measure();
    DrawnRobot robot;
    for (std::size_t i = 0; i < limbs_.size(); ++i) robot.links.push_back({description_.links[i].name, {}});
    draw_shapes(robot);
    for (std::size_t i = 0; i < limbs_.size(); ++i) draw_sticks(i, robot.links[i]);
    if (is_stick_figure_ && !sticks_.empty()) {
      robot.note = "The description holds no shapes: sticks run from joint to joint.";
    } else {
      robot.meshes = note_on_meshes();
    }
    return robot;
  }

 private:
  bool can_draw(const Shape& shape) const {
    if (shape.kind != ShapeKind::mesh) return true;
    const auto found = meshes_.find(shape.mesh.string());
    return found != meshes_.end() && found->second.triangles() > 0;
  }

  void choose(std::size_t i) {
    const LinkDescription& link = description_.links[i];
    Limb& limb = limbs_[i];
    const auto drawable = [&](const std::vector<Shape>& shapes) {
      return std::count_if(shapes.begin(), shapes.end(), [&](const Shape& s) { return can_draw(s); });
    };
    if (link.visuals.empty() && link.collisions.empty()) return;
    const auto visuals = drawable(link.visuals), collisions = drawable(link.collisions);
    const bool all_visuals = visuals > 0 && visuals == std::ssize(link.visuals);
    const bool all_collisions = collisions > 0 && collisions == std::ssize(link.collisions);
    limb.is_collision = !all_visuals && (all_collisions || visuals == 0);
    limb.shapes = limb.is_collision ? &link.collisions : &link.visuals;
    limb.look = all_visuals || all_collisions ? Look::whole : visuals + collisions > 0 ? Look::partial : Look::missing;
    for (const Shape& shape : link.visuals) {
      if (!can_draw(shape)) absent_.insert(shape.mesh.filename().string());
    }
    if (link.visuals.empty()) {
      for (const Shape& shape : link.collisions) {
        if (!can_draw(shape)) absent_.insert(shape.mesh.filename().string());
      }
    }
    if (limb.is_collision && limb.look != Look::missing && !link.visuals.empty()) stood_in_.push_back(link.name);
  }

  /// The tree, its roots first.
  void connect() {
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < limbs_.size(); ++i) index.emplace(description_.links[i].name, i);
    for (const JointDescription& joint : description_.joints) {
      const auto parent = index.find(joint.parent), child = index.find(joint.child);
      if (parent == index.end() || child == index.end() || !limbs_[child->second].is_root) continue;
      limbs_[parent->second].children.push_back({child->second, joint.X_PJ.translation});
      limbs_[child->second].is_root = false;
      limbs_[child->second].X_PL = joint.X_PJ;
    }
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      if (limbs_[i].is_root) order_.push_back(i);
    }
    for (std::size_t at = 0; at < order_.size(); ++at) {
      for (const Child& child : limbs_[order_[at]].children) order_.push_back(child.link);
    }
  }

  void measure() {
    double total = 0;
    for (const LinkDescription& link : description_.links) total += link.has_inertial ? link.inertial.mass : 0.0;
    is_stick_figure_ = std::all_of(limbs_.begin(), limbs_.end(), [](const Limb& l) { return l.look == Look::bare; });
    bool any = false;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      const LinkDescription& link = description_.links[i];
      const bool has_mass = link.has_inertial && link.inertial.mass > kPlaceholder * total;
      limbs_[i].carries = limbs_[i].look != Look::bare || has_mass;
      any = any || limbs_[i].carries;
    }
    for (Limb& limb : limbs_) limb.carries = limb.carries || !any;
    for (const auto at : std::views::reverse(order_)) {
      for (const Child& child : limbs_[at].children) {
        limbs_[at].carries = limbs_[at].carries || limbs_[child.link].carries;
      }
    }
    // The size is that of the box around the links' origins, at position zero.
    std::vector<Pose> X_R(limbs_.size());
    Vector3 low = Vector3::Constant(kInfinity), high = -low;
    for (const std::size_t i : order_) {
      low = low.cwiseMin(X_R[i].translation);
      high = high.cwiseMax(X_R[i].translation);
      for (const Child& child : limbs_[i].children) {
        X_R[child.link] = X_R[i] * limbs_[child.link].X_PL;
        limbs_[child.link].after_drawn = limbs_[i].after_drawn || limbs_[i].look != Look::bare;
      }
    }
    const double across = order_.empty() ? 0.0 : (high - low).norm();
    size_ = across > 0 && std::isfinite(across) ? across : 1.0;
    // Collision shapes may be a foot's contact points: dots in the air for who does not see the foot.
    for (Limb& limb : limbs_) {
      if (!limb.is_collision || !limb.shapes || limb.look == Look::missing) continue;
      limb.is_apart = std::none_of(limb.shapes->begin(), limb.shapes->end(), [&](const Shape& shape) {
        return can_draw(shape) && distance(shape, Vector3::Zero()) < kApart * size_;
      });
      if (limb.is_apart) limb.look = Look::partial;
    }
  }

  /// Whether sticks show this link: what it lacks, or what would be missing in the chain without it.
  bool wants_sticks(std::size_t i) const {
    const Limb& limb = limbs_[i];
    if (limb.look == Look::whole || !limb.carries) return false;
    if (limb.look != Look::bare || is_stick_figure_) return true;
    // A frame at the foot of a robot (a footprint, a world) holds nothing together; one that holds several limbs does.
    const auto limbs = std::count_if(limb.children.begin(), limb.children.end(),
                                     [&](const Child& child) { return limbs_[child.link].carries; });
    return limbs > 1 || (limbs == 1 && limb.after_drawn);
  }

  void draw_sticks(std::size_t i, DrawnLink& drawn) {
    if (!wants_sticks(i)) return;
    const Limb& limb = limbs_[i];
    bool has_limbs = false;
    const std::size_t before = drawn.shapes.size();
    for (const Child& child : limb.children) {
      if (!limbs_[child.link].carries) continue;
      has_limbs = true;
      add_stick(child.origin, drawn);
    }
    if (!has_limbs && (limb.look != Look::partial || limb.is_apart)) add_tip(i, drawn);
    if (drawn.shapes.size() > before) sticks_.push_back(drawn.name);
  }

  void add_stick(const Vector3& to, DrawnLink& drawn) const {
    const double length = to.norm();
    if (!(length > kMeeting * size_) || !std::isfinite(length)) return;
    DrawnShape stick;
    stick.kind = ShapeKind::capsule;
    stick.X_LS.rotation = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), to).toRotationMatrix();
    stick.X_LS.translation = to / 2;
    stick.size = {std::min(kStickRadius * size_, kStickSlenderness * length), length, 0.0};
    stick.color = kStickColor;
    drawn.shapes.push_back(std::move(stick));
  }

  /// A last link: to its farthest frame (a tool), else through its centre of mass, else on along the bone before it.
  void add_tip(std::size_t i, DrawnLink& drawn) const {
    Vector3 tip = Vector3::Zero();
    for (const Child& child : limbs_[i].children) {
      if (child.origin.norm() > tip.norm()) tip = child.origin;
    }
    const LinkDescription& link = description_.links[i];
    if (!(tip.norm() > kMeeting * size_) && link.has_inertial) tip = 2 * link.inertial.center_of_mass;
    if (!(tip.norm() > kMeeting * size_)) {
      const Vector3 bone = limbs_[i].X_PL.rotation.transpose() * limbs_[i].X_PL.translation;
      if (bone.norm() > kMeeting * size_) tip = bone.normalized() * (kTipLength * size_);
    }
    if (tip.norm() > kLongestTip * size_) tip = tip.normalized() * (kLongestTip * size_);
    if (tip.norm() > kMeeting * size_) return add_stick(tip, drawn);
    DrawnShape ball;
    ball.kind = ShapeKind::sphere;
    ball.size = {1.5 * kStickRadius * size_, 0.0, 0.0};
    ball.color = kStickColor;
    drawn.shapes.push_back(std::move(ball));
  }

  /// One mesh shape that is drawn; equal ones are worked out once.
  struct Piece {
    IndexedMesh mesh;
    std::string file;
    double share = 0;  ///< of the triangles, before it is normed: the square of its size, as its surface
    std::size_t uses = 0;
    std::size_t most = 0;
  };

  void draw_shapes(DrawnRobot& robot) {
    struct Use {
      std::size_t link, shape, piece;
    };
    std::vector<Piece> pieces;
    std::map<std::tuple<std::string, double, double, double>, std::size_t> known;
    std::vector<Use> uses;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      if (!limbs_[i].shapes) continue;
      for (const Shape& shape : *limbs_[i].shapes) {
        if (!can_draw(shape)) continue;
        DrawnShape drawn{shape.kind, shape.X_LS, shape.size, shape.color, {}, {}};
        if (shape.kind == ShapeKind::mesh) {
          drawn.size.setZero();
          const std::tuple key{shape.mesh.string(), shape.scale[0], shape.scale[1], shape.scale[2]};
          const auto [entry, fresh] = known.try_emplace(key, pieces.size());
          if (fresh) pieces.push_back(make_piece(shape));
          ++pieces[entry->second].uses;
          uses.push_back({i, robot.links[i].shapes.size(), entry->second});
        }
        robot.links[i].shapes.push_back(std::move(drawn));
      }
    }
    share_out(pieces);
    std::vector<IndexedMesh> coarse;
    for (const Piece& piece : pieces) coarse.push_back(simplified(piece.mesh, piece.most));
    for (const Use& use : uses) {
      DrawnShape& shape = robot.links[use.link].shapes[use.shape];
      if (coarse[use.piece].triangles() > 0) {
        shape.vertices = coarse[use.piece].vertices;
        shape.indices = coarse[use.piece].indices;
      } else {
        become_box(pieces[use.piece].mesh, shape);
      }
    }
    for (const Piece& piece : pieces) {
      if (piece.mesh.triangles() > piece.most) coarser_.insert(piece.file);
    }
  }

  static std::pair<Vector3, Vector3> box_of(const IndexedMesh& mesh) {
    Vector3 low = Vector3::Constant(kInfinity), high = -low;
    for (std::size_t at = 0; at + 3 <= mesh.vertices.size(); at += 3) {
      const Vector3 point(mesh.vertices[at], mesh.vertices[at + 1], mesh.vertices[at + 2]);
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
    if (mesh.vertices.empty()) low = high = Vector3::Zero();
    return {low, high};
  }

  Piece make_piece(const Shape& shape) const {
    Piece piece;
    piece.mesh = scaled(meshes_.at(shape.mesh.string()), shape.scale);
    piece.file = shape.mesh.filename().string();
    const auto [low, high] = box_of(piece.mesh);
    piece.share = (high - low).squaredNorm();
    return piece;
  }

  /// What no grid leaves few enough triangles of is drawn as the box around it.
  static void become_box(const IndexedMesh& mesh, DrawnShape& shape) {
    const auto [low, high] = box_of(mesh);
    shape.kind = ShapeKind::box;
    shape.X_LS = shape.X_LS * Pose{Matrix3::Identity(), (low + high) / 2};
    shape.size = high - low;
  }

  /// Fills \p most. A mesh that needs less than its share leaves the rest to the others.
  void share_out(std::vector<Piece>& pieces) const {
    constexpr double kLeastShare = 0.004;  // of all: a finger is still one
    double sum = 0;
    for (const Piece& piece : pieces) sum += piece.share * static_cast<double>(piece.uses);
    for (Piece& piece : pieces) piece.share = std::max(piece.share, sum > 0 ? kLeastShare * sum : 1.0);
    std::vector<std::size_t> order(pieces.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Those that need least for their share come first, so that what they leave is known to the rest.
    const auto need = [&](std::size_t i) { return static_cast<double>(pieces[i].mesh.triangles()) / pieces[i].share; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return need(a) < need(b); });
    double left = static_cast<double>(most_), shares = 0;
    for (const Piece& piece : pieces) shares += piece.share * static_cast<double>(piece.uses);
    for (const std::size_t i : order) {
      Piece& piece = pieces[i];
      const auto uses = static_cast<double>(piece.uses);
      const double fair = std::floor(left * piece.share / shares);
      piece.most = std::min(piece.mesh.triangles(), static_cast<std::size_t>(std::max(fair, 0.0)));
      left -= static_cast<double>(piece.most) * uses;
      shares -= piece.share * uses;
    }
  }

  /// "3 meshes are not at hand, the first b.dae: collision shapes and sticks stand in. 1 mesh is drawn coarser."
  std::string note_on_meshes() const {
    const auto counted = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " mesh is " : " meshes are "); };
    std::string text;
    if (!absent_.empty()) {
      std::string instead = stood_in_.empty() ? "" : "collision shapes";
      if (!sticks_.empty()) instead += instead.empty() ? "sticks" : " and sticks";
      const std::string name = (absent_.size() == 1 ? ", " : ", the first ") + *absent_.begin();
      text = counted(absent_.size()) + "not at hand" + name + (instead.empty() ? "." : ": " + instead + " are drawn.");
    }
    if (!coarser_.empty()) text += (text.empty() ? "" : " ") + counted(coarser_.size()) + "drawn coarser.";
    return text;
  }

  const RobotDescription& description_;
  const MeshFiles& meshes_;
  std::size_t most_;
  std::vector<Limb> limbs_;
  std::vector<std::size_t> order_;  ///< parents before their children
  double size_ = 1.0;               ///< of the robot [m]
  bool is_stick_figure_ = false;
  std::set<std::string> absent_, coarser_;
  std::vector<std::string> stood_in_, sticks_;
};

}  // namespace

DrawnRobot drawn_robot(const RobotDescription& description, const MeshFiles& meshes, std::size_t most_triangles) {
  return Drawing(description, meshes, most_triangles).run();
}

}  // namespace antaeus::detail
