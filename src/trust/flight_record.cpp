#include "antaeus/trust/flight_record.hpp"

#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "episode/channels.hpp"

namespace antaeus {

namespace {

/// Row i of the result is what `pick` finds in sample i; empty when it finds no number in any.
template <class Pick>
SampleMatrix rows_of(const FlightRecord& record, Eigen::Index columns, Pick&& pick) {
  SampleMatrix samples = SampleMatrix::Constant(record.samples.size(), columns, kNaN);
  bool any = false;
  for (int i = 0; i < record.samples.size(); ++i) {
    const VectorX row = pick(record.samples[i].observation);
    if (row.size() != columns) continue;
    samples.row(i) = row.transpose();
    any = any || !row.array().isNaN().all();
  }
  if (!any) samples.resize(0, 0);
  return samples;
}

/// Whether a loader would take these stamps.
bool advances(const VectorX& time, Eigen::Index& broken) {
  for (broken = 0; broken < time.size(); ++broken) {
    if (!std::isfinite(time[broken]) || (broken > 0 && time[broken] < time[broken - 1])) return false;
  }
  return true;
}

}  // namespace

Episode flight_record_episode(const FlightRecord& record, const Robot& robot) {
  if (record.endpoint < 0 || record.samples.empty()) {
    throw EpisodeError("flight record", "nothing was refused yet", "ask GuardedEstimator::refusals() first");
  }
  const Eigen::Index motors = robot.model.motor_count();
  if (record.samples.newest()->observation.q.size() != motors) {
    throw EpisodeError("flight record",
                       std::to_string(record.samples.newest()->observation.q.size()) + " motors, but " +
                           robot.profile.name + " has " + std::to_string(motors),
                       "give the robot that the estimator was made for");
  }
  Episode episode;
  episode.name = "flight_record";
  episode.q = rows_of(record, motors, [](const Observation& o) { return o.q; });
  episode.tau = rows_of(record, motors, [](const Observation& o) { return o.tau; });
  episode.v = rows_of(record, motors, [](const Observation& o) { return o.v; });
  episode.a = rows_of(record, motors, [](const Observation& o) { return o.a; });
  // Without a number they are still the channels that an episode cannot be without.
  for (SampleMatrix* needed : {&episode.q, &episode.tau}) {
    if (needed->rows() == 0) needed->setConstant(record.samples.size(), motors, kNaN);
  }
  const auto when = [](bool measured, const auto& values) { return measured ? VectorX(values) : VectorX(); };
  episode.imu_quaternion =
      rows_of(record, 4, [&](const Observation& o) { return when(o.has_imu, o.imu_quaternion_xyzw); });
  episode.imu_angular_velocity =
      rows_of(record, 3, [&](const Observation& o) { return when(o.has_gyro, o.imu_angular_velocity); });
  episode.imu_specific_force =
      rows_of(record, 3, [&](const Observation& o) { return when(o.has_accelerometer, o.imu_specific_force); });
  episode.time.resize(record.samples.size());
  for (int i = 0; i < record.samples.size(); ++i) episode.time[i] = record.samples[i].observation.time;

  episode.notes.push_back({NoteCode::refusal, "", {record.endpoint, record.time, record.reasons.text()}});
  Eigen::Index broken = 0;
  if (!advances(episode.time, broken)) {
    if (!episode.time.array().isNaN().all()) {
      episode.notes.push_back({NoteCode::stamps_left_out, "time", {episode.time[broken], broken}});
    }
    episode.time.setConstant(kNaN);
  }
  episode.missing.emplace_back("target_dof");
  if (episode.v.rows() == 0) episode.missing.emplace_back("dq");
  if (!episode.has_time()) episode.missing.emplace_back("time");
  if (!episode.has_imu()) episode.missing.emplace_back("imu_quaternion");
  find_invalid_steps(episode);
  name_channels(episode);
  return episode;
}

}  // namespace antaeus
