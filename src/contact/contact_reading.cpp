#include "contact/contact_reading.hpp"

#include <Eigen/Geometry>

namespace antaeus::detail {

namespace {
constexpr double kPressed = 0.02;  ///< [1] share of the weight below which a centre of pressure says nothing
}

ContactReading::ContactReading(const ContactResult& result, std::shared_ptr<const ContactFigures> figures)
    : figures_(std::move(figures)) {
  turn_to(result);
  // The two world axes that are nearest to level.
  int vertical = 0;
  result.up.cwiseAbs().maxCoeff(&vertical);
  int found = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == vertical) continue;
    const Vector3 flat = Vector3::Unit(axis) - result.up[axis] * result.up;
    level_[static_cast<std::size_t>(found)] = flat.normalized();
    level_names_[static_cast<std::size_t>(found)] = std::string(1, "xyz"[axis]) + (flat.norm() < 1.0 ? ", level" : "");
    ++found;
  }
}

void ContactReading::turn_to(const ContactResult& block) {
  result_ = &block;
  const VectorX& time = demand().time;
  bool clock = time.size() == frames() && time.allFinite();
  for (Eigen::Index t = 1; clock && t < time.size(); ++t) clock = time[t] >= time[t - 1];
  time_ = clock ? time : VectorX();
  broken_.assign(block.violations.empty() ? 0 : static_cast<std::size_t>(frames()), 0);
  for (const LimitViolation& one : block.violations) {
    std::uint8_t& all = broken_[static_cast<std::size_t>(one.frame)];
    all = static_cast<std::uint8_t>(all | (1U << static_cast<unsigned>(one.kind)));
  }
}

const ContactSurface* ContactReading::sole(int c) const {
  const auto at = static_cast<std::size_t>(c);
  return at < result_->surfaces.size() && result_->surfaces[at].has_sole() && !is_point(c) ? &result_->surfaces[at]
                                                                                           : nullptr;
}

double ContactReading::sd(Eigen::Index t, int c, const Vector3& along, int first) const {
  if (!has_sd()) return kNaN;
  const Matrix6& error = result_->error[static_cast<std::size_t>(demand().column(t, c))];
  return std::sqrt(along.dot(error.block<3, 3>(first, first) * along));
}

Vector3 ContactReading::pressure(Eigen::Index t, int c) const {
  const Pose& frame = place(t, c);
  if (!(vertical(t, c) > std::max(0.0, kPressed * result_->weight))) return Vector3::Constant(kNaN);
  if (is_point(c)) return frame.translation;
  double below = 0.0;  // from the frame's origin
  if (const ContactSurface* known = sole(c)) {
    below = known->sole_depth;
  } else if (const ContactPosterior* found = posterior()) {
    below =
        (frame.translation - found->feet[static_cast<std::size_t>(c)].reference.row(t).transpose()).dot(result_->up);
  }
  const Vector3 down = -below * result_->up;
  const Vector3 about = moment(t, c) - down.cross(force(t, c));
  return frame.translation + down + result_->up.cross(about) / vertical(t, c);
}

double ContactReading::pressure_along(Eigen::Index t, int c, int axis) const {
  const Vector3 from = pressure(t, c) - place(t, c).translation;
  if (!sole(c)) return from.dot(level(axis));
  const Vector3 x = place(t, c).rotation.col(0);
  const Vector3 heading = (x - x.dot(result_->up) * result_->up).normalized();
  return from.dot(axis == 0 ? heading : Vector3(result_->up.cross(heading)));
}

const JointDescription* ContactReading::described(Eigen::Index j) const {
  return result_->description.find_joint(joint(j));
}
double ContactReading::torque_limit(Eigen::Index j) const {
  const Eigen::Index row = first_joint() + j;
  return row < result_->torque_limits.size() ? result_->torque_limits[row] : kInfinity;
}
std::string ContactReading::torque_unit(Eigen::Index j) const {
  const JointDescription* joint = described(j);
  return joint && joint->type == JointType::prismatic ? "N" : "N·m";
}
bool ContactReading::has_torque_limits() const {
  for (Eigen::Index j = 0; j < joints(); ++j) {
    if (std::isfinite(torque_limit(j))) return true;
  }
  return false;
}

std::string in_words(LimitKind kind) {
  switch (kind) {
    case LimitKind::unilateral: return "the ground would have to pull";
    case LimitKind::friction: return "the contact would slide";
    case LimitKind::cop: return "the centre of pressure would be off the sole";
    case LimitKind::yaw: return "the contact would turn on the ground";
    case LimitKind::force_cap: return "the normal force is above its cap";
    case LimitKind::torque: return "the torque is above the motor’s limit";
  }
  return {};
}

std::vector<BrokenLimit> broken_limits(const ContactFigures& figures) {
  std::vector<BrokenLimit> all = figures.broken;
  std::stable_sort(all.begin(), all.end(),
                   [](const BrokenLimit& a, const BrokenLimit& b) { return a.size.largest > b.size.largest; });
  return all;
}

}  // namespace antaeus::detail
