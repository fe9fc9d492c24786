/// \file
/// Arbitrary bytes as a table of targets, as texts of targets: what is no pose is said to be none.

#include <cmath>
#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/ik/ik_run.hpp"
#include "fuzz/fuzz_target.hpp"

std::vector<std::string> antaeus::fuzz::seeds() {
  return {"x,y,z\n0.4,0.1,0.5\n1,,nan\n", "qw, z,qx,qy,qz,x,y\n0.8,3,0,0,0.6,1,2\n1,0,0,0,0,0,0\n0,0,0,0,0,0,0\n",
          "x,y,z,qx,qy,qz,qw\n1e200,2,3,1e200,0,0,1\n1,2,3,0,inf,0,1\n", "0.4,0.1,0.5", "0.4,0.1,0.5,0,0,0,1"};
}

namespace {

void check(const antaeus::IkTargets& targets) {
  constexpr double kOrthonormal = 1e-9;
  antaeus::fuzz::require(!targets.poses.empty());
  antaeus::fuzz::accept();
  for (int t = 0; t < static_cast<int>(targets.poses.size()); ++t) {
    const antaeus::Pose& pose = targets.poses[static_cast<std::size_t>(t)];
    antaeus::fuzz::require(pose.translation.allFinite() == !targets.position_problems.contains(t));
    const double off = (pose.rotation.transpose() * pose.rotation - antaeus::Matrix3::Identity()).cwiseAbs().maxCoeff();
    antaeus::fuzz::require((off < kOrthonormal) == !targets.rotation_problems.contains(t));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    check(antaeus::ik_targets_of(antaeus::parse_csv(text, "fuzz.csv"), "fuzz.csv"));
  } catch (const antaeus::Error&) {
  }
  try {
    check(antaeus::parse_ik_targets(std::vector<std::string>{text}));
  } catch (const antaeus::Error&) {
  }
  return 0;
}
