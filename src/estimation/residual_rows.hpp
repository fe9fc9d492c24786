#pragma once
/// \file
/// What the torque rows of a residual are worth, row by row: for ResidualEstimator, and for whoever forms static
/// residuals of many states at once. Numbers alone, so that both say the same to the bit.

#include <algorithm>
#include <cmath>

#include "antaeus/estimation/residual.hpp"
#include "antaeus/robot/noise_model.hpp"

namespace antaeus::detail {

/// Share of dry friction that stays in doubt where it was identified and taken out.
inline constexpr double kIdentifiedDoubt = 0.2;

/// Of model and profile; infinity where neither says one: a URDF that gives no effort writes 0.
inline VectorX torque_limits(const Robot& robot) {
  VectorX limits = robot.model.effort_limits();
  for (Eigen::Index m = 0; m < limits.size(); ++m) {
    limits[m] = std::min(limits[m], robot.profile.figures[m].torque_limit);
    if (!(limits[m] > 0)) limits[m] = kInfinity;
  }
  return limits;
}

/// Friction that the profile's figures take out of a row [N·m].
inline double friction_torque(const JointFigures& f, FrictionUse use, double speed) noexcept {
  double torque = f.viscous * speed + f.friction_offset;
  if (use == FrictionUse::identified) {
    const double relative = speed / f.stribeck_speed;
    torque += (f.coulomb + f.stribeck * std::exp(-relative * relative)) * std::tanh(relative);
  }
  return torque;
}

/// Of a row by the profile's figures, but for its torque's gain [N²·m²].
inline double still_variance(const JointFigures& f, FrictionUse use, const ResidualOptions& options,
                             double speed) noexcept {
  const double dry = f.coulomb + f.stribeck;
  double friction_sd = options.coulomb_share * dry;
  if (use == FrictionUse::identified) {
    const double relative = speed / f.stribeck_speed;
    friction_sd = std::max(kIdentifiedDoubt * dry, friction_sd * std::exp(-relative * relative));
  }
  return f.torque_sd * f.torque_sd + friction_sd * friction_sd;
}
/// What the torque channel's gain adds to it.
inline double gain_variance(const ResidualOptions& options, double torque) noexcept {
  const double channel = options.torque_share * torque;
  return channel * channel;
}
/// The least variance of a static residual's row while the robot moves.
inline double moving_variance(const JointFigures& f) noexcept { return f.static_sd * f.static_sd; }

/// Time since the sample before [s]: NaN without a clock, for the first sample and after a gap, which \p reasons then
/// name; 0 or less for a sample that cannot be used. A clock that was set back is a new clock; a repeated stamp is the
/// old one. \param time  NaN without a clock \param reset  forgets the past, `last_time` with it
template <class Reset>
double time_step(const ResidualOptions& options, double time, double& last_time, const Reset& reset,
                 Reasons& reasons) noexcept {
  const double dt = time - last_time;
  if (dt < 0) {
    reset();
    last_time = time;
  }
  if (!(dt > options.maximum_gap)) return dt;
  reset();
  reasons.add(Reason::gap);
  return kNaN;
}

/// Whether motion is seen or was, less than `motion_hold` ago. \param clock  [s]; 0 without one
/// \param fastest  speed of any motor [rad/s] \param gyro  of the base, null without one: it may turn under still
/// joints
inline bool watch_motion(const ResidualOptions& options, double clock, double fastest, const Vector3* gyro,
                         double& moving_until) noexcept {
  if (gyro) fastest = std::max(fastest, gyro->norm());
  if (fastest > options.motion_speed) moving_until = clock + options.motion_hold;
  return clock < moving_until;
}

/// \name A channel's limits. \p noise  identified, null without; \p known  whether it speaks of this row
///@{
inline bool is_at_identified_limit(const NoiseModel* noise, bool known, double torque, Eigen::Index motor) noexcept {
  return noise && noise->limit.size() > 0 && known && std::abs(torque) >= noise->limit[motor];
}
inline bool is_saturated(const ResidualOptions& options, double limit, const NoiseModel* noise, bool known,
                         double torque, Eigen::Index motor) noexcept {
  return std::abs(torque) >= options.saturation_share * limit ||
         (is_at_identified_limit(noise, known, torque, motor) && std::isinf(noise->limit_sd[motor]));
}
/// What a channel at its limit reads too much.
inline double limit_offset(const NoiseModel* noise, bool known, double torque, Eigen::Index motor) noexcept {
  if (!is_at_identified_limit(noise, known, torque, motor)) return 0.0;
  const double outward = noise->limit_offset[motor];
  return torque < 0.0 ? -outward : outward;
}
///@}

/// How fast the robot moves, measured against what was seen while its noise was identified.
/// \param speed  of the motors, known \param known(m)  whether the row of motor m was identified
/// \return how far its motion term is developed, 0 … 1
template <class Known>
double watch_envelope(const ResidualOptions& options, const NoiseModel& noise, std::optional<SpeedEnvelope>& envelope,
                      double time, const VectorX& speed, bool moving, bool is_static, const Known& known,
                      VectorX& outside_until, Reasons& reasons) noexcept {
  double share = 1.0;
  if (envelope) {
    // Without a clock there is no memory, but the speed of this sample is known.
    const bool timed = std::isfinite(time);
    const bool stepped = timed && envelope->step(time, speed) == Status::ok;
    share = stepped ? envelope->share() : !timed ? motion_share(envelope->rms(speed), options.envelope) : 1.0;
    if (stepped && envelope->outside() && is_static) reasons.add(Reason::outside_identified);
  } else if (!moving) {
    share = 0.0;
  }
  if (noise.joint_speed.size() == 0) return share;
  const double clock = std::isfinite(time) ? time : 0.0;
  for (Eigen::Index m = 0; m < speed.size(); ++m) {
    if (!known(m)) continue;
    const double most = std::max(options.motion_speed, options.envelope.factor * noise.joint_speed[m]);
    if (std::abs(speed[m]) > most) outside_until[m] = clock + options.motion_hold;
    if (clock < outside_until[m]) reasons.add(Reason::assumed_friction);
  }
  return share;
}

}  // namespace antaeus::detail
