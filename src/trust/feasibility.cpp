#include "antaeus/trust/feasibility.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/cross_matrix.hpp"

namespace antaeus {

namespace {

/// cos 30°: the x axis of a foot that is nearer to the vertical gives no heading worth the name.
constexpr double kUpright = 0.8660254037844387;

/// The wrench on the robot, whoever it was reported for.
Wrench on_robot(const WrenchEstimate& estimate) noexcept {
  return estimate.sign == Sign::on_robot ? estimate.wrench : -estimate.wrench;
}

void check(const FeasibilityOptions& o) {
  check_options(o);
  if ((o.half_length > 0) != (o.half_width > 0)) {
    throw OptionsError("feasibility.half_length", "length and width of the sole go together", "give both, or neither");
  }
}

}  // namespace

FeasibilityChecker::FeasibilityChecker(const Robot& robot, const std::vector<std::string>& endpoints,
                                       FeasibilityOptions options)
    : options_(options), mass_(robot.model.total_mass()), gravity_(robot.model.gravity()) {
  antaeus::check(options);
  const auto kind = [&](const std::string& frame) {
    const Endpoint* known = robot.profile.find_endpoint(frame);
    return known ? known->kind : EndpointKind::tool;
  };
  const auto add = [&](MarginKind margin, int endpoint, const char* unit) {
    result_.margins.push_back({margin, endpoint, unit, kNaN, kNaN, false});
  };
  for (const std::string& frame : endpoints) {
    robot.model.frame(frame);  // throws for a name that is none
    const int endpoint = static_cast<int>(is_foot_.size());
    is_foot_.push_back(kind(frame) == EndpointKind::foot);
    feet_.push_back(foot_of(robot, frame));
    if (!is_foot_.back()) continue;
    add(MarginKind::unilateral, endpoint, "N");
    add(MarginKind::friction, endpoint, "N");
    if (!feet_.back().has_sole) continue;
    result_.sole_known = true;
    for (const MarginKind moment : {MarginKind::cop_x, MarginKind::cop_y, MarginKind::yaw}) {
      add(moment, endpoint, "N·m");
    }
  }
  int feet = 0, listed = 0;
  for (const Endpoint& endpoint : robot.profile.endpoints) {
    if (endpoint.kind != EndpointKind::foot) continue;
    ++feet;
    listed += std::find(endpoints.begin(), endpoints.end(), endpoint.frame) != endpoints.end();
  }
  result_.balance_known = robot.model.base() == Base::free_flyer && feet > 0 && listed == feet;
  if (!result_.balance_known) return;
  for (const MarginKind total : {MarginKind::total_x, MarginKind::total_y, MarginKind::total_z}) add(total, -1, "N");
}

FeasibilityChecker::Foot FeasibilityChecker::foot_of(const Robot& robot, const std::string& frame) const {
  Foot foot;
  foot.contact = {options_.friction, options_.half_length, options_.half_width, FrictionModel::cone, {}};
  foot.middle = Vector3(options_.sole_forward, 0.0, -options_.sole_depth);
  foot.has_sole = options_.half_length > 0;
  const Endpoint* known = robot.profile.find_endpoint(frame);
  if (!known) return foot;
  const ContactSurface& surface = known->surface;
  if (!std::isnan(surface.friction)) foot.contact.mu = surface.friction;
  if (!std::isnan(surface.torsion)) foot.contact.torsional_coefficient = surface.torsion;
  if (!surface.has_sole()) return foot;
  // The rectangle that holds the sole: a corner that is cut off counts as sole.
  foot.contact.half_length_x = surface.half_size().x();
  foot.contact.half_width_y = surface.half_size().y();
  foot.middle = Vector3(surface.middle().x(), surface.middle().y(), -surface.sole_depth);
  foot.has_sole = true;
  return foot;
}

void FeasibilityChecker::set(std::size_t& next, double value, double sd) noexcept {
  FeasibilityMargin& margin = result_.margins[next++];
  margin.value = value;
  margin.sd = sd;
  margin.feasible = value + options_.k * sd >= 0;
}

const Feasibility& FeasibilityChecker::check(const WrenchEstimates& estimates) noexcept {
  result_.status = estimates.status();
  if (result_.status == Status::ok && (estimates.size() != is_foot_.size() ||
                                       estimates.instant.endpoint_count() != static_cast<int>(is_foot_.size()))) {
    result_.status = Status::wrong_size;
  }
  for (std::size_t k = 0; k < estimates.size() && result_.status == Status::ok; ++k) {
    result_.status = estimates[k].status;
    if (result_.status == Status::ok && !estimates[k].wrench.is_finite()) result_.status = Status::not_finite;
  }
  std::size_t next = 0;
  if (result_.status != Status::ok) {
    while (next < result_.margins.size()) set(next, kNaN, kNaN);
    return result_;
  }
  for (std::size_t k = 0; k < estimates.size(); ++k) {
    if (is_foot_[k]) check_foot(estimates, static_cast<int>(k), next);
  }
  if (result_.balance_known) check_balance(estimates, next);
  return result_;
}

void FeasibilityChecker::check_foot(const WrenchEstimates& estimates, int endpoint, std::size_t& next) noexcept {
  const WrenchEstimate& estimate = estimates[endpoint];
  const Matrix3& R_WF = estimates.instant.pose(endpoint).rotation;
  const Vector3 forward = R_WF.col(0);
  // Axes of the contact: z up, x the foot's heading.
  Matrix3 R_WC = Matrix3::Identity();
  const bool flat = std::abs(forward.z()) < kUpright;
  if (flat) {
    R_WC.col(0) = Vector3(forward.x(), forward.y(), 0.0).normalized();
    R_WC.col(1) = Vector3::UnitZ().cross(R_WC.col(0));
  }
  // T carries a wrench at the frame's origin in world axes to the sole's middle in contact axes.
  const Foot& foot = feet_[static_cast<std::size_t>(endpoint)];
  const Vector3 p = R_WF * foot.middle;
  Matrix6 T = Matrix6::Zero();
  T.topLeftCorner<3, 3>() = T.bottomRightCorner<3, 3>() = R_WC.transpose();
  T.bottomLeftCorner<3, 3>() = -R_WC.transpose() * detail::cross_matrix(p);
  const Wrench wrench = Wrench::from_vector(T * on_robot(estimate).to_vector());

  const SurfaceContact& contact = foot.contact;
  const ContactMargins value = contact_margins(wrench, contact);
  ContactMargins sd;
  if (estimate.has_covariance) {
    sd = margin_deviation(wrench, contact, T * estimate.uncertainty.covariance * T.transpose());
  } else {
    sd.unilateral = sd.friction = sd.cop_x = sd.cop_y = sd.yaw = 0.0;
  }
  set(next, value.unilateral, sd.unilateral);
  set(next, value.friction, sd.friction);
  if (!foot.has_sole) return;
  set(next, flat ? value.cop_x : kNaN, sd.cop_x);
  set(next, flat ? value.cop_y : kNaN, sd.cop_y);
  set(next, flat ? value.yaw : kNaN, sd.yaw);
}

void FeasibilityChecker::check_balance(const WrenchEstimates& estimates, std::size_t& next) noexcept {
  ForceBalance balance;
  balance.mass = mass_;
  balance.mass_sd = options_.mass_share_sd * mass_;
  balance.gravity = gravity_;
  for (const WrenchEstimate& estimate : estimates) {
    balance.total_force += on_robot(estimate).force;
    if (estimate.has_covariance) {
      balance.total_force_covariance += estimate.uncertainty.covariance.topLeftCorner<3, 3>();
    }
  }
  balance.com_acceleration_sd.setConstant(estimates.moving ? options_.moving_com_acceleration_sd
                                                           : options_.com_acceleration_sd);
  // A tilt θ that nobody knows of looks like an acceleration g θ across the vertical.
  const double tilt = estimates.instant.used_imu() ? options_.tilt_sd : options_.unknown_tilt_sd;
  const Vector3& g = balance.gravity;
  const Vector3 across = tilt * Vector3(std::hypot(g.y(), g.z()), std::hypot(g.x(), g.z()), std::hypot(g.x(), g.y()));
  balance.com_acceleration_sd = (balance.com_acceleration_sd.cwiseAbs2() + across.cwiseAbs2()).cwiseSqrt();
  const TotalForceMargin total = total_force_margin(balance, options_.k);
  for (int axis = 0; axis < 3; ++axis) set(next, -std::abs(total.difference[axis]), total.sd[axis]);
}

const OptionTable& options_of(const FeasibilityOptions&) {
  using O = FeasibilityOptions;
  static const OptionTable table(
      "feasibility",
      {
          option("k", "sd", "how many standard deviations below zero a margin may be",
                 "3: chance exceeds it 13 times in 10 000 on one side", &O::k),
          option("friction", "1", "coefficient of the ground under a foot", "rubber on dry concrete, 0.6 to 0.85",
                 &O::friction),
          option("half_length", "m", "half the sole's length; 0: unknown, no centre of pressure is checked",
                 "the robot's drawing; 0: not known", &O::half_length),
          option("half_width", "m", "half the sole's width; 0: unknown, no centre of pressure is checked",
                 "the robot's drawing; 0: not known", &O::half_width),
          option("sole_forward", "m", "from the foot frame's origin to the sole's middle, along the frame's x",
                 "the robot's drawing; 0: not known", &O::sole_forward, kAnyNumber),
          option("sole_depth", "m", "from the foot frame's origin to the sole, along the frame's −z",
                 "the robot's drawing; 0: not known", &O::sole_depth, kAnyNumber),
          option("com_acceleration_sd", "m/s²", "of the centre of mass, each axis, in a robot that stands still",
                 "our choice: 1 % of free fall", &O::com_acceleration_sd),
          option("moving_com_acceleration_sd", "m/s²", "the same when motion is seen or not excluded",
                 "our choice: a fifth of free fall, about walking's vertical acceleration",
                 &O::moving_com_acceleration_sd),
          option("mass_share_sd", "1", "sd of the robot's mass, as a share of it",
                 "docs/validation.md#setup: masses ± 2 %", &O::mass_share_sd),
          option("tilt_sd", "rad", "of the vertical when an IMU gives it",
                 "docs/validation.md#setup: 0.7 degrees, and its mount", &O::tilt_sd),
          option("unknown_tilt_sd", "rad", "of the vertical without an IMU, the base then counts as upright",
                 "our choice: 6 degrees", &O::unknown_tilt_sd),
      });
  return table;
}
const OptionGroup kFeasibilityOptions(FeasibilityOptions{});

}  // namespace antaeus
