#include "antaeus/episode/episode.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/episode/episode_arrays.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "channels.hpp"

namespace antaeus {

namespace {

/// Fills what was filled before without allocating; what was not recorded becomes empty.
void observe_motors(const SampleMatrix& samples, Eigen::Index step, VectorX& observed) {
  if (samples.rows() > 0) {
    observed = samples.row(step).transpose();
  } else {
    observed.resize(0);
  }
}

/// \return whether there is a finite sample
bool observe_imu(const SampleMatrix& samples, Eigen::Index step, Vector3& observed) {
  if (samples.rows() == 0 || !samples.row(step).allFinite()) return false;
  observed = samples.row(step).transpose();
  return true;
}

std::string npy(const SampleMatrix& matrix) {
  return to_npy({static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())},
                std::vector<double>(matrix.data(), matrix.data() + matrix.size()));
}

std::string npy(const VectorX& time) {
  return to_npy({static_cast<std::size_t>(time.size())}, std::vector<double>(time.data(), time.data() + time.size()));
}

}  // namespace

double Episode::sample_time() const {
  if (!has_time() || steps() < 2) return kNaN;
  std::vector<double> gaps(static_cast<std::size_t>(steps() - 1));
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    gaps[i] = time[static_cast<Eigen::Index>(i) + 1] - time[i];
  }
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

void Episode::observe(Eigen::Index step, Observation& observation) const {
  observation.time = time.size() > 0 ? time[step] : kNaN;
  observe_motors(q, step, observation.q);
  observe_motors(tau, step, observation.tau);
  observe_motors(v, step, observation.v);
  observe_motors(a, step, observation.a);
  observation.has_imu = has_imu();
  if (observation.has_imu) observation.imu_quaternion_xyzw = imu_quaternion.row(step).transpose();
  observation.has_gyro = observe_imu(imu_angular_velocity, step, observation.imu_angular_velocity);
  observation.has_accelerometer = observe_imu(imu_specific_force, step, observation.imu_specific_force);
  observation.simulated = simulated;
}

EpisodeError no_step_between(const std::string& name, double from, double to, double begin, double end) {
  const std::string asked = to < 0     ? "from " + shortest_text(from) + " s on"
                            : from < 0 ? "up to " + shortest_text(to) + " s"
                                       : "between " + shortest_text(from) + " s and " + shortest_text(to) + " s";
  return EpisodeError(name, "no step " + asked,
                      "the log runs from " + shortest_text(begin) + " s to " + shortest_text(end) + " s");
}

Episode cut_episode(const Episode& episode, double from, double to, Eigen::Index& first_step) {
  if (!episode.has_time()) {
    throw EpisodeError(episode.name, "no time stamps to cut by",
                       "leave " + arg(Input::from) + " and " + arg(Input::to) + " away");
  }
  const double* begin = episode.time.data();
  const double* end = begin + episode.steps();
  const double* first = from < 0 ? begin : std::lower_bound(begin, end, from);
  const double* last = to < 0 ? end : std::upper_bound(begin, end, to);
  if (first >= last) throw no_step_between(episode.name, from, to, *begin, end[-1]);
  first_step = first - begin;
  return cut_steps(episode, first_step, last - first);
}

Episode without_samples(const Episode& episode) {
  Episode bare;
  bare.name = episode.name;
  bare.sha256 = episode.sha256;
  bare.channels = episode.channels;
  bare.missing = episode.missing;
  bare.notes = episode.notes;
  bare.guesses = episode.guesses;
  bare.simulated = episode.simulated;
  bare.torque_unit = episode.torque_unit;
  bare.silent = episode.silent;
  return bare;
}

Episode cut_steps(const Episode& episode, Eigen::Index first, Eigen::Index count) {
  if (first < 0 || count < 1 || first + count > episode.steps()) {
    throw EpisodeError(episode.name, "no steps there", "it has " + std::to_string(episode.steps()));
  }
  Episode part = without_samples(episode);
  if (episode.time.size() > 0) part.time = episode.time.segment(first, count);
  for_each_channel([&](const NamedChannel& channel) {
    const SampleMatrix& whole = episode.*channel.samples;
    if (whole.rows() > 0) part.*channel.samples = whole.middleRows(first, count);
  });
  for (const Eigen::Index step : episode.invalid_steps) {
    if (step >= first && step < first + count) part.invalid_steps.push_back(step - first);
  }
  return part;
}

void write_episode(const Episode& episode, const std::filesystem::path& folder) {
  FileSet files(folder);
  for_each_channel([&](const NamedChannel& channel) {
    const SampleMatrix& samples = episode.*channel.samples;
    if (samples.rows() > 0) files.add(std::string(channel.name) + ".npy", npy(samples));
  });
  if (episode.has_time()) files.add("time.npy", npy(episode.time));
  if (episode.simulated) files.add("simulated.npy", npy(VectorX(VectorX::Ones(1))));
  files.commit();
}

std::string hash_of_channels(const std::vector<EpisodeChannel>& channels) {
  std::string hashes;
  for (const EpisodeChannel& channel : channels) hashes += channel.name + " " + channel.sha256 + "\n";
  return sha256(hashes);
}

void name_channels(Episode& episode) {
  episode.channels.clear();
  const auto add = [&](const std::string& name, const std::string& bytes) {
    episode.channels.push_back({name, name + ".npy", "float64", sha256(bytes)});
  };
  const auto add_all = [&](const auto& channels) {
    for (const NamedChannel& channel : channels) {
      const SampleMatrix& samples = episode.*channel.samples;
      if (samples.rows() > 0) add(channel.name, npy(samples));
    }
  };
  add_all(kMotorChannels);
  if (episode.has_time()) add("time", npy(episode.time));
  add_all(kImuChannels);
  episode.sha256 = hash_of_channels(episode.channels);
}

void find_invalid_steps(Episode& episode) {
  constexpr double kUnitLength = 1e-3;
  episode.invalid_steps.clear();
  for (Eigen::Index i = 0; i < episode.steps(); ++i) {
    const auto finite_in = [i](const SampleMatrix& samples) {
      return samples.rows() == 0 || samples.row(i).allFinite();
    };
    bool finite = finite_in(episode.tau) && finite_in(episode.q);
    if (episode.has_imu()) {
      finite = finite && episode.imu_quaternion.row(i).allFinite() &&
               std::abs(episode.imu_quaternion.row(i).norm() - 1.0) <= kUnitLength;
    }
    if (!finite) episode.invalid_steps.push_back(i);
  }
}

const OptionTable& options_of(const EpisodeOptions&) {
  using O = EpisodeOptions;
  static const OptionTable table(
      "episode",
      {
          option("time", "", "CSV column of the time stamps [s]", "names of the incident's own files", &O::time),
          option("q", "", "CSV columns of motor positions; {joint}, {label} or {motor} varies",
                 "names of the incident's own files", &O::q),
          option("tau", "", "CSV columns of motor torques", "names of the incident's own files", &O::tau),
          option("target", "", "CSV columns of commanded positions", "names of the incident's own files", &O::target),
          option("v", "", "CSV columns of motor velocities", "names of the incident's own files", &O::v),
          option("a", "", "CSV columns of motor accelerations", "named after them", &O::a),
          option("imu_quaternion", "", "CSV columns of the IMU's quaternion; {axis} is x, y, z, w",
                 "names of the incident's own files", &O::imu_quaternion),
          option("imu_angular_velocity", "", "CSV columns of the gyro [rad/s]; {axis} is x, y, z", "named after them",
                 &O::imu_angular_velocity),
          option("imu_specific_force", "", "CSV columns of the accelerometer [m/s²]; {axis} is x, y, z",
                 "named after them", &O::imu_specific_force),
          option("require_target", "", "whether a log without commanded positions is refused",
                 "names of the incident's own files", &O::require_target),
      });
  return table;
}
const OptionGroup kEpisodeOptions(EpisodeOptions{});

const Note* why_invalid(const std::vector<Note>& notes) noexcept {
  const auto last = std::find_if(notes.rbegin(), notes.rend(), [](const Note& note) {
    return note.code == NoteCode::invalid_steps || note.code == NoteCode::overflow_steps;
  });
  return last == notes.rend() ? nullptr : &*last;
}

}  // namespace antaeus
