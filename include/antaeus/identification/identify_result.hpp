#pragma once
/// \file
/// What `identify` (identify.hpp) found, as plain data.

#include <optional>
#include <string>
#include <vector>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/identification/moving/moving_payload.hpp"

namespace antaeus {

/// `automatic`: by what the robot is and does, as above.
enum class IdentifyMethod : std::uint8_t { automatic, moving, held_pose, unlabelled };
constexpr auto enum_names(IdentifyMethod) noexcept {
  return name_list<IdentifyMethod>("automatic", "moving", "held_pose", "unlabelled");
}

/// One joint's residual over time (moving) or over stretches (held pose), thinned to what a figure can show.
struct ResidualSeries {
  std::vector<double> x;              ///< [s] over all logs, one behind the other; or the stretch's number from 1
  std::vector<double> before, after;  ///< τ minus the description, and minus the identified mean [unit]; NaN: a gap
  std::vector<double> sd;             ///< √R_jj
};

/// What became of one joint. Torques in the result's unit; NaN: no such figure.
struct IdentifiedJoint {
  std::string joint, label;
  int motor = -1;
  bool identified = false;
  ChannelUse use = ChannelUse::used;
  std::string reason;
  double gain = kNaN, gain_sd = kNaN;
  double offset = kNaN, offset_error = kNaN;
  double white_sd = kNaN, offset_sd = kNaN, slow_sd = kNaN, motion_sd = kNaN;  ///< σ, σ_b, σ_s, σ_m
  double coulomb_sd = kNaN, viscous_sd = kNaN, standing_sd = kNaN;             ///< σ_c, σ_v, s_f
  double integral_time = kNaN;
  double rms_before = kNaN, rms_after = kNaN, hold_out_rms = kNaN, hold_out_covered = kNaN;
  double largest_speed = kNaN, least_position = kNaN, largest_position = kNaN;
  ResidualSeries residual;
};
/// Whether its channel was refused: dead, saturated, or of a sign, gain or column that is not the model's.
constexpr bool is_refused(const IdentifiedJoint& joint) noexcept {
  return joint.use == ChannelUse::dead || joint.use == ChannelUse::other_unit ||
         joint.use == ChannelUse::unknown_unit || joint.use == ChannelUse::saturated;
}
constexpr void visit_fields(const IdentifiedJoint*, auto&& visit) {
  using J = IdentifiedJoint;
  visit(field("joint", "", "its name", &J::joint));
  visit(field("motor", "", "its index", &J::motor).only(FieldUse::python_only));
  visit(field("identified", "", "whether its row is evidence from now on", &J::identified));
  visit(field("use", "", "of its torque channel", &J::use));
  visit(field("reason", "", "one sentence; empty: unremarkable", &J::reason));
  visit(field("gain", "1", "joint torque of the model per unit of the channel", &J::gain));
  visit(field("gain_sd", "1", "", &J::gain_sd));
  visit(field("offset", "", "mean of what the channel reads too much", &J::offset));
  visit(field("offset_error", "", "its standard error", &J::offset_error));
  visit(field("white_sd", "", "from sample to sample", &J::white_sd));
  visit(field("offset_sd", "", "between runs", &J::offset_sd));
  visit(field("coulomb_sd", "", "of Coulomb friction from day to day", &J::coulomb_sd));
  visit(field("viscous_sd", "", "of viscous friction from day to day, a torque per rad/s", &J::viscous_sd));
  visit(field("standing_sd", "", "while the joint stands", &J::standing_sd));
  visit(field("slow_sd", "", "within a run", &J::slow_sd));
  visit(field("motion_sd", "", "while the rest of the robot moves", &J::motion_sd));
  visit(field("integral_time", "s", "of the error", &J::integral_time));
  visit(field("rms_before", "", "of the residual by the description alone, on fitted logs", &J::rms_before));
  visit(field("rms_after", "", "the same by the identified model", &J::rms_after));
  visit(field("hold_out_rms", "", "on what was not fitted", &J::hold_out_rms));
  visit(field("hold_out_covered", "1", "share of it within 1.96 sd", &J::hold_out_covered));
  visit(field("largest_speed", "rad/s", "that was seen", &J::largest_speed).as("largest_speed"));
  visit(field("least_position", "", "that was seen [rad] or [m]", &J::least_position));
  visit(field("largest_position", "", "the largest position in the logs, rad or m", &J::largest_position));
}

/// A parameter that was asked for and is not written, with the reason.
struct OmittedParameter {
  std::string name, reason;
};
constexpr void visit_fields(const OmittedParameter*, auto&& visit) {
  using O = OmittedParameter;
  visit(field("name", "", "", &O::name));
  visit(field("reason", "", "", &O::reason));
}

/// A part of a log that was learnt from; times from the log's first sample.
struct IdentifiedStretch {
  std::string log;
  double from = kNaN, to = kNaN;
  double still = kNaN, moving = kNaN;
};
constexpr void visit_fields(const IdentifiedStretch*, auto&& visit) {
  using S = IdentifiedStretch;
  visit(field("log", "", "", &S::log));
  visit(field("from", "s", "", &S::from));
  visit(field("to", "s", "", &S::to));
  visit(field("still", "s", "without motion", &S::still));
  visit(field("moving", "s", "with motion", &S::moving));
}

/// How often stated intervals held what was not fitted: of a joint's torque, or of an axis of the force that untouched
/// torques read as at an endpoint. The mean of z² is 1 where the stated sd is right; less than nees_low: too wide, more
/// than nees_high: too narrow, as far as so few independent samples tell.
struct Coverage {
  std::string what, unit;
  double rms = kNaN;
  double within_50 = kNaN, within_80 = kNaN, within_95 = kNaN, within_99 = kNaN;
  double nees = kNaN, nees_low = kNaN, nees_high = kNaN;
  double samples = kNaN;
};
constexpr void visit_fields(const Coverage*, auto&& visit) {
  using C = Coverage;
  visit(field("what", "", "joint, or frame and world axis", &C::what));
  visit(field("unit", "", "of rms", &C::unit));
  visit(field("rms", "", "of the error, in `unit`", &C::rms));
  visit(field("within_50", "1", "share within the stated 50 %", &C::within_50));
  visit(field("within_80", "1", "share within the stated 80 %", &C::within_80));
  visit(field("within_95", "1", "share within the stated 95 %", &C::within_95));
  visit(field("within_99", "1", "share within the stated 99 %", &C::within_99));
  visit(field("nees", "1", "mean square of error over stated sd: 1 where it is right", &C::nees));
  visit(field("nees_low", "1", "below it the stated sd is too wide", &C::nees_low));
  visit(field("nees_high", "1", "above it the stated sd is too narrow", &C::nees_high));
  visit(field("samples", "1", "independent ones: time over the error's integral time", &C::samples));
}
struct CoverageTable {
  std::string how;  ///< what was judged by a fit of what
  std::vector<Coverage> rows;
};
constexpr void visit_fields(const CoverageTable*, auto&& visit) {
  using C = CoverageTable;
  visit(field("how", "", "what was judged by a fit of what", &C::how));
  visit(field("rows", "", "of joints, then of forces at endpoints", &C::rows));
}

/// What a log of one more day is expected to buy at an endpoint: rms over axes of a force's sd on another day.
struct AnotherDay {
  std::string endpoint;
  double sd = kNaN, sd_then = kNaN;
};
constexpr void visit_fields(const AnotherDay*, auto&& visit) {
  using A = AnotherDay;
  visit(field("endpoint", "", "frame", &A::endpoint));
  visit(field("sd", "N", "of a force there on another day, rms over axes, median over the poses of the logs", &A::sd));
  visit(field("sd_then", "N", "the same with as many logs of other days again", &A::sd_then));
}

struct ANTAEUS_API IdentifyResult {
  bool identified = false;
  IdentifyMethod method = IdentifyMethod::moving;  ///< never automatic
  std::string robot, base_text;                    ///< for people
  std::string command;                             ///< that reproduces it
  std::string unit = "N·m";
  CheckResult check;              ///< of the log with the most severe finding; without a log's name: none was checked
  std::vector<Payload> payloads;  ///< that the model held already
  std::vector<std::string> endpoints;
  std::vector<std::string> missing;
  std::vector<std::string> notes;
  std::vector<IdentifiedStretch> stretches;
  std::vector<IdentifiedJoint> joints;
  std::vector<ParameterEstimate> parameters;
  std::vector<OmittedParameter> omitted;
  double motion = kNaN;
  double torque_delay = kNaN, torque_delay_sd = kNaN;
  double prior_scale = kNaN;
  std::string hold_out;
  double hold_out_covered = kNaN;
  std::vector<CoverageTable> coverage;
  std::vector<LogOfRobot> days;
  std::vector<AnotherDay> another_day;
  double largest_speed = kNaN;
  int runs = 0;
  std::optional<PayloadFit> payload;
  NoiseModel noise;
  std::string provenance;
};
constexpr void visit_fields(const IdentifyResult*, auto&& visit) {
  using R = IdentifyResult;
  visit(file_field("schema", "", [](const R&) { return "antaeus.identify/1"; }));
  visit(file_field("command", "", &R::command));
  visit(file_field("robot", "", &R::robot));
  visit(file_field("base", "", &R::base_text));
  visit(file_field("payloads", "", &R::payloads));
  visit(field("check", "", "of the log with the most severe finding", &R::check));
  visit(field("identified", "", "whether there is a noise model", &R::identified));
  visit(field("method", "", "which fit", &R::method));
  visit(file_field("unlabelled", "", [](const R& r) { return r.method == IdentifyMethod::unlabelled; }));
  visit(field("unit", "", "of torques; \"channel units\" where effort units were asked for", &R::unit));
  visit(field("endpoints", "", "frames; empty where the fit needs none", &R::endpoints));
  visit(field("missing", "", "why nothing was identified, one sentence each", &R::missing));
  visit(field("notes", "", "what a reader must know, one sentence each", &R::notes));
  visit(file_field("stretches", "", &R::stretches));
  visit(field("runs", "", "logs that count as runs of their own", &R::runs).only(FieldUse::file_only));
  visit(field("motion", "s", "in which some joint moved", &R::motion).only(FieldUse::file_only));
  visit(
      field("torque_delay", "s",
            "by which all torques are later than the positions, of an arm that moves; NaN: the motion does not show it",
            &R::torque_delay));
  visit(field("torque_delay_sd", "s", "standard error of it", &R::torque_delay_sd));
  visit(file_field("prior_scale", "1", &R::prior_scale));
  visit(field("joints", "", "in motor order; of a held pose those that support an endpoint", &R::joints));
  visit(field("parameters", "", "identified ones alone", &R::parameters));
  visit(file_field("omitted", "", &R::omitted));
  visit(field("hold_out", "", "what was held out, or why nothing was: one sentence", &R::hold_out).as("hold_out.what"));
  visit(field("hold_out_covered", "1", "share of it within 1.96 sd", &R::hold_out_covered).as("hold_out.covered"));
  visit(
      field("coverage", "", "how often stated intervals held what was not fitted, of an arm that moves", &R::coverage));
  visit(field("days", "", "what each log had of its own, of an arm that moves", &R::days));
  visit(field("another_day", "", "what more days would buy at each endpoint", &R::another_day));
  visit(field("largest_speed", "rad/s", "of the envelope, of a held pose", &R::largest_speed)
            .as("envelope.largest_speed"));
  visit(field("payload", "", "what the gripper carries; none: not requested", &R::payload));
  visit(field("noise", "", "of RobotProfile.noise; empty unless identified", &R::noise).only(FieldUse::python_only));
  visit(field("provenance", "", "by which version, from which logs and stretches, of which dates", &R::provenance));
}

}  // namespace antaeus
