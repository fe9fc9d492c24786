#include "antaeus/numerics/contact_margins.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

ContactMargins unknown(Status status) noexcept {
  ContactMargins margins;
  margins.status = status;
  return margins;
}

Status check(const Wrench& wrench, const SurfaceContact& contact) noexcept {
  const double torsional = contact.torsional_coefficient.value_or(0.0);
  const double numbers[] = {contact.mu, contact.half_length_x, contact.half_width_y, torsional};
  if (!wrench.is_finite()) return Status::not_finite;
  for (const double number : numbers)
    if (!std::isfinite(number)) return Status::not_finite;
  for (const double number : numbers)
    if (number < 0.0) return Status::not_computed;
  return Status::ok;
}

/// A margin that is the smallest of some linear functions of the wrench, face · w: at most the 8 of the yaw moment.
struct Faces {
  Vector6 face[8];
  int count = 0;

  void add(double fx, double fy, double fz, double tx, double ty, double tz) noexcept {
    face[count++] << fx, fy, fz, tx, ty, tz;
  }

  double margin(const Vector6& w) const noexcept {
    double smallest = face[0].dot(w);
    for (int i = 1; i < count; ++i) smallest = std::min(smallest, face[i].dot(w));
    return smallest;
  }

  /// Of the faces that attain the margin, the one of largest variance counts.
  double deviation(const Vector6& w, const Matrix6& covariance) const noexcept {
    const double smallest = margin(w);
    double variance = kNaN;
    for (int i = 0; i < count; ++i) {
      // Equal but for rounding of six products.
      const double rounding = 1e-14 * face[i].cwiseAbs().dot(w.cwiseAbs());
      if (face[i].dot(w) > smallest + rounding) continue;
      const double own = face[i].dot(covariance * face[i]);
      if (!(variance >= own)) variance = own;
    }
    return std::sqrt(variance);
  }
};

Faces unilateral_faces() noexcept {
  Faces faces;
  faces.add(0, 0, 1, 0, 0, 0);
  return faces;
}

Faces pyramid_faces(double mu) noexcept {
  Faces faces;
  for (const double sign : {1.0, -1.0}) {
    faces.add(-sign, 0, mu, 0, 0, 0);
    faces.add(0, -sign, mu, 0, 0, 0);
  }
  return faces;
}

Faces cop_x_faces(double X) noexcept {
  Faces faces;
  for (const double sign : {1.0, -1.0}) faces.add(0, 0, X, 0, -sign, 0);
  return faces;
}

Faces cop_y_faces(double Y) noexcept {
  Faces faces;
  for (const double sign : {1.0, -1.0}) faces.add(0, 0, Y, -sign, 0, 0);
  return faces;
}

Faces yaw_faces(const SurfaceContact& contact) noexcept {
  Faces faces;
  const double mu = contact.mu, X = contact.half_length_x, Y = contact.half_width_y;
  for (const double turn : {1.0, -1.0}) {  // +1: τ_max − τ_z, −1: τ_z − τ_min
    if (contact.torsional_coefficient) {
      faces.add(0, 0, *contact.torsional_coefficient, 0, 0, -turn);
      continue;
    }
    // μ (X + Y) f_z − |Y f_x ± μ τ_x| − |X f_y ± μ τ_y| ∓ τ_z, with both signs of both absolute values.
    for (const double first : {1.0, -1.0})
      for (const double second : {1.0, -1.0})
        faces.add(-first * Y, -second * X, mu * (X + Y), -first * turn * mu, -second * turn * mu, -turn);
  }
  return faces;
}

double cone_deviation(const Wrench& wrench, double mu, const Matrix6& covariance) noexcept {
  const double tangential = std::hypot(wrench.force.x(), wrench.force.y());
  if (tangential > 0.0) {
    Vector6 slope = Vector6::Zero();
    slope.head<3>() << -wrench.force.x() / tangential, -wrench.force.y() / tangential, mu;
    return std::sqrt(slope.dot(covariance * slope));
  }
  const double xx = covariance(0, 0), yy = covariance(1, 1), xy = covariance(0, 1);
  const double largest = 0.5 * (xx + yy) + std::hypot(0.5 * (xx - yy), xy);
  return mu * std::sqrt(covariance(2, 2)) + std::sqrt(largest);
}

/// sd of a half size minus |moment|/f_z. Both signs count where the moment is 0.
double distance_deviation(const Vector6& w, int moment, const Matrix6& covariance) noexcept {
  const double fz = w[kFz];
  if (!(fz > 0.0)) return kNaN;
  double variance = 0.0;
  for (const double sign : {1.0, -1.0}) {
    if (sign * w[moment] < 0.0) continue;
    Vector6 slope = Vector6::Zero();
    slope[kFz] = sign * w[moment] / (fz * fz);
    slope[moment] = -sign / fz;
    const double own = slope.dot(covariance * slope);
    if (!(variance >= own)) variance = own;
  }
  return std::sqrt(variance);
}

}  // namespace

bool ContactMargins::feasible() const noexcept {
  return status == Status::ok && unilateral >= 0.0 && friction >= 0.0 && cop_x >= 0.0 && cop_y >= 0.0 && yaw >= 0.0;
}

ContactMargins contact_margins(const Wrench& wrench, const SurfaceContact& contact) noexcept {
  if (const Status status = check(wrench, contact); status != Status::ok) return unknown(status);
  const Vector6 w = wrench.to_vector();
  const double fz = w[kFz];
  ContactMargins margins = unknown(Status::ok);
  margins.unilateral = unilateral_faces().margin(w);
  margins.friction = contact.friction == FrictionModel::cone ? contact.mu * fz - std::hypot(w[kFx], w[kFy])
                                                             : pyramid_faces(contact.mu).margin(w);
  margins.cop_x = cop_x_faces(contact.half_length_x).margin(w);
  margins.cop_y = cop_y_faces(contact.half_width_y).margin(w);
  margins.yaw = yaw_faces(contact).margin(w);
  if (fz > 0.0) {
    margins.cop_distance_x = contact.half_length_x - std::abs(w[kMy]) / fz;
    margins.cop_distance_y = contact.half_width_y - std::abs(w[kMx]) / fz;
  }
  return margins;
}

ContactMargins margin_deviation(const Wrench& wrench, const SurfaceContact& contact,
                                const Matrix6& covariance) noexcept {
  if (const Status status = check(wrench, contact); status != Status::ok) return unknown(status);
  if (!covariance.allFinite()) return unknown(Status::not_finite);
  const Vector6 w = wrench.to_vector();
  ContactMargins sd = unknown(Status::ok);
  sd.unilateral = unilateral_faces().deviation(w, covariance);
  sd.friction = contact.friction == FrictionModel::cone ? cone_deviation(wrench, contact.mu, covariance)
                                                        : pyramid_faces(contact.mu).deviation(w, covariance);
  sd.cop_x = cop_x_faces(contact.half_length_x).deviation(w, covariance);
  sd.cop_y = cop_y_faces(contact.half_width_y).deviation(w, covariance);
  sd.yaw = yaw_faces(contact).deviation(w, covariance);
  sd.cop_distance_x = distance_deviation(w, kMy, covariance);
  sd.cop_distance_y = distance_deviation(w, kMx, covariance);
  return sd;
}

TotalForceMargin total_force_margin(const ForceBalance& balance, double k) noexcept {
  TotalForceMargin result;
  const auto failed = [&](Status status) {
    result.status = status;
    return result;
  };
  if (!balance.total_force.allFinite() || !balance.total_force_covariance.allFinite() || !std::isfinite(balance.mass) ||
      !std::isfinite(balance.mass_sd) || !balance.gravity.allFinite() || !balance.com_acceleration.allFinite() ||
      !balance.com_acceleration_sd.allFinite() || !std::isfinite(k))
    return failed(Status::not_finite);
  const Vector3 variance = balance.total_force_covariance.diagonal();
  if (!(balance.mass > 0.0) || balance.mass_sd < 0.0 || k < 0.0 || (variance.array() < 0.0).any() ||
      (balance.com_acceleration_sd.array() < 0.0).any())
    return failed(Status::not_computed);

  const Vector3 specific_force = balance.com_acceleration - balance.gravity;
  result.status = Status::ok;
  result.difference = balance.total_force - balance.mass * specific_force;
  result.sd = (variance + (balance.mass * balance.com_acceleration_sd).cwiseAbs2() +
               (balance.mass_sd * specific_force).cwiseAbs2())
                  .cwiseSqrt();
  result.margin = k * result.sd - result.difference.cwiseAbs();
  return result;
}

}  // namespace antaeus
