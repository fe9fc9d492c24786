#include "audit/long_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "audit/audit_shared.hpp"

namespace antaeus::detail {

namespace {

constexpr double kBytesASeries = 1600.0, kBytesAMotor = 90.0;  // of a step that is kept
constexpr Eigen::Index kStepsOfABlock = 8192;
constexpr Eigen::Index kBins = 1500;  // what a screen can show
constexpr std::size_t kMostContacts = 2000;

/// Counts of one series.
class SeriesCounter {
 public:
  SeriesCounter(const EstimateSeries& of, Eigen::Index steps) : steps_(steps) {
    told_.endpoint = of.endpoint;
    told_.label = of.label;
    told_.estimator = of.estimator;
    told_.sign = of.sign;
    const Eigen::Index bins = std::min(kBins, steps);
    for (Eigen::Index b = 0; b < bins; ++b)
      told_.x.push_back(std::ceil(static_cast<double>(b * steps) / static_cast<double>(bins)));
    told_.least.assign(static_cast<std::size_t>(bins), kNaN);
    told_.largest = told_.least;
  }

  void take(const EstimateSeries& part, Eigen::Index first) {
    const auto bins = static_cast<Eigen::Index>(told_.x.size());
    for (Eigen::Index i = 0; i < part.force_norm.size(); ++i) {
      const Eigen::Index step = first + i;
      const auto at = static_cast<std::size_t>(i);
      ++verdicts_[static_cast<std::size_t>(part.verdict[at])];
      if (part.posterior) {
        count(part.reasons[at].has_any(kTestAlarm), step, told_.alarms, told_.first_alarm);
        count(part.posterior->state[at] == Verdict::refused, step, told_.refusals, told_.first_refusal);
      }
      const double force = part.force_norm[i];
      if (!std::isfinite(force)) continue;
      const auto bin = static_cast<std::size_t>(step * bins / steps_);
      if (!(force >= told_.least[bin])) told_.least[bin] = force;
      if (!(force <= told_.largest[bin])) told_.largest[bin] = force;
      if (force <= told_.peak_force) continue;
      told_.peak_force = force;
      told_.peak_step = step;
    }
    for (const GuardTrace& guard : part.guards) {
      if (guard.guard != SingleGuard::watchdog || guard.acts == 0) continue;
      if (told_.first_watchdog < 0) told_.first_watchdog = first + guard.first_act;
      told_.watchdog_acts += guard.acts;
    }
  }

  /// \param first  number of the first step in the log
  WholeSeries finish(Eigen::Index first) {
    for (std::size_t v = 0; v < verdicts_.size(); ++v) {
      if (verdicts_[v] > 0) told_.verdicts.push_back({static_cast<Verdict>(v), verdicts_[v]});
    }
    for (double& x : told_.x) x += static_cast<double>(first);
    for (Eigen::Index* step : {&told_.peak_step, &told_.first_alarm, &told_.first_refusal, &told_.first_watchdog}) {
      if (*step >= 0) *step += first;
    }
    return std::move(told_);
  }

 private:
  static void count(bool holds, Eigen::Index step, Eigen::Index& steps, Eigen::Index& first) {
    if (!holds) return;
    if (steps++ == 0) first = step;
  }

  Eigen::Index steps_;
  WholeSeries told_;
  std::array<Eigen::Index, enum_names(Verdict{}).size()> verdicts_{};
};

/// The contacts of a log whose parts come one after the other: intervals that meet at a border are one.
class ContactCounter {
 public:
  void take(const Reconstruction& part, const std::vector<ContactInterval>& found) {
    for (const ContactInterval& one : found) {
      Open& last = open_[one.endpoint];
      const bool timed = std::isfinite(one.from_time) && std::isfinite(last.interval.to_time);
      const bool follows =
          last.any && (timed ? one.from_time - last.interval.to_time <= kShortestContact
                             : static_cast<double>(one.from - last.interval.to) <= kShortestContactSteps);
      if (follows) {
        // The size of the longer one stands for both.
        if (one.to - one.from > last.interval.to - last.interval.from) {
          last.interval.size = one.size;
          last.interval.size_sd = one.size_sd;
        }
        last.interval.to = one.to;
        last.interval.to_time = one.to_time;
      } else {
        close(last);
        last = {one, true};
      }
    }
    steps_within_ += share_within(found, part) * static_cast<double>(part.steps());
    steps_ += part.steps();
  }

  void finish(Eigen::Index first, WholeLog& whole) {
    for (auto& [endpoint, last] : open_) close(last);
    std::stable_sort(closed_.begin(), closed_.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
    for (ContactInterval& one : closed_) one.from += first, one.to += first;
    whole.contacts = std::move(closed_);
    whole.contacts_left_out = left_out_;
    whole.contact_share = steps_ > 0 ? steps_within_ / static_cast<double>(steps_) : 0.0;
  }

 private:
  struct Open {
    ContactInterval interval;
    bool any = false;
  };
  void close(Open& one) {
    if (!one.any) return;
    one.any = false;
    closed_.size() < kMostContacts ? closed_.push_back(one.interval) : void(++left_out_);
  }

  std::map<std::string, Open> open_;
  std::vector<ContactInterval> closed_;
  Eigen::Index left_out_ = 0, steps_ = 0;
  double steps_within_ = 0.0;
};

/// A "contact" that has lasted since the log's first step, for longer than consumer_guard.set_up_time: `ok` goes, block
/// by block, as doubt_lasting_contacts has it of a log that is known as a whole.
class LastingContacts {
 public:
  explicit LastingContacts(double least) : least_(least) {}

  void doubt(Reconstruction& part, const std::vector<ContactInterval>& found) {
    if (!(least_ > 0.0) || part.time.size() == 0 || !std::isfinite(part.time[0])) return;
    if (!std::isfinite(begin_)) begin_ = part.time[0];
    const bool long_enough = part.time[part.steps() - 1] - begin_ >= least_;
    for (EstimateSeries& series : part.series) {
      if (!series.posterior || series.kind == EndpointKind::foot) continue;
      bool& lasts = lasts_.try_emplace(series.endpoint, true).first->second;
      if (!lasts) continue;
      lasts = is_touched_all_along(series, found, part);
      if (lasts && long_enough) doubt_since_start(series);
    }
  }

 private:
  double least_, begin_ = kNaN;
  std::map<std::string, bool> lasts_;
};

double bytes_a_step(const Robot& robot, const std::vector<std::string>& endpoints) {
  double series = 0.0;
  for (const std::string& endpoint : endpoints) series += robot.kind_of(endpoint) == EndpointKind::foot ? 2.0 : 3.0;
  return kBytesASeries * series + kBytesAMotor * robot.model.motor_count();
}

}  // namespace

Eigen::Index steps_within(double memory, const Robot& robot, const std::vector<std::string>& endpoints,
                          std::size_t logs) {
  const double steps = memory / static_cast<double>(logs) / bytes_a_step(robot, endpoints);
  return std::max<Eigen::Index>(1, static_cast<Eigen::Index>(steps));
}

PassedLog pass_over(const Robot& robot, EpisodeReader& log, const std::vector<std::string>& endpoints,
                    const AuditOptions& options, const CheckResult& check, const Progress& progress,
                    const StepsWriter& write) {
  const Eigen::Index steps = log.steps();
  if (options.smooth.zero_phase) {
    throw EpisodeError(
        log.about().name, std::to_string(steps) + " steps are too many to be smoothed as a whole (smooth.zero_phase)",
        "audit a part of it (" + arg(Input::from) + ", " + arg(Input::to) + "), or leave smooth.zero_phase off");
  }
  PassedLog passed;
  std::optional<Reconstructor> again;
  std::vector<SeriesCounter> counters;
  ContactCounter contacts;
  LastingContacts lasting(options.guarded.set_up_time);
  std::vector<Eigen::Index> overflow;
  const auto next_part = [&]() -> std::optional<Reconstruction> {
    const std::optional<Episode> block = log.next(kStepsOfABlock);
    if (!block) return std::nullopt;
    if (!again) {
      again.emplace(robot, *block, endpoints, options);
      again->suspect(check);
      passed.whole.time_begin = block->time[0];
    }
    const Eigen::Index first = again->done();
    Reconstruction part = again->next(*block, steps, progress);
    for (const Eigen::Index step : overflowing_steps(part, *block)) overflow.push_back(first + step);
    const std::vector<ContactInterval> found = contact_intervals(part);
    lasting.doubt(part, found);
    contacts.take(part, found);
    for (std::size_t k = 0; k < part.series.size(); ++k) {
      if (counters.size() == k) counters.emplace_back(part.series[k], steps);
      counters[k].take(part.series[k], first);
    }
    passed.whole.time_end = block->time[block->steps() - 1];
    return part;
  };
  const auto rows = [&](Reconstruction& part) {
    part.first_step += log.first_step();
    return steps_table(part);
  };
  if (write) {
    std::optional<Reconstruction> first = next_part();
    const auto count = static_cast<std::int64_t>(first->series.size()) * steps;
    write(count, [&]() -> std::optional<Table> {
      std::optional<Reconstruction> part = first ? std::exchange(first, std::nullopt) : next_part();
      return part ? std::optional<Table>(rows(*part)) : std::nullopt;
    });
  }
  while (next_part()) {
  }
  log.add_hashes();
  passed.judged = log.judged();
  note_overflow(overflow, passed.judged, log.first_step());
  double largest = -1.0;
  for (const FocusCandidate& one : again->focus_candidates()) {
    if (one.row < 0 || one.force <= largest) continue;
    largest = one.force;
    passed.focus = one.row;
  }
  passed.whole.steps = steps;
  passed.whole.first_step = log.first_step();
  passed.whole.invalid_steps = std::ssize(passed.judged.invalid_steps);
  for (SeriesCounter& counter : counters) passed.whole.series.push_back(counter.finish(log.first_step()));
  contacts.finish(log.first_step(), passed.whole);
  return passed;
}

}  // namespace antaeus::detail
