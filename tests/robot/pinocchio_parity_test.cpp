#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "antaeus/io/numpy.hpp"
#include "robot/test_robots.hpp"
#include "robot/tolerances.hpp"

namespace antaeus {
namespace {

namespace fs = std::filesystem;

/// The interpreter that can import pinocchio: ANTAEUS_PYTHON, else the one that owns ANTAEUS_SITE_PACKAGES.
std::string python() {
  if (const char* named = std::getenv("ANTAEUS_PYTHON"); named && *named) return named;
  if (const char* packages = std::getenv("ANTAEUS_SITE_PACKAGES"); packages && *packages) {
    return (fs::path(packages) / ".." / ".." / ".." / "bin" / "python").string();
  }
  return {};
}

const std::vector<std::string> kFrames = {"left_wrist_yaw_link",
                                          "right_wrist_yaw_link",
                                          "left_ankle_roll_link",
                                          "right_ankle_roll_link",
                                          "imu_link",
                                          "pelvis"};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Our reading of the robot's file and our calls against Pinocchio's own parser and its Python package.
TEST(PinocchioParity, H1_2) {
  const std::string interpreter = python();
  if (interpreter.empty()) GTEST_SKIP() << "neither ANTAEUS_PYTHON nor ANTAEUS_SITE_PACKAGES names a Python";
  const fs::path folder = fs::path(testing::TempDir()) / "antaeus_pinocchio_reference";
  fs::remove_all(folder);
  const Robot robot = test::own_robot("h1_2");
  const fs::path script = fs::path(ANTAEUS_SOURCE_DIR) / "tests" / "robot" / "make_pinocchio_reference.py";
  std::string command = "\"" + interpreter + "\" \"" + script.string() + "\" \"" + robot.profile.model.string() +
                        "\" \"" + folder.string() + "\" 0.1";  // the armature that the profile gives every joint
  for (const std::string& frame : kFrames) command += " " + frame;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;

  std::map<std::string, NumpyArray> reference;
  for (const std::string name : {"q", "v", "a", "rnea", "crba", "aba", "coriolis", "nle", "poses", "jacobians"}) {
    reference[name] = read_npy(folder / (name + ".npy"));
  }
  std::vector<std::string> joints;
  std::ifstream names(folder / "joints.txt");
  for (std::string name; std::getline(names, name);) joints.push_back(name);
  fs::remove_all(folder);

  const RobotModel& model = robot.model;
  const int nv = model.nv();
  ASSERT_EQ(joints.size(), 27u);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    EXPECT_EQ(model.motor_rows()[static_cast<std::size_t>(model.motor(joints[i]))], 6 + static_cast<int>(i))
        << joints[i];
  }
  ASSERT_EQ(reference["q"].rows(), 40u);
  const auto read = [&](const std::string& name, std::size_t state, Eigen::Index rows, Eigen::Index columns) {
    const NumpyArray& array = reference[name];
    EXPECT_EQ(array.values.size() / array.rows() % static_cast<std::size_t>(rows * columns), 0u) << name;
    return array.values.data() + state * array.columns();
  };
  const auto vector = [&](const std::string& name, std::size_t state, int size) -> VectorX {
    return Eigen::Map<const VectorX>(read(name, state, size, 1), size);
  };
  const auto matrix = [&](const std::string& name, std::size_t state, std::size_t block, int rows,
                          int columns) -> MatrixX {
    const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    return Eigen::Map<const RowMajor>(read(name, state, rows, columns) + block * size, rows, columns);
  };
  const auto expect_same = [](const MatrixX& ours, const MatrixX& theirs, double bound, const std::string& what) {
    EXPECT_LE((ours - theirs).cwiseAbs().maxCoeff(), bound) << what;
  };
  Dynamics dynamics(model);
  for (std::size_t i = 0; i < reference["q"].rows(); ++i) {
    SCOPED_TRACE("state " + std::to_string(i));
    const VectorX q = vector("q", i, model.nq()), v = vector("v", i, nv), a = vector("a", i, nv);
    VectorX out(nv);
    MatrixX square(nv, nv);
    ASSERT_EQ(dynamics.inverse_dynamics(q, v, a, out), Status::ok);
    expect_same(out, vector("rnea", i, nv), tolerance::kSameQuantity, "inverse dynamics");
    ASSERT_EQ(dynamics.forward_dynamics(q, v, vector("rnea", i, nv), out), Status::ok);
    expect_same(out, vector("aba", i, nv), tolerance::kForwardDynamics, "forward dynamics");
    ASSERT_EQ(dynamics.nonlinear_effects(q, v, out), Status::ok);
    expect_same(out, vector("nle", i, nv), tolerance::kSameQuantity, "nonlinear effects");
    ASSERT_EQ(dynamics.mass_matrix(q, square), Status::ok);
    expect_same(square, matrix("crba", i, 0, nv, nv), tolerance::kSameQuantity, "mass matrix");
    ASSERT_EQ(dynamics.coriolis_matrix(q, v, square), Status::ok);
    expect_same(square, matrix("coriolis", i, 0, nv, nv), tolerance::kSameQuantity, "Coriolis matrix");
    const PositionTerms terms = dynamics.at(q);
    for (std::size_t k = 0; k < kFrames.size(); ++k) {
      Pose X;
      Matrix6X J(6, nv);
      ASSERT_EQ(terms.frame_pose(model.frame(kFrames[k]), X), Status::ok);
      ASSERT_EQ(terms.frame_jacobian(model.frame(kFrames[k]), J), Status::ok);
      MatrixX pose(3, 4);
      pose << X.rotation, X.translation;
      expect_same(pose, matrix("poses", i, k, 3, 4), tolerance::kSameQuantity, kFrames[k] + " pose");
      expect_same(J, matrix("jacobians", i, k, 6, nv), tolerance::kSameQuantity, kFrames[k] + " Jacobian");
    }
  }
}

}  // namespace
}  // namespace antaeus
