#pragma once
/// The stretches of the H1-2's real runs in which nobody is known to have touched it (chosen by eye,
/// knowledge/noise_identification.md §3), and those after pushes.

#include <string>
#include <vector>

namespace antaeus::test {

inline const std::vector<std::string> kHumanoidWrists = {"left_wrist_yaw_link", "right_wrist_yaw_link"};
inline constexpr double kToTheEnd = 1e9;  ///< [s]

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

}  // namespace antaeus::test
