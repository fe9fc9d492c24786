// No allocation in what a loop calls, and a stream that gives what the whole motion gives.
#include <gtest/gtest.h>

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/contact/contact_frame_solver.hpp"
#include "antaeus/contact/contact_stream.hpp"
#include "antaeus/core/error.hpp"
#include "contact/tolerances.hpp"
#include "support/allocation_counter.hpp"
#include "support/swinging.hpp"

namespace antaeus {

namespace {

using test::swinging;

const std::vector<std::string>& kFeet = test::kSwingingFeet;
const Robot& humanoid() { return test::swinging_humanoid(); }

TEST(ContactRealtime, AFrameDoesNotAllocateAndIsThatOfTheBatch) {
  const ContactMotion motion = swinging(40);
  for (const ContactType type : {ContactType::wrench, ContactType::point}) {
    for (const double penalty : {0.0, 0.3}) {
      ContactOptions options;
      options.kind = type;
      options.velocity_penalty = penalty;
      const ContactRequest request{kFeet, false, LimitSet::none, WrenchAxes::world};
      const MotionDynamics dynamics = motion_dynamics(humanoid(), motion, request, options);
      const ContactSolution batch = solve_frames(dynamics.demand, options);
      const SampleMatrix torque = contact_torques(dynamics, batch);
      ContactFrameSolver solver(humanoid(), kFeet, options);
      const MatrixX q = motion.q.transpose(), v = dynamics.v.transpose(), a = dynamics.a.transpose();
      for (Eigen::Index t = 0; t < q.cols(); ++t) {
        test::AllocationCounter counter;
        const ContactFrame& frame = solver.solve(q.col(t), v.col(t), a.col(t));
        EXPECT_EQ(counter.count(), 0u);
        ASSERT_EQ(frame.status, Status::ok);
        const double size = 1.0 + frame.wrench.cwiseAbs().maxCoeff();
        EXPECT_LE((frame.wrench - batch.wrench.middleCols(2 * t, 2)).cwiseAbs().maxCoeff(),
                  tolerance::kArithmetic * size);
        EXPECT_LE((frame.torque - torque.row(t).transpose()).cwiseAbs().maxCoeff(), tolerance::kArithmetic * size);
      }
    }
  }
}

TEST(ContactRealtime, BadInputIsAStatus) {
  ContactFrameSolver solver(humanoid(), kFeet);
  const int nq = humanoid().model.nq(), nv = humanoid().model.nv();
  const VectorX q = humanoid().model.neutral(), v = VectorX::Zero(nv);
  const auto status = [&](const VectorX& position, const VectorX& velocity) {
    test::AllocationCounter counter;
    const ContactFrame& frame = solver.solve(position, velocity, v);
    EXPECT_EQ(counter.count(), 0u);
    EXPECT_TRUE(frame.wrench.array().isNaN().all() && frame.torque.array().isNaN().all());
    return frame.status;
  };
  VectorX hurt = q;
  hurt[8] = kNaN;
  EXPECT_EQ(status(hurt, v), Status::not_finite);
  hurt = q;
  hurt[6] = 2.0;
  EXPECT_EQ(status(hurt, v), Status::bad_orientation);
  EXPECT_EQ(status(VectorX::Zero(nq + 1), v), Status::wrong_size);
  EXPECT_EQ(status(q, VectorX::Constant(nv, kInfinity)), Status::not_finite);
  EXPECT_EQ(solver.solve(q, v, v).status, Status::ok) << "and it recovers";
  EXPECT_THROW(ContactFrameSolver(humanoid(), {"left_ankle_roll_link", "left_ankle_roll_link"}), OptionsError);
  EXPECT_THROW(ContactFrameSolver(humanoid(), {}), OptionsError);
}

/// Weights that overflow give no numbers, and say so.
TEST(ContactRealtime, WhatOverflowsIsNotOk) {
  ContactOptions options;
  options.lever = 1e-150;
  ContactFrameSolver solver(humanoid(), kFeet, options);
  const VectorX q = humanoid().model.neutral(), v = VectorX::Zero(humanoid().model.nv());
  const ContactFrame& frame = solver.solve(q, v, v);
  EXPECT_NE(frame.status, Status::ok);
  EXPECT_TRUE(frame.wrench.array().isNaN().all());
}

/// A contact that does not touch carries nothing; without any, all of the weight is in the residual.
TEST(ContactRealtime, ContactsComeAndGo) {
  ContactFrameSolver solver(humanoid(), kFeet);
  const VectorX q = humanoid().model.neutral(), v = VectorX::Zero(humanoid().model.nv());
  solver.set_active(0, false);
  const ContactFrame& one = solver.solve(q, v, v);
  EXPECT_TRUE(one.wrench.col(0).isZero(0.0));
  EXPECT_NEAR(one.wrench(kFz, 1), humanoid().weight(), tolerance::kKinematicWeight);
  solver.set_active(1, false);
  const ContactFrame& none = solver.solve(q, v, v);
  EXPECT_NEAR(none.residual[kFz], humanoid().weight(), tolerance::kKinematicWeight);
  EXPECT_NEAR(none.torque.head<3>().norm(), humanoid().weight(), tolerance::kKinematicWeight);
}

TEST(ContactStream, GivesWhatTheWholeMotionGives) {
  ContactOptions options;
  const ContactRequest request{kFeet, true, LimitSet::none, WrenchAxes::world};
  const MotionDynamics dynamics = motion_dynamics(humanoid(), swinging(900), request, options);
  const ContactSolution whole = solve_over_time(dynamics.demand, options);
  const Eigen::Index lag = ContactStream::lag_for(options, 0.01);
  ContactStream stream(options, lag);
  Matrix6X streamed(6, 0);
  Eigen::Index expected = 0, longest = 0;
  const auto take = [&](const SettledFrames& settled) {
    EXPECT_EQ(settled.first, expected);
    const Eigen::Index count = std::ssize(settled.solution.status), before = streamed.cols();
    expected += count;
    longest = std::max(longest, count);
    streamed.conservativeResize(6, before + 2 * count);
    streamed.rightCols(2 * count) = settled.solution.wrench;
  };
  for (Eigen::Index t = 0; t < 900; t += 50) {
    ContactDemand chunk = dynamics.demand;
    chunk.time = dynamics.demand.time.segment(t, 50);
    chunk.total = dynamics.demand.total.middleCols(t, 50);
    chunk.about = dynamics.demand.about.middleCols(t, 50);
    chunk.places.assign(dynamics.demand.places.begin() + 2 * t, dynamics.demand.places.begin() + 2 * (t + 50));
    take(stream.push(chunk));
  }
  take(stream.finish());
  ASSERT_EQ(streamed.cols(), whole.wrench.cols());
  EXPECT_LT(longest, 600) << "or nothing was streamed";
  const double size = whole.wrench.cwiseAbs().maxCoeff();
  EXPECT_LE((streamed - whole.wrench).cwiseAbs().maxCoeff(), tolerance::kStreamed * size);
}

}  // namespace

}  // namespace antaeus
