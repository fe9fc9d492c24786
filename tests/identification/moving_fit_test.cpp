// An arm whose friction, offsets and masses are known because they were made up: does the fit cover them, not too
// widely, and does it say what a log lacks?
#include "antaeus/identification/moving/moving_fit.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "antaeus/core/error.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/identification/moving/moving_payload.hpp"
#include "identification/made_up_arm.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

using test::made_up;
using test::MadeUp;
using test::Sensing;

TEST(MovingFit, CoversWhatWasMadeUpAndNotTooWidely) {
  double inside = 0.0, all = 0.0, nees = 0.0, rows = 0.0, row_count = 0.0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    MadeUp arm = made_up(700 + seed, 40.0);
    arm.log.spans = {{0.0, 20.0}};
    const MovingFit fit = fit_moving(arm.robot, {arm.log});
    for (const std::string& text : fit.missing) std::cout << text << "\n";
    ASSERT_TRUE(fit.identified) << "seed " << seed;
    const TorqueParameters at = torque_parameters(arm.robot.model);
    for (int j = 0; j < at.motors; ++j) {
      if (fit.channels[j].use != ChannelUse::used) continue;
      for (const int k : {at.coulomb(j), at.viscous(j)}) {
        const ParameterEstimate& one = fit.parameters[k];
        if (!one.identified()) continue;
        const double z = (one.value - arm.truth[k]) / one.sd;
        inside += std::abs(z) <= 1.96;
        nees += z * z;
        all += 1.0;
      }
    }
    arm.log.spans = {{20.0, 40.0}};
    const HoldOut held_out = judge_moving(arm.robot, fit.noise, {arm.log});
    for (int j = 0; j < at.motors; ++j) {
      if (std::isnan(held_out.covered[j])) continue;
      rows += held_out.covered[j];
      row_count += 1.0;
    }
  }
  std::cout << "friction covered " << inside / all << " of " << all << ", z² " << nees / all << ", rows covered "
            << rows / row_count << "\n";
  EXPECT_GE(inside / all, 0.88);  // 95 % of 84, less three binomial sd
  EXPECT_GE(nees / all, 0.3);     // sd below twice what the errors need
  EXPECT_GE(rows / row_count, 0.93);
  EXPECT_LE(rows / row_count, 0.99);
}

// Errors in variables: speeds with noise, differenced and put through the loop's low pass, took a part of every mass
// away, surely (rms z 2 to 5 with a torque as quiet as this). σ is of what the loop sees all the same.
TEST(MovingFit, NoisySpeedsDoNotShrinkMasses) {
  constexpr int kSeeds = 3;
  double square = 0.0, count = 0.0, wide = 0.0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const MadeUp arm = made_up(760 + seed, 20.0, {}, 0.0, {.rate = 200.0, .slow_sd = 0.0, .speed_noise = 2e-3});
    MovingFitOptions options;
    options.low_pass = ResidualOptions{}.cut_off;
    const MovingFit fit = fit_moving(arm.robot, {arm.log}, options);
    options.low_pass = 0.0;
    const MovingFit single = fit_moving(arm.robot, {arm.log}, options);
    ASSERT_TRUE(fit.identified && single.identified) << "seed " << seed;
    const TorqueParameters at = torque_parameters(arm.robot.model);
    for (int body = 0; body < at.bodies; ++body) {
      for (int k = at.inertial(body); k < at.inertial(body) + 4; ++k) {
        if (!fit.parameters[k].identified()) continue;
        const double z = (fit.parameters[k].value - arm.truth[k]) / fit.parameters[k].sd;
        square += z * z;
        count += 1.0;
      }
    }
    wide += fit.noise.white_sd[1] / single.noise.white_sd[1] / kSeeds;
  }
  std::cout << "masses and moments: " << count << ", rms z " << std::sqrt(square / count) << "; shoulder's σ " << wide
            << " of that of single samples\n";
  ASSERT_GT(count, 20.0);
  EXPECT_LT(std::sqrt(square / count), 1.4);
  EXPECT_NE(wide, 1.0);
}

TEST(MovingFit, TheOffsetOfAChannelAtItsLimitCountsAwayFromZero) {
  MadeUp arm = made_up(744, 40.0);
  constexpr Eigen::Index kJoint = 0;  // turns about the vertical: its torque is friction and inertia, of either sign
  constexpr double kTooMuch = 2.0;    // N·m, by which the channel reads too much at its limit
  constexpr double kFrictionAtRest = 0.5;  // N·m, of friction that a fit without the largest torques may leave
  auto torques = arm.log.episode.tau.col(kJoint);
  const double limit = 0.3 * torques.cwiseAbs().maxCoeff();
  arm.robot.profile.figures[kJoint].torque_limit = limit;
  int above = 0, below = 0;
  for (double& torque : torques) {
    if (std::abs(torque) < limit) continue;
    ++(torque > 0.0 ? above : below);
    torque += std::copysign(kTooMuch, torque);
  }
  ASSERT_GT(std::min(above, below), 500);
  const MovingFit fit = fit_moving(arm.robot, {arm.log});
  ASSERT_TRUE(fit.identified);
  EXPECT_NEAR(fit.channels[kJoint].limit_offset, kTooMuch, kFrictionAtRest);
}

TEST(MovingFit, OfALongLogWindowsAreTakenThatAreSpreadOverIt) {
  MadeUp arm = made_up(741, 140.0);
  MovingFitOptions options;
  const MovingFit whole = fit_moving(arm.robot, {arm.log}, options);
  options.most_rows = 6000 * arm.robot.model.motor_count();  // of 14000 samples: three windows of 20 s
  // What is between them is another arm's: a fit that reads on beyond its windows does not find the truth.
  MovingLog spoiled = arm.log;
  for (const auto& [from, to] : {std::pair{0.5, 19.5}, {42.0, 58.0}, {81.0, 99.0}, {121.0, 139.0}}) {
    for (Eigen::Index i = 0; i < spoiled.episode.steps(); ++i) {
      if (spoiled.episode.time[i] > from && spoiled.episode.time[i] < to) spoiled.episode.tau.row(i).array() += 50.0;
    }
  }
  const MovingFit part = fit_moving(arm.robot, {spoiled}, options);
  ASSERT_TRUE(whole.identified && part.identified);
  EXPECT_TRUE(std::ranges::none_of(whole.notes, [](const std::string& n) { return n.starts_with("samples used"); }));
  ASSERT_FALSE(part.notes.empty());
  EXPECT_TRUE(part.notes[0].starts_with("samples used 6000 of 13986, in 3 windows spread over the logs"))
      << part.notes[0];
  const TorqueParameters at = torque_parameters(arm.robot.model);
  for (int j = 0; j < at.motors; ++j) {
    for (const int k : {at.coulomb(j), at.offset(j)}) {
      if (part.channels[j].use != ChannelUse::used || !part.parameters[k].identified()) continue;
      EXPECT_LT(std::abs(part.parameters[k].value - arm.truth[k]), 4.0 * part.parameters[k].sd)
          << part.parameters[k].name;
      EXPECT_GT(part.parameters[k].sd, whole.parameters[k].sd) << "fewer rows, no less doubt";
    }
  }
}

TEST(MovingFit, StretchesWithoutMotionGiveWayToThoseWithIt) {
  MadeUp arm = made_up(742, 100.0);
  const Eigen::Index from = 2000, to = 8000;  // the robot rests for 60 of 100 s
  for (Eigen::Index i = from; i < to; ++i) {
    arm.log.episode.q.row(i) = arm.log.episode.q.row(from);
    arm.log.episode.tau.row(i) = arm.log.episode.tau.row(from) + 1e-3 * arm.log.episode.tau.row(i);
  }
  MovingFitOptions options;
  options.most_rows = 4000 * arm.robot.model.motor_count();
  const MovingFit fit = fit_moving(arm.robot, {arm.log}, options);
  EXPECT_GT(fit.motion, 35.0);  // of the 40 s that move, less the ends of windows
}

/// The torque channel as it would be, were it late.
MovingLog delayed(MovingLog log, Eigen::Index samples) {
  const SampleMatrix tau = log.episode.tau;
  for (Eigen::Index i = 0; i < tau.rows(); ++i)
    log.episode.tau.row(i) = tau.row(std::max<Eigen::Index>(0, i - samples));
  return log;
}

TEST(MovingFit, FindsATorqueChannelThatIsLate) {
  const MadeUp arm = made_up(731, 30.0);
  const MovingFit late = fit_moving(arm.robot, {delayed(arm.log, 2)});  // 20 ms at 100 Hz
  ASSERT_TRUE(late.identified);
  const ShiftScan& scan = late.torque_shift;
  std::cout << "late by " << scan.best << " ± " << scan.sd << " s; error " << scan.error.transpose() << "\n";
  EXPECT_TRUE(scan.differs);
  EXPECT_NEAR(scan.best, 0.02, 3.0 * scan.sd);
  EXPECT_LT(scan.sd, 0.005);
  ASSERT_EQ(late.notes.size(), 1u);
  EXPECT_NE(late.notes[0].find("later than the positions"), std::string::npos) << late.notes[0];
  Eigen::Index least = 0;
  scan.error.minCoeff(&least);
  EXPECT_NEAR(scan.shift[least], 0.02, 0.005);
  EXPECT_NEAR(scan.error[scan.error.size() / 2], 1.0, 0.02);  // at no shift it is what σ was made of

  MovingFitOptions unscanned;
  unscanned.shift_range = 0.0;
  EXPECT_EQ(fit_moving(arm.robot, {arm.log}, unscanned).torque_shift.error.size(), 0);
}

TEST(MovingFit, DoesNotSuspectTorquesThatAreInTime) {
  for (unsigned seed = 732; seed < 738; ++seed) {
    const MadeUp arm = made_up(seed, 25.0);
    const MovingFit fit = fit_moving(arm.robot, {arm.log});
    ASSERT_TRUE(fit.identified);
    std::cout << "in time: " << fit.torque_shift.best << " ± " << fit.torque_shift.sd << " s\n";
    EXPECT_FALSE(fit.torque_shift.differs) << "seed " << seed;
    EXPECT_TRUE(fit.notes.empty());
  }
}

TEST(MovingPayload, IsFoundFromTwoLogs) {
  Inertial body;
  body.mass = 1.3;
  body.center_of_mass = Vector3(0.02, -0.03, 0.08);
  body.inertia = Vector3(0.004, 0.003, 0.002).asDiagonal();
  double z2 = 0.0, worst = 0.0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const MadeUp bare = made_up(740 + seed, 25.0), loaded = made_up(740 + seed, 25.0, {{"panda_hand", body}});
    const PayloadFit fit = fit_payload(bare.robot, {bare.log}, {loaded.log}, "panda_hand");
    for (const std::string& text : fit.missing) std::cout << text << "\n";
    ASSERT_TRUE(fit.identified);
    std::cout << "payload " << fit.mass << " ± " << fit.mass_sd << " kg, centre " << fit.center.transpose() << " ± "
              << fit.center_sd.transpose() << "\n";
    worst = std::max(worst, std::abs(fit.mass - body.mass));
    z2 += std::pow((fit.mass - body.mass) / fit.mass_sd, 2) / 4.0;
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LE(std::abs(fit.center[axis] - body.center_of_mass[axis]), 3.0 * fit.center_sd[axis]) << axis;
    }
  }
  EXPECT_LE(worst, 0.1);  // [kg]; each is held to its own sd below
  EXPECT_LE(z2, 3.0);     // χ² of four over four: 1 in a hundred
  const MadeUp bare = made_up(750, 25.0);
  const PayloadFit nothing = fit_payload(bare.robot, {bare.log}, {bare.log}, "panda_hand");
  EXPECT_LE(std::abs(nothing.mass), 2.0 * nothing.mass_sd);
  EXPECT_TRUE(std::isnan(nothing.center[0]));
  EXPECT_THROW(fit_payload(bare.robot, {bare.log}, {bare.log}, "panda_hnad"), ModelError);
}

TEST(MovingFit, SaysWhatALogLacks) {
  MadeUp arm = made_up(720, 15.0);
  arm.log.spans = {{0.0, 6.0}};
  const MovingFit brief = fit_moving(arm.robot, {arm.log});
  EXPECT_FALSE(brief.identified);
  ASSERT_FALSE(brief.missing.empty());
  EXPECT_NE(brief.missing[0].find("s of motion"), std::string::npos) << brief.missing[0];
  EXPECT_EQ(brief.noise.white_sd.size(), 0);

  arm.log.spans.clear();
  arm.log.episode.tau.col(2).setConstant(0.1);  // dead
  arm.log.episode.tau.col(3) *= 0.1;            // in amperes, say
  const MovingFit odd = fit_moving(arm.robot, {arm.log});
  EXPECT_EQ(odd.channels[2].use, ChannelUse::dead) << odd.channels[2].reason;
  EXPECT_EQ(odd.channels[3].use, ChannelUse::other_unit) << odd.channels[3].reason;
  MadeUp frozen = made_up(720, 15.0);
  frozen.log.episode.q.col(1).setConstant(frozen.log.episode.q(0, 1));
  EXPECT_NE(fit_moving(frozen.robot, {frozen.log}).channels[1].use, ChannelUse::used);
  EXPECT_NE(odd.channels[3].reason.find("not in N·m"), std::string::npos);
}

std::size_t named(const MovingFit& fit) {
  return static_cast<std::size_t>(std::ranges::count(fit.channels, ChannelUse::other_unit, &ChannelFinding::use));
}
bool noted(const MovingFit& fit, const std::string& text) {
  return std::ranges::any_of(fit.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(MovingFit, ARotorThatNoDescriptionHasIsNoUnit) {
  for (unsigned seed = 760; seed < 764; ++seed) {
    const MadeUp arm = made_up(seed, 25.0, {}, 1.2);
    const MovingFit fit = fit_moving(arm.robot, {arm.log});
    ASSERT_TRUE(fit.identified) << "seed " << seed;
    EXPECT_EQ(named(fit), 0u) << "seed " << seed;
    const TorqueParameters at = torque_parameters(arm.robot.model);
    const ParameterEstimate& rotor = fit.parameters[at.rotor(0)];
    std::cout << rotor.name << " " << rotor.value << " ± " << rotor.sd << "\n";
    EXPECT_NEAR(rotor.value, 1.2, 3.0 * rotor.sd);
  }
}

TEST(MovingFit, AToolThatDiffersIsNoUnitAndIsNamed) {
  Inertial body;
  body.mass = 1.0;
  body.center_of_mass = Vector3(0.0, 0.0, 0.08);
  body.inertia = Vector3(0.004, 0.003, 0.002).asDiagonal();
  const std::vector<Payload> tool = {{"panda_hand", body}};
  for (unsigned seed = 770; seed < 774; ++seed) {
    const MadeUp bare = made_up(seed, 25.0), carries = made_up(seed, 25.0, tool);
    ModelOptions wearing = bare.robot.model.options();
    wearing.payloads = tool;
    Robot worn = bare.robot;
    worn.model = RobotModel(worn.model.description(), wearing);
    const MovingFit without = fit_moving(worn, {bare.log}), with = fit_moving(bare.robot, {carries.log});
    for (const MovingFit* fit : {&without, &with}) {
      for (const std::string& note : fit->notes) std::cout << note << "\n";
      ASSERT_TRUE(fit->identified) << "seed " << seed;
      EXPECT_EQ(named(*fit), 0u) << "seed " << seed;
      EXPECT_TRUE(noted(*fit, "a payload or tool of")) << "seed " << seed;
    }
    EXPECT_TRUE(noted(without, "is not on the arm"));
    EXPECT_TRUE(noted(with, "that the description does not have"));
    EXPECT_NEAR(with.channels.back().tool, 1.0, 3.0 * with.channels.back().tool_sd + 0.1);
  }
}

TEST(MovingFit, NamesSignsAmperesAndColumnsAndNoGearThatMassesExplain) {
  const MadeUp arm = made_up(780, 25.0);
  for (int j = 0; j < 7; ++j) {
    MovingLog log = arm.log;
    log.episode.tau.col(j) *= -1.0;
    const MovingFit fit = fit_moving(arm.robot, {log});
    const ChannelFinding& found = fit.channels[static_cast<std::size_t>(j)];
    std::cout << j << ": " << to_string(found.use) << " " << found.reason << "\n";
    if (j == 0 || j == 4 || j == 6) continue;  // hardly loaded: printed
    EXPECT_EQ(found.use, ChannelUse::other_unit) << found.joint;
    EXPECT_NE(found.reason.find("the sign is the opposite"), std::string::npos) << found.reason;
    EXPECT_EQ(named(fit), 1u) << found.joint;
  }
  MovingLog amperes = arm.log;
  amperes.episode.tau *= 0.1;
  const MovingFit scaled = fit_moving(arm.robot, {amperes});
  EXPECT_FALSE(scaled.identified);
  for (const int j : {1, 2, 3}) {
    EXPECT_EQ(scaled.channels[static_cast<std::size_t>(j)].use, ChannelUse::other_unit);
    EXPECT_NE(scaled.channels[static_cast<std::size_t>(j)].reason.find("amperes"), std::string::npos);
  }
  MovingLog gear = arm.log;
  gear.episode.tau.col(1) *= 1.2;
  EXPECT_EQ(named(fit_moving(arm.robot, {gear})), 0u);
  MovingLog swapped = arm.log;
  swapped.episode.tau.col(1).swap(swapped.episode.tau.col(3));
  const MovingFit columns = fit_moving(arm.robot, {swapped});
  EXPECT_EQ(columns.channels[1].use, ChannelUse::other_unit);
  EXPECT_NE(columns.channels[1].reason.find("columns in another order"), std::string::npos)
      << columns.channels[1].reason;
}

TEST(MovingFit, ALittleTooShortIsDoubtedAndNotRefused) {
  MadeUp arm = made_up(722, 15.0);
  arm.log.spans = {{0.5, 10.3}};
  const MovingFit fit = fit_moving(arm.robot, {arm.log});
  ASSERT_TRUE(fit.identified);
  EXPECT_LT(fit.motion, 10.0);
  EXPECT_TRUE(noted(fit, "10 s are advised"));
  MovingFitOptions enough;
  enough.motion_needed = fit.motion;
  const MovingFit same = fit_moving(arm.robot, {arm.log}, enough);
  EXPECT_FALSE(noted(same, "are advised"));
  const int offset = torque_parameters(arm.robot.model).offset(1);
  EXPECT_NEAR(fit.parameters[offset].sd / same.parameters[offset].sd, 10.0 / fit.motion, 1e-9);
}

TEST(MovingPayload, NoBodyHasLessThanNoMass) {
  Inertial body;
  body.mass = 1.3;
  body.center_of_mass = Vector3(0.02, -0.03, 0.08);
  body.inertia = Vector3(0.004, 0.003, 0.002).asDiagonal();
  const MadeUp bare = made_up(741, 25.0), loaded = made_up(741, 25.0, {{"panda_hand", body}});
  const PayloadFit exchanged = fit_payload(bare.robot, {loaded.log}, {bare.log}, "panda_hand");
  EXPECT_FALSE(exchanged.identified);
  EXPECT_TRUE(std::isnan(exchanged.mass));
  ASSERT_FALSE(exchanged.missing.empty());
  EXPECT_NE(exchanged.missing[0].find("which no body has"), std::string::npos) << exchanged.missing[0];
}

TEST(MovingFit, RefusesLogsThatItCannotRead) {
  MadeUp arm = made_up(721, 12.0);
  EXPECT_THROW(fit_moving(arm.robot, {}), EpisodeError);
  EXPECT_THROW(fit_moving(test::own_robot("planar_3r"), {arm.log}), EpisodeError);
  MovingFitOptions wrong;
  wrong.low_pass = -1.0;
  EXPECT_THROW(fit_moving(arm.robot, {arm.log}, wrong), OptionsError);
  MovingLog late = arm.log;
  late.spans = {{100.0, 120.0}};
  EXPECT_THROW(fit_moving(arm.robot, {late}), EpisodeError);
  late = arm.log;
  late.episode.time.setConstant(kNaN);
  EXPECT_THROW(fit_moving(arm.robot, {late}), EpisodeError);
}

}  // namespace
}  // namespace antaeus
