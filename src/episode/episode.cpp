#include "antaeus/episode/episode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"

namespace antaeus {

double Episode::sample_time() const {
  if (!has_time() || steps() < 2) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> gaps(static_cast<std::size_t>(steps() - 1));
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    gaps[i] = time[static_cast<Eigen::Index>(i) + 1] - time[static_cast<Eigen::Index>(i)];
  }
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

void Episode::observe(Eigen::Index step, Observation& observation) const {
  observation.time = time.size() > 0 ? time[step] : std::numeric_limits<double>::quiet_NaN();
  observation.q = q.row(step).transpose();
  observation.tau = tau.row(step).transpose();
  if (v.rows() > 0) {
    observation.v = v.row(step).transpose();
  } else {
    observation.v.resize(0);
  }
  observation.has_imu = has_imu();
  if (observation.has_imu) observation.imu_quaternion_xyzw = imu_quaternion.row(step).transpose();
}

Episode cut_episode(const Episode& episode, double from, double to, Eigen::Index& first_step) {
  if (!episode.has_time()) {
    throw EpisodeError(episode.name, "no time stamps to cut by", "leave --from and --to away");
  }
  const double* begin = episode.time.data();
  const double* end = begin + episode.steps();
  const double* first = from < 0 ? begin : std::lower_bound(begin, end, from);
  const double* last = to < 0 ? end : std::upper_bound(begin, end, to);
  if (first >= last) {
    throw EpisodeError(episode.name, "no step between " + shortest_text(from) + " s and " + shortest_text(to) + " s",
                       "the log runs from " + shortest_text(*begin) + " s to " + shortest_text(end[-1]) + " s");
  }
  first_step = first - begin;
  const Eigen::Index count = last - first;
  Episode part = episode;
  part.time = episode.time.segment(first_step, count);
  for (SampleMatrix Episode::* channel :
       {&Episode::q, &Episode::tau, &Episode::target, &Episode::v, &Episode::imu_quaternion}) {
    if ((episode.*channel).rows() > 0) part.*channel = (episode.*channel).middleRows(first_step, count);
  }
  part.invalid_steps.clear();
  for (const Eigen::Index step : episode.invalid_steps) {
    if (step >= first_step && step < first_step + count) part.invalid_steps.push_back(step - first_step);
  }
  return part;
}

void write_episode(const Episode& episode, const std::filesystem::path& folder) {
  FileSet files(folder);
  const auto add = [&](const char* name, const SampleMatrix& matrix) {
    if (matrix.rows() == 0) return;
    const auto rows = static_cast<std::size_t>(matrix.rows()), columns = static_cast<std::size_t>(matrix.cols());
    files.add(name, to_npy({rows, columns}, std::vector<double>(matrix.data(), matrix.data() + matrix.size())));
  };
  add("tau.npy", episode.tau);
  add("qpos.npy", episode.q);
  add("target_dof.npy", episode.target);
  add("dq.npy", episode.v);
  add("imu_quat_xyzw.npy", episode.imu_quaternion);
  if (episode.has_time()) {
    files.add("time.npy", to_npy({static_cast<std::size_t>(episode.time.size())},
                                 std::vector<double>(episode.time.data(), episode.time.data() + episode.time.size())));
  }
  files.commit();
}

}  // namespace antaeus
