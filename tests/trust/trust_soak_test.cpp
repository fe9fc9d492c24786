// What judges estimates, cycle by cycle, with samples that go wrong at random. The guarded chain as a whole:
// guarded_soak_test.cpp and guarded_estimator_test.cpp.
#include <gtest/gtest.h>

#include "antaeus/trust/frame_wrench.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "antaeus/trust/hypotheses.hpp"
#include "support/faulty_samples.hpp"
#include "support/made_up_noise.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::soak_faulty_cycles;
using test::Told;

/// The drop-in: the last frame is none of its own.
TEST(TrustSoak, FrameWrenchEstimator) {
  const Robot robot = test::own_robot("h1_2");
  for (const FrameWrenchMethod method : {FrameWrenchMethod::posterior, FrameWrenchMethod::deployed}) {
    FrameWrenchEstimator estimator(robot, method, test::kWrists);
    test::FaultySamples samples(robot, robot.pose("zero"));
    Eigen::Vector4d quaternion;
    WrenchEstimate copy;
    const WrenchEstimate *left = nullptr, *right = nullptr;
    Status stranger = Status::ok;
    soak_faulty_cycles(
        "FrameWrenchEstimator, " + std::string(to_string(method)), {.seed = 3531, .sample = 8000},
        [&](Faults& faults) {
          samples.next(faults);
          quaternion << 0.0, 0.0, 0.0, 1.0;
          faults.spoil_quaternion(quaternion);
          // Velocities are not read.
          faults.pass_over();
        },
        [&] {
          right = &estimator.get_frame_wrench(test::kWrists[1], samples.sample.q, samples.sample.tau, &quaternion);
          stranger = estimator.get_frame_wrench("nobody", samples.sample.q, samples.sample.tau, &quaternion).status;
          left = &estimator.get_frame_wrench(test::kWrists[0], samples.sample.q, samples.sample.tau, &quaternion);
        },
        [&] {
          EXPECT_EQ(stranger, Status::unknown_frame);
          Told told;
          for (const WrenchEstimate* one : {left, right}) {
            told.add(one->status == Status::ok, one->wrench.is_finite());
            EXPECT_TRUE(method == FrameWrenchMethod::deployed || one->verdict != Verdict::ok)
                << "motion is not excluded";
          }
          const Observation& o = samples.sample;
          if (!o.q.allFinite() || !o.tau.allFinite() || o.q.size() != 27 || o.tau.size() != 27 ||
              !quaternion.allFinite()) {
            EXPECT_FALSE(told.ok());
          }
          return told;
        });
  }
}

/// ConsumerGuard and all that it asks, with more kinds of faults than a driver has: what the consumer reads is always a
/// number, and refused where the sample is none.
TEST(TrustSoak, GuardReliabilityFeasibilityAndCauses) {
  const Robot robot = test::own_robot("h1_2");
  std::vector<std::string> limbs = test::kWrists;
  limbs.insert(limbs.end(), {"left_ankle_roll_link", "right_ankle_roll_link"});
  GuardedEstimator guarded(robot, limbs, {}, {}, {}, {.recorder_samples = 20});
  HypothesisTest causes(guarded.reader(), {});
  SequentialHypothesis sequential;
  test::FaultySamples samples(robot, robot.pose("zero"));
  Status judged = Status::ok, stepped = Status::ok;
  double clock = 0.0;
  bool readable = true;
  soak_faulty_cycles(
      "guard, reliability, feasibility, causes", {.seed = 3532, .recovers_within = -1, .sample = 1500},
      [&](Faults& faults) {
        samples.next(faults);
        clock = samples.sample.time;
        faults.spoil_time(clock, clock);
        faults.pass_over();  // judged below
      },
      [&] {
        readable = true;
        for (const ConsumerWrench& one : guarded.update(samples.sample, clock)) {
          readable = readable && one.wrench.is_finite();
        }
        judged = causes.solve(guarded.residual()).status;
        const Uncertainty& first = guarded.estimates()[0].uncertainty;
        stepped = sequential.step(samples.sample.time, first.nis, first.nis_rows);
      },
      [&] {
        EXPECT_TRUE(readable) << "what a consumer reads is always a number";
        const Observation& o = samples.sample;
        const bool none =
            !o.q.allFinite() || !o.tau.allFinite() || o.q.size() != 27 || o.tau.size() != 27 || !std::isfinite(o.time);
        Told told;
        for (const ConsumerWrench& one : guarded.results()) {
          EXPECT_TRUE(!none || one.state == Verdict::refused);
          EXPECT_TRUE(one.state == Verdict::ok || !one.reasons.empty());
        }
        for (const EndpointReliability& one : guarded.reliability()) {
          told.add(one.status == Status::ok, !std::isnan(one.total_redundancy));
        }
        const Feasibility& feasible = guarded.feasibility();
        for (const FeasibilityMargin& margin : feasible.margins) {
          told.add(margin.feasible, !std::isnan(margin.value) && !std::isnan(margin.sd));
        }
        for (const ContactPlaces& one : guarded.places()) {
          told.add(one.status == Status::ok, std::isfinite(one.endpoint) && std::isfinite(one.open_length));
          EXPECT_TRUE(!one.elsewhere || one.status == Status::ok);
        }
        EXPECT_TRUE(told.honest());
        told.add(judged == Status::ok, std::isfinite(causes.result().chi_squared));
        if (judged == Status::ok) {
          for (const Cause& cause : causes.result().causes) {
            EXPECT_TRUE(cause.probability >= 0.0 && cause.probability <= 1.0 + 1e-9) << cause.probability;
          }
        }
        EXPECT_TRUE(std::isfinite(sequential.level())) << "also after a bad sample: " << to_string(stepped);
        // Margins are broken where the robot is as it is held here, so that counts for what they say alone.
        return Told(judged == Status::ok, told.honest());
      });
}

TEST(TrustSoak, TorqueRate) {
  const int n = 7;
  TorqueRate rate(n, 500.0, 0.1);
  VectorX torque(n);
  double clock = 0.0, time = 0.0;
  soak_faulty_cycles(
      "TorqueRate", {.seed = 3533, .recovers_within = 30},
      [&](Faults& faults) {
        const double last = time;
        clock += 0.002;
        time = clock;
        torque.resize(n);
        faults.fill(torque, 0.5);
        faults.spoil_time(time, last);
        faults.spoil_entry(torque);
        faults.pass_over();  // no status: the instant says it
      },
      [&] { rate.see(time, torque); },
      [&] {
        bool calm = true, finite = true;
        for (int j = 0; j < n; ++j) {
          calm = calm && !rate.too_fast(j);
          finite = finite && !std::isnan(rate.share(j));
        }
        return Told(calm, finite);
      });
}

TEST(TrustSoak, InnovationWindow) {
  const RobotModel model = test::own_robot("panda").model;
  const NoiseModel noise = test::made_up_noise(model, NoiseOrigin::moving, 0, 1.0, 9);
  const std::vector<int> motors = {0, 1, 2, 3, 4, 5, 6};
  const Eigen::Index n = std::ssize(motors);
  InnovationWindow window(noise, motors, 6);
  VectorX r(n);
  MatrixX B(n, 6), R(n, n), gram(6, 6);
  VectorX projection(6);
  double square = 0.0, clock = 0.0, time = 0.0;
  int rows = 0, cycle = 0;
  Status added = Status::ok, solved = Status::ok;
  soak_faulty_cycles(
      "InnovationWindow", {.seed = 3534, .recovers_within = 50},
      [&](Faults& faults) {
        const double last = time;
        clock += 0.02;
        time = clock;
        r.resize(n);
        faults.fill(r, 1.0);
        for (Eigen::Index k = 0; k < 6; ++k) faults.fill(B.col(k), 1.0);
        R = 0.1 * MatrixX::Identity(n, n);
        faults.spoil_time(time, last);
        faults.spoil_entry(r);
        if (faults.below(20) == 0) faults.spoil_entry(B.col(2));
        // After a leap of the clock time does not advance until somebody begins anew.
        if (++cycle % 25 == 0) window.reset();
      },
      [&] {
        added = window.add(time, r, B, R, rows);
        solved = window.solve(gram, projection, square);
      },
      [&] {
        Told told(added == Status::ok, rows >= 0 && rows <= n);
        EXPECT_TRUE(solved != Status::ok || (gram.allFinite() && projection.allFinite() && std::isfinite(square)));
        return told;
      });
}

}  // namespace
}  // namespace antaeus
