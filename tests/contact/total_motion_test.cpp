#include "antaeus/contact/total_motion.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "contact/tolerances.hpp"
#include "support/temporary_folder.hpp"

namespace antaeus {
namespace {

constexpr const char* kHeader =
    "t,kin_Fx,kin_Fy,kin_Fz,kin_Tx,kin_Ty,kin_Tz,com_x,com_y,com_z,a_px,a_py,a_pz,a_R00,a_R01,a_R02,a_R10,a_R11,a_R12,"
    "a_R20,a_R21,a_R22";
constexpr const char* kRest = ",1,700,2,3,4,5,0.1,0.9,0.2,0,0.03,0.1,1,0,0,0,1,0,0,0,1\n";

std::string good() {
  std::string text = std::string(kHeader) + "\n";
  for (const char* t : {"0", "0.01", "0.02", "0.03"}) text += t + std::string(kRest);
  return text;
}

TotalMotion read(const std::string& text, std::vector<std::string> feet = {}) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "walk.csv";
  write_file(file, text);
  return read_total_motion(file, feet);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string message(const std::string& text, std::vector<std::string> feet = {}) {
  try {
    read(text, std::move(feet));
  } catch (const EpisodeError& error) {
    const std::string text_of = error.what();
    return text_of.substr(std::min(text_of.size(), text_of.find("walk.csv")));
  }
  return "read without complaint";
}

TEST(TotalMotion, ReadsColumnsByName) {
  const TotalMotion motion = read(good());
  ASSERT_EQ(motion.rows(), 4);
  EXPECT_EQ(motion.up, 1);
  EXPECT_EQ(motion.wrench.row(2), (Eigen::RowVectorXd(6) << 1, 700, 2, 3, 4, 5).finished());
  EXPECT_EQ(motion.com.row(0), Eigen::RowVector3d(0.1, 0.9, 0.2));
  ASSERT_EQ(motion.feet.size(), 1U);
  EXPECT_EQ(motion.feet[0].name, "a");
  EXPECT_EQ(motion.feet[0].pose[3].translation, Vector3(0, 0.03, 0.1));
  EXPECT_EQ(motion.feet[0].pose[3].rotation, Matrix3::Identity());
}

TEST(TotalMotion, FindsTheVerticalAxis) {
  const std::string upright = replaced(good(), ",1,700,2,", ",1,2,700,");
  EXPECT_EQ(message(upright), "read without complaint");  // one row of four does not make another vertical
  std::string all = good();
  for (int row = 0; row < 4; ++row) all = replaced(all, ",1,700,2,", ",1,2,700,");
  EXPECT_EQ(read(all).up, 2);
}

TEST(TotalMotion, WeightDoesNotCountWhatAcceleratesTheBody) {
  // com_y = 0.9 + ½ · 2 t²: the contacts carry m (g + 2).
  TotalMotion motion = read(good());
  const double mass = 50.0, acceleration = 2.0;
  motion.time = VectorX::LinSpaced(101, 0.0, 1.0);
  motion.com = MatrixX::Zero(101, 3);
  motion.com.col(1) = 0.9 + 0.5 * acceleration * motion.time.array().square();
  motion.wrench = MatrixX::Zero(101, 6);
  motion.wrench.col(1).setConstant(mass * (9.80665 + acceleration));
  EXPECT_NEAR(motion.weight(), mass * 9.80665, tolerance::kContactWeight * mass);
}

TEST(TotalMotion, BadFilesNameFilePlaceAndRemedy) {
  EXPECT_EQ(message(replaced(good(), "com_y", "com_up")),
            "walk.csv: no column 'com_y'; a motion has t, kin_Fx to kin_Tz, com_x to com_z, and of each foot <foot>_px "
            "to _R22");
  EXPECT_EQ(message(std::string(kHeader) + "\n0" + kRest + "1" + kRest),
            "walk.csv: 2 rows; a motion needs three or more");
  EXPECT_EQ(message(replaced(good(), "0.01,1,700", "0.01,1,")),
            "walk.csv row 2: 'kin_Fy' is not a number; correct or remove the row");
  EXPECT_EQ(message(replaced(good(), "0.02,", "0.01,")),
            "walk.csv row 3: time does not increase, from 0.01 s to 0.01 s; sort the rows and remove repeated ones");
  EXPECT_EQ(message(replaced(good(), "1,0,0,0,1,0,0,0,1", "1,0,0,0,1.01,0,0,0,1")),
            "walk.csv row 1: 'a_R' is not a rotation; write the foot's axes as columns of an orthonormal, right-handed "
            "matrix");
  EXPECT_EQ(message(replaced(good(), "1,0,0,0,1,0,0,0,1", "1,0,0,0,1,0,0,0,-1")).substr(0, 40),
            "walk.csv row 1: 'a_R' is not a rotation;");
  EXPECT_EQ(message(good(), {"b"}), "walk.csv: unknown foot 'b'; did you mean 'a'?");
  EXPECT_EQ(message(good(), {"a", "a"}), "walk.csv: the foot 'a' is given twice; name each foot once");
  EXPECT_EQ(message(replaced(replaced(good(), "a_R00", "a_Q00"), "a_px", "a_qx")),
            "walk.csv: no foot in it; give columns <foot>_px to _pz and _R00 to _R22");
  std::string down = good(), sideways = good();
  for (int row = 0; row < 4; ++row) {
    down = replaced(down, ",1,700,2,", ",1,-700,2,");
    sideways = replaced(sideways, ",1,700,2,", ",700,1,2,");
  }
  EXPECT_EQ(message(down),
            "walk.csv: the mean of kin_F points down y; write the force of the contacts on the body, not that of the "
            "body on them");
  EXPECT_EQ(message(sideways).substr(0, 50), "walk.csv: the mean of kin_F points along no vertic");
  EXPECT_EQ(message(replaced(good(), "0.01,1,700", "0.01,1,much")),
            "walk.csv: column 'kin_Fy' holds text; write numbers in it");
  EXPECT_THROW(read_total_motion("walk.txt"), EpisodeError);
}

}  // namespace
}  // namespace antaeus
