// A log of no robot in particular: its clock, and its channels by themselves and against the derivative of positions.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "antaeus/check/check_log.hpp"
#include "antaeus/check/fix.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "check/unit_numbers.hpp"

namespace antaeus {

namespace {

constexpr double kSlowestStep = 0.5;       // [s] above: hardly a robot's log in seconds
constexpr double kSlowestOfUnit = 0.25;    // [s] slowest step that a clock in another unit is taken for
constexpr double kLongGap = 10.0;          // [1] of the median step, from which a gap is worth a warning
constexpr double kFewRows = 0.01;          // [1] of rows: below, NaN and repeated stamps are a note
constexpr double kSameNumber = 0.15;       // [1] relative, of a gain to the number that it is taken for
constexpr double kLeastCorrelation = 0.9;  // of dq with d(q)/dt, from which its gain means something
constexpr double kFarFromZero = 12.0;      // [rad] nearly two turns: hardly the position of an arm's or leg's joint
constexpr std::array kInG = {0.8, 1.2};    // median norm of an accelerometer in g

/// dq over d(q)/dt, and how much they go together.
struct RateGain {
  double value = kNaN, correlation = 0.0;
};
RateGain rate_gain(const VectorX& time, const SampleMatrix& q, const SampleMatrix& v, Eigen::Index column) {
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (Eigen::Index i = 1; i + 1 < q.rows(); ++i) {
    const double gap = time[i + 1] - time[i - 1];
    if (!(gap > 0.0)) continue;
    const double x = (q(i + 1, column) - q(i - 1, column)) / gap, y = v(i, column);
    if (!is_sample(x) || !is_sample(y)) continue;
    xx += x * x, xy += x * y, yy += y * y;
  }
  if (!(xx > 0.0) || !(yy > 0.0)) return {};
  return {xy / xx, xy / std::sqrt(xx * yy)};
}

bool is_about(double value, double wanted) { return std::abs(value / wanted - 1.0) < kSameNumber; }

/// What people call columns of a log that has no names for them.
std::vector<std::string> names_of_columns(std::vector<std::string> labels) {
  for (std::string& label : labels) {
    if (label.find_first_not_of("0123456789") == std::string::npos) label = "column " + label;
  }
  return labels;
}
std::string listed_columns(const std::vector<std::string>& labels) { return listed(names_of_columns(labels)); }

class RawCheck {
 public:
  RawCheck(const RawLog& log, const CheckOptions& options) : log_(log), options_(options), facts_(log_facts(log)) {}

  CheckResult make() {
    result_.log = log_.name;
    result_.duration = facts_.duration;
    if (facts_.sample_time > 0.0) result_.rate = 1.0 / facts_.sample_time;
    for (const std::string& cell : log_.text_cells) {
      find(Fault::not_numbers, "columns", Severity::error, cell, "correct the cell or leave it empty");
    }
    check_clock();
    for (std::size_t c = 0; c < log_.channels.size(); ++c) check_numbers(log_.channels[c], facts_.channels[c]);
    check_positions();
    check_velocities();
    check_accelerometer();
    check_frozen();
    result_.not_told.emplace_back("torque order, sign, gain and composition: name the robot (" + arg(Input::robot) +
                                  ")");
    std::stable_sort(result_.findings.begin(), result_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    return std::move(result_);
  }

 private:
  Finding& find(Fault fault, const char* channel, Severity severity, std::string text, std::string remedy) {
    Finding finding;
    finding.fault = fault, finding.channel = channel, finding.severity = severity;
    finding.text = std::move(text), finding.remedy = std::move(remedy);
    result_.findings.push_back(std::move(finding));
    return result_.findings.back();
  }
  const RawChannel* channel(ChannelRole role) const {
    const auto found = std::ranges::find(log_.channels, role, &RawChannel::role);
    return found == log_.channels.end() ? nullptr : &*found;
  }
  const ColumnFacts& column(const RawChannel& of, std::size_t at) const {
    return facts_.channels[static_cast<std::size_t>(&of - log_.channels.data())].columns[at];
  }
  static double range(const ColumnFacts& column) { return column.finite > 0 ? column.largest - column.least : 0.0; }
  double share(Eigen::Index rows) const { return static_cast<double>(rows) / static_cast<double>(log_.steps()); }

  void check_clock() {
    if (log_.bad_clock) {
      const Note note = log_.notes.empty() ? Note(NoteCode::clock_not_finite) : log_.notes.front();
      const bool back = note.code == NoteCode::time_goes_back;
      find(back ? Fault::time_back : Fault::not_numbers, "time", Severity::error, note_text(note),
           back ? "sort the log by time, or cut it at the restart" : "leave out the rows without a time stamp");
      return;
    }
    if (!log_.has_time()) {
      find(Fault::time_missing, "time", Severity::warning, "the log has no clock: no delay and no velocity is judged",
           "log a column `time` in seconds");
      return;
    }
    if (log_.steps() < 2) {
      find(Fault::too_short, "time", Severity::warning, "the log has one row", "log some seconds of motion");
      return;
    }
    if (facts_.duration < options_.least_time) {
      find(Fault::too_short, "time", Severity::note,
           "the log lasts " + significant_text(facts_.duration, 3) + " s: no scale and no delay is judged",
           "log " + significant_text(options_.least_time, 3) + " s of motion or more");
    }
    check_time_unit();
    Eigen::Index repeated = 0;
    for (Eigen::Index i = 1; i < log_.steps(); ++i) repeated += log_.time[i] == log_.time[i - 1];
    if (repeated > 0) {
      find(Fault::time_repeated, "time", share(repeated) > kFewRows ? Severity::warning : Severity::note,
           std::to_string(repeated) + " time stamps repeat the one before",
           "log the clock of the sample, with all of its digits")
          .size = static_cast<double>(repeated);
    }
    if (facts_.gaps.empty()) return;
    const auto longest = std::ranges::max_element(facts_.gaps, {}, &TimeGap::duration);
    Finding& gap = find(Fault::time_gap, "time",
                        longest->duration > kLongGap * facts_.sample_time ? Severity::warning : Severity::note,
                        std::to_string(facts_.gaps.size()) + (facts_.gaps.size() == 1 ? " gap" : " gaps") +
                            " in time; the longest is " + significant_text(longest->duration, 3) + " s before step " +
                            std::to_string(longest->step),
                        "cut the log there, or log without loss");
    gap.size = longest->duration, gap.unit = "s";
  }

  /// Of velocities, in units of the clock that make them those of the positions; NaN where they do not tell.
  double clock_gain() const {
    const RawChannel *q = channel(ChannelRole::position), *v = channel(ChannelRole::velocity);
    if (!q || !v || q->values.cols() != v->values.cols()) return kNaN;
    std::vector<double> gains;
    for (Eigen::Index j = 0; j < q->values.cols(); ++j) {
      if (range(column(*q, static_cast<std::size_t>(j))) < options_.least_motion) continue;
      const RateGain gain = rate_gain(log_.time, q->values, v->values, j);
      if (gain.correlation > kLeastCorrelation) gains.push_back(gain.value);
    }
    if (gains.empty()) return kNaN;
    std::ranges::nth_element(gains, gains.begin() + std::ssize(gains) / 2);
    return gains[gains.size() / 2];
  }
  void check_time_unit() {
    constexpr std::array kUnits = {std::pair{1e3, "ms"}, std::pair{1e6, "µs"}, std::pair{1e9, "ns"}};
    const double step = facts_.sample_time;
    if (!(step > kSlowestStep)) return;
    const double gain = clock_gain();
    for (const auto& [per_second, name] : kUnits) {
      const bool told = is_about(gain, per_second);
      if (!told && (std::isfinite(gain) || step / per_second > kSlowestOfUnit)) continue;
      Finding& unit =
          find(Fault::time_unit, "time", told ? Severity::error : Severity::warning,
               "the clock counts " + std::string(name) + ", not seconds: a step is " + significant_text(step, 3) +
                   (told ? ", and dq is d(q)/dt with that unit" : " between samples"),
               "channels.time_scale = " + shortest_text(1.0 / per_second));
      unit.size = per_second, unit.unit = "1/s";
      time_scale_ = 1.0 / per_second;
      return;
    }
  }

  void check_numbers(const RawChannel& of, const ChannelFacts& facts) {
    std::vector<std::string> dead;
    for (std::size_t c = 0; c < facts.columns.size(); ++c) {
      if (facts.columns[c].finite == 0) dead.push_back(of.columns[c]);
    }
    if (!dead.empty()) {
      const bool needed = of.role == ChannelRole::torque || of.role == ChannelRole::position;
      find(Fault::not_numbers, of.name.c_str(), needed ? Severity::error : Severity::warning,
           of.name + (dead.size() == facts.columns.size() ? " holds" : " of " + listed_columns(dead) + " holds") +
               " no number",
           "log it, or leave the column out")
          .joints = std::move(dead);
    } else if (facts.broken_rows > 0) {
      Finding& broken = find(Fault::not_numbers, of.name.c_str(),
                             share(facts.broken_rows) > kFewRows ? Severity::warning : Severity::note,
                             std::to_string(facts.broken_rows) + " rows of " + of.name + " hold NaN or infinity",
                             "look for lost samples; such rows are refused");
      broken.size = static_cast<double>(facts.broken_rows), broken.unit = "rows";
    }
  }

  void check_positions() {
    const RawChannel* q = channel(ChannelRole::position);
    if (!q) return;
    std::vector<std::string> far;
    for (std::size_t j = 0; j < q->columns.size(); ++j) {
      if (std::abs(column(*q, j).peak()) > kFarFromZero) far.push_back(q->columns[j]);
    }
    if (far.size() < 2 && far.size() < q->columns.size()) return;
    Finding& degrees =
        find(Fault::positions_degrees, "qpos", Severity::warning,
             "positions of " + listed_columns(far) + " are beyond two turns of a joint in rad: they look like degrees",
             "channels.position_scale = " + shortest_text(1.0 / detail::kDegreesPerRadian));
    degrees.size = detail::kDegreesPerRadian, degrees.unit = "per rad", degrees.joints = far;
  }

  void check_velocities() {
    const RawChannel *q = channel(ChannelRole::position), *v = channel(ChannelRole::velocity);
    if (!q || !v || !log_.has_time() || q->values.cols() != v->values.cols()) return;
    if (!(facts_.duration * time_scale_ >= options_.least_time)) return;
    std::vector<std::string> reversed, degrees, other;
    std::vector<double> gains;
    for (std::size_t j = 0; j < q->columns.size(); ++j) {
      if (range(column(*q, j)) < options_.least_motion) continue;
      const RateGain found = rate_gain(log_.time, q->values, v->values, static_cast<Eigen::Index>(j));
      const double gain = found.value * time_scale_;
      if (std::abs(found.correlation) < kLeastCorrelation) continue;
      if (is_about(gain, -1.0)) {
        reversed.push_back(v->columns[j]);
      } else if (is_about(gain, detail::kDegreesPerRadian)) {
        degrees.push_back(v->columns[j]);
      } else if (!is_about(gain, 1.0)) {
        other.push_back(v->columns[j]), gains.push_back(gain);
      }
    }
    if (!reversed.empty()) {
      Finding& sign = find(Fault::velocity_sign, "dq", Severity::error,
                           "dq of " + listed_columns(reversed) + " is the negative of d(q)/dt",
                           "channels.velocity_scale = -1 for " + listed_columns(reversed));
      sign.joints = reversed, sign.size = -1.0;
    }
    if (!degrees.empty()) {
      Finding& scale = find(Fault::velocity_scale, "dq", Severity::error,
                            "dq of " + listed_columns(degrees) + " is in degrees per second where positions are in rad",
                            "channels.velocity_scale = " + shortest_text(1.0 / detail::kDegreesPerRadian));
      scale.joints = degrees, scale.size = detail::kDegreesPerRadian, scale.unit = "per rad/s";
    }
    if (!other.empty()) {
      Finding& scale =
          find(Fault::velocity_scale, "dq", Severity::warning,
               "dq of " + listed_columns(other) + " is " + significant_text(gains.front(), 3) + " times d(q)/dt",
               "channels.velocity_scale = " + significant_text(1.0 / gains.front(), 4));
      scale.joints = other, scale.sizes = gains, scale.size = gains.front(), scale.unit = "per rad/s";
    }
  }

  void check_accelerometer() {
    const RawChannel* a = channel(ChannelRole::accelerometer);
    if (!a || a->values.cols() != 3) return;
    std::vector<double> norms;
    for (Eigen::Index i = 0; i < a->values.rows(); ++i) {
      if (a->values.row(i).allFinite()) norms.push_back(a->values.row(i).norm());
    }
    if (norms.empty()) return;
    std::ranges::nth_element(norms, norms.begin() + std::ssize(norms) / 2);
    const double median = norms[norms.size() / 2];
    if (median < kInG[0] || median > kInG[1]) return;
    Finding& unit = find(Fault::accelerometer_unit, a->name.c_str(), Severity::error,
                         "the accelerometer's median norm is " + significant_text(median, 3) + ": it is in g",
                         "channels.accelerometer_scale = 9.80665");
    unit.size = 1.0 / detail::kStandardGravity, unit.unit = "per m/s²";
  }

  /// A column that never changes while its joint moves.
  void check_frozen() {
    const RawChannel *q = channel(ChannelRole::position), *v = channel(ChannelRole::velocity),
                     *tau = channel(ChannelRole::torque);
    const auto moves = [&](const RawChannel* of, std::size_t j, double least) {
      return of && j < of->columns.size() && range(column(*of, j)) > least;
    };
    const auto frozen = [&](const RawChannel& of, std::size_t j) {
      return column(of, j).finite > 1 && range(column(of, j)) == 0.0;
    };
    const auto look = [&](const RawChannel* of, Fault fault, const char* name, auto&& joint_moves) {
      if (!of) return;
      std::vector<std::string> all;
      for (std::size_t j = 0; j < of->columns.size(); ++j) {
        if (frozen(*of, j) && joint_moves(j)) all.push_back(of->columns[j]);
      }
      if (all.empty()) return;
      find(fault, name, Severity::error,
           of->name + " of " + listed_columns(all) + " never changes while the joint moves",
           "look at the driver: the column is written once, or not at all")
          .joints = std::move(all);
    };
    const double least = options_.least_motion;
    look(tau, Fault::torque_frozen, "tau", [&](std::size_t j) { return moves(q, j, least); });
    look(v, Fault::velocity_frozen, "dq", [&](std::size_t j) { return moves(q, j, least); });
    look(q, Fault::position_frozen, "qpos", [&](std::size_t j) { return moves(v, j, least); });
  }

  const RawLog& log_;
  const CheckOptions& options_;
  LogFacts facts_;
  CheckResult result_;
  double time_scale_ = 1.0;
};

}  // namespace

EpisodeReader read_checked_log(const std::filesystem::path& file, const Robot& robot) {
  return EpisodeReader::as_it_is(file, robot, robot.profile.settings.get<EpisodeOptions>());
}

namespace {

bool has_positions(const EpisodeReader& log) {
  return std::ranges::find(log.about().missing, "qpos") == log.about().missing.end();
}

}  // namespace

CheckResult check_shown_log(const std::filesystem::path& file, const RawLog& read, const Robot* robot) {
  if (!robot) return check_log(read);
  const CheckOptions options = robot->profile.settings.get<CheckOptions>();
  try {
    const EpisodeReader log = read_checked_log(file, *robot);
    if (has_positions(log)) return check_log(*robot, log, options);
    // Without positions no model says anything.
    CheckResult result = check_log(read, options);
    result.robot = robot->profile.name;
    result.not_told = {"anything of the torques: log the positions, too"};
    return result;
  } catch (const EpisodeError&) {
    return check_log(read, options);  // another robot's, or without torques
  }
}

CheckResult check_file(const std::filesystem::path& file, const Robot* robot) {
  if (!robot) return check_log(load_raw_log(file));
  const EpisodeReader log = read_checked_log(file, *robot);
  CheckResult result = has_positions(log) ? check_log(*robot, log, robot->profile.settings.get<CheckOptions>())
                                          : check_shown_log(file, load_raw_log(file, *robot), robot);
  result.series = check_series(*robot, log, result);
  if (!result.joints.empty() && !serious_findings(result).empty()) {
    // A joint of a log that is wrong reads the mistake.
    try {
      RepairedCheck repaired = check_repaired(file, *robot, result, 1);
      if (repaired.stated > 0 && !repaired.left.joints.empty()) {
        result.joints = std::move(repaired.left.joints);
        result.repairs = repaired.stated;
      }
    } catch (const Error&) {  // what was found cannot be stated of this log: the table is of the log as it is
    }
  }
  return result;
}

CheckResult check_log(const RawLog& log, const CheckOptions& options) { return RawCheck(log, options).make(); }

}  // namespace antaeus
