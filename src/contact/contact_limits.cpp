#include "contact/contact_limits.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/numerics/elastic_qp.hpp"

namespace antaeus::detail {

namespace {

/// Axes of the ground under a contact: x the frame's heading, z up. `level`: the frame's own x and y lie on the ground.
struct GroundAxes {
  Vector3 x, y, z;
  bool level = false;
};

GroundAxes ground_axes(const Pose& place, const Vector3& up) {
  constexpr double kLevel = 0.5;  // sine of 30°
  GroundAxes axes;
  axes.z = up;
  int best = 0;
  for (int i = 1; i < 3; ++i) {
    const double upright = std::abs(place.rotation.col(best).dot(up)), other = std::abs(place.rotation.col(i).dot(up));
    if (other < upright - 0.3) best = i;
  }
  axes.x = place.rotation.col(best) - place.rotation.col(best).dot(up) * up;
  axes.x.normalize();
  axes.y = axes.z.cross(axes.x);
  axes.level = std::abs(place.rotation.col(0).dot(up)) < kLevel && place.rotation.col(2).dot(up) > 0.5;
  return axes;
}

using RowVector = Eigen::Matrix<double, 1, 6>;

class Builder {
 public:
  Builder(FrameLimits& limits, int contacts) : limits_(limits), contacts_(contacts) {}

  /// Begins a row Σ part · w ≤ bound.
  void begin(LimitKind kind, int subject, double bound) {
    bounds_.push_back(bound);
    limits_.rows.push_back({kind, subject});
  }
  /// One contact's part of the row that was begun last.
  void part(int contact, const RowVector& row) { parts_.push_back({std::ssize(bounds_) - 1, contact, row}); }
  /// A row of one contact alone.
  void add(LimitKind kind, int contact, const RowVector& row, double bound) {
    begin(kind, contact, bound);
    part(contact, row);
  }
  void finish() {
    limits_.left.setZero(std::ssize(bounds_), 6 * contacts_);
    limits_.right = Eigen::Map<const Eigen::VectorXd>(bounds_.data(), std::ssize(bounds_));
    for (const Part& part : parts_) limits_.left.block<1, 6>(part.row, 6 * part.contact) = part.numbers;
  }

 private:
  struct Part {
    Eigen::Index row;
    int contact;
    RowVector numbers;
  };
  FrameLimits& limits_;
  int contacts_;
  std::vector<Part> parts_;
  std::vector<double> bounds_;
};

RowVector on_force(const Vector3& direction) {
  return (RowVector() << direction.transpose(), 0.0, 0.0, 0.0).finished();
}

/// Moment about a point that lies at r from the contact's origin: (m − r × f) · direction.
RowVector on_moment(const Vector3& direction, const Vector3& r) {
  RowVector row;
  row << -direction.cross(r).transpose(), direction.transpose();
  return row;
}

/// |total − Σ Jᵀ w| ≤ limit, for motors that carry a contact.
void add_torque_rows(const LimitSource& source, Eigen::Index t, Builder& builder) {
  const ContactDemand& demand = source.dynamics.demand;
  const int k = demand.contact_count();
  std::set<int> joints;
  for (int c = 0; c < k; ++c) {
    if (!demand.is_active(t, c)) continue;
    for (const int row : source.dynamics.carriers[static_cast<std::size_t>(c)]) joints.insert(row);
  }
  for (const int joint : joints) {
    const double limit = source.torque_limits[joint], lever = source.torque_levers[joint];
    if (!std::isfinite(limit)) continue;
    for (const double sign : {1.0, -1.0}) {
      builder.begin(LimitKind::torque, joint, (limit - sign * source.dynamics.total(t, joint)) / lever);
      for (int c = 0; c < k; ++c) {
        const std::vector<int>& rows = source.dynamics.carriers[static_cast<std::size_t>(c)];
        const auto found = std::lower_bound(rows.begin(), rows.end(), joint);
        if (!demand.is_active(t, c) || found == rows.end() || *found != joint) continue;
        const Matrix6X& J = source.dynamics.jacobians[static_cast<std::size_t>(c)];
        builder.part(c, -sign * J.col(t * std::ssize(rows) + (found - rows.begin())).transpose() / lever);
      }
    }
  }
}

}  // namespace

FrameLimits frame_limits(const LimitSource& source, Eigen::Index t, bool motors) {
  const ContactDemand& demand = source.dynamics.demand;
  const int k = demand.contact_count();
  FrameLimits limits;
  Builder builder(limits, k);
  for (int c = 0; c < k; ++c) {
    if (!demand.is_active(t, c)) continue;
    const Pose& place = demand.places[static_cast<std::size_t>(demand.column(t, c))];
    const GroundAxes axes = ground_axes(place, source.up);
    const ContactSurface& surface = source.surfaces[static_cast<std::size_t>(c)];
    const RowVector normal = on_force(axes.z);
    builder.add(LimitKind::unilateral, c, -normal, 0.0);
    if (source.set == LimitSet::pyramid) {
      for (const Vector3& side : {axes.x, Vector3(-axes.x), axes.y, Vector3(-axes.y)}) {
        builder.add(LimitKind::friction, c, on_force(side) - surface.friction * normal, 0.0);
      }
    } else {
      FrameLimits::Cone cone{c, surface.friction, Eigen::MatrixXd::Zero(3, 6 * k)};
      cone.rows.block<1, 6>(0, 6 * c) = on_force(axes.x);
      cone.rows.block<1, 6>(1, 6 * c) = on_force(axes.y);
      cone.rows.block<1, 6>(2, 6 * c) = normal;
      limits.cones.push_back(std::move(cone));
    }
    if (surface.force_cap > 0.0) builder.add(LimitKind::force_cap, c, normal, surface.force_cap);
    if (demand.kinds[static_cast<std::size_t>(c)] == ContactType::point) continue;
    // The sole's plane: corners turn with the frame's heading and lie below its origin.
    const Vector3 below = -surface.sole_depth * axes.z;
    const bool sole = surface.has_sole() && axes.level;
    const Vector3 middle =
        below + (sole ? Vector3(surface.middle().x() * axes.x + surface.middle().y() * axes.y) : Vector3::Zero());
    for (const double sign : {1.0, -1.0}) {
      builder.add(LimitKind::yaw, c, (sign * on_moment(axes.z, middle) - surface.torsion * normal) / kRowLever, 0.0);
    }
    if (!sole) continue;
    // Centre of pressure (−m_y, m_x)/f_z about the point below the origin, left of every edge of the polygon.
    const RowVector mx = on_moment(axes.x, below), my = on_moment(axes.y, below);
    const std::size_t n = surface.sole.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Eigen::Vector2d a = surface.sole[i], edge = (surface.sole[(i + 1) % n] - a).normalized();
      const Eigen::Vector2d outward(edge.y(), -edge.x());
      builder.add(LimitKind::cop, c, (-outward.x() * my + outward.y() * mx - outward.dot(a) * normal) / kRowLever, 0.0);
    }
  }
  if (motors && source.torque_limits.size() > 0 && source.options.torque_limits) add_torque_rows(source, t, builder);
  builder.finish();
  return limits;
}

namespace {

/// Brings frame t of the null-space problem, and its limits, into frame i of the programme.
void fill(ElasticQp& qp, int i, const NullSpaceProblem& problem, int t, const FrameLimits& limits, double scale) {
  const FrameBasis& basis = problem.frames[static_cast<std::size_t>(t)];
  qp.hessian().diagonal(i) = scale * problem.hessian.diagonal(t);
  qp.gradient(i) = scale * problem.gradient.segment(problem.hessian.offset(t), problem.hessian.size(t));
  qp.rows(i) = limits.left * basis.free;
  qp.bounds(i) = limits.right - limits.left * basis.origin;
  for (std::size_t n = 0; n < limits.cones.size(); ++n) {
    const int cone = static_cast<int>(n);
    qp.cone(i, cone) = limits.cones[n].rows * basis.free;
    qp.cone_offset(i, cone) = limits.cones[n].rows * basis.origin;
    qp.friction(i, cone) = limits.cones[n].friction;
  }
}

QpFrame shape_of(const NullSpaceProblem& problem, int t, const FrameLimits& limits) {
  return {problem.hessian.size(t), static_cast<int>(limits.rows.size()), static_cast<int>(limits.cones.size())};
}

}  // namespace

double limits_unit(const LimitSource& source, bool over_time) {
  const CostWeights weights(source.dynamics.demand, source.options, over_time);
  return std::max(weights.size(0, 0).moment, over_time ? weights.smoothing().moment : 0.0);
}

ContactSolution solve_with_limits(const LimitSource& source, bool over_time, double unit, int& stopped) {
  const ContactDemand& demand = source.dynamics.demand;
  const NullSpaceProblem problem = null_space_problem(demand, source.options, over_time);
  const int N = static_cast<int>(demand.frames());
  Eigen::VectorXd z(problem.hessian.rows());
  const double scale = 1.0 / unit;
  ElasticQp qp;
  const auto check = [&](QpStatus status) {
    if (status == QpStatus::solved) return;
    if (status != QpStatus::iteration_budget) {
      throw OptionsError("contact.least_torque, contact.smoothing", "these weights leave the wrenches undetermined",
                         "give least_torque a positive weight");
    }
    ++stopped;
  };
  if (over_time) {
    std::vector<FrameLimits> limits;
    std::vector<QpFrame> shapes;
    for (int t = 0; t < N; ++t) {
      limits.push_back(frame_limits(source, t));
      shapes.push_back(shape_of(problem, t, limits.back()));
    }
    qp.reshape(shapes);
    for (int t = 0; t < N; ++t) {
      fill(qp, t, problem, t, limits[static_cast<std::size_t>(t)], scale);
      if (t + 1 < N) qp.hessian().lower(t) = scale * problem.hessian.lower(t);
    }
    check(qp.solve());
    for (int t = 0; t < N; ++t) z.segment(problem.hessian.offset(t), problem.hessian.size(t)) = qp.unknowns(t);
  } else {
    for (int t = 0; t < N; ++t) {
      const FrameLimits limits = frame_limits(source, t);
      qp.reshape(1, shape_of(problem, t, limits));
      fill(qp, 0, problem, t, limits, scale);
      check(qp.solve());
      z.segment(problem.hessian.offset(t), problem.hessian.size(t)) = qp.unknowns(0);
    }
  }
  ContactSolution solution;
  recover(demand, problem, z, solution);
  return solution;
}

void judge(const LimitSource& source, const std::vector<std::string>& row_names, const SampleMatrix& torque,
           const ContactSolution& solution, std::vector<FrameMargins>& margins, std::vector<LimitViolation>& broken) {
  const ContactDemand& demand = source.dynamics.demand;
  const int k = demand.contact_count();
  const auto least = [](double& margin, double value) {
    if (!(margin <= value)) margin = value;
  };
  for (Eigen::Index t = 0; t < demand.frames(); ++t) {
    FrameMargins frame;
    const FrameLimits limits = frame_limits(source, t, false);  // torques are judged from themselves, below
    const Eigen::Map<const Eigen::VectorXd> w(solution.wrench.data() + 6 * k * t, 6 * k);
    const Eigen::VectorXd slack = limits.right - limits.left * w;
    std::vector<LimitViolation> worst;  // the largest of each kind and subject
    const auto judge_one = [&](LimitKind kind, const std::string& subject, double value) {
      switch (kind) {
        case LimitKind::unilateral: least(frame.unilateral, value); break;
        case LimitKind::friction: least(frame.friction, value); break;
        case LimitKind::cop: least(frame.cop, value); break;
        case LimitKind::yaw: least(frame.yaw, value); break;
        case LimitKind::torque: least(frame.torque, value); break;
        case LimitKind::force_cap: break;
      }
      const bool asked = kind != LimitKind::torque || source.options.torque_limits;
      if (!(value < -kBroken) || source.set == LimitSet::none || !asked) return;
      for (LimitViolation& known : worst) {
        if (known.kind != kind || known.subject != subject) continue;
        known.size = std::max(known.size, -value);
        return;
      }
      worst.push_back({t, subject, kind, -value});
    };
    for (std::size_t i = 0; i < limits.rows.size(); ++i) {
      const FrameLimits::Row& row = limits.rows[i];
      judge_one(row.kind, demand.contacts[static_cast<std::size_t>(row.subject)], slack[static_cast<Eigen::Index>(i)]);
    }
    for (const FrameLimits::Cone& cone : limits.cones) {
      const Eigen::Vector3d c = cone.rows * w;
      judge_one(LimitKind::friction, demand.contacts[static_cast<std::size_t>(cone.contact)],
                cone.friction * c.z() - c.head<2>().norm());
    }
    for (Eigen::Index row = 6; row < torque.cols(); ++row) {
      const double limit = source.torque_limits[row];
      if (!std::isfinite(limit)) continue;
      judge_one(LimitKind::torque, row_names[static_cast<std::size_t>(row)],
                (limit - std::abs(torque(t, row))) / source.torque_levers[row]);
    }
    margins.push_back(frame);
    broken.insert(broken.end(), worst.begin(), worst.end());
  }
}

}  // namespace antaeus::detail
