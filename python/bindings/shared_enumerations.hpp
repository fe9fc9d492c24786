#pragma once
/// \file
/// Casters of enumerations that more than one source of bindings hands out. Those of one stand in it, core's in
/// convert.hpp.

#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/estimation/published/guard_chain.hpp"
#include "antaeus/numerics/three_tier_inverse.hpp"
#include "antaeus/pose/pose_advice.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/trust/feasibility.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "antaeus/trust/hypotheses.hpp"
#include "convert.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::FigureSource> : EnumerationCaster<antaeus::FigureSource, "antaeus.FigureSource"> {};
template <>
struct type_caster<antaeus::JointType> : EnumerationCaster<antaeus::JointType, "antaeus.JointType"> {};
template <>
struct type_caster<antaeus::Base> : EnumerationCaster<antaeus::Base, "antaeus.Base"> {};
template <>
struct type_caster<antaeus::BaseSource> : EnumerationCaster<antaeus::BaseSource, "antaeus.BaseSource"> {};
template <>
struct type_caster<antaeus::EndpointKind> : EnumerationCaster<antaeus::EndpointKind, "antaeus.EndpointKind"> {};
template <>
struct type_caster<antaeus::GuardAction> : EnumerationCaster<antaeus::GuardAction, "antaeus.GuardAction"> {};
template <>
struct type_caster<antaeus::MarginKind> : EnumerationCaster<antaeus::MarginKind, "antaeus.MarginKind"> {};
template <>
struct type_caster<antaeus::Unplaced> : EnumerationCaster<antaeus::Unplaced, "antaeus.Unplaced"> {};
template <>
struct type_caster<antaeus::CauseKind> : EnumerationCaster<antaeus::CauseKind, "antaeus.CauseKind"> {};
template <>
struct type_caster<antaeus::Separation> : EnumerationCaster<antaeus::Separation, "antaeus.Separation"> {};
template <>
struct type_caster<antaeus::ConsumerAction> : EnumerationCaster<antaeus::ConsumerAction, "antaeus.ConsumerAction"> {};
template <>
struct type_caster<antaeus::PoseLimitSet> : EnumerationCaster<antaeus::PoseLimitSet, "antaeus.PoseLimitSet"> {};
template <>
struct type_caster<antaeus::PoseQuantity> : EnumerationCaster<antaeus::PoseQuantity, "antaeus.PoseQuantity"> {};
template <>
struct type_caster<antaeus::EstimatorName> : EnumerationCaster<antaeus::EstimatorName, "antaeus.EstimatorName"> {};
template <>
struct type_caster<antaeus::InverseTier> : EnumerationCaster<antaeus::InverseTier, "antaeus.InverseTier"> {};

}  // namespace nanobind::detail
