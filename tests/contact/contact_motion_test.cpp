// What check_contact_motion, load_contact_motion and motion_dynamics refuse; tests/cli/contact_test.py has the files.
#include "antaeus/contact/contact_motion.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "contact/tolerances.hpp"
#include "support/biped.hpp"
#include "support/temporary_folder.hpp"

namespace antaeus {
namespace {

using test::kSoles;
constexpr int kFrames = 5;

class ContactMotionTest : public testing::Test {
 protected:
  Robot robot_ = test::biped();
  int nv_ = robot_.model.nv();

  ContactMotion good() const {
    ContactMotion motion;
    motion.name = "squat";
    motion.q = test::standing(robot_).transpose().replicate(kFrames, 1);
    motion.dt = VectorX::Constant(1, 0.01);
    return motion;
  }
  ContactMotion states() const {
    ContactMotion motion = good();
    motion.v = motion.a = SampleMatrix::Zero(kFrames, nv_);
    motion.dt.resize(0);
    return motion;
  }
  template <class Change>
  static ContactMotion with(ContactMotion motion, Change&& change) {
    change(motion);
    return motion;
  }
  std::string message(const ContactMotion& motion, ContactRequest request = {kSoles}) const {
    try {
      const MotionDynamics dynamics = motion_dynamics(robot_, motion, request, {});
      EXPECT_TRUE(dynamics.total.allFinite());
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  }
  void expect(const std::string& begins, const ContactMotion& motion, ContactRequest request = {kSoles}) const {
    const std::string said = message(motion, std::move(request));
    EXPECT_TRUE(said.starts_with(begins)) << said << "\nexpected: " << begins;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_TRUE(begins == "taken" || said.find("; ") != std::string::npos) << said << " has no remedy";
  }
};

TEST_F(ContactMotionTest, GoodOnesAreTaken) {
  expect("taken", good());
  expect("taken", states());
  expect("taken", good(), {kSoles, true});
  expect("taken", with(states(), [](ContactMotion& m) { m.dt = VectorX::Constant(1, 0.01); }), {kSoles, true});
}

TEST_F(ContactMotionTest, SizesAreNamed) {
  using M = ContactMotion;
  expect("squat [q]: is 0 × 0", with(good(), [](M& m) { m.q.resize(0, 0); }));
  expect("squat [q]: is 5 × 23; give 5 × 24", with(good(), [&](M& m) { m.q = m.q.leftCols(nv_).eval(); }));
  expect("squat [q]: has 2 frames; give three or more", with(good(), [](M& m) { m.q = m.q.topRows(2).eval(); }));
  expect("squat [q]: has 1 frame;", with(good(), [](M& m) { m.q = m.q.topRows(1).eval(); }));
  for (const auto& [name, member] : {std::pair<const char*, SampleMatrix M::*>{"v", &M::v}, {"a", &M::a}}) {
    for (const auto& [rows, columns] :
         {std::pair{kFrames - 1, nv_}, {kFrames, nv_ - 1}, {kFrames, 0}, {nv_, kFrames}}) {
      expect("squat [" + std::string(name) + "]: is " + std::to_string(rows) + " × " + std::to_string(columns),
             with(states(), [&, r = rows, c = columns, part = member](M& m) { m.*part = SampleMatrix::Zero(r, c); }));
    }
  }
  expect("squat [guess]: is 5 × 6; give 5 × 12", with(good(), [](M& m) { m.guess = SampleMatrix::Zero(kFrames, 6); }));
  expect("squat [guess]: is 1 × 12; give 5 × 12", with(good(), [](M& m) { m.guess = SampleMatrix::Zero(1, 12); }));
  expect("squat [previous]: is 1 × 6; give 2 × 6", with(good(), [](M& m) { m.previous = SampleMatrix::Zero(1, 6); }));
  expect("squat [magnitude]: is 2 × 5", with(good(), [](M& m) { m.magnitude = SampleMatrix::Zero(2, kFrames); }));
  expect("squat [active]: is 5 × 1", with(good(), [](M& m) { m.active = SampleMatrix::Zero(kFrames, 1); }));
  expect("squat [external]: is 5 × 6", with(good(), [](M& m) { m.external = SampleMatrix::Zero(kFrames, 6); }));
  expect("squat [root_euler]: is 5 × 7", with(good(), [](M& m) { m.root_euler = SampleMatrix::Zero(kFrames, 7); }));
  for (const auto& [name, member] :
       {std::pair<const char*, VectorX M::*>{"damping", &M::damping}, {"spring", &M::spring}, {"rest", &M::rest}}) {
    expect("squat [" + std::string(name) + "]: has 3 numbers; give 23",
           with(good(), [part = member](M& m) { m.*part = VectorX::Zero(3); }));
  }
  expect("squat [root_euler]: is 5 × 5; give 5 × 6",
         with(good(), [](M& m) { m.root_euler = SampleMatrix::Zero(kFrames, 5); }));
  expect("squat [q]: is 5 × 24; with root_euler give 4 × 17",
         with(good(), [](M& m) { m.root_euler = SampleMatrix::Zero(kFrames - 1, 6); }));
  expect("squat [v_next]: is 10 × 23", with(states(), [&](M& m) {
           m.a.resize(0, 0), m.v_next = SampleMatrix::Zero(2 * kFrames, nv_), m.dt = VectorX::Constant(1, 0.01);
         }));
  expect("squat [time]: has 4 numbers; give 5", with(good(), [](M& m) { m.time = VectorX::LinSpaced(4, 0.0, 0.03); }));
}

TEST_F(ContactMotionTest, NumbersAreNamed) {
  using M = ContactMotion;
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    expect("squat [q]: holds NaN or infinity in frame 3", with(good(), [&](M& m) { m.q(3, 9) = bad; }));
    expect("squat [a]: holds NaN or infinity in frame 3", with(states(), [&](M& m) { m.a(3, 9) = bad; }));
    expect("squat [dt]: is ", with(good(), [&](M& m) { m.dt[0] = bad; }));
    expect("squat [guess]: holds NaN", with(good(), [&](M& m) { m.guess = SampleMatrix::Constant(kFrames, 12, bad); }));
    expect("squat [damping]: holds NaN", with(good(), [&](M& m) { m.damping = VectorX::Constant(nv_, bad); }));
  }
  expect("squat [q]: the base's quaternion of frame 2 has length 0;",
         with(good(), [](M& m) { m.q.row(2).segment<4>(3).setZero(); }));
  expect("squat [q]: the base's quaternion of frame 2 has length 1.1;",
         with(good(), [](M& m) { m.q.row(2).segment<4>(3) *= 1.1; }));
  expect("squat [dt]: is 0;", with(good(), [](M& m) { m.dt[0] = 0.0; }));
  expect("squat [dt]: is -0.01;", with(good(), [](M& m) { m.dt[0] = -0.01; }));
  expect("squat [dt]: has 5 numbers; give one", with(good(), [](M& m) { m.dt = VectorX::Constant(kFrames, 0.01); }));
  expect("squat [dt]: is missing; give dt or time", with(good(), [](M& m) { m.dt.resize(0); }));
  for (const auto& [name, member] : {std::pair<const char*, SampleMatrix M::*>{"previous", &M::previous},
                                     {"external", &M::external},
                                     {"root_euler", &M::root_euler}}) {
    const int rows = std::string(name) == "previous" ? 2 : kFrames, columns = std::string(name) == "external" ? nv_ : 6;
    expect("squat [" + std::string(name) + "]: holds NaN or infinity",
           with(good(), [&, part = member](M& m) { m.*part = SampleMatrix::Constant(rows, columns, kNaN); }));
  }
  for (const auto& [name, member] :
       {std::pair<const char*, VectorX M::*>{"damping", &M::damping}, {"spring", &M::spring}}) {
    const std::string place = "squat [" + std::string(name) + "]: ";
    expect(place + "holds -1", with(good(), [&, part = member](M& m) { m.*part = -VectorX::Unit(nv_, 8); }));
    expect(place + "holds NaN", with(good(), [&, part = member](M& m) { m.*part = kNaN * VectorX::Ones(nv_); }));
    expect(place + "acts on the base", with(good(), [&, part = member](M& m) { m.*part = VectorX::Ones(nv_); }));
  }
  expect("squat [magnitude]: holds -1",
         with(good(), [](M& m) { m.magnitude = SampleMatrix::Constant(kFrames, 2, -1.0); }));
  expect("squat [active]: holds 2", with(good(), [](M& m) { m.active = SampleMatrix::Constant(kFrames, 2, 2.0); }));
  expect("squat [rest]: stands without spring", with(good(), [&](M& m) { m.rest = VectorX::Zero(nv_); }));
  expect("squat [q]: the dynamics of frame", with(good(), [](M& m) { m.q(3, 9) = 1e300; }));
  expect("squat [q]: the dynamics of frame", with(states(), [](M& m) { m.v(3, 9) = 1e200; }));
  expect("squat [q]: the dynamics of frame", with(good(), [](M& m) {
           m.dt[0] = 1e-300;
           m.q(3, 9) += 0.1;
         }));
}

TEST_F(ContactMotionTest, TheClockIsOne) {
  using M = ContactMotion;
  const VectorX even = VectorX::LinSpaced(kFrames, 1.0, 1.04);
  const auto timed = [&](int frame, double time) {
    return with(good(), [&](M& m) { m.time = even, m.time[frame] = time, m.dt.resize(0); });
  };
  expect("taken", timed(0, 1.0));
  expect("squat [time]: repeats at frame 3", timed(3, even[2]));
  expect("squat [time]: goes back at frame 3", timed(3, 1.0));
  expect("squat [time]: is uneven: ", timed(3, 1.0305));
  expect("squat [time]: holds NaN", timed(3, kNaN));
  expect("squat [dt]: is 0.01 s, but time advances by 0.02", with(good(), [&](M& m) { m.time = 2.0 * even; }));
  const auto state = [&](const VectorX& time, double dt) {
    return with(states(), [&](M& m) { m.time = time, m.dt = VectorX::Constant(1, dt); });
  };
  VectorX uneven = even;
  uneven[3] += 0.003;
  expect("taken", state(uneven, 0.5));  // independent
  expect("squat [time]: is uneven", state(uneven, 0.01), {kSoles, true});
  expect("squat [dt]: is 0.5 s, but time", state(even, 0.5), {kSoles, true});
  expect("squat [dt]: is missing; forces over time", states(), {kSoles, true});
  const auto next = [&](const VectorX& dt) {
    return with(states(), [&](M& m) { m.v_next = m.v, m.a.resize(0, 0), m.dt = dt; });
  };
  expect("taken", next(VectorX::Constant(kFrames, 0.01)));
  expect("squat [dt]: is -0.01", next(0.01 * (VectorX(kFrames) << 1, 1, -1, 1, 1).finished()));
  expect("squat [dt]: has 4 numbers", next(VectorX::Constant(kFrames - 1, 0.01)));
  expect("squat [dt]: has 5 numbers; forces over time",
         with(states(), [](M& m) { m.dt = VectorX::Constant(kFrames, 0.01); }), {kSoles, true});
  // Half a state.
  expect("squat [v]: is missing with v_next", with(good(), [&](M& m) { m.v_next = states().v; }));
  expect("squat [a]: is missing with v", with(states(), [](M& m) { m.a.resize(0, 0); }));
  expect("squat [v]: is missing with a", with(states(), [](M& m) { m.v.resize(0, 0); }));
  expect("squat [v_next]: is given with a", with(states(), [](M& m) { m.v_next = m.v; }));
  expect("squat [dt]: is missing with v_next", with(states(), [](M& m) { m.v_next = m.v, m.a.resize(0, 0); }));
}

TEST_F(ContactMotionTest, RequestsAreChecked) {
  expect("contact: no contact", good(), {});
  expect("contact: unknown frame 'left_soel'; did you mean 'left_sole'?", good(), {{"left_soel"}});
  expect("contact: 'left_sole' is named twice", good(), {{"left_sole", "left_sole"}});
  const auto weights = [&](double least, double smoothing, bool over_time) {
    ContactOptions options;
    options.least_torque = least, options.smoothing = smoothing;
    try {
      const MotionDynamics dynamics = motion_dynamics(robot_, good(), {kSoles, over_time}, options);
      over_time ? solve_over_time(dynamics.demand, options) : solve_frames(dynamics.demand, options);
    } catch (const OptionsError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(weights(1.0, 0.0, true), "taken");
  EXPECT_NE(weights(0.0, 1.0, false).find("contact.least_torque"), std::string::npos);
  EXPECT_NE(weights(0.0, 0.0, true).find("all weights are zero"), std::string::npos);
  EXPECT_NE(weights(0.0, 1.0, true).find("undetermined"), std::string::npos);
  EXPECT_NE(weights(-1.0, 1.0, true).find("least_torque"), std::string::npos);
  EXPECT_NE(weights(1.0, -1.0, true).find("smoothing"), std::string::npos);
  EXPECT_NE(weights(1.0, kNaN, true).find("smoothing"), std::string::npos);
  EXPECT_NE(weights(kInfinity, 1.0, true).find("least_torque"), std::string::npos);
  robot_ = test::biped(Base::fixed);
  expect("base: is fixed", good());
}

TEST_F(ContactMotionTest, ADemandWithNanHasAStatusPerFrame) {
  MotionDynamics dynamics = motion_dynamics(robot_, good(), {kSoles}, {});
  dynamics.demand.total(2, 1) = kNaN;
  dynamics.demand.places[6].translation.x() = kInfinity;  // the first contact of frame 3
  const ContactSolution solution = solve_frames(dynamics.demand, {});
  for (int t = 0; t < kFrames; ++t) {
    const bool bad = t == 1 || t == 3;
    EXPECT_EQ(solution.status[static_cast<std::size_t>(t)], bad ? Status::not_finite : Status::ok);
    EXPECT_EQ(solution.wrench.middleCols(2 * t, 2).array().isNaN().all(), bad);
    EXPECT_EQ(solution.residual.col(t).array().isNaN().all(), bad);
  }
  EXPECT_THROW(solve_over_time(dynamics.demand, {}), OptionsError);
}

TEST_F(ContactMotionTest, EmptyContactSetsLeaveTheResidual) {
  const ContactMotion none = with(good(), [](ContactMotion& m) { m.active = SampleMatrix::Zero(kFrames, 2); });
  for (const bool over_time : {false, true}) {
    const ContactResult result = contact_inverse_dynamics(robot_, none, {kSoles, over_time});
    EXPECT_TRUE(result.solution.wrench.isZero(0.0));
    EXPECT_LE((result.torque - result.dynamics.total).cwiseAbs().maxCoeff(), tolerance::kRootResidual);
    EXPECT_NEAR(result.torque(0, 2), robot_.weight(), tolerance::kDifferencedTorque);
    EXPECT_FALSE(result.residual_fine);
  }
}

TEST_F(ContactMotionTest, FilesGiveWhatWasSaved) {
  const test::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  const auto save = [&](const std::map<std::string, NumpyArray>& members) {
    write_file(folder / "motion.npz", to_npz(members));
    return load_contact_motion(folder / "motion.npz");
  };
  const auto array = [](std::vector<std::size_t> shape) {
    NumpyArray made;
    made.shape = std::move(shape);
    std::size_t size = 1;
    for (const std::size_t extent : made.shape) size *= extent;
    for (std::size_t i = 0; i < size; ++i) made.values.push_back(0.25 * static_cast<double>(i));
    return made;
  };
  const ContactMotion motion = save({{"q", array({3, 2})}, {"guess", array({3, 2, 6})}, {"dt", array({})}});
  EXPECT_EQ(motion.name, "motion");
  EXPECT_EQ(motion.file, (folder / "motion.npz").string());
  EXPECT_EQ(motion.q(2, 1), 1.25);
  EXPECT_EQ(motion.guess.cols(), 12);
  EXPECT_EQ(motion.guess(1, 7), 0.25 * 19);
  EXPECT_EQ(motion.dt.size(), 1);
  EXPECT_EQ(save({{"q", array({4})}}).q.cols(), 4);
  EXPECT_THROW(save({{"dt", array({})}}), EpisodeError);
  EXPECT_THROW(save({{"q", array({3, 2, 1})}}), EpisodeError);
  EXPECT_THROW(save({{"q", array({3, 2})}, {"v", array({0, 2})}}), EpisodeError);
  EXPECT_THROW(save({{"q", array({3, 2})}, {"guess", array({3, 6, 2})}}), EpisodeError);
  EXPECT_THROW(save({{"q", array({3, 2})}, {"time", array({3, 2})}}), EpisodeError);
}

}  // namespace
}  // namespace antaeus
