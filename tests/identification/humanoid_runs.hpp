#pragma once
/// The stretches of the H1-2's real runs in which nobody is known to have touched it (chosen by eye,
/// docs/validation.md#identified-noise), and those after pushes.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "antaeus/identification/held/held_pose.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "robot/test_robots.hpp"
#include "support/shared.hpp"

namespace antaeus::test {

inline constexpr double kToTheEnd = 1e9;  ///< [s]
inline constexpr double kWithin95 = 1.959963984540054;

struct RunSpan {
  std::string run;
  double from, to;  ///< [s] from the run's first sample
};
inline const std::vector<RunSpan> kContactFree = {{"re1_real_encode", 0.0, 14.0},
                                                  {"re2_real_encode", 0.0, 9.5},
                                                  {"re1_real_no_encode", 0.0, 10.2},
                                                  {"re3_real_no_encode_tr1", 0.0, kToTheEnd},
                                                  {"re3_real_no_encode_tr2", 0.0, kToTheEnd}};
inline const std::vector<RunSpan> kAfterPushes = {
    {"re1_real_encode", 28.5, 34.5}, {"re1_real_encode", 46.0, kToTheEnd}, {"re2_real_encode", 21.0, kToTheEnd}};

/// The robot with its assumed noise, its runs, and what is identified on all of them but one.
class RecordedRuns {
 public:
  RecordedRuns() {
    if (!are_available()) return;
    for (const auto* spans : {&kContactFree, &kAfterPushes}) {
      for (const RunSpan& span : *spans) {
        stretches_.push_back(read_held_stretch(robot_, kWrists, episode(span.run), span.from, span.to));
      }
    }
  }
  bool are_available() const {
    return std::filesystem::exists(shared_folder() / "episodes/re3_real_no_encode_tr2/tau.npy");
  }
  const Episode& episode(const std::string& name) {
    const auto found = episodes_.find(name);
    if (found != episodes_.end()) return found->second;
    return episodes_.emplace(name, load_episode(shared_folder() / "episodes" / name, robot_)).first->second;
  }
  HeldPoseNoise noise_without(const std::string& run, const HeldPoseOptions& options = {}) const {
    std::vector<HeldStretch> others;
    std::ranges::copy_if(stretches_, std::back_inserter(others), [&](const auto& s) { return s.run != run; });
    return fit_held_pose(robot_, kWrists, others, options);
  }
  const Robot& robot_without(const std::string& run) {
    const auto found = identified_.find(run);
    if (found != identified_.end()) return found->second;
    Robot robot = robot_;
    robot.profile.noise = std::make_shared<const NoiseModel>(noise_model(robot.model, noise_without(run)));
    return identified_.emplace(run, std::move(robot)).first->second;
  }

 protected:
  Robot robot_ = own_robot("h1_2");
  std::map<std::string, Episode> episodes_;
  std::map<std::string, Robot> identified_;  ///< by the run that is left out
  std::vector<HeldStretch> stretches_;
};

class HumanoidRuns : public testing::Test, protected RecordedRuns {
 protected:
  void SetUp() override { ANTAEUS_REQUIRE_SHARED("episodes/re3_real_no_encode_tr2/tau.npy"); }
};

}  // namespace antaeus::test
