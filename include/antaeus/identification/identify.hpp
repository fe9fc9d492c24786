#pragma once
/// \file
/// What a robot's torques read while nothing touches it, from its logs, as `antaeus identify` runs it.
///
///     IdentifyRequest request{.logs = {{.episode = load_episode("free_motion", robot), .labelled = true}}};
///     const IdentifyResult result = identify(robot, std::move(request));
///     if (result.identified) robot.profile.noise = std::make_shared<NoiseModel>(result.noise);
///
/// Which of three fits: an arm that moves is fitted by fit_moving, on a floating base where its logs have velocities,
/// gyro and accelerometer at the rate of dynamic residuals; a robot that holds its endpoints in a pose, and any other
/// that floats, by fit_held_pose over stretches of several runs; where no log names a stretch without contact,
/// fit_unlabelled takes what no contact can explain. Set-up code: allocates; only recorded_on looks at files.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/identification/held/held_pose.hpp"
#include "antaeus/identification/identify_result.hpp"
#include "antaeus/identification/unlabelled/unlabelled.hpp"
#include "antaeus/io/json.hpp"

namespace antaeus {

struct IdentifyOptions {
  IdentifyMethod method = IdentifyMethod::automatic;  ///< which fit; unlabelled is never asked for, it is what is left
  double largest_sd = 0.03;  ///< [1] of the effort limit: where most channels scatter more, nothing is written
  double constant_force =
      5.0;                   ///< [N] level force at an endpoint all along, and five of its sd, that is no free motion
  double other_robot = 0.5;  ///< [1] share of rows covered by the other logs' fit, below which a log contradicts them
};
ANTAEUS_API const OptionTable& options_of(const IdentifyOptions&);

/// A log, and where in it nothing unknown touches the robot.
struct IdentifyLog {
  Episode episode;
  /// Whether somebody vouches for `spans`; false for all logs: the run is unlabelled.
  bool labelled = false;
  std::vector<TimeSpan> spans = {};  ///< [s from the log's first sample]; empty: all of it
  SampleMatrix contact = {};         ///< Jᵀw of a contact that was measured [steps × motors, N·m]; empty: none
  std::string date = {};             ///< when it was recorded, for the provenance; empty: not known
};

struct IdentifyRequest {
  std::vector<IdentifyLog> logs;
  std::vector<std::string> endpoints = {};  ///< frames; empty: what the consumer reads, else hands and tools
  bool friction = true, inertia = true;     ///< terms of the fit beside noise and offsets
  std::vector<IdentifyLog> loaded = {};     ///< with the payload; `logs` are without it
  std::string payload_frame = {};
  bool effort_units = false;  ///< take a torque channel as it is, whatever its unit
  bool check = false;         ///< whether each log is checked before (check_log): the result tells of the worst
};

/// \param progress  may be null
/// \throws OptionsError, ModelError, EpisodeError for what no robot can be identified from: no logs, a span outside of
///         its log, logs without clock or of another robot. A log that does not suffice is no error: the result says
///         so.
ANTAEUS_API IdentifyResult identify(const Robot& robot, IdentifyRequest request, const Progress& progress = nullptr);

/// The same robot with an identified noise; without one, with its assumed figures, as for torques that a simulation
/// made.
/// \throws OptionsError for the noise of another robot
ANTAEUS_API Robot with_noise(Robot robot, const std::optional<NoiseModel>& noise);

/// "FROM:TO" [s], "all", or "LOG=FROM:TO" of one log by its name or its name without ending, for each text; marks the
/// logs as labelled. \throws OptionsError at --contact-free
ANTAEUS_API void label_contact_free(std::vector<IdentifyLog>& logs, const std::vector<std::string>& texts);

/// When a log was recorded, for IdentifyLog::date: "2024-05-01" by its clock where that counts from 1970, else "file of
/// 2024-05-01" by its newest file; empty where there is none. \param file  a file or a folder
ANTAEUS_API std::string recorded_on(const std::filesystem::path& file, const Episode& episode);

/// A contact whose force was measured: Jᵀ f at \p frame for each step. \param force  on the robot, at the frame's
/// origin, world axes [steps × 3, N]; base fixed. \throws ModelError for an unknown frame, EpisodeError for other sizes
ANTAEUS_API SampleMatrix measured_contact(const Robot& robot, const Episode& episode, const std::string& frame,
                                          const SampleMatrix& force);

/// Schema "antaeus.identify/1" (docs/reference/schemas.md).
ANTAEUS_API Json identify_summary(const IdentifyResult& result);

/// What a reader asks, answered in sentences: the verdict, what was not identified, how to go on.
struct IdentifyAnswer {
  std::string question;
  std::vector<std::string> sentences;
};
ANTAEUS_API std::vector<IdentifyAnswer> identify_story(const IdentifyResult& result);

}  // namespace antaeus
