#include "log_notes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "channels.hpp"
#include "robot/quaternion_slack.hpp"

namespace antaeus {

namespace {

struct HoleWords {
  SampleMatrix Episode::* samples;
  const char* name;
  const char* consequence;
};
constexpr std::array kMayHaveHoles = {
    HoleWords{&Episode::v, "dq", "a stage that uses it refuses them"},
    HoleWords{&Episode::a, "ddq", "a stage that uses it refuses them"},
    HoleWords{&Episode::imu_angular_velocity, "imu_gyro", "read as not measured there"},
    HoleWords{&Episode::imu_specific_force, "imu_acc", "read as not measured there"}};

/// A channel by which a joint is read, with its name in a sentence.
struct ReadingWords {
  SampleMatrix Episode::* samples;
  const char* name;
};
constexpr std::array kReadings = {ReadingWords{&Episode::tau, "torque"}, ReadingWords{&Episode::q, "position"},
                                  ReadingWords{&Episode::v, "velocity"}};

double rounded(double value) { return std::round(value * 100.0) / 100.0; }

}  // namespace

LogNotes::LogNotes(const Robot& robot, std::string clock, std::string accelerometer)
    : robot_(robot),
      clock_(std::move(clock)),
      accelerometer_(std::move(accelerometer)),
      holes_(kMayHaveHoles.size()),
      unread_(kReadings.size(), std::vector<Eigen::Index>(robot.model.motor_names().size(), 0)),
      checks_(robot, robot.profile.settings.get<InputCheckOptions>()) {}

void LogNotes::take(const Episode& block) {
  if (!clock_.empty()) take_time(block.time);
  take_accelerometer(block);
  take_holes(block);
  take_readings(block);
  take_findings(block);
  for (const Eigen::Index step : block.invalid_steps) invalid_.push_back(done_ + step);
  done_ += block.steps();
}

void LogNotes::take_time(const VectorX& time) {
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    const auto row = [&] { return clock_ + " row " + std::to_string(done_ + i); };
    if (!std::isfinite(time[i])) throw EpisodeError(row(), "the time stamp is not finite", "correct or remove the row");
    if (time[i] < last_time_) {
      throw EpisodeError(row(),
                         "time goes back from " + shortest_text(last_time_) + " s to " + shortest_text(time[i]) + " s",
                         "sort the log, or cut it at the restart");
    }
    if (time[i] == last_time_) ++repeated_;
    last_time_ = time[i];
  }
}

void LogNotes::take_holes(const Episode& block) {
  for (std::size_t k = 0; k < holes_.size(); ++k) {
    const SampleMatrix& samples = block.*kMayHaveHoles[k].samples;
    for (Eigen::Index i = 0; i < samples.rows(); ++i) {
      if (samples.row(i).allFinite()) continue;
      if (holes_[k].steps++ == 0) holes_[k].first = done_ + i;
    }
  }
}

void LogNotes::take_readings(const Episode& block) {
  for (std::size_t k = 0; k < kReadings.size(); ++k) {
    const SampleMatrix& samples = block.*kReadings[k].samples;
    for (Eigen::Index i = 0; i < samples.rows(); ++i) {
      for (Eigen::Index m = 0; m < std::min(samples.cols(), std::ssize(unread_[k])); ++m) {
        if (!is_sample(samples(i, m))) ++unread_[k][static_cast<std::size_t>(m)];
      }
    }
  }
  for (Eigen::Index i = 0; i < block.imu_quaternion.rows(); ++i) {
    if (!(std::abs(block.imu_quaternion.row(i).norm() - 1.0) <= kQuaternionSlack)) ++unturned_;
  }
}

std::vector<std::string> LogNotes::silent() const {
  const auto of_steps = [&](Eigen::Index count) {
    return std::to_string(count) + " of " + std::to_string(done_) + " steps";
  };
  std::vector<std::pair<Eigen::Index, std::string>> all;
  for (std::size_t k = 0; k < kReadings.size(); ++k) {
    for (std::size_t m = 0; m < unread_[k].size(); ++m) {
      const Eigen::Index count = unread_[k][m];
      if (!is_silent(count, done_)) continue;
      all.emplace_back(count, printable(robot_.model.motor_names()[m]) + " has no valid " + kReadings[k].name + " in " +
                                  of_steps(count));
    }
  }
  if (is_silent(unturned_, done_))
    all.emplace_back(unturned_, "the IMU has no unit quaternion in " + of_steps(unturned_));
  std::ranges::stable_sort(all, std::greater{}, [](const auto& one) { return one.first; });
  std::vector<std::string> sentences;
  for (auto& [count, sentence] : all) sentences.push_back(std::move(sentence));
  return sentences;
}

/// What the accelerometer says at rest most of the time is gravity.
void LogNotes::take_accelerometer(const Episode& block) {
  const SampleMatrix& measured = block.imu_specific_force;
  constexpr std::size_t kMostNorms = 1'000'000;
  const Vector3 gravity = robot_.model.gravity();
  for (Eigen::Index i = 0; i < measured.rows(); ++i) {
    const Vector3 f = measured.row(i).transpose();
    if (!f.allFinite()) continue;
    if (norms_seen_++ % every_ == 0) norms_.push_back(f.norm());
    if (norms_.size() > kMostNorms) {
      for (std::size_t k = 0; 2 * k < norms_.size(); ++k) norms_[k] = norms_[2 * k];
      norms_.resize((norms_.size() + 1) / 2);
      every_ *= 2;
    }
    if (!block.has_imu()) continue;
    const double angle = angle_from_up(block.imu_quaternion.row(i).transpose(), f, gravity);
    if (!std::isfinite(angle)) continue;
    cosine_ += std::cos(angle);
    ++compared_;
  }
}

/// What the loop would refuse or degrade, sample by sample.
void LogNotes::take_findings(const Episode& block) {
  for (Eigen::Index i = 0; i < block.steps(); ++i) {
    block.observe(i, observation_);
    const InputFindings& findings = checks_.inspect(observation_);
    Reasons reasons = findings.reasons;
    for (const Reasons& motor : findings.motors) reasons.add(motor);
    for (unsigned bit = 0; reasons.bits() >> bit != 0; ++bit) {
      const auto reason = static_cast<Reason>(bit);
      if (!reasons.has(reason)) continue;
      Found& found = findings_[reason];
      if (found.steps++ == 0) found = {1, done_ + i, findings.motor_with(reason)};
    }
  }
}

void LogNotes::finish(Episode& log, const std::optional<Note>& how_read) {
  if (repeated_ > 0) log.notes.push_back({NoteCode::repeated_stamps, "", {repeated_}});
  if (how_read) log.notes.push_back(*how_read);
  check_accelerometer(log);
  if (log.simulated && robot_.profile.noise && !robot_.profile.noise->simulated) {
    log.notes.emplace_back(NoteCode::simulated);
  }
  for (std::size_t k = 0; k < holes_.size(); ++k) {
    if (holes_[k].steps == 0) continue;
    log.notes.push_back({NoteCode::not_finite,
                         kMayHaveHoles[k].name,
                         {holes_[k].steps, holes_[k].first, kMayHaveHoles[k].consequence}});
  }
  for (const auto& [reason, found] : findings_) {
    if (accelerometer_noted_.has(reason)) continue;  // noted of the whole log
    const std::string motor = found.motor < 0 ? "" : robot_.model.motor_names()[static_cast<std::size_t>(found.motor)];
    log.notes.push_back({reason == Reason::position_slip ? NoteCode::loop_degrades : NoteCode::loop_refuses,
                         std::string(to_string(reason)),
                         {found.steps, found.first, motor}});
  }
  log.invalid_steps = invalid_;
  log.silent = silent();
  if (invalid_.empty()) return;
  std::string first;
  if (!log.silent.empty()) first = log.silent.front();
  if (log.silent.size() > 1) first += " (and " + std::to_string(log.silent.size() - 1) + " more such channels)";
  log.notes.push_back({NoteCode::invalid_steps, std::move(first), {invalid_.size(), invalid_.front()}});
}

/// Silent where the model has no gravity.
void LogNotes::check_accelerometer(Episode& log) {
  constexpr double kLeastGravity = 2.0;  // below, an accelerometer in g could not be told from one that is right
  const Vector3 gravity = robot_.model.gravity();
  if (norms_.empty() || gravity.norm() < kLeastGravity) return;
  const auto middle = norms_.begin() + static_cast<std::ptrdiff_t>(norms_.size() / 2);
  std::nth_element(norms_.begin(), middle, norms_.end());
  constexpr double kInG[] = {0.8, 1.2};
  if (*middle > kInG[0] && *middle < kInG[1]) {
    throw EpisodeError(accelerometer_, "median norm " + shortest_text(rounded(*middle)) + ": it is in g",
                       "multiply by 9.81: specific force in m/s²");
  }
  constexpr double kPlausible[] = {0.5, 2.0};
  const double share = *middle / gravity.norm();
  if (share < kPlausible[0] || share > kPlausible[1]) {
    accelerometer_noted_.add(Reason::accelerometer_scale);
    log.notes.push_back({NoteCode::accelerometer_norm, "imu_acc", {rounded(*middle), rounded(gravity.norm())}});
  }
  constexpr double kLeastCosine = 0.5;  // 60°: neither tilt nor motion does that on average
  if (compared_ == 0 || cosine_ / static_cast<double>(compared_) > kLeastCosine) return;
  accelerometer_noted_.add(Reason::orientation_contradicts);
  constexpr double kDegrees = 57.29577951308232;
  const double angle = std::acos(std::clamp(cosine_ / static_cast<double>(compared_), -1.0, 1.0)) * kDegrees;
  log.notes.push_back({NoteCode::accelerometer_axes, "imu_acc", {std::lround(angle)}});
}

}  // namespace antaeus
