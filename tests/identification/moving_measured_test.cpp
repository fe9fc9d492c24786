// Identified on one part of a real log, judged on another.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <map>

#include "antaeus/trust/guarded_estimator.hpp"
#include "identification/moving_support.hpp"

namespace antaeus {
namespace {

using test::Phantoms;

void print(const MovingFit& fit) {
  std::cout << "motion " << fit.motion << " s, s " << fit.prior_scale << ", unit " << fit.unit << "\n";
  for (const ChannelFinding& c : fit.channels) {
    std::cout << "  " << c.joint << " " << to_string(c.use) << " gain " << c.gain << " ± " << c.gain_sd << " repeated "
              << c.repeated << " limit " << c.limit << " (" << c.at_limit << ") to/fro " << c.forward << "/"
              << c.backward << " sd " << c.white_sd << " standing " << c.standing_sd << " T " << c.integral_time
              << " periods " << c.periods << " " << c.reason << "\n";
  }
  for (const ParameterEstimate& p : fit.parameters) {
    if (p.identified()) std::cout << "  " << p.name << " " << p.value << " ± " << p.sd << " " << p.unit << "\n";
  }
  for (const std::string& text : fit.missing) std::cout << "  missing: " << text << "\n";
  for (const std::string& text : fit.notes) std::cout << "  note: " << text << "\n";
}

void print(const std::string& name, const Phantoms& p) {
  std::cout << name << ": phantom median " << p.median() << " 95 % " << p.at(0.95) << " largest " << p.largest()
            << " rms " << p.rms.transpose() << " axes " << p.covered.transpose() << " NEES " << p.nees << " rows "
            << p.pooled_rows << "\n";
}

/// Window of the speeds: what identification takes from positions. Over shorter ones they are faster than any that it
/// saw, and the reason `assumed_friction` says so.
constexpr double kSpeedWindow = 0.07;  // [s]
/// The range of the log's force sensor [N].
constexpr double kSensorRange = 45.0;

/// A planar leg senses no force across its plane, and is `ok` without it. Its knee is at the drive's limit in a third
/// of the samples, which are read and named (`saturated`): whatever the estimate of the plane, they are not `ok`.
void check_verdicts(test::Hopper& hopper, const MovingFit& fit, double half) {
  Episode& log = hopper.log.episode;
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

TEST(MovingMeasured, Hopper) {
  ANTAEUS_REQUIRE_SHARED("measured/hopper");
  test::Hopper hopper = test::load_hopper();
  const double half = 0.5 * hopper.log.episode.time[hopper.log.episode.steps() - 1];
  hopper.log.spans = {{0.0, half}};
  const MovingFit fit = fit_moving(hopper.robot, {hopper.log});
  print(fit);
  ASSERT_TRUE(fit.identified);
  hopper.log.spans = {{half, 2.0 * half}};
  EXPECT_NEAR(fit.channels[1].at_limit, 0.36, 0.02);  // the data's own page
  const double limit = 0.95 * fit.channels[1].limit;
  const Phantoms all = test::phantoms(hopper.robot, fit.noise, hopper.log, "contact", 60.0, 10);
  const Phantoms off = test::phantoms(hopper.robot, fit.noise, hopper.log, "contact", 60.0, 10, limit);
  std::cout << "KFE at its limit: " << fit.channels[1].limit_offset << " ± " << fit.channels[1].limit_sd << "\n";
  print("all samples", all);
  print("off the limit", off);
  // docs/validation.md#identified-noise has 0.26 and 1.41 N off the limit, 0.37 and 1.51 N over all.
  EXPECT_LE(off.rms[0], 0.30);
  EXPECT_LE(off.rms[2], 1.45);
  EXPECT_GE(off.pooled_rows, 0.93);
  EXPECT_LE(off.pooled_rows, 0.98);
  EXPECT_LE(all.rms[0], 0.40);
  EXPECT_LE(all.rms[2], 1.75);
  SCOPED_TRACE("verdicts of the guarded estimator");
  check_verdicts(hopper, fit, half);
}

TEST(MovingMeasured, Tiago) {
  ANTAEUS_REQUIRE_SHARED("measured/tiago_free");
  if (!std::filesystem::exists(test::tiago_urdf()))
    ANTAEUS_SKIP("tiago.urdf of example-robot-data is missing", test::kExampleRobotsCommand);
  auto [robot, log] = test::load_tiago();
  const double end = log.episode.time[log.episode.steps() - 1];
  const MovingFit refused = fit_moving(robot, {log});
  EXPECT_FALSE(refused.identified);
  EXPECT_EQ(refused.missing.size(), 8u);
  for (const int j : {2, 3, 4}) EXPECT_EQ(refused.channels[j].use, ChannelUse::other_unit);
  for (const int j : {5, 6, 7}) EXPECT_EQ(refused.channels[j].use, ChannelUse::dead);
  MovingFitOptions options;
  options.effort_units = true;
  for (const bool first : {true, false}) {
    log.spans = {first ? TimeSpan{0.0, 0.5 * end} : TimeSpan{0.5 * end, end}};
    const MovingFit fit = fit_moving(robot, {log}, options);
    print(fit);
    ASSERT_TRUE(fit.identified);
    log.spans = {first ? TimeSpan{0.5 * end, end} : TimeSpan{0.0, 0.5 * end}};
    const Phantoms held_out = test::phantoms(robot, fit.noise, log, "arm_tool_link", 60.0, 5);
    print(first ? "from the first" : "from the second", held_out);
    EXPECT_GE(held_out.covered.minCoeff(), 0.93);  // of 95 %: one log has few independent samples
    if (first) {
      EXPECT_LE(held_out.largest(), 15.0);
    }
  }
}

void check_ur10e_channels(const Robot& robot, const std::vector<MovingLog>& logs) {
  const MovingFit fit = fit_moving(robot, logs);
  print(fit);
  ASSERT_TRUE(fit.identified);
  EXPECT_GE(std::ranges::count(fit.channels, ChannelUse::used, &ChannelFinding::use), 5);
  for (const MovingLog& log : logs) {  // each by itself
    const MovingFit one = fit_moving(robot, {log});
    std::cout << log.episode.name << ": " << std::ranges::count(one.channels, ChannelUse::used, &ChannelFinding::use)
              << "\n";
    EXPECT_GE(std::ranges::count(one.channels, ChannelUse::used, &ChannelFinding::use), 5) << log.episode.name;
  }
}

/// Forces that untouched torques of other days read as, pooled.
struct OtherDays {
  std::vector<double> size;
  std::array<std::vector<double>, 3> sd;
  Vector3 covered = Vector3::Zero(), least = Vector3::Ones();
  double beyond_four = 0.0;
  void add(const Phantoms& one) {
    for (std::size_t i = 0; i < one.force.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const double z = std::abs(one.force[i][axis]) / one.axis_sd[i][axis];
        covered[axis] += z <= 1.96;
        beyond_four += z > 4.0;
        sd[static_cast<std::size_t>(axis)].push_back(one.axis_sd[i][axis]);
      }
    }
    size.insert(size.end(), one.size.begin(), one.size.end());
    least = least.cwiseMin(one.covered);
  }
  static double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
    return values[values.size() / 2];
  }
  void print(const std::string& name) {
    const auto n = static_cast<double>(size.size());
    covered /= n;
    beyond_four /= 3.0 * n;
    std::cout << name << ": |F| median " << median(size) << " N, covered " << covered.transpose() << ", least log "
              << least.transpose() << ", median sd";
    for (const std::vector<double>& axis : sd) std::cout << " " << median(axis);
    std::cout << " N, beyond 4 sd " << beyond_four << "\n";
  }
  void judge(const std::string& name, double least_pooled, double most_pooled, double least_log) const {
    EXPECT_GE(covered.minCoeff(), least_pooled) << name;
    EXPECT_LE(covered.mean(), most_pooled) << name;
    EXPECT_GE(least.minCoeff(), least_log) << name;
    EXPECT_LE(beyond_four, 0.002) << name;
    for (const std::vector<double>& axis : sd) EXPECT_LE(median(axis), 9.0) << name;
  }
};

/// docs/guide/identify.md: four days over ten weeks, each judged by fits that did not see it.
void check_ur10e_on_other_days(const Robot& robot, const std::vector<MovingLog>& logs) {
  for (const double cut_off : {0.0, 15.0}) {
    MovingFitOptions options;
    options.low_pass = cut_off;  // 15: as identify sets it, since the loop forms such residuals
    OtherDays by_three, by_one, blind;
    for (std::size_t day = 0; day < logs.size(); ++day) {
      std::vector<MovingLog> others = logs;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(day));
      by_three.add(test::phantoms(robot, fit_moving(robot, others, options).noise, logs[day], "tool0", 60.0, 10));
      MovingFitOptions within = options;
      within.coulomb_between = within.viscous_between = within.offset_between = 0.0;
      const MovingFit one = fit_moving(robot, {logs[day]}, options), no_days = fit_moving(robot, {logs[day]}, within);
      for (std::size_t other = 0; other < logs.size(); ++other) {
        if (other == day) continue;
        by_one.add(test::phantoms(robot, one.noise, logs[other], "tool0", 60.0, 10));
        blind.add(test::phantoms(robot, no_days.noise, logs[other], "tool0", 60.0, 10));
      }
    }
    const std::string rows = cut_off > 0.0 ? " (sigma of the loop)" : " (sigma of single samples)";
    // A force whose prior is about zero covers zero more often than stated: 0.99 where 0.985 was asked.
    by_three.print("three days, another" + rows);
    by_three.judge(rows, 0.93, 0.99, 0.85);
    by_one.print("one day, another" + rows);
    by_one.judge(rows, 0.90, 1.0, 0.75);
    blind.print("one day without what days differ by" + rows);
    EXPECT_LT(blind.least.minCoeff(), by_one.least.minCoeff()) << "one day is no evidence of another";
  }
}

TEST(MovingMeasured, Ur10e) {
  ANTAEUS_REQUIRE_SHARED("measured/ur10e");
  const auto [robot, logs] = test::load_ur10e();
  {
    SCOPED_TRACE("channels of each day");
    check_ur10e_channels(robot, logs);
  }
  SCOPED_TRACE("forces on other days");
  check_ur10e_on_other_days(robot, logs);
}

}  // namespace
}  // namespace antaeus
