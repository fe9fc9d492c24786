#pragma once
// The algebra of one frame: weights, the map from wrenches to their total, and what leaves the total unchanged.
// Private.
#include <Eigen/Dense>
#include <cmath>

#include "antaeus/contact/contact_demand.hpp"

namespace antaeus::detail {

/// Weights of one contact's wrench: a_f |f − f₀|² + a_m |m − m₀|².
struct Weights {
  double force = 0.0, moment = 0.0;
};

/// The cost's weights, those of rates already divided by the time step and the others multiplied by it.
class CostWeights {
 public:
  CostWeights(const ContactDemand& demand, const ContactOptions& options, bool over_time) noexcept
      : demand_(demand), nimble_(options.compatibility == Compatibility::nimble) {
    const double dt = nimble_ || !over_time ? 1.0 : demand.dt, lever2 = nimble_ ? 0.01 : options.lever * options.lever;
    const bool nearest = !over_time && demand.guess.size() > 0;
    size_ = {(nearest ? 1.0 : options.least_torque) * (nearest && nimble_ ? 1.0 : lever2) * dt,
             (nearest ? 1.0 : options.least_torque) * dt};
    per_speed_ = options.velocity_penalty * dt;
    per_magnitude_ = dt;
    const double rate =
        nimble_ ? options.smoothing : options.smoothing * options.smoothing_time * options.smoothing_time / dt;
    smoothing_ = {nimble_ ? rate : rate * lever2, rate};
    const double first = nimble_ ? options.previous_weight : options.previous_weight * options.smoothing_time;
    previous_ = {nimble_ ? first : first * lever2, first};
    lever2_ = nimble_ ? 1.0 : lever2;
  }

  /// Of the size of contact c's wrench in frame t, the pull towards `previous` not included.
  Weights size(Eigen::Index t, int c) const noexcept {
    double both = 0.0;
    if (per_speed_ > 0.0 && demand_.speeds.size() > 0) {
      both += per_speed_ * demand_.speeds.col(demand_.column(t, c)).squaredNorm();
    }
    if (demand_.magnitude.size() > 0) both += per_magnitude_ * demand_.magnitude(c, t);
    return {size_.force + both * lever2_, size_.moment + both};
  }
  Weights smoothing() const noexcept { return smoothing_; }
  Weights previous() const noexcept { return demand_.previous.size() > 0 ? previous_ : Weights{}; }
  /// Nimble compares the wrenches of neighbours in link axes.
  bool smooths_in_link_axes() const noexcept { return nimble_; }

 private:
  const ContactDemand& demand_;
  bool nimble_;
  Weights size_, smoothing_, previous_;
  double per_speed_ = 0.0, per_magnitude_ = 0.0, lever2_ = 1.0;
};

/// Total of the contacts' wrenches about a point.
inline Vector6 total_of(const ContactDemand& demand, Eigen::Index t,
                        const Eigen::Ref<const Matrix6X>& wrench) noexcept {
  Vector6 sum = Vector6::Zero();
  for (int c = 0; c < demand.contact_count(); ++c) {
    const Vector3 d = demand.places[static_cast<std::size_t>(demand.column(t, c))].translation - demand.about.col(t);
    sum.head<3>() += wrench.col(c).head<3>();
    sum.tail<3>() += wrench.col(c).tail<3>() + d.cross(Vector3(wrench.col(c).head<3>()));
  }
  return sum;
}

/// Whether everything that frame t needs is a number.
inline bool is_finite(const ContactDemand& demand, Eigen::Index t) noexcept {
  bool finite = demand.total.col(t).allFinite() && demand.about.col(t).allFinite();
  for (int c = 0; c < demand.contact_count(); ++c) {
    if (!demand.is_active(t, c)) continue;
    const Pose& X = demand.places[static_cast<std::size_t>(demand.column(t, c))];
    finite = finite && X.translation.allFinite() && X.rotation.allFinite();
    if (demand.guess.size() > 0) finite = finite && demand.guess.col(demand.column(t, c)).allFinite();
  }
  return finite;
}

}  // namespace antaeus::detail
