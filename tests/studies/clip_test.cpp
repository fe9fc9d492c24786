#include "studies/clip.hpp"

#include <gtest/gtest.h>

#include "antaeus/core/error.hpp"
#include "studies/arm_rig.hpp"
#include "support/shared.hpp"

namespace antaeus {
namespace {

Settings small_clip() {
  Settings settings;
  for (const char* const option : {"clip.width=64", "clip.height=48", "clip.frames=4"}) settings.set(option);
  return settings;
}

/// 0.9 s in which the arm turns about its first joint, with a force at the tool.
ExperimentResult turning_arm() {
  const ArmRig rig = make_rig({}, {}, 1);
  ExperimentResult result;
  result.name = "turn";
  std::vector<SampleLog::Head> heads = {{"time", "s", ""}};
  for (const std::string& joint : rig.plant.motor_joints()) {
    heads.push_back({"q_" + joint, "rad", ""});
    result.replay.joints.push_back(joint);
    result.replay.columns.push_back("q_" + joint);
  }
  for (const char* const axis : {"x", "y", "z"}) {
    heads.push_back({std::string("force_") + axis, "N", ""});
    heads.push_back({std::string("place_") + axis, "m", ""});
    result.replay.force.push_back(std::string("force_") + axis);
    result.replay.place.push_back(std::string("place_") + axis);
  }
  SampleLog log(heads);
  for (int i = 0; i < 10; ++i) {
    std::vector<double> row = {0.1 * i};
    row.insert(row.end(), rig.home.begin(), rig.home.end());
    row[1] += 0.1 * i;
    row.insert(row.end(), {0.0, -0.134, 0.0, 0.492, 5.0, 0.29});
    log.add(row);
  }
  result.samples = log.table();
  result.replay.description = rig.real.description();
  result.replay.has_table = true;
  result.replay.X_WT = rig.X_WT;
  return result;
}

TEST(Clip, IsAnMp4ThatSaysHowFastItIs) {
  try {
    check_clip(small_clip().get<ClipChoice>());
  } catch (const Error& error) {
    ANTAEUS_SKIP(error.what(), "apt-get install libegl1 libgl1-mesa-dri ffmpeg");
  }
  double last = 0.0;
  const Clip clip = experiment_clip(turning_arm(), small_clip(), [&](double share) { last = share; });
  EXPECT_EQ(clip.mp4.substr(4, 4), "ftyp");
  EXPECT_EQ(clip.of_the_run, "4 pictures, 10 a second, 3 times as fast as the run");
  EXPECT_EQ(last, 1.0);
  ExperimentResult nothing = turning_arm();
  nothing.replay.joints.clear();
  EXPECT_THROW(experiment_clip(nothing, small_clip()), Error);
}

TEST(Clip, OddSidesAreRefused) {
  EXPECT_THROW(check_clip({.width = 63}), OptionsError);
  EXPECT_THROW(check_clip({.frames = 1}), OptionsError);
}

}  // namespace
}  // namespace antaeus
