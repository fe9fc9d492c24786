// Every value that nimblephysics 0.10.52.1 computed, in its compatible mode: for robots of our own
// (tests/contact/nimble, by tools/make_nimble_goldens.py), and for others' where the reference data are
// (golden/contact_inverse_dynamics).
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json.hpp"
#include "contact/tolerances.hpp"
#include "support/parse_json.hpp"
#include "support/shared.hpp"
#include "support/source_folder.hpp"

namespace antaeus {

namespace {

bool is_ours(const std::string& name) { return name == "biped" || name == "quadruped"; }

std::filesystem::path golden_file(const std::string& name) {
  return is_ours(name) ? antaeus::test::source_folder() / "tests/contact/nimble" / (name + ".json")
                       : test::shared_folder() / "golden/contact_inverse_dynamics" / (name + ".json");
}

std::filesystem::path urdf_file(const std::string& name) {
  return is_ours(name) ? antaeus::test::source_folder() / "tests/support" / (name + ".urdf")
                       : test::shared_folder() / "golden/contact_inverse_dynamics/urdf" / (name + ".urdf");
}

struct Golden {
  explicit Golden(const std::string& name)
      : data(test::parse_json(read_file(golden_file(name)))),
        robot(load_robot(urdf_file(name).string(), MeshPolicy::ignored, Base::free_flyer)) {}
  Json data;
  Robot robot;
};

VectorX vector_of(const Json& list) {
  VectorX values(static_cast<Eigen::Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) values[static_cast<Eigen::Index>(i)] = list[i].number();
  return values;
}
SampleMatrix matrix_of(const Json& list) {
  SampleMatrix values(static_cast<Eigen::Index>(list.size()), static_cast<Eigen::Index>(list[0].size()));
  for (std::size_t i = 0; i < list.size(); ++i) values.row(static_cast<Eigen::Index>(i)) = vector_of(list[i]);
  return values;
}
/// Nimble's moment and force in Pinocchio's order.
Vector6 turned(const Json& wrench) {
  const VectorX w = vector_of(wrench);
  return (Vector6() << w.tail<3>(), w.head<3>()).finished();
}
std::vector<std::string> names_of(const Json& list) {
  std::vector<std::string> names;
  for (const Json& name : list.items()) names.push_back(name.text());
  return names;
}

/// Total of one frame's wrenches about the demand's point.
Matrix6X contact_parts_total(const ContactDemand& demand, const Matrix6X& wrench) {
  Matrix6X total = Matrix6X::Zero(6, 1);
  for (int c = 0; c < demand.contact_count(); ++c) {
    const Vector3 d = demand.places[static_cast<std::size_t>(c)].translation - demand.about.col(0);
    const Vector3 f = wrench.col(c).head<3>();
    total.col(0).head<3>() += f;
    total.col(0).tail<3>() += Vector3(wrench.col(c).tail<3>()) + d.cross(f);
  }
  return total;
}

ContactOptions nimble() {
  ContactOptions options;
  options.compatibility = Compatibility::nimble;
  return options;
}

void expect_near(const MatrixX& ours, const MatrixX& theirs, tolerance::Tolerance allowed, const std::string& what) {
  ASSERT_EQ(ours.rows(), theirs.rows()) << what;
  ASSERT_EQ(ours.cols(), theirs.cols()) << what;
  const double size = std::max(1.0, theirs.cwiseAbs().maxCoeff());
  EXPECT_LE((ours - theirs).cwiseAbs().maxCoeff(), allowed * size) << what;
}

class NimbleParity : public testing::TestWithParam<std::string> {};

ContactMotion state_of(const Json& state) {
  ContactMotion motion;
  motion.name = "state";
  motion.q = vector_of(state["q"]).transpose();
  motion.v = vector_of(state["v"]).transpose();
  motion.a = vector_of(state["a"]).transpose();
  motion.dt = VectorX::Constant(1, state["dt"].number());
  return motion;
}

TEST_P(NimbleParity, StatesOfEveryKind) {
  const Golden golden(GetParam());
  int compared = 0;
  for (const Json& state : golden.data["states"].items()) {
    const auto check = [&](const Json& wanted, const std::vector<std::string>& bodies, const Json& wrenches,
                           const Json& guesses) {
      ContactMotion motion = state_of(state);
      if (guesses.size() > 0) {
        motion.guess.resize(1, 6 * std::ssize(bodies));
        for (std::size_t b = 0; b < bodies.size(); ++b) motion.guess.row(0).segment<6>(6 * b) = turned(guesses[b]);
      }
      const ContactRequest request{bodies, false, LimitSet::none, WrenchAxes::link};
      const MotionDynamics dynamics = motion_dynamics(golden.robot, motion, request, nimble());
      expect_near(dynamics.total, vector_of(state["tau_id"]).transpose(), tolerance::kNimble, "tau_id");
      const ContactSolution solution = solve_frames(dynamics.demand, nimble());
      const Matrix6X ours = in_axes(dynamics.demand, solution.wrench, WrenchAxes::link);
      Matrix6X theirs(6, std::ssize(bodies));
      for (std::size_t b = 0; b < bodies.size(); ++b) theirs.col(static_cast<Eigen::Index>(b)) = turned(wrenches[b]);
      expect_near(ours, theirs, tolerance::kNimble, "wrenches");
      expect_near(contact_torques(dynamics, solution), vector_of(wanted["tau"]).transpose(), tolerance::kNimble, "tau");
      ++compared;
    };
    for (const Json& one : state["single"].items()) {
      Json list = Json::array();
      list.push_back(one["wrench"]);
      check(one, {one["body"].text()}, list, Json());
    }
    for (const Json& one : state["multi_min_torque"].items())
      check(one, names_of(one["bodies"]), one["wrenches"], Json());
    for (const Json& one : state["multi_guess"].items()) {
      check(one, names_of(one["bodies"]), one["wrenches"], one["guesses"]);
    }
  }
  EXPECT_GT(compared, 20);
}

TEST_P(NimbleParity, OverTime) {
  const Golden golden(GetParam());
  for (const Json& run : golden.data["over_time"].items()) {
    const std::vector<std::string> bodies = names_of(run["bodies"]);
    const auto k = std::ssize(bodies);
    ContactMotion motion;
    motion.name = "run";
    motion.q = matrix_of(run["q"]);
    motion.dt = VectorX::Constant(1, run["dt"].number());
    const Eigen::Index N = motion.q.rows(), T = N - 2;
    ContactOptions options = nimble();
    options.smoothing = run["smoothing_weight"].number();
    options.least_torque = run["min_torque_weight"].number();
    options.velocity_penalty = run["velocity_penalty_coeff"].number();
    options.previous_weight = run["prev_contact_weight"].number();
    if (run["prev_contact_forces"].size() > 0) {
      motion.previous.resize(k, 6);
      for (Eigen::Index b = 0; b < k; ++b)
        motion.previous.row(b) = turned(run["prev_contact_forces"][static_cast<std::size_t>(b)]);
    }
    if (run["magnitude_costs"].size() > 0) {
      motion.magnitude.setZero(N, k);
      motion.magnitude.topRows(T) = matrix_of(run["magnitude_costs"]).leftCols(T).transpose();
    }
    const ContactRequest request{bodies, true, LimitSet::none, WrenchAxes::link};
    const MotionDynamics dynamics = motion_dynamics(golden.robot, motion, request, options);
    ASSERT_EQ(dynamics.v.rows(), T);
    expect_near(dynamics.v, matrix_of(run["v"]), tolerance::kNimble, "v");
    expect_near(dynamics.a, matrix_of(run["a"]), tolerance::kNimble, "a");
    const ContactSolution solution = solve_over_time(dynamics.demand, options);
    const Matrix6X ours = in_axes(dynamics.demand, solution.wrench, WrenchAxes::link);
    Matrix6X theirs(6, T * k);
    for (Eigen::Index i = 0; i < T * k; ++i) {
      theirs.col(i) = turned(run["wrenches"][static_cast<std::size_t>(i / k)][static_cast<std::size_t>(i % k)]);
    }
    const bool ill = options.least_torque == 0.0;
    const std::string what = "smoothing " + shortest_text(options.smoothing) + ", least torque " +
                             shortest_text(options.least_torque) + ", " + std::to_string(k) + " contacts";
    expect_near(ours, theirs, ill ? tolerance::kNimbleIllConditioned : tolerance::kNimbleOverTime, what);
    expect_near(contact_torques(dynamics, solution), matrix_of(run["tau"]),
                ill ? tolerance::kNimbleIllConditioned : tolerance::kNimbleOverTime, what + ", tau");
  }
}

/// Ours everywhere; others' add to them where they are, so that nothing is skipped.
std::vector<std::string> robots(std::vector<std::string> wanted) {
  std::erase_if(wanted, [](const std::string& name) { return !std::filesystem::exists(golden_file(name)); });
  return wanted;
}

INSTANTIATE_TEST_SUITE_P(Robots, NimbleParity,
                         testing::ValuesIn(robots({"biped", "quadruped", "mini_biped", "solo12", "h1_2_handless"})),
                         [](const auto& robot) { return robot.param; });

class NimbleDampingSpringExternal : public testing::TestWithParam<std::string> {};

/// Joint damping, springs and an external wrench on the trunk.
TEST_P(NimbleDampingSpringExternal, IsReproduced) {
  const Golden golden(GetParam());
  const Json& state = golden.data["damping_spring_external_state"];
  ContactMotion motion = state_of(state);
  motion.damping = vector_of(state["damping"]);
  motion.spring = vector_of(state["spring_stiffness"]);
  motion.rest = vector_of(state["spring_rest"]);
  // Its generalised force is J₁ᵀ w of the body: the motion of a contact there with that wrench.
  const std::string body = state["external"]["body"].text();
  const ContactRequest there{{body}, false, LimitSet::none, WrenchAxes::link};
  ContactMotion bare = state_of(state);
  const MotionDynamics at = motion_dynamics(golden.robot, bare, there, nimble());
  ContactSolution push;
  push.wrench = turned(state["external"]["wrench"]);
  const Matrix3 R = at.demand.places[0].rotation;
  push.wrench.topRows<3>() = R * push.wrench.topRows<3>().eval();
  push.wrench.bottomRows<3>() = R * push.wrench.bottomRows<3>().eval();
  push.residual = at.demand.total - contact_parts_total(at.demand, push.wrench);
  motion.external = at.total - contact_torques(at, push);
  for (const Json& one : state["multi_min_torque"].items()) {
    const ContactRequest request{names_of(one["bodies"]), false, LimitSet::none, WrenchAxes::link};
    const MotionDynamics dynamics = motion_dynamics(golden.robot, motion, request, nimble());
    expect_near(dynamics.total, vector_of(state["tau_id"]).transpose(), tolerance::kNimble, "tau_id");
    const ContactSolution solution = solve_frames(dynamics.demand, nimble());
    expect_near(contact_torques(dynamics, solution), vector_of(one["tau"]).transpose(), tolerance::kNimble, "tau");
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, NimbleDampingSpringExternal,
                         testing::ValuesIn(robots({"biped", "quadruped", "mini_biped"})),
                         [](const auto& robot) { return robot.param; });

}  // namespace

}  // namespace antaeus
