#pragma once
/// \file
/// Tolerances of tests/contact alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Weight from velocities at both ends, relative to m: a quadratic's are exact, sums of 100 numbers round [N/kg].
inline constexpr Tolerance kContactWeight{1e-9};
/// 60.06 kg against force and trajectory that were low-passed and written with six digits: 0.2 % [N].
inline constexpr Tolerance kPlatesWeight{1.2};
/// A swing sin² by 10 cm in 0.5 s leaves the ground slower than 0.25 m/s for 0.05 s; averages over 0.05 s [s].
inline constexpr Tolerance kSyntheticStep{0.08};
/// A crossing between rows 20 ms apart against 1 ms, through fits over 40 and 60 ms [s].
inline constexpr Tolerance kTimingRate{0.008};
/// Strikes and toe-offs: three rows at 100 Hz [s]; times are written with two digits.
inline constexpr Tolerance kPlatesTiming{0.030 + 1e-9};
/// Central differences with step 1e-3 of ratios with a floor of 12 N, relative to 1 + the derivative: 1e-6 × third
/// derivatives, which are 1/12² of the first.
inline constexpr Tolerance kDeviationDifference{1e-6};
/// Ratios whose floor is 1e-3 × 12 mN² of the force's square.
inline constexpr Tolerance kDeviationByHand{1e-6};
/// Share of 4800 correlated checks, about 400 independent ones: 3 · √(0.95 · 0.05/400) [%].
inline constexpr Tolerance kCalibration{3.3};
/// Mean of as many squared z: 3 · √(2/400).
inline constexpr Tolerance kCalibrationSquare{0.21};
/// Share of 32 trials, each of which an interval holds wholly or not at all: 3 · √(0.95 · 0.05/32).
inline constexpr Tolerance kFewTrials{0.12};
/// What 3 mm do to a load, squared, against the linearised problem, which leaves out how ratios curve: with deviations
/// of one sd, 5 % of a force, an sd is right to as much, and its square to twice that.
inline constexpr Tolerance kConstantShare{0.1};
/// An sd about two solutions whose loads differ by some 5 %, from which it follows.
inline constexpr Tolerance kWalkingSd{0.05};
/// One covariance about a minimum that was reached from two starts: 200 rows, each to 1e-10 of the cost, are 1.4e-4 of
/// an sd.
inline constexpr Tolerance kTwoDescents{1.4e-4};
/// The squeeze's sd against its prior: loads differ from halves by some 10 %, and the sides' sum of 5 N tells a little.
inline constexpr Tolerance kSqueezeShare{0.1};
/// One Gauss–Newton solution in two worlds: forces up to 700 N through some 20 iterations that end alike, and medians
/// of places that round differently by 1e-16 [N, N·m].
inline constexpr Tolerance kTurnedWorld{1e-6};
/// 50 against 100 Hz, as a share of the weight: "a few per cent".
inline constexpr Tolerance kRateForce{0.02};
/// And of the sd's ratio from 1.
inline constexpr Tolerance kRateSd{0.05};
/// Each foot's vertical force [N]: standing as a prototype had it, squats within 10 % of the best
/// rule's 10.9 and 10.6 N, walking 40 N.
inline constexpr Tolerance kPlatesStanding{10.0};
inline constexpr Tolerance kPlatesSquatRight{1.1 * 10.9}, kPlatesSquatLeft{1.1 * 10.6};
inline constexpr Tolerance kPlatesWalking{40.0};
/// Half-width of the squeeze's interval, standing or squatting [N].
inline constexpr Tolerance kSqueezeHalfWidth{25.0};
/// The same of a foot's vertical force: 8.5 % of 589 N, at which half the weight is 41 to 59 % [N].
inline constexpr Tolerance kVerticalHalfWidth{50.0};
/// Place of a hidden contact [m]: the width of a hand.
inline constexpr Tolerance kChairPlace{0.10};
/// Feet whose loads move by up to 180 N: 4 % of 589 N [N]; the centre of pressure's 14 mm alone are some 20 N.
inline constexpr Tolerance kUnevenLoad{24.0};
/// Within 1e-10: forward dynamics with torques and wrenches, over one step of 4 ms, against the asked
/// velocity [m/s, rad/s]. Accelerations up to 25 times κ of the biped's mass matrix, some 10⁴, times ε times the step:
/// 2e-13.
inline constexpr Tolerance kAskedVelocity{1e-12};
/// Torques and root residuals up to 2000 N·m of two recursions over 18 bodies: some 100 roundings [N, N·m].
inline constexpr Tolerance kRootResidual{5e-11};
/// Ratio of errors at steps 8 and 4 ms from 4: the next order is (7 rad/s · 8 ms)² = 0.3 % of it, and the worst frames
/// differ; at the ends, one-sided, 4 % of it.
inline constexpr Tolerance kOrderOfDifferences{0.2};
/// Parabolas through steps of 1 ms: h²/3 times third derivatives of 0.2 (7 rad/s)³ = 70, at the ends [rad/s].
inline constexpr Tolerance kThreeFramesVelocity{5e-5};
/// The same over 1 ms inside: h²/12 times fourth derivatives of 500 rad/s⁴ times 42 kg m² or inertia of 1 kg m²: 4e-4,
/// and as much of velocities; rounding 1e-16/h² · 42 = 4e-9 [N, N·m].
inline constexpr Tolerance kDifferencedTorque{5e-3};
/// One motion at two sampling rates: rms of the forces' difference, as a share: what a user may take for the same.
inline constexpr Tolerance kSamplingRate{0.01};
/// A kept limit, twice the programme's stop of 1e-2 N, and the threshold at which one is called broken [N].
inline constexpr Tolerance kKeptLimit{0.02};
/// Sizes of broken limits: each of up to four stops 1e-2 N short of the least sum [N].
inline constexpr Tolerance kBrokenSum{0.08};
/// Two programmes for one optimum, each stopped within 1e-2 N of its limits, in wrenches of up to 400 N [N, N·m].
inline constexpr Tolerance kSameOptimum{0.05};
/// Against nimblephysics, relative to the largest entry: other algorithms, the same 6 × 6 systems.
inline constexpr Tolerance kNimble{1e-10};
/// The same over time, whose system has a condition of 10⁴ to 10⁶.
inline constexpr Tolerance kNimbleOverTime{1e-9};
/// Smoothing alone in link axes: only the turning of the feet tells what the wrenches are.
inline constexpr Tolerance kNimbleIllConditioned{1e-7};
/// A humanoid's weight through 30 bodies' first moments [N]: some ε of 1000 N each.
inline constexpr Tolerance kKinematicWeight{1e-9};
/// A stream's wrenches, relative to the largest: a lag that leaves 1e-12, through a system of condition 10⁴.
inline constexpr Tolerance kStreamed{1e-9};
/// Root force that feet and a seat leave, as a share of the weight: the estimator's own 8 N (sd) of 589 N, doubled.
inline constexpr Tolerance kSeatedResidual{0.03};

}  // namespace antaeus::tolerance
