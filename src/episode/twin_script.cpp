#include "twin_script.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "smooth_curve.hpp"

namespace antaeus {

namespace {

/// Time stamps of the report's timeline, from step 0 [s].
constexpr double kFirstStamps[] = {0.0, 0.007, 0.025, 0.044, 0.064, 0.084, 0.105, 0.125, 0.144};
constexpr int kLastTableStep = 8;

/// Steps 0 … 76; the last stamp is the timeline's 23.978 s.
constexpr Eigen::Index kIncidentSteps = 77;
constexpr double kIncidentStart = 22.465;
constexpr double kIncidentEnd = 23.978;

Course held(double value) { return {{0.0, 1.0}, {value, value}}; }

/// Where a target starts by the report's table of start errors (error = position − target), and where it settles.
Course approach(double position, double error, double offset) {
  return {{0.0, 4.0, 12.0, 40.0},
          {position - error, position - 0.9 * error, position - 0.6 * error, position + offset}};
}

// Torso residuals and Fz of steps 0 … 8, the attribution at step 8, positions, targets and peaks: the incident report's
// tables. What lies between and after them is ours.
TwinScript make_incident() {
  TwinScript script;
  script.name = "twin_incident";
  script.pose = "re3_start";
  script.note = "synthetic: the incident's pose, torso residuals and events; no wrench acts on the hands";
  script.steps = kIncidentSteps;
  script.first_stamp = kIncidentStart;
  script.sample_time = (kIncidentEnd - kIncidentStart - kFirstStamps[kLastTableStep]) / 68.0;
  script.legs = {{{-0.011, -0.139, 0.006, 0.385, -0.367, 0.0}, {-0.004, -0.162, 0.007, 0.392, -0.345, 0.0}}};

  const std::vector<double> knee_steps = {0, 2, 4, 5, 6, 7, 8, 11, 14, 17, 20, 26, 33, 38, 43, 46, 51, 58, 64, 70, 76};
  const std::vector<double> knee_left = {0.675, 0.52, 0.50, 0.58, 0.80, 1.19, 2.41, 0.6, 1.4, 0.1, 0.1,
                                         0.9,   0.5,  1.6,  2.41, 0.8,  0.1,  0.7,  1.2, 0.4, 0.6};
  const std::vector<double> knee_right = {0.667, 0.52, 0.49, 0.56, 0.78, 1.16, 2.41, 0.4, 0.3, 0.1, 0.1,
                                          0.9,   0.5,  1.6,  1.9,  0.2,  0.1,  0.5,  0.9, 0.3, 0.5};
  const std::vector<double> pitch_steps = {0, 4, 8, 11, 18, 25, 30, 36, 41, 49, 56, 64, 70, 76};
  script.leg_targets[0] = {
      {{{0, 3, 5, 6}, {-0.059, -0.19, -0.12, 0.43}},
       {pitch_steps, {-0.250, -0.29, -0.30, 1.8, 2.3, 2.3, -0.8, -0.2, 1.5, 2.3, 2.3, -1.1, -0.9, 0.4}},
       {{0, 2, 4, 6, 8, 13, 19, 24, 28, 34, 43, 52, 60, 70, 76},
        {0.361, 0.56, 0.45, 0.0, 0.68, -0.2, 2.4, -0.4, 2.7, -0.4, 0.3, 2.6, -0.4, 1.5, 0.2}},
       {knee_steps, knee_left},
       {{0, 6, 19, 30, 60, 76}, {-0.143, 0.25, -0.9, 0.3, 0.0, 0.1}},
       {{0, 5, 30, 76}, {-0.03, 0.25, -0.2, 0.2}}}};
  script.leg_targets[1] = {
      {{{0, 3, 5, 6}, {-0.053, -0.2, -0.1, 0.43}},
       {pitch_steps, {-0.090, -0.08, -0.24, -1.8, -3.2, -3.2, 0.7, 0.1, -2.2, -3.2, -3.0, 0.5, 0.2, -0.6}},
       {{0, 2, 4, 6, 8, 13, 19, 24, 28, 34, 43, 52, 60, 70, 76},
        {-0.344, -0.56, -0.42, 0.0, -0.72, 0.3, -2.5, 0.4, -2.6, 0.4, -0.7, -2.7, 0.4, -1.4, -0.2}},
       {knee_steps, knee_right},
       {{0, 6, 19, 30, 60, 76}, {-0.135, 0.25, -0.9, 0.2, 0.0, 0.1}},
       {{0, 5, 30, 76}, {0.03, -0.25, 0.1, -0.2}}}};

  script.reference_residual = {
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 18, 21, 24, 28, 32, 36, 40, 43, 46, 49, 52, 55, 60, 64, 69, 73, 76},
      {0.12, 0.0, 0.47, 4.22, 8.32, 14.24, 10.61, -5.27, -34.45, -42, -43, -40, -10, 60, 78,
       30,   -4,  -12,  -40,  -67,  -74,   -45,   5,     70,     40,  -12, -38, -18, 0}};
  // After step 8 the torso's torque is too large for too long to be inertia alone: the pelvis would turn by radians.
  script.rigid_residual = script.reference_residual;
  for (std::size_t i = kLastTableStep + 1; i < script.rigid_residual.values.size(); ++i)
    script.rigid_residual.values[i] *= 0.2;
  script.settlings = {{8, 42}, {42, 76}};
  script.hand_force = {-15.2, -16.7, -8.9, 46.3, 100.2, 177.8, 131.5, -98.6, -532.9};
  script.last_shoulder = {-1.31, 0.64, 0.34};
  script.shoulder_remainder = 1.0;

  script.held_torques = {
      {0,
       kHipRoll,
       {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 19, 23, 28, 34, 39, 43, 48, 53, 58, 64, 70, 76},
        {-1, -1, 94, 97, 102, 70, 26, -25, 34, 110, -45, 0, 60, -40, 80, -70, 20, 30, -20, 80, -40, 30, -20, 10}}},
      {0,
       kHipPitch,
       {{0, 1, 2, 3, 5, 6, 7, 8, 10, 13, 17, 21, 25, 29, 33, 38, 42, 46, 51, 55, 59, 64, 68, 72, 76},
        {-4,  -4, -30,  -3,   -14,  -35,  9,  -5,  -190, -240, -40, 60, 180,
         260, 60, -180, -300, -210, -120, 40, 200, 428,  250,  60,  -40}}}};
  Course right_roll = script.held_torques[0].torque;
  for (double& value : right_roll.values) value *= -1.05;
  script.held_torques.push_back({1, kHipRoll, right_roll});
  script.thrashes = true;
  return script;
}

// Torso residuals, Fz and start errors of steps 0 … 8: the incident report's columns of RE2. The report's 10.5 N·m peak
// follows at step 9; from then on ours, with a mean |τ| of 1.2 N·m.
TwinScript make_good() {
  TwinScript script;
  script.name = "twin_good";
  script.pose = "zero";
  script.note = "synthetic: the good run's pose and torso residuals; no wrench acts on the hands";
  script.steps = 1357;
  script.first_stamp = 0.0;
  script.sample_time = 0.0201;
  script.legs = {{{0.0, -0.165, -0.035, 0.390, -0.300, 0.0}, {0.0, -0.150, -0.015, 0.365, -0.270, 0.0}}};
  constexpr double kStartErrors[2][kLegJoints] = {{0.085, 0.049, -0.514, -0.247, -0.142, 0.0},
                                                  {0.075, -0.005, 0.445, -0.267, -0.122, 0.0}};
  constexpr double kOffsets[2][kLegJoints] = {{0.0, -0.03, 0.21, -0.02, 0.05, 0.0},
                                              {0.0, 0.03, -0.21, -0.02, 0.05, 0.0}};
  for (std::size_t leg = 0; leg < 2; ++leg) {
    for (std::size_t j = 0; j < kLegJoints; ++j) {
      script.leg_targets[leg][j] = approach(script.legs[leg][j], kStartErrors[leg][j], kOffsets[leg][j]);
    }
  }
  const std::vector<double> first = {0.82, 0.76, 2.11, 5.39, 5.22, 5.98, 7.44, 8.61, 10.31, 10.5};
  script.reference_residual = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 19, 23, 29, 35, 42, 52, 70, 110, 300, 700, 1357},
                               first};
  script.rigid_residual = script.reference_residual;
  for (const double value : {2.0, -6.0, -8.5, -6.0, -2.0, 0.5, 1.0, 0.4, 0.2, 0.3, -1.0, -1.35, -1.35}) {
    script.reference_residual.values.push_back(value);
  }
  // What stays is friction: nothing moves any more that inertia could resist.
  for (const double value : {2.0, -6.0, -8.5, -6.0, -2.0, 0.5, 1.0, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0}) {
    script.rigid_residual.values.push_back(value);
  }
  script.settlings = {{9, 70}};
  script.hand_force = {6.2, 5.8, 10.4, 10.1, 5.9, 7.4, 9.3, 13.7, 16.5};
  script.last_shoulder = {0.0, 0.0, 0.0};
  script.shoulder_remainder = 0.3;
  script.held_torques = {{0, kHipRoll, {{0, 1, 2, 4, 6, 8, 15, 40, 100}, {7, 7, 105, 120, 88, 60, 48, 45, 42}}}};
  script.sways = true;
  return script;
}

TwinScript make_pushes() {
  TwinScript script = make_good();
  script.name = "twin_pushes";
  script.note = "synthetic: real quasi-static pushes of 10 to 30 N at one hand at a time";
  script.steps = 2620;
  script.reference_residual = script.rigid_residual = held(0.0);
  script.settlings.clear();
  script.hand_force.clear();
  script.held_torques.clear();
  script.pushed = true;
  return script;
}

}  // namespace

const TwinScript& twin_script(TwinKind kind) {
  static const TwinScript pushes = make_pushes(), good = make_good(), incident = make_incident();
  switch (kind) {
    case TwinKind::pushes: return pushes;
    case TwinKind::good: return good;
    case TwinKind::incident: break;
  }
  return incident;
}

double twin_clock(const TwinScript& script, double step) noexcept {
  if (step >= kLastTableStep) return kFirstStamps[kLastTableStep] + (step - kLastTableStep) * script.sample_time;
  const double whole = std::floor(step);
  const auto i = static_cast<std::size_t>(whole);
  return kFirstStamps[i] + (step - whole) * (kFirstStamps[i + 1] - kFirstStamps[i]);
}

TwinPush twin_push(double t) noexcept {
  constexpr double kPeriod = 3.6, kQuiet = 0.6, kRise = 0.8, kHold = 1.4;
  constexpr double kDiagonal = std::numbers::inv_sqrt3;
  constexpr double kPushes[][3] = {{20, 0, 0},
                                   {0, 15, 0},
                                   {0, 0, -30},
                                   {-25, 0, 0},
                                   {0, -20, 0},
                                   {0, 0, 10},
                                   {30 * kDiagonal, 30 * kDiagonal, -30 * kDiagonal},
                                   {-12, 0, 0}};
  constexpr int kPushCount = static_cast<int>(std::size(kPushes));
  const double turn = std::floor(t / kPeriod), within = t - turn * kPeriod;
  const auto number = static_cast<long long>(turn);
  const auto& push = kPushes[(number / 2) % kPushCount];
  const double rise = smooth_step(within, kQuiet, kQuiet + kRise).position;
  const double fall = smooth_step(within, kQuiet + kRise + kHold, kPeriod).position;
  return {static_cast<int>(number % 2), (rise - fall) * Vector3(push[0], push[1], push[2])};
}

}  // namespace antaeus
