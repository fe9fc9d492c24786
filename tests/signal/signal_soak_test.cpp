// Every part of room signal that runs once a cycle, with inputs that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/signal/alarm_limits.hpp"
#include "antaeus/signal/cusum.hpp"
#include "antaeus/signal/hysteresis.hpp"
#include "antaeus/signal/low_pass.hpp"
#include "antaeus/signal/ring_buffer.hpp"
#include "support/faulty_cycles.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::soak_faulty_cycles;
using test::Told;

constexpr int kSize = 7;

template <class Filter>
void soak_filter(const char* name, unsigned seed, Filter filter) {
  VectorX sample(kSize);
  double dt = 0.0;
  Status status = Status::not_computed;
  soak_faulty_cycles(
      name, {.seed = seed},
      [&](Faults& faults) {
        sample.resize(kSize);
        faults.fill(sample, 5.0);
        dt = 0.002;
        faults.spoil(sample);
        faults.spoil_step(dt);
      },
      [&] { status = filter.step(sample, dt); },
      [&] { return Told{status == Status::ok, filter.value().allFinite()}; });
}

TEST(SignalSoak, ExponentialLowPass) { soak_filter("ExponentialLowPass", 3501, ExponentialLowPass(kSize, 60.0)); }
TEST(SignalSoak, ButterworthLowPass) { soak_filter("ButterworthLowPass", 3502, ButterworthLowPass(kSize, 10.0)); }

TEST(SignalSoak, Cusum) {
  Cusum cusum;
  double z = 0.0;
  Status status = Status::not_computed;
  soak_faulty_cycles(
      "Cusum", {.seed = 3503},
      [&](Faults& faults) {
        z = faults.number(1.0);
        faults.spoil(z);
      },
      [&] { status = cusum.step(z); },
      [&] {
        return Told{status == Status::ok, std::isfinite(cusum.upper()) && std::isfinite(cusum.lower()) &&
                                              cusum.upper() >= 0.0 && cusum.lower() >= 0.0};
      });
}

/// A level is always one of its own; what it holds after the dwell without a wish for worse is the best.
TEST(SignalSoak, Hysteresis) {
  Hysteresis hysteresis(2, {.rise_dwell = 0.004, .fall_dwell = 0.05});
  double time = 0.0, now = 0.0;
  int wanted = 0, level = 0;
  // The dwell's 25 steps and one that begins it.
  soak_faulty_cycles(
      "Hysteresis", {.seed = 3504, .recovers_within = 30},
      [&](Faults& faults) {
        const double last = now;
        time += 0.002;
        now = time;
        wanted = faults.burst() ? faults.below(9) - 3 : 0;
        faults.spoil_time(now, last);
        faults.pass_over();  // no time has passed
      },
      [&] { level = hysteresis.step(wanted, now); },
      [&] { return Told{level == 0, level >= 0 && level <= 2 && level == hysteresis.level()}; });
}

TEST(SignalSoak, AlarmLimits) {
  AlarmLimits limits({.per_hour = 2.0, .tests = 4}, 12);
  double time = 0.0, now = 0.0;
  // 32 gaps are the whole memory of the interval; the leap of a clock is 10 s at most of one of them.
  soak_faulty_cycles(
      "AlarmLimits", {.seed = 3505, .recovers_within = 70},
      [&](Faults& faults) {
        const double last = now;
        time += 0.002;
        now = time;
        faults.spoil_time(now, last);
        faults.pass_over();  // left out
      },
      [&] { limits.step(now); },
      [&] {
        bool finite = std::isfinite(limits.interval()) && limits.interval() > 0.0 && limits.probability() <= 0.5;
        for (int dof = 1; dof <= 12; ++dof)
          finite = finite && limits.limit(dof) > 0.0 && std::isfinite(limits.limit(dof));
        return Told{finite && std::abs(limits.interval() - 0.002) < 1e-3, finite};
      });
}

TEST(SignalSoak, RingBuffer) {
  RingBuffer<VectorX> buffer(20, VectorX::Zero(kSize));
  VectorX sample(kSize);
  soak_faulty_cycles(
      "RingBuffer", {.seed = 3506, .recovers_within = 0},
      [&](Faults& faults) {
        sample.resize(kSize);
        faults.fill(sample, 1.0);
        faults.spoil_entry(sample);
      },
      [&] { buffer.push() = sample; },
      // It keeps what it is given, whatever that is.
      [&] { return Told{buffer.newest()->allFinite(), buffer.size() <= 20 && buffer.newest()->size() == kSize}; });
}

}  // namespace
}  // namespace antaeus
