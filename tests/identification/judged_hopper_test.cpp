// A leg of two joints, identified on one part of a real log: what the guard's verdicts are of the other.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "antaeus/trust/guarded_estimator.hpp"
#include "identification/moving_support.hpp"

namespace antaeus {
namespace {

/// Window of the speeds: what identification takes from positions. Over shorter ones they are faster than any that it
/// saw, and the reason `assumed_friction` says so.
constexpr double kSpeedWindow = 0.07;  // [s]
/// The range of the log's force sensor [N].
constexpr double kSensorRange = 45.0;

/// A planar leg feels nothing across its plane, and was never `ok` for it. Its knee is at the drive's limit in a third
/// of the samples, which are read and named (`saturated`): whatever is said of the plane, they are not `ok`.
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
  smooth.window = 2 * static_cast<int>(std::round(0.5 * kSpeedWindow / log.sample_time())) + 1;
  const SmoothedLog motion = savitzky_golay(log.time, log.q, smooth);
  GuardedEstimator estimator(hopper.robot, {"contact"});
  EXPECT_EQ(sensed_sentences(hopper.robot, {"contact"}, {}),
            (std::vector<std::string>{"contact: senses x and z of the base; y not, by its build"}));
  std::map<std::string, int> reasons;
  int judged = 0, fine = 0, at_limit = 0, knee_alone = 0, of_the_force = 0;
  Observation o;
  for (Eigen::Index i = smooth.window; i < log.steps() - smooth.window; ++i) {
    if (log.time[i] < half) continue;
    o.time = log.time[i];
    o.q = log.q.row(i);
    o.v = motion.first.row(i);
    o.tau = log.tau.row(i);
    const ConsumerWrench& read = estimator.update(o)[0];
    const WrenchEstimate& estimate = estimator.estimates()[0];
    if (hopper.force.row(i).cwiseAbs().maxCoeff() > kSensorRange) continue;
    ++judged;
    ++reasons[read.reasons.text()];
    const bool saturated = estimate.reasons.has(Reason::saturated);
    at_limit += saturated;
    fine += estimate.verdict == Verdict::ok;
    knee_alone += estimate.reasons == Reasons(Reason::saturated);
    of_the_force += read.reasons.has_any(Reason::uncertain | Reason::unobservable_direction | Reason::force_limit |
                                         Reason::insensible_direction | kTestAlarm);
  }
  ASSERT_GT(judged, 10000);
  for (const auto& [name, count] : reasons) std::cout << "  " << count << ": " << name << '\n';
  std::cout << judged << " samples, ok " << fine << ", at the knee's limit " << at_limit << ", of these nothing else "
            << knee_alone << '\n';
  EXPECT_GE(fine, 0.80 * (judged - at_limit)) << "of those off the limit";
  EXPECT_GE(fine + knee_alone, 0.80 * judged) << "or with that alone against it";
  EXPECT_EQ(of_the_force, 0) << "neither its directions nor its size are held against it";
}

}  // namespace
}  // namespace antaeus
