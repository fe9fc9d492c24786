// Contact forces frame by frame and as a stream, with states that go wrong at random.
#include <gtest/gtest.h>

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/contact/contact_frame_solver.hpp"
#include "antaeus/contact/contact_stream.hpp"
#include "antaeus/core/error.hpp"
#include "support/faulty_cycles.hpp"
#include "support/swinging.hpp"

namespace antaeus {
namespace {

using test::Faults;
using test::Told;

TEST(ContactSoak, FramesOfAHumanoid) {
  const RobotModel& model = test::swinging_humanoid().model;
  ContactFrameSolver solver(test::swinging_humanoid(), test::kSwingingFeet, {}, true);
  const VectorX home = model.neutral();
  VectorX q = home, v(model.nv()), a(model.nv());
  Matrix6X guess = Matrix6X::Zero(6, 2);
  test::soak_faulty_cycles(
      "ContactFrameSolver", {.seed = 3601, .sample = 6000},
      [&](Faults& faults) {
        q = home;
        for (Eigen::Index i = 7; i < q.size(); ++i) q[i] += faults.number(0.1);
        for (VectorX* one : {&v, &a}) {
          one->resize(model.nv());
          faults.fill(*one, 0.1);
        }
        guess.setZero();
        if (faults.below(2) == 0) {
          faults.spoil_quaternion(q.segment<4>(3));
        } else {
          faults.spoil(q);
        }
        faults.spoil(v);
        faults.spoil(a);
        faults.spoil_entry(guess.col(0));
      },
      [&] { solver.solve(q, v, a, guess); },
      [&] {
        const ContactFrame& frame = solver.result();
        return Told(frame.status == Status::ok, frame.wrench.allFinite() && frame.torque.allFinite() &&
                                                    frame.total.allFinite() && frame.residual.allFinite());
      });
}

/// The stream takes memory and needs every frame, so it is tried by itself: a chunk that holds NaN is refused by name
/// and leaves the stream as it was; each frame of the others comes out once, with numbers.
TEST(ContactSoak, AStreamWithFramesThatAreNone) {
  ContactOptions options;
  const ContactRequest request{test::kSwingingFeet, true, LimitSet::none, WrenchAxes::world};
  const MotionDynamics dynamics = motion_dynamics(test::swinging_humanoid(), test::swinging(200), request, options);
  const int chunks = test::in_soak(5000, 60);  // of 200 frames: a million
  Faults faults(3602, 10);
  ContactStream stream(options, ContactStream::lag_for(options, 0.01));
  Eigen::Index settled = 0, taken = 0, spoilt = 0;
  const auto take = [&](const SettledFrames& frames) {
    ASSERT_EQ(frames.first, settled);
    const std::vector<Status>& status = frames.solution.status;
    settled += std::ssize(status);
    for (Eigen::Index t = 0; t < std::ssize(status); ++t) {
      ASSERT_EQ(status[static_cast<std::size_t>(t)], Status::ok) << "frame " << frames.first + t;
      ASSERT_TRUE(frames.solution.wrench.middleCols(2 * t, 2).allFinite()) << "frame " << frames.first + t;
    }
  };
  for (int i = 0; i < chunks; ++i) {
    ContactDemand demand = dynamics.demand;
    faults.begin_cycle();
    if (faults.burst() && faults.below(2) == 0) {
      const int frame = faults.below(200);
      demand.total(faults.below(6), frame) = faults.below(2) == 0 ? kNaN : kInfinity;
      ++spoilt;
      ASSERT_THROW(stream.push(demand), OptionsError) << "chunk " << i;
      continue;
    }
    taken += 200;
    ASSERT_NO_THROW(take(stream.push(demand))) << "chunk " << i;
  }
  take(stream.finish());
  EXPECT_EQ(settled, taken);
  EXPECT_GT(spoilt, 0);
  EXPECT_GT(taken, 100 * chunks);
}

}  // namespace
}  // namespace antaeus
