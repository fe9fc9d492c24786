#pragma once
/// Every tolerance of the test-suite: a name and a reason. ANTAEUS_TOLERANCE_SCALE=0 shows the true residuals.

#include <cstdlib>

namespace antaeus::tolerance {

/// Multiplies every tolerance; 0 makes each comparison fail and print its true residual.
inline double scale() {
  static const double value = [] {
    const char* text = std::getenv("ANTAEUS_TOLERANCE_SCALE");
    return text ? std::atof(text) : 1.0;
  }();
  return value;
}

class Tolerance {
 public:
  constexpr explicit Tolerance(double value) : value_(value) {}
  operator double() const { return value_ * scale(); }

 private:
  double value_;
};

// --- robot -----------------------------------------------------------------------------------------------------------
/// Two descriptions of one robot: M, g, J, poses (SI units, entries up to ~700). Some hundred ε of the largest entry; a
/// gram at half a metre would be 5e-3 N·m.
inline constexpr Tolerance kModelParity{1e-9};
/// The Jacobian of an arm of nine joints against MuJoCo's: some ε of lengths below 1.5 m, which
/// MuJoCo sums along the chain with quaternions and we with matrices. The residual is 1e-15.
inline constexpr Tolerance kJacobianParity{1e-12};
/// The Panda's largest reach [m], by a search over joint angles: flat there, so 1e-8 of the angles is 1e-16 of it, and
/// a quasi-Newton method that differences stops some 1e-6 rad short.
inline constexpr Tolerance kReach{1e-9};
/// What a solution says of its error against other forward kinematics [m, rad]: some ε of lengths below 2 m and of the
/// entries of rotations. The residual is 1e-15.
inline constexpr Tolerance kSaidError{1e-13};
/// A step of the plain methods against NumPy's, as a share of what an error of one ε in the Jacobian would do to it
/// (its condition, once or twice): some ε of the Jacobian's own sums.
inline constexpr Tolerance kPlainParity{1e-14};
/// Sixty steps of the plain loop against the same on MuJoCo and NumPy [rad, m]: rounding, a little amplified near
/// singular poses.
inline constexpr Tolerance kPlainLoop{1e-13};
/// Two algorithms for one quantity in double precision on a tree of 28 bodies: 1e-13 relative × entries up to 700.
inline constexpr Tolerance kSameQuantity{1e-10};
/// Central differences with step 1e-6: truncation 1e-12 × third derivative, rounding 1e-16 × 700 / 1e-6.
inline constexpr Tolerance kFiniteDifference{2e-6};
/// a − M⁻¹(M a) of accelerations up to 10: kSameQuantity × κ of the H1-2's mass matrix over its norm, about 10³.
inline constexpr Tolerance kForwardDynamics{1e-9};

/// Torque of a link whose parameter is changed by 1e-3, per unit of it: torques up to 100 with some ε of rounding in
/// two models' fixed transforms, over 1e-3.
inline constexpr Tolerance kRegressorSlope{1e-9};

/// Replayed states against the single-sample path, as a share of the largest entry: some ε of a
/// dozen bodies' sums. The residuals are below 2e-14.
inline constexpr Tolerance kBatchParity{1e-12};
/// Wrenches by two decompositions, as a share of κ |r|/σ, to which a residual's unexplained part carries an error of
/// one ε: a dozen of them.
inline constexpr Tolerance kBatchWrench{1e-14};

// --- conditioning ----------------------------------------------------------------------------------------------------
/// Inverses of 6 × 7 matrices with gains up to 60, by another route (LU of a Gram matrix): ε × κ² of up to 1e4 × gain.
inline constexpr Tolerance kInverseTier{1e-9};
/// Central differences with step 1e-6 of inverses with gains up to 60, relative: truncation (1e-6 · 60)² / 6.
inline constexpr Tolerance kInverseDifference{2e-6};

// --- sim -------------------------------------------------------------------------------------------------------------
/// Parity with MuJoCo, whose model is the source of ours: entries up to some hundred
/// (SI units), a dozen bodies, each with some ε of it. The residuals are below 3e-13.
inline constexpr Tolerance kMujocoParity{1e-11};
/// A mesh that was moved into its axes of inertia and back, through single precision [m].
inline constexpr Tolerance kMeshPlace{1e-6};
/// Force at the mount less the payload's demand against the contacts' own sum [N, N·m]: forces up to 1e3 through a
/// dozen bodies, each with some ε of it; MuJoCo's solver does not matter, because both read the same force.
inline constexpr Tolerance kMountForce{1e-11};
/// The same moment of a linkage [N·m]: MuJoCo's loops are closed by forces at two points that its solver leaves up to
/// 0.5 mm apart, at up to some N while the table strikes the fingers.
inline constexpr Tolerance kLinkageMoment{2e-3};
/// A body that rests on a contact [N]: 10 s after the touch, a spring of some 10 ms has died away; its weight and push
/// are 23 N and the solver stops at 1e-8, ten times.
inline constexpr Tolerance kRestingForce{2e-7};
/// Friction over normal force on MuJoCo's elliptic cone [1]: its solver's stop, 1e-8 of some 30 N.
inline constexpr Tolerance kSlidingFriction{1e-6};
/// Holding by gravity's torque alone [rad]: 4e-16 is met; fingers that stand otherwise than in the model make 1.4e-5
/// (docs/control.md).
inline constexpr Tolerance kGravityHold{1e-10};
/// The same with the real gripper and joint damping of 1: fingers give a little where the model holds them.
inline constexpr Tolerance kGripperHold{1e-6};
/// Sd of 3000 normal numbers, relative: four standard errors, 4/√6000.
inline constexpr Tolerance kSensedNoise{0.052};

/// MuJoCo and Pinocchio on one free-flying robot: mass matrix over its largest entry, some ε
/// of a dozen bodies, and accelerations over their norm, times a condition of up to 10⁵ of a wrist's inertia to the
/// base's.
inline constexpr Tolerance kFlyerMass{1e-12};
inline constexpr Tolerance kFlyerAcceleration{1e-10};
/// Two integrators of order 4 after 2 s in steps of 1 ms [m, rad, m/s, rad/s]: each is off by h⁴ times a constant that
/// grows with what spins; their momentum says 1e-9.
inline constexpr Tolerance kFlightApart{1e-9};
/// With a base that forces of 20 N and torques of 20 N·m bring to 2 rad/s: (ω dt)²/24, 2e-7, of the motion, some metres
/// and radians.
inline constexpr Tolerance kPushedFlightApart{1e-6};
/// Times, added up in steps [s].
inline constexpr Tolerance kFlightTime{1e-12};
/// Momentum at 1 ms [N·s, N·m·s]: integrators of order 4, ten times the 1e-9 above.
inline constexpr Tolerance kFlightMomentum{1e-8};

// --- control ---------------------------------------------------------------------------------------------------------
/// Λ and M⁻¹ Jᵀ against other routes to them: conditions of some 10³ of masses and mobilities times some ε; at a
/// singular pose relative to the floor's inverse.
inline constexpr Tolerance kToolMass{1e-12};
/// Growth of an impedance's storage in a step of 1 ms beyond the work put in [J]: Runge and Kutta's fifth order of
/// modes of 30 rad/s that hold up to 10 J, (0.5 ms · 30 rad/s)⁵/120 of them.
inline constexpr Tolerance kStoredEnergy{1e-10};
/// Damping of a mode by the eigenvalues of its linear system, which are apart (ratios of 0.7 and less): conditions of
/// some 10³ times some ε.
inline constexpr Tolerance kDampingRatio{1e-12};
/// A spring's rest after 5 s [m, rad]: what is left of a posture's slow motion, exp(−5 s · 2.5 rad/s) of it, and as
/// much of its torque as passes the projector.
inline constexpr Tolerance kSpringRest{1e-6};
/// Rotation vectors up to 179° by a quaternion of a product of matrices: some ε, over a cosine of half the angle of
/// 0.01 [rad].
inline constexpr Tolerance kTurnError{2e-14};
/// Steady states of an exact step: what exp(−t/τ) leaves after 40 τ, and some ε of thousands of steps.
inline constexpr Tolerance kAdmittanceRest{1e-13};
/// The mean of two twists against the difference of two poses 0.1 ms apart [m/s, rad/s]: h²/12 of third derivatives up
/// to 10³, and rounding of 1e-16/h. Also what counts as at rest.
inline constexpr Tolerance kTwistDifference{1e-6};
/// Exact steps against Runge and Kutta with a thousand substeps of 8 µs and less [m]: their rounding, 1e5 times ε of
/// 0.1 m at most; their truncation is (200 rad/s · 8 µs)⁵.
inline constexpr Tolerance kExactStep{1e-13};

// --- control: tasks in contact ---------------------------------------------------------------------------------------
/// Where a line of 20 mm ends: some ε of millimetres, over a thousand steps.
inline constexpr Tolerance kTaskPlace{1e-12};
/// A normal out of a circle of 3 mm whose places lie on the plane to 1e-17 m: a root of their scatter over 3 mm.
inline constexpr Tolerance kFoundNormal{1e-6};
/// The way back of a tool that stood up to the landing's lead, half a millimetre, below where it was wanted [m].
inline constexpr Tolerance kRetreatWay{1e-3};
/// How far 5 N move 5 kg in a first cycle of 2 ms, 2e-6 m, with room for what it came to rest short of [m].
inline constexpr Tolerance kFirstCycle{1e-4};

// --- control: without a force sensor ---------------------------------------------------------------------------------
/// What the momentum observer finds of a push against the push itself, as late [N·m]: over a step of 1 ms torque and M
/// v̇ are taken for even, wrong by h²/24 of their second derivative, some 100 N·m · (6/s)² · 1e-6/24, and what the first
/// sample began with, e⁻¹² of it.
inline constexpr Tolerance kObservedTorque{1e-3};
/// A posterior of one joint by hand [N, relative]: a division and a root.
inline constexpr Tolerance kPosteriorByHand{1e-12};
/// Friction and bias of a straight line without noise [N·m]: the prior's pull, its variance over that of 4 s of samples
/// 32 ms apart at an sd of 0.02 N·m, times how far the prior was off.
inline constexpr Tolerance kTaredLine{2e-3};
/// Central differences with step 1e-5 s of motions whose third derivative is up to 100/s³ times their size 4e-3.
inline constexpr Tolerance kMotionDifference{1e-8};
/// A force that swings by sin over whole windows, averaged by equal weights [N]: what the observer's lag of 16 ms
/// leaves.
inline constexpr Tolerance kSwingingForce{1e-2};
/// Force on a springy table after 6 s of integral action with a time constant of 0.7 s; the rocking's ripple [N].
inline constexpr Tolerance kPressedForce{0.1};
/// Force control without a sensor, two to three times the worst of the seeds in docs/control_sensorless.md: mean of a
/// hold that rocks, and with joint sensors [N].
inline constexpr Tolerance kRockedForce{0.3};
inline constexpr Tolerance kJointSensedForce{0.2};
/// Share of 2000 runs within an interval of 95 %: four standard errors, 4 √(0.95 · 0.05/2000).
inline constexpr Tolerance kCoverageOfRuns{0.0195};
/// Root mean square of the same runs' errors over their sd: four standard errors, 4/√4000.
inline constexpr Tolerance kScaleOfRuns{0.064};

// --- control: free-flying --------------------------------------------------------------------------------------------
/// Central differences with step 1e-5 s of guidance: truncation h²/6 of third derivatives up to 200 (turns of up to
/// half a turn and 60/T³ of passages of 3.5 s), rounding 1e-16 × 5 m / h.
inline constexpr Tolerance kGuidanceDifference{1e-8};
/// Places and rotations of guidance by another route [m, 1]: some ε of lengths up to 6 m, and of angles up to 3π.
inline constexpr Tolerance kGuidancePlace{2e-14};
/// Wheels' momentum over 2000 cycles [N·m·s]: the rounding of each, ε of up to 1, adds up as a random walk, 45 ε, with
/// ten to spare.
inline constexpr Tolerance kWheelMomentum{1e-13};
/// Mean of ω × h over a step of 1 µs [N·m]: ω² h dt/2 off, 5e-6, and ε h/dt of rounding.
inline constexpr Tolerance kWheelStep{1e-5};

// --- conditioning ----------------------------------------------------------------------------------------------------
/// Singular values of entries of order 1, relative to σ₁: two backward stable algorithms of up to 33 × 24 differ by
/// some n·ε.
inline constexpr Tolerance kSingularValue{1e-13};
/// UᵀU − I, VᵀV − I and (A − U Σ Vᵀ)/σ₁ per entry: about 100 rotations of one column, each rounding by ε.
inline constexpr Tolerance kOrthogonality{5e-14};
/// Each singular value relative to itself, for well-conditioned matrices with badly scaled columns or rows: n²·ε, with
/// 100 to spare.
inline constexpr Tolerance kGradedSingularValue{1e-12};
/// Penrose conditions and other inverses, relative to κ: the error of an inverse is κ·n·ε.
inline constexpr Tolerance kInversePerCondition{1e-14};
/// Sums and products of a handful of numbers of order 1.
inline constexpr Tolerance kArithmetic{1e-13};

// --- io --------------------------------------------------------------------------------------------------------------

// --- guard -----------------------------------------------------------------------------------------------------------
/// A torque's change as a share of its limit, sampled at up to 10 kHz: stamps about 10 s round by 1e-15 s, which is
/// 1e-11 of a step of 0.1 ms; the guard's own slack for the end of its window is 1e-9.
inline constexpr Tolerance kTorqueRateShare{1e-6};

// --- estimation ------------------------------------------------------------------------------------------------------
/// A wrench that torques hold exactly, recovered: κ ≤ 40 times rounding of torques up to 300 N·m (1e-13).
inline constexpr Tolerance kRecoveredWrench{1e-9};
/// A few products and sums of numbers up to 1000 that are written out by hand.
inline constexpr Tolerance kByHand{1e-9};

/// Specific force of a moving sensor by second differences of its position: step 1e-4 s, truncation 1e-9/12 × 4th
/// derivative (below 1e4), rounding 1e-16 × 1 m / 1e-8, times 10 kg·m; and the base's angular acceleration by one
/// difference over 1e-4 s of a jerk below 100 rad/s³ times 1 kg·m².
inline constexpr Tolerance kDifferencedResidual{0.02};
/// The same at rest: only rounding, 4 × 1e-16 / 1e-8 m/s² times 10 kg·m.
inline constexpr Tolerance kDifferencedStill{1e-5};
/// Vertical force of a slowly swaying robot, relative: its centre of mass differenced twice over 0.02 s, of which h²/12
/// times the 4th derivative is left, 1e-5 m/s² of 9.81.
inline constexpr Tolerance kDifferencedForce{1e-5};
/// Centre of pressure beyond an edge [m]: a limit may be broken by 0.02 N at a lever of 0.1 m, 2e-3 N·m under 240 N.
inline constexpr Tolerance kBesideTheSole{1e-5};
/// Gravity's change with the base's tilt by central differences over this angle [rad]: truncation 1e-8/24 of 100 N·m;
/// rounding 1e-14 × 100 / 1e-4, times 0.035 rad, and squared with terms of 3 N·m.
inline constexpr double kTiltStep = 1e-4;
inline constexpr Tolerance kDifferencedTilt{1e-6};
/// A Gaussian posterior by two algorithms (Cholesky of the whitened problem; dense inverses): κ of the problem, below
/// 1e6, times ε.
inline constexpr Tolerance kSamePosterior{1e-9};
/// A posterior and its row tests under a full R, whitened by Cholesky, against dense inverses of S: R's condition is
/// below 1e3 there, S's below 1e5, times ε.
inline constexpr Tolerance kSameCorrelatedPosterior{1e-10};
/// One row's test from block posteriors against the inverse of S over all rows, relative: S has a condition of up to
/// 1e5 (20 N at 0.6 m beside 0.3 N·m of noise, squared, and the blind direction), inverted and divided: 1e9 × ε.
inline constexpr Tolerance kSameRowTest{1e-7};

// --- episode and audit -----------------------------------------------------------------------------------------------
/// A difference of two numbers that were each rounded to 0.001 before they were subtracted, as the report did.
inline constexpr Tolerance kSubtractedPrintedDigits{1e-3};
/// Difference of two time stamps since 1970 [s]: doubles at 1.7e9 are 2.4e-7 apart, and each of the two is rounded.
inline constexpr Tolerance kEpochClock{1e-6};
// Twins (synthetic_episode_test, smooth_curve_test):
/// Piecewise cubics against SciPy's: a dozen roundings of numbers up to 35.
inline constexpr Tolerance kCurve{1e-12};
/// Central differences with step 1e-5 of functions of order 1 whose third derivatives are below 1e3: 1e-10/6 × 1e3 +
/// 1e-16/1e-5.
inline constexpr Tolerance kCurveDerivative{1e-7};
/// The six rows that no motor drives [N, N·m]: forces up to 1e3 and their moments cancel, 1e-12 of rounding; a wrong
/// lever would be 1 and more.
inline constexpr Tolerance kBaseBalance{1e-9};
/// Forward against inverse dynamics: torques up to 430 N·m hold 1e-13, over the smallest inertia of a wrist, 1e-4
/// kg·m².
inline constexpr Tolerance kTwinAcceleration{1e-8};
/// Central differences at 10 kHz: (1e-4)²/6 × jerk, which is below 6000 rad/s³.
inline constexpr Tolerance kTwinVelocityDifference{1e-5};
/// The same one derivative up: where a smooth step of the knees ends, the jerk jumps by 184 rad/s³, and 1e-4/4 of it
/// shows.
inline constexpr Tolerance kTwinAccelerationDifference{6e-3};
/// A quasi-static push recovered by the deployed estimator: the arms' own accelerations, below 0.1 rad/s², make the
/// error [N].
inline constexpr Tolerance kQuasiStaticForce{0.3};
/// Golden torques are written with nine digits after the point; the feet's wrenches solve a system of κ up to 1e4.
inline constexpr Tolerance kTwinGolden{1e-7};
/// Four standard errors of the mean of 36639 normal numbers of sd 0.3 N·m.
inline constexpr Tolerance kNoiseMoment{0.0063};

// --- audit: sweeps
// ----------------------------------------------------------------------------------------------------
/// Entries and singular values of the planar arm's Jacobian: its profile's angles are rounded to 1e-6 rad, three of
/// them.
inline constexpr Tolerance kRoundedPoseAngle{3e-6};
/// A force of 5 N·m through that Jacobian's inverse: 1e-6 rad × 1/σ² (below 900) × 5.
inline constexpr Tolerance kRoundedPoseForce{4.5e-3};
/// Cross products and differences of positions below 2 m, and singular values of one matrix by two ways.
inline constexpr Tolerance kSameKinematics{1e-13};
/// Gains and κ near a singularity, relative to κ²: the rounding of J, a few ε, through the inverse twice.
inline constexpr Tolerance kGainPerConditionSquared{1e-14};

// --- signal ----------------------------------------------------------------------------------------------------------
/// Filters' outputs of order 1 after some hundred steps, each rounding by a few ε.
inline constexpr Tolerance kFilterStep{1e-13};
/// Sum of a sine's 10 001 images, which fall with the cube of their number: of the rest 1e-12 remains.
inline constexpr Tolerance kImages{1e-12};
/// Tables print three decimals.
inline constexpr Tolerance kPrintedTable{5.1e-4};
/// Tail probabilities relative to themselves: exp of exponents up to 700, each with some ε of its own size.
inline constexpr Tolerance kTail{1e-11};
/// Limits of alarms against SciPy's, relative: the bar of chi_squared.hpp for the tail, whose slope makes it smaller in
/// the limit. The residuals are below 1e-14.
inline constexpr Tolerance kAlarmLimit{1e-12};
/// Innovations of 40 samples, a few sds each, against one Cholesky of condition 2e3: rounding of 40 steps times that.
inline constexpr Tolerance kWhitened{1e-11};
/// Sums of a window against one Cholesky of 40 rows, relative: what is added to the constant part, 1e-9 of the
/// variance, times the condition, about 1e2.
inline constexpr Tolerance kWindow{1e-6};
/// χ² of one sample with and without memory, relative: the same 1e-9 over a white share of 1e-2 in some direction.
inline constexpr Tolerance kWindowOfOne{1e-6};
/// Probabilities of AlarmLimits, relative: linear between nodes of a factor of two, ((ln 2)²/8) d²x/d(ln p)² of the
/// limit.
inline constexpr Tolerance kAlarmTable{5e-3};
/// Mean, variance and kurtosis of 4e6 normal numbers: five of their own standard errors, √(96/4e6) the largest.
inline constexpr Tolerance kDrawnMoments{0.025};
/// Siegmund's approximation of run lengths, relative, against tables of exact ones with drift ½; at shifts of 2 and 3
/// sd, where the alarm comes within 2 to 4 samples and a sum is no diffusion, twice and five times that.
inline constexpr Tolerance kSiegmund{0.02};
/// Run lengths of 10 000 simulated alarms, relative: four standard errors of 1 %, and Siegmund's 2 %; 1.7 times that
/// with a drift of 1, where Siegmund's formula is 6 % off.
inline constexpr Tolerance kMonteCarloRunLength{0.06};
/// Wilson and Hilferty's tails relative to probabilities of 1 % and more; 6 and 17 times that at 1e-3 and 1e-4.
inline constexpr Tolerance kWilsonHilferty{0.03};
/// Values of order 10 from least squares with up to 21 powers of numbers up to 1.
inline constexpr Tolerance kPolynomial{1e-12};
/// A delay without noise [s]: interpolation between samples 5 ms apart of a signal that curves by 40 per second² errs
/// by 1e-4 of an amplitude of 1 and a slope of 6 per second, and 500 samples average it.
inline constexpr Tolerance kNoiselessDelay{5e-6};
/// Four standard errors of the mean, and of the mean square, of 300 standard normal numbers.
inline constexpr Tolerance kMeanOf300{0.23};
inline constexpr Tolerance kMeanSquareOf300{0.33};

// --- constraints -----------------------------------------------------------------------------------------------------
/// Sums of some products of numbers up to 200 [N, N·m, m]; where numbers are larger, times their size.
inline constexpr Tolerance kMarginByHand{1e-12};
/// Margins' sds by central differences with step 1e-5 of functions of order 100: rounding 1e-14/1e-5, truncation 1e-10.
inline constexpr Tolerance kMarginSlope{1e-7};
/// Factor, solution and inverse of block matrices with entries of order 1 and eigenvalues above 1, against dense ones:
/// κ up to 100 times some 10 ε.
inline constexpr Tolerance kBlockTridiagonal{1e-13};
/// Unknowns and violations of quadratic programmes that are solved by hand [N]: products of slack and multiplier stop
/// below 1e-5, over multipliers of 1 and more.
inline constexpr Tolerance kElasticQpByHand{1.1e-5};
/// The optimum's conditions, each from dense algebra on the answer. Stationarity: the solver's own bar, 1e-9 of the
/// largest of g and Gᵀλ. Feasibility: its 1e-7 N. Products: its 1e-9 · price. A tenth more for sums in another order.
inline constexpr Tolerance kElasticQpStationarity{1.1e-9};
inline constexpr Tolerance kElasticQpPrimal{1.1e-7};
inline constexpr Tolerance kElasticQpProduct{1.1e-9};
/// One problem solved in two ways [N]: products of up to 1e-5 over multipliers from 0.01 where a limit is reached.
inline constexpr Tolerance kElasticQpTwoSolutions{1e-3};

// --- estimation: hypotheses, filter, projection ---------------------------------------------------------------------
/// Best fits from a Gram matrix against QR of the columns themselves, relative to χ²: κ² of the seen directions, up to
/// 1e9, times ε.
inline constexpr Tolerance kNormalEquations{1e-7};
/// A posterior under a prior of 1e6 N and N·m against least squares, sds up to 30: (30/1e6)² of 1e3 N, and rounding of
/// numbers 1e6 apart.
inline constexpr Tolerance kWidePrior{1e-3};
// --- episode: inertial channels --------------------------------------------------------------------------------------
/// Rotations differenced over 2e-4 s: ε/2e-4 and 1e-8/6 of second derivatives of rates, below 500 rad/s³.
inline constexpr Tolerance kDifferencedGyro{2e-6};
/// Second differences with step 1e-4 of positions below 1 m: a few ε over 1e-8 (several 1e-8, of the reference's own
/// velocities and accelerations the same), truncation 1e-8/12 of fourth derivatives up to 2000 m/s⁴.
inline constexpr Tolerance kDifferencedAccelerometer{2e-5};
/// Second differences at 10 kHz: rounding as above; where a course's knots lie the jerk jumps, and 1e-4/6 of the jump
/// shows.
inline constexpr Tolerance kTwinSpecificForce{6e-3};
/// Cubics of numbers up to 55 through fits over 0.1 s; the second derivative divides their rounding by (0.02 s)².
inline constexpr Tolerance kSmoothCubic{1e-9};
inline constexpr Tolerance kSmoothCubicAcceleration{1e-8};
// --- mujoco (tests/python/mujoco_truth_test.py) ----------------------------------------------------------------------
/// τ − rnea against −Σ Jᵀ F of a simulated push or shake [N·m]. The angular acceleration is extrapolated from lags of
/// 1.25 and 2.25 ms: half their product × its second derivative, 1600 rad/s⁴ × the upper body's 1.3 kg·m² = 3e-3.
inline constexpr Tolerance kMujocoResidual{0.02};
// --- pose quality, advice and map ------------------------------------------------------------------------------------
/// An sd up to 20 N: square root of a variance that two algorithms agree on to kSamePosterior of 400 N² [N].
inline constexpr Tolerance kPoseSd{1e-7};
/// A relative singular value and its direction, from an eigenvalue of the squared matrix: κ² of 10⁸ times rounding.
inline constexpr Tolerance kErrorForce{1e-6};
/// A contour between points 2.9 px apart [px]: a cone's curvature at a radius of 60 px leaves 2.9²/8/60, coordinates
/// are written to 0.01.
inline constexpr Tolerance kContour{0.05};
/// A place in a figure: coordinates are written to 0.01 [px].
inline constexpr Tolerance kPixel{0.0051};
/// A corner of a mesh below 1 m that was written as float in mm, moved and scaled: four roundings of 6e-8 [m].
inline constexpr Tolerance kMeshCorner{2.4e-7};
/// A point of a stick below 1 m, through its rotation and back: some ε [m].
inline constexpr Tolerance kStick{4e-15};
// --- contact ---------------------------------------------------------------------------------------------------------
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
/// rule's 10.9 and 10.6 N, walking 45 N.
inline constexpr Tolerance kPlatesStanding{10.0};
inline constexpr Tolerance kPlatesSquatRight{1.1 * 10.9}, kPlatesSquatLeft{1.1 * 10.6};
inline constexpr Tolerance kPlatesWalking{45.0};
/// Half-width of the squeeze's interval, standing or squatting [N].
inline constexpr Tolerance kSqueezeHalfWidth{25.0};
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

// --- ik --------------------------------------------------------------------------------------------------------------
/// Functions with results of up to 4, half a unit in the last place of their own and of the library's.
inline constexpr Tolerance kLastDigit{9e-16};
/// Poses of chains of up to 8 joints and 2 m, whose common normals may stand fifty times as far: some ε of 100 m,
/// thirty products.
inline constexpr Tolerance kChainPose{1e-12};
/// Distances by two forward kinematics [m].
inline constexpr Tolerance kReachError{1e-12};
/// Angles by the sine's arc against those of a quaternion: the root of rounding where the cosine is flat [rad].
inline constexpr Tolerance kReachAngle{3e-8};
/// Rotation vectors near half a turn: rounding over a sine of 1e-7 [rad].
inline constexpr Tolerance kRotationLog{1e-7};
/// Largest entry of the projected gradient at a closest pose: 1e-9 is where descents end, 1e-6 where rounding ends
/// them.
inline constexpr Tolerance kStationary{1e-6};
/// Closest poses of one target seen from two bases: other last digits, other roundings of the table's cells.
inline constexpr Tolerance kClosestMiss{1e-3};
/// Central differences with step 1e-5 of numbers up to 10: truncation 1e-10, rounding 1e-15 / 1e-5; near half a turn
/// the third derivative of θ² is a hundred times as large.
inline constexpr Tolerance kClosestGradient{1e-7};
inline constexpr Tolerance kClosestHessian{1e-6};
/// A pseudo-inverse step by two algorithms, relative to the largest entry, away from singular poses.
inline constexpr Tolerance kPlainStep{1e-10};

// --- space
// -------------------------------------------------------------------------------------------------------------
/// ΓΓ⁻¹ − E with gains up to 50 of J⊕⁻¹: some ε × 50 × entries up to 2.
inline constexpr Tolerance kMapInverse{1e-13};
/// Velocities up to 10 by two routes: some ε of each of a dozen products.
inline constexpr Tolerance kMapVelocity{1e-13};
/// det Γ / det J⊕ − 1: ε times a condition of up to 100.
inline constexpr Tolerance kMapDeterminant{1e-12};
/// M̂'s blocks that are zero, and mE [kg, kg·m]: 160 kg × gains of 50 × some ε.
inline constexpr Tolerance kInertiaBlocks{1e-12};
/// C_c and Ĉ's first rows, relative to Ĉ.
inline constexpr Tolerance kCoupling{1e-12};
/// Γ̇ by central differences with step 1e-6: rounding 1e-16 × positions of 5 m / 1e-6, truncation 1e-12 × v³.
inline constexpr Tolerance kMapRate{1e-7};
/// Derivatives of inverses with gains up to 50, relative, by the same differences.
inline constexpr Tolerance kInverseRate{1e-6};
/// M̂̇ by the same differences against Ĉ + Ĉᵀ, relative to Ĉ.
inline constexpr Tolerance kInertiaRate{1e-6};
/// M̂̇ − Ĉ − Ĉᵀ with the derivatives that the terms hold, relative to Ĉ.
inline constexpr Tolerance kSkew{1e-12};
/// M̂ẏ + Ĉy − f against the articulated-body algorithm, relative to the largest of the three; m v̇_c − f_c [N].
inline constexpr Tolerance kMotionEquation{1e-11};
/// Rate of momentum by central differences with step 1e-6 [N, N·m]: 1e-16 × 800 kg m/s / 1e-6.
inline constexpr Tolerance kMomentumRate{1e-6};
/// Angular momentum [N·m·s] and twist of a motion that has none.
inline constexpr Tolerance kGeneralisedJacobian{1e-12};
/// Γk̂, 7e-16 is met (docs/space.md), and z_aᵀk̂ − 1.
inline constexpr Tolerance kKernel{1e-14};
inline constexpr Tolerance kKernelDual{1e-13};
/// M-weighted inverse by its textbook formula: condition of ΓM⁻¹Γᵀ of up to 1e4 times ε.
inline constexpr Tolerance kWeightedInverse{1e-12};
/// Rates of n̂, k̂ and z_a by central differences with step 1e-6, relative to 1 and themselves.
inline constexpr Tolerance kKernelRate{1e-6};
/// A determinant of up to 0.02 with entries up to 0.5, by elimination against three factors: some ε.
inline constexpr Tolerance kBareDeterminant{1e-15};
/// Matrices of a free flyer by NumPy from Pinocchio's M, C and Jacobians, relative: ε × a condition of Γ of up to 1e3.
inline constexpr Tolerance kSpaceParity{1e-11};
/// Smallest singular value of a Jacobian that is singular but for the rounding of the pose's cosines.
inline constexpr Tolerance kSingular{1e-14};
/// Shares of the smallest singular value that an independent script measured on an arm 1.18 times as long.
inline constexpr Tolerance kSigmaShare{0.01};
/// A σ_min of 0.05 by the elbow law at 0.13 rad, on the side that it was not fitted on: its next term, 5 % of it.
inline constexpr Tolerance kElbowLaw{4e-3};
/// Slopes that were measured to four decimals.
inline constexpr Tolerance kElbowSlope{6e-5};
/// Extreme singular values by ΓΓᵀ against a decomposition of Γ, relative: ε × the square of a condition of 1e3.
inline constexpr Tolerance kExtremeSigma{1e-9};
/// The arm's π/2 in full against eleven digits: 5e-12 rad × some kg and m.
inline constexpr Tolerance kSpacecraftParity{2e-10};

// --- identification --------------------------------------------------------------------------------------------------
/// RMSE beside another study's of the same scenarios [N]: other pushes, other draws of friction and masses.
inline constexpr Tolerance kStudyRmse{0.3};
/// Torque of a smoothed motion [N·m]: cubics of 30 ms through sines of up to 5.5 rad/s leave some 1e-3 of the
/// accelerations, and arms of 3 kg with forearms of 2 kg swing at up to 12 rad/s².
inline constexpr Tolerance kSmoothedTorque{0.05};
/// Share of dry friction that a low pass of 15 Hz hides from rows formed as the loop forms them: it rounds off the step
/// at each turn, 20 ms of some 0.5 s.
inline constexpr Tolerance kRoundedFriction{0.05};
/// Figures of another program, printed with two digits [N·m]: half a digit, and what differs where "still" is told from
/// the speeds instead of the first 2.5 s (0.02).
inline constexpr Tolerance kIdentifiedOffset{0.025};
/// The same for the motion's sd, relative where it is above 1 N·m: two digits, and which samples count as in motion.
inline constexpr Tolerance kIdentifiedMotion{0.06};
/// Spreads of offsets after the turns of held_pose stand still, at 1e-6 N·m a turn with each turn half of the last.
inline constexpr Tolerance kHeldPoseTurns{5e-6};
/// The gravity regressor against models with other masses: gravity is linear in them, so only rounding is left, of
/// torques up to 700 N·m.
inline constexpr Tolerance kGravityRegressor{1e-11};

// --- flight and control of a free robot ------------------------------------------------------------------------------
/// Poses and velocities of a path by central differences with step 1e-5: rounding 1e-15/1e-5, truncation 1e-10 of
/// third derivatives, which within the offset's window reach some 1e2.
inline constexpr Tolerance kPathRate{3e-8};
/// Places of some metres and velocities below 1 by two routes: some ε of each of a dozen products.
inline constexpr Tolerance kPathState{2e-13};
/// Torques below 20 N·m by two algorithms, 160 kg × 5 m of lever × some ε.
inline constexpr Tolerance kPathTorque{1e-11};
/// Unit length after thousands of products, ε each, and clocks that add up as many steps.
inline constexpr Tolerance kUnitQuaternion{1e-11};
/// A 5 s flight in steps of 1 ms [N·s, N·m·s]: 2e-10 is met (docs/space.md).
inline constexpr Tolerance kMomentumDrift{1e-8};
/// Power by differences of V over 4 µs against supply less dissipation, relative to both: V of up to 10 J rounds by
/// 1e-15/4e-6, and the torque is constant through 2 µs while velocities of 1 change by 1e-5.
inline constexpr Tolerance kPowerBalance{1e-4};
/// After 30 s: the slowest mode is the centre of mass's, (1 + 18) e⁻¹⁸ × 0.3 m = 9e-8 [m, rad].
inline constexpr Tolerance kRegulated{2e-7};
inline constexpr Tolerance kRegulatedByCascade{5e-7};
/// Rise of V in a cycle without supply [J]: V of up to 10 J rounds by 1e-15, and what a torque that is constant
/// through the cycle does where V̇ passes through zero.
inline constexpr Tolerance kEnergyRise{1e-12};
/// A base force where none is needed [N]: rounding alone, 3e-14 is met (docs/claims.md).
inline constexpr Tolerance kContactFree{1e-12};
/// Then the centre of mass drifts by 1e-12 N/160 kg for seconds, and by the rounding of a place of 1 m a thousand
/// times.
inline constexpr Tolerance kComDrift{1e-12};
/// Impulse of a force whose base axes turn by 1e-3 rad a cycle, relative.
inline constexpr Tolerance kImpulse{2e-3};
/// A Panda's pose after 20 s: its slowest mode's 0.40 /s leave 4e-4 of 0.3 rad [m, rad].
inline constexpr Tolerance kSevenReached{2e-4};
/// Then the posture: both modes at 1 /s, 21 e⁻²⁰ of 0.4 rad, and what the pose's own remainder drags along [rad,
/// rad/s].
inline constexpr Tolerance kPosture{5e-5};
/// V − ∫supply on passages through singular poses [J].
inline constexpr Tolerance kSingularRise{1e-9};
/// The same with torques that are constant through 1 ms: on one path of 24 it was 1.8e-9, at 0.5 ms less than 1e-9.
inline constexpr Tolerance kSingularRiseOfCycle{4e-9};
/// Inverses of 9 × 9 matrices with condition 1e4 by two routes, relative.
inline constexpr Tolerance kSchur{1e-9};

// --- tasks -----------------------------------------------------------------------------------------------------------
/// Central differences with step 1e-6 of errors up to 5: rounding 1e-15/1e-6, truncation 1e-12/6 of third derivatives,
/// which near a half turn and close to what is looked at reach 1e3.
inline constexpr Tolerance kTaskDifference{5e-8};
/// The same of logarithms of determinants and sds, relative to 1 and the gradient: conditions of 10³ to 10⁵ of what is
/// inverted, times ε/1e-6.
inline constexpr Tolerance kObjectiveDifference{2e-6};
/// Errors and Jacobians of one pose through another base 7 m away: some ten roundings of numbers up to 10.
inline constexpr Tolerance kTaskInvariance{5e-14};
/// A level counts as reached below 1e-9, by another forward kinematics: some ε more [m, rad].
inline constexpr Tolerance kTaskReached{1.5e-9};
/// What a lower priority may change of a higher one's error [m, rad; a step: m/s, rad/s].
inline constexpr Tolerance kTaskPriority{1e-9};
/// Place of a stationary point [m]: where an error of 0.1 stops to fall by 1e-10 of itself, √(1e-10) of it.
inline constexpr Tolerance kTaskStationary{1e-5};
/// A step's velocities against an interior point whose products of slack and multiplier stop at 1e-14 · 1e3: over
/// multipliers of 1e-5 and more, where a limit hardly counts [rad/s].
inline constexpr Tolerance kTaskOptimum{1e-6};
/// A planted foot [m, rad].
inline constexpr Tolerance kPlantedFoot{1e-6};
/// Least squares between limits, relative to 1 and x: slopes and limits after up to 60 exchanges of 30 unknowns, each
/// rounding by some ε, through an inverse triangle of condition up to 1e4 (the damping).
inline constexpr Tolerance kBoundedStationarity{1e-9};
inline constexpr Tolerance kBoundedLimit{1e-11};
/// The same of two unknowns, but for the damping: 1e-8 of them.
inline constexpr Tolerance kBoundedByHand{4e-8};
/// An sd by Cholesky against singular values, relative: conditions up to 1e5 times ε.
inline constexpr Tolerance kForceDeviation{1e-10};
/// Distances of spheres, capsules and boxes below 2 m by GJK, which is asked for 1e-10 of what is squared [m].
inline constexpr Tolerance kGjkDistance{1e-8};
/// Their central differences with step 1e-5: 1e-10/2e-5, and truncation where nearest points slide fast.
inline constexpr Tolerance kGjkSlope{5e-5};
/// A hull of corners that a mesh holds as floats [m]: 0.2 m × 6e-8.
inline constexpr Tolerance kHullDistance{1e-7};

}  // namespace antaeus::tolerance
