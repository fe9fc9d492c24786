// A leg of two joints, identified on one part of a real log: what the guard's verdicts are of the other.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "antaeus/trust/guarded_estimator.hpp"
#include "identification/moving_support.hpp"

namespace antaeus {
namespace {

/// A planar leg feels nothing across its plane, and was never `ok` for it.
TEST(JudgedHopper, IsOkInItsPlane) {
  ANTAEUS_REQUIRE_SHARED("measured/hopper");
  test::Hopper hopper = test::load_hopper();
  Episode& log = hopper.log.episode;
  const double half = 0.5 * log.time[log.steps() - 1];
  hopper.log.spans = {{0.0, half}};
  const MovingFit fit = fit_moving(hopper.robot, {hopper.log});
  ASSERT_TRUE(fit.identified);
  hopper.robot.profile.noise = std::make_shared<const NoiseModel>(fit.noise);
  hopper.robot.profile.settings.set("posterior.contact=force");
  hopper.robot.profile.settings.set("posterior.force_prior=60");

  // The log has no speeds; a driver has.
  SavitzkyGolayOptions smooth;
  smooth.window = 2 * static_cast<int>(std::round(0.02 / log.sample_time())) + 1;
  const SmoothedLog motion = savitzky_golay(log.time, log.q, smooth);
  GuardedEstimator estimator(hopper.robot, {"contact"});
  EXPECT_EQ(sensed_sentences(hopper.robot, {"contact"}, {}),
            (std::vector<std::string>{"contact: senses x and z of the base; y not, by its build"}));
  std::map<std::string, int> verdicts, reasons;
  int judged = 0, fine = 0;
  Observation o;
  for (Eigen::Index i = smooth.window; i < log.steps() - smooth.window; ++i) {
    if (log.time[i] < half) continue;
    o.time = log.time[i];
    o.q = log.q.row(i);
    o.v = motion.first.row(i);
    o.tau = log.tau.row(i);
    const ConsumerWrench& read = estimator.update(o)[0];
    if (hopper.force.row(i).cwiseAbs().maxCoeff() > 45.0) continue;  // the sensor's range
    ++judged;
    fine += estimator.estimates()[0].verdict == Verdict::ok;
    ++verdicts[std::string(to_string(estimator.estimates()[0].verdict))];
    ++verdicts["guard " + std::string(to_string(read.state))];
    ++reasons[read.reasons.text()];
  }
  ASSERT_GT(judged, 10000);
  for (const auto& [name, count] : verdicts) std::cout << name << ' ' << count << '\n';
  for (const auto& [name, count] : reasons) std::cout << "  " << count << ": " << name << '\n';
  EXPECT_GE(fine, 0.80 * judged) << fine << " of " << judged;
  EXPECT_FALSE(estimator.results()[0].reasons.has(Reason::force_limit));
}

}  // namespace
}  // namespace antaeus
