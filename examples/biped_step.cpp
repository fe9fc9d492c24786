// A biped of our own steps in place: what each foot carries, whether it is possible, and what that needs of the motors.
// prints: limits kept, 50 % of the weight on the right foot, largest torque 49 N·m
#include <cstdio>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/report/pages.hpp"
#include "legged/legged.hpp"

using namespace antaeus;
int main() {
  const legged::Hips hips = {{"left", {0.0, 0.1, 0.0}}, {"right", {0.0, -0.1, 0.0}}};
  const Robot biped = legged::robot({.trunk = 30, .thigh = 4, .shank = 3, .foot = 1}, 0.4, hips);
  constexpr Eigen::Index kSteps = 200;
  ContactMotion motion;
  motion.name = "biped_step";
  motion.q.resize(kSteps, biped.model.nq());
  motion.active.resize(kSteps, 2);
  motion.time = VectorX::LinSpaced(kSteps, 0.0, 0.01 * (kSteps - 1));
  for (Eigen::Index t = 0; t < kSteps; ++t) {
    const double time = motion.time[t];
    const Vector3 trunk(0.0, 0.055 * std::sin(M_PI * time), 0.76);  // [m], over the standing foot
    std::map<std::string, Vector3> feet;
    for (const auto& [name, middle] : {std::pair{"left", 1.5}, {"right", 0.5}}) {  // [s]: when each is lifted
      const double swing = (time - middle) / 0.4 + 0.5;
      feet[name] = hips.at(name) + Vector3(0.0, 0.0, 0.04 * legged::bump(swing));
      motion.active(t, std::ssize(feet) - 1) = swing <= 0.0 || swing >= 1.0;
    }
    legged::place(motion.q.row(t), trunk, hips, feet, 0.4);
  }

  const ContactRequest request{.contacts = {"left_foot", "right_foot"}, .over_time = true, .limits = LimitSet::cone};
  ContactOptions options;
  options.half_length = 0.11;
  options.half_width = 0.05;
  const ContactResult result = contact_inverse_dynamics(biped, motion, request, options);
  double right = 0.0;
  for (Eigen::Index t = 0; t < kSteps; ++t) right += result.solution.wrench(2, result.dynamics.demand.column(t, 1));
  std::printf("limits %s, %.0f %% of the weight on the right foot, largest torque %.0f N·m\n",
              result.feasible ? "kept" : "broken", 100.0 * right / (kSteps * result.weight),
              result.torque.rightCols(10).cwiseAbs().maxCoeff());
  write_file("biped_step.html", html_page(contact_page(result)));  // everything else
}
