/// \file
/// Arbitrary bytes as the total force and moment of a body and its feet: what is read has rotations and a clock.

#include "antaeus/contact/total_motion.hpp"
#include "antaeus/core/error.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/scratch_file.hpp"

std::vector<std::string> antaeus::fuzz::seeds() {
  const std::string head = "t,kin_Fx,kin_Fy,kin_Fz,kin_Tx,kin_Ty,kin_Tz,com_x,com_y,com_z";
  const std::string foot = "_px,%_py,%_pz,%_R00,%_R01,%_R02,%_R10,%_R11,%_R12,%_R20,%_R21,%_R22";
  const auto named = [&foot](char name) {
    std::string text = std::string(",") + name + foot;
    for (char& c : text) c = c == '%' ? name : c;
    return text;
  };
  const std::string turned = ",0,0,0,1,0,0,0,1,0,0,0,1", other = ",0.1,0,0,0,-1,0,1,0,0,0,0,1";
  std::string one = head + named('l') + "\n", two = head + named('l') + named('r') + "\n";
  for (int i = 0; i < 4; ++i) {
    const std::string row = "0.0" + std::to_string(i) + ",1,2,700,0,1,0,0,0,0.9";
    one += row + turned + "\n";
    two += row + turned + other + "\n";
  }
  return {one, two, head + "\n0,0,700,1,0,0,0,0,0.9,0\n", "t\n0\n1\n2\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antaeus;
  static const fuzz::ScratchFile file("total.csv");
  try {
    const TotalMotion motion = read_total_motion(file.write(data, size));
    fuzz::accept();
    const Eigen::Index rows = motion.rows();
    fuzz::require(rows >= 3 && motion.wrench.rows() == rows && motion.com.rows() == rows);
    fuzz::require(motion.wrench.cols() == 6 && motion.com.cols() == 3 && motion.wrench.allFinite());
    for (Eigen::Index i = 1; i < rows; ++i) fuzz::require(motion.time[i] > motion.time[i - 1]);
    for (const FootMotion& foot : motion.feet) {
      fuzz::require(static_cast<Eigen::Index>(foot.pose.size()) == rows);
      constexpr double kOrthonormal = 1e-2;
      for (const Pose& pose : foot.pose) {
        const Matrix3& R = pose.rotation;
        fuzz::require((R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff() < kOrthonormal);
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
