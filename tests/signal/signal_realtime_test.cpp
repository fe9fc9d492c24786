#include <gtest/gtest.h>

#include <cmath>

#include "antaeus/core/numbers.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "antaeus/signal/cusum.hpp"
#include "antaeus/signal/hysteresis.hpp"
#include "antaeus/signal/low_pass.hpp"
#include "antaeus/signal/ring_buffer.hpp"
#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;

/// Good samples, a bad one and one of a wrong size.
template <class Filter>
void expect_no_allocation(int size) {
  Filter filter(size, 5.0);
  VectorX sample = VectorX::LinSpaced(size, 0.0, 1.0), bad = sample, wrong(size + 1);
  bad[size - 1] = kNaN;
  AllocationCounter counter;
  for (int i = 0; i < 100; ++i) {
    sample[0] = i;
    filter.step(sample, 0.02);
    filter.step(bad, 0.02);
    filter.step(sample, -0.02);
    filter.step(wrong, 0.02);
    filter.step(filter.value(), 0.02);
  }
  filter.reset(sample);
  EXPECT_EQ(counter.count(), 0) << size;
}

TEST(SignalRealtime, LowPass) {
  for (const int size : {1, 6, 27, 200}) {
    expect_no_allocation<ExponentialLowPass>(size);
    expect_no_allocation<ButterworthLowPass>(size);
  }
  ExponentialLowPass filter(3, 1.0);
  AllocationCounter counter;
  filter.step(Vector3(1.0, 2.0, 3.0), 0.1);
  EXPECT_EQ(counter.count(), 0) << "a vector of fixed size";
}

TEST(SignalRealtime, Statistics) {
  Cusum cusum;
  double sum = 0.0;
  AllocationCounter counter;
  for (const double x : {0.1, 3.0, 12.0, 700.0, kNaN})
    for (const double dof : {0.5, 6.0, 27.0, 3000.0, kNaN}) {
      sum += chi_squared_cdf(x, dof) + chi_squared_survival(x, dof) + normal_cdf(x);
      sum += chi_squared_quantile(0.01 * x, dof) + chi_squared_threshold(0.01 * x, dof) + normal_quantile(0.01 * x);
      cusum.step(standardise_chi_squared(x, dof));
    }
  cusum.reset();
  EXPECT_EQ(counter.count(), 0);
  EXPECT_TRUE(std::isnan(sum));
}

TEST(SignalRealtime, Hysteresis) {
  for (const int highest : {1, 2, 20}) {
    Hysteresis state(highest);
    AllocationCounter counter;
    for (int i = 0; i < 1000; ++i) state.step(i % (highest + 2), i % 7 == 0 ? kNaN : 0.02 * i);
    state.reset(0);
    EXPECT_EQ(counter.count(), 0);
  }
}

struct Recorded {
  double time = kNaN;
  VectorX q, tau;
};

TEST(SignalRealtime, RingBuffer) {
  for (const int size : {6, 27, 300}) {
    const VectorX measured = VectorX::Ones(size);
    RingBuffer<Recorded> recorder(50, Recorded{kNaN, measured, measured});
    AllocationCounter counter;
    double sum = 0.0;
    for (int i = 0; i < 120; ++i) {
      Recorded& slot = recorder.push();
      slot.time = i;
      slot.q = measured;
      slot.tau = measured;
    }
    for (int i = 0; i < recorder.size(); ++i) sum += recorder[i].time;
    recorder.clear();
    EXPECT_EQ(counter.count(), 0);
    EXPECT_EQ(sum, 50.0 * 0.5 * (70.0 + 119.0));
  }
}

}  // namespace
}  // namespace antaeus
