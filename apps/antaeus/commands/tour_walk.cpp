// A walk of the H1-2 for the tour.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "tour.hpp"

namespace antaeus::cli {

namespace {

constexpr double kSpeed = 0.3, kCycle = 1.4, kStance = 0.64;  // [m/s], [s], share of the cycle that a foot stands
constexpr double kLift = 0.05, kSole = 0.045, kCrouch = 0.11, kTimeStep = 0.01;  // [m], [s]
constexpr int kCycles = 2;

/// From 0 to 1 over s from 0 to 1, without a kick.
double ramp(double s) {
  const double in = std::clamp(s, 0.0, 1.0);
  return in * in * in * (10.0 - 15.0 * in + 6.0 * in * in);
}

/// A sole in the world at a phase [cycles]. \param late  when it lands
Vector3 foot_at(double phase, double late, double side) {
  const double since = phase - late, whole = std::floor(since);
  const double swing = std::clamp((since - whole - kStance) / (1.0 - kStance), 0.0, 1.0);
  const double lifted = 64.0 * std::pow(swing * (1.0 - swing), 3);
  return {kSpeed * kCycle * (whole + late + ramp(swing)), side, kLift * lifted};
}

/// Where the floor's pressure is to be, less the mean motion: on the foot that stands, and from foot to foot while
/// both do.
Eigen::Vector2d pressure(double phase, double side) {
  const double both = kStance - 0.5, half = std::floor(2.0 * phase) / 2.0, since = phase - half;
  const double sign = std::fmod(half, 1.0) == 0.0 ? 1.0 : -1.0, over = ramp(since / both);
  const double x = kSpeed * kCycle * (half - 0.5 + 0.5 * over - phase);
  return {x, sign * side * (2.0 * over - 1.0)};
}

/// The pendulum's answer to that pressure: term by term of its Fourier series, ω² c − c̈ = ω² p.
class Pendulum {
 public:
  Pendulum(double height, double side) {
    const double omega = std::sqrt(9.81 / height);
    for (int k = 0; k < kTerms; ++k) {
      const double turn = 2.0 * std::numbers::pi * k, share = 1.0 / (1.0 + std::pow(turn / kCycle / omega, 2));
      cosine_[k].setZero(), sine_[k].setZero();
      for (int i = 0; i < kSamples; ++i) {
        const double phase = (i + 0.5) / kSamples;
        const Eigen::Vector2d p = pressure(phase, side) * share * (k == 0 ? 1.0 : 2.0) / kSamples;
        cosine_[k] += p * std::cos(turn * phase);
        sine_[k] += p * std::sin(turn * phase);
      }
    }
  }
  Eigen::Vector2d at(double phase) const {
    Eigen::Vector2d place(kSpeed * kCycle * phase, 0.0);
    for (int k = 0; k < kTerms; ++k) {
      const double turn = 2.0 * std::numbers::pi * k * phase;
      place += cosine_[k] * std::cos(turn) + sine_[k] * std::sin(turn);
    }
    return place;
  }

 private:
  static constexpr int kTerms = 13, kSamples = 600;
  Eigen::Vector2d cosine_[kTerms], sine_[kTerms];
};

struct Leg {
  FrameId foot;
  std::vector<int> rows;  ///< of v, of its six joints
};

/// Newton's method on the six joints: a level foot at the place.
void reach(Dynamics& dynamics, const Leg& leg, const Vector3& place, VectorX& q) {
  const RobotModel& model = dynamics.model();
  MatrixX J(6, model.nv());
  VectorX step(model.nv()), next(model.nq());
  for (int i = 0; i < 12; ++i) {
    const PositionTerms at = dynamics.at(q);
    Pose foot;
    (void)at.frame_pose(leg.foot, foot);
    (void)at.frame_jacobian(leg.foot, J);
    const Matrix3& R = foot.rotation;
    Vector6 error;
    error << place - foot.translation, 0.5 * Vector3(R(1, 2) - R(2, 1), R(2, 0) - R(0, 2), R(0, 1) - R(1, 0));
    if (error.norm() < 1e-12) return;
    Matrix6 columns;
    for (int j = 0; j < 6; ++j) columns.col(j) = J.col(leg.rows[static_cast<std::size_t>(j)]);
    const Vector6 by = columns.partialPivLu().solve(error);
    step.setZero();
    for (int j = 0; j < 6; ++j) step[leg.rows[static_cast<std::size_t>(j)]] = by[j];
    (void)model.integrate(q, step, next);
    q = next;
  }
}

}  // namespace

std::string walking_motion() {
  const Robot robot = load_robot("h1_2");
  const RobotModel& model = robot.model;
  Dynamics dynamics(model);
  VectorX motors = VectorX::Zero(model.motor_count());
  for (const std::string side : {"left_", "right_"}) {
    motors[model.motor(side + "hip_pitch_joint")] = -0.3;
    motors[model.motor(side + "knee_joint")] = 0.6;
    motors[model.motor(side + "ankle_pitch_joint")] = -0.3;
    motors[model.motor(side + "elbow_joint")] = 0.9;
  }
  VectorX q(model.nq());
  (void)model.position_from_motors(motors, {0.0, 0.0, 0.0, 1.0}, q);
  Leg legs[2];
  for (int i = 0; i < 2; ++i) {
    legs[i].foot = model.frame(i == 0 ? "left_ankle_roll_link" : "right_ankle_roll_link");
    for (const int motor : model.supporting_motors(legs[i].foot)) {
      legs[i].rows.push_back(model.motor_rows()[static_cast<std::size_t>(motor)]);
    }
  }
  Pose foot;
  (void)dynamics.at(model.neutral()).frame_pose(legs[0].foot, foot);
  const double side = foot.translation.y(), stance = kSole - foot.translation.z() - kCrouch;
  q[2] = stance;
  Vector3 middle;
  (void)dynamics.at(q).center_of_mass(middle);
  const Pendulum pendulum(middle.z(), side);
  q.head<2>() = pendulum.at(0.0);

  const auto steps = static_cast<Eigen::Index>(kCycles * kCycle / kTimeStep) + 1;
  MatrixX all(steps, model.nq());
  std::vector<double> time;
  for (Eigen::Index i = 0; i < steps; ++i) {
    time.push_back(kTimeStep * static_cast<double>(i));
    const double phase = time.back() / kCycle;
    const Eigen::Vector2d wanted = pendulum.at(phase);
    for (int pass = 0; pass < 5; ++pass) {  // the legs move the centre of mass too
      for (int leg = 0; leg < 2; ++leg) {
        reach(dynamics, legs[leg], foot_at(phase, 0.5 * leg, leg == 0 ? side : -side) + Vector3(0.0, 0.0, kSole), q);
      }
      (void)dynamics.at(q).center_of_mass(middle);
      q.head<2>() += wanted - middle.head<2>();
    }
    for (int leg = 0; leg < 2; ++leg) {
      reach(dynamics, legs[leg], foot_at(phase, 0.5 * leg, leg == 0 ? side : -side) + Vector3(0.0, 0.0, kSole), q);
    }
    if (!q.allFinite()) throw Error("tour", "the walk leaves the legs' reach", "please report this");
    all.row(i) = q.transpose();
  }
  const auto rows = static_cast<std::size_t>(steps);
  std::vector<double> values(all.size());
  for (Eigen::Index i = 0; i < steps; ++i) {
    for (Eigen::Index j = 0; j < all.cols(); ++j) values[static_cast<std::size_t>(i * all.cols() + j)] = all(i, j);
  }
  return to_npz(
      {{"q", {{rows, static_cast<std::size_t>(all.cols())}, values, "float64"}}, {"time", {{rows}, time, "float64"}}});
}

}  // namespace antaeus::cli
