#pragma once
/// \file
/// Order, gaps and clocks of a stream: which message is a new sample, and what is missing.

#include <array>
#include <cstdint>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/options.hpp"

namespace antaeus {

struct LiveOptions {
  double hold_off = 1.0;   ///< [s] after a break of the stream during which its wrenches are refused
  double silence = 0.1;    ///< [s] without a usable sample after which the stream counts as silent
  double break_gap = 0.5;  ///< [s] without a sample after which the estimator starts again
  double late = 0.1;       ///< [s] by which a message may be later than the fastest ones until it is refused as stale
  int queue_bytes = 1 << 23;    ///< [B] that wait for the estimator, at most
  int message_bytes = 1 << 16;  ///< [B] of a message, at most
  int samples = 20000;          ///< [1] that are kept for readers
};
ANTAEUS_API const OptionTable& options_of(const LiveOptions&);

/// What becomes of a message. `taken`: the next sample. `anew`: taken, and all history is forgotten: the stream was
/// silent for `break_gap`, its clock jumped, or its sender started again.
enum class Arrival : std::uint8_t { taken, anew, repeated, out_of_order };
constexpr auto enum_names(Arrival) noexcept { return name_list<Arrival>("taken", "anew", "repeated", "out_of_order"); }

/// Counts of a stream since it was opened.
struct StreamCounts {
  std::int64_t taken = 0, lost = 0, repeated = 0, out_of_order = 0, late = 0, restarts = 0, clock_jumps = 0;
};

/// Judges messages in the order of their arrival.
///
/// By the sender's clock: the same stamp is a repetition, one before the last is out of order. A new time base — the
/// clock jumped, the sender was started again — is believed after three messages that agree on it; a single wrong stamp
/// is out of order. What is missing is counted by the messages' numbers, else by the usual time between them. Clocks:
/// the sender's offset is the smallest of receiver − sender over two to four seconds; a message is late by what it is
/// above that. Without stamps the receiver's clock is the time: of samples that arrive at one time one is taken.
class ANTAEUS_API StreamWatch {
 public:
  explicit StreamWatch(const LiveOptions& options);

  /// \param stamp     sender's clock [s]; NaN: none
  /// \param sequence  number of the message; NaN: none
  /// \param received  receiver's clock [s]
  /// \realtime (live_realtime_test)
  Arrival judge(double stamp, double sequence, double received) noexcept;
  /// Of the message that was taken last [s]: sender's clock, or the receiver's where it has none.
  double time() const noexcept { return time_; }
  /// By which it was later than the fastest ones [s].
  double late_by() const noexcept { return late_by_; }
  bool is_late() const noexcept { return late_by_ > options_.late; }
  const StreamCounts& counts() const noexcept { return counts_; }
  double period() const noexcept { return period_; }  ///< usual time between samples [s]; NaN: not known yet
  double offset() const noexcept;                     ///< receiver − sender [s]; NaN: not known

 private:
  Arrival take(double stamp, double sequence, double received, Arrival as) noexcept;
  void begin(double received) noexcept;
  double break_gap() const noexcept;
  void learn_period(double step) noexcept;

  LiveOptions options_;
  StreamCounts counts_;
  double time_, last_sequence_, last_received_;
  double candidate_;  ///< last stamp of a time base that is not believed yet
  int agreeing_ = 0;
  double period_;
  std::array<double, 16> steps_{};
  int known_steps_ = 0;
  std::array<double, 2> offsets_{};  ///< smallest of receiver − sender: of the two seconds before, and of these
  double offsets_since_, late_by_ = 0.0;
  bool stamped_ = false, begun_ = false;
};

}  // namespace antaeus
