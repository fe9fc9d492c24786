/// \file
/// Arbitrary bytes as a profile whose [options] choose how a wrench is estimated: what is read estimates, and no number
/// of an estimate that is `ok` is none. (The identified noise of a profile: fuzz_noise.)

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/scratch_file.hpp"
#include "support/source_folder.hpp"

namespace {

using namespace antaeus;

Robot planar() { return load_robot((antaeus::test::source_folder() / "robots" / "planar_3r").string()); }

std::string profile(const std::string& options) {
  static const std::string model = planar().profile.model.string();
  return "schema = 1\nname = \"p\"\nmodel = \"" + model +
         "\"\nbase = \"fixed\"\nmotors = [\"joint_1\", \"joint_2\", \"joint_3\"]\n"
         "[[endpoints]]\nframe = \"tool\"\nkind = \"hand\"\n" +
         options;
}

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  return {profile(""),
          profile("[options.posterior]\nforce_prior = 30.0\nmoment_prior = 0\nrows = \"all\"\nreference = \"include\"\n"
                  "contact = \"force\"\nsign = \"on_environment\"\nfalse_alarm = 1e-9\nfalse_alarms_per_hour = 0\n"),
          profile("[options.residual]\nkind = \"static\"\ncut_off = 1e9\nmaximum_gap = 1e-9\ntorque_share = 0\n"
                  "[options.consumer_guard]\nforce_limit = 1e300\ndecay_time = 1e-300\nrise_dwell = 1e9\n"),
          profile("[options.input]\njump = 1e-9\ndead_time = 0\n[options.feasibility]\nk = 0\nfriction = 0\n"),
          profile("[options.residual]\nkind = \"momentum_observer\"\nobserver_rate = 1e9\n")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFile file("posterior.toml");
  static const std::filesystem::path own = planar().profile.model;
  try {
    const RobotProfile read = read_profile(file.write(data, size));
    if (read.model != own) return 0;  // an input may name any file: only the robot's own is read
    const Robot robot = make_robot(read);
    if (robot.profile.endpoints.empty()) return 0;
    GuardedEstimator estimator(robot, {robot.profile.endpoints.front().frame});
    const int n = robot.model.motor_count();
    Observation sample;
    for (int i = 0; i < 4; ++i) {
      sample.time = 0.002 * i;
      sample.q = VectorX::LinSpaced(n, 0.3, 0.9) + VectorX::Constant(n, 1e-4 * i);
      sample.v = VectorX::Constant(n, 0.05);
      sample.tau = VectorX::Constant(n, i == 2 ? kNaN : 1.0);
      fuzz::require(estimator.update(sample)[0].wrench.is_finite());
      const WrenchEstimate& estimate = estimator.estimates()[0];
      const bool numbers = estimate.wrench.is_finite() && estimate.uncertainty.covariance.allFinite();
      fuzz::require(estimate.status != Status::ok || numbers);
    }
    fuzz::accept();
  } catch (const Error&) {
  }
  return 0;
}
