#include "studies/space_flight.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/sim/mujoco_flyer.hpp"

namespace antaeus {
namespace {

SpaceRequest alone(const std::vector<std::string>& settings = {}) {
  SpaceRequest request;
  request.settings.set("experiment.comparisons=false");
  for (const std::string& setting : settings) request.settings.set(space_assignment(setting));
  return request;
}

std::string missed(const ExperimentResult& result) { return verdict_text(result); }

// Names that every scenario's summary has: docs/concepts/space.md#flights.
const std::vector<std::string> kPromised = {"base_force_max", "com_error",      "base_error", "position_error",
                                            "rotation_error", "momentum_drift", "sigma_min",  "tier_share"};

TEST(SpaceFlight, EveryScenarioMeetsItsCriteriaInBothPlants) {
  for (const std::string& name : space_scenario_names()) {
    for (const FlightPlant plant : {FlightPlant::pinocchio, FlightPlant::mujoco}) {
      SpaceRequest request = alone();
      request.plant = plant;
      const ExperimentResult result = run_space_scenario(name, request);
      EXPECT_TRUE(result.is_met()) << name << " in " << to_string(plant) << ": " << missed(result);
      for (const std::string& metric : kPromised) EXPECT_TRUE(std::isfinite(result.metric(metric).value)) << metric;
      EXPECT_GT(result.samples.rows(), 100u);
      EXPECT_EQ(result.verb, "space");
    }
  }
}

TEST(SpaceFlight, BothPlantsFlyTheSame) {
  SpaceRequest request = alone();
  const ExperimentResult ours = run_space_scenario("tumble", request);
  request.plant = FlightPlant::mujoco;
  const ExperimentResult mujoco = run_space_scenario("tumble", request);
  // 5 %, for two integrators: largest errors of a closed loop that starts far off.
  for (const char* name : {"position_error_max", "rotation_error_max", "com_error_max", "base_error_max"}) {
    const double here = ours.metric(name).value, there = mujoco.metric(name).value;
    EXPECT_GT(here, 1e-3) << name;
    EXPECT_NEAR(there / here, 1.0, 0.05) << name;
  }
}

TEST(SpaceFlight, IsRepeatedToTheLastDigitAndDiffersBySeed) {
  SpaceRequest request = alone({"space.duration=3"});
  const auto place = [&] { return run_space_scenario("tracking", request).metric("position_error_max").value; };
  const double first = place();
  EXPECT_EQ(first, place());
  request.seed = 2;
  EXPECT_NE(first, place());
}

TEST(SpaceFlight, MomentumTellsAForceThatIsNotTheOneGiven) {
  // The audit must be able to fail: at 50 Hz the integrator's error is far above what it is at 1 kHz.
  const double fine = run_space_scenario("tumble", alone()).metric("momentum_drift").value;
  const double coarse = run_space_scenario("tumble", alone({"space.rate=50"})).metric("momentum_drift").value;
  EXPECT_LT(fine, 1e-8);
  EXPECT_GT(coarse, 100.0 * fine);
}

TEST(SpaceFlight, PerturbedPlantStartsOffAndComesBack) {
  const ExperimentResult result = run_space_scenario("pose-change", alone({"q0_eps=0.02"}));
  EXPECT_GT(result.metric("position_error_max").value, 1e-3);
  EXPECT_LT(result.metric("position_error").value, 1e-4);
  EXPECT_FALSE(result.metric("base_force_max").has_criterion());
}

TEST(SpaceFlight, WheelsWithoutTorqueAreTold) {
  const ExperimentResult result = run_space_scenario("pose-change", alone({"actuators.wheel_torque=0.01"}));
  EXPECT_GT(result.metric("limited_share").value, 0.5);
  EXPECT_FALSE(result.is_met());
  EXPECT_LE(result.metric("base_torque_max").value, 0.01 * std::sqrt(3.0) + 1e-12);
}

TEST(SpaceFlight, NamesOfOptionsComeInTheSourcesWaysToo) {
  EXPECT_EQ(space_assignment("q0_eps=0.1"), "space.q0_eps=0.1");
  EXPECT_EQ(space_assignment("space.q0_eps=0.1"), "space.q0_eps=0.1");
  EXPECT_EQ(space_assignment("space.j_plus.hard_floor=0.1"), "j_plus.hard_floor=0.1");
  EXPECT_EQ(space_assignment("gamma.low=0.02"), "gamma.low=0.02");
  for (const char* knob : {"j_plus.hard_floor=0.004", "j_plus.soft_floor=0.03", "j_plus.damping=1e-3",
                           "j_plus.inv_norm_max=500", "null_space.freeze_floor=0.01", "det.target_sigma=0.06",
                           "q0_eps=0.01", "gamma.low=0.02", "gamma.high=0.06", "gamma.floor=0.3"}) {
    Settings settings;
    EXPECT_NO_THROW(settings.set(space_assignment(knob))) << knob;
  }
}

TEST(SpaceFlight, TakesAModelOutOfMjcf) {
  const Robot robot = load_robot("spacecraft_ur3", MeshPolicy::ignored);
  const ScratchFolder folder(std::filesystem::temp_directory_path());
  const std::filesystem::path file = folder.path() / "craft.xml";
  write_file(file, mjcf_of(robot.model).text);
  SpaceRequest request = alone({"space.duration=4"});
  request.robot = file.string();
  request.frame = "ee_link";
  const double from_mjcf = run_space_scenario("pose-change", request).metric("sigma_min").value;
  EXPECT_GT(from_mjcf, 0.01);
}

TEST(SpaceFlight, ReadsTheProfileAndThenTheCaller) {
  const ScratchFolder folder(std::filesystem::temp_directory_path());
  const Robot robot = load_robot("spacecraft_ur3", MeshPolicy::ignored);
  const std::filesystem::path file = folder.path() / "profile.toml";
  write_file(file, "schema = 1\nname = \"craft\"\ntitle = \"Craft\"\nmodel = \"" + robot.model.description().source +
                       "\"\nbase = \"free_flyer\"\nmotors = [\"shoulder_pan_joint\", \"shoulder_lift_joint\", "
                       "\"elbow_joint\", \"wrist_1_joint\", \"wrist_2_joint\", "
                       "\"wrist_3_joint\"]\n[options]\nflying.com_rate = 0.3\nflying.base_rate = 0.4\n");
  SpaceRequest request = alone({"space.duration=0.1", "flying.base_rate=0.5"});
  request.robot = file.string();
  const ExperimentResult result = run_space_scenario("tracking", request);
  const auto value = [&](const std::string& name) {
    for (const OptionValue& option : result.settings) {
      if (option.group + "." + option.info.name == name) return option.value;
    }
    return std::string();
  };
  EXPECT_EQ(value("flying.com_rate"), "0.3");
  EXPECT_EQ(value("flying.base_rate"), "0.5");
}

std::string refusal(const std::string& name, const SpaceRequest& request) {
  try {
    run_space_scenario(name, request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Everything at once is what its parts are one by one; where that is worse the result says so.
TEST(SpaceFlight, PublishedSchemeIsItsPartsAndSaysWhatItCosts) {
  const std::string published = "space.compatibility=published";
  const ExperimentResult at_once = run_space_scenario("singular", alone({published}));
  const ExperimentResult by_parts = run_space_scenario(
      "singular",
      alone({"flying.law=tracker", "j_plus.exit_step=0", "null_space.exit_step=0", "null_space.freeze=all"}));
  EXPECT_GT(at_once.metric("inverse_step").value, 30.0) << "a hold is let go at once";
  EXPECT_EQ(at_once.metric("inverse_step").value > 30.0, by_parts.metric("inverse_step").value > 30.0);
  EXPECT_NE(at_once.metric("torque_step").value, by_parts.metric("torque_step").value) << "and Ĉ is the published one";
  EXPECT_FALSE(at_once.is_met());
  const auto told = [](const ExperimentResult& result, const char* words) {
    for (const std::string& remark : result.remarks) {
      if (remark.find(words) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(told(at_once, "What this does worse than the defaults"));
  EXPECT_FALSE(told(by_parts, "What this does worse"));
  EXPECT_TRUE(told(run_space_scenario("tracking", alone({published, "flying.law=regulator", "space.duration=2"})),
                   "law regulator"));
  // Away from singular poses six joints fly the same: Γ⁻¹ is exact, and both forms of Ĉ are one.
  const double ours = run_space_scenario("tracking", alone({"flying.law=tracker"})).metric("position_error_max").value;
  const ExperimentResult same = run_space_scenario("tracking", alone({published}));
  EXPECT_NEAR(same.metric("position_error_max").value / ours, 1.0, 1e-3);  // of an error that is the cycle's, 1e-6 m
  EXPECT_TRUE(same.is_met()) << missed(same);
}

TEST(SpaceFlight, ComparesThePublishedSchemeWithOurOwnLaws) {
  SpaceRequest request = alone({"space.compatibility=published", "space.duration=2", "space.rate=200"});
  request.settings.set("experiment.comparisons=true");
  const ExperimentResult result = run_space_scenario("tracking", request);
  ASSERT_EQ(result.comparisons.size(), 1u);
  std::vector<std::string> names;
  for (const Variant& variant : result.comparisons[0].variants) names.push_back(variant.name);
  EXPECT_EQ(names, (std::vector<std::string>{"tracker as published, pinocchio", "carried", "tracker", "regulator",
                                             "tracker as published, mujoco"}));
}

TEST(SpaceFlight, RefusesInOneLineWhatItCannotFly) {
  SpaceRequest six = alone();
  six.robot = "spacecraft_ur3";
  EXPECT_NE(refusal("posture", six).find("seven joints"), std::string::npos);
  EXPECT_NE(refusal("pose-chang", six).find("pose-change"), std::string::npos);
  SpaceRequest planar = alone();
  planar.robot = "planar_3r";
  EXPECT_NE(refusal("tumble", planar).find("6 or 7"), std::string::npos);
  SpaceRequest arm = alone();
  arm.robot = "ur5e";  // its base has no mass
  EXPECT_NE(refusal("tumble", arm).find("no mass"), std::string::npos);
  SpaceRequest frame = alone();
  frame.frame = "ee_lnk";
  EXPECT_NE(refusal("tumble", frame).find("ee_link"), std::string::npos);
  EXPECT_NE(refusal("tumble", alone({"j_plus.hard_floor=0.05"})).find("floors"), std::string::npos);
  EXPECT_NE(refusal("tumble", alone({"space.duration=3"})).find("5 s"), std::string::npos);
  for (const char* beside :
       {"flying.law=carried", "j_plus.exit_step=0.5", "null_space.freeze=direction", "flying.pull=1"}) {
    EXPECT_NE(refusal("tumble", alone({"space.compatibility=published", beside})).find("space.compatibility=published"),
              std::string::npos)
        << beside;
  }
  EXPECT_NE(refusal("inspection", alone({"space.circle=3.5"})).find("3.1"), std::string::npos);
}

}  // namespace
}  // namespace antaeus
