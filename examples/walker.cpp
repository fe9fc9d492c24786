// A walker of human proportions: contact times found in the motion, forces with sds, and what the motion does not tell.
// prints: up to 771 ± 154 N .1.12 of the weight.; not in the motion: squeeze between left_foot and right_foot
#include <cstdio>

#include "antaeus/contact/contact_result.hpp"
#include "legged/legged.hpp"

using namespace antaeus;
int main() {
  constexpr double kMass = 70.0, kBar = 0.245 * 1.75;           // [kg], [m]; shares as in textbooks of biomechanics
  constexpr double kSpeed = 0.8, kCycle = 1.1, kStance = 0.62;  // [m/s], [s], share of the cycle that a foot stands
  const legged::Hips hips = {{"left", {0.0, 0.08, 0.0}}, {"right", {0.0, -0.08, 0.0}}};
  const legged::Masses masses = {
      .trunk = 0.678 * kMass, .thigh = 0.1 * kMass, .shank = 0.0465 * kMass, .foot = 0.0145 * kMass};
  const Robot walker = legged::robot(masses, kBar, hips);
  constexpr Eigen::Index kSteps = 330;
  ContactMotion motion;
  motion.q.resize(kSteps, walker.model.nq());
  motion.time = VectorX::LinSpaced(kSteps, 0.0, 0.01 * (kSteps - 1));
  for (Eigen::Index t = 0; t < kSteps; ++t) {
    const double time = motion.time[t], phase = time / kCycle, turn = 2.0 * M_PI * (phase - 0.06);
    const Vector3 trunk(kSpeed * time, 0.02 * std::sin(turn), 0.78 - 0.012 * std::cos(2.0 * turn));
    std::map<std::string, Vector3> feet;
    for (const auto& [name, late] : {std::pair{"left", 0.0}, {"right", 0.5}}) {  // lands then, in cycles
      const double since = phase - late, whole = std::floor(since);
      const double swing = (since - whole - kStance) / (1.0 - kStance);
      const double x = kSpeed * kCycle * (whole + late + kStance / 2.0 + legged::ramp(swing));
      feet[name] = {x, hips.at(name).y(), 0.06 * legged::bump(swing)};
    }
    legged::place(motion.q.row(t), trunk, hips, feet, kBar);
  }

  const ContactRequest request{.contacts = {"left_foot", "right_foot"}, .over_time = true};
  ContactOptions options;
  options.detect = true;
  options.half_length = 0.12;
  options.half_width = 0.045;
  const ContactResult result = contact_inverse_dynamics(walker, motion, request, options);
  Eigen::Index step = 0;
  const auto vertical = [&](Eigen::Index t) { return result.solution.wrench(2, 2 * t); };  // of the left foot
  for (Eigen::Index t = 0; t < kSteps; ++t) step = vertical(t) > vertical(step) ? t : step;
  std::printf(
      "%zu contacts; the left foot pushes with up to %.0f ± %.0f N (%.2f of the weight); not in the motion: %s\n",
      result.timing->intervals.size(), vertical(step), std::sqrt(result.error[2 * step](2, 2)),
      vertical(step) / result.weight, result.posterior->unobservable.front().c_str());
}
