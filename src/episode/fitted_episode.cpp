// A log with channels of other names, as an episode of a robot.
#include <algorithm>

#include "antaeus/core/error.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "channels.hpp"
#include "fitted_log.hpp"

namespace antaeus {

Episode fitted_episode(const RawLog& log, const Robot& robot) {
  const detail::FittedLog fitted(log, &robot);
  const int motors = robot.model.motor_count();
  const auto refuse = [&log](const std::string& problem, const std::string& remedy) {
    throw EpisodeError(log.name, problem, remedy);
  };
  if (!fitted.fits) {
    refuse("it has " + std::to_string(fitted.joints.size()) + " joints, and the " + robot.profile.name + " has " +
               std::to_string(motors) + " motors",
           "give a log of this robot");
  }
  std::vector<int> column(static_cast<std::size_t>(motors), -1);
  for (std::size_t j = 0; j < fitted.motors.size(); ++j) {
    if (fitted.motors[j] >= 0) column[static_cast<std::size_t>(fitted.motors[j])] = static_cast<int>(j);
  }
  for (int motor = 0; motor < motors; ++motor) {
    if (column[static_cast<std::size_t>(motor)] < 0) {
      refuse("it has no column of " + robot.model.motor_names()[static_cast<std::size_t>(motor)],
             "log every motor of the robot");
    }
  }
  Episode episode;
  episode.name = log.name;
  episode.notes = log.notes;
  const auto take = [&](ChannelRole role, SampleMatrix& samples) {
    const RawChannel* channel = fitted.channel(role);
    if (!channel) return;
    samples = channel->values(Eigen::all, column);
    episode.notes.push_back(detail::role_in_words(role) + " are read from " + printable(channel->source));
  };
  take(ChannelRole::torque, episode.tau);
  take(ChannelRole::position, episode.q);
  take(ChannelRole::velocity, episode.v);
  if (episode.tau.rows() == 0) refuse("it has no torques", "log a torque, effort or current of each motor");
  if (episode.q.rows() == 0) refuse("it has no positions", "log the position of each motor");
  if (!log.has_time()) refuse("it has no usable clock", "log time stamps in seconds");
  episode.time = log.time;
  name_channels(episode);
  episode.sha256 = log.sha256;
  find_invalid_steps(episode);
  return episode;
}

Episode load_any_episode(const std::filesystem::path& path, const Robot& robot, EpisodeOptions options) {
  options.require_target = false;
  try {
    return load_episode(path, robot, options);
  } catch (const EpisodeError&) {
    // Torques under the name that load_episode knows: what it says of them holds.
    RawLog log;
    try {
      log = load_raw_log(path);
    } catch (const Error&) {
    }
    const bool known = std::ranges::any_of(log.channels, [](const RawChannel& c) { return c.name == "tau"; });
    const bool torques =
        std::ranges::any_of(log.channels, [](const RawChannel& c) { return c.role == ChannelRole::torque; });
    if (known || !torques) throw;
    return fitted_episode(log, robot);
  }
}

}  // namespace antaeus
