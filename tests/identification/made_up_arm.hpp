#pragma once
/// \file
/// An arm whose friction, offsets and masses are known because they were made up, on days that differ.

#include "identification/moving_support.hpp"

namespace antaeus::test {

struct MadeUp {
  Robot robot;
  VectorX truth;  ///< θ
  MovingLog log;
};

/// How a made-up log was measured.
struct Sensing {
  double rate = 100.0;       ///< [Hz]
  double slow_sd = 0.15;     ///< [N·m] of the torques' error of 0.5 s
  double speed_noise = 0.0;  ///< [rad/s] white, of speeds in the log; 0: it has none
  unsigned day = 0;          ///< 0: the mean of all days; else what the day draws its friction and offsets by
  double contact = 0.0;      ///< [N] at the hand, downwards, from a third of the log to its half
};
/// How far the made-up arm's days lie apart: of its Coulomb and viscous friction, and of each joint's offset [N·m].
inline constexpr double kCoulombOfDays = 0.10, kViscousOfDays = 0.25;
inline constexpr std::array<double, 7> kOffsetOfDays = {0.02, 0.2, 0.1, 0.15, 0.02, 0.02, 0.01};

/// A panda whose torques have drawn friction, rotors and masses, an error of 0.5 s and white noise.
/// \param load   what it carries; its own noise, the same arm
/// \param rotor  inertia of each rotor, which no description has [kg m²]
inline MadeUp made_up(unsigned seed, double duration, const std::vector<Payload>& load = {}, double rotor = 0.0,
                      const Sensing& sensing = {}) {
  MadeUp result{own_robot("panda"), {}, {}};
  const RobotModel& model = result.robot.model;
  const TorqueParameters at = torque_parameters(model);
  const int n = at.motors;
  Noise noise(seed);
  RandomStates random(seed + 1);
  VectorX& theta = result.truth = VectorX::Zero(at.count());
  const VectorX described = model.inertial_parameters();
  for (int body = 0; body < at.bodies; ++body) theta[at.inertial(body)] = 0.1 * described[at.inertial(body)] * noise();
  for (int j = 0; j < n; ++j) {
    theta[at.coulomb(j)] = 0.4 + 0.2 * std::abs(noise());
    theta[at.viscous(j)] = 0.3 * std::abs(noise());
    theta[at.offset(j)] = 0.5 * noise();
    theta[at.rotor(j)] = rotor;
  }
  VectorX today = theta;
  if (sensing.day > 0) {
    Noise draw(9000 + sensing.day);
    for (int j = 0; j < n; ++j) {
      today[at.coulomb(j)] *= 1.0 + kCoulombOfDays * draw();
      today[at.viscous(j)] *= 1.0 + kViscousOfDays * draw();
      today[at.offset(j)] += kOffsetOfDays[static_cast<std::size_t>(j)] * draw();
    }
    noise = Noise(seed + 70 * sensing.day);
    random = RandomStates(seed + 71 * sensing.day);
  }
  const auto steps = static_cast<Eigen::Index>(duration * sensing.rate);
  const double step = 1.0 / sensing.rate;
  Episode& episode = result.log.episode;
  episode.name = sensing.day > 0 ? "day " + std::to_string(sensing.day) : "made up";
  episode.time = VectorX::LinSpaced(steps, 0.0, duration - step);
  episode.q.resize(steps, model.motor_count());
  episode.tau.resize(steps, model.motor_count());
  if (sensing.speed_noise > 0.0) episode.v.resize(steps, model.motor_count());
  const VectorX centre = result.robot.profile.poses.empty() ? VectorX(model.neutral())
                                                            : result.robot.pose(result.robot.profile.poses[0].name);
  const VectorX phase = random.vector(2 * n, std::numbers::pi);
  ModelOptions carrying = model.options();
  carrying.payloads = load;
  if (!load.empty()) noise = Noise(seed + 5000);
  Dynamics dynamics(RobotModel(model.description(), carrying));
  const FrameId hand = model.frame("panda_hand");
  Matrix6X J(6, model.nv());
  MatrixX Y(model.nv(), 10 * at.bodies);
  VectorX slow = VectorX::Zero(n), tau(model.nv()), q(model.nq()), v = VectorX::Zero(model.nv()), a = v;
  constexpr double kWhite = 0.05, kPeriod = 0.5;  // [N·m], [s]
  const double keep = std::exp(-step / kPeriod);
  for (int j = 0; j < n; ++j) slow[j] = sensing.slow_sd * noise();
  for (Eigen::Index i = 0; i < steps; ++i) {
    const double t = episode.time[i];
    VectorX q_motor = centre.head(model.motor_count());
    for (int j = 0; j < n; ++j) {
      const int row = model.motor_rows()[j];
      const double w1 = 0.9 + 0.13 * j, w2 = 2.1 + 0.17 * j;
      if (j >= 7) continue;  // fingers stand still
      q_motor[j] += 0.4 * std::sin(w1 * t + phase[j]) + 0.15 * std::sin(w2 * t + phase[n + j]);
      v[row] = 0.4 * w1 * std::cos(w1 * t + phase[j]) + 0.15 * w2 * std::cos(w2 * t + phase[n + j]);
      a[row] = -0.4 * w1 * w1 * std::sin(w1 * t + phase[j]) - 0.15 * w2 * w2 * std::sin(w2 * t + phase[n + j]);
    }
    EXPECT_EQ(model.position_from_motors(q_motor, Eigen::Vector4d(0, 0, 0, 1), q), Status::ok);
    EXPECT_EQ(dynamics.inverse_dynamics(q, v, a, tau), Status::ok);
    EXPECT_EQ(dynamics.inverse_dynamics_regressor(q, v, a, Y), Status::ok);
    episode.q.row(i) = q_motor;
    const bool touched = sensing.contact > 0.0 && 3 * i > steps && 2 * i < steps;
    if (touched) {
      EXPECT_EQ(dynamics.at(q).frame_jacobian(hand, J), Status::ok);
    }
    for (int j = 0; j < n; ++j) {
      const int row = model.motor_rows()[j];
      slow[j] = keep * slow[j] + sensing.slow_sd * std::sqrt(1.0 - keep * keep) * noise();
      episode.tau(i, j) = tau[row] + Y.row(row).dot(theta.head(10 * at.bodies)) + theta[at.rotor(j)] * a[row] +
                          today[at.coulomb(j)] * std::tanh(v[row] / kCoulombSpeed) + today[at.viscous(j)] * v[row] +
                          today[at.offset(j)] + slow[j] + kWhite * noise() +
                          (touched ? sensing.contact * J(2, row) : 0.0);
      if (sensing.speed_noise > 0.0) episode.v(i, j) = v[row] + sensing.speed_noise * noise();
    }
  }
  return result;
}

}  // namespace antaeus::test
