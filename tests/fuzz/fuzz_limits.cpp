/// \file
/// Arbitrary text as the limits of `contact`: which set, then settings one a line as `--set` takes them. What is kept
/// is solved for a biped that stands: what it calls fine has numbers, and pushes.

#include <sstream>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "fuzz/fuzz_target.hpp"
#include "support/source_folder.hpp"

namespace {

using namespace antaeus;

const std::vector<std::string> kSoles = {"left_sole", "right_sole"};

/// Two frames on straight legs.
const ContactMotion& standing(const RobotModel& model) {
  static const ContactMotion motion = [&model] {
    ContactMotion still;
    still.name = "standing";
    still.q = model.neutral().transpose().replicate(2, 1);
    still.q.col(2).setConstant(0.82);
    still.dt = VectorX::Constant(1, 0.01);
    still.v = still.a = SampleMatrix::Zero(2, model.nv());
    return still;
  }();
  return motion;
}

}  // namespace

std::vector<std::string> antaeus::fuzz::seeds() {
  return {"none\n",
          "pyramid\ncontact.friction=0.6\ncontact.half_length=0.1\ncontact.half_width=0.05\n",
          "cone\ncontact.friction=0.4\ncontact.torsion=0.02\ncontact.force_cap=200\ncontact.torque_limits=false\n",
          "cone\ncontact.kind=point\ncontact.lever=1e-3\ncontact.least_torque=1e4\n",
          "pyramid\ncontact.friction=0\ncontact.force_cap=1e-9\n",
          "cone\ncontact.friction=1e9\ncontact.half_length=1e-12\ncontact.half_width=1e9\ncontact.residual_limit=0\n",
          "square\ncontact.friction=nan\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Robot robot = load_robot((antaeus::test::source_folder() / "tests/support/biped.urdf").string(),
                                        MeshPolicy::ignored, Base::free_flyer);
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  std::string line;
  Settings settings;
  ContactRequest request{.contacts = kSoles};
  try {
    std::getline(text, line);
    request.limits = parse_enum<LimitSet>(line, "--with-limits");
    while (std::getline(text, line)) settings.set(line);
    const auto options = settings.get<ContactOptions>();
    const ContactResult result = contact_inverse_dynamics(robot, standing(robot.model), request, options);
    fuzz::accept();
    for (Eigen::Index t = 0; t < 2; ++t) {
      const bool ok = result.solution.status[static_cast<std::size_t>(t)] == Status::ok;
      fuzz::require(!ok || result.solution.wrench.middleCols(2 * t, 2).allFinite());
    }
    fuzz::require(request.limits == LimitSet::none || result.surfaces.size() == kSoles.size());
    for (const ContactSurface& surface : result.surfaces) {
      fuzz::require(!(surface.friction < 0.0) && !(surface.torsion < 0.0) && !(surface.force_cap < 0.0));
    }
    if (request.limits == LimitSet::none || !result.fine()) return 0;
    // Rounding of a weight of some 100 N through an interior point that stops at 1e-7 N.
    constexpr double kPulls = 1e-3;
    for (Eigen::Index k = 0; k < result.solution.wrench.cols(); ++k) {
      fuzz::require(result.solution.wrench(2, k) >= -kPulls);
    }
  } catch (const Error& error) {
    const std::string_view told = error.what();
    fuzz::require(!told.empty() && told.find('\n') == std::string_view::npos);
  }
  return 0;
}
