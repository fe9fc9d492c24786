#pragma once
/// \file
/// Is this log what the profile says? Evidence channel by channel, then by the model's torques: one mistake, one
/// finding.
///
///     const CheckResult result = check_log(robot, read_episode("my_log", robot));
///     if (has_errors(result)) std::puts(result.findings.front().text.c_str());
///
/// Channels are judged first, without a model: units, clocks, frozen and late columns. What they name is mended in
/// memory, and the torques are then judged by hypotheses over one another: each mistake is a linear model of the
/// torques with the description's masses, friction, rotor inertia and offsets marginalised (docs/guide/check.md).
/// Set-up code: allocates; its cost does not grow with the log's length beyond one reading of each column.

#include <filesystem>
#include <string>
#include <vector>

#include "antaeus/check/finding.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

struct RawLog;        // episode/raw_log.hpp
class EpisodeReader;  // episode/episode_reader.hpp

struct CheckOptions {
  double least_time = 3.0;    ///< [s] below which no scale, lag or torque is judged
  double least_motion = 0.1;  ///< [rad|m] that a joint must move to count as moving
  double found = 8.0;         ///< [nats] of evidence over the log as it is, from which a fault is reported
  double tie = 3.0;           ///< [nats] below which two explanations are both named
  bool other_robots = true;   ///< whether the robots that come with Antaeus are tried, too
};
ANTAEUS_API const OptionTable& options_of(const CheckOptions&);

/// What a torque channel is, as far as the log tells.
enum class TorqueStage : std::uint8_t { unknown, measured, commanded, estimated };
constexpr auto enum_names(TorqueStage) noexcept {
  return name_list<TorqueStage>("unknown", "measured", "commanded", "estimated");
}
enum class GravityContent : std::uint8_t { unknown, included, excluded };
constexpr auto enum_names(GravityContent) noexcept {
  return name_list<GravityContent>("unknown", "included", "excluded");
}

/// What the log tells of one joint's torque channel, and of its zero.
struct CheckedJoint {
  std::string joint;
  double moved = kNaN;                          ///< [rad|m] range of its positions
  double gain = kNaN, gain_sd = kNaN;           ///< [1] channel per N·m of the model
  double zero = kNaN, zero_sd = kNaN;           ///< [rad|m] of its position
  bool tells_gain = false, tells_zero = false;  ///< whether sd is below 0.2 and 0.1
};
constexpr void visit_fields(const CheckedJoint*, auto&& visit) {
  using J = CheckedJoint;
  visit(field("joint", "", "its name", &J::joint));
  visit(field("moved", "", "range of its positions [rad or m]", &J::moved));
  visit(field("gain", "1", "channel per torque of the model", &J::gain));
  visit(field("gain_sd", "1", "", &J::gain_sd));
  visit(field("zero", "", "offset of its position that the torques show [rad or m]", &J::zero));
  visit(field("zero_sd", "", "of the zero, in the channel's unit", &J::zero_sd));
  visit(field("tells_gain", "", "whether this log determines the gain", &J::tells_gain));
  visit(field("tells_zero", "", "whether this log determines the zero", &J::tells_zero));
}

/// The torque channel in words that a machine can read.
struct TorqueDescription {
  TorqueStage stage = TorqueStage::unknown;
  std::string sign = "unknown";   ///< "as the model", "reversed", "unknown"
  std::string unit = "unknown";   ///< "N·m", "not N·m", "unknown"
  std::string order = "unknown";  ///< "as the model", "another", "unknown"
  GravityContent gravity = GravityContent::unknown;
};
constexpr void visit_fields(const TorqueDescription*, auto&& visit) {
  using T = TorqueDescription;
  visit(field("stage", "", "command, measurement or estimate", &T::stage));
  visit(field("sign", "", "`as the model`, `reversed`, `unknown`", &T::sign));
  visit(field("unit", "", "`N·m`, `not N·m`, `unknown`", &T::unit));
  visit(field("order", "", "of columns: `as the model`, `another`, `unknown`", &T::order));
  visit(field("gravity", "", "whether it is in the torques", &T::gravity));
}

/// What a page draws of one joint: what its channels say of each other.
struct CheckSeries {
  std::string joint;
  std::vector<double> time;                     ///< [s] from the first sample, or steps without a clock
  std::vector<double> velocity, position_rate;  ///< dq and d(q)/dt
  std::vector<double> torque, gravity;          ///< of the channel, by the profile, and g(q) of the model [N·m]
};
constexpr void visit_fields(const CheckSeries*, auto&& visit) {
  using S = CheckSeries;
  visit(field("joint", "", "its name", &S::joint));
  visit(field("time", "s", "from the first sample; steps without a clock", &S::time));
  visit(field("velocity", "", "of the channel dq [rad/s or m/s]", &S::velocity));
  visit(field("position_rate", "", "d(q)/dt [rad/s or m/s]", &S::position_rate));
  visit(field("torque", "", "of the channel, by the profile [N·m or N]", &S::torque));
  visit(field("gravity", "", "g(q) of the model [N·m or N]", &S::gravity));
}

struct CheckResult {
  std::string log, robot;
  std::vector<Finding> findings = {};  ///< most severe first
  std::vector<std::string> excluded;   ///< faults that the log rules out
  std::vector<std::string> not_told;   ///< faults that it cannot detect, each with what would be needed
  TorqueDescription torque;
  std::vector<CheckedJoint> joints;  ///< in motor order
  std::size_t repairs = 0;           ///< findings that check_file repaired before `joints` were fitted
  double duration = kNaN, rate = kNaN;
  bool torques_judged = false;
  CheckSeries series = {};   ///< of check_series, for the page; empty: no picture is drawn
  std::string command = {};  ///< the line that does the same; empty: the page shows none
};
constexpr void visit_fields(const CheckResult*, auto&& visit) {
  using R = CheckResult;
  visit(file_field("schema", "", [](const R&) { return "antaeus.check/1"; }));
  visit(field("log", "", "name of the log", &R::log));
  visit(field("robot", "", "name of the robot", &R::robot));
  visit(field("findings", "", "most severe first", &R::findings));
  visit(field("excluded", "", "faults that the log rules out", &R::excluded));
  visit(field("not_told", "", "faults that it cannot detect, each with what would be needed", &R::not_told));
  visit(field("torque", "", "what the torque channel is", &R::torque));
  visit(field("joints", "", "in motor order", &R::joints));
  visit(field("repairs", "", "findings that were repaired before `joints` were fitted", &R::repairs));
  visit(field("duration", "s", "", &R::duration));
  visit(field("rate", "Hz", "median", &R::rate));
  visit(field("torques_judged", "", "whether the log suffices to judge torques by the model", &R::torques_judged));
  visit(field("series", "", "what the page draws of one joint; empty where another call made the check", &R::series)
            .only(FieldUse::python_only));
  visit(field("command", "", "the command line that does the same; empty where a Robot or an Episode was handed over",
              &R::command)
            .only(FieldUse::python_only));
}

inline bool has_errors(const CheckResult& result) noexcept {
  for (const Finding& finding : result.findings) {
    if (finding.severity == Severity::error) return true;
  }
  return false;
}

/// check_log of a file that was read as \p read: with the robot where the log is one of it, else of the channels alone.
ANTAEUS_API CheckResult check_shown_log(const std::filesystem::path& file, const RawLog& read, const Robot* robot);
/// The log of a file as check_log takes it. \throws EpisodeError for a file that cannot be read, or of another robot
ANTAEUS_API EpisodeReader read_checked_log(const std::filesystem::path& file, const Robot& robot);

/// The findings that a user must act on, errors and warnings: what a verb says before anything else.
ANTAEUS_API std::vector<Finding> serious_findings(const CheckResult& result);
/// A question and its answer in sentences. The first is of the most severe finding, with its remedy.
struct CheckAnswer {
  std::string question;
  std::vector<std::string> sentences;
};
ANTAEUS_API std::vector<CheckAnswer> check_story(const CheckResult& result);
/// What other verbs say of serious findings before their own answers: each with its remedy. Empty without any.
ANTAEUS_API std::vector<std::string> set_up_sentences(const CheckResult& result);
/// The most severe finding in one line, or "No fault found".
ANTAEUS_API std::string check_headline(const CheckResult& result);

/// Of the joint of the most severe finding, else of the one whose torque changes most; empty without positions.
ANTAEUS_API CheckSeries check_series(const Robot& robot, const Episode& log, const CheckResult& result);
/// The same of a log of any length: of its first 100 000 steps.
ANTAEUS_API CheckSeries check_series(const Robot& robot, const EpisodeReader& log, const CheckResult& result);

/// What `antaeus check` does with a file, with what its page draws. \param robot  its options count; null: channels
/// alone are judged
/// \throws EpisodeError for a file that cannot be read, or of another robot
ANTAEUS_API CheckResult check_file(const std::filesystem::path& file, const Robot* robot);

/// Of a log of up to 100 000 steps all; of a longer one clock and numbers of all steps, channels and torques of six
/// windows that hold as many, spread evenly: `not_told` says so.
/// \param log  as read_episode gives it: no value is refused, the clock may go back
/// \throws nothing of the log's content: what cannot be judged is a finding
ANTAEUS_API CheckResult check_log(const Robot& robot, const Episode& log, const CheckOptions& options = {});
/// The same of a log that is read in blocks. \throws Error for a file that is damaged
ANTAEUS_API CheckResult check_log(const Robot& robot, const EpisodeReader& log, const CheckOptions& options = {});

/// Without a robot: the clock, and each channel by itself and against the derivative of positions. Joints are named as
/// the log's columns. Nothing is said of torques but that they are there and change. 	hrows nothing of the log's
/// content
ANTAEUS_API CheckResult check_log(const RawLog& log, const CheckOptions& options = {});

}  // namespace antaeus
