#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "antaeus/episode/episode.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "io/io_support.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

constexpr std::size_t kMotors = 3;  // of planar_3r

/// The bytes of one .npy file, with a header of the caller's making.
std::string raw_npy(const std::string& type, const std::string& order, const std::string& shape,
                    const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  const auto length = static_cast<unsigned>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length & 255) + static_cast<char>(length >> 8) +
         header + data;
}

template <class Number>
std::string bytes_of(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) {
    const auto stored = static_cast<Number>(value);
    bytes.append(reinterpret_cast<const char*>(&stored), sizeof stored);
  }
  return bytes;
}

/// Sample number `step * 3 + motor`, moved by `base`, so that no two channels and no two places hold the same number.
std::vector<double> samples(std::size_t steps, double base, std::size_t columns = kMotors) {
  std::vector<double> values(steps * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = base + 0.25 * static_cast<double>(i);
  return values;
}

SampleMatrix matrix(const std::vector<double>& values, Eigen::Index columns = kMotors) {
  return Eigen::Map<const SampleMatrix>(values.data(), static_cast<Eigen::Index>(values.size()) / columns, columns);
}

/// Bit by bit, so that NaN equals NaN and −0 differs from 0.
bool same_bits(const SampleMatrix& a, const SampleMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

class LoadEpisode : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  void put(const std::string& file, const std::string& bytes) const { write_file(folder_.path() / file, bytes); }
  /// The three required channels of \p steps steps in a folder.
  void put_required(const std::string& name, std::size_t steps) const {
    put(name + "/tau.npy", to_npy({steps, kMotors}, samples(steps, 100.0)));
    put(name + "/qpos.npy", to_npy({steps, kMotors}, samples(steps, -2.0)));
    put(name + "/target_dof.npy", to_npy({steps, kMotors}, samples(steps, 300.0)));
  }
  Episode load(const std::string& name, const EpisodeOptions& options = {}) const {
    return load_episode(path(name), robot_, options);
  }

  test::TemporaryFolder folder_;
  Robot robot_ = test::own_robot("planar_3r");
};

TEST_F(LoadEpisode, FolderWithRequiredChannelsAlone) {
  put_required("log", 4);
  const Episode episode = load("log");
  EXPECT_EQ(episode.name, "log");
  EXPECT_EQ(episode.steps(), 4);
  EXPECT_TRUE(same_bits(episode.tau, matrix(samples(4, 100.0))));
  EXPECT_TRUE(same_bits(episode.q, matrix(samples(4, -2.0))));
  EXPECT_TRUE(same_bits(episode.target, matrix(samples(4, 300.0))));
  EXPECT_EQ(episode.tau(2, 1), 100.0 + 0.25 * 7) << "row 2, motor 1 is sample 7";
  EXPECT_EQ(episode.missing, (std::vector<std::string>{"dq", "time", "imu_quaternion"}));
  EXPECT_FALSE(episode.has_time());
  EXPECT_FALSE(episode.has_imu());
  EXPECT_EQ(episode.v.rows(), 0);
  EXPECT_EQ(episode.time.size(), 4);
  EXPECT_TRUE(episode.time.array().isNaN().all());
  EXPECT_TRUE(std::isnan(episode.sample_time()));
  EXPECT_TRUE(episode.invalid_steps.empty());
  EXPECT_TRUE(episode.notes.empty());
  ASSERT_EQ(episode.channels.size(), 3u);
  EXPECT_EQ(episode.channels[0].source, "tau.npy");
  EXPECT_EQ(episode.channels[0].stored_type, "float64");
  EXPECT_EQ(episode.channels[0].sha256, sha256(to_npy({4, kMotors}, samples(4, 100.0))));
}

TEST_F(LoadEpisode, FolderWithEveryChannelAndAPathThatEndsInASlash) {
  put_required("log", 2);
  put("log/dq.npy", to_npy({2, kMotors}, samples(2, 400.0)));
  put("log/ddq.npy", to_npy({2, kMotors}, samples(2, 500.0)));
  put("log/time.npy", to_npy({2}, {5.0, 5.5}));
  put("log/imu_quat_xyzw.npy", to_npy({2, 4}, {0, 0, 0, 1, 0.5, 0.5, 0.5, 0.5}));
  put("log/imu_gyro.npy", to_npy({2, 3}, samples(2, 600.0, 3)));
  put("log/imu_acc.npy", to_npy({2, 3}, samples(2, 700.0, 3)));
  const Episode episode = load_episode(path("log").string() + "/", robot_);
  EXPECT_EQ(episode.name, "log");
  EXPECT_TRUE(episode.missing.empty());
  EXPECT_TRUE(same_bits(episode.v, matrix(samples(2, 400.0))));
  EXPECT_EQ(episode.time[1], 5.5);
  EXPECT_EQ(episode.imu_quaternion(0, 3), 1.0);
  EXPECT_TRUE(same_bits(episode.a, matrix(samples(2, 500.0))));
  EXPECT_TRUE(same_bits(episode.imu_angular_velocity, matrix(samples(2, 600.0, 3), 3)));
  EXPECT_TRUE(same_bits(episode.imu_specific_force, matrix(samples(2, 700.0, 3), 3)));
  EXPECT_EQ(episode.channels.size(), 9u);
}

TEST_F(LoadEpisode, TheOrderOfAQuaternionIsInTheName) {
  // 0.1 0.2 0.4 and the fourth to unit length: four numbers that differ.
  const double w = std::sqrt(1.0 - 0.01 - 0.04 - 0.16);
  put_required("xyzw", 1);
  put("xyzw/imu_quat_xyzw.npy", to_npy({1, 4}, {0.1, 0.2, 0.4, w}));
  put_required("wxyz", 1);
  put("wxyz/imu_quat_wxyz.npy", to_npy({1, 4}, {w, 0.1, 0.2, 0.4}));
  const Episode one = load("xyzw"), other = load("wxyz");
  EXPECT_EQ(one.imu_quaternion(0, 0), 0.1);
  EXPECT_EQ(one.imu_quaternion(0, 3), w);
  EXPECT_TRUE(same_bits(one.imu_quaternion, other.imu_quaternion));
}

TEST_F(LoadEpisode, MixedTypesAreReadAsTheyAreStored) {
  put("log/tau.npy", raw_npy("<f4", "False", "(2, 3)", bytes_of<float>({0.1, 0.2, 0.3, 0.4, 0.5, 0.6})));
  put("log/qpos.npy", to_npy({2, kMotors}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}));
  put("log/target_dof.npy", raw_npy("<i4", "False", "(2, 3)", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6})));
  const Episode episode = load("log");
  EXPECT_EQ(episode.tau(0, 0), static_cast<double>(0.1F)) << "a float32 stays what it is";
  EXPECT_EQ(episode.q(0, 0), 0.1);
  EXPECT_EQ(episode.target(1, 2), 6.0);
  EXPECT_EQ(episode.channels[0].stored_type, "float32");
  EXPECT_EQ(episode.channels[1].stored_type, "float64");
  EXPECT_EQ(episode.channels[2].stored_type, "int32");
}

TEST_F(LoadEpisode, FortranOrderIsReadRight) {
  put_required("log", 2);
  // Columns one after the other: motor 0 of both steps, motor 1 of both steps, …
  put("log/tau.npy", raw_npy("<f8", "True", "(2, 3)", bytes_of<double>({1, 10, 2, 20, 3, 30})));
  const Episode episode = load("log");
  EXPECT_TRUE(same_bits(episode.tau, matrix({1, 2, 3, 10, 20, 30})));
}

TEST_F(LoadEpisode, NpzHoldsTheSameAsAFolder) {
  put_required("log", 3);
  put("log/time.npy", to_npy({3}, {0.0, 0.02, 0.04}));
  const auto array = [](std::vector<std::size_t> shape, std::vector<double> values) {
    return NumpyArray{std::move(shape), std::move(values), "float64"};
  };
  put("log.npz", to_npz({{"tau", array({3, kMotors}, samples(3, 100.0))},
                         {"qpos", array({3, kMotors}, samples(3, -2.0))},
                         {"target_dof", array({3, kMotors}, samples(3, 300.0))},
                         {"time", array({3}, {0.0, 0.02, 0.04})},
                         {"something_else", array({1}, {1.0})}}));
  const Episode folder = load("log"), npz = load("log.npz");
  EXPECT_TRUE(same_bits(folder.tau, npz.tau));
  EXPECT_TRUE(same_bits(folder.q, npz.q));
  EXPECT_TRUE(same_bits(folder.target, npz.target));
  EXPECT_TRUE(same_bits(SampleMatrix(folder.time), SampleMatrix(npz.time)));
  EXPECT_EQ(folder.sha256, npz.sha256) << "the same samples, wherever they lie";
  EXPECT_EQ(npz.channels[0].source, "log.npz[tau]");
  EXPECT_EQ(npz.name, "log.npz");
}

TEST_F(LoadEpisode, CsvWithTheIncidentsOwnNames) {
  put("log.csv",
      "time,tau_0,tau_1,tau_2,qpos_0,qpos_1,qpos_2,target_dof_0,target_dof_1,target_dof_2,"
      "imu_quat_w,imu_quat_x,imu_quat_y,imu_quat_z,remark\n"
      "0,1,2,3,4,5,6,7,8,9,1,0,0,0,a\n0.02,10,20,30,40,50,60,70,80,90,0,1,0,0,b\n");
  const Episode episode = load("log.csv");
  EXPECT_TRUE(same_bits(episode.tau, matrix({1, 2, 3, 10, 20, 30})));
  EXPECT_TRUE(same_bits(episode.target, matrix({7, 8, 9, 70, 80, 90})));
  EXPECT_TRUE(same_bits(episode.imu_quaternion, matrix({0, 0, 0, 1, 1, 0, 0, 0}, 4)))
      << "named by axis: order of columns is no matter";
  EXPECT_EQ(episode.time[1], 0.02);
  EXPECT_EQ(episode.missing, std::vector<std::string>{"dq"});
  EXPECT_EQ(episode.channels[0].stored_type, "text");
}

TEST_F(LoadEpisode, CsvColumnPatterns) {
  put("log.csv",
      "stamp,effort/joint_3,effort/joint_1,effort/joint_2,q joint 1,q joint 2,q joint 3,cmd.2,cmd.0,cmd.1\n"
      "7,3,1,2,4,5,6,9,7,8\n");
  EpisodeOptions options;
  options.time = "stamp";
  options.tau = "effort/{joint}";
  options.q = "q {label}";
  options.target = "cmd.{motor}";
  const Episode episode = load("log.csv", options);
  EXPECT_TRUE(same_bits(episode.tau, matrix({1, 2, 3})));
  EXPECT_TRUE(same_bits(episode.q, matrix({4, 5, 6})));
  EXPECT_TRUE(same_bits(episode.target, matrix({7, 8, 9})));
  EXPECT_EQ(episode.time[0], 7.0);
}

TEST_F(LoadEpisode, CsvRefusals) {
  const std::string required = "tau_0,tau_1,tau_2,qpos_0,qpos_1,qpos_2,target_dof_0,target_dof_1,target_dof_2";
  put("short.csv", "tau_0,tau_1,tau_3,qpos_0,qpos_1,qpos_2\n1,2,3,4,5,6\n");
  EXPECT_ERROR(load("short.csv"), path("short.csv").string() + ":1: unknown column 'tau_2'; did you mean 'tau_");
  put("text.csv", required + "\n1,2,much,4,5,6,7,8,9\n");
  EXPECT_ERROR(load("text.csv"), path("text.csv").string());
  EXPECT_ERROR(load("text.csv"), "'much' is text where a number is needed");
  put("ragged.csv", required + "\n1,2,3,4,5,6,7,8,9\n1,2,3\n");
  EXPECT_ERROR(load("ragged.csv"), path("ragged.csv").string() + ":3: 3 cells where the header has 9");
  put("nothing.csv", required + "\n");
  EXPECT_ERROR(load("nothing.csv"), "no steps");
  put("other.csv", "a,b\n1,2\n");
  EXPECT_ERROR(load("other.csv"),
               "(tau_{motor}): missing; an episode needs tau and qpos, one row per step; set episode.tau");
  // One column for three motors would be read three times over.
  put("one.csv", "tau,qpos_0,qpos_1,qpos_2,target_dof_0,target_dof_1,target_dof_2\n1,2,3,4,5,6,7\n");
  EpisodeOptions options;
  options.tau = "tau";
  EXPECT_ERROR(load("one.csv", options), "'tau' names one column for all motors");
}

TEST_F(LoadEpisode, EmptyCellsOfACsvAreInvalidSteps) {
  put("log.csv",
      "tau_0,tau_1,tau_2,qpos_0,qpos_1,qpos_2,target_dof_0,target_dof_1,target_dof_2\n"
      "1,2,3,4,5,6,7,8,9\n1,,3,4,5,6,7,8,9\n");
  EXPECT_EQ(load("log.csv").invalid_steps, std::vector<Eigen::Index>{1});
}

TEST_F(LoadEpisode, RowsThatCannotBeUsedKeepTheirPlace) {
  put_required("log", 6);
  std::vector<double> tau = samples(6, 100.0), q = samples(6, -2.0), target = samples(6, 300.0);
  tau[1 * kMotors + 2] = kNaN;
  q[3 * kMotors] = -kInfinity;
  target[5 * kMotors] = kNaN;  // a target is told, not computed with
  put("log/tau.npy", to_npy({6, kMotors}, tau));
  put("log/qpos.npy", to_npy({6, kMotors}, q));
  put("log/target_dof.npy", to_npy({6, kMotors}, target));
  put("log/imu_quat_xyzw.npy",
      to_npy({6, 4}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.9, 0, 0, 0, 1}));
  const Episode episode = load("log");
  EXPECT_EQ(episode.steps(), 6);
  EXPECT_TRUE(same_bits(episode.tau, matrix(tau)));
  EXPECT_TRUE(same_bits(episode.q, matrix(q)));
  EXPECT_EQ(episode.invalid_steps, (std::vector<Eigen::Index>{1, 3, 4})) << "step 4: a quaternion of length 0.9";
  ASSERT_EQ(episode.notes.size(), 1u);
  EXPECT_NE(note_text(episode.notes[0]).find("3 steps"), std::string::npos) << note_text(episode.notes[0]);
  EXPECT_NE(note_text(episode.notes[0]).find("first: step 1"), std::string::npos) << note_text(episode.notes[0]);
}

TEST_F(LoadEpisode, UnevenTimeIsKept) {
  put_required("log", 5);
  put("log/time.npy", to_npy({5, 1}, {1.0, 1.2, 1.2, 1.9, 2.1}));
  const Episode episode = load("log");
  EXPECT_EQ(episode.time[3], 1.9);
  EXPECT_NEAR(episode.sample_time(), 0.2, tolerance::kArithmetic) << "gaps 0.2 0 0.7 0.2: the median";
  ASSERT_EQ(episode.notes.size(), 1u);
  EXPECT_EQ(note_text(episode.notes[0]), "1 time stamps repeat the one before");
}

TEST_F(LoadEpisode, ClockRefusals) {
  put_required("log", 3);
  const std::string time = path("log/time.npy").string();
  put("log/time.npy", to_npy({3}, {1.0, 2.0, 1.5}));
  EXPECT_ERROR(load("log"), time + " row 2: time goes back from 2 s to 1.5 s; sort the log, or cut it at the restart");
  put("log/time.npy", to_npy({3}, {1.0, kNaN, 1.5}));
  EXPECT_ERROR(load("log"), time + " row 1: the time stamp is not finite");
  put("log/time.npy", to_npy({2}, {1.0, 2.0}));
  EXPECT_ERROR(load("log"), time + ": 2 steps, but tau has 3; cut all channels to the same length");
  put("log/time.npy", to_npy({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_ERROR(load("log"), time + ": shape (3, 2), not (steps,)");
}

TEST_F(LoadEpisode, ShapeRefusals) {
  put_required("log", 3);
  const std::string tau = path("log/tau.npy").string();
  put("log/tau.npy", to_npy({3, 4}, samples(3, 0.0, 4)));
  EXPECT_ERROR(load("log"), tau + ": shape (3, 4), not (steps, 3); give one column per motor of planar_3r");
  put("log/tau.npy", to_npy({3}, {1, 2, 3}));
  EXPECT_ERROR(load("log"), tau + ": shape (3,), not (steps, 3)");
  put("log/tau.npy", to_npy({3, 3, 1}, samples(3, 0.0)));
  EXPECT_ERROR(load("log"), tau + ": shape (3, 3, 1), not (steps, 3)");
  put("log/tau.npy", to_npy({0, 3}, {}));
  EXPECT_ERROR(load("log"), tau + ": no steps");
  put("log/tau.npy", to_npy({2, 3}, samples(2, 0.0)));
  EXPECT_ERROR(load("log"), path("log/qpos.npy").string() + ": 3 steps, but tau has 2");
  put_required("log", 3);
  put("log/imu_quat_wxyz.npy", to_npy({3, 3}, samples(3, 0.0)));
  EXPECT_ERROR(load("log"), path("log/imu_quat_wxyz.npy").string() + ": shape (3, 3), not (steps, 4)");
  std::filesystem::remove(path("log/imu_quat_wxyz.npy"));
  for (const char* channel : {"imu_gyro", "imu_acc", "ddq"}) {
    const std::string file = path("log/" + std::string(channel) + ".npy").string();
    put("log/" + std::string(channel) + ".npy", to_npy({3, 4}, samples(3, 0.0, 4)));
    EXPECT_ERROR(load("log"), file + ": shape (3, 4), not (steps, 3); give one column per ");
    put("log/" + std::string(channel) + ".npy", to_npy({2, 3}, samples(2, 0.0, 3)));
    EXPECT_ERROR(load("log"), file + ": 2 steps, but tau has 3; cut all channels to the same length");
    std::filesystem::remove(file);
  }
}

TEST_F(LoadEpisode, CsvWithInertialColumns) {
  const std::string required = "tau_0,tau_1,tau_2,qpos_0,qpos_1,qpos_2,target_dof_0,target_dof_1,target_dof_2,";
  put("log.csv", required +
                     "ddq_0,ddq_1,ddq_2,imu_gyro_z,imu_gyro_x,imu_gyro_y,acc/x,acc/y,acc/z\n"
                     "1,2,3,4,5,6,7,8,9,10,11,12,3,1,2,4,5,6\n");
  EpisodeOptions options;
  options.imu_specific_force = "acc/{axis}";
  const Episode episode = load("log.csv", options);
  EXPECT_TRUE(same_bits(episode.a, matrix({10, 11, 12})));
  EXPECT_TRUE(same_bits(episode.imu_angular_velocity, matrix({1, 2, 3}, 3))) << "named by axis";
  EXPECT_TRUE(same_bits(episode.imu_specific_force, matrix({4, 5, 6}, 3)));
  EXPECT_EQ(episode.missing, (std::vector<std::string>{"dq", "time", "imu_quaternion"}));
  // Under the default pattern nothing is called acc/x: a gyro alone, and the log says so.
  EXPECT_EQ(load("log.csv").missing, (std::vector<std::string>{"dq", "time", "imu_quaternion", "imu_acc"}));
  put("two.csv", required + "imu_acc_x,imu_acc_y\n1,2,3,4,5,6,7,8,9,1,2\n");
  EXPECT_ERROR(load("two.csv"), path("two.csv").string() + ":1: unknown column 'imu_acc_z'; add it");
  options.imu_specific_force = "acc";
  EXPECT_ERROR(load("log.csv", options), "'acc' names one column for all axes");
}

TEST_F(LoadEpisode, NpzHoldsInertialChannels) {
  const auto array = [](std::vector<std::size_t> shape, std::vector<double> values) {
    return NumpyArray{std::move(shape), std::move(values), "float64"};
  };
  put("log.npz", to_npz({{"tau", array({2, kMotors}, samples(2, 100.0))},
                         {"qpos", array({2, kMotors}, samples(2, -2.0))},
                         {"target_dof", array({2, kMotors}, samples(2, 300.0))},
                         {"ddq", array({2, kMotors}, samples(2, 400.0))},
                         {"imu_gyro", array({2, 3}, samples(2, 500.0, 3))},
                         {"imu_acc", array({2, 3}, samples(2, 600.0, 3))}}));
  const Episode episode = load("log.npz");
  EXPECT_TRUE(same_bits(episode.a, matrix(samples(2, 400.0))));
  EXPECT_TRUE(same_bits(episode.imu_angular_velocity, matrix(samples(2, 500.0, 3), 3)));
  EXPECT_TRUE(same_bits(episode.imu_specific_force, matrix(samples(2, 600.0, 3), 3)));
}

TEST_F(LoadEpisode, HolesInOptionalChannelsAreNotedAndNotMeasuredThere) {
  put_required("log", 4);
  std::vector<double> gyro = samples(4, 0.0, 3), acc = samples(4, 10.0, 3), v = samples(4, 1.0), a = samples(4, 2.0);
  gyro[1 * 3 + 2] = kNaN;
  acc[2 * 3] = acc[3 * 3] = kInfinity;
  v[3 * kMotors] = a[0] = kNaN;
  put("log/imu_gyro.npy", to_npy({4, 3}, gyro));
  put("log/imu_acc.npy", to_npy({4, 3}, acc));
  put("log/dq.npy", to_npy({4, kMotors}, v));
  put("log/ddq.npy", to_npy({4, kMotors}, a));
  const Episode episode = load("log");
  EXPECT_TRUE(episode.invalid_steps.empty()) << "the static residual needs none of them";
  EXPECT_EQ(
      note_texts(episode.notes),
      (std::vector<std::string>{"dq: 1 steps hold NaN or infinity (first: step 3); a stage that uses it refuses them",
                                "ddq: 1 steps hold NaN or infinity (first: step 0); a stage that uses it refuses them",
                                "imu_gyro: 1 steps hold NaN or infinity (first: step 1); read as not measured there",
                                "imu_acc: 2 steps hold NaN or infinity (first: step 2); read as not measured there"}));
  Observation observation;
  const bool gyro_there[] = {true, false, true, true}, acc_there[] = {true, true, false, false};
  for (Eigen::Index i = 0; i < 4; ++i) {
    episode.observe(i, observation);
    EXPECT_EQ(observation.has_gyro, gyro_there[i]) << i;
    EXPECT_EQ(observation.has_accelerometer, acc_there[i]) << i;
    EXPECT_TRUE(observation.imu_angular_velocity.allFinite() && observation.imu_specific_force.allFinite());
  }
  EXPECT_TRUE(std::isnan(observation.v[0]));
  EXPECT_EQ(observation.a[1], a[3 * kMotors + 1]);
}

TEST(LoadAccelerometer, UnitSignAndAxesAreLookedAt) {
  const Robot robot = test::own_robot("h1_2");
  test::TemporaryFolder folder;
  constexpr std::size_t kSteps = 5;
  const std::filesystem::path log = folder.path() / "log";
  for (const char* channel : {"tau", "qpos", "target_dof"}) {
    write_file(log / (std::string(channel) + ".npy"), to_npy({kSteps, 27}, std::vector<double>(kSteps * 27, 0.0)));
  }
  // The sensor lies on its side: its x axis points up.
  const double half = std::sqrt(0.5);
  std::vector<double> quaternion;
  for (std::size_t i = 0; i < kSteps; ++i) quaternion.insert(quaternion.end(), {0.0, -half, 0.0, half});
  const auto notes = [&](const Vector3& felt, bool with_quaternion) {
    std::vector<double> values;
    for (std::size_t i = 0; i < kSteps; ++i) {
      for (const double value : felt) values.push_back(value * (1.0 + 0.02 * static_cast<double>(i)));
    }
    write_file(log / "imu_acc.npy", to_npy({kSteps, 3}, values));
    std::filesystem::remove(log / "imu_quat_xyzw.npy");
    if (with_quaternion) write_file(log / "imu_quat_xyzw.npy", to_npy({kSteps, 4}, quaternion));
    return load_episode(log, robot).notes;
  };
  EXPECT_TRUE(notes({9.81, 0, 0}, true).empty());
  EXPECT_TRUE(notes({0, 0, -9.81}, false).empty()) << "without an orientation nobody can know";
  ASSERT_EQ(notes({-9.81, 0, 0}, true).size(), 1u);
  EXPECT_NE(note_text(notes({-9.81, 0, 0}, true)[0]).find("imu_acc: 180° away from up"), std::string::npos);
  EXPECT_NE(note_text(notes({0, 0, 9.81}, true)[0]).find("imu_acc: 90° away from up"), std::string::npos);
  ASSERT_EQ(notes({0.2, 0, 0}, true).size(), 1u);
  EXPECT_NE(note_text(notes({0.2, 0, 0}, true)[0]).find("median norm 0.21 m/s², but gravity is 9.81"),
            std::string::npos);
  EXPECT_ERROR(
      notes({0, 0, 1.0}, false),
      (log / "imu_acc.npy").string() + ": median norm 1.04: it is in g; multiply by 9.81: specific force in m/s²");
  EXPECT_THROW(notes({0, 0, 1.0}, false), EpisodeError);
}

TEST(LoadFindings, WhatALoopWouldRefuseIsNotedOnce) {
  const Robot robot = test::own_robot("planar_3r");
  test::TemporaryFolder folder;
  const std::filesystem::path log = folder.path() / "log";
  constexpr std::size_t kSteps = 50;
  std::vector<double> time, q, v(kSteps * 3, 0.0), tau;
  for (std::size_t i = 0; i < kSteps; ++i) {
    time.push_back(0.02 * static_cast<double>(i));
    for (int m = 0; m < 3; ++m) {
      q.push_back(m == 1 && i == 20 ? 9.0 : m == 2 && i >= 30 ? 0.5 : 0.0);
      tau.push_back(i < 40 ? 0.01 * static_cast<double>(i % 7) : 0.25);
    }
  }
  write_file(log / "time.npy", to_npy({kSteps}, time));
  write_file(log / "qpos.npy", to_npy({kSteps, 3}, q));
  write_file(log / "target_dof.npy", to_npy({kSteps, 3}, q));
  write_file(log / "dq.npy", to_npy({kSteps, 3}, v));
  write_file(log / "tau.npy", to_npy({kSteps, 3}, tau));
  const std::vector<std::string>& joints = robot.model.motor_names();
  EXPECT_EQ(note_texts(load_episode(log, robot).notes),
            (std::vector<std::string>{
                "position_out_of_limits: 1 steps (first: step 20, " + joints[1] + "); a guarded loop refuses them",
                "position_jump: 21 steps (first: step 20, " + joints[1] + "); a guarded loop refuses them",
                "dead_torque: 7 steps (first: step 43); a guarded loop refuses them"}));
}

TEST_F(LoadEpisode, HostileHeaders) {
  put_required("log", 3);
  const std::string tau = path("log/tau.npy").string();
  const std::string whole = to_npy({3, kMotors}, samples(3, 0.0));
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    put("log/tau.npy", whole.substr(0, length));
    EXPECT_ERROR(load("log"), tau);
  }
  put("log/tau.npy", raw_npy("<f8", "False", "(1000000000000, 3)", "12345678"));
  EXPECT_ERROR(load("log"), tau + ": the .npy file ends within its data");
  put("log/tau.npy", raw_npy("<f8", "False", "(6148914691236517206, 3)", ""));  // 3 × this × 8 is 16 modulo 2⁶⁴
  EXPECT_ERROR(load("log"), tau);
  put("log/tau.npy", raw_npy("|O", "False", "(3, 3)", std::string(72, 'x')));
  EXPECT_ERROR(load("log"), tau + ": the element type '|O'");
  put("log/tau.npy", raw_npy("<c16", "False", "(3, 3)", std::string(144, 'x')));
  EXPECT_ERROR(load("log"), tau + ": the element type '<c16'");
  put("log/tau.npy", "no array at all");
  EXPECT_ERROR(load("log"), tau + ": it is no .npy file");
}

TEST_F(LoadEpisode, WhatIsNoEpisode) {
  put_required("episode_one", 1);
  EXPECT_ERROR(load("episode_onw"), path("episode_onw").string() + ": no such episode; did you mean 'episode_one'?");
  EXPECT_ERROR(load("zzzz"), "zzzz: no such episode; give a folder of .npy files, an .npz, a .csv or a .parquet");
  put("log.mat", "x");
  EXPECT_ERROR(load("log.mat"), path("log.mat").string() + ": not an episode");
  put("log.npz", "x");
  EXPECT_ERROR(load("log.npz"), path("log.npz").string());
  std::filesystem::create_directory(path("empty"));
  EXPECT_ERROR(load("empty"), path("empty/tau.npy").string() + ": missing; an episode needs tau and qpos");
  std::filesystem::create_directory(path("episode_one/dq.npy"));
  EXPECT_ERROR(load("episode_one"), path("episode_one/dq.npy").string() + ": it is a folder");
  EXPECT_THROW(load("empty"), EpisodeError);
}

TEST_F(LoadEpisode, TargetsMayBeLeftOut) {
  put_required("log", 2);
  std::filesystem::remove(path("log/target_dof.npy"));
  const Episode episode = load("log");
  EXPECT_EQ(episode.target.rows(), 0);
  EXPECT_EQ(episode.missing.front(), "target_dof");
  EpisodeOptions options;
  options.require_target = true;
  EXPECT_ERROR(load("log", options),
               path("log/target_dof.npy").string() + ": missing; an episode needs target_dof here");
}

TEST_F(LoadEpisode, HashFollowsTheSamplesAndNothingElse) {
  put_required("one", 2);
  put_required("two", 2);
  EXPECT_EQ(load("one").sha256, load("two").sha256);
  std::vector<double> tau = samples(2, 100.0);
  tau.back() = std::nextafter(tau.back(), 1000.0);
  put("two/tau.npy", to_npy({2, kMotors}, tau));
  EXPECT_NE(load("one").sha256, load("two").sha256) << "one bit of one sample";
}

TEST_F(LoadEpisode, CutByTime) {
  put_required("log", 6);
  put("log/time.npy", to_npy({6}, {1.0, 1.1, 1.2, 1.3, 1.4, 1.5}));
  std::vector<double> tau = samples(6, 100.0);
  tau[3 * kMotors] = tau[5 * kMotors] = kNaN;
  put("log/tau.npy", to_npy({6, kMotors}, tau));
  put("log/ddq.npy", to_npy({6, kMotors}, samples(6, 400.0)));
  put("log/imu_gyro.npy", to_npy({6, 3}, samples(6, 500.0, 3)));
  put("log/imu_acc.npy", to_npy({6, 3}, samples(6, 600.0, 3)));
  const Episode episode = load("log");
  Eigen::Index first = -1;
  const Episode part = cut_episode(episode, 1.15, 1.4, first);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(part.steps(), 3) << "1.2 1.3 1.4: the upper limit belongs to it";
  EXPECT_EQ(part.time[0], 1.2);
  EXPECT_EQ(part.q(0, 0), episode.q(2, 0));
  EXPECT_EQ(part.target(2, 2), episode.target(4, 2));
  EXPECT_TRUE(same_bits(part.a, episode.a.middleRows(2, 3)));
  EXPECT_TRUE(same_bits(part.imu_angular_velocity, episode.imu_angular_velocity.middleRows(2, 3)));
  EXPECT_TRUE(same_bits(part.imu_specific_force, episode.imu_specific_force.middleRows(2, 3)));
  EXPECT_EQ(part.v.rows(), 0);
  EXPECT_EQ(part.invalid_steps, std::vector<Eigen::Index>{1});
  EXPECT_EQ(cut_episode(episode, -1.0, 1.1, first).steps(), 2);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(cut_episode(episode, 1.5, -1.0, first).steps(), 1);
  EXPECT_EQ(first, 5);
  EXPECT_ERROR(cut_episode(episode, 2.0, 3.0, first),
               "log: no step between 2 s and 3 s; the log runs from 1 s to 1.5 s");
  EXPECT_ERROR(cut_episode(episode, 1.4, 1.2, first), "no step between");
  std::filesystem::remove(path("log/time.npy"));
  EXPECT_ERROR(cut_episode(load("log"), 1.0, 2.0, first), "no time stamps to cut by");
}

TEST_F(LoadEpisode, WrittenAndReadAgainBitByBit) {
  test::RandomStates random(20240611);
  SCOPED_TRACE(random.text());
  Episode episode;
  const auto fill = [&](Eigen::Index columns, double bound) {
    const VectorX numbers = random.vector(50 * columns, bound);
    return SampleMatrix(Eigen::Map<const SampleMatrix>(numbers.data(), 50, columns));
  };
  episode.tau = fill(kMotors, 300.0);
  episode.q = fill(kMotors, 3.0);
  episode.target = fill(kMotors, 3.0);
  episode.v = fill(kMotors, 20.0);
  episode.a = fill(kMotors, 50.0);
  episode.imu_angular_velocity = fill(3, 5.0);
  episode.imu_specific_force = fill(3, 20.0);
  episode.imu_quaternion = fill(4, 1.0);
  episode.imu_quaternion.rowwise().normalize();
  episode.time = VectorX::LinSpaced(50, 1.0 / 3.0, 1.0);
  episode.tau(3, 0) = -0.0;
  episode.tau(4, 0) = std::numeric_limits<double>::denorm_min();
  episode.tau(5, 0) = kNaN;
  episode.q(6, 0) = std::numeric_limits<double>::max();
  write_episode(episode, path("deep/er/log"));
  const Episode again = load("deep/er/log");
  EXPECT_TRUE(same_bits(again.tau, episode.tau));
  EXPECT_TRUE(same_bits(again.q, episode.q));
  EXPECT_TRUE(same_bits(again.target, episode.target));
  EXPECT_TRUE(same_bits(again.v, episode.v));
  EXPECT_TRUE(same_bits(again.a, episode.a));
  EXPECT_TRUE(same_bits(again.imu_quaternion, episode.imu_quaternion));
  EXPECT_TRUE(same_bits(again.imu_angular_velocity, episode.imu_angular_velocity));
  EXPECT_TRUE(same_bits(again.imu_specific_force, episode.imu_specific_force));
  EXPECT_TRUE(same_bits(SampleMatrix(again.time), SampleMatrix(episode.time)));
  EXPECT_EQ(again.invalid_steps, std::vector<Eigen::Index>{5});
  EXPECT_EQ(folder_.entries(), 3u + 9u) << "three folders and nine files; no temporary ones";
}

TEST_F(LoadEpisode, AbsentChannelsAreNotWritten) {
  put_required("log", 2);
  write_episode(load("log"), path("copy"));
  EXPECT_FALSE(std::filesystem::exists(path("copy/time.npy")));
  EXPECT_FALSE(std::filesystem::exists(path("copy/dq.npy")));
  EXPECT_FALSE(std::filesystem::exists(path("copy/imu_quat_xyzw.npy")));
  EXPECT_EQ(load("copy").missing, load("log").missing);
  EXPECT_EQ(load("copy").sha256, load("log").sha256);
}

TEST_F(LoadEpisode, ObservingDoesNotAllocateOnceFilled) {
  put_required("plain", 8);
  put_required("full", 8);
  put("full/dq.npy", to_npy({8, kMotors}, samples(8, 400.0)));
  put("full/time.npy", to_npy({8}, {0, 1, 2, 3, 4, 5, 6, 7}));
  put("full/imu_quat_xyzw.npy", to_npy({8, 4}, std::vector<double>(32, 0.5)));
  put("full/ddq.npy", to_npy({8, kMotors}, samples(8, 500.0)));
  put("full/imu_gyro.npy", to_npy({8, 3}, samples(8, 600.0, 3)));
  std::vector<double> holed = samples(8, 700.0, 3);
  holed[4 * 3] = kNaN;
  put("full/imu_acc.npy", to_npy({8, 3}, holed));
  for (const char* name : {"plain", "full"}) {
    const Episode episode = load(name);
    Observation observation;
    episode.observe(0, observation);
    const test::AllocationCounter counter;
    for (Eigen::Index step = 1; step < 8; ++step) episode.observe(step, observation);
    EXPECT_EQ(counter.count(), 0) << name;
    EXPECT_EQ(observation.tau[2], episode.tau(7, 2));
    EXPECT_EQ(observation.q[0], episode.q(7, 0));
    EXPECT_EQ(observation.has_imu, episode.has_imu());
    EXPECT_EQ(observation.v.size(), episode.v.cols());
    EXPECT_EQ(observation.a.size(), episode.a.cols());
    EXPECT_EQ(observation.has_gyro, std::string(name) == "full");
    EXPECT_EQ(observation.has_accelerometer, std::string(name) == "full");
    if (observation.has_gyro) {
      EXPECT_EQ(observation.a[2], episode.a(7, 2));
      EXPECT_EQ(observation.imu_angular_velocity[1], episode.imu_angular_velocity(7, 1));
      EXPECT_EQ(observation.imu_specific_force[2], episode.imu_specific_force(7, 2));
    }
    if (episode.has_time()) {
      EXPECT_EQ(observation.time, 7.0);
    }
    if (episode.has_imu()) {
      EXPECT_EQ(observation.imu_quaternion_xyzw[3], 0.5);
    }
  }
}

}  // namespace
}  // namespace antaeus
