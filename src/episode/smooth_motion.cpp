#include "antaeus/episode/smooth_motion.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/signal/savitzky_golay.hpp"
#include "channels.hpp"

namespace antaeus {

namespace {

/// Odd number of samples nearest to the window.
int samples_in(double window, double sample_time) {
  constexpr double kMostSamples = 1e6;
  const double half = std::min((window / sample_time - 1.0) / 2.0, kMostSamples);
  return 2 * static_cast<int>(std::lround(half)) + 1;
}

}  // namespace

Episode smooth_motion(const Episode& episode, const SmoothMotionOptions& options) {
  if (!episode.has_time()) throw EpisodeError(episode.name, "no time stamps to differentiate by", "record time");
  if (!(options.window > 0.0) || !std::isfinite(options.window)) {
    throw OptionsError("window", "must be more than zero", "give seconds");
  }
  const double sample_time = episode.sample_time();
  if (!(sample_time > 0.0)) throw EpisodeError(episode.name, "its time stamps do not advance", "record time");
  const SavitzkyGolayOptions fit{.window = samples_in(options.window, sample_time), .order = options.order};
  // At the log's ends the window loses the samples of one side.
  if (options.order < 1 || fit.window < 2 * options.order + 1) {
    throw OptionsError("window",
                       shortest_text(options.window) + " s hold " + std::to_string(fit.window) +
                           " samples, for order " + std::to_string(options.order),
                       "give an order of at least 1, and a window of 2 · order + 1 samples");
  }
  Episode smooth = episode;
  const auto smoothed = [&](const SampleMatrix& samples) { return savitzky_golay(episode.time, samples, fit); };
  const SmoothedLog q = smoothed(episode.q);
  smooth.q = q.value;
  smooth.tau = smoothed(episode.tau).value;
  if (episode.v.rows() > 0) {
    const SmoothedLog v = smoothed(episode.v);
    smooth.v = v.value;
    smooth.a = v.first;
  } else {
    smooth.v = q.first;
    smooth.a = q.second;
  }
  for (SampleMatrix Episode::* channel : {&Episode::imu_angular_velocity, &Episode::imu_specific_force}) {
    if ((episode.*channel).rows() > 0) smooth.*channel = smoothed(episode.*channel).value;
  }
  // A sample that was no number stays none: a polynomial's guess would pass for a measurement.
  for (SampleMatrix Episode::* channel :
       {&Episode::q, &Episode::tau, &Episode::v, &Episode::imu_angular_velocity, &Episode::imu_specific_force}) {
    const SampleMatrix& measured = episode.*channel;
    if (measured.rows() == 0) continue;
    smooth.*channel = measured.array().isFinite().select((smooth.*channel).array(), measured.array());
  }
  find_invalid_steps(smooth);
  name_channels(smooth);
  smooth.missing.erase(std::remove(smooth.missing.begin(), smooth.missing.end(), "dq"), smooth.missing.end());
  smooth.notes.push_back({NoteCode::smoothed,
                          "",
                          {fit.order, fit.window, episode.v.rows() > 0 ? "smoothed" : "from positions",
                           episode.v.rows() > 0 ? "velocities" : "positions",
                           std::string("q, tau") + (episode.imu_angular_velocity.rows() > 0 ? ", gyro" : "") +
                               (episode.imu_specific_force.rows() > 0 ? ", accelerometer" : "")}});
  return smooth;
}

const OptionTable& options_of(const SmoothMotionOptions&) {
  using O = SmoothMotionOptions;
  static const OptionTable table(
      "", {
              option("window", "s", "length of log that one polynomial is fitted to",
                     "seven samples at 50 Hz, the fewest with which a cubic reaches the log's ends; 0.1 s at 500 Hz",
                     &O::window, kPositive),
              option("order", "1", "degree of that polynomial", "Savitzky & Golay 1964", &O::order, at_least(1)),
          });
  return table;
}

}  // namespace antaeus
