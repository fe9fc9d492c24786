#pragma once
/// \file
/// Members that lists of fields leave out, by struct: with them a value is stored whole (values.hpp). Templates of one
/// struct each, so that this page includes none of their headers.

#include <concepts>

namespace antaeus {

struct Attribution;
struct Audit;
struct CartesianTorque;
struct Cause;
struct ChannelFinding;
struct ConsumerWrench;
struct ContactDemand;
struct ContactSurface;
struct DelayEstimate;
struct Endpoint;
struct EndpointFacts;
struct Episode;
struct EpisodeAudit;
struct EstimateSeries;
struct FlightRecord;
struct FlyingCommand;
struct HeldPoseNoise;
struct HeldStretch;
struct IdentifiedJoint;
struct JointDescription;
struct JointFacts;
struct JointMove;
struct JunctionLesson;
struct LimitedTorque;
struct LineProfile;
struct LinkDescription;
struct MovingFit;
struct Note;
struct NoteValue;
struct Observation;
struct Opening;
struct OptionInfo;
struct OptionValue;
struct PlanarLesson;
struct Pose;
struct PoseAdvice;
struct PoseLimit;
struct PoseLimits;
struct PreflightFigures;
struct PreflightReport;
struct ReachOptions;
struct Reconstruction;
struct ResidualSeries;
struct RobotScale;
struct Shape;
struct ShiftScan;
struct SingleJointMove;
struct SolveResult;
struct SyntheticEpisode;
struct Wrench;

// core
template <std::same_as<Wrench> W>
constexpr void visit_stored(const W*, auto&& visit) {
  visit(&W::force, &W::torque);
}
template <std::same_as<Pose> P>
constexpr void visit_stored(const P*, auto&& visit) {
  visit(&P::rotation, &P::translation);
}
template <std::same_as<Observation> O>
constexpr void visit_stored(const O*, auto&& visit) {
  visit(&O::time, &O::q, &O::v, &O::a, &O::tau, &O::has_imu, &O::imu_quaternion_xyzw, &O::has_gyro,
        &O::imu_angular_velocity, &O::has_accelerometer, &O::imu_specific_force, &O::simulated);
}
template <std::same_as<Note> N>
constexpr void visit_stored(const N*, auto&& visit) {
  visit(&N::code, &N::severity);
}
template <std::same_as<NoteValue> V>
constexpr void visit_stored(const V*, auto&& visit) {
  visit(&V::text, &V::number);
}
template <std::same_as<RobotScale> S>
constexpr void visit_stored(const S*, auto&& visit) {
  visit(&S::sign, &S::sign_from, &S::force, &S::force_from, &S::weight, &S::weight_from, &S::limit, &S::limit_from,
        &S::foot_limit, &S::foot_limit_from);
}
template <std::same_as<OptionInfo> I>
constexpr void visit_stored(const I*, auto&& visit) {
  visit(&I::name, &I::unit, &I::meaning, &I::source);
}
template <std::same_as<OptionValue> V>
constexpr void visit_stored(const V*, auto&& visit) {
  visit(&V::info, &V::given_by);
}

// robot
template <std::same_as<Shape> S>
constexpr void visit_stored(const S*, auto&& visit) {
  visit(&S::kind, &S::X_LS, &S::size, &S::mesh, &S::scale, &S::color);
}
template <std::same_as<LinkDescription> L>
constexpr void visit_stored(const L*, auto&& visit) {
  visit(&L::visuals, &L::collisions);
}
template <std::same_as<JointDescription> J>
constexpr void visit_stored(const J*, auto&& visit) {
  visit(&J::damping, &J::mimics);
}
template <std::same_as<ContactSurface> S>
constexpr void visit_stored(const S*, auto&& visit) {
  visit(&S::friction, &S::torsion, &S::force_cap, &S::sole, &S::sole_depth);
}
template <std::same_as<Endpoint> E>
constexpr void visit_stored(const E*, auto&& visit) {
  visit(&E::surface);
}
template <std::same_as<PreflightFigures> P>
constexpr void visit_stored(const P*, auto&& visit) {
  visit(&P::gain_joints);
}
template <std::same_as<LimitedTorque> T>
constexpr void visit_stored(const T*, auto&& visit) {
  visit(&T::status, &T::tau);
}
template <std::same_as<CartesianTorque> T>
constexpr void visit_stored(const T*, auto&& visit) {
  visit(&T::status, &T::tau, &T::clipped, &T::slowed, &T::is_limited);
}

// episode
template <std::same_as<Episode> E>
constexpr void visit_stored(const E*, auto&& visit) {
  visit(&E::guesses, &E::a, &E::imu_angular_velocity, &E::imu_specific_force, &E::simulated, &E::invalid_steps,
        &E::silent);
}
template <std::same_as<SyntheticEpisode> E>
constexpr void visit_stored(const E*, auto&& visit) {
  visit(&E::wrenches);
}

// signal, contact, control, ik
template <std::same_as<DelayEstimate> D>
constexpr void visit_stored(const D*, auto&& visit) {
  visit(&D::status, &D::delay, &D::sd, &D::correlation, &D::samples);
}
template <std::same_as<ContactDemand> D>
constexpr void visit_stored(const D*, auto&& visit) {
  visit(&D::contacts, &D::kinds, &D::time, &D::dt, &D::total, &D::about, &D::places, &D::speeds, &D::active, &D::guess,
        &D::previous, &D::magnitude);
}
template <std::same_as<LineProfile> L>
constexpr void visit_stored(const L*, auto&& visit) {
  visit(&L::length, &L::duration, &L::shape, &L::ramp);
}
template <std::same_as<ReachOptions> O>
constexpr void visit_stored(const O*, auto&& visit) {
  visit(&O::position_only, &O::position_tolerance, &O::rotation_tolerance, &O::iteration_budget, &O::deadline,
        &O::table_samples, &O::explain);
}

// estimation, check
template <std::same_as<EndpointFacts> E>
constexpr void visit_stored(const E*, auto&& visit) {
  visit(&E::endpoint);
}
template <std::same_as<JointFacts> J>
constexpr void visit_stored(const J*, auto&& visit) {
  visit(&J::joint);
}

// trust, pose, space, tasks
template <std::same_as<Cause> C>
constexpr void visit_stored(const C*, auto&& visit) {
  visit(&C::estimate, &C::deviation);
}
template <std::same_as<ConsumerWrench> C>
constexpr void visit_stored(const C*, auto&& visit) {
  visit(&C::wrench);
}
template <std::same_as<FlightRecord> F>
constexpr void visit_stored(const F*, auto&& visit) {
  visit(&F::samples);
}
template <std::same_as<JointMove> J>
constexpr void visit_stored(const J*, auto&& visit) {
  visit(&J::motor);
}
template <std::same_as<Opening> O>
constexpr void visit_stored(const O*, auto&& visit) {
  visit(&O::found, &O::to, &O::until);
}
template <std::same_as<SingleJointMove> S>
constexpr void visit_stored(const S*, auto&& visit) {
  visit(&S::motor, &S::below, &S::above);
}
template <std::same_as<PoseLimit> P>
constexpr void visit_stored(const P*, auto&& visit) {
  visit(&P::quantity, &P::limit, &P::left_out);
}
template <std::same_as<PoseLimits> P>
constexpr void visit_stored(const P*, auto&& visit) {
  visit(&P::name, &P::limits, &P::notes);
}
template <std::same_as<PoseAdvice> P>
constexpr void visit_stored(const P*, auto&& visit) {
  visit(&P::limits, &P::hand_shift, &P::evaluations);
}
template <std::same_as<PreflightReport> P>
constexpr void visit_stored(const P*, auto&& visit) {
  visit(&P::joints);
}
template <std::same_as<FlyingCommand> F>
constexpr void visit_stored(const F*, auto&& visit) {
  visit(&F::carry);
}
template <std::same_as<SolveResult> S>
constexpr void visit_stored(const S*, auto&& visit) {
  visit(&S::objective_iterations);
}

// identification
template <std::same_as<ResidualSeries> R>
constexpr void visit_stored(const R*, auto&& visit) {
  visit(&R::x, &R::before, &R::after, &R::sd);
}
template <std::same_as<IdentifiedJoint> J>
constexpr void visit_stored(const J*, auto&& visit) {
  visit(&J::label, &J::residual);
}
template <std::same_as<ShiftScan> S>
constexpr void visit_stored(const S*, auto&& visit) {
  visit(&S::shift, &S::error, &S::best, &S::sd, &S::differs);
}
template <std::same_as<ChannelFinding> C>
constexpr void visit_stored(const C*, auto&& visit) {
  visit(&C::joint, &C::use, &C::reason, &C::repeated, &C::gain, &C::gain_sd, &C::limit, &C::limit_offset, &C::limit_sd,
        &C::at_limit, &C::forward, &C::backward, &C::white_sd, &C::standing_sd, &C::integral_time, &C::periods,
        &C::tool, &C::tool_sd);
}
template <std::same_as<MovingFit> M>
constexpr void visit_stored(const M*, auto&& visit) {
  visit(&M::sample_time, &M::torque_shift, &M::channels, &M::covariance, &M::factor_of_another_day);
}
template <std::same_as<HeldStretch> H>
constexpr void visit_stored(const H*, auto&& visit) {
  visit(&H::simulated, &H::from, &H::to, &H::free_fall, &H::white_variance, &H::motion_square, &H::slow_sd,
        &H::joint_speed, &H::largest_residual);
}
template <std::same_as<HeldPoseNoise> H>
constexpr void visit_stored(const H*, auto&& visit) {
  visit(&H::simulated, &H::parameters, &H::parameter_scale, &H::parameter_factor, &H::joint_speed, &H::largest_residual,
        &H::envelope_motors);
}

// audit
template <std::same_as<EstimateSeries> E>
constexpr void visit_stored(const E*, auto&& visit) {
  visit(&E::contribution);
}
template <std::same_as<Reconstruction> R>
constexpr void visit_stored(const R*, auto&& visit) {
  visit(&R::identified, &R::outside_identified, &R::envelope_speed);
}
template <std::same_as<Attribution> A>
constexpr void visit_stored(const A*, auto&& visit) {
  visit(&A::joints, &A::labels);
}
template <std::same_as<EpisodeAudit> E>
constexpr void visit_stored(const E*, auto&& visit) {
  visit(&E::told_steps);
}
template <std::same_as<Audit> A>
constexpr void visit_stored(const A*, auto&& visit) {
  visit(&A::has_deployed, &A::noise_assumed, &A::whole);
}
template <std::same_as<JunctionLesson> J>
constexpr void visit_stored(const J*, auto&& visit) {
  visit(&J::reference_joint, &J::label);
}

}  // namespace antaeus
