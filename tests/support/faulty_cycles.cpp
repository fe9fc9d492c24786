#include "support/faulty_cycles.hpp"

#include <algorithm>
#include <cstdio>

#include "support/allocation_counter.hpp"

namespace antaeus::test {

void soak_faulty_cycles(const std::string& name, const FaultySoak& plan, const std::function<void(Faults&)>& prepare,
                        const std::function<void()>& call, const std::function<Told()>& judge) {
  const std::string seed = "seed " + std::to_string(plan.seed);
  SCOPED_TRACE(name + ", " + seed);
  const int cycles = in_soak(1'000'000, plan.sample);
  Faults faults(plan.seed, plan.longest_calm > 0 ? plan.longest_calm : 2 * std::max(plan.recovers_within, 0) + 10);
  int ok = 0, unusable = 0, checked = 0;
  for (int i = 0; i < cycles; ++i) {
    if (faults.begin_cycle()) prepare(faults);
    const AllocationCounter counter;
    call();
    ASSERT_EQ(counter.count(), 0) << "cycle " << i;
    const Told told = judge();
    ASSERT_TRUE(told.honest()) << "cycle " << i << ": ok, with a number that is none";
    if (faults.unusable()) {
      ASSERT_FALSE(told.ok()) << "cycle " << i << ": ok, of an input that is none";
    }
    if (plan.recovers_within >= 0 && faults.calm_for() > plan.recovers_within) {
      ASSERT_TRUE(told.ok()) << "cycle " << i << ", " << faults.calm_for() << " after the last fault";
      ++checked;
    }
    ok += told.ok();
    unusable += faults.unusable();
  }
  std::printf("%s: %d cycles, ok in %d, unusable inputs in %d, %lld arguments spoilt\n", name.c_str(), cycles, ok,
              unusable, faults.count());
  EXPECT_GT(faults.count(), cycles / 100) << "faults came";
  EXPECT_GT(ok, cycles / 10) << "it is ok at times";
  if (plan.recovers_within >= 0) {
    EXPECT_GT(checked, cycles / 20) << "it recovers";
  }
}

}  // namespace antaeus::test
