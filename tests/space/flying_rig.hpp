#pragma once
/// A spacecraft that flies under FlyingControl, and what is measured on passages through singular poses.

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>

#include "antaeus/control/joint_path_reference.hpp"
#include "antaeus/space/flying_control.hpp"
#include "antaeus/space/free_flight.hpp"
#include "space/space_robots.hpp"

namespace antaeus::test {

inline VectorX flying_q(const RobotModel& model, std::initializer_list<double> theta) {
  VectorX q = model.neutral();
  int k = 7;
  for (const double angle : theta) q[k++] = angle;
  return q;
}
/// Elbow and wrist bent.
inline VectorX ready(const std::string& robot, const RobotModel& model) {
  return robot == "spacecraft_ur3" ? flying_q(model, {0.3, -1.2, 1.5, -0.3, 1.3, 0.2})
                                   : flying_q(model, {0.2, -0.6, 0.1, -2.0, 0.15, 1.6, 0.6});
}

/// Where the robot stands now.
inline FlyingReference here(FreeFlyer& flying, const VectorX& q) {
  const FreeFlyingMotion& m = flying.motion_at(q, VectorX::Zero(flying.model().nv()));
  FlyingReference reference;
  reference.end_effector.X_WE = m.X_WE;
  reference.base.R_WB = m.X_WB.rotation;
  reference.com.position = m.p_com;
  return reference;
}

/// The largest errors of one instant.
struct FlyingErrors {
  double x_c, x_b, x_p, x_o;
};
inline FlyingErrors errors_of(const FlyingCommand& c) {
  return {c.x_c.norm(), c.x_b.norm(), c.x_p.norm(), c.x_o.norm()};
}

/// Control with a torque that is constant through each cycle, and a plant that takes as large steps.
struct Rig {
  Rig(const std::string& robot, const FlyingControlSetup& setup, double cycle = 1e-3)
      : flight(own_robot(robot).model),
        control(flyer(robot), ready(robot, flight.model()), setup),
        flying(flyer(robot)),
        dt(cycle) {}

  /// \param observe  after the command of each cycle, before the plant moves on
  void run(double duration, const std::function<FlyingReference(double)>& reference,
           const std::function<void(const FlyingCommand&)>& observe) {
    const auto steps = static_cast<int>(std::lround(duration / dt));
    for (int i = 0; i < steps; ++i) {
      const FlyingCommand& command = control.update(flight.q(), flight.v(), reference(flight.time()), dt);
      observe(command);
      if (flight.step(command.tau, dt) != Status::ok) return;
    }
  }

  FreeFlight flight;
  FlyingControl control;
  FreeFlyer flying;
  double dt;
};

/// One passage through a singular pose.
struct CrossingRun {
  std::string name, robot = "spacecraft_ur3";
  SingularCrossing crossing;
  FlyingLaw law = FlyingLaw::carried;
  VectorX start_error;  // [n] added to the joints of the path's beginning [rad]
  double hold = 10.0;   // after the reference came to rest [s]
  double cycle = 1e-3;  // of control [s]
  FlyingControlSetup setup;
};

struct CrossingFigures {
  double inverse_step = 0.0;  // largest ‖ΔJ#‖ of a cycle, Frobenius
  double torque_step = 0.0;   // largest |Δτ| of a joint in a cycle [N·m]
  double torque = 0.0;        // largest |τ| of a joint, all the way [N·m]
  double torque_near = 0.0;   // the same within 0.1 rad of the singular pose
  double ideal = 0.0, ideal_near = 0.0;
  double rise = 0.0;               // largest rise of V − ∫supply above its least value so far [J]
  double energy = 0.0;             // V at the start [J]
  double place = 0.0, turn = 0.0;  // largest errors of E within and after the offset's window [m, rad]
  double place_end = 0.0, turn_end = 0.0;
  double back = 0.0;        // after the passage of s = 0 errors are below 1 mm and 5 mrad for good [s]
  double joints_end = 0.0;  // how far the joints end from the path's [rad]
  double sigma = 1.0;
  double base_force = 0.0;
  bool ok = true;
};

inline CrossingFigures cross(const CrossingRun& run) {
  FlyingControlSetup setup = run.setup;
  setup.control.law = run.law;
  Rig rig(run.robot, setup, run.cycle);
  const int n = rig.flying.joints();
  VectorX q_start = rig.flight.model().neutral();
  q_start.head<7>() << 0.4, -0.2, 0.3, 0.1, -0.2, 0.3, std::sqrt(1.0 - 0.14);
  q_start.tail(n) = run.crossing.theta + run.crossing.reach * run.crossing.direction;
  JointPathReference path(flyer(run.robot), q_start);
  CrossingFigures f;
  f.ok = path.offset_at(run.crossing.theta) == Status::ok;
  if (run.crossing.offset == 0.0) path.set_offset(Vector6::Zero());
  path.at(run.crossing, 0.0);
  VectorX q = path.q();
  q.tail(n) += run.start_error;
  f.ok = f.ok && rig.flight.reset(q, path.v()) == Status::ok;
  SmoothDamping damping(6, n, setup.carry);
  const MatrixX no_rate = MatrixX::Zero(6, n);
  MatrixX inverse, last_inverse;
  VectorX last_tau;
  double integral = 0.0, last_supply = 0.0, least = 0.0, last_out = 0.0;
  const double passed = run.crossing.reach / run.crossing.speed;
  const double duration = crossing_end(run.crossing) + run.hold;
  bool first = true;
  rig.run(
      duration, [&](double time) { return path.at(run.crossing, time); },
      [&](const FlyingCommand& c) {
        const double time = rig.flight.time();
        f.ok = f.ok && c.status == Status::ok;
        if (c.status != Status::ok) return;
        const double s = crossing_path(run.crossing, time).value;
        if (run.law == FlyingLaw::carried) {
          damping.compute(rig.control.terms().motion.J_plus, no_rate);
          inverse = damping.inverse();
        } else {
          inverse = rig.control.terms().J_plus_inverse;
        }
        const VectorX tau = c.tau.tail(n);
        const double size = largest(tau), ideal = largest(path.tau().tail(n));
        f.torque = std::max(f.torque, size);
        f.ideal = std::max(f.ideal, ideal);
        f.sigma = std::min(f.sigma, rig.control.terms().conditioning.sigma_J);
        f.base_force = std::max(f.base_force, c.tau.head<3>().norm());
        if (std::abs(s) < 0.1) {
          f.torque_near = std::max(f.torque_near, size);
          f.ideal_near = std::max(f.ideal_near, ideal);
        }
        const FlyingErrors e = errors_of(c);
        if (e.x_p > 1e-3 || e.x_o > 5e-3) last_out = time;
        if (std::abs(s) < run.crossing.window || time > passed) {
          f.place = std::max(f.place, e.x_p);
          f.turn = std::max(f.turn, e.x_o);
        }
        f.place_end = e.x_p;
        f.turn_end = e.x_o;
        f.joints_end = largest(rig.flight.q().tail(n) - path.q().tail(n));
        if (first) {
          f.energy = least = c.energy;
        } else {
          f.inverse_step = std::max(f.inverse_step, (inverse - last_inverse).norm());
          f.torque_step = std::max(f.torque_step, largest(tau - last_tau));
          integral += 0.5 * rig.dt * (last_supply + c.supply);
          const double own = c.energy - integral;
          f.rise = std::max(f.rise, own - least);
          least = std::min(least, own);
        }
        first = false;
        last_supply = c.supply;
        last_inverse = inverse;
        last_tau = tau;
      });
  f.back = last_out > passed ? last_out - passed : 0.0;
  if (last_out > duration - 2.0 * rig.dt) f.back = kInfinity;
  return f;
}

inline void print_head() {
  std::cout << "case                  law       rad/s  dJ#/ms  dtau/ms  tau    near   ideal  near   V rise    V0       "
               "mm     "
               "mrad   end mm  mrad    back s  joints  sigma\n";
}
inline void print(const CrossingRun& run, const CrossingFigures& f) {
  std::cout << std::left << std::setw(22) << run.name << std::setw(10) << to_string(run.law) << std::setw(7)
            << run.crossing.speed << std::setprecision(3) << std::setw(8) << f.inverse_step << std::setw(9)
            << f.torque_step << std::setw(7) << f.torque << std::setw(7) << f.torque_near << std::setw(7) << f.ideal
            << std::setw(7) << f.ideal_near << std::setw(10) << f.rise << std::setw(9) << f.energy << std::setw(7)
            << 1e3 * f.place << std::setw(7) << 1e3 * f.turn << std::setw(8) << 1e3 * f.place_end << std::setw(8)
            << 1e3 * f.turn_end << std::setw(8) << f.back << std::setw(8) << f.joints_end << f.sigma
            << (f.ok ? "" : "  NOT OK") << std::endl;
}

/// Joints that are this far off together, in a random direction.
inline VectorX start_error(RandomStates& random, int n, double size) {
  const VectorX direction = random.vector(n);
  return size * direction / direction.norm();
}

/// A UR3's passage: the elbow (E) or the wrist (W) goes through zero while the others move as well.
inline SingularCrossing ur3_crossing(bool is_elbow, double speed, RandomStates* random = nullptr) {
  SingularCrossing crossing{.theta = VectorX(6), .direction = VectorX::Zero(6), .speed = speed};
  if (is_elbow) {
    crossing.theta << 0.3, -1.0, 0.0, 0.4, 1.2, 0.2;
  } else {
    crossing.theta << 0.3, -1.2, 1.4, -0.4, 0.0, 0.2;
  }
  if (random != nullptr) crossing.direction = random->vector(6, 0.5);
  crossing.direction[is_elbow ? 2 : 4] = 1.0;
  return crossing;
}

}  // namespace antaeus::test
