// The checks of what sensors say, with samples that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/episode/input_checks.hpp"
#include "support/faulty_samples.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::Told;

TEST(InputChecksSoak, FindingsHaveAReasonAndShares) {
  const Robot robot = test::own_robot("h1_2");
  InputChecks checks(robot);
  test::FaultySamples samples(robot, robot.pose("zero"));
  Reasons age;
  int cycle = 0;
  // A jump or a turn stays until it is taken back or reset() is called, which comes every 200 cycles here.
  test::soak_faulty_cycles(
      "InputChecks", {.seed = 3541, .recovers_within = -1},
      [&](Faults& faults) {
        samples.next(faults);
        faults.pass_over();  // the instant's status says what is not finite
      },
      [&] {
        if (++cycle % 200 == 0) checks.reset();
        checks.inspect(samples.sample);
        age = check_age(samples.sample.time, samples.sample.time, 0.1, checks.options());
      },
      [&] {
        const InputFindings& found = checks.findings();
        const InputShares& s = found.shares;
        bool finite = true;
        for (const double share : {s.position, s.jump, s.dead, s.stuck, s.still, s.tilt, s.turn, s.scale}) {
          EXPECT_FALSE(std::isnan(share)) << "cycle " << cycle;
          finite = finite && share < 1.0;  // NaN is not either
        }
        EXPECT_EQ(age.empty(), std::isfinite(samples.sample.time));
        EXPECT_EQ(std::ssize(found.motors), robot.model.motor_count());
        // Without a reason no share is at its bound.
        bool silent = found.reasons.empty();
        for (const Reasons& motor : found.motors) silent = silent && motor.empty();
        return Told(silent, finite);
      });
}

}  // namespace
}  // namespace antaeus
