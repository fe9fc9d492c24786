#include "antaeus/robot/self_collision.hpp"

#include <coal/narrowphase/gjk.h>
#include <coal/narrowphase/minkowski_difference.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "antaeus/core/error.hpp"
#include "antaeus/io/mesh.hpp"

namespace antaeus {

namespace {

/// A shape as Coal has it, with a sphere around it.
struct Body {
  int link = 0, shape = 0, link_slot = 0;
  Pose X_LS;
  std::shared_ptr<coal::ShapeBase> geometry;
  Vector3 center;  // of the sphere, in link axes
  double radius = 0.0;
};

/// Links that have shapes.
struct Carrier {
  int link = 0;
  FrameId frame;
  int joint = -1;   // that moves it, in the description; −1: none, it belongs to the root
  int beyond = -2;  // the one that moves that joint's parent; −2 for the root, which has none
};

/// The joint that moves a link: the first above it that is neither fixed nor locked.
int moving_joint(const RobotModel& model, std::string link) {
  const std::vector<JointDescription>& joints = model.description().joints;
  while (true) {
    const auto above = std::ranges::find(joints, link, &JointDescription::child);
    if (above == joints.end()) return -1;
    if (above->type != JointType::fixed && !model.options().locked_joints.contains(above->name)) {
      return static_cast<int>(above - joints.begin());
    }
    link = above->parent;
  }
}

constexpr double kGjkTolerance = 1e-10, kEpaTolerance = 1e-8;  // [m]
constexpr std::size_t kGjkIterations = 256, kEpaIterations = 64;

coal::Transform3s to_transform(const Pose& X) { return {X.rotation, X.translation}; }

std::shared_ptr<coal::ShapeBase> hull_of(const Shape& shape, Vector3& low, Vector3& high) {
  const TriangleMesh mesh = read_mesh(shape.mesh);
  auto points = std::make_shared<std::vector<coal::Vec3s>>();
  points->reserve(mesh.vertices.size() / 3);
  low.setConstant(kInfinity);
  high.setConstant(-kInfinity);
  for (std::size_t i = 0; i + 2 < mesh.vertices.size(); i += 3) {
    const Vector3 corner(mesh.vertices[i], mesh.vertices[i + 1], mesh.vertices[i + 2]);
    points->emplace_back(shape.scale.cwiseProduct(corner));
    low = low.cwiseMin(points->back());
    high = high.cwiseMax(points->back());
  }
  const auto count = static_cast<unsigned int>(points->size());
  return std::shared_ptr<coal::ShapeBase>(coal::ConvexBase::convexHull(points, count, false, ""));
}

/// \param place  for messages: "link 'torso_link'"
Body make_body(const Shape& shape, const std::string& place) {
  Body body;
  body.X_LS = shape.X_LS;
  const Vector3& s = shape.size;
  const int sizes = shape.kind == ShapeKind::box ? 3 : shape.kind == ShapeKind::sphere ? 1 : 2;
  if (shape.kind != ShapeKind::mesh && !((s.head(sizes).array() > 0.0).all() && s.head(sizes).allFinite())) {
    throw ModelError(place, "a collision shape without size", "give positive lengths");
  }
  Vector3 center = Vector3::Zero();
  switch (shape.kind) {
    case ShapeKind::box:
      body.geometry = std::make_shared<coal::Box>(s.x(), s.y(), s.z());
      body.radius = 0.5 * s.norm();
      break;
    case ShapeKind::cylinder:
      body.geometry = std::make_shared<coal::Cylinder>(s.x(), s.y());
      body.radius = std::hypot(s.x(), 0.5 * s.y());
      break;
    case ShapeKind::capsule:
      body.geometry = std::make_shared<coal::Capsule>(s.x(), s.y());
      body.radius = s.x() + 0.5 * s.y();
      break;
    case ShapeKind::sphere:
      body.geometry = std::make_shared<coal::Sphere>(s.x());
      body.radius = s.x();
      break;
    case ShapeKind::mesh: {
      Vector3 low, high;
      try {
        body.geometry = hull_of(shape, low, high);
      } catch (const std::exception& problem) {
        throw ModelError(place, "no convex hull of '" + shape.mesh.string() + "': " + problem.what(),
                         "give the link a box, a cylinder or a sphere");
      }
      center = 0.5 * (low + high);
      body.radius = 0.5 * (high - low).norm();
      break;
    }
  }
  body.center = shape.X_LS.rotation * center + shape.X_LS.translation;
  return body;
}

}  // namespace

struct SelfCollisionModel::Impl {
  explicit Impl(RobotModel robot) : model(std::move(robot)) {}
  RobotModel model;
  std::vector<Carrier> carriers;
  std::vector<Body> bodies;
  std::vector<std::pair<int, int>> body_pairs;  // parallel to pairs
  std::vector<Pair> pairs;
  std::vector<ExcludedPair> excluded;
  std::vector<std::string> notes;
  int most_near = 0;
};

/// Coal's algorithms are called one by one: its own `distance` makes the text of an exception, on the heap, each time.
struct SelfCollision::Workspace {
  explicit Workspace(const SelfCollisionModel::Impl& impl)
      : link_pose(impl.carriers.size()),
        centers(3, static_cast<Eigen::Index>(impl.bodies.size())),
        J(6, impl.model.nv()) {}

  NearPair query(const Body& one, const Pose& X_W1, const Body& two, const Pose& X_W2) {
    const coal::Transform3s tf1 = to_transform(X_W1);
    difference.set(one.geometry.get(), two.geometry.get(), tf1, to_transform(X_W2));
    const coal::Vec3s guess(1.0, 0.0, 0.0);
    NearPair result;
    coal::Vec3s p1, p2, normal;
    if (gjk.evaluate(difference, guess) == coal::details::GJK::Collision) {
      // Deep enough that only the polytope tells how deep.
      epa.reset(kEpaIterations, kEpaTolerance);
      epa.evaluate(gjk, -guess);
      result.distance = std::min(0.0, -epa.depth);
      epa.getWitnessPointsAndNormal(difference, p1, p2, normal);
      // A polytope that did not grow says nothing: then the way out is from centre to centre, and a bound of its
      // length.
      if (!(std::abs(epa.depth) <= one.radius + two.radius) || !normal.allFinite() || !(p1 + p2).allFinite()) {
        const Vector3 from = X_W1.translation, apart = X_W2.translation - from;
        result.distance = -std::min(one.radius, two.radius);
        result.normal = apart.norm() > 0.0 ? Vector3(apart.normalized()) : Vector3(Vector3::UnitZ());
        result.on_first = result.on_second = from + 0.5 * apart;
        return result;
      }
    } else {
      result.distance = gjk.distance;
      gjk.getWitnessPointsAndNormal(difference, p1, p2, normal);
    }
    const Vector3 middle = tf1.transform(0.5 * (p1 + p2));
    result.normal = tf1.getRotation() * normal;
    result.on_first = middle - 0.5 * result.distance * result.normal;
    result.on_second = middle + 0.5 * result.distance * result.normal;
    return result;
  }

  std::vector<Pose> link_pose;
  Eigen::Matrix3Xd centers;
  coal::details::MinkowskiDiff difference;
  coal::details::GJK gjk{kGjkIterations, kGjkTolerance};
  coal::details::EPA epa{kEpaIterations, kEpaTolerance};
  Matrix6X J;
};

SelfCollisionModel::SelfCollisionModel(const RobotModel& model, const SelfCollisionOptions& options) {
  const auto impl = std::make_shared<Impl>(model);
  const RobotDescription& description = model.description();
  if (options.most_near < 1) throw OptionsError("self collision", "no pair may be near", "let most_near be 1 or more");
  impl->most_near = options.most_near;
  for (std::size_t i = 0; i < description.links.size(); ++i) {
    const LinkDescription& link = description.links[i];
    if (link.collisions.empty()) continue;
    const int slot = static_cast<int>(impl->carriers.size()), joint = moving_joint(model, link.name);
    const int beyond = joint < 0 ? -2 : moving_joint(model, description.joints[static_cast<std::size_t>(joint)].parent);
    impl->carriers.push_back({static_cast<int>(i), model.frame(link.name), joint, beyond});
    for (std::size_t s = 0; s < link.collisions.size(); ++s) {
      const std::string place = description.source + ":" + std::to_string(link.line) + " (link '" + link.name + "')";
      Body body = make_body(link.collisions[s], place);
      body.link = static_cast<int>(i);
      body.shape = static_cast<int>(s);
      body.link_slot = slot;
      impl->bodies.push_back(std::move(body));
      if (link.collisions[s].kind == ShapeKind::mesh) {
        impl->notes.push_back(place + ": the mesh " + link.collisions[s].mesh.filename().string() +
                              " counts as its convex hull");
      }
    }
  }

  std::set<std::pair<int, int>> ignored;
  for (const auto& [first, second] : options.ignored) {
    int index[2] = {-1, -1};
    for (const auto& [name, at] : {std::pair{&first, 0}, {&second, 1}}) {
      std::vector<std::string> names;
      for (const LinkDescription& link : description.links) names.push_back(link.name);
      const auto found = std::ranges::find(names, *name);
      if (found == names.end()) throw_unknown<ModelError>(description.source, "link", *name, names);
      index[at] = static_cast<int>(found - names.begin());
    }
    ignored.insert({std::min(index[0], index[1]), std::max(index[0], index[1])});
  }

  // First all pairs but those that never can matter; then those that touch in the reference configuration go.
  const auto decide = [&](const Carrier& a, const Carrier& b, const std::set<std::pair<int, int>>& touching) {
    const auto exclude = [&](ExclusionReason reason) {
      impl->excluded.push_back({description.links[static_cast<std::size_t>(a.link)].name,
                                description.links[static_cast<std::size_t>(b.link)].name, reason});
      return true;
    };
    if (a.joint == b.joint) return exclude(ExclusionReason::same_body);
    if (a.beyond == b.joint || b.beyond == a.joint) return exclude(ExclusionReason::neighbours);
    if (ignored.contains({a.link, b.link})) return exclude(ExclusionReason::by_caller);
    if (touching.contains({a.link, b.link})) return exclude(ExclusionReason::touching);
    return false;
  };
  const auto find_pairs = [&](const std::set<std::pair<int, int>>& touching) {
    impl->pairs.clear();
    impl->body_pairs.clear();
    impl->excluded.clear();
    for (std::size_t a = 0; a < impl->carriers.size(); ++a) {
      for (std::size_t b = a + 1; b < impl->carriers.size(); ++b) {
        if (decide(impl->carriers[a], impl->carriers[b], touching)) continue;
        for (std::size_t i = 0; i < impl->bodies.size(); ++i) {
          for (std::size_t j = 0; j < impl->bodies.size(); ++j) {
            const Body &one = impl->bodies[i], &two = impl->bodies[j];
            if (one.link_slot != static_cast<int>(a) || two.link_slot != static_cast<int>(b)) continue;
            impl->pairs.push_back({one.link, two.link, one.shape, two.shape});
            impl->body_pairs.emplace_back(static_cast<int>(i), static_cast<int>(j));
          }
        }
      }
    }
  };
  find_pairs({});
  impl_ = impl;

  Dynamics dynamics(model);
  const PositionTerms terms = dynamics.at(options.reference.size() == 0 ? model.neutral() : options.reference);
  if (terms.status() != Status::ok || !(options.touching >= 0.0)) {
    throw OptionsError("self collision", "the reference is not a configuration of the model, or `touching` is negative",
                       "give nq finite numbers with unit quaternions, and 0 or more");
  }
  impl->most_near = std::max(1, static_cast<int>(impl->pairs.size()));
  SelfCollision probe(*this);
  if (probe.compute(terms, options.touching) != Status::ok) {
    throw OptionsError("self collision", "no distance in the reference configuration", "give finite numbers");
  }
  std::set<std::pair<int, int>> touching;
  for (int i = 0; i < probe.count(); ++i) {
    const Pair& pair = impl->pairs[static_cast<std::size_t>(probe.near(i).pair)];
    touching.insert({pair.first_link, pair.second_link});
  }
  impl->most_near = options.most_near;
  find_pairs(touching);
}

const RobotModel& SelfCollisionModel::model() const noexcept { return impl_->model; }
const std::vector<SelfCollisionModel::Pair>& SelfCollisionModel::pairs() const noexcept { return impl_->pairs; }
const std::vector<ExcludedPair>& SelfCollisionModel::excluded() const noexcept { return impl_->excluded; }
const std::vector<std::string>& SelfCollisionModel::notes() const noexcept { return impl_->notes; }
int SelfCollisionModel::most_near() const noexcept { return impl_->most_near; }

std::string SelfCollisionModel::pair_text(int pair) const {
  const Pair& at = impl_->pairs.at(static_cast<std::size_t>(pair));
  const auto& links = impl_->model.description().links;
  return links[static_cast<std::size_t>(at.first_link)].name + " and " +
         links[static_cast<std::size_t>(at.second_link)].name;
}

SelfCollision::SelfCollision(SelfCollisionModel model)
    : model_(std::move(model)),
      workspace_(std::make_unique<Workspace>(*model_.impl_)),
      near_(static_cast<std::size_t>(model_.most_near())) {}
SelfCollision::~SelfCollision() = default;
SelfCollision::SelfCollision(SelfCollision&&) noexcept = default;
SelfCollision& SelfCollision::operator=(SelfCollision&&) noexcept = default;

// NOLINTNEXTLINE(bugprone-exception-escape): Coal throws for pairs of shapes that it does not know; these it knows
Status SelfCollision::compute(const PositionTerms& terms, double within) noexcept {
  const SelfCollisionModel::Impl& impl = *model_.impl_;
  Workspace& w = *workspace_;
  count_ = left_out_ = 0;
  smallest_ = kNaN;
  if (std::isnan(within)) return Status::not_finite;
  for (std::size_t i = 0; i < impl.carriers.size(); ++i) {
    if (const Status status = terms.frame_pose(impl.carriers[i].frame, w.link_pose[i]); status != Status::ok) {
      return status;
    }
  }
  if (terms.status() != Status::ok) return terms.status();
  for (std::size_t i = 0; i < impl.bodies.size(); ++i) {
    const Pose& X_WL = w.link_pose[static_cast<std::size_t>(impl.bodies[i].link_slot)];
    w.centers.col(static_cast<Eigen::Index>(i)) = X_WL.rotation * impl.bodies[i].center + X_WL.translation;
  }
  smallest_ = kInfinity;
  for (std::size_t p = 0; p < impl.body_pairs.size(); ++p) {
    const auto [a, b] = impl.body_pairs[p];
    const Body &one = impl.bodies[static_cast<std::size_t>(a)], &two = impl.bodies[static_cast<std::size_t>(b)];
    const double apart = (w.centers.col(a) - w.centers.col(b)).norm() - one.radius - two.radius;
    if (apart > within) continue;
    const Pose X_W1 = w.link_pose[static_cast<std::size_t>(one.link_slot)] * one.X_LS;
    const Pose X_W2 = w.link_pose[static_cast<std::size_t>(two.link_slot)] * two.X_LS;
    NearPair found = w.query(one, X_W1, two, X_W2);
    found.pair = static_cast<int>(p);
    const double distance = found.distance;
    if (!(distance <= within)) continue;
    smallest_ = std::min(smallest_, distance);
    const bool full = count_ == static_cast<int>(near_.size());
    left_out_ += full;
    if (full && near_.back().distance <= distance) continue;
    std::size_t at = full ? near_.size() - 1 : static_cast<std::size_t>(count_++);
    for (; at > 0 && near_[at - 1].distance > distance; --at) near_[at] = near_[at - 1];
    near_[at] = found;
  }
  return Status::ok;
}

Status SelfCollision::gradient(const PositionTerms& terms, int index, VectorRef result) noexcept {
  result.setConstant(kNaN);
  const SelfCollisionModel::Impl& impl = *model_.impl_;
  if (index < 0 || index >= count_) return Status::not_computed;
  if (result.size() != impl.model.nv()) return Status::wrong_size;
  const NearPair& pair = near_[static_cast<std::size_t>(index)];
  const auto [a, b] = impl.body_pairs[static_cast<std::size_t>(pair.pair)];
  Matrix6X& J = workspace_->J;
  result.setZero();
  for (const auto& [body, point, sign] : {std::tuple{a, &pair.on_first, -1.0}, {b, &pair.on_second, 1.0}}) {
    const auto slot = static_cast<std::size_t>(impl.bodies[static_cast<std::size_t>(body)].link_slot);
    if (const Status status = terms.frame_jacobian(impl.carriers[slot].frame, J); status != Status::ok) {
      result.setConstant(kNaN);
      return status;
    }
    const Vector3 force = sign * pair.normal, moment = (*point - workspace_->link_pose[slot].translation).cross(force);
    for (Eigen::Index j = 0; j < J.cols(); ++j) {
      result[j] += J.col(j).head<3>().dot(force) + J.col(j).tail<3>().dot(moment);
    }
  }
  return Status::ok;
}

}  // namespace antaeus
