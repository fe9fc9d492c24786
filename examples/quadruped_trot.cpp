// A quadruped of our own trots on point feet: two points at a time cannot make every moment, and the rest is told.
// prints: up to 66 % of the weight; of the moment two points leave up to 0.16 N·m, of the force 2.11 %
#include <cstdio>

#include "antaeus/contact/contact_result.hpp"
#include "legged/legged.hpp"

using namespace antaeus;
int main() {
  const legged::Hips hips = {{"front_left", {0.2, 0.12, 0.0}},
                             {"front_right", {0.2, -0.12, 0.0}},
                             {"hind_left", {-0.2, 0.12, 0.0}},
                             {"hind_right", {-0.2, -0.12, 0.0}}};
  const Robot quadruped = legged::robot({.trunk = 12, .thigh = 0.8, .shank = 0.3, .foot = 0.1}, 0.2, hips);
  constexpr Eigen::Index kSteps = 200;
  constexpr double kHalf = 0.25;  // [s] of a stride, in which one diagonal pair stands and the other swings
  ContactMotion motion;
  motion.q.resize(kSteps, quadruped.model.nq());
  motion.active.resize(kSteps, 4);
  motion.time = VectorX::LinSpaced(kSteps, 0.0, 0.005 * (kSteps - 1));
  for (Eigen::Index t = 0; t < kSteps; ++t) {
    const Vector3 trunk(0.0, 0.0, 0.33 - 0.004 * std::cos(2.0 * M_PI * motion.time[t] / kHalf));
    std::map<std::string, Vector3> feet;
    for (const auto& [name, hip] : hips) {
      const bool late = name == "front_left" || name == "hind_right";
      const double swing = std::fmod(motion.time[t] + (late ? kHalf : 0.0), 2.0 * kHalf) / kHalf;  // in the air: 0 to 1
      motion.active(t, std::ssize(feet)) = swing >= 1.0;
      feet[name] = hip + Vector3(0.0, 0.0, 0.03 * legged::bump(swing));
    }
    legged::place(motion.q.row(t), trunk, hips, feet, 0.2);
  }

  ContactRequest request;
  for (const auto& [name, hip] : hips) request.contacts.push_back(name + "_foot");
  ContactOptions options;
  options.kind = ContactType::point;
  const ContactResult result = contact_inverse_dynamics(quadruped, motion, request, options);
  std::printf(
      "a foot carries up to %.0f %% of the weight; of the moment two points leave up to %.2f N·m, of the force %.2f "
      "%%\n",
      100.0 * result.solution.wrench.row(2).maxCoeff() / result.weight,
      result.solution.residual.bottomRows<3>().colwise().norm().maxCoeff(), 100.0 * result.residual_share);
}
